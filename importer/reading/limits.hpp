// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Limits for untrusted model files.

#include <cstdint>

namespace amalthea::importer {

/// Exceeding a limit is an error at that location. Sizes are bytes of one file.
struct Limits {
  std::uint64_t max_file_size = 2'000'000'000;    ///< hard ceiling 4 GB: offsets are 32 bits
  std::uint64_t max_unpacked_size = 500'000'000;  ///< of a model in a ZIP archive; max_file_size also applies
  std::uint32_t max_depth = 512;                  ///< nesting of elements
  std::uint32_t max_elements = 50'000'000;
  std::uint32_t max_attributes_per_element = 1000;  ///< at most 65535
};

}  // namespace amalthea::importer
