// SPDX-License-Identifier: Apache-2.0
// Limits that are at odds with the times of what they limit.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "analysis/detail/suspicions.hpp"
#include "engine/verdict.hpp"
#include "exporter/primitives/text_table.hpp"

namespace amalthea::analysis {
namespace {

/// Units of time are apart by 1000; a digit too few or too many by 10 or 100.
constexpr std::array<double, 3> slips{1000, 100, 10};

class Limits {
 public:
  Limits(const Facts& facts, Suspicions& found) : facts_(facts), system_(facts.system), found_(found) {}

  void run() {
    exchanged_deadlines();
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) deadline(task);
    for (std::uint32_t chain = 0; chain < system_.chains.size(); ++chain)
      for (std::size_t limit = 0; limit < system_.chains[chain].limits.size(); ++limit) chain_limit(chain, limit);
    for (std::uint32_t index = 0; index < system_.requirements.size(); ++index) requirement(index);
    for (std::uint32_t index = 0; index < system_.constraints.size(); ++index) constraint(index);
  }

 private:
  std::string name(TaskIndex task) const { return system_.tasks[task].name; }
  Duration deadline_of(TaskIndex task) const { return *system_.tasks[task].deadline; }

  /// The pattern is the first word of the change, and `slip`.
  void add(double evidence, std::string change, amalthea::Part part, std::function<void(System&)> apply,
           double slip = 0) {
    std::string pattern = slip == 0 ? "" : fmt::format("{} {}", change.substr(0, change.find(' ')), slip);
    found_.push_back({evidence, std::move(change), part, std::move(apply), std::move(pattern)});
  }

  /// How far the deadline is from what is usual in this system, as a share of the period.
  double oddity(TaskIndex task, double deadline) const {
    const double period = static_cast<double>(deadline_of(task).picoseconds()) / *facts_.tightness[task];
    return distance(deadline / period, facts_.usual_tightness);
  }

  void exchanged_deadlines() {
    for (TaskIndex a = 0; a < system_.tasks.size(); ++a) {
      if (!facts_.tightness[a] || !facts_.failing[a] || system_.tasks[a].folded_into) continue;
      for (TaskIndex b = 0; b < system_.tasks.size(); ++b) {
        if (b == a || !facts_.tightness[b] || system_.tasks[b].folded_into || (facts_.failing[b] && b < a)) continue;
        exchange(a, b);
      }
      impossible_exchange(a);
    }
  }

  /// A deadline below what the task needs alone may be that of another one, of which the deadline would do.
  void impossible_exchange(TaskIndex a) {
    if (number(facts_.own[a]) < 1.3 * number(deadline_of(a))) return;
    std::optional<TaskIndex> best;
    const auto odd = [&](TaskIndex b) { return oddity(a, number(deadline_of(b))) + oddity(b, number(deadline_of(a))); };
    for (TaskIndex b = 0; b < system_.tasks.size(); ++b)
      if (b != a && facts_.tightness[b] && !system_.tasks[b].folded_into && deadline_of(b) > facts_.own[a] &&
          deadline_of(a) > facts_.own[b] &&
          number(deadline_of(b)) * *facts_.tightness[a] <= 1.001 * number(deadline_of(a)) &&
          (!best || odd(b) < odd(*best)))
        best = b;
    if (best) propose_exchange(a, *best, 2.3);
  }

  /// What a task needs alone, if its deadline is shorter.
  std::string alone(TaskIndex task) const {
    if (facts_.own[task] <= deadline_of(task)) return "";
    return fmt::format("; {} alone needs {}", name(task), exporter::shown_time(facts_.own[task], Rounding::up));
  }

  void exchange(TaskIndex a, TaskIndex b) {
    const Duration of_a = deadline_of(a), of_b = deadline_of(b);
    if (of_a == of_b || *facts_.tightness[a] <= 0 || *facts_.tightness[b] <= 0) return;
    // A shorter deadline cannot be missed because of the exchange.
    const double period_a = number(of_a) / *facts_.tightness[a], period_b = number(of_b) / *facts_.tightness[b];
    if ((period_a < period_b) == (of_a < of_b)) return;
    const double gain =
        oddity(a, number(of_a)) + oddity(b, number(of_b)) - oddity(a, number(of_b)) - oddity(b, number(of_a));
    const bool both_too_long = number(of_a) / period_b <= 1.001 && number(of_b) / period_a <= 1.001 &&
                               std::max(*facts_.tightness[a], *facts_.tightness[b]) > 1.001;
    if (gain < -1 || !both_too_long) return;
    const double fit = distance(number(of_a) / period_b, number(of_b) / period_a) < 0.3 ? 1 : 0;
    propose_exchange(a, b, 2.5 + std::clamp(gain / 2, 0.0, 1.5) + fit);
  }

