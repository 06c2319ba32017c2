// SPDX-License-Identifier: Apache-2.0
// What is missing, contradicts itself or is stated twice never counts as less than it may be: there is a finding at its
// place, and the verdict is unknown or the model refused.

#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/finding_consequences.hpp"
#include "importer/building/system_builder.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/test_models.hpp"
#include "tests/support/timed_models.hpp"

namespace building_hole_test {

using namespace amalthea;
using test::replaced;

namespace {

struct Hole {
  std::string_view name;
  std::string from;
  std::string to;
  std::string_view id;
};

const std::string monitor_ticks =
    R"(<default xsi:type="am:DiscreteValueStatistics" lowerBound="200000" upperBound="300000" average="250000.0"/>)";
const std::string monitor_item = R"(<items xsi:type="am:Ticks">
          <default xsi:type="am:DiscreteValueStatistics" lowerBound="200000" upperBound="300000" average="250000.0"/>
        </items>)";
const std::string every_2ms = R"(<recurrence value="2" unit="ms"/>)";
const std::string every_2ms_stimulus =
    R"(<stimuli xsi:type="am:PeriodicStimulus" xmi:id="every_2ms?type=PeriodicStimulus" name="every_2ms">
      <recurrence value="2" unit="ms"/>)";
const std::string core_read = R"(<readLatency xsi:type="am:DiscreteValueConstant" value="20"/>)";
const std::string image_write = R"(<items xsi:type="am:LabelAccess" data="Image_host?type=Label" access="write"/>)";
const std::string image_mapping =
    R"(<memoryMapping abstractElement="Image_host?type=Label" memory="DRAM?type=Memory" memoryPositionAddress="0x0"/>)";
const std::string monitor_priority = R"(<value xsi:type="am:IntegerObject" value="2"/>)";
const std::string core_access = R"(<accessElements name="Core_to_DRAM" destination="DRAM?type=Memory">
          <readLatency xsi:type="am:DiscreteValueConstant" value="20"/>
          <writeLatency xsi:type="am:DiscreteValueConstant" value="20"/>
        </accessElements>)";
const std::string vision_allocation = R"(<taskAllocation task="Vision?type=Task")";
const std::string monitor_call = R"(<items xsi:type="am:RunnableCall" runnable="Monitor_Function?type=Runnable"/>)";
const std::string monitor_affinity =
    R"(<taskAllocation task="Monitor?type=Task" scheduler="Cpu_Scheduler?type=TaskScheduler" affinity="Core?type=ProcessingUnit">)";
const std::string dram = R"(<modules xsi:type="am:Memory" xmi:id="DRAM?type=Memory")";

std::string sound() {
  std::string text = test::read_text(test::sample("offload-minimal.amxmi"));
  // A second memory, and a semaphore for tasks that use one.
  text = replaced(text, dram,
                  R"(<modules xsi:type="am:Memory" name="Other" definition="Ram?type=MemoryDefinition"/>)" + dram);
  return replaced(text, R"(<operatingSystems name="Board_OS">)",
                  R"(<semaphores name="Lock" semaphoreType="Mutex" initialValue="0" maxValue="1"/>
    <semaphores name="Signal" semaphoreType="CountingSemaphore" initialValue="1" maxValue="1"/>
    <operatingSystems name="Board_OS">)");
}

/// What reading and building report; whether the model is refused or its verdict unknown because of `id`.
bool counts(const std::string& text, std::string_view id) {
  Diagnostics findings;
  const Model model = test::model_from_text(text, findings);
  const bool built = importer::build_system(model, {}, findings).has_value();
  for (const Diagnostic& finding : findings.all()) UNSCOPED_INFO(format(finding));
  const auto found = test::with_id(findings, id);
  if (found.empty()) return false;
  for (const Diagnostic& finding : found) {
    CHECK(finding.location.line > 0);
    CHECK(engine::consequence_of(finding) == engine::Consequence::unknown);
    CHECK((built || finding.severity == Severity::error));
  }
  return true;
}

