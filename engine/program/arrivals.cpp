// SPDX-License-Identifier: Apache-2.0
#include "engine/program/arrivals.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "engine/program/program.hpp"

namespace amalthea::engine {
namespace {

/// Picoseconds, wide enough for sums and products of two times.
using Wide = amalthea::detail::Int128;

/// Purposes of the random streams of a seed.
constexpr std::uint64_t arrivals_purpose = 0x6172726976616c73;  // "arrivals"

constexpr std::int64_t millionths = 1'000'000;

Wide wide(Duration time) { return time.picoseconds(); }
std::int64_t ps(Duration time) { return time.picoseconds(); }

/// Nothing if it exceeds the range of times.
std::optional<Duration> narrow(Wide time) {
  if (time > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return Duration::picoseconds(static_cast<std::int64_t>(time));
}

Wide divided_up(Wide numerator, Wide denominator) { return (numerator + denominator - 1) / denominator; }

/// In [lower, upper], which is not empty.
Wide any_between(Wide lower, Wide upper, RandomStream& random) {
  const double range = static_cast<double>(upper - lower) + 1;
  return std::min(upper, lower + static_cast<Wide>(random.uniform() * range));
}

/// A value of the distribution for the pattern; `densest` is the bound for the densest occurrences.
std::int64_t value_of(const Distribution& distribution, ArrivalPattern pattern, std::int64_t densest,
                      RandomStream random) {
  switch (pattern) {
    case ArrivalPattern::densest:
      return densest;
    case ArrivalPattern::average:
      return distribution.average;
    case ArrivalPattern::sparsest:
      return densest == distribution.lower ? distribution.upper : distribution.lower;
    case ArrivalPattern::random:
      break;
  }
  return draw(distribution, random);
}

// ---------------------------------------------------------------- arrival curves

/// The minimum time from one occurrence to the `steps`-th after it in any complete sequence within the curve, for up to
/// as many steps as the longest entry; at(-steps) is minus the maximum. Only for possible curves.
///
/// A sequence is a system of difference constraints t(j) - t(i) >= weight. The tightest implied constraints are the
/// longest paths, which depend only on j - i. The steps of a path can be reordered so that it never leaves the indices
/// from -size to 2 × size.
class ClosedCurve {
 public:
  explicit ClosedCurve(const ArrivalCurve& curve) {
    for (const auto& entry : curve.entries)
      if (entry.count >= 2) size_ = std::max(size_, entry.count - 1);
    std::vector<std::pair<std::int64_t, Wide>> edges{{1, 0}};  // number of steps, minimum time
    for (const auto& entry : curve.entries) {
      if (entry.count < 2) continue;
      edges.emplace_back(entry.count - 1, wide(entry.lower));
      if (entry.upper) edges.emplace_back(1 - entry.count, -wide(*entry.upper));
    }
    least_.assign(static_cast<std::size_t>(4 * size_ + 1), std::nullopt);
    slot(0) = 0;
    for (std::size_t round = 0; round < least_.size() && improve(edges); ++round) {
    }
  }

  /// Nothing: no limit.
  std::optional<Wide> at(std::int64_t steps) const { return least_[static_cast<std::size_t>(steps + 2 * size_)]; }
  std::int64_t size() const { return size_; }

 private:
  std::optional<Wide>& slot(std::int64_t steps) { return least_[static_cast<std::size_t>(steps + 2 * size_)]; }

  bool improve(const std::vector<std::pair<std::int64_t, Wide>>& edges) {
    bool changed = false;
    const auto extend = [&](std::int64_t from) {
      if (!slot(from)) return;
      for (const auto& [steps, time] : edges) {
        const std::int64_t to = from + steps;
        if (to < -2 * size_ || to > 2 * size_) continue;
        if (slot(to) && *slot(to) >= *slot(from) + time) continue;
        slot(to) = *slot(from) + time;
        changed = true;
      }
    };
    for (std::int64_t from = -2 * size_; from <= 2 * size_; ++from) extend(from);
    for (std::int64_t from = 2 * size_; from >= -2 * size_; --from) extend(from);
    return changed;
  }

  std::int64_t size_ = 1;
  std::vector<std::optional<Wide>> least_;
};

/// A distance between occurrences: `time` for `steps` of them.
struct Distance {
  Wide time = 0;
  std::int64_t steps = 1;
};
bool shorter(const Distance& a, const Distance& b) { return a.time * b.steps < b.time * a.steps; }

Distance least_distance(const ArrivalCurve& curve) {
  Distance least;
  for (const auto& entry : curve.entries)
    if (entry.count >= 2)
      if (const Distance one{wide(entry.lower), entry.count - 1}; shorter(least, one)) least = one;
  return least;
}

std::optional<Distance> largest_distance(const ArrivalCurve& curve) {
  std::optional<Distance> largest;
  for (const auto& entry : curve.entries)
    if (entry.count >= 2 && entry.upper)
      if (const Distance one{wide(*entry.upper), entry.count - 1}; !largest || shorter(one, *largest)) largest = one;
  return largest;
}

// ---------------------------------------------------------------- bounds

ArrivalBound at_distance(Duration distance) { return {distance, {}, distance}; }

/// `count` occurrences in each `period`; nothing if their distance is less than a picosecond.
std::optional<ArrivalBound> evenly(Duration period, std::int64_t count, Wide jitter, Duration minimum_distance) {
  const Duration between = Duration::picoseconds(ps(period) / count);
  const auto extra = narrow(std::max<Wide>(0, jitter));
  if (between <= minimum_distance && minimum_distance > Duration{}) return at_distance(minimum_distance);
  if (between <= Duration{} || !extra) return std::nullopt;
  return ArrivalBound{between, *extra, minimum_distance};
}

std::optional<ArrivalBound> bound_of(const Periodic& periodic) {
  return evenly(periodic.period, 1, Wide{periodic.jitter.upper} - periodic.jitter.lower, periodic.minimum_distance);
}
std::optional<ArrivalBound> bound_of(const Single&) { return ArrivalBound{longest_simulation, {}, {}}; }
std::optional<ArrivalBound> bound_of(const Sporadic& sporadic) {
  if (sporadic.distance.lower <= 0) return std::nullopt;
  return at_distance(Duration::picoseconds(sporadic.distance.lower));
}

std::optional<ArrivalBound> bound_of(const Synthetic& synthetic) {
  const auto& at = synthetic.occurrences;
  if (at.empty()) return ArrivalBound{longest_simulation, {}, {}};
  const auto count = static_cast<std::int64_t>(at.size());
  Wide least = 0, largest = 0;  // of count × f
  Duration gap = at.front() + synthetic.period - at.back();
  for (std::int64_t index = 0; index < count; ++index) {
    const auto here = static_cast<std::size_t>(index);
    const Wide value = index * wide(synthetic.period) - count * wide(at[here]);
    least = index == 0 ? value : std::min(least, value);
    largest = index == 0 ? value : std::max(largest, value);
    if (index > 0) gap = std::min(gap, at[here] - at[here - 1]);
  }
  return evenly(synthetic.period, count, divided_up(largest - least, count), std::max(Duration{}, gap));
}

std::optional<ArrivalBound> bound_of(const Burst& burst) {
  const std::int64_t count = occurrences_of(burst);
  if (count < 1) return ArrivalBound{longest_simulation, {}, {}};
  const Wide rest = wide(burst.period) - ps(burst.period) / count;  // of a period, behind the first of even occurrences
  const Wide jitter = std::max(rest - Wide{2} * (count - 1) * wide(burst.minimum_distance), -rest) + wide(burst.length);
  return evenly(burst.period, count, jitter, std::min(burst.minimum_distance, burst.period - burst.length));
}

std::optional<ArrivalBound> bound_of(const ArrivalCurve& curve) {
  const Distance least = least_distance(curve);
  const auto period = narrow(least.time / least.steps);
  if (!period || *period <= Duration{} || !is_possible(curve)) return std::nullopt;
  const ClosedCurve closed(curve);
  Wide jitter = 0;
  for (std::int64_t steps = 1; steps <= closed.size(); ++steps)
    jitter = std::max(jitter, steps * wide(*period) - *closed.at(steps));
  return evenly(*period, 1, jitter, narrow(*closed.at(1)).value_or(*period));
}

std::optional<ArrivalBound> bound_of(const VariableRate& rate) {
  if (rate.occurrences.upper <= 0) return ArrivalBound{longest_simulation, {}, {}};
  const auto distance = narrow(wide(rate.step) * millionths / rate.occurrences.upper);
  if (!distance) return ArrivalBound{longest_simulation, {}, {}};
  if (*distance <= Duration{}) return std::nullopt;
  return at_distance(*distance);
}

std::optional<ArrivalBound> bound_of(const InterProcess&) { return std::nullopt; }
std::optional<ArrivalBound> bound_of(const EventDriven&) { return std::nullopt; }

/// The k-th occurrence is at most this late; those before it delay it by a minimum distance at most.
std::optional<Duration> until_next(const Periodic& periodic) {
  const Wide first = std::max(wide(periodic.offset), wide(periodic.period)) + periodic.jitter.upper;
  return narrow(std::max(first, wide(periodic.minimum_distance)));
}
std::optional<Duration> until_next(const Sporadic& sporadic) {
  return narrow(std::max(wide(sporadic.offset), Wide{sporadic.distance.upper}));
}
std::optional<Duration> until_next(const Synthetic& synthetic) {
  if (synthetic.occurrences.empty()) return std::nullopt;
  return narrow(std::max(wide(synthetic.offset), wide(synthetic.period)) + wide(synthetic.occurrences.front()));
}
std::optional<Duration> until_next(const Burst& burst) {
  if (occurrences_of(burst) < 1) return std::nullopt;
  return narrow(std::max(wide(burst.offset), wide(burst.period)) + wide(burst.length));
}
template <typename Other>
std::optional<Duration> until_next(const Other&) {
  return std::nullopt;
}

/// The reciprocal; nothing for zero.
std::optional<double> per(double distance) { return distance > 0 ? std::optional(1 / distance) : std::nullopt; }
double number(Duration time) { return static_cast<double>(time.picoseconds()); }

std::optional<double> rate_of(const Periodic& periodic) {
  return per(number(std::max(periodic.period, periodic.minimum_distance)));
}
std::optional<double> rate_of(const Single&) { return 0; }
std::optional<double> rate_of(const Sporadic& sporadic) { return per(static_cast<double>(sporadic.distance.lower)); }
std::optional<double> rate_of(const Synthetic& synthetic) {
  return static_cast<double>(synthetic.occurrences.size()) / number(synthetic.period);
}
std::optional<double> rate_of(const Burst& burst) {
  return static_cast<double>(occurrences_of(burst)) / number(burst.period);
}
std::optional<double> rate_of(const ArrivalCurve& curve) {
  const Distance least = least_distance(curve);
  return per(static_cast<double>(least.time) / static_cast<double>(least.steps));
}
std::optional<double> rate_of(const VariableRate& rate) {
  return std::max(0.0, static_cast<double>(rate.occurrences.upper)) / millionths / number(rate.step);
}
std::optional<double> rate_of(const InterProcess&) { return std::nullopt; }
std::optional<double> rate_of(const EventDriven&) { return std::nullopt; }

}  // namespace

// ---------------------------------------------------------------- occurrences

class Arrivals::Source {
 public:
  explicit Source(const ArrivalOptions& options) : options_(options) {}
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;
  virtual std::optional<Wide> next() = 0;

