#pragma once
/// \file
/// Hardware of models from 0.9.0 on: structures that nest, modules in them, clocks of modules.

#include <optional>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/time.hpp"

namespace amalthea {

/// All modules of one class ("ProcessingUnit", "Memory", "Cache", …) in document order, at any depth.
std::vector<Element> modules(const Model& model, std::string_view class_name);

/// Clock of a module: defaultValue of its frequencyDomain.
std::optional<Frequency> clock_of(const Model& model, Element module, Diagnostics& diagnostics);

}  // namespace amalthea
