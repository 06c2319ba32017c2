// SPDX-License-Identifier: Apache-2.0
#include "tests/adversary/guarantees.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/core.h>

#include "analysis/model_analysis.hpp"
#include "engine/headroom.hpp"
#include "engine/program/releases.hpp"
#include "engine/results/lost_activations.hpp"
#include "explore/exploration.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/support/system_file.hpp"

namespace adversary {
namespace {

using namespace amalthea;
using namespace amalthea::engine;
using Kind = Guarantee::Kind;
using Source = Guarantee::Source;
using Measure = Guarantee::Measure;

/// Systems with these remainders have their headroom computed, or mappings searched.
constexpr std::uint32_t turns = 16, headroom_turn = 5, exploration_turn = 9;
constexpr std::size_t few_tasks = 6;

class Collector {
 public:
  Collector(const System& system, const Results& results, const Assessment& assessment)
      : system_(system),
        results_(results),
        releases_(releases_of(system)),
        whole_(assessment.verdict == OverallVerdict::guaranteed) {}

  std::vector<Guarantee> run() {
    tasks();
    for (const OperationResult& operation : results_.operations)
      if (operation.bound.worst)
        add(Kind::operation, operation.node,
            fmt::format("operation {} of {}", operation.node, system_.tasks[operation.task].name),
            operation.bound.worst, operation.bound.exact);
    chains();
    for (std::size_t index = 0; index < system_.constraints.size(); ++index)
      judged(Kind::constraint, index, results_.constraints[index].guaranteed, system_.constraints[index].name);
    for (std::size_t index = 0; index < system_.requirements.size(); ++index)
      judged(Kind::requirement, index, results_.requirements[index].guaranteed, system_.requirements[index].name);
    return std::move(found_);
  }

 private:
  Guarantee& add(Kind kind, std::size_t index, std::string name, std::optional<Duration> limit = {},
                 bool stated_offsets = false) {
    Guarantee& added = found_.emplace_back();
    added.kind = kind;
    added.index = index;
    added.name = std::move(name);
    if (limit) added.limit = limit->picoseconds();
    added.stated_offsets = stated_offsets;
    return added;
  }
  /// Stated by itself, or by the verdict on the whole.
  Guarantee* judged(Kind kind, std::size_t index, std::optional<bool> guaranteed, const std::string& name) {
    if (guaranteed != true && !whole_) return nullptr;
    Guarantee& added = add(kind, index, fmt::format("{} {}", to_string(kind), name));
    if (guaranteed != true) added.source = Source::verdict;
    added.stated_offsets = any_exact_;
    return &added;
  }

  void tasks() {
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      if (system_.tasks[task].folded_into) continue;
      const TaskResult& result = results_.tasks[task];
      const std::string& name = system_.tasks[task].name;
      const bool exact = result.bound.exact || result.bound.method != BoundMethod::equations;
      any_exact_ = any_exact_ || exact;
      if (result.bound.worst) add(Kind::response, task, fmt::format("response of {}", name), result.bound.worst, exact);
      if (result.bound.best) add(Kind::best_case, task, fmt::format("best case of {}", name), result.bound.best, exact);
      if (system_.tasks[task].deadline)
        if (Guarantee* deadline = judged(Kind::deadline, task, result.guaranteed, name)) {
          deadline->limit = system_.tasks[task].deadline->picoseconds();
          deadline->stated_offsets = exact;
        }
    }
  }

