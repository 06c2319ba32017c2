// SPDX-License-Identifier: Apache-2.0
// Periods, execution times, copies and clocks that are at odds with those of others.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "analysis/detail/suspicions.hpp"

namespace amalthea::analysis {
namespace {

/// The usual distance of occurrences; nothing for those that have none of their own.
std::optional<Duration> spacing(const Stimulus& stimulus) {
  const auto& kind = stimulus.occurrence;
  if (const auto* periodic = std::get_if<Periodic>(&kind)) return periodic->period;
  if (const auto* synthetic = std::get_if<Synthetic>(&kind)) return synthetic->period;
  if (const auto* burst = std::get_if<Burst>(&kind)) return burst->period;
  if (const auto* sporadic = std::get_if<Sporadic>(&kind)) return Duration::picoseconds(sporadic->distance.lower);
  if (const auto* curve = std::get_if<ArrivalCurve>(&kind); curve != nullptr && !curve->entries.empty())
    return curve->entries.front().lower;
  return std::nullopt;
}

void space(Stimulus& stimulus, double factor) {
  auto& kind = stimulus.occurrence;
  const auto scaled = [factor](std::int64_t value) {
    return static_cast<std::int64_t>(std::round(static_cast<double>(value) * factor));
  };
  if (auto* periodic = std::get_if<Periodic>(&kind)) periodic->period = times(periodic->period, factor);
  if (auto* burst = std::get_if<Burst>(&kind)) burst->period = std::max(burst->length, times(burst->period, factor));
  if (auto* synthetic = std::get_if<Synthetic>(&kind)) {
    synthetic->period = times(synthetic->period, factor);
    for (Duration& one : synthetic->occurrences) one = Duration::picoseconds(scaled(one.picoseconds()));
  }
  if (auto* sporadic = std::get_if<Sporadic>(&kind)) {
    Distribution& of = sporadic->distance;
    of = {scaled(of.lower), scaled(of.average), scaled(of.upper), nullptr};
  }
  if (auto* curve = std::get_if<ArrivalCurve>(&kind))
    for (ArrivalCurve::Entry& entry : curve->entries) {
      entry.lower = Duration::picoseconds(scaled(entry.lower.picoseconds()));
      if (entry.upper) entry.upper = Duration::picoseconds(scaled(entry.upper->picoseconds()));
    }
}

/// A time in a name: "Task_10ms", "every_5_MS", "timer250us".
std::optional<Duration> time_in(const std::string& name) {
  for (std::size_t begin = 0; begin < name.size(); ++begin) {
    if (std::isdigit(static_cast<unsigned char>(name[begin])) == 0) continue;
    std::size_t end = begin;
    std::int64_t value = 0;
    while (end < name.size() && end - begin < 6 && std::isdigit(static_cast<unsigned char>(name[end])) != 0)
      value = value * 10 + (name[end++] - '0');
    if (end < name.size() && name[end] == '_') ++end;
    std::string unit = name.substr(end, 2);
    for (char& letter : unit) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    const bool ends = end + 2 >= name.size() || std::isalpha(static_cast<unsigned char>(name[end + 2])) == 0;
    if (ends && unit == "ms") return Duration::milliseconds(value);
    if (ends && unit == "us") return Duration::microseconds(value);
    begin = end;
  }
  return std::nullopt;
}

void scale(Cycles& cycles, double factor) {
  const auto scaled = [factor](std::int64_t value) {
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(value) * factor));
  };
  cycles = {scaled(cycles.lower), scaled(cycles.average), scaled(cycles.upper), nullptr};
}
void scale(Ticks& ticks, double factor) {
  if (ticks.otherwise) scale(*ticks.otherwise, factor);
  for (auto& [definition, cycles] : ticks.extended) scale(cycles, factor);
}

std::string size_text(double bytes) {
  if (bytes >= 1e9) return fmt::format("{:.6g} GB", bytes / 1e9);
  if (bytes >= 1e6) return fmt::format("{:.6g} MB", bytes / 1e6);
  return fmt::format("{:.6g} kB", bytes / 1e3);
}

class Times {
 public:
  Times(const Facts& facts, Suspicions& found) : facts_(facts), system_(facts.system), found_(found) {}

