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
#include "engine/nvidia/placement_study.hpp"
#include "exporter/gpu/study_formats.hpp"

namespace amalthea::cli {
namespace {

namespace nvidia = engine::nvidia;

struct PlacementStudyOptions {
  std::string platform = "xavier";
  nvidia::PlacementStudy study;
  std::string format = "text";
};

int run(const PlacementStudyOptions& options) {
  const auto profile = nvidia_profile(options.platform);
  if (!profile) return ExitCode::unusable;
  nvidia::PlacementStudy study = options.study;
  study.limits = *profile->multiprocessors;
  const auto rows = nvidia::study_placement(study);
  if (!rows) return unusable(rows.error());
  return written(options.format == "json" ? exporter::render_placement_study_json(*rows)
                                          : exporter::render_placement_study_text(*rows, use_colour()),
                 ExitCode::all_well);
}

}  // namespace

void add_gpu_study(CLI::App& gpu, int& exit_code) {
  CLI::App* study = gpu.add_subcommand("study", "Evaluate a model on many random configurations");
  study->require_subcommand(1);
  describe(*study, {"amalthea gpu study placement", "amalthea gpu study placement --configurations 1000",
                    "amalthea gpu study placement --format json"});
  auto options = std::make_shared<PlacementStudyOptions>();
  CLI::App* verb = study->add_subcommand("placement", "Count how often round robin predicts the wrong SM for a block");
  add_options(*verb, {row("platform", &options->platform, "GPU profile: built-in name (tx2, xavier, ...) or JSON file",
                          {group::options}, {.takes = "NAME", .file = FileKind::read}),
                      row("configurations", &options->study.configurations,
                          "Number of random configurations. They are split evenly between 2 to 8 streams",
                          {group::options}, {.range = Range{std::int64_t{1}, nvidia::max_studied}}),
                      row("seed", &options->study.seed, "Random seed", {group::options})});
  add_format(*verb, options->format);
  describe(*verb, {"amalthea gpu study placement", "amalthea gpu study placement --configurations 1000 --seed 7",
                   "amalthea gpu study placement --format json"});
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
