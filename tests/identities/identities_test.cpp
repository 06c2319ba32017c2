// SPDX-License-Identifier: Apache-2.0
// Changes of a model that must not change its bounds and guarantees, and changes that must not make them worse. No
// reference is needed: each system is compared with itself.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/editable_model.hpp"
#include "engine/analysis.hpp"
#include "engine/program/kernel_instructions.hpp"
#include "engine/verdict.hpp"
#include "importer/reading/model_reader.hpp"
#include "migration/migration.hpp"
#include "tests/support/random_system.hpp"
#include "tests/support/shrink.hpp"
#include "tests/support/system_file.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/thoroughness.hpp"

namespace identities_test {

using namespace amalthea;
using namespace amalthea::engine;
using test::all_features;
using test::features_of;
using test::PairedSystems;
using test::RandomSystem;
using test::SystemFeature;
using test::SystemFeatures;
using test::us;
using F = SystemFeature;

namespace {

/// What an analysis says, by name: picoseconds of a bound, or 1 for a guarantee. Times have names that begin with
/// "time".
using Judgement = std::map<std::string, std::int64_t>;

std::string without(const std::string& prefix, const std::string& name) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

void add_bound(Judgement& all, const std::string& name, const Bound& bound, bool exact) {
  if (bound.exact && !exact) return;
  if (bound.worst) all["time of " + name] = bound.worst->picoseconds();
  if (bound.best) all["time at best of " + name] = bound.best->picoseconds();
}

void add_latency(Judgement& all, const std::string& name, const std::optional<LatencyBounds>& bounds) {
  if (!bounds) return;
  all["time of reaction, " + name] = bounds->reaction.picoseconds();
  all["time of age, " + name] = bounds->age.picoseconds();
  all["time of reduced reaction, " + name] = bounds->reduced_reaction.picoseconds();
  all["time of reduced age, " + name] = bounds->reduced_age.picoseconds();
}

/// `exact`: whether exact responses count, which hold for the stated offsets only.
Judgement judged(System system, const RandomSystem& of, const std::string& prefix = "", bool exact = true) {
  AnalysisOptions options;
  options.until = us(100);
  options.profile = &of.profile;
  options.compile.memory = of.memory;
  options.contention = of.contention;
  Diagnostics diagnostics;
  if (!resolve_instructions(system, &of.profile, diagnostics)) throw std::runtime_error("no ticks of kernels");
  const auto results = analyze(system, options, diagnostics);
  if (!results) throw std::runtime_error("no results");
  Judgement all;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    add_bound(all, without(prefix, system.tasks[task].name), results->tasks[task].bound, exact);
  for (const OperationResult& operation : results->operations) {
    const std::vector<NodeIndex>& body = system.tasks[operation.task].body;
    add_bound(all,
              fmt::format("operation {} of {}", std::find(body.begin(), body.end(), operation.node) - body.begin(),
                          without(prefix, system.tasks[operation.task].name)),
              operation.bound, exact);
  }
  for (std::size_t chain = 0; chain < system.chains.size(); ++chain) {
    const std::string name = without(prefix, system.chains[chain].name);
    add_latency(all, "implicit " + name, results->chains[chain].implicit);
    add_latency(all, "explicit " + name, results->chains[chain].explicit_access);
    for (std::size_t limit = 0; limit < system.chains[chain].limits.size(); ++limit) {
      const ChainResult::Limit& found = results->chains[chain].limits[limit];
      const std::string of_limit = without(prefix, system.chains[chain].limits[limit].name);
      if (found.implicit.guaranteed == true) all["guarantee of implicit " + of_limit] = 1;
      if (found.explicit_access.guaranteed == true) all["guarantee of explicit " + of_limit] = 1;
      if (found.let.guaranteed == true) all["guarantee of LET " + of_limit] = 1;
    }
  }
  for (std::size_t at = 0; at < system.requirements.size(); ++at)
    if (results->requirements[at].guaranteed == true)
      all["guarantee of " + without(prefix, system.requirements[at].name)] = 1;
  for (std::size_t at = 0; at < system.constraints.size(); ++at)
    if (results->constraints[at].guaranteed == true)
      all["guarantee of " + without(prefix, system.constraints[at].name)] = 1;
  if (assess(system, *results, diagnostics).verdict == OverallVerdict::guaranteed) all["guarantee of the model"] = 1;
  return all;
}

/// "", or what differs: bounds of `second` are those of `first`, `factor` times as long, up to `tolerance` picoseconds.
std::string difference(const Judgement& first, const Judgement& second, std::int64_t factor = 1,
                       std::int64_t tolerance = 0) {
  for (const auto& [name, value] : first) {
    const auto other = second.find(name);
    const std::int64_t wanted = name.starts_with("time") ? value * factor : value;
    if (other == second.end()) return fmt::format("{}: {} before, none after", name, wanted);
    if (std::abs(other->second - wanted) > tolerance)
      return fmt::format("{}: {} before, {} after", name, wanted, other->second);
  }
  for (const auto& [name, value] : second)
    if (!first.contains(name)) return fmt::format("{}: none before, {} after", name, value);
  return "";
}

/// "", or what is worse in `second`: a longer bound, or no bound or guarantee any more. Best cases do not count.
std::string worse(const Judgement& first, const Judgement& second) {
  for (const auto& [name, value] : first) {
    if (name.starts_with("time at best")) continue;
    const auto other = second.find(name);
    if (other == second.end()) return fmt::format("{}: {} before, none after", name, value);
    if (name.starts_with("time") && other->second > value)
      return fmt::format("{}: {} before, {} after", name, value, other->second);
  }
  return "";
}

System read_back(const RandomSystem& of, const test::ModelText& form = {}) {
  return test::system_of(test::model_of(of.system, form));
}

using Check = std::function<std::string(const RandomSystem&)>;

/// Checks an identity on so many systems. Prints the smallest system for which it fails; with AMALTHEA_FOUND in that
/// folder, too.
void check_identity(const std::string& name, std::uint32_t seed, SystemFeatures may, std::size_t count,
                    const Check& check) {
  PairedSystems paired(seed, may);
  const auto failed = [&](const RandomSystem& of) { return !check(of).empty(); };
  std::size_t failures = 0, refused = 0;
  for (std::size_t at = 0; at < test::times(count); ++at) {
    const RandomSystem drawn = paired.next();
    std::string found;
    try {
      found = check(drawn);
    } catch (const std::exception&) {
      ++refused;
      continue;
    }
    if (found.empty()) continue;
    ++failures;
    if (failures > 3) continue;
    const RandomSystem small = test::shrink(drawn, failed, 2000);
    std::string features;
    for (std::size_t i = 0; i < test::feature_count; ++i)
      if (small.has()[i]) features += fmt::format("{}, ", name_of(static_cast<SystemFeature>(i)));
    const std::string text = test::model_of(small.system);
    if (const char* folder = std::getenv("AMALTHEA_FOUND"))
      std::ofstream(fmt::format("{}/{}-{}.amxmi", folder, name, at))
          << text << "<!-- " << check(small) << "; " << features << " -->\n";
    WARN(fmt::format("{} {}: {}\nfeatures of the drawn system: {}\n{}", name, at, check(small), features, text));
  }
  INFO(fmt::format("{} of {} systems; {} refused", failures, count, refused));
  CHECK(failures == 0);
  CHECK(refused * 20 <= count);
}

void for_each_cycles(System& system, const std::function<void(Cycles&)>& change) {
  const auto ticks = [&](Ticks& of) {
    if (of.otherwise) change(*of.otherwise);
    for (auto& [definition, cycles] : of.extended) change(cycles);
  };
  for (NodeIndex node = 0; node < system.graph.size(); ++node) {
    Activity& activity = system.graph[node].activity;
    if (auto* compute = std::get_if<Compute>(&activity)) ticks(compute->ticks);
    if (auto* kernel = std::get_if<Kernel>(&activity)) ticks(*kernel->ticks);
  }
  for (ProcessingUnit& unit : system.platform.units)
    for (MemoryAccess& access : unit.accesses) {
      change(access.read);
      change(access.write);
    }
  for (Scheduler& scheduler : system.platform.schedulers) {
    if (!scheduler.overhead) continue;
    OverheadTicks& of = *scheduler.overhead;
    for (std::optional<Ticks>* one :
         {&of.activate_task, &of.terminate_task, &of.set_event, &of.wait_event, &of.clear_event, &of.request_resource,
          &of.release_resource, &of.request_spinlock, &of.release_spinlock, &of.schedule_point,
          &of.isr_category1_before, &of.isr_category1_after, &of.isr_category2_before, &of.isr_category2_after})
      if (*one) ticks(**one);
  }
}

void multiply(Cycles& cycles, std::int64_t factor) {
  cycles.lower *= factor;
  cycles.average *= factor;
  cycles.upper *= factor;
}
void multiply(Distribution& of, std::int64_t factor) {
  of.lower *= factor;
  of.average *= factor;
  of.upper *= factor;
}
void multiply(Duration& time, std::int64_t factor) { time = time * factor; }
void multiply(std::optional<Duration>& time, std::int64_t factor) {
  if (time) multiply(*time, factor);
}

/// All times and cycles.
RandomSystem scaled(RandomSystem of, std::int64_t factor) {
  System& system = of.system;
  for_each_cycles(system, [&](Cycles& cycles) { multiply(cycles, factor); });
  for (Stimulus& stimulus : system.stimuli) {
    OccurrenceKinds& kind = stimulus.occurrence;
    if (auto* periodic = std::get_if<Periodic>(&kind)) {
      multiply(periodic->period, factor);
      multiply(periodic->offset, factor);
      multiply(periodic->jitter, factor);
      multiply(periodic->minimum_distance, factor);
    } else if (auto* single = std::get_if<Single>(&kind)) {
      multiply(single->occurrence, factor);
    } else if (auto* sporadic = std::get_if<Sporadic>(&kind)) {
      multiply(sporadic->offset, factor);
      multiply(sporadic->distance, factor);
    } else if (auto* synthetic = std::get_if<Synthetic>(&kind)) {
      multiply(synthetic->period, factor);
      multiply(synthetic->offset, factor);
      for (Duration& at : synthetic->occurrences) multiply(at, factor);
    } else if (auto* burst = std::get_if<Burst>(&kind)) {
      multiply(burst->period, factor);
      multiply(burst->offset, factor);
      multiply(burst->length, factor);
      multiply(burst->minimum_distance, factor);
    } else if (auto* curve = std::get_if<ArrivalCurve>(&kind)) {
      for (ArrivalCurve::Entry& entry : curve->entries) {
        multiply(entry.lower, factor);
        multiply(entry.upper, factor);
      }
    } else if (auto* rate = std::get_if<VariableRate>(&kind)) {
      multiply(rate->step, factor);
    }
  }
  for (Task& task : system.tasks) {
    multiply(task.deadline, factor);
    multiply(task.time_slice, factor);
  }
  for (Scheduler& scheduler : system.platform.schedulers) {
    multiply(scheduler.share.budget, factor);
    multiply(scheduler.share.period, factor);
    multiply(scheduler.time_slice, factor);
    multiply(scheduler.minimum_time_slice, factor);
    multiply(scheduler.maximum_time_slice, factor);
  }
  for (Chain& chain : system.chains)
    for (ChainLimit& limit : chain.limits) {
      multiply(limit.minimum, factor);
      multiply(limit.maximum, factor);
    }
  for (Requirement& requirement : system.requirements)
    if (auto* limit = std::get_if<Requirement::TimeLimit>(&requirement.limit)) multiply(limit->value, factor);
  for (TimingConstraint& constraint : system.constraints) {
    const auto limits = [&](TimeLimits& all) {
      multiply(all.lower, factor);
      multiply(all.upper, factor);
    };
    if (auto* delay = std::get_if<DelayLimit>(&constraint.kind)) limits(delay->limits);
    if (auto* age = std::get_if<DataAge>(&constraint.kind)) limits(age->limits);
    if (auto* together = std::get_if<EventSynchronization>(&constraint.kind)) multiply(together->tolerance, factor);
    if (auto* together = std::get_if<ChainSynchronization>(&constraint.kind)) multiply(together->tolerance, factor);
    if (auto* repetition = std::get_if<Repetition>(&constraint.kind)) {
      limits(repetition->limits);
      multiply(repetition->jitter, factor);
    }
  }
  for (NodeIndex node = 0; node < system.graph.size(); ++node)
    if (auto* copy = std::get_if<Copy>(&system.graph[node].activity)) multiply(copy->time, factor);
  multiply(of.profile.time_slice, factor);
  multiply(of.profile.context_switch, factor);
  multiply(of.profile.stream_preemption, factor);
  if (of.profile.amd) multiply(of.profile.amd->quantum, factor);
  for (UnitLatency& unit : of.memory.units) {
    multiply(unit.base, factor);
    multiply(unit.per_core, factor);
    multiply(unit.gpu, factor);
    multiply(unit.hit, factor);
  }
  return of;
}

/// A body with every computation in two parts.
RandomSystem split(RandomSystem of, std::mt19937& random) {
  System& system = of.system;
  std::vector<std::vector<GraphNode>> bodies;
  for (Task& task : system.tasks) {
    std::vector<GraphNode>& body = bodies.emplace_back();
    std::vector<std::size_t> place;  // of old activities
    for (const NodeIndex node : task.body) {
      place.push_back(body.size());
      body.push_back(system.graph[node]);
      auto* compute = std::get_if<Compute>(&body.back().activity);
      if (compute == nullptr || !compute->ticks.otherwise || task.side == Side::device ||
          task.preemption != Preemption::preemptive)
        continue;
      Cycles& whole = *compute->ticks.otherwise;
      const std::int64_t part = std::uniform_int_distribution<std::int64_t>(0, whole.lower)(random);
      whole.lower -= part;
      whole.average -= part;
      whole.upper -= part;
      GraphNode second = body.back();
      std::get<Compute>(second.activity).ticks.otherwise = Cycles{part, part, part, {}};
      body.push_back(std::move(second));
    }
    place.push_back(body.size());
    for (std::size_t i = 0; i + 1 < place.size(); ++i)
      if (auto* branch = std::get_if<Branch>(&body[place[i]].activity)) {
        std::size_t first = i + 1;
        for (Branch::Alternative& alternative : branch->alternatives) {
          const std::size_t last = first + alternative.length;
          alternative.length = place[last] - place[first];
          first = last;
        }
      }
  }
  system.graph = RunnableGraph();
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    system.tasks[task].body.clear();
    for (GraphNode& node : bodies[task]) system.tasks[task].body.push_back(system.graph.add(std::move(node)));
  }
  return of;
}

Duration* offset_of(Stimulus& stimulus) {
  OccurrenceKinds& kind = stimulus.occurrence;
  if (auto* periodic = std::get_if<Periodic>(&kind)) return &periodic->offset;
  if (auto* sporadic = std::get_if<Sporadic>(&kind)) return &sporadic->offset;
  if (auto* synthetic = std::get_if<Synthetic>(&kind)) return &synthetic->offset;
  if (auto* burst = std::get_if<Burst>(&kind)) return &burst->offset;
  return nullptr;
}

/// The period of a stimulus with an offset, or the least distance of its occurrences.
Duration least_distance(const Stimulus& stimulus) {
  const OccurrenceKinds& kind = stimulus.occurrence;
  if (const auto* periodic = std::get_if<Periodic>(&kind)) return periodic->period;
  if (const auto* sporadic = std::get_if<Sporadic>(&kind)) return Duration::picoseconds(sporadic->distance.lower);
  if (const auto* synthetic = std::get_if<Synthetic>(&kind)) return synthetic->period;
  if (const auto* burst = std::get_if<Burst>(&kind)) return burst->period;
  return {};
}

/// The text of the model in another version; nothing if something would be lost.
std::optional<std::string> converted(const std::string& text, Version version) {
  Diagnostics diagnostics;
  const auto model = importer::read_model_from_bytes("random.amxmi", text, {}, diagnostics);
  EditableModel editable(*model);
  migration::Record record(diagnostics);
  const auto from = migration::release_of(*model->documents().front());
  if (!migration::migrate(editable, from, version, record, diagnostics)) return std::nullopt;
  for (const Diagnostic& finding : diagnostics.all())
    if (finding.severity != Severity::note) return std::nullopt;
  return migration::write(*editable.files().front().root, version);
}

SystemFeatures all_but(std::initializer_list<SystemFeature> list) { return all_features() & ~features_of(list); }

constexpr std::size_t ordinary = 150;

}  // namespace

