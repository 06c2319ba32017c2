// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Judges candidates of a Space one after the other. Every thread has its own evaluator.
///
/// It changes one system per placement in place, and caches programs by what they depend on: unit, scheduler, number of
/// other cores and presence of a GPU that use the memory. So the cost of a candidate is that of its bounds.

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "engine/program/program.hpp"
#include "explore/detail/candidate.hpp"
#include "explore/detail/space.hpp"

namespace amalthea::explore::detail {

/// A chain's reaction as a function of the response times of its tasks.
struct ChainForm {
  struct Position {
    Duration period;
    std::vector<std::pair<TaskIndex, std::int64_t>> responses;  ///< tasks, and how often each response counts
  };
  std::vector<Position> positions;
  bool known = false;
};
ChainForm chain_form(const System& system, std::size_t chain);

/// Demand of tasks for cores.
struct Demands {
  std::vector<double> rates;                 ///< jobs per picosecond
  std::vector<std::vector<double>> on_unit;  ///< of every host task on every unit, without memory contention
};
Demands demands_of(const Space& space, const Placement& placement);

/// Shared by all evaluators.
struct Facts {
  /// per placement, parallel to System::chains; for objectives and limits
  std::vector<std::vector<ChainForm>> chains;
  std::vector<Demands> demands;  ///< per placement
};
Facts facts_of(const Space& space);

class Evaluator {
 public:
  /// `counted`: by owner, whose deadlines count.
  Evaluator(const Space& space, const Facts& facts, std::vector<bool> counted);

  /// `candidate` must be canonical.
  Judgement judge(std::size_t placement, const Candidate& candidate);

  enum class By : std::uint8_t { deadlines, all_tasks };
  /// The total overload of the CPUs, by tasks with deadlines that count, or by all tasks.
  double overload(std::size_t placement, const Candidate& candidate, By by = By::deadlines) const;
  bool is_counted(std::size_t placement, TaskIndex task) const {
    return counted_[space_.placements[placement].owner[task]];
  }

 private:
  using Key = std::tuple<UnitIndex, std::vector<UnitIndex>, SchedulerIndex, std::vector<std::int64_t>, bool>;
  struct Programs {
    engine::Program best, worst;
  };
  struct Bench {
    System system;
    std::vector<engine::Program> best, worst;
    std::vector<const Programs*> loaded;                          // the programs in `best` and `worst`
    std::vector<std::map<Key, std::unique_ptr<Programs>>> known;  // per task
  };
  Bench& bench(std::size_t placement);
  void load(Bench& bench);
  std::vector<engine::Program> with_one_alternative(const Bench& bench) const;
  void judge_deadlines(std::size_t placement, Judgement& judgement) const;
  void judge_chain_limits(std::size_t placement, Judgement& judgement) const;
  bool matters(std::size_t placement, TaskIndex task, const engine::Bound& bound) const;
  double value_of(const Objective& objective, std::size_t placement, const Candidate& candidate, const Bench& bench,
                  const Judgement& judgement) const;

  const Space& space_;
  const Facts& facts_;
  std::vector<bool> counted_;
  engine::CompileOptions compile_;
  std::vector<std::unique_ptr<Bench>> benches_;
};

}  // namespace amalthea::explore::detail
