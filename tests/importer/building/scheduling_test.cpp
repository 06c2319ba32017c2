// SPDX-License-Identifier: Apache-2.0
// Scheduling in a System, from models of several versions.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/graph/boost_graph.hpp"
#include "amalthea/graph/system.hpp"
#include "importer/building/system_builder.hpp"
#include "tests/support/platform_models.hpp"
#include "tests/support/test_models.hpp"

namespace building_scheduling_test {

using namespace amalthea;
using test::replaced;

namespace {

const std::vector<Version> versions{Version::v0_8_0, Version::v0_9_3, Version::v1_2_0, Version::v2_0_0,
                                    Version::v3_3_0};

struct Built {
  explicit Built(std::string text) {
    const Model model = test::model_from_text(std::move(text), diagnostics);
    system = importer::build_system(model, {}, diagnostics);
    for (const Diagnostic& diagnostic : diagnostics.all()) messages += format(diagnostic) + "\n";
  }
  /// Fails the test where there is no system.
  const System& operator*() const {
    INFO(messages);
    REQUIRE(system.has_value());
    return *system;
  }
  const System* operator->() const { return &**this; }
  std::size_t count(std::string_view id) const { return test::with_id(diagnostics, id).size(); }
  std::string message(std::string_view id) const {
    INFO(messages);
    const auto found = test::with_id(diagnostics, id);
    REQUIRE(found.size() == 1);
    return found.front().message;
  }

