// SPDX-License-Identifier: Apache-2.0
// Assumptions and omitted content are reported; a complete model has no finding.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/finding_consequences.hpp"
#include "importer/building/system_builder.hpp"
#include "tests/support/test_models.hpp"
#include "tests/support/timed_models.hpp"

namespace building_assumptions_test {

using namespace amalthea;
using test::replaced;

namespace {

std::string open_minimal() { return test::read_text(test::sample("offload-minimal.amxmi")); }

std::string without(std::string text, std::string_view what) { return replaced(std::move(text), what, ""); }

/// Every finding of building the model, which has to be possible.
Diagnostics reported_of(const std::string& text, const importer::BuildOptions& options = {}) {
  Diagnostics reading, building;
  const Model model = test::model_from_text(text, reading);
  const bool built = importer::build_system(model, options, building).has_value();
  for (const Diagnostic& finding : building.all()) UNSCOPED_INFO(format(finding));
  CHECK(built);
  return building;
}

/// How many things the one finding with this id is about; 0 when there is none. What it means is `consequence`.
std::uint64_t counted(const std::string& text, std::string_view id, engine::Consequence consequence,
                      const importer::BuildOptions& options = {}) {
  const auto found = test::with_id(reported_of(text, options), id);
  if (found.empty()) return 0;
  REQUIRE(found.size() == 1);
  CHECK(engine::consequence_of(found.front()) == consequence);
  CHECK(found.front().location.line > 0);
  return found.front().count;
}

std::uint64_t assumed(const std::string& text, std::string_view id, const importer::BuildOptions& options = {}) {
  return counted(text, id, engine::Consequence::assumption, options);
}
std::uint64_t unknown(const std::string& text, std::string_view id) {
  return counted(text, id, engine::Consequence::unknown);
}

const std::string image_mapping =
    "<memoryMapping abstractElement=\"Image_host?type=Label\" memory=\"DRAM?type=Memory\" "
    "memoryPositionAddress=\"0x0\"/>";
const std::string core_reads = "<readLatency xsi:type=\"am:DiscreteValueConstant\" value=\"20\"/>";
const std::string core_writes = "<writeLatency xsi:type=\"am:DiscreteValueConstant\" value=\"20\"/>";

/// One more task on the core, every 2 ms, with this content and these attributes.
std::string with_task(const std::string& attributes, const std::string& items, const std::string& priority = "3") {
  std::string text = replaced(open_minimal(), "</swModel>",
                              fmt::format("<tasks name=\"More\" stimuli=\"every_2ms?type=PeriodicStimulus\" {}>"
                                          "<activityGraph>{}</activityGraph></tasks></swModel>",
                                          attributes, items));
  const std::string parameter = priority.empty()
                                    ? ""
                                    : fmt::format(
                                          "<schedulingParameters key=\"priority?type=SchedulingParameterDefinition\">"
                                          "<value xsi:type=\"am:IntegerObject\" value=\"{}\"/></schedulingParameters>",
                                          priority);
  const std::string open = "<taskAllocation task=\"Monitor?type=Task\"";
  const auto begin = text.find(open), end = text.find('>', begin) + 1;
  REQUIRE(begin != std::string::npos);
  std::string allocation = text.substr(begin, end - begin);
  return replaced(text, open, replaced(allocation, "Monitor", "More") + parameter + "</taskAllocation>" + open);
}

const std::string preemptive = "preemption=\"preemptive\"";
const std::string some_ticks =
    "<items xsi:type=\"am:Ticks\"><default xsi:type=\"am:DiscreteValueConstant\" value=\"10\"/></items>";

}  // namespace

TEST_CASE("a complete model is built without assumptions") {
  CHECK(reported_of(open_minimal()).all().empty());
  CHECK(reported_of(with_task(preemptive, some_ticks)).all().empty());
}

TEST_CASE("accesses to unmapped labels are assumed to take no time or to use the only memory") {
  // The core and the GPU reach one memory each.
  CHECK(assumed(without(open_minimal(), image_mapping), "AM0443") == 2);
  const std::string second_memory =
      "<accessElements name=\"more\" destination=\"Other?type=Memory\"/></modules>\n      <modules "
      "xsi:type=\"am:ProcessingUnit\" xmi:id=\"GPU";
  std::string text = replaced(without(open_minimal(), image_mapping),
                              "</modules>\n      <modules xsi:type=\"am:ProcessingUnit\" xmi:id=\"GPU", second_memory);
  text = replaced(
      text, "</structures>",
      "<modules xsi:type=\"am:Memory\" name=\"Other\" definition=\"Ram?type=MemoryDefinition\"/></structures>");
  CHECK(unknown(text, "AM0480") == 1);  // other labels have a memory
  CHECK(assumed(text, "AM0443") == 1);
  CHECK(reported_of(text, {.keep_wrappers = false, .tabulated_accesses = true}).all().empty());
}

TEST_CASE("accesses without a path or latency or lines or size are assumed to cost nothing more") {
  const std::string elsewhere = replaced(image_mapping, "\"DRAM?", "\"Other?");
  const std::string other =
      "<modules xsi:type=\"am:Memory\" name=\"Other\" definition=\"Ram?type=MemoryDefinition\"/></structures>";
  const auto found = test::with_id(
      reported_of(replaced(replaced(open_minimal(), image_mapping, elsewhere), "</structures>", other)), "AM0482");
  REQUIRE(found.size() == 2);  // from the core and from the GPU
  for (const Diagnostic& finding : found) {
    CHECK(finding.count == 1);
    CHECK(engine::consequence_of(finding) == engine::Consequence::unknown);
  }
  CHECK(unknown(without(open_minimal(), core_reads), "AM0476") == 1);
  const std::string no_latency = without(without(open_minimal(), core_reads), core_writes);
  CHECK(unknown(no_latency, "AM0476") == 1);  // other accesses have one
  CHECK(assumed(without(no_latency, R"(<readLatency xsi:type="am:DiscreteValueConstant" value="5"/>
          <writeLatency xsi:type="am:DiscreteValueConstant" value="5"/>)"),
                "AM0444") >= 2);
  CHECK(assumed(without(open_minimal(), "<lineSize value=\"64\" unit=\"B\"/>"), "AM0451") == 2);
  CHECK(unknown(without(open_minimal(), "<size value=\"64\" unit=\"kB\"/>"), "AM0480") == 1);
}

TEST_CASE("label accesses of unstated kind are assumed to read") {
  const std::string write = "data=\"Image_host?type=Label\" access=\"write\"";
  CHECK(assumed(replaced(open_minimal(), write, "data=\"Image_host?type=Label\""), "AM0457") == 1);
}

TEST_CASE("tasks without stated priority or preemption are assumed to have priority 0 and to be preemptive") {
  CHECK(assumed(with_task(preemptive, some_ticks, ""), "AM0446") == 1);
  CHECK(assumed(with_task("", some_ticks), "AM0452") == 1);
  // Up to 1.2.0 the priority 0 is not written.
  const std::string old = test::timed_model(Version::v0_9_8);
  CHECK(assumed(old, "AM0446") == 0);
  CHECK(assumed(without(old, " priority=\"2\""), "AM0446") == 0);
  CHECK(assumed(without(without(old, " priority=\"2\""), " priority=\"3\""), "AM0446") == 2);
}

/// Two tasks under this algorithm, whose allocations contain these parameters. Their periods are 10 and 20 ms, and the
/// first has a deadline of 5 ms.
std::string two_tasks(std::string_view algorithm, std::string_view definitions, std::string_view first,
                      std::string_view second = "") {
  const auto task = [](std::string_view name, int period, std::string_view limit) {
    return std::array{
        fmt::format(R"(<tasks name="{0}" preemption="preemptive" stimuli="{0}?type=PeriodicStimulus"><activityGraph>
          <items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="4000000"/></items>
          </activityGraph></tasks>)",
                    name),
        fmt::format(R"(<stimuli xsi:type="am:PeriodicStimulus" name="{}"><recurrence value="{}" unit="ms"/></stimuli>)",
                    name, period),
        fmt::format(R"(<requirements xsi:type="am:ProcessRequirement" name="Of_{0}" process="{0}?type=Task">
          <limit xsi:type="am:TimeRequirementLimit" limitType="UpperLimit" metric="ResponseTime">
          <limitValue value="{1}" unit="ms"/></limit></requirements>)",
                    name, limit)};
  };
  const auto one = task("One", 10, "5"), two = task("Two", 20, "20");
  return test::in_root(fmt::format(
      R"(<swModel>{0}{1}</swModel>
<hwModel><definitions xsi:type="am:ProcessingUnitDefinition" name="Cpu" puType="CPU"/><structures name="Board">
  <modules xsi:type="am:ProcessingUnit" name="Core" frequencyDomain="Clock?type=FrequencyDomain"
    definition="Cpu?type=ProcessingUnitDefinition"/></structures>
  <domains xsi:type="am:FrequencyDomain" name="Clock"><defaultValue value="1" unit="GHz"/></domains></hwModel>
<osModel><operatingSystems><taskSchedulers name="Sched" definition="{6}?type=SchedulerDefinition"/></operatingSystems>
  <schedulerDefinitions name="{6}" processParameters="p?type=SchedulingParameterDefinition"/>{7}</osModel>
<stimuliModel>{2}{3}</stimuliModel><constraintsModel>{4}{5}</constraintsModel>
<mappingModel><schedulerAllocation scheduler="Sched?type=TaskScheduler" responsibility="Core?type=ProcessingUnit"/>
  <taskAllocation task="One?type=Task" scheduler="Sched?type=TaskScheduler">{8}</taskAllocation>
  <taskAllocation task="Two?type=Task" scheduler="Sched?type=TaskScheduler">{9}</taskAllocation></mappingModel>)",
      one[0], two[0], one[1], two[1], one[2], two[2], algorithm, definitions, first, second));
}

