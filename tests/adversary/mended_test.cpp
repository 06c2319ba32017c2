// SPDX-License-Identifier: Apache-2.0
// Guarantees that were false once, on the smallest models: what the product states, and what the reference shows.

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "reference/measures.hpp"
#include "reference/text_test.hpp"
#include "tests/adversary/guarantees.hpp"

namespace mended_test {

using namespace reference::text;
using reference::Behaviour;
using V = std::vector<double>;

namespace {

const std::string fpp = "FixedPriorityPreemptive";

/// What the product states under this name, in microseconds; -1: nothing.
double stated(const Text& text, const std::string& name) {
  const adversary::Statement statement = adversary::statement_of(text.amxmi(), {});
  INFO(statement.refused);
  REQUIRE(statement.refused.empty());
  for (const adversary::Guarantee& guarantee : statement.targets.front().guarantees)
    if (guarantee.name == name) return static_cast<double>(guarantee.limit) / static_cast<double>(us);
  return -1;
}

/// H1 preempts L when L has executed all, and H2 is released when H1 ends.
Text around(const std::string& job, const std::string& algorithm = fpp, const std::string& attributes = "") {
  Text text;
  return text.scheduler("S0", algorithm)
      .task("H1", "S0", 4, "100 6", work(2))
      .task("H2", "S0", 3, "9", work(2))
      .task("L", "S0", 1, "100", job, attributes);
}

std::string in_any_order(const std::string& items) { return item("Group", "ordered=\"false\"", items); }

/// Response times if the last activity of each group of any order is the first.
V last_first(const Text& text, const std::string& task) {
  Behaviour behaviour;
  behaviour.rule(reference::Question::Kind::execution_time, Behaviour::Rule::most);
  behaviour.rule(reference::Question::Kind::access_position, Behaviour::Rule::most);
  reference::RunOptions options;
  options.until = 100 * us;
  return times(text, task, behaviour, options);
}

std::string locked(const std::string& items) { return item("Group", "interruptible=\"false\"", items); }

}  // namespace

TEST_CASE("a job that ends with an uninterruptible group can be preempted once more before its end") {
  // H2 to 2, L to 7, H1 to 9, H2 again to 11. A bound that ends with the group is 9.
  for (const std::string& end : {std::string(), events("ClearEvent", "E0?type=OsEvent")}) {
    const Text text = around(work(1) + locked(work(4)) + end);
    CHECK(times(text, "L") == V{11});
    CHECK(stated(text, "response of L") == 11);
  }
  CHECK(stated(around(locked(work(4)) + work(1)), "response of L") == 9);
  CHECK(stated(around(work(1) + locked(work(4)), "EarliestDeadlineFirst"), "response of L") == 11);
}

TEST_CASE("a job that ends with a semaphore with a ceiling can be preempted once more before its end") {
  Text text = around(work(1) + semaphore("request") + work(4) + semaphore("release"));
  text.semaphores =
      "<semaphores name=\"S\" semaphoreType=\"CountingSemaphore\" maxValue=\"1\" "
      "priorityCeilingProtocol=\"true\"/>";
  text.task("X", "S0", 5, "100 50", semaphore("request") + semaphore("release"));
  CHECK(times(text, "L") == V{11});
  CHECK(stated(text, "response of L") == 11);
}

TEST_CASE("a job that ends with a schedule point can be preempted once more before its end") {
  Text text;
  text.scheduler("S0", fpp)
      .task("H", "S0", 3, "7", work(2))
      .task("L", "S0", 1, "100", work(5) + item("SchedulePoint", ""), "preemption=\"preemptive\"");
  CHECK(times(text, "L") == V{9});  // H to 2, L to 7, and H again
  CHECK(stated(text, "response of L") == 9);
}

TEST_CASE("a child of a grouping has its own priority under the grouping's parent") {
  Text text;
  text.scheduler("S0", fpp)
      .scheduler("G", "Grouping", "", "", "S0")
      .scheduler("S1", fpp, "", "priority=7", "G")
      .task("A", "S0", 5, "20", work(4))
      .task("B", "S1", 1, "20", work(3));
  CHECK(times(text, "A", 20 * us) == V{7});
  CHECK(stated(text, "response of A") == 7);
  CHECK(stated(text, "response of B") == 3);
}

TEST_CASE("a call is lost if the caller keeps its core from the end of the task that it called before") {
  Text text;
  const std::string event = "E0?type=OsEvent";
  const std::string calls = trigger("I") + events("WaitEvent", event, "waitingBehaviour=\"passive\" maskType=\"OR\"") +
                            events("ClearEvent", event) + work(1);
  text.scheduler("S0", fpp)
      .stimulus("InterProcessStimulus", "I", "")
      .task("W", "S0", 2, "200", calls + calls)
      .task("B", "S0", 1, "I?type=InterProcessStimulus", work(2) + events("SetEvent", event),
            "multipleTaskActivationLimit=\"1\"");
  CHECK(times(text, "W", 100 * us) == V{-1});  // B has not ended when W triggers it again
  CHECK(stated(text, "response of W") == -1);
}

TEST_CASE("a group of any order that triggers, waits or sets events has no bound that rests on its order") {
  const std::string event = "E0?type=OsEvent";
  const std::string wait = events("WaitEvent", event, "waitingBehaviour=\"passive\" maskType=\"OR\"");
  Text text(2);
  text.scheduler("S0", fpp, "C0")
      .scheduler("S1", fpp, "C1")
      .stimulus("InterProcessStimulus", "I", "")
      .task("W", "S0", 2, "100", in_any_order(trigger("I") + wait) + events("ClearEvent", event) + work(1))
      .task("B", "S1", 1, "I?type=InterProcessStimulus", work(2) + events("SetEvent", event));
  CHECK(times(text, "W") == V{3});
  CHECK(last_first(text, "W") == V{-1});  // it waits before it triggers
  CHECK(stated(text, "response of W") == -1);
  Text jitter(2);
  jitter.scheduler("S0", fpp, "C0")
      .scheduler("S1", fpp, "C1")
      .stimulus("InterProcessStimulus", "I", "")
      .task("A", "S0", 2, "10", in_any_order(trigger("I") + work(5)))
      .task("B", "S1", 1, "I?type=InterProcessStimulus", work(4))
      .task("L", "S1", 0, "60", work(3));
  CHECK(longest(jitter, "L", 300 * us, 300, true) > 7);  // B may follow itself after 5
  CHECK(stated(jitter, "response of L") == -1);
  CHECK(stated(jitter, "response of A") == -1);
  CHECK(stated(around(in_any_order(locked(work(4)) + work(1))), "response of L") == -1);
  CHECK(stated(around(item("Group", "ordered=\"false\" interruptible=\"false\"", work(4) + work(1))),
               "response of L") == 11);
}

TEST_CASE("the runnables of a group of any order follow each other in any way in a cooperative task") {
  const std::string cooperative = "preemption=\"cooperative\"";
  Text text;
  text.scheduler("S0", fpp).runnable("R1", work(1)).runnable("R5", work(5)).runnable("RH", work(2)).runnable("R0", "");
  Text blocked = text, end = text;
  blocked.task("L", "S0", 1, "60", in_any_order(call("R1") + work(3) + call("R5")), cooperative)
      .task("H", "S0", 2, "30", call("RH"), cooperative);
  CHECK(longest(blocked, "H", 300 * us, 300, true) > 7);
  CHECK(stated(blocked, "response of H") == 5 + 3 + 2);
  end.task("L", "S0", 1, "60", in_any_order(call("R0") + call("R5")), cooperative)
      .task("H", "S0", 2, "7", call("RH"), cooperative);
  CHECK(last_first(end, "L") == V{9, 7});  // H runs once more before R0 of the first job
  CHECK(stated(end, "response of L") == 9);
}

TEST_CASE("a custom event may take no time although it activates a task") {
  Text text;
  text.overhead = " overhead=\"O?type=OsOverhead\"";
  text.os =
      "<osOverheads name=\"O\"><apiOverhead><apiActivateTask><default xsi:type=\"am:DiscreteValueConstant\" "
      "value=\"2000\"/></apiActivateTask></apiOverhead></osOverheads>";
  text.event_model = "<events xsi:type=\"am:CustomEvent\" name=\"Occurred\"/>";
  text.scheduler("S0", fpp).task("A", "S0", 2, "50",
                                 work(4) + item("CustomEventTrigger", "event=\"Occurred?type=CustomEvent\""));
  text.stimuli += "<stimuli xsi:type=\"am:EventStimulus\" name=\"X\" triggeringEvents=\"Occurred?type=CustomEvent\"/>";
  text.task("B", "S0", 1, "X?type=EventStimulus", work(3));
  CHECK(times(text, "A", 50 * us) == V{4});
  CHECK(stated(text, "best case of A") == 4);
  CHECK(stated(text, "response of A") == 6);
}

TEST_CASE("the first data through a chain waits for the first job of a task with a late offset") {
  Text text;
  text.scheduler("S0", fpp)
      .task("A", "S0", 2, "10", label("read", "L4") + work(2) + label("write", "L2"))
      .task("B", "S0", 1, "10 35", label("read", "L2") + work(3) + label("write", "L3"));
  const auto event = [](const std::string& name, const std::string& task, const std::string& access,
                        const std::string& of) {
    return "<events xsi:type=\"am:LabelEvent\" name=\"" + name + "\" entity=\"" + ref(of, "Label") + "\" eventType=\"" +
           access + "\" process=\"" + ref(task, "Task") + "\"/>";
  };
  text.event_model = event("from", "A", "read", "L4") + event("passed", "A", "write", "L2") +
                     event("taken", "B", "read", "L2") + event("to", "B", "write", "L3");
  const auto part = [](const std::string& name, const std::string& from, const std::string& to) {
    return "<items xsi:type=\"am:EventChainContainer\"><eventChain name=\"" + name + "\" stimulus=\"" +
           ref(from, "LabelEvent") + "\" response=\"" + ref(to, "LabelEvent") + "\"/></items>";
  };
  text.constraints = "<eventChains name=\"C\" stimulus=\"from?type=LabelEvent\" response=\"to?type=LabelEvent\">" +
                     part("C1", "from", "passed") + part("C2", "passed", "taken") + part("C3", "taken", "to") +
                     "</eventChains>";
  const auto model = reference::read(text.amxmi());
  Behaviour behaviour;
  reference::RunOptions options;
  options.until = 100 * us;
  const auto execution = reference::run(model, behaviour, options);
  // A reads at 0. B first runs from 35 to 38, behind the job of A that is released at 30.
  for (const auto& passage : execution.passages)
    if (passage.communication == reference::Passage::Communication::implicit)
      CHECK(reference::latencies(passage, execution.end, false).reduced_reaction == 38 * us);
  // Up to 35, and then B responds within 5.
  CHECK(stated(text, "implicit reduced reaction of C") == 40);
  CHECK(stated(text, "explicit reduced reaction of C") == 40);
  CHECK(stated(text, "implicit age of C") == 25);
}

TEST_CASE("a task that a read activates waits for the rest of this read") {
  Text text;
  text.event_model = "<events xsi:type=\"am:LabelEvent\" name=\"E\" entity=\"L0?type=Label\" eventType=\"read\"/>";
  text.stimulus("EventStimulus\" triggeringEvents=\"E?type=LabelEvent", "X", "");
  text.scheduler("S0", fpp)
      .task("A", "S0", 2, "20", work(1) + label("read", "L0"))
      .task("B", "S0", 1, "X?type=EventStimulus", work(3));
  CHECK(times(text, "B", 20 * us) == V{4});  // A reads from 1 to 2. A bound from the end of the read is 3.
  CHECK(stated(text, "response of B") == 4);
}

}  // namespace mended_test
