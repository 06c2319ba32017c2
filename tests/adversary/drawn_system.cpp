// SPDX-License-Identifier: Apache-2.0
#include "tests/adversary/drawn_system.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "engine/chains/chain_limits.hpp"
#include "engine/constraints/detail/constraint_guarantees.hpp"
#include "engine/devices/chosen_devices.hpp"
#include "engine/program/kernel_instructions.hpp"
#include "engine/program/program.hpp"
#include "engine/program/releases.hpp"
#include "engine/requirements.hpp"
#include "tests/adversary/additions.hpp"
#include "tests/support/system_file.hpp"

namespace adversary {
namespace {

using namespace amalthea;
using namespace amalthea::engine;
using test::features_of;
using test::SystemFeatures;
using F = test::SystemFeature;
using Random = std::mt19937;

constexpr Duration simulated = Duration::microseconds(1000);
/// With which bounds for the stated offsets do not take long.
constexpr std::uint64_t states = 20'000;
/// Limits beyond are none.
constexpr std::int64_t longest = std::int64_t{1} << 50;

int draw(Random& random, int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }
bool one_in(Random& random, int n) { return draw(random, 1, n) == 1; }
template <typename Value>
const Value& any_of(const std::vector<Value>& values, Random& random) {
  return values[static_cast<std::size_t>(draw(random, 0, static_cast<int>(values.size()) - 1))];
}
Random generator(std::uint32_t seed, std::uint32_t number, std::uint32_t item) {
  std::seed_seq sequence{seed, number, item};
  return Random(sequence);
}

// ---- themes

SystemFeatures releases() {
  return features_of({F::periodic, F::offset, F::jitter, F::minimum_distance, F::sporadic, F::synthetic, F::burst,
                      F::arrival_curve, F::several_stimuli, F::trigger, F::trigger_chain, F::activation_limit});
}
SystemFeatures usual() {
  return features_of({F::periodic, F::varying_times, F::deadline, F::chain, F::fixed_priority});
}

using Addition = void (*)(System&, Random);

struct Theme {
  SystemFeatures may;
  int one_in = 3;
  SystemFeatures must = {};  ///< at least one of them, if there are any
  int additions = 6;         ///< each kind of addition is made in one system of so many
  std::vector<Addition> always = {};
  bool few = false;          ///< often few tasks, whose bounds are tight
  bool for_offsets = false;  ///< bounds for the stated offsets
};

/// Features of which the reference knows nothing are only in systems of any features.
std::vector<Theme> themes() {
  const SystemFeatures one_core =
      usual() | releases() |
      features_of({F::cooperative, F::non_preemptive, F::schedule_point, F::uninterruptible, F::runnables, F::interrupt,
                   F::ceiling, F::round_robin, F::osek, F::branch});
  const SystemFeatures deadlines =
      usual() | releases() |
      features_of({F::earliest_deadline, F::cooperative, F::non_preemptive, F::uninterruptible, F::interrupt,
                   F::deadline_monotonic, F::rate_monotonic});
  const SystemFeatures turns = usual() | features_of({F::round_robin, F::jitter, F::sporadic, F::trigger, F::offset});
  const SystemFeatures several = usual() | releases() |
                                 features_of({F::several_cores, F::global, F::cooperative, F::non_preemptive,
                                              F::uninterruptible, F::earliest_deadline});
  const SystemFeatures servers = usual() | features_of({F::jitter, F::sporadic, F::server, F::nested_server,
                                                        F::constant_bandwidth, F::deadline_child, F::child_scheduler,
                                                        F::earliest_deadline, F::uninterruptible, F::non_preemptive});
  const SystemFeatures events =
      usual() | releases() |
      features_of({F::event_stimulus, F::counter, F::host_wait, F::host_call, F::any_wait, F::effect_branch, F::loop,
                   F::several_cores, F::condition, F::early_end, F::mode_branch});
  const SystemFeatures semaphores =
      usual() | features_of({F::jitter, F::several_cores, F::semaphore, F::counting_semaphore, F::polled_semaphore,
                             F::shared_ceiling, F::ceiling, F::trigger, F::sporadic});
  const SystemFeatures gpu =
      usual() | features_of({F::jitter,         F::offload,           F::polling,       F::passive_waiting,
                             F::work_beside,    F::several_visits,    F::device_alone,  F::device_trigger,
                             F::shared_context, F::shared_stream,     F::copy,          F::memset,
                             F::blocks,         F::context_switch,    F::interference,  F::cpu_traffic,
                             F::copy_engines,   F::coarse_preemption, F::several_cores, F::memory,
                             F::null_stream,    F::stream_priority,   F::same_sm,       F::clusters,
                             F::several_gpus,   F::context_priority,  F::occupancy,     F::sm_mask});
  const SystemFeatures data =
      usual() | features_of({F::offset, F::jitter, F::runnables, F::memory, F::several_cores, F::trigger,
                             F::trigger_chain, F::sporadic, F::activation_limit, F::branch, F::effect_branch, F::loop,
                             F::condition, F::offload, F::passive_waiting, F::any_wait, F::event_stimulus, F::burst});
  // Few features, so that bounds stay tight.
  const SystemFeatures limited =
      usual() | features_of({F::activation_limit, F::burst, F::trigger, F::several_cores, F::non_preemptive});
  const SystemFeatures triggered =
      usual() | features_of({F::trigger, F::trigger_chain, F::several_stimuli, F::several_cores, F::jitter,
                             F::interrupt, F::event_stimulus});
  const SystemFeatures waits = usual() | features_of({F::jitter, F::sporadic, F::activation_limit, F::several_cores,
                                                      F::offset, F::burst, F::trigger});
  const SystemFeatures alternatives =
      usual() | features_of({F::runnables, F::branch, F::effect_branch, F::trigger, F::event_stimulus, F::several_cores,
                             F::sporadic, F::jitter});
  const SystemFeatures visits =
      usual() | features_of({F::offload, F::passive_waiting, F::several_cores, F::work_beside});
  const SystemFeatures known_releases =
      features_of({F::periodic, F::offset, F::jitter, F::varying_times, F::deadline, F::chain, F::fixed_priority,
                   F::deadline_monotonic, F::non_preemptive, F::cooperative, F::schedule_point, F::uninterruptible,
                   F::earliest_deadline, F::several_cores, F::global, F::tie});
  SystemFeatures any = test::all_features();
  SystemFeatures known = any;
  for (const F unknown :
       {F::amd, F::cu_mask, F::memory_table, F::dynamic_contention, F::kernel_instructions, F::kernel_mask,
        F::pageable_memory, F::copy_time, F::stream_preemption, F::constant_traffic, F::mps})
    known.reset(static_cast<std::size_t>(unknown));
  return {{known, 8},
          {one_core, 3},
          {deadlines, 2},
          {turns, 2},
          {limited, 2, features_of({F::trigger}), 2, {vary_around_triggers, limit_activations, fill_cores}, true},
          {several, 2},
          {servers, 2, {}, 6, {}, true},
          {triggered, 2, features_of({F::trigger}), 2, {}, true},
          {events, 3},
          {semaphores, 2},
          {waits, 2, features_of({F::periodic, F::jitter}), 2, {add_waits}, true},
          {gpu, 3},
          {data, 3},
          {alternatives, 2, features_of({F::branch, F::effect_branch}), 2, {add_alternatives, switch_off}, true},
          {visits, 3, features_of({F::offload}), 8, {widen_waits}, true},
          {turns, 4, {}, 8, {add_served_task, add_losing_setter}, true},
          {turns, 4, {}, 12, {add_waiting_rivals, add_hasty_host}, true},
          {turns, 4, {}, 12, {add_tied_chain, add_losing_chain, add_row_chain}, true},
          {known_releases, 2, features_of({F::offset}), 24, {}, false, true},
          {any, 6}};
}

/// Of systems from first_sharing on.
Theme sharing_theme() {
  const SystemFeatures sharing =
      usual() | features_of({F::jitter, F::offload, F::polling, F::passive_waiting, F::device_alone, F::shared_context,
                             F::copy, F::memset, F::blocks, F::context_switch, F::several_cores, F::several_visits});
  return {sharing, 3, features_of({F::blocks}), 12, {}, true};
}

const Theme& theme_of(std::uint32_t number) {
  static const Theme sharing = sharing_theme();
  if (number >= first_sharing) return sharing;
  static const std::vector<Theme> all = themes();
  constexpr std::uint32_t any_each = 8;
  const auto known = static_cast<std::uint32_t>(all.size() - 1);
  return number % (known * any_each) == known * any_each - 1 ? all.back() : all[number % known];
}

test::RandomSystem random_system(Random& random, const Theme& theme) {
  const auto any_feature = [&](const SystemFeatures& of) {
    std::vector<std::size_t> features;
    for (std::size_t feature = 0; feature < test::feature_count; ++feature)
      if (of[feature]) features.push_back(feature);
    return any_of(features, random);
  };
  test::RandomSystemOptions options;
  options.may = theme.may;
  options.one_in = theme.one_in;
  options.must.set(any_feature(theme.must.any() ? theme.must : theme.may));
  options.must.set(any_feature(theme.may));
  options.few = theme.few && !one_in(random, 3);
  return test::random_system(random, options);
}

/// Features that meet too seldom by chance.
void add_rare(System& system, const Theme& theme, std::uint32_t seed, std::uint32_t number) {
  std::uint32_t item = 20;
  for (const Addition addition : theme.always) addition(system, generator(seed, number, item++));
  for (const Addition addition : {add_waits, widen_waits, vary_around_triggers, share_triggers, limit_activations,
                                  add_alternatives, fill_cores, switch_off}) {
    Random random = generator(seed, number, item++);
    const bool done = std::find(theme.always.begin(), theme.always.end(), addition) != theme.always.end();
    if (!done && one_in(random, theme.additions)) addition(system, random);
  }
}

/// Sometimes priorities or deadlines are alike, so that the order of tasks is open.
void make_equal(System& system, Random random) {
  if (one_in(random, 4))
    for (Task& task : system.tasks) task.priority = 3;
  if (one_in(random, 6))
    for (Task& task : system.tasks)
      if (task.deadline) task.deadline = Duration::microseconds(240);
}

/// Kernels often, or always, have instructions.
void use_instructions(test::RandomSystem& random_system, bool always, Random random) {
  DeviceProfile& profile = random_system.profile;
  if (!profile.multiprocessors || profile.amd || (one_in(random, 3) && !always)) return;
  profile.multiprocessors->load_store_units = profile.multiprocessors->special_units = 32;
  add_instructions(random_system.system, random);
}

/// Blocks with times often slow each other down on one SM. Then most processes are one.
void slow_on_same_sm(test::RandomSystem& random_system, Random random) {
  DeviceProfile& profile = random_system.profile;
  const auto& graph = random_system.system.graph;
  if (!profile.multiprocessors || profile.amd || one_in(random, 2)) return;
  for (NodeIndex node = 0; node < graph.size(); ++node)
    if (const auto* kernel = std::get_if<Kernel>(&graph[node].activity); kernel != nullptr && kernel->instructions)
      return;
  profile.interference.kernel_by_same_sm.ppm = draw(random, 3, 6) * 500'000;
  if (one_in(random, 3)) return;
  for (Task& task : random_system.system.tasks) {
    if (task.side != Side::device || !task.gpu.context.empty()) continue;
    task.gpu.context = "one process";
    task.gpu.runlist_slots = 2;
  }
}

/// Often, or always, the warps of kernels in a process or two share SMs, with masks and slowdowns.
void share_sms(test::RandomSystem& random_system, bool always, Random random) {
  DeviceProfile& profile = random_system.profile;
  System& system = random_system.system;
  std::vector<Kernel*> kernels;
  for (NodeIndex node = 0; node < system.graph.size(); ++node)
    if (auto* kernel = std::get_if<Kernel>(&system.graph[node].activity)) kernels.push_back(kernel);
  const auto has_instructions = [](const Kernel* kernel) { return bool(kernel->instructions); };
  if (one_in(random, 3) && !always) return;
  if (std::none_of(kernels.begin(), kernels.end(), has_instructions)) return;
  profile.preemption = gpu::Preemption::instruction;
  if (profile.multiprocessors->sms < 4) profile.multiprocessors->sms_per_tpc = 1;
  const bool slows = one_in(random, 2), masks = one_in(random, 3), several = one_in(random, 3);
  if (slows) {
    profile.interference.kernel_by_memcpy.ppm = draw(random, 2, 6) * 500'000;
    profile.interference.kernel_by_same_gpc.ppm = draw(random, 2, 5) * 500'000;
    profile.interference.kernel_by_other_gpc.ppm = draw(random, 2, 4) * 500'000;
    profile.interference.copy_by_kernel.ppm = draw(random, 2, 6) * 500'000;
    profile.interference.kernel_by_same_sm.ppm = draw(random, 2, 4) * 500'000;
  }
  for (Task& task : system.tasks) {
    if (task.side != Side::device) continue;
    task.gpu.context = several && one_in(random, 2) ? "another process" : "one process";
    task.gpu.stream.clear();
    task.gpu.null_stream = false;
    task.gpu.runlist_slots = 2;
    task.gpu.sm_mask = masks && one_in(random, 2) ? (one_in(random, 2) ? "0x1" : "0x2") : "";
  }
  for (Kernel* const kernel : kernels) {
    if (slows) kernel->memory_intensity = draw(random, 0, 2) / 2.0;
    if (kernel->launch) continue;
    Launch launch;
    launch.threads = 32 * draw(random, 1, 3);
    kernel->launch = std::move(launch);
  }
}

/// Often a process has a NULL stream.
void use_null_streams(System& system, Random random) {
  if (one_in(random, 2)) return;
  for (Task& task : system.tasks) {
    if (task.side != Side::device || task.gpu.context.empty()) continue;
    if (task.gpu.stream.empty() && !one_in(random, 4)) continue;
    task.gpu.stream.clear();
    task.gpu.null_stream = true;
  }
}

// ---- limits

/// The least value in [low, high] for which `shown` holds, if it does for all larger ones; nothing if not for `high`.
std::optional<std::int64_t> least_shown(std::int64_t low, std::int64_t high,
                                        const std::function<bool(std::int64_t)>& shown) {
  if (!shown(high)) return std::nullopt;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (shown(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return high;
}
std::optional<std::int64_t> most_shown(std::int64_t low, std::int64_t high,
                                       const std::function<bool(std::int64_t)>& shown) {
  const auto found = least_shown(-high, -low, [&](std::int64_t value) { return shown(-value); });
  return found ? std::optional(-*found) : std::nullopt;
}

class Limiter {
 public:
  Limiter(DrawnSystem& drawn, std::uint32_t seed, std::uint32_t number)
      : drawn_(drawn), system_(drawn.random.system), seed_(seed), number_(number) {}

  void run() {
    const AnalysisOptions options = drawn_.options();
    Diagnostics findings;
    probe_ = system_;
    if (!resolve_instructions(probe_, options.profile, findings)) return;
    auto results = analyze(probe_, options, findings);
    if (!results) return;
    results_ = std::move(*results);
    programs_ = compile_programs(probe_, options.execution, choose_devices(system_, options.profile, nullptr).profiles,
                                 options.compile);
    periods_ = periods_of(system_);
    special_ = special_tasks(system_, true);
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
      if (has_branch(system_, task)) special_.push_back(task);
    add_chain_limits();
    add_requirements();
    add_constraints();
  }

 private:
  Random next() { return generator(seed_, number_, 100 + item_++); }

  // ---- chains

  void add_chain_limits() {
    for (std::size_t chain = 0; chain < system_.chains.size(); ++chain) {
      Random random = next();
      if (one_in(random, 3)) continue;
      ChainLimit limit;
      limit.name = fmt::format("limit{}", chain);
      limit.kind = one_in(random, 2) ? ChainLimit::Kind::age : ChainLimit::Kind::reaction;
      probe_.chains[chain].limits = {limit};
      const auto shown = [&](std::int64_t value) {
        probe_.chains[chain].limits.front().maximum = Duration::picoseconds(value);
        judge_chain_limits(probe_, results_);
        return results_.chains[chain].limits.front().by(drawn_.communication).guaranteed == true;
      };
      const auto least = least_shown(1, longest, shown);
      probe_.chains[chain].limits.clear();
      limit.maximum = Duration::picoseconds(least.value_or(test_value(random)));
      if (least || one_in(random, 6)) system_.chains[chain].limits.push_back(limit);
    }
  }

  std::int64_t test_value(Random& random) { return Duration::microseconds(draw(random, 1, 400)).picoseconds(); }

  // ---- requirements

  void add_requirements() {
    const int count = draw_count(2, 6);
    for (int at = 0; at < count; ++at) {
      Random random = next();
      Requirement requirement;
      requirement.name = fmt::format("requirement{}", at);
      requirement.severity = Requirement::Severity::critical;
      requirement.limit_type = one_in(random, 4) ? Requirement::LimitType::lower : Requirement::LimitType::upper;
      TimeMetric metric = TimeMetric::response_time;
      if (!one_in(random, 3)) metric = static_cast<TimeMetric>(draw(random, 0, static_cast<int>(time_metrics) - 1));
      if (one_in(random, 5)) {
        std::vector<TaskIndex> tasks;
        if (!system_.chains.empty())
          tasks = any_of(system_.chains, random).tasks;
        else
          for (int i = 0; i < 2; ++i) tasks.push_back(any_task(random));
        requirement.kind = Requirement::Kind::process_chain;
        requirement.subject = Requirement::OfChain{tasks};
        metric = one_in(random, 2) ? TimeMetric::response_time : TimeMetric::gross_execution_time;
      } else {
        requirement.kind = Requirement::Kind::process;
        requirement.subject = Requirement::OfProcess{any_task(random)};
      }
      const auto* of = std::get_if<Requirement::OfProcess>(&requirement.subject);
      const auto deadline = of != nullptr ? system_.tasks[of->task].deadline : std::nullopt;
      std::int64_t value = test_value(random);
      if (deadline && one_in(random, 4)) {
        value = deadline->picoseconds();
      } else if (!one_in(random, 6)) {
        const auto shown = [&](std::int64_t limit) {
          requirement.limit = Requirement::TimeLimit{metric, Duration::picoseconds(limit)};
          probe_.requirements = {requirement};
          return judge_requirements(probe_, results_).front().guaranteed == true;
        };
        const auto found = requirement.limit_type == Requirement::LimitType::upper
                               ? least_shown(-longest, longest, shown)
                               : most_shown(-longest, longest, shown);
        probe_.requirements.clear();
        if (!found) continue;
        value = *found;
      }
      requirement.limit = Requirement::TimeLimit{metric, Duration::picoseconds(value)};
      system_.requirements.push_back(std::move(requirement));
    }
  }

  int draw_count(int low, int high) {
    Random random = next();
    return draw(random, low, high);
  }
  /// Often one that a trigger or an event activates, that may lose activations, or that has branches.
  TaskIndex any_task(Random& random) {
    if (!special_.empty() && one_in(random, 2)) return any_of(special_, random);
    return static_cast<TaskIndex>(draw(random, 0, static_cast<int>(system_.tasks.size()) - 1));
  }

  // ---- constraints

  ObservableEvent event_of(TaskIndex task, Random& random) {
    std::vector<ObservableEvent> found;
    const std::string& name = system_.tasks[task].name;
    for (const EventAction action : {EventAction::activate, EventAction::start, EventAction::terminate})
      found.push_back({fmt::format("{}_{}", to_string(action), name), ObservableEvent::OfProcess{task, action, {}}});
    for (StimulusIndex stimulus = 0; stimulus < system_.stimuli.size(); ++stimulus) {
      const auto& activates = system_.stimuli[stimulus].activates;
      if (std::find(activates.begin(), activates.end(), task) != activates.end())
        found.push_back(
            {fmt::format("occurrence_{}", system_.stimuli[stimulus].name), ObservableEvent::OfStimulus{stimulus}});
    }
    std::size_t closed = 0;
    for (std::size_t at = 0; at < system_.tasks[task].body.size(); ++at) {
      const NodeIndex node = system_.tasks[task].body[at];
      const Activity& activity = system_.graph[node].activity;
      const std::size_t before = found.size();
      if (const auto* branch = std::get_if<Branch>(&activity)) {
        std::size_t end = at + 1;
        for (const Branch::Alternative& alternative : branch->alternatives) end += alternative.length;
        closed = std::max(closed, end);
      }
      if (const auto* write = std::get_if<WriteLabel>(&activity))
        found.push_back({fmt::format("write_{}", system_.labels[write->label].name),
                         ObservableEvent::OfLabel{write->label, EventAction::write, {}, {}}});
      if (const auto* read = std::get_if<ReadLabel>(&activity))
        found.push_back({fmt::format("read_{}_{}", system_.labels[read->label].name, name),
                         ObservableEvent::OfLabel{read->label, EventAction::read, {}, task}});
      if (const auto* use = std::get_if<UseSemaphore>(&activity);
          use != nullptr && use->operation != UseSemaphore::Operation::release)
        found.push_back({fmt::format("lock_{}_{}", system_.semaphores[use->semaphore].name, name),
                         ObservableEvent::OfSemaphore{use->semaphore, EventAction::lock, {}, task, {}}});
      if (const auto runnable = system_.graph[node].runnable; runnable && std::holds_alternative<Call>(activity))
        for (const EventAction action : {EventAction::start, EventAction::terminate})
          found.push_back({fmt::format("{}_{}", to_string(action), system_.runnables[*runnable].name),
                           ObservableEvent::OfRunnable{*runnable, action, {}, {}}});
      if (at < closed)  // events in alternatives are few, and chosen more often
        for (std::size_t more = before, end = found.size(); more < end; ++more)
          found.insert(found.end(), 2, found[more]);
    }
    return any_of(found, random);
  }
  /// Often of the same task, or of one that has a stimulus in common.
  TaskIndex related(TaskIndex task, Random& random) {
    if (one_in(random, 2)) return task;
    std::vector<TaskIndex> others;
    for (const Stimulus& stimulus : system_.stimuli)
      if (std::find(stimulus.activates.begin(), stimulus.activates.end(), task) != stimulus.activates.end())
        others.insert(others.end(), stimulus.activates.begin(), stimulus.activates.end());
    if (others.empty() || one_in(random, 3))  // of another stimulus with the same period
      for (TaskIndex other = 0; other < system_.tasks.size(); ++other)
        if (periods_[task] && periods_[other] == periods_[task]) others.push_back(other);
    return others.empty() || one_in(random, 3) ? any_task(random) : any_of(others, random);
  }

  bool shown(const TimingConstraint& constraint) {
    probe_.constraints = {constraint};
    return guaranteed_constraints(probe_, programs_, results_).front().has_value();
  }
  /// As tight as it is shown; nothing if it is not.
  bool tighten(TimingConstraint& constraint, TimeLimits& limits) {
    limits = {Duration::picoseconds(-longest), Duration::picoseconds(longest)};
    const auto most = most_shown(-longest, longest, [&](std::int64_t value) {
      limits.lower = Duration::picoseconds(value);
      return shown(constraint);
    });
    if (!most) return false;
    limits.lower = Duration::picoseconds(*most);
    const auto least = least_shown(-longest, longest, [&](std::int64_t value) {
      limits.upper = Duration::picoseconds(value);
      return shown(constraint);
    });
    limits.upper = least ? std::optional(Duration::picoseconds(*least)) : std::nullopt;
    if (!least || *least >= longest) limits.upper.reset();
    if (*most <= 0) limits.lower.reset();
    return shown(constraint);
  }

  /// Most attempts draw nothing that the product shows.
  void add_constraints() {
    const auto wanted = static_cast<std::size_t>(draw_count(2, 8));
    constexpr int attempts = 30;
    for (int at = 0; at < attempts && system_.constraints.size() < wanted; ++at) {
      Random random = next();
      const TaskIndex task = any_task(random);
      TimingConstraint constraint;
      constraint.name = fmt::format("constraint{}", at);
      bool good = false;
      switch (draw(random, 0, 6)) {
        case 0:
        case 1:
        case 2: {
          ObservableEvent source = event_of(task, random), target = event_of(related(task, random), random);
          if (source.name == target.name) break;  // says nothing
          DelayLimit delay{
              std::move(source), std::move(target), {}, static_cast<DelayLimit::Mapping>(draw(random, 0, 2))};
          constraint.class_name = "DelayConstraint";
          constraint.kind = std::move(delay);
          good = tighten(constraint, std::get<DelayLimit>(constraint.kind).limits);
          break;
        }
        case 3: {
          Repetition repetition{event_of(task, random), 1, {}, {}};
          repetition.span = draw(random, 1, 3);
          if (one_in(random, 2)) repetition.jitter = Duration::microseconds(draw(random, 0, 60));
          constraint.class_name = "RepetitionConstraint";
          constraint.kind = std::move(repetition);
          good = tighten(constraint, std::get<Repetition>(constraint.kind).limits);
          break;
        }
        case 4: {
          EventSynchronization together;
          for (int events = draw(random, 2, 3); events > 0; --events) {
            ObservableEvent event = event_of(related(task, random), random);
            if (std::none_of(together.events.begin(), together.events.end(),
                             [&](const ObservableEvent& other) { return other.name == event.name; }))
              together.events.push_back(std::move(event));
          }
          together.multiple_occurrences = one_in(random, 2);
          constraint.class_name = "EventSynchronizationConstraint";
          constraint.kind = std::move(together);
          Duration& tolerance = std::get<EventSynchronization>(constraint.kind).tolerance;
          const auto least = least_shown(0, longest, [&](std::int64_t value) {
            tolerance = Duration::picoseconds(value);
            return shown(constraint);
          });
          tolerance = Duration::picoseconds(least.value_or(0));
          good = least && std::get<EventSynchronization>(constraint.kind).events.size() > 1;
          break;
        }
        case 5:
          good = add_data_age(constraint, random);
          break;
        default:
          good = add_group(constraint, random);
          break;
      }
      probe_.constraints.clear();
      if (good) system_.constraints.push_back(std::move(constraint));
    }
  }

  bool add_data_age(TimingConstraint& constraint, Random& random) {
    std::vector<std::pair<RunnableIndex, LabelIndex>> reads;
    for (NodeIndex node = 0; node < system_.graph.size(); ++node)
      if (const auto* read = std::get_if<ReadLabel>(&system_.graph[node].activity);
          read && system_.graph[node].runnable)
        reads.emplace_back(*system_.graph[node].runnable, read->label);
    if (reads.empty()) return false;
    const auto [runnable, label] = any_of(reads, random);
    DataAge age;
    age.runnable = runnable;
    age.label = label;
    constraint.class_name = "DataAgeConstraint";
    constraint.kind = std::move(age);
    return tighten(constraint, std::get<DataAge>(constraint.kind).limits);
  }

  bool add_group(TimingConstraint& constraint, Random& random) {
    if (system_.labels.empty()) return false;
    std::vector<LabelIndex> labels;
    for (int count = draw(random, 1, 2); count > 0; --count)
      labels.push_back(static_cast<LabelIndex>(draw(random, 0, static_cast<int>(system_.labels.size()) - 1)));
    DataScope scope;
    scope.tasks.push_back(any_task(random));
    if (one_in(random, 2)) {
      constraint.class_name = "DataStabilityGroup";
      constraint.kind = DataStability{labels, scope};
    } else {
      constraint.class_name = "DataCoherencyGroup";
      constraint.kind = DataCoherency{labels, scope, one_in(random, 2)};
    }
    return shown(constraint);
  }

  DrawnSystem& drawn_;
  System& system_;
  std::uint32_t seed_, number_, item_ = 0;
  System probe_;
  std::vector<TaskIndex> special_;
  std::vector<std::optional<Duration>> periods_;
  Results results_;
  std::vector<Program> programs_;
};

/// Names of stimuli, labels and runnables must differ.
void name_all(System& system) {
  for (std::size_t i = 0; i < system.stimuli.size(); ++i) system.stimuli[i].name = fmt::format("stimulus{}", i);
  for (std::size_t i = 0; i < system.labels.size(); ++i)
    if (system.labels[i].name == "label") system.labels[i].name = fmt::format("copied{}", i);
}

}  // namespace

AnalysisOptions DrawnSystem::options() const {
  AnalysisOptions options;
  options.profile = &random.profile;
  options.compile.memory = random.memory;
  options.contention = random.contention;
  options.communication = communication;
  options.bounds.for_offsets = for_offsets;
  options.bounds.states = states;
  options.until = simulated;
  return options;
}

DrawnSystem draw_system(std::uint32_t seed, std::uint32_t number) {
  Random random = generator(seed, number, 0);
  DrawnSystem drawn;
  const Theme& theme = theme_of(number);
  drawn.random = random_system(random, theme);
  name_all(drawn.random.system);
  add_rare(drawn.random.system, theme, seed, number);
  add_chains(drawn.random.system, generator(seed, number, 1));
  pass_data(drawn.random.system, generator(seed, number, 2));
  make_equal(drawn.random.system, generator(seed, number, 4));
  use_instructions(drawn.random, number >= first_sharing, generator(seed, number, 5));
  use_null_streams(drawn.random.system, generator(seed, number, 6));
  slow_on_same_sm(drawn.random, generator(seed, number, 7));
  share_sms(drawn.random, number >= first_sharing, generator(seed, number, 8));
  Random choice = generator(seed, number, 3);
  const int communication = draw(choice, 0, 3);
  drawn.communication = communication == 0   ? Communication::let
                        : communication == 1 ? Communication::explicit_access
                                             : Communication::implicit;
  drawn.for_offsets = theme.for_offsets || one_in(choice, 4);
  try {  // indices and bodies are those of the text
    drawn.random.system = test::system_of(test::model_of(drawn.random.system));
    Limiter(drawn, seed, number).run();
  } catch (const std::invalid_argument&) {
    // no model states it
  } catch (const std::runtime_error&) {
    // something in it is not simulated
  }
  return drawn;
}

}  // namespace adversary
