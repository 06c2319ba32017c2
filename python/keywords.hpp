// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Keywords of Python as the options of a request.

#include <pybind11/pybind11.h>

#include "analysis/option.hpp"

namespace amalthea::python {

/// Options by their keywords: text, numbers, booleans, lists of texts. None leaves an option as it is.
using Options = pybind11::dict;

/// Sets the members of the request that the rows belong to. Throws TypeError for an unknown name or another type, a
/// Failure for a value that a row does not accept.
void take(const Options& options, const analysis::OptionTable& rows);

}  // namespace amalthea::python
