// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "reference/text_test.hpp"

using namespace reference;
using namespace reference::text;
using V = std::vector<double>;

namespace {

const std::string fpp = "FixedPriorityPreemptive", edf = "EarliestDeadlineFirst";

Text on_core(const std::string& algorithm = fpp, const std::string& parameters = "") {
  Text text;
  text.scheduler("S0", algorithm, "C0", parameters);
  return text;
}

}  // namespace

TEST_CASE("the most urgent ready task runs", "[cores]") {
  auto text = on_core();
  text.task("A", "S0", 2, "10", work(3)).task("B", "S0", 1, "20", work(9));
  CHECK(times(text, "A", 40 * us) == V{3, 3, 3, 3});
  CHECK(times(text, "B", 40 * us) == V{15, 15});
}

TEST_CASE("a task that is not preemptive blocks more urgent ones", "[cores]") {
  auto text = on_core();
  text.task("A", "S0", 2, "50 1", work(3)).task("B", "S0", 1, "50", work(9), "preemption=\"non_preemptive\"");
  CHECK(times(text, "A", 50 * us) == V{11});
  CHECK(times(text, "B", 50 * us) == V{9});
}

TEST_CASE("interrupts preempt tasks that are not preemptive, but no uninterruptible group", "[cores]") {
  auto text = on_core();
  text.scheduler("I", "interrupts")
      .stimulus("SingleStimulus", "X", time("occurrence", 1))
      .isr("R", 1, "X?type=SingleStimulus", work(2));
  auto grouped = text;
  text.task("B", "S0", 1, "50", work(9), "preemption=\"non_preemptive\"").task("A", "S0", 2, "50 1", work(1));
  CHECK(times(text, "R", 50 * us) == V{2});
  CHECK(times(text, "B", 50 * us) == V{11});  // goes on before A
  CHECK(times(text, "A", 50 * us) == V{11});
  grouped.task("B", "S0", 1, "50", item("Group", "interruptible=\"false\"", work(4)) + work(5));
  CHECK(times(grouped, "R", 50 * us) == V{5});
  CHECK(times(grouped, "B", 50 * us) == V{11});
}

TEST_CASE("cooperative tasks preempt each other between runnables only", "[cores]") {
  auto text = on_core();
  const std::string coop = "preemption=\"cooperative\"";
  text.runnable("R4", work(4)).runnable("R5", work(5)).task("L", "S0", 1, "50", call("R4") + call("R5"), coop);
  auto other = text;
  text.task("H", "S0", 2, "50 1", call("R4"), coop);
  CHECK(times(text, "H", 50 * us) == V{7});
  CHECK(times(text, "L", 50 * us) == V{13});
  other.task("P", "S0", 2, "50 1", work(1)).task("H", "S0", 3, "50 1", call("R4"), coop);
  CHECK(times(other, "P", 50 * us) == V{8});  // while H waits for the end of the runnable, L continues,
  CHECK(times(other, "H", 50 * us) == V{7});
  Behaviour between;  // or tasks between H and L run, too
  between.rule(Question::Kind::cooperation, Behaviour::Rule::most);
  RunOptions options;
  options.until = 50 * us;
  CHECK(times(other, "P", between, options) == V{1});
  CHECK(times(other, "H", between, options) == V{8});
}

TEST_CASE("a cooperative task goes on at the instant at which a group ends on another core", "[cores]") {
  Text text(2);
  text.scheduler("S0", fpp, "C0 C1").runnable("R4", work(4));
  text.task("L", "S0", 1, "50", call("R4") + call("R4"), "preemption=\"cooperative\"")
      .task("U", "S0", 1, "50", item("Group", "interruptible=\"false\"", work(4)) + work(3));
  CHECK(times(text, "L", 50 * us) == V{8});
}

TEST_CASE("schedule points let more urgent tasks run", "[cores]") {
  auto text = on_core();
  text.task("L", "S0", 1, "50", work(4) + item("SchedulePoint", "") + work(5), "preemption=\"non_preemptive\"")
      .task("H", "S0", 2, "50 1", work(2));
  CHECK(times(text, "H", 50 * us) == V{10});  // by default they have no effect in such a task
  Behaviour with;
  with.rule(Question::Kind::schedule_point, Behaviour::Rule::most);
  RunOptions options;
  options.until = 50 * us;
  CHECK(times(text, "H", with, options) == V{5});
  CHECK(times(text, "L", with, options) == V{11});
}