std::string parameter(std::string_view key, std::string_view value) {
  return fmt::format(R"(<schedulingParameters key="{}"><value {}/></schedulingParameters>)", key, value);
}

TEST_CASE(
    "a scheduling parameter by which a task is less urgent than the analysis takes it makes the verdict unknown") {
  const std::string key = "p?type=SchedulingParameterDefinition";
  const auto of = [&](std::string_view algorithm, std::string_view name, std::string_view time) {
    return unknown(
        two_tasks(algorithm, fmt::format("<schedulingParameterDefinitions xmi:id=\"{}\" name=\"{}\"/>", key, name),
                  parameter(key, fmt::format("xsi:type=\"am:Time\" {}", time))),
        "AM0462");
  };
  for (const std::string_view algorithm : {"EarliestDeadlineFirst", "DeadlineMonotonic"}) {
    CHECK(of(algorithm, "deadline", R"(value="5" unit="ms")") == 0);
    CHECK(of(algorithm, "deadline", R"(value="5000" unit="us")") == 0);
    CHECK(of(algorithm, "Deadline", R"(value="50" unit="ms")") == 1);
    CHECK(of(algorithm, "period", R"(value="50" unit="ms")") == 0);
  }
  CHECK(of("RateMonotonic", "period", R"(value="10" unit="ms")") == 0);
  CHECK(of("RateMonotonic", "period", R"(value="30" unit="ms")") == 1);
  CHECK(of("FixedPriorityPreemptive", "deadline", R"(value="50" unit="ms")") == 0);
}

