// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Files whose root is a sub-model: the form of 0.7.0 and before, which also occurs in files of later releases.

#include "migration/detail/rule.hpp"

namespace amalthea::migration {

/// Wraps a root that is a sub-model in the source release ("SWModel") in an Amalthea.
void contain_roots(Step& step);

}  // namespace amalthea::migration
