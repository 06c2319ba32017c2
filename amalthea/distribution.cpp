// SPDX-License-Identifier: Apache-2.0
#include "amalthea/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <boost/math/policies/policy.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>

namespace amalthea {
namespace {

/// The output function of SplitMix64.
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15U;

/// Doubles throughout, and values instead of exceptions: results are checked against the bounds.
namespace policies = boost::math::policies;
using Policy =
    policies::policy<policies::promote_double<false>, policies::domain_error<policies::ignore_error>,
                     policies::pole_error<policies::ignore_error>, policies::overflow_error<policies::ignore_error>,
                     policies::evaluation_error<policies::ignore_error>>;

/// Integers from `lower` to `upper`, uniformly. One value of the stream per draw: the bias is at most one in 2^64 /
/// (upper - lower + 1), which is negligible.
std::int64_t draw_uniform(std::int64_t lower, std::int64_t upper, RandomStream& random) {
  __extension__ using Product = unsigned __int128;
  const auto span = static_cast<Product>(static_cast<std::uint64_t>(upper) - static_cast<std::uint64_t>(lower)) + 1;
  const auto distance = static_cast<std::uint64_t>((static_cast<Product>(random.next()) * span) >> 64);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(lower) + distance);
}

double normal_below(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

/// The quantile for the share `u` of the standard normal distribution truncated to [from, to].
double truncated_normal(double from, double to, double u) {
  // Uses the lower tail, where shares near zero are precise and shares near one are not.
  if (from + to > 0) return -truncated_normal(-to, -from, 1 - u);
  // So far out the density is well approximated by an exponential distribution of rate |to| that decreases away from
  // `to`.
  if (to < -30) return to + std::log1p((1 - u) * std::expm1(to * (to - from))) / -to;
  const double below = normal_below(from);
  const double share = below + u * (normal_below(to) - below);
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * share, Policy());
}

/// Every shape as a function of the bounds and one or two values of the stream: inverse distribution functions, so that
/// every draw takes the same time and advances the stream by the same number.
class Draw {
 public:
  Draw(const Distribution& distribution, RandomStream& random) : values_(distribution), random_(random) {}

  std::int64_t operator()(const UniformShape&) { return draw_uniform(values_.lower, values_.upper, random_); }
  std::int64_t operator()(const AverageShape&) { return values_.average; }

  std::int64_t operator()(const CornerShape& corner) {
    return random_.uniform() < corner.upper_probability ? values_.upper : values_.lower;
  }

  std::int64_t operator()(const GaussShape& gauss) {
    const double u = random_.uniform();
    if (!(gauss.standard_deviation > 0) || !std::isfinite(gauss.standard_deviation)) return nearest(gauss.mean);
    const double from = (lower() - gauss.mean) / gauss.standard_deviation;
    const double to = (upper() - gauss.mean) / gauss.standard_deviation;
    return nearest(gauss.mean + gauss.standard_deviation * truncated_normal(from, to, u));
  }

  std::int64_t operator()(const WeibullShape& weibull) {
    const double u = random_.uniform();
    if (!is_positive(weibull.shape) || !is_positive(weibull.scale)) return values_.average;
    const double share = -std::expm1(-std::pow((upper() - lower()) / weibull.scale, weibull.shape));
    return nearest(lower() + weibull.scale * std::pow(-std::log1p(-u * share), 1 / weibull.shape));
  }

  std::int64_t operator()(const BetaShape& beta) {
    const double u = random_.uniform();
    if (!is_positive(beta.alpha) || !is_positive(beta.beta)) return values_.average;
    // Beyond these the distribution degenerates to its corners and its mean, and the inversion fails numerically.
    const auto tame = [](double parameter) { return std::clamp(parameter, 1e-3, 1e6); };
    return nearest(lower() +
                   (upper() - lower()) * boost::math::ibeta_inv(tame(beta.alpha), tame(beta.beta), u, Policy()));
  }

  std::int64_t operator()(const HistogramShape& histogram) {
    double total = 0;
    for (const HistogramShape::Entry& entry : histogram.entries) total += std::max(entry.weight, 0.0);
    const double mark = random_.uniform() * total;
    const HistogramShape::Entry* chosen = nullptr;
    double passed = 0;
    for (const HistogramShape::Entry& entry : histogram.entries) {
      if (!(entry.weight > 0) || entry.lower > entry.upper) continue;
      chosen = &entry;
      passed += entry.weight;
      if (mark < passed) break;
    }
    if (chosen == nullptr) return values_.average;
    return draw_uniform(chosen->lower, chosen->upper, random_);
  }

 private:
  static bool is_positive(double value) { return value > 0 && std::isfinite(value); }
  double lower() const { return static_cast<double>(values_.lower); }
  double upper() const { return static_cast<double>(values_.upper); }
  std::int64_t nearest(double value) const {
    if (std::isnan(value)) return values_.average;
    if (value <= lower()) return values_.lower;
    return value >= upper() ? values_.upper : std::llround(value);
  }

  const Distribution& values_;
  RandomStream& random_;
};

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::uint64_t purpose, std::uint64_t owner, std::uint64_t number)
    : state_(mix(seed + golden_gamma)) {
  for (const std::uint64_t part : {purpose, owner, number}) state_ = mix(state_ + golden_gamma + part);
}

std::uint64_t RandomStream::next() { return mix(state_ += golden_gamma); }

double RandomStream::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

std::int64_t draw(const Distribution& distribution, RandomStream& random) {
  Draw draw_shape(distribution, random);
  const std::int64_t value =
      distribution.shape == nullptr ? draw_shape(UniformShape{}) : std::visit(draw_shape, *distribution.shape);
  return std::clamp(value, distribution.lower, std::max(distribution.lower, distribution.upper));
}

namespace {

struct Scale {
  double factor;

  std::int64_t value(std::int64_t unscaled) const {
    constexpr double most = 9.2e18;
    return std::llround(std::clamp(static_cast<double>(unscaled) * factor, -most, most));
  }
  template <typename Same>
  Shape operator()(const Same& shape) const {
    return shape;
  }
  Shape operator()(const GaussShape& gauss) const {
    return GaussShape{gauss.mean * factor, gauss.standard_deviation * factor};
  }
  Shape operator()(const WeibullShape& weibull) const { return WeibullShape{weibull.shape, weibull.scale * factor}; }
  Shape operator()(const HistogramShape& histogram) const {
    HistogramShape copy = histogram;
    for (HistogramShape::Entry& entry : copy.entries) {
      entry.lower = value(entry.lower);
      entry.upper = value(entry.upper);
    }
    return copy;
  }
};

}  // namespace

std::shared_ptr<const Shape> scaled(const std::shared_ptr<const Shape>& shape, double factor) {
  return shape == nullptr ? nullptr : std::make_shared<const Shape>(std::visit(Scale{factor}, *shape));
}

}  // namespace amalthea
