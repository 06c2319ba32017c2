// SPDX-License-Identifier: Apache-2.0
// Bounds of tasks in polling and deferrable servers and of the tasks beside them, calculated by hand.
// random_systems_test.cpp tests them with random systems.

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "amalthea/diagnostic.hpp"
#include "engine/bounds/bounds.hpp"
#include "tests/support/checked_bounds.hpp"
#include "tests/support/system_maker.hpp"

namespace bounds_server_bounds_test {

using namespace amalthea;
using namespace amalthea::engine;
using namespace test;

namespace {

Duration part(const Bound& bound, ContributionKind kind, std::optional<TaskIndex> by = std::nullopt) {
  for (const Contribution& share : bound.parts)
    if (share.kind == kind && share.by == by) return share.time;
  return {};
}

TaskIndex task(SystemMaker& maker, const std::string& name, UnitIndex core, std::int64_t priority, std::int64_t period,
               std::int64_t ticks) {
  const TaskIndex index = maker.task(name, core, priority, maker.periodic(period));
  if (ticks > 0) maker.compute(index, ticks);
  return index;
}

constexpr SchedulingAlgorithm deferrable = SchedulingAlgorithm::deferrable_server,
                              polling = SchedulingAlgorithm::polling_periodic_server;

/// Of priority 2 in its parent.
SchedulerIndex server(SystemMaker& maker, UnitIndex core, SchedulingAlgorithm kind, std::int64_t budget,
                      std::int64_t period) {
  Scheduler made;
  made.name = "server";
  made.kind = kind;
  made.units = {core};
  made.parent = core;
  made.share = {2, us(budget), us(period)};
  maker.system().platform.schedulers.push_back(made);
  return static_cast<SchedulerIndex>(maker.system().platform.schedulers.size() - 1);
}

/// A device task on a GPU of its own that takes this long.
TaskIndex device(SystemMaker& maker, StimulusIndex request, std::int64_t time) {
  const std::string name = std::to_string(maker.system().tasks.size());
  const TaskIndex made = maker.task("device" + name, maker.gpu("gpu" + name), 0, request);
  maker.kernel(made, time);
  return made;
}

/// A task that executes `pre`, waits for a kernel and executes `post`.
TaskIndex offloading(SystemMaker& maker, UnitIndex core, std::int64_t priority, std::int64_t period, std::int64_t pre,
                     std::int64_t kernel, std::int64_t post, bool polls) {
  const TaskIndex host = maker.task("host", core, priority, maker.periodic(period));
  const StimulusIndex request = maker.inter_process();
  maker.offload(host, device(maker, request, kernel), request, pre, post, polls);
  return host;
}

}  // namespace

TEST_CASE("servers bound their tasks and protect the others") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  Scheduler server;
  server.name = "server";
  server.units = {core};
  server.parent = core;
  server.share = {2, us(2), us(5)};
  const auto add_server = [&](SchedulingAlgorithm kind) {
    server.kind = kind;
    maker.system().platform.schedulers.push_back(server);
    return static_cast<SchedulerIndex>(maker.system().platform.schedulers.size() - 1);
  };
  const TaskIndex inside = task(maker, "inside", core, 9, 20, 1), outside = task(maker, "outside", core, 1, 50, 3);
  SECTION("a deferrable one may serve at the end of a period and the start of the next") {
    maker[inside].scheduler = add_server(SchedulingAlgorithm::deferrable_server);
    const auto bounds = bounds_of(maker);
    CHECK(bounds[inside].worst == us(1));
    CHECK(bounds[outside].worst == us(3 + 2 * 2));
  }
  SECTION("and delays its tasks once others have used up its budget") {
    const TaskIndex below = task(maker, "below", core, 8, 20, 2);
    maker[inside].scheduler = maker[below].scheduler = add_server(SchedulingAlgorithm::deferrable_server);
    const auto bounds = bounds_of(maker);
    CHECK(bounds[inside].worst == us(5 - 2 + 1));
    CHECK(part(bounds[inside], ContributionKind::budget) == us(3));
    CHECK(bounds[below].worst == us(5 - 2 + 2 + 1));
  }
  SECTION("but not if their jobs never use it up") {
    const TaskIndex below = task(maker, "below", core, 8, 20, 1);
    maker[inside].scheduler = maker[below].scheduler = add_server(SchedulingAlgorithm::deferrable_server);
    const auto bounds = bounds_of(maker);
    CHECK(bounds[inside].worst == us(1));
    CHECK(bounds[below].worst == us(1 + 1));
  }
  SECTION("and again for each budget that one job uses up") {
    const TaskIndex long_job = task(maker, "long", core, 8, 40, 5);
    maker[long_job].scheduler = add_server(SchedulingAlgorithm::deferrable_server);
    // 2, a pause of 3, 2, a pause of 3, 1; and 1 of `inside`, which is not inside here.
    CHECK(bounds_of(maker)[long_job].worst == us(5 + 2 * 3 + 1));
  }
  SECTION("which a more urgent task delays by its own execution only") {
    maker[inside].scheduler = add_server(SchedulingAlgorithm::deferrable_server);
    const TaskIndex above = task(maker, "above", core, 10, 50, 2);
    const auto bounds = bounds_of(maker);
    CHECK(bounds[above].worst == us(2));
    CHECK(bounds[inside].worst == us(2 + 1));
  }
  SECTION("a polling one gives up its budget") {
    maker[inside].scheduler = add_server(SchedulingAlgorithm::polling_periodic_server);
    const auto bounds = bounds_of(maker);
    CHECK(bounds[inside].worst == us(5 + 1));
    CHECK(bounds[outside].worst == us(3 + 2));
  }
  SECTION("also if its tasks ask for more than the budget") {
    maker[inside].scheduler = add_server(SchedulingAlgorithm::polling_periodic_server);
    std::get<Compute>(maker.system().graph[maker[inside].body.front()].activity).ticks.otherwise = Cycles{15, 15, 15};
    const auto bounds = bounds_of(maker);
    CHECK_FALSE(bounds[inside].worst);
    CHECK(bounds[inside].reason ==
          "server server is overloaded: tasks of the same or a higher priority have a utilization of 187.50 % of its "
          "budget");
    CHECK(bounds[outside].worst == us(3 + 2));
  }
  SECTION("also where more urgent tasks take its budget") {
    maker[inside].scheduler = add_server(SchedulingAlgorithm::deferrable_server);
    const TaskIndex above = task(maker, "above", core, 3, 10, 4);
    const auto bounds = bounds_of(maker);
    CHECK(bounds[above].worst == us(4));
    CHECK(bounds[inside].worst == us(4 + 1));
    CHECK(bounds[outside].worst);
  }
  SECTION("but not if a task has a section as well") {
    maker[inside].scheduler = add_server(SchedulingAlgorithm::deferrable_server);
    const TaskIndex above = task(maker, "above", core, 3, 10, 4);
    maker[above].preemption = Preemption::non_preemptive;
    const auto bounds = bounds_of(maker);
    CHECK(bounds[inside].reason == "its server on core core may not get its budget in every period");
    CHECK(bounds[outside].worst);
  }
}

