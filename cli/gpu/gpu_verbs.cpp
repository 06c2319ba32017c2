// SPDX-License-Identifier: Apache-2.0
#include "cli/gpu/gpu_verbs.hpp"

#include <string>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/declared_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/verbs.hpp"
#include "importer/reading/file_bytes.hpp"

namespace amalthea::cli {

int written(const std::string& text, int exit_code) { return write_output("", text) ? exit_code : ExitCode::unusable; }

void add_format(CLI::App& verb, std::string& format) {
  add_options(verb, {row("format", &format, "Output format", {group::output}, {.choices = {"text", "json"}})});
}

std::optional<engine::DeviceProfile> profile_with_sms(const std::string& platform) {
  auto profile = choose_profile(platform);
  if (profile && !profile->multiprocessors) {
    complain(
        fmt::format("--platform {}: the profile has no \"multiprocessors\" (the limits of an SM); add them, or choose "
                    "another profile",
                    platform));
    return std::nullopt;
  }
  return profile;
}

std::optional<engine::DeviceProfile> nvidia_profile(const std::string& platform) {
  auto profile = profile_with_sms(platform);
  if (profile && profile->amd) {
    complain(fmt::format(
        "--platform {}: this verb models NVIDIA GPUs; for an AMD GPU, use amalthea gpu run or amalthea gpu partition",
        platform));
    return std::nullopt;
  }
  return profile;
}

std::optional<std::string> file_text(const std::string& path) {
  auto text = importer::read_bytes(path);
  if (text) return std::move(*text);
  complain(fmt::format("{}: {}", path, text.error()));
  return std::nullopt;
}

void add_gpu(CLI::App& app, int& exit_code) {
  CLI::App* verb = app.add_subcommand("gpu", "Run a GPU model on its own, without an AMALTHEA model");
  verb->group(group::gpu);
  verb->require_subcommand(1);
  describe(*verb, {"amalthea gpu occupancy --threads 256 --registers 32", "amalthea gpu run scenario.json",
                   "amalthea gpu place 4x5 8x2 --platform tx2"});
  add_gpu_occupancy(*verb, exit_code);
  add_gpu_partition(*verb, exit_code);
  add_gpu_place(*verb, exit_code);
  add_gpu_rta(*verb, exit_code);
  add_gpu_run(*verb, exit_code);
  add_gpu_interference(*verb, exit_code);
  add_gpu_bounds(*verb, exit_code);
  add_gpu_study(*verb, exit_code);
  add_gpu_warps(*verb, exit_code);
  add_gpu_makespan(*verb, exit_code);
}

}  // namespace amalthea::cli
