// SPDX-License-Identifier: Apache-2.0
// Conversions of models with something wrong in them, from every release to every other.
//
// What is expected is checked on the texts that go in and come out, and on what the reader understands of both:
// nothing of what the conversion itself counts is believed.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/attribute_value.hpp"
#include "amalthea/primitives/xml_text.hpp"
#include "importer/reading/model_reader.hpp"
#include "migration/migration.hpp"
#include "tests/support/mutated_model.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/test_models.hpp"

namespace mutation_test {

using namespace amalthea;
using test::XmlNode;

std::vector<migration::Release> all_releases() {
  std::vector<migration::Release> releases{IteaRelease::v1_1_0, IteaRelease::v1_2_0, IteaRelease::v1_3_0};
  for (const Version version : all_versions()) releases.emplace_back(version);
  return releases;
}

/// What the release is called on the command line.
std::string option(const migration::Release& release) {
  const std::string text = migration::to_string(release);
  return release.is_itea() ? "itea-" + text.substr(5) : text;
}

struct Trial {
  std::vector<std::string> sources, results;  ///< of the files
  migration::Release to;
  bool readable = false, converted = false;
  std::string findings;               ///< all that the user is told
  std::vector<std::string> failures;  ///< promises that are broken
};

struct Read {
  std::optional<Model> model;
  Diagnostics findings;
};

Read read(const std::vector<std::string>& texts) {
  Read read;
  std::vector<importer::NamedBytes> files;
  for (const std::string& text : texts) files.push_back({fmt::format("file{}.amxmi", files.size()), text});
  read.model = importer::read_model_from_bytes(std::move(files), {}, read.findings);
  return read;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text;
  return all;
}

/// Texts and numbers that values of the source have to themselves: "t17t", 7000017. An xmi:id is no content.
std::vector<std::string> marks_in(std::string text) {
  std::string ids;  // references name them in other ways afterwards
  for (std::size_t at = text.find("xmi:id=\""); at != std::string::npos; at = text.find("xmi:id=\"", at)) {
    const std::size_t end = text.find('"', at + 8);
    ids += text.substr(at, end - at);
    text.erase(at, end - at);
  }
  std::map<std::string, int> counts;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if ((at > 0 && (digit(text[at - 1]) || text[at - 1] == '%')) || !(digit(text[at]) || text[at] == 't')) continue;
    std::size_t end = at + 1;
    while (end < text.size() && digit(text[end])) ++end;
    const bool word = text[at] == 't' && end > at + 1 && end < text.size() && text[end] == 't';
    const bool number = text[at] == '7' && end == at + 7;
    if (word || number) ++counts[text.substr(at, end - at + (word ? 1 : 0))];
  }
  std::vector<std::string> marks;
  for (const auto& [mark, count] : counts)
    if (ids.find(mark) == std::string::npos) marks.push_back(mark);
  return marks;
}

bool holds_mark(const std::string& text, const std::string& mark) {
  if (text.find(mark) != std::string::npos) return true;
  if (mark.front() == 't') return false;
  return text.find(fmt::format("0x{:x}", std::stoull(mark))) != std::string::npos;
}

/// By the mark in its name: how many references the reader follows to an object, and from it.
struct Ends {
  std::map<std::string, std::size_t> to, from;
};
Ends ends_of_references(const Model& model) {
  Ends ends;
  const auto count = [](std::map<std::string, std::size_t>& counts, const Element& element) {
    const std::string name(element.name());
    if (name.starts_with('t') && name.ends_with('t')) ++counts[name];
  };
  for (const auto& document : model.documents())
    for (std::uint32_t i = 0; i < document->size(); ++i)
      for (const Element target : model.attribute_targets(document->element(i))) {
        count(ends.to, target);
        count(ends.from, document->element(i));
      }
  return ends;
}

std::size_t count_of(const std::map<std::string, std::size_t>& counts, const std::string& name) {
  const auto found = counts.find(name);
  return found == counts.end() ? 0 : found->second;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

/// The same within the values of an attribute.
std::size_t count_in_values(const std::string& text, const std::string& attribute, const std::string& part) {
  const std::string begin = fmt::format(" {}=\"", attribute);
  std::size_t found = 0;
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    at += begin.size();
    found += count(text.substr(at, text.find('"', at) - at), part);
  }
  return found;
}

