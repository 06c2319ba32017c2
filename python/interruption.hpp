// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Long work in a thread of its own: the thread that waits for it handles signals, so that Ctrl-C stops the work, and
/// reports its progress. Other Python threads run meanwhile.

#include <functional>

#include <pybind11/pybind11.h>

#include "amalthea/work.hpp"

namespace amalthea::python {

/// Called with the global interpreter lock. `progress` is None or a callable that takes the share that is done, from 0
/// to 1. Throws what `job` throws, or the Python exception of a signal or of `progress`.
void run_interruptibly(Work& work, const pybind11::object& progress, const std::function<void()>& job);

}  // namespace amalthea::python
