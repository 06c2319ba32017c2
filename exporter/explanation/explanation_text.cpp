// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/core.h>

#include "amalthea/primitives/visible_text.hpp"
#include "amalthea/quantity.hpp"
#include "engine/verdict.hpp"
#include "exporter/explanation/explanation_formats.hpp"
#include "exporter/primitives/text_table.hpp"
#include "exporter/results/contribution_text.hpp"
#include "exporter/results/verdict_text.hpp"

namespace amalthea::exporter {
namespace {

using engine::Contribution;

/// Milliseconds with six decimals: to the nanosecond.
std::string ms(Duration value, Rounding rounding = Rounding::nearest) {
  const std::int64_t nanoseconds = scale(value, 1, 1000, rounding).picoseconds();
  return fmt::format("{}.{:06}", nanoseconds / 1'000'000, nanoseconds % 1'000'000);
}

/// The largest first; equal ones in their order.
std::string parts_table(const System& system, std::vector<Contribution> parts, Duration whole, Rounding rounding,
                        bool colour) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Contribution& a, const Contribution& b) { return a.time > b.time; });
  TextTable table = TextTable::of(">ms", ">share", "spent on");
  for (const Contribution& part : parts) {
    const double share =
        whole.is_zero() ? 0
                        : 100 * static_cast<double>(part.time.picoseconds()) / static_cast<double>(whole.picoseconds());
    table.add(ms(part.time), fmt::format("{:.1f} %", share), describe(system, part));
  }
  table.add(TextTable::Cell{ms(whole, rounding), Colour::bold}, "", TextTable::Cell{"in all", Colour::bold});
  return table.render(colour);
}

std::string verdict_line(const engine::TaskResult& result, bool colour) {
  return paint(fmt::format("{}: {}", to_string(result.verdict), one_line(result.reason)), colour_of(result.verdict),
               colour) +
         "\n";
}

/// What the verdict on the model rests on, as `analyze` says it.
std::string assumed_lines(const ResultView& view) {
  std::string lines;
  for (const engine::Assumption& one : engine::assess(view.system, view.results, view.findings).assumptions)
    lines += fmt::format("Assumed: {}\n", one_line(one.text));
  return lines;
}

std::string names_of(const System& system, const std::vector<TaskIndex>& tasks) {
  std::string names;
  for (const TaskIndex task : tasks) names += (names.empty() ? "" : ", ") + system.tasks[task].name;
  return names;
}

/// What the search for a change that works has found.
std::string outcome(const engine::WhatIfs& tried) {
  std::string out;
  for (const std::string& sentence : tried.in_vain) out += line_start(sentence) + ".\n";
  if (tried.smallest) {
    const engine::WhatIf& one = tried.tried[*tried.smallest];
    out += fmt::format("Smallest change that works: {} ({}).\n", one_line(one.change),
                       one.result.guaranteed == true ? engine::guaranteed_text(one.result.coverage)
                                                     : "met in the simulation, not guaranteed");
  } else if (tried.sought) {
    out += "None of these changes is enough without harm to another task.\n";
  }
  return out;
}

std::string what_if_table(const System& system, const engine::TaskResult& result,
                          const std::vector<engine::WhatIf>& tried, bool colour) {
  const auto has_effect = [&result](const engine::WhatIf& one) {
    return one.result.verdict != result.verdict || one.result.guaranteed != result.guaranteed ||
           one.result.response.max != result.response.max || one.result.bound.worst != result.bound.worst;
  };
  if (std::none_of(tried.begin(), tried.end(), has_effect)) {
    std::string out;
    for (const engine::WhatIf& one : tried) out += fmt::format("No effect on this task: {}.\n", one_line(one.change));
    return out;
  }
  TextTable changes = TextTable::of("verdict", "guaranteed", ">max ms", ">bound ms", "change");
  const auto add = [&](const engine::TaskResult& with, const std::string& change) {
    changes.add(TextTable::Cell{std::string(to_string(with.verdict)), colour_of(with.verdict)},
                !with.guaranteed           ? "-"
                : !*with.guaranteed        ? "no"
                : with.coverage.complete() ? "yes"
                                           : engine::limitation(with.coverage),
                with.response.jobs > 0 ? ms(with.response.max) : "-",
                with.bound.worst ? ms(*with.bound.worst, Rounding::up) : "-", change);
  };
  add(result, "none (the model as it is)");
  for (const engine::WhatIf& one : tried)
    if (has_effect(one))
      add(one.result,
          one.late.empty() ? one.change : fmt::format("{}; worse for {}", one.change, names_of(system, one.late)));
  return changes.render(colour);
}

/// The bound and its parts, and possible improvements.
std::string bound_and_improvements(const System& system, const engine::TaskResult& result, const engine::WhatIfs& tried,
                                   bool colour) {
  std::string out;
  out += heading("Upper bound on the response time", colour);
  if (result.bound.worst) {
    out += parts_table(system, result.bound.parts, *result.bound.worst, Rounding::up, colour);
  } else {
    out += fmt::format("no bound: {}\n", one_line(result.bound.reason));
  }
  if (tried.tried.empty() && tried.in_vain.empty()) return out;
  out += heading("What if", colour);
  if (!tried.tried.empty()) out += what_if_table(system, result, tried.tried, colour);
  return out + outcome(tried);
}