  void propose_exchange(TaskIndex a, TaskIndex b, double evidence) {
    const Duration of_a = deadline_of(a), of_b = deadline_of(b);
    add(evidence,
        fmt::format("exchange the deadlines of {} and {} (periods {} and {}, deadlines {} and {}{})", name(a), name(b),
                    format_duration(times(of_a, 1 / *facts_.tightness[a])),
                    format_duration(times(of_b, 1 / *facts_.tightness[b])), format_duration(of_a),
                    format_duration(of_b), alone(a) + alone(b)),
        {amalthea::Part::Kind::task, a}, [a, b, of_a, of_b](System& system) {
          set_deadline(system, a, of_b);
          set_deadline(system, b, of_a);
        });
  }

  void deadline(TaskIndex task) {
    if (!facts_.failing[task] || !facts_.tightness[task] || system_.tasks[task].folded_into) return;
    const double tight = *facts_.tightness[task];
    const Duration deadline = deadline_of(task);
    const bool impossible = deadline < facts_.own[task];
    if (tight <= 0 || tight > 0.6) return;
    const Duration period = times(deadline, 1 / tight);
    const std::string why = impossible ? fmt::format("below its own {}, a period is {}",
                                                     format_duration(facts_.own[task]), format_duration(period))
                                       : fmt::format("{} its period of {}", ratio_text(tight), format_duration(period));
    const auto propose = [&](Duration meant, double evidence, double slip) {
      add(
          evidence,
          fmt::format("deadline of {}: {} instead of {} ({})", name(task), format_duration(meant),
                      format_duration(deadline), why),
          {amalthea::Part::Kind::task, task}, [task, meant](System& system) { set_deadline(system, task, meant); },
          slip);
    };
    for (const double slip : slips) {
      const double meant = tight * slip;
      if (meant < 0.3 || meant > 1.5) continue;
      const double usual = std::max(0.0, 1 - distance(meant, facts_.usual_tightness));
      return propose(times(deadline, slip), (slip >= 100 ? 3.0 : 1.5) + usual + (impossible ? 1 : 0), slip);
    }
    if (impossible) propose(times(period, facts_.usual_tightness), 2.5 + std::min(1.0, -std::log2(tight) / 4), 0);
  }

  // ---- chains

  void chain_limit(std::uint32_t index, std::size_t at) {
    const Chain& chain = system_.chains[index];
    const ChainLimit& limit = chain.limits[at];
    const engine::ChainResult::Judgement& judged =
        facts_.results.chains[index].limits[at].by(facts_.results.communication);
    if (engine::verdict_on(judged.verdict, judged.guaranteed) == engine::OverallVerdict::guaranteed) return;
    const std::string what = fmt::format("latency constraint {} of chain {}", limit.name, chain.name);
    const amalthea::Part part{amalthea::Part::Kind::chain, index};
    if (limit.minimum && limit.maximum && *limit.minimum == *limit.maximum)
      add(
          5, fmt::format("{}: no minimum instead of {} (minimum = maximum)", what, format_duration(*limit.minimum)),
          part, [index, at](System& system) { system.chains[index].limits[at].minimum.reset(); }, -1);
    Duration periods, alone;
    for (const TaskIndex task : chain.tasks) {
      if (const auto& period = facts_.results.periods[task]) periods += *period;
      alone += facts_.own[task];
    }
    if (limit.maximum && limit.maximum->picoseconds() > 0) maximum(index, at, what, periods, alone);
    if (limit.minimum && limit.minimum->picoseconds() > 0) minimum(index, at, what, periods);
  }

  void maximum(std::uint32_t index, std::size_t at, const std::string& what, Duration periods, Duration alone) {
    const Duration now = *system_.chains[index].limits[at].maximum;
    const double share = static_cast<double>(now.picoseconds()) / static_cast<double>(periods.picoseconds() + 1);
    const bool impossible = now < alone;
    if (share > 0.34) return;
    for (const double slip : slips) {
      if (share * slip < 0.4 || share * slip > 8) continue;
      const Duration meant = times(now, slip);
      return add((impossible ? 3.5 : 1) + (slip >= 1000 ? 1 : 0),
                 fmt::format("{}: maximum {} instead of {} (the periods of its tasks sum up to {}{})", what,
                             format_duration(meant), format_duration(now), format_duration(periods),
                             impossible ? fmt::format(", their own times to {}", format_duration(alone)) : ""),
                 {amalthea::Part::Kind::chain, index},
                 [index, at, meant](System& system) { system.chains[index].limits[at].maximum = meant; }, slip);
    }
  }