 protected:
  ArrivalPattern pattern() const { return options_.pattern; }
  /// The stream for the `number`-th drawn value.
  RandomStream random(std::uint64_t number) const {
    return {options_.seed, arrivals_purpose, options_.stimulus, number};
  }

 private:
  ArrivalOptions options_;
};

namespace {

class PeriodicSource final : public Arrivals::Source {
 public:
  PeriodicSource(const Periodic& periodic, const ArrivalOptions& options) : Source(options), periodic_(periodic) {}

  std::optional<Wide> next() override {
    // The densest pattern has minimum jitter, except for the first occurrence.
    const Distribution& jitter = periodic_.jitter;
    std::int64_t late = 0;
    if (pattern() == ArrivalPattern::sparsest)
      late = jitter.lower;
    else
      late = value_of(jitter, pattern(), number_ == 0 ? jitter.upper : jitter.lower, random(number_));
    Wide at = wide(periodic_.offset) + Wide{number_} * wide(periodic_.period) + late;
    if (number_ > 0) at = std::max(at, last_ + wide(periodic_.minimum_distance));
    ++number_;
    return last_ = at;
  }

 private:
  Periodic periodic_;
  std::uint64_t number_ = 0;
  Wide last_ = 0;
};

class SingleSource final : public Arrivals::Source {
 public:
  SingleSource(const Single& single, const ArrivalOptions& options) : Source(options), single_(single) {}

