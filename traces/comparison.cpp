// SPDX-License-Identifier: Apache-2.0
#include "traces/comparison.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/primitives/near_miss.hpp"
#include "traces/detail/trace_fold.hpp"

namespace amalthea::traces {

std::string_view to_string(EntityKind kind) {
  constexpr std::array<std::string_view, entity_kinds> names{"stimulus", "process", "runnable", "core", "label"};
  return names[static_cast<std::size_t>(kind)];
}

namespace {

void report_unmatched(const ComparisonInput& input, const Comparison& comparison, TraceFindings& findings) {
  for (const Unmatched& unmatched : comparison.unmatched) {
    std::vector<std::string_view> names = input.directory.names(unmatched.kind);
    std::sort(names.begin(), names.end());
    findings.add(
        TraceFinding::unknown_name, {},
        fmt::format("{} \"{}\" with {} event{} is not in the model{}; use --names to state its name there",
                    to_string(unmatched.kind), unmatched.name, unmatched.events, unmatched.events == 1 ? "" : "s",
                    NearMisses(unmatched.name).offer_all(names).suggestion()));
  }
}

class NameList final : public TraceSink {
 public:
  NameList(ListedTrace& listed, TraceFindings& findings) : listed_(listed), findings_(findings) {}

  void entity(const Entity& entity) override { listed_.names.push_back({entity.kind, entity.name, 0}); }
  void event(const Event& event) override {
    TraceFile& file = listed_.file;
    if (!std::exchange(begun_, true)) file.begin = file.end = event.time;
    file.end = std::max(file.end, event.time);
    ++listed_.names[event.target].events;
    if (event.source != no_entity) ++listed_.names[event.source].events;
  }
  void problem(const Problem& problem) override {
    listed_.file.truncated = listed_.file.truncated || problem.kind == Problem::Kind::truncated;
    findings_.add(problem);
  }

 private:
  ListedTrace& listed_;
  TraceFindings& findings_;
  bool begun_ = false;
};

}  // namespace

tl::expected<ListedTrace, std::string> list_trace(const TraceInput& input, Diagnostics& diagnostics) {
  ListedTrace listed;
  listed.file.path = input.path;
  TraceFindings findings(diagnostics, false);
  findings.begin(input.path, &listed.file.report.tables);
  NameList names(listed, findings);
  const auto read = read_trace(input, names, listed.file.report);
  if (!read) return tl::unexpected(fmt::format("{}: {}", input.path, read.error()));
  findings.end();
  return listed;
}

tl::expected<Comparison, std::string> compare_traces(const ComparisonInput& input,
                                                     const std::vector<std::string>& paths, Diagnostics& diagnostics) {
  const auto preparation = engine::prepare_simulation(input.system, input.analysis, diagnostics);
  if (!preparation) return tl::unexpected(std::string("the model cannot be simulated"));
  const auto programs =
      engine::compile_programs(input.system, engine::Execution::worst, preparation->devices, input.analysis.compile);
  const engine::SimulationInput simulation{input.system,       programs,           preparation->devices,
                                           preparation->until, preparation->grace, preparation->periods};
  const Expectations expected(input, simulation);
  Comparison comparison;
  comparison.tasks.resize(input.system.tasks.size());
  comparison.stimuli.resize(input.system.stimuli.size());
  for (const Operation& operation : input.directory.operations) {
    comparison.operations.emplace_back();
    comparison.operations.back().node = operation.node;
    comparison.operations.back().task = operation.task;
  }
  TraceFindings findings(diagnostics, input.mapped);
  for (const std::string& path : paths) {
    comparison.files.push_back({path, {}, {}, {}, false});
    TraceReport& report = comparison.files.back().report;
    findings.begin(path, &report.tables);
    TraceFold fold(input, expected, comparison, findings, &path == &paths.front() ? input.observer : nullptr);
    try {
      auto read = read_trace({path, input.limits, input.progress, input.columns}, fold, report);
      if (!read) return tl::unexpected(fmt::format("{}: {}", path, read.error()));
      fold.end({path, report, {}, {}, false});
    } catch (const std::overflow_error&) {
      return tl::unexpected(fmt::format("{}: its times add up to more than 106 days", path));
    }
    if (path == paths.back()) report_unmatched(input, comparison, findings);
    findings.end();
  }
  comparison.unused_rules = input.rules.unused();
  comparison.findings = findings.total();
  return comparison;
}

}  // namespace amalthea::traces
