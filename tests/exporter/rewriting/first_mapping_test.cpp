// SPDX-License-Identifier: Apache-2.0
#include "exporter/rewriting/first_mapping.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/views/mapping.hpp"
#include "importer/building/system_builder.hpp"
#include "importer/reading/conformance.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/support/emf_batch.hpp"
#include "tests/support/test_models.hpp"
#include "tests/support/timed_models.hpp"

namespace rewriting_first_mapping_test {

using namespace amalthea;

namespace {

/// timed_models.hpp without its mapping; `with_os`: with its scheduler, which is responsible for nothing then.
std::string unmapped(Version version, bool with_os) {
  std::string text = test::replaced(test::timed_model(version), test::timed_mapping(version), "");
  return with_os ? text : test::replaced(text, test::operating_system(version), "");
}

std::string task_scheduler_of(const System& system, const Task& task) {
  return system.platform.schedulers[task.scheduler].name;
}

struct Mapped {
  std::string text;
  Model model;  // without the mapping
  exporter::FirstMapping created;
};

/// Checks that the result is the text with insertions only, and that it conforms as well as the text.
Mapped mapped(const std::string& text) {
  Diagnostics diagnostics;
  Model model = test::model_from_text(text, diagnostics);
  const auto created = exporter::first_mapping(model);
  REQUIRE(created);
  for (const exporter::Splice& splice : created->splices.at(0))
    if (splice.text.empty())
      CHECK(text.substr(splice.span.begin, splice.span.size()) == "/");  // of an element written as <x/>
    else
      CHECK(splice.span.size() == 0);
  Mapped result{exporter::apply(text, created->splices.at(0)), std::move(model), *created};
  Diagnostics again;
  const Model changed = test::model_from_text(result.text, again);
  importer::check_conformance(result.model, diagnostics);
  importer::check_conformance(changed, again);
  INFO(result.text);
  for (const std::string& message : test::messages(again)) UNSCOPED_INFO(message);
  CHECK(again.all().size() == diagnostics.all().size());
  CHECK(exporter::unmapped_tasks(changed).empty());
  CHECK_FALSE(exporter::first_mapping(changed));
  return result;
}

System built(const std::string& text) {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(text, diagnostics);
  const auto system = importer::build_system(model, {}, diagnostics);
  INFO(text);
  for (const std::string& message : test::messages(diagnostics)) UNSCOPED_INFO(message);
  REQUIRE(system);
  return *system;
}

/// The sub-models of `unmapped` in a file each.
std::vector<importer::NamedBytes> files_of(Version version) {
  const auto file = [&](std::string path, const std::string& content) {
    return importer::NamedBytes{std::move(path), test::root_of(version, content)};
  };
  return {file("sw.amxmi", test::timed_software(version)),
          file("hw.amxmi", version < Version::v0_9_0 ? test::old_hardware(version) : test::new_hardware(version)),
          file("os.amxmi", test::operating_system(version)), file("map.amxmi", "<mappingModel/>")};
}

std::vector<importer::NamedBytes> mapped_files(Version version) {
  std::vector<importer::NamedBytes> files = files_of(version);
  Diagnostics diagnostics;
  const auto model = importer::read_model_from_bytes(files, {}, diagnostics);
  REQUIRE(model);
  const auto created = exporter::first_mapping(*model);
  REQUIRE(created);
  for (const auto& [position, splices] : created->splices)
    files[position].bytes = exporter::apply(files[position].bytes, splices);
  return files;
}

}  // namespace

TEST_CASE("a first mapping is inserted in the form of every version") {
  for (const Version version : all_versions())
    for (const bool with_os : {true, false}) {
      INFO(to_string(version) << (with_os ? " with" : " without") << " an operating system");
      const Mapped result = mapped(unmapped(version, with_os));
      const System system = built(result.text);
      REQUIRE(system.tasks.size() >= 2);
      for (const std::size_t task : {0U, 1U}) {
        CHECK(system.platform.units[system.tasks[task].unit].name == "C0");
        CHECK(system.tasks[task].units.empty());
        CHECK(task_scheduler_of(system, system.tasks[task]) == (with_os ? "Sched" : "Scheduler_C0"));
      }
      // Every core has a scheduler: the idle one of the model, or a new one.
      REQUIRE(result.created.responsibilities.size() == 2);
      CHECK(result.created.responsibilities[0].is_new != with_os);
      CHECK(result.created.responsibilities[1].is_new);
      for (const Scheduler& scheduler : system.platform.schedulers)
        if (!scheduler.interrupt_controller) CHECK(scheduler.units.size() == 1);
    }
}

TEST_CASE("EMF loads a first mapping in the form of every version", "[emf]") {
  test::EmfBatch emf;
  for (const Version version : all_versions())
    if (version != Version::v0_9_6)  // no metamodel
      for (const bool with_os : {true, false}) {
        const std::string path = fmt::format("{}/{}-{}.amxmi", emf.folder(), to_string(version), with_os);
        test::write_text(path, mapped(unmapped(version, with_os)).text);
        emf.expect_accepted(version, {path});
      }
  for (const Version version : {Version::v0_7_0, Version::v0_8_0, Version::v0_9_0, Version::v3_3_0}) {
    std::vector<std::string> files;
    for (const importer::NamedBytes& file : mapped_files(version)) {
      files.push_back(fmt::format("{}/{}-{}", emf.folder(), to_string(version), file.path));
      test::write_text(files.back(), file.bytes);
    }
    emf.expect_accepted(version, files);
  }
  emf.run();
}

TEST_CASE("a mapped model needs no first mapping and one without cores gets none") {
  Diagnostics diagnostics;
  CHECK_FALSE(exporter::first_mapping(test::model_from_text(test::timed_model(Version::v3_3_0), diagnostics)));
  const std::string text = unmapped(Version::v3_3_0, false);
  const std::string no_cores = test::replaced(text, test::new_hardware(Version::v3_3_0), "");
  CHECK(exporter::unmapped_tasks(test::model_from_text(no_cores, diagnostics)).size() == 2);
  const auto reason = [&](const std::string& model) {
    return exporter::first_mapping(test::model_from_text(model, diagnostics)).error();
  };
  CHECK(reason(test::timed_model(Version::v3_3_0)).empty());
  CHECK(reason(no_cores).starts_with("the model has no CPU with a clock"));
  CHECK(reason(test::replaced(text, "<tasks name=\"U\"", "<tasks name=\"T\"")) ==
        "several tasks are named \"T\"; rename all but one");
}

TEST_CASE("only tasks without a mapping are mapped and only cores without a scheduler get one") {
  const std::string whole = test::timed_model(Version::v3_3_0);
  const std::size_t begin = whole.find("<taskAllocation task=\"U?type=Task\"");
  const std::string_view close = "</taskAllocation>";
  const std::size_t end = whole.find(close, begin) + close.size();
  const std::string text = whole.substr(0, begin) + whole.substr(end);
  const Mapped result = mapped(text);
  REQUIRE(result.created.tasks.size() == 1);
  CHECK(result.created.tasks[0].name() == "U");
  CHECK(result.created.responsibilities.empty());  // one scheduler is responsible for both cores
  const System system = built(result.text);
  CHECK(system.platform.units[system.tasks[0].unit].name == "C1");
  CHECK(system.tasks[0].priority == 3);
  CHECK(system.platform.units[system.tasks[1].unit].name == "C0");
  CHECK(exporter::describe(result.created) == "task U");
}

TEST_CASE("a scheduler with tasks and without a core gets the core that it is named after") {
  const std::string responsibility =
      R"(<schedulerAllocation scheduler="Sched?type=TaskScheduler" responsibility="C0?type=ProcessingUnit C1?type=ProcessingUnit" executingPU="C0?type=ProcessingUnit"/>)";
  std::string text = test::replaced(test::timed_model(Version::v3_3_0), responsibility, "");
  while (text.find(" affinity=\"C1?type=ProcessingUnit\"") != std::string::npos)
    text = test::replaced(text, " affinity=\"C1?type=ProcessingUnit\"", "");
  for (const auto& [name, core] :
       {std::pair("Sched", "C0"), std::pair("Sched_C1", "C1"), std::pair("Sched_C12", "C0")}) {
    std::string named = text;
    for (std::size_t at = named.find("Sched?"); at != std::string::npos; at = named.find("Sched?", at + 1))
      named.replace(at, 5, name);
    named = test::replaced(named, "name=\"Sched\"", fmt::format("name=\"{}\"", name));
    const Mapped result = mapped(named);
    CHECK(result.created.tasks.empty());
    REQUIRE(result.created.responsibilities.size() == 2);
    CHECK(result.created.responsibilities[0].scheduler == name);
    CHECK(result.created.responsibilities[0].unit == core);
    const System system = built(result.text);
    CHECK(system.platform.units[system.tasks[0].unit].name == core);
  }
  // An affinity alone says where a task runs.
  Diagnostics diagnostics;
  const std::string with_affinity = test::replaced(test::timed_model(Version::v3_3_0), responsibility, "");
  CHECK(exporter::unmapped_tasks(test::model_from_text(with_affinity, diagnostics)).empty());
}

TEST_CASE("a task starts where it has ticks and on a GPU if it states ticks for it") {
  const std::string waters = test::read_text(test::sample("waters2019-tx2.amxmi"));
  const std::size_t begin = waters.find("    <taskAllocation"), end = waters.find("    <memoryMapping");
  const Mapped result = mapped(waters.substr(0, begin) + waters.substr(end));
  const System system = built(result.text);
  for (const Task& task : system.tasks) {
    if (task.folded_into) continue;
    const bool has_wrapper = std::any_of(system.tasks.begin(), system.tasks.end(), [&](const Task& other) {
      return other.name == "PRE_" + task.name + "_gpu_POST";
    });
    INFO(task.name);
    CHECK((task.side == Side::device) == has_wrapper);
  }
}

TEST_CASE("a first mapping of several files refers from file to file") {
  for (const Version version : all_versions()) {
    INFO(to_string(version));
    const auto files = files_of(version), changed = mapped_files(version);
    for (const std::size_t same : {0U, 1U}) CHECK(changed[same].bytes == files[same].bytes);
    CHECK(changed[3].bytes.find("<task href=\"amlt:/#T?type=Task\"/>") != std::string::npos);
    Diagnostics again;
    const auto model = importer::read_model_from_bytes(changed, {}, again);
    REQUIRE(model);
    for (const std::string& message : test::messages(again)) UNSCOPED_INFO(message);
    CHECK(again.all().empty());
    CHECK(importer::build_system(*model, {}, again));
  }
}

TEST_CASE("a first mapping keeps line ends") {
  std::string crlf;
  for (const char c : unmapped(Version::v0_9_5, true)) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const std::string text = mapped(crlf).text;
  CHECK(std::count(text.begin(), text.end(), '\n') == std::count(text.begin(), text.end(), '\r'));
}

}  // namespace rewriting_first_mapping_test
