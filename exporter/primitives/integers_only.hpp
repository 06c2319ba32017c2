// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Files that this program writes, and reads again, contain no number but integers.

#include <nlohmann/json.hpp>

namespace amalthea::exporter {

/// A callback of `Json::parse` that throws Json::type_error for any other number: a cast of 1e300 is undefined.
template <typename Json>
bool integers_only(int /*depth*/, nlohmann::detail::parse_event_t event, Json& value) {
  if (event == nlohmann::detail::parse_event_t::value && value.is_number_float())
    throw Json::type_error::create(302, "expected an integer", &value);
  return true;
}

}  // namespace amalthea::exporter
