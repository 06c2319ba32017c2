// SPDX-License-Identifier: Apache-2.0
// Properties of every system, tested with random systems that combine all features.

#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <random>
#include <variant>

#include <catch2/catch.hpp>

#include "engine/gpu/device_profile.hpp"
#include "engine/gpu/launch_plan.hpp"
#include "engine/nvidia/contention.hpp"
#include "tests/support/bound_trial.hpp"
#include "tests/support/random_system.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/thoroughness.hpp"

namespace random_systems_test {

using namespace amalthea;
using namespace test;

namespace {

/// Every system of a seed counts the same, however many are tried.
BoundTrial tried(std::uint32_t seed, std::uint64_t systems, int random_runs) {
  PairedSystems drawn(seed);
  BoundTrial trial;
  for (std::uint64_t index = 0; index < systems; ++index) trial.run(drawn.next(), index, random_runs);
  return trial;
}

void check_thousands(std::uint32_t seed) {
  const BoundTrial trial = tried(seed, is_thorough() ? 25'000U : times(1'000U), 6);
  WARN("seed " << seed << ": " << trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > 2 * trial.systems);
}

/// Queues and ACEs of streams, and costs of kernels, which no feature draws.
void add_costs(RandomSystem& drawn, std::mt19937& random) {
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  engine::gpu::QueueArchitecture& amd = drawn.profile.amd.value();
  engine::gpu::NamedKernel named;
  named.name = "measured";
  named.cost = {draw(0, 2) * 1024,
                draw(1, 5) * 1'000'000,
                Duration::nanoseconds(draw(0, 900)),
                Duration::nanoseconds(draw(0, 900)),
                Duration::nanoseconds(draw(0, 900)),
                draw(0, 25) * 10'000,
                draw(0, 9) * 100'000,
                draw(0, 4),
                draw(5, 9),
                draw(0, 2) * 5'000,
                draw(0, 4096),
                draw(0, 2) * 50'000};
  amd.kernels.push_back(named);
  const std::int64_t of_streams = draw(0, amd.pool_queues - 1);
  const bool with_queues = draw(0, 1) == 0, with_costs = !with_queues || draw(0, 1) == 0;
  for (Task& task : drawn.system.tasks) {
    if (task.side != Side::device) continue;
    if (with_queues && !task.gpu.cu_mask.empty() && draw(0, 1) == 0) task.gpu.ace = draw(0, amd.aces - 1);
    if (with_queues && task.gpu.cu_mask.empty() && !task.gpu.stream.empty()) task.gpu.hsa_queue = of_streams;
    if (with_queues && task.gpu.cu_mask.empty() && task.gpu.stream.empty() && draw(0, 1) == 0)
      task.gpu.hsa_queue = draw(0, amd.pool_queues - 1);
    for (const NodeIndex node : task.body) {
      auto* kernel = std::get_if<Kernel>(&drawn.system.graph[node].activity);
      if (kernel == nullptr || !kernel->launch || !with_costs || draw(0, 2) == 0) continue;
      KernelCosts costs;
      if (draw(0, 2) == 0) costs.like = "measured";
      if (draw(0, 1) == 0) costs.full_speed_threads = draw(0, 3) * 512;
      if (draw(0, 1) == 0) costs.weight = static_cast<double>(draw(1, 30)) / 10;
      if (draw(0, 1) == 0) costs.dispatch = Duration::nanoseconds(draw(0, 1500));
      kernel->costs = costs;
    }
  }
}

}  // namespace

TEST_CASE("every pair of features meets in random systems") {
  PairedSystems systems(1);
  PairTable table;
  for (std::size_t index = 0; index < systems.pairs(); ++index) table.add(systems.next());
  if (std::getenv("AMALTHEA_PAIRS") != nullptr) WARN(table.text());
  INFO(table.text());
  CHECK(table.missing() == "");
}

TEST_CASE("a table of pairs lists those that never met") {
  std::mt19937 random(1);
  RandomSystemOptions options;
  options.may = features_of({SystemFeature::periodic, SystemFeature::fixed_priority, SystemFeature::deadline});
  options.must = features_of({SystemFeature::jitter, SystemFeature::trigger});
  options.may |= options.must;
  const RandomSystem system = random_system(random, options);
  CHECK(system.meets(SystemFeature::jitter, SystemFeature::trigger));
  CHECK_FALSE(system.has()[static_cast<std::size_t>(SystemFeature::offload)]);
  PairTable table;
  table.add(system);
  CHECK(table.missing().find("\ntrigger with jitter\n") == std::string::npos);
  CHECK(table.missing().find("\noffload with jitter\n") != std::string::npos);
  CHECK(table.missing().find("\noffload with offload\n") != std::string::npos);
}

TEST_CASE("no simulated job or operation or chain of a random system exceeds its bounds") {
  const BoundTrial trial = tried(1, 300, 3);
  INFO(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > 2 * trial.systems);
  CHECK(trial.jobs > 100 * trial.systems);
}

// Alike but for the seed, so that they run beside each other.
TEST_CASE("thousands of random systems stay within their bounds: first quarter", "[long]") { check_thousands(11); }
TEST_CASE("thousands of random systems stay within their bounds: second quarter", "[long]") { check_thousands(12); }
TEST_CASE("thousands of random systems stay within their bounds: third quarter", "[long]") { check_thousands(13); }
TEST_CASE("thousands of random systems stay within their bounds: last quarter", "[long]") { check_thousands(14); }

TEST_CASE("random systems under deadlines or on several cores or with servers stay within their bounds") {
  BoundTrial trial;
  std::mt19937 random(20);
  for (const SystemFeature scheduling :
       {SystemFeature::earliest_deadline, SystemFeature::global, SystemFeature::server})
    for (const SystemFeature with :
         {SystemFeature::offload, SystemFeature::cooperative, SystemFeature::non_preemptive,
          SystemFeature::uninterruptible, SystemFeature::several_stimuli, SystemFeature::jitter, SystemFeature::trigger,
          SystemFeature::interrupt, SystemFeature::overhead}) {
      RandomSystemOptions options;
      options.must = features_of({scheduling, with});
      for (std::uint64_t index = 0; index < (is_thorough() ? 2'000 : 12); ++index)
        trial.run(random_system(random, options), index, 4);
    }
  INFO(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > 2 * trial.systems);
}

TEST_CASE("random systems whose hosts have several device tasks active stay within their bounds") {
  BoundTrial trial;
  std::mt19937 random(26);
  constexpr SystemFeature cores[] = {SystemFeature::earliest_deadline, SystemFeature::global, SystemFeature::server,
                                     SystemFeature::semaphore, SystemFeature::deadline_child};
  const std::uint64_t systems = is_thorough() ? 40'000 : 300;
  for (std::uint64_t index = 0; index < systems; ++index) {
    RandomSystemOptions options;
    options.must = features_of({SystemFeature::several_visits, cores[index % 5]});
    if (index / 5 % 2 == 0) options.must |= features_of({SystemFeature::polling, SystemFeature::passive_waiting});
    if (index / 10 % 2 == 0) options.must.set(index / 20 % feature_count);
    trial.run(random_system(random, options), index, 4);
  }
  INFO(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > trial.systems);
}

TEST_CASE("random systems whose branches contain more than execution stay within their bounds") {
  BoundTrial trial;
  std::mt19937 random(31);
  constexpr SystemFeature others[] = {SystemFeature::offload,           SystemFeature::several_visits,
                                      SystemFeature::semaphore,         SystemFeature::shared_ceiling,
                                      SystemFeature::trigger,           SystemFeature::event_stimulus,
                                      SystemFeature::uninterruptible,   SystemFeature::cooperative,
                                      SystemFeature::earliest_deadline, SystemFeature::server};
  const std::uint64_t systems = is_thorough() ? 50'000 : 500;
  for (std::uint64_t index = 0; index < systems; ++index) {
    RandomSystemOptions options;
    options.must = features_of({SystemFeature::effect_branch, others[index % std::size(others)]});
    if (index / 10 % 2 == 0) options.must |= features_of({SystemFeature::offload, SystemFeature::context_switch});
    if (index / 20 % 2 == 0) options.must.set(index / 40 % feature_count);
    for (const SystemFeature without : {SystemFeature::loop, SystemFeature::early_end, SystemFeature::host_wait})
      options.may.reset(static_cast<std::size_t>(without));
    options.must &= options.may;
    trial.run(random_system(random, options), index, 4);
  }
  INFO(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > trial.systems);
}

TEST_CASE("random systems with servers in servers or servers by deadlines stay within their bounds") {
  BoundTrial trial;
  std::mt19937 random(21);
  const std::uint64_t systems = is_thorough() ? 40'000 : 400;
  constexpr SystemFeature hierarchies[] = {SystemFeature::nested_server, SystemFeature::constant_bandwidth,
                                           SystemFeature::deadline_child};
  for (std::uint64_t index = 0; index < systems; ++index) {
    RandomSystemOptions options;
    options.must = features_of({hierarchies[index % 3]});
    options.must.set(index / 3 % feature_count);
    trial.run(random_system(random, options), index, 4);
  }
  INFO(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > trial.systems);
}

namespace {

/// Systems with servers of whose tasks some have these features, and little of what keeps servers from having bounds.
BoundTrial tried_in_servers(std::uint32_t seed, std::initializer_list<SystemFeature> features) {
  BoundTrial trial;
  std::mt19937 random(seed);
  const SystemFeatures inside = features_of(features);
  const SystemFeatures others = features_of(
      {SystemFeature::periodic, SystemFeature::offset, SystemFeature::jitter, SystemFeature::sporadic,
       SystemFeature::several_stimuli, SystemFeature::trigger, SystemFeature::interrupt, SystemFeature::varying_times,
       SystemFeature::branch, SystemFeature::overhead, SystemFeature::fixed_priority, SystemFeature::round_robin,
       SystemFeature::child_scheduler, SystemFeature::several_cores, SystemFeature::server,
       SystemFeature::nested_server, SystemFeature::deadline});
  const std::uint64_t systems = is_thorough() ? 40'000 : 300;
  std::uint64_t feature = 0;
  for (std::uint64_t index = 0; index < systems; ++index) {
    RandomSystemOptions options;
    options.must = features_of({index % 4 == 3 ? SystemFeature::nested_server : SystemFeature::server});
    do feature = (feature + 1) % feature_count;
    while (!inside[feature]);
    options.must.set(feature);
    if (index % 4 > 0)
      options.may = others | inside | ((inside & gpu_features()).any() ? gpu_features() : SystemFeatures{});
    else
      options.must.set(index / 4 % feature_count);
    RandomSystem drawn = random_system(random, options);
    // Otherwise few tasks get enough supply.
    for (Stimulus& stimulus : drawn.system.stimuli)
      if (auto* periodic = std::get_if<Periodic>(&stimulus.occurrence))
        periodic->period = periodic->period * (1 + static_cast<std::int64_t>(index % 3));
    trial.run(drawn, index, 4);
  }
  return trial;
}

}  // namespace

TEST_CASE("random systems whose servers have tasks that wait for a GPU stay within their bounds") {
  const BoundTrial trial = tried_in_servers(27, {SystemFeature::offload, SystemFeature::semaphore});
  INFO(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > trial.systems);
}

TEST_CASE("random systems with servers below a scheduler by deadlines stay within their bounds") {
  const BoundTrial trial = tried_in_servers(30, {SystemFeature::earliest_deadline});
  INFO(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > trial.systems);
}

TEST_CASE("random systems whose servers have tasks with sections stay within their bounds") {
  const BoundTrial trial =
      tried_in_servers(28, {SystemFeature::non_preemptive, SystemFeature::uninterruptible, SystemFeature::ceiling});
  INFO(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > trial.systems);
}

TEST_CASE("random systems whose servers have tasks with sections that wait for a GPU stay within their bounds") {
  const BoundTrial trial = tried_in_servers(29, {SystemFeature::offload, SystemFeature::non_preemptive,
                                                 SystemFeature::uninterruptible, SystemFeature::ceiling});
  INFO(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > trial.systems);
}

TEST_CASE("random systems whose servers have cooperative tasks stay within their bounds") {
  const BoundTrial trial = tried_in_servers(31, {SystemFeature::offload, SystemFeature::cooperative});
  INFO(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > trial.systems);
}

TEST_CASE("no observed latency between two tasks of a core exceeds its bound") {
  RandomSystemOptions options;
  options.may = features_of({SystemFeature::periodic, SystemFeature::offset, SystemFeature::trigger,
                             SystemFeature::varying_times, SystemFeature::runnables, SystemFeature::branch,
                             SystemFeature::non_preemptive, SystemFeature::cooperative, SystemFeature::interrupt,
                             SystemFeature::fixed_priority, SystemFeature::osek, SystemFeature::round_robin,
                             SystemFeature::child_scheduler, SystemFeature::several_cores, SystemFeature::overhead});
  options.one_in = 4;
  std::mt19937 random(78);
  BoundTrial trial;
  const std::uint64_t systems = is_thorough() ? 25'000 : 300;
  for (std::uint64_t index = 0; index < systems; ++index) {
    RandomSystem drawn = random_system(random, options);
    auto& tasks = drawn.system.tasks;
    for (TaskIndex from = 0; from < tasks.size(); ++from)
      for (TaskIndex to = 0; to < tasks.size(); ++to)
        if (from != to) {
          drawn.system.chains.push_back({"pair", {from, to}, {}, Chain::Source::request, {}});
          test::pass_data(drawn.system, {from, to});
        }
    trial.run(drawn, index, 2);
  }
  INFO(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.chains > 5 * trial.systems);
}

TEST_CASE("random systems under round robin stay within their bounds") {
  BoundTrial trial;
  std::mt19937 random(22);
  const SystemFeatures of_turns = features_of(
      {SystemFeature::periodic, SystemFeature::offset, SystemFeature::jitter, SystemFeature::minimum_distance,
       SystemFeature::sporadic, SystemFeature::burst, SystemFeature::trigger, SystemFeature::interrupt,
       SystemFeature::varying_times, SystemFeature::branch, SystemFeature::runnables, SystemFeature::overhead,
       SystemFeature::child_scheduler, SystemFeature::round_robin, SystemFeature::deadline});
  const std::uint64_t systems = is_thorough() ? 25'000 : 300;
  for (std::uint64_t index = 0; index < systems; ++index) {
    RandomSystemOptions options;
    options.must = features_of({SystemFeature::round_robin});
    if (index % 2 == 0)
      options.must.set(index / 2 % feature_count);
    else
      options.may = of_turns;
    RandomSystem drawn = random_system(random, options);
    // Otherwise few tasks have the same priority.
    for (TaskIndex task = 0; index % 4 > 0 && task < drawn.system.tasks.size(); ++task)
      drawn.system.tasks[task].priority = 1 + (index % 4 == 3 ? task % 2 : 0);
    trial.run(drawn, index, 4);
  }
  INFO(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > trial.systems);
}

TEST_CASE("thousands of random systems under CPU traffic stay within their bounds", "[long]") {
  std::mt19937 random(15);
  BoundTrial trial;
  const std::uint64_t systems = is_thorough() ? 100'000U : times(2'000U);
  for (std::uint64_t index = 0; index < systems; ++index) {
    RandomSystemOptions options;
    options.must = features_of({SystemFeature::cpu_traffic});
    options.must.set(index % feature_count);
    trial.run(random_system(random, options), index, 4);
  }
  WARN(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > 2 * trial.systems);
}

TEST_CASE("random systems with AMD GPUs stay within their bounds") {
  BoundTrial trial;
  std::mt19937 random(25);
  for (std::uint64_t index = 0; index < (is_thorough() ? 60'000 : 300); ++index) {
    RandomSystemOptions options;
    options.must = features_of({SystemFeature::amd});
    if (index % 4 > 0) options.must |= features_of({SystemFeature::blocks, SystemFeature::shared_context});
    if (index % 4 > 1) options.must.set(static_cast<std::size_t>(SystemFeature::cu_mask));
    if (index % 4 == 3) options.may.reset(static_cast<std::size_t>(SystemFeature::copy));
    trial.run(random_system(random, options), index, 4);
  }
  INFO(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > 2 * trial.systems);
}

TEST_CASE("random systems with AMD GPUs stay within their bounds where queues and costs of kernels are stated") {
  BoundTrial trial;
  std::mt19937 random(26);
  for (std::uint64_t index = 0; index < (is_thorough() ? 60'000 : 400); ++index) {
    RandomSystemOptions options;
    options.must = features_of({SystemFeature::amd, SystemFeature::blocks});
    options.few = index % 2 == 0;
    if (index % 4 > 1) options.must.set(static_cast<std::size_t>(SystemFeature::cu_mask));
    options.may.reset(static_cast<std::size_t>(SystemFeature::offload));
    RandomSystem drawn = random_system(random, options);
    add_costs(drawn, random);
    trial.run(drawn, index, 4);
  }
  WARN(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > trial.systems);
}

TEST_CASE("random systems whose GPUs have any properties stay within their bounds") {
  const SystemFeatures properties =
      gpu_properties() | features_of({SystemFeature::coarse_preemption, SystemFeature::context_priority,
                                      SystemFeature::shared_stream, SystemFeature::occupancy});
  BoundTrial trial;
  std::mt19937 random(32);
  std::uint64_t property = 0;
  for (std::uint64_t index = 0; index < (is_thorough() ? 60'000 : 900); ++index) {
    RandomSystemOptions options;
    do property = (property + 1) % feature_count;
    while (!properties[property]);
    options.must.set(property);
    // Often on NVIDIA GPUs only, with several tasks in a process, and with little beside them.
    if (index % 4 > 0) options.may &= ~features_of({SystemFeature::amd, SystemFeature::cu_mask});
    if (index % 2 == 0) options.must.set(static_cast<std::size_t>(SystemFeature::shared_context));
    options.few = index % 3 == 0;
    options.must.set(index / properties.count() % feature_count);
    options.must &= options.may;
    trial.run(random_system(random, options), index, 4);
  }
  WARN(trial.text());
  CHECK(trial.faults.empty());
  CHECK(3 * trial.bounded > trial.bounded + trial.unbounded);
}

TEST_CASE("random systems with tasks that migrate between unequal cores stay within their bounds") {
  BoundTrial trial;
  std::mt19937 random(27);
  for (std::uint64_t index = 0; index < (is_thorough() ? 30'000 : 300); ++index) {
    RandomSystemOptions options;
    options.must = features_of({SystemFeature::unequal_cores});
    if (index % 2 == 0) options.must.set(index / 2 % feature_count);
    trial.run(random_system(random, options), index, 4);
  }
  INFO(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > trial.systems);
}

TEST_CASE("random systems with semaphores without an effective ceiling stay within their bounds") {
  BoundTrial trial;
  std::mt19937 random(23);
  const std::uint64_t systems = is_thorough() ? 40'000 : 400;
  for (std::uint64_t index = 0; index < systems; ++index) {
    RandomSystemOptions options;
    options.may.reset(static_cast<std::size_t>(SystemFeature::polled_semaphore));
    if (index % 4 > 0) options.may.reset(static_cast<std::size_t>(SystemFeature::several_cores));
    options.must = index % 5 == 0   ? features_of({SystemFeature::ceiling, SystemFeature::earliest_deadline})
                   : index % 5 == 1 ? features_of({SystemFeature::counting_semaphore})
                                    : features_of({SystemFeature::semaphore});
    options.must.set(index / 4 % feature_count);
    options.must &= options.may;
    trial.run(random_system(random, options), index, 4);
  }
  INFO(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > trial.systems);
}

TEST_CASE("random systems with semaphores that cores share stay within their bounds") {
  BoundTrial trial;
  std::mt19937 random(25);
  const std::uint64_t systems = is_thorough() ? 40'000 : 400;
  const SystemFeatures of_shared =
      features_of({SystemFeature::periodic, SystemFeature::offset, SystemFeature::jitter, SystemFeature::sporadic,
                   SystemFeature::trigger, SystemFeature::several_stimuli, SystemFeature::non_preemptive,
                   SystemFeature::uninterruptible, SystemFeature::varying_times, SystemFeature::ceiling,
                   SystemFeature::semaphore, SystemFeature::counting_semaphore, SystemFeature::polled_semaphore,
                   SystemFeature::shared_ceiling, SystemFeature::fixed_priority, SystemFeature::round_robin,
                   SystemFeature::several_cores, SystemFeature::deadline});
  for (std::uint64_t index = 0; index < systems; ++index) {
    RandomSystemOptions options;
    options.must = features_of(
        {index % 2 == 0 ? SystemFeature::semaphore : SystemFeature::shared_ceiling, SystemFeature::several_cores});
    if (index % 3 == 0) options.must.set(static_cast<std::size_t>(SystemFeature::polled_semaphore));
    if (index % 4 < 2)
      options.must.set(index / 4 % feature_count);
    else
      options.may = of_shared;
    RandomSystem drawn = random_system(random, options);
    // Otherwise few waits have a bound.
    if (index % 5 > 0)
      for (Stimulus& stimulus : drawn.system.stimuli)
        if (auto* periodic = std::get_if<Periodic>(&stimulus.occurrence))
          periodic->period = periodic->period * static_cast<std::int64_t>(index % 5);
    trial.run(drawn, index, 4);
  }
  INFO(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > trial.systems);
}

TEST_CASE("random systems whose tasks wait for events of other tasks stay within their bounds") {
  BoundTrial trial;
  std::mt19937 random(31);
  const std::uint64_t systems = is_thorough() ? 40'000 : 400;
  const SystemFeatures of_waits = features_of({SystemFeature::periodic,         SystemFeature::offset,
                                               SystemFeature::jitter,           SystemFeature::sporadic,
                                               SystemFeature::trigger,          SystemFeature::trigger_chain,
                                               SystemFeature::event_stimulus,   SystemFeature::several_stimuli,
                                               SystemFeature::activation_limit, SystemFeature::varying_times,
                                               SystemFeature::non_preemptive,   SystemFeature::interrupt,
                                               SystemFeature::fixed_priority,   SystemFeature::earliest_deadline,
                                               SystemFeature::several_cores,    SystemFeature::global,
                                               SystemFeature::server,           SystemFeature::semaphore,
                                               SystemFeature::overhead,         SystemFeature::host_wait,
                                               SystemFeature::host_call,        SystemFeature::any_wait,
                                               SystemFeature::effect_branch,    SystemFeature::deadline});
  constexpr SystemFeature kinds[] = {SystemFeature::host_wait, SystemFeature::host_call, SystemFeature::any_wait};
  for (std::uint64_t index = 0; index < systems; ++index) {
    RandomSystemOptions options;
    options.must = features_of({kinds[index % 3]});
    if (index % 4 < 2)
      options.must.set(index / 4 % feature_count);
    else
      options.may = of_waits | (index % 8 < 4 ? gpu_features() : SystemFeatures{});
    if (index % 5 < 2) options.must.set(static_cast<std::size_t>(SystemFeature::several_cores));
    if (index % 6 < 2) options.must.set(static_cast<std::size_t>(SystemFeature::effect_branch));
    options.must &= options.may;
    RandomSystem drawn = random_system(random, options);
    // Otherwise few waits have a bound.
    for (Stimulus& stimulus : drawn.system.stimuli)
      if (auto* periodic = std::get_if<Periodic>(&stimulus.occurrence))
        periodic->period = periodic->period * static_cast<std::int64_t>(1 + index % 5);
    trial.run(drawn, index, 4);
  }
  INFO(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > trial.systems);
  CHECK(3 * trial.awaiting > trial.systems);
}

TEST_CASE("no observed chain latency exceeds its bound under implicit communication") {
  // Chains have bounds if the releases of all their tasks always come again.
  RandomSystemOptions options;
  options.may = features_of({SystemFeature::periodic,
                             SystemFeature::offset,
                             SystemFeature::jitter,
                             SystemFeature::trigger,
                             SystemFeature::trigger_chain,
                             SystemFeature::activation_limit,
                             SystemFeature::varying_times,
                             SystemFeature::runnables,
                             SystemFeature::branch,
                             SystemFeature::non_preemptive,
                             SystemFeature::cooperative,
                             SystemFeature::interrupt,
                             SystemFeature::ceiling,
                             SystemFeature::fixed_priority,
                             SystemFeature::osek,
                             SystemFeature::rate_monotonic,
                             SystemFeature::several_cores,
                             SystemFeature::global,
                             SystemFeature::offload,
                             SystemFeature::polling,
                             SystemFeature::passive_waiting,
                             SystemFeature::device_trigger,
                             SystemFeature::deadline,
                             SystemFeature::chain});
  options.must = features_of({SystemFeature::chain});
  options.one_in = 3;
  std::mt19937 random(77);
  BoundTrial trial;
  const std::uint64_t systems = is_thorough() ? 25'000 : 200;
  for (std::uint64_t index = 0; index < systems; ++index) trial.run(random_system(random, options), index, 1);
  INFO(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.chains > 150);
}

TEST_CASE("random systems with measured memory contention stay within their bounds") {
  const engine::DeviceProfile& measured = *engine::find_profile("tx2");
  BoundTrial trial;
  std::mt19937 random(24);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  RandomSystemOptions options;
  options.must = features_of({SystemFeature::offload, SystemFeature::blocks, SystemFeature::cpu_traffic});
  std::uint64_t of_measurements = 0;
  for (std::uint64_t index = 0; index < (is_thorough() ? 100'000 : 60); ++index) {
    RandomSystem drawn = random_system(random, options);
    drawn.profile.measured_memory = measured.measured_memory;
    drawn.profile.measured_cases = measured.measured_cases;
    const engine::nvidia::ContentionLaw law(drawn.profile);
    for (NodeIndex node = 0; node < drawn.system.graph.size(); ++node) {
      auto* kernel = std::get_if<Kernel>(&drawn.system.graph[node].activity);
      if (kernel == nullptr) continue;
      kernel->footprint = DataSize{std::int64_t{1} << draw(10, 26)};
      if (draw(1, 4) == 1) continue;  // the table applies beside such a kernel
      KernelAccess access;
      access.pattern = draw(0, 1) == 0 ? KernelAccess::Pattern::sequential : KernelAccess::Pattern::random;
      access.zero_copy = draw(1, 4) == 1;
      access.same_element = draw(0, 1) == 0;
      kernel->access = access;
      of_measurements +=
          law.basis_of(engine::gpu::memory_of(*kernel, drawn.profile)) == engine::gpu::ContentionBasis::measured;
    }
    trial.run(drawn, index, 4);
  }
  INFO(trial.text());
  CHECK(of_measurements > trial.systems);
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > trial.systems);
}

}  // namespace random_systems_test
