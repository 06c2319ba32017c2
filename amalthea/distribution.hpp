// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Values that vary between bounds, and random numbers from them: the distributions of AMALTHEA's deviations.

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace amalthea {

/// All values between the bounds have equal probability. Also for boundaries and statistics, which define nothing else.
struct UniformShape {
  friend bool operator==(const UniformShape&, const UniformShape&) = default;
};
/// Always the average (constants, boundaries sampled as average case).
struct AverageShape {
  friend bool operator==(const AverageShape&, const AverageShape&) = default;
};
/// The lower or the upper bound with these probabilities (boundaries sampled as best, worst or corner case).
struct CornerShape {
  double upper_probability = 0.5;
  friend bool operator==(const CornerShape&, const CornerShape&) = default;
};
/// Truncated at the bounds.
struct GaussShape {
  double mean = 0;
  double standard_deviation = 0;
  friend bool operator==(const GaussShape&, const GaussShape&) = default;
};
/// Starts at the lower bound; truncated at the upper.
struct WeibullShape {
  double shape = 1;
  double scale = 1;
  friend bool operator==(const WeibullShape&, const WeibullShape&) = default;
};
/// Scaled to the bounds.
struct BetaShape {
  double alpha = 1;
  double beta = 1;
  friend bool operator==(const BetaShape&, const BetaShape&) = default;
};
/// Uniform within each entry.
struct HistogramShape {
  struct Entry {
    std::int64_t lower = 0;
    std::int64_t upper = 0;
    double weight = 1;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::vector<Entry> entries;
  friend bool operator==(const HistogramShape&, const HistogramShape&) = default;
};

using Shape =
    std::variant<UniformShape, AverageShape, CornerShape, GaussShape, WeibullShape, BetaShape, HistogramShape>;

/// An integer (cycles, picoseconds) that varies: lower <= average <= upper. Without a shape, all values between the
/// bounds have equal probability.
struct Distribution {
  std::int64_t lower = 0;
  std::int64_t average = 0;
  std::int64_t upper = 0;
  std::shared_ptr<const Shape> shape;
};

/// What is drawn: the second part of a stream's key.
namespace purpose {
inline constexpr std::uint64_t execution = 1;  ///< execution times; owner: the task, number: its job, from 0
inline constexpr std::uint64_t run = 2;        ///< seeds of runs; owner: the run
}  // namespace purpose

/// Random numbers that depend only on the key: SplitMix64 over a counter (Steele, Lea, Flood: Fast splittable
/// pseudorandom number generators, OOPSLA 2014). They depend neither on the number of threads nor on other streams.
class RandomStream {
 public:
  /// Streams with different keys are independent, e.g. (seed, what is drawn, owner, job).
  RandomStream(std::uint64_t seed, std::uint64_t purpose, std::uint64_t owner, std::uint64_t number);
  std::uint64_t next();
  /// In [0, 1).
  double uniform();

 private:
  std::uint64_t state_;
};

/// Draws a value, never outside the bounds, and in bounded time: by the inverse distribution function, rounded to the
/// nearest integer. Invalid parameters (a shape or scale that is not above zero, a histogram without weight) yield the
/// average, a Gauss distribution without deviation yields its mean.
std::int64_t draw(const Distribution& distribution, RandomStream& random);

/// The shape of the values multiplied by `factor` > 0; null remains null.
std::shared_ptr<const Shape> scaled(const std::shared_ptr<const Shape>& shape, double factor);

}  // namespace amalthea
