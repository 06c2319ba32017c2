// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The index of the third-party models, with EMF's judgment on each.

#include <string>
#include <vector>

#include "amalthea/metamodel.hpp"

namespace test {

struct IndexedModel {
  std::string path;
  amalthea::Version version{};
  std::string judged;  ///< "clean", "needs-other-files", "structure-errors", "dangling-local"
};

/// The models of `folder`/INDEX.md that have a metamodel, in the order of their paths. If several rows have the same
/// path (different states of its history), the row with the file's size counts.
std::vector<IndexedModel> indexed_models(const std::string& folder);

}  // namespace test
