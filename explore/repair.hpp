// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The fewest changed values of a mapping, and offsets of stimuli, after which a caller's judge finds the fewest
/// problems.
///
/// The search judges all changes of one value, then all of two, and so on, and ends where nothing fails. It is complete
/// as long as the work allows to judge every combination; then it goes on from the best ones only, and judges by bounds
/// first which ones to show to the judge.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "explore/exploration.hpp"

namespace amalthea::explore {

/// What a judge finds in a system. Fewer problems are better, then less excess.
struct RepairScore {
  std::size_t failing = 0;  ///< limits that fail; one that gets worse counts twice
  std::size_t unproven = 0;
  double excess = 0;  ///< a measure of how far limits and resources are exceeded
};
bool is_fewer(const RepairScore& a, const RepairScore& b);   ///< problems
bool is_better(const RepairScore& a, const RepairScore& b);  ///< problems, then excess

struct RepairTask {
  /// Nothing: the system cannot be analyzed, or the caller's work is used up.
  std::function<std::optional<RepairScore>(const System&)> judge;
  std::function<bool()> is_over;     ///< whether the caller's work is used up
  std::size_t judgements = 5000;     ///< how many systems to show to the judge
  std::size_t each = 12;             ///< of one number of changes, if not all can be shown
  std::uint64_t steps = 20'000'000;  ///< of bounds that select them
};

struct Repair {
  Candidate candidate;
  std::vector<std::optional<Duration>> offsets;  ///< parallel to System::stimuli: those that change
  std::size_t changes = 0;                       ///< values; 0: nothing is better than the model
  RepairScore score;
  bool complete = true;  ///< whether all combinations of fewer values were judged
};

/// `original`: the judge's score of the problem's system.
Repair find_repair(const Problem& problem, const Options& options, const RepairTask& task, const RepairScore& original);

/// The system with a part of the changes: those of the tasks and of the stimuli that are selected. Nothing if that is
/// impossible.
std::optional<System> repaired(const Problem& problem, const Repair& repair, const std::vector<bool>& tasks,
                               const std::vector<bool>& stimuli);

}  // namespace amalthea::explore
