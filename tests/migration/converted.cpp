// SPDX-License-Identifier: Apache-2.0
#include "tests/migration/converted.hpp"
#include "tests/support/small_model.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include <catch2/catch.hpp>

#include "amalthea/editable_model.hpp"
#include "exporter/models/model_dump.hpp"
#include "importer/reading/model_reader.hpp"
#include "migration/migration.hpp"

namespace test {
namespace {

using namespace amalthea;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

Converted convert_model(const Model& model, std::string_view to) {
  Converted converted;
  const auto release = migration::parse_release(to);
  REQUIRE(release);
  EditableModel editable(model, SharedIds::apart);
  migration::Record record(converted.diagnostics);
  converted.done = migration::migrate(editable, migration::release_of(*model.documents().front()), *release, record,
                                      converted.diagnostics);
  converted.rules = record.rules();
  if (!converted.done) return converted;
  std::vector<importer::NamedBytes> files;
  for (const EditableModel::File& file : editable.files()) {
    converted.texts.push_back(migration::write(*file.root, *release));
    files.push_back({std::filesystem::path(file.path).filename().string(), converted.texts.back()});
  }
  Diagnostics diagnostics;
  const auto again = importer::read_model_from_bytes(std::move(files), {}, diagnostics);
  REQUIRE(again);
  converted.dump = exporter::dump_model(*again);
  return converted;
}

}  // namespace

std::size_t Converted::count(std::string_view rule) const {
  std::size_t count = 0;
  for (const auto& record : rules)
    if (record.rule == rule) count += record.count;
  return count;
}

bool Converted::has(std::string_view line) const {
  return ("\n" + dump).find("\n" + std::string(line) + "\n") != std::string::npos;
}

Converted convert(std::string_view from, std::string_view content, std::string_view to) {
  Diagnostics diagnostics;
  const auto model = importer::read_model_from_bytes("model.amxmi", test::model_text(content, from), {}, diagnostics);
  REQUIRE(model);
  return convert_model(*model, to);
}

Converted convert_files(const std::vector<std::string>& paths, std::string_view to) {
  Diagnostics diagnostics;
  const auto model = importer::read_model(paths, {}, diagnostics);
  REQUIRE(model);
  return convert_model(*model, to);
}

std::vector<std::string> differences(const std::string& one, const std::string& other) {
  const auto first = lines_of(one), second = lines_of(other);
  std::vector<std::string> found;
  std::vector<std::string> only;
  std::set_difference(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(only));
  for (const std::string& line : only) found.push_back("- " + line);
  only.clear();
  std::set_difference(second.begin(), second.end(), first.begin(), first.end(), std::back_inserter(only));
  for (const std::string& line : only) found.push_back("+ " + line);
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.substr(2) != b.substr(2) ? a.substr(2) < b.substr(2) : a < b;
  });
  return found;
}

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string dump_of(const std::vector<std::string>& paths) {
  Diagnostics diagnostics;
  const auto model = importer::read_model(paths, {}, diagnostics);
  REQUIRE(model);
  return exporter::dump_model(*model);
}

}  // namespace test
