// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// When stimuli occur (S-release).

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/behaviour.hpp"
#include "reference/model.hpp"

namespace reference {

/// The occurrences of one stimulus by itself, in order of time.
class Releases {
 public:
  Releases(const Model& model, Index stimulus, Behaviour& behaviour, bool any_offsets)
      : stimulus_(&model.stimuli[stimulus]), number_(stimulus), behaviour_(&behaviour) {
    using K = Stimulus::Kind;
    const auto& s = *stimulus_;
    offset_ = s.offset;
    if (s.kind == K::triggered || s.kind == K::by_event) return;
    if (any_offsets) {  // S-release-1
      const auto period = s.kind == K::relative ? s.distance.least : s.kind == K::rate ? s.step : s.period;
      offset_ = ask(Question::Kind::offset, 0, std::max({Time{0}, s.offset, period - 1}));
    }
    if (s.kind == K::curve) tighten();
    next_ = following();
  }
  /// The next occurrence; `never` for stimuli that something else triggers, and after the last one.
  Time next() const { return next_; }
  void pop() { next_ = following(); }

 private:
  std::int64_t ask(Question::Kind kind, std::int64_t least, std::int64_t most) {
    return behaviour_->ask(kind, number_, least, most);
  }
  Time following() {
    using K = Stimulus::Kind;
    const auto& s = *stimulus_;
    switch (s.kind) {
      case K::single:
        return count_++ == 0 ? offset_ : never;
      case K::relative:
        last_ = count_++ == 0 ? offset_ : last_ + ask(Question::Kind::distance, s.distance.least, s.distance.most);
        return last_;
      case K::synthetic:
      case K::burst:
      case K::periodic: {
        // A later period may overtake an earlier one: an occurrence is next once no period that begins later can precede it.
        while (waiting_.empty() || offset_ + count_ * s.period <= waiting_.back()) {
          const Time start = offset_ + count_++ * s.period;
          if (s.kind == K::periodic) waiting_.push_back(start + ask(Question::Kind::jitter, 0, s.jitter.most));
          for (const auto instant : s.instants) waiting_.push_back(start + instant);
          if (s.kind == K::burst) {
            const auto spread = (s.burst_count - 1) * s.least_distance;
            const auto length = s.burst_length > 0 ? s.burst_length : spread;
            if (spread > length) throw Refused(s.name, "a burst that does not fit in its length");
            Time at = 0;
            for (std::int64_t i = 0; i < s.burst_count; ++i) {
              const auto rest = (s.burst_count - 1 - i) * s.least_distance;
              at = ask(Question::Kind::burst_position, i == 0 ? 0 : at + s.least_distance, length - rest);
              waiting_.push_back(start + at);
            }
          }
          std::sort(waiting_.begin(), waiting_.end(), std::greater<>());
          if (waiting_.empty()) return never;
        }
        auto time = waiting_.back();
        waiting_.pop_back();
        if (s.kind == K::periodic && last_ >= 0) time = std::max(time, last_ + s.least_distance);  // S-release-3
        last_ = time;
        return time;
      }
      case K::curve:
        return by_curve();
      case K::rate:
        return by_rate();
      case K::triggered:
      case K::by_event:
        break;
    }
    return never;
  }
  /// The tightest limits that follow from the borders, so that a choice within them never leads to a dead end.
  void tighten() {
    std::size_t size = 1;
    for (const auto& border : stimulus_->borders) size = std::max(size, static_cast<std::size_t>(border.occurrences));
    if (size > 250) throw Refused(stimulus_->name, "an arrival curve of more than 250 occurrences");
    lower_.assign(size, 0);
    upper_.assign(size, never);
    upper_[0] = 0;
    for (const auto& border : stimulus_->borders) {
      const auto n = static_cast<std::size_t>(border.occurrences - 1);
      if (n == 0) continue;
      lower_[n] = std::max(lower_[n], border.lower);
      upper_[n] = std::min(upper_[n], border.upper);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t a = 1; a < size; ++a) {
        for (std::size_t b = 1; b < size; ++b) {
          const auto improve = [&](std::size_t n, Time lower, Time upper) {
            if (lower > lower_[n]) lower_[n] = lower, changed = true;
            if (upper < upper_[n]) upper_[n] = upper, changed = true;
            if (lower_[n] > upper_[n]) throw Refused(stimulus_->name, "no occurrences satisfy the arrival curve");
          };
          if (a + b < size) improve(a + b, lower_[a] + lower_[b], std::min(never, upper_[a] + upper_[b]));
          if (a > b)
            improve(a - b, upper_[b] < never ? lower_[a] - upper_[b] : 0,
                    upper_[a] < never ? upper_[a] - lower_[b] : never);
        }
      }
    }
    if (lower_.back() <= 0) throw Refused(stimulus_->name, "any number of occurrences at once");
  }
  Time by_curve() {
    Time least = past_.empty() ? offset_ : past_.back(), most = past_.empty() ? offset_ : never;
    for (std::size_t n = 1; n < lower_.size() && n <= past_.size(); ++n) {
      const auto before = past_[past_.size() - n];
      least = std::max(least, before + lower_[n]);
      if (upper_[n] < never) most = std::min(most, before + upper_[n]);
    }
    most = std::min(most, least + 2 * lower_.back());  // choice: no limit is stated
    past_.push_back(least + ask(Question::Kind::occurrence, 0, most - least));
    if (past_.size() > 2 * lower_.size() + 8)
      past_.erase(past_.begin(), past_.end() - static_cast<std::ptrdiff_t>(lower_.size()));
    return past_.back();
  }
  /// S-release-6: within a step the rate is constant, and an occurrence completes whenever the rates add up to one.
  Time by_rate() {
    const auto& s = *stimulus_;
    const auto thousandths = [](double value) { return static_cast<std::int64_t>(std::llround(value * 1000)); };
    const Wide one = static_cast<Wide>(1000) * s.step;
    if (count_ == 0) step_start_ = offset_;
    if (count_++ == 0) return last_ = offset_;
    constexpr int most_steps = 10'000;  // without an occurrence: none comes any more
    for (int steps = 0;; ++steps) {
      if (rate_ < 0 || last_ >= step_start_ + s.step) {
        if (rate_ >= 0) step_start_ += s.step;
        auto least = thousandths(s.least_per_step), most = thousandths(s.most_per_step);
        if (rate_ >= 0 && s.increase >= 0) most = std::min(most, rate_ + thousandths(s.increase));
        if (rate_ >= 0 && s.decrease >= 0) least = std::max(least, rate_ - thousandths(s.decrease));
        rate_ = ask(Question::Kind::occurrence, least, std::max(least, most));
      }
      const Time end = step_start_ + s.step;
      const Wide whole_step = static_cast<Wide>(end - last_) * rate_;
      if (rate_ > 0 && progress_ + whole_step >= one) {
        last_ += static_cast<Time>((one - progress_ + rate_ - 1) / rate_);
        progress_ = 0;
        return last_;
      }
      progress_ += whole_step;
      last_ = end;
      if (steps == most_steps || end > never / 2) return never;
    }
  }

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
