// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/gpu/gpu_verbs.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/verbs.hpp"
#include "engine/gpu/occupancy.hpp"
#include "exporter/gpu/formats.hpp"

namespace amalthea::cli {
namespace {

namespace gpu = engine::gpu;

struct OccupancyOptions {
  std::string platform = "tx2";
  gpu::BlockShape shape;
  bool threshold_counts = false;
  std::string format = "text";
};

int run(const OccupancyOptions& options) {
  auto profile = nvidia_profile(options.platform);
  if (!profile) return ExitCode::unusable;
  profile->multiprocessors->threshold_counts = options.threshold_counts;
  const auto occupancy = gpu::occupancy(*profile->multiprocessors, options.shape);
  if (!occupancy) return unusable(fmt::format("{}: {}", profile->name, occupancy.error()));
  return written(options.format == "json" ? exporter::render_occupancy_json(*profile, *occupancy)
                                          : exporter::render_occupancy_text(*profile, *occupancy, use_colour()),
                 ExitCode::all_well);
}

}  // namespace

void add_gpu_occupancy(CLI::App& gpu, int& exit_code) {
  auto options = std::make_shared<OccupancyOptions>();
  CLI::App* verb = gpu.add_subcommand("occupancy", "Compute the blocks that fit on an SM and the limiting resource");
  add_options(*verb, {row("platform", &options->platform, "GPU profile: built-in name (tx2, xavier, ...) or JSON file",
                          {group::options}, {.takes = "NAME", .file = FileKind::read})});
  verb->add_option("--threads", options->shape.threads, "Threads per block")->required();
  add_options(*verb, {row("registers", &options->shape.registers, "Registers per thread. Default: not counted",
                          {group::options}, {.usual = ""}),
                      row("shared-memory", &options->shape.shared_memory, "Shared memory per block, in bytes",
                          {group::options}, {.usual = ""}),
                      row("threshold-counts", &options->threshold_counts,
                          "Count exactly 3 KB of shared memory, too. By default only more than 3 KB counts",
                          {group::options})});
  add_format(*verb, options->format);
  describe(*verb, {"amalthea gpu occupancy --threads 256", "amalthea gpu occupancy --threads 256 --registers 64",
                   "amalthea gpu occupancy --platform xavier --threads 128 --shared-memory 16384"});
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
