// SPDX-License-Identifier: Apache-2.0
#include "exporter/rewriting/remapping.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "exporter/primitives/splice.hpp"
#include "importer/building/system_builder.hpp"
#include "importer/reading/conformance.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/support/test_models.hpp"
#include "tests/support/timed_models.hpp"

namespace rewriting_remapping_test {

using namespace amalthea;
using importer::MappingChange;

namespace {

MappingChange change(std::string task, std::string core, std::optional<std::int64_t> priority = {},
                     std::optional<bool> waits_actively = {}, std::optional<Duration> slice = {}) {
  MappingChange change;
  change.task = std::move(task);
  change.core = std::move(core);
  change.priority = priority;
  change.waits_actively = waits_actively;
  change.time_slice = slice;
  return change;
}

System built(const Model& model, const std::vector<MappingChange>& changes) {
  Diagnostics diagnostics;
  importer::BuildOptions options;
  options.mapping = changes;
  auto system = importer::build_system(model, options, diagnostics);
  for (const Diagnostic& finding : diagnostics.all()) UNSCOPED_INFO(format(finding));
  REQUIRE(system);
  return std::move(*system);
}

/// What is compared of a system's mapping, a line a task.
std::string mapping_text(const System& system) {
  std::string text;
  for (const Task& task : system.tasks) {
    text += fmt::format("{} {} {} {}", task.name, system.platform.schedulers[task.scheduler].name,
                        system.platform.units[task.unit].name, task.units.size());
    if (task.side == Side::host) text += fmt::format(" priority {}", task.priority);
    if (task.side == Side::device && task.time_slice) text += fmt::format(" slice {}", task.time_slice->picoseconds());
    for (const NodeIndex node : task.body)
      if (const auto* wait = std::get_if<WaitEvents>(&system.graph[node].activity))
        text += wait->active ? " polls" : " sleeps";
    text += '\n';
  }
  return text;
}

struct Remapped {
  std::optional<std::string> text;
  Diagnostics diagnostics;
};

/// Of one file: its text with the changes in it; checks that what is read from it is what was asked for.
Remapped remapped(const std::string& text, const std::vector<MappingChange>& changes) {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(text, diagnostics);
  const System before = built(model, {}), after = built(model, changes);
  Remapped result;
  const auto splices = exporter::remap(model, before, after, result.diagnostics);
  if (!splices) return result;
  const auto own = splices->find(0);
  result.text = own == splices->end() ? text : exporter::apply(text, own->second);
  Diagnostics again;
  const Model changed = test::model_from_text(*result.text, again);
  CHECK(again.all().size() == diagnostics.all().size());
  importer::check_conformance(model, diagnostics);
  importer::check_conformance(changed, again);
  CHECK(again.all().size() == diagnostics.all().size());
  CHECK(mapping_text(built(changed, {})) == mapping_text(after));
  return result;
}

/// Lines of the one text that the other does not have, and the other way round.
std::string difference(const std::string& before, const std::string& after) {
  const auto lines_of = [](const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  };
  const auto old_lines = lines_of(before), new_lines = lines_of(after);
  std::string text;
  for (const std::string& line : old_lines)
    if (std::count(new_lines.begin(), new_lines.end(), line) == 0) text += "-" + line + "\n";
  for (const std::string& line : new_lines)
    if (std::count(old_lines.begin(), old_lines.end(), line) == 0) text += "+" + line + "\n";
  return text;
}

}  // namespace

TEST_CASE("a mapping is changed in the form of every version") {
  for (const Version version : all_versions()) {
    INFO(to_string(version));
    const std::string text = test::timed_model(version);
    // Up to 0.8.0 the mapping cannot say on which of its scheduler's cores a task runs.
    const bool has_affinity = version > Version::v0_8_0;
    const auto result = remapped(text, {change("T", "C1", 7), change("U", has_affinity ? "C0" : "C1", -12)});
    REQUIRE(result.text);
    // Nothing but the values: three of them, or two.
    CHECK(test::replaced(test::replaced(*result.text, "\"7\"", "\"3\""), "\"-12\"", "\"2\"").size() == text.size());
    const auto nothing = remapped(text, {change("T", "C1"), change("U", "C1")});
    CHECK(nothing.text == text);
  }
}

TEST_CASE("priorities and waiting behavior and time slices are changed in place without changing other lines") {
  const std::vector<MappingChange> changes = {change("Control", "Core", 4, true),
                                              change("Vision", "GPU", {}, {}, Duration::microseconds(1300))};
  const std::string old = test::read_text(test::data("offload-0.9.3.amxmi"));
  const auto result = remapped(old, changes);
  REQUIRE(result.text);
  CHECK(difference(old, *result.text) ==
        "-          <calls xsi:type=\"am:WaitEvent\" waitingBehaviour=\"passive\">\n"
        "-      <schedulingParameters priority=\"1\"/>\n"
        "-      <parameterExtensions key=\"TimeSlice_Vision\" value=\"5000µs\"/>\n"
        "+          <calls xsi:type=\"am:WaitEvent\" waitingBehaviour=\"active\">\n"
        "+      <schedulingParameters priority=\"4\"/>\n"
        "+      <parameterExtensions key=\"TimeSlice_Vision\" value=\"1300 us\"/>\n");
  for (const std::string_view name : {"0.9.5", "0.9.8", "1.1.0", "2.0.0", "3.0.0"}) {
    INFO(name);
    const std::string text = test::read_text(test::data(fmt::format("offload-{}.amxmi", name)));
    const auto other = remapped(text, changes);
    REQUIRE(other.text);
    CHECK(std::count(other.text->begin(), other.text->end(), '\n') == std::count(text.begin(), text.end(), '\n'));
  }
}

TEST_CASE("offsets of periodic stimuli are changed in the form of every version, also where the model states none") {
  for (const Version version : all_versions()) {
    INFO(to_string(version));
    const std::string text = test::timed_model(version);
    Diagnostics diagnostics;
    const Model model = test::model_from_text(text, diagnostics);
    const System before = built(model, {});
    std::size_t shifted = 0;
    for (const std::int64_t offset : {2500, 3000}) {
      System after = before;
      for (Stimulus& stimulus : after.stimuli)
        if (auto* periodic = std::get_if<Periodic>(&stimulus.occurrence)) {
          periodic->offset = Duration::microseconds(offset);
          ++shifted;
        }
      const auto splices = exporter::remap(model, before, after, diagnostics);
      REQUIRE(splices);
      Diagnostics again;
      const Model changed = test::model_from_text(exporter::apply(text, splices->at(0)), again);
      importer::check_conformance(changed, again);
      CHECK_FALSE(again.has_errors());
      for (const Stimulus& stimulus : built(changed, {}).stimuli)
        if (const auto* periodic = std::get_if<Periodic>(&stimulus.occurrence))
          CHECK(periodic->offset == Duration::microseconds(offset));
    }
    CHECK(shifted > 0);
  }
}

TEST_CASE("mapping content that the model does not state yet is inserted") {
  const std::string text = test::read_text(test::sample("offload-minimal.amxmi"));
  const auto slice = remapped(text, {change("Vision", "GPU", {}, {}, Duration::milliseconds(5))});
  REQUIRE(slice.text);
  CHECK(difference(text, *slice.text) ==
        "+      <customProperties key=\"gpu.timeslice\">\n"
        "+        <value xsi:type=\"am:Time\" value=\"5\" unit=\"ms\"/>\n"
        "+      </customProperties>\n");
  // The same once more changes the value alone.
  const auto twice = remapped(*slice.text, {change("Vision", "GPU", {}, {}, Duration::microseconds(2500))});
  REQUIRE(twice.text);
  CHECK(difference(*slice.text, *twice.text) ==
        "-        <value xsi:type=\"am:Time\" value=\"5\" unit=\"ms\"/>\n"
        "+        <value xsi:type=\"am:Time\" value=\"2500\" unit=\"us\"/>\n");
  const std::string silent = test::replaced(text, " waitingBehaviour=\"passive\"", "");
  const auto waiting = remapped(silent, {change("Control", "", {}, true)});
  REQUIRE(waiting.text);
  CHECK(difference(silent, *waiting.text)
            .find("+        <items xsi:type=\"am:WaitEvent\" waitingBehaviour=\"active\">") != std::string::npos);
  // A function that moves to the CPU has neither priority nor parameters: its allocation is opened.
  const auto moved = remapped(text, {change("Vision", "Core", 5)});
  REQUIRE(moved.text);
  CHECK(difference(text, *moved.text) ==
        "-    <taskAllocation task=\"Vision?type=Task\" scheduler=\"Gpu_Scheduler?type=TaskScheduler\" "
        "affinity=\"GPU?type=ProcessingUnit\"/>\n"
        "+    <taskAllocation task=\"Vision?type=Task\" scheduler=\"Cpu_Scheduler?type=TaskScheduler\" "
        "affinity=\"Core?type=ProcessingUnit\">\n"
        "+        <value xsi:type=\"am:IntegerObject\" value=\"5\"/>\n");
}

TEST_CASE("a priority definition is created if missing and older versions need none") {
  std::string text = test::timed_model(Version::v3_3_0);
  text = test::replaced(text, "<schedulingParameterDefinitions name=\"priority\" type=\"Integer\"/>", "");
  text = test::replaced(text, " processParameters=\"priority?type=SchedulingParameterDefinition\"", "");
  for (const std::string_view value : {"3", "2"})
    text =
        test::replaced(text,
                       fmt::format("<schedulingParameters key=\"priority?type=SchedulingParameterDefinition\"><value "
                                   "xsi:type=\"am:IntegerObject\" value=\"{}\"/></schedulingParameters>",
                                   value),
                       "");
  const auto result = remapped(text, {change("T", "C1", 1), change("U", "C1", 2)});
  REQUIRE(result.text);
  CHECK(result.text->find("<schedulingParameterDefinitions name=\"priority\" type=\"Integer\"/>") != std::string::npos);
  const std::string old =
      test::replaced(test::replaced(test::timed_model(Version::v1_2_0), "<schedulingParameters priority=\"3\"/>", ""),
                     "<schedulingParameters priority=\"2\"/>", "");
  const auto other = remapped(old, {change("T", "C1", 5)});
  REQUIRE(other.text);
  CHECK(other.text->find("<schedulingParameters priority=\"5\"/>") != std::string::npos);
}

TEST_CASE("a task that moves keeps the priority that the definition of its scheduler gave it") {
  // Monitor states none, and the scheduler that it moves to has no default.
  std::string text = test::read_text(test::sample("offload-minimal.amxmi"));
  const std::string definition = R"(name="priority" type="Integer" many="false" mandatory="true")";
  text = test::replaced(
      text, definition + "/>",
      definition + R"(><defaultValue xsi:type="am:IntegerObject" value="9"/></schedulingParameterDefinitions>)");
  const std::string own = R"(
      <schedulingParameters key="priority?type=SchedulingParameterDefinition">
        <value xsi:type="am:IntegerObject" value="2"/>
      </schedulingParameters>)";
  text = test::replaced(text, own, "");
  text = test::replaced(text, "</operatingSystems>",
                        R"(<taskSchedulers name="Other" definition="OSEK?type=SchedulerDefinition"/></operatingSystems>
    <schedulerDefinitions name="OSEK"/>)");
  text = test::replaced(
      text, "<taskAllocation task=\"Vision",
      R"(<schedulerAllocation scheduler="Other?type=TaskScheduler" responsibility="More?type=ProcessingUnit"/>
    <taskAllocation task="Vision)");
  const std::string gpu = R"(<modules xsi:type="am:ProcessingUnit" xmi:id="GPU?)";
  const std::size_t core = text.find(R"(<modules xsi:type="am:ProcessingUnit" xmi:id="Core?)");
  const std::string copy = text.substr(core, text.find(gpu) - core);
  const std::string more =
      test::replaced(test::replaced(test::replaced(copy, "\"Core?", "\"More?"), "\"Core\"", "\"More\""), "Core_to_DRAM",
                     "More_to_DRAM");
  text = test::replaced(text, gpu, more + gpu);
  Diagnostics diagnostics;
  const Model model = test::model_from_text(text, diagnostics);
  const System before = built(model, {}), after = built(model, {change("Monitor", "More")});
  const auto splices = exporter::remap(model, before, after, diagnostics);
  REQUIRE(splices);
  const std::string written = exporter::apply(text, splices->at(0));
  CHECK(mapping_text(after).find("Monitor Other More 0 priority 9") != std::string::npos);
  CHECK(mapping_text(built(test::model_from_text(written, diagnostics), {})) == mapping_text(after));
}

