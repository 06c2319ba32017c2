// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/simulation.hpp"
#include "amalthea/diagnostic.hpp"
#include "engine/program/releases.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <random>

#include <catch2/catch.hpp>

#include "tests/support/system_maker.hpp"

namespace simulation_simulation_test {

using namespace test;
using engine::ContributionKind;
using engine::Results;
using engine::TaskResult;

namespace {

/// Time of one contribution of the worst job, zero when there is none.
Duration part(const TaskResult& result, ContributionKind kind, std::optional<TaskIndex> by = std::nullopt) {
  for (const auto& contribution : result.contributions)
    if (contribution.kind == kind && contribution.by == by) return contribution.time;
  return {};
}

Duration sum_of_parts(const TaskResult& result) {
  Duration sum;
  for (const auto& contribution : result.contributions) sum += contribution.time;
  return sum;
}

}  // namespace

TEST_CASE("fixed priorities yield the response times of a textbook task set") {
  // T = 4, 6, 12 and C = 1, 2, 3, rate-monotonic, released together. By hand: 1; 1 + 2 = 3; the third runs in
  // 3-4, 5-6 (released 0; 4-5 is the first's second job) and, after the second's job of 6-8 and the first's of 8-9,
  // in 9-10: response 10.
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex high = maker.task("high", core, 3, maker.periodic(4));
  const TaskIndex middle = maker.task("middle", core, 2, maker.periodic(6));
  const TaskIndex low = maker.task("low", core, 1, maker.periodic(12));
  maker.compute(high, 1);
  maker.compute(middle, 2);
  maker.compute(low, 3);
  const Results results = analyzed(maker.build(), us(12));
  CHECK(results.tasks[high].response.max == us(1));
  CHECK(results.tasks[high].response.jobs == 3);
  CHECK(results.tasks[middle].response.max == us(3));
  CHECK(results.tasks[low].response.max == us(10));
  CHECK(part(results.tasks[low], ContributionKind::execution) == us(3));
  CHECK(part(results.tasks[low], ContributionKind::preemption, high) == us(3));
  CHECK(part(results.tasks[low], ContributionKind::preemption, middle) == us(4));
  CHECK(results.resources[0].utilization == Approx(10.0 / 12));
  CHECK(results.resources[0].demand == Approx(1.0 / 4 + 2.0 / 6 + 3.0 / 12));
}

TEST_CASE("equal priorities run in the order of readiness and then of the model without preemption") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex first = maker.task("first", core, 1, maker.periodic(100, 2));
  const TaskIndex second = maker.task("second", core, 1, maker.periodic(100, 0));
  const TaskIndex third = maker.task("third", core, 1, maker.periodic(100, 2));
  maker.compute(first, 5);
  maker.compute(second, 5);
  maker.compute(third, 5);
  const Results results = analyzed(maker.build(), us(100));
  CHECK(results.tasks[second].response.max == us(5));      // 0-5, not preempted at 2
  CHECK(results.tasks[first].response.max == us(10 - 2));  // 5-10
  CHECK(results.tasks[third].response.max == us(15 - 2));  // 10-15
}

TEST_CASE("passive waiting leaves the core to others and active waiting keeps it") {
  for (const bool active : {false, true}) {
    SystemMaker maker;
    const UnitIndex core = maker.core("core");
    const UnitIndex gpu = maker.gpu("GPU");
    const StimulusIndex request = maker.inter_process();
    const TaskIndex host = maker.task("host", core, 2, maker.periodic(100));
    const TaskIndex other = maker.task("other", core, 1, maker.periodic(100));
    const TaskIndex device = maker.task("device", gpu, 0, request);
    maker.kernel(device, 20);
    maker.offload(host, device, request, 5, 3, active);
    maker.compute(other, 10);
    const Results results = analyzed(maker.build(), us(100));
    INFO((active ? "active" : "passive"));
    CHECK(results.tasks[host].response.max == us(28));
    CHECK(results.tasks[device].response.max == us(20));
    CHECK(results.tasks[other].response.max == us(active ? 38 : 15));
    CHECK(results.resources[0].utilization == Approx(active ? 0.38 : 0.18));
    CHECK(results.resources[0].demand == Approx(active ? 0.38 : 0.18));
    CHECK(part(results.tasks[host], ContributionKind::kernel) == us(20));
    CHECK(part(results.tasks[host], ContributionKind::execution) == us(8));
  }
}

