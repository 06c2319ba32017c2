// SPDX-License-Identifier: Apache-2.0
// Measures what a profile of a GPU holds (`amalthea gpu --platform FILE`) and compares the rule for the placement of
// blocks with what the GPU did. Prints JSON. Exit status: 0 measured, 1 a call of the driver failed, 2 no GPU.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cuda_driver.hpp"
#include "engine/nvidia/device_measurement.hpp"

// The kernels of kernels.cu, as text.
asm(R"(
  .pushsection .rodata
  .global measure_gpu_ptx
measure_gpu_ptx:
  .incbin "kernels.ptx"
  .byte 0
  .popsection
)");
extern "C" const char measure_gpu_ptx[];

namespace {

using nlohmann::ordered_json;
using namespace measure_gpu;
namespace nvidia = amalthea::engine::nvidia;
using amalthea::engine::gpu::SmLimits;
using amalthea::engine::gpu::SmUse;
using nvidia::RecordedBlock;
using nvidia::Spread;

constexpr int repetitions = 15;

/// The driver with a context and the kernels. One per process: a context does not survive a fork.
struct Gpu {
  Driver driver;
  Module module = nullptr;
  Function spin = nullptr, watch = nullptr, walk = nullptr;
  Gpu() {
    driver.make_context();
    module = driver.load(measure_gpu_ptx);
    spin = driver.function(module, "spin");
    watch = driver.function(module, "watch");
    walk = driver.function(module, "walk");
  }
  int limit(Attribute which) const { return driver.attribute(which); }
};

/// In microseconds, over several repetitions; the first, which loads code, does not count.
Spread timed(Gpu& gpu, const std::function<void()>& work) {
  std::vector<double> times;
  for (int repetition = 0; repetition <= repetitions; ++repetition) {
    gpu.driver.wait();
    const auto start = std::chrono::steady_clock::now();
    work();
    gpu.driver.wait();
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    if (repetition > 0) times.push_back(time.count());
  }
  return nvidia::spread_of(std::move(times));
}

ordered_json spread_json(const Spread& spread) {
  return {{"median", spread.median}, {"least", spread.least}, {"most", spread.most}, {"samples", spread.samples}};
}
/// The `value` of a spread that the profile takes; `scale`: the unit of the profile in that of the spread.
ordered_json measured(double Spread::*value, const Spread& spread, double scale) {
  return {{"value", spread.*value * scale},
          {"source", fmt::format("measure-gpu: {} of {}; median {:.4g}, {:.4g} to {:.4g}",
                                 value == &Spread::median ? "median" : "largest", spread.samples, spread.median * scale,
                                 spread.least * scale, spread.most * scale)}};
}
ordered_json stated(std::int64_t value) { return {{"value", value}, {"source", "attribute of the CUDA driver"}}; }

/// Blocks of `threads` threads on the idle GPU, by number, each for `nanoseconds`.
std::vector<RecordedBlock> recorded(Gpu& gpu, unsigned blocks, unsigned threads, Address nanoseconds) {
  const std::size_t bytes = std::size_t{blocks} * 3 * sizeof(std::uint64_t);
  Address records = gpu.driver.allocate(bytes);
  void* arguments[] = {&records, &nanoseconds};
  gpu.driver.launch(gpu.spin, blocks, threads, nullptr, arguments);
  gpu.driver.wait();
  std::vector<std::uint64_t> words(std::size_t{blocks} * 3);
  gpu.driver.copy_out(words.data(), records, bytes, nullptr);
  gpu.driver.wait();
  std::vector<RecordedBlock> result;
  for (std::size_t at = 0; at < words.size(); at += 3)
    result.push_back({static_cast<std::int64_t>(words[at]), static_cast<std::int64_t>(words[at + 1]),
                      static_cast<std::int64_t>(words[at + 2])});
  return result;
}

SmLimits limits_of(const Gpu& gpu) {
  SmLimits limits;
  limits.sms = gpu.limit(Attribute::multiprocessors);
  limits.threads = gpu.limit(Attribute::threads_per_multiprocessor);
  limits.threads_per_block = gpu.limit(Attribute::threads_per_block);
  limits.blocks = gpu.limit(Attribute::blocks_per_multiprocessor);
  limits.registers = gpu.limit(Attribute::registers_per_multiprocessor);
  limits.registers_per_block = gpu.limit(Attribute::registers_per_block);
  limits.shared_memory = gpu.limit(Attribute::shared_memory_per_multiprocessor);
  limits.shared_memory_per_block = gpu.limit(Attribute::shared_memory_per_block);
  return limits;
}

/// The rule N14 in its three orders against recorded SMs, and how many blocks are resident at a time.
ordered_json placements(Gpu& gpu, const SmLimits& limits) {
  const std::pair<nvidia::ScanOrder, const char*> orders[] = {{nvidia::ScanOrder::even_odd, "even-odd"},
                                                              {nvidia::ScanOrder::gpc, "gpc"},
                                                              {nvidia::ScanOrder::ascending, "ascending"}};
  ordered_json result = ordered_json::array();
  for (const unsigned threads : {32U, 128U, 512U, 1024U}) {
    const auto blocks =
        static_cast<unsigned>(limits.sms * std::min<std::int64_t>(limits.blocks, limits.threads / threads));
    recorded(gpu, blocks, threads, 1'000'000);
    const auto seen = recorded(gpu, blocks + static_cast<unsigned>(limits.sms), threads, 5'000'000);
    for (const auto& [order, name] : orders) {
      SmUse use;
      use.warps = threads / 32;
      use.blocks = 1;
      const auto compared = nvidia::compare_placement(limits, use, order, seen);
      ordered_json row = {{"threads_per_block", threads},        {"order", name},
                          {"blocks", compared.blocks},           {"on_predicted_sm", compared.equal},
                          {"same_counts", compared.same_counts}, {"balanced", compared.is_balanced}};
      if (order == nvidia::ScanOrder::even_odd) row["first_blocks_on"] = compared.seen;
      result.push_back(std::move(row));
    }
  }
  return result;
}

struct Traffic {
  Spread walk, copy, fill, beside_copy, beside_fill, beside_itself, copy_beside_walk;
};

/// Kernels that read `bytes` again and again, alone, beside copies and memsets, and beside one another.
Traffic traffic_of(Gpu& gpu, const SmLimits& limits, std::size_t bytes) {
  const auto blocks = static_cast<unsigned>(limits.sms);
  const unsigned threads_per_block = 256;
  Address records = gpu.driver.allocate(std::size_t{blocks} * 3 * 8),
          other_records = gpu.driver.allocate(std::size_t{blocks} * 3 * 8);
  Address buffer = gpu.driver.allocate(bytes), other = gpu.driver.allocate(bytes), sink = gpu.driver.allocate(8);
  const std::size_t copied = std::size_t{64} << 20;
  Address target = gpu.driver.allocate(copied);
  const void* host = gpu.driver.allocate_on_host(copied);
  std::uint32_t words = static_cast<std::uint32_t>(bytes / 4), threads = blocks * threads_per_block;
  std::uint32_t loops = static_cast<std::uint32_t>(std::max<std::size_t>(1, (std::size_t{1} << 30) / bytes));
  const Stream first = gpu.driver.make_stream(), second = gpu.driver.make_stream();
  void* arguments[] = {&records, &buffer, &words, &loops, &threads, &sink};
  void* others[] = {&other_records, &other, &words, &loops, &threads, &sink};
  const auto walk = [&] { gpu.driver.launch(gpu.walk, blocks, threads_per_block, first, arguments); };
  const auto copy = [&] { gpu.driver.copy_in(target, host, copied, second); };
  const auto fill = [&] { gpu.driver.fill(target, copied, second); };
  // The span of the walk's blocks while its company lasts longer than the walk.
  const auto beside = [&](const std::function<void()>& company) {
    std::vector<double> spans;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      for (int times = 0; times < 64; ++times) company();
      walk();
      gpu.driver.wait();
      std::vector<std::uint64_t> read(std::size_t{blocks} * 3);
      gpu.driver.copy_out(read.data(), records, read.size() * 8, nullptr);
      gpu.driver.wait();
      std::uint64_t start = read[1], end = read[2];
      for (std::size_t at = 0; at < read.size(); at += 3) {
        start = std::min(start, read[at + 1]);
        end = std::max(end, read[at + 2]);
      }
      spans.push_back(static_cast<double>(end - start) / 1000);
    }
    return nvidia::spread_of(std::move(spans));
  };
  Traffic result;
  result.copy = timed(gpu, copy);
  result.fill = timed(gpu, fill);
  result.walk = beside([] {});
  result.beside_copy = beside(copy);
  result.beside_fill = beside(fill);
  result.beside_itself = beside([&] { gpu.driver.launch(gpu.walk, blocks, threads_per_block, second, others); });
  std::vector<double> copies;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (int times = 0; times < 64; ++times) walk();
    const auto start = std::chrono::steady_clock::now();
    copy();
    gpu.driver.wait(second);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    copies.push_back(time.count());
    gpu.driver.wait();
  }
  result.copy_beside_walk = nvidia::spread_of(std::move(copies));
  return result;
}

