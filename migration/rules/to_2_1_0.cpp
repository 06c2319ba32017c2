// SPDX-License-Identifier: Apache-2.0
// 2.0.0 → 2.1.0: local mode labels and arithmetic.

#include "migration/detail/steps.hpp"

namespace amalthea::migration {

// Additions alone. A Semaphore without a maxValue has one instead of none, but the value is always written; a
// MemoryMapping without a memory lacks what is mandatory now, and nothing better is known.
StepRules to_2_1_0() { return {Version::v2_1_0, {}}; }

}  // namespace amalthea::migration