TEST_CASE("tasks that demand more than the budget of their server are unbounded, and those outside are not") {
  // In 40, its tasks demand 5 of 4, and all jobs released in the hyperperiod end soon after it.
  const auto kind = GENERATE(deferrable, polling);
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const SchedulerIndex log = server(maker, core, kind, 1, 10);
  const TaskIndex control = task(maker, "control", core, 9, 10, 1), trace = task(maker, "trace", core, 0, 40, 3),
                  upload = task(maker, "upload", core, 0, 40, 2);
  maker[trace].scheduler = maker[upload].scheduler = log;
  maker[control].deadline = us(10);
  maker[trace].deadline = us(40);
  maker[upload].deadline = us(100);
  const auto judged = [&] {
    Diagnostics diagnostics;
    return *analyze(maker.build(), AnalysisOptions{}, diagnostics);
  };
  const auto load = [](const Results& results) {
    for (const ResourceResult& resource : results.resources)
      if (resource.kind == ResourceKind::server) return resource;
    return ResourceResult{};
  };
  SECTION("if they demand more") {
    const Results results = judged();
    CHECK(results.tasks[control].guaranteed == true);
    for (const TaskIndex slow : {trace, upload}) {
      CHECK(results.tasks[slow].verdict == Verdict::unbounded);
      CHECK_THAT(results.tasks[slow].reason, Catch::StartsWith("server server is overloaded: "));
      CHECK_THAT(results.tasks[slow].bound.reason, Catch::StartsWith("server server is overloaded: "));
    }
    CHECK(load(results).demand == Approx(1.25));
    CHECK(load(results).overloaded());
    CHECK(load(results).server == log);
  }
  SECTION("but not if they demand all of it") {
    maker[trace].body.clear();
    maker.compute(trace, 2);
    const Results results = judged();
    CHECK(results.tasks[trace].verdict == Verdict::met);
    CHECK(load(results).demand == Approx(1));
    CHECK(load(results).utilization == Approx(1));
    CHECK_FALSE(load(results).overloaded());
  }
  SECTION("and not if it is a constant-bandwidth server, which never stops its tasks") {
    maker.system().platform.schedulers[log].kind = SchedulingAlgorithm::constant_bandwidth_server;
    maker.system().platform.schedulers[core].kind = SchedulingAlgorithm::earliest_deadline_first;
    CHECK(judged().tasks[trace].verdict == Verdict::met);
  }
}