/// Up to this many steps that recur in the same order are one line with their count, if they would take this many lines:
/// a single step, or several, which say more apart.
constexpr std::size_t longest_pattern = 4, least_of_one = 6, least_of_several = 16;

/// What a step is without who slows it down.
std::string_view base_of(const Phase& phase) {
  return std::string_view(phase.text).substr(0, phase.text.find(", slowed by"));
}

/// How often the `length` steps from `at` recur.
std::size_t repetitions(const std::vector<Phase>& phases, std::size_t at, std::size_t length) {
  std::size_t end = at + length;
  while (end < phases.size() && base_of(phases[end]) == base_of(phases[end - length])) ++end;
  return (end - at) / length;
}

/// "12 times: runs A on Core0; ready, preempted by B"; "waiting: kernel running (40 steps, slowed by others for 2 ms)".
std::string repeated(const std::vector<Phase>& phases, std::size_t at, std::size_t length, std::size_t count) {
  if (length == 1) {
    Duration slowed;
    for (std::size_t i = at; i < at + count; ++i)
      if (base_of(phases[i]).size() < phases[i].text.size()) slowed += phases[i].to - phases[i].from;
    return fmt::format("{} ({} steps{})", base_of(phases[at]), count,
                       slowed.is_zero() ? "" : fmt::format(", slowed by others for {} ms", ms(slowed)));
  }
  std::string text = fmt::format("{} times: ", count);
  for (std::size_t i = 0; i < length; ++i) text += fmt::format("{}{}", i == 0 ? "" : "; ", base_of(phases[at + i]));
  return text;
}

std::string timeline(const std::vector<Phase>& phases, Instant release, bool colour) {
  TextTable table = TextTable::of(">at ms", ">for ms", "what");
  for (std::size_t at = 0; at < phases.size();) {
    std::size_t length = 1, count = 1;
    for (std::size_t one = 1; one <= longest_pattern; ++one)
      if (const std::size_t times = repetitions(phases, at, one);
          times * one >= (one == 1 ? least_of_one : least_of_several) && times * one > count * length) {
        length = one;
        count = times;
      }
    const Phase& last = phases[at + length * count - 1];
    table.add(ms(phases[at].from - release), ms(last.to - phases[at].from),
              count == 1 ? phases[at].text : repeated(phases, at, length, count));
    at += length * count;
  }
  return table.render(colour);
}

/// How the explained task relates to what was asked for.
std::string asked_line(const System& system, const Asked& asked, TaskIndex explained) {
  const Task& task = system.tasks[explained];
  std::string out;
  for (const std::string& line : asked.about) out += line_start(line) + "\n";
  if (!asked.about.empty()) out += "\n";
  if (!asked.runnable.empty())
    out += fmt::format("Task {} executes the runnable {}.\n", one_line(task.name), one_line(asked.runnable));
  if (asked.wrapper)
    out +=
        line_start(fmt::format("{0} triggers {1} on {2} and waits for it; `amalthea explain MODEL {0}` explains {0}.",
                               system.tasks[*asked.wrapper].name, task.name, system.platform.units[task.unit].name)) +
        "\n";
  return out;
}

}  // namespace

std::string render_explanation_text(const ResultView& view, const Asked& asked, const engine::Explanation& explanation,
                                    const engine::WhatIfs& tried, bool colour) {
  const System& system = view.system;
  const Task& task = system.tasks[explanation.task];
  const engine::TaskResult& result = view.results.tasks[explanation.task];
  const Duration response = explanation.completion - explanation.release;
  std::string out = asked_line(system, asked, explanation.task);
  out += fmt::format("{}: {} has a response time of {}", line_start(task.name),
                     result.response.jobs == 1
                         ? "the only simulated job"
                         : fmt::format("the {} of {} simulated jobs",
                                       explanation.first_late ? "first late one" : "longest", result.response.jobs),
                     format_duration(response));
  if (task.deadline)
    out += response > *task.deadline
               ? fmt::format(", {} more than its deadline of {}", format_duration(response - *task.deadline),
                             format_duration(*task.deadline))
               : fmt::format(", {} less than its deadline of {}", format_duration(*task.deadline - response),
                             format_duration(*task.deadline));
  out += ".\n";
  out += verdict_line(result, colour) + assumed_lines(view);
  out += fmt::format("Job {} of the task, released at {} ms, on {}.\n", explanation.job + 1,
                     ms(explanation.release.since_start()), one_line(system.platform.units[task.unit].name));

  out += heading("Timeline from the release", colour);
  out += timeline(phases_of(system, explanation), explanation.release, colour);

  out += heading("Contributions to the response time", colour);
  out += parts_table(system, explanation.contributions, response, Rounding::nearest, colour);

  return out + bound_and_improvements(system, result, tried, colour);
}

std::string render_without_job_text(const ResultView& view, const Asked& asked, TaskIndex task, const std::string& why,
                                    const engine::WhatIfs& tried, bool colour) {
  const engine::TaskResult& result = view.results.tasks[task];
  return asked_line(view.system, asked, task) +
         fmt::format("{}: {}.\n", line_start(view.system.tasks[task].name), one_line(why)) +
         verdict_line(result, colour) + assumed_lines(view) +
         bound_and_improvements(view.system, result, tried, colour);
}

}  // namespace amalthea::exporter
