// SPDX-License-Identifier: Apache-2.0
#include "engine/results/statistics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include <boost/math/distributions/students_t.hpp>
#include <boost/multiprecision/cpp_int.hpp>

namespace amalthea::engine {
namespace {

/// Values below 2^(bits + 1) have separate buckets; above, each power of two has 2^bits buckets.
constexpr int bits = 10;

std::size_t bucket_of(std::int64_t value) {
  const auto unsigned_value = static_cast<std::uint64_t>(value);
  const int shift = std::max(0, static_cast<int>(std::bit_width(unsigned_value)) - bits - 1);
  return (static_cast<std::size_t>(shift) << bits) + static_cast<std::size_t>(unsigned_value >> shift);
}

/// The largest value of a bucket.
std::int64_t upper_end(std::size_t bucket) {
  const std::size_t shift = bucket < (std::size_t{2} << bits) ? 0 : (bucket >> bits) - 1;
  const std::uint64_t mantissa = bucket - (shift << bits);
  return static_cast<std::int64_t>(((mantissa + 1) << shift) - 1);
}

}  // namespace

Statistics summarise(std::vector<Duration> values) {
  Statistics statistics;
  statistics.jobs = values.size();
  if (values.empty()) return statistics;
  std::sort(values.begin(), values.end());
  statistics.min = values.front();
  statistics.max = values.back();
  detail::Int128 sum = 0;
  for (const Duration value : values) sum += value.picoseconds();
  const auto count = static_cast<detail::Int128>(values.size());
  statistics.mean = Duration::picoseconds(detail::divide(sum, count, Rounding::nearest));
  const std::size_t rank = (values.size() * 99 + 99) / 100;  // ceil(0.99 n), counted from 1
  statistics.p99 = values[rank - 1];
  return statistics;
}

void Moments::add(Duration value) {
  const auto number = static_cast<detail::UInt128>(value.picoseconds());
  ++count_;
  sum_ += number;
  squares_ += number * number;
  if (squares_ < number * number) ++squares_carried_;
}

void Moments::add(const Moments& other) {
  count_ += other.count_;
  sum_ += other.sum_;
  squares_ += other.squares_;
  squares_carried_ += other.squares_carried_ + (squares_ < other.squares_ ? 1 : 0);
}

Duration Moments::mean() const {
  return Duration::picoseconds(
      detail::divide(static_cast<detail::Int128>(sum_), static_cast<detail::Int128>(count_), Rounding::nearest));
}

double Moments::standard_deviation() const {
  if (count_ < 2) return 0;
  using Integer = boost::multiprecision::cpp_int;
  const auto words = this->words();
  const Integer sum = (Integer(words[1]) << 64) + words[2];
  const Integer squares = (((Integer(words[3]) << 64) + words[4]) << 64) + words[5];
  const Integer spread = squares * count_ - sum * sum;
  const double n = static_cast<double>(count_);
  return std::sqrt(spread.convert_to<double>() / n / (n - 1));
}

Moments::Words Moments::words() const {
  const auto upper = [](detail::UInt128 value) { return static_cast<std::uint64_t>(value >> 64U); };
  const auto lower = [](detail::UInt128 value) { return static_cast<std::uint64_t>(value); };
  return {count_, upper(sum_), lower(sum_), squares_carried_, upper(squares_), lower(squares_)};
}

Moments Moments::of(const Words& words) {
  const auto joined = [](std::uint64_t upper, std::uint64_t lower) {
    return (static_cast<detail::UInt128>(upper) << 64U) | lower;
  };
  Moments moments;
  moments.count_ = words[0];
  moments.sum_ = joined(words[1], words[2]);
  moments.squares_carried_ = words[3];
  moments.squares_ = joined(words[4], words[5]);
  return moments;
}

void Sample::add(Duration value) {
  min_ = count() == 0 ? value : std::min(min_, value);
  max_ = count() == 0 ? value : std::max(max_, value);
  moments_.add(value);
  if (!exact()) {
    put(value);
    return;
  }
  values_.push_back(value.picoseconds());
  if (values_.size() > kept_) count_kept();
}

void Sample::add(const Sample& other) {
  if (other.count() == 0) return;
  min_ = count() == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = count() == 0 ? other.max_ : std::max(max_, other.max_);
  moments_.add(other.moments_);
  if (exact() && other.exact() && values_.size() + other.values_.size() <= kept_) {
    values_.insert(values_.end(), other.values_.begin(), other.values_.end());
    return;
  }
  count_kept();
  for (const std::int64_t value : other.values_) put(Duration::picoseconds(value));
  if (other.counts_.empty()) return;
  cover(other.first_);
  cover(other.first_ + other.counts_.size() - 1);
  for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[other.first_ - first_ + i] += other.counts_[i];
}

Sample::State Sample::state() const {
  State state{moments_.words(), min_, max_, values_, counts_};
  state.counts.insert(state.counts.begin(), counts_.empty() ? 0 : first_, 0);
  return state;
}

namespace {

/// Whether all values of a sample, and their moments, are within its least and greatest one.
bool is_consistent(const Sample::State& state, const Moments& moments) {
  const std::uint64_t count = moments.count();
  if (count == 0) return state.values.empty() && state.counts.empty() && moments.words() == Moments::Words{};
  const std::int64_t min = state.min.picoseconds(), max = state.max.picoseconds();
  constexpr std::int64_t longest = std::int64_t{1} << 62;
  if (min < 0 || max < min || max > longest) return false;
  const detail::UInt128 sum = (static_cast<detail::UInt128>(state.moments[1]) << 64U) | state.moments[2];
  if (sum < static_cast<detail::UInt128>(min) * count || sum > static_cast<detail::UInt128>(max) * count) return false;
  const double range = static_cast<double>(max - min);
  if (!(moments.standard_deviation() <= range * 1.001 + 1)) return false;
  if (state.counts.empty())
    return state.values.size() == count &&
           std::all_of(state.values.begin(), state.values.end(),
                       [&](std::int64_t value) { return value >= min && value <= max; });
  std::uint64_t left = count;
  for (std::size_t bucket = 0; bucket < state.counts.size(); ++bucket) {
    const std::uint64_t here = state.counts[bucket];
    if (here > 0 && (here > left || bucket < bucket_of(min) || bucket > bucket_of(max))) return false;
    left -= here;
  }
  return left == 0 && state.values.empty();
}

}  // namespace

Sample Sample::of(State state) {
  if (!is_consistent(state, Moments::of(state.moments))) throw std::out_of_range("state of a sample");
  Sample sample;
  sample.moments_ = Moments::of(state.moments);
  sample.min_ = state.min;
  sample.max_ = state.max;
  sample.values_ = std::move(state.values);
  sample.counts_ = std::move(state.counts);
  return sample;
}

void Sample::count_kept() {
  for (const std::int64_t kept : values_) put(Duration::picoseconds(kept));
  values_ = {};
}

void Sample::put(Duration value) {
  const std::size_t bucket = bucket_of(value.picoseconds());
  cover(bucket);
  ++counts_[bucket - first_];
}

void Sample::cover(std::size_t bucket) {
  if (counts_.empty()) first_ = bucket;
  if (bucket < first_) {
    counts_.insert(counts_.begin(), first_ - bucket, 0);
    first_ = bucket;
  }
  if (bucket - first_ >= counts_.size()) counts_.resize(bucket - first_ + 1);
}

Duration Sample::standard_deviation() const {
  return Duration::picoseconds(std::llround(moments_.standard_deviation()));
}

template <typename Visit>
void Sample::for_each(Visit visit) const {
  if (exact()) {
    std::vector<std::int64_t> sorted = values_;
    std::sort(sorted.begin(), sorted.end());
    for (const std::int64_t value : sorted) visit(Duration::picoseconds(value), std::uint64_t{1});
    return;
  }
  for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket)
    if (counts_[bucket] > 0) visit(std::min(Duration::picoseconds(upper_end(first_ + bucket)), max_), counts_[bucket]);
}