TEST_CASE("more urgent tasks of an overloaded server, and the server within one, keep their own verdicts") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const SchedulerIndex outer = server(maker, core, deferrable, 4, 10), inner = server(maker, core, deferrable, 3, 10);
  auto& schedulers = maker.system().platform.schedulers;
  schedulers[outer].name = "outer";
  schedulers[inner].name = "inner";
  schedulers[inner].parent = outer;
  schedulers[inner].share.priority = 2;
  const TaskIndex above = task(maker, "above", core, 3, 20, 2), within = task(maker, "within", core, 1, 20, 5),
                  below = task(maker, "below", core, 1, 20, 3);
  maker[above].scheduler = maker[below].scheduler = outer;
  maker[within].scheduler = inner;
  for (const TaskIndex each : {above, within, below}) maker[each].deadline = us(100);
  Diagnostics diagnostics;
  const Results results = *analyze(maker.build(), AnalysisOptions{}, diagnostics);
  // Above and within demand 7 of 8 in 20, and below another 3.
  CHECK(results.tasks[above].verdict == Verdict::met);
  CHECK(results.tasks[within].verdict == Verdict::met);
  CHECK(results.tasks[below].verdict == Verdict::unbounded);
  CHECK_THAT(results.tasks[below].reason,
             Catch::StartsWith("server outer is overloaded") && Catch::Contains("125.00 %"));
}

TEST_CASE("jobs that pile up so slowly that all simulated ones end in time make a task unbounded") {
  SystemMaker maker;
  const TaskIndex one = maker.task("one", maker.core("core"), 2, maker.periodic(40)),
                  two = maker.task("two", 0, 1, maker.periodic(40));
  maker.compute(one, 34);
  maker.compute(two, 8);
  maker[one].deadline = us(40);
  maker[two].deadline = us(400);
  AnalysisOptions options;
  Diagnostics diagnostics;
  const auto verdict = [&] { return analyze(maker.build(), options, diagnostics)->tasks[two]; };
  CHECK(verdict().unfinished == 0);
  CHECK(verdict().verdict == Verdict::unbounded);
  CHECK_THAT(verdict().reason, Catch::StartsWith("core core is overloaded") && Catch::Contains("had not ended"));
  options.until = us(40);
  CHECK(verdict().verdict == Verdict::met);
}

