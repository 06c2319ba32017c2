// SPDX-License-Identifier: Apache-2.0
#include "engine/gpu/queue_architecture.hpp"

namespace amalthea::engine::gpu {

std::string_view name_of(TurnRule rule) { return rule == TurnRule::oldest ? "oldest" : "round_robin"; }

}  // namespace amalthea::engine::gpu