TEST_CASE("a polling task can be preempted and continues at once when its event is set") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const UnitIndex gpu = maker.gpu("GPU");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex host = maker.task("host", core, 1, maker.periodic(100));
  const TaskIndex urgent = maker.task("urgent", core, 2, maker.periodic(100, 10));
  const TaskIndex device = maker.task("device", gpu, 0, request);
  maker.kernel(device, 20);
  maker.offload(host, device, request, 5, 3, true);
  maker.compute(urgent, 20);
  const Results results = analyzed(maker.build(), us(100));
  // The event is set at 25, while urgent runs 10-30; post-processing 30-33.
  CHECK(results.tasks[urgent].response.max == us(20));
  CHECK(results.tasks[host].response.max == us(33));
  CHECK(part(results.tasks[host], ContributionKind::preemption, urgent) == us(5));
  CHECK(part(results.tasks[host], ContributionKind::kernel) == us(20));
}

TEST_CASE("an event that is set before the wait ends it at once") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const UnitIndex gpu = maker.gpu("GPU");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex host = maker.task("host", core, 1, maker.periodic(100));
  const TaskIndex device = maker.task("device", gpu, 0, request);
  const EventIndex done = maker.event("done");
  maker.trigger(host, request);
  maker.compute(host, 50);
  maker.wait(host, done, false);
  maker.clear(host, done);
  maker.kernel(device, 20);
  maker.set(device, done, host);
  const Results results = analyzed(maker.build(), us(200));
  CHECK(results.tasks[host].response.jobs == 2);
  CHECK(results.tasks[host].response.max == us(50));
}

TEST_CASE("an event stays set for the next job unless it is cleared") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const UnitIndex gpu = maker.gpu("GPU");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex host = maker.task("host", core, 1, maker.periodic(100));
  const TaskIndex device = maker.task("device", gpu, 0, request);
  const EventIndex done = maker.event("done");
  maker.trigger(host, request);
  maker.wait(host, done, false);
  maker.compute(host, 5);
  maker.kernel(device, 20);
  maker.set(device, done, host);
  const Results results = analyzed(maker.build(), us(200));
  CHECK(results.tasks[host].response.max == us(25));  // first job
  CHECK(results.tasks[host].response.min == us(5));   // second job: the event of the first is still set
}

TEST_CASE("jobs of one task queue up and the wait for predecessors is separate") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex urgent = maker.task("urgent", core, 2, maker.periodic(100));
  const TaskIndex late = maker.task("late", core, 1, maker.periodic(10));
  maker.compute(urgent, 25);
  maker.compute(late, 5);
  maker[late].deadline = us(10);
  const Results results = analyzed(maker.build(), us(100));
  // late: released 0, 10, 20 … runs 25-30, 30-35, 35-40, 40-45 …
  CHECK(results.tasks[late].response.max == us(30));
  CHECK(results.tasks[late].missed_deadlines == 4);  // responses 30, 25, 20, 15, then 10, …
  CHECK(results.tasks[late].verdict == engine::Verdict::missed);
  CHECK(results.tasks[late].response.jobs == 10);
}

TEST_CASE("activations beyond the limit are lost and counted") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex urgent = maker.task("urgent", core, 2, maker.periodic(100));
  const TaskIndex late = maker.task("late", core, 1, maker.periodic(10));
  maker.compute(urgent, 35);
  maker.compute(late, 5);
  maker[late].activation_limit = 2;
  const Results results = analyzed(maker.build(), us(100));
  CHECK(results.tasks[late].lost_activations == 2);  // at 20 and 30, with those of 0 and 10 still there
  CHECK(results.tasks[late].response.jobs == 8);
}

TEST_CASE("a job released within the horizon is simulated to its end beyond it") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex task = maker.task("task", core, 1, maker.periodic(1000));
  const TaskIndex urgent = maker.task("urgent", core, 2, maker.periodic(460, 460));
  maker.compute(task, 500);
  maker.compute(urgent, 10);
  maker[task].deadline = us(400);
  const Results results = analyzed(maker.build(), us(450));
  CHECK(results.tasks[task].response.jobs == 1);
  CHECK(results.tasks[task].response.max == us(510));  // delayed by a job that is not measured itself
  CHECK(results.tasks[task].missed_deadlines == 1);
  CHECK(results.tasks[task].verdict == engine::Verdict::missed);
  CHECK(results.tasks[urgent].response.jobs == 0);
  CHECK(results.resources[0].utilization == Approx(1.0));  // of the horizon
}

