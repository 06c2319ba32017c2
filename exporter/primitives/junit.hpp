// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// JUnit XML, as pipelines read it: suites of test cases that passed, failed, or could not be judged. Readers want
/// the time that each took; it is always 0, so that equal runs give equal documents.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/location.hpp"

namespace amalthea::exporter {

struct JunitCase {
  enum class Outcome : std::uint8_t { passed, failed, error };  ///< error: not judged
  std::string name;
  Location place;  ///< line 0: unknown
  Outcome outcome = Outcome::passed;
  std::string type;  ///< of the failure: an id or a verdict
  std::string text;  ///< why; of a passed case too, "" for none
};

/// The document consists of the beginning, any number of suites and the end.
std::string junit_begin();
/// `name` is that of the suite and the class of its cases.
std::string junit_suite(std::string_view name, const std::vector<JunitCase>& cases);
std::string junit_end();

}  // namespace amalthea::exporter
