// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Values that vary between bounds, and how they are drawn: the distributions of AMALTHEA's deviations.

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace amalthea {

/// Every value between the bounds alike. Also of boundaries and statistics, of which nothing else is known.
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
/// Cut off at the bounds.
struct GaussShape {
  double mean = 0;
  double standard_deviation = 0;
  friend bool operator==(const GaussShape&, const GaussShape&) = default;
};
/// Starts at the lower bound; cut off at the upper.
struct WeibullShape {
  double shape = 1;
  double scale = 1;
  friend bool operator==(const WeibullShape&, const WeibullShape&) = default;
};
/// Spread over the bounds.
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

/// A whole number (cycles, picoseconds) that varies: lower <= average <= upper. Without a shape every value between the
/// bounds is alike.
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

/// Random numbers that depend on nothing but the key: SplitMix64 over a counter (Steele, Lea, Flood: Fast splittable
/// pseudorandom number generators, OOPSLA 2014). Neither the number of threads nor what others draw disturbs them.
class RandomStream {
 public:
  /// Streams of different keys are independent, such as (seed, what is drawn, whose, which job).
  RandomStream(std::uint64_t seed, std::uint64_t purpose, std::uint64_t owner, std::uint64_t number);
  std::uint64_t next();
  /// In [0, 1).
  double uniform();

 private:
  std::uint64_t state_;
};

/// Never outside of the bounds, and in bounded time: shapes are drawn by their inverse distribution functions, rounded
/// to the nearest whole number. Parameters that make no distribution (a shape or a scale that is not above zero, a
/// histogram without weight) stand for the average, a Gauss distribution without deviation for its mean.
std::int64_t draw(const Distribution& distribution, RandomStream& random);

/// The shape of the values times `factor` > 0; null stays null.
std::shared_ptr<const Shape> scaled(const std::shared_ptr<const Shape>& shape, double factor);

}  // namespace amalthea
