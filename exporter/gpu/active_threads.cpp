// SPDX-License-Identifier: Apache-2.0
#include "exporter/gpu/active_threads.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/core.h>

#include "exporter/gpu/timeline.hpp"
#include "exporter/primitives/csv.hpp"
#include "exporter/primitives/curves.hpp"

namespace amalthea::exporter {
namespace {

namespace gpu = engine::gpu;

struct ActiveThreads {
  std::vector<std::string> names;                   ///< of the series with kernels
  std::map<Instant, std::vector<std::int64_t>> at;  ///< by series, from this instant on
};

ActiveThreads count_threads(const gpu::StreamScenario& scenario, const gpu::StreamRun& run) {
  const Timeline timeline = make_timeline(scenario, run);
  ActiveThreads active;
  std::vector<std::size_t> column(timeline.series.size());
  for (std::size_t series = 0; series < timeline.series.size(); ++series) {
    if (timeline.series[series].kind != gpu::StreamOperationKind::kernel) continue;
    column[series] = active.names.size();
    active.names.push_back(timeline.series[series].name);
  }
  const auto change = [&](Instant time, std::size_t series, std::int64_t threads) {
    auto& row = active.at[time];
    row.resize(active.names.size());
    row[column[series]] += threads;
  };
  for (std::size_t index = 0; index < run.operations.size(); ++index) {
    const std::int64_t warp =
        scenario.device_of(gpu_of(scenario, scenario.operations[index])).multiprocessors->warp_size;
    const std::int64_t threads = (scenario.operations[index].shape.threads + warp - 1) / warp * warp;
    for (const gpu::BlockRun& block : run.operations[index].blocks) {
      change(block.start, timeline.series_of[index], threads);
      change(block.end, timeline.series_of[index], -threads);
    }
  }
  std::vector<std::int64_t> now(active.names.size());
  for (auto& [time, row] : active.at) {
    for (std::size_t series = 0; series < now.size(); ++series) now[series] += row[series];
    row = now;
  }
  return active;
}

std::int64_t total(const std::vector<std::int64_t>& row) {
  std::int64_t sum = 0;
  for (const std::int64_t threads : row) sum += threads;
  return sum;
}

}  // namespace

std::string render_active_threads_csv(const gpu::StreamScenario& scenario, const gpu::StreamRun& run) {
  const ActiveThreads active = count_threads(scenario, run);
  std::string text = "time_ps";
  for (const std::string& name : active.names) text += "," + csv_field(name);
  text += ",total\n";
  for (const auto& [time, row] : active.at) {
    text += fmt::format("{}", time.picoseconds());
    for (const std::int64_t threads : row) text += fmt::format(",{}", threads);
    text += fmt::format(",{}\n", total(row));
  }
  return text;
}

std::string render_active_threads_svg(const gpu::StreamScenario& scenario, const gpu::StreamRun& run,
                                      const std::string& title) {
  const ActiveThreads active = count_threads(scenario, run);
  CurveDrawing drawing;
  drawing.title = title;
  std::string gpus;
  std::int64_t most = 0;
  for (std::size_t index = 0; index < std::max<std::size_t>(scenario.gpus.size(), 1); ++index) {
    const engine::DeviceProfile& device = scenario.device_of(index);
    gpus += fmt::format("{}{}{}", gpus.empty() ? "" : ", ", gpu_prefix(scenario, index), device.name);
    most += device.multiprocessors->sms * device.multiprocessors->threads;
  }
  drawing.subtitle = fmt::format("Resident threads on {}, at most {}", gpus, most);
  drawing.x_label = "ms";
  drawing.y_label = "threads";
  for (std::size_t series = 0; series <= active.names.size(); ++series) {
    const bool is_total = series == active.names.size();
    if (is_total && active.names.size() == 1) break;
    Curve& curve = drawing.curves.emplace_back();
    curve.name = is_total ? "total" : active.names[series];
    curve.is_step = true;
    curve.points.emplace_back(0, 0);
    for (const auto& [time, row] : active.at)
      curve.points.emplace_back(static_cast<double>(time.picoseconds()) / 1e9,
                                static_cast<double>(is_total ? total(row) : row[series]));
  }
  if (drawing.curves.empty()) drawing.curves.push_back({"total", {{0, 0}}, true});
  return render_curves_svg(drawing);
}

}  // namespace amalthea::exporter
