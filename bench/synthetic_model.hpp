// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Models of a chosen size for benchmarks.

#include <string>

namespace amalthea::bench {

/// A model of AMALTHEA 2.0.0, in EMF's form, about as large as that of the WATERS 2017 challenge (1250 runnables, 10
/// 000 labels, 5 MB) times `scale`. The same for the same scale.
std::string synthetic_model(unsigned scale);

}  // namespace amalthea::bench
