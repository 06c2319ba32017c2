// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/longest_schedule.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace amalthea::engine::cpu {
namespace {

using Time = std::int64_t;  ///< picoseconds

class Schedule {
 public:
  /// Jobs of the task `last` come after all jobs of their urgency.
  Schedule(const std::vector<ScheduledTask>& tasks, std::size_t cores, StepCount taken,
           std::optional<std::size_t> last = std::nullopt)
      : tasks_(tasks), cores_(cores), taken_(taken), last_(last) {
    for (const ScheduledTask& task : tasks) {
      next_.push_back(task.offset.picoseconds());
      jobs_.push_back({0, 0, std::vector<Time>(tasks.size())});
      longest_.push_back(jobs_.back());
      responses_.push_back(-1);
    }
  }

  const std::optional<std::int64_t>& tied() const { return tied_; }

  std::optional<std::vector<CpuBound>> run(std::int64_t most_jobs) {
    Time hyperperiod = 1, begin = 0;
    for (const ScheduledTask& task : tasks_) {
      const Time period = task.period.picoseconds();
      if (__builtin_mul_overflow(hyperperiod, period / std::gcd(hyperperiod, period), &hyperperiod))
        return std::nullopt;
      begin = std::max(begin, task.offset.picoseconds());
    }
    constexpr Time latest = std::numeric_limits<Time>::max() / 4;
    std::vector<Time> before;
    for (Time boundary = begin; boundary < latest - hyperperiod; boundary += hyperperiod) {
      if (!advance(boundary, most_jobs)) return std::nullopt;
      std::vector<Time> left;
      for (const Job& job : jobs_) left.push_back(job.left);
      if (boundary > begin && left == before) return bounds();
      before = std::move(left);
    }
    return std::nullopt;
  }

 private:
  struct Job {
    Time release = 0;
    Time left = 0;               ///< execution; 0: no job is active
    std::vector<Time> waited{};  ///< for every task
  };

  Time deadline(std::size_t task) const {
    return tasks_[task].deadline ? tasks_[task].deadline->picoseconds() + jobs_[task].release : 0;
  }

  bool precedes(std::size_t a, std::size_t b) const {
    if (tasks_[a].priority != tasks_[b].priority) return tasks_[a].priority > tasks_[b].priority;
    const auto key = [this](std::size_t task) {
      return std::tuple(deadline(task), task == last_, jobs_[task].release, task);
    };
    return key(a) < key(b);
  }

  /// The last job that runs and the first that waits.
  void note_tie(std::size_t a, std::size_t b) {
    if (tasks_[a].priority == tasks_[b].priority && deadline(a) == deadline(b))
      tied_ = std::max(tied_.value_or(tasks_[a].priority), tasks_[a].priority);
  }

  /// Runs until `end`, before the releases at that instant; false: a job is late, or there are too many.
  bool advance(Time end, std::int64_t most_jobs) {
    for (;;) {
      std::sort(active_.begin(), active_.end(), [this](std::size_t a, std::size_t b) { return precedes(a, b); });
      const std::size_t running = std::min(cores_, active_.size());
      Time until = end;
      for (const Time release : next_) until = std::min(until, release);
      for (std::size_t at = 0; at < running; ++at) until = std::min(until, now_ + jobs_[active_[at]].left);
      if (until > now_ && running < active_.size()) note_tie(active_[running - 1], active_[running]);
      for (std::size_t at = 0; at < running; ++at) jobs_[active_[at]].left -= until - now_;
      for (std::size_t at = running; at < active_.size(); ++at)
        jobs_[active_[at]].waited[active_[running - 1]] += until - now_;
      now_ = until;
      std::erase_if(active_, [this](std::size_t task) {
        if (jobs_[task].left > 0) return false;
        if (now_ - jobs_[task].release > responses_[task]) {
          responses_[task] = now_ - jobs_[task].release;
          longest_[task] = jobs_[task];
        }
        return true;
      });
      if (now_ == end) return true;
      for (std::size_t task = 0; task < tasks_.size(); ++task) {
        if (next_[task] != now_) continue;
        if (jobs_[task].left > 0 || ++count_ > most_jobs) return false;
        taken_.add();
        jobs_[task] = {now_, std::max<Time>(1, tasks_[task].worst.picoseconds()), std::vector<Time>(tasks_.size())};
        active_.push_back(task);
        next_[task] += tasks_[task].period.picoseconds();
      }
    }
  }

  std::vector<CpuBound> bounds() const {
    std::vector<CpuBound> bounds;
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
      CpuBound& bound = bounds.emplace_back();
      bound.response = Duration::picoseconds(responses_[task]);
      Time own = responses_[task];
      for (const Time waited : longest_[task].waited) own -= waited;
      bound.parts.push_back({CpuPart::execution, std::nullopt, Duration::picoseconds(own)});
      for (std::size_t by = 0; by < tasks_.size(); ++by)
        if (longest_[task].waited[by] > 0)
          bound.parts.push_back({CpuPart::preemption, by, Duration::picoseconds(longest_[task].waited[by])});
    }
    return bounds;
  }

  const std::vector<ScheduledTask>& tasks_;
  std::size_t cores_;
  StepCount taken_;
  std::optional<std::size_t> last_;
  std::optional<std::int64_t> tied_;  ///< the highest priority at which a job runs and one of equal urgency waits
  Time now_ = 0;
  std::vector<Time> next_;           ///< release of every task
  std::vector<Job> jobs_;            ///< the active or last job of every task
  std::vector<std::size_t> active_;  ///< tasks with an active job
  std::vector<Job> longest_;
  std::vector<Time> responses_;
  std::int64_t count_ = 0;
};

}  // namespace

std::optional<std::vector<CpuBound>> longest_schedule(const std::vector<ScheduledTask>& tasks, std::size_t cores,
                                                      std::int64_t most_jobs, StepCount taken) {
  if (tasks.empty()) return std::nullopt;
  Schedule schedule(tasks, cores, taken);
  auto bounds = schedule.run(most_jobs);
  for (std::size_t task = 0; bounds && schedule.tied() && task < tasks.size(); ++task) {
    if (tasks[task].priority > *schedule.tied()) continue;
    if (cores > 1) {
      (*bounds)[task] = {};
      continue;
    }
    const auto losing = Schedule(tasks, cores, taken, task).run(most_jobs);
    if (!losing) return std::nullopt;
    (*bounds)[task] = (*losing)[task];
  }
  return bounds;
}

}  // namespace amalthea::engine::cpu
