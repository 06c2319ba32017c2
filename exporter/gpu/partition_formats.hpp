// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Text and JSON of experiments with the compute units of AMD GPUs (docs/reference/gpu-amd.md). The JSON forms are one
/// object and end with a line end.

#include <optional>
#include <string>
#include <vector>

#include "engine/amd/partition.hpp"

namespace amalthea::exporter {

struct PartitionRow {
  std::string name;  ///< name of the strategy
  engine::gpu::CuMask mask;
  std::optional<engine::gpu::CuMask> against_mask;
  engine::amd::Partition times;
  std::vector<std::string> warnings;  ///< ids of diagnostics
};

struct PartitionTable {
  std::string platform;
  std::string kernel;
  std::string against;  ///< "": alone
  std::vector<PartitionRow> rows;
};

/// `{"median_ps": …, "min_ps": …, "max_ps": …}`.
std::string render_response_times_json(const engine::amd::ResponseTimes& times);

/// CSV: the responses of all launches.
std::string render_samples_csv(const PartitionTable& table);
std::string render_partitions_json(const PartitionTable& table);
std::string render_partitions_text(const PartitionTable& table, bool colour);

}  // namespace amalthea::exporter
