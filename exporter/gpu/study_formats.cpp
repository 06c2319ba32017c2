// SPDX-License-Identifier: Apache-2.0
#include "exporter/gpu/study_formats.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exporter/primitives/text_table.hpp"

namespace amalthea::exporter {
namespace {

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::string render_placement_study_json(const std::vector<engine::nvidia::PlacementStudyRow>& rows) {
  nlohmann::ordered_json json{{"rows", nlohmann::ordered_json::array()}};
  for (const auto& row : rows)
    json["rows"].push_back({{"streams", row.streams},
                            {"configurations", row.configurations},
                            {"wrong", row.wrong},
                            {"share", share(row.wrong, row.configurations)},
                            {"blocks", row.blocks},
                            {"wrong_blocks", row.wrong_blocks}});
  return json.dump() + "\n";
}

std::string render_placement_study_text(const std::vector<engine::nvidia::PlacementStudyRow>& rows, bool colour) {
  TextTable table({{"streams", Align::right},
                   {"configurations", Align::right},
                   {"wrong", Align::right},
                   {"share", Align::right},
                   {"blocks", Align::right},
                   {"wrong", Align::right},
                   {"share", Align::right}});
  for (const auto& row : rows)
    table.add_row({{fmt::format("{}", row.streams)},
                   {fmt::format("{}", row.configurations)},
                   {fmt::format("{}", row.wrong)},
                   {fmt::format("{:.1f} %", 100 * share(row.wrong, row.configurations))},
                   {fmt::format("{}", row.blocks)},
                   {fmt::format("{}", row.wrong_blocks)},
                   {fmt::format("{:.1f} %", 100 * share(row.wrong_blocks, row.blocks))}});
  return table.render(colour);
}

}  // namespace amalthea::exporter
