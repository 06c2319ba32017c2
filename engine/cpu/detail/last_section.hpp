// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How the last section of a job runs under fixed priorities, and divisions that round to one side.

#include <algorithm>
#include <cstdint>

#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::cpu {

inline Duration last_cooperative_section(const CpuTask& task) {
  return task.cooperative ? task.last_cooperative : Duration{};
}

/// Its length; zero if nothing is known about it.
inline Duration last_section_of(const CpuTask& task) {
  return std::max(task.last.length, last_cooperative_section(task));
}

/// Whether another task of at least the priority of the first one preempts the last section of that.
inline bool preempts_last_section(const CpuTask& task, const CpuTask& other) {
  return task.last.length >= last_cooperative_section(task) ? other.priority > task.last.threshold : !other.cooperative;
}

/// The divisor is positive. Most often it is larger than the dividend, and a division takes much longer.
inline std::int64_t floor_of(std::int64_t a, std::int64_t b) {
  if (a >= 0) return a < b ? 0 : a / b;
  return a >= -b ? -1 : -((-a + b - 1) / b);
}
inline std::int64_t ceiling_of(std::int64_t a, std::int64_t b) { return -floor_of(-a, b); }

}  // namespace amalthea::engine::cpu
