// SPDX-License-Identifier: Apache-2.0
#include "analysis/detail/plain_causes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "amalthea/quantity.hpp"
#include "engine/bounds/demand.hpp"
#include "engine/bounds/dependencies.hpp"
#include "exporter/primitives/text_table.hpp"
#include "exporter/results/contribution_text.hpp"

namespace amalthea::analysis {
namespace {

using engine::JudgedLimit;
using engine::OverallVerdict;

std::string longest(Duration value) { return exporter::shown_time(value, Rounding::up); }
using engine::ResourceKind;
using exporter::Cause;

/// Causes of one kind that are listed; what remains is in the tables.
constexpr std::size_t most_of_a_kind = 8;
constexpr std::size_t most_findings = 3;

class Plain {
 public:
  Plain(const Facts& facts, const System& repaired, const engine::Assessment& assessment, const std::vector<bool>& left,
        const Diagnostics& findings, std::vector<Cause>& causes)
      : facts_(facts),
        system_(facts.system),
        repaired_(repaired),
        results_(facts.results),
        limits_(assessment.limits),
        left_(left),
        findings_(findings),
        causes_(causes),
        dependencies_(facts.system) {}

  void run(const std::vector<bool>& relieved) {
    open_findings();
    overloads(relieved);
    misses();
    guarantees();
  }

 private:
  // ---- findings

  void open_findings() {
    std::vector<engine::OpenResult> open = results_.open;
    std::stable_sort(open.begin(), open.end(), [](const auto& a, const auto& b) { return a.limits > b.limits; });
    std::vector<std::string> shown;
    for (const engine::OpenResult& one : open) {
      if (one.limits == 0 || shown.size() == most_findings) break;
      if (std::find(shown.begin(), shown.end(), one.id) != shown.end()) continue;
      const auto& all = findings_.all();
      const auto finding = std::find_if(all.begin(), all.end(), [&](const Diagnostic& candidate) {
        return candidate.id == one.id && candidate.location == one.location;
      });
      if (finding == all.end()) continue;
      const auto alike = std::count_if(open.begin(), open.end(), [&](const auto& other) { return other.id == one.id; });
      Cause cause;
      cause.kind = Cause::Kind::finding;
      cause.text = fmt::format("{} [{}]{}", one_line(finding->message), one.id,
                               alike > 1 ? fmt::format(" and {} more like it", alike - 1) : "");
      cause.explains = one.limits;
      for (std::size_t i = 0; i < limits_.size(); ++i)
        if (left_[i] && limits_[i].verdict == OverallVerdict::unknown) take(i, cause);
      causes_.push_back(std::move(cause));
      shown.push_back(one.id);
    }
  }

  void take(std::size_t limit, Cause& cause) {
    cause.sufferers.push_back(limits_[limit].name);
    left_[limit] = false;
  }

  // ---- overloads

  struct Demand {
    TaskIndex task = 0;
    double share = 0;
  };

  std::vector<Demand> demands(const engine::ResourceResult& resource) const {
    std::vector<Demand> all;
    for (const engine::EngineUse& use : resource.uses) all.push_back({use.task, use.demand});
    if (resource.kind == ResourceKind::core)
      for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
        const Task& one = system_.tasks[task];
        if (one.side != Side::host || one.folded_into || one.unit != resource.unit || one.units.size() > 1 ||
            !facts_.utilization[task] || facts_.own[task].is_zero())
          continue;
        const Duration busy = engine::polls(system_, task) ? facts_.own[task] : facts_.programs[task].execution;
        all.push_back({task, *facts_.utilization[task] * static_cast<double>(busy.picoseconds()) /
                                 static_cast<double>(facts_.own[task].picoseconds())});
      }
    std::stable_sort(all.begin(), all.end(), [](const Demand& a, const Demand& b) { return a.share > b.share; });
    return all;
  }

  void overloads(const std::vector<bool>& relieved) {
    std::vector<Cause> found;
    for (std::size_t index = 0; index < results_.resources.size(); ++index)
      if (results_.resources[index].overloaded() && !relieved[index])
        found.push_back(overload(results_.resources[index]));
    for (const Cause& cause : found)
      for (std::size_t i = 0; i < limits_.size(); ++i)
        if (std::find(cause.sufferers.begin(), cause.sufferers.end(), limits_[i].name) != cause.sufferers.end())
          left_[i] = false;
    std::stable_sort(found.begin(), found.end(),
                     [](const Cause& a, const Cause& b) { return a.explains > b.explains; });
    for (Cause& cause : found)
      if (cause.explains > 0) causes_.push_back(std::move(cause));
  }

