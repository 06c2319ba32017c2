// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Skips a test that lacks its input, with ctest's own mechanism: neither passed nor failed.

#include <string_view>

namespace test {

/// Ends the test case as skipped. `missing` states what is missing, as in "no Graphviz (graphviz)": tools/run-tests
/// counts by it. Must precede all checks: a test case that has checked something cannot be skipped and fails, and so
/// does one that ends without having checked anything.
[[noreturn]] void skip(std::string_view missing);

/// Skips a test that limits the address space, in a build with a sanitizer: sanitizers reserve terabytes of it.
inline void skip_if_sanitized() {
#ifdef AMALTHEA_SANITIZED
  skip("a build without sanitizers (this test limits the address space)");
#endif
}

}  // namespace test
