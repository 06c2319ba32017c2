// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/tx2_measurements.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace amalthea::engine::nvidia {
namespace {

using Kind = CpuTrafficKind;

constexpr std::int64_t kib = 1024;
constexpr CpuTraffic idle_cpus{};
constexpr CpuTraffic random_cpus{Kind::random, 5};
constexpr CpuTraffic sequential_cpus{Kind::sequential, 5};

std::string_view name_of(const CpuTraffic& cpu) {
  return cpu.kind == Kind::none ? "" : cpu.kind == Kind::random ? ", CPUs random" : ", CPUs sequential";
}

MemoryKernel walk(AccessPattern pattern, std::int64_t footprint_kib, std::int64_t threads = 1,
                  std::int64_t blocks = 1) {
  MemoryKernel kernel;
  kernel.pattern = pattern;
  kernel.footprint = footprint_kib * kib;
  kernel.threads = threads;
  kernel.blocks = blocks;
  return kernel;
}

MemoryKernel zero_copy(MemoryKernel kernel) {
  kernel.location = MemoryLocation::zero_copy;
  return kernel;
}

MemoryKernel bulk(double own_us, double load_path_us, double memory_path_us, std::int64_t threads,
                  std::int64_t blocks) {
  constexpr double mhz = 1300.5;
  MemoryKernel kernel;
  kernel.pattern = AccessPattern::bulk;
  kernel.own_cycles = own_us * mhz;
  kernel.load_path_cycles = load_path_us * mhz;
  kernel.memory_path_cycles = memory_path_us * mhz;
  kernel.threads = threads;
  kernel.blocks = blocks;
  return kernel;
}

/// A 2D convolution of 1026 x 1022 floats. Its demand for the memory path is 530 us in both forms. The plain form uses
/// the load paths of the SMs for 919 us in total; the tiled form (PREM) has 2935 us of work in shared memory and of
/// waiting. Fitted to the 1- and 4-kernel rows.
constexpr double convolution_memory_us = 530;
MemoryKernel plain_convolution(std::int64_t threads, std::int64_t blocks) {
  return bulk(0, 919, convolution_memory_us, threads, blocks);
}
MemoryKernel tiled_convolution(std::int64_t blocks) { return bulk(2935, 0, convolution_memory_us, 512, blocks); }

class Rows {
 public:
  std::vector<Measurement> take() { return std::move(rows_); }

  void section(std::string_view id) { section_ = id; }

  Measurement& add(std::string label, const MemoryKernel& kernel, std::int64_t kernels, const CpuTraffic& cpu,
                   double measured, MeasuredQuantity quantity = MeasuredQuantity::cycles) {
    Measurement row;
    row.section = section_;
    row.label = std::move(label);
    row.kernel = kernel;
    if (kernels > 1) row.others.push_back({kernel, kernels - 1});
    row.cpu = cpu;
    row.quantity = quantity;
    row.measured = measured;
    rows_.push_back(std::move(row));
    return rows_.back();
  }

