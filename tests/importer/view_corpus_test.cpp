// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/metamodel.hpp"
#include "amalthea/views/activity.hpp"
#include "amalthea/views/constraints.hpp"
#include "amalthea/views/deviations.hpp"
#include "amalthea/views/event_chains.hpp"
#include "amalthea/views/events.hpp"
#include "amalthea/views/requirements.hpp"
#include "amalthea/views/software.hpp"
#include "amalthea/views/stimuli.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/support/test_models.hpp"
#include "tests/support/view_text.hpp"

namespace view_corpus_test {

using namespace amalthea;

namespace {

namespace fs = std::filesystem;

/// How often each element of one document appears in a view.
using Appearances = std::map<std::uint32_t, int>;

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() == ".amxmi") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

/// Whether the class is a `base` in the version of its file or, for files with another structure, in any.
bool is_a(Element element, std::string_view base) {
  const auto cls = element.cls();
  const auto id = metamodel::find_class(base);
  if (!cls || !id) return false;
  if (metamodel::is_a(*cls, *id, element.document().version())) return true;
  const auto versions = all_versions();
  return !metamodel::exists(*cls, element.document().version()) &&
         std::any_of(versions.begin(), versions.end(), [&](Version v) { return metamodel::is_a(*cls, *id, v); });
}

/// Whether the element is in a feature for items: one of activities, or any in old switches.
bool stands_as_item(Element element) {
  constexpr std::array<std::string_view, 5> bases{"ActivityGraphItem", "CallGraphItem", "RunnableItem",
                                                  "GraphEntryBase", "CallSequenceItem"};
  if (!element.parent() || !element.parent().cls() || element.attribute("href")) return false;
  return std::any_of(bases.begin(), bases.end(), [&](std::string_view base) { return is_a(element, base); });
}

void walk_items(const Model& model, Element container, Appearances& seen, Diagnostics& diagnostics) {
  for (const auto& item : views::activity_items(model, container, diagnostics)) {
    ++seen[item.element.index()];
    CHECK_FALSE((std::holds_alternative<views::UnknownItem>(item.kind) && item.element.cls()));
    if (const auto* need = std::get_if<views::ExecutionNeed>(&item.kind)) {
      for (const auto& one : need->needs)
        if (one.element != item.element) ++seen[one.element.index()];
      for (const auto& [definition, needs] : need->extended)
        for (const auto& one : needs) ++seen[one.element.index()];
    }
    for (const Element inner : views::containers_of(item)) walk_items(model, inner, seen, diagnostics);
  }
}

/// Elements of the sub-model of this class, at any depth.
template <typename Visit>
void for_each_below(const Document& document, std::string_view part_class, Visit visit) {
  for (std::uint32_t i = 0; i < document.size(); ++i) {
    const Element element = document.element(i);
    Element part = element;
    while (part.parent() && part.parent().parent()) part = part.parent();
    if (part.is(part_class) || document.root().is(part_class)) visit(element);
  }
}

void walk_chain(const Model& model, Element chain, Appearances& seen, Diagnostics& diagnostics) {
  ++seen[chain.index()];
  for (const auto& item : views::event_chain_of(model, chain, diagnostics).items) {
    ++seen[item.element.index()];
    if (!item.reference && item.chain) walk_chain(model, item.chain, seen, diagnostics);
  }
}

void check_once(const Document& document, const Appearances& expected, const Appearances& seen) {
  for (const auto& [index, once] : expected) {
    const auto found = seen.find(index);
    if (found != seen.end() && found->second == 1) continue;
    INFO(format({"", Severity::note, document.element(index).path(), document.element(index).location(), ""}));
    CHECK((found == seen.end() ? 0 : found->second) == 1);
  }
  for (const auto& [index, times] : seen) {
    if (expected.count(index) != 0) continue;
    const Element element = document.element(index);
    // What no version knows is still an item; needs and chain items are no activities of their own.
    if (!element.cls() || element.is("NeedEntry") || element.parent().is("RunnableInstructions") ||
        element.parent().is("RunnableInstructionsEntry"))
      continue;
    INFO(format({"", Severity::note, element.path(), element.location(), ""}));
    CHECK(expected.count(index) == 1);
  }
}

std::string everything(const std::string& path) {
  Diagnostics diagnostics;
  const auto model = importer::read_model({path}, {}, diagnostics);
  REQUIRE(model.has_value());
  Diagnostics findings;
  return test::software_text(*model, findings) + test::stimuli_text(*model, findings) +
         test::constraints_text(*model, findings);
}

std::string replaced_all(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

TEST_CASE(
    "every activity and stimulus and event and chain and constraint of third-party models appears in exactly one view",
    "[long]") {
  const std::string folder = test::corpus_folder();
  std::size_t models = 0, items = 0, others = 0, deviations = 0;
  for (const std::string& path : files_below(folder)) {
    INFO(path);
    Diagnostics reading, diagnostics;
    const auto model = importer::read_model({path}, {}, reading);
    if (!model) continue;
    ++models;
    const Document& document = *model->documents().front();

    Appearances expected, seen;
    for_each_below(document, "SWModel", [&](Element element) {
      if (stands_as_item(element)) expected[element.index()] = 1;
    });
    for (const auto& process : views::processes(*model, diagnostics))
      walk_items(*model, process.element, seen, diagnostics);
    for (const auto& runnable : views::runnables(*model, diagnostics))
      walk_items(*model, runnable.element, seen, diagnostics);
    for (const Element prototype : model->all("swModel", "processPrototypes"))
      walk_items(*model, prototype, seen, diagnostics);
    check_once(document, expected, seen);
    items += expected.size();

    const auto check_members = [&](std::string_view part, std::string_view base, const auto& view) {
      Appearances there, read;
      for_each_below(document, part, [&](Element element) {
        if (is_a(element, base) && !element.attribute("href")) there[element.index()] = 1;
      });
      for (const auto& one : view) ++read[one.element.index()];
      check_once(document, there, read);
      others += there.size();
    };
    check_members("StimuliModel", "Stimulus", views::stimuli(*model, diagnostics));
    check_members("SWModel", "Process", views::processes(*model, diagnostics));
    check_members("SWModel", "Runnable", views::runnables(*model, diagnostics));
    std::vector<views::Label> labels;
    views::for_each_label(*model, diagnostics, [&](const views::Label& label) { labels.push_back(label); });
    check_members("SWModel", "Label", labels);
    check_members("SWModel", "ModeLabel", views::mode_labels(*model, diagnostics));
    check_members("ConstraintsModel", "TimingConstraint", views::timing_constraints(*model, diagnostics));
    check_members("ConstraintsModel", "AffinityConstraint", views::affinity_constraints(*model));
    check_members("ConstraintsModel", "RunnableSequencingConstraint", views::runnable_sequencing_constraints(*model));
    check_members("ConstraintsModel", "DataAgeConstraint", views::data_age_constraints(*model, diagnostics));
    check_members("ConstraintsModel", "PhysicalSectionConstraint", views::physical_section_constraints(*model));

    Appearances chains, chains_seen;
    for_each_below(document, "ConstraintsModel", [&](Element element) {
      if (is_a(element, "EventChain") || is_a(element, "SubEventChain") || is_a(element, "EventChainItem"))
        chains[element.index()] = 1;
    });
    for (const auto& chain : views::event_chains(*model, diagnostics))
      walk_chain(*model, chain.element, chains_seen, diagnostics);
    check_once(document, chains, chains_seen);

    for (const auto& event : test::events_of(*model)) CHECK(event.kind != views::EventKind::unknown);
    for (const auto& stimulus : views::stimuli(*model, diagnostics))
      CHECK_FALSE(std::holds_alternative<views::UnknownStimulus>(stimulus.kind));
    for (const auto& requirement : views::requirements(*model, diagnostics))
      CHECK(requirement.kind != Requirement::Kind::unknown);

    // Every deviation has the distribution that its class says, and only those that state none have none.
    for (std::uint32_t i = 0; i < document.size(); ++i) {
      const Element element = document.element(i);
      const bool old = element.is("Deviation");
      if (!old && !is_a(element, "IDiscreteValueDeviation")) continue;
      ++deviations;
      Diagnostics unread;
      const auto deviation = views::deviation_of<std::int64_t>(element, unread);
      REQUIRE(deviation.has_value());
      CHECK(std::holds_alternative<views::NoDistribution>(deviation->distribution) ==
            (old && !element.child("distribution")));
    }
  }
  WARN(fmt::format("{} models: {} activities, {} other elements, {} deviations", models, items, others, deviations));
  CHECK(models > 200);
}

TEST_CASE("third-party models in several versions have the same content in all of them", "[long]") {
  const std::string folder = test::corpus_folder();
  const std::string history = test::corpus_folder("/app4mc/history");
  // From 0.9.3 on instructions are ticks; all of these models execute one instruction a cycle by default.
  const auto comparable = [](const std::string& path) {
    return replaced_all(everything(path), "need Instructions", "ticks");
  };
  std::map<std::string, std::vector<std::string>> versions;  // of each model, oldest first
  for (const std::string& path : files_below(history)) {
    std::string name = fs::path(path).filename().string();
    if (name == "AMALTHEA_Democar.amxmi") name = "democar.amxmi";  // until 0.8.3
    versions[name].push_back(path);
  }
  for (const char* later :
       {"/app4mc/0.9.5/examples/app4mc.example.democar/democar.amxmi", "/amaltheatorcm/0.9.7/democar.amxmi"})
    if (fs::exists(folder + later)) versions["democar.amxmi"].push_back(folder + later);
  std::size_t compared = 0;
  for (const auto& [name, paths] : versions) {
    const std::string first = comparable(paths.front());
    CHECK(first.size() > 1000);
    for (const std::string& path : paths) {
      INFO(path);
      CHECK(comparable(path) == first);
      ++compared;
    }
  }
  WARN(fmt::format("{} models in {} versions altogether", versions.size(), compared));
  CHECK(compared > 50);
}

TEST_CASE("third-party models have the same content before and after their migration", "[long]") {
  const std::string folder = test::corpus_folder("/app4mc/migration");
  // What the migration loses: call sequences and processes as targets (0.7.2), the preemption "unknown" (0.7.2).
  // Before 0.7.0, statistics of reading and writing are joined to one, and numbers as values of labels become modes.
  constexpr std::array<std::string_view, 5> lossy{
      "110/itea-1.1.0/input/sw/sw.amxmi", "111/itea-1.2.0/input/stimuli/stimuli_2.amxmi",
      "111/itea-1.2.0/input/sw/sw_cns.amxmi", "targetProcess_callsequence/constraints.amxmi", "sw/preemption/sw.amxmi"};
  std::size_t compared = 0, different = 0;
  for (const auto& [step, from, to] : {std::array<std::string, 3>{"110", "itea-1.1.0", "itea-1.2.0"},
                                       {"111", "itea-1.2.0", "itea-1.3.0"},
                                       {"070", "itea-1.3.0", "0.7.0"},
                                       {"071", "0.7.0", "0.7.1"},
                                       {"072", "0.7.1", "0.7.2"}}) {
    const std::string input = fmt::format("{}/{}/{}/input", folder, step, from);
    const std::string reference = fmt::format("{}/{}/{}/reference", folder, step, to);
    for (const std::string& path : files_below(input)) {
      const std::string after = reference + path.substr(input.size());
      if (!fs::exists(after)) continue;
      INFO(path);
      const bool loses =
          std::any_of(lossy.begin(), lossy.end(), [&](std::string_view end) { return path.ends_with(end); });
      CHECK((everything(path) == everything(after)) == !loses);
      ++compared;
      different += loses ? 1U : 0U;
    }
  }
  WARN(fmt::format("{} pairs, {} of which the migration takes something from", compared, different));
  CHECK(compared > 80);
}

}  // namespace view_corpus_test