  Cause overload(const engine::ResourceResult& resource) const {
    const std::vector<Demand> all = demands(resource);
    std::string who, without;
    double rest = resource.demand;
    std::vector<amalthea::Part> parts;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i < 6)
        who += fmt::format("{}{} {:.1f} %", i == 0 ? "" : ", ", system_.tasks[all[i].task].name, all[i].share * 100);
      if (i == 6) who += fmt::format(" and {} more", all.size() - 6);
      parts.push_back({amalthea::Part::Kind::task, all[i].task});
    }
    for (std::size_t i = 0; i < all.size() && rest > 1; ++i) {
      rest -= all[i].share;
      without += fmt::format("{}{}", i == 0 ? "" : ", ", system_.tasks[all[i].task].name);
    }
    Cause cause;
    cause.kind = Cause::Kind::overload;
    const std::string name = fmt::format("{} {}", to_string(resource.kind), name_of(system_, resource));
    cause.text = fmt::format("{} needs {:.1f} %{}", name, resource.demand * 100, who.empty() ? "" : ": " + who);
    if (rest <= 1 && !without.empty())
      cause.text += fmt::format("; {:.1f} % without {}", std::max(0.0, rest) * 100, without);
    cause.origin = system_.platform.units[resource.unit].origin;
    if (parts.empty()) return cause;
    const auto reached = dependencies_.reached_from(parts);
    for (std::size_t i = 0; i < limits_.size(); ++i)
      if (left_[i] && limits_[i].verdict >= OverallVerdict::unknown && reaches(reached, limits_[i]) &&
          !is_impossible(limits_[i])) {
        cause.sufferers.push_back(limits_[i].name);
        ++cause.explains;
      }
    return cause;
  }

  /// The part of the system that the limit is about.
  std::optional<amalthea::Part> part_of(const JudgedLimit& limit) const {
    const auto find = [&](amalthea::Part::Kind kind, const auto& items) -> std::optional<amalthea::Part> {
      for (std::uint32_t index = 0; index < items.size(); ++index)
        if (items[index].origin == limit.origin) return amalthea::Part{kind, index};
      return std::nullopt;
    };
    switch (limit.kind) {
      case JudgedLimit::Kind::deadline:
      case JudgedLimit::Kind::task:
        return find(amalthea::Part::Kind::task, system_.tasks);
      case JudgedLimit::Kind::requirement:
        return find(amalthea::Part::Kind::requirement, system_.requirements);
      case JudgedLimit::Kind::latency:
        return find(amalthea::Part::Kind::chain, system_.chains);
      case JudgedLimit::Kind::constraint:
        return find(amalthea::Part::Kind::constraint, system_.constraints);
      case JudgedLimit::Kind::finding:
        break;
    }
    return std::nullopt;
  }

  bool reaches(const engine::Dependencies::Reached& reached, const JudgedLimit& limit) const {
    const auto part = part_of(limit);
    return part && reached.contains(*part);
  }

  // ---- misses

  /// A deadline below what the task needs alone.
  bool is_impossible(const JudgedLimit& limit) const {
    const auto task = task_of(limit);
    return task && repaired_.tasks[*task].deadline && facts_.own[*task] > *repaired_.tasks[*task].deadline;
  }

  std::optional<TaskIndex> task_of(const JudgedLimit& limit) const {
    const auto part = part_of(limit);
    return part && part->kind == amalthea::Part::Kind::task ? std::optional<TaskIndex>(part->index) : std::nullopt;
  }

  void misses() {
    std::size_t shown = 0;
    for (std::size_t i = 0; i < limits_.size(); ++i)
      if (left_[i] && limits_[i].verdict >= OverallVerdict::unknown && shown++ < most_of_a_kind)
        causes_.push_back(cause_of(Cause::Kind::miss, limits_[i], why_missed(limits_[i])));
  }

  static Cause cause_of(Cause::Kind kind, const JudgedLimit& limit, std::string text) {
    Cause cause;
    cause.kind = kind;
    cause.text = std::move(text);
    cause.explains = 1;
    cause.origin = limit.origin;
    return cause;
  }

  std::string why_missed(const JudgedLimit& limit) const {
    const auto task = task_of(limit);
    if (!task) return fmt::format("{}: {}{}", limit.name, one_line(limit.reason), slowest_step(limit));
    const Task& one = system_.tasks[*task];
    if (is_impossible(limit))
      return fmt::format("{} needs {} alone, {} more than its deadline of {}{}", one.name, longest(facts_.own[*task]),
                         longest(facts_.own[*task] - *one.deadline), format_duration(*one.deadline),
                         no_faster_core(*task) ? "; no core is fast enough" : "");
    const engine::TaskResult& result = results_.tasks[*task];
    if (result.contributions.empty() || !one.deadline || result.response.max <= *one.deadline)
      return fmt::format("{}: {}", one.name, one_line(limit.reason));
    return fmt::format("{} takes {}, {} more than its deadline of {}: {}", one.name, longest(result.response.max),
                       longest(result.response.max - *one.deadline), format_duration(*one.deadline),
                       largest(result.contributions));
  }

  bool no_faster_core(TaskIndex task) const {
    const Task& one = system_.tasks[task];
    if (one.side != Side::host) return true;
    const Duration elsewhere = facts_.own[task] - facts_.programs[task].execution;
    for (UnitIndex unit = 0; unit < system_.platform.units.size(); ++unit) {
      if (system_.platform.units[unit].type == PuType::gpu || system_.platform.units[unit].frequency.is_zero())
        continue;
      const auto program = engine::compile_program(system_, task, unit, results_.execution, nullptr);
      if (!program.execution.is_zero() && program.execution + elsewhere <= *one.deadline) return false;
    }
    return true;
  }

  /// "core used by Steering 12 ms, own execution 28 ms": the largest parts of a time.
  std::string largest(const std::vector<engine::Contribution>& parts) const {
    std::vector<std::pair<Duration, std::string>> all;
    for (const engine::Contribution& part : parts) {
      std::string what = exporter::describe(system_, part);
      const auto same = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.second == what; });
      if (same == all.end())
        all.emplace_back(part.time, std::move(what));
      else
        same->first += part.time;
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text;
    for (std::size_t i = 0; i < all.size() && i < 3; ++i)
      text += fmt::format("{}{} {}", i == 0 ? "" : ", ", all[i].second, longest(all[i].first));
    return text;
  }

  /// The step of a chain that adds most.
  std::string slowest_step(const JudgedLimit& limit) const {
    const auto part = part_of(limit);
    if (!part || part->kind != amalthea::Part::Kind::chain) return "";
    const engine::ChainResult& result = results_.chains[part->index];
    const auto& steps = result.observed_steps.empty() ? result.implicit_steps : result.observed_steps;
    const auto most = std::max_element(steps.begin(), steps.end(),
                                       [](const auto& a, const auto& b) { return a.wait + a.run < b.wait + b.run; });
    if (most == steps.end()) return "";
    const auto at = static_cast<std::size_t>(most - steps.begin());
    return fmt::format("; most of the latency: {} waits {} and runs {}",
                       system_.tasks[system_.chains[part->index].tasks[at]].name, longest(most->wait),
                       longest(most->run));
  }

  // ---- guarantees

  void guarantees() {
    std::size_t shown = 0;
    for (std::size_t i = 0; i < limits_.size(); ++i)
      if (left_[i] && limits_[i].verdict == OverallVerdict::met && shown++ < most_of_a_kind)
        causes_.push_back(cause_of(Cause::Kind::guarantee, limits_[i], why_unproven(limits_[i])));
  }

  std::string why_unproven(const JudgedLimit& limit) const {
    const auto task = task_of(limit);
    if (!task) return fmt::format("{}: {}{}", limit.name, one_line(limit.reason), slowest_step(limit));
    const engine::Bound& bound = results_.tasks[*task].bound;
    if (!bound.worst) return fmt::format("{} has no bound: {}", limit.name, one_line(bound.reason));
    const auto& deadline = system_.tasks[*task].deadline;
    if (!deadline || *bound.worst <= *deadline) return fmt::format("{}: {}", limit.name, one_line(limit.reason));
    return fmt::format("the bound of {}, {}, exceeds its deadline of {} by {}; it counts most: {}", limit.name,
                       longest(*bound.worst), format_duration(*deadline), longest(*bound.worst - *deadline),
                       largest(bound.parts));
  }

  const Facts& facts_;
  const System& system_;
  const System& repaired_;
  const engine::Results& results_;
  const std::vector<JudgedLimit>& limits_;
  std::vector<bool> left_;
  const Diagnostics& findings_;
  std::vector<Cause>& causes_;
  engine::Dependencies dependencies_;
};

}  // namespace

void add_plain_causes(const Facts& facts, const System& repaired, const engine::Assessment& assessment,
                      const std::vector<bool>& left, const std::vector<bool>& relieved, const Diagnostics& findings,
                      std::vector<Cause>& causes) {
  Plain(facts, repaired, assessment, left, findings, causes).run(relieved);
}

}  // namespace amalthea::analysis
