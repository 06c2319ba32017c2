// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the fuzz targets share. Each target is one `LLVMFuzzerTestOneInput` in a file of its own; `tests/fuzz/run`
/// builds them with clang's libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "amalthea/diagnostic.hpp"
#include "importer/reading/model_reader.hpp"

namespace amalthea::fuzz {

/// A promise of the target. libFuzzer keeps the input that breaks it.
inline void require(bool holds) {
  if (!holds) std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Calls of runnables can multiply: a model of 5 kB had 130 000 activities. The limit itself is tested elsewhere.
inline constexpr std::size_t max_activities = 20'000;

/// Inputs stay cheap, so that many are tried per second.
inline importer::Limits small_limits() {
  importer::Limits limits;
  limits.max_file_size = limits.max_unpacked_size = 1U << 20U;
  limits.max_depth = 64;
  limits.max_elements = 20000;
  return limits;
}

inline std::optional<Model> read(std::string_view bytes, Diagnostics& findings) {
  static const importer::Limits limits = small_limits();
  return importer::read_model_from_bytes("fuzz.amxmi", std::string(bytes), limits, findings);
}

}  // namespace amalthea::fuzz
