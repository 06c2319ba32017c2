#include "exporter/model_dump.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/emf_form.hpp"
#include "importer/model_reader.hpp"
#include "tests/support/corpus_index.hpp"
#include "tests/support/emf_batch.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_models.hpp"

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

TEST_CASE("the dump of random models of every version is EMF's, line by line", "[emf]") {
  if (!test::EmfBatch::available()) return;
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
