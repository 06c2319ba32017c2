// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "reference/text_test.hpp"

using namespace reference;
using namespace reference::text;
using V = std::vector<double>;

namespace {

const std::string fpp = "FixedPriorityPreemptive";
const std::string trigger_x = "X?type=InterProcessStimulus", e0 = "E0?type=OsEvent", e1 = "E1?type=OsEvent";

Text on_cores(int cores) {
  Text text(cores);
  for (int core = 0; core < cores; ++core) text.scheduler("S" + std::to_string(core), fpp, "C" + std::to_string(core));
  return text;
}

std::string counter(int prescaler, int offset) {
  return "<counter prescaler=\"" + std::to_string(prescaler) + "\" offset=\"" + std::to_string(offset) + "\"/>";
}

}  // namespace

TEST_CASE("a trigger activates, and a counter lets one in N pass", "[program]") {
  auto text = on_cores(2);
  text.stimulus("InterProcessStimulus", "X", "")
      .task("A", "S0", 1, "10", work(2) + trigger("X") + work(3))
      .task("B", "S1", 1, trigger_x, work(4));
  CHECK(times(text, "B", 30 * us) == V{4, 4, 4});
  auto counted = on_cores(2);
  counted.stimulus("InterProcessStimulus", "X", counter(2, 1))
      .task("A", "S0", 1, "10", work(2) + trigger("X"))
      .task("B", "S1", 1, trigger_x, work(4));
  CHECK(times(counted, "B", 40 * us).size() == 2);
  auto item = on_cores(2);
  item.stimulus("InterProcessStimulus", "X", "")
      .task("A", "S0", 1, "10", work(2) + trigger("X", counter(3, 0)))
      .task("B", "S1", 1, trigger_x, work(4));
  CHECK(times(item, "B", 40 * us).size() == 2);
}

TEST_CASE("a job that makes a more urgent task ready is preempted at once", "[program]") {
  auto text = on_cores(1);
  text.stimulus("InterProcessStimulus", "X", "")
      .task("A", "S0", 1, "20", work(2) + trigger("X"))
      .task("B", "S0", 2, trigger_x, work(4));
  CHECK(times(text, "A", 20 * us) == V{6});
}

TEST_CASE("a passive wait leaves the core, an active one keeps it", "[program]") {
  for (const bool active : {false, true}) {
    auto text = on_cores(2);
    text.stimulus("InterProcessStimulus", "X", "")
        .task("A", "S0", 2, "50",
              work(1) + trigger("X") +
                  events("WaitEvent", e0, active ? "waitingBehaviour=\"active\"" : "waitingBehaviour=\"passive\"") +
                  events("ClearEvent", e0) + work(1))
        .task("B", "S1", 1, trigger_x, work(4) + events("SetEvent", e0, "process=\"A?type=Task\""))
        .task("L", "S0", 1, "50", work(3));
    CHECK(times(text, "A", 50 * us) == V{6});
    CHECK(times(text, "L", 50 * us) == V{active ? 9.0 : 4.0});
  }
}

TEST_CASE("a wait is for all or for any of several events, which stay set until they are cleared", "[program]") {
  for (const bool all : {false, true}) {
    auto text = on_cores(2);
    text.task("A", "S0", 2, "20",
              events("WaitEvent", e0 + " " + e1, all ? "maskType=\"AND\"" : "maskType=\"OR\"") + work(1))
        .task("B", "S1", 1, "50",
              work(4) + events("SetEvent", e0, "process=\"A?type=Task\"") + work(3) + events("SetEvent", e1));
    CHECK(times(text, "A", 40 * us) == V{all ? 8.0 : 5.0, 1});
  }
}

TEST_CASE("a semaphore without a ceiling inverts priorities, one with a ceiling does not", "[program]") {
  for (const bool ceiling : {false, true}) {
    auto text = on_cores(1);
    text.semaphores = std::string("<semaphores name=\"S\" maxValue=\"1\" priorityCeilingProtocol=\"") +
                      (ceiling ? "true" : "false") + "\"/>";
    const auto section = semaphore("request") + work(4) + semaphore("release");
    text.task("L", "S0", 1, "100", section).task("M", "S0", 2, "100 1", work(10)).task("H", "S0", 3, "100 2", section);
    CHECK(times(text, "H", 100 * us) == V{ceiling ? 6.0 : 16.0});
    CHECK(times(text, "M", 100 * us) == V{ceiling ? 17.0 : 10.0});
  }
}

