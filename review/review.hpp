#pragma once
/// \file
/// A design review of a model: does it conform to its metamodel, can it be analysed, and what looks unintended in it.

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"

namespace amalthea::review {

/// Adds what checking against the metamodel, building the system and all rules find. A model that cannot be built is
/// reviewed as far as that is possible without. What one of them says of a place is not said again by the next.
void review_model(const Model& model, Diagnostics& diagnostics);

}  // namespace amalthea::review
