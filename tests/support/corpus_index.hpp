// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The index of the third-party models: what EMF says of each.

#include <string>
#include <vector>

#include "amalthea/metamodel.hpp"

namespace test {

struct IndexedModel {
  std::string path;
  amalthea::Version version{};
  std::string judged;  ///< "clean", "needs-other-files", "structure-errors", "dangling-local"
};

/// The models of `folder`/INDEX.md that have a metamodel, in the order of their paths. Of several rows about one path,
/// which stand for states of its history, the one with the file's own size counts.
std::vector<IndexedModel> indexed_models(const std::string& folder);

}  // namespace test
