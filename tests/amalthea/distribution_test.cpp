// SPDX-License-Identifier: Apache-2.0
// Random draws are compared with the closed form of each distribution: Kolmogorov-Smirnov for continuous ones,
// chi-square for those with few values. Seeds are fixed, so a test always passes or always fails. The limits correspond
// to one false alarm in a thousand.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "amalthea/distribution.hpp"

namespace distribution_test {

using namespace amalthea;

namespace {

constexpr std::size_t draws = 20'000;

Distribution distribution(std::int64_t lower, std::int64_t average, std::int64_t upper, Shape shape) {
  return {lower, average, upper, std::make_shared<const Shape>(std::move(shape))};
}

std::vector<std::int64_t> sample(const Distribution& distribution, std::uint64_t seed = 1, std::size_t count = draws) {
  std::vector<std::int64_t> values;
  for (std::uint64_t number = 0; number < count; ++number) {
    RandomStream random(seed, 2, 3, number);
    values.push_back(draw(distribution, random));
  }
  return values;
}

double mean(const std::vector<std::int64_t>& values) {
  double sum = 0;
  for (const std::int64_t value : values) sum += static_cast<double>(value);
  return sum / static_cast<double>(values.size());
}

/// The largest distance between the share of values up to x and the distribution function there. Values are rounded:
/// those up to x stand for everything up to x + 1/2.
double distance(std::vector<std::int64_t> values, const std::function<double(double)>& share_up_to) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i + 1 == values.size() || values[i + 1] != values[i]) {
      const double expected = share_up_to(static_cast<double>(values[i]) + 0.5);
      largest = std::max(largest, std::abs(static_cast<double>(i + 1) / count - expected));
    }
  return largest;
}

/// Kolmogorov's limit for a false alarm in a thousand: 1.95 / sqrt(n).
const double limit = 1.95 / std::sqrt(static_cast<double>(draws));

double normal(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

std::function<double(double)> gauss_function(double mean, double deviation, double lower, double upper) {
  const double from = normal((lower - mean) / deviation), to = normal((upper - mean) / deviation);
  return [=](double x) { return (normal((std::min(x, upper) - mean) / deviation) - from) / (to - from); };
}

std::function<double(double)> weibull_function(double shape, double scale, double lower, double upper) {
  const auto whole = [=](double x) { return 1 - std::exp(-std::pow((x - lower) / scale, shape)); };
  return [=](double x) { return whole(std::min(x, upper)) / whole(upper); };
}

/// By Simpson's rule, not by the function that drawing inverts.
std::function<double(double)> beta_function(double alpha, double beta, double lower, double upper) {
  const auto density = [=](double t) { return std::pow(t, alpha - 1) * std::pow(1 - t, beta - 1); };
  const auto integral = [=](double to) {
    constexpr int steps = 400;
    double sum = density(0) + density(to);
    for (int i = 1; i < steps; ++i) sum += density(to * i / steps) * (i % 2 == 1 ? 4 : 2);
    return sum * to / steps / 3;
  };
  const double whole = integral(1);
  return [=](double x) { return integral(std::min((x - lower) / (upper - lower), 1.0)) / whole; };
}

}  // namespace

TEST_CASE("values without a shape are distributed uniformly over the closed range of the bounds") {
  const auto values = sample({10, 12, 19, nullptr});
  std::map<std::int64_t, double> seen;
  for (const std::int64_t value : values) ++seen[value];
  REQUIRE(seen.size() == 10);
  double chi_square = 0;
  for (const auto& [value, count] : seen) {
    CHECK((value >= 10 && value <= 19));
    chi_square += std::pow(count - draws / 10.0, 2) / (draws / 10.0);
  }
  CHECK(chi_square < 27.88);  // nine degrees of freedom
  CHECK(sample(distribution(10, 12, 19, UniformShape{})) == values);
}

TEST_CASE("uniform values over a wide range follow the uniform distribution") {
  const double lower = -5e17, upper = 8e17;
  const auto values = sample({static_cast<std::int64_t>(lower), 0, static_cast<std::int64_t>(upper), nullptr});
  CHECK(distance(values, [=](double x) { return (x - lower) / (upper - lower); }) < limit);
}

