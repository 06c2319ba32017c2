// SPDX-License-Identifier: Apache-2.0
#include "exporter/gpu/examiner_log.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "exporter/traces/trace_text.hpp"

namespace amalthea::exporter {
namespace {

namespace gpu = engine::gpu;

std::string seconds(Instant time) {
  constexpr std::int64_t second = 1'000'000'000'000;
  return fmt::format("{}.{:012}", time.picoseconds() / second, time.picoseconds() % second);
}

/// The times of the parts of an iteration: the program waits for its stream at the end of each.
struct Phases {
  Instant begin;
  Instant copied_in;
  Instant executed;
  Instant end;
};

Phases phases_of(const std::vector<std::size_t>& operations, const gpu::StreamScenario& scenario,
                 const gpu::StreamRun& run, Instant begin) {
  Phases phases{begin, begin, begin, begin};
  bool has_kernel = false;
  for (const std::size_t index : operations) {
    const Instant completion = run.operations[index].completion;
    const bool is_kernel = scenario.operations[index].kind == gpu::StreamOperationKind::kernel;
    has_kernel = has_kernel || is_kernel;
    if (!has_kernel) phases.copied_in = std::max(phases.copied_in, completion);
    if (is_kernel) phases.executed = std::max(phases.executed, completion);
    phases.end = std::max(phases.end, completion);
  }
  phases.executed = std::max(phases.executed, phases.copied_in);
  return phases;
}

/// A kernel in a log of hip_plugin_framework; block times are millions of cycles of 1 GHz.
std::string hip_kernel_entry(const gpu::StreamOperation& kernel, const gpu::OperationRun& done, Instant launch,
                             Instant synchronised) {
  const auto cycles = [](Instant time) {
    constexpr std::int64_t million = 1'000'000'000;  // picoseconds
    return fmt::format("{}.{:09}", time.picoseconds() / million, time.picoseconds() % million);
  };
  std::string times;
  std::string units;
  for (const gpu::BlockRun& block : done.blocks) {
    times += fmt::format("{}{},{}", times.empty() ? "" : ",", cycles(block.start), cycles(block.end));
    units += fmt::format("{}{}", units.empty() ? "" : ",", block.sm);
  }
  return fmt::format(
      ",\n{{\"kernel_name\": {}, \"block_count\": {}, \"thread_count\": {}, \"shared_memory\": {}, "
      "\"kernel_launch_times\": [{}, {}, {}], \"block_times\": [{}], \"block_cus\": [{}]}}",
      json_text(kernel.name), kernel.blocks, kernel.shape.threads, kernel.shape.shared_memory, seconds(launch),
      seconds(launch), seconds(synchronised), times, units);
}

std::string kernel_entry(const gpu::StreamOperation& kernel, const gpu::OperationRun& done, Instant launch,
                         Instant synchronised, std::size_t core) {
  std::string times;
  std::string sms;
  for (const gpu::BlockRun& block : done.blocks) {
    times += fmt::format("{}{},{}", times.empty() ? "" : ",", seconds(block.start), seconds(block.end));
    sms += fmt::format("{}{}", sms.empty() ? "" : ",", block.sm);
  }
  return fmt::format(
      ",\n{{\"kernel_name\": {}, \"block_count\": {}, \"thread_count\": {}, \"shared_memory\": {}, "
      "\"cuda_launch_times\": [{}, {}, {}], \"kernel_times\": [{}, {}], \"block_times\": [{}], \"block_smids\": [{}], "
      "\"cpu_core\": {}}}",
      json_text(kernel.name), kernel.blocks, kernel.shape.threads, kernel.shape.shared_memory, seconds(launch),
      seconds(launch), seconds(synchronised), seconds(done.start), seconds(done.completion), times, sms, core);
}

}  // namespace

std::string render_examiner_log(const std::string& scenario_name, const gpu::ExaminerBenchmark& benchmark,
                                const gpu::StreamScenario& scenario, const gpu::StreamRun& run) {
  std::string out = fmt::format("{{\n\"scenario_name\": {},\n\"{}\": {},\n", json_text(scenario_name),
                                benchmark.is_hip ? "plugin_name" : "benchmark_name", json_text(benchmark.name));
  if (!benchmark.label.empty()) out += fmt::format("\"label\": {},\n", json_text(benchmark.label));
  if (benchmark.is_hip)
    out += fmt::format(
        "\"release_time\": {},\n\"compute_unit_count\": {},\n\"threads_per_compute_unit\": {},\n"
        "\"clock_rate\": 1000000000,\n\"warp_size\": {},\n\"starting_clock\": 0,\n\"PID\": {},\n\"TID\": {},\n"
        "\"times\": [{{}}",
        seconds(benchmark.release), scenario.limits().sms, scenario.limits().threads, scenario.limits().warp_size,
        benchmark.process + 1, benchmark.thread + 1);
  else
    out += fmt::format(
        "\"max_resident_threads\": {},\n\"data_size\": {},\n\"release_time\": {},\n\"PID\": {},\n\"TID\": {},\n"
        "\"times\": [{{}}",
        scenario.limits().sms * scenario.limits().threads, benchmark.data_size, seconds(benchmark.release),
        benchmark.process + 1, benchmark.thread + 1);
  Instant begin = benchmark.release;
  for (const auto& operations : benchmark.iterations) {
    const Phases phases = phases_of(operations, scenario, run, begin);
    out += fmt::format(
        ",\n{{\"copy_in_times\": [{0}, {1}], \"execute_times\": [{1}, {2}], \"copy_out_times\": [{2}, {3}], "
        "\"cpu_times\": [{0}, {3}]{4}}}",
        seconds(phases.begin), seconds(phases.copied_in), seconds(phases.executed), seconds(phases.end),
        benchmark.is_hip ? fmt::format(", \"cpu_core\": {}", benchmark.thread) : std::string());
    std::size_t last_kernel = 0;
    for (const std::size_t index : operations)
      if (scenario.operations[index].kind == gpu::StreamOperationKind::kernel) last_kernel = index;
    for (const std::size_t index : operations) {
      const gpu::StreamOperation& operation = scenario.operations[index];
      if (operation.kind != gpu::StreamOperationKind::kernel) continue;
      const Instant launch = std::max(phases.copied_in, operation.release);
      const Instant synchronised = index == last_kernel ? phases.executed : Instant();
      out += benchmark.is_hip ? hip_kernel_entry(operation, run.operations[index], launch, synchronised)
                              : kernel_entry(operation, run.operations[index], launch, synchronised, benchmark.thread);
    }
    begin = phases.end;
  }
  return out + "\n]}\n";
}

}  // namespace amalthea::exporter
