// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/gpu/gpu_verbs.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/verbs.hpp"
#include "engine/nvidia/block_placement.hpp"
#include "engine/nvidia/same_sm.hpp"
#include "exporter/gpu/formats.hpp"
#include "exporter/gpu/same_sm_formats.hpp"

namespace amalthea::cli {
namespace {

namespace gpu = engine::gpu;
namespace nvidia = engine::nvidia;

struct PlaceOptions {
  std::string platform;
  std::int64_t sms = 0;
  std::int64_t max_warps = 0;
  std::int64_t sms_per_gpc = 0;
  std::string scan = "even-odd";
  std::string ties = "stream";
  std::vector<std::string> streams;
  std::int64_t matrix = 0;
  std::int64_t held = 0;
  std::int64_t others = 0;
  std::string picture;
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

/// The limits for the placement: those of the profile, or as given; then only warps count. Nothing and a message if
/// unknown.
std::optional<gpu::SmLimits> placement_limits(const PlaceOptions& options) {
  gpu::SmLimits limits;
  if (!options.platform.empty()) {
    const auto profile = nvidia_profile(options.platform);
    if (!profile) return std::nullopt;
    limits = *profile->multiprocessors;
  } else if ((options.sms == 0 && options.matrix == 0) || options.max_warps == 0) {
    unusable("gpu place needs --platform, or --sms and --max-warps");
    return std::nullopt;
  } else {
    limits.blocks = options.max_warps;  // warps are the only limit
  }
  if (options.sms > 0) limits.sms = options.sms;
  if (options.max_warps > 0) limits.threads = options.max_warps * limits.warp_size;
  if (options.sms_per_gpc > 0) limits.sms_per_gpc = options.sms_per_gpc;
  return limits;
}

nvidia::TiePolicy ties_of(const PlaceOptions& options) {
  return options.ties == "last-sm" ? nvidia::TiePolicy::last_sm
         : options.ties == "scan"  ? nvidia::TiePolicy::scan
                                   : nvidia::TiePolicy::stream;
}

int run_matrix(const PlaceOptions& options, const gpu::SmLimits& limits) {
  if (!options.streams.empty()) return unusable("--matrix is about all sizes of blocks; omit the streams");
  nvidia::SameSmQuestion question;
  question.warps = limits.max_warps();
  question.size = options.matrix;
  question.held = options.held;
  question.others = options.others > 0 ? options.others : options.held;
  question.ties = ties_of(options);
  if (options.held > 0 && options.others > 0) return unusable("use either --held or --held-by-others");
  if (question.size > question.warps || question.held >= question.warps || question.others >= question.warps)
    return unusable(
        fmt::format("an SM holds {} warps; expected at most as many, and fewer before the blocks", question.warps));
  if (!options.picture.empty() && !write_data(options.picture, exporter::render_same_sm_svg(question)))
    return ExitCode::unusable;
  return written(
      options.format == "json" ? exporter::render_same_sm_json(question) : exporter::render_same_sm_text(question),
      ExitCode::all_well);
}

int run(const PlaceOptions& options) {
  constexpr std::int64_t max_blocks = 1'000'000;
  const auto limits = placement_limits(options);
  if (!limits) return ExitCode::unusable;
  if (options.matrix > 0) return run_matrix(options, *limits);
  if (options.streams.empty()) return unusable("gpu place needs a STREAM such as 4x5, or --matrix");
  std::vector<nvidia::StreamBlocks> streams;
  std::int64_t blocks = 0;
  for (const std::string& text : options.streams) {
    const auto stream = stream_blocks(text);
    if (!stream)
      return unusable(fmt::format("\"{}\": expected BLOCKSxWARPS such as 4x5, both whole numbers above zero", text));
    if (stream->warps > limits->max_warps())
      return unusable(fmt::format("\"{}\": a block of {} warps does not fit on an SM, which holds {}", text,
                                  stream->warps, limits->max_warps()));
    if (stream->blocks > max_blocks - blocks)
      return unusable(fmt::format("\"{}\": the streams have more than {} blocks in total", text, max_blocks));
    blocks += stream->blocks;
    streams.push_back(*stream);
  }
  const auto scan = options.scan == "gpc"         ? nvidia::ScanOrder::gpc
                    : options.scan == "ascending" ? nvidia::ScanOrder::ascending
                                                  : nvidia::ScanOrder::even_odd;
  const auto placement = place_streams(nvidia::BlockPlacement(*limits, scan, ties_of(options)), streams);
  return written(options.format == "json" ? exporter::render_placement_json(placement)
                                          : exporter::render_placement_text(streams, placement),
                 ExitCode::all_well);
}

}  // namespace

void add_gpu_place(CLI::App& gpu, int& exit_code) {
  auto options = std::make_shared<PlaceOptions>();
  CLI::App* verb = gpu.add_subcommand("place", "Predict which SM runs which block of several streams");
  verb->add_option("STREAM", options->streams, "Blocks x warps per block of each stream, such as 4x5, in launch order");
  add_options(
      *verb,
      {row("platform", &options->platform, "GPU profile: built-in name (tx2, xavier, ...) or JSON file",
           {group::options}, {.takes = "NAME", .file = FileKind::read}),
       row("sms", &options->sms, "Number of SMs", {group::options}, {.range = Range{1, 1024}, .usual = ""}),
       row("max-warps", &options->max_warps, "Warps per SM", {group::options}, {.range = Range{1, 65536}, .usual = ""}),
       row("sms-per-gpc", &options->sms_per_gpc, "SMs per GPC", {group::options},
           {.range = Range{1, 1024}, .usual = ""}),
       row("scan", &options->scan, "Order in which the block scheduler tries SMs", {group::options},
           {.choices = {"even-odd", "gpc", "ascending"}}),
       row("ties", &options->ties,
           "How to choose between SMs with equal room: those of the preceding stream first, the first in scan order, "
           "or that of the previous block",
           {group::options}, {.choices = {"stream", "scan", "last-sm"}})});
  CLI::Option* matrix =
      verb->add_option("--matrix", options->matrix,
                       "Print for blocks of 1 to N warps whether a block joins the SM of an earlier one")
          ->check(CLI::Range(1, 64));
  verb->add_option("--held", options->held, "Warps that every SM holds before, for --matrix")
      ->check(CLI::Range(1, 65536))
      ->needs(matrix);
  verb->add_option("--held-by-others", options->others,
                   "Warps that every SM but that of the earlier block holds before")
      ->check(CLI::Range(1, 65536))
      ->needs(matrix);
  add_output(*verb, "--picture", options->picture, "Also draw the matrix as SVG")
      ->type_name("FILE")
      ->group(group::output)
      ->needs(matrix);
  add_format(*verb, options->format);
  describe(*verb, {"amalthea gpu place 4x5 8x2 --platform xavier", "amalthea gpu place 4x5 8x2 --sms 8 --max-warps 64",
                   "amalthea gpu place --matrix 32 --max-warps 64 --picture table-ii.svg"});
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
