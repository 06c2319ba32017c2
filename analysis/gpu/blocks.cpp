// SPDX-License-Identifier: Apache-2.0
// Occupancy of SMs, and the placement of blocks on them.

#include "analysis/gpu/detail/steps.hpp"
#include "engine/nvidia/block_placement.hpp"

namespace amalthea::analysis::gpu {
namespace {

namespace nvidia = engine::nvidia;

/// "4x5": 4 blocks of 5 warps.
std::optional<nvidia::StreamBlocks> stream_blocks(std::string_view text) {
  const auto cross = text.find('x');
  if (cross == std::string_view::npos) return std::nullopt;
  const auto blocks = whole_number(text.substr(0, cross)), warps = whole_number(text.substr(cross + 1));
  if (!blocks || !warps || *blocks < 1 || *warps < 1) return std::nullopt;
  return nvidia::StreamBlocks{*blocks, *warps};
}

/// The limits for the placement: those of the profile, or as given; then only warps count.
Outcome<engine::gpu::SmLimits> placement_limits(const PlaceRequest& request) {
  engine::gpu::SmLimits limits;
  if (!request.platform.empty()) {
    const auto profile = nvidia_profile(request.platform);
    if (!profile) return tl::unexpected(profile.error());
    limits = *profile->multiprocessors;
  } else if ((request.sms == 0 && request.matrix == 0) || request.max_warps == 0) {
    return misused("gpu place needs --platform, or --sms and --max-warps");
  } else {
    limits.blocks = request.max_warps;  // warps are the only limit
  }
  if (request.sms > 0) limits.sms = request.sms;
  if (request.max_warps > 0) limits.threads = request.max_warps * limits.warp_size;
  if (request.sms_per_gpc > 0) limits.sms_per_gpc = request.sms_per_gpc;
  return limits;
}

nvidia::TiePolicy ties_of(const PlaceRequest& request) {
  return request.ties == "last-sm" ? nvidia::TiePolicy::last_sm
         : request.ties == "scan"  ? nvidia::TiePolicy::scan
                                   : nvidia::TiePolicy::stream;
}

using Placed = Answer<exporter::PlacementAnswer, nvidia::SameSmQuestion>;

Outcome<Placed> matrix(const PlaceRequest& request, const engine::gpu::SmLimits& limits) {
  if (!request.streams.empty()) return misused("--matrix is about all sizes of blocks; omit the streams");
  const nvidia::SameSmQuestion question{limits.max_warps(), request.matrix, request.held,
                                        request.held_by_others > 0 ? request.held_by_others : request.held,
                                        ties_of(request)};
  if (request.held > 0 && request.held_by_others > 0) return misused("use either --held or --held-by-others");
  if (question.size > question.warps || question.held >= question.warps || question.others >= question.warps)
    return misused(
        fmt::format("an SM holds {} warps; expected at most as many, and fewer before the blocks", question.warps));
  Placed placed{question};
  if (!request.picture.empty()) placed.files.emplace_back(request.picture, exporter::render_same_sm_svg(question));
  return placed;
}

}  // namespace

OptionTable options(OccupancyRequest& request) {
  return {
      platform_row(request.platform),
      row("threads", &request.shape.threads, "Threads per block", {group::options}, {.usual = "", .required = true}),
      row("registers", &request.shape.registers, "Registers per thread. Default: not counted", {group::options},
          {.usual = ""}),
      row("shared-memory", &request.shape.shared_memory, "Shared memory per block, in bytes", {group::options},
          {.usual = ""}),
      row("threshold-counts", &request.threshold_counts,
          "Count exactly 3 KB of shared memory, too. By default only more than 3 KB counts", {group::options})};
}

Outcome<Answer<exporter::OccupancyAnswer>> answer(const OccupancyRequest& request, const Watch&) {
  auto profile = nvidia_profile(request.platform);
  if (!profile) return tl::unexpected(profile.error());
  profile->multiprocessors->threshold_counts = request.threshold_counts;
  return at_place(profile->name, engine::gpu::occupancy(*profile->multiprocessors, request.shape))
      .map([&](engine::gpu::Occupancy&& found) {
        return Answer<exporter::OccupancyAnswer>{exporter::OccupancyAnswer{std::move(*profile), std::move(found)}};
      });
}

OptionTable options(PlaceRequest& request) {
  return {
      platform_row(request.platform),
      row("sms", &request.sms, "Number of SMs", {group::options}, {.range = Range{1, 1024}, .usual = ""}),
      row("max-warps", &request.max_warps, "Warps per SM", {group::options}, {.range = Range{1, 65536}, .usual = ""}),
      row("sms-per-gpc", &request.sms_per_gpc, "SMs per GPC", {group::options}, {.range = Range{1, 1024}, .usual = ""}),
      row("scan", &request.scan, "Order in which the block scheduler tries SMs", {group::options},
          {.choices = {"even-odd", "gpc", "ascending"}}),
      row("ties", &request.ties,
          "How to choose between SMs with equal room: those of the preceding stream first, the first in scan "
          "order, or that of the previous block",
          {group::options}, {.choices = {"stream", "scan", "last-sm"}}),
      row("matrix", &request.matrix, "Print for blocks of 1 to N warps whether a block joins the SM of an earlier one",
          {group::options}, {.range = Range{1, 64}, .usual = ""}),
      row("held", &request.held, "Warps that every SM holds before, for --matrix", {group::options},
          {.range = Range{1, 65536}, .usual = "", .needs = "matrix"}),
      row("held-by-others", &request.held_by_others, "Warps that every SM but that of the earlier block holds before",
          {group::options}, {.range = Range{1, 65536}, .usual = "", .needs = "matrix"}),
      row("picture", &request.picture, "Also draw the matrix as SVG", {group::output},
          {.takes = "FILE", .file = FileKind::written, .needs = "matrix"})};
}

Outcome<Placed> answer(const PlaceRequest& request, const Watch&) {
  constexpr std::int64_t max_blocks = 1'000'000;
  const auto limits = placement_limits(request);
  if (!limits) return tl::unexpected(limits.error());
  if (request.matrix > 0) return matrix(request, *limits);
  if (request.streams.empty()) return misused("gpu place needs a STREAM such as 4x5, or --matrix");
  std::vector<nvidia::StreamBlocks> streams;
  std::int64_t blocks = 0;
  for (const std::string& text : request.streams) {
    const auto stream = stream_blocks(text);
    if (!stream)
      return misused(fmt::format("\"{}\": expected BLOCKSxWARPS such as 4x5, both whole numbers above zero", text));
    if (stream->warps > limits->max_warps())
      return misused(fmt::format("\"{}\": a block of {} warps does not fit on an SM, which holds {}", text,
                                 stream->warps, limits->max_warps()));
    if (stream->blocks > max_blocks - blocks)
      return misused(fmt::format("\"{}\": the streams have more than {} blocks in total", text, max_blocks));
    blocks += stream->blocks;
    streams.push_back(*stream);
  }
  const auto scan = request.scan == "gpc"         ? nvidia::ScanOrder::gpc
                    : request.scan == "ascending" ? nvidia::ScanOrder::ascending
                                                  : nvidia::ScanOrder::even_odd;
  auto sms = place_streams(nvidia::BlockPlacement(*limits, scan, ties_of(request)), streams);
  return Placed{exporter::PlacementAnswer{std::move(streams), std::move(sms)}};
}

OptionTable options(PlacementStudyRequest& request) {
  return {platform_row(request.platform),
          row("configurations", &request.study.configurations,
              "Number of random configurations. They are split evenly between 2 to 8 streams", {group::options},
              {.range = Range{std::int64_t{1}, nvidia::max_studied}}),
          row("seed", &request.study.seed, "Random seed", {group::options})};
}

Outcome<Answer<exporter::PlacementStudyAnswer>> answer(const PlacementStudyRequest& request, const Watch&) {
  const auto profile = nvidia_profile(request.platform);
  if (!profile) return tl::unexpected(profile.error());
  nvidia::PlacementStudy study = request.study;
  study.limits = *profile->multiprocessors;
  return at_place("", nvidia::study_placement(study)).map([](auto&& rows) {
    return Answer<exporter::PlacementStudyAnswer>{exporter::PlacementStudyAnswer{std::move(rows)}};
  });
}

}  // namespace amalthea::analysis::gpu
