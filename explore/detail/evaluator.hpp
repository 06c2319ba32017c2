// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Judges candidates of a Space one after the other. Every thread has its own.
///
/// A system per placement is changed in place, and programs are kept by what they depend on: unit, scheduler, how many
/// other cores use the memory, whether a GPU does. So a candidate costs what its bounds cost.

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "engine/program/program.hpp"
#include "explore/detail/candidate.hpp"
#include "explore/detail/space.hpp"

namespace amalthea::explore::detail {

/// What a chain's reaction is of the responses of its tasks.
struct ChainForm {
  struct Position {
    Duration period;
    std::vector<std::pair<TaskIndex, std::int64_t>> responses;  ///< whose, and how often they count
    std::uint32_t activation_limit = 0;
  };
  std::vector<Position> positions;
  bool known = false;
};
ChainForm chain_form(const System& system, std::size_t chain);

/// How often and how long tasks need a core.
struct Demands {
  std::vector<double> rates;                 ///< jobs per picosecond
  std::vector<std::vector<double>> on_unit;  ///< of every host task on every unit, memory uncontended
};
Demands demands_of(const Space& space, const Placement& placement);

/// What all evaluators share.
struct Facts {
  std::vector<std::vector<ChainForm>> chains;  ///< per placement, parallel to System::chains; of objectives and limits
  std::vector<Demands> demands;                ///< per placement
};
Facts facts_of(const Space& space);

class Evaluator {
 public:
  /// `counted`: by owner, whose deadlines are asked for.
  Evaluator(const Space& space, const Facts& facts, std::vector<bool> counted);

  /// `candidate` is canonical.
  Judgement judge(std::size_t placement, const Candidate& candidate);

  enum class By : std::uint8_t { deadlines, all_tasks };
  /// How much more than they can give CPUs are asked for, together, by tasks with deadlines that are asked for, or by
  /// all tasks.
  double overload(std::size_t placement, const Candidate& candidate, By by = By::deadlines) const;
  bool is_counted(std::size_t placement, TaskIndex task) const {
    return counted_[space_.placements[placement].owner[task]];
  }

 private:
  using Key = std::tuple<UnitIndex, SchedulerIndex, std::int64_t, bool>;
  struct Programs {
    engine::Program best, worst;
  };
  struct Bench {
    System system;
    std::vector<engine::Program> best, worst;
    std::vector<const Programs*> loaded;                          // what stands in `best` and `worst`
    std::vector<std::map<Key, std::unique_ptr<Programs>>> known;  // per task
  };
  Bench& bench(std::size_t placement);
  void load(Bench& bench);
  void judge_deadlines(std::size_t placement, Judgement& judgement) const;
  void judge_chain_limits(std::size_t placement, Judgement& judgement) const;
  bool matters(std::size_t placement, TaskIndex task, const engine::Bound& bound) const;
  double value_of(const Objective& objective, std::size_t placement, const Bench& bench,
                  const Judgement& judgement) const;

  const Space& space_;
  const Facts& facts_;
  std::vector<bool> counted_;
  engine::CompileOptions compile_;
  std::vector<std::unique_ptr<Bench>> benches_;
};

}  // namespace amalthea::explore::detail
