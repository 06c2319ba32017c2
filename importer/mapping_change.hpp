#pragma once
/// \file
/// A task that is to run elsewhere than where the model maps it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "amalthea/diagnostic.hpp"

namespace amalthea::importer {

struct MappingChange {
  std::string task;
  std::string core;                      ///< name of a processing unit, a GPU as well
  std::optional<std::int64_t> priority;  ///< without it the task keeps its own
  Location location;                     ///< where this is asked for, if it is in a file
};

/// "TASK=CORE" or "TASK=CORE:PRIORITY"; the error says what was expected.
tl::expected<MappingChange, std::string> parse_mapping_change(std::string_view text);

/// Whether the finding says that a change cannot be made: it names something that the model does not have.
bool is_about_mapping_change(const Diagnostic& finding);

}  // namespace amalthea::importer