 private:
  std::string_view section_;
  std::vector<Measurement> rows_;
};

void one_thread_beside_cpus(Rows& rows) {
  rows.section("1a");
  struct Line {
    std::string_view what;
    AccessPattern pattern;
    bool zero_copy;
    std::int64_t size;
    double none, random, sequential;
  };
  constexpr auto sequential = AccessPattern::sequential;
  constexpr auto random = AccessPattern::random;
  // If a range of sizes has one figure, both ends stand for it; for two figures the mean.
  for (const Line& line :
       {Line{"random", random, false, 1, 161, 161, 161}, Line{"random", random, false, 512, 161, 161, 161},
        Line{"sequential", sequential, false, 1, 161, 161, 161},
        Line{"sequential", sequential, false, 512, 161, 161, 161}, Line{"random", random, false, 576, 222, 213, 234},
        Line{"random", random, false, 640, 255, 249, 282}, Line{"random", random, false, 1024, 341, 341, 407},
        Line{"random", random, false, 1499, 380, 382, 461}, Line{"sequential", sequential, false, 576, 184, 183, 193},
        Line{"sequential", sequential, false, 1499, 184, 183, 193},
        Line{"random zero-copy", random, true, 1, 515, 521, 662},
        Line{"random zero-copy", random, true, 512, 515, 521, 662},
        Line{"random zero-copy", random, true, 1024, 539, 543, 690},
        Line{"random zero-copy", random, true, 1499, 546, 549, 692},
        Line{"sequential zero-copy", sequential, true, 1, 511.5, 522.5, 655},
        Line{"sequential zero-copy", sequential, true, 1499, 511.5, 522.5, 655}}) {
    MemoryKernel kernel = walk(line.pattern, line.size);
    if (line.zero_copy) kernel = zero_copy(kernel);
    for (const auto& [cpu, measured] : {std::pair{idle_cpus, line.none}, std::pair{random_cpus, line.random},
                                        std::pair{sequential_cpus, line.sequential}})
      rows.add(fmt::format("{}, {} KB{}", line.what, line.size, name_of(cpu)), kernel, 1, cpu, measured);
  }
  for (const auto& [size, measured] :
       {std::pair{515, 163.0}, std::pair{527, 169.0}, std::pair{545, 173.0}, std::pair{557, 180.0}})
    rows.add(fmt::format("sequential, {} KB", size), walk(sequential, size), 1, idle_cpus, measured);
}

void convolutions(Rows& rows) {
  rows.section("2a");
  constexpr auto us = MeasuredQuantity::microseconds;
  const MemoryKernel plain = plain_convolution(512, 2);
  rows.add("plain, 1 block of 1024 threads", plain_convolution(1024, 1), 1, idle_cpus, 1006.4, us);
  rows.add("plain, 1 kernel of 2 blocks", plain, 1, idle_cpus, 656.2, us);
  rows.add("plain, 4 kernels of 2 blocks", plain, 4, idle_cpus, 2656, us);
  rows.add("plain, 4 kernels of 2 blocks against 1", plain, 4, idle_cpus, 4.05, MeasuredQuantity::slowdown);
  rows.add("plain, 1 kernel of 2 blocks, synchronous start", plain, 1, idle_cpus, 657.4, us);
  rows.add("plain, 4 kernels of 2 blocks, synchronous start", plain, 4, idle_cpus, 2673, us);
  rows.add("plain, 4 kernels against 1, synchronous start", plain, 4, idle_cpus, 4.07, MeasuredQuantity::slowdown);
  rows.add("tiled, 1 kernel of 2 blocks", tiled_convolution(2), 1, idle_cpus, 1512, us);
  rows.add("tiled, 4 kernels of 2 blocks", tiled_convolution(2), 4, idle_cpus, 2399, us);
  rows.add("tiled, 4 kernels of 2 blocks against 1", tiled_convolution(2), 4, idle_cpus, 1.59,
           MeasuredQuantity::slowdown);
  rows.add("tiled, 1 kernel of 1 block", tiled_convolution(1), 1, idle_cpus, 2951, us);
  rows.add("tiled, 2 kernels of 1 block", tiled_convolution(1), 2, idle_cpus, 2988, us);
  rows.add("tiled, 4 kernels of 1 block", tiled_convolution(1), 4, idle_cpus, 3490.5, us);
}

void random_walks_together(Rows& rows) {
  rows.section("2b");
  struct Line {
    std::int64_t size;
    std::vector<double> measured;
  };
  const std::vector<std::int64_t> kernels = {1, 2, 3, 4, 5, 6, 8, 12, 16};
  for (const Line& line : {Line{128, {163, 164, 163, 164.5, 275, 323, 378, 447, 468}},
                           Line{256, {163, 165, 288, 357.5, 399, 413, 431, 474, 490}},
                           Line{512, {164, 335, 371, 410.5, 438, 443, 453, 486, 499}}})
    for (std::size_t i = 0; i < kernels.size(); ++i)
      rows.add(fmt::format("{} kernels of {} KB", kernels[i], line.size), walk(AccessPattern::random, line.size),
               kernels[i], idle_cpus, line.measured[i]);
}

void random_lanes_together(Rows& rows) {
  rows.section("2b lanes");
  struct Line {
    std::int64_t threads, kernels, size;
    double measured;
  };
  for (const Line& line :
       {Line{32, 1, 128, 223}, Line{32, 4, 128, 223}, Line{32, 5, 128, 593}, Line{32, 8, 128, 662},
        Line{32, 12, 128, 752}, Line{32, 16, 128, 873}, Line{128, 1, 128, 223}, Line{128, 4, 128, 223},
        Line{128, 5, 128, 661}, Line{128, 8, 128, 1231}, Line{128, 12, 128, 2358}, Line{128, 16, 128, 4124},
        Line{128, 16, 256, 6276}, Line{128, 16, 512, 6227}})
    rows.add(fmt::format("{} threads, {} kernels of {} KB", line.threads, line.kernels, line.size),
             walk(AccessPattern::random, line.size, line.threads), line.kernels, idle_cpus, line.measured);
}

void coalesced_walks_together(Rows& rows) {
  rows.section("2c");
  struct Line {
    std::int64_t threads;
    CpuTraffic cpu;
    double within;                 ///< four kernels of 128 KB
    std::vector<double> measured;  ///< 2, 4, 8, 12, 16 kernels that do not fit
  };
  const std::vector<std::int64_t> kernels = {2, 4, 8, 12, 16};
  for (const Line& line :
       {Line{32, idle_cpus, 172.5, {540, 534, 534, 534, 537}}, Line{32, random_cpus, 172.5, {544, 549, 553, 556, 563}},
        Line{32, sequential_cpus, 173, {690, 723, 753, 780, 808}}, Line{128, idle_cpus, 173, {551, 555, 567, 585, 606}},
        Line{128, random_cpus, 172.5, {562, 573, 592, 632, 671}}}) {
    rows.add(fmt::format("{} threads, 4 kernels of 128 KB{}", line.threads, name_of(line.cpu)),
             walk(AccessPattern::sequential, 128, line.threads), 4, line.cpu, line.within);
    for (std::size_t i = 0; i < kernels.size(); ++i)
      rows.add(fmt::format("{} threads, {} kernels of 512 KB{}", line.threads, kernels[i], name_of(line.cpu)),
               walk(AccessPattern::sequential, 512, line.threads), kernels[i], line.cpu, line.measured[i]);
  }
  for (const auto& [threads, measured] : {std::pair{32, 1.50}, std::pair{128, 1.85}})
    rows.add(fmt::format("{} threads, 16 kernels of 512 KB, CPUs sequential against none", threads),
             walk(AccessPattern::sequential, 512, threads), 16, sequential_cpus, measured,
             MeasuredQuantity::cpu_slowdown);
}

void limit_of_the_l2(Rows& rows) {
  rows.section("2c limit");
  struct Line {
    std::int64_t kernels, size;
    double measured;
  };
  for (const Line& line : {Line{4, 128, 176}, Line{5, 128, 300}, Line{6, 128, 533}, Line{2, 256, 173.5},
                           Line{3, 256, 534}, Line{1, 512, 175}, Line{2, 512, 540}})
    rows.add(fmt::format("32 threads, {} kernels of {} KB", line.kernels, line.size),
             walk(AccessPattern::sequential, line.size, 32), line.kernels, idle_cpus, line.measured);
}

void sequential_walks_of_one_thread(Rows& rows) {
  rows.section("2c one thread");
  struct Line {
    CpuTraffic cpu;
    double fetched;  ///< bytes per miss: the measurements without CPU traffic miss twice as often as the others
    double within, beyond, sixteen;
  };
  // Ranges are represented by their mean.
  for (const Line& line : {Line{idle_cpus, 32, 162, 208, 241}, Line{random_cpus, 64, 163, 186.5, 214},
                           Line{sequential_cpus, 64, 163, 197, 250.5}}) {
    struct Case {
      std::int64_t kernels, size;
      double measured;
    };
    for (const Case& c : {Case{4, 128, line.within}, Case{3, 256, line.beyond}, Case{8, 256, line.beyond},
                          Case{16, 128, line.sixteen}}) {
      MemoryKernel kernel = walk(AccessPattern::sequential, c.size);
      kernel.fetched_bytes = line.fetched;
      rows.add(fmt::format("{} kernels of {} KB{}", c.kernels, c.size, name_of(line.cpu)), kernel, c.kernels, line.cpu,
               c.measured);
    }
  }
}

void coalesced_within_the_l2(Rows& rows) {
  rows.section("2d coalesced");
  for (const auto& [warps, measured] :
       {std::pair{4, 172.5}, std::pair{16, 172.5}, std::pair{28, 176.0}, std::pair{32, 177.0}, std::pair{40, 184.0},
        std::pair{48, 196.0}, std::pair{56, 222.0}, std::pair{64, 249.0}})
    rows.add(fmt::format("{} warps per SM", warps), walk(AccessPattern::sequential, 48, 128, warps / 2), 1, idle_cpus,
             measured);
  // 20 blocks of 256 threads: 16 fill both SMs, the rest form a second wave.
  rows.add("20 blocks of 256 threads: first wave", walk(AccessPattern::sequential, 48, 256, 20), 1, idle_cpus, 250);
  rows.add("20 blocks of 256 threads: second wave", walk(AccessPattern::sequential, 48, 256, 4), 1, idle_cpus, 173);
  rows.add("one block of 1023 threads", walk(AccessPattern::sequential, 256, 1023), 1, idle_cpus, 158.5).hit_of_build =
      158.5;
}

void random_within_the_l2(Rows& rows) {
  rows.section("2d random");
  for (const auto& [threads, measured] :
       {std::pair{1, 162.3}, std::pair{16, 190.2}, std::pair{32, 220.1}, std::pair{128, 224.5}, std::pair{384, 342.0},
        std::pair{512, 461.0}, std::pair{768, 700.0}, std::pair{1000, 932.0}})
    rows.add(fmt::format("one block of {} threads", threads), walk(AccessPattern::random, 256, threads), 1, idle_cpus,
             measured);
  for (const auto& [blocks, measured] :
       {std::pair{1, 220.0}, std::pair{11, 227.0}, std::pair{16, 254.0}, std::pair{24, 384.0}, std::pair{32, 513.0}})
    rows.add(fmt::format("{} blocks of 32 threads", blocks), walk(AccessPattern::random, 256, 32, blocks), 1, idle_cpus,
             measured);
}

void beyond_the_l2(Rows& rows) {
  rows.section("2d plateaus");
  for (const auto& [size, measured] :
       {std::pair{256, 148.0}, std::pair{512, 148.0}, std::pair{520, 161.0}, std::pair{560, 197.0},
        std::pair{640, 239.0}, std::pair{768, 282.0}, std::pair{1024, 327.0}, std::pair{1499, 366.0}})
    rows.add(fmt::format("random, {} KB", size), walk(AccessPattern::random, size), 1, idle_cpus, measured)
        .hit_of_build = 148;
  for (const auto& [size, measured] : {std::pair{512, 171.0}, std::pair{520, 176.0}, std::pair{560, 192.0},
                                       std::pair{640, 195.0}, std::pair{1499, 195.0}})
    rows.add(fmt::format("sequential, {} KB", size), walk(AccessPattern::sequential, size), 1, idle_cpus, measured)
        .hit_of_build = 171;
}

}  // namespace

