// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Data on its way through the chains of a model (S-data). Every value carries the reads of the first task on which it
/// is based, as the oldest and the newest one.

#include <vector>

#include "reference/execution.hpp"

namespace reference {

class Data {
 public:
  explicit Data(const Model&);
  void start(Index task, Time now, Time release);
  void access(Index task, Index label, bool write, Time now);
  void end(Index task, Time now);
  /// Adds what LET communication does with these jobs.
  std::vector<Passage> finish(const std::vector<Job>&);

 private:
  struct Value {
    std::int64_t oldest = -1, newest = -1;
    void join(const Value& other);
  };
  /// A task in its chain.
  struct Step {
    Index task = none;
    std::vector<Index> inputs, outputs;   ///< labels from the previous task, and to the next one; empty: always all
    std::vector<Value> given, published;  ///< per output: explicit and implicit
    std::vector<char> written;            ///< per output, in this job
    std::vector<Value> held_of;           ///< per input, explicit
    Value held, read;                     ///< explicit: what the task works with; implicit: what the job has read
  };
  struct Passed {
    std::vector<Step> steps;
    Passage implicit, explicit_;
    Index first_label = none, last_label = none;
    Time release = 0;  ///< of the current job of the first task
  };

  /// Calls `use(passed, k)` for every place of the task in a chain.
  template <class Use>
  void each_place(Index task, const Use& use) {
    for (auto& passed : chains_) {
      for (std::size_t k = 0; k < passed.steps.size(); ++k)
        if (passed.steps[k].task == task) use(passed, k);
    }
  }
  static Value new_read(Passage&, Time now, Time release);
  static void write(Passage&, const Value&, Time now);
  void device(Index task, bool write, Time now);
  void let(const Passed&, const std::vector<Job>&, Passage&) const;

  const Model& model_;
  std::vector<Passed> chains_;
};

}  // namespace reference