TEST_CASE("a server within a server supplies its tasks from what the outer one supplies") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  auto& schedulers = maker.system().platform.schedulers;
  const auto server = [&](const std::string& name, SchedulerIndex parent, std::int64_t budget, std::int64_t period) {
    Scheduler made;
    made.name = name;
    made.kind = SchedulingAlgorithm::deferrable_server;
    made.units = {core};
    made.parent = parent;
    made.share = {2, us(budget), us(period)};
    schedulers.push_back(made);
    return static_cast<SchedulerIndex>(schedulers.size() - 1);
  };
  const SchedulerIndex outer = server("outer", core, 50, 100), inner = server("inner", outer, 40, 200);
  const TaskIndex within = task(maker, "within", core, 1, 1000, 60), beside = task(maker, "beside", core, 1, 1000, 10),
                  outside = task(maker, "outside", core, 1, 1000, 10);
  maker[within].scheduler = inner;
  maker[beside].scheduler = outer;
  maker[outside].scheduler = core;
  SECTION("which must give it its budget in every period") {
    const auto bounds = bounds_of(maker);
    // 60 use up the budget of the inner one once, which is then filled 160 us later at the latest. Together with 10 of
    // `beside`, they use up that of the outer one once.
    CHECK(bounds[within].worst == us(60 + 160 + 50));
    CHECK(bounds[beside].worst.has_value());
    CHECK(bounds[outside].worst.has_value());
  }
  SECTION("or more than its tasks can use up") {
    schedulers[inner].share.budget = us(101);
    const auto bounds = bounds_of(maker);
    // Nothing bounds `beside`, so it may have used up the budget of the outer one just before.
    CHECK(bounds[within].worst == us(60 + 2 * 50));
    CHECK(bounds[outside].worst.has_value());
  }
  SECTION("and has no bound otherwise") {
    schedulers[inner].share.budget = us(101);
    maker[outside].preemption = Preemption::non_preemptive;
    const auto bounds = bounds_of(maker);
    CHECK(bounds[within].reason == "its server on core core may not get its budget in every period");
    CHECK(bounds[outside].worst.has_value());
  }
}

TEST_CASE("a task in a server that waits for a GPU needs supply again after each wait") {
  // A deferrable server of 4 in 10 supplies nothing for up to 6, a polling one for up to 10.
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const SchedulingAlgorithm kind = GENERATE(deferrable, polling);
  const SchedulerIndex in = server(maker, core, kind, 4, 10);
  const Duration pause = us(kind == deferrable ? 6 : 10);
  SECTION("if it leaves the core") {
    const TaskIndex host = offloading(maker, core, 2, 100, 1, 20, 1, false);
    const TaskIndex below = task(maker, "below", core, 1, 100, 3);
    maker[host].scheduler = maker[below].scheduler = in;
    const auto bounds = bounds_of(maker);
    CHECK(bounds[host].worst == pause + us(1 + 20) + pause + us(1));
    CHECK(part(bounds[host], ContributionKind::budget) == pause * 2);
    CHECK(part(bounds[host], ContributionKind::kernel) == us(20));
    CHECK(part(bounds[host], ContributionKind::execution) == us(2));
    // 3 of its own and 2 of one job of the host: one budget and 1 of the next.
    CHECK(bounds[below].worst == pause + us(10 + 1));
    CHECK(part(bounds[below], ContributionKind::preemption, host) == us(2));
  }
  SECTION("also if it executes nothing before its waits") {
    const TaskIndex host = maker.task("host", core, 2, maker.periodic(200));
    const EventIndex done = maker.event("done");
    const StimulusIndex request = maker.inter_process();
    const TaskIndex on_gpu = device(maker, request, 20);
    maker.set(on_gpu, done, host);
    for (int visit = 0; visit < 2; ++visit) {
      maker.trigger(host, request);
      maker.wait(host, done, false);
      maker.clear(host, done);
    }
    maker[host].scheduler = in;
    const auto bounds = bounds_of(maker);
    CHECK(bounds[host].worst == pause * 3 + us(20 + 20) + Duration::picoseconds(2));
  }
  SECTION("and polls with the budget") {
    // 2 of its own and 20 of polling are five budgets and 2 of the sixth.
    const TaskIndex host = offloading(maker, core, 2, 100, 1, 20, 1, true);
    maker[host].scheduler = in;
    const auto bounds = bounds_of(maker);
    CHECK(bounds[host].worst == pause + us(5 * 10 + 2));
    CHECK(part(bounds[host], ContributionKind::kernel) == us(20));
    CHECK(part(bounds[host], ContributionKind::budget) == pause + us(5 * 6));
  }
  SECTION("and tasks outside see the budget only") {
    const TaskIndex host = offloading(maker, core, 2, 100, 1, 20, 1, false),
                    outside = task(maker, "outside", core, 1, 50, 3);
    maker[host].scheduler = in;
    const auto bounds = bounds_of(maker);
    CHECK(bounds[outside].worst == us(3 + (kind == deferrable ? 2 : 1) * 4));
  }
}

