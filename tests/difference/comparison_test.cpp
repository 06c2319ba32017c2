// SPDX-License-Identifier: Apache-2.0
// Two states of a model are compared by what their objects are and mean, not by position and text; and changing one
// state by all differences gives the other one.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "amalthea/editable_model.hpp"
#include "difference/comparison.hpp"
#include "importer/reading/model_reader.hpp"
#include "migration/migration.hpp"
#include "tests/support/mutated_model.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/test_models.hpp"
#include "tests/support/thoroughness.hpp"

namespace difference_test {

using namespace amalthea;
using difference::Change;
using difference::Kind;
using difference::Part;

namespace {

struct State {
  explicit State(std::string text)
      : model(test::model_from_text(std::move(text), findings)), editable(model, SharedIds::apart) {}
  Diagnostics findings;
  Model model;
  EditableModel editable;
};

struct Compared {
  Compared(const std::string& before, const std::string& after) : older(before), newer(after) {
    comparison = difference::compare(older.editable, newer.editable, newer.model.version());
  }
  State older, newer;
  difference::Comparison comparison;
  const std::vector<Change>& changes() const { return comparison.changes; }
};

std::vector<std::string> lines(const std::vector<Change>& changes) {
  std::vector<std::string> text;
  for (const Change& change : changes)
    text.push_back(fmt::format("{} {}{}{}: {} -> {}", to_string(change.kind), change.subject,
                               change.place.empty() ? "" : "/", change.place, change.before, change.after));
  return text;
}

std::vector<std::string> differences(const std::string& before, const std::string& after) {
  return lines(Compared(before, after).changes());
}

std::string model_of(const std::string& software, const std::string& rest = {}) {
  return test::model_text("<swModel>" + software + "</swModel>" + rest);
}

std::string task(const std::string& name, const std::string& items = {}, const std::string& attributes = {}) {
  return fmt::format(R"(<tasks name="{}"{}><activityGraph>{}</activityGraph></tasks>)", name, attributes, items);
}
std::string call(const std::string& runnable) {
  return fmt::format(R"(<items xsi:type="am:RunnableCall" runnable="{}?type=Runnable"/>)", runnable);
}
std::string ticks(int value) {
  return fmt::format(R"(<items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="{}"/></items>)",
                     value);
}
std::string runnable(const std::string& name, const std::string& items) {
  return fmt::format(R"(<runnables name="{}"><activityGraph>{}</activityGraph></runnables>)", name, items);
}
std::string periodic(const std::string& value, const std::string& unit) {
  return fmt::format(
      R"(<stimuliModel><stimuli xsi:type="am:PeriodicStimulus" name="p"><recurrence value="{}" unit="{}"/></stimuli></stimuliModel>)",
      value, unit);
}

/// All samples and data of tests that can be read.
std::vector<std::string> models_at_hand() {
  std::vector<std::string> files;
  for (const char* folder : {"/samples", "/tests/data"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(AMALTHEA_SOURCE_DIR + std::string(folder)))
      if (entry.path().extension() == ".amxmi" && entry.path().filename() != "broken.amxmi")
        files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

/// Whether the text is a model that can be read without a finding.
bool is_readable(const std::string& text) {
  Diagnostics findings;
  return importer::read_model_from_bytes("model.amxmi", text, {}, findings).has_value() && findings.all().empty();
}

/// The older state changed by all differences.
std::string applied(const std::string& before, const std::string& after) {
  Compared compared(before, after);
  const Version version = compared.newer.model.version();
  const auto done = difference::apply(compared.older.editable, compared.comparison,
                                      {std::begin(difference::all_parts), std::end(difference::all_parts)}, version);
  CHECK(done.left_out == 0);
  return migration::write(*compared.older.editable.files().front().root, version);
}

}  // namespace

TEST_CASE("equal values of different text are no difference") {
  CHECK(differences(model_of("", periodic("5", "ms")), model_of("", periodic("5000", "us"))).empty());
  CHECK(differences(model_of(R"(<labels name="l"><size value="2" unit="kB"/></labels>)"),
                    model_of(R"(<labels name="l"><size value="16000" unit="bit"/></labels>)"))
            .empty());
  // The default of an attribute, written and not.
  CHECK(differences(model_of(R"(<labels name="l"/>)"), model_of(R"(<labels name="l" constant="false"/>)")).empty());
}

TEST_CASE("sizes that differ by a bit are different") {
  CHECK(differences(model_of(R"(<labels name="l"><size value="9" unit="bit"/></labels>)"),
                    model_of(R"(<labels name="l"><size value="10" unit="bit"/></labels>)")) ==
        std::vector<std::string>{"changed Label l/size: 9 bit -> 10 bit"});
}

TEST_CASE("the order of tasks is no difference and the order of calls is one") {
  CHECK(differences(model_of(task("A") + task("B")), model_of(task("B") + task("A"))).empty());
  const std::string runnables = runnable("R", ticks(1)) + runnable("S", ticks(2));
  const auto found = Compared(model_of(task("A", call("R") + call("S")) + runnables),
                              model_of(task("A", call("S") + call("R")) + runnables));
  REQUIRE(found.changes().size() == 1);
  CHECK(found.changes()[0].kind == Kind::reordered);
}

TEST_CASE("an inserted task is one difference") {
  CHECK(differences(model_of(task("A") + task("C")), model_of(task("A") + task("B", ticks(1)) + task("C"))) ==
        std::vector<std::string>{"added Task B:  -> "});
  CHECK(differences(model_of(task("A") + task("B") + task("C")), model_of(task("A") + task("C"))) ==
        std::vector<std::string>{"removed Task B:  -> "});
}

TEST_CASE("an inserted item does not change the items behind it") {
  CHECK(differences(model_of(runnable("R", ticks(1) + ticks(2) + ticks(3))),
                    model_of(runnable("R", ticks(1) + ticks(7) + ticks(2) + ticks(3)))) ==
        std::vector<std::string>{
            "added Runnable R/activityGraph/items[1]:  -> Ticks(default DiscreteValueConstant(value 7))"});
}

TEST_CASE("a changed value is named with the object that holds it") {
  CHECK(differences(model_of(runnable("R", ticks(1) + ticks(2))), model_of(runnable("R", ticks(1) + ticks(3)))) ==
        std::vector<std::string>{"changed Runnable R/activityGraph/items[1]/default: 2 -> 3"});
  CHECK(differences(model_of("", periodic("5", "ms")), model_of("", periodic("10", "ms"))) ==
        std::vector<std::string>{"changed PeriodicStimulus p/recurrence: 5 ms -> 10 ms"});
}

TEST_CASE("a renamed object keeps its references") {
  const auto model = [](const std::string& name) {
    return model_of(task("A", call(name)) + runnable(name, ticks(1) + ticks(2)) + runnable("Other", ticks(5)));
  };
  CHECK(differences(model("R"), model("S")) == std::vector<std::string>{"renamed Runnable S: R -> S"});
  // With a small change, too.
  const std::string longer = model_of(task("A", call("S")) + runnable("Other", ticks(5)) +
                                      runnable("S", ticks(1) + ticks(2) + ticks(3) + ticks(4)));
  const std::string shorter =
      model_of(task("A", call("R")) + runnable("Other", ticks(5)) + runnable("R", ticks(1) + ticks(2) + ticks(3)));
  CHECK(differences(shorter, longer) ==
        std::vector<std::string>{
            "renamed Runnable S: R -> S",
            "added Runnable S/activityGraph/items[3]:  -> Ticks(default DiscreteValueConstant(value 4))"});
}

TEST_CASE("an allocation is known by its task") {
  const auto model = [](const std::string& first, const std::string& second) {
    return model_of(task("A") + task("B"), "<mappingModel>" + first + second + "</mappingModel>");
  };
  const auto allocation = [](const std::string& of, int priority) {
    return fmt::format(
        R"(<taskAllocation task="{}?type=Task"><schedulingParameters key="priority?type=SchedulingParameterDefinition"><value xsi:type="am:IntegerObject" value="{}"/></schedulingParameters></taskAllocation>)",
        of, priority);
  };
  const auto found =
      Compared(model(allocation("A", 1), allocation("B", 2)), model(allocation("B", 5), allocation("A", 1)));
  REQUIRE(found.changes().size() == 1);
  CHECK(found.changes()[0].part == Part::mapping);
  CHECK(lines(found.changes())[0] == "changed TaskAllocation of B/schedulingParameters[priority]/value: 2 -> 5");
}

TEST_CASE("a model is not different from itself or from its conversion") {
  for (const std::string& file : models_at_hand()) {
    INFO(file);
    Diagnostics findings;
    const Model model = test::model_from_file(file, findings);
    EditableModel one(model, SharedIds::apart), other(model, SharedIds::apart);
    CHECK(lines(difference::compare(one, other, model.version()).changes).empty());

    const migration::Release from = migration::release_of(*model.documents().front());
    const migration::Release newest(newest_version);
    EditableModel again(model, SharedIds::apart), converted(model, SharedIds::apart);
    migration::Record record(findings);
    REQUIRE(migration::migrate(again, from, newest, record, findings));
    REQUIRE(migration::migrate(converted, from, newest, record, findings));
    Diagnostics reread;
    const Model written = test::model_from_text(migration::write(*converted.files().front().root, newest), reread);
    EditableModel read(written, SharedIds::apart);
    CHECK(lines(difference::compare(again, read, newest_version).changes).empty());
  }
}

namespace {

/// Two states of a small random model: mutated so that it stays readable, or two models of which little is common.
std::pair<std::string, std::string> random_states(const migration::Release& release, std::uint64_t seed) {
  const test::XmlNode before = test::small_model(release, seed);
  for (std::uint64_t attempt = 0; seed % 2 == 0 && attempt < 20; ++attempt) {
    test::XmlNode after = before;
    test::mutate(after, release, seed * 100 + attempt);
    std::string text = test::write_xml(after);
    if (is_readable(text)) return {test::write_xml(before), std::move(text)};
  }
  return {test::write_xml(before), test::write_xml(test::small_model(release, seed + 1))};
}

void check_application(const migration::Release& release, std::uint64_t first, std::uint64_t count) {
  std::size_t changed = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    INFO("seed " << seed);
    const auto [before, after] = random_states(release, seed);
    const auto found = differences(before, after);
    changed += found.empty() ? 0 : 1;
    INFO(fmt::format("{}", fmt::join(found, "\n")));
    const auto left = differences(applied(before, after), after);
    INFO(fmt::format("left:\n{}", fmt::join(left, "\n")));
    CHECK(left.empty());
  }
  CHECK(changed > count / 2);
}

}  // namespace

TEST_CASE("a state changed by all differences has none left") { check_application(Version::v3_3_0, 1, 60); }

TEST_CASE("a state of any version changed by all differences has none left", "[long]") {
  for (const Version version : {Version::v0_8_1, Version::v0_9_3, Version::v1_0_0, Version::v2_2_0, Version::v3_3_0})
    check_application(version, 1000, 400);
}

}  // namespace difference_test
