// SPDX-License-Identifier: Apache-2.0
// What is written for tools of others, and what is said to be left out. peers_test.cpp runs the tools.

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "amalthea/diagnostic.hpp"
#include "exporter/peers/peer_formats.hpp"
#include "tests/support/system_maker.hpp"

namespace peer_formats_test {

using namespace amalthea;
using namespace test;

namespace {

struct Written {
  std::vector<exporter::PeerFile> files;
  Diagnostics findings;

  bool says(const std::string& words) const {
    for (const Diagnostic& finding : findings.all())
      if (finding.message.find(words) != std::string::npos) return true;
    for (const Diagnostic& finding : findings.all()) UNSCOPED_INFO(finding.message);
    return false;
  }
  bool holds(const std::string& words) const {
    for (const exporter::PeerFile& file : files)
      if (file.text.find(words) != std::string::npos) return true;
    for (const exporter::PeerFile& file : files) UNSCOPED_INFO(file.text);
    return false;
  }
};

Written written(SystemMaker& maker, const std::string& format) {
  Written made;
  made.files = exporter::write_peer(
      maker.build(), *exporter::peer_format_of(format), [](Origin) { return Location{}; }, made.findings);
  return made;
}

}  // namespace

TEST_CASE("a second opinion: a core is left out as a whole with what its tasks trigger") {
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two"), three = maker.core("three");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex waits = maker.task("Waits", one, 1, maker.periodic(100)),
                  above = maker.task("Above", one, 2, maker.periodic(50)), after = maker.task("After", two, 1, request),
                  beside = maker.task("Beside", two, 2, maker.periodic(100)),
                  alone = maker.task("Alone", three, 1, maker.periodic(100));
  const EventIndex event = maker.event("done");
  maker.wait(waits, event, false);
  maker.set(alone, event, waits);
  maker.compute(above, 1);
  maker.trigger(above, request);
  for (const TaskIndex task : {after, beside, alone}) maker.compute(task, 10);
  const Written made = written(maker, "simso");
  REQUIRE(made.files.size() == 1);
  CHECK(made.files[0].name == "three.xml");
  CHECK(made.says("one is left out, with its 2 tasks: Waits waits for an event"));
  CHECK(made.says("two is left out, with its 2 tasks: a task of another core triggers After"));
  CHECK(made.holds("<!-- one is left out, with its 2 tasks: Waits waits for an event. -->"));
  CHECK_FALSE(made.holds("name=\"Beside\""));
}

TEST_CASE("a second opinion: nothing is written where no core can be expressed") {
  SystemMaker maker;
  const TaskIndex task = maker.task("Task", maker.core("core"), 1, maker.periodic(100));
  maker.compute(task, 1);
  maker[task].units = {0, maker.core("other")};
  const Written made = written(maker, "simso");
  CHECK(made.files.empty());
  CHECK(made.findings.has_errors());
  CHECK(made.says("Task may run on several cores"));
}

TEST_CASE("a second opinion: executions are rounded up and never down") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex task = maker.task("Task", core, 1, maker.periodic(100));
  maker.system().platform.units[core].frequency = Frequency::millihertz(300'000'000'000);  // 3333.3 ps per cycle
  maker.compute(task, 1);
  const Written made = written(maker, "simso");
  CHECK(made.holds("WCET=\"3334\""));
  CHECK(made.holds("period=\"100000000\""));
  CHECK(made.holds("One ms of SimSo stands for one ps of the model."));
}

TEST_CASE("a second opinion: names of a model are data in every format") {
  SystemMaker maker;
  const UnitIndex core = maker.core("../core --> x");
  const TaskIndex task = maker.task("a\"<b>&\n--'", core, 1, maker.periodic(100)),
                  gpu = maker.task("g", maker.gpu("--> \n<gpu>"), 1, maker.periodic(100));
  maker.compute(task, 1);
  maker.kernel(gpu, 1);
  const Written made = written(maker, "simso");
  REQUIRE(made.files.size() == 1);
  CHECK(made.files[0].name == "___core_--__x.xml");
  CHECK(made.holds("name=\"a&quot;&lt;b>&amp;\\x0a--'\""));
  CHECK(made.holds("<!-- - -> \\x0a<gpu> is left out, with its 1 task: it is a GPU. -->"));
}

TEST_CASE("a second opinion: a core goes with the core that triggers its tasks") {
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two"), three = maker.core("three");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex waits = maker.task("Waits", one, 1, maker.periodic(100)),
                  after = maker.task("After", two, 1, request),
                  alone = maker.task("Alone", three, 1, maker.periodic(100));
  maker.wait(waits, maker.event("done"), false);
  maker.trigger(waits, request);
  maker.compute(after, 10);
  maker.compute(alone, 10);
  const Written made = written(maker, "pycpa");
  REQUIRE(made.files.size() == 1);
  CHECK(made.says("two is left out, with its 1 task: the task that triggers After is left out"));
  CHECK(made.holds("# two is left out, with its 1 task: the task that triggers After is left out."));
  CHECK(made.holds("Task(\"Alone\", bcet=10000000, wcet=10000000, scheduling_parameter=1)"));
  CHECK_FALSE(made.holds("Task(\"After\""));
}

TEST_CASE("pyCPA gets event models, priorities, preemption and links") {
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex low = maker.task("Low \"x\\", one, -3, maker.periodic(100, 20)),
                  high = maker.task("High", one, 9, maker.periodic(50)), after = maker.task("After", two, 1, request);
  maker.compute(low, 10);
  maker.trigger(low, request);
  maker.compute(low, 1);
  maker.compute(high, 2);
  maker.compute(after, 3);
  std::get<Periodic>(maker.system().stimuli[2].occurrence).jitter = {0, 5'000'000, 10'000'000, {}};
  SECTION("of tasks that preempt each other") { CHECK(written(maker, "pycpa").holds("schedulers.SPPScheduler(")); }
  SECTION("of tasks that do not") {
    maker[low].preemption = maker[high].preemption = Preemption::non_preemptive;
    CHECK(written(maker, "pycpa").holds("SPNPScheduler(schedulers.prio_high_wins_equal_fifo, cycle_time=1)"));
  }
  const Written made = written(maker, "pycpa");
  CHECK(made.findings.all().empty());
  CHECK(made.holds("Task(\"Low \\\"x\\\\\", bcet=11000000, wcet=11000000, scheduling_parameter=1)"));
  CHECK(made.holds("Task(\"High\", bcet=2000000, wcet=2000000, scheduling_parameter=2)"));
  CHECK(made.holds("PJdEventModel(P=50000000, J=10000000, dmin=0)"));
  CHECK(made.holds("tasks[0].link_dependent_task(tasks[2])"));
}

TEST_CASE("pyCPA gets no core whose jobs have deadlines for priorities") {
  SystemMaker maker;
  maker.compute(maker.task("Task", maker.core("core"), 1, maker.periodic(100)), 1);
  maker.system().platform.schedulers[0].kind = SchedulingAlgorithm::earliest_deadline_first;
  CHECK(written(maker, "pycpa").files.empty());
  CHECK(written(maker, "simso").holds("simso.schedulers.EDF_mono"));
}

TEST_CASE("nptest gets the jobs of a hyperperiod and which follow which") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex first = maker.task("First", core, 1, maker.periodic(100)),
                  after = maker.task("After", core, 2, request), fast = maker.task("Fast", core, 3, maker.periodic(50));
  std::get<Periodic>(maker.system().stimuli[2].occurrence).jitter = {0, 5'000'000, 10'000'000, {}};
  maker.compute(first, 10);
  maker.trigger(first, request);
  maker.compute(after, 2);
  maker.compute(fast, 1);
  maker[fast].deadline = us(20);
  CHECK(written(maker, "np-schedulability").says("tasks of the core core preempt each other"));
  for (const TaskIndex task : {first, after, fast}) maker[task].preemption = Preemption::non_preemptive;
  const Written made = written(maker, "np-schedulability");
  REQUIRE(made.files.size() == 2);
  CHECK(made.files[0].name == "core.csv");
  CHECK(
      made.holds("\n3,1,0,10000000,1000000,1000000,20000000,0,Fast\n"
                 "3,2,50000000,60000000,1000000,1000000,70000000,0,Fast\n"));
  CHECK(made.holds("\n2,1,0,0,2000000,2000000,"));
  CHECK(made.files[1].name == "core.prec.csv");
  CHECK(made.files[1].text == "from_task,from_job,to_task,to_job\n1,1,2,1\n");
  maker.compute(first, 1);
  CHECK(written(maker, "np-schedulability").says("the job that triggers After goes on after that"));
}

