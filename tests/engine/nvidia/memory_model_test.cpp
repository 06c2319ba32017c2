// SPDX-License-Identifier: Apache-2.0
// The cost of memory for a kernel beside others on a Jetson TX2: the model compared with measurements, and its general
// properties. The measured figures are in engine/nvidia/tx2_measurements.cpp, the parameters in the profile.

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/gpu/device_profile.hpp"
#include "engine/nvidia/memory_model.hpp"
#include "engine/nvidia/tx2_measurements.hpp"
#include "tests/support/test_models.hpp"

namespace nvidia_memory_model_test {

namespace {

using namespace amalthea;
using namespace amalthea::engine;
using nvidia::AccessPattern;
using nvidia::CpuTraffic;
using nvidia::CpuTrafficKind;
using nvidia::InterferenceCause;
using nvidia::InterferencePrediction;
using nvidia::MemoryKernel;
using nvidia::MemoryKernels;
using nvidia::MemoryLocation;

constexpr CpuTraffic idle{};
constexpr CpuTraffic random_cpus{CpuTrafficKind::random, 5};
constexpr CpuTraffic sequential_cpus{CpuTrafficKind::sequential, 5};

const DeviceProfile& tx2() { return *find_profile("tx2"); }

MemoryKernel walk(AccessPattern pattern, std::int64_t kib, std::int64_t threads = 1, std::int64_t blocks = 1) {
  MemoryKernel kernel;
  kernel.pattern = pattern;
  kernel.footprint = kib * 1024;
  kernel.threads = threads;
  kernel.blocks = blocks;
  return kernel;
}

MemoryKernel zero_copy(MemoryKernel kernel) {
  kernel.location = MemoryLocation::zero_copy;
  return kernel;
}

MemoryKernel bulk(double own, double load_path, double memory_path, std::int64_t threads, std::int64_t blocks) {
  MemoryKernel kernel;
  kernel.pattern = AccessPattern::bulk;
  kernel.own_cycles = own;
  kernel.load_path_cycles = load_path;
  kernel.memory_path_cycles = memory_path;
  kernel.threads = threads;
  kernel.blocks = blocks;
  return kernel;
}

tl::expected<InterferencePrediction, std::string> try_predict(const MemoryKernel& kernel,
                                                              const std::vector<MemoryKernels>& others = {},
                                                              const CpuTraffic& cpu = idle) {
  return nvidia::predict_interference(*tx2().measured_memory, *tx2().multiprocessors, kernel, others, cpu);
}

InterferencePrediction predict(const MemoryKernel& kernel, const std::vector<MemoryKernels>& others = {},
                               const CpuTraffic& cpu = idle) {
  const auto prediction = try_predict(kernel, others, cpu);
  REQUIRE(prediction);
  return *prediction;
}

/// Cycles of one of `count` equal kernels.
double together(const MemoryKernel& kernel, std::int64_t count, const CpuTraffic& cpu = idle) {
  return predict(kernel, {{kernel, count - 1}}, cpu).beside_cycles;
}

std::string error_of(const MemoryKernel& kernel, const std::vector<MemoryKernels>& others = {},
                     const CpuTraffic& cpu = idle) {
  const auto prediction = try_predict(kernel, others, cpu);
  REQUIRE(!prediction);
  return prediction.error();
}

}  // namespace

TEST_CASE("memory model: the median error of every section is within 4 % and no row exceeds 14 %") {
  const auto rows = nvidia::compare_with_measurements(*tx2().measured_memory, *tx2().multiprocessors);
  REQUIRE(rows);
  CHECK(rows->size() == 194);
  std::size_t counted = 0;
  for (const auto& section : nvidia::tx2_measured_sections()) {
    INFO(section.id);
    const auto errors = nvidia::summarise_errors(*rows, section.id);
    CHECK(errors.rows > 0);
    CHECK(errors.median_percent <= 4);
    counted += errors.rows;
  }
  CHECK(counted == rows->size());
  const auto all = nvidia::summarise_errors(*rows);
  CHECK(all.median_percent <= 1);
  CHECK(all.max_percent <= 14);
  std::size_t beyond = 0;  // one row: 16 one-warp blocks of random lanes within the L2
  for (const auto& row : *rows)
    if (std::abs(row.error_percent()) > 10) ++beyond;
  CHECK(beyond == 1);
}

TEST_CASE("memory model: it agrees with fits of single experiments between the measured points") {
  // Random walk of one thread by size (KB) and CPU traffic: 161 + D (1 - (C / s)^a), largest residual 12 cycles.
  for (int size = 530; size <= 1499; size += 7) {
    INFO(size);
    const MemoryKernel kernel = walk(AccessPattern::random, size);
    const auto law = [&](double d, double c, double a) { return 161 + d * (1 - std::pow(c / size, a)); };
    CHECK(predict(kernel).beside_cycles == Approx(law(256, 496, 1.7)).epsilon(0.08));
    CHECK(predict(kernel, {}, random_cpus).beside_cycles == Approx(law(261, 508, 1.7)).epsilon(0.05));
    CHECK(predict(kernel, {}, sequential_cpus).beside_cycles == Approx(law(347, 508, 1.8)).epsilon(0.05));
  }
  for (std::int64_t kernels = 2; kernels <= 16; ++kernels) {
    INFO(kernels);
    const auto k = static_cast<double>(kernels);
    const MemoryKernel warp = walk(AccessPattern::sequential, 512, 32);
    CHECK(together(warp, kernels) == Approx(533 + 0.12 * k).epsilon(0.02));
    CHECK(together(warp, kernels, random_cpus) == Approx(543 + 1.21 * k).epsilon(0.02));
    CHECK(together(warp, kernels, sequential_cpus) == Approx(687 + 8.39 * k).epsilon(0.06));
    const MemoryKernel warps = walk(AccessPattern::sequential, 512, 128);
    CHECK(together(warps, kernels) == Approx(534 + 4.31 * k).epsilon(0.03));
    CHECK(together(warps, kernels, random_cpus) == Approx(532 + 8.72 * k).epsilon(0.05));
  }
  // Coalesced walks within the L2, w warps on each SM.
  for (std::int64_t w = 1; w <= 64; ++w) {
    INFO(w);
    const double law = std::pow(std::pow(171.8, 6) + std::pow(3.80 * static_cast<double>(w), 6), 1.0 / 6);
    const MemoryKernel kernel =
        w <= 32 ? walk(AccessPattern::sequential, 48, 32, 2 * w) : walk(AccessPattern::sequential, 48, 16 * w, 4);
    if (w <= 32 || w % 2 == 0) CHECK(predict(kernel).beside_cycles == Approx(law).epsilon(0.01));
  }
  // Lanes of a block at random elements of a small array share sectors: cycles per further lane by size in KB.
  for (const auto& [size, slope] : {std::pair{1, 0.644}, std::pair{16, 0.893}, std::pair{256, 0.933}}) {
    INFO(size);
    const double many = predict(walk(AccessPattern::random, size, 992)).beside_cycles;
    const double fewer = predict(walk(AccessPattern::random, size, 672)).beside_cycles;
    CHECK((many - fewer) / 320 == Approx(slope).epsilon(0.1));
  }
}

TEST_CASE("memory model: kernels that fit the L2 together are not slowed down whatever the CPUs do") {
  for (const AccessPattern pattern : {AccessPattern::sequential, AccessPattern::random})
    for (const std::int64_t threads : {1, 32, 128})
      for (std::int64_t kernels = 1; kernels <= (threads == 128 ? 4 : 16); ++kernels)
        for (const std::int64_t size : {std::int64_t{1}, 512 / kernels})
          for (const CpuTraffic& cpu : {idle, random_cpus, sequential_cpus}) {
            INFO(static_cast<int>(pattern) << " " << threads << " threads, " << kernels << " x " << size << " KB");
            const MemoryKernel kernel = walk(pattern, size, threads);
            const auto prediction = predict(kernel, {{kernel, kernels - 1}}, cpu);
            CHECK(prediction.slowdown == 1.0);
            CHECK(prediction.beside_cycles == predict(kernel).alone_cycles);
            CHECK(prediction.parts.size() == 4);
          }
  // Sharp from below: 512 KiB is within, one element more is not.
  MemoryKernel kernel = walk(AccessPattern::random, 256);
  CHECK(predict(kernel, {{kernel, 1}}, sequential_cpus).slowdown == 1.0);
  MemoryKernel larger = kernel;
  larger.footprint += 4;
  CHECK(predict(kernel, {{larger, 1}}, sequential_cpus).slowdown > 1.0);
}

TEST_CASE("memory model: zero-copy memory is never cached and uses no L2") {
  for (const std::int64_t size : {1, 64, 512, 1499, 100'000}) {
    const double cycles = predict(zero_copy(walk(AccessPattern::sequential, size))).beside_cycles;
    CHECK(cycles == Approx(512).epsilon(0.01));
    CHECK(cycles == predict(zero_copy(walk(AccessPattern::sequential, 1))).beside_cycles);
  }
  CHECK(predict(zero_copy(walk(AccessPattern::random, 1))).beside_cycles == Approx(515).epsilon(0.01));
  const MemoryKernel victim = walk(AccessPattern::random, 512);
  const auto prediction = predict(victim, {{zero_copy(walk(AccessPattern::sequential, 4096, 32)), 8}});
  CHECK(prediction.slowdown == 1.0);
  CHECK(prediction.shared_footprint == 512 * 1024);
}

TEST_CASE("memory model: more footprint or kernels or CPU cores never speed anything up and nothing jumps") {
  for (const AccessPattern pattern : {AccessPattern::sequential, AccessPattern::random})
    for (const std::int64_t threads : {1, 32, 256})
      for (const CpuTraffic& cpu : {idle, sequential_cpus}) {
        double before = 0;
        for (std::int64_t size = 1; size <= 2000; ++size) {
          INFO(static_cast<int>(pattern) << " " << threads << " threads, " << size << " KB");
          const double cycles = predict(walk(pattern, size, threads), {}, cpu).beside_cycles;
          CHECK(cycles >= before);
          // A warp with lanes of its own reads soon misses with some lane of 32; else the steepest is 63 KB of ramp.
          if (before > 0 && (pattern == AccessPattern::sequential || threads == 1)) CHECK(cycles <= before * 1.05);
          before = cycles;
        }
      }
  for (const std::int64_t size : {100, 128, 256, 512, 700})
    for (const std::int64_t threads : {1, 32, 128}) {
      double before = 0;
      for (std::int64_t kernels = 1; kernels <= 40; ++kernels) {
        INFO(threads << " threads, " << kernels << " x " << size << " KB");
        const double cycles = together(walk(AccessPattern::random, size, threads), kernels);
        CHECK(cycles >= before);
        before = cycles;
      }
    }
  const MemoryKernel kernel = walk(AccessPattern::sequential, 1024, 64);
  const double alone = predict(kernel).beside_cycles;
  const double full = predict(kernel, {}, sequential_cpus).beside_cycles;
  for (std::int64_t cores = 0; cores <= 5; ++cores)
    CHECK(predict(kernel, {}, {CpuTrafficKind::sequential, cores}).beside_cycles ==
          Approx(alone + (full - alone) * static_cast<double>(cores) / 5).epsilon(0.001));
}

TEST_CASE("memory model: random mixes have consistent parts and ordered CPU traffic and no speedup by other kernels") {
  std::mt19937 random(20190709);
  const auto any = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(high - low + 1));
  };
  const auto kernel = [&] {
    if (any(0, 4) == 0) {
      auto whole = bulk(static_cast<double>(any(0, 1'000'000)), static_cast<double>(any(0, 1'000'000)),
                        static_cast<double>(any(1, 1'000'000)), 32 * any(1, 32), any(1, 4));
      whole.footprint = any(0, 1 << 20);
      return whole;
    }
    auto walks = walk(any(0, 1) == 0 ? AccessPattern::random : AccessPattern::sequential, any(1, 900),
                      any(0, 1) == 0 ? 1 : any(2, 512), any(1, 4));
    walks.lanes_differ = any(0, 1) == 0;
    if (any(0, 3) == 0) walks = zero_copy(walks);
    return walks;
  };
  std::set<InterferenceCause> seen;
  for (int round = 0; round < 3000; ++round) {
    INFO("round " << round);
    const MemoryKernel victim = kernel();
    std::vector<MemoryKernels> others;
    for (std::int64_t i = any(0, 3); i > 0; --i) others.push_back({kernel(), any(1, 5)});
    const CpuTraffic cpu{any(0, 1) == 0 ? CpuTrafficKind::random : CpuTrafficKind::sequential, any(0, 5)};
    const auto prediction = predict(victim, others, cpu);
    double sum = 0;
    double own = 0;
    for (const auto& part : prediction.parts) {
      CHECK(part.cycles >= 0);
      seen.insert(part.cause);
      sum += part.cycles;
      if (!part.other && part.cause != InterferenceCause::cpu_traffic) own += part.cycles;
    }
    CHECK(sum == Approx(prediction.beside_cycles).epsilon(1e-9));
    CHECK(own == Approx(prediction.alone_cycles).epsilon(1e-9));
    CHECK(prediction.alone_cycles == predict(victim).beside_cycles);
    CHECK(prediction.slowdown >= 1.0);
    const double quiet = predict(victim, others).beside_cycles;
    const double shuffled = predict(victim, others, {CpuTrafficKind::random, cpu.cores}).beside_cycles;
    const double ordered = predict(victim, others, {CpuTrafficKind::sequential, cpu.cores}).beside_cycles;
    CHECK(quiet <= shuffled);
    CHECK(shuffled <= ordered);
    others.push_back({kernel(), 1});
    CHECK(predict(victim, others, cpu).beside_cycles >= prediction.beside_cycles * (1 - 1e-12));
  }
  CHECK(seen.size() == 7);  // every cause was met
}

