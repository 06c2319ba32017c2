// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Integers of JSON texts that this program writes and reads again.

#include <nlohmann/json.hpp>

namespace amalthea::exporter {

/// Throws Json::type_error for everything else, floats included: a cast of 1e300 is undefined.
template <typename Integer, typename Json>
Integer integer_in(const Json& json) {
  if (json.is_number_float()) throw Json::type_error::create(302, "expected an integer", &json);
  return json.template get<Integer>();
}

}  // namespace amalthea::exporter
