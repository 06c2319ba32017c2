// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/engine/nvidia/time_slice_problems.hpp"

namespace nvidia_time_slice_test {

TEST_CASE("slots of other contexts in the runlist pass before each turn") {
  // A high, B medium, C low: A B C A B A, by hand.
  std::vector<nvidia::SharingContext> contexts(3);
  for (auto& context : contexts) context.slice = us(1);
  contexts[0].priority = ContextPriority::high;
  contexts[1].priority = ContextPriority::medium;
  contexts[2].priority = ContextPriority::low;
  const auto slots = [&](std::size_t self, std::size_t other, std::int64_t turns) {
    return slots_before(contexts, self, other, turns);
  };
  CHECK(slots(0, 1, 1) == 1);
  // A slice that renews itself may take the next slot, so the longest gap may precede each turn.
  CHECK(slots(0, 1, 3) == 3);
  CHECK(slots(0, 2, 3) == 3);
  CHECK(slots(0, 2, 4) == 4);
  CHECK(slots(1, 0, 1) == 2);  // the last of a list and the first of the next
  CHECK(slots(1, 0, 2) == 4);
  CHECK(slots(1, 2, 2) == 2);
  CHECK(slots(2, 0, 1) == 3);
  CHECK(slots(2, 1, 5) == 10);

  // Every list of four contexts against counting in the list itself.
  contexts.resize(4, contexts[0]);
  for (int code = 0; code < 81; ++code) {
    for (int i = 0, rest = code; i < 4; ++i, rest /= 3)
      contexts[static_cast<std::size_t>(i)].priority = static_cast<ContextPriority>(1 + rest % 3);
    std::vector<std::size_t> list;
    for (int round = 1; round <= 3; ++round)
      for (std::size_t i = 0; i < 4; ++i)
        if (static_cast<int>(contexts[i].priority) >= round) list.push_back(i);
    bool equal = true;
    for (std::size_t self = 0; self < 4; ++self)
      for (std::size_t other = 0; other < 4; ++other)
        for (std::int64_t turns = 1; turns <= 7 && other != self; ++turns) {
          std::int64_t most = 0;
          for (std::size_t start = 0; start < list.size(); ++start) {
            std::int64_t count = 0, own = 0;
            for (std::size_t at = start; own < 1; at = (at + 1) % list.size()) {
              if (list[at] == other) ++count;
              if (list[at] == self) ++own;
            }
            most = std::max(most, count);
          }
          equal = equal && slots(self, other, turns) == turns * most;
        }
    CHECK(equal);
  }
}

TEST_CASE("N22 V1: bounds equal the actual times for two kernels that share the execution engine") {
  // A 5 and B 3 in slices of 2: A0-2 B2-4 A4-6 B6-7 A7-8.
  const auto bounds = bounds_of(problem_of({task("A", 0, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(5)}}}),
                                            task("B", 1, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(3)}}})}));
  // A waits for all 3 of B (3 turns would allow 6); B, in 2 turns, for 4 of A's 5.
  CHECK(bounds.tasks[0].response == us(8));
  CHECK(bounds.tasks[1].response == us(7));
  CHECK(bounds.tasks[0].best == us(5));
  CHECK(part(bounds.tasks[1], BoundPart::gpu) == us(3));
  CHECK(part(bounds.tasks[1], BoundPart::slices, 0) == us(4));
  CHECK(bounds.tasks[1].gpu_segments == std::vector{us(7)});
  CHECK(bounds.execution_demand == Approx(0.08));
}

TEST_CASE("every switch of the engine to another context costs time") {
  const auto bounds = bounds_of(problem_of({task("A", 0, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(5)}}}),
                                            task("B", 1, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(3)}}})},
                                           1));
  // A: 5 + 3 of B, B has 2 turns, A has 3. B: 3 + 4 of A, 2 turns of each.
  CHECK(bounds.tasks[0].response == us(5 + 3 + 2 + 3));
  CHECK(bounds.tasks[1].response == us(3 + 4 + 2 + 2));
  CHECK(part(bounds.tasks[0], BoundPart::own_switches) == us(3));
  CHECK(part(bounds.tasks[0], BoundPart::switches, 1) == us(2));
  // Of two contexts that alternate, one waits for the switch to the other, its slice, and the switch back.
  const auto turns = problem_of({task("A", 0, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(2)}}}),
                                 task("B", 1, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(2)}}})},
                                1);
  CHECK(bounds_of(turns).tasks[1].response == us(1 + 2 + 1 + 2));
  CHECK(simulated(turns, {0, 0}, us(1000)).tasks[1].response.max == us(6));
  // A context alone on its engine never switches.
  const auto alone = bounds_of(problem_of({task("A", 0, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(5)}}}),
                                           task("B", 1, 1, 100, WaitMode::suspend, 2, {GpuSegment{{copy(3)}}})},
                                          1));
  CHECK(alone.tasks[0].response == us(5));
  CHECK(alone.tasks[1].response == us(3));
}

