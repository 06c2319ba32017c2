// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// When a stimulus of a model occurs.

#include <optional>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "amalthea/views/stimuli.hpp"

namespace amalthea::importer::detail {

/// Whether stimuli of this kind are simulated: all but custom ones, PeriodicEvent and unknown classes.
bool is_simulated(const views::Stimulus& stimulus);

/// Nothing where the model does not say when it occurs, or not in a way that can be simulated: an error says why.
///
/// - Jitter that may be negative moves the offset by its least value, so that none is; where the offset would become
///   negative it counts from the next period.
/// - A variable rate with a clock of constant frequency is periodic.
/// - Where occurrences of one instant are listed more than once each counts.
std::optional<Occurrence> occurrence_of(const Model& model, const views::Stimulus& stimulus, Diagnostics& diagnostics);

}  // namespace amalthea::importer::detail