TEST_CASE("MAST gets a transaction for each row of triggers") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core"), other = maker.core("other");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex first = maker.task("First", core, 5, maker.periodic(100)),
                  after = maker.task("After", other, 2, request),
                  fast = maker.task("Fast", core, 7, maker.periodic(50));
  std::get<Periodic>(maker.system().stimuli[2].occurrence).jitter = {0, 5'000'000, 10'000'000, {}};
  maker.compute(first, 10);
  maker.trigger(first, request);
  maker.compute(after, 2);
  maker.compute(fast, 1);
  maker[after].preemption = Preemption::non_preemptive;
  const Written made = written(maker, "mast");
  CHECK(made.findings.all().empty());
  CHECK(made.holds(
      "Transaction (Type => Regular, Name => row_1,\n"
      "  External_Events => ((Type => Periodic, Name => release_1, Period => 100.000000, Max_Jitter => "
      "0.000000)),\n"
      "  Internal_Events => (\n"
      "    (Type => Regular, Name => end_1),\n"
      "    (Type => Regular, Name => end_3)),\n"
      "  Event_Handlers => (\n"
      "    (Type => Activity, Input_Event => release_1, Output_Event => end_1, Activity_Operation => task_1,\n"
      "     Activity_Server => task_1),\n"
      "    (Type => Activity, Input_Event => end_1, Output_Event => end_3, Activity_Operation => task_3,\n"
      "     Activity_Server => task_3)));\n"));
  CHECK(made.holds("Name => release_2, Period => 50.000000, Max_Jitter => 10.000000"));
  CHECK(made.holds("-- task_2: Fast\n"));
  CHECK(made.holds("Server_Sched_Parameters => (Type => Fixed_Priority_Policy, The_Priority => 2));\n"));
  CHECK(made.holds("Worst_Case_Execution_Time => 10.000000, Best_Case_Execution_Time => 10.000000"));
  maker.compute(first, 1);
  CHECK(written(maker, "mast").says("the job that triggers After goes on after that"));
}