  std::optional<Wide> next() override {
    if (std::exchange(over_, true)) return std::nullopt;
    return wide(single_.occurrence);
  }

 private:
  Single single_;
  bool over_ = false;
};

class SporadicSource final : public Arrivals::Source {
 public:
  SporadicSource(const Sporadic& sporadic, const ArrivalOptions& options) : Source(options), sporadic_(sporadic) {}

  std::optional<Wide> next() override {
    if (number_ == 0)
      last_ = wide(sporadic_.offset);
    else
      last_ += std::max<std::int64_t>(1, value_of(sporadic_.distance, pattern(), densest(), random(number_)));
    ++number_;
    return last_;
  }

 private:
  /// Without a least distance any number may occur at once, which no simulation shows.
  std::int64_t densest() const {
    return sporadic_.distance.lower > 0 ? sporadic_.distance.lower : sporadic_.distance.average;
  }

  Sporadic sporadic_;
  std::uint64_t number_ = 0;
  Wide last_ = 0;
};

class SyntheticSource final : public Arrivals::Source {
 public:
  SyntheticSource(Synthetic synthetic, const ArrivalOptions& options)
      : Source(options), synthetic_(std::move(synthetic)) {}

  std::optional<Wide> next() override {
    if (synthetic_.occurrences.empty()) return std::nullopt;
    const std::uint64_t count = synthetic_.occurrences.size();
    const Duration within = synthetic_.occurrences[number_ % count];
    const Wide begin = wide(synthetic_.offset) + Wide{number_ / count} * wide(synthetic_.period);
    ++number_;
    return begin + wide(within);
  }

