// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Views as text, one line per fact, to compare models of different versions.

#include <string>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/views/activity.hpp"
#include "amalthea/views/conditions.hpp"
#include "amalthea/views/deviations.hpp"
#include "amalthea/views/events.hpp"
#include "amalthea/views/stimuli.hpp"

namespace test {

/// "lower..average..upper kind".
std::string text_of(const amalthea::views::Deviation<std::int64_t>& deviation);
std::string text_of(const amalthea::views::Deviation<double>& deviation);
std::string text_of(const amalthea::views::Deviation<amalthea::Duration>& deviation);

/// "label == value && … || …"
std::string text_of(const amalthea::views::Condition& condition);

/// One item without its content.
std::string text_of(const amalthea::views::ActivityItem& item);
std::string text_of(const amalthea::views::Stimulus& stimulus);
std::string text_of(const amalthea::views::Event& event);

/// The events of the event model.
std::vector<amalthea::views::Event> events_of(const amalthea::Model& model);

/// The content of a container, indented by level.
std::string items_text(const amalthea::Model& model, amalthea::Element container, amalthea::Diagnostics& diagnostics,
                       int level = 0);

/// The software, stimuli, events and constraints of a model.
std::string software_text(const amalthea::Model& model, amalthea::Diagnostics& diagnostics);
std::string stimuli_text(const amalthea::Model& model, amalthea::Diagnostics& diagnostics);
std::string constraints_text(const amalthea::Model& model, amalthea::Diagnostics& diagnostics);

}  // namespace test
