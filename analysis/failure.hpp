// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How the functions of this folder end without a result.

#include <cstdint>
#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace amalthea::analysis {

/// Why a step has no result.
struct Failure {
  enum class Kind : std::uint8_t {
    unreadable,  ///< the files are not a model
    misused,     ///< an option is wrong, or does not fit the model
    refused,     ///< the model has errors, or cannot be analyzed
  };
  Kind kind = Kind::refused;
  std::string message;  ///< what is wrong with which option or file, and what helps; "" if findings explain it
};

template <typename Value>
using Outcome = tl::expected<Value, Failure>;

inline tl::unexpected<Failure> misused(std::string message) {
  return tl::unexpected(Failure{Failure::Kind::misused, std::move(message)});
}

}  // namespace amalthea::analysis
