// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/identifier.hpp"
#include "importer/building/system_builder.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/support/test_models.hpp"

namespace corpus_test {

using namespace amalthea;

namespace {

namespace fs = std::filesystem;

std::vector<std::string> models_below(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension().string().starts_with(".amxmi"))
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> cells(const std::string& row) {
  std::vector<std::string> found;
  std::istringstream text(row);
  for (std::string cell; std::getline(text, cell, '|');) {
    const auto first = cell.find_first_not_of(' ');
    found.push_back(first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
  }
  return found;
}

/// What EMF counts: objects, and references that lead to one.
struct Counts {
  std::size_t objects = 0;
  std::size_t references = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
};

Counts count(const Model& model) {
  Counts counts;
  const Document& document = *model.documents().front();
  for (std::uint32_t i = 0; i < document.size(); ++i) {
    const Element element = document.element(i);
    if (!element.cls()) {
      if (const auto href = element.attribute("href"); href && model.target(element, *href)) ++counts.references;
      continue;
    }
    ++counts.objects;
    const ElementRecord& record = element.record();
    for (std::uint32_t a = 0; a < record.attribute_count; ++a) {
      const AttributeRecord& attribute = document.attribute(record.first_attribute + a);
      const Feature* feature =
          metamodel::find_feature(*element.cls(), document.name(attribute.name()), document.version());
      if (feature == nullptr || feature->kind != FeatureKind::reference) continue;
      for_each_token(document.value(attribute), [&](std::string_view token, std::size_t) {
        if (model.target(element, token)) ++counts.references;
      });
    }
  }
  return counts;
}

/// Rows of the index whose file EMF judges so, by file. Of several rows about one path, which stand for
/// states of its history, the one with the file's own size counts.
std::map<std::string, Counts> rows(const std::string& folder, std::string_view judged) {
  std::map<std::string, Counts> found;
  std::istringstream index(test::read_text(folder + "/INDEX.md"));
  for (std::string row; std::getline(index, row);) {
    const auto cell = cells(row);
    if (cell.size() > 10 && cell[8] == judged && fs::exists(fmt::format("{}/{}", folder, cell[1])) &&
        fs::file_size(fmt::format("{}/{}", folder, cell[1])) == std::stoul(cell[3]))
      found[cell[1]] = {std::stoul(cell[9]), std::stoul(cell[10])};
  }
  return found;
}

}  // namespace

TEST_CASE("every third-party model is read with a known version or rejected with one error", "[long]") {
  const std::string folder = test::corpus_folder();
  std::size_t read = 0, refused = 0;
  for (const std::string& path : models_below(folder)) {
    INFO(path);
    Diagnostics diagnostics;
    const auto model = importer::read_model({path}, {}, diagnostics);
    if (model) {
      ++read;
      const Document& document = *model->documents().front();
      CHECK((document.itea() != IteaRelease::none ||
             test::read_text(path).find(namespace_uri(model->version())) != std::string::npos));
      importer::build_system(*model, {}, diagnostics);  // whatever it reports, it returns
    } else {
      ++refused;
      REQUIRE(diagnostics.all().size() == 1);
      CHECK(diagnostics.errors() == 1);
      UNSCOPED_INFO(format(diagnostics.all().front()));
      CHECK(diagnostics.all().front().id == "AM0103");
    }
  }
  WARN(fmt::format("{} models read, {} refused", read, refused));
  CHECK(read > 400);
}

TEST_CASE("third-party models with tasks build systems whose branches stay within their bodies", "[long]") {
  const std::string folder = test::corpus_folder();
  std::size_t built = 0, branching = 0, migrating = 0;
  for (const std::string& path : models_below(folder)) {
    INFO(path);
    Diagnostics diagnostics;
    const auto model = importer::read_model({path}, {}, diagnostics);
    const auto system = model ? importer::build_system(*model, {}, diagnostics) : std::nullopt;
    if (!system) continue;
    ++built;
    bool branches = false, migrates = false;
    for (const Task& task : system->tasks) {
      migrates = migrates || task.units.size() > 1;
      for (const UnitIndex unit : task.units) CHECK(unit < system->platform.units.size());
      for (std::size_t i = 0; i < task.body.size(); ++i) {
        const auto* branch = std::get_if<Branch>(&system->graph[task.body[i]].activity);
        if (branch == nullptr) continue;
        branches = true;
        std::size_t length = 0;
        for (const Branch::Alternative& alternative : branch->alternatives) length += alternative.length;
        CHECK(length < task.body.size() - i);
      }
    }
    branching += branches ? 1U : 0U;
    migrating += migrates ? 1U : 0U;
  }
  WARN(fmt::format("{} systems, {} with branches, {} with tasks that may migrate", built, branching, migrating));
  CHECK(built >= 90);
  CHECK(branching >= 70);
}

TEST_CASE("every third-party model is restored byte for byte from its elements and from its bytes", "[long]") {
  const std::string folder = test::corpus_folder();
  for (const std::string& path : models_below(folder)) {
    INFO(path);
    Diagnostics diagnostics;
    const auto model = importer::read_model({path}, {}, diagnostics);
    if (!model) continue;
    const Document& document = *model->documents().front();
    const std::string bytes = test::read_text(path);
    CHECK(document.source().bytes() == bytes);
    // The tags and the text between them are the file: no element is lost, and none has a wrong position.
    std::string rebuilt;
    std::uint32_t at = 0;
    const auto up_to = [&](std::uint32_t end) {
      rebuilt.append(document.source().text({at, end}));
      at = end;
    };
    const auto write = [&](const auto& self, Element element) -> void {
      REQUIRE(element.span().begin >= at);
      up_to(element.start_tag().begin);
      up_to(element.start_tag().end);
      for (const Element child : element.children()) self(self, child);
      up_to(element.end_tag().begin);
      up_to(element.end_tag().end);
    };
    write(write, document.root());
    CHECK(at <= bytes.size());
    up_to(static_cast<std::uint32_t>(bytes.size()));
    CHECK(rebuilt == bytes);
  }
}

TEST_CASE("other third-party models have the counts of EMF or more if their structure is read anyway", "[long]") {
  const std::string folder = test::corpus_folder();
  std::size_t compared = 0, more = 0;
  for (const char* judged : {"needs-other-files", "structure-errors", "dangling-local"})
    for (const auto& [file, expected] : rows(folder, judged)) {
      INFO(file << " (" << judged << ")");
      Diagnostics diagnostics;
      const auto model = importer::read_model({fmt::format("{}/{}", folder, file)}, {}, diagnostics);
      REQUIRE(model.has_value());
      CHECK_FALSE(diagnostics.all().empty());
      const Counts actual = count(*model);
      ++compared;
      if (actual == expected) continue;
      ++more;
      CHECK(test::with_id(diagnostics, "AM0208").size() == 1);
      CHECK(actual.objects >= expected.objects);
      CHECK(actual.references >= expected.references);
    }
  WARN(fmt::format("{} models compared, {} with more than EMF reads", compared, more));
  CHECK(compared > 0);
}

TEST_CASE("third-party models that EMF reads without messages have the object and reference counts of EMF", "[long]") {
  const std::string folder = test::corpus_folder();
  std::size_t compared = 0, agreeing = 0, silent = 0;
  for (const auto& [file, expected] : rows(folder, "clean")) {
    const std::string path = fmt::format("{}/{}", folder, file);
    Diagnostics diagnostics;
    const auto model = importer::read_model({path}, {}, diagnostics);
    if (!model) continue;
    ++compared;
    if (diagnostics.all().empty())
      ++silent;
    else
      UNSCOPED_INFO(format(diagnostics.all().front()));
    const Counts actual = count(*model);
    if (actual == expected)
      ++agreeing;
    else
      UNSCOPED_INFO(fmt::format("{}: {} objects and {} references, EMF {} and {}", file, actual.objects,
                                actual.references, expected.objects, expected.references));
  }
  WARN(fmt::format("{} of {} models agree with EMF, {} without any finding", agreeing, compared, silent));
  CHECK(compared > 200);
  CHECK(agreeing == compared);
}

}  // namespace corpus_test
