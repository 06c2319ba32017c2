// SPDX-License-Identifier: Apache-2.0
// How close the bounds are to the truth, on systems so small that all of their schedules can be visited.
//
//   bench_tightness [SYSTEMS [SEED [CLASS]]]
//
// Prints two lines per class of systems, or of those whose names contain CLASS: quick bounds against the longest
// responses for all offsets, exact bounds against those for the stated offsets. A line has the bound divided by the
// longest response (median, 90 %, largest), the share of tasks with a bound, and the seconds that the bounds take. Ends
// with 1 if a response exceeds its bound. LOOSE in the environment: also prints tasks with a larger ratio than that.
//
// The last class, kernels that share SMs, has a search of its own (tests/reference/shared_gpu_search.hpp), which also
// varies the SMs that blocks go to.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "bench/tightness/every_schedule.hpp"
#include "bench/tightness/small_system.hpp"
#include "engine/bounds/bounds.hpp"
#include "reference/shared_gpu_search.hpp"
#include "tests/support/shared_sm_system.hpp"

namespace {

using namespace amalthea;
using Clock = std::chrono::steady_clock;

struct Row {
  std::vector<double> ratios;
  std::size_t bounded = 0, tasks = 0, exceeded = 0, for_offsets = 0;
  double seconds = 0;

  void add(const std::optional<Duration>& bound, int truth) {
    ++tasks;
    if (!bound || truth == 0) return;
    ++bounded;
    const double ratio = static_cast<double>(bound->picoseconds()) / 1e6 / truth;
    if (ratio < 1) ++exceeded;
    ratios.push_back(ratio);
  }
  std::string text() {
    std::sort(ratios.begin(), ratios.end());
    const auto quantile = [this](double q) {
      return ratios.empty() ? 0 : ratios[static_cast<std::size_t>(q * static_cast<double>(ratios.size() - 1))];
    };
    if (ratios.empty()) return "- | - | - | 0.0 % | -";
    return fmt::format("{:.2f} | {:.2f} | {:.2f} | {:.1f} % | {:.4f} s", quantile(0.5), quantile(0.9), quantile(1),
                       100.0 * static_cast<double>(bounded) / static_cast<double>(std::max<std::size_t>(1, tasks)),
                       seconds);
  }
};

void print_phases(const std::vector<bench::Phase>& phases) {
  for (const bench::Phase& phase : phases)
    fmt::print(stderr, " {}{}..{}{}",
               phase.kind == bench::Phase::Kind::copy     ? "copy "
               : phase.kind == bench::Phase::Kind::kernel ? "kernel "
                                                          : "",
               phase.best, phase.worst, phase.semaphore >= 0 ? "S" : "");
}

/// Compares the bounds of all tasks with their longest responses. Returns how many are exceeded.
std::size_t add_bounds(const bench::SmallSystem& small, bool exact, const std::vector<int>& longest, Row& row) {
  const System system = bench::system_of(small);
  const engine::DeviceProfile profile = bench::profile_of(small);
  std::vector<const engine::DeviceProfile*> devices(system.platform.units.size(), nullptr);
  devices.back() = &profile;
  engine::BoundOptions options;
  options.for_offsets = exact;
  const auto begin = Clock::now();
  const engine::SystemBounds bounds = engine::system_bounds(system, devices, {}, options);
  row.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  const std::size_t before = row.exceeded;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    const std::string& name = system.tasks[task].name;
    if (name.find("_gpu") != std::string::npos) continue;
    const auto& worst = bounds.tasks[task].worst;
    const int truth = longest[std::stoul(name.substr(4))];
    if (bounds.tasks[task].method != engine::BoundMethod::equations) ++row.for_offsets;
    row.add(worst, truth);
    const char* loose = std::getenv("LOOSE");
    if (!worst) continue;
    const double ratio = static_cast<double>(worst->picoseconds()) / 1e6 / truth;
    if (ratio >= 1 && (loose == nullptr || ratio <= std::atof(loose))) continue;
    fmt::print(stderr, "{} has the bound {} and takes {} us, in", name, format_duration(*worst), truth);
    for (const bench::SmallTask& each : small.tasks) {
      fmt::print(stderr, " (period {}, offset {}, jitter {}, priority {}, core {}, by {}{}:", each.period, each.offset,
                 each.jitter, each.priority, each.core, each.triggered_by, each.polls ? ", polls" : "");
      print_phases(each.phases);
      if (!each.beside.empty()) fmt::print(stderr, " {}", each.one_process ? "beside, in one process" : "beside");
      print_phases(each.beside);
      fmt::print(stderr, ")");
    }
    const bool polling = small.scheduling == SchedulingAlgorithm::polling_periodic_server;
    fmt::print(stderr, " {}: slices {} and {}, {}server {}/{}, inner {}/{} of priority {}\n",
               exact ? "stated offsets" : "all offsets", small.slice, small.turn, polling ? "polling " : "",
               small.budget, small.server_period, small.inner_budget, small.inner_period, small.inner_priority);
  }
  return row.exceeded - before;
}