 private:
  Synthetic synthetic_;
  std::uint64_t number_ = 0;
};

class BurstSource final : public Arrivals::Source {
 public:
  BurstSource(const Burst& burst, const ArrivalOptions& options)
      : Source(options), burst_(burst), count_(occurrences_of(burst)) {}

  std::optional<Wide> next() override {
    if (count_ < 1) return std::nullopt;
    if (within_ == count_) {
      ++period_;
      within_ = 0;
      slack_used_ = 0;
    }
    const Wide at = wide(burst_.offset) + period_ * wide(burst_.period) + place();
    ++within_;
    return at;
  }

 private:
  /// The position of the next occurrence within its burst.
  Wide place() {
    const Wide dense = within_ * wide(burst_.minimum_distance);
    const Wide slack = wide(burst_.length) - (count_ - 1) * wide(burst_.minimum_distance);
    switch (pattern()) {
      case ArrivalPattern::densest:
        return dense + (period_ == 0 ? slack : 0);
      case ArrivalPattern::average:
      case ArrivalPattern::sparsest:
        return count_ == 1 ? 0 : within_ * wide(burst_.length) / (count_ - 1);
      case ArrivalPattern::random:
        break;
    }
    // The minimum of the remaining ones, uniformly distributed within the remaining slack.
    RandomStream stream = random(static_cast<std::uint64_t>(period_) * static_cast<std::uint64_t>(count_) +
                                 static_cast<std::uint64_t>(within_));
    const double share = 1 - std::pow(1 - stream.uniform(), 1 / static_cast<double>(count_ - within_));
    slack_used_ += std::min(slack - slack_used_, static_cast<Wide>(share * static_cast<double>(slack - slack_used_)));
    return dense + slack_used_;
  }

