// SPDX-License-Identifier: Apache-2.0
// No hole in a model makes a result better without saying so: every feature that is read, in sound models that use
// them, removed, emptied, repeated, out of range, contradicted, misplaced or in another file.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/diagnostic.hpp"
#include "amalthea/metamodel.hpp"
#include "amalthea/primitives/threads.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/holes/hole.hpp"
#include "tests/holes/old_memories.hpp"
#include "tests/holes/outcome.hpp"
#include "tests/support/mutated_model.hpp"
#include "tests/support/test_models.hpp"
#include "tests/support/thoroughness.hpp"
#include "tests/support/timed_models.hpp"

using namespace amalthea;

namespace holes_test {
namespace {

using namespace holes;

/// What a model without it, or with another one, is: another model. No value of something else can tell.
struct AnotherModel {
  std::string_view feature;  ///< the end of "Class.feature", or "Class."
  std::string_view kinds;    ///< their names
  std::string_view reason;
  std::string_view of_class = {};  ///< of the child, or the value 0, if only those
};
constexpr std::array another_model{
    AnotherModel{".name", "absent, no value, out of range, misplaced", "an object of another name"},
    AnotherModel{"ConstraintsModel.", "absent", "a whole limit"},
    AnotherModel{"Runnable.deadline", "absent", "a whole limit"},
    AnotherModel{"ConstraintsModel.requirements", "repeated", "one more limit"},
    AnotherModel{"ProcessRequirement.process", "repeated", "one more limit"},
    AnotherModel{".items", "absent, misplaced, repeated", "a whole step of a task or runnable"},
    AnotherModel{".items", "no value", "a step that does nothing", "am:CallSequence"},
    AnotherModel{".items", "no value", "a step that does nothing", "am:Group"},
    AnotherModel{".items", "no value", "a step that does nothing", "Switch"},
    AnotherModel{".items", "no value", "a step that does nothing", "am:WhileLoop"},
    AnotherModel{".calls", "absent, misplaced, repeated", "a whole step of a task"},
    AnotherModel{".graphEntries", "absent, misplaced, repeated", "a whole step of a task"},
    AnotherModel{".graphEntries", "no value", "a step that does nothing", "Switch"},
    AnotherModel{".runnableItems", "absent, misplaced, repeated", "a whole step of a runnable"},
    AnotherModel{".runnableItems", "no value", "a step that does nothing", "Switch"},
    AnotherModel{".runnableItems", "no value", "a step that does nothing", "am:ProbabilityGroup"},
    AnotherModel{"ProbabilityRunnableItem.runnableItem", "absent", "a whole step of a runnable"},
    AnotherModel{"RunnableCall.", "repeated", "one more step"},
    AnotherModel{"LabelAccess.data", "repeated", "one more step"},
    AnotherModel{"ModeLabelAccess.step", "repeated", "one more step"},
    AnotherModel{"Switch.entries", "absent, misplaced", "a whole alternative"},
    AnotherModel{"Switch.defaultEntry", "absent, no value", "a whole alternative"},
    AnotherModel{"Histogram.entries", "absent", "a whole range of a histogram"},
    AnotherModel{".customProperties", "misplaced", "a property of another element"},
    AnotherModel{"HwAccessElement.accessPath", "misplaced", "a way of another unit"},
    AnotherModel{"Prescaler.clockRatio", "misplaced", "a ratio of another clock"},
    AnotherModel{"Constant.value", "out of range", "0 is a value"},
    AnotherModel{"Time.value", "out of range", "0 is a value", "0"},
    AnotherModel{"ModeValueCondition.value", "out of range", "0 and negative numbers are values"},
    AnotherModel{"LatencyConstant.cycles", "out of range", "0 is a value"},
    AnotherModel{"IntegerObject.value", "out of range", "0 and negative numbers are values"},
    AnotherModel{".priority", "out of range", "0 and negative numbers are values"},
};

/// References that something else must agree with; any other may refer to another object.
constexpr std::array tied{"EventChain.stimulus", "EventChain.response", "SubEventChain.stimulus",
                          "SubEventChain.response", "RunnableAllocation.scheduler"};

bool is_another_model(const Hole& hole) {
  if (hole.refers_elsewhere) return std::find(tied.begin(), tied.end(), hole.feature) == tied.end();
  return std::any_of(another_model.begin(), another_model.end(), [&](const AnotherModel& rule) {
    const bool fits =
        rule.feature.ends_with(".") ? hole.feature.starts_with(rule.feature) : hole.feature.ends_with(rule.feature);
    const bool same = rule.of_class == "0" ? hole.what == "0" : hole.what.find(rule.of_class) != hole.what.npos;
    return fits && same && rule.kinds.find(to_string(hole.kind)) != rule.kinds.npos;
  });
}

/// The features that docs/reference/defaults.md names, those with a version up to which it holds with "…".
struct Defaults {
  std::set<std::string> always, up_to_1_2_0;
};
const Defaults& defaults() {
  static const Defaults known = [] {
    Defaults names;
    const std::string page = test::read_text(AMALTHEA_SOURCE_DIR "/docs/reference/defaults.md");
    for (std::size_t at = page.find("\n| ", page.find("| ---")); at != page.npos; at = page.find("\n| ", at + 1)) {
      const std::string cell = page.substr(at + 3, page.find(" |", at + 3) - at - 3);
      auto& found = cell.find("up to 1.2.0") != cell.npos ? names.up_to_1_2_0 : names.always;
      for (std::size_t from = cell.find('`'); from != cell.npos; from = cell.find('`', from)) {
        const std::size_t to = cell.find('`', from + 1);
        found.insert(cell.substr(from + 1, to - from - 1));
        from = to + 1;
      }
    }
    return names;
  }();
  return known;
}

/// An attribute without text is not set; an element without content is there.
bool has_default(const Hole& hole, Version version) {
  const std::string name = hole.feature.substr(hole.feature.find('.') + 1);
  // Of these elements each part is optional.
  constexpr std::array hold_options{"apiOverhead", "isrCategory1Overhead", "isrCategory2Overhead", "schedulingUnit",
                                    "schedulingParameters"};
  const bool unset =
      hole.kind == Kind::absent || hole.what == "_undefined_" ||
      // Another element of its kind has it instead.
      (hole.kind == Kind::misplaced && (hole.what.ends_with("previous") || hole.what.ends_with("next"))) ||
      (hole.kind == Kind::empty &&
       (hole.what.empty() || std::find(hold_options.begin(), hold_options.end(), name) != hold_options.end()));
  return unset &&
         (defaults().always.contains(name) || (version <= Version::v1_2_0 && defaults().up_to_1_2_0.contains(name)) ||
          // docs/reference/gpu-properties.md states those of custom properties.
          (name == "customProperties" && hole.what.starts_with("gpu.")));
}

struct Base {
  std::string name;
  test::XmlNode root;
  Outcome outcome;
};

Base base_of(const std::string& name, const std::string& text) {
  Base base{name, test::parse_xml(text), {}};
  base.outcome = outcome_of(written({{"m.amxmi", base.root}}));
  INFO(name);
  for (const Diagnostic& finding : base.outcome.findings) UNSCOPED_INFO(format(finding));
  REQUIRE_FALSE(base.outcome.refused);
  return base;
}

void add_models(std::initializer_list<std::string_view> names, std::vector<Base>& bases) {
  for (const std::string_view name : names)
    bases.push_back(base_of(std::string(name),
                            test::read_text(fmt::format("{}/tests/holes/models/{}", AMALTHEA_SOURCE_DIR, name))));
}

/// Models of the newest version that together use what is read.
const std::vector<Base>& newest_bases() {
  static const std::vector<Base> bases = [] {
    std::vector<Base> made;
    add_models({"branches.amxmi", "activations.amxmi", "modes.amxmi", "items.amxmi"}, made);
    for (const std::string_view name : {"offload-minimal.amxmi", "offload-blocks.amxmi", "servers.amxmi",
                                        "constraints.amxmi", "chains.amxmi", "tutorial/6-repaired.amxmi"})
      made.push_back(base_of(std::string(name), test::read_text(test::sample(name))));
    return made;
  }();
  return bases;
}

/// Models of each form in which something is spelled differently.
const std::vector<Base>& older_bases() {
  static const std::vector<Base> bases = [] {
    std::vector<Base> made;
    for (const Version version : {Version::v0_7_0, Version::v0_7_1, Version::v0_7_2, Version::v0_8_0, Version::v0_8_1,
                                  Version::v0_9_0, Version::v0_9_3, Version::v0_9_5, Version::v1_1_0, Version::v2_0_0})
      made.push_back(base_of(std::string(to_string(version)), test::timed_model(version)));
    add_models({"older-items.amxmi", "older-servers.amxmi", "older-events.amxmi"}, made);
    return made;
  }();
  return bases;
}

struct Tried {
  Hole hole;
  const Base* base;
  Judgement judgement;
};

std::string line_of(const Tried& one) {
  return fmt::format("{}: {} {} [{}]: {}: {}", one.base->name, one.hole.feature, to_string(one.hole.kind),
                     one.hole.what, to_string(one.judgement.effect), one.judgement.why.substr(0, 700));
}

/// Calls `work` with every number below `count`, on all processors.
template <typename Work>
void for_all(std::size_t count, const Work& work) {
  std::atomic<std::size_t> next = 0;
  in_threads(std::max(1U, std::thread::hardware_concurrency()), [&](std::size_t) {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  });
}

std::vector<Tried> try_all(const std::vector<Base>& bases, std::size_t most) {
  std::vector<Tried> all;
  std::vector<Version> versions;
  for (const Base& base : bases) {
    Diagnostics ignored;
    const auto model = importer::read_model_from_bytes("m.amxmi", test::write_xml(base.root), {}, ignored);
    REQUIRE(model);
    for (Hole& hole : holes_of(base.root, *model, most)) all.push_back({std::move(hole), &base, {}});
    versions.resize(all.size(), model->version());
  }
  std::vector<char> made(all.size(), 0);
  for_all(all.size(), [&](std::size_t i) {
    Tried& one = all[i];
    Files files{{"m.amxmi", one.base->root}};
    if (!one.hole.make(files)) return;
    made[i] = 1;
    const Written text = written(files);
    one.judgement = compare(one.base->outcome, outcome_of(text), text.marked);
    Effect& effect = one.judgement.effect;
    if (effect >= Effect::assumption && has_default(one.hole, versions[i])) effect = Effect::default_value;
    if (effect >= Effect::elsewhere && is_another_model(one.hole)) effect = Effect::another_model;
  });
  std::size_t at = 0;
  std::erase_if(all, [&](const Tried&) { return made[at++] == 0; });
  return all;
}

/// AMALTHEA_HOLES=1 prints what each kind of hole does to each feature; with another value, every hole in the features
/// whose names contain it. Both print the faults.
void print(const std::vector<Tried>& all) {
  const char* const wanted = std::getenv("AMALTHEA_HOLES");
  if (wanted == nullptr) return;
  std::map<std::string, std::map<Kind, Effect>> table;
  std::map<Effect, std::size_t> effects;
  for (const Tried& one : all) {
    if (one.hole.feature.find(wanted) != std::string::npos || one.judgement.effect >= Effect::elsewhere)
      fmt::print("{}\n", line_of(one));
    ++effects[one.judgement.effect];
    const auto [at, is_new] = table[one.hole.feature].emplace(one.hole.kind, one.judgement.effect);
    if (!is_new) at->second = std::max(at->second, one.judgement.effect);
  }
  if (wanted != std::string_view("1")) return;
  fmt::print("| feature |");
  for (const Kind kind : kinds) fmt::print(" {} |", to_string(kind));
  fmt::print("\n|{}\n", " --- | --- | --- | --- | --- | --- | --- | --- |");
  for (const auto& [feature, row] : table) {
    fmt::print("| {} |", feature);
    for (const Kind kind : kinds) fmt::print(" {} |", row.contains(kind) ? to_string(row.at(kind)) : "–");
    fmt::print("\n");
  }
  for (const auto& [effect, count] : effects) fmt::print("{}: {}\n", to_string(effect), count);
  fmt::print("{} features, {} holes\n", table.size(), all.size());
}

void check(const std::vector<Tried>& all) {
  print(all);
  std::size_t faults = 0;
  for (const Tried& one : all)
    if (one.judgement.effect >= Effect::elsewhere) {
      ++faults;
      UNSCOPED_INFO(line_of(one));
    }
  CHECK(faults == 0);
}

/// Features that no model here has, with blanks between them.
struct Unused {
  std::string_view reason, features;
};
constexpr std::array unused{
    Unused{"not simulated, and a finding says so",
           "apiSendMessage chunkProcessingInstructions chunkProcessingTicks computationItems cyclesPerFetch "
           "dataStability elementIndex elements fetchStatistic fillLevel instructions misses operand1 operand2 "
           "osBuffering osDataConsistency processLevel quantSizeNs resultRunnable runnableLevel scheduleSectionLevel "
           "strands transferSize valueSource"},
    Unused{"only limits where explore may map something",
           "affinityConstraints callSequences group groupingType groups memoryTypeDefinitions schedulers"},
    Unused{"describes a design that has no tasks yet", "activation activations processPrototypes runnableCalls"},
    Unused{"a property of hardware or memory on which no result depends",
           "master memOffset readCycles runEntities scheduleUnitPriority writeCycles"},
    Unused{"names, types, documentation, what is recorded, and what follows from another feature",
           "context namespace numberBits parentScheduler tag tags"}};

void collect_names(const test::XmlNode& node, std::set<std::string, std::less<>>& names) {
  names.insert(node.tag);
  for (const auto& attribute : node.attributes) names.insert(attribute.first);
  for (const test::XmlNode& child : node.children) collect_names(child, names);
}

}  // namespace

TEST_CASE("every feature that is read occurs in a model with holes, or is known not to matter", "[holes]") {
  std::set<std::string, std::less<>> used;
  for (const Base& base : newest_bases()) collect_names(base.root, used);
  for (const Base& base : older_bases()) collect_names(base.root, used);
  std::set<std::string_view> read, known;
  for (const Version version : all_versions())
    for (const ClassInfo& one : metamodel::classes())
      for (const Feature* feature : metamodel::all_features(one.id, version))
        if (is_read(feature->name)) read.insert(feature->name);
  for (const Unused& group : unused) {
    INFO(group.reason);
    for (std::size_t from = 0, to = 0; to != group.features.npos; from = to + 1) {
      to = group.features.find(' ', from);
      const std::string_view feature = group.features.substr(from, to - from);
      INFO(feature);
      CHECK(known.insert(feature).second);
      CHECK(read.contains(feature));
      CHECK_FALSE(used.contains(feature));
    }
  }
  CHECK(read.size() > 300);
  for (const std::string_view feature : read) {
    INFO(feature);
    CHECK((used.contains(feature) || known.contains(feature)));
  }
}

TEST_CASE("no hole in a model improves a result without a finding that counts", "[holes]") {
  const auto all = try_all(newest_bases(), test::is_thorough() ? 100 : 1);
  CHECK(all.size() > 5000);
  check(all);
}

TEST_CASE("no hole in what accesses to memories take improves a result without a finding that counts", "[holes]") {
  std::vector<Base> bases{
      base_of("memories.amxmi", test::read_text(AMALTHEA_SOURCE_DIR "/tests/holes/models/memories.amxmi"))};
  for (const Version version : {Version::v0_7_0, Version::v0_7_1, Version::v0_7_2, Version::v0_8_0, Version::v0_8_3}) {
    bases.push_back(base_of(fmt::format("{} latencies", to_string(version)), memory_behind_latencies(version)));
    bases.push_back(base_of(fmt::format("{} ports", to_string(version)), memory_behind_ports(version)));
  }
  for (const Version version : {Version::v0_9_0, Version::v0_9_3})
    bases.push_back(base_of(fmt::format("{} elements", to_string(version)), memory_behind_element(version)));
  auto all = try_all(bases, 4);
  std::erase_if(all, [](const Tried& one) { return one.hole.feature.starts_with("MappingModel."); });
  check(all);
}

TEST_CASE("no hole in a model of an older version improves a result without a finding that counts", "[holes]") {
  const auto all = try_all(older_bases(), 1);
  CHECK(all.size() > 5000);
  check(all);
}

TEST_CASE("no two holes improve a result without a finding that counts", "[holes]") {
  // Those that change nothing alone, or for the worse.
  std::vector<Tried> single = try_all(newest_bases(), 1);
  std::erase_if(single, [](const Tried& one) {
    return one.judgement.effect == Effect::error || one.judgement.effect > Effect::assumption;
  });
  std::mt19937_64 random(40);
  std::vector<Tried> all;
  std::vector<Written> texts;
  std::vector<std::optional<Written>> others;  // another model is compared with what the other hole makes of it
  for (std::size_t tries = 0; all.size() < 1000 && tries < 10'000; ++tries) {
    const Tried* first = &single[random() % single.size()];
    const Tried* second = &single[random() % single.size()];
    if (first->base != second->base || first->hole.node == second->hole.node) continue;
    if (first->hole.node < second->hole.node) std::swap(first, second);  // the later one moves no other element
    Files files{{"m.amxmi", first->base->root}};
    if (!first->hole.make(files) || !second->hole.make(files)) continue;
    Files second_only{{"m.amxmi", first->base->root}};  // the second hole can contain the first
    if (second->hole.make(second_only) && written(second_only).files == written(files).files) continue;
    std::set<std::string> names;
    for (const auto& file : files) names.insert(file.first);
    if (names.size() != files.size()) continue;
    Tried both{first->hole, first->base, {}};
    both.hole.feature +=
        fmt::format(" {} [{}] and {}", to_string(first->hole.kind), first->hole.what, second->hole.feature);
    both.hole.kind = second->hole.kind;
    both.hole.what = second->hole.what;
    all.push_back(std::move(both));
    texts.push_back(written(files));
    others.emplace_back();
    Files other{{"m.amxmi", first->base->root}};
    for (const Tried* one : {first, second})
      if (is_another_model(one->hole) && one->hole.make(other)) others.back() = written(other);
  }
  CHECK(all.size() == 1000);
  for_all(all.size(), [&](std::size_t i) {
    const Outcome before = others[i] ? outcome_of(*others[i]) : all[i].base->outcome;
    all[i].judgement = compare(before, outcome_of(texts[i]), texts[i].marked);
  });
  std::size_t faults = 0;
  for (const Tried& one : all)
    if (one.judgement.effect >= Effect::elsewhere) {
      ++faults;
      UNSCOPED_INFO(line_of(one));
    }
  CHECK(faults == 0);
}

}  // namespace holes_test
