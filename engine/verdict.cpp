// SPDX-License-Identifier: Apache-2.0
#include "engine/verdict.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/core.h>

namespace amalthea::engine {
namespace {

using Kind = JudgedLimit::Kind;

/// The limitations of guarantees that count as assumptions: id, and a phrase for one and for several guarantees.
struct Limitation {
  bool (*applies)(const Coverage&);
  std::string_view id, one, several;
};
constexpr std::array limitations{
    Limitation{[](const Coverage& of) { return of.offsets == Coverage::Offsets::stated; }, "AM0591",
               "1 guarantee holds for the stated offsets only", "{} guarantees hold for the stated offsets only"},
    Limitation{[](const Coverage& of) { return of.offsets == Coverage::Offsets::up_to_period; }, "AM0592",
               "1 guarantee holds for offsets up to the stated one or the period only",
               "{} guarantees hold for offsets up to the stated one or the period only"},
    Limitation{[](const Coverage& of) { return of.ties == Coverage::Ties::one_rule; }, "AM0593",
               "1 guarantee holds for one order of equally urgent tasks only",
               "{} guarantees hold for one order of equally urgent tasks only"},
};

std::string named(std::string_view what, std::string_view name) {
  return name.empty() ? fmt::format("{} without a name", what) : fmt::format("{} \"{}\"", what, name);
}

/// The task whose deadline the requirement is; of a removed wrapper its function.
std::optional<TaskIndex> task_with_deadline(const System& system, const Requirement& requirement) {
  if (!is_deadline(system, requirement)) return std::nullopt;
  const TaskIndex task = std::get<Requirement::OfProcess>(requirement.subject).task;
  const TaskIndex runs = system.tasks[task].folded_into.value_or(task);
  const auto& limit = std::get<Requirement::TimeLimit>(requirement.limit);
  return system.tasks[runs].deadline == limit.value ? std::optional(runs) : std::nullopt;
}

/// The reason of the requirement stays where both had the same verdict anyway.
void say_the_same(const TaskResult& task, RequirementResult& result) {
  const auto verdict = [&] {
    switch (task.verdict) {
      case Verdict::missed:
        return LimitVerdict::missed;
      case Verdict::unbounded:
        return LimitVerdict::unbounded;
      case Verdict::met:
        return LimitVerdict::met;
      case Verdict::unknown:
      case Verdict::no_deadline:
        break;
    }
    return LimitVerdict::unknown;
  }();
  if (verdict != result.verdict || task.guaranteed != result.guaranteed) result.reason = task.reason;
  result.verdict = verdict;
  result.guaranteed = task.guaranteed;
  result.coverage = task.coverage;
}

class Assessor {
 public:
  Assessor(const System& system, const Results& results, const Diagnostics& findings)
      : system_(system), results_(results), findings_(findings) {}

  Assessment assess() {
    tasks();
    requirements();
    chains();
    constraints();
    findings();
    assumptions();
    replaced();
    assessment_.verdict = assessment_.limits.empty() ? OverallVerdict::met : OverallVerdict::guaranteed;
    for (const JudgedLimit& limit : assessment_.limits) {
      ++assessment_.counts[static_cast<std::size_t>(limit.verdict)];
      assessment_.verdict = std::max(assessment_.verdict, limit.verdict);
    }
    return std::move(assessment_);
  }

 private:
  void add(Kind kind, OverallVerdict verdict, std::string name, std::string reason, Origin origin = {},
           const Coverage& coverage = {}) {
    const bool guaranteed = verdict == OverallVerdict::guaranteed;
    assessment_.limits.push_back({kind, verdict, std::move(name), std::move(reason), origin,
                                  guaranteed ? std::optional(coverage) : std::nullopt});
  }

  /// Of the limit that was added last.
  void add_excess(Duration observed, Duration limit) {
    JudgedLimit& judged = assessment_.limits.back();
    if (judged.verdict == OverallVerdict::missed) judged.beyond = std::max(observed, limit) - std::min(observed, limit);
  }

  void tasks() {
    for (TaskIndex index = 0; index < system_.tasks.size(); ++index) {
      const Task& task = system_.tasks[index];
      const TaskResult& result = results_.tasks[index];
      if (task.folded_into) continue;  // its deadline is that of its function
      ++assessment_.tasks;
      if (results_.proofs) assessment_.proved = assessment_.proved.value_or(0) + (is_proved(task, result) ? 1 : 0);
      const OverallVerdict verdict = verdict_on(result);
      if (task.deadline) {
        add(Kind::deadline, verdict, task.name, result.reason, task.origin, result.coverage);
        if (result.response.jobs > 0 && result.response.max > *task.deadline)
          add_excess(result.response.max, *task.deadline);
      } else if (verdict > OverallVerdict::met) {
        add(Kind::task, verdict, task.name, result.reason, task.origin);
      }
    }
  }