TEST_CASE("N22 V3: a block or kernel that outlasts its slice delays others by the overrun") {
  // A 6 in blocks of 3, B one block of 4, slices of 2: A0-3 B3-7 A7-10 with B released at 1.
  auto problem = problem_of({task("A", 0, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(6, 3)}}}),
                             task("B", 1, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(4)}}})});
  CHECK(bounds_of(problem).tasks[1].response == us(8));  // 2 turns, 2 slots of 2
  problem.gpus.front().preemption = gpu::Preemption::block;
  // A needs 3 turns at most, in which B's single block of 4 runs once; B waits for 6, all of A, of 2 (2 + 3).
  CHECK(bounds_of(problem).tasks[0].response == us(10));
  CHECK(bounds_of(problem).tasks[1].response == us(10));
  // With an A that always requests the engine, the overrun is separate from the slice.
  problem.tasks[0] = task("A", 0, 1, 10, WaitMode::suspend, 2, {GpuSegment{{kernel(60, 3)}}});
  const auto bounds = bounds_of(problem);
  CHECK_FALSE(bounds.tasks[0].response);
  CHECK(part(bounds.tasks[1], BoundPart::slices, 0) == us(2 * 2));
  CHECK(part(bounds.tasks[1], BoundPart::overruns, 0) == us(2 * 3));
  problem.gpus.front().preemption = gpu::Preemption::kernel;
  problem.tasks[1].period = us(1000);
  CHECK(part(bounds_of(problem).tasks[1], BoundPart::overruns, 0) == us(2 * 60));
}

TEST_CASE("a slot of another context ends when its task has no work left") {
  // A is overloaded: its response may exceed any limit, so only the slots that it has count.
  const auto slices = [](std::vector<nvidia::Segment> segments) {
    auto problem = problem_of({task("A", 0, 1, 10, WaitMode::suspend, 8, std::move(segments)),
                               task("B", 1, 1, 1000, WaitMode::suspend, 2, {GpuSegment{{kernel(6)}}})});
    const auto bounds = bounds_of(problem);
    CHECK_FALSE(bounds.tasks[0].response);
    return part(bounds.tasks[1], BoundPart::slices, 0);
  };
  // B has 3 turns. The kernels of A may follow each other at once, also those of different jobs.
  CHECK(slices({GpuSegment{{kernel(3)}}, GpuSegment{{kernel(30)}}}) == us(3 * 8));
  CHECK(slices({cpu(9), GpuSegment{{kernel(3)}}}) == us(3 * 3));
  CHECK(slices({cpu(9), GpuSegment{{kernel(3)}}, GpuSegment{{kernel(2)}}}) == us(3 * 5));
  CHECK(slices({GpuSegment{{kernel(3), copy(9), kernel(1)}}}) == us(3 * 4));
  CHECK(slices({GpuSegment{{kernel(3), copy(9), kernel(1)}}, cpu(1)}) == us(3 * 3));
}

TEST_CASE("a context of high priority gets three slots for each slot of low priority") {
  auto problem = problem_of({task("high", 0, 1, 10, WaitMode::suspend, 2, {GpuSegment{{kernel(60)}}}),
                             task("low", 1, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(4)}}})});
  problem.tasks[0].gpu_priority = ContextPriority::high;
  problem.tasks[1].gpu_priority = ContextPriority::low;
  CHECK(bounds_of(problem).tasks[1].response == us(4 + 2 * 3 * 2));
}

