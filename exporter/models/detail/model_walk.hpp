// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Calls, reads, writes and triggers in a model of any version, for tables and drawings of models.

#include <functional>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/location.hpp"
#include "amalthea/views/activity.hpp"

namespace amalthea::exporter {

/// Every item of a task, ISR or runnable in document order, including those in groups, loops and switches.
void for_each_item(const Model& model, Element executable, Diagnostics& diagnostics,
                   const std::function<void(const views::ActivityItem&)>& visit);

enum class Relation { calls, reads, writes, triggers };
struct Use {
  Relation relation;
  Element what;  ///< a runnable, label, channel, mode label or stimulus; never empty
};
/// Everything an executable uses, with repetitions.
std::vector<Use> uses_of(const Model& model, Element executable, Diagnostics& diagnostics);

}  // namespace amalthea::exporter
