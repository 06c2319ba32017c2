// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The GPU models on their own, for amalthea_timing/gpu.py.

#include <pybind11/pybind11.h>

namespace amalthea::python {

void add_gpu(pybind11::module_& module);

}  // namespace amalthea::python
