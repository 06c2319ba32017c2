// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace amalthea::python {

/// Adds `batch` and `merge_batch`: many models, each in a process of its own.
void add_batch(pybind11::module_& module);

}  // namespace amalthea::python
