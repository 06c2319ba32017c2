#pragma once
/// \file
/// How kernels, copies and CPUs slow each other through memory: the coarse table of factors.
///
/// Source: Olmedo et al., RTAS 2020 (N21): the paper's curves are lost, its maxima are what the table holds.

#include "engine/slowdown.hpp"

namespace amalthea::engine::nvidia {

/// The full slowdown of a victim that is bound by memory all the time, beside an aggressor that is, too.
struct InterferenceTable {
  Slowdown kernel_by_memcpy;     ///< a copy engine that copies
  Slowdown kernel_by_memset;     ///< a copy engine that sets memory
  Slowdown kernel_by_same_gpc;   ///< another kernel in the same graphics processing cluster
  Slowdown kernel_by_other_gpc;  ///< another kernel in other clusters only
  Slowdown kernel_by_cpu;        ///< the CPUs at their worst
  Slowdown copy_by_kernel;
  Slowdown copy_by_cpu;

  friend bool operator==(const InterferenceTable&, const InterferenceTable&) = default;
};

}  // namespace amalthea::engine::nvidia
