// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Tasks in the order in which they were added, each at most once. Adding and removing take constant time.

#include <vector>

#include "amalthea/graph/system.hpp"

namespace amalthea::engine::simulation {

class TaskList {
 public:
  explicit TaskList(std::size_t tasks) : links_(tasks + 1) { links_[tasks] = {tasks, tasks}; }
  void add(TaskIndex task) {
    const std::size_t end = links_.size() - 1, last = links_[end].before;
    links_[task] = {last, end};
    links_[last].after = links_[end].before = task;
  }
  void remove(TaskIndex task) {
    links_[links_[task].before].after = links_[task].after;
    links_[links_[task].after].before = links_[task].before;
  }
  /// `visit` must not change the list.
  template <typename Visit>
  void for_each(Visit visit) const {
    const std::size_t end = links_.size() - 1;
    for (std::size_t task = links_[end].after; task != end; task = links_[task].after)
      visit(static_cast<TaskIndex>(task));
  }

 private:
  struct Link {
    std::size_t before = 0, after = 0;
  };
  std::vector<Link> links_;  ///< for every task, then the end
};

}  // namespace amalthea::engine::simulation
