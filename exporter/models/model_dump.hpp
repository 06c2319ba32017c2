// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The canonical dump of a model: every object, attribute and reference on a separate line, for comparison.
///
///     /swModel/tasks.0 : Task                                   object: containment path and class
///     /swModel/tasks.0 @name = Control                          attribute that differs from its default
///     /swModel/tasks.0 @multipleTaskActivationLimit ~ 0         default of one that does not ("null": no value)
///     /swModel/tasks.0 >stimuli.0 = /stimuliModel/stimuli.2     reference and the path of its target
///     /swModel/tasks.0 >stimuli.1 = !proxy amlt:/#X?type=…      reference to another file that leads nowhere
///     /swModel/tasks.0 # Control?type=Task                      computed id
///     !unresolved Gone?type=Label                               reference in the file that leads nowhere
///
/// Lines are in byte order. With several files, each path begins with the name of its file and a colon. The dump
/// follows Eclipse EMF: it omits what the version of a file does not support, and values that EMF rejects; after a
/// token that EMF rejects in a list of references, the following ones are lost. Reals are written with 17 significant
/// digits, like printf's "%.16e".

#include <functional>
#include <string>
#include <string_view>

#include "amalthea/element.hpp"

namespace amalthea::exporter {

/// Passes on the dump in pieces of about a megabyte.
void dump_model(const Model& model, const std::function<void(std::string_view)>& write);

/// The whole dump as one string.
std::string dump_model(const Model& model);

}  // namespace amalthea::exporter
