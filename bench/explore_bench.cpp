// SPDX-License-Identifier: Apache-2.0
// The cost of searching a mapping, for the WATERS 2019 sample (docs/reference/explore.md).
//
//   bench_explore [--benchmark_… options]
//
// search: mappings judged per second, compared with compiling the programs of the whole system and computing its bounds
// for each (x_scratch: how many times as long that takes, on one thread).

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "engine/bounds/bounds.hpp"
#include "engine/devices/chosen_devices.hpp"
#include "engine/gpu/device_profile.hpp"
#include "explore/exploration.hpp"
#include "importer/building/system_builder.hpp"
#include "importer/reading/model_reader.hpp"

namespace {

using namespace amalthea;
using Clock = std::chrono::steady_clock;

/// All tasks may run on all CPUs; SFM, Lane_detection and Localization also on the GPU.
class Waters {
 public:
  Waters() {
    const std::string path = std::string(AMALTHEA_SOURCE_DIR) + "/samples/waters2019-tx2.amxmi";
    model_ = importer::read_model({path}, {}, findings_);
    auto system = model_ ? importer::build_system(*model_, {}, findings_) : std::nullopt;
    if (!system) throw std::runtime_error("the sample cannot be read");
    problem_.system = std::move(*system);
    const auto& units = problem_.system.platform.units;
    for (const Task& task : problem_.system.tasks) {
      const bool function = is_function(task.name);
      std::vector<UnitIndex> allowed;
      for (UnitIndex unit = 0; unit < units.size(); ++unit)
        if (units[unit].type == PuType::cpu ? task.side == Side::host || function : task.unit == unit || function)
          allowed.push_back(unit);
      problem_.constraints.allowed.push_back(std::move(allowed));
    }
    problem_.place = [this](const std::vector<bool>& on_cpu) { return place(on_cpu); };
  }

  const explore::Problem& problem() const { return problem_; }

 private:
  static bool is_function(const std::string& name) {
    return name == "SFM" || name == "Lane_detection" || name == "Localization";
  }

  std::optional<System> place(const std::vector<bool>& on_cpu) const {
    importer::BuildOptions options;
    for (TaskIndex task = 0; task < problem_.system.tasks.size(); ++task) {
      if (!is_function(problem_.system.tasks[task].name)) continue;
      importer::MappingChange change;
      change.task = problem_.system.tasks[task].name;
      change.core = on_cpu[task] ? "Core3" : "GP10B";
      options.mapping.push_back(std::move(change));
    }
    Diagnostics ignored;
    return importer::build_system(*model_, options, ignored);
  }

  Diagnostics findings_;
  std::optional<Model> model_;
  explore::Problem problem_;
};

double scratch_seconds(const explore::Problem& problem, const explore::Options& options, int times) {
  const auto devices = engine::default_devices(problem.system);
  const auto begin = Clock::now();
  for (int i = 0; i < times; ++i)
    benchmark::DoNotOptimize(engine::system_bounds(problem.system, devices, options.analysis.compile));
  return std::chrono::duration<double>(Clock::now() - begin).count() / times;
}

void search(benchmark::State& state) {
  static const Waters waters;
  explore::Options options;
  options.candidates = 8000;
  options.threads = static_cast<unsigned>(state.range(0));
  const double scratch = scratch_seconds(waters.problem(), options, 100);
  std::uint64_t judged = 0;
  double seconds = 0;
  for (auto _ : state) {
    const auto begin = Clock::now();
    judged += explore::explore(waters.problem(), options).judged;
    seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(judged));
  state.counters["x_scratch"] = scratch * static_cast<double>(judged) / seconds;
}

BENCHMARK(search)->Name("search/threads")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