TEST_CASE("a kernel is slowed down by copies of others only while they last") {
  auto problem = problem_of({task("A", 0, 1, 100, WaitMode::suspend, 50, {GpuSegment{{kernel(10)}}}),
                             task("B", 1, 1, 100, WaitMode::suspend, 50, {GpuSegment{{copy(4)}}})});
  problem.gpus.front().interference.kernel_by_memcpy.ppm = 3'000'000;
  problem.gpus.front().interference.kernel_by_memset.ppm = 8'000'000;
  // 4 of copying cost the kernel two thirds of 4, rounded up.
  CHECK(bounds_of(problem).tasks[0].response == us(10) + Duration::picoseconds(2'666'667));
  CHECK(bounds_of(problem).tasks[1].response == us(4));
  problem.gpus.front().interference.copy_by_kernel.ppm = 2'000'000;
  CHECK(bounds_of(problem).tasks[1].response == us(8));
  // The copy itself may now last 8.
  CHECK(bounds_of(problem).tasks[0].response == us(10) + Duration::picoseconds(5'333'334));
  std::get<GpuSegment>(problem.tasks[0].segments[0]).operations[0].memory_share = 0;
  CHECK(bounds_of(problem).tasks[0].response == us(10));
  CHECK(bounds_of(problem).tasks[1].response == us(4));  // nor is it slowed by a kernel that leaves memory alone
}

TEST_CASE("a polling task occupies its core and a suspending task its CPU segments that the window reaches") {
  for (const WaitMode wait : {WaitMode::busy, WaitMode::suspend}) {
    const auto bounds =
        bounds_of(problem_of({task("high", 0, 2, 100, wait, 50, {cpu(5), GpuSegment{{kernel(20)}}, cpu(3)}),
                              task("low", 0, 1, 100, WaitMode::busy, 50, {cpu(10)})}));
    CHECK(bounds.tasks[0].response == us(28));
    // If high suspends, low ends at 15, before the kernel does at 25.
    CHECK(bounds.tasks[1].response == us(wait == WaitMode::busy ? 38 : 15));
    CHECK(part(bounds.tasks[1], BoundPart::preemption, 0) == us(wait == WaitMode::busy ? 28 : 5));
    CHECK(bounds.core_demand[0] == Approx(wait == WaitMode::busy ? 0.38 : 0.18));
  }
  // With a period of 30, a job of high may execute 0-3 and end 28 after its release. The next one executes from 5.
  const auto two =
      bounds_of(problem_of({task("high", 0, 2, 30, WaitMode::suspend, 50, {cpu(5), GpuSegment{{kernel(20)}}, cpu(3)}),
                            task("low", 0, 1, 100, WaitMode::busy, 50, {cpu(10)})}));
  CHECK(two.tasks[1].response == us(10 + 3 + 5));
}

TEST_CASE("jobs of a suspending task delayed by the GPU may run back to back") {
  // high's first job waits for other's 40 on the GPU and runs 50-80, its second runs 110-140; low is released at 50.
  const auto problem =
      problem_of({task("other", 1, 1, 1000, WaitMode::suspend, 50, {GpuSegment{{kernel(40)}}}),
                  task("high", 0, 2, 100, WaitMode::suspend, 50, {cpu(0), GpuSegment{{kernel(10)}}, cpu(30)}),
                  task("low", 0, 1, 1000, WaitMode::busy, 50, {cpu(35)})});
  CHECK(simulated(problem, {0, 0, 50}, us(1000)).tasks[2].response.max == us(35 + 2 * 30));
  const auto bounds = bounds_of(problem);
  CHECK(bounds.tasks[1].response == us(10 + 40 + 30));
  CHECK(bounds.tasks[2].response == us(35 + 2 * 30));
}

TEST_CASE("what a suspending task executes beside its kernel does not wait for the kernel") {
  // high executes 5 and 4 without a break if it was preempted while its kernel executed.
  const auto bounds = [](bool beside) {
    return bounds_of(problem_of({task("high", 0, 2, 100, WaitMode::suspend, 50,
                                      {cpu(5), CpuSegment{{}, us(1), beside}, GpuSegment{{kernel(20)}}, cpu(4)}),
                                 task("low", 0, 1, 100, WaitMode::busy, 50, {cpu(10)})}));
  };
  CHECK(bounds(false).tasks[1].response == us(10 + 6));
  CHECK(bounds(true).tasks[1].response == us(10 + 6 + 4));
}

