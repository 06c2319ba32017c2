// SPDX-License-Identifier: Apache-2.0
#include "exporter/models/model_dump.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/emf_form.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/support/corpus_index.hpp"
#include "tests/support/emf_batch.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_models.hpp"

namespace models_model_dump_test {

using namespace amalthea;

namespace {

/// The first line that differs, ours and EMF's; two empty texts when there is none.
std::pair<std::string, std::string> first_difference(const std::string& ours, const std::string& theirs) {
  std::size_t at = 0;
  while (at < ours.size() && at < theirs.size()) {
    const auto one = ours.substr(at, ours.find('\n', at) - at);
    const auto other = theirs.substr(at, theirs.find('\n', at) - at);
    if (one != other) return {one, other};
    at += one.size() + 1;
  }
  return {ours.substr(std::min(at, ours.size())), theirs.substr(std::min(at, theirs.size()))};
}

std::string dump_of(const std::vector<std::string>& paths) {
  Diagnostics diagnostics;
  const auto model = importer::read_model(paths, {}, diagnostics);
  REQUIRE(model);
  return exporter::dump_model(*model);
}

}  // namespace

TEST_CASE("the dump shows objects and values and defaults and ids and references in byte order") {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(
      "<am:Amalthea xmi:version=\"2.0\" xmlns:xmi=\"http://www.omg.org/XMI\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:am=\"http://app4mc.eclipse.org/amalthea/1.0.0\">"
      "<swModel><tasks name=\"a&#xA;b\" stimuli=\"S?type=PeriodicStimulus Gone?type=PeriodicStimulus\">"
      "<tags href=\"amlt:/#There?type=Tag\"/></tasks></swModel>"
      "<stimuliModel><stimuli xsi:type=\"am:PeriodicStimulus\" name=\"S\"/></stimuliModel></am:Amalthea>",
      diagnostics);
  CHECK(exporter::dump_model(model) ==
        "!unresolved Gone?type=PeriodicStimulus\n"
        "/ : Amalthea\n"
        "/stimuliModel : StimuliModel\n"
        "/stimuliModel/stimuli.0 # S?type=PeriodicStimulus\n"
        "/stimuliModel/stimuli.0 : PeriodicStimulus\n"
        "/stimuliModel/stimuli.0 @name = S\n"
        "/swModel : SWModel\n"
        "/swModel/tasks.0 # a%0Ab?type=Task\n"
        "/swModel/tasks.0 : Task\n"
        "/swModel/tasks.0 >stimuli.0 = /stimuliModel/stimuli.0\n"
        "/swModel/tasks.0 >tags.0 = !proxy amlt:/#There?type=Tag\n"
        "/swModel/tasks.0 @multipleTaskActivationLimit ~ 0\n"
        "/swModel/tasks.0 @name = a\\nb\n"
        "/swModel/tasks.0 @preemption ~ _undefined_\n");
}

TEST_CASE("a long list is in byte order of its positions") {
  std::string text =
      "<am:Amalthea xmi:version=\"2.0\" xmlns:xmi=\"http://www.omg.org/XMI\" "
      "xmlns:am=\"http://app4mc.eclipse.org/amalthea/1.0.0\"><swModel>";
  for (int i = 0; i < 1234; ++i) text += "<labels name=\"x\"/>";
  Diagnostics diagnostics;
  const auto model = importer::read_model_from_bytes("many.amxmi", text + "</swModel></am:Amalthea>", {}, diagnostics);
  REQUIRE(model);
  const std::string dump = exporter::dump_model(*model);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < dump.size(); at = dump.find('\n', at) + 1)
    lines.push_back(dump.substr(at, dump.find('\n', at) - at));
  CHECK(std::is_sorted(lines.begin(), lines.end()));
  CHECK(std::count(lines.begin(), lines.end(), "/swModel/labels.1233 : Label") == 1);
  CHECK(std::count_if(lines.begin(), lines.end(), [](const auto& line) { return line.ends_with(" : Label"); }) == 1234);
}

TEST_CASE("the dump of third-party models matches EMF line by line", "[emf]") {
  const std::string folder = test::corpus_folder();
  test::EmfBatch emf;
  const auto models = test::indexed_models(folder);
  for (const auto& model : models) emf.ask({test::EmfBatch::ecore(model.version), model.path, "--dump", "-"});
  emf.run();
  std::size_t same = 0;
  for (std::size_t i = 0; i < models.size(); ++i) {
    INFO(models[i].path << " (" << models[i].judged << ")");
    const auto [ours, theirs] = first_difference(dump_of({models[i].path}), emf.answer(i));
    CHECK(ours == theirs);
    same += ours == theirs;
  }
  WARN(fmt::format("{} of {} models", same, models.size()));
}

TEST_CASE("the dump of folders that form one model matches EMF line by line", "[emf]") {
  const std::string corpus = test::corpus_folder();
  test::EmfBatch emf;
  std::map<std::string, std::vector<test::IndexedModel>> folders;
  for (auto& model : test::indexed_models(corpus))
    folders[std::filesystem::path(model.path).parent_path().string()].push_back(model);
  std::vector<std::vector<std::string>> asked;
  for (const auto& [folder, models] : folders) {
    std::vector<std::string> files;
    for (const auto& model : models)
      if (model.version == models.front().version) files.push_back(model.path);
    if (models.size() < 2 || files.size() != models.size()) continue;
    std::vector<std::string> arguments{test::EmfBatch::ecore(models.front().version)};
    arguments.insert(arguments.end(), files.begin(), files.end());
    arguments.insert(arguments.end(), {"--dump", "-"});
    emf.ask(arguments);
    asked.push_back(files);
  }
  emf.run();
  for (std::size_t i = 0; i < asked.size(); ++i) {
    INFO(asked[i].front() << " and " << asked[i].size() - 1 << " more");
    const auto [ours, theirs] = first_difference(dump_of(asked[i]), emf.answer(i));
    CHECK(ours == theirs);
  }
  WARN(fmt::format("{} folders", asked.size()));
}

TEST_CASE("the dump of random models of every version matches EMF line by line", "[emf]") {
  test::EmfBatch emf;
  struct Asked {
    Version version;
    std::size_t alone, together;
    std::vector<std::string> files;
  };
  std::vector<Asked> asked;
  for (const Version version : all_versions()) {
    const std::string ecore = test::EmfBatch::ecore(version);
    if (!std::filesystem::exists(ecore)) continue;  // 0.9.6
    EditableModel model;
    test::fill_with_random_model(model, version, 77 + static_cast<std::uint64_t>(version));
    const std::string folder = fmt::format("{}/{}", emf.folder(), to_string(version));
    std::filesystem::create_directories(folder);
    std::vector<std::string> files;
    for (const auto& file : model.files()) {
      files.push_back(fmt::format("{}/{}", folder, file.path));
      test::write_text(files.back(), write_emf_form(*file.root, version));
    }
    const std::size_t alone = emf.ask({ecore, files[0], "--dump", "-"});
    const std::size_t together = emf.ask({ecore, files[0], files[1], "--dump", "-"});
    asked.push_back({version, alone, together, files});
  }
  emf.run();
  for (const Asked& one : asked) {
    INFO(to_string(one.version));
    const auto [ours, theirs] = first_difference(dump_of({one.files[0]}), emf.answer(one.alone));
    CHECK(ours == theirs);
    const auto [our_pair, their_pair] = first_difference(dump_of(one.files), emf.answer(one.together));
    CHECK(our_pair == their_pair);
  }
}

}  // namespace models_model_dump_test
