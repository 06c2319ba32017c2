// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The GPU models on their own, without an AMALTHEA model (docs/reference/gpu.md). For each there is a request, the rows
/// of its options (`options`) and what it answers (`answer`).

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "analysis/failure.hpp"
#include "analysis/option.hpp"
#include "exporter/gpu/answers.hpp"

namespace amalthea::analysis::gpu {

/// A JSON file, or its content; `path` then only names it in messages.
struct Scenario {
  std::string path;
  std::optional<std::string> text = {};
};

/// How a caller follows a computation.
struct Watch {
  std::function<void(const std::string& line)> tell = [](const auto&) {};  ///< "warning: …", "note: …"
  std::function<void(const Diagnostics& findings)> found = [](const auto&) {};
  std::function<void(const std::string& text)> progress = [](const auto&) {};
  /// Asked before the work for files that take long to make; false, after a message, ends it. The option is named for a
  /// file that only the scenario names.
  std::function<bool(const std::string& option, const std::string& path)> can_write = [](const auto&, const auto&) {
    return true;
  };
};

/// The answer to a request: one of several forms, which `exporter::render_text` and `render_json` show.
template <typename... Forms>
struct Answer {
  std::variant<Forms...> form;
  bool good = true;                                             ///< no limit is missed
  std::vector<std::pair<std::string, std::string>> files = {};  ///< paths and bytes that the options ask for
};

/// The blocks that fit on an SM.
struct OccupancyRequest {
  std::string platform = "tx2";
  engine::gpu::BlockShape shape;
  bool threshold_counts = false;
};
OptionTable options(OccupancyRequest& request);
Outcome<Answer<exporter::OccupancyAnswer>> answer(const OccupancyRequest& request, const Watch& watch = {});

/// Which SM runs which block of several streams, or all pairs of sizes for which it is that of an earlier block.
struct PlaceRequest {
  std::vector<std::string> streams;  ///< "4x5": 4 blocks of 5 warps
  std::string platform;
  std::int64_t sms = 0, max_warps = 0, sms_per_gpc = 0;  ///< 0: those of the platform
  std::string scan = "even-odd";
  std::string ties = "stream";
  std::int64_t matrix = 0, held = 0, held_by_others = 0;
  std::string picture;
};
OptionTable options(PlaceRequest& request);
Outcome<Answer<exporter::PlacementAnswer, engine::nvidia::SameSmQuestion>> answer(const PlaceRequest& request,
                                                                                  const Watch& watch = {});

/// How often round robin predicts the wrong SM.
struct PlacementStudyRequest {
  std::string platform = "xavier";
  engine::nvidia::PlacementStudy study;
};
OptionTable options(PlacementStudyRequest& request);
Outcome<Answer<exporter::PlacementStudyAnswer>> answer(const PlacementStudyRequest& request, const Watch& watch = {});

/// Response times of kernels on one execution engine.
struct RtaRequest {
  Scenario scenario;
  std::string algorithm = "corrected";
  std::string releases = "once";
  bool trace = false;
  std::int64_t sms = 0;  ///< to draw the blocks on; 0: do not draw them
  std::string timeline;
};
OptionTable options(RtaRequest& request);
Outcome<Answer<exporter::RtaAnswer, exporter::PeriodicRtaAnswer, exporter::RtaTrace, exporter::StreamsDrawing>> answer(
    const RtaRequest& request, const Watch& watch = {});

/// Bounds for processes that share a GPU in time slices.
struct BoundsRequest {
  Scenario scenario;
};
OptionTable options(BoundsRequest& request);
Outcome<Answer<exporter::BoundsAnswer>> answer(const BoundsRequest& request, const Watch& watch = {});

/// A simulation of contexts, streams, queues and blocks.
struct RunRequest {
  Scenario scenario;
  std::string platform;
  std::vector<std::string> timelines;
  std::string active_threads;
  std::uint64_t width = 0;
  std::string log_directory;
  std::vector<std::string> block_times, blocks;
  std::optional<double> copy_rate;
  std::int64_t iterations = 0;
  std::uint64_t max_steps = engine::gpu::default_stream_steps;
};
OptionTable options(RunRequest& request);
Outcome<Answer<exporter::StreamsAnswer>> answer(const RunRequest& request, const Watch& watch = {});

/// Other launch orders of the independent operations of a scenario.
struct LaunchOrderRequest {
  Scenario scenario;
  std::string platform;
  engine::gpu::LaunchOrderSearch search;
  std::string timeline;
};
OptionTable options(LaunchOrderRequest& request);
Outcome<Answer<exporter::LaunchOrderAnswer>> answer(const LaunchOrderRequest& request, const Watch& watch = {});

/// Ways to share a GPU, beside each other: of a scenario, or of a model.
struct PolicyStudyRequest {
  Scenario scenario;  ///< or a model file
  std::string platform;
  std::vector<std::string> vary;  ///< "slices", "priorities", …; none: all that the input has
  std::uint64_t variants = 200;
  std::uint64_t runs = 5;  ///< of a model, with random execution times
  std::uint64_t seed = 1;
  std::string until;  ///< of each run of a model; "": the hyperperiod
  std::string page;
};
OptionTable options(PolicyStudyRequest& request);
Outcome<Answer<exporter::PolicyStudy>> answer(const PolicyStudyRequest& request, const Watch& watch = {});

/// The slowdown of a kernel by others and by CPUs.
struct InterferenceRequest {
  std::string platform = "tx2";
  std::string kernel;
  std::vector<std::string> beside;
  std::string cpu = "none";
  std::optional<std::uint64_t> cpu_cores;
  bool against_measurements = false;
};
OptionTable options(InterferenceRequest& request);
Outcome<Answer<exporter::InterferenceAnswer, exporter::CoarseInterference, exporter::ComparedMeasurements>> answer(
    const InterferenceRequest& request, const Watch& watch = {});

/// The longest execution time of the warps of a kernel on an SM.
struct MakespanRequest {
  std::vector<std::string> kernels;  ///< on one SM
  std::string ptx, sass, architecture;
  std::string string, schedule, curve;
  std::vector<std::string> warps;  ///< for all kernels, or for each
  std::string sigma = "4";
  std::vector<std::string> units, latencies;
  std::int64_t dispatch = 1;  ///< instructions of a warp in one cycle: 1 or 2
  bool anneal = false;
  std::optional<std::uint64_t> iterations;
  engine::nvidia::makespan::AnnealingOptions annealing;  ///< `runs`, `temperature` and `seed`
  double time_limit = 0;
  std::uint64_t memory_limit = 900;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
};
OptionTable options(MakespanRequest& request);
Outcome<Answer<exporter::MakespanAnswer, exporter::WarpStringAnswer>> answer(const MakespanRequest& request,
                                                                             const Watch& watch = {});

/// The warp schedulers of an SM, cycle by cycle, or a study of random programs.
struct WarpsRequest {
  std::vector<std::string> latencies;
  std::int64_t kernels = 0;  ///< 0: the length of the longest list
  std::string warps = "1";
  std::string releases;
  std::int64_t offset = 0;
  std::string policy = "gto";
  std::string budgets = "1";
  std::int64_t sub_cores = 1;
  std::string pipelines = "free";
  bool sweep = false;
  engine::nvidia::WarpStudy study;
  std::string picture;
};
OptionTable options(WarpsRequest& request);
Outcome<Answer<exporter::WarpsAnswer, exporter::WarpStudyAnswer>> answer(const WarpsRequest& request,
                                                                         const Watch& watch = {});

/// Response times of kernels under CU masks of an AMD GPU.
struct PartitionRequest {
  std::string platform = "radeon-vii";
  std::string kernel, mask, against;
  std::string against_mask = "full";
  std::int64_t units = 0;
  std::uint64_t launches = 9;
  std::string pause, offset, samples;
};
OptionTable options(PartitionRequest& request);
Outcome<Answer<exporter::PartitionTable>> answer(const PartitionRequest& request, const Watch& watch = {});

}  // namespace amalthea::analysis::gpu