TEST_CASE("a released semaphore goes to the most urgent waiting task - among equals that is open", "[program]") {
  Text text(3);
  text.semaphores = "<semaphores name=\"S\" maxValue=\"1\"/>";
  for (int core = 0; core < 3; ++core) text.scheduler("S" + std::to_string(core), fpp, "C" + std::to_string(core));
  const auto section = semaphore("request", "active") + work(4) + semaphore("release");
  auto equal = text;
  text.task("A", "S0", 1, "100", section).task("B", "S1", 1, "100 1", section).task("C", "S2", 2, "100 2", section);
  CHECK(times(text, "C", 100 * us) == V{6});
  CHECK(times(text, "B", 100 * us) == V{11});
  equal.task("A", "S0", 1, "100", section).task("B", "S1", 1, "100 1", section).task("C", "S2", 1, "100 2", section);
  CHECK(longest(equal, "C", 100 * us) == 10);
  CHECK(longest(equal, "B", 100 * us) == 11);
}

TEST_CASE("exclusive access takes a semaphore as a whole", "[program]") {
  Text text(4);
  text.semaphores = "<semaphores name=\"S\" maxValue=\"2\"/>";
  for (int core = 0; core < 4; ++core) text.scheduler("S" + std::to_string(core), fpp, "C" + std::to_string(core));
  const auto one = semaphore("request") + work(4) + semaphore("release");
  text.task("A", "S0", 1, "100", one)
      .task("B", "S1", 1, "100 1", one)
      .task("X", "S2", 3, "100 2", semaphore("exclusive") + work(5) + semaphore("release"))
      .task("D", "S3", 2, "100 3", one);
  CHECK(times(text, "B", 100 * us) == V{4});
  CHECK(times(text, "X", 100 * us) == V{8});   // from 5 to 10, when neither A nor B has it
  CHECK(times(text, "D", 100 * us) == V{11});  // waits behind X, though there is room at 4
}

TEST_CASE("a granted semaphore raises its new holder at once", "[program]") {
  auto text = on_cores(2);
  text.semaphores = "<semaphores name=\"S\" maxValue=\"1\" priorityCeilingProtocol=\"true\"/>";
  const auto section = semaphore("request") + work(4) + semaphore("release");
  text.task("H", "S0", 9, "100", section + work(1))
      .task("L", "S1", 1, "100 1", section)
      .task("M", "S1", 2, "100 2", work(10));
  CHECK(times(text, "M", 100 * us) == V{14});  // L has the semaphore from 4 to 8
  CHECK(times(text, "L", 100 * us) == V{15});  // and ends behind M,
  Behaviour ends_first;                        // or before it
  ends_first.rule(Question::Kind::preemption, Behaviour::Rule::most);
  RunOptions options;
  options.until = 100 * us;
  CHECK(times(text, "L", ends_first, options) == V{7});
}

TEST_CASE("a semaphore admits as many users as its maximum", "[program]") {
  Text text(3);
  text.semaphores = "<semaphores name=\"S\" maxValue=\"2\"/>";
  for (int core = 0; core < 3; ++core) text.scheduler("S" + std::to_string(core), fpp, "C" + std::to_string(core));
  const auto section = semaphore("request") + work(4) + semaphore("release");
  text.task("A", "S0", 1, "100", section).task("B", "S1", 1, "100 1", section).task("C", "S2", 2, "100 2", section);
  CHECK(times(text, "B", 100 * us) == V{4});
  CHECK(times(text, "C", 100 * us) == V{6});
}

TEST_CASE("a job that polls for a semaphore on the core of its holder never ends", "[program]") {
  auto text = on_cores(1);
  text.semaphores = "<semaphores name=\"S\" maxValue=\"1\"/>";
  const auto section = semaphore("request", "active") + work(4) + semaphore("release");
  text.task("L", "S0", 1, "100", section).task("H", "S0", 3, "100 2", section);
  CHECK(times(text, "H", 100 * us) == V{-1});
}

TEST_CASE("switches follow modes, and any alternative by chance", "[program]") {
  const auto entry = [](const std::string& head, const std::string& inside, const std::string& attributes = "") {
    return "<" + head + " " + attributes + ">" + inside + "</" + head + ">";
  };
  auto text = on_cores(1);
  text.task(
      "A", "S0", 1, "20",
      item("Switch", "",
           entry("entries", work(2) + condition("condition", "EQUAL", 0)) +
               entry("entries", work(5) + condition("condition", "GREATER_THAN", 1)) + entry("defaultEntry", work(3))) +
          mode("increment", "step=\"1\""));
  CHECK(times(text, "A", 80 * us) == V{2, 3, 5, 5});
  auto chance = on_cores(1);
  chance.task(
      "A", "S0", 1, "20",
      item("ProbabilitySwitch", "",
           entry("entries", work(2), "probability=\"0.999\"") + entry("entries", work(9), "probability=\"0.001\"")));
  CHECK(times(chance, "A", 20 * us) == V{2});
  CHECK(longest(chance, "A", 20 * us, 20) == 9);
}

