// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/file_options.hpp"
#include "cli/gpu/gpu_verbs.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/verbs.hpp"
#include "engine/nvidia/time_slice_analysis.hpp"
#include "exporter/gpu/bounds_formats.hpp"

namespace amalthea::cli {
namespace {

namespace nvidia = engine::nvidia;

struct BoundsOptions {
  std::string file;
  std::string format = "text";
};

int run(const BoundsOptions& options) {
  const auto text = file_text(options.file);
  if (!text) return ExitCode::unusable;
  const auto problem = nvidia::parse_time_slice_problem(*text);
  if (!problem) return unusable(fmt::format("{}:{}", options.file, format(problem.error())));
  const auto bounds = nvidia::time_slice_bounds(*problem);
  if (!bounds) return unusable(fmt::format("{}: {}", options.file, bounds.error()));
  const bool good = std::all_of(bounds->tasks.begin(), bounds->tasks.end(),
                                [](const nvidia::TaskBound& bound) { return bound.in_time; });
  return written(options.format == "json" ? exporter::render_bounds_json(*problem, *bounds)
                                          : exporter::render_bounds_text(*problem, *bounds, use_colour()),
                 good ? ExitCode::all_well : ExitCode::findings);
}

}  // namespace

void add_gpu_bounds(CLI::App& gpu, int& exit_code) {
  auto options = std::make_shared<BoundsOptions>();
  CLI::App* verb = gpu.add_subcommand("bounds", "Bound response times of processes that share a GPU in time slices");
  add_input(*verb, "FILE", options->file, "JSON file with tasks and their CPU and GPU segments")->required();
  add_format(*verb, options->format);
  describe(*verb,
           {"amalthea gpu bounds tasks.json", "amalthea gpu bounds --format json tasks.json",
            "amalthea gpu bounds --format json tasks.json > bounds.json"},
           "docs/reference/gpu.md describes the file.\nExit codes:\n  0  every task meets its deadline\n  1  a task is "
           "not guaranteed to meet its deadline\n  2  wrong usage or unreadable input");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