TEST_CASE("earliest deadline first compares the deadlines of jobs", "[cores]") {
  auto text = on_core(edf);
  text.task("A", "S0", 0, "50", work(5)).task("B", "S0", 0, "50 1", work(3)).deadline("A", 20).deadline("B", 10);
  CHECK(times(text, "B", 50 * us) == V{3});
  CHECK(times(text, "A", 50 * us) == V{8});
}

TEST_CASE("monotonic orders compare periods and deadlines", "[cores]") {
  auto rate = on_core("RateMonotonic");
  rate.task("A", "S0", 9, "50", work(5)).task("B", "S0", 1, "20", work(3)).deadline("A", 10);
  CHECK(times(rate, "A", 50 * us) == V{8});
  auto deadlines = on_core("DeadlineMonotonic");
  deadlines.task("A", "S0", 9, "50", work(5)).task("B", "S0", 1, "20", work(3)).deadline("A", 10);
  CHECK(times(deadlines, "A", 50 * us) == V{5});
}

TEST_CASE("which of two equally urgent tasks runs is open", "[cores]") {
  for (const auto& algorithm : {fpp, edf}) {
    auto text = on_core(algorithm);
    text.task("A", "S0", 1, "20", work(3)).task("B", "S0", 1, "20", work(4));
    CHECK(times(text, "A", 20 * us) == V{3});  // the first in the model, unless a behaviour says otherwise
    CHECK(longest(text, "A", 20 * us) == 7);
    CHECK(longest(text, "B", 20 * us) == 7);
  }
}

TEST_CASE("under OSEK equally urgent tasks run in the order of their activation", "[cores]") {
  auto text = on_core("OSEK");
  text.task("A", "S0", 1, "20 1", work(3)).task("B", "S0", 1, "20", work(4));
  CHECK(longest(text, "A", 20 * us) == 6);
  CHECK(longest(text, "B", 20 * us) == 4);
}

TEST_CASE("round robin takes turns among equal priorities", "[cores]") {
  auto text = on_core("PriorityBasedRoundRobin", "timeSlice=2");
  text.task("A", "S0", 1, "50", work(5)).task("B", "S0", 1, "50", work(3)).task("H", "S0", 2, "50 3", work(1));
  // A 0-2, B 2-3, H 3-4, B 4-5, A 5-7, B 7-8, A 8-9
  CHECK(times(text, "A", 50 * us) == V{9});
  CHECK(times(text, "B", 50 * us) == V{8});
}

TEST_CASE("a global scheduler uses all its cores, and tasks migrate", "[cores]") {
  Text text(2);
  text.scheduler("S0", fpp, "C0 C1")
      .task("A", "S0", 3, "50", work(4))
      .task("B", "S0", 2, "50", work(6))
      .task("C", "S0", 1, "50", work(9));
  CHECK(times(text, "B", 50 * us) == V{6});
  CHECK(times(text, "C", 50 * us) == V{13});
  auto bound_to_one = text;
  bound_to_one.task("D", "S0", 4, "50", work(7), "", "C0");
  CHECK(times(bound_to_one, "A", 50 * us) == V{4});
  CHECK(longest(bound_to_one, "B", 50 * us) == 10);  // C1 after A
}

TEST_CASE("a job that migrates to a slower core takes proportionally longer there", "[cores]") {
  Text text;
  text.modules += Text::module("C1", "Slow");
  text.scheduler("S0", fpp, "C0 C1").task("A", "S0", 1, "50", work(8)).task("B", "S0", 2, "50 2", work(20), "", "C0");
  CHECK(times(text, "A", 50 * us) == V{14});  // 2 at full speed, the remaining 6 at half of it
}

TEST_CASE("several schedulers on one core: priorities decide among fixed priorities, else their order", "[cores]") {
  Text text;
  text.scheduler("S0", fpp).scheduler("S1", fpp).task("A", "S0", 1, "50", work(3)).task("B", "S1", 2, "50", work(4));
  CHECK(times(text, "A", 50 * us) == V{7});
  Text mixed;
  mixed.scheduler("S0", edf).scheduler("S1", fpp).task("A", "S0", 1, "50", work(3)).task("B", "S1", 2, "50", work(4));
  CHECK(times(mixed, "B", 50 * us) == V{7});
}