/// The two tasks have these priorities, without any finding.
void check_priorities(const std::string& text, std::int64_t first, std::int64_t second) {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(text, diagnostics);
  const auto system = importer::build_system(model, {}, diagnostics);
  CHECK(test::messages(diagnostics).empty());
  REQUIRE(system);
  CHECK(system->tasks[0].priority == first);
  CHECK(system->tasks[1].priority == second);
}

TEST_CASE("a priority counts by whichever id its definition has") {
  for (const auto& [id, key] :
       {std::pair{"_p1", "_p1"},
        {"p?type=SchedulingParameterDefinition", "//@osModel/@schedulingParameterDefinitions.0"}}) {
    INFO(key);
    const std::string text =
        two_tasks("FixedPriorityPreemptive",
                  fmt::format("<schedulingParameterDefinitions xmi:id=\"{}\" name=\"priority\" type=\"Integer\"/>", id),
                  parameter(key, R"(xsi:type="am:IntegerObject" value="3")"),
                  parameter(key, R"(xsi:type="am:IntegerObject" value="4")"));
    check_priorities(replaced(text, "p?type=SchedulingParameterDefinition\"/>", std::string(id) + "\"/>"), 3, 4);
  }
}

TEST_CASE("a task without a priority has the default of the definition of its scheduler") {
  const std::string key = "p?type=SchedulingParameterDefinition";
  for (const std::string_view name : {"priority", "extended: priority"}) {
    INFO(name);
    const std::string text =
        two_tasks("FixedPriorityPreemptive",
                  fmt::format(R"(<schedulingParameterDefinitions xmi:id="{}" name="{}" type="Integer">
                  <defaultValue xsi:type="am:IntegerObject" value="9"/></schedulingParameterDefinitions>)",
                              key, name),
                  parameter(key, R"(xsi:type="am:IntegerObject" value="3")"));
    check_priorities(text, 3, 9);
  }
}

