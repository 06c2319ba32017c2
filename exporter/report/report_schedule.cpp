// SPDX-License-Identifier: Apache-2.0
#include "exporter/report/report_schedule.hpp"
#include "amalthea/diagnostic.hpp"
#include "exporter/results/contribution_text.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace amalthea::exporter {
namespace {

using engine::Interval;

/// A time window to record, with a maximum number of spans; beyond that its end moves.
struct Window {
  Instant from;
  Instant to;
  std::size_t budget = 0;
  std::size_t spans = 0;
};

/// Systems of more tasks are recorded without the tasks that keep others from their cores.
constexpr std::size_t most_with_obstacles = 250;

class Recorder : public engine::SimulationObserver {
 public:
  /// `windows` are ordered by their beginning.
  Recorder(const System& system, std::vector<Window> windows, bool keeps_responses = true)
      : system_(system), windows_(std::move(windows)), tasks_(system.tasks.size()), keeps_responses_(keeps_responses) {
    for (const Window& window : windows_) most_blocks_ = std::max(most_blocks_, window.budget / 4);
    for (NodeIndex node = 0; node < system.graph.size(); ++node)
      if (const auto* kernel = std::get_if<Kernel>(&system.graph[node].activity))
        launches_ = launches_ || kernel->launch;
  }

  void interval(const Interval& interval) override {
    pieces_.clear();
    for (const Window& window : windows_) {
      if (window.from >= interval.to) break;
      const Instant from = std::max(window.from, interval.from), to = std::min(window.to, interval.to);
      if (from >= to) continue;
      if (!pieces_.empty() && from <= pieces_.back().to)
        pieces_.back().to = std::max(pieces_.back().to, to);
      else
        pieces_.push_back({from, to});
    }
    for (const ScheduleWindow& piece : pieces_)
      if (add(interval, piece)) count(piece, interval.to);
  }

  bool wants_intervals_after(Instant now) const override {
    return std::any_of(windows_.begin(), windows_.end(),
                       [now](const Window& window) { return window.from <= now && now < window.to; });
  }
  /// Of many tasks, most wait most of the time, and every change on a core would end a span of each.
  bool wants_obstacles_of(TaskIndex) const override { return tasks_.size() <= most_with_obstacles; }
  bool wants_events() const override { return launches_; }

  void block(const engine::BlockChange& change) override {
    const std::tuple key(change.task, change.job, change.step, change.block);
    if (change.begins) {
      if (blocks_.size() + running_blocks_.size() < most_blocks_)
        running_blocks_.emplace(key, ScheduleBlock{change.now, {}, change.task, change.sm});
      return;
    }
    const auto begun = running_blocks_.find(key);
    if (begun == running_blocks_.end()) return;
    blocks_.push_back(begun->second);
    blocks_.back().to = change.now;
    running_blocks_.erase(begun);
  }

  void completed(TaskIndex task, std::uint64_t job, Instant release, Instant now) override {
    if (keeps_responses_) completions_.push_back({task, release, now});
    auto& jobs = tasks_[task].jobs;
    if (!jobs.empty() && jobs.back().number == job) jobs.back().completion = now;
  }

  bool is_full() const {
    return std::any_of(windows_.begin(), windows_.end(),
                       [](const Window& window) { return window.spans >= window.budget; });
  }
  /// When the only window had used three quarters of its budget.
  Instant three_quarters() const { return three_quarters_; }

  Schedule take(Instant end, Duration horizon) {
    Schedule schedule;
    schedule.end = end;
    for (const auto& [task, release, now] : completions_)
      if (release < Instant::at(horizon)) tasks_[task].responses.add(now - release);
    for (ScheduleOfTask& task : tasks_) cut_off(task, end);
    schedule.tasks = std::move(tasks_);
    schedule.standings = std::move(standings_);
    schedule.names = std::move(names_);
    for (auto& [key, block] : running_blocks_) {
      block.to = end;
      blocks_.push_back(block);
    }
    std::erase_if(blocks_, [&](const ScheduleBlock& block) { return block.from >= end; });
    schedule.blocks = std::move(blocks_);
    for (const Window& window : windows_) {
      const Instant to = std::min(window.to, end);
      if (window.from >= to) continue;
      if (!schedule.recorded.empty() && window.from <= schedule.recorded.back().to)
        schedule.recorded.back().to = std::max(schedule.recorded.back().to, to);
      else
        schedule.recorded.push_back({window.from, to});
    }
    schedule.cut = schedule.recorded.size() != 1 || schedule.recorded.front().to < end;
    return schedule;
  }

 private:
  struct Completion {
    TaskIndex task = 0;
    Instant release;
    Instant now;
  };

  /// Counts a span in the windows that contain `piece`. Intervals arrive in the order of their ends, so all that ended
  /// earlier have been counted.
  void count(const ScheduleWindow& piece, Instant now) {
    for (Window& window : windows_) {
      if (window.from >= piece.to) break;
      if (window.to <= piece.from) continue;
      ++window.spans;
      if (window.spans == window.budget) window.to = std::min(window.to, now);
      if (window.spans == window.budget / 4 * 3) three_quarters_ = now;
    }
  }

  /// False if the piece only extends the task's last span.
  bool add(const Interval& interval, const ScheduleWindow& piece) {
    ScheduleOfTask& task = tasks_[interval.task];
    const std::size_t standing = index_of(standing_of(interval));
    const bool same_job = !task.jobs.empty() && task.jobs.back().number == interval.job;
    if (!same_job) task.jobs.push_back({interval.job, interval.release, std::nullopt, 0});
    if (same_job && task.spans.back().to == piece.from && task.spans.back().standing == standing) {
      task.spans.back().to = piece.to;
      return false;
    }
    task.spans.push_back({piece.from, piece.to, standing});
    ++task.jobs.back().spans;
    return true;
  }