  void run() {
    for (const auto& period : facts_.results.periods)
      if (period) ++periods_[*period];
    for (StimulusIndex stimulus = 0; stimulus < system_.stimuli.size(); ++stimulus) {
      for (const double factor : {10.0, 100.0, 1000.0, 0.1, 0.01, 0.001}) occurrences(stimulus, factor);
      jitter(stimulus);
    }
    execution(Side::host);
    execution(Side::device);
    copies();
    clocks();
  }

 private:
  void add(double evidence, std::string change, amalthea::Part part, std::function<void(System&)> apply,
           std::string pattern = "") {
    found_.push_back({evidence, std::move(change), part, std::move(apply), std::move(pattern)});
  }

  // ---- periods

  /// Evidence, and why, collected for one change.
  struct Reasons {
    double evidence = 0;
    std::string why;
    void add(double much, const std::string& reason) {
      evidence += much;
      if (much > 0 && !reason.empty()) why += (why.empty() ? "" : ", ") + reason;
    }
  };

  void occurrences(StimulusIndex index, double factor) {
    const Stimulus& stimulus = system_.stimuli[index];
    const auto now = spacing(stimulus);
    if (!now || now->picoseconds() <= 0 || stimulus.activates.empty()) return;
    const double meant_ps = number(*now) * factor;
    if (meant_ps < 1 || meant_ps > 3.6e15) return;
    const Duration meant = times(*now, factor);
    Reasons reasons;
    for (const TaskIndex task : stimulus.activates) {
      as_limited(task, factor, reasons);
      as_in_chains(task, *now, meant, reasons);
      as_ranked(task, *now, meant, reasons);
      as_used(task, factor, reasons);
      as_named(system_.tasks[task].name, *now, meant, reasons);
      if (reasons.evidence > 0) break;
    }
    as_named(stimulus.name, *now, meant, reasons);
    if (reasons.evidence <= 0) return;
    if (const auto usual = periods_.find(meant); usual != periods_.end() && periods_[*now] <= 1)
      reasons.add(0.8, fmt::format("{} other {}", usual->second, usual->second == 1 ? "task has it" : "tasks have it"));
    add(reasons.evidence,
        fmt::format("period of {}: {} instead of {} ({})", system_.tasks[stimulus.activates.front()].name,
                    format_duration(meant), format_duration(*now), reasons.why),
        {amalthea::Part::Kind::stimulus, index},
        [index, factor](System& system) { space(system.stimuli[index], factor); });
  }

  void as_limited(TaskIndex task, double factor, Reasons& reasons) const {
    const auto& tight = facts_.tightness[task];
    if (!tight || *tight <= 0) return;
    const double gain = distance(*tight, facts_.usual_tightness) - distance(*tight / factor, facts_.usual_tightness);
    if (gain > 1.5)
      reasons.add(std::min(3.0, gain),
                  fmt::format("its deadline is {}", format_duration(*system_.tasks[task].deadline)));
    else if (gain < -1.5)
      reasons.add(-2, "");
  }

  void as_in_chains(TaskIndex task, Duration now, Duration meant, Reasons& reasons) const {
    std::vector<double> others;
    for (const TaskIndex other : facts_.chained[task])
      if (const auto& period = facts_.results.periods[other]) others.push_back(number(*period));
    const double usual = median(others);
    if (usual <= 0) return;
    const double gain = distance(number(now), usual) - distance(number(meant), usual);
    if (gain > 1)
      reasons.add(std::min(1.5, gain / 2),
                  fmt::format("that of others in its chains is {}",
                              format_duration(Duration::picoseconds(static_cast<std::int64_t>(usual)))));
  }

  /// Tasks of the same scheduler whose priorities contradict their periods.
  std::size_t inversions(TaskIndex task, double period) const {
    const Task& own = system_.tasks[task];
    if (own.side != Side::host || !has_fixed_priorities(system_.platform.schedulers[own.scheduler].kind)) return 0;
    std::size_t count = 0;
    for (TaskIndex other = 0; other < system_.tasks.size(); ++other) {
      const Task& one = system_.tasks[other];
      const auto& of = facts_.results.periods[other];
      if (other == task || one.scheduler != own.scheduler || !of) continue;
      if ((one.priority > own.priority && number(*of) > period * 1.01) ||
          (one.priority < own.priority && number(*of) < period / 1.01))
        ++count;
    }
    return count;
  }

