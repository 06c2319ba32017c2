#include <memory>
#include <optional>
#include <string>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/gpu/gpu_verbs.hpp"
#include "cli/input.hpp"
#include "cli/verbs.hpp"
#include "engine/nvidia/stream_scenario.hpp"
#include "engine/nvidia/stream_simulation.hpp"
#include "exporter/gpu_formats.hpp"

namespace amalthea::cli {
namespace {

namespace nvidia = engine::nvidia;

struct RunOptions {
  std::string scenario;
  std::string platform;
  std::string format = "text";
};

int run(const RunOptions& options) {
  std::optional<engine::DeviceProfile> profile;
  if (!options.platform.empty()) {
    profile = profile_with_sms(options.platform);
    if (!profile) return ExitCode::unusable;
  }
  const auto text = file_text(options.scenario);
  if (!text) return ExitCode::unusable;
  const auto scenario = nvidia::parse_stream_scenario(*text, profile ? &*profile : nullptr);
  if (!scenario) return unusable(fmt::format("{}:{}", options.scenario, format(scenario.error())));
  const auto run = nvidia::simulate_streams(*scenario);
  if (!run) return unusable(fmt::format("{}: {}", options.scenario, run.error()));
  return written(options.format == "json" ? exporter::render_streams_json(*scenario, *run)
                                          : exporter::render_streams_text(*scenario, *run, use_colour()),
                 ExitCode::all_well);
}

}  // namespace

void add_gpu_run(CLI::App& gpu, int& exit_code) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* verb = gpu.add_subcommand("run", "simulates contexts, streams, queues and blocks");
  verb->add_option("SCENARIO", options->scenario, "JSON file (docs/gpu.md)")->required();
  verb->add_option("--platform", options->platform,
                   "GPU profile: a built-in name or a JSON file (default: what the scenario says, or tx2)");
  add_format(*verb, options->format);
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace amalthea::cli