TEST_CASE("memory model: a slowdown names its causes") {
  // 128 KiB beside 3 x 128 KiB and 512 KiB: all of the excess over the L2 is shared by footprint.
  const MemoryKernel victim = walk(AccessPattern::random, 128);
  const auto prediction = predict(victim, {{victim, 3}, {walk(AccessPattern::random, 512), 1}}, sequential_cpus);
  double small = 0;
  double large = 0;
  double cpu = 0;
  for (const auto& part : prediction.parts) {
    if (part.cause == InterferenceCause::shared_l2) (part.other == std::size_t{0} ? small : large) = part.cycles;
    if (part.cause == InterferenceCause::cpu_traffic) cpu = part.cycles;
  }
  CHECK(small > 0);
  CHECK(large / small == Approx(512.0 / 384));
  CHECK(cpu > 0);
  CHECK(prediction.shared_footprint == 1024 * 1024);
}

TEST_CASE(
    "memory model: blocks without room wait without interference and 16 of 20 blocks of 256 threads run at once") {
  const MemoryKernel twenty = walk(AccessPattern::sequential, 48, 256, 20);
  const auto prediction = predict(twenty);
  CHECK(prediction.resident_blocks == 16);
  CHECK(prediction.waiting_blocks == 4);
  CHECK(prediction.beside_cycles == predict(walk(AccessPattern::sequential, 48, 256, 16)).beside_cycles);
  CHECK(predict(walk(AccessPattern::sequential, 48, 256, 4)).beside_cycles == Approx(173).epsilon(0.01));
  const MemoryKernel block = walk(AccessPattern::random, 100, 1);
  const auto crowd = predict(block, {{block, 1'000'000}});
  CHECK(crowd.resident_other_blocks == 63);
  CHECK(crowd.waiting_blocks == 1'000'000 - 63);
  CHECK(crowd.shared_footprint == 64 * 100 * 1024);
  CHECK(crowd.beside_cycles == together(block, 64));
}

