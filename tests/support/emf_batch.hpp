// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Sends many queries to the EMF judge in one process, since starting a Java machine takes longer than reading most
/// models.

#include <string>
#include <vector>

#include "amalthea/metamodel.hpp"
#include "tests/support/test_models.hpp"

namespace test {

class EmfBatch {
 public:
  /// Skips the test if the judge, the metamodels or a Java compiler are missing (AMALTHEA_EMF, default ../shared/emf).
  EmfBatch();

  /// The metamodel of a version; there is none for 0.9.6.
  static std::string ecore(amalthea::Version version);

  /// A query: the judge's arguments. Returns its number.
  std::size_t ask(std::vector<std::string> arguments);
  /// Checks that EMF reads the files, as one model of the version, without a message, and that every reference
  /// resolves.
  void expect_accepted(amalthea::Version version, std::vector<std::string> files);
  /// Runs and checks all queries; fails the test if that is impossible.
  void run();
  /// The output of the judge for a query.
  std::string answer(std::size_t question) const;

  const std::string& folder() const { return folder_.path(); }

 private:
  std::string judge_;
  TemporaryFolder folder_;
  std::vector<std::vector<std::string>> questions_;
  std::vector<std::size_t> expected_to_be_accepted_;
};

}  // namespace test
