// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A test that has nothing to look at is skipped, by ctest's own word: neither passed nor failed.

#include <string_view>

namespace test {

/// Ends the test case as skipped. `missing` says what is not here, as in "no Graphviz (graphviz)": tools/run-tests counts
/// by it. Comes before everything else: a test case that has checked something cannot be skipped and fails, and so does
/// one that ends without having checked anything.
[[noreturn]] void skip(std::string_view missing);

}  // namespace test