TEST_CASE("a job that never ends is unfinished and late and never met") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex task = maker.task("task", core, 1, maker.periodic(1000));
  const EventIndex nobody = maker.event("nobody sets it");
  maker.wait(task, nobody, false);
  maker[task].deadline = us(5000);
  const Results results = analyzed(maker.build(), us(2000));
  CHECK(results.tasks[task].response.jobs == 0);
  CHECK(results.tasks[task].unfinished == 2);
  CHECK(results.tasks[task].missed_deadlines == 2);
  CHECK(results.tasks[task].verdict == engine::Verdict::unbounded);
  CHECK(results.tasks[task].reason == "waits for events that no task sets");
}

TEST_CASE("two tasks that wait for each other miss their deadlines") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex a = maker.task("a", core, 1, maker.periodic(1000)),
                  b = maker.task("b", core, 2, maker.periodic(1000));
  const EventIndex for_a = maker.event("for a"), for_b = maker.event("for b");
  maker.wait(a, for_a, false);
  maker.set(a, for_b, b);
  maker.wait(b, for_b, false);
  maker.set(b, for_a, a);
  maker[a].deadline = maker[b].deadline = us(1000);
  const Results results = analyzed(maker.build(), us(1000));
  CHECK(results.tasks[a].verdict == engine::Verdict::missed);
  CHECK(results.tasks[b].verdict == engine::Verdict::missed);
}

TEST_CASE("a task that requests early and polls late is not charged with polling it never does") {
  // 5 of kernel beside 6 of own work: the event is there when it is awaited.
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const UnitIndex gpu = maker.gpu("GPU");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex host = maker.task("host", core, 1, maker.periodic(10));
  const TaskIndex device = maker.task("device", gpu, 0, request);
  const EventIndex done = maker.event("done"), also = maker.event("also");
  maker.trigger(host, request);
  maker.compute(host, 6);
  maker.add(host, WaitEvents{{done, also}, true, true});
  maker.clear(host, done);
  maker.clear(host, also);
  maker.kernel(device, 5);
  maker.set(device, done, host);
  maker.set(device, also, host);
  maker[host].deadline = us(10);
  const Results results = analyzed(maker.build(), us(100));
  CHECK(results.tasks[host].response.max == us(6));
  CHECK(results.tasks[host].verdict == engine::Verdict::met);
}

TEST_CASE("an overloaded task with an activation limit loses activations instead of falling behind") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex task = maker.task("task", core, 1, maker.periodic(10));
  maker.compute(task, 15);
  maker[task].deadline = us(20);
  maker[task].activation_limit = 1;
  const Results results = analyzed(maker.build(), us(100));
  CHECK(results.tasks[task].response.max == us(15));
  CHECK(results.tasks[task].lost_activations > 0);
  CHECK(results.tasks[task].verdict == engine::Verdict::missed);
}

TEST_CASE("a job that ends by setting an event makes room for an activation at that instant") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex task = maker.task("task", core, 1, maker.periodic(10)),
                  other = maker.task("other", core, 2, maker.periodic(100));
  maker.compute(task, 10);
  maker.set(task, maker.event("event"), other);
  maker[task].activation_limit = 1;
  const Results results = analyzed(maker.build(), us(100));
  CHECK(results.tasks[task].lost_activations == 0);
  CHECK(results.tasks[task].response.jobs == 10);
}

TEST_CASE("times beyond the range of the simulation are an error") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex task = maker.task("task", core, 1, maker.periodic(10));
  maker.compute(task, 9'000'000'000'000);
  maker.compute(task, 9'000'000'000'000);
  Diagnostics diagnostics;
  CHECK_FALSE(engine::analyze(maker.build(), {}, diagnostics).has_value());
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all().front().id == "AM0505");
}

