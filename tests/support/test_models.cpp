// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_models.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "importer/building/system_builder.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/support/skip.hpp"

namespace test {
namespace {

namespace fs = std::filesystem;

/// `part` of the folder that `variable` names, or of the one beside the sources.
std::string existing(const char* variable, const std::string& beside, const std::string& part,
                     std::string_view missing) {
  const char* chosen = std::getenv(variable);
  const std::string path = (chosen != nullptr ? chosen : AMALTHEA_SOURCE_DIR "/../shared/" + beside) + part;
  if (!fs::exists(path)) skip(fmt::format("no {} ({})", missing, variable));
  return path;
}

}  // namespace

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_text(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file) throw std::runtime_error("cannot write " + path);
}

std::string sample(std::string_view name) { return std::string(AMALTHEA_SOURCE_DIR "/samples/").append(name); }
std::string data(std::string_view name) { return std::string(AMALTHEA_SOURCE_DIR "/tests/data/").append(name); }

std::string corpus_folder() { return corpus_folder(""); }
std::string corpus_folder(const std::string& part) {
  return existing("AMALTHEA_CORPUS", "corpus", part, "third-party models");
}
std::string metamodel_folder() { return existing("AMALTHEA_METAMODELS", "metamodel", "", "metamodels"); }
std::string published_vectors(const std::string& name) {
  return existing("AMALTHEA_SPEC", "spec", "/vectors/" + name, "published test vectors");
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "amalthea-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

amalthea::Model model_from_text(std::string text, amalthea::Diagnostics& diagnostics) {
  auto model = amalthea::importer::read_model_from_bytes("model.amxmi", std::move(text), {}, diagnostics);
  for (const auto& diagnostic : diagnostics.all()) UNSCOPED_INFO(format(diagnostic));
  REQUIRE(model.has_value());
  return std::move(*model);
}

amalthea::Model model_from_file(const std::string& path, amalthea::Diagnostics& diagnostics) {
  auto model = amalthea::importer::read_model({path}, {}, diagnostics);
  for (const auto& diagnostic : diagnostics.all()) UNSCOPED_INFO(format(diagnostic));
  REQUIRE(model.has_value());
  return std::move(*model);
}

amalthea::System system_from_file(const std::string& path) {
  amalthea::Diagnostics diagnostics;
  const auto model = model_from_file(path, diagnostics);
  auto system = amalthea::importer::build_system(model, {}, diagnostics);
  for (const auto& diagnostic : diagnostics.all()) UNSCOPED_INFO(format(diagnostic));
  REQUIRE(system.has_value());
  return std::move(*system);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  INFO("looking for " << from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::vector<std::string> messages(const amalthea::Diagnostics& diagnostics) {
  std::vector<std::string> found;
  for (const auto& diagnostic : diagnostics.all()) found.push_back(format(diagnostic));
  return found;
}

std::vector<amalthea::Diagnostic> with_id(const amalthea::Diagnostics& diagnostics, std::string_view id) {
  std::vector<amalthea::Diagnostic> found;
  for (const auto& diagnostic : diagnostics.all())
    if (diagnostic.id == id) found.push_back(diagnostic);
  return found;
}

}  // namespace test
