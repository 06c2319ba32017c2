// SPDX-License-Identifier: Apache-2.0
#include "engine/gpu/operation.hpp"

namespace amalthea::engine::gpu {

StreamOperationKind kind_of(const Activity& activity) {
  const auto* copy = std::get_if<Copy>(&activity);
  if (copy == nullptr) return StreamOperationKind::kernel;
  switch (copy->kind) {
    case CopyKind::host_to_device:
      return StreamOperationKind::host_to_device;
    case CopyKind::device_to_host:
      return StreamOperationKind::device_to_host;
    case CopyKind::memset:
      return StreamOperationKind::memset;
  }
  return StreamOperationKind::host_to_device;
}

std::string_view name_of_engine(EngineIndex engine) { return engine == 0 ? "EE" : engine == 1 ? "CE" : "CE2"; }

std::string_view name_of(StreamOperationKind kind) {
  switch (kind) {
    case StreamOperationKind::kernel:
      return "kernel";
    case StreamOperationKind::host_to_device:
      return "h2d";
    case StreamOperationKind::device_to_host:
      return "d2h";
    case StreamOperationKind::memset:
      return "memset";
  }
  return "";
}

}  // namespace amalthea::engine::gpu