std::vector<Hole> holes() {
  return {
      // Missing
      {"a constant that was never filled in", monitor_ticks, R"(<default xsi:type="am:DiscreteValueConstant"/>)",
       "AM0459"},
      {"ticks for a kind of unit without a value", monitor_ticks,
       R"(<default xsi:type="am:DiscreteValueConstant" value="1"/><extended key="Cpu?type=ProcessingUnitDefinition"/>)",
       "AM0460"},
      {"an empty execution need", monitor_item, R"(<items xsi:type="am:ExecutionNeed"/>)", "AM0460"},
      {"a need without a value", monitor_item,
       R"(<items xsi:type="am:ExecutionNeed"><needs key="Instructions"/></items>)", "AM0460"},
      {"ticks in an extension", monitor_item, "<xmi:Extension>" + monitor_item + "</xmi:Extension>", "AM0523"},
      {"a call with an empty statistic", monitor_call,
       R"(<items xsi:type="am:RunnableCall" runnable="Monitor_Function?type=Runnable"><statistic/></items>)", "AM0401"},
      {"a call once on average and up to nine times", monitor_call,
       R"(<items xsi:type="am:RunnableCall" runnable="Monitor_Function?type=Runnable"><statistic><statistic xsi:type="am:MinAvgMaxStatistic" min="1" max="9" avg="1.0"/></statistic></items>)",
       "AM0401"},
      {"a task with 0 ticks", monitor_ticks, R"(<default xsi:type="am:DiscreteValueConstant" value="0"/>)", "AM0440"},
      {"a task that only accesses labels", monitor_item, image_write, "AM0440"},
      {"a jitter without bounds", every_2ms,
       R"(<recurrence value="2" unit="ms"/><jitter xsi:type="am:TimeBoundaries"/>)", "AM0458"},
      {"a jitter with an upper bound that was never filled in", every_2ms,
       R"(<recurrence value="2" unit="ms"/><jitter xsi:type="am:TimeBoundaries"><lowerBound value="0" unit="us"/><upperBound unit="us"/></jitter>)",
       "AM0458"},
      {"a jitter with a normal distribution without a bound", every_2ms,
       R"(<recurrence value="2" unit="ms"/><jitter xsi:type="am:TimeGaussDistribution"><mean value="1" unit="us"/><sd value="1" unit="us"/></jitter>)",
       "AM0458"},
      {"a constant jitter that was never filled in", every_2ms,
       R"(<recurrence value="2" unit="ms"/><jitter xsi:type="am:TimeConstant"/>)", "AM0459"},
      {"an occurrence that was never filled in", every_2ms_stimulus,
       R"(<stimuli xsi:type="am:PeriodicSyntheticStimulus" xmi:id="every_2ms?type=PeriodicStimulus" name="every_2ms">
      <recurrence value="2" unit="ms"/><occurrenceTimes unit="us"/><occurrenceTimes value="9" unit="us"/>)",
       "AM0522"},
      {"a latency without an upper bound", core_read,
       R"(<readLatency xsi:type="am:DiscreteValueBoundaries" lowerBound="20"/>)", "AM0458"},
      {"a latency that was never filled in", core_read, R"(<readLatency xsi:type="am:DiscreteValueConstant"/>)",
       "AM0459"},
      {"an execution time with a normal distribution without a bound", monitor_ticks,
       R"(<default xsi:type="am:DiscreteValueGaussDistribution" mean="250000.0" sd="10.0"/>)", "AM0449"},
      {"a histogram with an entry without an upper bound", monitor_ticks,
       R"(<default xsi:type="am:DiscreteValueHistogram"><entries lowerBound="1" upperBound="9" occurrences="1"/><entries lowerBound="3" occurrences="1"/></default>)",
       "AM0458"},
      {"a number of accesses that was never filled in", image_write,
       R"(<items xsi:type="am:LabelAccess" data="Image_host?type=Label" access="write"><statistic><value xsi:type="am:MinAvgMaxStatistic"/></statistic></items>)",
       "AM0461"},
      {"a core without a definition", R"( definition="Cpu?type=ProcessingUnitDefinition">)", ">", "AM0526"},
      {"instructions on a core without a rate", monitor_item,
       R"(<items xsi:type="am:ExecutionNeed"><needs key="Instructions"><value xsi:type="am:DiscreteValueConstant" value="9"/></needs></items>)",
       "AM0450"},
      // Contradictory
      {"an affinity to a core of another scheduler", monitor_affinity,
       R"(<taskAllocation task="Monitor?type=Task" scheduler="Cpu_Scheduler?type=TaskScheduler" affinity="GPU?type=ProcessingUnit">)",
       "AM0525"},
      {"an affinity to another core, too", monitor_affinity,
       R"(<taskAllocation task="Monitor?type=Task" scheduler="Cpu_Scheduler?type=TaskScheduler" affinity="Core?type=ProcessingUnit GPU?type=ProcessingUnit">)",
       "AM0525"},
      {"more initial users of a semaphore than its maximum", R"(initialValue="1" maxValue="1")",
       R"(initialValue="9" maxValue="1")", "AM0435"},
      {"an average above the upper bound", monitor_ticks,
       R"(<default xsi:type="am:DiscreteValueStatistics" lowerBound="2" upperBound="3" average="250000.0"/>)",
       "AM0211"},
      {"an average below the lower bound", monitor_ticks,
       R"(<default xsi:type="am:DiscreteValueStatistics" lowerBound="20" upperBound="30" average="2.0"/>)", "AM0211"},
      {"a reversed entry of a histogram among others", monitor_ticks,
       R"(<default xsi:type="am:DiscreteValueHistogram"><entries lowerBound="900" upperBound="9" occurrences="1"/><entries lowerBound="3" upperBound="20" occurrences="1"/></default>)",
       "AM0211"},
      {"a jitter with reversed bounds", every_2ms,
       R"(<recurrence value="2" unit="ms"/><jitter xsi:type="am:TimeBoundaries"><lowerBound value="9" unit="us"/><upperBound value="0" unit="us"/></jitter>)",
       "AM0211"},
      {"a minimum distance above the recurrence", every_2ms,
       R"(<recurrence value="2" unit="ms"/><minDistance value="3" unit="ms"/>)", "AM0311"},
      {"accesses in reversed order", image_write,
       R"(<items xsi:type="am:LabelAccess" data="Image_host?type=Label" access="write"><statistic><value xsi:type="am:MinAvgMaxStatistic" min="9" avg="5.0" max="1"/></statistic></items>)",
       "AM0461"},
      {"a negative number of accesses", image_write,
       R"(<items xsi:type="am:LabelAccess" data="Image_host?type=Label" access="write"><statistic><value xsi:type="am:SingleValueStatistic" value="-5.0"/></statistic></items>)",
       "AM0461"},
      {"a negative probability", monitor_call,
       R"(<items xsi:type="am:ProbabilitySwitch"><entries probability="-0.5"><items xsi:type="am:RunnableCall" runnable="Monitor_Function?type=Runnable"/></entries><entries probability="1.0"/></items>)",
       "AM0464"},
      {"a release without a request", monitor_call,
       R"(<items xsi:type="am:SemaphoreAccess" semaphore="Lock?type=Semaphore" access="release"/><items xsi:type="am:RunnableCall" runnable="Monitor_Function?type=Runnable"/>)",
       "AM0468"},
      // Twice
      {"ticks for one kind of unit twice", monitor_ticks,
       R"(<extended key="Cpu?type=ProcessingUnitDefinition"><value xsi:type="am:DiscreteValueConstant" value="1"/></extended><extended key="Cpu?type=ProcessingUnitDefinition"><value xsi:type="am:DiscreteValueConstant" value="9"/></extended>)",
       "AM0462"},
      {"a priority twice", monitor_priority,
       R"(<value xsi:type="am:IntegerObject" value="2"/></schedulingParameters><schedulingParameters key="priority?type=SchedulingParameterDefinition"><value xsi:type="am:IntegerObject" value="0"/>)",
       "AM0462"},
      {"a second access to a memory", "<accessElements name=\"Core_to_DRAM\" destination=\"DRAM?type=Memory\">",
       R"(<accessElements name="Fast" destination="DRAM?type=Memory"><readLatency xsi:type="am:DiscreteValueConstant" value="1"/></accessElements><accessElements name="Core_to_DRAM" destination="DRAM?type=Memory">)",
       "AM0462"},
      {"a label in two memories", image_mapping,
       R"(<memoryMapping abstractElement="Image_host?type=Label" memory="DRAM?type=Memory"/><memoryMapping abstractElement="Image_host?type=Label" memory="Other?type=Memory"/>)",
       "AM0462"},
      {"a second allocation of a scheduler", vision_allocation,
       R"(<schedulerAllocation scheduler="Cpu_Scheduler?type=TaskScheduler" responsibility="GPU?type=ProcessingUnit"/><taskAllocation task="Vision?type=Task")",
       "AM0462"},
      {"a runnable on another scheduler than its task", vision_allocation,
       R"(<runnableAllocation entity="Monitor_Function?type=Runnable" scheduler="Gpu_Scheduler?type=TaskScheduler"/><taskAllocation task="Vision?type=Task")",
       "AM0467"},
      {"two runnables of one name", R"(<labels xmi:id="Image_host?type=Label")",
       R"(<runnables name="Monitor_Function"/><labels xmi:id="Image_host?type=Label")", "AM0207"},
      {"a statistic without a number", image_write,
       R"(<items xsi:type="am:LabelAccess" data="Image_host?type=Label" access="write"><statistic/></items>)",
       "AM0461"},
      {"two values of a gpu. property", R"(<customProperties key="gpu.platform">)",
       R"(<customProperties key="gpu.platform"><value xsi:type="am:StringObject" value="xavier"/></customProperties><customProperties key="gpu.platform">)",
       "AM0462"},
      {"a gpu. property that was never filled in", R"(<value xsi:type="am:StringObject" value="tx2"/>)",
       R"(<value xsi:type="am:StringObject"/>)", "AM0414"},
      {"a latency for one direction only", core_read, "", "AM0476"},
      {"a data rate without a value", core_read,
       R"(<readLatency xsi:type="am:DiscreteValueConstant" value="20"/><dataRate unit="MBPerSecond"/>)", "AM0476"},
      {"a mapping of no section", vision_allocation,
       R"(<physicalSectionMapping name="none" memory="DRAM?type=Memory"/><taskAllocation task="Vision?type=Task")",
       "AM0479"},
      {"a label without a size beside one with a size", R"(<size value="64" unit="kB"/>)", "", "AM0480"},
      {"a core without access to a memory that the GPU accesses", core_access, "", "AM0482"},
  };
}

}  // namespace