TEST_CASE("an average shape always yields the average") {
  for (const std::int64_t value : sample(distribution(1, 7, 1000, AverageShape{}), 1, 100)) CHECK(value == 7);
}

TEST_CASE("a corner shape yields the upper bound with its probability and otherwise the lower bound") {
  for (const double probability : {0.0, 0.25, 1.0}) {
    const auto values = sample(distribution(3, 5, 9, CornerShape{probability}));
    const auto uppers = std::count(values.begin(), values.end(), 9);
    CHECK(std::count(values.begin(), values.end(), 3) + uppers == static_cast<std::ptrdiff_t>(draws));
    const double deviation = std::sqrt(probability * (1 - probability) * draws);
    CHECK(std::abs(static_cast<double>(uppers) - probability * draws) <= 3.3 * deviation);
  }
}

TEST_CASE("Gauss values follow the normal distribution truncated at the bounds") {
  struct Case {
    double mean, deviation;
    std::int64_t lower, upper;
  };
  const auto [mean_value, deviation, lower, upper] =
      GENERATE(Case{50'000, 10'000, 0, 100'000}, Case{50'000, 10'000, 55'000, 60'000}, Case{0, 10'000, 20'000, 90'000},
               Case{0, 1'000, 9'000, 12'000}, Case{1e6, 10'000, 100'000, 950'000}, Case{-2e4, 1e4, -90'000, -21'000});
  const auto values = sample(distribution(lower, lower, upper, GaussShape{mean_value, deviation}));
  CHECK(*std::min_element(values.begin(), values.end()) >= lower);
  CHECK(*std::max_element(values.begin(), values.end()) <= upper);
  // In the upper tail the distribution function is the mirrored one, which keeps its digits there.
  if (static_cast<double>(lower) > mean_value) {
    std::vector<std::int64_t> mirrored;
    for (const std::int64_t value : values) mirrored.push_back(-value);
    CHECK(distance(mirrored, gauss_function(-mean_value, deviation, static_cast<double>(-upper),
                                            static_cast<double>(-lower))) < limit);
  } else {
    CHECK(distance(values, gauss_function(mean_value, deviation, static_cast<double>(lower),
                                          static_cast<double>(upper))) < limit);
  }
}

