// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Files whose root is a sub-model: the form of 0.7.0 and before, in which files of later releases stand, too.

#include "migration/detail/rule.hpp"

namespace amalthea::migration {

/// Puts a root that is a sub-model in the release the step comes from ("SWModel") into an Amalthea.
void contain_roots(Step& step);

}  // namespace amalthea::migration
