// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Statistics of the observed values of one quantity.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "amalthea/time.hpp"

namespace amalthea::engine {

/// The times are meaningless if jobs = 0.
struct Statistics {
  std::uint64_t jobs = 0;
  Duration min;
  Duration mean;  ///< rounded to nearest
  Duration p99;   ///< nearest rank
  Duration max;
};
Statistics summarise(std::vector<Duration> values);

/// Count, sum and sum of squares of values >= 0. They are exact integers, so that the order of values does not matter
/// and samples can be added up in parts.
class Moments {
 public:
  void add(Duration value);
  void add(const Moments& other);

  std::uint64_t count() const { return count_; }
  Duration mean() const;  ///< rounded to nearest; of at least one value
  /// With the divisor n - 1; 0 for one value.
  double standard_deviation() const;

  /// All of its state, for files.
  using Words = std::array<std::uint64_t, 6>;
  Words words() const;
  static Moments of(const Words& words);

 private:
  std::uint64_t count_ = 0;
  detail::UInt128 sum_ = 0;
  detail::UInt128 squares_ = 0;        // the lower 128 bits
  std::uint64_t squares_carried_ = 0;  // those above
};

/// Any number of values >= 0 in bounded memory: the values themselves up to a limit, beyond that a log-linear histogram
/// with 1024 buckets for each power of two, as in HdrHistogram (Tene). Count, minimum, mean, maximum and standard
/// deviation remain exact. The result depends only on the values.
class Sample {
 public:
  /// Maximum number of values kept exactly, where nothing else is said.
  static constexpr std::size_t max_kept = 100'000;

  Sample() = default;
  explicit Sample(std::size_t kept) : kept_(kept) {}
  void add(Duration value);
  /// As if all values of the other one were added.
  void add(const Sample& other);

  std::uint64_t count() const { return moments_.count(); }
  /// The following functions need at least one value.
  Duration min() const { return min_; }
  Duration max() const { return max_; }
  Duration mean() const { return moments_.mean(); }  ///< rounded to nearest
  /// With the divisor n - 1; 0 for one value. Rounded to nearest.
  Duration standard_deviation() const;
  /// Nearest-rank percentile: the smallest value that at least this many thousandths (1 … 1000) of all values do not
  /// exceed. From the histogram at most 1/1024 too large, never too small and never above the maximum.
  Duration percentile(std::int64_t thousandths) const;
  bool exact() const { return counts_.empty(); }

  struct Bin {
    Duration lower;  ///< exclusive, except for the first bin
    Duration upper;  ///< inclusive
    std::uint64_t count = 0;
  };
  /// At most this many bins of equal width from the minimum to the maximum, for a chart. From the histogram a value may
  /// be counted up to 1/1024 too high.
  std::vector<Bin> bins(std::int64_t most) const;

  /// Every value with its count, in ascending order; from the histogram as for percentile.
  std::vector<std::pair<Duration, std::uint64_t>> counts() const;

  /// All of its state, for files.
  struct State {
    Moments::Words moments{};
    Duration min, max;
    std::vector<std::int64_t> values;
    std::vector<std::uint64_t> counts;  ///< from the first bucket on
  };
  State state() const;
  static Sample of(State state);  ///< throws std::out_of_range for what is the state of no sample

 private:
  void put(Duration value);
  void count_kept();
  /// Makes room for the bucket.
  void cover(std::size_t bucket);
  /// Every value (or bucket's upper end) with its count, in ascending order.
  template <typename Visit>
  void for_each(Visit visit) const;

  Moments moments_;
  Duration min_, max_;
  std::size_t kept_ = max_kept;
  std::vector<std::int64_t> values_;
  std::vector<std::uint64_t> counts_;  // by bucket, from the first one that is not empty; empty while values are kept
  std::size_t first_ = 0;              // that bucket
};

/// The largest difference of the shares of values that are at most x, over all x (Kolmogorov and Smirnov). Of two samples
/// with at least one value.
double kolmogorov_distance(const Sample& a, const Sample& b);

/// A proportion with its 95 % confidence interval.
struct Share {
  double value = 0;
  double lower = 0;
  double upper = 1;
};
/// Wilson's score interval of `hits` out of `trials` > 0 (Wilson: Probable inference, the law of succession, and
/// statistical inference, JASA 1927), for independent trials: with z = 1.96 and p = hits / n it is
/// (p + z²/2n ± z sqrt(p (1 - p) / n + z²/4n²)) / (1 + z²/n). Of no hits the lower end is 0, of all the upper one is 1.
Share wilson_interval(std::uint64_t hits, std::uint64_t trials);

/// Means of independent runs: replications (Law: Simulation Modeling and Analysis, 9.4.1).
class RunMeans {
 public:
  explicit RunMeans(Moments moments = {}) : moments_(moments) {}
  void add(Duration mean) { moments_.add(mean); }
  void add(const RunMeans& other) { moments_.add(other.moments_); }
  std::uint64_t runs() const { return moments_.count(); }
  /// Half the width of the 95 % confidence interval of the mean, t(0.975, n - 1) s / sqrt(n), by Student's t
  /// distribution; for n >= 2 runs.
  double half_width() const;
  const Moments& moments() const { return moments_; }

 private:
  Moments moments_;
};

}  // namespace amalthea::engine
