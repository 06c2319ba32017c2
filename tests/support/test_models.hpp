// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Files for tests: samples, fixtures, third-party models if present, and a temporary folder.

#include <string>
#include <string_view>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"

namespace test {

std::string read_text(const std::string& path);
void write_text(const std::string& path, std::string_view text);

/// samples/NAME and tests/data/NAME.
std::string sample(std::string_view name);
std::string data(std::string_view name);

/// Third-party models, in AMALTHEA_CORPUS (default ../shared/corpus), and a part of them. The test is skipped if they
/// are missing; this applies to all of these functions.
std::string corpus_folder();
std::string corpus_folder(const std::string& part);
/// The metamodel's Ecore files, in AMALTHEA_METAMODELS (default ../shared/metamodel).
std::string metamodel_folder();
/// Published test vectors, in AMALTHEA_SPEC (default ../shared/spec).
std::string published_vectors(const std::string& name);

/// A folder that is removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Reads a model from text or from a file; fails the test if that is impossible.
amalthea::Model model_from_text(std::string text, amalthea::Diagnostics& diagnostics);
amalthea::Model model_from_file(const std::string& path, amalthea::Diagnostics& diagnostics);
/// The system of a model that can be analyzed; fails the test otherwise.
amalthea::System system_from_file(const std::string& path);

/// `text` with the first occurrence of `from` replaced; fails the test if there is none.
std::string replaced(std::string text, std::string_view from, std::string_view to);

/// All diagnostics, as they are printed.
std::vector<std::string> messages(const amalthea::Diagnostics& diagnostics);

/// The diagnostics with this id.
std::vector<amalthea::Diagnostic> with_id(const amalthea::Diagnostics& diagnostics, std::string_view id);

}  // namespace test
