// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_system.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "engine/program/kernel_instructions.hpp"
#include "tests/support/random_system/generator.hpp"

namespace test {

namespace {

using drawing::F;
using drawing::index_of;

constexpr std::string_view feature_names[] = {"periodic",
                                              "offset",
                                              "jitter",
                                              "minimum distance",
                                              "sporadic",
                                              "synthetic",
                                              "burst",
                                              "arrival curve",
                                              "variable rate",
                                              "single",
                                              "trigger",
                                              "trigger chain",
                                              "event stimulus",
                                              "several stimuli",
                                              "counter",
                                              "condition",
                                              "activation limit",
                                              "interrupt",
                                              "cooperative",
                                              "non-preemptive",
                                              "schedule point",
                                              "uninterruptible",
                                              "runnables",
                                              "varying times",
                                              "branch",
                                              "mode branch",
                                              "effect branch",
                                              "loop",
                                              "early end",
                                              "ceiling",
                                              "semaphore",
                                              "counting semaphore",
                                              "polled semaphore",
                                              "shared ceiling",
                                              "memory",
                                              "memory table",
                                              "dynamic contention",
                                              "overhead",
                                              "rounding",
                                              "host wait",
                                              "host call",
                                              "any wait",
                                              "fixed priority",
                                              "OSEK",
                                              "rate monotonic",
                                              "deadline monotonic",
                                              "earliest deadline",
                                              "round robin",
                                              "child scheduler",
                                              "server",
                                              "nested server",
                                              "constant bandwidth",
                                              "deadline child",
                                              "several cores",
                                              "global",
                                              "unequal cores",
                                              "offload",
                                              "polling",
                                              "passive waiting",
                                              "work beside",
                                              "several visits",
                                              "device alone",
                                              "device trigger",
                                              "shared context",
                                              "shared stream",
                                              "copy",
                                              "memset",
                                              "blocks",
                                              "context switch",
                                              "interference",
                                              "CPU traffic",
                                              "copy engines",
                                              "coarse preemption",
                                              "AMD GPU",
                                              "CU mask",
                                              "deadline",
                                              "chain",
                                              "data chain",
                                              "rare access",
                                              "chain limit",
                                              "constraint",
                                              "requirement",
                                              "tie",
                                              "several roots",
                                              "spinlock",
                                              "exclusive",
                                              "context priority",
                                              "SM mask",
                                              "occupancy",
                                              "kernel instructions",
                                              "kernel mask",
                                              "same SM",
                                              "clusters",
                                              "pageable memory",
                                              "copy time",
                                              "NULL stream",
                                              "stream priority",
                                              "stream preemption",
                                              "constant traffic",
                                              "MPS",
                                              "several GPUs"};
static_assert(std::size(feature_names) == feature_count);

/// Features that prevent bounds: only in some systems, unless required.
SystemFeatures without_bound() {
  return features_of({F::loop, F::early_end, F::semaphore, F::counting_semaphore, F::polled_semaphore, F::server,
                      F::nested_server, F::host_wait, F::host_call, F::any_wait, F::copy_engines, F::coarse_preemption,
                      F::shared_stream, F::spinlock, F::exclusive, F::pageable_memory, F::null_stream,
                      F::stream_preemption, F::mps});
}

/// Features that cannot be bounded together with earliest deadline first or migrating tasks.
SystemFeatures not_with_all_schedulers() {
  return features_of(
      {F::cooperative, F::non_preemptive, F::uninterruptible, F::ceiling, F::offload, F::child_scheduler});
}

/// What a feature needs to occur.
SystemFeatures needs(SystemFeature feature) {
  switch (feature) {
    case F::offset:
    case F::jitter:
    case F::minimum_distance:
      return features_of({F::periodic});
    case F::trigger_chain:
      return features_of({F::trigger});
    case F::counter:
      return features_of({F::trigger});
    case F::global:
      return features_of({F::several_cores});
    case F::unequal_cores:
      return features_of({F::global});
    case F::polled_semaphore:
      return features_of({F::semaphore});
    case F::shared_ceiling:
      return features_of({F::several_cores});
    case F::nested_server:
      return features_of({F::server});
    case F::polling:
    case F::passive_waiting:
    case F::work_beside:
    case F::several_visits:
    case F::device_trigger:
      return features_of({F::offload});
    case F::shared_stream:
      return features_of({F::shared_context, F::offload});
    case F::cu_mask:
      return features_of({F::amd, F::blocks});
    case F::sm_mask:
    case F::occupancy:
      return features_of({F::blocks, F::offload});
    case F::kernel_instructions:
    case F::kernel_mask:
    case F::same_sm:
    case F::clusters:
      return features_of({F::blocks, F::offload});
    case F::pageable_memory:
    case F::copy_time:
      return features_of({F::copy, F::offload});
    case F::null_stream:
      return features_of({F::shared_context, F::offload});
    case F::stream_preemption:
      return features_of({F::stream_priority, F::shared_context, F::offload});
    case F::rare_access:
    case F::chain_limit:
      return features_of({F::data_chain});
    case F::spinlock:
      return features_of({F::several_cores});
    case F::memory_table:
      return features_of({F::memory});
    case F::dynamic_contention:
      return features_of({F::memory_table, F::several_cores});
    case F::cpu_traffic:
      return features_of({F::memory, F::offload});
    default:
      return gpu_features()[index_of(feature)] && feature != F::device_alone && feature != F::offload
                 ? features_of({F::offload})
                 : SystemFeatures{};
  }
}

SystemFeatures with_needs(SystemFeatures wanted) {
  for (bool again = true; again;) {
    const SystemFeatures before = wanted;
    for (std::size_t i = 0; i < feature_count; ++i)
      if (wanted[i]) wanted |= needs(static_cast<SystemFeature>(i));
    again = wanted != before;
  }
  return wanted;
}

}  // namespace

namespace drawing {

RandomSystem Generator::make() {
  make_platform();
  load_ = draw(20, on(F::amd) ? 50 : 90);
  roots_ = few_ ? draw(1, 2) : draw(2, 4) + (cores_.size() > 1 ? 1 : 0);
  for (int root = 0; root < roots_; ++root) make_root();
  if (on(F::chain))
    for (int chains = draw(1, 4); chains > 0; --chains) make_chain();
  if (on(F::data_chain))
    for (int chains = draw(1, 2); chains > 0; --chains) make_data_chain();
  if (on(F::constraint))
    for (int constraints = draw(1, 4); constraints > 0; --constraints) make_constraint();
  if (on(F::requirement))
    for (int requirements = draw(1, 3); requirements > 0; --requirements) make_requirement();
  RandomSystem made;
  made.system = maker_.build();
  made.profile = profile_;
  if (on(F::kernel_instructions)) resolve(made);
  made.memory = memory_;
  if (on(F::dynamic_contention)) made.contention = engine::Contention::dynamic;
  if (on(F::chain_limit)) add_chain_limits(made);
  made.met = what_meets();
  return made;
}

void Generator::resolve(RandomSystem& made) {
  Diagnostics findings;
  if (engine::resolve_instructions(made.system, &made.profile, findings)) return;
  for (NodeIndex node = 0; node < made.system.graph.size(); ++node)
    if (auto* kernel = std::get_if<Kernel>(&made.system.graph[node].activity)) kernel->instructions = {};
}

std::vector<SystemFeatures> Generator::what_meets() {
  const System& system = maker_.system();
  std::vector<SystemFeatures> met = own_;
  for (TaskIndex task = 0; task < met.size(); ++task)
    if (system.tasks[task].side == Side::host) met[task] |= of_scheduler_[system.tasks[task].scheduler];
  for (const auto& [host, device] : partners_) met[host] |= own_[device];
  for (std::size_t round = 0; round < flows_.size(); ++round)
    for (const auto& [by, task] : flows_) met[task] |= met[by];
  return met;
}

}  // namespace drawing

SystemFeatures gpu_properties() {
  return features_of({F::kernel_instructions, F::kernel_mask, F::same_sm, F::clusters, F::pageable_memory, F::copy_time,
                      F::null_stream, F::stream_priority, F::stream_preemption, F::constant_traffic, F::mps,
                      F::several_gpus});
}

SystemFeatures gpu_features() {
  return gpu_properties() | features_of({F::offload,           F::polling,      F::passive_waiting, F::work_beside,
                                         F::several_visits,    F::device_alone, F::device_trigger,  F::shared_context,
                                         F::shared_stream,     F::copy,         F::memset,          F::blocks,
                                         F::context_switch,    F::interference, F::cpu_traffic,     F::copy_engines,
                                         F::coarse_preemption, F::amd,          F::cu_mask,         F::context_priority,
                                         F::sm_mask,           F::occupancy});
}

std::string_view name_of(SystemFeature feature) { return feature_names[index_of(feature)]; }

SystemFeatures features_of(std::initializer_list<SystemFeature> list) {
  SystemFeatures made;
  for (const SystemFeature feature : list) made.set(index_of(feature));
  return made;
}

SystemFeatures RandomSystem::has() const {
  SystemFeatures all;
  for (const SystemFeatures& each : met) all |= each;
  return all;
}

bool RandomSystem::meets(SystemFeature a, SystemFeature b) const {
  return std::any_of(met.begin(), met.end(),
                     [&](const SystemFeatures& each) { return each[index_of(a)] && each[index_of(b)]; });
}

RandomSystem random_system(std::mt19937& random, const RandomSystemOptions& options) {
  // After some attempts those features come along by which others meet.
  constexpr int attempts = 60, hard_from = 10;
  std::vector<SystemFeature> must;
  for (std::size_t i = 0; i < feature_count; ++i)
    if (options.must[i]) must.push_back(static_cast<SystemFeature>(i));
  for (int attempt = 1;; ++attempt) {
    SystemFeatures palette = options.must;
    const SystemFeatures rare = without_bound();
    // Drawn apart, so that systems without these features stay as they were.
    const SystemFeatures later =
        gpu_properties() | features_of({F::effect_branch, F::host_call, F::any_wait, F::data_chain, F::rare_access,
                                        F::chain_limit, F::constraint, F::requirement, F::tie, F::several_roots,
                                        F::spinlock, F::exclusive, F::context_priority, F::sm_mask, F::occupancy});
    std::mt19937 apart = random;
    for (std::size_t i = 0; i < feature_count; ++i) {
      const int among = options.one_in * (rare[i] ? 6 : 1);
      const bool drawn = std::uniform_int_distribution<int>(1, among)(later[i] ? apart : random) == 1;
      if (drawn) palette.set(i);
    }
    palette &= options.may | ~gpu_properties();  // what they need comes with them
    if (attempt > hard_from)
      palette |= features_of({F::trigger, F::trigger_chain, F::several_cores, F::several_stimuli});
    palette = with_needs(palette) & options.may;
    // What keeps each other from having bounds is seldom together unless it must be.
    if ((palette & features_of({F::earliest_deadline, F::global})).any() &&
        std::uniform_int_distribution<int>(1, 4)(random) > 1)
      palette &= ~not_with_all_schedulers() | with_needs(options.must);
    // What a system is never without.
    if ((palette &
         features_of({F::osek, F::rate_monotonic, F::deadline_monotonic, F::earliest_deadline, F::round_robin}))
            .none() ||
        std::uniform_int_distribution<int>(1, 3)(random) == 1)
      palette.set(index_of(F::fixed_priority));
    if (std::uniform_int_distribution<int>(1, 3)(random) > 1) palette |= features_of({F::varying_times, F::deadline});
    if (std::uniform_int_distribution<int>(1, 4)(random) > 1) palette.set(index_of(F::periodic));
    palette &= options.may | features_of({F::fixed_priority, F::periodic});
    RandomSystem made = drawing::Generator(random, palette, options).make();
    const bool has = (made.has() & options.must) == options.must;
    if (attempt == attempts || (has && (must.size() != 2 || made.meets(must.front(), must.back())))) return made;
  }
}

PairedSystems::PairedSystems(std::uint32_t seed, SystemFeatures may) : random_(seed), may_(may) {
  for (std::size_t a = 0; a < feature_count; ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (may[a] && may[b]) pairs_.emplace_back(static_cast<SystemFeature>(a), static_cast<SystemFeature>(b));
  std::shuffle(pairs_.begin(), pairs_.end(), random_);
}

RandomSystem PairedSystems::next() {
  const auto [a, b] = pairs_[at_++ % pairs_.size()];
  return random_system(random_, {may_, features_of({a, b}), 8});
}

void PairTable::add(const RandomSystem& system) {
  std::array<SystemFeatures, feature_count> beside{};
  for (const SystemFeatures& each : system.met)
    for (std::size_t a = 0; a < feature_count; ++a)
      if (each[a]) beside[a] |= each;
  for (std::size_t a = 0; a < feature_count; ++a)
    for (std::size_t b = 0; b <= a; ++b) count_[a][b] += beside[a][b] ? 1 : 0;
}

std::string PairTable::missing() const {
  std::string text;
  for (std::size_t a = 0; a < feature_count; ++a)
    for (std::size_t b = 0; b <= a; ++b)
      if (count_[a][b] == 0) text += fmt::format("{} with {}\n", feature_names[a], feature_names[b]);
  return text;
}

std::string PairTable::text() const {
  std::string text = "systems in which two features met: with itself, then with those before it in this order\n";
  for (std::size_t a = 0; a < feature_count; ++a) {
    text += fmt::format("{:<18} {:>6} |", feature_names[a], count_[a][a]);
    for (std::size_t b = 0; b < a; ++b) text += fmt::format(" {}", count_[a][b]);
    text += '\n';
  }
  return text;
}

}  // namespace test
