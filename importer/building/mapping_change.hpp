// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A change of the mapping: a task runs on another unit, or with other parameters, than in the model.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "amalthea/diagnostic.hpp"
#include "amalthea/time.hpp"

namespace amalthea::importer {

struct MappingChange {
  std::string task;
  std::string core;                      ///< name of a processing unit, including GPUs; "": as in the model
  std::optional<std::int64_t> priority;  ///< nothing: the task keeps its own
  std::optional<bool> waits_actively;    ///< at every wait for events; nothing: as in the model
  std::optional<Duration> time_slice;    ///< on a GPU, longer than zero; nothing: as in the model
  Location location;                     ///< of the change, if it is in a file
};

/// "TASK=CORE" or "TASK=CORE:PRIORITY"; the error says what was expected.
tl::expected<MappingChange, std::string> parse_mapping_change(std::string_view text);

/// Whether the finding is about a change that is impossible because it names something that the model does not have.
bool is_about_mapping_change(const Diagnostic& finding);

}  // namespace amalthea::importer
