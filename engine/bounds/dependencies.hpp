// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Who can change the timing of whom: one directed graph of a System (Boost.Graph).
///
/// An edge leads from what changes to what changes with it: from a stimulus to the tasks that it activates, from a task
/// to those of its core that it can delay, from a semaphore to its users. A path means that the timing of its end may
/// depend on its start; where there is none, it does not. Where the order of urgency is not certain (deadlines, several
/// schedulers or cores, sections that cannot be preempted), tasks of a core can delay each other.
///
/// Memory: accesses of CPUs slow kernels and copies down. Accesses of other cores cost what the model or a table states,
/// whatever these cores execute, so they make no edge.

#include <memory>
#include <span>
#include <vector>

#include "amalthea/graph/system.hpp"

namespace amalthea::engine {

class Dependencies {
 public:
  explicit Dependencies(const System& system);
  Dependencies(Dependencies&&) noexcept;
  Dependencies& operator=(Dependencies&&) noexcept;
  ~Dependencies();

  /// What depends on any of some parts, these included.
  class Reached {
   public:
    bool contains(Part part) const;

   private:
    friend class Dependencies;
    Reached(const Dependencies& all, std::vector<bool> vertices) : all_(&all), vertices_(std::move(vertices)) {}
    const Dependencies* all_;
    std::vector<bool> vertices_;
  };
  /// `all_` of the result refers to this object.
  Reached reached_from(std::span<const Part> parts) const;

 private:
  struct Graph;
  std::unique_ptr<Graph> graph_;
};

}  // namespace amalthea::engine
