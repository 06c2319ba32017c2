// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// When stimuli occur (S-release).

#include <vector>

#include "reference/behaviour.hpp"
#include "reference/model.hpp"

namespace reference {

/// The occurrences of one stimulus by itself, in order of time.
class Releases {
 public:
  Releases(const Model&, Index stimulus, Behaviour&, bool any_offsets);
  /// The next occurrence; `never` for stimuli that something else triggers, and after the last one.
  Time next() const { return next_; }
  void pop() { next_ = following(); }

 private:
  std::int64_t ask(Question::Kind kind, std::int64_t least, std::int64_t most) {
    return behaviour_->ask(kind, number_, least, most);
  }
  Time following();
  void tighten();
  Time by_curve();
  Time by_rate();

  const Stimulus* stimulus_;
  Index number_;
  Behaviour* behaviour_;
  Time offset_ = 0, next_ = never, last_ = -1;
  std::int64_t count_ = 0;           ///< nominal occurrences so far
  std::vector<Time> waiting_;        ///< occurrences of periods that have begun, latest first
  std::vector<Time> lower_, upper_;  ///< arrival curve: time between an occurrence and the n-th after it
  std::vector<Time> past_;
  Time step_start_ = 0;     ///< variable rate
  std::int64_t rate_ = -1;  ///< thousandths of an occurrence per step
  Wide progress_ = 0;       ///< thousandths of an occurrence times the step
};

}  // namespace reference
