// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Many questions to the EMF judge in one process: starting a Java machine takes longer than reading most models.

#include <optional>
#include <string>
#include <vector>

#include "amalthea/metamodel.hpp"
#include "tests/support/test_models.hpp"

namespace test {

class EmfBatch {
 public:
  /// The metamodel of a version; there is none for 0.9.6.
  static std::string ecore(amalthea::Version version);

  /// Whether judge, metamodels and Java are here; says so in a warning when they are not.
  static bool available();

  /// A question: the judge's arguments. Returns its number.
  std::size_t ask(std::vector<std::string> arguments);
  /// Asks all; fails the test when that is not possible.
  void run();
  /// What the judge printed for a question.
  std::string answer(std::size_t question) const;

  const std::string& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
  std::vector<std::vector<std::string>> questions_;
};

}  // namespace test