constexpr std::string_view sharing_class = "kernels that share SMs";

/// The number of responses that exceed their bounds.
std::size_t compare_shared_sms(int systems, unsigned seed) {
  std::mt19937_64 random(seed);
  Row row;
  for (int drawn = 0; drawn < systems;) {
    const reference::SharedSystem small = test::draw_small_shared_system(random);
    const auto longest = reference::longest_shared_responses(small, seed);
    if (!longest) continue;
    ++drawn;
    const auto begin = Clock::now();
    const std::vector<engine::Bound> bounds = test::bounds_of(small);
    row.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    for (std::size_t task = 0; task < bounds.size(); ++task) {
      const std::size_t before = row.exceeded;
      row.add(bounds[task].worst, static_cast<int>((*longest)[task]));
      const char* loose = std::getenv("LOOSE");
      if (row.exceeded == before && (loose == nullptr || !bounds[task].worst || row.ratios.back() <= std::atof(loose)))
        continue;
      fmt::print(stderr, "task {} has the bound {} and takes {} us, in {}\n", task,
                 format_duration(*bounds[task].worst), (*longest)[task], test::text_of(small));
    }
  }
  fmt::print("| {} | quick | {} | {} |\n", sharing_class, row.tasks, row.text());
  return row.exceeded;
}

}  // namespace

int main(int argc, char** argv) {
  const int systems = argc > 1 ? std::atoi(argv[1]) : 200;
  const auto seed = static_cast<unsigned>(argc > 2 ? std::atoi(argv[2]) : 1);
  const std::string_view chosen = argc > 3 ? argv[3] : "";
  std::size_t exceeded = 0;
  fmt::print("| class | bounds | tasks | median | 90 % | largest | with a bound | time |\n");
  fmt::print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const bench::SystemClass kind : bench::all_classes) {
    if (bench::name_of(kind).find(chosen) == std::string_view::npos) continue;
    std::mt19937 random(seed);
    Row rows[2];
    for (int drawn = 0; drawn < systems;) {
      const bench::SmallSystem small = bench::draw_system(kind, random);
      const auto for_all_offsets = bench::longest_responses_for_all_offsets(small);
      const auto for_stated = for_all_offsets ? bench::longest_responses(small) : std::nullopt;
      if (!for_stated) continue;
      ++drawn;
      for (const bool exact : {false, true})
        exceeded += add_bounds(small, exact, exact ? *for_stated : *for_all_offsets, rows[exact ? 1 : 0]);
    }
    for (const bool exact : {false, true}) {
      Row& row = rows[exact ? 1 : 0];
      if (exact && row.for_offsets == 0) continue;
      fmt::print("| {} | {} | {} | {} |\n", bench::name_of(kind), exact ? "exact" : "quick", row.tasks, row.text());
    }
    std::fflush(stdout);
  }
  if (sharing_class.find(chosen) != std::string_view::npos) exceeded += compare_shared_sms(systems, seed);
  return exceeded == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
