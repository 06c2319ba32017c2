// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Errors on their way to Python: they become exceptions of amalthea_timing/errors.py.

#include <stdexcept>
#include <string>

#include "amalthea/diagnostic.hpp"

namespace amalthea::python {

struct Failure : std::runtime_error {
  enum class Kind : std::uint8_t { unreadable, refused, option };
  Failure(Kind kind_, const std::string& message, const Diagnostics& findings_)
      : std::runtime_error(message), kind(kind_), findings(findings_) {}
  Kind kind;
  Diagnostics findings;
};

}  // namespace amalthea::python