  Burst burst_;
  std::int64_t count_;
  std::int64_t within_ = 0;  // number of its occurrences so far
  Wide period_ = 0;
  Wide slack_used_ = 0;
};

/// Periodic, with the distance rounded down. Such a sequence satisfies every entry of a curve with the same mean
/// distance.
class EvenSource final : public Arrivals::Source {
 public:
  EvenSource(Distance distance, const ArrivalOptions& options) : Source(options), distance_(distance) {}

  std::optional<Wide> next() override { return number_++ * distance_.time / distance_.steps; }

 private:
  Distance distance_;
  Wide number_ = 0;
};

class CurveSource final : public Arrivals::Source {
 public:
  CurveSource(const ArrivalCurve& curve, const ArrivalOptions& options) : Source(options), curve_(curve) {
    const Distance least = least_distance(curve);
    mean_ = divided_up(least.time, least.steps);
  }

  std::optional<Wide> next() override {
    if (latest_.empty()) return remember(pattern() == ArrivalPattern::random ? drawn(0, mean_) : 0);
    // If all pairs within the longest entry are consistent, the rest of the sequence remains possible (Dechter, Meiri,
    // Pearl: Temporal constraint networks, 1991, theorem 3.3): later ones reach back no further.
    Wide from = latest_.front();
    std::optional<Wide> to;
    for (std::size_t back = 0; back < latest_.size(); ++back) {
      const auto steps = static_cast<std::int64_t>(back) + 1;
      from = std::max(from, latest_[back] + *curve_.at(steps));
      if (const auto reverse = curve_.at(-steps))
        to = std::min(to.value_or(latest_[back] - *reverse), latest_[back] - *reverse);
    }
    if (pattern() != ArrivalPattern::random) return remember(from);
    return remember(drawn(from, to.value_or(std::max(from, latest_.front() + 2 * mean_))));
  }

 private:
  Wide drawn(Wide from, Wide to) {
    RandomStream stream = random(number_);
    return any_between(from, std::max(from, to), stream);
  }

  Wide remember(Wide at) {
    ++number_;
    latest_.push_front(at);
    if (latest_.size() > static_cast<std::size_t>(curve_.size())) latest_.pop_back();
    return at;
  }

  ClosedCurve curve_;
  Wide mean_ = 0;
  std::uint64_t number_ = 0;
  std::deque<Wide> latest_;  // the most recent one first
};

/// Occurs whenever the accumulated fraction of occurrences becomes an integer.
class VariableRateSource final : public Arrivals::Source {
 public:
  VariableRateSource(VariableRate rate, const ArrivalOptions& options) : Source(options), rate_(std::move(rate)) {
    present_ = rate_of_step(std::nullopt);
  }

  std::optional<Wide> next() override {
    if (number_ == 0) {
      ++number_;
      return 0;
    }
    const Wide step = wide(rate_.step);
    const Wide missing = number_ * millionths - before_;  // from the beginning of the current step
    if (pattern() != ArrivalPattern::random) {
      if (present_ <= 0) return std::nullopt;
      ++number_;
      return missing * step / present_;
    }
    return search(step, missing);
  }