  void requirements() {
    for (std::size_t index = 0; index < results_.requirements.size(); ++index) {
      const Requirement& requirement = system_.requirements[index];
      if (is_deadline(system_, requirement)) continue;
      const RequirementResult& result = results_.requirements[index];
      add(Kind::requirement, verdict_on(result.verdict, result.guaranteed), named("requirement", requirement.name),
          result.reason, requirement.origin, result.coverage);
      const auto* limit = std::get_if<Requirement::TimeLimit>(&requirement.limit);
      const auto* observed = std::get_if<Duration>(&result.observed);
      if (limit != nullptr && limit->value && observed != nullptr) add_excess(*observed, *limit->value);
    }
  }

  void chains() {
    for (std::size_t index = 0; index < system_.chains.size(); ++index)
      for (std::size_t i = 0; i < results_.chains[index].limits.size(); ++i) {
        const ChainResult::Judgement& judgement = results_.chains[index].limits[i].by(results_.communication);
        add(Kind::latency, verdict_on(judgement.verdict, judgement.guaranteed),
            named("latency constraint", system_.chains[index].limits[i].name), judgement.reason,
            system_.chains[index].origin, judgement.coverage);
        assessment_.limits.back().beyond = judgement.beyond;
      }
  }

  void constraints() {
    for (std::size_t index = 0; index < results_.constraints.size(); ++index) {
      const ConstraintResult& result = results_.constraints[index];
      add(Kind::constraint, verdict_on(result.verdict, result.guaranteed), describe(system_.constraints[index]),
          result.reason, system_.constraints[index].origin, result.coverage);
    }
  }

  void findings() {
    for (const Diagnostic& finding : findings_.all()) {
      const Consequence consequence = consequence_of(finding);
      if (consequence != Consequence::unknown && !(consequence == Consequence::assumption && results_.strict)) continue;
      const Location& at = finding.location;
      add(Kind::finding, OverallVerdict::unknown,
          at.line != 0 ? fmt::format("{} at {}:{}:{}", finding.id, at.file, at.line, at.column) : finding.id,
          finding.message);
    }
  }

  void assumptions() {
    const bool nothing = assessment_.limits.empty();
    if (!results_.strict) {
      assessment_.assumptions = assumptions_with(findings_, Consequence::assumption);
      for (const Limitation& limitation : limitations) limit(limitation);
    }
    if (!nothing) return;
    constexpr const char* no_limits = "the model states no deadline, requirement or constraint";
    if (results_.strict)
      add(Kind::finding, OverallVerdict::unknown, "the model", no_limits);
    else
      assessment_.assumptions.push_back({"", 1, fmt::format("nothing limits the timing ({})", no_limits), {}});
  }

  void limit(const Limitation& limitation) {
    const auto count = static_cast<std::uint64_t>(
        std::count_if(assessment_.limits.begin(), assessment_.limits.end(),
                      [&](const JudgedLimit& limit) { return limit.covers && limitation.applies(*limit.covers); }));
    if (count > 0)
      assessment_.assumptions.push_back(
          {std::string(limitation.id),
           count,
           count == 1 ? std::string(limitation.one) : fmt::format(fmt::runtime(limitation.several), count),
           {}});
  }

  void replaced() {
    assessment_.replaced = results_.replaced;
    for (Assumption& change : assumptions_with(findings_, Consequence::replacement))
      assessment_.replaced.push_back(std::move(change.text));
  }