  void as_ranked(TaskIndex task, Duration now, Duration meant, Reasons& reasons) const {
    const std::size_t before = inversions(task, number(now)), after = inversions(task, number(meant));
    if (after < before)
      reasons.add(1.5 * static_cast<double>(before - after) / static_cast<double>(before), "its priority fits that");
    else if (after > before)
      reasons.add(-0.7, "");
  }

  void as_used(TaskIndex task, double factor, Reasons& reasons) const {
    const auto used = share(task);
    const bool interrupt = system_.tasks[task].kind != ProcessKind::task;
    if (!used || factor < 1 || *used < (interrupt ? 0.25 : 0.4) || system_.tasks[task].side != Side::host) return;
    reasons.add(interrupt ? 1.7 : *used > 0.9 ? 1.5 : 1, fmt::format("it takes {:.0f} % of its core", *used * 100));
  }

  void as_named(const std::string& name, Duration now, Duration meant, Reasons& reasons) const {
    const auto said = time_in(name);
    if (said == meant) reasons.add(4, fmt::format("as {} says", name));
    if (said == now) reasons.add(-3, "");
  }

  void jitter(StimulusIndex index) {
    const auto* periodic = std::get_if<Periodic>(&system_.stimuli[index].occurrence);
    if (periodic == nullptr || periodic->jitter.upper < periodic->period.picoseconds() ||
        system_.stimuli[index].activates.empty())
      return;
    for (const double slip : {0.1, 0.001})
      add(slip < 0.01 ? 3 : 2,
          fmt::format("jitter of {}: {} instead of {} (the period is {})",
                      system_.tasks[system_.stimuli[index].activates.front()].name,
                      format_duration(times(Duration::picoseconds(periodic->jitter.upper), slip)),
                      format_duration(Duration::picoseconds(periodic->jitter.upper)),
                      format_duration(periodic->period)),
          {amalthea::Part::Kind::stimulus, index}, [index, slip](System& system) {
            Distribution& of = std::get<Periodic>(system.stimuli[index].occurrence).jitter;
            const auto scaled = [slip](std::int64_t value) {
              return static_cast<std::int64_t>(static_cast<double>(value) * slip);
            };
            of = {scaled(of.lower), scaled(of.average), scaled(of.upper), nullptr};
          });
  }

  // ---- execution times

  Duration busy(TaskIndex task) const {
    return system_.tasks[task].side == Side::host ? facts_.programs[task].execution : facts_.programs[task].kernels;
  }

  std::optional<double> share(TaskIndex task) const {
    const auto& used = facts_.utilization[task];
    if (!used || facts_.own[task].is_zero() || busy(task).is_zero()) return std::nullopt;
    return *used * number(busy(task)) / number(facts_.own[task]);
  }

