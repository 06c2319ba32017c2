// SPDX-License-Identifier: Apache-2.0
#include "engine/program/releases.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include "amalthea/graph/job_paths.hpp"
#include "engine/program/arrivals.hpp"

namespace amalthea::engine {
namespace {

/// Tasks at the end of a longer trigger chain have no period.
constexpr std::size_t max_trigger_hops = 64;

std::optional<Duration> repetition_in_use(const Stimulus& stimulus) {
  return stimulus.activates.empty() ? std::nullopt : repetition(stimulus);
}

/// The only stimulus that a task's releases depend on, which occurs by itself, and the triggered tasks in between.
struct ReleaseSource {
  StimulusIndex stimulus = 0;
  std::vector<TaskIndex> trigger_path;
  bool every_time = true;
};

std::vector<std::optional<ReleaseSource>> sources_of(const System& system) {
  const std::size_t count = system.tasks.size();
  std::vector<std::vector<StimulusIndex>> stimuli(count);  // stimuli that activate a task
  std::vector<std::vector<NodeIndex>> triggers(system.stimuli.size());
  for (StimulusIndex stimulus = 0; stimulus < system.stimuli.size(); ++stimulus)
    for (const TaskIndex task : system.stimuli[stimulus].activates) stimuli[task].push_back(stimulus);
  for (NodeIndex node = 0; node < system.graph.size(); ++node)
    if (const auto* trigger = std::get_if<Trigger>(&system.graph[node].activity))
      triggers[trigger->stimulus].push_back(node);

  const JobPaths paths(system);
  std::vector<std::optional<ReleaseSource>> sources(count);
  for (TaskIndex task = 0; task < count; ++task) {
    std::vector<TaskIndex> trigger_path = {system.tasks[task].folded_into.value_or(task)};  // backwards
    bool always = true;
    for (std::size_t depth = 0; depth < max_trigger_hops && stimuli[trigger_path.back()].size() == 1; ++depth) {
      const StimulusIndex only = stimuli[trigger_path.back()].front();
      const Stimulus& stimulus = system.stimuli[only];
      if (arrival_rate(stimulus))
        sources[task] = ReleaseSource{only, {trigger_path.rbegin(), trigger_path.rend()}, always};
      if (triggers[only].size() != 1 || is_conditional(stimulus)) break;
      const NodeIndex trigger = triggers[only].front();
      const TaskIndex by = system.graph[trigger].task;
      always = always && paths.occurs(by, [trigger](NodeIndex node) {
        return node == trigger ? Certainty::always : Certainty::never;
      }) == Certainty::always;
      trigger_path.push_back(by);
    }
  }
  return sources;
}

/// For every task, what `releases` says of the stimulus at the beginning of its row.
template <typename Releases>
std::vector<std::optional<TaskReleases>> releases_by(const System& system, const Releases& releases) {
  std::vector<std::optional<TaskReleases>> found;
  for (auto& source : sources_of(system)) {
    const std::optional<Periodic> periodic = source ? releases(system.stimuli[source->stimulus]) : std::nullopt;
    found.push_back(periodic
                        ? std::optional(TaskReleases{*periodic, std::move(source->trigger_path), source->every_time})
                        : std::nullopt);
  }
  return found;
}

}  // namespace

std::optional<Duration> hyperperiod(const System& system) {
  std::optional<std::int64_t> lcm;
  for (const Stimulus& stimulus : system.stimuli) {
    const auto repeats = repetition_in_use(stimulus);
    if (!repeats) continue;
    const std::int64_t period = repeats->picoseconds();
    std::int64_t next = 0;
    if (lcm && __builtin_mul_overflow(*lcm / std::gcd(*lcm, period), period, &next)) return std::nullopt;
    lcm = lcm ? next : period;
  }
  return lcm ? std::optional(Duration::picoseconds(*lcm)) : std::nullopt;
}

std::vector<std::optional<TaskReleases>> releases_of(const System& system) {
  return releases_by(system, strictly_periodic);
}

std::vector<std::optional<TaskReleases>> recurrent_releases_of(const System& system) {
  return releases_by(system, [](const Stimulus& stimulus) -> std::optional<Periodic> {
    if (const auto periodic = strictly_periodic(stimulus)) return periodic;
    const auto next = longest_until_next(stimulus);
    return next ? std::optional(Periodic{*next, first_arrival(stimulus), {}, {}}) : std::nullopt;
  });
}

std::string why_not_periodic(const System& system, TaskIndex task) {
  TaskIndex at = system.tasks[task].folded_into.value_or(task);
  std::string subject = fmt::format("task \"{}\"", system.tasks[at].name);
  for (std::size_t depth = 0; depth < max_trigger_hops; ++depth) {
    std::vector<const Stimulus*> stimuli;
    for (const Stimulus& stimulus : system.stimuli)
      if (std::find(stimulus.activates.begin(), stimulus.activates.end(), at) != stimulus.activates.end())
        stimuli.push_back(&stimulus);
    if (stimuli.empty()) return subject + " has no stimulus";
    if (stimuli.size() > 1) return fmt::format("{} has {} stimuli", subject, stimuli.size());
    const Stimulus& stimulus = *stimuli.front();
    const std::string named = fmt::format("the stimulus \"{}\" of {}", stimulus.name, subject);
    if (is_conditional(stimulus)) return fmt::format("{} does not activate it each time", named);
    if (arrival_rate(stimulus)) {
      const auto* periodic = std::get_if<Periodic>(&stimulus.occurrence);
      if (periodic == nullptr) return named + " is not periodic";
      return named + (periodic->jitter.lower != periodic->jitter.upper ? " has jitter"
                                                                       : " has a minimum distance above its period");
    }
    std::vector<TaskIndex> triggers;
    for (NodeIndex node = 0; node < system.graph.size(); ++node)
      if (const auto* trigger = std::get_if<Trigger>(&system.graph[node].activity);
          trigger != nullptr && &system.stimuli[trigger->stimulus] == &stimulus)
        triggers.push_back(system.graph[node].task);
    if (triggers.empty()) return named + " occurs at no known distance";
    if (triggers.size() > 1) return fmt::format("{} activities trigger {}", triggers.size(), subject);
    at = triggers.front();
    subject = fmt::format("task \"{}\", which triggers task \"{}\",", system.tasks[at].name,
                          system.tasks[system.tasks[task].folded_into.value_or(task)].name);
  }
  return subject + " has no periodic stimulus";
}

std::vector<std::optional<Duration>> periods_of(const System& system) {
  std::vector<std::optional<Duration>> periods;
  for (const auto& source : sources_of(system))
    periods.push_back(source ? arrival_period(system.stimuli[source->stimulus]) : std::nullopt);
  return periods;
}

}  // namespace amalthea::engine