/// Copies in both directions, one after the other and together.
double overlap_of_copies(Gpu& gpu) {
  const std::size_t bytes = std::size_t{64} << 20;
  const Address in = gpu.driver.allocate(bytes), out = gpu.driver.allocate(bytes);
  void* host_in = gpu.driver.allocate_on_host(bytes);
  void* host_out = gpu.driver.allocate_on_host(bytes);
  const Stream first = gpu.driver.make_stream(), second = gpu.driver.make_stream();
  const auto copy_in = [&] { gpu.driver.copy_in(in, host_in, bytes, first); };
  const auto copy_out = [&] { gpu.driver.copy_out(host_out, out, bytes, second); };
  const double one = timed(gpu, copy_in).median, other = timed(gpu, copy_out).median;
  return nvidia::overlap_of(one, other, timed(gpu, [&] {
                                          copy_in();
                                          copy_out();
                                        }).median);
}

/// Runs `watch` in a process of its own; the gaps come through a pipe.
struct Watcher {
  pid_t process = 0;
  int pipe = -1;
};
constexpr std::uint32_t gap_count = 400;

Watcher start_watcher() {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t process = fork();
  if (process != 0) {
    close(ends[1]);
    return {process, ends[0]};
  }
  close(ends[0]);
  try {
    Gpu gpu;
    Address gaps = gpu.driver.allocate((2 + 2 * std::size_t{gap_count}) * 8), threshold = 20'000,
            duration = 4'000'000'000;
    std::uint32_t count = gap_count;
    void* arguments[] = {&gaps, &count, &threshold, &duration};
    gpu.driver.launch(gpu.watch, 1, 1, nullptr, arguments);
    gpu.driver.wait();
    std::vector<std::uint64_t> words(2 + 2 * std::size_t{gap_count});
    gpu.driver.copy_out(words.data(), gaps, words.size() * 8, nullptr);
    gpu.driver.wait();
    const auto* data = reinterpret_cast<const char*>(words.data());
    for (std::size_t sent = 0; sent < words.size() * 8;) {
      const ssize_t now = write(ends[1], data + sent, words.size() * 8 - sent);
      if (now <= 0) _exit(1);
      sent += static_cast<std::size_t>(now);
    }
  } catch (const std::exception&) {
    _exit(1);
  }
  _exit(0);
}

