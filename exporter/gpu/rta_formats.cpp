// SPDX-License-Identifier: Apache-2.0
#include "exporter/gpu/answers.hpp"

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

std::string render_text(const RtaTrace& trace, bool colour) {
  auto table = TextTable::of(">kernel", "step", ">blocks", ">left", ">t_a", ">g_f", "h");
  for (const nvidia::RtaStep& step : trace.steps) {
    std::string rows;
    for (const auto& [time, blocks] : step.h) rows += fmt::format("{}({},{})", rows.empty() ? "" : " ", time, blocks);
    table.add(step.kernel, name_of(step.kind), step.blocks > 0 ? fmt::format("{}", step.blocks) : "", step.left,
              step.t_a, step.g_f, rows.empty() ? "-" : rows);
  }
  return table.render(colour);
}

std::string render_json(const RtaTrace& trace) {
  nlohmann::ordered_json json{{"steps", nlohmann::ordered_json::array()}};
  for (const nvidia::RtaStep& step : trace.steps)
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
