// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Response times of a kernel that is launched repeatedly on some compute units (CUs) of an AMD GPU, alone or beside
/// another kernel: the experiments of Otterness and Anderson (RTNS 2021, Tables 1 and 2, Figure 9), and the worst
/// practices they describe.

#include <optional>
#include <string>
#include <vector>

#include "amalthea/location.hpp"
#include "amalthea/time.hpp"
#include "engine/amd/cu_mask.hpp"
#include "engine/amd/device_settings.hpp"

namespace amalthea::engine::amd {

struct PartitionTask {
  NamedKernel kernel;
  CuMask mask;
};

/// Over launches, from the host's call to the end of the kernel.
struct ResponseTimes {
  Duration minimum;
  Duration median;  ///< the lower of the middle two
  Duration maximum;
  std::size_t launches = 0;
  Duration mean = {};
  Duration deviation = {};               ///< standard deviation of the launches
  std::vector<Duration> responses = {};  ///< ascending
};

struct Partition {
  ResponseTimes task;
  std::optional<ResponseTimes> against;  ///< over the launches that ended during those of the task
};

struct PartitionOptions {
  Duration launch_overhead;
  std::size_t launches = 15;  ///< of the task; >= 1
  Duration pause = {};        ///< of each host between the end of a kernel and the next call
  Duration offset = {};       ///< first call of the other task
};

/// Each task launches its kernel again and again, in an HSA queue of its own. The first call of `task` is at 0.
Partition measure_partition(const DeviceSettings& settings, const PartitionOptions& options, const PartitionTask& task,
                            const std::optional<PartitionTask>& against = std::nullopt);

/// A strategy to share the CUs between two tasks.
struct Strategy {
  std::string name;
  CuMask task;
  CuMask against;
};
/// "full": both use all CUs. "even": even bits and odd bits. "uneven": the same, and both use the last CU. "packed",
/// "distributed": the first `units` for the task, the rest for the other one. "distributed uneven": the same, and both
/// use the last CU. 1 <= units < all.
std::vector<Strategy> strategies(const Layout& layout, std::int64_t units);

/// Reports the worst practices: an SE with few CUs that delays all others (AM0580), blocks that overtake larger ones
/// (AM0581).
void report_worst_practices(const Layout& layout, const PartitionTask& task,
                            const std::optional<PartitionTask>& against, Diagnostics& diagnostics);

/// Reports problems with this number of HSA queues, if any (AM0582).
void report_queues(const DeviceSettings& settings, std::int64_t queues, Diagnostics& diagnostics);

}  // namespace amalthea::engine::amd
