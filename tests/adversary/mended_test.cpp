// SPDX-License-Identifier: Apache-2.0
// Guarantees that were false once, on the smallest models: what the product states, and what the reference shows.

#include <optional>
#include <string>

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

/// What the product states under this name, in microseconds.
std::optional<double> stated(const Text& text, const std::string& name) {
  const adversary::Statement statement = adversary::statement_of(text.amxmi(), {});
  INFO(statement.refused);
  REQUIRE(statement.refused.empty());
  for (const adversary::Guarantee& guarantee : statement.targets.front().guarantees)
    if (guarantee.name == name) return static_cast<double>(guarantee.limit) / static_cast<double>(us);
  return std::nullopt;
}

/// H1 preempts L when L has executed all, and H2 is released when H1 ends.
Text around(const std::string& job, const std::string& algorithm = fpp, const std::string& attributes = "") {
  Text text;
  return text.scheduler("S0", algorithm)
      .task("H1", "S0", 4, "100 6", work(2))
      .task("H2", "S0", 3, "9", work(2))
      .task("L", "S0", 1, "100", job, attributes);
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

}  // namespace mended_test
