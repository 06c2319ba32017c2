// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How the functions of this folder end without a result.

#include <cstdint>
#include <string>
#include <string_view>
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
  std::string message = {};  ///< what is wrong; "" if findings explain it
  std::string place = {};    ///< an option and its value, "--until 2x", or a file, "names.json:3:1"; "": the model
  std::string remedy = {};   ///< what helps, if the message leaves it open

  /// "until": the option that does not fit; "" if it is none. The same in all faces and versions.
  std::string_view option() const {
    const std::string_view word = std::string_view(place).substr(0, place.find(' '));
    return word.starts_with("--") ? word.substr(2) : std::string_view();
  }
  /// All of it in one sentence; "" if findings explain it.
  std::string text() const {
    return (place.empty() ? "" : place + ": ") + message + (remedy.empty() ? "" : "; " + remedy);
  }
};

template <typename Value>
using Outcome = tl::expected<Value, Failure>;

inline tl::unexpected<Failure> misused(std::string message) {
  return tl::unexpected(Failure{Failure::Kind::misused, std::move(message)});
}
/// `remedy` may be a suggestion of near_miss.hpp.
inline tl::unexpected<Failure> misused(std::string place, std::string message, std::string_view remedy = {}) {
  if (remedy.starts_with("; ")) remedy.remove_prefix(2);
  return tl::unexpected(Failure{Failure::Kind::misused, std::move(message), std::move(place), std::string(remedy)});
}
/// `error` begins with where it is in the file: "3:1: expected a name".
inline tl::unexpected<Failure> misread(const std::string& file, const std::string& error) {
  const std::size_t end = error.find(": ");
  if (end == error.npos) return misused(file, error);
  return misused(file + ":" + error.substr(0, end), error.substr(end + 2));
}

}  // namespace amalthea::analysis
