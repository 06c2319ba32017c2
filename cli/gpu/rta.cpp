// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/file_options.hpp"
#include "cli/gpu/gpu_verbs.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/verbs.hpp"
#include "engine/nvidia/response_time.hpp"
#include "exporter/gpu/formats.hpp"

namespace amalthea::cli {
namespace {

namespace nvidia = engine::nvidia;

struct RtaOptions {
  std::string file;
  std::string algorithm = "corrected";
  std::string releases = "once";
  std::string format = "text";
};

int run(const RtaOptions& options) {
  const auto text = file_text(options.file);
  if (!text) return ExitCode::unusable;
  const auto problem = nvidia::parse_rta_problem(*text);
  if (!problem) return unusable(fmt::format("{}:{}", options.file, format(problem.error())));
  if (options.releases == "periodic") {
    if (options.algorithm != "corrected") return unusable("--releases periodic requires --algorithm corrected");
    const auto result = nvidia::response_times_periodic(*problem);
    if (!result) return unusable(fmt::format("{}: {}", options.file, result.error()));
    return written(options.format == "json" ? exporter::render_periodic_rta_json(*problem, *result)
                                            : exporter::render_periodic_rta_text(*problem, *result, use_colour()),
                   meets_deadlines(*problem, result->worst_response) ? ExitCode::all_well : ExitCode::findings);
  }
  const auto result = options.algorithm == "paper"    ? nvidia::response_times_as_printed(*problem)
                      : options.algorithm == "closed" ? nvidia::response_times_closed(*problem)
                                                      : nvidia::response_times(*problem);
  if (!result) return unusable(fmt::format("{}: {}", options.file, result.error()));
  const bool good = !result->endless_at && meets_deadlines(*problem, result->response);
  return written(options.format == "json" ? exporter::render_rta_json(*problem, *result)
                                          : exporter::render_rta_text(*problem, *result, use_colour()),
                 good ? ExitCode::all_well : ExitCode::findings);
}

}  // namespace

void add_gpu_rta(CLI::App& gpu, int& exit_code) {
  auto options = std::make_shared<RtaOptions>();
  CLI::App* verb = gpu.add_subcommand("rta", "Analyze response times of kernels on one execution engine");
  add_input(*verb, "FILE", options->file,
            "JSON file such as {\"g_max\": 8, \"kernels\": [{\"r\": 0, \"C\": 4, \"g\": 2}]}")
      ->required();
  verb->add_option("--algorithm", options->algorithm,
                   "Algorithm. closed: for kernels with the same release and C; paper: as printed, for comparison")
      ->check(CLI::IsMember({"corrected", "closed", "paper"}))
      ->capture_default_str();
  verb->add_option("--releases", options->releases,
                   "Release kernels once or with period T. periodic: over as many hyperperiods as the schedule needs "
                   "to repeat")
      ->check(CLI::IsMember({"once", "periodic"}))
      ->capture_default_str();
  add_format(*verb, options->format);
  describe(*verb,
           {"amalthea gpu rta kernels.json", "amalthea gpu rta --releases periodic kernels.json",
            "amalthea gpu rta --algorithm paper --format json kernels.json"},
           "Exit codes:\n  0  every kernel ends within its period T\n  1  a kernel ends after its period T, or the "
           "printed algorithm does not\n     terminate\n  2  wrong usage or unreadable input");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