TEST_CASE("a default deadline of the definition of a scheduler is reported once, as a default") {
  const auto of = [](std::string_view time) {
    return two_tasks("DeadlineMonotonic",
                     fmt::format(R"(<schedulingParameterDefinitions xmi:id="p?type=SchedulingParameterDefinition"
                       name="deadline" type="Time"><defaultValue xsi:type="am:Time" {}/>
                       </schedulingParameterDefinitions>)",
                                 time),
                     "");
  };
  CHECK(unknown(of(R"(value="50" unit="ms")"), "AM0462") == 1);
  CHECK(test::with_id(reported_of(of(R"(value="50" unit="ms")")), "AM0462").front().message.find("the default of") !=
        std::string::npos);
}

TEST_CASE("a default time slice of the definition of a scheduler is no sign of a GPU") {
  const std::string text = two_tasks("FixedPriorityPreemptive",
                                     R"(<schedulingParameterDefinitions xmi:id="p?type=SchedulingParameterDefinition"
                       name="timeSlice" type="Time"><defaultValue xsi:type="am:Time" value="1" unit="ms"/>
                       </schedulingParameterDefinitions>)",
                                     "");
  CHECK(test::with_id(reported_of(without(text, " puType=\"CPU\"")), "AM0307").empty());
}

TEST_CASE("a scheduling parameter that is not simulated makes the verdict unknown") {
  const std::string key = "p?type=SchedulingParameterDefinition";
  const auto of = [&](std::string_view name, std::string_view value) {
    return unknown(two_tasks("FixedPriorityPreemptive",
                             fmt::format("<schedulingParameterDefinitions xmi:id=\"{}\" name=\"{}\"/>", key, name),
                             parameter(key, value)),
                   "AM0496");
  };
  CHECK(of("maxBudget", R"(xsi:type="am:Time" value="1" unit="ms")") == 1);
  CHECK(of("preemptionThreshold", R"(xsi:type="am:IntegerObject" value="9")") == 1);
  CHECK(of("priority", R"(xsi:type="am:IntegerObject" value="9")") == 0);
  CHECK(of("timeSlice", R"(xsi:type="am:Time" value="1" unit="ms")") == 0);
  CHECK(of("deadline", R"(xsi:type="am:Time" value="5" unit="ms")") == 0);
  // A budget of a scheduler: of a server, and of one that is none.
  const std::string servers = test::read_text(test::sample("servers.amxmi"));
  CHECK(unknown(servers, "AM0496") == 0);
  CHECK(unknown(replaced(servers, "definition=\"DeferrableServer?type", "definition=\"FixedPriorityPreemptive?type"),
                "AM0496") == 1);
}

