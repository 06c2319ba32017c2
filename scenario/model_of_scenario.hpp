// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Scenarios of streams as AMALTHEA models: what analyzes a model then analyzes a scenario.
///
/// Every operation of a scenario becomes a device task of its name, with one kernel or one copy, in the stream and the
/// process that the scenario states. It is released as often as the scenario says; a periodic operation has the limit
/// that it ends before its next release. While it does, a simulation of the model is one of the scenario: both submit
/// the same operations to the same device at the same instants, in the same order. A job of a task that waits for the
/// one before it would be submitted later than the call that it stands for.
///
/// What a model cannot say is refused, not left out.

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "engine/input/located_json.hpp"

namespace amalthea::scenario {

/// Whether the text is a scenario of streams, or a configuration of cuda_scheduling_examiner or hip_plugin_framework;
/// false for invalid JSON.
bool is_scenario(std::string_view text);

struct MadeModel {
  std::string text;  ///< of a model; comments state where its parts stand in the scenario (SourceText)
  std::vector<engine::TextError> assumptions;  ///< what the scenario leaves open, and how it is read
};

/// `path` names the scenario in the model. The error is located at what a model cannot say, or at what is malformed.
tl::expected<MadeModel, engine::TextError> model_of_scenario(std::string_view path, std::string_view text);

}  // namespace amalthea::scenario