  Diagnostics diagnostics;
  std::optional<System> system;
  std::string messages;
};

const Task& task_named(const System& system, std::string_view name) {
  for (const Task& task : system.tasks)
    if (task.name == name) return task;
  FAIL("no process is called " << name);
  return system.tasks.front();
}

/// One line an activity; branches with the guards and lengths of their alternatives.
std::string body(const System& system, std::string_view name) {
  std::string text;
  for (const NodeIndex node : task_named(system, name).body) {
    const GraphNode& activity = system.graph[node];
    text += kind_name(activity.activity);
    if (const auto* branch = std::get_if<Branch>(&activity.activity)) {
      if (branch->repeats) text += " repeats";
      for (const Branch::Alternative& alternative : branch->alternatives)
        text += fmt::format(" [{}: {}]", describe(system, alternative.guard), alternative.length);
    } else if (!activity.name.empty()) {
      text += " " + activity.name;
    }
    text += "\n";
  }
  return text;
}

std::string units(const System& system, const Task& task) {
  std::string names;
  for (const UnitIndex unit : task.units) names += system.platform.units[unit].name + " ";
  return names + "first " + system.platform.units[task.unit].name;
}

/// The platform model with its task filled and more beside it in the software.
std::string with_body(Version version, const std::string& items, const std::string& software = {}) {
  const std::string graph = version <= Version::v0_9_4 ? fmt::format("<callGraph>{}</callGraph>", items)
                                                       : fmt::format("<activityGraph>{}</activityGraph>", items);
  return replaced(test::platform_model(version), "<tasks name=\"T\"/>",
                  fmt::format("<tasks name=\"T\">{}</tasks>{}", graph, software));
}

std::string with_controller_units(Version version, std::string text) {
  const std::string allocation =
      version <= Version::v0_8_0
          ? R"(<coreAllocation scheduler="IC?type=InterruptController" core="C1?type=Core"/>)"
          : fmt::format(R"(<schedulerAllocation scheduler="IC?type=InterruptController" responsibility="C1?type={}"/>)",
                        version < Version::v0_9_0 ? "Core" : "ProcessingUnit");
  return replaced(std::move(text), "</mappingModel>", allocation + "</mappingModel>");
}

/// The scheduler of the platform model with another algorithm and parameters of its own, in the words of the version.
std::string with_algorithm(Version version, const std::string& name, const std::string& parameters = {}) {
  std::string text = test::platform_model(version);
  if (version < Version::v2_0_0)
    return replaced(text, "<schedulingAlgorithm xsi:type=\"am:OSEK\"/>",
                    fmt::format("<schedulingAlgorithm xsi:type=\"am:{}\"/>{}", name, parameters));
  text = replaced(text, "definition=\"OSEK?type=SchedulerDefinition\">",
                  fmt::format("definition=\"{}?type=SchedulerDefinition\">{}", name, parameters));
  return replaced(text, "<schedulerDefinitions name=\"OSEK\"", fmt::format("<schedulerDefinitions name=\"{}\"", name));
}

/// A time under a name, as schedulers from 2.0.0 on have parameters; with its definition in the operating system.
std::string time_parameter(std::string_view name, std::string_view value, std::string_view unit) {
  return fmt::format(
      "<schedulingParameters key=\"{}?type=SchedulingParameterDefinition\"><value xsi:type=\"am:Time\" value=\"{}\" "
      "unit=\"{}\"/></schedulingParameters>",
      name, value, unit);
}
std::string with_definitions(std::string text, const std::vector<std::string_view>& names) {
  for (const std::string_view name : names)
    text = replaced(text, "<schedulerDefinitions name=\"PriorityBased\"/>",
                    fmt::format("<schedulerDefinitions name=\"PriorityBased\"/><schedulingParameterDefinitions "
                                "name=\"{}\" type=\"Time\"/>",
                                name));
  return text;
}

const std::string two_modes_2_0 =
    "<modes xsi:type=\"am:EnumMode\" name=\"M\"><literals name=\"off\"/><literals name=\"on\"/></modes>"
    "<modeLabels name=\"Gear\" mode=\"M?type=EnumMode\" initialValue=\"on\"/>"
    "<modes xsi:type=\"am:NumericMode\" name=\"N\"/><modeLabels name=\"Speed\" mode=\"N?type=NumericMode\" "
    "initialValue=\"7\"/>"
    "<runnables name=\"R\"/><runnables name=\"S\"/>";

std::string call(std::string_view runnable) {
  return fmt::format("<items xsi:type=\"am:RunnableCall\" runnable=\"{}?type=Runnable\"/>", runnable);
}

}  // namespace

// ---------------------------------------------------------------- where processes run

TEST_CASE("a task without affinity may run on all cores of its scheduler and one with affinity on those it names") {
  for (const Version version : versions) {
    INFO(to_string(version));
    const Built built(test::platform_model(version));
    const Task& task = task_named(*built, "T");
    // 0.8.0 has no affinity.
    CHECK(units(*built, task) == (version == Version::v0_8_0 ? "C0 C1 first C0" : "first C1"));
    CHECK(built.count("AM0405") == (version == Version::v0_8_0 ? 1 : 0));
    if (version == Version::v0_8_0) continue;
    const std::string core = version < Version::v0_9_0 ? "Core" : "ProcessingUnit";
    const Built both(replaced(test::platform_model(version), fmt::format("\"C1?type={}\">", core),
                              fmt::format("\"C1?type={0} C0?type={0}\">", core)));
    CHECK(units(*both, task_named(*both, "T")) == "C1 C0 first C1");
    CHECK(both.message("AM0405") ==
          "scheduler \"Sched\" schedules globally, so its tasks may migrate; the first one, \"T\", between \"C1\", "
          "\"C0\"");
  }
}

TEST_CASE("only units in the scheduler's responsibility count for an affinity") {
  const std::string text = replaced(replaced(test::platform_model(Version::v1_2_0), "\"C1?type=ProcessingUnit\">",
                                             "\"C1?type=ProcessingUnit C0?type=ProcessingUnit\">"),
                                    "responsibility=\"C0?type=ProcessingUnit C1?type=ProcessingUnit\"",
                                    "responsibility=\"C0?type=ProcessingUnit\"");
  const Built built(text);
  CHECK(units(*built, task_named(*built, "T")) == "first C0");
  CHECK(built.count("AM0406") == 0);
}

TEST_CASE("a mapping change pins a task that may migrate to one core") {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(test::platform_model(Version::v0_8_0), diagnostics);
  importer::BuildOptions options;
  importer::MappingChange change;
  change.task = "T";
  change.core = "C1";
  options.mapping.push_back(change);
  const auto system = importer::build_system(model, options, diagnostics);
  REQUIRE(system.has_value());
  CHECK(units(*system, task_named(*system, "T")) == "first C1");
}

TEST_CASE("ISRs follow all tasks with the units of their controller and the priority of the allocation") {
  for (const Version version : versions) {
    INFO(to_string(version));
    const Built built(with_controller_units(version, test::platform_model(version)));
    REQUIRE(built->tasks.size() == 2);
    const Task& isr = built->tasks[1];
    CHECK(isr.name == "I");
    CHECK(isr.kind == ProcessKind::isr_category2);
    CHECK(isr.priority == 4);
    CHECK(units(*built, isr) == "first C1");
    CHECK(built->platform.schedulers[isr.scheduler].name == "IC");
    CHECK(built->platform.schedulers[isr.scheduler].interrupt_controller);
    CHECK(built->platform.schedulers[isr.scheduler].kind == SchedulingAlgorithm::priority_based);
    CHECK(built->tasks[0].kind == ProcessKind::task);
  }
}

TEST_CASE("an ISR has a category and a body and stimuli and can receive events") {
  std::string text = with_controller_units(
      Version::v1_2_0, with_body(Version::v1_2_0,
                                 "<items xsi:type=\"am:SetEvent\" process=\"I?type=ISR\"><eventMask "
                                 "events=\"E?type=OsEvent\"/></items>",
                                 "<events name=\"E\"/><runnables name=\"R\"/>"));
  text = replaced(text, "<isrs name=\"I\"/>",
                  fmt::format("<isrs name=\"I\" category=\"CATEGORY_1\" stimuli=\"P?type=PeriodicStimulus\">"
                              "<activityGraph>{}</activityGraph></isrs>",
                              call("R")));
  text = replaced(text, "<mappingModel>",
                  "<stimuliModel><stimuli xsi:type=\"am:PeriodicStimulus\" name=\"P\"><recurrence value=\"1\" "
                  "unit=\"ms\"/></stimuli></stimuliModel><mappingModel>");
  const Built built(text);
  CHECK(task_named(*built, "I").kind == ProcessKind::isr_category1);
  CHECK(body(*built, "I") == "call R\n");
  CHECK(built->stimuli.at(0).activates == std::vector<TaskIndex>{1});
  const auto& set = std::get<SetEvents>(built->graph[task_named(*built, "T").body.at(0)].activity);
  CHECK(set.task == TaskIndex{1});
  CHECK(built.count("AM0401") == 0);
}

TEST_CASE("an ISR without a core is omitted with a warning") {
  const Built built(test::platform_model(Version::v3_3_0));
  CHECK(built->tasks.size() == 1);
  CHECK(built.message("AM0436") ==
        "ISR \"I\" is allocated to \"IC\", which is responsible for no CPU core (schedulerAllocation); it is not "
        "simulated, and its execution time is missing from all results");
  const Built unmapped(
      replaced(test::platform_model(Version::v3_3_0), "<isrs name=\"I\"/>", "<isrs name=\"I\"/><isrs name=\"J\"/>"));
  CHECK(unmapped.count("AM0436") == 2);
}

TEST_CASE("preemption behavior is read from the model") {
  for (const auto& [written, meant] :
       {std::pair{"preemptive", Preemption::preemptive}, std::pair{"cooperative", Preemption::cooperative},
        std::pair{"non_preemptive", Preemption::non_preemptive}})
    for (const Version version : versions) {
      const Built built(replaced(test::platform_model(version), "<tasks name=\"T\"",
                                 fmt::format("<tasks name=\"T\" preemption=\"{}\"", written)));
      CHECK(task_named(*built, "T").preemption == meant);
    }
}

// ---------------------------------------------------------------- schedulers

TEST_CASE("every supported algorithm is recognized by class and by definition name") {
  const std::vector<std::pair<std::string, SchedulingAlgorithm>> plain{
      {"FixedPriorityPreemptive", SchedulingAlgorithm::fixed_priority_preemptive},
      {"OSEK", SchedulingAlgorithm::osek},
      {"RateMonotonic", SchedulingAlgorithm::rate_monotonic},
      {"DeadlineMonotonic", SchedulingAlgorithm::deadline_monotonic},
      {"EarliestDeadlineFirst", SchedulingAlgorithm::earliest_deadline_first}};
  for (const auto& [name, kind] : plain)
    for (const Version version : versions) {
      if (version == Version::v0_8_0 && name == "FixedPriorityPreemptive") continue;  // from 0.8.1
      INFO(name << " in " << to_string(version));
      const Built built(with_algorithm(version, name));
      CHECK(built->platform.schedulers.at(0).kind == kind);
      CHECK(built->platform.schedulers.at(0).algorithm == name);
    }
}

TEST_CASE("an unsupported algorithm is one error at the scheduler for any number of tasks") {
  for (const char* name :
       {"PfairPD2", "PartlyPFairPD2", "EarlyReleaseFairPD2", "PartlyEarlyReleaseFairPD2",
        "LeastLocalRemainingExecutionTimeFirst", "FixedPriorityPreemptiveWithBudgetEnforcement", "SporadicServer",
        "ConstantBandwidthServerWithCASH", "UserSpecificSchedulingAlgorithm", "PriorityBased"}) {
    INFO(name);
    const Built built(with_algorithm(Version::v1_2_0, name));
    CHECK_FALSE(built.system.has_value());
    CHECK(built.message("AM0306").find(name) != std::string::npos);
  }
}

TEST_CASE("servers have budget and period from the association with their parent and their parent's units") {
  const std::string association =
      "<parentAssociation parent=\"top?type=TaskScheduler\"><schedulingParameters priority=\"5\"><minBudget "
      "value=\"1\" unit=\"ms\"/><maxBudget value=\"2\" unit=\"ms\"/><replenishment value=\"10\" unit=\"ms\"/>"
      "</schedulingParameters></parentAssociation></taskSchedulers><taskSchedulers name=\"top\"><schedulingAlgorithm "
      "xsi:type=\"am:FixedPriorityPreemptive\"/>";
  for (const auto& [name, kind] : {std::pair{"PollingPeriodicServer", SchedulingAlgorithm::polling_periodic_server},
                                   std::pair{"DeferrableServer", SchedulingAlgorithm::deferrable_server},
                                   std::pair{"ConstantBandwidthServer", SchedulingAlgorithm::constant_bandwidth_server},
                                   std::pair{"Grouping", SchedulingAlgorithm::grouping}})
    for (const Version version : {Version::v0_9_3, Version::v1_2_0}) {
      INFO(name << " in " << to_string(version));
      const Built built(replaced(with_algorithm(version, name, association),
                                 "scheduler=\"Sched?type=TaskScheduler\" res",
                                 "scheduler=\"top?type=TaskScheduler\" res"));
      const Scheduler& server = built->platform.schedulers.at(0);
      CHECK(server.kind == kind);
      REQUIRE(server.parent.has_value());
      CHECK(built->platform.schedulers.at(*server.parent).name == "top");
      CHECK(server.share.priority == 5);
      CHECK(server.share.budget == Duration::milliseconds(2));
      CHECK(server.share.period == Duration::milliseconds(10));
      CHECK(server.units == std::vector<UnitIndex>{0, 1});
      CHECK(built.count("AM0420") == 0);
    }
}

TEST_CASE("since 2.0.0 parameters have the names of their definitions") {
  for (const Version version : {Version::v2_0_0, Version::v3_3_0}) {
    INFO(to_string(version));
    const Built server(
        with_definitions(with_algorithm(version, "DeferrableServer",
                                        time_parameter("capacity", "3", "ms") + time_parameter("period", "20", "ms")),
                         {"capacity", "period"}));
    CHECK(server->platform.schedulers.at(0).share.budget == Duration::milliseconds(3));
    CHECK(server->platform.schedulers.at(0).share.period == Duration::milliseconds(20));
    const Built turns(with_definitions(
        with_algorithm(version, "PriorityBasedRoundRobin", time_parameter("timeSliceLength", "4", "ms")),
        {"timeSliceLength"}));
    CHECK(turns->platform.schedulers.at(0).kind == SchedulingAlgorithm::priority_based_round_robin);
    CHECK(turns->platform.schedulers.at(0).time_slice == Duration::milliseconds(4));
  }
}

TEST_CASE("a missing algorithm parameter is one error that names it") {
  CHECK(Built(with_algorithm(Version::v1_2_0, "DeferrableServer")).message("AM0341") ==
        "scheduler \"Sched\" uses the algorithm DeferrableServer, which requires a budget (maxBudget or capacity) and "
        "a period (replenishment or period); add it to its parameters or its association");
  // Round robin: with one task, or with distinct priorities, no tasks take turns.
  const std::string alone = with_algorithm(Version::v1_2_0, "PriorityBasedRoundRobin");
  CHECK_FALSE(Built(alone)->platform.schedulers.at(0).time_slice.has_value());
  const auto with_second = [&](int priority) {
    return Built(replaced(replaced(alone, "<isrs ", "<tasks name=\"U\"/><isrs "), "<isrAllocation",
                          fmt::format("<taskAllocation task=\"U?type=Task\" scheduler=\"Sched?type=TaskScheduler\">"
                                      "<schedulingParameters priority=\"{}\"/></taskAllocation><isrAllocation",
                                      priority)));
  };
  CHECK(with_second(2).system.has_value());
  CHECK(with_second(3).message("AM0341") ==
        "scheduler \"Sched\" uses the algorithm PriorityBasedRoundRobin, which requires a time slice (timeSliceLength) "
        "for tasks with equal priorities; add it to its parameters or its association");
  CHECK(Built(with_algorithm(Version::v1_2_0, "Grouping")).message("AM0341") ==
        "scheduler \"Sched\" uses the algorithm Grouping, which requires a parent scheduler; add it to its parameters "
        "or its association");
  CHECK(
      Built(with_definitions(with_algorithm(Version::v3_3_0, "DeferrableServer", time_parameter("capacity", "0", "ms")),
                             {"capacity"}))
          .message("AM0340") ==
      "unreadable scheduling parameter capacity of scheduler \"Sched\": it must be above zero");
}

TEST_CASE("overheads of an operating system apply to its schedulers and instructions take cycles") {
  for (const Version version : versions) {
    INFO(to_string(version));
    const Built built(test::platform_model(version));
    for (const Scheduler& scheduler : built->platform.schedulers) {
      REQUIRE(scheduler.overhead.has_value());
      REQUIRE(scheduler.overhead->set_event.has_value());
      const Cycles* cycles = scheduler.overhead->set_event->on(0);
      REQUIRE(cycles != nullptr);
      CHECK(cycles->upper == (version <= Version::v0_9_2 ? 4 : 7));  // 7 instructions, two a cycle
      CHECK_FALSE(scheduler.overhead->wait_event.has_value());
    }
  }
}

// ---------------------------------------------------------------- semaphores

TEST_CASE("semaphore capacity is the maximum number of users minus the initial ones") {
  for (const Version version : versions) {
    const Built built(test::platform_model(version));
    REQUIRE(built->semaphores.size() == 1);
    CHECK(built->semaphores[0].capacity == 2);
    CHECK(built->semaphores[0].free == 1);
    CHECK(built->semaphores[0].priority_ceiling);
    CHECK_FALSE(built->semaphores[0].spinlock);
  }
  const Built silent(replaced(test::platform_model(Version::v1_2_0), "initialValue=\"1\" maxValue=\"2\"", ""));
  CHECK(silent->semaphores[0].capacity == 1);
  CHECK(silent->semaphores[0].free == 1);
  const Built more(replaced(test::platform_model(Version::v1_2_0), "initialValue=\"1\"", "initialValue=\"20\""));
  CHECK(more->semaphores[0].capacity == 20);
  CHECK(more->semaphores[0].free == 20);
  CHECK(more.count("AM0435") == 1);
}

TEST_CASE("semaphores are requested and released and spinlocks always wait actively") {
  const std::string items =
      "<items xsi:type=\"am:SemaphoreAccess\" semaphore=\"Sem?type=Semaphore\" access=\"request\" "
      "waitingBehaviour=\"passive\"/><items xsi:type=\"am:SemaphoreAccess\" semaphore=\"Sem?type=Semaphore\" "
      "access=\"exclusive\" waitingBehaviour=\"active\"/><items xsi:type=\"am:SemaphoreAccess\" "
      "semaphore=\"Sem?type=Semaphore\" access=\"release\"/>";
  const std::string text = with_body(Version::v3_3_0, items);
  const Built built(text);
  CHECK(body(*built, "T") == "request Sem\nrequest Sem\nrelease Sem\n");
  const auto use = [](const Built& from, std::size_t index) {
    return std::get<UseSemaphore>(from->graph[task_named(*from, "T").body.at(index)].activity);
  };
  CHECK_FALSE(use(built, 0).active);
  CHECK(use(built, 1).active);
  CHECK(use(built, 1).operation == UseSemaphore::Operation::exclusive);
  const Built spinning(
      replaced(text, "<semaphores name=\"Sem\"", "<semaphores name=\"Sem\" semaphoreType=\"Spinlock\""));
  CHECK(use(spinning, 0).active);
  CHECK(spinning->semaphores[0].spinlock);
}

// ---------------------------------------------------------------- branches

TEST_CASE("a mode switch is a branch in every version") {
  const std::string old_modes =
      "<modes name=\"M\"><literals name=\"off\"/><literals name=\"on\"/></modes><modeLabels name=\"Gear\" "
      "initialValue=\"M/on?type=ModeLiteral\"/><runnables name=\"R\"/><runnables name=\"S\"/>";
  const auto old_call = [](std::string_view runnable, std::string_view tag) {
    return fmt::format(
        "<{} xsi:type=\"am:CallSequence\"><calls xsi:type=\"am:TaskRunnableCall\" "
        "runnable=\"{}?type=Runnable\"/></{}>",
        tag, runnable, tag);
  };
  const auto expected =
      "branch [Gear = off: 1] [otherwise: 1]\n"
      "call R\n"
      "call S\n";
  for (const Version version : versions) {
    INFO(to_string(version));
    std::string items, software = old_modes;
    if (version == Version::v0_8_0) {
      items = fmt::format(
          "<graphEntries xsi:type=\"am:ModeSwitch\" valueProvider=\"Gear?type=ModeLabel\"><entries "
          "values=\"M/off?type=ModeLiteral\">{}</entries><defaultEntry>{}</defaultEntry></graphEntries>",
          old_call("R", "items"), old_call("S", "items"));
    } else if (version == Version::v0_9_3) {
      items = fmt::format(
          "<graphEntries xsi:type=\"am:ModeSwitch\"><entries>{}<condition><entries xsi:type=\"am:ModeValue\" "
          "valueProvider=\"Gear?type=ModeLabel\" value=\"M/off?type=ModeLiteral\"/></condition></entries>"
          "<defaultEntry>{}</defaultEntry></graphEntries>",
          old_call("R", "items"), old_call("S", "items"));
    } else {
      const bool by_mode = version == Version::v1_2_0;
      items = fmt::format(
          "<items xsi:type=\"am:{}\"><entries>{}<condition><entries xsi:type=\"am:ModeValueCondition\" "
          "label=\"Gear?type=ModeLabel\" relation=\"EQUAL\" value=\"off\"/></condition></entries>"
          "<defaultEntry>{}</defaultEntry></items>",
          by_mode ? "ModeSwitch" : "Switch", call("R"), call("S"));
      software = two_modes_2_0;
    }
    const Built built(with_body(version, items, software));
    CHECK(body(*built, "T") == expected);
    CHECK(built->modes.at(0).initial == 1);
    CHECK(*built->modes.at(0).literals == std::vector<std::string>{"off", "on"});
    CHECK(built.count("AM0401") == 0);
  }
}

TEST_CASE("conditions compare numbers or modes and combine by and and or") {
  const auto one = [](std::string_view attributes) {
    return fmt::format("<entries xsi:type=\"am:ModeValueCondition\" {}/>", attributes);
  };
  const std::string items = fmt::format(
      "<items xsi:type=\"am:Switch\"><entries><condition><entries xsi:type=\"am:ConditionConjunction\">{}{}</entries>"
      "<entries xsi:type=\"am:ModeLabelCondition\" label1=\"Last?type=ModeLabel\" relation=\"NOT_EQUAL\" "
      "label2=\"Gear?type=ModeLabel\"/></condition>{}</entries></items>",
      one("label=\"Gear?type=ModeLabel\" relation=\"EQUAL\" value=\"on\""),
      one("label=\"Speed?type=ModeLabel\" relation=\"LESS_THAN_OR_EQUAL\" value=\"12\""), call("R"));
  const Built built(
      with_body(Version::v3_3_0, items,
                two_modes_2_0 + "<modeLabels name=\"Last\" mode=\"M?type=EnumMode\" initialValue=\"on\"/>"));
  CHECK(body(*built, "T") == "branch [Gear = on and Speed <= 12 or Last != Gear: 1]\ncall R\n");
  CHECK(built->modes.at(1).initial == 7);
}

TEST_CASE("modes are set and incremented and decremented and reading one has no effect") {
  const auto access = [](std::string_view attributes) {
    return fmt::format("<items xsi:type=\"am:ModeLabelAccess\" {}/>", attributes);
  };
  const Built built(with_body(Version::v1_2_0,
                              access("data=\"Gear?type=ModeLabel\" access=\"read\"") +
                                  access("data=\"Gear?type=ModeLabel\" access=\"set\" value=\"on\"") +
                                  access("data=\"Speed?type=ModeLabel\" access=\"increment\" step=\"3\"") +
                                  access("data=\"Speed?type=ModeLabel\" access=\"decrement\""),
                              two_modes_2_0));
  CHECK(body(*built, "T") == "mode Gear\nmode Speed\nmode Speed\n");
  const auto set = [&](std::size_t index) {
    return std::get<SetMode>(built->graph[task_named(*built, "T").body.at(index)].activity);
  };
  CHECK(set(0).value == 1);
  CHECK(set(1).operation == SetMode::Operation::increment);
  CHECK(set(1).value == 3);
  CHECK(set(2).operation == SetMode::Operation::decrement);
  CHECK(set(2).value == 1);
}

TEST_CASE("probability switches and loops and counters and runnable conditions are branches that may nest") {
  const std::string loop = fmt::format(
      "<items xsi:type=\"am:WhileLoop\">{}<condition><entries xsi:type=\"am:ModeValueCondition\" "
      "label=\"Speed?type=ModeLabel\" relation=\"GREATER_THAN\" value=\"0\"/></condition></items>",
      call("R"));
  const std::string items = fmt::format(
      "<items xsi:type=\"am:ProbabilitySwitch\"><entries probability=\"0.25\">{}</entries><entries "
      "probability=\"0.75\">{}</entries></items><items xsi:type=\"am:RunnableCall\" runnable=\"Q?type=Runnable\">"
      "<counter prescaler=\"3\" offset=\"1\"/></items>",
      call("S"), loop);
  const std::string inner =
      "<runnables name=\"Q\"><executionCondition><entries xsi:type=\"am:ModeValueCondition\" "
      "label=\"Gear?type=ModeLabel\" relation=\"EQUAL\" value=\"off\"/></executionCondition></runnables>";
  for (const Version version : {Version::v2_0_0, Version::v3_3_0}) {
    const Built built(with_body(version, items, two_modes_2_0 + inner));
    CHECK(body(*built, "T") ==
          "branch [weight 0.25: 1] [weight 0.75: 2]\n"
          "call S\n"
          "branch repeats [Speed > 0: 1]\n"
          "call R\n"
          "branch [every 3 from 1: 2]\n"
          "branch [Gear = off: 1]\n"
          "call Q\n");
    CHECK(built.count("AM0401") == 0);
  }
}

TEST_CASE("conditions on unsupported things become probabilities with one warning") {
  const std::string channel =
      "<condition><entries xsi:type=\"am:ChannelFillCondition\" channel=\"Ch?type=Channel\" relation=\"GREATER_THAN\" "
      "fillLevel=\"2\"/></condition>";
  const std::string items = fmt::format(
      "<items xsi:type=\"am:Switch\"><entries>{}{}</entries></items><items xsi:type=\"am:WhileLoop\">{}{}"
      "</items>",
      channel, call("R"), channel, call("S"));
  const Built built(with_body(Version::v3_3_0, items, two_modes_2_0 + "<channels name=\"Ch\"/>"));
  CHECK(body(*built, "T") ==
        "branch [weight 1: 1] [weight 1: 0]\n"
        "call R\n"
        "branch repeats [weight 1: 1] [weight 1: 0]\n"
        "call S\n");
  CHECK(built.message("AM0437") ==
        "all alternatives are assumed to be equally likely, because each of 2 conditions (this is the first) depends "
        "on a "
        "channel or a local mode label, which are not simulated");
}

TEST_CASE("a faulty condition is reported with its fault") {
  const auto said = [&](const std::string& condition, std::string_view kind = "ModeValueCondition") {
    const std::string items = fmt::format(
        "<items xsi:type=\"am:Switch\"><entries name=\"E\">{}<condition><entries "
        "xsi:type=\"am:{}\" {}/></condition></entries></items>",
        call("R"), kind, condition);
    return Built(with_body(Version::v3_3_0, items, two_modes_2_0)).message("AM0437");
  };
  const std::string because = "all alternatives are assumed to be equally likely, because the condition ";
  CHECK(said("label=\"Gear?type=ModeLabel\" value=\"onn\" relation=\"EQUAL\"") ==
        because + "compares mode label \"Gear\" with \"onn\", which its mode does not have; did you mean \"on\"?");
  CHECK(said("value=\"off\" relation=\"EQUAL\"") == because + "names no mode label; state the label");
  CHECK(said("label=\"Gear?type=ModeLabel\" relation=\"EQUAL\"") ==
        because + "states no value for mode label \"Gear\"; state it");
  CHECK(said("label=\"Gear?type=ModeLabel\" value=\"off\"") == because + "states no relation; state it");
  CHECK(said("label=\"Gear?type=ModeLabel\" value=\"off\" relation=\"LESS_THAN\"") ==
        because + "orders the literals of mode \"M\", which have no order; use EQUAL or NOT_EQUAL");
  CHECK(
      said("label1=\"Gear?type=ModeLabel\" label2=\"Speed?type=ModeLabel\" relation=\"EQUAL\"", "ModeLabelCondition") ==
      because + "compares the mode labels \"Gear\" and \"Speed\", whose modes differ; compare labels of one mode");
}

TEST_CASE("uninterruptible groups and schedule points and ends and synchronous calls are activities") {
  const std::string items = fmt::format(
      "<items xsi:type=\"am:Group\" name=\"G\" interruptible=\"false\">{}<items xsi:type=\"am:Group\" name=\"H\" "
      "interruptible=\"false\">{}</items></items><items xsi:type=\"am:SchedulePoint\"/><items "
      "xsi:type=\"am:SynchronousServerCall\" serverRunnable=\"S?type=Runnable\"/><items "
      "xsi:type=\"am:TerminateProcess\"/>",
      call("R"), call("S"));
  for (const Version version : {Version::v2_0_0, Version::v3_3_0}) {
    const Built built(with_body(version, items, two_modes_2_0));
    CHECK(body(*built, "T") ==
          "uninterruptible G\ncall R\ncall S\ninterruptible G\nschedule point\ncall S\nterminate\n");
  }
}

TEST_CASE("sequence edges lead from a branch to its alternatives and from their ends to the next activity") {
  const std::string items = fmt::format(
      "<items xsi:type=\"am:Switch\"><entries><condition><entries xsi:type=\"am:ModeValueCondition\" "
      "label=\"Gear?type=ModeLabel\" relation=\"EQUAL\" value=\"off\"/></condition>{}{}</entries></items>{}",
      call("R"), call("S"), call("R"));
  const Built built(with_body(Version::v3_3_0, items, two_modes_2_0));
  std::string edges;
  for (const auto edge : boost::make_iterator_range(boost::edges(built->graph.boost())))
    edges += fmt::format("{}-{} {}\n", boost::source(edge, built->graph.boost()),
                         boost::target(edge, built->graph.boost()), built->graph.boost()[edge].label);
  CHECK(edges == "0-1 Gear = off\n1-2 \n2-3 \n0-3 otherwise\n");

  const std::string loop = fmt::format(
      "<items xsi:type=\"am:WhileLoop\">{}<condition><entries xsi:type=\"am:ModeValueCondition\" "
      "label=\"Gear?type=ModeLabel\" relation=\"EQUAL\" value=\"on\"/></condition></items>{}",
      call("R"), call("S"));
  const Built looped(with_body(Version::v3_3_0, loop, two_modes_2_0));
  edges.clear();
  for (const auto edge : boost::make_iterator_range(boost::edges(looped->graph.boost())))
    edges += fmt::format("{}-{} {}\n", boost::source(edge, looped->graph.boost()),
                         boost::target(edge, looped->graph.boost()), looped->graph.boost()[edge].label);
  CHECK(edges == "0-1 Gear = on\n1-0 \n0-2 otherwise\n");
}

TEST_CASE("a device task with a counter is one error and is valid without it") {
  const std::string sample = test::read_text(test::sample("offload-minimal.amxmi"));
  const std::string start = "runnable=\"Vision_Function?type=Runnable\"";
  const auto at = sample.find(start);
  REQUIRE(at != std::string::npos);
  const auto end = sample.find("/>", at);
  std::string text = sample;
  text.replace(end, 2, "><counter prescaler=\"2\"/></items>");
  const Built built(text);
  CHECK_FALSE(built.system.has_value());
  CHECK(built.message("AM0342") ==
        "RunnableCall in device task \"Vision\": GPU work cannot depend on modes, probabilities or counters; move it "
        "into the task that triggers this one");
  CHECK(Built(sample).system.has_value());
}

TEST_CASE("stimuli set modes and take effect depending on enabling and disabling conditions") {
  const auto with = [](Version version, std::string_view parts, const std::string& software) {
    return Built(replaced(with_body(version, "", software), "<mappingModel>",
                          fmt::format("<stimuliModel><stimuli xsi:type=\"am:PeriodicStimulus\" "
                                      "name=\"P\">{}<recurrence value=\"1\" unit=\"ms\"/></stimuli></stimuliModel>"
                                      "<mappingModel>",
                                      parts)));
  };
  const Built now = with(Version::v3_3_0,
                         "<setModeValueList><entries label=\"Gear?type=ModeLabel\" value=\"off\"/></setModeValueList>"
                         "<executionCondition><entries xsi:type=\"am:ModeValueCondition\" "
                         "label=\"Speed?type=ModeLabel\" relation=\"LESS_THAN\" value=\"3\"/></executionCondition>",
                         two_modes_2_0);
  const Stimulus& stimulus = now->stimuli.at(0);
  REQUIRE(stimulus.sets.size() == 1);
  CHECK(stimulus.sets[0].mode == 0);
  CHECK(stimulus.sets[0].value == 0);
  REQUIRE(stimulus.condition.has_value());
  CHECK(describe(*now, Guard(*stimulus.condition)) == "Speed < 3");
  CHECK(now.count("AM0408") == 0);

  const std::string old_modes =
      "<modes name=\"M\"><literals name=\"off\"/><literals name=\"on\"/></modes><modeLabels name=\"Gear\" "
      "initialValue=\"M/on?type=ModeLiteral\"/><modeLabels name=\"Light\" initialValue=\"M/off?type=ModeLiteral\"/>";
  const auto is = [](std::string_view label, std::string_view literal) {
    return fmt::format(
        "<entries xsi:type=\"am:ModeValue\" valueProvider=\"{}?type=ModeLabel\" "
        "value=\"M/{}?type=ModeLiteral\"/>",
        label, literal);
  };
  const Built old =
      with(Version::v0_9_3,
           fmt::format("<enablingModeValueList>{}{}</enablingModeValueList><disablingModeValueList><entries "
                       "xsi:type=\"am:ModeValueConjunction\">{}{}</entries></disablingModeValueList>",
                       is("Gear", "on"), is("Light", "on"), is("Gear", "off"), is("Light", "off")),
           old_modes);
  REQUIRE(old->stimuli.at(0).condition.has_value());
  CHECK(describe(*old, Guard(*old->stimuli.at(0).condition)) ==
        "Gear = on and Gear != off or Gear = on and Light != off or Light = on and Gear != off or Light = on and "
        "Light != off");
}

}  // namespace building_scheduling_test
