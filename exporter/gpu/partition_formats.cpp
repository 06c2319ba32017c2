// SPDX-License-Identifier: Apache-2.0
#include "exporter/gpu/answers.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "amalthea/primitives/visible_text.hpp"
#include "exporter/primitives/text_table.hpp"

namespace amalthea::exporter {
namespace {

using nlohmann::ordered_json;
namespace amd = engine::amd;
namespace gpu = engine::gpu;

ordered_json times_json(const amd::ResponseTimes& times) {
  return {{"median_ps", times.median.picoseconds()}, {"min_ps", times.minimum.picoseconds()},
          {"max_ps", times.maximum.picoseconds()},   {"mean_ps", times.mean.picoseconds()},
          {"std_ps", times.deviation.picoseconds()}, {"samples", times.launches}};
}

std::string milliseconds(Duration time) {
  const std::int64_t nanoseconds = (time.picoseconds() + 500) / 1000;
  return fmt::format("{}.{:06}", nanoseconds / 1'000'000, nanoseconds % 1'000'000);
}

}  // namespace

std::string render_json(const PartitionTable& table) {
  if (table.is_one) return times_json(table.rows.front().times.task).dump() + "\n";
  ordered_json json;
  json["platform"] = table.platform;
  json["kernel"] = table.kernel;
  if (!table.against.empty()) json["against"] = table.against;
  json["rows"] = ordered_json::array();
  for (const PartitionRow& row : table.rows) {
    ordered_json& added = json["rows"].emplace_back();
    added["strategy"] = row.name;
    added["mask"] = amd::hexadecimal(row.mask);
    added["units"] = row.mask.count();
    added.update(times_json(row.times.task));
    added["launches"] = row.times.task.launches;
    if (row.against_mask) {
      ordered_json& against = added["against"];
      against["mask"] = amd::hexadecimal(*row.against_mask);
      against["units"] = row.against_mask->count();
      if (row.times.against) {
        against.update(times_json(*row.times.against));
        against["launches"] = row.times.against->launches;
      }
    }
    added["warnings"] = row.warnings;
  }
  return json.dump(2) + "\n";
}

std::string render_samples_csv(const PartitionTable& table) {
  std::string text = "strategy,task,mask,sample,response_ps\n";
  const auto add = [&](const PartitionRow& row, std::string_view task, const gpu::CuMask& mask,
                       const amd::ResponseTimes& times) {
    for (std::size_t sample = 0; sample < times.responses.size(); ++sample)
      text += fmt::format("{},{},{},{},{}\n", row.name, task, amd::hexadecimal(mask), sample + 1,
                          times.responses[sample].picoseconds());
  };
  for (const PartitionRow& row : table.rows) {
    add(row, table.kernel, row.mask, row.times.task);
    if (row.against_mask && row.times.against) add(row, table.against, *row.against_mask, *row.times.against);
  }
  return text;
}

std::string render_text(const PartitionTable& table, bool colour) {
  const bool alone = table.against.empty();
  std::string out = line_start(alone ? fmt::format("{} on {}, alone", table.kernel, table.platform)
                                     : fmt::format("{} against {} on {}", table.kernel, table.against, table.platform));
  out += "\n\n";
  std::vector<TextTable::Column> titles{{"strategy"}, {"mask"}};
  for (const char* right : {"CUs", "median ms", "min ms", "max ms", "mean ms", "std ms", "samples"})
    titles.push_back({right, Align::right});
  if (!alone) {
    titles.push_back({"other's mask"});
    titles.push_back({"CUs", Align::right});
    titles.push_back({"its median ms", Align::right});
  }
  titles.push_back({"warnings"});
  TextTable text(titles);
  for (const PartitionRow& row : table.rows) {
    std::vector<TextTable::Cell> cells{{row.name},
                                       {amd::hexadecimal(row.mask)},
                                       {fmt::format("{}", row.mask.count())},
                                       {milliseconds(row.times.task.median)},
                                       {milliseconds(row.times.task.minimum)},
                                       {milliseconds(row.times.task.maximum)},
                                       {milliseconds(row.times.task.mean)},
                                       {milliseconds(row.times.task.deviation)},
                                       {fmt::format("{}", row.times.task.launches)}};
    if (!alone && row.against_mask) {
      cells.push_back({amd::hexadecimal(*row.against_mask)});
      cells.push_back({fmt::format("{}", row.against_mask->count())});
      cells.push_back({row.times.against ? milliseconds(row.times.against->median) : "-"});
    }
    std::string warnings;
    for (const std::string& id : row.warnings) warnings += fmt::format("{}{}", warnings.empty() ? "" : ", ", id);
    cells.push_back({warnings, Colour::bad});
    text.add_row(cells);
  }
  return out + text.render(colour);
}

}  // namespace amalthea::exporter