TEST_CASE("tasks without execution time that activate each other do not hang the simulation") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const StimulusIndex ping = maker.inter_process(), pong = maker.inter_process();
  const TaskIndex starter = maker.task("starter", core, 1, maker.periodic(100));
  const TaskIndex a = maker.task("a", core, 1, ping);
  const TaskIndex b = maker.task("b", core, 1, pong);
  maker.trigger(starter, ping);
  maker.trigger(a, pong);
  maker.trigger(b, ping);
  engine::AnalysisOptions options;
  options.until = us(1000);
  Diagnostics diagnostics;
  const auto results = engine::analyze(maker.build(), options, diagnostics);
  REQUIRE(results.has_value());
  CHECK(results->stopped_early);
  CHECK(diagnostics.has_errors());
}

TEST_CASE("an overloaded GPU is named and only dependent tasks are unbounded") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core"), other_core = maker.core("other core");
  const UnitIndex gpu = maker.gpu("GPU");
  const StimulusIndex request_a = maker.inter_process(), request_b = maker.inter_process();
  const TaskIndex a = maker.task("a", core, 2, maker.periodic(100));
  const TaskIndex b = maker.task("b", other_core, 2, maker.periodic(100));
  const TaskIndex device_a = maker.task("device a", gpu, 0, request_a);
  const TaskIndex device_b = maker.task("device b", gpu, 0, request_b);
  const TaskIndex above = maker.task("above", core, 3, maker.periodic(100));
  const TaskIndex below = maker.task("below", core, 1, maker.periodic(100));
  const TaskIndex beside = maker.task("beside", other_core, 1, maker.periodic(100));
  maker.kernel(device_a, 90);
  maker.kernel(device_b, 30);
  maker.offload(a, device_a, request_a, 1, 1, true);
  maker.offload(b, device_b, request_b, 1, 1, true);
  for (const TaskIndex task : {above, below, beside}) maker.compute(task, 1);
  for (const TaskIndex task : {a, b, above, below, beside}) maker[task].deadline = us(100);
  const Results results = analyzed(maker.build(), us(10000), plain_profile(us(10)));
  const auto verdict = [&](TaskIndex task) { return results.tasks[task].verdict; };
  // Shares are even: b needs 0.3 of its 0.5 and stays bounded, a needs 0.9 of the 0.7 that is left.
  CHECK(verdict(device_a) == engine::Verdict::unbounded);
  CHECK(verdict(a) == engine::Verdict::unbounded);
  CHECK(verdict(below) == engine::Verdict::unbounded);
  CHECK(verdict(above) == engine::Verdict::met);
  CHECK(verdict(device_b) == engine::Verdict::no_deadline);
  CHECK(verdict(b) == engine::Verdict::met);
  CHECK(verdict(beside) == engine::Verdict::met);
  CHECK(results.tasks[device_a].reason ==
        "the execution engine of GPU is overloaded: its utilization is 120.00 %; this task needs 90.00 %, but its "
        "time slice provides 70.00 %");
  for (const auto& resource : results.resources)
    CHECK(resource.overloaded() == (resource.kind == engine::ResourceKind::execution_engine));
}

TEST_CASE("a task that polls for one of equal priority on its core starves it and is reported") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex wrapper = maker.task("wrapper", core, 1, maker.periodic(100));
  const TaskIndex function = maker.task("function", core, 1, request);
  const TaskIndex above = maker.task("above", core, 2, maker.periodic(100));
  maker.compute(function, 10);
  maker.offload(wrapper, function, request, 1, 1, true);
  maker.compute(above, 10);
  maker[above].deadline = us(100);
  const Results results = analyzed(maker.build(), us(1000));
  for (const TaskIndex stuck : {wrapper, function}) {
    CHECK(results.tasks[stuck].verdict == engine::Verdict::unbounded);
    CHECK(results.tasks[stuck].response.jobs == 0);
    CHECK(results.tasks[stuck].reason ==
          "wrapper polls on core core for an event of function, which does not have a higher priority and never runs "
          "there");
  }
  CHECK(results.tasks[above].verdict == engine::Verdict::met);
}

TEST_CASE("a system that is activated once is simulated to its end") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex triggered = maker.task("triggered", core, 1, request);
  maker.compute(triggered, 5000);
  System system = maker.build();
  system.stimuli[request].occurrence = Single{us(300)};
  Diagnostics diagnostics;
  const auto results = engine::analyze(system, {}, diagnostics);
  REQUIRE(results.has_value());
  CHECK(results->tasks[triggered].response.jobs == 1);
  CHECK(results->tasks[triggered].response.max == us(5000));
}