std::string_view unit_of(MeasuredQuantity quantity) {
  switch (quantity) {
    case MeasuredQuantity::cycles:
      return "cycles";
    case MeasuredQuantity::microseconds:
      return "us";
    case MeasuredQuantity::slowdown:
    case MeasuredQuantity::cpu_slowdown:
      return "times";
  }
  return "";
}

const std::vector<MeasuredSection>& tx2_measured_sections() {
  static const std::vector<MeasuredSection> sections = {
      {"1a", "a walk of one thread beside CPU traffic", "cpu-inter-random-walk, cpu-inter-sequential-walk"},
      {"2a", "2D convolutions beside each other", "prem-2dconvolution"},
      {"2b", "random walks of one thread beside each other", "random-walk-multikernel, with barrier"},
      {"2b lanes", "random walks of warps beside each other", "random-walk-multikernel, without barrier"},
      {"2c", "coalesced walks beside each other and CPU traffic",
       "sequential-walk-multikernel, cpu-inter-sequential-walk-multikernel"},
      {"2c limit", "coalesced walks at the limit of the L2", "sequential-walk-multikernel"},
      {"2c one thread", "sequential walks of one thread beside each other and CPU traffic",
       "sequential-walk-multikernel, cpu-inter-sequential-walk-multikernel"},
      {"2d coalesced", "coalesced walks within the L2, by warps", "cpu-inter-sequential-walk-multiblock"},
      {"2d random", "random walks within the L2, by lanes", "random-walk-multithread, random-walk-multiblock"},
      {"2d plateaus", "walks of one thread by size, other loops", "random-walk, sequential-walk"},
  };
  return sections;
}

