// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A model's mapping changed in its own files: what says who schedules a task, on which unit, with which priority, how
/// it waits for events and how long its GPU time slices are. No other byte changes.
///
/// Each of these is changed where the model says it, in whichever form of its version (views::priority_of tells where a
/// priority stands); what the model does not say yet is inserted as the file's version writes it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "exporter/rewriting/annotation.hpp"

namespace amalthea::exporter {

/// The time in the largest unit in which it is a whole number: 5 ms, 7200 us.
TimeText exact_time(Duration time);

/// What makes the files of `model`, of which `before` was built, say what `after` has: a system of the same model whose
/// tasks are on other units, have other priorities, ways of waiting or GPU time slices. By the positions of the
/// documents; what a wrapper that falls away in `after` would have is left as it is. Errors, and then nothing, where a
/// version cannot say it (AM0810) or nothing can refer to what a task needs (AM0811).
std::optional<std::map<std::uint32_t, std::vector<Splice>>> remap(const Model& model, const System& before,
                                                                  const System& after, Diagnostics& diagnostics);

}  // namespace amalthea::exporter
