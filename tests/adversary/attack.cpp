// SPDX-License-Identifier: Apache-2.0
#include "tests/adversary/attack.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>

#include <fmt/core.h>

#include "reference/measures.hpp"
#include "reference/model.hpp"

namespace adversary {
namespace {

using reference::Behaviour;
using reference::Execution;
using reference::Time;
using Rule = Behaviour::Rule;
using QuestionKind = reference::Question::Kind;
using Kind = Guarantee::Kind;
using amalthea::System;
using amalthea::engine::Communication;

constexpr std::string_view kinds[] = {"offset",
                                      "jitter",
                                      "distance",
                                      "burst_position",
                                      "occurrence",
                                      "execution_time",
                                      "alternative",
                                      "iterations",
                                      "access_position",
                                      "ready_tie",
                                      "semaphore_tie",
                                      "core_choice",
                                      "simultaneous_events",
                                      "preemption",
                                      "schedule_point",
                                      "cooperation",
                                      "server_phase",
                                      "gpu_request_order",
                                      "gpu_tie",
                                      "gpu_slice_phase",
                                      "gpu_slowdown",
                                      "block_order",
                                      "block_time",
                                      "warp_order",
                                      "activation"};
static_assert(std::size(kinds) == reference::question_kinds);

/// What one execution shows of one guarantee.
struct Observation {
  bool any = false, broken = false;
  double closeness = 0;  ///< 1: at the limit
  std::string seen;
};

double ratio(Time value, Time limit) {
  return static_cast<double>(value) / static_cast<double>(std::max<Time>(1, limit));
}

/// Where a guarantee is found in the reference's model.
struct Place {
  reference::Index entity = reference::none;
  std::vector<reference::Index> steps;  ///< of an operation
  bool known = false;
};

class Observer {
 public:
  Observer(const reference::Model& model, const Target& target, Time until)
      : model_(model), system_(target.system), until_(until) {
    for (const Guarantee& guarantee : target.guarantees) {
      try {
        places_.push_back(place_of(guarantee));
      } catch (const reference::Refused&) {
        places_.emplace_back();
      }
    }
  }

  Observation observe(const Execution& execution, const Guarantee& guarantee, std::size_t index) const {
    const Place& place = places_[index];
    if (!place.known) return {};
    switch (guarantee.kind) {
      case Kind::response:
      case Kind::deadline:
        return response(execution, guarantee, place);
      case Kind::best_case:
        return best_case(execution, guarantee, place);
      case Kind::operation:
        return operation(execution, guarantee, place);
      case Kind::latency:
      case Kind::chain_limit:
        return latency(execution, guarantee, place);
      case Kind::constraint:
        return judged(reference::judge(model_, execution, place.entity), 0);
      case Kind::requirement:
        return judged(reference::meets(model_, execution, place.entity, until_), rounding_of(guarantee.index));
    }
    return {};
  }

 private:
  /// A step that continues on a core with another clock is rounded once more.
  static constexpr Time rounding = 10;
  Time rounding_of(std::size_t index) const {
    const amalthea::Requirement& requirement = system_.requirements[index];
    const auto* of = std::get_if<amalthea::Requirement::OfProcess>(&requirement.subject);
    return of != nullptr && std::holds_alternative<amalthea::Requirement::TimeLimit>(requirement.limit) &&
                   system_.tasks[of->task].units.size() > 1
               ? rounding
               : 0;
  }

  static Place known(reference::Index entity) { return {entity, {}, true}; }

  Place place_of(const Guarantee& guarantee) const {
    switch (guarantee.kind) {
      case Kind::response:
      case Kind::deadline:
      case Kind::best_case:
        return known(reference::find(model_.tasks, system_.tasks[guarantee.index].name));
      case Kind::operation:
        return place_of_operation(static_cast<amalthea::NodeIndex>(guarantee.index));
      case Kind::latency:
      case Kind::chain_limit:
        return known(reference::find(model_.chains, system_.chains[guarantee.index].name));
      case Kind::constraint:
        return known(reference::find(model_.constraints, system_.constraints[guarantee.index].name));
      case Kind::requirement:
        return known(reference::find(model_.requirements, system_.requirements[guarantee.index].name));
    }
    return {};
  }