TEST_CASE("what is missing, contradictory or stated twice makes the verdict unknown or is an error") {
  for (const Hole& hole : holes()) {
    INFO(hole.name);
    CHECK_FALSE(counts(sound(), hole.id));
    CHECK(counts(replaced(sound(), hole.from, hole.to), hole.id));
  }
}

TEST_CASE("a child scheduler needs a priority, and units of its parent") {
  const std::string servers = test::read_text(test::sample("servers.amxmi"));
  CHECK_FALSE(counts(servers, "AM0474"));
  CHECK(counts(replaced(servers, R"(<schedulingParameters key="priority?type=SchedulingParameterDefinition">
            <value xsi:type="am:IntegerObject" value="3"/>
          </schedulingParameters>)",
                        ""),
               "AM0474"));
  const std::string beside = replaced(
      replaced(servers, "</structures>",
               "<modules xsi:type=\"am:ProcessingUnit\" name=\"Core1\" frequencyDomain=\"Clock?type=FrequencyDomain\" "
               "definition=\"Cpu?type=ProcessingUnitDefinition\"/></structures>"),
      "<mappingModel>",
      "<mappingModel><schedulerAllocation scheduler=\"Comfort?type=TaskScheduler\" "
      "responsibility=\"Core1?type=ProcessingUnit\"/>");
  CHECK(counts(beside, "AM0475"));
  CHECK_FALSE(counts(replaced(beside, "responsibility=\"Core1?", "responsibility=\"Core0?"), "AM0475"));
}

