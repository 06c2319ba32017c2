#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/input.hpp"
#include "cli/verbs.hpp"
#include "engine/device_profile.hpp"
#include "engine/nvidia/occupancy.hpp"
#include "exporter/gpu_formats.hpp"

namespace amalthea::cli {
namespace {

namespace nvidia = engine::nvidia;

int unusable(const std::string& message) {
  fmt::print(stderr, "amalthea: error: {}\n", message);
  return ExitCode::unusable;
}

int written(const std::string& text, int exit_code) { return write_output("", text) ? exit_code : ExitCode::unusable; }

void add_format(CLI::App& verb, std::string& format) {
  verb.add_option("--format", format, "output format")->check(CLI::IsMember({"text", "json"}))->capture_default_str();
}

/// The profile, whose SMs are known; nothing and a message otherwise.
std::optional<engine::DeviceProfile> profile_with_sms(const std::string& platform) {
  auto profile = choose_profile(platform);
  if (profile && !profile->multiprocessors) {
    unusable(fmt::format("--platform {}: the profile does not say what its SMs hold (\"multiprocessors\")", platform));
    return std::nullopt;
  }
  return profile;
}

struct OccupancyOptions {
  std::string platform = "tx2";
  nvidia::BlockShape shape;
  bool threshold_counts = false;
  std::string format = "text";
};

int run(const OccupancyOptions& options) {
  auto profile = profile_with_sms(options.platform);
  if (!profile) return ExitCode::unusable;
  profile->multiprocessors->threshold_counts = options.threshold_counts;
  const auto occupancy = nvidia::occupancy(*profile->multiprocessors, options.shape);
  if (!occupancy) return unusable(fmt::format("{}: {}", profile->name, occupancy.error()));
  return written(options.format == "json" ? exporter::render_occupancy_json(*profile, *occupancy)
                                          : exporter::render_occupancy_text(*profile, *occupancy, use_colour()),
                 ExitCode::all_well);
}

void add_occupancy(CLI::App& gpu, int& exit_code) {
  auto options = std::make_shared<OccupancyOptions>();
  CLI::App* verb = gpu.add_subcommand("occupancy", "how many blocks an SM takes, and which resource binds");
  verb->add_option("--platform", options->platform, "GPU profile: a built-in name or a JSON file")
      ->capture_default_str();
  verb->add_option("--threads", options->shape.threads, "threads per block")->required();
  verb->add_option("--registers", options->shape.registers, "registers per thread (default: not counted)");
  verb->add_option("--shared-memory", options->shape.shared_memory, "shared memory per block, in bytes");
  verb->add_flag("--threshold-counts", options->threshold_counts,
                 "exactly 3 KB of shared memory count too, not only more");
  add_format(*verb, options->format);
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace

void add_gpu(CLI::App& app, int& exit_code) {
  CLI::App* verb = app.add_subcommand("gpu", "the GPU models on their own");
  verb->require_subcommand(1);
  verb->footer("amalthea gpu VERB --help tells more about a verb.");
  add_occupancy(*verb, exit_code);
}

}  // namespace amalthea::cli