TEST_CASE("bounds and guarantees do not change with the order of elements in the file") {
  check_identity("order", 51, all_features(), ordinary, [](const RandomSystem& of) {
    // If a mode changes when a stimulus asks for it, the order decides whether a task is ever activated in the
    // simulation. The model has no verdict where it is not.
    const auto judge = [&](const test::ModelText& form) {
      Judgement made = judged(read_back(of, form), of);
      if (of.has()[static_cast<std::size_t>(F::condition)]) made.erase("guarantee of the model");
      return made;
    };
    const Judgement before = judge({});
    for (const std::uint32_t seed : {1U, 2U}) {
      const std::string found = difference(before, judge({seed, ""}));
      if (!found.empty()) return found;
    }
    return std::string();
  });
}

TEST_CASE("bounds and guarantees do not change with names") {
  check_identity("names", 52, all_features(), ordinary, [](const RandomSystem& of) {
    RandomSystem renamed = of;
    for (UnitLatency& unit : renamed.memory.units) unit.name = "z" + unit.name;
    return difference(judged(read_back(of), of), judged(read_back(of, {std::nullopt, "z"}), renamed, "z"));
  });
}

TEST_CASE("bounds and guarantees do not change if clocks are twice as fast and everything takes twice the cycles") {
  // Instructions have latencies in cycles of their own.
  check_identity("clock", 53, all_but({F::kernel_instructions}), ordinary, [](const RandomSystem& of) {
    RandomSystem fast = of;
    for_each_cycles(fast.system, [](Cycles& cycles) { multiply(cycles, 2); });
    for (ProcessingUnit& unit : fast.system.platform.units)
      unit.frequency = Frequency::millihertz(2 * unit.frequency.millihertz());
    return difference(judged(read_back(of), of), judged(read_back(fast), fast));
  });
}