TEST_CASE("the number of threads of a block needs the number of blocks") {
  const std::string blocks = test::read_text(test::sample("offload-blocks.amxmi"));
  CHECK_FALSE(counts(blocks, "AM0477"));
  CHECK(counts(replaced(blocks, R"(<customProperties key="gpu.grid">
        <value xsi:type="am:StringObject" value="2"/>
      </customProperties>)",
                        ""),
               "AM0477"));
}

TEST_CASE("a kernel states the registers and the shared memory of its blocks if others do") {
  const std::string blocks = test::read_text(test::sample("offload-blocks.amxmi"));
  const auto stating = [](const std::string& text, std::string_view runnable, std::string_view key) {
    const std::string begin =
        fmt::format(R"(<runnables xmi:id="{0}?type=Runnable" name="{0}" callback="false" service="false">)", runnable);
    return replaced(
        text, begin,
        fmt::format(R"({}<customProperties key="{}"><value xsi:type="am:StringObject" value="32"/></customProperties>)",
                    begin, key));
  };
  for (const std::string_view key : {"gpu.registers", "gpu.sharedMemory"}) {
    INFO(key);
    const std::string one = stating(blocks, "Radar_Function", key);
    CHECK(counts(one, "AM0480"));
    CHECK_FALSE(counts(stating(one, "Vision_Function", key), "AM0480"));
  }
}

TEST_CASE("a time slice that is stated twice, or differs within a process, counts") {
  const std::string shared = test::read_text(test::sample("tutorial/5-shared-gpu.amxmi"));
  const auto allocated = [&](std::string_view slice) {
    return replaced(
        replaced(
            shared, R"(task="Localization_on_GPU?type=Task" scheduler="GPU_Scheduler?type=TaskScheduler"/>)",
            fmt::format(
                R"(task="Localization_on_GPU?type=Task" scheduler="GPU_Scheduler?type=TaskScheduler"><schedulingParameters key="timeslice?type=SchedulingParameterDefinition"><value xsi:type="am:Time" value="{}" unit="us"/></schedulingParameters></taskAllocation>)",
                slice)),
        "<schedulingParameterDefinitions ",
        R"(<schedulingParameterDefinitions name="timeslice" type="Time"/><schedulingParameterDefinitions )");
  };
  CHECK_FALSE(counts(allocated("15000"), "AM0462"));
  CHECK(counts(allocated("77"), "AM0462"));

  const std::string blocks = test::read_text(test::sample("offload-blocks.amxmi"));
  const auto slices = [&](std::string_view radar, std::string_view vision) {
    std::string text = blocks;
    for (const auto& [task, slice] : {std::pair("Radar", radar), std::pair("Vision", vision)}) {
      const std::size_t at = text.find("<customProperties", text.find(fmt::format("name=\"{}\"", task)));
      text.insert(
          at,
          fmt::format(
              R"(<customProperties key="gpu.timeslice"><value xsi:type="am:StringObject" value="{}"/></customProperties>)",
              slice));
    }
    return text;
  };
  CHECK_FALSE(counts(slices("1 ms", "1 ms"), "AM0462"));
  CHECK(counts(slices("1 ms", "2 ms"), "AM0462"));
}

