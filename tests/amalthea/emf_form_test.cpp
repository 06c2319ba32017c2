// SPDX-License-Identifier: Apache-2.0
#include "amalthea/emf_form.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "amalthea/editable_model.hpp"
#include "amalthea/identifier.hpp"
#include "amalthea/primitives/xml_text.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/support/corpus_index.hpp"
#include "tests/support/emf_batch.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_models.hpp"

namespace emf_form_test {

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

TEST_CASE("character references are resolved as in XML and invalid ones are kept") {
  CHECK(amalthea::unescaped("a &lt;&amp;&gt; b&quot;&apos;") == "a <&> b\"'");
  CHECK(amalthea::unescaped("&#228;&#xE4;&#x20AC;&#65;&#x1F600;") ==
        "\xC3\xA4\xC3\xA4\xE2\x82\xAC"
        "A\xF0\x9F\x98\x80");
  for (const std::string text : {"", "&", "&lt", "&;", "&#;", "&#x;", "&none;", "a & b; c", "&&&#q;"})
    CHECK(amalthea::unescaped(text) == text);
}

TEST_CASE("third-party models in EMF's form are identical to the output of EMF", "[emf]") {
  const std::string folder = test::corpus_folder();
  test::EmfBatch emf;
  std::vector<std::pair<test::IndexedModel, std::string>> models;  // with the file that EMF writes
  for (const test::IndexedModel& model : test::indexed_models(folder)) {
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

TEST_CASE("models created in memory with every class of every version load in EMF without messages", "[emf]") {
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
    // Content of the other file remains an address if EMF has only this one. Without APP4MC, EMF writes a target in the
    // same file as "#id" if it is next to remote ones.
    std::string saved = test::read_text(one.saved_file);
    for (std::size_t at = 0; (at = saved.find("href=\"#", at)) != std::string::npos;) saved.insert(at + 6, "amlt:/");
    const auto [ours, theirs] = first_difference(one.text, saved);
    CHECK(ours == theirs);
  }
  WARN(fmt::format("{} versions, {} classes in all", asked.size(), classes));
}

namespace {

/// Whether ids of other objects are made of this one's name.
bool names_others(const Object& object) {
  const auto is_name = [](const Object& one) {
    return one.is("Runnable") || one.is("RunnableParameter") || one.is("Namespace") || one.is("CallArgument");
  };
  return is_name(object) || std::any_of(object.children().begin(), object.children().end(),
                                        [](const OwnedObject& child) { return names_others(*child); });
}

/// The ids of an object from a file and of all below it.
void add_ids(const Object& object, std::unordered_set<std::string_view>& ids, std::deque<std::string>& texts) {
  if (const auto id = object.element() ? computed_id(object.element()) : std::nullopt)
    ids.insert(texts.emplace_back(*id));
  if (const auto id = object.attribute("xmi:id")) ids.insert(*id);
  for (const OwnedObject& child : object.children()) add_ids(*child, ids, texts);
}

/// Removes the references to these ids, in all files.
void remove_references(EditableModel& model, const std::unordered_set<std::string_view>& ids) {
  model.for_each([&](Object& object) {
    std::erase_if(object.fields(), [&](const Field& field) {
      const std::size_t begin = field.kind == FieldKind::remote ? field.text.find('#') + 1 : 0;
      return field.kind != FieldKind::value && ids.contains(field.text.substr(begin));
    });
  });
}

/// Some changes that keep a model valid: objects are removed with the references to them, lists change their order, a
/// stimulus changes its class, values change.
void change(EditableModel& model, Version version, std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  for (int i = 0; i < 20; ++i) {
    const Objects objects = model.objects();
    Object& object = *objects[below(objects.size())];
    if (object.owner() == nullptr) continue;
    switch (below(3)) {
      case 0:
        if (!names_others(object)) {
          std::unordered_set<std::string_view> ids;
          std::deque<std::string> texts;
          add_ids(object, ids, texts);
          object.owner()->remove(object);
          remove_references(model, ids);
        }
        break;
      case 1:
        object.move_to(*object.owner(), object.feature());
        break;
      default:
        if (metamodel::find_feature(object.cls(), "customProperties", version) != nullptr)
          object.create("customProperties", "CustomProperty").set("key", "changed");
    }
  }
  for (Object* stimulus : model.objects_of("PeriodicStimulus")) {
    const auto before = computed_id(stimulus->element());
    stimulus->set_class("SingleStimulus");
    for (const std::string_view feature : {"recurrence", "offset", "jitter", "minDistance"})
      stimulus->take_all(feature);
    const std::string after = before->substr(0, before->rfind('=') + 1) + "SingleStimulus";
    if (stimulus->attribute("xmi:id")) stimulus->set("xmi:id", after);
    model.retarget({{*before, after}});
  }
}

}  // namespace

TEST_CASE("third-party models changed in memory load in EMF without messages", "[emf]") {
  const std::string folder = test::corpus_folder();
  test::EmfBatch emf;
  std::mt19937 random(4711);
  std::vector<std::pair<std::string, std::size_t>> changed;  // with the number of objects
  for (const test::IndexedModel& indexed : test::indexed_models(folder)) {
    if (indexed.judged != "clean") continue;
    Diagnostics diagnostics;
    const auto model = importer::read_model({indexed.path}, {}, diagnostics);
    REQUIRE(model);
    EditableModel editable(*model);
    change(editable, indexed.version, random);
    const std::string path = fmt::format("{}/{}.amxmi", emf.folder(), changed.size());
    test::write_text(path, write_emf_form(*editable.files().front().root, indexed.version));
    changed.emplace_back(indexed.path, editable.objects().size());
    emf.ask({test::EmfBatch::ecore(indexed.version), path});
  }
  emf.run();
  for (std::size_t i = 0; i < changed.size(); ++i) {
    INFO(changed[i].first);
    const auto report = nlohmann::json::parse(emf.answer(i));
    INFO(report.dump(1).substr(0, 3000));
    CHECK(report["errors"].empty());
    CHECK(report["crossReferences"]["unresolvedLocal"] == 0);
    CHECK(report["crossReferences"]["unresolvedProxies"] == 0);
    CHECK(report["objects"] == changed[i].second);
  }
}

}  // namespace emf_form_test