Duration Sample::percentile(std::int64_t thousandths) const {
  const auto rank = static_cast<std::uint64_t>(
      detail::divide(static_cast<detail::Int128>(count()) * thousandths, 1000, Rounding::up));
  Duration found = max_;
  std::uint64_t passed = 0;
  for_each([&](Duration value, std::uint64_t count) {
    if (passed < rank && passed + count >= rank) found = value;
    passed += count;
  });
  return found;
}

std::vector<Sample::Bin> Sample::bins(std::int64_t most) const {
  const std::int64_t least = min_.picoseconds();
  const std::int64_t width = std::max<std::int64_t>(1, detail::divide(max_.picoseconds() - least, most, Rounding::up));
  std::vector<Bin> bins;
  for (std::int64_t lower = least; bins.empty() || lower < max_.picoseconds(); lower += width)
    bins.push_back(
        {Duration::picoseconds(lower), Duration::picoseconds(std::min(lower + width, max_.picoseconds())), 0});
  for_each([&](Duration value, std::uint64_t count) {
    const std::int64_t behind = std::max<std::int64_t>(0, value.picoseconds() - least - 1) / width;
    bins[static_cast<std::size_t>(behind)].count += count;
  });
  return bins;
}

std::vector<std::pair<Duration, std::uint64_t>> Sample::counts() const {
  std::vector<std::pair<Duration, std::uint64_t>> all;
  for_each([&](Duration value, std::uint64_t count) {
    if (!all.empty() && all.back().first == value)
      all.back().second += count;
    else
      all.emplace_back(value, count);
  });
  return all;
}

double kolmogorov_distance(const Sample& a, const Sample& b) {
  const auto left = a.counts(), right = b.counts();
  double share_a = 0, share_b = 0, farthest = 0;
  for (auto at = left.begin(), of = right.begin(); at != left.end() || of != right.end();) {
    const Duration next = of == right.end() || (at != left.end() && at->first < of->first) ? at->first : of->first;
    for (; at != left.end() && at->first == next; ++at)
      share_a += static_cast<double>(at->second) / static_cast<double>(a.count());
    for (; of != right.end() && of->first == next; ++of)
      share_b += static_cast<double>(of->second) / static_cast<double>(b.count());
    farthest = std::max(farthest, std::abs(share_a - share_b));
  }
  return farthest;
}

Share wilson_interval(std::uint64_t hits, std::uint64_t trials) {
  constexpr double z = 1.959963984540054;  // 97.5 % of the normal distribution
  const double n = static_cast<double>(trials);
  const double p = static_cast<double>(hits) / n;
  const double middle = p + z * z / (2 * n);
  const double half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  const double whole = 1 + z * z / n;
  return {p, hits == 0 ? 0 : (middle - half) / whole, hits == trials ? 1 : (middle + half) / whole};
}

double RunMeans::half_width() const {
  const double n = static_cast<double>(runs());
  const double t = boost::math::quantile(boost::math::students_t(n - 1), 0.975);
  return t * moments_.standard_deviation() / std::sqrt(n);
}

}  // namespace amalthea::engine