TEST_CASE("the overhead of each function that processes use counts if that of another one is stated") {
  const std::string branches = test::read_text(AMALTHEA_SOURCE_DIR "/tests/holes/models/branches.amxmi");
  CHECK_FALSE(counts(branches, "AM0480"));
  for (const std::string_view function :
       {"apiTerminateTask", "apiRequestResource", "apiReleaseResource", "apiSetEvent", "apiWaitEvent", "apiClearEvent",
        "apiSchedule", "preExecutionOverhead", "postExecutionOverhead"}) {
    INFO(function);
    const std::size_t begin = branches.find(fmt::format("<{}>", function)),
                      end = branches.find(fmt::format("</{}>", function), begin);
    CHECK(counts(branches.substr(0, begin) + branches.substr(end + function.size() + 3), "AM0480"));
  }
  // Nothing activates a task here.
  CHECK_FALSE(counts(replaced(branches, R"(<apiActivateTask>
          <default xsi:type="am:DiscreteValueConstant" value="600"/>
        </apiActivateTask>)",
                              ""),
                     "AM0480"));
  // The tasks of one core under a second system.
  const std::string scheduler =
      R"(<taskSchedulers name="Sched1" definition="FixedPriorityPreemptive?type=SchedulerDefinition"/>)";
  const auto two_systems = [&](std::string_view overhead) {
    return replaced(
        replaced(branches, scheduler, ""), "<osOverheads name",
        fmt::format("<operatingSystems name=\"Second\"{}>{}</operatingSystems><osOverheads name", overhead, scheduler));
  };
  CHECK(counts(two_systems(""), "AM0480"));
  CHECK_FALSE(counts(two_systems(R"( overhead="Costs?type=OsOverhead")"), "AM0480"));
}

TEST_CASE("an element with different content in two files of a model counts, one with the same content does not") {
  const auto divided = [](std::string_view element, std::string_view value) {
    Diagnostics findings;
    std::vector<importer::NamedBytes> files;
    for (const std::string_view stated : {std::string_view("4"), value})
      files.push_back({fmt::format("{}.amxmi", files.size()),
                       test::in_root(fmt::format(fmt::runtime(element), fmt::arg("value", stated)))});
    CHECK(importer::read_model_from_bytes(std::move(files), {}, findings));
    return test::with_id(findings, "AM0478").size();
  };
  const std::string_view label = R"(<swModel><labels name="L"><size value="{value}" unit="B"/></labels></swModel>)";
  const std::string_view limit =
      R"(<constraintsModel><timingConstraints xsi:type="am:DelayConstraint" name="D"><upper value="{value}" unit="ms"/></timingConstraints></constraintsModel>)";
  for (const std::string_view element : {label, limit}) {
    CHECK(divided(element, "8") == 1);
    CHECK(divided(element, "4") == 0);
  }
}