TEST_CASE("while a task keeps its core a less urgent task of the core has one GPU segment at work") {
  const auto bounds = [](WaitMode wait, bool also_suspends, int length) {
    auto problem = problem_of({task("high", 0, 2, 200, wait, 5, {cpu(1), GpuSegment{{kernel(length)}}, cpu(1)}),
                               task("low", 0, 1, 20, WaitMode::suspend, 5, {GpuSegment{{kernel(4)}}, cpu(1)})});
    problem.tasks[0].also_suspends = also_suspends;
    return bounds_of(problem).tasks[0].response;
  };
  CHECK(bounds(WaitMode::busy, false, 10) == us(1 + 10 + 1 + 4));
  CHECK(bounds(WaitMode::busy, false, 20) == us(1 + 20 + 1 + 4));
  CHECK(bounds(WaitMode::busy, true, 10) == us(1 + 10 + 1 + 2 * 4));
  CHECK(bounds(WaitMode::suspend, false, 20) == us(1 + 20 + 1 + 2 * 4));
}

TEST_CASE("a context that was idle delays a kernel only by what arrives while its engine is busy") {
  // By slots, each of the others delays a by two jobs, because a job may end 9 after its release. While the engine is
  // busy, which a's release begins at the latest, only one job of each arrives.
  const auto bounds = bounds_of(problem_of({task("a", 0, 1, 48, WaitMode::suspend, 1, {GpuSegment{{kernel(6)}}}),
                                            task("b", 1, 1, 12, WaitMode::suspend, 1, {GpuSegment{{kernel(3)}}}),
                                            task("c", 2, 1, 12, WaitMode::suspend, 1, {GpuSegment{{kernel(3)}}})}));
  CHECK(bounds.tasks[0].response == us(6 + 2 * 3));
  CHECK(bounds.tasks[1].response == us(3 + 3 + 3));
}

TEST_CASE("of two device tasks of one host one job delays the other, and the switch to its context counts") {
  // The host triggers a kernel of 4 and one of 3, and waits for both. Its period leaves no room for a second job.
  for (const int switching : {0, 1}) {
    auto problem = problem_of({task("host", 0, 1, 14, WaitMode::suspend, 50, {}),
                               task("first", 1, 1, 14, WaitMode::suspend, 50, {GpuSegment{{kernel(4)}}}),
                               task("second", 2, 1, 14, WaitMode::suspend, 50, {GpuSegment{{kernel(3)}}})});
    problem.gpus.front().context_switch = us(switching);
    problem.tasks[0].segments = {cpu(1), nvidia::WaitSegment{1, 0, 1, 3, us(1), us(1)},
                                 nvidia::WaitSegment{2, 0, 2, 3, us(1), us(1)}, cpu(1)};
    problem.tasks[1].host = problem.tasks[2].host = 0;
    const auto bounds = bounds_of(problem);
    CHECK(bounds.tasks[1].gpu_segments == std::vector<Duration>{us(4 + 3 + 2 * switching)});
    CHECK(bounds.tasks[2].gpu_segments == std::vector<Duration>{us(3 + 4 + 2 * switching)});
    CHECK(bounds.tasks[0].response == us(1 + 4 + 3 + 2 * switching + 1));
    // One after the other, they do not delay each other. But the engine switches from one to the other.
    std::get<nvidia::WaitSegment>(problem.tasks[0].segments[1]).to = 2;
    const auto apart = bounds_of(problem);
    CHECK(apart.tasks[1].gpu_segments == std::vector<Duration>{us(4 + switching)});
    CHECK(apart.tasks[0].response == us(1 + 4 + 3 + 2 * switching + 1));
  }
}

TEST_CASE("a job waits for no more than others can execute from its release to its end") {
  // Each of the two groups of low on an engine waits for a job of other, but only one job falls into the whole.
  const auto bounds =
      bounds_of(problem_of({task("low", 0, 1, 200, WaitMode::suspend, 50,
                                 {GpuSegment{{kernel(5)}}, cpu(2), GpuSegment{{kernel(5)}}, cpu(1)}),
                            task("urgent", 0, 2, 20, WaitMode::busy, 50, {cpu(1)}),
                            task("other", 1, 1, 200, WaitMode::suspend, 50, {cpu(1), GpuSegment{{kernel(30)}}})}));
  CHECK(part(bounds.tasks[0], BoundPart::slices, 2) == us(30));
}