TEST_CASE("all times are seven times as long if every time in the model is") {
  // Slowdowns and parts of cycles are rounded. Instructions take cycles of their own, and pageable memory has its rates.
  const SystemFeatures may =
      all_but({F::rounding, F::interference, F::cpu_traffic, F::unequal_cores, F::memory_table, F::dynamic_contention,
               F::kernel_instructions, F::same_sm, F::clusters, F::constant_traffic, F::pageable_memory});
  check_identity("scale", 54, may, ordinary, [](const RandomSystem& of) {
    const RandomSystem slow = scaled(of, 7);
    const System system = read_back(of), other = read_back(slow);
    Judgement before = judged(system, of), after = judged(other, slow);
    // A picosecond may decide a guarantee.
    const auto is_guarantee = [](const auto& entry) { return entry.first.starts_with("guarantee"); };
    std::erase_if(after, is_guarantee);
    std::erase_if(before, is_guarantee);
    // Seven times a bound of many days may be too long to compute.
    constexpr std::int64_t too_long = 1'000'000'000'000'000;
    for (const auto& [name, value] : Judgement(before))
      if (value > too_long) {
        before.erase(name);
        after.erase(name);
      }
    return difference(before, after, 7, 1000);  // some picoseconds for rounding are added to both
  });
}