TEST_CASE("what AMALTHEA defines, and what is stated twice alike, is no finding") {
  const std::vector<Hole> fine = {
      {"0 without a unit", every_2ms, R"(<offset value="0"/><recurrence value="2" unit="ms"/>)", "AM0210"},
      {"an offset without a value, which migrated models have", every_2ms,
       R"(<offset unit="ms"/><recurrence value="2" unit="ms"/>)", "AM0210"},
      {"an unstated average", monitor_ticks,
       R"(<default xsi:type="am:DiscreteValueStatistics" lowerBound="200000" upperBound="300000"/>)", "AM0211"},
      {"the average 0 that EMF writes", monitor_ticks,
       R"(<default xsi:type="am:DiscreteValueStatistics" lowerBound="200000" upperBound="300000" average="0.0"/>)",
       "AM0211"},
      {"a jitter up to a bound", every_2ms,
       R"(<recurrence value="2" unit="ms"/><jitter xsi:type="am:TimeBoundaries"><lowerBound value="0"/><upperBound value="5" unit="us"/></jitter>)",
       "AM0458"},
      {"a minimum distance as long as the recurrence", every_2ms,
       R"(<recurrence value="2" unit="ms"/><minDistance value="2" unit="ms"/>)", "AM0311"},
      {"a call that states that it is made once", monitor_call,
       R"(<items xsi:type="am:RunnableCall" runnable="Monitor_Function?type=Runnable"><statistic><statistic xsi:type="am:MinAvgMaxStatistic" min="1" max="1" avg="1.0"/></statistic></items>)",
       "AM0401"},
      {"an extension of another tool", "  <swModel>",
       "  <swModel><xmi:Extension extender=\"x\"><other/></xmi:Extension>", "AM0523"},
      {"accesses in order", image_write,
       R"(<items xsi:type="am:LabelAccess" data="Image_host?type=Label" access="write"><statistic><value xsi:type="am:MinAvgMaxStatistic" min="0" avg="5.0" max="9"/></statistic></items>)",
       "AM0461"},
      {"equal ticks twice", monitor_ticks,
       R"(<extended key="Cpu?type=ProcessingUnitDefinition"><value xsi:type="am:DiscreteValueConstant" value="9"/></extended><extended key="Cpu?type=ProcessingUnitDefinition"><value xsi:type="am:DiscreteValueConstant" value="9"/></extended>)",
       "AM0462"},
      {"a label twice in one memory", image_mapping,
       R"(<memoryMapping abstractElement="Image_host?type=Label" memory="DRAM?type=Memory"/><memoryMapping abstractElement="Image_host?type=Label" memory="DRAM?type=Memory"/>)",
       "AM0462"},
      {"a group that does nothing, as in an alternative", monitor_call,
       R"(<items xsi:type="am:Group" name="nothing"/><items xsi:type="am:RunnableCall" runnable="Monitor_Function?type=Runnable"/>)",
       "AM0460"},
      {"a request and a release", monitor_call,
       R"(<items xsi:type="am:SemaphoreAccess" semaphore="Lock?type=Semaphore" access="request"/><items xsi:type="am:RunnableCall" runnable="Monitor_Function?type=Runnable"/><items xsi:type="am:SemaphoreAccess" semaphore="Lock?type=Semaphore" access="release"/>)",
       "AM0468"},
      {"a counting semaphore that signals", monitor_call,
       R"(<items xsi:type="am:RunnableCall" runnable="Monitor_Function?type=Runnable"/><items xsi:type="am:SemaphoreAccess" semaphore="Signal?type=Semaphore" access="release"/>)",
       "AM0468"},
      {"a runnable on the scheduler of its task", vision_allocation,
       R"(<runnableAllocation entity="Monitor_Function?type=Runnable" scheduler="Cpu_Scheduler?type=TaskScheduler"/><taskAllocation task="Vision?type=Task")",
       "AM0467"},
      {"two tags of one name", "  <swModel>",
       "  <commonElements><tags name=\"A\"/><tags name=\"A\"/></commonElements><swModel>", "AM0207"},
  };
  for (const Hole& model : fine) {
    INFO(model.name);
    CHECK_FALSE(counts(replaced(sound(), model.from, model.to), model.id));
  }
}

TEST_CASE("an item of a group of 0.7 that may be repeated is not executed once") {
  const auto findings_for = [](std::string_view deviation) {
    const std::string item = R"(<runnableItems xsi:type="am:InstructionsConstant" value="100000"/>)";
    Diagnostics findings;
    const Model model = test::model_from_text(
        replaced(
            test::timed_model(Version::v0_7_1), item,
            fmt::format(R"(<runnableItems xsi:type="am:Group"><items><runnableItem xsi:type="am:InstructionsConstant")"
                        R"( value="100000"/>{}</items></runnableItems>)",
                        deviation)),
        findings);
    CHECK(importer::build_system(model, {}, findings).has_value());
    return test::with_id(findings, "AM0401").size();
  };
  const auto between = [](int lower, int upper) {
    return fmt::format(R"(<deviation><lowerBound xsi:type="am:LongObject" value="{}"/>)"
                       R"(<upperBound xsi:type="am:LongObject" value="{}"/></deviation>)",
                       lower, upper);
  };
  CHECK(findings_for("") == 0);
  CHECK(findings_for(between(1, 1)) == 0);
  CHECK(findings_for(between(1, 3)) == 1);
  CHECK(findings_for(between(0, 1)) == 1);
  CHECK(findings_for("<deviation/>") == 1);
}

TEST_CASE("tasks of an OSEK task group do not preempt each other") {
  const auto findings_for = [](int first, int second, bool same_priority = false) {
    std::string model = test::timed_model(Version::v0_8_0);
    if (same_priority) model = replaced(model, "priority=\"2\"", "priority=\"3\"");
    model = replaced(model, R"(<tasks name="T")", fmt::format(R"(<tasks name="T" osekTaskGroup="{}")", first));
    model = replaced(model, R"(<tasks name="U")", fmt::format(R"(<tasks name="U" osekTaskGroup="{}")", second));
    Diagnostics findings;
    const Model read = test::model_from_text(model, findings);
    const auto system = importer::build_system(read, {}, findings);
    REQUIRE(system.has_value());
    const auto found = test::with_id(findings, "AM0495");
    if (!found.empty()) CHECK(found.front().location.line > 0);
    return found.size();
  };
  CHECK(findings_for(0, 0) == 0);
  CHECK(findings_for(1, 2) == 0);
  CHECK(findings_for(2, 2) == 1);
  CHECK(findings_for(2, 2, true) == 0);
}