TEST_CASE("other tasks on the core do not delay a task while it uses the GPU") {
  // 5 jobs of 4 fit beside the kernel of 100; only those around the CPU segments count.
  const auto bounds = bounds_of(
      problem_of({task("often", 0, 2, 20, WaitMode::busy, 50, {cpu(4)}),
                  task("offloads", 0, 1, 200, WaitMode::busy, 50, {cpu(2), GpuSegment{{kernel(100)}}, cpu(3)})}));
  CHECK(bounds.tasks[1].response == us((2 + 4) + 100 + (3 + 4)));
}

TEST_CASE("a last segment without execution time still waits for tasks released at that instant") {
  // low's kernel ends at 20, when high is released: it goes on at 24.
  const auto problem = problem_of({task("high", 0, 2, 20, WaitMode::busy, 50, {cpu(4)}),
                                   task("low", 0, 1, 100, WaitMode::busy, 50, {GpuSegment{{kernel(16)}}})});
  const auto bounds = bounds_of(problem);
  const auto seen = simulated(problem, {0, 0}, us(1000));
  CHECK(seen.tasks[1].response.max == us(24));
  CHECK(bounds.tasks[1].response == us(24));
}

TEST_CASE("a task without a bound has a reason and does not affect the bounds of others") {
  const auto overloaded = bounds_of(problem_of({task("A", 0, 1, 100, WaitMode::suspend, 10, {GpuSegment{{kernel(90)}}}),
                                                task("B", 1, 1, 100, WaitMode::suspend, 10, {GpuSegment{{kernel(30)}}}),
                                                task("C", 1, 2, 100, WaitMode::suspend, 10, {cpu(5)})}));
  CHECK_FALSE(overloaded.tasks[0].response);
  CHECK(overloaded.tasks[0].reason == "the execution engine is overloaded: utilization 120.00 %");
  CHECK(overloaded.tasks[0].parts.empty());
  CHECK(overloaded.tasks[1].response == us(30 + 3 * 10 + 5));  // by slots alone, and C may run when it wants to end
  CHECK(overloaded.tasks[2].response == us(5));

  const auto core = bounds_of(problem_of(
      {task("A", 0, 2, 10, WaitMode::busy, 10, {cpu(6)}), task("B", 0, 1, 20, WaitMode::busy, 10, {cpu(9)})}));
  CHECK(core.tasks[0].response == us(6));
  CHECK(core.tasks[1].reason == "core 0 is overloaded by tasks of the same or a higher priority: utilization 105.00 %");

  auto late = problem_of({task("A", 0, 1, 100, WaitMode::busy, 10, {cpu(6)})});
  late.tasks[0].deadline = us(5);
  CHECK_FALSE(bounds_of(late).tasks[0].in_time);
  CHECK(bounds_of(late).tasks[0].reason == "the bound exceeds the deadline by 1 us");
}

TEST_CASE("WATERS 2019: SFM needs short slices of Detection and lane detection needs SFM to suspend") {
  // Worst times of the model in us; SFM and lane detection share a core.
  const auto problem = [](std::int64_t detection_slice, WaitMode sfm) {
    auto waters = problem_of({task("SFM", 0, 6, 33000, sfm, 7200, {cpu(3180), GpuSegment{{kernel(7900)}}, cpu(3530)}),
                              task("Lane", 0, 2, 66000, WaitMode::busy, 1, {cpu(42240)}),
                              task("Lidar", 1, 8, 33000, WaitMode::busy, 1, {cpu(13660)}),
                              task("Detection", 1, 4, 200000, WaitMode::suspend, detection_slice,
                                   {cpu(3690), GpuSegment{{kernel(116000)}}, cpu(1020)})});
    return waters;
  };
  const auto original = problem(50000, WaitMode::busy);
  const auto before = bounds_of(original);
  CHECK_FALSE(before.tasks[0].response);
  CHECK(
      before.tasks[0].reason ==
      "the GPU may serve other contexts for 100 ms, most of it Detection (100 ms), but the task has a period of 33 ms");
  CHECK(before.tasks[0].gpu_segments == std::vector{us(7900 + 2 * 50000)});
  // 3 turns with 7.2 ms of SFM before each; Lidar once before each CPU segment.
  CHECK(before.tasks[3].response == us(3690 + 13660 + 116000 + 3 * 7200 + 1020 + 13660));

  for (const WaitMode wait : {WaitMode::busy, WaitMode::suspend}) {
    const auto short_slices = problem(5000, wait);
    const auto bounds = bounds_of(short_slices);
    CHECK(bounds.tasks[0].response == us(3180 + 7900 + 2 * 5000 + 3530));
    // Suspending: 42.24 + 2 * 6.71. With 3.53 of an earlier job at 0, SFM executes again from 3.53 - 24.61 + 33 and 23,
    // from 33 later, and not before 56.
    if (wait == WaitMode::suspend) {
      CHECK(bounds.tasks[1].response == us(42240 + 2 * (3180 + 3530)));
      CHECK(bounds.tasks[1].in_time);
    } else {
      CHECK_FALSE(bounds.tasks[1].response);
      CHECK(bounds.tasks[1].reason ==
            "core 0 is overloaded by tasks of the same or a higher priority: utilization 108.27 %");
    }
    const auto seen = simulated(short_slices, {0, 0, 0, 0}, us(660000));
    for (std::size_t i = 0; i < 4; ++i)
      if (bounds.tasks[i].response) CHECK(seen.tasks[i].response.max <= *bounds.tasks[i].response);
  }
}

