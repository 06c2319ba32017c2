#include "amalthea/emf_form.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "amalthea/editable_model.hpp"
#include "importer/model_reader.hpp"
#include "tests/support/corpus_index.hpp"
#include "tests/support/emf_batch.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_models.hpp"

using namespace amalthea;

namespace {

/// The first lines that differ, or nothing.
std::pair<std::string, std::string> first_difference(const std::string& one, const std::string& other) {
  const auto at = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  const auto line = [](const std::string& text, auto place) {
    const auto from = static_cast<std::size_t>(place - text.begin());
    const auto begin = from == 0 ? 0 : text.rfind('\n', from - 1) + 1;
    return text.substr(begin, text.find('\n', from) - begin);
  };
  if (one == other) return {};
  return {line(one, at.first), line(other, at.second)};
}

}  // namespace

TEST_CASE("what EMF makes of third-party models is what is written in its form", "[emf]") {
  const auto folder = test::corpus_folder();
  if (!folder || !test::EmfBatch::available()) {
    WARN("skipped: no third-party models or no EMF judge");
    return;
  }
  test::EmfBatch emf;
  std::vector<std::pair<test::IndexedModel, std::string>> models;  // with the file that EMF writes
  for (const test::IndexedModel& model : test::indexed_models(*folder)) {
    if (model.judged != "clean") continue;
    const std::string saved = fmt::format("{}/{}", emf.folder(), models.size());
    emf.ask({test::EmfBatch::ecore(model.version), model.path, "--save", saved});
    models.emplace_back(model, saved + "/" + std::filesystem::path(model.path).filename().string());
  }
  emf.run();
  std::size_t same = 0, same_as_original = 0;
  for (const auto& [indexed, saved] : models) {
    INFO(indexed.path);
    Diagnostics diagnostics;
    const auto model = importer::read_model({indexed.path}, {}, diagnostics);
    REQUIRE(model);
    const EditableModel editable(*model);
    const Object& root = *editable.files().front().root;
    const std::string written =
        write_emf_form(root, indexed.version, {.comments = false, .current_namespace_order = true});
    const std::string expected = test::read_text(saved);
    same += written == expected;
    same_as_original += write_emf_form(root, indexed.version) == test::read_text(indexed.path);
    const auto [ours, theirs] = first_difference(written, expected);
    CHECK(ours == theirs);
  }
  WARN(fmt::format("{} of {} models as EMF writes them, {} of them as they were", same, models.size(),
                   same_as_original));
  CHECK(same == models.size());
}

TEST_CASE("models made in memory, with every class of every version, load in EMF without a word", "[emf]") {
  if (!test::EmfBatch::available()) return;
  test::EmfBatch emf;
  struct Asked {
    Version version;
    std::size_t loaded, saved;
    std::size_t objects, references;
    std::string text, saved_file;
  };
  std::vector<Asked> asked;
  std::size_t classes = 0;
  for (const Version version : all_versions()) {
    EditableModel model;
    test::fill_with_random_model(model, version, 2023 + static_cast<std::uint64_t>(version));
    std::set<ClassId> present;
    Asked one{version, 0, 0, 0, 0, {}, {}};
    model.for_each([&](const Object& object) {
      present.insert(object.cls());
      ++one.objects;
      one.references +=
          static_cast<std::size_t>(std::count_if(object.fields().begin(), object.fields().end(),
                                                 [](const Field& field) { return field.kind != FieldKind::value; }));
    });
    for (const ClassId cls : test::containable_classes(version)) {
      INFO(to_string(version) << " " << metamodel::info(cls).name);
      CHECK(present.count(cls) == 1);
    }
    classes += present.size();
    if (!std::filesystem::exists(test::EmfBatch::ecore(version))) continue;  // 0.9.6
    const std::string folder = fmt::format("{}/{}", emf.folder(), to_string(version));
    std::filesystem::create_directories(folder);
    std::vector<std::string> files;
    for (const auto& file : model.files()) {
      files.push_back(fmt::format("{}/{}", folder, file.path));
      test::write_text(files.back(), write_emf_form(*file.root, version));
    }
    one.text =
        write_emf_form(*model.files().front().root, version, {.comments = true, .current_namespace_order = true});
    one.loaded = emf.ask({test::EmfBatch::ecore(version), files[0], files[1]});
    one.saved_file = folder + "/saved/one.amxmi";
    one.saved = emf.ask({test::EmfBatch::ecore(version), files[0], "--save", folder + "/saved"});
    asked.push_back(std::move(one));
  }
  emf.run();
  for (const Asked& one : asked) {
    INFO(to_string(one.version));
    const auto report = nlohmann::json::parse(emf.answer(one.loaded));
    INFO(report.dump(1).substr(0, 3000));
    CHECK(report["errors"].empty());
    CHECK(report["objects"] == one.objects);
    CHECK(report["crossReferences"]["unresolvedLocal"] == 0);
    CHECK(report["crossReferences"]["unresolvedProxies"] == 0);
    CHECK(report["crossReferences"]["resolved"] == one.references);
    // What the other file holds stays an address when EMF has only this one. Without APP4MC, EMF writes a target in the
    // same file as "#id" where it stands beside remote ones.
    std::string saved = test::read_text(one.saved_file);
    for (std::size_t at = 0; (at = saved.find("href=\"#", at)) != std::string::npos;) saved.insert(at + 6, "amlt:/");
    const auto [ours, theirs] = first_difference(one.text, saved);
    CHECK(ours == theirs);
  }
  WARN(fmt::format("{} versions, {} classes in all", asked.size(), classes));
}