TEST_CASE("bounds that hold for all offsets do not change with the stated ones") {
  check_identity(
      "offsets", 55, all_but({F::host_wait, F::any_wait, F::host_call}), ordinary, [](const RandomSystem& of) {
        // All offsets up to the period, or up to the stated one if that is longer.
        RandomSystem one = of, other = of;
        std::mt19937 random(7);
        for (std::size_t i = 0; i < of.system.stimuli.size(); ++i) {
          Duration* const offset = offset_of(other.system.stimuli[i]);
          if (offset == nullptr) continue;
          const auto period = std::max<std::int64_t>(1, least_distance(of.system.stimuli[i]).picoseconds());
          Duration& before = *offset_of(one.system.stimuli[i]);
          before = std::min(before, Duration::picoseconds(period));
          *offset = Duration::picoseconds(std::uniform_int_distribution<std::int64_t>(0, period)(random));
        }
        Judgement before = judged(read_back(one), one, "", false), after = judged(read_back(other), other, "", false);
        // LET latencies are those of the stated offsets.
        const auto depends = [](const auto& entry) {
          return entry.first == "guarantee of the model" || entry.first.starts_with("guarantee of LET");
        };
        std::erase_if(before, depends);
        std::erase_if(after, depends);
        return difference(before, after);
      });
}