  void minimum(std::uint32_t index, std::size_t at, const std::string& what, Duration periods) {
    const ChainLimit& limit = system_.chains[index].limits[at];
    const Duration now = *limit.minimum;
    const bool inverted = limit.maximum && now > *limit.maximum;
    for (const double slip : slips) {
      if (now < periods && !inverted && slip > 10) continue;
      const Duration meant = times(now, 1 / slip);
      add((inverted        ? 3.5
           : now > periods ? 2
                           : 0.5) +
              (slip >= 1000 ? 0.5 : 0),
          fmt::format("{}: minimum {} instead of {} ({})", what, format_duration(meant), format_duration(now),
                      inverted ? "above its maximum"
                               : fmt::format("the periods of its tasks sum up to {}", format_duration(periods))),
          {amalthea::Part::Kind::chain, index},
          [index, at, meant](System& system) { system.chains[index].limits[at].minimum = meant; }, 1 / slip);
    }
  }

  // ---- other requirements, and constraints

  void requirement(std::uint32_t index) {
    const Requirement& one = system_.requirements[index];
    const engine::RequirementResult& result = facts_.results.requirements[index];
    const auto* time = std::get_if<Requirement::TimeLimit>(&one.limit);
    if (time == nullptr || !time->value || time->value->picoseconds() <= 0 || engine::is_deadline(system_, one) ||
        engine::verdict_on(result.verdict, result.guaranteed) == engine::OverallVerdict::guaranteed)
      return;
    const auto* observed = std::get_if<Duration>(&result.observed);
    if (observed == nullptr || observed->picoseconds() <= 0) return;
    const bool upper = one.limit_type == Requirement::LimitType::upper;
    const double over = static_cast<double>(observed->picoseconds()) / static_cast<double>(time->value->picoseconds());
    for (const double slip : {1000.0, 10.0}) {
      const double factor = upper ? slip : 1 / slip;
      const double left = upper ? over / factor : factor / over;
      if (left > 1 || left < 0.05) continue;
      const Duration meant = times(*time->value, factor);
      add(
          slip >= 1000 ? 2.5 : 0.8,
          fmt::format("requirement {}: {} instead of {} (observed: {})", one.name, format_duration(meant),
                      format_duration(*time->value), format_duration(*observed)),
          {amalthea::Part::Kind::requirement, index},
          [index, meant](System& system) {
            std::get<Requirement::TimeLimit>(system.requirements[index].limit).value = meant;
          },
          factor);
    }
  }

  static TimeLimits* limits_of(TimingConstraint& constraint) {
    if (auto* delay = std::get_if<DelayLimit>(&constraint.kind)) return &delay->limits;
    if (auto* repetition = std::get_if<Repetition>(&constraint.kind)) return &repetition->limits;
    if (auto* age = std::get_if<DataAge>(&constraint.kind)) return &age->limits;
    return nullptr;
  }
  static Duration* tolerance_of(TimingConstraint& constraint) {
    if (auto* events = std::get_if<EventSynchronization>(&constraint.kind)) return &events->tolerance;
    if (auto* chains = std::get_if<ChainSynchronization>(&constraint.kind)) return &chains->tolerance;
    return nullptr;
  }

  void constraint(std::uint32_t index) {
    const engine::ConstraintResult& result = facts_.results.constraints[index];
    if (engine::verdict_on(result.verdict, result.guaranteed) == engine::OverallVerdict::guaranteed) return;
    TimingConstraint copy = system_.constraints[index];
    const std::string what = describe(copy);
    const amalthea::Part part{amalthea::Part::Kind::constraint, index};
    if (const TimeLimits* limits = limits_of(copy)) {
      if (limits->lower && limits->upper && *limits->lower == *limits->upper && limits->lower->picoseconds() > 0 &&
          !std::holds_alternative<Repetition>(copy.kind))
        add(
            4.5, fmt::format("{}: no lower limit instead of {} (lower = upper)", what, format_duration(*limits->lower)),
            part, [index](System& system) { limits_of(system.constraints[index])->lower.reset(); }, -1);
      if (limits->upper)
        scaled(index, what, "upper limit", *limits->upper, 1000,
               [](TimingConstraint& one) -> Duration& { return *limits_of(one)->upper; });
      if (limits->lower && limits->lower->picoseconds() > 0)
        scaled(index, what, "lower limit", *limits->lower, 0.001,
               [](TimingConstraint& one) -> Duration& { return *limits_of(one)->lower; });
    } else if (const Duration* tolerance = tolerance_of(copy)) {
      scaled(index, what, "tolerance", *tolerance, 1000,
             [](TimingConstraint& one) -> Duration& { return *tolerance_of(one); });
    }
  }

  void scaled(std::uint32_t index, const std::string& what, std::string_view which, Duration now, double factor,
              Duration& (*value)(TimingConstraint&)) {
    const Duration meant = times(now, factor);
    add(
        1.5, fmt::format("{}: {} {} instead of {}", what, which, format_duration(meant), format_duration(now)),
        {amalthea::Part::Kind::constraint, index},
        [index, meant, value](System& system) { value(system.constraints[index]) = meant; }, factor);
  }

  const Facts& facts_;
  const System& system_;
  Suspicions& found_;
};

}  // namespace

void suspect_limits(const Facts& facts, Suspicions& found) { Limits(facts, found).run(); }

}  // namespace amalthea::analysis