TEST_CASE("single quotes and line ends and UTF-16 stay unchanged") {
  const std::string text = test::timed_model(Version::v3_3_0);
  const std::string quotes =
      test::replaced(text, "affinity=\"C1?type=ProcessingUnit\"", "affinity = 'C1?type=ProcessingUnit'");
  const auto quoted = remapped(quotes, {change("T", "C0")});
  REQUIRE(quoted.text);
  CHECK(quoted.text->find("affinity = 'C0?type=ProcessingUnit'") != std::string::npos);
  std::string wide = "\xFF\xFE";
  for (const char c : test::replaced(text, "UTF-8", "UTF-16")) wide.append(1, c).append(1, '\0');
  const auto changed = remapped(wide, {change("T", "C0", 12)});
  REQUIRE(changed.text);
  CHECK(changed.text->size() == wide.size() + 2);
}

TEST_CASE("changes that a version cannot express and impossible references are rejected") {
  const std::string text =
      test::replaced(test::timed_model(Version::v0_7_2), "core=\"C1?type=Core\"", "core=\"C1?type=Core C0?type=Core\"");
  const auto result = remapped(text, {change("T", "C0")});
  CHECK_FALSE(result.text);
  CHECK(test::with_id(result.diagnostics, "AM0810").size() == 1);
}