TEST_CASE("the hyperperiod is the least common multiple of the periods in use") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  for (const std::int64_t period : {5, 10, 15, 33, 66, 100, 200, 400})
    maker.compute(maker.task("t", core, 1, maker.periodic(period)), 0);
  maker.periodic(7);  // activates no task
  CHECK(engine::hyperperiod(maker.build()) == us(13200));
}

namespace {

// ---------------------------------------------------------------- the oracle

struct RandomTask {
  std::size_t core;
  int priority;
  int period, offset;
  int pre, kernel, post;  // kernel 0: no offloading
  bool active;
};

/// Microsecond by microsecond, written independently of the engine: response times of the host tasks' jobs.
std::vector<std::vector<int>> stepwise(const std::vector<RandomTask>& tasks, std::size_t cores, int slice, int until,
                                       int grace) {
  struct Job {
    enum { idle, pre, waiting, post } state = idle;
    int release = 0, left = 0, kernel_left = 0;
    std::pair<int, std::size_t> ready{};  // since, and place among equals
    bool in_queue = false;
    std::deque<int> backlog;
  };
  std::vector<Job> jobs(tasks.size());
  std::vector<std::vector<int>> responses(tasks.size());
  std::vector<std::size_t> contexts;  // tasks that offload, in order
  for (std::size_t t = 0; t < tasks.size(); ++t)
    if (tasks[t].kernel > 0) contexts.push_back(t);
  std::size_t served = contexts.size(), last = contexts.empty() ? 0 : contexts.size() - 1;
  int slice_left = 0;

  for (int now = 0; now < until + grace; ++now) {
    const auto start = [&](std::size_t t, int release, int at) {
      Job& job = jobs[t];
      job.state = Job::pre;
      job.release = release;
      job.left = tasks[t].pre;
      job.in_queue = true;
      job.ready = {at, t};
    };
    const auto end_job = [&](std::size_t t, int at) {
      Job& job = jobs[t];
      if (job.release < until) responses[t].push_back(at - job.release);
      job.state = Job::idle;
      job.in_queue = false;
      if (job.backlog.empty()) return;
      const int release = job.backlog.front();
      job.backlog.pop_front();
      start(t, release, at);
    };
    const auto best_on = [&](std::size_t core) {
      std::size_t best = tasks.size();
      for (std::size_t t = 0; t < tasks.size(); ++t) {
        if (tasks[t].core != core || !jobs[t].in_queue) continue;
        if (best == tasks.size() || tasks[t].priority > tasks[best].priority ||
            (tasks[t].priority == tasks[best].priority && jobs[t].ready < jobs[best].ready))
          best = t;
      }
      return best;
    };
    // Releases. (Kernels and steps that ended did so at the end of the last microsecond.)
    for (std::size_t t = 0; t < tasks.size(); ++t)
      if (now >= tasks[t].offset && (now - tasks[t].offset) % tasks[t].period == 0) {
        if (jobs[t].state == Job::idle)
          start(t, now, now);
        else
          jobs[t].backlog.push_back(now);
      }
    // Whatever takes no time, until nothing changes.
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t core = 0; core < cores; ++core) {
        const std::size_t t = best_on(core);
        if (t == tasks.size()) continue;
        Job& job = jobs[t];
        if (job.state == Job::pre && job.left == 0) {
          if (tasks[t].kernel > 0) {
            job.state = Job::waiting;
            job.kernel_left = tasks[t].kernel;
            if (!tasks[t].active) job.in_queue = false;
          } else {
            job.state = Job::post;
            job.left = tasks[t].post;
          }
          changed = true;
        } else if (job.state == Job::waiting && job.kernel_left == 0) {
          job.state = Job::post;
          job.left = tasks[t].post;
          changed = true;
        } else if (job.state == Job::post && job.left == 0) {
          end_job(t, now);
          changed = true;
        }
      }
    }
    // One microsecond on the GPU.
    const auto wants = [&](std::size_t c) {
      return jobs[contexts[c]].state == Job::waiting && jobs[contexts[c]].kernel_left > 0;
    };
    const auto others_want = [&] {
      for (std::size_t c = 0; c < contexts.size(); ++c)
        if (c != served && wants(c)) return true;
      return false;
    };
    if (served < contexts.size() && !wants(served)) served = contexts.size();
    if (served < contexts.size() && slice_left == 0) {
      if (others_want())
        served = contexts.size();
      else
        slice_left = slice;
    }
    for (std::size_t i = 1; i <= contexts.size() && served == contexts.size(); ++i)
      if (const std::size_t c = (last + i) % contexts.size(); wants(c)) {
        served = last = c;
        slice_left = slice;
      }
    std::vector<std::size_t> running;
    for (std::size_t core = 0; core < cores; ++core) running.push_back(best_on(core));
    if (served < contexts.size()) {
      --slice_left;
      Job& job = jobs[contexts[served]];
      if (--job.kernel_left == 0 && !job.in_queue) {
        job.in_queue = true;
        job.ready = {now + 1, contexts[served]};
      }
    }
    for (const std::size_t t : running) {
      if (t == tasks.size() || jobs[t].state == Job::waiting) continue;
      // What takes no time follows before anybody is released: the end of the job, or the request and the wait.
      if (--jobs[t].left > 0) continue;
      if (jobs[t].state == Job::post) {
        end_job(t, now + 1);
      } else if (tasks[t].kernel > 0) {
        jobs[t].state = Job::waiting;
        jobs[t].kernel_left = tasks[t].kernel;
        if (!tasks[t].active) jobs[t].in_queue = false;
      }
    }
  }
  return responses;
}

}  // namespace