TEST_CASE("parameters that are not simulated count with a prefix, as defaults, and where no definition lists them") {
  const std::string key = "p?type=SchedulingParameterDefinition";
  const std::string value = parameter(key, R"(xsi:type="am:Time" value="5" unit="ms")");
  const auto of = [&](std::string_view name, std::string_view content, std::string_view own, std::string_view feature) {
    const std::string text = two_tasks("FixedPriorityPreemptive",
                                       fmt::format("<schedulingParameterDefinitions xmi:id=\"{}\" name=\"{}\">{}"
                                                   "</schedulingParameterDefinitions>",
                                                   key, name, content),
                                       own);
    return unknown(replaced(text, "processParameters=\"", std::string(feature) + "=\""), "AM0496");
  };
  const std::string_view standard = R"(<defaultValue xsi:type="am:Time" value="1" unit="ms"/>)";
  CHECK(of("extended: Patience", "", value, "processParameters") == 1);
  CHECK(of("Patience", "", value, "algorithmParameters") == 0);
  CHECK(of("preemptionThreshold", "", value, "algorithmParameters") == 1);
  CHECK(of("extended: preemptionThreshold", "", value, "algorithmParameters") == 1);
  CHECK(of("maxBudget", standard, "", "algorithmParameters") == 1);
  CHECK(of("maxBudget", standard, "", "processParameters") == 1);
  CHECK(of("maxBudget", "", "", "algorithmParameters") == 0);
  CHECK(of("extended: priority", R"(<defaultValue xsi:type="am:IntegerObject" value="9"/>)", "", "processParameters") ==
        0);
}

TEST_CASE("a time slice of a task that its round robin scheduler does not have makes the verdict unknown") {
  const std::string key = "p?type=SchedulingParameterDefinition";
  const auto slice = [&](int ms) {
    return parameter(key, fmt::format("xsi:type=\"am:Time\" value=\"{}\" unit=\"ms\"", ms));
  };
  for (const std::string_view name : {"timeSliceLength", "timeSlice", "quantSize", "quantum"}) {
    INFO(name);
    const std::string definition =
        fmt::format("<schedulingParameterDefinitions xmi:id=\"{}\" name=\"{}\"/>", key, name);
    const auto of = [&](const std::string& own) {
      const std::string scheduler = R"(name="Sched" definition="PriorityBasedRoundRobin?type=SchedulerDefinition")";
      return unknown(replaced(two_tasks("PriorityBasedRoundRobin", definition, own), scheduler + "/>",
                              scheduler + ">" + slice(1) + "</taskSchedulers>"),
                     "AM0496");
    };
    CHECK(of("") == 0);
    CHECK(of(slice(1)) == 0);
    CHECK(of(slice(10)) == 1);
  }
}

TEST_CASE("parameters of groupings, and of tasks that a grouping passes on, make the verdict unknown") {
  const std::string key = "p?type=SchedulingParameterDefinition";
  const std::string value = parameter(key, R"(xsi:type="am:Time" value="5" unit="ms")");
  // Two runs in a scheduler `In` below the grouping, or in the grouping itself.
  const auto of = [&](std::string_view name, const std::string& of_group, const std::string& of_task, bool below) {
    std::string text = two_tasks("FixedPriorityPreemptive",
                                 fmt::format("<schedulerDefinitions name=\"Grouping\"/>"
                                             "<schedulingParameterDefinitions xmi:id=\"{}\" name=\"{}\"/>",
                                             key, name),
                                 "", of_task);
    const std::string first = "definition=\"FixedPriorityPreemptive?type=SchedulerDefinition\"/></operatingSystems>";
    const std::string within = R"(<taskSchedulers name="In"
        definition="FixedPriorityPreemptive?type=SchedulerDefinition"><parentAssociation parent="Group?type=TaskScheduler"/></taskSchedulers>)";
    text = replaced(text, first,
                    "definition=\"FixedPriorityPreemptive?type=SchedulerDefinition\"/><taskSchedulers name=\"Group\" "
                    "definition=\"Grouping?type=SchedulerDefinition\">" +
                        of_group + "<parentAssociation parent=\"Sched?type=TaskScheduler\"/></taskSchedulers>" +
                        (below ? within : std::string()) + "</operatingSystems>");
    return unknown(replaced(text, "task=\"Two?type=Task\" scheduler=\"Sched?",
                            std::string("task=\"Two?type=Task\" scheduler=\"") + (below ? "In?" : "Group?")),
                   "AM0496");
  };
  CHECK(of("maxBudget", "", "", true) == 0);
  CHECK(of("maxBudget", value, "", true) == 1);
  CHECK(of("maxBudget", value, "", false) == 1);
  CHECK(of("Patience", "", value, false) == 1);
  CHECK(of("deadline", "", value, false) == 0);
}

