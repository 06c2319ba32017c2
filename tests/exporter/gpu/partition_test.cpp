// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "exporter/gpu/answers.hpp"

namespace {

namespace amd = amalthea::engine::amd;
using amalthea::Duration;
using amalthea::exporter::PartitionRow;
using amalthea::exporter::PartitionTable;

amd::ResponseTimes times(std::int64_t median_us) {
  return {Duration::microseconds(median_us - 1), Duration::microseconds(median_us),
          Duration::microseconds(median_us + 2), 3};
}

PartitionTable table() {
  const amd::Layout layout{2, 2};
  PartitionTable table{"small", "a", "b"};
  PartitionRow first{"full", amd::full_mask(layout), amd::full_mask(layout), {times(1500), times(2500)}, {}};
  PartitionRow second{"packed", amd::packed_mask(layout, 3), amd::packed_mask(layout, 1), {times(10), {}}, {}};
  second.warnings = {"AM0580"};
  table.rows = {first, second};
  return table;
}

}  // namespace

TEST_CASE("response times are written in picoseconds with their number") {
  PartitionTable one{"small", "a", ""};
  one.rows = {{"as given", {}, {}, {times(5), {}}, {}}};
  one.is_one = true;
  CHECK(amalthea::exporter::render_json(one) ==
        "{\"median_ps\":5000000,\"min_ps\":4000000,\"max_ps\":7000000,\"mean_ps\":0,\"std_ps\":0,"
        "\"samples\":3}\n");
}

TEST_CASE("partitions are listed with masks and times and warnings") {
  CHECK(amalthea::exporter::render_text(table(), false) ==
        "a against b on small\n"
        "\n"
        "strategy  mask  CUs  median ms    min ms    max ms   mean ms    std ms  samples  other's mask  CUs  its "
        "median ms  warnings\n"
        "full      0xf     4   1.500000  1.499000  1.502000  0.000000  0.000000        3  0xf             4       "
        "2.500000\n"
        "packed    0x7     3   0.010000  0.009000  0.012000  0.000000  0.000000        3  0x1             1            "
        "  -  AM0580\n");
  const std::string json = amalthea::exporter::render_json(table());
  CHECK(json.find("\"strategy\": \"packed\"") != std::string::npos);
  CHECK(json.find("\"median_ps\": 10000000") != std::string::npos);
  CHECK(json.find("\"launches\": 3") != std::string::npos);
}
