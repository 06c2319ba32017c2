// SPDX-License-Identifier: Apache-2.0
#include "engine/gpu/sharing.hpp"

namespace amalthea::engine::gpu {

std::string_view name_of(ContextPriority priority) {
  switch (priority) {
    case ContextPriority::low:
      return "low";
    case ContextPriority::medium:
      return "medium";
    case ContextPriority::high:
      return "high";
  }
  return "";
}

std::string_view name_of(Preemption preemption) {
  switch (preemption) {
    case Preemption::instruction:
      return "instruction";
    case Preemption::block:
      return "block";
    case Preemption::kernel:
      return "kernel";
  }
  return "";
}

std::string_view name_of(StreamPriority priority) { return priority == StreamPriority::high ? "high" : "low"; }

}  // namespace amalthea::engine::gpu
