#include <charconv>
#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/input.hpp"
#include "cli/verbs.hpp"
#include "engine/device_profile.hpp"
#include "engine/nvidia/block_placement.hpp"
#include "engine/nvidia/occupancy.hpp"
#include "engine/nvidia/response_time.hpp"
#include "engine/nvidia/stream_scenario.hpp"
#include "engine/nvidia/stream_simulation.hpp"
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

struct PlaceOptions {
  std::string platform;
  std::int64_t sms = 0;
  std::int64_t max_warps = 0;
  std::int64_t sms_per_gpc = 0;
  std::string scan = "even-odd";
  std::string ties = "scan";
  std::vector<std::string> streams;
  std::string format = "text";
};

/// "4x5": 4 blocks of 5 warps.
std::optional<nvidia::StreamBlocks> stream_blocks(const std::string& text) {
  nvidia::StreamBlocks stream;
  const char* end = text.data() + text.size();
  const auto blocks = std::from_chars(text.data(), end, stream.blocks);
  if (blocks.ec != std::errc() || blocks.ptr == end || *blocks.ptr != 'x') return std::nullopt;
  const auto warps = std::from_chars(blocks.ptr + 1, end, stream.warps);
  if (warps.ec != std::errc() || warps.ptr != end || stream.blocks < 1 || stream.warps < 1) return std::nullopt;
  return stream;
}

/// What the placement goes by: of the profile, or as given; only warps count. Nothing and a message when not known.
std::optional<nvidia::SmLimits> placement_limits(const PlaceOptions& options) {
  nvidia::SmLimits limits;
  if (!options.platform.empty()) {
    const auto profile = profile_with_sms(options.platform);
    if (!profile) return std::nullopt;
    limits = *profile->multiprocessors;
  } else if (options.sms == 0 || options.max_warps == 0) {
    unusable("gpu place needs --platform, or --sms and --max-warps");
    return std::nullopt;
  } else {
    limits.blocks = options.max_warps;  // no other limit than warps
  }
  if (options.sms > 0) limits.sms = options.sms;
  if (options.max_warps > 0) limits.threads = options.max_warps * limits.warp_size;
  if (options.sms_per_gpc > 0) limits.sms_per_gpc = options.sms_per_gpc;
  return limits;
}

int run(const PlaceOptions& options) {
  constexpr std::int64_t most_blocks = 1'000'000;
  const auto limits = placement_limits(options);
  if (!limits) return ExitCode::unusable;
  std::vector<nvidia::StreamBlocks> streams;
  std::int64_t blocks = 0;
  for (const std::string& text : options.streams) {
    const auto stream = stream_blocks(text);
    if (!stream)
      return unusable(fmt::format("\"{}\": expected BLOCKSxWARPS such as 4x5, both whole numbers above zero", text));
    if (stream->warps > limits->max_warps())
      return unusable(
          fmt::format("\"{}\": a block of {} warps never fits an SM of {}", text, stream->warps, limits->max_warps()));
    if (stream->blocks > most_blocks - blocks)
      return unusable(fmt::format("\"{}\": more than {} blocks in all", text, most_blocks));
    blocks += stream->blocks;
    streams.push_back(*stream);
  }
  const auto scan = options.scan == "gpc"         ? nvidia::ScanOrder::gpc
                    : options.scan == "ascending" ? nvidia::ScanOrder::ascending
                                                  : nvidia::ScanOrder::even_odd;
  const auto ties = options.ties == "last-sm" ? nvidia::TiePolicy::last_sm : nvidia::TiePolicy::scan;
  const auto placement = place_streams(nvidia::BlockPlacement(*limits, scan, ties), streams);
  return written(options.format == "json" ? exporter::render_placement_json(placement)
                                          : exporter::render_placement_text(streams, placement),
                 ExitCode::all_well);
}

