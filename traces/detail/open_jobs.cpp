// SPDX-License-Identifier: Apache-2.0
#include "traces/detail/open_jobs.hpp"

namespace amalthea::traces {

Run* OpenRuns::find(EntityIndex runnable, std::uint64_t instance) {
  const auto found = by_name_.lower_bound({runnable, instance, 0});
  if (found == by_name_.end() || std::get<0>(*found) != runnable || std::get<1>(*found) != instance) return nullptr;
  return &runs_.at(std::get<2>(*found));
}

Run* OpenRuns::innermost() { return running_.empty() ? nullptr : &runs_.at(*running_.rbegin()); }

void OpenRuns::add(Run run) {
  run.number = next_++;
  by_name_.emplace(run.runnable, run.instance, run.number);
  if (run.running) running_.insert(running_.end(), run.number);
  runs_.emplace_hint(runs_.end(), run.number, run);
}

void OpenRuns::set_running(Run& run, bool running) {
  run.running = running;
  if (running)
    running_.insert(run.number);
  else
    running_.erase(run.number);
}

void OpenRuns::remove(const Run& run) {
  const std::uint64_t number = run.number;
  by_name_.erase({run.runnable, run.instance, number});
  running_.erase(number);
  runs_.erase(number);
}

Job* OpenJobs::find(std::uint64_t instance) {
  const auto found = by_instance_.lower_bound(instance);
  return found == by_instance_.end() || found->first != instance ? nullptr : &*found->second;
}

Job& OpenJobs::add(Job job) {
  const auto added = jobs_.insert(jobs_.end(), std::move(job));
  by_instance_.emplace(added->instance, added);
  return *added;
}

void OpenJobs::remove(const Job& job) {
  auto at = by_instance_.lower_bound(job.instance);
  while (&*at->second != &job) ++at;  // it is the oldest of its instance
  jobs_.erase(at->second);
  by_instance_.erase(at);
}

}  // namespace amalthea::traces