  ScheduleStanding standing_of(const Interval& interval) {
    const engine::Reason& reason = interval.standing.reason;
    ScheduleStanding standing{interval.standing.state, shown_kind(reason.kind), reason.by,
                              interval.unit,           EngineOfUnit::core,      std::nullopt,
                              reason.traffic};
    if (!interval.node) return standing;
    const GraphNode& node = system_.graph[*interval.node];
    if (std::holds_alternative<Kernel>(node.activity)) standing.engine = EngineOfUnit::execution_engine;
    if (std::holds_alternative<Copy>(node.activity)) standing.engine = EngineOfUnit::copy_engine;
    if (standing.engine != EngineOfUnit::core)
      standing.what = index_of(node.name);
    else if (node.runnable)
      standing.what = index_of(system_.runnables[*node.runnable].name);
    return standing;
  }

  std::size_t index_of(const ScheduleStanding& standing) {
    const auto [found, added] = known_standings_.try_emplace(standing, standings_.size());
    if (added) standings_.push_back(standing);
    return found->second;
  }

  std::size_t index_of(const std::string& name) {
    const auto [found, added] = known_names_.try_emplace(name, names_.size());
    if (added) names_.push_back(name);
    return found->second;
  }

  static void cut_off(ScheduleOfTask& task, Instant end) {
    while (!task.spans.empty() && task.spans.back().from >= end) {
      task.spans.pop_back();
      if (--task.jobs.back().spans == 0) task.jobs.pop_back();
    }
    if (!task.spans.empty()) task.spans.back().to = std::min(task.spans.back().to, end);
  }

  const System& system_;
  std::vector<Window> windows_;
  std::vector<ScheduleWindow> pieces_;
  std::vector<ScheduleOfTask> tasks_;
  bool keeps_responses_;
  std::vector<Completion> completions_;
  std::vector<ScheduleStanding> standings_;
  std::map<ScheduleStanding, std::size_t> known_standings_;
  std::vector<std::string> names_;
  std::map<std::string, std::size_t> known_names_;
  Instant three_quarters_;
  bool launches_ = false;  ///< whether there are blocks to record
  std::size_t most_blocks_ = 0;
  std::map<std::tuple<TaskIndex, std::uint64_t, std::size_t, std::size_t>, ScheduleBlock> running_blocks_;
  std::vector<ScheduleBlock> blocks_;
};

/// Of more longest jobs, those with the least left of their deadlines are shown.
constexpr std::size_t most_longest = 64;

/// Longest jobs, released before the end of the horizon, may end after it.
Instant end_of(const engine::Results& results) {
  Instant end = Instant::at(results.horizon);
  for (const engine::TaskResult& task : results.tasks)
    if (task.worst_release) end = std::max(end, *task.worst_release + task.response.max);
  return end;
}

std::vector<Window> windows_of_longest_jobs(const System& system, const engine::Results& results, Instant after,
                                            std::size_t budget) {
  std::vector<std::pair<double, Window>> found;  // with the part of its deadline that it takes
  for (TaskIndex task = 0; task < results.tasks.size(); ++task) {
    const engine::TaskResult& result = results.tasks[task];
    if (!result.worst_release || system.tasks[task].folded_into) continue;
    const Instant end = *result.worst_release + result.response.max;
    if (end <= after) continue;
    const double deadline = static_cast<double>(system.tasks[task].deadline.value_or(Duration::max()).picoseconds());
    found.push_back({static_cast<double>(result.response.max.picoseconds()) / deadline,
                     {std::max(*result.worst_release, after), end, 0, 0}});
  }
  if (found.size() > most_longest) {
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    found.resize(most_longest);
  }
  std::vector<Window> windows;
  for (const auto& [part, window] : found) windows.push_back(window);
  std::stable_sort(windows.begin(), windows.end(), [](const Window& a, const Window& b) { return a.from < b.from; });
  for (Window& window : windows) window.budget = std::max<std::size_t>(1, budget / windows.size());
  return windows;
}

}  // namespace

std::size_t Schedule::spans() const {
  std::size_t sum = 0;
  for (const ScheduleOfTask& task : tasks) sum += task.spans.size();
  return sum;
}

ScheduleRecording::ScheduleRecording(const System& system, std::size_t most)
    : recorder_(new Recorder(system, {{Instant{}, Instant::never(), most, 0}}, false)) {}

Schedule ScheduleRecording::take(Instant end) { return static_cast<Recorder&>(*recorder_).take(end, Duration{}); }

std::optional<RecordedAnalysis> analyze_and_record(const System& system, engine::AnalysisOptions options,
                                                   std::size_t most, Diagnostics& diagnostics) {
  Recorder first(system, {{Instant{}, Instant::never(), most, 0}});
  options.observer = &first;
  auto results = engine::analyze(system, options, diagnostics);
  if (!results) return std::nullopt;
  const Instant end = end_of(*results);
  if (!first.is_full() || results->stopped_early) {  // what is cut is not simulated twice
    Schedule schedule = first.take(end, results->horizon);
    return RecordedAnalysis{std::move(*results), std::move(schedule)};
  }
  const Instant three_quarters = first.three_quarters();
  std::vector<Window> windows = windows_of_longest_jobs(system, *results, three_quarters, most / 4);
  windows.insert(windows.begin(), {Instant{}, three_quarters, most, 0});
  Recorder second(system, std::move(windows));
  options.observer = &second;
  Diagnostics ignored;
  engine::analyze(system, options, ignored);
  Schedule schedule = second.take(end, results->horizon);
  return RecordedAnalysis{std::move(*results), std::move(schedule)};
}

}  // namespace amalthea::exporter
