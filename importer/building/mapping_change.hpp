// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A task that is to run elsewhere, or otherwise, than the model has it.

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
  std::string core;                      ///< name of a processing unit, a GPU as well; "": where the model has it
  std::optional<std::int64_t> priority;  ///< without it the task keeps its own
  std::optional<bool> waits_actively;    ///< at every wait for events; without it as the model has it
  std::optional<Duration> time_slice;    ///< on a GPU, longer than zero; without it as the model has it
  Location location;                     ///< where this is asked for, if it is in a file
};

/// "TASK=CORE" or "TASK=CORE:PRIORITY"; the error says what was expected.
tl::expected<MappingChange, std::string> parse_mapping_change(std::string_view text);

/// Whether the finding says that a change cannot be made: it names something that the model does not have.
bool is_about_mapping_change(const Diagnostic& finding);

}  // namespace amalthea::importer