TEST_CASE("a timing cookie gets longest executions in whole nanoseconds, rounded up") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  maker.system().platform.units[core].frequency = Frequency::millihertz(300'000'000'000);  // 3333.3 ps per cycle
  maker.compute(maker.task("Task<1>", core, 1, maker.periodic(100)), 1);
  const Written made = written(maker, "xtc");
  CHECK(made.holds("<executable start=\"Task&lt;1>\" name=\"Task&lt;1>\" type=\"runnable\" id=\"EXEC_ID_0\">"));
  CHECK(made.holds("<response><WCET value=\"4\" unit=\"ns\"/></response>"));
}

TEST_CASE("SimSo gets priorities, offsets, triggers and every activation that is not periodic") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex late = maker.task("Late", core, 5, maker.periodic(100, 20)),
                  follows = maker.task("Follows", core, 7, request),
                  jitter = maker.task("Jitter", core, 9, maker.periodic(50));
  std::get<Periodic>(maker.system().stimuli[2].occurrence).jitter = {0, 5'000'000, 10'000'000, {}};
  maker.compute(late, 10);
  maker.trigger(late, request);
  maker.compute(follows, 2);
  maker.compute(jitter, 1);
  const Written made = written(maker, "simso");
  REQUIRE(made.files.size() == 1);
  CHECK(made.findings.all().empty());
  CHECK(made.holds("simulation duration=\"220\""));
  CHECK(made.holds("period=\"100\" activationDate=\"20\""));
  CHECK(made.holds("priority=\"1\" followed_by=\"2\"/>"));
  CHECK(made.holds("task_type=\"APeriodic\""));
  CHECK(made.holds("list_activation_dates=\"10,50,100,150,200\"/>"));
}

}  // namespace peer_formats_test
