// SPDX-License-Identifier: Apache-2.0
#include "engine/constraints/constraints.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/quantity.hpp"
#include "engine/constraints/constraint_judge.hpp"
#include "engine/constraints/constraint_observer.hpp"
#include "engine/constraints/detail/constraint_guarantees.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {
namespace {

std::string time_text(Instant instant) { return format_duration(instant.since_start()); }

/// "3 ms", "-3 ms".
std::string signed_text(Duration value) {
  if (value >= Duration{}) return format_duration(value);
  const Duration least = Duration::picoseconds(-Duration::max().picoseconds());
  return fmt::format("-{}", format_duration(Duration::picoseconds(-std::max(value, least).picoseconds())));
}

/// "from 2 ms to 5 ms", "at least 2 ms", "at most 5 ms".
std::string limits_text(const TimeLimits& limits) {
  if (!limits.upper) return fmt::format("at least {}", signed_text(limits.lower.value_or(Duration{})));
  if (!limits.lower) return fmt::format("at most {}", signed_text(*limits.upper));
  return *limits.lower == *limits.upper
             ? signed_text(*limits.upper)
             : fmt::format("from {} to {}", signed_text(*limits.lower), signed_text(*limits.upper));
}

/// "3 ms after it", "3 ms before it".
std::string apart_text(Instant from, Instant to) {
  return from <= to ? fmt::format("{} after it", format_duration(to - from))
                    : fmt::format("{} before it", format_duration(from - to));
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// Describes the judgment of one constraint and its violation.
class ConstraintJudge {
 public:
  ConstraintJudge(const System& system, const ConstraintObserver& observer, bool stopped_early, bool measured = false)
      : system_(system), observer_(observer), stopped_early_(stopped_early), measured_(measured) {
    window_.to = observer.end();
    window_.cut_at_start = measured;
    // The last instant of a stopped simulation may be incomplete.
    const Duration instant = Duration::picoseconds(1);
    if (stopped_early) window_.to = saturated(window_.to, instant, true);
    if (observer.full_from()) window_.to = std::min(window_.to, saturated(*observer.full_from(), instant, true));
  }

  ConstraintResult judge(std::size_t index, const std::optional<Coverage>& shown) {
    index_ = index;
    result_ = {};
    std::visit([&](const auto& kind) { judge_kind(kind); }, system_.constraints[index].kind);
    const bool stopped = stopped_early_ && !std::holds_alternative<SectionPlacement>(kind());
    if (result_.verdict == LimitVerdict::met && stopped) {
      result_.verdict = LimitVerdict::unknown;
      result_.reason += "; but the simulation stopped early";
    }
    if (result_.verdict == LimitVerdict::missed) {
      result_.guaranteed = false;
    } else if (shown) {
      result_.guaranteed = true;
      result_.coverage = *shown;
      result_.reason =
          with_limitation("response-time bounds guarantee it; in the simulation " + result_.reason, *shown);
      result_.verdict = LimitVerdict::met;
    }
    if (measured_) {
      replace("simulated time", "measured time");
      replace("simulate longer (--until)", "measure longer");
    }
    return std::move(result_);
  }

 private:
  void replace(std::string_view text, std::string_view by) {
    std::string& reason = result_.reason;
    for (std::size_t at = 0; (at = reason.find(text, at)) != std::string::npos; at += by.size())
      reason.replace(at, text.size(), by);
  }

  using Kind = decltype(TimingConstraint::kind);
  const Kind& kind() const { return system_.constraints[index_].kind; }

  Occurrences occurrences(std::size_t event) const {
    const Occurrences all = observer_.occurrences(index_, event);
    return all.first(static_cast<std::size_t>(std::upper_bound(all.begin(), all.end(), window_.to) - all.begin()));
  }

  /// `noun` names what is judged; `broken` describes the first violation; `none` states why nothing was judged.
  template <typename Broken>
  void conclude(const Judgement& judgement, std::string_view noun, std::string_view distances, Broken broken,
                std::string none) {
    result_.verdict = judgement.verdict();
    result_.judged = judgement.judged;
    if (result_.verdict == LimitVerdict::unknown) {
      result_.reason = std::move(none);
    } else if (result_.verdict == LimitVerdict::met) {
      result_.reason = fmt::format("none of {} violates it", counted(judgement.judged, noun));
      if (judgement.least && *judgement.least == *judgement.most)
        result_.reason += fmt::format("; the {} is {}", distances, signed_text(*judgement.most));
      else if (judgement.least)
        result_.reason += fmt::format("; the {} is from {} to {}", distances, signed_text(*judgement.least),
                                      signed_text(*judgement.most));
    } else {
      result_.reason = fmt::format("{} of {} {}; the first: {}", judgement.broken, counted(judgement.judged, noun),
                                   judgement.broken == 1 ? "violates it" : "violate it", broken(*judgement.first));
    }
  }

  /// "occurrence 3 of "Sent" at 20 ms"
  static std::string name_of(const ObservableEvent& event, const Breach& breach) {
    return fmt::format("occurrence {} of \"{}\" at {}", breach.number + 1, event.name, time_text(breach.at));
  }

  std::string never_or_later(std::initializer_list<std::pair<const ObservableEvent*, std::size_t>> events) const {
    for (const auto& [event, number] : events)
      if (occurrences(number).empty()) return fmt::format("\"{}\" does not occur in the simulated time", event->name);
    return later();
  }
  static std::string later() {
    return "no occurrence could be judged, because its counterpart may lie beyond the simulated time; simulate longer "
           "(--until)";
  }

  void judge_kind(const Unjudgeable& why) {
    result_.reason = why.empty ? why.reason + ", and so demands nothing" : "it cannot be judged: " + why.reason;
  }

  void judge_kind(const DelayLimit& delay) {
    const Judgement judgement = judge_delay(occurrences(0), occurrences(1), delay.limits, delay.mapping, window_);
    const bool pairs = delay.mapping == DelayLimit::Mapping::one_to_one;
    const auto broken = [&](const Breach& breach) {
      if (breach.event == 1)
        return fmt::format("{} has no matching \"{}\"", name_of(delay.target, breach), delay.source.name);
      std::string text = name_of(delay.source, breach);
      const std::string demanded = fmt::format("required: {}", limits_text(delay.limits));
      if (pairs)
        return breach.others.empty()
                   ? fmt::format("{} has no matching \"{}\" in time ({})", text, delay.target.name, demanded)
                   : fmt::format("{} matches the \"{}\" {}; {}", text, delay.target.name,
                                 apart_text(breach.at, breach.others[0]), demanded);
      return fmt::format(
          "{} has no \"{}\" in time ({}){}", text, delay.target.name, demanded,
          breach.others.empty()
              ? std::string("; none follows")
              : fmt::format(
                    "; the next one is {}{}", apart_text(breach.at, breach.others[0]),
                    delay.mapping == DelayLimit::Mapping::unique_reaction ? ", and each can match only once" : ""));
    };
    conclude(judgement, "occurrence", "delay", broken, never_or_later({{&delay.source, 0}, {&delay.target, 1}}));
  }

  void judge_kind(const EventOrder& order) {
    const auto broken = [&](const Breach& breach) {
      if (breach.event == 1)
        return fmt::format("{} occurs before the \"{}\" that it must follow", name_of(order.target, breach),
                           order.source.name);
      return fmt::format("{} occurs after its \"{}\", which occurs {}", name_of(order.source, breach),
                         order.target.name, apart_text(breach.at, breach.others[0]));
    };
    conclude(judge_order(occurrences(0), occurrences(1), window_), "occurrence", "distance", broken,
             never_or_later({{&order.source, 0}, {&order.target, 1}}));
  }

  void judge_kind(const Repetition& repetition) {
    const Occurrences all = occurrences(0);
    const Judgement judgement = judge_repetition(all, repetition.span, repetition.limits, repetition.jitter);
    const auto broken = [&](const Breach& breach) {
      return fmt::format(
          "{} occurs {} after {}; required: {}{}", name_of(repetition.event, breach),
          format_duration(breach.at - breach.others[0]),
          repetition.span == 1 ? std::string("the one before")
                               : fmt::format("the occurrence {} before it", repetition.span),
          limits_text(repetition.limits),
          repetition.jitter > Duration{}
              ? fmt::format(" between ideal occurrences, with a jitter of up to {}", format_duration(repetition.jitter))
              : "");
    };
    conclude(
        judgement, "occurrence", "distance", broken,
        all.empty()
            ? never_or_later({{&repetition.event, 0}})
            : fmt::format(
                  "\"{}\" occurs {} in the simulated time, but the constraint spans {} more; simulate longer (--until)",
                  repetition.event.name, all.size() == 1 ? "once" : counted(all.size(), "time"), repetition.span));
    // An occurrence that never happens has no distance: its absence is reported, not judged.
    if (result_.verdict == LimitVerdict::met && repetition.limits.upper && !all.empty() &&
        saturated(saturated(all.back(), *repetition.limits.upper), repetition.jitter) < window_.to)
      result_.reason += fmt::format("; none occurs between the last one at {} and the end at {}", time_text(all.back()),
                                    time_text(window_.to));
  }

  void judge_kind(const EventSynchronization& together) {
    std::vector<Occurrences> events;
    for (std::size_t event = 0; event < together.events.size(); ++event) events.push_back(occurrences(event));
    const Judgement judgement =
        judge_synchronization(events, together.tolerance, together.multiple_occurrences, window_);
    const auto broken = [&](const Breach& breach) {
      const std::string text = name_of(together.events[breach.event], breach);
      const std::string tolerance = fmt::format("the tolerance is {}", signed_text(together.tolerance));
      if (together.multiple_occurrences)
        return fmt::format("{} is in no window that contains every event; {}", text, tolerance);
      if (breach.others.empty()) return fmt::format("{} has no counterparts in time; {}", text, tolerance);
      return fmt::format("{} and its last counterpart are {} apart; {}", text,
                         format_duration(breach.others[0] - breach.at), tolerance);
    };
    std::string none = later();
    for (std::size_t event = 0; event < events.size(); ++event)
      if (events[event].empty())
        none = fmt::format("\"{}\" does not occur in the simulated time", together.events[event].name);
    conclude(judgement, together.multiple_occurrences ? "occurrence" : "group", "width", broken, std::move(none));
  }

  void judge_kind(const ChainSynchronization& together) {
    std::vector<std::vector<Occurrences>> chains;
    std::size_t number = 0;
    for (const auto& chain : together.chains) {
      chains.emplace_back();
      for (std::size_t event = 0; event < chain.size(); ++event) chains.back().push_back(occurrences(number++));
    }
    const bool of_stimuli = together.of == ChainSynchronization::Of::stimuli;
    const ObservableEvent& common = of_stimuli ? together.chains[0].back() : together.chains[0].front();
    const std::string_view ends = of_stimuli ? "stimuli" : "responses";
    const auto broken = [&](const Breach& breach) {
      const std::string tolerance = fmt::format("the tolerance is {}", signed_text(together.tolerance));
      if (breach.others.size() == 1)
        return fmt::format("for {}, one chain responds at {} and the other does not respond in time; {}",
                           name_of(common, breach), time_text(breach.others[0]), tolerance);
      const auto [first, last] = std::minmax(breach.others[0], breach.others[1]);
      return fmt::format("the {} of {}, at {} and {}, are {} apart; {}", ends, name_of(common, breach),
                         time_text(breach.others[0]), time_text(breach.others[1]), format_duration(last - first),
                         tolerance);
    };
    const std::size_t common_number = of_stimuli ? together.chains[0].size() - 1 : 0;
    conclude(
        judge_chain_synchronization(chains, together.of, together.tolerance, window_), "occurrence", "distance", broken,
        occurrences(common_number).empty()
            ? fmt::format("\"{}\" does not occur in the simulated time", common.name)
            : fmt::format("no occurrence of \"{}\" has {} in both chains in the simulated time", common.name, ends));
  }

  void judge_kind(const DataAge& age) {
    const auto limits = limits_in_time(system_, age);
    if (limits) {
      const auto broken = [&](const Breach& breach) {
        return fmt::format("read {} of {} in {} at {} finds the value written at {}, {} old; required: {}",
                           breach.number + 1, label_name(age.label), task_name(*breach.task), time_text(breach.at),
                           time_text(breach.others[0]), format_duration(breach.at - breach.others[0]),
                           limits_text(*limits));
      };
      conclude(observer_.judgement(index_), "read", "age", broken,
               fmt::format("{} does not read a value of {} that was written in the simulated time",
                           system_.runnables[age.runnable].name, label_name(age.label)));
    } else {
      result_.reason = "it cannot be judged: " + limits.error();
    }
  }

  void judge_kind(const DataCoherency& group) { judge_group(group.labels, group.output, "incoherent"); }
  void judge_kind(const DataStability& group) { judge_group(group.labels, false, "not stable"); }

  void judge_group(const std::vector<LabelIndex>& labels, bool output, std::string_view adjective) {
    const std::string_view own = output ? "writes" : "reads", other = output ? "read" : "written";
    const auto broken = [&](const Breach& breach) {
      return fmt::format("job {} of {} is {}, as another has {} a label of the group at {}, before what it {} at {}",
                         breach.number + 1, task_name(*breach.task), adjective, other, time_text(breach.others[0]), own,
                         time_text(breach.at));
    };
    std::string names;
    for (const LabelIndex label : labels) names += (names.empty() ? "" : ", ") + system_.labels[label].name;
    conclude(observer_.judgement(index_), "job", "", broken,
             fmt::format("no job in its scope that ended in the simulated time {} any of {}", own, names));
  }

  void judge_kind(const RunnableSequence&) {
    const auto broken = [&](const Breach& breach) {
      return fmt::format("in job {} of {}, runnable {} at {} violates the order", breach.number + 1,
                         task_name(*breach.task), system_.runnables[breach.event].name, time_text(breach.at));
    };
    conclude(observer_.judgement(index_), "job", "", broken,
             "no job in its scope that ended in the simulated time runs runnables of two of its groups");
  }

  void judge_kind(const SectionPlacement& placement) {
    Judgement judgement;
    std::string misplaced, unmapped;
    for (const LabelIndex index : placement.labels) {
      const Label& label = system_.labels[index];
      if (!label.memory) {
        if (unmapped.empty()) unmapped = label.name;
      } else if (std::find(placement.memories.begin(), placement.memories.end(), *label.memory) !=
                 placement.memories.end()) {
        judgement.meets();
      } else {
        if (misplaced.empty())
          misplaced = fmt::format("label {} lies in {}", label.name, system_.platform.memories[*label.memory].name);
        judgement.breaks({});
      }
    }
    result_.judged = judgement.judged;
    if (!misplaced.empty()) {
      result_.verdict = LimitVerdict::missed;
      result_.reason = fmt::format("{} of {} of section {} {} in none of the required memories; the first: {}",
                                   judgement.broken, counted(judgement.judged, "mapped label"), placement.section,
                                   judgement.broken == 1 ? "lies" : "lie", misplaced);
    } else if (!unmapped.empty()) {
      result_.reason = fmt::format("label {} of section {} is not mapped to a memory", unmapped, placement.section);
    } else {
      result_.verdict = LimitVerdict::met;
      result_.guaranteed = true;
      result_.reason = fmt::format("all of {} of section {} lie in its memories",
                                   counted(judgement.judged, "mapped label"), placement.section);
    }
  }

  const std::string& label_name(LabelIndex label) const { return system_.labels[label].name; }
  const std::string& task_name(TaskIndex task) const { return system_.tasks[task].name; }

  const System& system_;
  const ConstraintObserver& observer_;
  bool stopped_early_, measured_;
  Window window_;
  std::size_t index_ = 0;
  ConstraintResult result_;
};

Duration time_needed(const TimeLimits& limits) {
  return std::max({Duration{}, limits.lower.value_or(Duration{}), limits.upper.value_or(Duration{})});
}

Duration time_needed(const TimingConstraint& constraint) {
  if (const auto* delay = std::get_if<DelayLimit>(&constraint.kind)) return time_needed(delay->limits);
  if (const auto* age = std::get_if<DataAge>(&constraint.kind)) return time_needed(age->limits);
  if (const auto* events = std::get_if<EventSynchronization>(&constraint.kind)) return events->tolerance;
  if (const auto* chains = std::get_if<ChainSynchronization>(&constraint.kind)) return chains->tolerance;
  if (const auto* repetition = std::get_if<Repetition>(&constraint.kind)) {
    const Duration distance = time_needed(repetition->limits);
    const Duration longest = Duration::picoseconds(Duration::max().picoseconds() / 4);
    if (distance > Duration::picoseconds(longest.picoseconds() / repetition->span)) return longest;
    return distance * repetition->span + std::min(repetition->jitter, longest);
  }
  return {};
}

}  // namespace

std::vector<ConstraintResult> judge_constraints(const System& system, const ConstraintObserver& observer,
                                                const std::vector<Program>& programs, const Results& results) {
  std::vector<ConstraintResult> verdicts;
  if (system.constraints.empty()) return verdicts;
  const auto shown = guaranteed_constraints(system, programs, results);
  ConstraintJudge judge(system, observer, results.stopped_early);
  for (std::size_t index = 0; index < system.constraints.size(); ++index)
    verdicts.push_back(judge.judge(index, shown[index]));
  return verdicts;
}

std::vector<ConstraintResult> judge_measured_constraints(const System& system, const ConstraintObserver& observer) {
  std::vector<ConstraintResult> verdicts;
  ConstraintJudge judge(system, observer, false, true);
  for (std::size_t index = 0; index < system.constraints.size(); ++index) verdicts.push_back(judge.judge(index, {}));
  return verdicts;
}

void report_constraints(const ConstraintObserver& observer, Diagnostics& diagnostics) {
  if (observer.full_from())
    diagnostics.add("AM0562", Severity::warning,
                    fmt::format("the events of the timing constraints are so frequent that only those before {} are "
                                "judged; simulate a shorter time (--until)",
                                format_duration(observer.full_from()->since_start())));
}

Duration time_needed_by_constraints(const System& system) {
  Duration longest;
  for (const TimingConstraint& constraint : system.constraints) longest = std::max(longest, time_needed(constraint));
  return std::min(longest, Duration::picoseconds(Duration::max().picoseconds() / 2)) * 2;
}

}  // namespace amalthea::engine