nvidia::Gaps finish(const Watcher& watcher) {
  std::vector<std::uint64_t> words(2 + 2 * std::size_t{gap_count});
  auto* data = reinterpret_cast<char*>(words.data());
  std::size_t received = 0;
  for (ssize_t now = 1; now > 0 && received < words.size() * 8;
       received += static_cast<std::size_t>(std::max<ssize_t>(now, 0)))
    now = read(watcher.pipe, data + received, words.size() * 8 - received);
  close(watcher.pipe);
  int status = 0;
  waitpid(watcher.process, &status, 0);
  nvidia::Gaps gaps;
  if (received < words.size() * 8) return gaps;
  for (std::size_t index = 0; index < std::min<std::size_t>(words[0], gap_count); ++index)
    gaps.emplace_back(static_cast<std::int64_t>(words[2 + 2 * index]), static_cast<std::int64_t>(words[3 + 2 * index]));
  return gaps;
}

/// Whether there is a GPU, tried in another process: this one must not have a context when it starts the watchers.
bool has_gpu() {
  std::fflush(stdout);
  const pid_t process = fork();
  if (process == 0) {
    try {
      const Driver driver;
    } catch (const NoGpu& error) {
      std::fprintf(stderr, "measure-gpu: no GPU: %s\n", error.what());
      _exit(2);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int measure() {
  const Watcher one = start_watcher(), other = start_watcher();
  const nvidia::Gaps first = finish(one), second = finish(other);
  const auto slices = nvidia::time_slices_of(first, second);
  Gpu gpu;
  const SmLimits limits = limits_of(gpu);
  const auto l2 = static_cast<std::size_t>(std::max(gpu.limit(Attribute::l2_bytes), 1 << 18));
  const Traffic within = traffic_of(gpu, limits, l2 / 4), beyond = traffic_of(gpu, limits, 4 * l2);

  ordered_json profile;
  const std::string name = gpu.driver.device_name();
  profile["name"] = name;
  profile["description"] = fmt::format("{}, compute capability {}.{}, measured by measure-gpu", name,
                                       gpu.limit(Attribute::capability_major), gpu.limit(Attribute::capability_minor));
  profile["recognised_by"] = ordered_json::array({name});
  ordered_json unknown = ordered_json::array();
  if (slices.slice.samples > 0) {
    profile["time_slice_us"] = measured(&Spread::median, slices.slice, 1e-3);
    profile["context_switch_us"] = measured(&Spread::most, slices.switches, 1e-3);
    // No single value of a length that varies is safe: a longer slice of others and a shorter own one both delay.
    if (slices.slice.least < 0.95 * slices.slice.median || slices.slice.most > 1.05 * slices.slice.median)
      unknown.push_back("time_slice_us");
  } else {
    profile["time_slice_us"] = {{"value", 2000}, {"source", "no switch between two processes was seen: a placeholder"}};
    profile["context_switch_us"] = {{"value", 0},
                                    {"source", "no switch between two processes was seen: a placeholder"}};
    unknown = {"time_slice_us", "context_switch_us"};
  }
  // Bounds rest on these figures: the largest that was seen, over the least time alone, with small and large data.
  const auto slowdown = [&](Spread Traffic::*beside, Spread Traffic::*alone) {
    const auto of = [&](const Traffic& traffic) { return (traffic.*beside).most / (traffic.*alone).least; };
    const Traffic& worst = of(within) > of(beyond) ? within : beyond;
    ordered_json figure = measured(&Spread::most, worst.*beside, 1 / (worst.*alone).least);
    figure["value"] = std::max(1.0, figure["value"].get<double>());  // the profile allows no speed-up
    return figure;
  };
  profile["kernel_slowdown_by_memcpy"] = slowdown(&Traffic::beside_copy, &Traffic::walk);
  profile["kernel_slowdown_by_memset"] = slowdown(&Traffic::beside_fill, &Traffic::walk);
  profile["copy_slowdown_by_kernel"] = slowdown(&Traffic::copy_beside_walk, &Traffic::copy);
  profile["kernel_slowdown_by_same_gpc"] = slowdown(&Traffic::beside_itself, &Traffic::walk);
  profile["kernel_slowdown_by_other_gpc"] = profile["kernel_slowdown_by_same_gpc"];
  const auto rate = [](double microseconds) { return static_cast<double>(64 << 20) / 1000 / microseconds; };
  profile["copy_gigabytes_per_second"] = {
      {"value", rate(beyond.copy.most)},
      {"source", fmt::format("measure-gpu: 64 MiB from pinned memory, slowest of {}; median {:.4g}, up to {:.4g}",
                             beyond.copy.samples, rate(beyond.copy.median), rate(beyond.copy.least))}};
  const double overlap = overlap_of_copies(gpu);
  profile["copy_engines"] = {{"value", overlap > 0.5 ? 2 : 1},
                             {"source", fmt::format("measure-gpu: copies in both directions overlap by {:.0f} %; the "
                                                    "driver states {} engines",
                                                    100 * overlap, gpu.limit(Attribute::copy_engines))}};
  if (!unknown.empty()) profile["unknown"] = unknown;
  profile["multiprocessors"] = {{"count", stated(limits.sms)},
                                {"max_threads", stated(limits.threads)},
                                {"max_threads_per_block", stated(limits.threads_per_block)},
                                {"max_blocks", stated(limits.blocks)},
                                {"registers", stated(limits.registers)},
                                {"max_registers_per_block", stated(limits.registers_per_block)},
                                {"shared_memory", stated(limits.shared_memory)},
                                {"max_shared_memory_per_block", stated(limits.shared_memory_per_block)}};

  const auto traffic = [](const Traffic& of) {
    return ordered_json{{"alone_us", spread_json(of.walk)},
                        {"beside_copy_us", spread_json(of.beside_copy)},
                        {"beside_memset_us", spread_json(of.beside_fill)},
                        {"beside_itself_us", spread_json(of.beside_itself)},
                        {"copy_us", spread_json(of.copy)},
                        {"copy_beside_kernel_us", spread_json(of.copy_beside_walk)}};
  };
  ordered_json result = {{"profile", profile}, {"placement", placements(gpu, limits)}};
  result["time_slices"] = {{"slice_ns", spread_json(slices.slice)},
                           {"gap_ns", spread_json(slices.gap)},
                           {"switch_ns", spread_json(slices.switches)},
                           {"a_running_kernel_is_preempted", !first.empty() && !second.empty()},
                           {"driver_states_preemption", gpu.limit(Attribute::preemption) != 0}};
  result["kernel_within_l2"] = traffic(within);
  result["kernel_beyond_l2"] = traffic(beyond);
  result["l2_bytes"] = l2;
  fmt::print("{}\n", result.dump(2));
  return 0;
}

}  // namespace

int main(int argc, char**) {
  if (argc > 1) {
    std::fprintf(stderr, "usage: measure-gpu > measured.json\n\nMeasures the first GPU. Takes no arguments.\n");
    return 2;
  }
  if (!has_gpu()) return 2;
  try {
    return measure();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "measure-gpu: %s\n", error.what());
    return 1;
  }
}