/// Findings that say that something has no place.
std::map<std::string, std::size_t> structure_errors(const Diagnostics& findings) {
  std::map<std::string, std::size_t> counts;
  for (const Diagnostic& finding : findings.all())
    if (finding.severity == Severity::error)
      for (const char* const id : {"AM0201", "AM0202", "AM0204", "AM0220", "AM0223", "AM0224", "AM0225", "AM0230"})
        if (finding.id == id) ++counts[id];
  return counts;
}

void check(Trial& trial, const Read& before, bool upwards) {
  const Read after = read(trial.results);
  const auto fail = [&](std::string what) { trial.failures.push_back(std::move(what)); };
  if (!after.model) return fail("the result cannot be read: " + format(after.findings.all().front()));
  for (const auto& document : after.model->documents())
    if (migration::release_of(*document) != trial.to) fail("the result is of another release");

  const std::string result = unescaped(unescaped(joined(trial.results))), said = trial.findings;
  for (const std::string& mark : marks_in(joined(trial.sources)))
    if (!holds_mark(result, mark) && !holds_mark(said, mark)) fail(fmt::format("{} is lost", mark));

  const auto had = structure_errors(before.findings), has = structure_errors(after.findings);
  for (const auto& [id, number] : has)
    if ((upwards && id != "AM0220" && id != "AM0223") || had.empty())
      for (const Diagnostic& finding : after.findings.all())
        if (finding.id == id) fail(fmt::format("the result has {}", format(finding)));

  const std::size_t kept_positions = count_in_values(joined(trial.results), "value", "//@");
  const Ends led = ends_of_references(*before.model), leads = ends_of_references(*after.model);
  for (const auto& [name, number] : led.to) {
    std::size_t still = count_of(leads.to, name);
    // "runEntities" of a section became "section" of a runnable.
    const std::size_t held = count_of(led.from, name), holds = count_of(leads.from, name);
    const std::size_t reversed = holds > held ? holds - held : 0;
    still += reversed;
    // What became text has the name in it, or a position.
    const std::size_t mentions =
        count(result, name) - count(result, fmt::format("name=\"{}\"", name)) - count_in_values(result, "xmi:id", name);
    const std::size_t texts = reversed + mentions + count(said, name) + kept_positions;
    if (still < number && texts < number) fail(fmt::format("{} of {} references to {} are left", still, number, name));
  }
}

Trial run(const std::vector<std::string>& sources, const migration::Release& to) {
  Trial trial;
  trial.sources = sources;
  trial.to = to;
  const Read before = read(sources);
  trial.readable = before.model.has_value();
  if (!trial.readable) return trial;
  const migration::Release from = migration::release_of(*before.model->documents().front());
  EditableModel editable(*before.model, SharedIds::apart);
  Diagnostics findings;
  migration::Record record(findings, 100000);
  trial.converted = migration::migrate(editable, from, to, record, findings);
  for (const Diagnostic& finding : findings.all()) trial.findings += format(finding) + " " + finding.path + "\n";
  if (!trial.converted) {
    if (to >= from) trial.failures.push_back("not converted: " + trial.findings);
    if (trial.findings.empty()) trial.failures.push_back("not converted, and nothing says why");
    return trial;
  }
  for (const EditableModel::File& file : editable.files()) trial.results.push_back(migration::write(*file.root, to));
  check(trial, before, to > from);
  return trial;
}

/// Small files there are: samples, and those of the corpus.
const std::vector<std::string>& files() {
  static const std::vector<std::string> found = [] {
    std::vector<std::string> paths;
    std::vector<std::string> folders{std::string(AMALTHEA_SOURCE_DIR) + "/samples"};
    if (const char* const corpus = std::getenv("AMALTHEA_CORPUS")) folders.emplace_back(corpus);
    for (const std::string& folder : folders)
      for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
        if (file.path().extension() == ".amxmi" && file.file_size() < 60000) paths.push_back(file.path().string());
    std::sort(paths.begin(), paths.end());
    return paths;
  }();
  return found;
}