  const System& system_;
  const Results& results_;
  const Diagnostics& findings_;
  Assessment assessment_;
};

}  // namespace

std::string_view to_string(OverallVerdict verdict) {
  constexpr std::array<std::string_view, overall_verdicts> names{"guaranteed", "met", "unknown", "unbounded", "missed"};
  return names[static_cast<std::size_t>(verdict)];
}

std::string_view to_string(Kind kind) {
  constexpr std::array<std::string_view, 6> names{"deadline", "task",       "requirement",
                                                  "latency",  "constraint", "finding"};
  return names[static_cast<std::size_t>(kind)];
}

OverallVerdict verdict_on(LimitVerdict verdict, std::optional<bool> guaranteed) {
  switch (verdict) {
    case LimitVerdict::met:
      return guaranteed == true ? OverallVerdict::guaranteed : OverallVerdict::met;
    case LimitVerdict::missed:
      return OverallVerdict::missed;
    case LimitVerdict::unbounded:
      return OverallVerdict::unbounded;
    case LimitVerdict::unknown:
      break;
  }
  return OverallVerdict::unknown;
}

OverallVerdict verdict_on(const TaskResult& task) {
  switch (task.verdict) {
    case Verdict::missed:
      return OverallVerdict::missed;
    case Verdict::unbounded:
      return OverallVerdict::unbounded;
    case Verdict::unknown:
      return OverallVerdict::unknown;
    case Verdict::met:
    case Verdict::no_deadline:
      break;
  }
  return task.guaranteed == true ? OverallVerdict::guaranteed : OverallVerdict::met;
}

bool is_late(Verdict verdict) { return verdict == Verdict::missed || verdict == Verdict::unbounded; }

std::vector<TaskIndex> late_tasks(const System& system, const Results& results) {
  std::vector<TaskIndex> late;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (!system.tasks[task].folded_into && is_late(results.tasks[task].verdict)) late.push_back(task);
  return late;
}

std::array<std::size_t, 5> tasks_by_verdict(const System& system, const Results& results) {
  std::array<std::size_t, 5> counts{};
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (!system.tasks[task].folded_into) ++counts[static_cast<std::size_t>(results.tasks[task].verdict)];
  return counts;
}

void settle_verdicts(const System& system, Results& results) {
  const auto settle = [strict = results.strict](auto& result, auto met, auto unknown) {
    if (result.guaranteed != true) return;
    if (result.verdict == met && strict && !result.coverage.complete()) result.verdict = unknown;
    if (result.verdict != met) result.guaranteed.reset();
  };
  for (TaskResult& task : results.tasks) settle(task, Verdict::met, Verdict::unknown);
  for (TaskIndex index = 0; index < results.tasks.size(); ++index) {
    const auto function = system.tasks[index].folded_into;
    if (!function) continue;
    TaskResult& wrapper = results.tasks[index];
    const TaskResult& runs = results.tasks[*function];
    const bool met = runs.verdict == Verdict::met;
    const bool judged = system.tasks[index].deadline.has_value();
    const Verdict verdict = met && !judged ? Verdict::no_deadline : runs.verdict;
    if (verdict != wrapper.verdict) wrapper.reason = runs.reason;
    wrapper.verdict = verdict;
    if (!met) wrapper.guaranteed = judged ? runs.guaranteed : std::nullopt;
  }
  const auto as_limit = [&](auto& result) { settle(result, LimitVerdict::met, LimitVerdict::unknown); };
  for (std::size_t index = 0; index < results.requirements.size(); ++index) {
    RequirementResult& result = results.requirements[index];
    as_limit(result);
    if (const auto task = task_with_deadline(system, system.requirements[index]))
      say_the_same(results.tasks[*task], result);
  }
  for (ConstraintResult& result : results.constraints) as_limit(result);
  for (ChainResult& chain : results.chains)
    for (ChainResult::Limit& limit : chain.limits)
      for (ChainResult::Judgement* judgement : {&limit.let, &limit.implicit, &limit.explicit_access})
        as_limit(*judgement);
}

bool is_deadline(const System& system, const Requirement& requirement) {
  const auto* of = std::get_if<Requirement::OfProcess>(&requirement.subject);
  const auto* time = std::get_if<Requirement::TimeLimit>(&requirement.limit);
  if (of == nullptr || time == nullptr || requirement.limit_type != Requirement::LimitType::upper) return false;
  const auto function = system.tasks[of->task].folded_into;
  const auto is_of = [&](TaskIndex task) { return system.tasks[task].deadline == time->value; };
  return time->metric == TimeMetric::response_time && time->value &&
         (is_of(of->task) || (function && is_of(*function)));
}

bool Assessment::has_limits() const {
  return std::any_of(limits.begin(), limits.end(),
                     [](const JudgedLimit& limit) { return limit.kind != Kind::finding; });
}

bool is_proved(const Task& task, const TaskResult& result) {
  const auto& proved = result.bound.proved;
  return proved && (!task.deadline || *proved <= *task.deadline);
}

Assessment assess(const System& system, const Results& results, const Diagnostics& findings) {
  return Assessor(system, results, findings).assess();
}

}  // namespace amalthea::engine
