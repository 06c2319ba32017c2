// SPDX-License-Identifier: Apache-2.0
#include "exporter/gpu/answers.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exporter/primitives/text_table.hpp"

namespace amalthea::exporter {
namespace {

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::string render_json(const PlacementStudyAnswer& answer) {
  nlohmann::ordered_json json{{"rows", nlohmann::ordered_json::array()}};
  for (const auto& row : answer.rows)
    json["rows"].push_back({{"streams", row.streams},
                            {"configurations", row.configurations},
                            {"wrong", row.wrong},
                            {"share", share(row.wrong, row.configurations)},
                            {"blocks", row.blocks},
                            {"wrong_blocks", row.wrong_blocks}});
  return json.dump() + "\n";
}

std::string render_text(const PlacementStudyAnswer& answer, bool colour) {
  auto table = TextTable::of(">streams", ">configurations", ">wrong", ">share", ">blocks", ">wrong", ">share");
  for (const auto& row : answer.rows)
    table.add(row.streams, row.configurations, row.wrong,
              fmt::format("{:.1f} %", 100 * share(row.wrong, row.configurations)), row.blocks, row.wrong_blocks,
              fmt::format("{:.1f} %", 100 * share(row.wrong_blocks, row.blocks)));
  return table.render(colour);
}

}  // namespace amalthea::exporter