/// The sources of a trial: a model of its own in one file or two, or a file there is.
std::vector<std::string> sources_of(std::uint64_t seed) {
  static const std::vector<migration::Release> releases = all_releases();
  XmlNode root;
  migration::Release release = releases[seed % releases.size()];
  if (seed % 4 == 3 && !files().empty()) {
    const std::string text = test::read_text(files()[seed / 4 % files().size()]);
    const Read original = read({text});
    if (!original.model || original.model->documents().front()->source().encoding() != Encoding::ascii_superset)
      return {};
    release = migration::release_of(*original.model->documents().front());
    root = test::parse_xml(text);
  } else {
    root = test::small_model(release, seed);
  }
  if (seed % 16 != 0) test::mutate(root, release, seed);
  if (seed % 5 != 0) return {test::write_xml(root)};
  // Some parts stand in a second file, and references without a file lead there.
  XmlNode other = root;
  other.children.clear();
  std::mt19937_64 random(seed);
  for (std::size_t i = root.children.size(); i-- > 0;)
    if (random() % 2 == 0) {
      other.children.push_back(std::move(root.children[i]));
      root.children.erase(root.children.begin() + static_cast<std::ptrdiff_t>(i));
    }
  test::refer_anywhere(root, random());
  test::refer_anywhere(other, random());
  return {test::write_xml(root), test::write_xml(other)};
}

struct Totals {
  std::size_t trials = 0, unreadable = 0, converted = 0, refused = 0, failed = 0;
};

Totals run_all(std::uint64_t first, std::uint64_t count) {
  const std::vector<migration::Release> releases = all_releases();
  Totals totals;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    if (std::getenv("AMALTHEA_MUTATION_TRACE") != nullptr) fmt::print(stderr, "{}\n", seed);
    const auto sources = sources_of(seed);
    if (sources.empty()) continue;
    std::mt19937_64 random(seed);
    // Most often a newer one, which can hold everything.
    const migration::Release to =
        releases[random() % 3 == 0 ? random() % releases.size() : releases.size() - 1 - random() % 12];
    const Trial trial = run(sources, to);
    ++totals.trials;
    totals.unreadable += trial.readable ? 0 : 1;
    totals.converted += trial.converted ? 1 : 0;
    totals.refused += trial.readable && !trial.converted ? 1 : 0;
    totals.failed += trial.failures.empty() ? 0 : 1;
    if (trial.failures.empty()) continue;
    INFO("seed " << seed << ", to " << option(to));
    for (const std::string& failure : trial.failures) UNSCOPED_INFO(failure);
    if (const char* const folder = std::getenv("AMALTHEA_MUTATION_FOLDER")) {
      for (std::size_t i = 0; i < trial.sources.size(); ++i)
        test::write_text(fmt::format("{}/{}.{}.amxmi", folder, seed, i), trial.sources[i]);
      for (std::size_t i = 0; i < trial.results.size(); ++i)
        test::write_text(fmt::format("{}/{}-to-{}.{}.amxmi", folder, seed, option(to), i), trial.results[i]);
    }
    CHECK(trial.failures.empty());
  }
  return totals;
}

TEST_CASE("converting a model with mistakes in it loses nothing without saying so") {
  const Totals totals = run_all(0, 400);
  CHECK(totals.converted > totals.trials / 2);
}

TEST_CASE("converting very many models with mistakes in them loses nothing without saying so", "[long]") {
  const Totals totals = run_all(10000, 12000);
  CHECK(totals.converted > totals.trials / 2);
}

/// A range of seeds: AMALTHEA_MUTATION_FIRST, AMALTHEA_MUTATION_COUNT; failing models go to AMALTHEA_MUTATION_FOLDER.
TEST_CASE("mutated models of some seeds", "[.]") {
  const auto number = [](const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::stoull(text);
  };
  const Totals totals = run_all(number("AMALTHEA_MUTATION_FIRST", 0), number("AMALTHEA_MUTATION_COUNT", 1000));
  fmt::print("{} models: {} unreadable, {} converted, {} refused, {} failed\n", totals.trials, totals.unreadable,
             totals.converted, totals.refused, totals.failed);
}

}  // namespace mutation_test
