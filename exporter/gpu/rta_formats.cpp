// SPDX-License-Identifier: Apache-2.0
#include "exporter/gpu/rta_formats.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exporter/primitives/text_table.hpp"

namespace amalthea::exporter {
namespace {

namespace nvidia = engine::nvidia;

std::string_view name_of(nvidia::RtaStep::Kind kind) {
  switch (kind) {
    case nvidia::RtaStep::Kind::begin:
      return "begin";
    case nvidia::RtaStep::Kind::assign:
      return "assign";
    case nvidia::RtaStep::Kind::free:
      break;
  }
  return "free";
}

}  // namespace

std::string render_rta_trace_text(const std::vector<nvidia::RtaStep>& steps, bool colour) {
  TextTable table({{"kernel", Align::right},
                   {"step"},
                   {"blocks", Align::right},
                   {"left", Align::right},
                   {"t_a", Align::right},
                   {"g_f", Align::right},
                   {"h"}});
  for (const nvidia::RtaStep& step : steps) {
    std::string rows;
    for (const auto& [time, blocks] : step.h) rows += fmt::format("{}({},{})", rows.empty() ? "" : " ", time, blocks);
    table.add_row({{fmt::format("{}", step.kernel)},
                   {std::string(name_of(step.kind))},
                   {step.blocks > 0 ? fmt::format("{}", step.blocks) : ""},
                   {fmt::format("{}", step.left)},
                   {fmt::format("{}", step.t_a)},
                   {fmt::format("{}", step.g_f)},
                   {rows.empty() ? "-" : rows}});
  }
  return table.render(colour);
}

std::string render_rta_trace_json(const std::vector<nvidia::RtaStep>& steps) {
  nlohmann::ordered_json json{{"steps", nlohmann::ordered_json::array()}};
  for (const nvidia::RtaStep& step : steps)
    json["steps"].push_back({{"kernel", step.kernel},
                             {"step", name_of(step.kind)},
                             {"blocks", step.blocks},
                             {"left", step.left},
                             {"t_a", step.t_a},
                             {"g_f", step.g_f},
                             {"h", step.h}});
  return json.dump() + "\n";
}

}  // namespace amalthea::exporter