  void execution(Side side) {
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      const auto used = share(task);
      if (!used || system_.tasks[task].side != side || *used < 0.2) continue;
      std::vector<double> others;
      for (TaskIndex other = 0; other < system_.tasks.size(); ++other)
        if (const auto one = share(other); one && other != task && system_.tasks[other].side == side)
          others.push_back(*one);
      const double usual = others.empty() ? 0.1 : std::min(0.3, median(others));
      if (*used < 2 * usual) continue;
      const double frequency =
          static_cast<double>(system_.platform.units[system_.tasks[task].unit].frequency.millihertz()) / 1e12;
      for (const double factor : {0.1, 0.01, 0.001}) longer(task, *used, usual, factor, false);
      if (frequency > 0 && frequency < 0.5) longer(task, *used, usual, frequency, true);
    }
  }

  /// How far a utilization is from what is usual: a range, since tasks differ.
  static double oddity(double used, double usual) {
    const double least = std::min(usual, 0.05), most = std::max(usual, 0.2);
    return used > most ? distance(used, most) : used < least ? distance(used, least) : 0;
  }

  /// What the others need of its core or GPU.
  double others_on(TaskIndex task) const {
    double sum = 0;
    for (TaskIndex other = 0; other < system_.tasks.size(); ++other)
      if (const auto one = share(other); one && other != task && system_.tasks[other].unit == system_.tasks[task].unit)
        sum += *one;
    return sum;
  }

  void longer(TaskIndex task, double used, double usual, double factor, bool nanoseconds) {
    const double gain = oddity(used, usual) - oddity(used * factor, usual);
    if (gain < 0.5) return;
    const bool only = used > 0.9 && others_on(task) < 0.7;
    const auto heaviest = dominating(task);
    const bool device = system_.tasks[task].side == Side::device;
    const std::string what =
        device     ? fmt::format("kernel ticks of {}", system_.tasks[task].name)
        : heaviest ? fmt::format("ticks of runnable {} in {}", runnable_name(*heaviest), system_.tasks[task].name)
                   : fmt::format("ticks of {}", system_.tasks[task].name);
    add(0.5 * gain + (nanoseconds ? 0.2 : 0) + (only || (device && used > 0.7) ? 0.5 : 0),
        fmt::format("{}: {}{} (they take {} per job, {:.0f} % of {})", what, ratio_text(factor),
                    nanoseconds ? " them, as if they were nanoseconds" : " them", format_duration(busy(task)),
                    used * 100, device ? "its GPU" : "a core"),
        {amalthea::Part::Kind::task, task}, [task, factor, heaviest](System& system) {
          for (const NodeIndex node : system.tasks[task].body) {
            if (heaviest && node != *heaviest) continue;
            Activity& activity = system.graph[node].activity;
            if (auto* compute = std::get_if<Compute>(&activity)) scale(compute->ticks, factor);
            if (auto* kernel = std::get_if<Kernel>(&activity)) scale(*kernel->ticks, factor);
          }
        });
  }

  std::string runnable_name(NodeIndex node) const {
    const auto& runnable = system_.graph[node].runnable;
    return runnable ? system_.runnables[*runnable].name : std::string("without name");
  }

  /// The computation that takes nearly all of a task's ticks, if it has several.
  std::optional<NodeIndex> dominating(TaskIndex task) const {
    NodeIndex heaviest = 0;
    std::int64_t sum = 0, most = -1;
    std::size_t count = 0;
    for (const NodeIndex node : system_.tasks[task].body) {
      const auto* compute = std::get_if<Compute>(&system_.graph[node].activity);
      if (compute == nullptr) continue;
      const Cycles* cycles = compute->ticks.on(system_.platform.units[system_.tasks[task].unit].definition);
      if (cycles == nullptr) continue;
      ++count;
      sum += cycles->upper / 1024;
      if (cycles->upper > most) {
        most = cycles->upper;
        heaviest = node;
      }
    }
    if (count < 2 || most / 1024 * 10 < sum * 9 || !system_.graph[heaviest].runnable) return std::nullopt;
    return heaviest;
  }

  // ---- copies

  void copies() {
    std::map<std::vector<LabelIndex>, std::int64_t> sizes;
    for (NodeIndex node = 0; node < system_.graph.size(); ++node)
      if (const auto* copy = std::get_if<Copy>(&system_.graph[node].activity); copy != nullptr && !copy->time)
        sizes[copy->sources.empty() ? copy->destinations : copy->sources] = copy->size.bytes;
    for (NodeIndex node = 0; node < system_.graph.size(); ++node) {
      const auto* copy = std::get_if<Copy>(&system_.graph[node].activity);
      if (copy == nullptr || copy->size.bytes <= 0 || copy->time) continue;
      const auto& labels = copy->sources.empty() ? copy->destinations : copy->sources;
      std::vector<double> others;
      for (const auto& [of, bytes] : sizes)
        if (of != labels) others.push_back(static_cast<double>(bytes));
      const TaskIndex task = system_.graph[node].task;
      const auto& used = facts_.utilization[task];
      const double busy_share = used && !facts_.own[task].is_zero()
                                    ? *used * number(facts_.programs[task].copies) / number(facts_.own[task])
                                    : 0;
      const double usual = median(others), bytes = static_cast<double>(copy->size.bytes);
      if (busy_share < 0.05 || (usual > 0 && bytes < 8 * usual)) continue;
      double factor = 0.001;
      for (const double one : {0.1, 0.01})
        if (usual > 0 && distance(bytes * one, usual) < distance(bytes * factor, usual)) factor = one;
      smaller(node, factor, 0.5 + (usual > 0 ? std::min(3.0, distance(bytes, usual) / 2.5) : 0.5) + busy_share);
    }
  }

  void smaller(NodeIndex node, double factor, double evidence) {
    const Copy& copy = std::get<Copy>(system_.graph[node].activity);
    std::vector<LabelIndex> labels = copy.sources;
    labels.insert(labels.end(), copy.destinations.begin(), copy.destinations.end());
    const std::string name = labels.empty() ? system_.graph[node].name : system_.labels[labels.front()].name;
    add(evidence,
        fmt::format("copies of {}: {} instead of {} ({} copies them in every job, {})", name,
                    size_text(static_cast<double>(copy.size.bytes) * factor),
                    size_text(static_cast<double>(copy.size.bytes)), system_.tasks[system_.graph[node].task].name,
                    format_duration(facts_.programs[system_.graph[node].task].copies)),
        {amalthea::Part::Kind::task, system_.graph[node].task}, [labels, factor, node](System& system) {
          const auto shrink = [factor](DataSize& size) {
            size.bytes = std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(size.bytes) * factor));
          };
          for (const LabelIndex label : labels) shrink(system.labels[label].size);
          const std::vector<LabelIndex> sources = std::get<Copy>(system.graph[node].activity).sources;
          for (NodeIndex other = 0; other < system.graph.size(); ++other)
            if (auto* one = std::get_if<Copy>(&system.graph[other].activity); one != nullptr && one->sources == sources)
              shrink(one->size);
        });
  }

  // ---- clocks

  void clocks() {
    std::map<std::int64_t, std::vector<UnitIndex>> cpus;
    for (UnitIndex unit = 0; unit < system_.platform.units.size(); ++unit) {
      const ProcessingUnit& one = system_.platform.units[unit];
      if (one.frequency.is_zero()) continue;
      if (one.type == PuType::gpu)
        faster({unit}, one.frequency.millihertz() < 300'000'000'000 ? 2 : 0.5, 10, "");
      else
        cpus[one.frequency.millihertz()].push_back(unit);
    }
    if (cpus.empty()) return;
    const double top = static_cast<double>(cpus.rbegin()->first);
    for (const auto& [frequency, units] : cpus) {
      const double ratio = top / static_cast<double>(frequency);
      if (ratio < 4) {
        // Without a slower or faster core, only a clock that few cores have is odd.
        if (frequency < 150'000'000'000)
          faster(units, 1.5 + std::min(1.0, 0.3 * static_cast<double>(late_on(units))), 10, "few cores are that slow");
        continue;
      }
      double slip = ratio;
      for (const double one : {10.0, 100.0, 1000.0})
        if (distance(one, ratio) < 0.6) slip = one;
      const bool alike = system_.platform.units[units.front()].definition ==
                         system_.platform.units[cpus.rbegin()->second.front()].definition;
      faster(units, 2 + (alike ? 1.5 : 0) + std::min(1.0, 0.4 * static_cast<double>(late_on(units))), slip,
             fmt::format("other cores have {:.6g} MHz", top / 1e9));
    }
  }

  std::size_t late_on(const std::vector<UnitIndex>& units) const {
    std::size_t late = 0;
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
      if (facts_.failing[task] && std::find(units.begin(), units.end(), system_.tasks[task].unit) != units.end())
        ++late;
    return late;
  }

  void faster(const std::vector<UnitIndex>& units, double evidence, double factor, const std::string& why) {
    std::string names;
    for (const UnitIndex unit : units) names += (names.empty() ? "" : ", ") + system_.platform.units[unit].name;
    const double now = static_cast<double>(system_.platform.units[units.front()].frequency.millihertz());
    add(
        evidence,
        fmt::format("clock of {}: {:.6g} MHz instead of {:.6g} MHz{}", names, now * factor / 1e9, now / 1e9,
                    why.empty() ? "" : fmt::format(" ({})", why)),
        {amalthea::Part::Kind::unit, units.front()},
        [units, factor](System& system) {
          for (const UnitIndex unit : units) {
            Frequency& of = system.platform.units[unit].frequency;
            of = Frequency::millihertz(static_cast<std::int64_t>(static_cast<double>(of.millihertz()) * factor));
          }
        },
        fmt::format("clock {}", factor));
  }

  const Facts& facts_;
  const System& system_;
  Suspicions& found_;
  std::map<Duration, std::size_t> periods_;  ///< how many tasks have it
};

}  // namespace

void suspect_times(const Facts& facts, Suspicions& found) { Times(facts, found).run(); }

}  // namespace amalthea::analysis