TEST_CASE("cores and GPU agree with a microsecond-stepped simulation on random systems") {
  std::mt19937 random(1305);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int round = 0; round < 1500; ++round) {
    const auto cores = static_cast<std::size_t>(draw(1, 3));
    const int slice = draw(1, 6), until = 400;
    SystemMaker maker;
    std::vector<UnitIndex> units;
    for (std::size_t c = 0; c < cores; ++c) units.push_back(maker.core("core"));
    const UnitIndex gpu = maker.gpu("GPU");
    std::vector<RandomTask> tasks;
    std::vector<TaskIndex> indices, devices;
    for (int i = draw(1, 5); i > 0; --i) {
      RandomTask task{static_cast<std::size_t>(draw(0, static_cast<int>(cores) - 1)),
                      draw(1, 3),
                      draw(10, 60),
                      draw(0, 20),
                      draw(1, 8),
                      draw(0, 2) == 0 ? 0 : draw(1, 15),
                      draw(1, 6),
                      draw(0, 1) == 1};
      tasks.push_back(task);
    }
    // Host tasks first, so that the order of the model is the same here and there.
    for (const RandomTask& task : tasks)
      indices.push_back(maker.task("host", units[task.core], task.priority, maker.periodic(task.period, task.offset)));
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      if (tasks[t].kernel == 0) {
        maker.compute(indices[t], tasks[t].pre);
        maker.compute(indices[t], tasks[t].post);
        continue;
      }
      const StimulusIndex request = maker.inter_process();
      const TaskIndex device = maker.task("device", gpu, 0, request);
      maker.kernel(device, tasks[t].kernel);
      maker.offload(indices[t], device, request, tasks[t].pre, tasks[t].post, tasks[t].active);
    }
    int grace = 0;
    for (const RandomTask& task : tasks) grace = std::max(grace, task.period);
    const auto expected = stepwise(tasks, cores, slice, until, grace);
    const Results results = analyzed(maker.build(), us(until), plain_profile(us(slice)));
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      INFO("round " << round << ", task " << t);
      const auto& found = results.tasks[indices[t]].response;
      REQUIRE(found.jobs == expected[t].size());
      if (expected[t].empty()) continue;
      REQUIRE(found.max == us(*std::max_element(expected[t].begin(), expected[t].end())));
      REQUIRE(found.min == us(*std::min_element(expected[t].begin(), expected[t].end())));
      const auto sum = std::accumulate(expected[t].begin(), expected[t].end(), std::int64_t{0});
      REQUIRE(found.mean == Duration::picoseconds(detail::divide(detail::Int128{sum} * 1'000'000,
                                                                 static_cast<detail::Int128>(expected[t].size()),
                                                                 Rounding::nearest)));
      REQUIRE(sum_of_parts(results.tasks[indices[t]]) == found.max);
    }
    for (const auto& resource : results.resources) REQUIRE(resource.utilization <= 1.0);
  }
}

}  // namespace simulation_simulation_test
