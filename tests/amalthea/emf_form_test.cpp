#include "amalthea/emf_form.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/editable_model.hpp"
#include "importer/model_reader.hpp"
#include "tests/support/corpus_index.hpp"
#include "tests/support/emf_batch.hpp"
#include "tests/support/test_models.hpp"

using namespace amalthea;

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
    if (written == expected) continue;
    const auto at = std::mismatch(written.begin(), written.end(), expected.begin(), expected.end());
    const auto line = [](const std::string& text, auto place) {
      const auto from = static_cast<std::size_t>(place - text.begin());
      const auto begin = text.rfind('\n', from == 0 ? 0 : from - 1) + 1;
      return text.substr(begin, text.find('\n', from) - begin);
    };
    CHECK(line(written, at.first) == line(expected, at.second));
  }
  WARN(fmt::format("{} of {} models as EMF writes them, {} of them as they were", same, models.size(),
                   same_as_original));
  CHECK(same == models.size());
}
