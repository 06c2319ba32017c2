// SPDX-License-Identifier: Apache-2.0
// Measured times of kernels and copies in a scenario of streams.

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "analysis/calibration.hpp"
#include "analysis/gpu/detail/steps.hpp"
#include "engine/devices/stream_scenario.hpp"
#include "engine/gpu/launch_plan.hpp"
#include "traces/directory.hpp"
#include "traces/trace_reader.hpp"

namespace amalthea::analysis {
namespace {

using engine::JsonObject;
using engine::JsonValue;

/// The executions of a trace, by the name in the scenario.
class Executions final : public traces::TraceSink {
 public:
  Executions(const traces::NameRules& rules, std::map<std::string, engine::Sample>& times)
      : rules_(rules), times_(times) {}

  void entity(const traces::Entity& entity) override { names_.push_back(rules_.apply(entity.name)); }
  void event(const traces::Event& event) override {
    if (event.what == traces::Event::What::execution) times_[names_[event.target]].add(event.time - event.from);
  }
  void problem(const traces::Problem& problem) override {
    if (first_problem_.empty()) first_problem_ = problem.message;
  }
  const std::string& first_problem() const { return first_problem_; }

 private:
  const traces::NameRules& rules_;
  std::map<std::string, engine::Sample>& times_;
  std::vector<std::string> names_;
  std::string first_problem_;
};

std::int64_t whole(const JsonObject& object, std::string_view key, std::int64_t usual) {
  const JsonValue* value = engine::find_member(object, key);
  const auto* number = value != nullptr ? std::get_if<std::int64_t>(&value->value) : nullptr;
  return number != nullptr ? *number : usual;
}

/// Rounds of blocks that a kernel takes alone; 1 for a copy.
std::int64_t rounds_of(const JsonObject& operation, bool is_kernel, const engine::DeviceProfile& device) {
  if (!is_kernel) return 1;
  const Launch launch{whole(operation, "blocks", 1),
                      whole(operation, "threads", 1),
                      whole(operation, "registers", 0),
                      whole(operation, "shared_memory", 0),
                      {}};
  const auto plan = engine::gpu::plan_launch(launch, device);
  return plan ? plan->rounds : 1;
}

/// The text of a time, which ends at the value's place: [begin, end) in the whole text.
std::pair<std::size_t, std::size_t> span_of(std::string_view text, const JsonValue& value) {
  std::size_t line_begin = 0;
  for (std::size_t line = 1; line < value.line; ++line) line_begin = text.find('\n', line_begin) + 1;
  const std::size_t end = line_begin + value.column;
  const bool is_text = text[end - 1] == '"';
  std::size_t begin = end - 1;
  if (is_text)
    begin = text.rfind('"', end - 2);
  else
    while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  return {begin, end};
}

}  // namespace

Outcome<CalibratedScenario> calibrate_scenario(const std::string& path, const std::string& text,
                                               const CalibrationRequest& request, const traces::Progress& progress) {
  std::optional<engine::DeviceProfile> profile;
  if (!request.platform.empty()) {
    if (request.platform.size() > 1) return misused("--platform " + request.platform[1], "a scenario has one GPU");
    auto chosen = gpu::profile_with_sms(request.platform.front());
    if (!chosen) return tl::unexpected(chosen.error());
    profile = std::move(*chosen);
  }
  const auto scenario = engine::gpu::parse_scenario_of_one_gpu(text, profile ? &*profile : nullptr);
  if (!scenario) return tl::unexpected(gpu::unreadable(path, scenario.error()));
  const auto rules = read_names(request.names);
  if (!rules) return tl::unexpected(rules.error());
  std::map<std::string, engine::Sample> times;
  for (const std::string& trace : request.trace_files) {
    Executions executions(*rules, times);
    traces::TraceReport report;
    const auto read = traces::read_trace({trace, {}, progress, request.columns}, executions, report);
    if (!read) return misused(trace, read.error());
    if (!executions.first_problem().empty()) return misused(trace, executions.first_problem());
  }

  CalibratedScenario result;
  std::map<std::string, bool> used;
  std::size_t copied = 0;
  const auto json = engine::parse_located_json(text);
  const JsonValue* list = engine::find_member(std::get<JsonObject>(json->value), "operations");
  for (const JsonValue& element : std::get<engine::JsonArray>(list->value).elements) {
    const auto& operation = std::get<JsonObject>(element.value);
    const JsonValue* kernel = engine::find_member(operation, "kernel");
    const JsonValue* named = kernel != nullptr ? kernel : engine::find_member(operation, "copy");
    const auto& name = std::get<std::string>(named->value);
    const auto measured = times.find(name);
    const JsonValue* in_text = engine::find_member(operation, "duration");
    const JsonValue* in_picoseconds = engine::find_member(operation, "duration_ps");
    if (measured == times.end() || (in_text == nullptr && in_picoseconds == nullptr)) continue;
    used[name] = true;
    const JsonValue& stated = in_text != nullptr ? *in_text : *in_picoseconds;
    exporter::DurationChange change{name, measured->second.count(), {}, {}, 1, {}};
    engine::read_time(stated, in_text == nullptr, change.before);
    change.measured = measured->second.percentile(std::llround(request.percentile * 10));
    change.rounds = rounds_of(operation, kernel != nullptr, scenario->device);
    const double with_margin = static_cast<double>(change.measured.picoseconds()) * (1 + request.margin / 100);
    change.after = Duration::picoseconds(
        static_cast<std::int64_t>(std::ceil(with_margin / static_cast<double>(change.rounds) - 1e-3)));
    const auto [begin, end] = span_of(text, stated);
    result.text += text.substr(copied, begin - copied);
    result.text += in_text != nullptr ? fmt::format("\"{}ps\"", change.after.picoseconds())
                                      : fmt::format("{}", change.after.picoseconds());
    copied = end;
    result.changes.durations.push_back(std::move(change));
  }
  result.text += text.substr(copied);
  for (const auto& [name, sample] : times)
    if (!used[name]) result.unmatched.push_back(name);
  return result;
}

}  // namespace amalthea::analysis
