#pragma once
/// \file
/// Who runs on one core under fixed-priority preemptive scheduling.
///
/// The ready task with the largest priority runs. Among equal priorities the one that became ready first runs on, and
/// a task that is preempted keeps its place; tasks that become ready at the same instant are ordered as in the model.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "amalthea/graph/runnable_graph.hpp"
#include "amalthea/time.hpp"

namespace amalthea::engine {

class ReadyQueue {
 public:
  /// `task` becomes ready at `now`.
  void insert(TaskIndex task, std::int64_t priority, Instant now) {
    const Entry entry{priority, now, task};
    entries_.insert(std::upper_bound(entries_.begin(), entries_.end(), entry, before), entry);
  }
  void remove(TaskIndex task) {
    entries_.erase(
        std::find_if(entries_.begin(), entries_.end(), [task](const Entry& entry) { return entry.task == task; }));
  }
  std::optional<TaskIndex> first() const {
    return entries_.empty() ? std::nullopt : std::optional(entries_.front().task);
  }

 private:
  struct Entry {
    std::int64_t priority;
    Instant since;
    TaskIndex task;
  };
  static bool before(const Entry& a, const Entry& b) {
    if (a.priority != b.priority) return a.priority > b.priority;
    if (a.since != b.since) return a.since < b.since;
    return a.task < b.task;
  }
  std::vector<Entry> entries_;
};

}  // namespace amalthea::engine