TEST_CASE("a Gauss distribution far outside of its bounds yields values near the closer bound") {
  // 50 deviations away: an exponential distribution of mean deviation / 50 to three digits.
  const auto values = sample(distribution(5'000'000, 5'000'000, 9'000'000, GaussShape{0, 100'000}));
  CHECK(mean(values) == Approx(5'002'000).epsilon(0.00002));
  CHECK(distance(values, [](double x) { return 1 - std::exp(-(x - 5'000'000) / 2'000); }) < limit);
  const auto mirrored = sample(distribution(-9'000'000, -5'000'000, -5'000'000, GaussShape{0, 100'000}));
  CHECK(mean(mirrored) == Approx(-5'002'000).epsilon(0.00002));
}

TEST_CASE("a Gauss distribution without deviation yields its mean clamped to the bounds") {
  CHECK(sample(distribution(0, 10, 100, GaussShape{40, 0}), 1, 3) == std::vector<std::int64_t>{40, 40, 40});
  CHECK(sample(distribution(0, 10, 100, GaussShape{400, 0}), 1, 1) == std::vector<std::int64_t>{100});
}

TEST_CASE("Weibull values follow the distribution of their shape and scale truncated at the upper bound") {
  struct Case {
    double shape, scale;
    std::int64_t lower, upper;
  };
  const auto [shape, scale, lower, upper] =
      GENERATE(Case{1, 10'000, 0, 1'000'000}, Case{2, 10'000, 5'000, 12'000}, Case{0.5, 10'000, 0, 100'000},
               Case{5, 10'000, 1'000, 60'000}, Case{3, 1'000'000, 0, 1'000});
  const auto values = sample(distribution(lower, lower, upper, WeibullShape{shape, scale}));
  CHECK(*std::min_element(values.begin(), values.end()) >= lower);
  CHECK(*std::max_element(values.begin(), values.end()) <= upper);
  CHECK(distance(values, weibull_function(shape, scale, static_cast<double>(lower), static_cast<double>(upper))) <
        limit);
}

TEST_CASE("beta values follow their distribution over the bounds") {
  struct Case {
    double alpha, beta;
  };
  const auto [alpha, beta] = GENERATE(Case{2, 5}, Case{1, 1}, Case{8, 2}, Case{30, 40}, Case{1, 3});
  const auto values = sample(distribution(1'000, 1'000, 101'000, BetaShape{alpha, beta}));
  CHECK(mean(values) == Approx(1'000 + 100'000 * alpha / (alpha + beta)).epsilon(0.02));
  CHECK(distance(values, beta_function(alpha, beta, 1'000, 101'000)) < limit);
}

TEST_CASE("histogram values follow the entry weights and are uniform within each entry") {
  HistogramShape histogram;
  histogram.entries = {{10, 12, 1}, {100, 100, 2}, {50, 59, 5}, {900, 999, 0}};
  const auto values = sample(distribution(10, 50, 999, histogram));
  std::map<std::int64_t, double> expected;
  for (const auto& entry : histogram.entries)
    for (std::int64_t value = entry.lower; value <= entry.upper; ++value)
      if (entry.weight > 0)
        expected[value] = draws * entry.weight / 8 / static_cast<double>(entry.upper - entry.lower + 1);
  std::map<std::int64_t, double> seen;
  for (const std::int64_t value : values) ++seen[value];
  double chi_square = 0;
  for (const auto& [value, count] : seen) REQUIRE(expected.count(value) == 1);
  for (const auto& [value, count] : expected) chi_square += std::pow(seen[value] - count, 2) / count;
  CHECK(chi_square < 34.53);  // 14 values: 13 degrees of freedom
}

TEST_CASE("drawn values never exceed the bounds for any parameters") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> numbers = {0,    -1,   1,   0.001, 1e-300,    1e300,    1e19,        -1e19,
                                       1e-6, 1000, 1e6, 2.5,   -infinity, infinity, std::nan("")};
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::pair<std::int64_t, std::int64_t>> bounds = {
      {0, 0}, {0, 1}, {5, 1000}, {-1000, 1000}, {0, most}, {-most - 1, most}, {most - 1, most}};
  for (const auto& [lower, upper] : bounds)
    for (const double a : numbers)
      for (const double b : numbers) {
        HistogramShape histogram;
        histogram.entries = {{3, 7, a}, {-most, 2, b}, {9, 4, 1}};
        for (Shape shape : {Shape(GaussShape{a, b}), Shape(WeibullShape{a, b}), Shape(BetaShape{a, b}),
                            Shape(CornerShape{a}), Shape(std::move(histogram))}) {
          const std::size_t kind = shape.index();
          for (const std::int64_t value : sample(distribution(lower, lower, upper, std::move(shape)), 1, 5)) {
            CAPTURE(kind, lower, upper, a, b, value);
            REQUIRE((value >= lower && value <= upper));
          }
        }
      }
}

TEST_CASE("a draw depends only on its key") {
  const Distribution varying = distribution(0, 500'000, 1'000'000, GaussShape{500'000, 100'000});
  CHECK(sample(varying, 7, 100) == sample(varying, 7, 100));
  CHECK(sample(varying, 7, 100) != sample(varying, 8, 100));
  RandomStream one(1, 2, 3, 4), same(1, 2, 3, 4), other(1, 2, 4, 3);
  const std::uint64_t first = one.next();
  CHECK(first == same.next());
  CHECK(first != other.next());
}

TEST_CASE("a scaled shape yields scaled values") {
  HistogramShape histogram;
  histogram.entries = {{100, 200, 1}, {700, 900, 2}};
  for (const Shape& shape : {Shape(GaussShape{500, 100}), Shape(WeibullShape{2, 300}), Shape(BetaShape{2, 3}),
                             Shape(CornerShape{0.3}), Shape(histogram)}) {
    const auto plain = std::make_shared<const Shape>(shape);
    const auto values = sample({0, 500, 1000, plain}, 1, 500);
    const auto larger = sample({0, 500'000, 1'000'000, scaled(plain, 1000)}, 1, 500);
    for (std::size_t i = 0; i < values.size(); ++i)
      CHECK(std::abs(larger[i] - 1000 * values[i]) <= 1000);  // what rounding to whole numbers hides
  }
  CHECK(scaled(nullptr, 2) == nullptr);
}

}  // namespace distribution_test
