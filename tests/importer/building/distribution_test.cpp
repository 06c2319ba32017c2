// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <variant>

#include <catch2/catch.hpp>

#include "importer/building/detail/distribution_builder.hpp"

namespace building_distribution_test {

using namespace amalthea;
using importer::detail::distribution_in_millionths;
using importer::detail::distribution_of;

namespace {

using Cycles = views::Deviation<std::int64_t>;

Cycles between(std::int64_t lower, std::int64_t upper, Cycles::Distribution distribution) {
  return {Element(), lower, upper, std::move(distribution)};
}

template <typename Wanted>
Wanted shape(const Distribution& distribution) {
  REQUIRE(distribution.shape != nullptr);
  REQUIRE(std::holds_alternative<Wanted>(*distribution.shape));
  return std::get<Wanted>(*distribution.shape);
}

}  // namespace

TEST_CASE("every kind of deviation becomes its shape between its bounds") {
  const Distribution constant = distribution_of(Cycles{{}, {}, {}, views::ConstantValue<std::int64_t>{7}});
  CHECK((constant.lower == 7 && constant.average == 7 && constant.upper == 7 && constant.shape == nullptr));

  const Distribution uniform = distribution_of(between(10, 20, views::UniformDistribution{}));
  CHECK((uniform.lower == 10 && uniform.average == 15 && uniform.upper == 20 && uniform.shape == nullptr));
  CHECK(distribution_of(between(10, 20, views::NoDistribution{})).shape == nullptr);

  using views::Sampling;
  const auto sampled = [](Sampling sampling) { return distribution_of(between(10, 20, views::Boundaries{sampling})); };
  CHECK(shape<CornerShape>(sampled(Sampling::best_case)).upper_probability == 0);
  CHECK(shape<CornerShape>(sampled(Sampling::worst_case)).upper_probability == 1);
  CHECK(shape<CornerShape>(sampled(Sampling::corner_case)).upper_probability == 0.5);
  shape<AverageShape>(sampled(Sampling::average_case));
  CHECK(sampled(Sampling::uniform).shape == nullptr);
  CHECK(sampled(Sampling::unstated).shape == nullptr);

  CHECK(shape<GaussShape>(distribution_of(between(0, 90, views::GaussDistribution<std::int64_t>{30.5, 2.5}))) ==
        GaussShape{30.5, 2.5});
  CHECK(shape<BetaShape>(distribution_of(between(0, 90, views::BetaDistribution{2, 3}))) == BetaShape{2, 3});
  CHECK(shape<WeibullShape>(distribution_of(between(0, 90, views::WeibullParameters{2, 30}))) == WeibullShape{2, 30});
  const views::Histogram<std::int64_t> histogram{{{10, 20, 3}, {40, 30, 1}}};
  CHECK(shape<HistogramShape>(distribution_of(Cycles{{}, {}, {}, histogram})) ==
        HistogramShape{{{10, 20, 3}, {30, 40, 1}}});
}

TEST_CASE("statistics keep their average") {
  const Distribution read = distribution_of(between(10, 110, views::Statistics<std::int64_t>{30}));
  double weight = 0, mean = 0;
  for (const auto& entry : shape<HistogramShape>(read).entries) {
    weight += entry.weight;
    mean += entry.weight * static_cast<double>(entry.lower + entry.upper) / 2;
  }
  CHECK(mean / weight == Approx(30));
}

TEST_CASE("a Weibull distribution by estimators has the average and the share above its upper bound") {
  for (const double promille : {0.5, 1.0, 10.0})
    for (const std::int64_t average : {1200, 1500, 2000}) {
      const auto read = shape<WeibullShape>(
          distribution_of(between(1000, 3000, views::WeibullEstimators<std::int64_t>{double(average), promille})));
      INFO(promille << " " << average << " " << read.shape);
      CHECK(read.scale * std::tgamma(1 + 1 / read.shape) == Approx(double(average - 1000)));
      CHECK(std::exp(-std::pow(2000 / read.scale, read.shape)) == Approx(promille / 1000).epsilon(1e-6));
    }
}

TEST_CASE("invalid parameters yield a uniform distribution and reversed bounds are swapped") {
  CHECK(distribution_of(between(0, 90, views::BetaDistribution{0, 3})).shape == nullptr);
  CHECK(distribution_of(between(0, 90, views::GaussDistribution<std::int64_t>{30, {}})).shape == nullptr);
  CHECK(distribution_of(between(50, 90, views::WeibullEstimators<std::int64_t>{20, 1})).shape == nullptr);
  const views::Histogram<std::int64_t> never{{{10, 20, 0}, {30, 40, -5}}};
  CHECK(distribution_of(Cycles{{}, {}, {}, never}).shape == nullptr);
  const Distribution wrong = distribution_of(between(90, 10, views::Statistics<std::int64_t>{200}));
  CHECK((wrong.lower == 10 && wrong.average == 90 && wrong.upper == 90));
}

TEST_CASE("times are read in picoseconds and reals in millionths") {
  const views::Deviation<Duration> time{
      {},
      Duration::nanoseconds(1),
      Duration::nanoseconds(9),
      views::GaussDistribution<Duration>{Duration::nanoseconds(4), Duration::nanoseconds(2)}};
  CHECK(shape<GaussShape>(distribution_of(time)) == GaussShape{4000, 2000});
  CHECK(distribution_of(time).upper == 9000);
  const auto real = distribution_in_millionths({{}, 0.5, 2.5, views::GaussDistribution<double>{1.5, 0.25}});
  CHECK((real.lower == 500'000 && real.average == 1'500'000 && real.upper == 2'500'000));
  CHECK(shape<GaussShape>(real) == GaussShape{1'500'000, 250'000});
}

TEST_CASE("a shifted distribution keeps its form") {
  const auto gauss =
      importer::detail::shifted(distribution_of(between(-30, 90, views::GaussDistribution<std::int64_t>{30, 5})), 30);
  CHECK((gauss.lower == 0 && gauss.average == 60 && gauss.upper == 120));
  CHECK(shape<GaussShape>(gauss) == GaussShape{60, 5});
  const views::Histogram<std::int64_t> entries{{{-10, 20, 3}}};
  CHECK(shape<HistogramShape>(importer::detail::shifted(distribution_of(Cycles{{}, {}, {}, entries}), 10)) ==
        HistogramShape{{{0, 30, 3}}});
}

}  // namespace building_distribution_test