  Place place_of_operation(amalthea::NodeIndex node) const {
    const amalthea::Task& task = system_.tasks[system_.graph[node].task];
    std::size_t number = 0;
    for (const amalthea::NodeIndex each : task.body) {
      if (each == node) break;
      const amalthea::Activity& activity = system_.graph[each].activity;
      if (std::holds_alternative<amalthea::Copy>(activity) || std::holds_alternative<amalthea::Kernel>(activity))
        ++number;
    }
    Place place = known(reference::find(model_.tasks, task.name));
    const auto steps = reference::device_program(model_, place.entity);
    for (std::size_t step = 0; step < steps.size(); ++step)
      if (steps[step].operation && number-- == 0) {
        place.steps.push_back(static_cast<reference::Index>(step));
        return place;
      }
    return {};
  }

  static Observation against(Time value, Time limit, bool upper) {
    Observation found;
    found.any = true;
    found.broken = upper ? value > limit : value < limit;
    found.closeness = upper ? ratio(value, limit) : ratio(limit, value);
    return found;
  }

  Observation response(const Execution& execution, const Guarantee& guarantee, const Place& place) const {
    Time longest = -1;
    const reference::Job* slowest = nullptr;
    for (const reference::Job& job : execution.jobs) {
      if (job.task != place.entity || job.release >= until_) continue;
      const Time time = (job.end >= 0 ? job.end : execution.end) - job.release;
      if (job.end < 0 && time <= guarantee.limit) continue;
      if (time <= longest) continue;
      longest = time;
      slowest = &job;
    }
    if (guarantee.kind == Kind::deadline)
      for (const reference::Lost& lost : execution.lost)
        if (lost.task == place.entity)
          return {true, true, 2, fmt::format("the activation at {} ps is lost", lost.time)};
    if (slowest == nullptr) return {};
    Observation found = against(longest, guarantee.limit, true);
    if (found.broken)
      found.seen = fmt::format("the job released at {} ps {} {} ps later; limit {} ps", slowest->release,
                               slowest->end >= 0 ? "ends" : "has not ended", longest, guarantee.limit);
    return found;
  }

  Observation best_case(const Execution& execution, const Guarantee& guarantee, const Place& place) const {
    const reference::Job* quickest = nullptr;
    for (const reference::Job& job : execution.jobs)
      if (job.task == place.entity && job.release < until_ && job.end >= 0 &&
          (quickest == nullptr || job.end - job.release < quickest->end - quickest->release))
        quickest = &job;
    if (quickest == nullptr) return {};
    const bool migrates = system_.tasks[guarantee.index].units.size() > 1;
    Observation found = against(quickest->end - quickest->release, guarantee.limit - (migrates ? rounding : 0), false);
    if (found.broken)
      found.seen = fmt::format("the job released at {} ps ends {} ps later; lower bound {} ps", quickest->release,
                               quickest->end - quickest->release, guarantee.limit);
    return found;
  }

  Observation operation(const Execution& execution, const Guarantee& guarantee, const Place& place) const {
    Time longest = -1, submitted = 0;
    for (const reference::Operation& each : execution.operations) {
      if (each.task != place.entity || each.step != place.steps.front() || each.end < 0) continue;
      if (each.end - each.submitted <= longest) continue;
      longest = each.end - each.submitted;
      submitted = each.submitted;
    }
    if (longest < 0) return {};
    Observation found = against(longest, guarantee.limit, true);
    if (found.broken)
      found.seen = fmt::format("submitted at {} ps, it takes {} ps; limit {} ps", submitted, longest, guarantee.limit);
    return found;
  }