TEST_CASE("an invalid time slice problem is rejected with a reason") {
  const auto refused = [](auto&& change) {
    auto problem = problem_of({task("A", 0, 1, 100, WaitMode::busy, 10, {cpu(1), GpuSegment{{kernel(6)}}})});
    change(problem);
    const auto bounds = time_slice_bounds(problem);
    return bounds ? std::string() : bounds.error();
  };
  const auto gpu = [](TimeSliceProblem& problem) -> GpuOperation& {
    return std::get<GpuSegment>(problem.tasks[0].segments[1]).operations[0];
  };
  CHECK(refused([](auto&) {}).empty());
  CHECK(refused([](auto& problem) { problem.tasks[0].period = {}; }) ==
        "task A: period, deadline and time slice must be above zero and below 1000 s");
  CHECK(refused([](auto& problem) { problem.tasks[0].core = 1; }) == "task A: its core is not there");
  CHECK(refused([&](auto& problem) { gpu(problem).best = us(7); }) ==
        "task A: best times must be at most the worst, and all together below 1000 s");
  CHECK(refused([&](auto& problem) { gpu(problem).worst = gpu(problem).best = Duration::seconds(1000); }) ==
        "task A: best times must be at most the worst, and all together below 1000 s");
  CHECK(refused([&](auto& problem) { gpu(problem).worst = gpu(problem).best = {}; }) ==
        "task A: a copy or kernel takes no time");
  CHECK(refused([&](auto& problem) { gpu(problem).longest_block = us(7); }) ==
        "task A: a block is longer than its kernel");
  CHECK(refused([&](auto& problem) { gpu(problem).memory_share = 1.5; }) == "task A: a memory share is not in 0 ... 1");
  CHECK(refused([](auto& problem) { problem.tasks[0].segments.push_back(GpuSegment{}); }) ==
        "task A: a GPU segment has no operation");
  CHECK(refused([](auto& problem) { problem.gpus.front().interference.copy_by_kernel.ppm = 999'999; }) ==
        "slowdowns must be between 1 and 1000");
  CHECK(refused([](auto& problem) { problem.gpus.front().context_switch = Duration::max(); }) ==
        "the context switch must be below 1000 s");
}

TEST_CASE("extreme values yield no bound and neither hang nor overflow") {
  // Periods of a picosecond, slices of a picosecond, demands just below one: iterations that would never end.
  TimeSliceProblem problem = problem_of(
      {task("A", 0, 1, 900'000'000, WaitMode::suspend, 1, {cpu(1), GpuSegment{{kernel(400'000'000)}}, cpu(1)}),
       task("B", 0, 2, 900'000'000, WaitMode::busy, 1, {cpu(1), GpuSegment{{copy(3), kernel(400'000'000)}}}),
       task("C", 0, 3, 1, WaitMode::suspend, 1, {cpu(1)})});
  problem.gpus.front().context_switch = Duration::seconds(999);
  problem.gpus.front().interference.copy_by_kernel.ppm = problem.gpus.front().interference.kernel_by_memcpy.ppm =
      1'000'000'000;
  for (GpuTask& task : problem.tasks) task.slice = Duration::picoseconds(1);
  problem.tasks[2].period = Duration::picoseconds(1'000'000'000);
  problem.tasks[2].segments = {CpuSegment{{}, Duration::picoseconds(999'999'999)}};
  for (const auto preemption : {gpu::Preemption::instruction, gpu::Preemption::kernel}) {
    problem.gpus.front().preemption = preemption;
    const auto bounds = bounds_of(problem);
    CHECK_FALSE(bounds.tasks[0].response);
    CHECK_FALSE(bounds.tasks[1].response);
    CHECK(bounds.tasks[2].response == Duration::picoseconds(999'999'999));
  }
}

TEST_CASE("by priority a group waits for all work of more urgent contexts and once for less urgent ones") {
  std::vector<nvidia::SharingContext> contexts(3);
  for (auto& context : contexts) context.slice = us(1);
  contexts[0].urgency = 1;
  contexts[1].urgency = 2;
  contexts[2].urgency = 3;
  contexts[0].overrun = us(7);
  contexts[0].demand = std::vector<nvidia::EngineDemand>{{us(100), {}, us(50), 1}};
  contexts[2].demand = std::vector<nvidia::EngineDemand>{{us(40), {}, us(10), 1}};
  contexts[1].demand.emplace();
  nvidia::OperationGroup group{us(20), us(20)};
  // 20 of work, 7 until the less urgent one leaves and its switch; 2 times 10 more urgent; 2 switches there, 3 back.
  const auto bound = nvidia::group_bound(group, contexts, 1, us(1), true);
  CHECK(bound.response == us(20 + 7 + 1 + 2 * 10 + 2 + 3));
  CHECK(bound.own_switches == us(3));
  const Duration infinite = Duration::picoseconds(std::int64_t{1} << 61);
  // Switches there and back that take more than the time between two requests have no limit.
  CHECK(nvidia::group_bound(group, contexts, 1, us(40), true).response >= infinite);
  contexts[2].demand.reset();
  CHECK(nvidia::group_bound(group, contexts, 1, us(1), true).response >= infinite);
}

TEST_CASE("a group has a bound where the work of another context grows as fast as the window") {
  // A second job of the other context begins a picosecond before the first solution. It counts as a whole.
  std::vector<nvidia::SharingContext> contexts(2);
  for (auto& context : contexts) context.slice = us(1);
  contexts[0].urgency = 1;
  contexts[1].demand.emplace();
  contexts[0].demand = std::vector<nvidia::EngineDemand>{{us(100), us(40), us(40), 1, true}};
  const Duration work = us(60) + Duration::picoseconds(1);
  CHECK(nvidia::group_bound({work, work}, contexts, 1, {}, true).response == work + us(2 * 40));
}

TEST_CASE("by priority a context behind one that is always busy has no bound and a reason that names it") {
  // A switch to and from the more urgent context takes longer than its jobs, whose own response has no bound.
  TimeSliceProblem problem =
      problem_of({task("urgent", 0, 1, 100, WaitMode::suspend, 1, {cpu(1), GpuSegment{{kernel(1)}}, cpu(1)}),
                  task("below", 1, 1, 1000, WaitMode::suspend, 1, {cpu(1), GpuSegment{{kernel(1)}}, cpu(1)})});
  problem.gpus.front().by_priority = true;
  problem.gpus.front().context_switch = us(60);
  problem.tasks[0].elsewhere.emplace();
  problem.contexts = {{0, us(1), ContextPriority::medium, 2}, {0, us(1), ContextPriority::medium, 1}};
  problem.streams = {{0}, {1}};
  for (std::size_t index = 0; index < 2; ++index) std::get<GpuSegment>(problem.tasks[index].segments[1]).stream = index;
  const auto bounds = bounds_of(problem);
  CHECK(bounds.tasks[1].gpu_segments.front() >= Duration::picoseconds(std::int64_t{1} << 60));
  CHECK_FALSE(bounds.tasks[1].response);
  CHECK(bounds.tasks[1].reason ==
        "urgent, whose context has at least its priority on the GPU, may keep the GPU without limit");
}

}  // namespace nvidia_time_slice_test