TEST_CASE("a child scheduler has its priority under the parent, and a grouping none", "[cores]") {
  Text text;
  text.scheduler("S0", fpp)
      .scheduler("S1", edf, "", "priority=5", "S0")
      .task("A", "S0", 4, "50", work(3))
      .task("B", "S1", 0, "50", work(2))
      .task("C", "S1", 0, "40", work(2));
  CHECK(times(text, "C", 40 * us) == V{2});
  CHECK(times(text, "B", 40 * us) == V{4});
  CHECK(times(text, "A", 40 * us) == V{7});
  Text grouped;
  grouped.scheduler("S0", fpp)
      .scheduler("S1", "Grouping", "", "", "S0")
      .task("A", "S0", 4, "50", work(3))
      .task("B", "S1", 5, "50", work(2))
      .task("C", "S1", 3, "50", work(2));
  CHECK(times(grouped, "A", 50 * us) == V{5});
  CHECK(times(grouped, "C", 50 * us) == V{7});
  grouped.scheduler("S2", fpp, "", "priority=6", "S1").task("D", "S2", 1, "50", work(1));
  CHECK(times(grouped, "D", 50 * us) == V{1});
}

TEST_CASE("an idle polling server loses its budget, a deferrable one keeps it", "[servers]") {
  for (const bool polling : {true, false}) {
    Text text;
    text.scheduler("S0", fpp)
        .scheduler("S1", polling ? "PollingPeriodicServer" : "DeferrableServer", "", "priority=5 budget=2 period=10",
                   "S0")
        .task("A", "S1", 1, "20 3", work(1))
        .task("B", "S0", 1, "100 3", work(9));
    CHECK(times(text, "A", 20 * us) == V{polling ? 8.0 : 1.0});
  }
}

TEST_CASE("whether a polling server looks before or after a release at the same instant is open", "[servers]") {
  Text text;
  text.scheduler("S0", fpp)
      .scheduler("S1", "PollingPeriodicServer", "", "priority=5 budget=2 period=10", "S0")
      .task("A", "S1", 1, "50 10", work(1));
  CHECK(times(text, "A", 20 * us) == V{1});
  CHECK(longest(text, "A", 20 * us) == 11);
}

TEST_CASE("a job continues in the next period when the budget is used up", "[servers]") {
  Text text;
  text.scheduler("S0", fpp)
      .scheduler("S1", "DeferrableServer", "", "priority=5 budget=2 period=10", "S0")
      .task("A", "S1", 1, "100", work(5))
      .task("B", "S0", 1, "100", work(7));
  CHECK(times(text, "A", 100 * us) == V{21});
  CHECK(times(text, "B", 100 * us) == V{9});
  auto section = text;
  section.task("N", "S1", 2, "100 8", work(5), "preemption=\"non_preemptive\"");
  CHECK(times(section, "N", 100 * us) == V{7});  // from 10 to 15, beyond the budget
  CHECK(times(section, "A", 100 * us) == V{31});
}

TEST_CASE("a constant-bandwidth server postpones its deadline and never stops", "[servers]") {
  Text text;
  text.scheduler("S0", edf)
      .scheduler("S1", "ConstantBandwidthServer", "", "budget=2 period=10", "S0")
      .task("A", "S1", 1, "100", work(5))
      .task("B", "S0", 1, "15", work(4));
  // A 0-2 with deadline 10, then 20: B 2-6, A 6-8, then 30: B has none until 15, A 8-9
  CHECK(times(text, "A", 15 * us) == V{9});
  CHECK(times(text, "B", 15 * us) == V{6});
}

TEST_CASE("the messages of Davis et al. 2007, Table 1, take as long as published", "[cores]") {
  auto text = on_core();
  const std::string np = "preemption=\"non_preemptive\"";
  text.task("A", "S0", 3, "2500", work(1000), np)
      .task("B", "S0", 2, "3500", work(1000), np)
      .task("C", "S0", 1, "3500", work(1000), np);
  const Time until = 17'500 * us;  // the hyperperiod
  const auto response = times(text, "C", until);
  CHECK(response[0] == 3000);
  CHECK(response[1] == 3500);  // the second job, not the first one, is the longest
  CHECK(longest(text, "C", until, 2000, true) <= 3500);
  CHECK(longest(text, "B", until, 2000, true) <= 3000);
  CHECK(longest(text, "A", until, 2000, true) <= 2000);
}
