// SPDX-License-Identifier: Apache-2.0
// Annotations in models of every version: their content, that EMF reads them, and that they can be removed.

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/editable_model.hpp"
#include "amalthea/emf_form.hpp"
#include "engine/analysis.hpp"
#include "exporter/primitives/splice.hpp"
#include "exporter/rewriting/annotation.hpp"
#include "exporter/rewriting/annotation_content.hpp"
#include "importer/building/system_builder.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/support/corpus_index.hpp"
#include "tests/support/emf_batch.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_models.hpp"
#include "tests/support/timed_models.hpp"

namespace rewriting_annotation_content_test {

using namespace amalthea;

namespace {

bool has_measurements(Version version) {
  return metamodel::exists(*metamodel::find_class("MeasurementModel"), version);
}

/// All that a version can hold.
exporter::AnnotationRequest everything(Version version) {
  exporter::AnnotationRequest request;
  request.measurements = has_measurements(version);
  request.requirements = true;
  return request;
}

/// The text with the results of its analysis; nothing when it cannot be analyzed.
std::optional<std::string> annotated(const Model& model, const exporter::AnnotationRequest& request,
                                     std::optional<Duration> until = std::nullopt) {
  Diagnostics diagnostics;
  const auto system = importer::build_system(model, {}, diagnostics);
  if (!system) return std::nullopt;
  engine::AnalysisOptions options;
  options.until = until;
  const auto results = engine::analyze(*system, options, diagnostics);
  if (!results) return std::nullopt;
  const exporter::ModelInfo info{{"model.amxmi"}, "", exporter::hash_of_model(model)};
  const auto annotations =
      exporter::annotations_of(model, {info, *system, *results, diagnostics}, request, diagnostics);
  return exporter::annotate(*model.documents().front(), annotations);
}

std::string annotated(const std::string& text, const exporter::AnnotationRequest& request) {
  Diagnostics diagnostics;
  const auto with = annotated(test::model_from_text(text, diagnostics), request, Duration::milliseconds(40));
  for (const Diagnostic& finding : diagnostics.all()) UNSCOPED_INFO(format(finding));
  REQUIRE(with);
  return *with;
}

std::string stripped(const std::string& text) {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(text, diagnostics);
  return exporter::strip(*model.documents().front());
}

/// The properties of an element by their keys, without the prefix: "value unit" of times, else the value.
std::map<std::string, std::string> properties_of(Element element) {
  std::map<std::string, std::string> found;
  for (const Element property : element.children("customProperties")) {
    std::string key(property.attribute_or("key", ""));
    if (!key.starts_with(exporter::annotation_prefix)) continue;
    key.erase(0, exporter::annotation_prefix.size());
    const Element value = property.child("value");
    std::string text(value.attribute_or("value", ""));
    if (const auto unit = value.attribute("unit")) text.append(" ").append(*unit);
    CHECK(found.emplace(key, text).second);
  }
  return found;
}

Element named(const Model& model, std::string_view sub_model, std::string_view tag, std::string_view name) {
  for (const Element element : model.all(sub_model, tag))
    if (element.name() == name) return element;
  FAIL("no " << tag << " " << name);
  return {};
}

std::vector<Version> versions() {
  const auto all = all_versions();
  return {all.begin(), all.end()};
}

}  // namespace

TEST_CASE("tasks and ISRs and runnables and event chains and schedulers of every version are annotated") {
  for (const Version version : versions()) {
    INFO(to_string(version));
    Diagnostics diagnostics;
    const std::string with = annotated(test::timed_model(version), everything(version));
    const Model model = test::model_from_text(with, diagnostics);
    for (const Diagnostic& finding : diagnostics.all()) CHECK(finding.severity != Severity::error);

    // Every 4 ms: I runs 0.25 ms, T 0.75 ms after it, U 0.5 ms after both; T again 2 ms later, alone.
    const bool small = version <= Version::v0_8_0;  // times of 32 bits
    const auto time = [&](std::int64_t nanoseconds) {
      return small ? fmt::format("{} ns", nanoseconds) : fmt::format("{} ps", nanoseconds * 1000);
    };
    // 250 us fit into 32 bits in picoseconds.
    const std::string quarter = "250000000 ps", half = "500000000 ps", three_quarters = "750000000 ps";
    auto task = properties_of(named(model, "swModel", "tasks", "T"));
    CHECK(task["jobs"] == "20");
    CHECK(task["responseTime.min"] == three_quarters);
    CHECK(task["responseTime.mean"] == "875000000 ps");
    CHECK(task["responseTime.max"] == "1000000000 ps");
    CHECK(task["wcrt"] == "1000000000 ps");
    CHECK(task["bcrt"] == three_quarters);
    CHECK(task["verdict"] == "no deadline");
    CHECK(task["guaranteed.reason"] == "there is no deadline");
    CHECK(task.count("guaranteed") == 0);
    CHECK(task.count("deadline") == 0);
    CHECK_FALSE(task["reason"].empty());
    auto isr = properties_of(named(model, "swModel", "isrs", "I"));
    CHECK(isr["responseTime.max"] == quarter);
    CHECK(isr["wcrt"] == quarter);

    auto shared = properties_of(named(model, "swModel", "runnables", "R"));
    CHECK(shared["executions"] == "30");
    CHECK(shared["duration.max"] == half);
    CHECK(shared["duration.in.T.mean"] == half);
    CHECK(shared["duration.in.U.min"] == half);

    auto chain = properties_of(named(model, "constraintsModel", "eventChains", "C"));
    CHECK(chain["tasks"] == "U");
    CHECK(chain["let.reducedReaction"] == time(4'000'000));
    CHECK(chain["simulated.reads"] != "0");
    CHECK(chain.count("simulated.reaction") == 1);
    CHECK(chain.count("implicit.age") + chain.count("implicit.reason") == 1);
    CHECK(chain["constraint.1.name"] == "Fresh");
    CHECK(chain["constraint.1.type"] == "age");
    CHECK(chain["constraint.1.maximum"] == time(20'000'000));
    CHECK(chain["constraint.1.let"] == "met");

    const Element system = model.all("osModel", "operatingSystems").at(0);
    auto scheduler = properties_of(system.child("taskSchedulers"));
    CHECK(scheduler["cores"] == (small ? "C1" : "C0, C1"));
    CHECK(scheduler["core.C1.utilization"] == "0.562500");
    CHECK(scheduler["core.C1.demand"] == "0.562500");
    if (!small) CHECK(scheduler["core.C0.utilization"] == "0.000000");
    CHECK(properties_of(system.child("interruptControllers"))["cores"] == "C1");
    if (small) {
      const Element unit = model.documents().front()->find("C0?type=Core");
      CHECK(properties_of(unit)["core.utilization"] == "0.000000");
    }

    auto root = properties_of(model.documents().front()->root());
    CHECK(root["origin.tool"].starts_with("amalthea-timing "));
    CHECK(root["origin.execution"] == "worst");
    CHECK(root["origin.horizon"] == time(40'000'000));
    Diagnostics none;
    CHECK(root["origin.model"] == exporter::hash_of_model(test::model_from_text(test::timed_model(version), none)));

    CHECK(stripped(with) == test::timed_model(version));
    CHECK(with.find("\"-1\"") == std::string::npos);
  }
}

TEST_CASE("parts of response times and latencies and operations add up exactly to what they explain") {
  // Of times with these beginnings of their keys, the sum.
  const auto sum = [](const std::map<std::string, std::string>& properties, const std::string& prefix) {
    std::int64_t picoseconds = 0;
    for (auto at = properties.lower_bound(prefix); at != properties.end() && at->first.starts_with(prefix); ++at)
      picoseconds += std::stoll(at->second);
    return fmt::format("{} ps", picoseconds);
  };
  std::size_t jobs = 0, bounds = 0, chains = 0, operations = 0, slowed = 0;
  for (const std::string sample : {"waters2019-tx2.amxmi", "chains.amxmi", "offload-blocks.amxmi",
                                   "tutorial/5-shared-gpu.amxmi", "two-gpus.amxmi", "servers.amxmi"}) {
    INFO(sample);
    Diagnostics diagnostics;
    const auto original = importer::read_model({test::sample(sample)}, {}, diagnostics);
    REQUIRE(original);
    const auto with = annotated(*original, {}, Duration::milliseconds(400));
    REQUIRE(with);
    const Model model = test::model_from_text(*with, diagnostics);
    for (const Element task : model.all("swModel", "tasks")) {
      INFO(task.name());
      const auto properties = properties_of(task);
      if (const auto longest = properties.find("responseTime.max"); longest != properties.end() && ++jobs > 0)
        CHECK(sum(properties, "contribution.longest.") == longest->second);
      if (const auto bound = properties.find("wcrt"); bound != properties.end() && ++bounds > 0)
        CHECK(sum(properties, "contribution.bound.") == bound->second);
    }
    for (const Element chain : model.all("constraintsModel", "eventChains")) {
      const auto properties = properties_of(chain);
      if (const auto bound = properties.find("implicit.reaction"); bound != properties.end() && ++chains > 0)
        CHECK(sum(properties, "implicit.step.") == bound->second);
      if (const auto seen = properties.find("simulated.reaction"); seen != properties.end() && ++chains > 0)
        CHECK(sum(properties, "simulated.step.") == seen->second);
    }
    for (const Element runnable : model.all("swModel", "runnables")) {
      const auto properties = properties_of(runnable);
      for (const auto& [key, longest] : properties) {
        if (!key.starts_with("operation.") || !key.ends_with(".max")) continue;
        INFO(key);
        ++operations;
        const std::string parts = key.substr(0, key.size() - 3) + "contribution.";
        CHECK(sum(properties, parts) == longest);
        slowed += properties.lower_bound(parts + "interference.")->first.starts_with(parts + "interference.") ? 1 : 0;
      }
    }
  }
  CHECK(jobs > 20);
  CHECK(bounds > 10);
  CHECK(chains > 5);
  CHECK(operations > 15);
  CHECK(slowed > 2);
}

TEST_CASE("annotations name the rounds of launched kernels and the time slices of device tasks") {
  Diagnostics diagnostics;
  const auto original = importer::read_model({test::sample("offload-blocks.amxmi")}, {}, diagnostics);
  REQUIRE(original);
  const Model model = test::model_from_text(*annotated(*original, {}), diagnostics);
  auto vision = properties_of(named(model, "swModel", "runnables", "Vision_Function"));
  CHECK(vision["operation.Vision.kernel.blocksPerSm"] == "4");
  CHECK(vision["operation.Vision.kernel.rounds"] == "2");
  CHECK(vision.count("operation.Vision.kernel.bound") + vision.count("operation.Vision.kernel.bound.reason") == 1);
  const auto gpu = properties_of(model.documents().front()->find("GPU?type=ProcessingUnit"));
  CHECK(gpu.at("executionEngine.timeSlice.Vision") == "2600000000 ps");
  CHECK(gpu.at("copyEngine.timeSlice.Vision") == "2600000000 ps");
  CHECK(std::stod(gpu.at("executionEngine.demand.Vision")) + std::stod(gpu.at("executionEngine.demand.Radar")) ==
        Approx(std::stod(gpu.at("executionEngine.demand"))).margin(2e-6));
}

TEST_CASE("the detail of annotations goes from a sentence per process and chain to everything") {
  Diagnostics diagnostics;
  const auto original = importer::read_model({test::sample("chains.amxmi")}, {}, diagnostics);
  REQUIRE(original);
  const std::string bytes(original->documents().front()->source().bytes());
  std::size_t before = bytes.size();
  for (const auto detail :
       {exporter::AnnotationDetail::summary, exporter::AnnotationDetail::brief, exporter::AnnotationDetail::full}) {
    exporter::AnnotationRequest request;
    request.detail = detail;
    const std::string with = *annotated(*original, request);
    CHECK(stripped(with) == bytes);
    CHECK(with.size() > before);
    before = with.size();
    const Model model = test::model_from_text(with, diagnostics);
    auto task = properties_of(named(model, "swModel", "tasks", "Control"));
    CHECK(task["summary"] == "WCRT 3.601 ms of 10 ms, guaranteed; 83 % own execution, 17 % core used by Sense");
    auto chain = properties_of(named(model, "constraintsModel", "eventChains", "Speed_to_Control"));
    CHECK(chain["summary"] ==
          "reaction time at most 51.201 ms, 48.6 ms observed; 62 % Plan, 27 % Control, 11 % Sense; "
          "Reacts_in_time guaranteed; Fresh_enough missed");
    const bool summary = detail == exporter::AnnotationDetail::summary;
    CHECK((task.size() == 1) == summary);
    CHECK((chain.size() == 1) == summary);
    CHECK((task.count("contribution.bound.execution") == 1) == !summary);
    CHECK((task.count("jobs") == 1) == (detail == exporter::AnnotationDetail::full));
  }
}

TEST_CASE("measurements are written if the metamodel supports them") {
  for (const Version version : versions()) {
    if (!has_measurements(version)) continue;
    INFO(to_string(version));
    exporter::AnnotationRequest request;
    request.properties = false;
    request.measurements = true;
    const std::string original = test::timed_model(version);
    const std::string with = annotated(original, request);
    Diagnostics diagnostics;
    const Model model = test::model_from_text(with, diagnostics);
    const auto measurements = model.all("measurementModel", "measurements");
    // T and U; R and S; C. ISRs have none.
    REQUIRE(measurements.size() == 5);
    CHECK(measurements[0].class_name() == "TaskMeasurement");
    CHECK(model.reference(measurements[0], "task") == named(model, "swModel", "tasks", "T"));
    std::vector<std::string> times;
    for (const Element time : measurements[0].children("runtimes")) times.emplace_back(time.attribute_or("value", ""));
    CHECK(times == std::vector<std::string>{"750000000", "1000000000"});
    const Element deviation = measurements[0].child("runtimeDeviation");
    CHECK(deviation.child("lowerBound").attribute_or("value", "") == "750000000");
    CHECK(deviation.child("upperBound").attribute_or("value", "") == "1000000000");
    if (version >= Version::v0_9_3) {
      CHECK(deviation.class_name() == "TimeStatistics");
      CHECK(deviation.child("average").attribute_or("value", "") == "875000000");
    }
    CHECK(model.reference(measurements[2], "runnable") == named(model, "swModel", "runnables", "R"));
    CHECK(model.reference(measurements[4], "eventChain") == named(model, "constraintsModel", "eventChains", "C"));
    CHECK(properties_of(named(model, "swModel", "tasks", "T")).empty());
    CHECK(stripped(with) == original);
  }
}

TEST_CASE("a version without measurements rejects them and names the versions that have them") {
  for (const Version version : versions()) {
    INFO(to_string(version));
    Diagnostics reading, diagnostics;
    const Model model = test::model_from_text(test::timed_model(version), reading);
    exporter::AnnotationRequest request;
    request.measurements = true;
    CHECK(exporter::can_hold(model, request, diagnostics) == has_measurements(version));
    if (has_measurements(version)) continue;
    REQUIRE(diagnostics.all().size() == 1);
    CHECK(diagnostics.all().front().id == "AM0550");
    CHECK(diagnostics.all().front().message == fmt::format("AMALTHEA {} has no measurement model; --as measurements "
                                                           "works for 0.8.2 to 0.9.9; omit it, or convert the model",
                                                           to_string(version)));
  }
}

TEST_CASE("proposed limits are readable requirements in a new sub-model if there is none") {
  for (const Version version : versions()) {
    INFO(to_string(version));
    exporter::AnnotationRequest request;
    request.properties = false;
    request.requirements = true;
    for (const std::string& original : {test::timed_model(version), test::timed_model_without_constraints(version)}) {
      const std::string with = annotated(original, request);
      Diagnostics diagnostics;
      const Model model = test::model_from_text(with, diagnostics);
      const System system = *importer::build_system(model, {}, diagnostics);
      REQUIRE(system.tasks.size() == 3);
      CHECK(system.tasks[0].deadline == Duration::microseconds(1000));
      CHECK(system.tasks[1].deadline == Duration::microseconds(1500));
      CHECK(system.tasks[2].deadline == Duration::microseconds(250));
      REQUIRE(system.requirements.size() == 3);
      CHECK(system.requirements[0].name == "amalthea-timing.T.responseTime.bound");
      CHECK(stripped(with) == original);
      // Where EMF would write it: before the mapping.
      CHECK(with.find("<constraintsModel") < with.find("<mappingModel"));
    }
  }
}

TEST_CASE("without a bound the longest observed response time is proposed and the name states it") {
  // A task that waits for an event without a bound would be an example; one under another algorithm is too.
  Diagnostics diagnostics;
  const Model model = test::model_from_text(test::timed_model(Version::v3_3_0), diagnostics);
  const System system = *importer::build_system(model, {}, diagnostics);
  engine::Results results = *engine::analyze(system, {}, diagnostics);
  results.tasks[0].bound = {std::nullopt, std::nullopt, "it is not known", {}};
  results.tasks[1].bound = results.tasks[0].bound;
  results.tasks[1].unfinished = 1;
  const exporter::ModelInfo info{{"model.amxmi"}, "3.3.0", "sha256:0"};
  exporter::AnnotationRequest request;
  request.requirements = true;
  Diagnostics notes;
  const std::string with =
      exporter::annotate(*model.documents().front(),
                         exporter::annotations_of(model, {info, system, results, diagnostics}, request, notes));
  const Model read = test::model_from_text(with, diagnostics);
  const auto requirements = read.all("constraintsModel", "requirements");
  REQUIRE(requirements.size() == 2);
  CHECK(requirements[0].name() == "amalthea-timing.T.responseTime.observed");
  CHECK(requirements[0].child("limit").child("limitValue").attribute_or("value", "") == "1000000000");
  CHECK(properties_of(requirements[0])["inserted"] ==
        "proposed limit: the longest observed response time; no bound: it is not known");
  CHECK(requirements[1].name() == "amalthea-timing.I.responseTime.bound");
  auto task = properties_of(named(read, "swModel", "tasks", "T"));
  CHECK(task["wcrt.reason"] == "it is not known");
  CHECK(task["bcrt.reason"] == "it is not known");
  CHECK(task.count("wcrt") == 0);
  REQUIRE(notes.all().size() == 1);
  CHECK(notes.all().front().id == "AM0552");
  CHECK(notes.all().front().path == "swModel/tasks/U");
}

TEST_CASE("an element without an id gets no measurement and a note") {
  // Of two chains of one name a reference leads to the later one.
  const std::string chain =
      "<eventChains name=\"C\" stimulus=\"begin?type=ProcessEvent\" response=\"end?type=ProcessEvent\"/>";
  const std::string original = test::replaced(test::timed_model(Version::v0_9_5), chain, chain + chain);
  Diagnostics diagnostics, notes;
  const Model model = test::model_from_text(original, diagnostics);
  const System system = *importer::build_system(model, {}, diagnostics);
  engine::AnalysisOptions options;
  options.until = Duration::milliseconds(40);
  const engine::Results results = *engine::analyze(system, options, diagnostics);
  const exporter::ModelInfo info{{"model.amxmi"}, "0.9.5", "sha256:0"};
  const std::string with = exporter::annotate(
      *model.documents().front(),
      exporter::annotations_of(model, {info, system, results, diagnostics}, everything(Version::v0_9_5), notes));
  REQUIRE(notes.all().size() == 1);
  CHECK(notes.all().front().id == "AM0551");
  CHECK(notes.all().front().path == "constraintsModel/eventChains/C");
  Diagnostics again;
  CHECK(test::model_from_text(with, again).all("measurementModel", "measurements").size() == 5);
}

TEST_CASE("an element that was not analyzed or never ran states so") {
  const std::string text =
      test::replaced(test::timed_model(Version::v3_3_0), "<labels", "<runnables name=\"Unused\"/><labels");
  Diagnostics diagnostics;
  const Model model = test::model_from_text(annotated(text, {}), diagnostics);
  CHECK(properties_of(named(model, "swModel", "runnables", "Unused"))["reason"] == "no analyzed process calls it");
  const Model no_controller =
      test::model_from_text(annotated(test::replaced(test::timed_model(Version::v3_3_0),
                                                     "<isrAllocation isr=\"I?type=ISR\" "
                                                     "controller=\"IC?type=InterruptController\" "
                                                     "priority=\"4\"/>",
                                                     ""),
                                      {}),
                            diagnostics);
  const auto isr = properties_of(named(no_controller, "swModel", "isrs", "I"));
  CHECK(isr.size() == 1);
  CHECK(isr.at("reason").find("\"I\"") != std::string::npos);
}

TEST_CASE("32-bit times are rounded in the safe direction in the finest unit that fits") {
  const Duration time = Duration::picoseconds(2'500'000'000'499);
  const auto text = [&](Version version, Rounding rounding) {
    const auto [value, unit] = exporter::time_text(time, version, rounding);
    return fmt::format("{} {}", value, unit);
  };
  CHECK(text(Version::v0_8_1, Rounding::up) == "2500000000499 ps");
  CHECK(text(Version::v0_8_0, Rounding::down) == "2500000 us");
  CHECK(text(Version::v0_8_0, Rounding::up) == "2500001 us");
  CHECK(text(Version::v0_8_0, Rounding::nearest) == "2500000 us");
  CHECK(exporter::time_text(Duration::picoseconds(2'147'483'647), Version::v0_7_0, Rounding::up).unit == "ps");
  CHECK(exporter::time_text(Duration::picoseconds(2'147'483'648), Version::v0_7_0, Rounding::up).value == 2'147'484);
  CHECK(exporter::time_text(Duration::seconds(9'000'000), Version::v0_7_0, Rounding::up).unit == "s");
}

TEST_CASE("all line ends and indentations and encodings are restored without losing a line") {
  std::string plain = test::timed_model_without_constraints(Version::v0_9_5);
  std::string crlf, tabs, line;
  for (const char c : plain) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  for (std::size_t at = 0; at < plain.size(); ++at) {
    const bool indentation = plain[at] == ' ' && (plain[at - 1] == '\n' || (!tabs.empty() && tabs.back() == '\t'));
    tabs += indentation ? '\t' : plain[at];
    if (plain[at] != '\n') line += plain[at];
  }
  const std::string latin = test::replaced(test::replaced(plain, "UTF-8", "ISO-8859-1"), "<labels name=\"L\"",
                                           "<labels name=\"L\xE4nge\"/><labels name=\"L\"");
  const std::string wide = test::replaced(plain, "UTF-8", "UTF-16");
  const std::vector<std::string> texts = {
      plain,
      crlf,
      tabs,
      line,
      latin,
      "\xEF\xBB\xBF" + plain,
      "\xFF\xFE" + encode_ascii(wide, Encoding::utf16_le),
      "\xFE\xFF" + encode_ascii(wide, Encoding::utf16_be),
  };
  for (std::size_t i = 0; i < texts.size(); ++i) {
    INFO(i);
    const std::string with = annotated(texts[i], everything(Version::v0_9_5));
    CHECK(stripped(with) == texts[i]);
    CHECK(with.size() > texts[i].size() + 5000);
    if (i == 1) {
      CHECK(std::count(with.begin(), with.end(), '\n') == std::count(with.begin(), with.end(), '\r'));
      CHECK(with.find("\r\n  <measurementModel>\r\n    <customProperties") != std::string::npos);
    }
    if (i == 2) CHECK(with.find("\n\t\t\t\t<measurements xsi:type") != std::string::npos);
    if (i == 3) CHECK(std::count(with.begin(), with.end(), '\n') == 0);
  }
}

TEST_CASE("names outside ASCII are referred to in every encoding") {
  const std::string latin = test::replaced(test::timed_model(Version::v3_3_0), "UTF-8", "ISO-8859-1");
  std::string text = latin;
  for (const std::string_view place : {"<tasks name=\"U\"", "U?type=Task"})
    for (std::size_t at = 0; (at = text.find(place, at)) != std::string::npos; at += 4)
      text.replace(text.find('U', at), 1, place.starts_with("<") ? "\xDC" : "%C3%9C");
  exporter::AnnotationRequest request;
  request.requirements = true;
  const std::string with = annotated(text, request);
  Diagnostics diagnostics;
  const Model model = test::model_from_text(with, diagnostics);
  CHECK(test::with_id(diagnostics, "AM0205").empty());
  CHECK(model.reference(model.all("constraintsModel", "requirements").at(1), "process").name() == "\xC3\x9C");
  CHECK(stripped(with) == text);
}

TEST_CASE("later additions to an inserted sub-model are kept as is the content of others") {
  const std::string original = test::timed_model_without_constraints(Version::v3_3_0);
  exporter::AnnotationRequest request;
  request.requirements = true;
  const std::string with = annotated(original, request);
  const std::string own = "<timingConstraints xsi:type=\"am:DelayConstraint\" name=\"mine\"/>";
  const std::string back = stripped(test::replaced(with, "</constraintsModel>", own + "</constraintsModel>"));
  CHECK(back.find(std::string(exporter::annotation_prefix)) == std::string::npos);
  CHECK(back.find("<constraintsModel>") != std::string::npos);
  CHECK(back.find(own) != std::string::npos);

  // Properties and requirements of other tools, whatever their names.
  const std::string others = test::replaced(
      test::replaced(
          test::timed_model(Version::v3_3_0), "<eventChains",
          "<requirements xsi:type=\"am:ProcessRequirement\" name=\"amalthea-timing\" process=\"T?type=Task\">"
          "<customProperties key=\"amalthea-timings\"><value xsi:type=\"am:StringObject\" value=\"x\"/>"
          "</customProperties><limit xsi:type=\"am:CountRequirementLimit\"/></requirements><eventChains"),
      "<runnables name=\"S\">",
      "<runnables name=\"S\"><customProperties key=\"other.inserted\"><value xsi:type=\"am:StringObject\" "
      "value=\"y\"/></customProperties>");
  CHECK(stripped(others) == others);
  CHECK(stripped(annotated(others, request)) == others);
}

TEST_CASE("marks at other elements than measurements and requirements and their sub-models are ignored") {
  const std::string mark =
      "<customProperties key=\"amalthea-timing.inserted\"><value xsi:type=\"am:StringObject\" value=\"\"/>"
      "</customProperties><customProperties key=\"amalthea-timing.container\"><value xsi:type=\"am:StringObject\" "
      "value=\"\"/></customProperties>";
  const std::string original = test::timed_model(Version::v3_3_0);
  for (const std::string place : {"<swModel>", "<mappingModel>", "<constraintsModel>", "<osModel>"})
    CHECK(stripped(test::replaced(original, place, place + mark)) == original);
}

TEST_CASE("random models of every version in random layouts are restored after annotating any elements") {
  std::mt19937 random(20240229);
  const auto one_in = [&](unsigned count) { return random() % count == 0; };
  std::size_t annotated_elements = 0;
  for (const Version version : versions()) {
    EditableModel model;
    test::fill_with_random_model(model, version, 7 + static_cast<std::uint64_t>(version));
    const std::string form = write_emf_form(*model.files().front().root, version);
    std::string text;
    const auto joined = static_cast<unsigned>(2 + random() % 20);
    for (std::size_t at = 0; at < form.size(); ++at) {
      const std::string_view rest = std::string_view(form).substr(at);
      if (rest.front() == '\n' && one_in(joined)) {
        while (at + 1 < form.size() && form[at + 1] == ' ') ++at;
        continue;
      }
      if (rest.starts_with("/>") && one_in(4)) {
        // Written with a blank, or with an end tag, with and without blanks of its own.
        const std::size_t open = text.rfind('<');
        const std::string tag = text.substr(open + 1, text.find_first_of(" \n", open) - open - 1);
        static constexpr std::array<std::string_view, 4> ends = {"", " ", "  ", "\n"};
        text += one_in(2) ? std::string(" />") : fmt::format("></{}{}>", tag, ends[random() % ends.size()]);
        ++at;
        continue;
      }
      text += rest.front();
    }
    Diagnostics diagnostics;
    const Model read = test::model_from_text(text, diagnostics);
    const Document& document = *read.documents().front();
    std::vector<exporter::Annotation> annotations;
    for (std::uint32_t index = 0; index < document.size(); ++index) {
      if (!one_in(3)) continue;
      const Element element = document.element(index);
      exporter::Annotation annotation{element, {}};
      for (auto i = random() % 3; i > 0; --i)
        annotation.properties.push_back({fmt::format("key{}", i), static_cast<std::int64_t>(i)});
      if (element.parent() && !element.parent().parent() && element.tag() == "constraintsModel")
        annotation.elements.push_back(
            {"requirements", "ProcessRequirement", {}, {exporter::property_element({"inserted", true}, version)}});
      if (index == 0)
        for (const std::string tag : {"constraintsModel", "measurementModel"})
          if (!element.child(tag))
            annotation.elements.push_back({tag, {}, {}, {exporter::property_element({"container", true}, version)}});
      annotated_elements += annotation.properties.empty() ? 0 : 1;
      annotations.push_back(std::move(annotation));
    }
    INFO(to_string(version));
    const std::string with = exporter::annotate(document, annotations);
    CHECK(with.size() > text.size() + 10'000);
    CHECK((stripped(with) == text));
  }
  CHECK(annotated_elements > 1000);
}

TEST_CASE("annotated models of every version load in EMF without messages", "[emf]") {
  test::EmfBatch emf;
  for (const Version version : versions()) {
    if (!std::filesystem::exists(test::EmfBatch::ecore(version))) continue;  // 0.9.6
    int number = 0;
    for (const std::string& original : {test::timed_model(version), test::timed_model_without_constraints(version)}) {
      const std::string stem = fmt::format("{}/{}-{}", emf.folder(), to_string(version), number++);
      test::write_text(stem + "-before.amxmi", original);
      test::write_text(stem + "-after.amxmi", annotated(original, everything(version)));
      for (const std::string& path : {stem + "-before.amxmi", stem + "-after.amxmi"})
        emf.expect_accepted(version, {path});
    }
  }
  emf.run();
}

TEST_CASE("third-party models are restored unchanged", "[long]") {
  const std::string folder = test::corpus_folder();
  std::size_t with_tasks = 0, written = 0;
  for (const test::IndexedModel& indexed : test::indexed_models(folder)) {
    INFO(indexed.path);
    Diagnostics diagnostics;
    const auto model = importer::read_model({indexed.path}, {}, diagnostics);
    REQUIRE(model);
    const Document& document = *model->documents().front();
    CHECK(exporter::strip(document) == document.source().bytes());
    if (document.itea() != IteaRelease::none || model->all("swModel", "tasks").empty()) continue;
    ++with_tasks;
    const auto with = annotated(*model, everything(document.version()), Duration::milliseconds(20));
    if (!with) continue;
    ++written;
    CHECK(stripped(*with) == document.source().bytes());
  }
  WARN(fmt::format("{} of {} models with tasks annotated", written, with_tasks));
  CHECK(written > 80);
}

TEST_CASE("EMF reports nothing new for annotated third-party models", "[emf]") {
  const std::string folder = test::corpus_folder();
  test::EmfBatch emf;
  std::size_t written = 0;
  for (const test::IndexedModel& indexed : test::indexed_models(folder)) {
    if (indexed.judged != "clean") continue;
    INFO(indexed.path);
    Diagnostics diagnostics;
    const auto model = importer::read_model({indexed.path}, {}, diagnostics);
    REQUIRE(model);
    const Document& document = *model->documents().front();
    if (document.itea() != IteaRelease::none || model->all("swModel", "tasks").empty()) continue;
    const auto with = annotated(*model, everything(document.version()), Duration::milliseconds(20));
    if (!with) continue;
    const std::string path = fmt::format("{}/{}.amxmi", emf.folder(), ++written);
    test::write_text(path, *with);
    emf.expect_accepted(indexed.version, {path});
  }
  CHECK(written > 50);
  emf.run();
}

}  // namespace rewriting_annotation_content_test