TEST_CASE("bounds and guarantees do not change if a computation is split in two") {
  check_identity("split", 56, all_but({F::rounding, F::unequal_cores}), ordinary, [](const RandomSystem& of) {
    std::mt19937 random(8);
    Judgement before = judged(read_back(of), of), after = judged(read_back(split(of, random)), of);
    return difference(before, after);
  });
}

TEST_CASE("a task on an unrelated core changes no bound") {
  // The number of cores with tasks counts there.
  check_identity("unrelated", 57, all_but({F::memory_table, F::dynamic_contention}), ordinary,
                 [](const RandomSystem& of) {
                   RandomSystem more = of;
                   System& system = more.system;
                   const auto unit = static_cast<UnitIndex>(system.platform.units.size());
                   system.platform.units.push_back(system.platform.units.front());
                   system.platform.units.back().name = "unrelated";
                   Scheduler scheduler;
                   scheduler.name = "unrelated";
                   scheduler.units = {unit};
                   const auto index = static_cast<SchedulerIndex>(system.platform.schedulers.size());
                   system.platform.schedulers.push_back(scheduler);
                   Stimulus stimulus;
                   stimulus.name = "unrelated";
                   stimulus.occurrence = Periodic{us(77), us(3)};
                   stimulus.activates = {static_cast<TaskIndex>(system.tasks.size())};
                   system.stimuli.push_back(stimulus);
                   Task task;
                   task.name = "unrelated";
                   task.unit = unit;
                   task.scheduler = index;
                   task.priority = 3;
                   system.tasks.push_back(task);
                   test::append_activity(system, static_cast<TaskIndex>(system.tasks.size() - 1),
                                         Compute{test::constant_ticks(20)});
                   Judgement before = judged(read_back(of), of), after = judged(read_back(more), more);
                   after.erase("time of unrelated");
                   after.erase("time at best of unrelated");
                   return difference(before, after);
                 });
}

