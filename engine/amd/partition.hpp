// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How long a kernel takes that is launched again and again on some compute units (CUs) of an AMD GPU, alone or beside
/// another one: the experiments of Otterness and Anderson (RTNS 2021, Tables 1 and 2, Figure 9), and what they warn of.

#include <optional>
#include <string>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/time.hpp"
#include "engine/amd/cu_mask.hpp"
#include "engine/amd/device_settings.hpp"

namespace amalthea::engine::amd {

struct PartitionTask {
  NamedKernel kernel;
  CuMask mask;
};

/// Of launches, from the host's call to the kernel's end.
struct ResponseTimes {
  Duration minimum;
  Duration median;  ///< the lower of the middle two
  Duration maximum;
  std::size_t launches = 0;
};

struct Partition {
  ResponseTimes task;
  std::optional<ResponseTimes> against;  ///< of the launches that ended within those of the task
};

struct PartitionOptions {
  Duration launch_overhead;
  std::size_t launches = 15;  ///< of the task, back to back; >= 1
};

/// Both tasks begin at once, each in an HSA queue of its own.
Partition measure_partition(const DeviceSettings& settings, const PartitionOptions& options, const PartitionTask& task,
                            const std::optional<PartitionTask>& against = std::nullopt);

/// A way to share the CUs between two tasks.
struct Strategy {
  std::string name;
  CuMask task;
  CuMask against;
};
/// "full": both everywhere. "even": even bits and odd bits. "uneven": the same, and the last CU for both. "packed",
/// "distributed": the first `units` for the task, the rest for the other. "distributed uneven": and the last CU for
/// both. 1 <= units < all.
std::vector<Strategy> strategies(const Layout& layout, std::int64_t units);

/// The worst practices: an SE whose few CUs hold up all others (AM0580), blocks that cut ahead of larger ones (AM0581).
void report_worst_practices(const Layout& layout, const PartitionTask& task,
                            const std::optional<PartitionTask>& against, Diagnostics& diagnostics);

/// What is wrong with so many HSA queues, if anything (AM0582).
void report_queues(const DeviceSettings& settings, std::int64_t queues, Diagnostics& diagnostics);

}  // namespace amalthea::engine::amd