TEST_CASE("loops repeat while their condition holds", "[program]") {
  auto text = on_cores(1);
  text.task(
      "A", "S0", 1, "50",
      mode("set", "value=\"0\"") +
          item("WhileLoop", "", work(2) + mode("increment", "step=\"2\"") + condition("condition", "LESS_THAN", 5)));
  CHECK(times(text, "A", 100 * us) == V{6, 6});
  auto endless = on_cores(1);
  endless.task("A", "S0", 1, "50", item("WhileLoop", "", mode("read") + condition("condition", "LESS_THAN", 5)));
  CHECK_THROWS_AS(times(endless, "A"), Refused);
}

TEST_CASE("conditions of runnables, counters of calls, and the end of a process", "[program]") {
  auto text = on_cores(1);
  text.runnable("R", work(3), condition("executionCondition", "EQUAL", 1))
      .runnable("Q", work(1))
      .task("A", "S0", 1, "20", call("R") + call("Q", counter(2, 0)) + mode("set", "value=\"1\""));
  CHECK(times(text, "A", 80 * us) == V{1, 3, 4, 3});
  auto ended = on_cores(1);
  ended.task("A", "S0", 1, "20", work(2) + item("TerminateProcess", "") + work(7));
  CHECK(times(ended, "A", 20 * us) == V{2});
}

TEST_CASE("the order of an unordered group is open", "[program]") {
  auto text = on_cores(2);
  text.stimulus("InterProcessStimulus", "X", "")
      .task("A", "S0", 1, "50", item("Group", "ordered=\"false\"", work(5) + trigger("X") + work(2)))
      .task("B", "S1", 1, trigger_x, work(1))
      .task("H", "S1", 2, "50 5", work(3));
  CHECK(times(text, "A", 50 * us) == V{7});
  CHECK(times(text, "B", 50 * us) == V{4});
  CHECK(longest(text, "B", 50 * us) == 4);
  Behaviour last(Behaviour::Rule::most);
  RunOptions options;
  options.until = 50 * us;
  CHECK(times(text, "B", last, options) == V{1});
}

TEST_CASE("accesses take a latency per line, and calls of the operating system their overhead", "[program]") {
  auto text = on_cores(1);
  text.task("A", "S0", 1, "50", label("read", "L0") + label("write", "L0") + work(1));
  CHECK(times(text, "A", 50 * us) == V{1 + 2 + 1});
  auto system = on_cores(1);
  const std::string ticks = "<default xsi:type=\"am:DiscreteValueConstant\" value=\"";
  system.overhead = " overhead=\"O?type=OsOverhead\"";
  system.os += "<osOverheads name=\"O\"><apiOverhead><apiTerminateTask>" + ticks +
               "1000\"/></apiTerminateTask><apiActivateTask>" + ticks +
               "2000\"/></apiActivateTask></apiOverhead><isrCategory2Overhead><preExecutionOverhead>" + ticks +
               "3000\"/></preExecutionOverhead><postExecutionOverhead>" + ticks +
               "4000\"/></postExecutionOverhead></isrCategory2Overhead></osOverheads>";
  system.scheduler("I", "interrupts")
      .stimulus("SingleStimulus", "Y", time("occurrence", 20))
      .isr("R", 1, "Y?type=SingleStimulus", work(2));
  system.stimulus("InterProcessStimulus", "X", "")
      .task("A", "S0", 2, "50", work(4) + trigger("X"))
      .task("B", "S0", 1, trigger_x, work(3));
  CHECK(times(system, "A", 50 * us) == V{7});
  CHECK(times(system, "B", 50 * us) == V{5});  // from 6 to 11
  CHECK(times(system, "R", 50 * us) == V{9});
}

TEST_CASE("activations beyond the limit are lost", "[program]") {
  auto text = on_cores(1);
  text.task("A", "S0", 1, "10", work(15), "multipleTaskActivationLimit=\"1\"");
  const auto model = read(text.amxmi());
  RunOptions options;
  options.until = 40 * us;
  Behaviour behaviour;
  const auto execution = run(model, behaviour, options);
  REQUIRE(execution.lost.size() >= 2);
  CHECK(execution.lost[0].time == 10 * us);
  auto just = on_cores(1);
  just.task("A", "S0", 1, "10", work(10), "multipleTaskActivationLimit=\"1\"");
  CHECK(times(just, "A", 40 * us).size() == 4);  // a job that ends makes room, unless a behaviour says otherwise
  Behaviour last(Behaviour::Rule::most);
  CHECK(times(just, "A", last, options).size() == 2);
}
