// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Integers of JSON texts that this program writes and reads again.

#include <cstdint>
#include <utility>

#include <nlohmann/json.hpp>

namespace amalthea::exporter {

/// Throws Json::type_error for everything else: floats, whose cast is undefined for 1e300, and what does not fit.
template <typename Integer, typename Json>
Integer integer_in(const Json& json) {
  const bool fits = json.is_number_unsigned()
                        ? std::in_range<Integer>(json.template get<std::uint64_t>())
                        : json.is_number_integer() && std::in_range<Integer>(json.template get<std::int64_t>());
  if (!fits) throw Json::type_error::create(302, "expected an integer in range", &json);
  return json.template get<Integer>();
}

/// A list of them, of any length or of exactly the length of an array.
template <typename Integers, typename Json>
Integers integers_in(const Json& list) {
  using Integer = typename Integers::value_type;
  if (!list.is_array()) throw Json::type_error::create(302, "expected a list", &list);
  Integers integers{};
  if constexpr (requires { integers.push_back(Integer()); }) {
    for (const Json& json : list) integers.push_back(integer_in<Integer>(json));
  } else {
    if (list.size() != integers.size())
      throw Json::type_error::create(302, "expected another number of integers", &list);
    for (std::size_t index = 0; index < integers.size(); ++index) integers[index] = integer_in<Integer>(list.at(index));
  }
  return integers;
}

}  // namespace amalthea::exporter