 private:
  std::optional<Wide> search(Wide step, Wide missing) {
    while (missing > present_) {
      if (step_ * step > wide(longest_simulation) || (present_ == 0 && rate_.occurrences.upper <= 0))
        return std::nullopt;
      before_ += present_;
      missing -= present_;
      ++step_;
      present_ = rate_of_step(present_);
    }
    ++number_;
    return step_ * step + missing * step / present_;
  }

  std::int64_t rate_of_step(std::optional<std::int64_t> before) const {
    const Distribution& wanted = rate_.occurrences;
    std::int64_t value =
        std::max<std::int64_t>(0, value_of(wanted, pattern(), wanted.upper, random(static_cast<std::uint64_t>(step_))));
    const auto change = [](double most) {
      return static_cast<std::int64_t>(std::clamp(most * millionths, 0.0, 9.2e18));
    };
    if (before && rate_.largest_increase)
      value = static_cast<std::int64_t>(std::min(Wide{value}, Wide{*before} + change(*rate_.largest_increase)));
    if (before && rate_.largest_decrease)
      value = static_cast<std::int64_t>(std::max(Wide{value}, Wide{*before} - change(*rate_.largest_decrease)));
    return value;
  }

  VariableRate rate_;
  Wide number_ = 0;           // number of the next occurrence
  Wide step_ = 0;             // number of the current step
  Wide before_ = 0;           // millionths of occurrences before it
  std::int64_t present_ = 0;  // millionths of occurrences in it
};

using SourcePointer = std::unique_ptr<Arrivals::Source>;

SourcePointer source_of(const Periodic& periodic, const ArrivalOptions& options) {
  return std::make_unique<PeriodicSource>(periodic, options);
}
SourcePointer source_of(const Single& single, const ArrivalOptions& options) {
  return std::make_unique<SingleSource>(single, options);
}
SourcePointer source_of(const Sporadic& sporadic, const ArrivalOptions& options) {
  return std::make_unique<SporadicSource>(sporadic, options);
}
SourcePointer source_of(const Synthetic& synthetic, const ArrivalOptions& options) {
  return std::make_unique<SyntheticSource>(synthetic, options);
}
SourcePointer source_of(const Burst& burst, const ArrivalOptions& options) {
  return std::make_unique<BurstSource>(burst, options);
}
SourcePointer source_of(const ArrivalCurve& curve, const ArrivalOptions& options) {
  if (!is_possible(curve)) return nullptr;
  if (options.pattern == ArrivalPattern::densest || options.pattern == ArrivalPattern::random)
    return std::make_unique<CurveSource>(curve, options);
  Distance distance = least_distance(curve);
  if (const auto largest = largest_distance(curve))
    distance = options.pattern == ArrivalPattern::sparsest
                   ? *largest
                   : Distance{distance.time * largest->steps + largest->time * distance.steps,
                              2 * distance.steps * largest->steps};
  return std::make_unique<EvenSource>(distance, options);
}
SourcePointer source_of(const VariableRate& rate, const ArrivalOptions& options) {
  return std::make_unique<VariableRateSource>(rate, options);
}
SourcePointer source_of(const InterProcess&, const ArrivalOptions&) { return nullptr; }
SourcePointer source_of(const EventDriven&, const ArrivalOptions&) { return nullptr; }

}  // namespace

ArrivalPattern pattern_for(Execution execution) {
  switch (execution) {
    case Execution::best:
      return ArrivalPattern::sparsest;
    case Execution::average:
      return ArrivalPattern::average;
    case Execution::random:
      return ArrivalPattern::random;
    case Execution::worst:
      break;
  }
  return ArrivalPattern::densest;
}

Arrivals::Arrivals(const Stimulus& stimulus, const ArrivalOptions& options)
    : source_(std::visit([&](const auto& kind) { return source_of(kind, options); }, stimulus.occurrence)) {}
Arrivals::~Arrivals() = default;
Arrivals::Arrivals(Arrivals&&) noexcept = default;
Arrivals& Arrivals::operator=(Arrivals&&) noexcept = default;

std::optional<Instant> Arrivals::next() {
  if (source_ == nullptr) return std::nullopt;
  const auto at = source_->next();
  if (at && *at < wide(longest_simulation)) return Instant::at(Duration::picoseconds(static_cast<std::int64_t>(*at)));
  source_.reset();
  return std::nullopt;
}

std::optional<ArrivalBound> arrival_bound(const Stimulus& stimulus) {
  return std::visit([](const auto& kind) { return bound_of(kind); }, stimulus.occurrence);
}

std::int64_t max_arrivals(const ArrivalBound& bound, Duration window) {
  const Wide by_period = 1 + (wide(window) + wide(bound.jitter)) / wide(bound.period);
  Wide most = by_period;
  if (bound.minimum_distance > Duration{}) most = std::min(most, 1 + wide(window) / wide(bound.minimum_distance));
  return static_cast<std::int64_t>(std::min<Wide>(most, std::numeric_limits<std::int64_t>::max()));
}

std::optional<Periodic> strictly_periodic(const Stimulus& stimulus) {
  const auto* periodic = std::get_if<Periodic>(&stimulus.occurrence);
  if (periodic == nullptr || stimulus.condition || periodic->jitter.lower != periodic->jitter.upper ||
      periodic->minimum_distance > periodic->period)
    return std::nullopt;
  return Periodic{periodic->period, periodic->offset + Duration::picoseconds(periodic->jitter.lower)};
}

std::optional<Duration> repetition(const Stimulus& stimulus) {
  if (const auto* periodic = std::get_if<Periodic>(&stimulus.occurrence)) return periodic->period;
  if (const auto* synthetic = std::get_if<Synthetic>(&stimulus.occurrence)) return synthetic->period;
  if (const auto* burst = std::get_if<Burst>(&stimulus.occurrence)) return burst->period;
  return std::nullopt;
}

Duration first_arrival(const Stimulus& stimulus) {
  if (const auto* periodic = std::get_if<Periodic>(&stimulus.occurrence)) return periodic->offset;
  if (const auto* single = std::get_if<Single>(&stimulus.occurrence)) return single->occurrence;
  if (const auto* sporadic = std::get_if<Sporadic>(&stimulus.occurrence)) return sporadic->offset;
  if (const auto* synthetic = std::get_if<Synthetic>(&stimulus.occurrence)) return synthetic->offset;
  if (const auto* burst = std::get_if<Burst>(&stimulus.occurrence)) return burst->offset;
  return {};
}

bool is_conditional(const Stimulus& stimulus) {
  return stimulus.condition || stimulus.counter.prescaler != 1 || stimulus.counter.offset != 0;
}

std::optional<Duration> longest_until_next(const Stimulus& stimulus) {
  if (is_conditional(stimulus)) return std::nullopt;
  return std::visit([](const auto& kind) { return until_next(kind); }, stimulus.occurrence);
}

std::optional<double> arrival_rate(const Stimulus& stimulus) {
  return std::visit([](const auto& kind) { return rate_of(kind); }, stimulus.occurrence);
}

std::optional<Duration> arrival_period(const Stimulus& stimulus) {
  const auto rate = arrival_rate(stimulus);
  if (!rate || *rate <= 0) return std::nullopt;
  const auto bound = arrival_bound(stimulus);
  return bound ? std::optional(bound->period) : std::nullopt;
}

std::int64_t occurrences_of(const Burst& burst) {
  if (burst.minimum_distance <= Duration{}) return burst.occurrences;
  return std::min(burst.occurrences, 1 + ps(burst.length) / ps(burst.minimum_distance));
}

}  // namespace amalthea::engine