TEST_CASE("a budget of a task or of a scheduler that is no server is reported in older versions, too") {
  constexpr std::string_view budget =
      R"(<schedulingParameters priority="1"><maxBudget value="1" unit="ms"/></schedulingParameters>)";
  const std::string text = test::timed_model(Version::v1_1_0);
  const std::size_t at = text.find("</taskAllocation>");
  CHECK(unknown(text, "AM0496") == 0);
  REQUIRE(at != text.npos);
  const std::size_t own = text.rfind("<schedulingParameters", at);
  REQUIRE(own != text.npos);
  CHECK(unknown(text.substr(0, own) + std::string(budget) + text.substr(at), "AM0496") == 1);
}

TEST_CASE("rate-monotonic tasks without a single periodic stimulus have an assumed period") {
  const std::string by_rate =
      replaced(with_task(preemptive, some_ticks), "name=\"FixedPriorityPreemptive\"", "name=\"RateMonotonic\"");
  CHECK(assumed(by_rate, "AM0470") == 0);
  const std::string one = "name=\"More\" stimuli=\"every_2ms?type=PeriodicStimulus";
  CHECK(assumed(replaced(by_rate, one, one + " every_10ms?type=PeriodicStimulus"), "AM0470") == 1);
  CHECK(assumed(replaced(with_task(preemptive, some_ticks), one, one + " every_10ms?type=PeriodicStimulus"),
                "AM0470") == 0);
  const std::string triggered =
      replaced(by_rate, one, "name=\"More\" stimuli=\"Vision_request?type=InterProcessStimulus");
  CHECK(assumed(triggered, "AM0470") == 1);
}

TEST_CASE("tasks between cooperative tasks are assumed not to delay both") {
  const std::string cooperative = "preemption=\"cooperative\"";
  const auto with = [&](const std::string& own, const std::string& priority) {
    // Control has priority 1, Monitor 2.
    std::string text = with_task(own, some_ticks, priority);
    for (const std::string name : {"Control", "Monitor"}) {
      const auto task = text.find("<tasks xmi:id=\"" + name + "?type=Task\""), at = text.find(preemptive, task);
      text.replace(at, preemptive.size(), cooperative);
    }
    return text;
  };
  CHECK(assumed(with(preemptive, "0"), "AM0471") == 0);
  CHECK(assumed(with(preemptive, "1"), "AM0471") == 1);
  CHECK(assumed(with(cooperative, "1"), "AM0471") == 0);
  CHECK(assumed(with(preemptive, "2"), "AM0471") == 0);
}

TEST_CASE("a task alone in a group states its priority and preemption among the tasks of its parent") {
  const std::string server = test::read_text(test::sample("servers.amxmi"));
  const std::string group = replaced(replaced(server, "name=\"DeferrableServer\"", "name=\"Grouping\""),
                                     "\"DeferrableServer?type", "\"Grouping?type");
  CHECK(assumed(group, "AM0446") == 1);
  // A server orders its own tasks, and one task needs no order.
  CHECK(assumed(server, "AM0446") == 0);
  const std::string with_priority = R"(scheduler="Comfort?type=TaskScheduler"><schedulingParameters key="priority?)"
                                    R"(type=SchedulingParameterDefinition"><value xsi:type="am:IntegerObject" )"
                                    R"(value="3"/></schedulingParameters></taskAllocation>)";
  CHECK(assumed(replaced(group, "scheduler=\"Comfort?type=TaskScheduler\"/>", with_priority), "AM0446") == 0);
  // Whatever cannot be preempted delays all on its core.
  for (const std::string& text : {group, server})
    CHECK(assumed(replaced(text, "name=\"Media\" preemption=\"preemptive\"", "name=\"Media\""), "AM0452") == 1);
}