  void chains() {
    for (std::size_t index = 0; index < system_.chains.size(); ++index) {
      const ChainResult& result = results_.chains[index];
      const std::string& name = system_.chains[index].name;
      const auto add_all = [&](const auto& bounds, Communication communication) {
        if (!bounds) return;
        const std::pair<Measure, Duration> all[] = {{Measure::reaction, bounds->reaction},
                                                    {Measure::reduced_reaction, bounds->reduced_reaction},
                                                    {Measure::age, bounds->age},
                                                    {Measure::reduced_age, bounds->reduced_age}};
        constexpr std::string_view names[] = {"reaction", "reduced reaction", "age", "reduced age"};
        for (const auto& [measure, limit] : all) {
          const bool let = communication == Communication::let;
          Guarantee& added =
              add(Kind::latency, index,
                  fmt::format("{} {} of {}", to_string(communication), names[static_cast<std::size_t>(measure)], name),
                  limit, any_exact_ || let);
          added.communication = communication;
          added.measure = measure;
        }
      };
      add_all(result.implicit, Communication::implicit);
      add_all(result.explicit_access, Communication::explicit_access);
      // They are exact if all jobs of an interval end within it and none is lost (docs/reference/verdicts.md).
      const bool in_time =
          std::all_of(system_.chains[index].tasks.begin(), system_.chains[index].tasks.end(), [&](TaskIndex task) {
            if (!releases_[task]) return false;
            Duration sum;
            for (const TaskIndex part : releases_[task]->trigger_path) {
              const Bound& bound = results_.tasks[part].bound;
              if (!bound.worst || !why_activations_may_be_lost(system_, part, bound).empty()) return false;
              sum += *bound.worst;
            }
            return sum <= releases_[task]->periodic.period;
          });
      if (in_time) add_all(result.let, Communication::let);
      for (std::size_t part = 0; part < result.limits.size(); ++part)
        for (const Communication communication :
             {Communication::implicit, Communication::explicit_access, Communication::let}) {
          const auto guaranteed = result.limits[part].by(communication).guaranteed;
          if (guaranteed != true && !(whole_ && communication == results_.communication)) continue;
          Guarantee& added =
              add(Kind::chain_limit, index, fmt::format("{} limit {} of {}", to_string(communication), part, name), {},
                  any_exact_ || communication == Communication::let);
          added.part = part;
          added.communication = communication;
          if (guaranteed != true) added.source = Source::verdict;
        }
    }
  }

