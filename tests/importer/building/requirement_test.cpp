// SPDX-License-Identifier: Apache-2.0
// Requirements of a model in a system.

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/graph/system.hpp"
#include "importer/building/system_builder.hpp"
#include "tests/support/test_models.hpp"

namespace building_requirement_test {

using namespace amalthea;

namespace {

System system_of(std::string text) {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(std::move(text), diagnostics);
  auto system = importer::build_system(model, {}, diagnostics);
  for (const auto& diagnostic : diagnostics.all()) UNSCOPED_INFO(format(diagnostic));
  REQUIRE(system.has_value());
  return std::move(*system);
}

std::string minimal() { return test::read_text(test::sample("offload-minimal.amxmi")); }

/// The sample with these requirements alone.
std::vector<Requirement> built(const std::string& requirements) {
  std::string text = minimal();
  const std::size_t begin = text.find("<constraintsModel>") + 18, end = text.find("</constraintsModel>");
  REQUIRE(end != std::string::npos);
  text.replace(begin, end - begin, requirements);
  text = test::replaced(text, "<swModel>",
                        "<swModel>\n<processChains name=\"Pair\" processes=\"Monitor?type=Task Control?type=Task\"/>\n"
                        "<processChains name=\"Nothing\"/>\n");
  return system_of(std::move(text)).requirements;
}

Requirement only(const std::string& requirement) {
  const auto all = built(requirement);
  REQUIRE(all.size() == 1);
  return all.front();
}

std::string with_limit(const std::string& limit) {
  return fmt::format(
      "<requirements xsi:type=\"am:ProcessRequirement\" name=\"R\" process=\"Control?type=Task\">{}</requirements>",
      limit);
}

std::string task_name(const System& system, const Requirement& requirement) {
  const auto* of = std::get_if<Requirement::OfProcess>(&requirement.subject);
  return of == nullptr ? "" : system.tasks[of->task].name;
}

}  // namespace

TEST_CASE("requirements are the same in every version") {
  for (const char* version : {"0.9.3", "0.9.5", "0.9.8", "1.1.0", "2.0.0", "3.0.0", "3.3.0"}) {
    INFO(version);
    const bool sample = std::string(version) == "3.3.0";
    const System system =
        system_of(sample ? minimal() : test::read_text(test::data(fmt::format("offload-{}.amxmi", version))));
    REQUIRE(system.requirements.size() == 2);
    const std::vector<std::pair<std::string, std::int64_t>> expected = {{"Control", 10}, {"Monitor", 2}};
    for (std::size_t i = 0; i < 2; ++i) {
      const Requirement& found = system.requirements[i];
      CHECK(found.name == "Deadline_" + expected[i].first);
      CHECK(found.kind == Requirement::Kind::process);
      CHECK(found.subject_name == expected[i].first);
      CHECK(task_name(system, found) == expected[i].first);
      CHECK(found.limit_type == Requirement::LimitType::upper);
      CHECK(found.origin.known());
      const auto& limit = std::get<Requirement::TimeLimit>(found.limit);
      CHECK(limit.metric == TimeMetric::response_time);
      CHECK(limit.value == Duration::milliseconds(expected[i].second));
    }
  }
}

TEST_CASE("the deadline of a runnable up to 0.9.3 is a requirement of that runnable") {
  const System system =
      system_of(test::replaced(test::read_text(test::data("offload-0.9.3.amxmi")),
                               "<runnables name=\"Monitor_Function\" callback=\"false\" service=\"false\">",
                               "<runnables name=\"Monitor_Function\" callback=\"false\" service=\"false\">\n"
                               "<deadline value=\"3\" unit=\"ms\"/>"));
  REQUIRE(system.requirements.size() == 3);
  const Requirement& found = system.requirements.back();
  CHECK(found.name == "deadline");
  CHECK(found.kind == Requirement::Kind::runnable);
  const auto* of = std::get_if<Requirement::OfRunnable>(&found.subject);
  REQUIRE(of != nullptr);
  CHECK(system.runnables[of->runnable].name == "Monitor_Function");
  const auto& limit = std::get<Requirement::TimeLimit>(found.limit);
  CHECK(limit.metric == TimeMetric::response_time);
  CHECK(limit.value == Duration::milliseconds(3));
}

TEST_CASE("every time metric of a requirement keeps its name") {
  for (std::size_t i = 0; i < time_metrics; ++i) {
    const auto metric = static_cast<TimeMetric>(i);
    const Requirement found = only(with_limit(fmt::format(
        "<limit xsi:type=\"am:TimeRequirementLimit\" limitType=\"LowerLimit\" metric=\"{}\"><limitValue value=\"-7\" "
        "unit=\"us\"/></limit>",
        to_string(metric))));
    INFO(to_string(metric));
    const auto& limit = std::get<Requirement::TimeLimit>(found.limit);
    CHECK(limit.metric == metric);
    CHECK(limit.value == Duration::microseconds(-7));
    CHECK(found.limit_type == Requirement::LimitType::lower);
  }
}

TEST_CASE("requirements have limits of every kind or none") {
  const auto count =
      only(with_limit("<limit xsi:type=\"am:CountRequirementLimit\" limitType=\"UpperLimit\" metric=\"Preemptions\" "
                      "limitValue=\"3\"/>"));
  CHECK(std::get<Requirement::CountLimit>(count.limit).metric == "Preemptions");
  CHECK(std::get<Requirement::CountLimit>(count.limit).value == 3);
  const auto percentage =
      only(with_limit("<limit xsi:type=\"am:PercentageRequirementLimit\" limitType=\"UpperLimit\" "
                      "metric=\"NormalizedResponseTime\" limitValue=\"80.5\"/>"));
  CHECK(std::get<Requirement::PercentageLimit>(percentage.limit).metric == "NormalizedResponseTime");
  CHECK(std::get<Requirement::PercentageLimit>(percentage.limit).value == 80.5);
  const auto cpu = only(
      with_limit("<limit xsi:type=\"am:CPUPercentageRequirementLimit\" limitType=\"UpperLimit\" metric=\"CPULoad\" "
                 "limitValue=\"70.0\" hardwareContext=\"Core?type=ProcessingUnit\"/>"));
  const auto& load = std::get<Requirement::CpuLimit>(cpu.limit);
  CHECK(load.metric == "CPULoad");
  CHECK(load.value == 70);
  CHECK(load.unit.has_value());
  CHECK_FALSE(load.unknown_unit);
  const auto frequency =
      only(with_limit("<limit xsi:type=\"am:FrequencyRequirementLimit\" limitType=\"UpperLimit\" "
                      "metric=\"CacheMissFrequency\"><limitValue value=\"2.0\" unit=\"kHz\"/></limit>"));
  CHECK(std::get<Requirement::FrequencyLimit>(frequency.limit).hertz == 2000.0);
  CHECK(std::holds_alternative<Requirement::NoLimit>(only(with_limit("")).limit));
  for (const char* limit :
       {"CountRequirementLimit\" metric=\"Activations", "PercentageRequirementLimit\" metric=\"NormalizedResponseTime",
        "CPUPercentageRequirementLimit\" metric=\"CPULoad"})
    CHECK(std::holds_alternative<Requirement::NoLimit>(
        only(with_limit(fmt::format("<limit xsi:type=\"am:{}\" limitType=\"LowerLimit\"/>", limit))).limit));
  const auto bare = only(with_limit("<limit xsi:type=\"am:TimeRequirementLimit\"/>"));
  CHECK(bare.limit_type == Requirement::LimitType::unstated);
  CHECK_FALSE(std::get<Requirement::TimeLimit>(bare.limit).metric.has_value());
  CHECK_FALSE(std::get<Requirement::TimeLimit>(bare.limit).value.has_value());
}

TEST_CASE("requirements have their subjects: runnables and ordered process chains and architectures") {
  const std::string limit =
      "<limit xsi:type=\"am:TimeRequirementLimit\" limitType=\"UpperLimit\" metric=\"ResponseTime\"><limitValue "
      "value=\"1\" unit=\"ms\"/></limit>";
  const auto all =
      built(fmt::format("<requirements xsi:type=\"am:RunnableRequirement\" name=\"A\" severity=\"Critical\" "
                        "runnable=\"Monitor_Function?type=Runnable\">{0}</requirements>\n"
                        "<requirements xsi:type=\"am:ProcessChainRequirement\" name=\"B\" "
                        "processChain=\"Pair?type=ProcessChain\">{0}</requirements>\n"
                        "<requirements xsi:type=\"am:ProcessChainRequirement\" name=\"C\" "
                        "processChain=\"Nothing?type=ProcessChain\">{0}</requirements>\n"
                        "<requirements xsi:type=\"am:ArchitectureRequirement\" name=\"D\">{0}</requirements>",
                        limit));
  REQUIRE(all.size() == 4);
  CHECK(all[0].kind == Requirement::Kind::runnable);
  CHECK(all[0].severity == Requirement::Severity::critical);
  CHECK(all[0].subject_name == "Monitor_Function");
  CHECK(std::holds_alternative<Requirement::OfRunnable>(all[0].subject));
  CHECK(all[1].kind == Requirement::Kind::process_chain);
  CHECK(all[1].subject_name == "Pair");
  const System plain = system_of(minimal());
  const auto* chain = std::get_if<Requirement::OfChain>(&all[1].subject);
  REQUIRE(chain != nullptr);
  REQUIRE(chain->tasks.size() == 2);
  CHECK(plain.tasks[chain->tasks[0]].name == "Monitor");
  CHECK(plain.tasks[chain->tasks[1]].name == "Control");
  CHECK(all[2].subject_name == "Nothing");
  CHECK(std::holds_alternative<Requirement::OfOther>(all[2].subject));
  CHECK(all[3].kind == Requirement::Kind::architecture);
  CHECK(std::holds_alternative<Requirement::OfOther>(all[3].subject));
}

}  // namespace building_requirement_test