TEST_CASE("a model in another version that lost nothing is the same system") {
  std::map<Version, std::size_t> kept;
  check_identity("versions", 58, all_features(), ordinary, [&](const RandomSystem& of) {
    const std::string text = test::model_of(of.system);
    const System system = test::system_of(text);
    for (const Version version :
         {Version::v3_0_0, Version::v2_1_0, Version::v2_0_0, Version::v1_2_0, Version::v1_0_0, Version::v0_9_9}) {
      const auto older = converted(text, version);
      if (!older) continue;
      ++kept[version];
      const std::string found = test::first_difference(system, test::system_of(*older));
      if (!found.empty()) return fmt::format("in {}: {}", to_string(version), found);
    }
    return std::string();
  });
  CHECK(kept.size() == 6);
}

namespace {

/// Only bounds on tasks and operations: a chain samples rarer data.
Judgement of_tasks(const Judgement& all) {
  Judgement made;
  for (const auto& [name, value] : all)
    if (name.starts_with("time of") && name.find("reaction, ") == name.npos && name.find("age, ") == name.npos)
      made.emplace(name, value);
  return made;
}

}  // namespace

TEST_CASE("a shorter worst case raises no bound") {
  check_identity("shorter", 59, all_features(), ordinary, [](const RandomSystem& of) {
    const System system = read_back(of);
    const Judgement before = of_tasks(judged(system, of));
    std::mt19937 random(9);
    for (int trial = 0; trial < 3; ++trial) {
      RandomSystem shorter = of;
      std::vector<Cycles*> varying;
      for_each_cycles(shorter.system, [&](Cycles& cycles) {
        if (cycles.lower < cycles.upper) varying.push_back(&cycles);
      });
      if (varying.empty()) break;
      Cycles& cycles = *varying[std::uniform_int_distribution<std::size_t>(0, varying.size() - 1)(random)];
      cycles.upper = std::uniform_int_distribution<std::int64_t>(cycles.lower, cycles.upper - 1)(random);
      cycles.average = std::min(cycles.average, cycles.upper);
      const std::string found = worse(before, of_tasks(judged(read_back(shorter), of)));
      if (!found.empty()) return found;
    }
    return std::string();
  });
}