TEST_CASE("a task in a server waits once for several device tasks that are active at the same time") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex host = maker.task("host", core, 1, maker.periodic(200));
  maker[host].scheduler = server(maker, core, deferrable, 4, 10);
  maker.compute(host, 1);
  std::vector<EventIndex> done;
  for (const std::int64_t time : {20, 30}) {
    const StimulusIndex request = maker.inter_process();
    const TaskIndex on_gpu = device(maker, request, time);
    done.push_back(maker.event("done" + std::to_string(time)));
    maker.set(on_gpu, done.back(), host);
    maker.trigger(host, request);
  }
  maker.add(host, WaitEvents{done, true, false});
  maker.add(host, ClearEvents{done});
  maker.compute(host, 1);
  const auto bounds = bounds_of(maker);
  CHECK(bounds[host].worst == us(6 + 1 + 30 + 6 + 1));
}

TEST_CASE("sections of tasks in a server") {
  // A section of 6 in a deferrable server of 4 in 20, with a more and a less urgent task outside.
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const SchedulerIndex in = server(maker, core, deferrable, 4, 20);
  const TaskIndex above = task(maker, "above", core, 9, 50, 2), below = task(maker, "below", core, 1, 100, 3);
  const TaskIndex first = maker.task("first", core, 2, maker.periodic(100)),
                  second = maker.task("second", core, 1, maker.periodic(100));
  maker[first].scheduler = maker[second].scheduler = in;
  SECTION("continue without budget if nothing can preempt them") {
    const bool uninterruptible = GENERATE(false, true);
    maker.compute(first, 1);
    if (uninterruptible) maker.add(second, Uninterruptible{true});
    maker.compute(second, 6);
    if (uninterruptible) maker.add(second, Uninterruptible{false});
    if (!uninterruptible) maker[second].preemption = Preemption::non_preemptive;
    const auto bounds = bounds_of(maker);
    CHECK(bounds[above].worst == us(6 + 2));
    // In each period the server may take 4 + 6. So it has supplied its budget after 12.
    CHECK(bounds[below].worst == us(3 + 2 + 3 * 10));
    CHECK(bounds[first].worst == us(20 - 4 + 12 - 4 + 20 + 3));
    CHECK(part(bounds[first], ContributionKind::blocking, second) == us(6));
    CHECK(bounds[second].worst == us(20 - 4 + 12 - 4 + 20 + 3));
  }
  SECTION("stop with the budget if a semaphore has a ceiling") {
    maker.system().semaphores.push_back({"resource"});
    maker.system().semaphores.back().priority_ceiling = true;
    for (const auto& [user, ticks] : {std::pair{first, 1}, std::pair{second, 6}}) {
      maker.add(user, UseSemaphore{0, UseSemaphore::Operation::request, false});
      maker.compute(user, ticks);
      maker.add(user, UseSemaphore{0, UseSemaphore::Operation::release, false});
    }
    const auto bounds = bounds_of(maker);
    CHECK(bounds[above].worst == us(2));
    CHECK(bounds[below].worst == us(3 + 2 + 2 * 4));
    // The server has supplied its budget after 6.
    CHECK(bounds[first].worst == us(20 - 4 + 6 - 4 + 20 + 3));
    CHECK(part(bounds[first], ContributionKind::blocking, second) == us(6));
  }
  SECTION("of cooperative tasks stop with the budget if no task outside waits for their end") {
    maker.compute(first, 1);
    maker.compute(second, 6);
    maker[first].preemption = maker[second].preemption = Preemption::cooperative;
    auto bounds = bounds_of(maker);
    CHECK(bounds[above].worst == us(2));
    CHECK(bounds[below].worst == us(3 + 2 + 2 * 4));
    // The server has supplied its budget after 6.
    CHECK(bounds[first].worst == us(20 - 4 + 6 - 4 + 20 + 3));
    CHECK(part(bounds[first], ContributionKind::blocking, second) == us(6));
    maker[below].preemption = Preemption::cooperative;
    bounds = bounds_of(maker);
    CHECK(bounds[above].reason ==
          "server schedules by DeferrableServer, and first is cooperative, as is below outside the server");
  }
  SECTION("that may wait have no bound") {
    const StimulusIndex request = maker.inter_process();
    maker.add(second, Uninterruptible{true});
    maker.offload(second, device(maker, request, 5), request, 1, 1, true);
    const auto bounds = bounds_of(maker);
    CHECK(bounds[above].reason == "server schedules by DeferrableServer, and nothing bounds a section of second");
  }
}

