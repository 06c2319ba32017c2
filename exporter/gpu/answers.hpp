// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the standalone GPU models answer, as text and JSON (docs/reference/gpu.md, gpu-amd.md, makespan.md), and as CSV
/// and drawings. The JSON forms are one object and end with a line end.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/amd/partition.hpp"
#include "engine/devices/launch_order.hpp"
#include "engine/devices/stream_simulation.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/nvidia/block_placement.hpp"
#include "engine/nvidia/makespan/annealing.hpp"
#include "engine/nvidia/makespan/search.hpp"
#include "engine/nvidia/memory_model.hpp"
#include "engine/nvidia/placement_study.hpp"
#include "engine/nvidia/response_time.hpp"
#include "engine/nvidia/response_time_trace.hpp"
#include "engine/nvidia/same_sm.hpp"
#include "engine/nvidia/time_slice_analysis.hpp"
#include "engine/nvidia/tx2_measurements.hpp"
#include "engine/nvidia/warp_study.hpp"
#include "engine/nvidia/warps.hpp"
#include "engine/results/statistics.hpp"
#include "explore/combinations.hpp"
#include "exporter/gpu/timeline_formats.hpp"

namespace amalthea::exporter {

/// `profile` has multiprocessors.
struct OccupancyAnswer {
  engine::DeviceProfile profile;
  engine::gpu::Occupancy occupancy;
};
std::string render_json(const OccupancyAnswer& answer);
std::string render_text(const OccupancyAnswer& answer, bool colour);

struct PlacementAnswer {
  std::vector<engine::nvidia::StreamBlocks> streams;
  /// The SM of every block, one row per stream; nothing for a block that waits.
  std::vector<std::vector<std::optional<engine::gpu::SmIndex>>> sms;
};
std::string render_json(const PlacementAnswer& answer);
std::string render_text(const PlacementAnswer& answer, bool colour);

/// The matrix of blocks that join the SM of an earlier one.
std::string render_json(const engine::nvidia::SameSmQuestion& question);
std::string render_text(const engine::nvidia::SameSmQuestion& question, bool colour);
/// Cells that the paper colors; each contains the warps that remain on the SM of x.
std::string render_same_sm_svg(const engine::nvidia::SameSmQuestion& question);

struct PlacementStudyAnswer {
  std::vector<engine::nvidia::PlacementStudyRow> rows;
};
std::string render_json(const PlacementStudyAnswer& answer);
std::string render_text(const PlacementStudyAnswer& answer, bool colour);

/// The given, the best and the worst launch order, and the responses of all operations in the given and the best one.
struct LaunchOrderAnswer {
  engine::gpu::StreamScenario scenario;
  engine::gpu::LaunchOrders orders;
  engine::gpu::StreamRun given, best;  ///< operations as in the orders
};
std::string render_json(const LaunchOrderAnswer& answer);
std::string render_text(const LaunchOrderAnswer& answer, bool colour);

/// What a task of a model, or a stream of a scenario, gets under a variant of the policies.
struct PolicyTimes {
  std::optional<Duration> bound = {};              ///< on its response time
  engine::Sample response = engine::Sample(1000);  ///< simulated
};
/// Variants of how a GPU is shared, beside each other.
struct PolicyStudy {
  struct Policy {
    std::string name;
    std::vector<std::string> choices;  ///< the first one: as given
  };
  struct Party {
    std::string name;
    std::optional<Duration> limit = {};  ///< its deadline, else its period
  };
  struct Variant {
    explore::JudgedCombination judged;  ///< parallel to the policies
    std::vector<PolicyTimes> times;     ///< parallel to the parties
  };
  struct Timeline {
    std::size_t variant = 0;
    std::string svg;
  };
  std::string title;
  bool has_bounds = false;  ///< for a model; a scenario has times without limits
  std::vector<Policy> policies;
  std::vector<Party> parties;
  std::vector<Variant> variants;         ///< best first
  bool all = true;                       ///< there are no others
  std::uint64_t impossible = 0;          ///< variants that cannot run
  std::string reason = {};               ///< why, of the first of them
  std::vector<Timeline> timelines = {};  ///< of the given, the best and the worst variant, for the page
};
std::string render_json(const PolicyStudy& study);
std::string render_text(const PolicyStudy& study, bool colour);
/// A row for every variant and party.
std::string render_csv(const PolicyStudy& study);
/// "as given", or the choices that differ: "slice of A: 5 ms, contexts: MPS".
std::string describe(const PolicyStudy& study, const PolicyStudy::Variant& variant);
/// Where the given variant is among them.
std::size_t given_variant(const PolicyStudy& study);

/// Contains utilization and verdict if the problem states periods. A kernel without a result is null.
struct RtaAnswer {
  engine::nvidia::RtaProblem problem;
  engine::nvidia::RtaResult result;
};
std::string render_json(const RtaAnswer& answer);
std::string render_text(const RtaAnswer& answer, bool colour);

/// The worst job of every kernel over at least a hyperperiod.
struct PeriodicRtaAnswer {
  engine::nvidia::RtaProblem problem;
  engine::nvidia::PeriodicRtaResult result;
};
std::string render_json(const PeriodicRtaAnswer& answer);
std::string render_text(const PeriodicRtaAnswer& answer, bool colour);

struct RtaTrace {
  std::vector<engine::nvidia::RtaStep> steps;
};
std::string render_json(const RtaTrace& trace);
std::string render_text(const RtaTrace& trace, bool colour);

struct StreamsAnswer {
  engine::gpu::StreamScenario scenario;
  engine::gpu::StreamRun run;
  TimelineOptions timeline;
};
std::string render_json(const StreamsAnswer& answer);
/// Every operation, and a summary of each stream.
std::string render_text(const StreamsAnswer& answer, bool colour);
/// A row for every operation.
std::string render_csv(const StreamsAnswer& answer);
/// A run of which only the timeline is of interest.
struct StreamsDrawing {
  StreamsAnswer drawn;
};
std::string render_text(const StreamsDrawing& drawing, bool colour);

struct BoundsAnswer {
  engine::nvidia::TimeSliceProblem problem;
  engine::nvidia::TimeSliceBounds bounds;
};
std::string render_json(const BoundsAnswer& answer);
std::string render_text(const BoundsAnswer& answer, bool colour);

/// A query to the model of memory interference.
struct InterferenceQuestion {
  engine::nvidia::MemoryKernel kernel;
  std::vector<engine::nvidia::MemoryKernels> others;
  engine::nvidia::CpuTraffic cpu;
};
/// `profile` has measured_memory.
struct InterferenceAnswer {
  engine::DeviceProfile profile;
  InterferenceQuestion question;
  engine::nvidia::InterferencePrediction prediction;
};
std::string render_json(const InterferenceAnswer& answer);
std::string render_text(const InterferenceAnswer& answer, bool colour);

/// For a profile without measured_memory.
struct CoarseInterference {
  engine::DeviceProfile profile;
  double memory_share = 1;
  engine::nvidia::CoarsePrediction prediction;
};
std::string render_json(const CoarseInterference& answer);
std::string render_text(const CoarseInterference& answer, bool colour);

/// The model compared with measurements.
struct ComparedMeasurements {
  engine::DeviceProfile profile;
  std::vector<engine::nvidia::ComparedMeasurement> rows;
};
std::string render_json(const ComparedMeasurements& answer);
std::string render_text(const ComparedMeasurements& answer, bool colour);

struct MakespanAnswer {
  engine::nvidia::makespan::Problem problem;
  engine::nvidia::makespan::SearchResult result;
  /// If `result` is from annealing: upper bounds only.
  std::optional<engine::nvidia::makespan::AnnealingResult> annealing = {};
  /// Whether the result depends on the speed of the machine. Else no elapsed time is shown: all runs give the same bytes.
  bool timed = false;
};
std::string render_json(const MakespanAnswer& answer);
std::string render_text(const MakespanAnswer& answer, bool colour);
/// The longest schedule of every annealing run so far, by iteration. As CSV (run, start, iteration, makespan) or SVG.
std::string render_annealing_csv(const MakespanAnswer& answer);
std::string render_annealing_svg(const MakespanAnswer& answer);

/// A warp string and the cycle of each of its entries.
struct WarpStringAnswer {
  engine::nvidia::makespan::Problem problem;
  engine::nvidia::makespan::StringSchedule schedule;
};
std::string render_json(const WarpStringAnswer& answer);
std::string render_text(const WarpStringAnswer& answer, bool colour);

struct PartitionRow {
  std::string name;  ///< name of the strategy
  engine::gpu::CuMask mask;
  std::optional<engine::gpu::CuMask> against_mask;
  engine::amd::Partition times;
  std::vector<std::string> warnings;  ///< ids of diagnostics
};
/// Experiments with the compute units of AMD GPUs.
struct PartitionTable {
  std::string platform;
  std::string kernel;
  std::string against;  ///< "": alone
  std::vector<PartitionRow> rows = {};
  bool is_one = false;  ///< the JSON form is that of its times: `{"median_ps": …, "min_ps": …, "max_ps": …}`
};
std::string render_json(const PartitionTable& table);
std::string render_text(const PartitionTable& table, bool colour);
/// CSV: the responses of all launches.
std::string render_samples_csv(const PartitionTable& table);

struct WarpsAnswer {
  engine::nvidia::WarpScenario scenario;
  engine::nvidia::WarpRun run;
};
std::string render_json(const WarpsAnswer& answer);
std::string render_text(const WarpsAnswer& answer, bool colour);

struct WarpStudyAnswer {
  engine::nvidia::WarpStudy study;
  std::vector<engine::nvidia::WarpStudyRow> rows;
};
std::string render_json(const WarpStudyAnswer& answer);
std::string render_text(const WarpStudyAnswer& answer, bool colour);
std::string render_csv(const WarpStudyAnswer& answer);
/// The change of the second kernel's response against GTO, one curve per policy and budget.
std::string render_warp_study_svg(const WarpStudyAnswer& answer);

}  // namespace amalthea::exporter