TEST_CASE("memory model: bulk kernels that saturate shared paths slow down by their number") {
  const MemoryKernel saturating = bulk(0, 900'000, 700'000, 512, 2);
  for (std::int64_t kernels = 1; kernels <= 4; ++kernels)
    CHECK(predict(saturating, {{saturating, kernels - 1}}).slowdown == Approx(static_cast<double>(kernels)));
  const MemoryKernel own = bulk(900'000, 0, 0, 512, 2);
  CHECK(predict(own, {{saturating, 3}}, sequential_cpus).slowdown == 1.0);
  // One block uses one SM: it does all of the load path's work, and the own work has half the speed.
  CHECK(predict(bulk(0, 900'000, 0, 1024, 1)).alone_cycles == Approx(900'000));
  CHECK(predict(bulk(0, 900'000, 0, 512, 2)).alone_cycles == Approx(450'000));
  CHECK(predict(bulk(900'000, 0, 0, 512, 1)).alone_cycles == Approx(900'000));
}

TEST_CASE("memory model: only the memory-bound share of a kernel is slowed down (N21)") {
  MemoryKernel kernel = walk(AccessPattern::random, 512);
  const double full = predict(kernel, {{kernel, 7}}).slowdown;
  CHECK(full > 2);
  for (const double share : {0.0, 0.25, 1.0}) {
    kernel.memory_share = share;
    const auto prediction = predict(kernel, {{walk(AccessPattern::random, 512), 7}});
    CHECK(prediction.memory_slowdown == full);
    CHECK(prediction.slowdown == Approx(1 - share + share * full));
  }
}

TEST_CASE("memory model: invalid queries are reported") {
  const MemoryKernel good = walk(AccessPattern::random, 1);
  CHECK(error_of(walk(AccessPattern::random, 0)) == "the kernel: a footprint of 0 bytes: a walk needs at least 4");
  CHECK(error_of(walk(AccessPattern::random, 1, 0)) == "the kernel: 0 threads: expected at least 1");
  CHECK(error_of(walk(AccessPattern::random, 1, 2000)) ==
        "the kernel: a block of 2000 threads exceeds the 1024 a block may have");
  CHECK(error_of(good, {{good, 1}, {walk(AccessPattern::random, 1, 1, 0), 1}}) ==
        "number 2 of the kernels beside: 0 blocks: expected 1 to 2147483648");
  CHECK(error_of(good, {{good, 1'000'000}, {good, 1}}) ==
        "number 2 of the kernels beside: a count of 1: expected 0 to 1000000 in all");
  CHECK(error_of(bulk(0, 0, 0, 32, 1)) ==
        "the kernel: a bulk kernel needs a demand above 0: of its own, of the load path or of the memory path");
  CHECK(error_of(bulk(1, 0, 0, 1024, 5)) ==
        "the kernel: 5 blocks of 1024 threads: those of a bulk kernel are to run at once, and the device holds 4");
  CHECK(error_of(good, {}, {CpuTrafficKind::random, 6}) ==
        "6 interfering CPU cores: expected 0 to the 5 of the measurements");
  MemoryKernel shared = good;
  shared.memory_share = 1.5;
  CHECK(error_of(shared) == "the kernel: a memory share of 1.5: expected 0 to 1");
}

TEST_CASE("memory model: measured parameters in a profile are all or none and within bounds") {
  const std::string json = test::read_text(AMALTHEA_SOURCE_DIR "/engine/gpu/platforms/tx2.json");
  REQUIRE(parse_device_profile(json));
  CHECK(parse_device_profile(json)->measured_memory == tx2().measured_memory);
  for (const auto& field : gpu::memory_parameter_fields()) {
    INFO(field.name);
    const std::string renamed = test::replaced(json, "\"" + std::string(field.name) + "\"", "\"gone\"");
    const auto without = parse_device_profile(renamed);
    REQUIRE(!without);
    CHECK(without.error().find('"' + std::string(field.name) + "\" is missing") != std::string::npos);
  }
  const auto negative =
      parse_device_profile(test::replaced(json, "\"warp_load\": {\"value\": ", "\"warp_load\": {\"value\": -"));
  REQUIRE(!negative);
  CHECK(negative.error().find("warp_load.value: expected a number from 0 to 1000000") != std::string::npos);
  CHECK(!find_profile("xavier")->measured_memory);
}

TEST_CASE("memory model: the coarse table weighted by the memory share is used without measurements") {
  const auto& table = find_profile("xavier")->interference;  // 10 within a GPC, 3 by CPUs
  CHECK(nvidia::predict_coarsely(table, 1, false, false).slowdown == 1.0);
  CHECK(nvidia::predict_coarsely(table, 1, true, false).slowdown == Approx(10));
  CHECK(nvidia::predict_coarsely(table, 0.5, true, false).slowdown == Approx(5.5));
  CHECK(nvidia::predict_coarsely(table, 1, false, true).slowdown == Approx(3));
  CHECK(nvidia::predict_coarsely(table, 1, true, true).slowdown == Approx(10));  // the worse of the two
}

TEST_CASE("memory model: no residency slows a kernel down more than its limit") {
  std::mt19937 random(3);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  engine::gpu::SmLimits limits = *tx2().multiprocessors;
  const auto any_kernel = [&] {
    MemoryKernel kernel;
    if (draw(1, 4) == 1) {
      kernel = bulk(draw(1, 100), draw(0, 100), draw(0, 100), 32 * draw(1, 32), draw(1, 64));
    } else {
      kernel = walk(draw(0, 1) == 0 ? AccessPattern::random : AccessPattern::sequential, 1 << draw(2, 13),
                    draw(0, 1) == 0 ? draw(1, 64) : 32 * draw(1, 32), draw(1, 64));
      kernel.lanes_differ = draw(0, 1) == 0;
      if (draw(1, 6) == 1) kernel = zero_copy(kernel);
    }
    return kernel;
  };
  int reached = 0;
  for (int trial = 0; trial < 300; ++trial) {
    limits.sms = draw(1, 3);
    std::vector<MemoryKernel> kernels(static_cast<std::size_t>(draw(1, 4)));
    std::vector<const MemoryKernel*> others;
    for (MemoryKernel& kernel : kernels) kernel = any_kernel();
    for (std::size_t i = 1; i < kernels.size(); ++i) others.push_back(&kernels[i]);
    const CpuTraffic cpu = draw(0, 1) == 0 ? idle : draw(0, 1) == 0 ? random_cpus : sequential_cpus;
    const double limit = nvidia::largest_slowdown(*tx2().measured_memory, limits, kernels.front(), others, cpu);
    double largest = 0;
    for (int residency = 0; residency < 20; ++residency) {
      // Blocks of all kernels on SMs that hold them together.
      std::vector<nvidia::ResidentKernel> resident;
      std::vector<std::int64_t> warps(static_cast<std::size_t>(limits.sms)), blocks = warps;
      for (const MemoryKernel& kernel : kernels) {
        nvidia::ResidentKernel& added = resident.emplace_back();
        added.kernel = &kernel;
        added.blocks.resize(warps.size());
        const std::int64_t of_block = (kernel.threads + 31) / 32;
        std::int64_t left = draw(1, static_cast<int>(kernel.blocks));
        for (int attempt = 0; attempt < 64 && left > 0; ++attempt) {
          const auto sm = static_cast<std::size_t>(draw(0, static_cast<int>(limits.sms) - 1));
          if (warps[sm] + of_block > limits.max_warps() || blocks[sm] == limits.blocks) continue;
          warps[sm] += of_block;
          ++blocks[sm];
          ++added.blocks[sm];
          --left;
        }
      }
      const nvidia::ResidentKernel own = resident.front();
      resident.erase(resident.begin());
      std::erase_if(resident, [](const auto& each) {
        return std::all_of(each.blocks.begin(), each.blocks.end(), [](std::int64_t on_sm) { return on_sm == 0; });
      });
      const auto found = nvidia::predict_interference(*tx2().measured_memory, own, resident,
                                                      {cpu.kind, cpu.cores == 0 ? 0 : draw(0, 5)});
      largest = std::max(largest, found.memory_slowdown);
    }
    INFO("trial " << trial);
    CHECK(largest <= limit + 1e-9);
    reached += largest > 0.9 * limit ? 1 : 0;
  }
  CHECK(reached > 100);
}

}  // namespace nvidia_memory_model_test