TEST_CASE("each of several files is changed separately") {
  const std::string text = test::timed_model(Version::v3_3_0);
  const std::size_t begin = text.find("<mappingModel>"), end = text.find("</mappingModel>") + 15;
  std::string mapping = text.substr(begin, end - begin);
  mapping = test::replaced(mapping, " affinity=\"C1?type=ProcessingUnit\">",
                           "><affinity href=\"amlt:/#C1?type=ProcessingUnit\"/>");
  for (int parameter = 0; parameter < 2; ++parameter)
    mapping = test::replaced(mapping, " key=\"priority?type=SchedulingParameterDefinition\">",
                             "><key href=\"amlt:/#priority?type=SchedulingParameterDefinition\"/>");
  Diagnostics diagnostics;
  std::vector<importer::NamedBytes> files = {{"a.amxmi", text.substr(0, begin) + text.substr(end)},
                                             {"b.amxmi", test::root_of(Version::v3_3_0, mapping)}};
  // References from file to file say so.
  std::string& other = files[1].bytes;
  for (const std::string_view attribute :
       {"task=\"", "scheduler=\"", "affinity=\"", "responsibility=\"", "executingPU=\"", "isr=\"", "controller=\"",
        "abstractElement=\"", "memory=\""})
    for (std::size_t at = other.find(attribute); at != std::string::npos; at = other.find(attribute, at + 1)) {
      other.insert(at + attribute.size(), "amlt:/#");
      const std::size_t blank = other.find(' ', at + attribute.size()), quote = other.find('"', at + attribute.size());
      if (blank < quote) other.insert(blank + 1, "amlt:/#");
    }
  const auto model = importer::read_model_from_bytes(files, {}, diagnostics);
  REQUIRE(model);
  const System before = built(*model, {}), after = built(*model, {change("T", "C0", 9)});
  const auto splices = exporter::remap(*model, before, after, diagnostics);
  REQUIRE(splices);
  REQUIRE(splices->size() == 1);
  files[1].bytes = exporter::apply(files[1].bytes, splices->at(1));
  CHECK(files[1].bytes.find("<affinity href=\"amlt:/#C0?type=ProcessingUnit\"/>") != std::string::npos);
  const auto changed = importer::read_model_from_bytes(files, {}, diagnostics);
  REQUIRE(changed);
  CHECK(mapping_text(built(*changed, {})) == mapping_text(after));
}

}  // namespace rewriting_remapping_test