TEST_CASE("an event is set for one task, or for the only one that waits for it") {
  const std::string for_control = R"(<items xsi:type="am:SetEvent" process="Control?type=Task">)";
  const std::string for_all = replaced(sound(), for_control, R"(<items xsi:type="am:SetEvent">)");
  const std::string also_waits = monitor_call +
                                 R"(<items xsi:type="am:WaitEvent" waitingBehaviour="passive">
          <eventMask events="Vision_done?type=OsEvent"/></items>)";
  CHECK_FALSE(counts(for_all, "AM0528"));
  CHECK_FALSE(counts(replaced(sound(), monitor_call, also_waits), "AM0528"));
  CHECK(counts(replaced(for_all, monitor_call, also_waits), "AM0528"));
}

TEST_CASE("interrupts of a controller that another unit executes are a contradiction") {
  const std::string controller =
      R"(<schedulerAllocation scheduler="IC?type=InterruptController" responsibility="C1?type=ProcessingUnit")";
  const std::string model = test::timed_model(Version::v3_3_0);
  for (const char* unit : {"C0", "C1"})
    CHECK(
        counts(replaced(model, controller, fmt::format("{} executingPU=\"{}?type=ProcessingUnit\"", controller, unit)),
               "AM0527") == (std::string_view(unit) == "C0"));
}

TEST_CASE("a limit that was never filled in is none") {
  for (const std::string_view type : {"UpperLimit", "LowerLimit"}) {
    const std::string text =
        replaced(replaced(sound(), R"(<limitValue value="10" unit="ms"/>)", R"(<limitValue unit="ms"/>)"),
                 R"(limitType="UpperLimit")", fmt::format("limitType=\"{}\"", type));
    Diagnostics findings;
    const Model model = test::model_from_text(text, findings);
    const auto system = importer::build_system(model, {}, findings);
    REQUIRE(system);
    CHECK(test::with_id(findings, "AM0343").size() == 1);
    for (const Task& task : system->tasks)
      if (task.name == "Control") CHECK_FALSE(task.deadline);
  }
}

TEST_CASE("a reversed entry of a histogram loses no execution time") {
  Diagnostics findings;
  const Model model = test::model_from_text(
      replaced(
          sound(), monitor_ticks,
          R"(<default xsi:type="am:DiscreteValueHistogram"><entries lowerBound="900" upperBound="9" occurrences="1"/><entries lowerBound="30" upperBound="40" occurrences="1"/></default>)"),
      findings);
  const auto system = importer::build_system(model, {}, findings);
  REQUIRE(system);
  bool seen = false;
  for (NodeIndex node = 0; node < system->graph.size(); ++node)
    if (const auto* compute = std::get_if<Compute>(&system->graph[node].activity);
        compute != nullptr && compute->ticks.otherwise && compute->ticks.otherwise->lower == 9) {
      CHECK(compute->ticks.otherwise->upper == 900);
      seen = true;
    }
  CHECK(seen);
}