  static bool same(reference::Passage::Communication a, Communication b) {
    using Of = reference::Passage::Communication;
    return a == (b == Communication::implicit          ? Of::implicit
                 : b == Communication::explicit_access ? Of::explicit_
                                                       : Of::let);
  }

  Observation latency(const Execution& execution, const Guarantee& guarantee, const Place& place) const {
    using Measure = Guarantee::Measure;
    for (const reference::Passage& passage : execution.passages) {
      if (passage.chain != place.entity || !passage.complete || !same(passage.communication, guarantee.communication))
        continue;
      const reference::Latencies seen =
          reference::latencies(passage, execution.end, model_.chains[passage.chain].links.front().activation);
      if (guarantee.kind == Kind::latency) {
        const Time value = guarantee.measure == Measure::reaction           ? seen.reaction
                           : guarantee.measure == Measure::reduced_reaction ? seen.reduced_reaction
                           : guarantee.measure == Measure::age              ? seen.age
                                                                            : seen.reduced_age;
        if (value < 0) return {};
        Observation found = against(value, guarantee.limit, true);
        if (found.broken) found.seen = fmt::format("it was {} ps; limit {} ps", value, guarantee.limit);
        return found;
      }
      const amalthea::ChainLimit& limit = system_.chains[guarantee.index].limits[guarantee.part];
      const Time value = limit.kind == amalthea::ChainLimit::Kind::age ? seen.reduced_age : seen.reduced_reaction;
      if (value < 0 || !limit.maximum) return {};
      Observation found = against(value, limit.maximum->picoseconds(), true);
      if (found.broken) found.seen = fmt::format("it was {} ps; maximum {} ps", value, limit.maximum->picoseconds());
      return found;
    }
    return {};
  }

  /// The margin becomes a closeness by a scale of its own, mostly 100 us.
  static Observation judged(const reference::Judged& judged, Time allowed) {
    Observation found;
    found.any = judged.verdict != reference::Verdict::unknown;
    found.broken = judged.verdict == reference::Verdict::missed && -judged.margin > static_cast<double>(allowed);
    constexpr double scale = 1e8;
    found.closeness = 1 - std::min(judged.margin, scale) / scale;
    if (found.broken) found.seen = fmt::format("missed at {} ps, by {}", judged.at, -judged.margin);
    return found;
  }

  const reference::Model& model_;
  const System& system_;
  Time until_;
  std::vector<Place> places_;
};

class Attacker {
 public:
  Attacker(const reference::Model& model, const Target& target, const amalthea::engine::DeviceProfile& profile,
           const AttackOptions& options)
      : model_(model),
        target_(target),
        options_(options),
        observer_(model, target, options.until),
        random_(options.seed) {
    run_.until = options.until;
    run_.gpu = settings_of(profile);
    run_.trace = !model.constraints.empty();
    attack_.of.resize(target.guarantees.size());
    closest_.resize(target.guarantees.size());
  }

  Attack run() {
    for (const bool stated_offsets : {false, true}) {
      group_.clear();
      for (std::size_t index = 0; index < target_.guarantees.size(); ++index)
        if (target_.guarantees[index].stated_offsets == stated_offsets) group_.push_back(index);
      if (group_.empty()) continue;
      run_.any_offsets = run_.ready_order_open = !stated_offsets;
      executed_ = 0;
      common(options_.common);
      climb();
      common(options_.executions);
    }
    for (std::size_t index = 0; index < closest_.size(); ++index)
      if (closest_[index]) attack_.of[index].closest = *closest_[index];
    return std::move(attack_);
  }

