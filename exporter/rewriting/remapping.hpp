// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Changes a model's mapping in its own files: the scheduler of a task, its unit, its priority, its waiting behavior,
/// its GPU time slices, and offsets of periodic stimuli. No other byte changes.
///
/// Each of these is changed where the model states it, in the form of its version (views::priority_of finds a
/// priority). What the model does not state yet is inserted in the form of the file's version.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "exporter/primitives/splice.hpp"
#include "exporter/rewriting/annotation.hpp"

namespace amalthea::exporter {

/// The time as an integer in the largest possible unit: 5 ms, 7200 us.
TimeText exact_time(Duration time);

/// The id by which references in its own file lead to the element; nothing if another one has that id.
std::optional<std::string> id_in_file(Element element);

/// The splices that change the files of `model`, from which `before` was built, to match `after`: a system of the same
/// model whose tasks have other units, priorities, waiting behavior or GPU time slices, or periodic
/// stimuli other offsets. Indexed by the positions of the
/// documents. Wrappers that `after` removes are not changed. Errors, and then nothing, if a version cannot express it
/// (AM0810) or a required reference is impossible (AM0811).
std::optional<ModelSplices> remap(const Model& model, const System& before, const System& after,
                                  Diagnostics& diagnostics);

}  // namespace amalthea::exporter