  const System& system_;
  const Results& results_;
  std::vector<std::optional<TaskReleases>> releases_;
  bool whole_;
  bool any_exact_ = false;  ///< some bound holds for the stated offsets only
  std::vector<Guarantee> found_;
};

std::int64_t grown(std::int64_t value, int percent) {
  return value <= 0 ? value : (value * (100 + percent) + 99) / 100;
}
void grow(Cycles& cycles, int percent) {
  cycles.upper = grown(cycles.upper, percent);
  cycles.average = std::min(cycles.upper, grown(cycles.average, percent));
}
void grow(Ticks& ticks, int percent) {
  if (ticks.otherwise) grow(*ticks.otherwise, percent);
  for (auto& [definition, cycles] : ticks.extended) grow(cycles, percent);
}
/// Every longest time of the execution of this task grows, written without the product's code for it.
void grow_task(System& system, TaskIndex task, int percent) {
  for (const NodeIndex node : system.tasks[task].body) {
    Activity& activity = system.graph[node].activity;
    if (auto* compute = std::get_if<Compute>(&activity)) grow(compute->ticks, percent);
    if (auto* kernel = std::get_if<Kernel>(&activity)) grow(*&static_cast<Ticks&>(kernel->ticks), percent);
  }
}

void add_headroom(const DrawnSystem& drawn, const Results& results, Statement& statement) {
  const System system = statement.targets.front().system;
  HeadroomOptions options;
  options.analysis = drawn.options();
  options.analyses_each = 14;
  const Headroom found = headroom(system, results, options);
  for (const StressHeadroom& each : found.of) {
    if (!each.guaranteed.holds) continue;
    const std::string name = fmt::format("headroom {} {}", to_string(each.stress.kind), each.stress.index);
    statement.lines.push_back({name, *each.guaranteed.holds, false});
    if (each.stress.kind != Stress::Kind::task || *each.guaranteed.holds <= 0) continue;
    Target target{{}, system, {}};
    grow_task(target.system, each.stress.index, *each.guaranteed.holds);
    target.amxmi = test::model_of(target.system);
    for (Guarantee guarantee : statement.targets.front().guarantees) {
      if (guarantee.kind != Kind::deadline && guarantee.kind != Kind::chain_limit &&
          guarantee.kind != Kind::constraint && guarantee.kind != Kind::requirement)
        continue;
      if (guarantee.source != Source::results || guarantee.stated_offsets) continue;
      if (guarantee.kind == Kind::chain_limit && guarantee.communication != drawn.communication) continue;
      guarantee.source = Source::headroom;
      guarantee.name = fmt::format("with {} % more for {}: {}", *each.guaranteed.holds,
                                   system.tasks[each.stress.index].name, guarantee.name);
      target.guarantees.push_back(std::move(guarantee));
    }
    if (!target.guarantees.empty()) statement.targets.push_back(std::move(target));
  }
}

explore::Problem problem_of(const System& system) {
  explore::Constraints constraints;
  for (const Task& task : system.tasks) {
    constraints.allowed.emplace_back();
    for (UnitIndex unit = 0; unit < system.platform.units.size(); ++unit)
      if ((system.platform.units[unit].type == PuType::gpu) == (task.side == Side::device))
        constraints.allowed.back().push_back(unit);
  }
  return {system, constraints, [&system](const std::vector<bool>&) { return std::optional(system); }};
}

void add_exploration(const DrawnSystem& drawn, Statement& statement) {
  const System system = statement.targets.front().system;
  explore::Options options;
  options.analysis = drawn.options();
  options.candidates = 60;
  options.steps = 3'000'000;
  const explore::Problem problem = problem_of(system);
  const explore::Exploration found = explore::explore(problem, options);
  if (found.front.empty()) return;
  const explore::Solution& best = found.front.front();
  statement.lines.push_back(
      {"exploration: late", static_cast<std::int64_t>(best.judgement.late.size() + found.impossible.size()), true});
  statement.lines.push_back({"exploration: broken", static_cast<std::int64_t>(best.judgement.broken), true});
  if (!found.feasible || !found.impossible.empty()) return;
  auto mapped = explore::applied(problem, best.candidate);
  if (!mapped) return;
  Target target{test::model_of(*mapped), std::move(*mapped), {}};
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (system.tasks[task].deadline && !best.judgement.bounds[task].exact) {
      Guarantee& added = target.guarantees.emplace_back();
      added.kind = Kind::deadline;
      added.source = Source::exploration;
      added.index = task;
      added.limit = system.tasks[task].deadline->picoseconds();
      added.name = fmt::format("of the mapping found: deadline {}", system.tasks[task].name);
    }
  const bool exact = std::any_of(best.judgement.bounds.begin(), best.judgement.bounds.end(),
                                 [](const Bound& bound) { return bound.exact; });
  for (std::size_t chain = 0; chain < system.chains.size(); ++chain)
    for (std::size_t part = 0; part < system.chains[chain].limits.size(); ++part) {
      if (best.judgement.broken > 0 || drawn.communication != Communication::implicit || exact) continue;
      Guarantee& added = target.guarantees.emplace_back();
      added.kind = Kind::chain_limit;
      added.source = Source::exploration;
      added.index = chain;
      added.part = part;
      added.name = fmt::format("of the mapping found: limit {} of {}", part, system.chains[chain].name);
    }
  if (!target.guarantees.empty()) statement.targets.push_back(std::move(target));
}

void add_lines(const System& system, const Results& results, const Assessment& assessment, Statement& statement) {
  std::vector<ResultLine>& lines = statement.lines;
  for (const Guarantee& guarantee : statement.targets.front().guarantees) {
    const bool bound =
        guarantee.kind == Kind::response || guarantee.kind == Kind::operation || guarantee.kind == Kind::latency;
    if (bound)
      lines.push_back({guarantee.name, guarantee.limit, true});
    else if (guarantee.kind == Kind::best_case)
      lines.push_back({guarantee.name, guarantee.limit, false});
    else if (guarantee.source == Source::results)
      lines.push_back({guarantee.name, 1, false});
  }
  // How tight the limits could be.
  for (std::size_t chain = 0; chain < system.chains.size(); ++chain)
    for (std::size_t part = 0; part < system.chains[chain].limits.size(); ++part)
      if (results.chains[chain].limits[part].by(results.communication).guaranteed == true)
        lines.push_back({fmt::format("tightest limit {} of {}", part, system.chains[chain].name),
                         system.chains[chain].limits[part].maximum->picoseconds(), true});
  for (std::size_t index = 0; index < system.requirements.size(); ++index) {
    const Requirement& requirement = system.requirements[index];
    const auto* time = std::get_if<Requirement::TimeLimit>(&requirement.limit);
    if (results.requirements[index].guaranteed != true || time == nullptr) continue;
    lines.push_back({fmt::format("tightest {}", requirement.name), time->value->picoseconds(),
                     requirement.limit_type == Requirement::LimitType::upper});
  }
  for (std::size_t index = 0; index < system.constraints.size(); ++index) {
    const TimingConstraint& constraint = system.constraints[index];
    if (results.constraints[index].guaranteed != true) continue;
    const auto add = [&](const TimeLimits& limits) {
      if (limits.upper)
        lines.push_back({fmt::format("tightest upper {}", constraint.name), limits.upper->picoseconds(), true});
      if (limits.lower)
        lines.push_back({fmt::format("tightest lower {}", constraint.name), limits.lower->picoseconds(), false});
    };
    if (const auto* delay = std::get_if<DelayLimit>(&constraint.kind)) add(delay->limits);
    if (const auto* repetition = std::get_if<Repetition>(&constraint.kind)) add(repetition->limits);
    if (const auto* age = std::get_if<DataAge>(&constraint.kind)) add(age->limits);
    if (const auto* together = std::get_if<EventSynchronization>(&constraint.kind))
      lines.push_back({fmt::format("tightest {}", constraint.name), together->tolerance.picoseconds(), true});
  }
  std::size_t same = 0;
  for (const JudgedLimit& limit : assessment.limits)
    if (limit.verdict == OverallVerdict::guaranteed)
      lines.push_back({fmt::format("judged {} {} {}", ++same, to_string(limit.kind), limit.name), 1, false});
  if (assessment.verdict == OverallVerdict::guaranteed) lines.push_back({"verdict", 1, false});
}

}  // namespace

