// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/results/statistics.hpp"

namespace results_statistics_test {

using namespace amalthea;
using namespace amalthea::engine;

namespace {

Sample sample_of(const std::vector<std::int64_t>& values) {
  Sample sample;
  for (const std::int64_t value : values) sample.add(Duration::picoseconds(value));
  return sample;
}

/// By sorting: the value at ceil(n thousandths / 1000), counted from 1.
std::int64_t nearest_rank(std::vector<std::int64_t> values, std::int64_t thousandths) {
  std::sort(values.begin(), values.end());
  const std::int64_t rank = (static_cast<std::int64_t>(values.size()) * thousandths + 999) / 1000;
  return values[static_cast<std::size_t>(rank - 1)];
}

/// From 2^10 to 2^50, every power of two alike, so that buckets of all widths are met.
std::vector<std::int64_t> wide_values(std::size_t count) {
  std::mt19937_64 random(7);
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(static_cast<std::int64_t>(std::exp2(10 + 40 * static_cast<double>(random() >> 11) * 0x1p-53)));
  return values;
}

}  // namespace

TEST_CASE("a sample of a few values is exact") {
  const Sample sample = sample_of({30, 10, 20, 50, 40});
  CHECK(sample.exact());
  CHECK(sample.count() == 5);
  CHECK(sample.min().picoseconds() == 10);
  CHECK(sample.max().picoseconds() == 50);
  CHECK(sample.mean().picoseconds() == 30);
  CHECK(sample.standard_deviation().picoseconds() == 16);  // sqrt(1000 / 4) = 15.8
  CHECK(sample.percentile(500).picoseconds() == 30);
  CHECK(sample.percentile(600).picoseconds() == 30);
  CHECK(sample.percentile(601).picoseconds() == 40);
  CHECK(sample.percentile(999).picoseconds() == 50);
  CHECK(sample.percentile(1).picoseconds() == 10);
}

TEST_CASE("percentiles of many values are at most a thousandth too large and never too small") {
  const std::vector<std::int64_t> values = wide_values(Sample::max_kept + 1);
  const Sample sample = sample_of(values);
  REQUIRE_FALSE(sample.exact());
  for (const std::int64_t thousandths : {1, 10, 100, 250, 500, 900, 950, 990, 999, 1000}) {
    const std::int64_t exact = nearest_rank(values, thousandths);
    const std::int64_t found = sample.percentile(thousandths).picoseconds();
    CAPTURE(thousandths, exact, found);
    CHECK(found >= exact);
    CHECK(found - exact <= exact / 1024 + 1);
  }
  CHECK(sample.percentile(1000) == sample.max());
  CHECK(sample.max().picoseconds() == *std::max_element(values.begin(), values.end()));
  CHECK(sample.min().picoseconds() == *std::min_element(values.begin(), values.end()));
}

TEST_CASE("a sample has exact percentiles up to the number of values it keeps") {
  std::vector<std::int64_t> values = wide_values(Sample::max_kept);
  const Sample sample = sample_of(values);
  REQUIRE(sample.exact());
  for (const std::int64_t thousandths : {1, 500, 990, 999})
    CHECK(sample.percentile(thousandths).picoseconds() == nearest_rank(values, thousandths));
}

TEST_CASE("mean and standard deviation stay exact for many values") {
  // Two values a picosecond apart at a tenth of a second, many times: sums of squares would lose this.
  Sample sample;
  const std::int64_t base = 100'000'000'000;
  for (int i = 0; i < 200'000; ++i) sample.add(Duration::picoseconds(base + (i % 2) * 1000));
  REQUIRE_FALSE(sample.exact());
  CHECK(sample.mean().picoseconds() == base + 500);
  CHECK(sample.standard_deviation().picoseconds() == 500);
}

TEST_CASE("bins cover all values exactly once") {
  const bool many = GENERATE(false, true);
  const Sample sample = sample_of(wide_values(many ? Sample::max_kept + 1 : 1000));
  const auto bins = sample.bins(50);
  REQUIRE(bins.size() <= 50);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    count += bins[i].count;
    if (i > 0) CHECK(bins[i].lower == bins[i - 1].upper);
  }
  CHECK(count == sample.count());
  CHECK(bins.front().lower == sample.min());
  CHECK(bins.back().upper == sample.max());
}

TEST_CASE("a value at the upper end of a bin belongs to it and equal values form one bin") {
  const auto bins = sample_of({0, 10, 11, 20}).bins(2);
  REQUIRE(bins.size() == 2);
  CHECK(bins[0].count == 2);
  CHECK(bins[1].count == 2);
  const auto one = sample_of({5, 5, 5}).bins(50);
  REQUIRE(one.size() == 1);
  CHECK(one[0].count == 3);
}

TEST_CASE("the interval of a share is Wilson's interval") {
  // Newcombe (Statistics in Medicine 1998, table I): 81 of 263 and 15 of 148; 0 of 20; 1 of 29.
  struct Published {
    std::uint64_t hits, trials;
    double lower, upper;
  };
  const auto [hits, trials, lower, upper] =
      GENERATE(Published{81, 263, 0.2553, 0.3662}, Published{15, 148, 0.0624, 0.1605}, Published{0, 20, 0, 0.1611},
               Published{1, 29, 0.0061, 0.1718});
  const Share share = wilson_interval(hits, trials);
  CHECK(share.value == Approx(static_cast<double>(hits) / static_cast<double>(trials)));
  CHECK(share.lower == Approx(lower).margin(0.00006));
  CHECK(share.upper == Approx(upper).margin(0.00006));
  CHECK(wilson_interval(20, 20).upper == 1);
}

TEST_CASE("the interval of a mean over runs uses Student's distribution") {
  // Means 1 … 5: s = sqrt(2.5), t(0.975, 4) = 2.7764.
  RunMeans means;
  for (const int mean : {3, 1, 5, 2, 4}) means.add(Duration::picoseconds(mean));
  CHECK(means.runs() == 5);
  CHECK(means.half_width() == Approx(2.776445 * std::sqrt(2.5 / 5)).epsilon(1e-6));
}

TEST_CASE("the interval of a mean covers the true mean in 95 of 100 experiments") {
  std::mt19937_64 random(3);
  std::normal_distribution<double> values(10'000, 2000);
  int covered = 0;
  constexpr int experiments = 2000;
  for (int i = 0; i < experiments; ++i) {
    RunMeans means;
    double sum = 0;
    for (int run = 0; run < 6; ++run) {
      const double value = std::round(values(random));
      means.add(Duration::picoseconds(static_cast<std::int64_t>(value)));
      sum += value;
    }
    if (std::abs(sum / 6 - 10'000) <= means.half_width()) ++covered;
  }
  CHECK(std::abs(covered - 0.95 * experiments) < 3.3 * std::sqrt(experiments * 0.95 * 0.05));
}

}  // namespace results_statistics_test
