// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// When a stimulus of a model occurs.

#include <optional>

#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "amalthea/views/stimuli.hpp"

namespace amalthea::importer::detail {

/// Whether the simulation supports stimuli of this kind: all except custom ones, PeriodicEvent and unknown classes.
bool is_simulated(const views::Stimulus& stimulus);

/// Nothing if the model does not state when it occurs, or not in a form that can be simulated; an error states why.
///
/// - Jitter that may be negative moves the offset by its minimum, so that it is not negative; if the offset would
///   become negative it counts from the next period.
/// - A variable rate with a clock of constant frequency is periodic.
/// - Occurrences at one instant that are listed more than once all count.
std::optional<Occurrence> occurrence_of(const Model& model, const views::Stimulus& stimulus, Diagnostics& diagnostics);

}  // namespace amalthea::importer::detail