std::string_view to_string(Guarantee::Kind kind) {
  constexpr std::string_view names[] = {"response", "best case",   "operation",  "deadline",
                                        "latency",  "chain limit", "constraint", "requirement"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<Guarantee> guarantees_of(const System& system, const Results& results, const Assessment& assessment) {
  return Collector(system, results, assessment).run();
}

Statement statement_of(const std::string& amxmi, const AnalysisOptions& options) {
  Statement statement;
  Diagnostics findings;
  const auto refuse = [&](std::string_view otherwise) {
    statement.refused = otherwise;
    for (const Diagnostic& finding : findings.all())
      if (finding.severity == Severity::error) statement.refused = fmt::format("{}: {}", finding.id, finding.message);
    return statement;
  };
  const auto model = importer::read_model_from_bytes("drawn.amxmi", amxmi, {}, findings);
  if (!model) return refuse("the product does not read it");
  analysis::Options complete;
  complete.engine = options;
  auto system = analysis::prepare(*model, complete, findings);
  if (!system) return refuse("the product does not build it");
  const auto results = analyze(*system, options, findings);
  if (!results) return refuse("the product does not analyze it");
  const Assessment assessment = assess(*system, *results, findings);
  auto guarantees = guarantees_of(*system, *results, assessment);
  statement.targets.push_back({amxmi, std::move(*system), std::move(guarantees)});
  add_lines(statement.targets.front().system, *results, assessment, statement);
  statement.results = *results;
  return statement;
}

Statement statement_of(const DrawnSystem& drawn, std::uint32_t number) {
  std::string amxmi;
  try {
    amxmi = test::model_of(drawn.random.system);
  } catch (const std::invalid_argument& fault) {
    Statement refused;
    refused.refused = fmt::format("no model states it: {}", fault.what());
    return refused;
  }
  Statement statement = statement_of(amxmi, drawn.options());
  if (statement.refused.empty() && statement.targets.front().system.tasks.size() <= few_tasks) {
    if (number % turns == headroom_turn) add_headroom(drawn, statement.results, statement);
    if (number % turns == exploration_turn) add_exploration(drawn, statement);
  }
  return statement;
}

}  // namespace adversary
