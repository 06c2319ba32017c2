// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Random valid models of any version, built in memory over the metamodel table.

#include <cstdint>
#include <string>
#include <vector>

#include "amalthea/editable_model.hpp"
#include "amalthea/metamodel.hpp"

namespace test {

/// The concrete classes that a model of the version can contain, the root included.
std::vector<amalthea::ClassId> containable_classes(amalthea::Version version);

/// Fills an empty model with two files that refer to each other, "one.amxmi" and "two.amxmi". Together they have at
/// least one object of every containable class. Attributes and references are set at random, names are unique and odd.
void fill_with_random_model(amalthea::EditableModel& model, amalthea::Version version, std::uint64_t seed);

}  // namespace test