TEST_CASE("rarer activations raise no bound") {
  // A rarer task sets its events later. Periods are priorities under the other algorithms, of which further outermost
  // schedulers may have one.
  const SystemFeatures may =
      all_but({F::host_wait, F::any_wait, F::host_call, F::rate_monotonic, F::deadline_monotonic, F::earliest_deadline,
               F::deadline_child, F::constant_bandwidth, F::several_roots});
  check_identity("rarer", 60, may, ordinary, [](const RandomSystem& of) {
    const Judgement before = of_tasks(judged(read_back(of), of));
    std::mt19937 random(10);
    for (int trial = 0; trial < 3; ++trial) {
      RandomSystem rarer = of;
      std::vector<Stimulus*> periodic;
      for (Stimulus& stimulus : rarer.system.stimuli)
        if (std::holds_alternative<Periodic>(stimulus.occurrence) ||
            std::holds_alternative<Sporadic>(stimulus.occurrence))
          periodic.push_back(&stimulus);
      if (periodic.empty()) break;
      Stimulus& stimulus = *periodic[std::uniform_int_distribution<std::size_t>(0, periodic.size() - 1)(random)];
      if (auto* one = std::get_if<Periodic>(&stimulus.occurrence)) {
        if (one->jitter.upper > 0 && trial == 0)
          one->jitter = {};
        else
          one->period = one->period * 2;
      } else {
        multiply(std::get<Sporadic>(stimulus.occurrence).distance, 2);
      }
      const std::string found = worse(before, of_tasks(judged(read_back(rarer), of)));
      if (!found.empty()) return found;
    }
    return std::string();
  });
}

}  // namespace identities_test