 private:
  int draw(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  std::uint64_t draw_seed() { return (std::uint64_t{random_()} << 32) | random_(); }
  std::int64_t draw_between(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }

  /// What the program states as an assumption has its first answer: schedule points of non-preemptive tasks (AM0469), and
  /// tasks between a cooperative task and one that waits for it (AM0471).
  static constexpr QuestionKind settled[] = {QuestionKind::schedule_point, QuestionKind::cooperation};
  static bool is_settled(QuestionKind kind) {
    return std::find(std::begin(settled), std::end(settled), kind) != std::end(settled) &&
           std::getenv("AMALTHEA_ADVERSARY_ALL") == nullptr;
  }

  /// Executes it and keeps it for every guarantee that it comes closer to than all before.
  void try_one(Behaviour behaviour) {
    ++attack_.executions;
    ++executed_;
    for (const QuestionKind kind : settled)
      if (is_settled(kind)) behaviour.rule(kind, Rule::least);
    const Execution execution = reference::run(model_, behaviour, run_);
    std::shared_ptr<const Behaviour> kept;
    for (const std::size_t index : group_) {
      Observation found = observer_.observe(execution, target_.guarantees[index], index);
      if (!found.any) continue;
      Attacked& best = attack_.of[index];
      if (best.outcome == Attacked::Outcome::broken && !found.broken) continue;
      const bool first = best.outcome == Attacked::Outcome::unmeasured;
      if (!first && !(found.broken && best.outcome != Attacked::Outcome::broken) && found.closeness < best.closeness)
        continue;
      const bool better = first || found.broken || found.closeness > best.closeness;
      best.outcome = found.broken || best.outcome == Attacked::Outcome::broken ? Attacked::Outcome::broken
                                                                               : Attacked::Outcome::held;
      best.closeness = found.closeness;
      best.reached = best.reached || found.broken || found.closeness >= 0.99;
      if (found.broken) best.seen = std::move(found.seen);
      if (!better && draw(0, 1) == 0) continue;
      if (!kept) kept = std::make_shared<const Behaviour>(std::move(behaviour));
      closest_[index] = kept;  // rules and seed give the answers that it does not store
    }
  }

  /// Corner values, then random ones, up to this number of executions.
  void common(int executions) {
    while (executed_ < std::max(1, executions)) {
      try_one(executed_ < corners ? corner(executed_) : chance(executed_));
    }
  }

  static constexpr int corners = 16;
  Behaviour corner(int number) {
    Behaviour behaviour(Rule::least, options_.seed + static_cast<std::uint64_t>(number));
    behaviour.rule(QuestionKind::execution_time, number % 2 == 0 ? Rule::most : Rule::least);
    behaviour.rule(QuestionKind::block_time, number % 2 == 0 ? Rule::most : Rule::least);
    // Who comes first.
    const Rule ties[] = {Rule::least, Rule::most, Rule::corners, Rule::random};
    for (const QuestionKind kind : {QuestionKind::ready_tie, QuestionKind::semaphore_tie, QuestionKind::core_choice,
                                    QuestionKind::simultaneous_events, QuestionKind::gpu_request_order,
                                    QuestionKind::gpu_tie, QuestionKind::block_order, QuestionKind::warp_order,
                                    QuestionKind::access_position, QuestionKind::gpu_slice_phase})
      behaviour.rule(kind, ties[number / 2 % 4]);
    behaviour.rule(QuestionKind::alternative, number / 2 % 2 == 0 ? Rule::most : Rule::corners);
    behaviour.rule(QuestionKind::iterations, Rule::most);
    if (number < 4) return behaviour;
    // Late first occurrences, early later ones.
    for (std::uint32_t stimulus = 0; stimulus < model_.stimuli.size(); ++stimulus)
      for (const QuestionKind kind : {QuestionKind::jitter, QuestionKind::burst_position, QuestionKind::occurrence})
        behaviour.set(kind, stimulus, 0, std::numeric_limits<std::int64_t>::max());
    if (number < 8) return behaviour;
    behaviour.rule(QuestionKind::jitter, number < 12 ? Rule::most : Rule::corners);
    behaviour.rule(QuestionKind::offset, Rule::random);
    behaviour.rule(QuestionKind::server_phase, Rule::random);
    return behaviour;
  }

  Behaviour chance(int number) {
    Behaviour behaviour(number % 4 == 0 ? Rule::random : Rule::corners, draw_seed());
    if (number % 3 != 0) behaviour.rule(QuestionKind::execution_time, number % 3 == 1 ? Rule::most : Rule::least);
    if (number % 5 < 3) behaviour.rule(QuestionKind::offset, Rule::random);
    if (number % 7 == 0) behaviour.rule(QuestionKind::offset, Rule::least);
    if (number % 2 == 0) behaviour.rule(QuestionKind::distance, Rule::least);
    if (number % 8 == 5) turn(behaviour);
    return behaviour;
  }

  /// The first steps of a task take long and later ones do not, or the other way round.
  void turn(Behaviour& behaviour) {
    const bool long_first = draw(0, 3) > 0;
    behaviour.rule(QuestionKind::execution_time, long_first ? Rule::least : Rule::most);
    for (std::uint32_t task = 0; task < model_.tasks.size(); ++task)
      for (int steps = draw(0, 24), step = 0; step < steps; ++step)
        behaviour.set(QuestionKind::execution_time, task, static_cast<std::uint64_t>(step),
                      long_first ? std::numeric_limits<std::int64_t>::max() : 0);
  }

  /// All answers of a kind for some time become least or most: of one entity, or of all.
  void mutate_together(Behaviour& behaviour, const std::vector<Behaviour::Answered>& answered) {
    const auto size = static_cast<int>(answered.size());
    const int at = draw(0, size - 1), reach = 1 << draw(0, 6);
    const reference::Question chosen = answered[static_cast<std::size_t>(at)].question;
    if (is_settled(chosen.kind)) return;
    const bool one_entity = draw(0, 2) > 0, most = draw(0, 1) == 0;
    const int first = std::max(0, at - draw(0, reach)), last = std::min(size - 1, at + draw(0, reach));
    for (int each = first; each <= last; ++each) {
      const reference::Question& question = answered[static_cast<std::size_t>(each)].question;
      if (question.kind == chosen.kind && (!one_entity || question.entity == chosen.entity))
        behaviour.set(question.kind, question.entity, question.ordinal, most ? question.most : question.least);
    }
  }

  /// A few answers change. `answered`: in the order of time.
  void mutate(Behaviour& behaviour, const std::vector<Behaviour::Answered>& answered) {
    if (answered.empty()) return;
    if (draw(0, 2) == 0) return mutate_together(behaviour, answered);
    const int changes = 1 << draw(0, 3);
    const bool of_one_kind = draw(0, 2) == 0;
    const auto any = [&]() -> const Behaviour::Answered& {
      return answered[static_cast<std::size_t>(draw(0, static_cast<int>(answered.size()) - 1))];
    };
    const QuestionKind kind = any().question.kind;
    std::vector<Behaviour::Answered> changed;
    for (int change = 0; change < changes; ++change) {
      const Behaviour::Answered* chosen = &any();
      for (int attempt = 0; of_one_kind && attempt < 20 && chosen->question.kind != kind; ++attempt) chosen = &any();
      const reference::Question& question = chosen->question;
      if (is_settled(question.kind)) continue;
      std::int64_t value = question.least;
      const int how = draw(0, 5);
      if (how == 0 || how == 1) {
        value = question.most;
      } else if (how == 2) {
        value = draw_between(question.least, question.most);
      } else if (how == 3) {
        const std::int64_t reach = std::max<std::int64_t>(1, (question.most - question.least) / 16);
        value = std::clamp(chosen->value + draw_between(-reach, reach), question.least, question.most);
      } else if (how == 4) {
        value = std::clamp(chosen->value + (draw(0, 1) == 0 ? 1 : -1), question.least, question.most);
      }
      changed.push_back({question, value});
    }
    for (const Behaviour::Answered& each : changed)
      behaviour.set(each.question.kind, each.question.entity, each.question.ordinal, each.value);
  }

  bool is_open(std::size_t index) const {
    return attack_.of[index].outcome == Attacked::Outcome::held && attack_.of[index].closeness < 1;
  }

  void climb() {
    const auto open = static_cast<int>(
        std::count_if(group_.begin(), group_.end(), [&](std::size_t index) { return is_open(index); }));
    const int each = std::max(options_.climbing, (options_.executions - executed_) / std::max(1, open));
    for (const std::size_t index : group_) {
      for (int step = 0; step < each; ++step) {
        if (!is_open(index)) break;
        Behaviour behaviour = closest_[index]->again();
        mutate(behaviour, closest_[index]->answered());
        try_one(std::move(behaviour));
      }
    }
  }

  const reference::Model& model_;
  const Target& target_;
  AttackOptions options_;
  Observer observer_;
  std::mt19937 random_;
  reference::RunOptions run_;
  std::vector<std::size_t> group_;  ///< the guarantees that the present executions serve
  int executed_ = 0;                ///< executions for them
  Attack attack_;
  std::vector<std::shared_ptr<const Behaviour>> closest_;  ///< by guarantee
};

std::string why_refused(const amalthea::engine::DeviceProfile& profile) {
  if (profile.amd) return "an AMD GPU";
  if (profile.measured_memory) return "a GPU with measured memory parameters";
  if (profile.cpu_traffic > 0) return "a GPU with constant traffic of CPUs";
  if (!profile.stream_preemption.is_zero()) return "a GPU on which preemption by streams takes time";
  return "";
}

}  // namespace

reference::GpuSettings settings_of(const amalthea::engine::DeviceProfile& profile) {
  namespace gpu = amalthea::engine::gpu;
  const auto thousandths = [](amalthea::engine::Slowdown slowdown) { return slowdown.ppm / 1000; };
  reference::GpuSettings settings;
  settings.copy_engines = profile.copy_engines;
  settings.slice = profile.time_slice.picoseconds();
  settings.context_switch = profile.context_switch.picoseconds();
  settings.leave = profile.preemption == gpu::Preemption::instruction ? reference::GpuSettings::Leave::instruction
                   : profile.preemption == gpu::Preemption::block     ? reference::GpuSettings::Leave::block
                                                                      : reference::GpuSettings::Leave::kernel;
  if (const auto& limits = profile.multiprocessors) {
    settings.sms = static_cast<int>(limits->sms);
    settings.sms_per_gpc = static_cast<int>(limits->sms_per_gpc);
    settings.sms_per_tpc = static_cast<int>(limits->sms_per_tpc);
    settings.warps = static_cast<int>(limits->max_warps());
    settings.blocks = static_cast<int>(limits->blocks);
    settings.registers = limits->registers;
    settings.shared_memory = limits->shared_memory;
    settings.threads_per_block = static_cast<int>(limits->threads_per_block);
    settings.registers_per_block = limits->registers_per_block;
    settings.shared_memory_per_block = limits->shared_memory_per_block;
    settings.register_unit = limits->register_unit;
    settings.shared_unit = limits->shared_memory_unit;
    settings.shared_ignored = limits->shared_memory_ignored;
    settings.schedulers = static_cast<int>(limits->warp_schedulers);
    settings.units.clear();
    for (const auto& [letter, lanes] : {std::pair{'L', limits->load_store_units}, std::pair{'C', limits->cores},
                                        std::pair{'S', limits->special_units}, std::pair{'D', limits->double_units}})
      settings.units.append(static_cast<std::size_t>(lanes / 32), letter);
  }
  const gpu::InterferenceTable& table = profile.interference;
  settings.kernel_by_memcpy = thousandths(table.kernel_by_memcpy);
  settings.kernel_by_memset = thousandths(table.kernel_by_memset);
  settings.kernel_by_same_sm = thousandths(table.kernel_by_same_sm);
  settings.kernel_by_same_gpc = thousandths(table.kernel_by_same_gpc);
  settings.kernel_by_other_gpc = thousandths(table.kernel_by_other_gpc);
  settings.kernel_by_cpu = thousandths(table.kernel_by_cpu);
  settings.copy_by_kernel = thousandths(table.copy_by_kernel);
  settings.copy_by_cpu = thousandths(table.copy_by_cpu);
  return settings;
}

Attack attack(const std::string& amxmi, const Target& target, const amalthea::engine::DeviceProfile& profile,
              const AttackOptions& options) {
  Attack refused;
  refused.of.resize(target.guarantees.size());
  refused.refused = why_refused(profile);
  if (!refused.refused.empty()) return refused;
  try {
    const reference::Model model = reference::read(amxmi);
    return Attacker(model, target, profile, options).run();
  } catch (const reference::Refused& why) {
    refused.refused = why.what();
  }
  return refused;
}

Shown show(const std::string& amxmi, const Target& target, const Guarantee& guarantee,
           const amalthea::engine::DeviceProfile& profile, const Behaviour& behaviour, const AttackOptions& options) {
  const reference::Model model = reference::read(amxmi);
  const Target one{amxmi, target.system, {guarantee}};
  const Observer observer(model, one, options.until);
  reference::RunOptions run;
  run.until = options.until;
  run.any_offsets = run.ready_order_open = !guarantee.stated_offsets;
  run.gpu = settings_of(profile);
  run.trace = !model.constraints.empty();
  Behaviour replayed = behaviour;
  const Observation found = observer.observe(reference::run(model, replayed, run), guarantee, 0);
  return {found.broken, found.seen};
}

std::string jobs_text(const std::string& amxmi, const Guarantee& guarantee,
                      const amalthea::engine::DeviceProfile& profile, const Behaviour& behaviour,
                      const AttackOptions& options) {
  const reference::Model model = reference::read(amxmi);
  reference::RunOptions run;
  run.until = options.until;
  run.any_offsets = run.ready_order_open = !guarantee.stated_offsets;
  run.gpu = settings_of(profile);
  Behaviour replayed = behaviour;
  const Execution execution = reference::run(model, replayed, run);
  std::string text;
  for (const reference::Job& job : execution.jobs)
    text += fmt::format("{:<14} {:>3} released {:>12} starts {:>12} ends {:>12} after {:>12}, running {}\n",
                        model.tasks[job.task].name, job.number, job.release, job.start, job.end,
                        job.end < 0 ? -1 : job.end - job.release,
                        job.in[static_cast<std::size_t>(reference::State::running)]);
  for (const reference::Operation& operation : execution.operations)
    text += fmt::format("{:<14} step {} submitted {:>12} starts {:>12} ends {:>12} after {:>12}\n",
                        model.tasks[operation.task].name, operation.step, operation.submitted, operation.start,
                        operation.end, operation.end - operation.submitted);
  return text;
}

std::string text_of(const Behaviour& behaviour) {
  std::string text;
  for (const Behaviour::Answered& each : behaviour.answered())
    text += fmt::format("{} {} {} {}\n", kinds[static_cast<std::size_t>(each.question.kind)], each.question.entity,
                        each.question.ordinal, each.value);
  return text;
}

Behaviour behaviour_of(std::string_view text) {
  Behaviour behaviour;
  std::size_t line_number = 0;
  while (!text.empty()) {
    ++line_number;
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty() || line.front() == '#') continue;
    const std::size_t blank = line.find(' ');
    const auto* const kind = std::find(std::begin(kinds), std::end(kinds), line.substr(0, blank));
    std::array<std::int64_t, 3> numbers{};
    std::string_view rest = blank == std::string_view::npos ? "" : line.substr(blank);
    bool read = kind != std::end(kinds);
    for (std::int64_t& number : numbers) {
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
      const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
      read = read && fault == std::errc{};
      rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    }
    if (!read) throw std::invalid_argument(fmt::format("line {} of the behaviour is no answer: {}", line_number, line));
    behaviour.set(static_cast<QuestionKind>(kind - std::begin(kinds)), static_cast<std::uint32_t>(numbers[0]),
                  static_cast<std::uint64_t>(numbers[1]), numbers[2]);
  }
  return behaviour;
}

}  // namespace adversary