const std::vector<Measurement>& tx2_measurements() {
  static const std::vector<Measurement> measurements = [] {
    Rows rows;
    one_thread_beside_cpus(rows);
    convolutions(rows);
    random_walks_together(rows);
    random_lanes_together(rows);
    coalesced_walks_together(rows);
    limit_of_the_l2(rows);
    sequential_walks_of_one_thread(rows);
    coalesced_within_the_l2(rows);
    random_within_the_l2(rows);
    beyond_the_l2(rows);
    return rows.take();
  }();
  return measurements;
}

tl::expected<std::vector<ComparedMeasurement>, std::string> compare_with_measurements(
    const MemoryParameters& parameters, const SmLimits& limits) {
  std::vector<ComparedMeasurement> compared;
  for (const Measurement& row : tx2_measurements()) {
    const auto prediction = predict_interference(parameters, limits, row.kernel, row.others, row.cpu);
    if (!prediction) return tl::unexpected(fmt::format("{}, {}: {}", row.section, row.label, prediction.error()));
    double predicted = prediction->beside_cycles;
    switch (row.quantity) {
      case MeasuredQuantity::cycles:
        if (row.hit_of_build) predicted += *row.hit_of_build - prediction->parts.front().cycles;
        break;
      case MeasuredQuantity::microseconds:
        predicted /= parameters.clock_mhz;
        break;
      case MeasuredQuantity::slowdown:
        predicted = prediction->memory_slowdown;
        break;
      case MeasuredQuantity::cpu_slowdown: {
        const auto quiet = predict_interference(parameters, limits, row.kernel, row.others, {});
        if (!quiet) return tl::unexpected(quiet.error());
        predicted /= quiet->beside_cycles;
        break;
      }
    }
    compared.push_back({row, predicted});
  }
  return compared;
}

ErrorSummary summarise_errors(const std::vector<ComparedMeasurement>& rows, std::string_view section) {
  std::vector<double> errors;
  for (const ComparedMeasurement& row : rows)
    if (section.empty() || row.measurement.section == section) errors.push_back(std::abs(row.error_percent()));
  if (errors.empty()) return {};
  std::sort(errors.begin(), errors.end());
  const std::size_t half = errors.size() / 2;
  const double median = errors.size() % 2 == 1 ? errors[half] : (errors[half - 1] + errors[half]) / 2;
  return {errors.size(), median, errors.back()};
}

}  // namespace amalthea::engine::nvidia