void add_place(CLI::App& gpu, int& exit_code) {
  auto options = std::make_shared<PlaceOptions>();
  CLI::App* verb = gpu.add_subcommand("place", "which SM gets which block of several streams");
  verb->add_option("STREAM", options->streams, "BLOCKSxWARPS of each stream, such as 4x5, in order of launch")
      ->required();
  verb->add_option("--platform", options->platform, "GPU profile: a built-in name or a JSON file");
  verb->add_option("--sms", options->sms, "number of SMs")->check(CLI::Range(1, 1024));
  verb->add_option("--max-warps", options->max_warps, "warps per SM")->check(CLI::Range(1, 65536));
  verb->add_option("--sms-per-gpc", options->sms_per_gpc, "SMs per GPC")->check(CLI::Range(1, 1024));
  verb->add_option("--scan", options->scan, "in which order SMs are tried")
      ->check(CLI::IsMember({"even-odd", "gpc", "ascending"}))
      ->capture_default_str();
  verb->add_option("--ties", options->ties, "which of several SMs with equal room")
      ->check(CLI::IsMember({"scan", "last-sm"}))
      ->capture_default_str();
  add_format(*verb, options->format);
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

/// The bytes of a file; nothing and a message when it cannot be read.
std::optional<std::string> file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    unusable(fmt::format("{}: cannot be read, or is empty", path));
    return std::nullopt;
  }
  return std::move(text).str();
}

struct RtaOptions {
  std::string file;
  std::string algorithm = "corrected";
  std::string format = "text";
};

int run(const RtaOptions& options) {
  const auto text = file_text(options.file);
  if (!text) return ExitCode::unusable;
  const auto problem = nvidia::parse_rta_problem(*text);
  if (!problem) return unusable(fmt::format("{}:{}", options.file, format(problem.error())));
  const auto result = options.algorithm == "paper"    ? nvidia::response_times_as_printed(*problem)
                      : options.algorithm == "closed" ? nvidia::response_times_closed(*problem)
                                                      : nvidia::response_times(*problem);
  if (!result) return unusable(fmt::format("{}: {}", options.file, result.error()));
  const bool good = !result->endless_at && meets_deadlines(*problem, *result);
  return written(options.format == "json" ? exporter::render_rta_json(*problem, *result)
                                          : exporter::render_rta_text(*problem, *result, use_colour()),
                 good ? ExitCode::all_well : ExitCode::findings);
}

void add_rta(CLI::App& gpu, int& exit_code) {
  auto options = std::make_shared<RtaOptions>();
  CLI::App* verb = gpu.add_subcommand("rta", "response times of kernels on one execution engine, by analysis");
  verb->add_option("FILE", options->file, R"(JSON such as {"g_max": 8, "kernels": [{"r": 0, "C": 4, "g": 2}]})")
      ->required();
  verb->add_option("--algorithm", options->algorithm,
                   "corrected; closed: for kernels of one release and one C; paper: as printed, for comparison")
      ->check(CLI::IsMember({"corrected", "closed", "paper"}))
      ->capture_default_str();
  add_format(*verb, options->format);
  verb->footer("Exit code 1: a kernel ends after its period T, or the printed algorithm never ends.");
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

struct RunOptions {
  std::string scenario;
  std::string platform;
  std::string format = "text";
};

int run(const RunOptions& options) {
  std::optional<nvidia::SmLimits> limits;
  if (!options.platform.empty()) {
    const auto profile = profile_with_sms(options.platform);
    if (!profile) return ExitCode::unusable;
    limits = profile->multiprocessors;
  }
  const auto text = file_text(options.scenario);
  if (!text) return ExitCode::unusable;
  const auto scenario = nvidia::parse_stream_scenario(*text, limits);
  if (!scenario) return unusable(fmt::format("{}:{}", options.scenario, format(scenario.error())));
  const auto runs = nvidia::simulate_streams(*scenario);
  if (!runs) return unusable(fmt::format("{}: {}", options.scenario, runs.error()));
  return written(options.format == "json" ? exporter::render_streams_json(*scenario, *runs)
                                          : exporter::render_streams_text(*scenario, *runs, use_colour()),
                 ExitCode::all_well);
}

void add_run(CLI::App& gpu, int& exit_code) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* verb = gpu.add_subcommand("run", "simulates streams, queues and blocks of one process");
  verb->add_option("SCENARIO", options->scenario, "JSON file (docs/gpu.md)")->required();
  verb->add_option("--platform", options->platform,
                   "GPU profile: a built-in name or a JSON file (default: what the scenario says, or tx2)");
  add_format(*verb, options->format);
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace

void add_gpu(CLI::App& app, int& exit_code) {
  CLI::App* verb = app.add_subcommand("gpu", "the GPU models on their own");
  verb->require_subcommand(1);
  verb->footer("amalthea gpu VERB --help tells more about a verb.");
  add_occupancy(*verb, exit_code);
  add_place(*verb, exit_code);
  add_rta(*verb, exit_code);
  add_run(*verb, exit_code);
}

}  // namespace amalthea::cli