TEST_CASE("an execution need takes the sum of its needs at the rates of the features of their categories") {
  const auto cycles = [](const std::string& features, const std::string& needs) {
    std::string text = replaced(
        sound(), "<definitions xsi:type=\"am:ProcessingUnitDefinition\" xmi:id=\"Cpu?type=ProcessingUnitDefinition\"",
        "<definitions xsi:type=\"am:ProcessingUnitDefinition\" xmi:id=\"Cpu?type=ProcessingUnitDefinition\" "
        "features=\"" +
            features + "\"");
    text = replaced(
        text, "<structures xmi:id=\"Board",
        R"(<featureCategories name="Float" featureType="performance"><features name="slow" value="0.5"/><features name="fast" value="2.0"/></featureCategories>
    <featureCategories name="Instructions" featureType="performance"><features name="IPC_1" value="0.5"/><features name="Ipc_1" value="0.5"/></featureCategories>
    <featureCategories name="Whole" featureType="performance"><features name="one" value="1.0"/></featureCategories>
    <featureCategories name="Heat" featureType="power"><features name="watt" value="9.0"/></featureCategories>
    <structures xmi:id="Board)");
    text = replaced(text, monitor_item, "<items xsi:type=\"am:ExecutionNeed\">" + needs + "</items>");
    Diagnostics findings;
    const Model model = test::model_from_text(text, findings);
    const auto system = importer::build_system(model, {}, findings);
    for (const Diagnostic& finding : findings.all()) UNSCOPED_INFO(format(finding));
    REQUIRE(system);
    for (NodeIndex node = 0; node < system->graph.size(); ++node)
      if (const auto* compute = std::get_if<Compute>(&system->graph[node].activity);
          compute != nullptr && system->graph[node].runnable &&
          system->runnables[*system->graph[node].runnable].name == "Monitor_Function")
        return std::pair(compute->ticks.otherwise.value_or(Cycles{}), test::with_id(findings, "AM0491").size());
    return std::pair(Cycles{-1, -1, -1}, test::with_id(findings, "AM0491").size());
  };
  const auto need = [](std::string_view key, int value) {
    return fmt::format("<needs key=\"{}\"><value xsi:type=\"am:DiscreteValueConstant\" value=\"{}\"/></needs>", key,
                       value);
  };
  const std::string fast = "Float/fast?type=HwFeature", slow = "Float/slow?type=HwFeature",
                    whole = "Whole/one?type=HwFeature";
  CHECK(cycles(fast + " " + whole, need("Float", 200) + need("Whole", 30)) ==
        std::pair(Cycles{130, 130, 130}, std::size_t{0}));
  // However its name is written, the rate of instructions counts.
  for (const char* name : {"IPC_1", "Ipc_1"})
    CHECK(cycles(fmt::format("Instructions/{}?type=HwFeature", name), need("Instructions", 20)) ==
          std::pair(Cycles{40, 40, 40}, std::size_t{0}));
  // Between the slowest and the fastest of several features.
  CHECK(cycles(slow + " " + fast, need("Float", 200)) == std::pair(Cycles{100, 160, 400}, std::size_t{0}));
  // A need that the unit does not serve, or a feature that is no rate.
  CHECK(cycles(fast, need("Float", 200) + need("Whole", 30)).second == 1);
  CHECK(cycles("Heat/watt?type=HwFeature", need("Heat", 9)).second == 1);
}

TEST_CASE("a stimulus whose occurrences may coincide costs bounds, not the model") {
  const std::string text = replaced(
      sound(), R"(<stimuli xsi:type="am:PeriodicStimulus" xmi:id="every_2ms?type=PeriodicStimulus" name="every_2ms">
      <recurrence value="2" unit="ms"/>)",
      R"(<stimuli xsi:type="am:RelativePeriodicStimulus" name="every_2ms"><nextOccurrence xsi:type="am:TimeBoundaries"><lowerBound value="0"/><upperBound value="4" unit="ms"/></nextOccurrence>)");
  const std::string named =
      replaced(text, "every_2ms?type=PeriodicStimulus", "every_2ms?type=RelativePeriodicStimulus");
  CHECK(counts(named, "AM0463"));
}

TEST_CASE("one run reports the errors of all parts of a model") {
  std::string text = replaced(sound(), every_2ms, R"(<recurrence value="-2" unit="ms"/>)");
  text = replaced(text, vision_allocation, R"(<memoryMapping/><taskAllocation)");
  text = replaced(text, R"(<eventMask events="Vision_done?type=OsEvent"/>
        </items>
        <items xsi:type="am:RunnableCall" runnable="Control_Post)",
                  R"(</items>
        <items xsi:type="am:RunnableCall" runnable="Control_Post)");
  Diagnostics findings;
  const Model model = test::model_from_text(text, findings);
  CHECK_FALSE(importer::build_system(model, {}, findings));
  for (const Diagnostic& finding : findings.all()) UNSCOPED_INFO(format(finding));
  CHECK(test::with_id(findings, "AM0311").size() == 1);
  CHECK(test::with_id(findings, "AM0302").size() == 1);
  CHECK(test::with_id(findings, "AM0313").size() == 1);
}

TEST_CASE("a runnable that is allocated and that no task calls makes the verdict unknown") {
  const std::string text = replaced(
      sound(), vision_allocation,
      R"(<runnableAllocation entity="Monitor_Function?type=Runnable" scheduler="Cpu_Scheduler?type=TaskScheduler"/>)" +
          vision_allocation);
  CHECK_FALSE(counts(text, "AM0467"));
  CHECK(counts(replaced(text, monitor_call, monitor_item), "AM0467"));
}

TEST_CASE("a runnable that is allocated elsewhere than the ISR that calls it makes the verdict unknown") {
  const std::string text = test::read_text(AMALTHEA_SOURCE_DIR "/tests/holes/models/branches.amxmi");
  const std::string allocation = R"(<runnableAllocation scheduler="Sched0?type=TaskScheduler" entity="Sense)";
  CHECK_FALSE(counts(text, "AM0467"));
  CHECK(counts(replaced(text, allocation, replaced(allocation, "Sense", "Count")), "AM0467"));
  CHECK_FALSE(counts(
      replaced(text, allocation, R"(<runnableAllocation scheduler="Irq?type=InterruptController" entity="Count)"),
      "AM0467"));
}

}  // namespace building_hole_test