TEST_CASE("ISRs that share a core are assumed to have priority 0 if they state none") {
  const auto two_isrs = [](Version version, std::string_view first, std::string_view second) {
    const std::string one = test::timed_model(version);
    const auto part = [&one](std::string_view begin, std::string_view end) {
      const std::size_t from = one.find(begin);
      REQUIRE(from != one.npos);
      return one.substr(from, one.find(end, from) + end.size() - from);
    };
    const std::string isr = part("<isrs name=\"I\"", "</isrs>"), allocation = part("<isrAllocation", "/>");
    const std::string plain = without(allocation, " priority=\"4\"");
    const std::string other = replaced(plain, "I?type=ISR", "J?type=ISR");
    return replaced(
        replaced(one, isr, isr + replaced(isr, "name=\"I\"", "name=\"J\"")), allocation,
        replaced(plain, "/>", std::string(first) + "/>") + replaced(other, "/>", std::string(second) + "/>"));
  };
  const std::string_view four = " priority=\"4\"";
  CHECK(assumed(two_isrs(Version::v3_3_0, four, four), "AM0516") == 0);
  CHECK(assumed(two_isrs(Version::v3_3_0, four, ""), "AM0516") == 1);
  CHECK(assumed(two_isrs(Version::v3_3_0, "", ""), "AM0516") == 2);
  CHECK(assumed(two_isrs(Version::v1_2_0, four, ""), "AM0516") == 0);  // 0 is not written
  CHECK(assumed(two_isrs(Version::v1_2_0, "", ""), "AM0516") == 2);
}

TEST_CASE("processing units without puType are assumed to be CPUs and accelerators to behave like them") {
  CHECK(assumed(without(open_minimal(), " puType=\"CPU\""), "AM0447") == 1);
  CHECK(assumed(replaced(open_minimal(), "puType=\"CPU\"", "puType=\"Accelerator\""), "AM0448") == 1);
}

TEST_CASE("normal distributions without an upper bound make the verdict unknown") {
  const std::string statistics =
      "xsi:type=\"am:DiscreteValueStatistics\" lowerBound=\"200000\" upperBound=\"300000\" average=\"250000.0\"";
  const std::string normal = "xsi:type=\"am:DiscreteValueGaussDistribution\" mean=\"250000\" sd=\"1000\"";
  CHECK(unknown(replaced(open_minimal(), statistics, normal), "AM0449") == 1);
  CHECK(unknown(replaced(open_minimal(), statistics, normal + " upperBound=\"300000\""), "AM0449") == 0);
}

TEST_CASE("waits are assumed to be passive and to end with any event") {
  CHECK(assumed(without(open_minimal(), " waitingBehaviour=\"passive\""), "AM0453") == 1);
  std::string two = replaced(open_minimal(), "<events xmi:id", "<events name=\"Other\"/><events xmi:id");
  two = replaced(two, "<eventMask events=\"", "<eventMask events=\"Other?type=OsEvent ");
  CHECK(assumed(two, "AM0454") == 1);
  CHECK(assumed(replaced(two, "waitingBehaviour=\"passive\"", "waitingBehaviour=\"passive\" maskType=\"OR\""),
                "AM0454") == 0);
}