TEST_CASE("a server below a scheduler by deadlines has bounds for any order") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  maker.system().platform.schedulers[core].kind = SchedulingAlgorithm::earliest_deadline_first;
  const TaskIndex beside = task(maker, "beside", core, 1, 50, 2), inside = task(maker, "inside", core, 1, 100, 1);
  SECTION("which may use two budgets in a row") {
    maker[inside].scheduler = server(maker, core, deferrable, 4, 10);
    const auto bounds = bounds_of(maker);
    CHECK(bounds[beside].worst == us(2 + 2 * 4));
    // The server has supplied its budget after 4 + 2.
    CHECK(bounds[inside].worst == us(10 - 4 + 6 - 4 + 1));
  }
  SECTION("also if it may have used a late budget while others were pending") {
    // It may begin with one budget 8 before it is filled again. Two budgets and two jobs of the other task take 20, and
    // so end 12 after the filling.
    maker.system().stimuli.clear();
    maker.periodic(17);
    maker.periodic(200);
    maker.system().stimuli[0].activates = {beside};
    maker.system().stimuli[1].activates = {inside};
    maker[inside].scheduler = server(maker, core, deferrable, 8, 20);
    const auto bounds = bounds_of(maker);
    CHECK(bounds[inside].worst == us(20 - 8 + 12 - 8 + 1));
  }
}

TEST_CASE("a deferrable server may have used its last budget while a task that it delays waited for a semaphore") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  maker.system().semaphores.emplace_back().name = "semaphore";  // without a ceiling
  const auto user = [&](const std::string& name, std::int64_t priority, std::int64_t period, std::int64_t ticks) {
    const TaskIndex made = maker.task(name, core, priority, maker.periodic(period));
    maker.add(made, UseSemaphore{0, UseSemaphore::Operation::request, false});
    maker.compute(made, ticks);
    maker.add(made, UseSemaphore{0, UseSemaphore::Operation::release, false});
    return made;
  };
  const TaskIndex urgent = user("urgent", 3, 6, 2), other = user("other", 1, 50, 1);
  const TaskIndex inside = task(maker, "inside", core, 2, 40, 4);
  maker[inside].scheduler = server(maker, core, deferrable, 2, 10);
  const auto bounds = bounds_of(maker);
  // A new budget at 2, directly after the last one: the core executes 2 + 2 of the server, 2 + 2 of `urgent`, which may
  // wait for `other` while the server runs, and 1 of `other`. So the budget may last until 9, for 7.
  CHECK(bounds[inside].worst == us((10 - 2) + (7 - 2) + 10 + 2));
  CHECK(bounds[urgent].worst == us(2 + 1 + 2 * 2));
  CHECK(bounds[other].worst == us(1 + 2 * 2 + 2 * 2));
}

}  // namespace bounds_server_bounds_test