TEST_CASE("tasks without a stimulus or without activities are missing from all results") {
  CHECK(unknown(without(open_minimal(), " stimuli=\"every_2ms?type=PeriodicStimulus\""), "AM0407") == 1);
  CHECK(unknown(replaced(open_minimal(), " stimuli=\"every_2ms?type=PeriodicStimulus\"", " stimuli=\"\""), "AM0407") ==
        1);
  CHECK(unknown(with_task(preemptive, ""), "AM0440") == 1);
  const std::string stub =
      replaced(with_task(preemptive, "<items xsi:type=\"am:RunnableCall\" runnable=\"Stub?type=Runnable\"/>"),
               "</swModel>", "<runnables name=\"Stub\"/></swModel>");
  CHECK(unknown(stub, "AM0440") == 1);
  CHECK(unknown(stub, "AM0441") == 1);
  // A wrapper only triggers and waits.
  CHECK(unknown(with_task(preemptive,
                          "<items xsi:type=\"am:SetEvent\"><eventMask events=\"Vision_done?type=OsEvent\"/></items>"),
                "AM0440") == 0);
  const std::string among_others = replaced(
      with_task(preemptive, "<items xsi:type=\"am:RunnableCall\" runnable=\"Stub?type=Runnable\"/>" + some_ticks),
      "</swModel>", "<runnables name=\"Stub\"/></swModel>");
  CHECK(unknown(among_others, "AM0440") == 0);
  CHECK(unknown(among_others, "AM0441") == 1);
}

TEST_CASE("an incomplete requirement limit is reported") {
  const auto says = [](const std::string& text) {
    const auto found = test::with_id(reported_of(text), "AM0343");
    return found.empty() ? "" : found.front().message;
  };
  CHECK(says(open_minimal()).empty());
  CHECK(says(without(open_minimal(), " limitType=\"UpperLimit\"")).find("states no limitType, so") !=
        std::string::npos);
  CHECK(says(without(open_minimal(), " metric=\"ResponseTime\"")).find("states no metric, so") != std::string::npos);
  CHECK(says(without(open_minimal(), "<limitValue value=\"2\" unit=\"ms\"/>")).find("states no readable limitValue") !=
        std::string::npos);
  const std::string whole = open_minimal();
  const auto begin = whole.find("<limit "), end = whole.find("</limit>", begin) + 8;
  REQUIRE(begin != std::string::npos);
  CHECK(says(whole.substr(0, begin) + whole.substr(end)).find("states no limit, so") != std::string::npos);
}

TEST_CASE("semaphores without a type are assumed to be no spinlocks unless others state their type") {
  const std::string text = replaced(
      with_task(
          preemptive,
          R"(<items xsi:type="am:SemaphoreAccess" semaphore="S?type=Semaphore" access="request" waitingBehaviour="passive"/>)" +
              some_ticks + R"(<items xsi:type="am:SemaphoreAccess" semaphore="S?type=Semaphore" access="release"/>)"),
      "<operatingSystems ", R"(<semaphores name="S" initialValue="0" maxValue="1"/><operatingSystems )");
  CHECK(assumed(text, "AM0494") == 1);
  CHECK(unknown(replaced(text, "<operatingSystems ",
                         R"(<semaphores name="T" semaphoreType="Spinlock" maxValue="1"/><operatingSystems )"),
                "AM0480") == 1);
  CHECK(reported_of(replaced(text, R"(name="S")", R"(name="S" semaphoreType="Mutex")")).all().empty());
}

TEST_CASE("clocks that may change or stop are assumed to keep their frequency") {
  const std::string gated =
      replaced(open_minimal(), R"(name="Cpu_Clock" clockGating="false")", R"(name="Cpu_Clock" clockGating="true")");
  CHECK(assumed(open_minimal(), "AM0498") == 0);
  CHECK(assumed(gated, "AM0498") == 1);
  CHECK(assumed(replaced(gated, R"(name="Gpu_Clock" clockGating="false")", R"(name="Gpu_Clock" clockGating="true")"),
                "AM0498") == 2);
  const std::string old = test::timed_model(Version::v0_8_3);
  CHECK(assumed(old, "AM0498") == 0);
  CHECK(assumed(replaced(old, R"(type="STATIC")", R"(type="DYNAMIC")"), "AM0498") == 1);
}

}  // namespace building_assumptions_test
