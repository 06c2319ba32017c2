// SPDX-License-Identifier: Apache-2.0
#include "engine/requirements.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "amalthea/graph/chain_data.hpp"
#include "amalthea/graph/job_paths.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/rounded_duration.hpp"
#include "engine/chains/chain_latency.hpp"
#include "engine/chains/chain_observation.hpp"
#include "engine/results/lost_activations.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {
namespace {

/// Whether the time of a job never exceeds its response time.
bool is_part_of_response(TimeMetric metric) {
  switch (metric) {
    case TimeMetric::start_delay:
    case TimeMetric::response_time:
    case TimeMetric::gross_execution_time:
    case TimeMetric::net_execution_time:
    case TimeMetric::core_execution_time:
    case TimeMetric::memory_access_time:
    case TimeMetric::os_overhead:
    case TimeMetric::running_time:
    case TimeMetric::ready_time:
    case TimeMetric::waiting_time:
    case TimeMetric::polling_time:
    case TimeMetric::parking_time:
      return true;
    case TimeMetric::activate_to_activate:
    case TimeMetric::start_to_start:
    case TimeMetric::end_to_end:
    case TimeMetric::end_to_start:
    case TimeMetric::lateness:
      return false;
  }
  return false;
}

/// The states that AMALTHEA's CPU percentages of processes include.
struct StateShare {
  std::string_view metric;
  TimeMetric time;
};
constexpr std::array<StateShare, 5> state_shares{{{"CPUParking", TimeMetric::parking_time},
                                                  {"CPUPolling", TimeMetric::polling_time},
                                                  {"CPUReady", TimeMetric::ready_time},
                                                  {"CPURunning", TimeMetric::running_time},
                                                  {"CPUWaiting", TimeMetric::waiting_time}}};

std::string text_of(Duration value, Rounding rounding = Rounding::nearest) { return format_duration(value, rounding); }
std::string text_of(std::int64_t value, Rounding /*exact*/ = Rounding::nearest) { return std::to_string(value); }
std::string text_of(double percent, Rounding /*of two digits*/ = Rounding::nearest) {
  return fmt::format("{:.2f} %", percent);
}

template <typename Value>
bool is_beyond(bool upper, Value value, Value limit) {
  return upper ? value > limit : value < limit;
}

/// The difference of the larger and the smaller value, saturated: limits may have any value.
Duration distance(Duration larger, Duration smaller) {
  const detail::Int128 picoseconds = detail::Int128{larger.picoseconds()} - smaller.picoseconds();
  return picoseconds > Duration::max().picoseconds() ? Duration::max()
                                                     : Duration::picoseconds(static_cast<std::int64_t>(picoseconds));
}
std::int64_t distance(std::int64_t larger, std::int64_t smaller) {
  std::int64_t difference = 0;
  return __builtin_sub_overflow(larger, smaller, &difference) ? std::numeric_limits<std::int64_t>::max() : difference;
}
double distance(double larger, double smaller) { return larger - smaller; }

/// "17 ms above the limit".
template <typename Value>
std::string distance_text(Value value, Value limit, Rounding rounding = Rounding::nearest) {
  if (value == limit) return "exactly the limit";
  return value > limit ? fmt::format("{} above the limit", text_of(distance(value, limit), rounding))
                       : fmt::format("{} below the limit", text_of(distance(limit, value), rounding));
}

/// "the largest of 200 jobs is 83 ms, 17 ms above the limit"
template <typename Value>
std::string extreme_text(bool upper, std::uint64_t jobs, std::string_view noun, Value value, Value limit) {
  const std::string which =
      jobs == 1 ? fmt::format("only {}", noun) : fmt::format("{} of {} {}s", upper ? "largest" : "least", jobs, noun);
  return fmt::format("the {} is {}, {}", which, text_of(value), distance_text(value, limit));
}

/// Minimum and maximum of the observed values.
template <typename Value>
struct Range {
  std::uint64_t jobs = 0;
  Value least{};
  Value largest{};

  void add(const Value& value) {
    least = jobs == 0 ? value : std::min(least, value);
    largest = jobs == 0 ? value : std::max(largest, value);
    ++jobs;
  }
};

/// Unfinished or lost jobs at the end of a simulation, and their meaning if all observed values are within the limit.
struct Leftover {
  LimitVerdict verdict = LimitVerdict::met;  ///< met: there are none
  std::string reason;
};

class Judge {
 public:
  Judge(const System& system, const Results& results) : system_(system), results_(results) { chain_bounds(); }

  RequirementResult judge(std::size_t index) {
    requirement_ = &system_.requirements[index];
    result_ = {};
    not_guaranteed_.clear();
    upper_ = requirement_->limit_type == Requirement::LimitType::upper;
    if (std::holds_alternative<Requirement::NoLimit>(requirement_->limit))
      unknown("it states no limit");
    else if (requirement_->limit_type == Requirement::LimitType::unstated)
      unknown("it does not state whether its limit is an upper or a lower one");
    else
      std::visit([&](const auto& limit) { judge_limit(limit); }, requirement_->limit);
    conclude();
    return std::move(result_);
  }

 private:
  void unknown(std::string reason) { result_.reason = std::move(reason); }
  void guarantee(const Coverage& coverage) {
    result_.guaranteed = true;
    result_.coverage = coverage;
  }
  void decide(LimitVerdict verdict, std::string reason) {
    result_.verdict = verdict;
    result_.reason = std::move(reason);
  }

  /// A guarantee follows from the bound, which may also decide what the simulation did not.
  void conclude() {
    if (result_.verdict == LimitVerdict::missed) result_.guaranteed = false;
    const auto* time = std::get_if<Requirement::TimeLimit>(&requirement_->limit);
    if (result_.verdict == LimitVerdict::met && result_.guaranteed == true && result_.bound && time && time->value)
      result_.reason = fmt::format("the {}bound, {}, is {}", upper_ ? "" : "lower ", bound_text(),
                                   distance_text(*result_.bound, *time->value, Rounding::down));
    if (result_.verdict != LimitVerdict::missed && !not_guaranteed_.empty()) result_.reason += "; " + not_guaranteed_;
    if (result_.verdict == LimitVerdict::unknown && result_.guaranteed == true && result_.bound)
      decide(LimitVerdict::met,
             fmt::format("the bound, {}, is within the limit; in the simulation {}", bound_text(), result_.reason));
    if (result_.guaranteed == true) result_.reason = with_limitation(std::move(result_.reason), result_.coverage);
  }

  std::string bound_text() const { return format_duration(*result_.bound, upper_ ? Rounding::up : Rounding::down); }

  // ---- subjects

  const Requirement::OfProcess* process() const { return std::get_if<Requirement::OfProcess>(&requirement_->subject); }

  std::string missing_subject() const {
    switch (requirement_->kind) {
      case Requirement::Kind::process:
        return "its process is not in the analyzed system";
      case Requirement::Kind::runnable:
        return "its runnable is not in the analyzed system";
      case Requirement::Kind::process_chain:
        return "its process chain is empty, or has a process that is not in the analyzed system";
      case Requirement::Kind::architecture:
      case Requirement::Kind::unknown:
        break;
    }
    return "for architectures, only the CPULoad of a core is measured";
  }

  void not_measured(std::string_view metric) {
    if (metric.empty()) return unknown("it states no metric");
    const Requirement::Kind kind = requirement_->kind;
    if (std::holds_alternative<Requirement::OfOther>(requirement_->subject)) return unknown(missing_subject());
    unknown(fmt::format("{} is not measured{}", metric,
                        kind == Requirement::Kind::runnable        ? " for runnables"
                        : kind == Requirement::Kind::process_chain ? " for process chains"
                                                                   : ""));
  }

  // ---- values of jobs

  /// Unfinished and lost jobs of a task; the flags state whether they exceed every limit.
  Leftover leftover(const TaskResult& task, bool unfinished_above, bool lost_above) const {
    const std::uint64_t jobs = task.response.jobs + task.unfinished;
    if (results_.stopped_early) return {LimitVerdict::unknown, "the simulation stopped early"};
    if (task.unfinished > 0)
      return {
          unfinished_above ? LimitVerdict::missed : LimitVerdict::unknown,
          fmt::format("{} had not ended at the end of the simulation",
                      jobs == 1 ? std::string("the only job") : fmt::format("{} of {} jobs", task.unfinished, jobs))};
    if (lost_above && task.lost_activations > 0)
      return {LimitVerdict::missed,
              fmt::format("{} activations are lost because earlier jobs are still running", task.lost_activations)};
    return {};
  }

  template <typename Value>
  void judge_range(const Range<Value>& seen, std::string_view noun, Value limit, const Leftover& left,
                   std::string_view nothing_seen) {
    if (seen.jobs > 0) {
      const Value extreme = upper_ ? seen.largest : seen.least;
      result_.observed = extreme;
      std::string text = extreme_text(upper_, seen.jobs, noun, extreme, limit);
      if (is_beyond(upper_, extreme, limit)) return decide(LimitVerdict::missed, std::move(text));
      if (left.verdict == LimitVerdict::met) return decide(LimitVerdict::met, std::move(text));
    }
    if (left.verdict != LimitVerdict::met) return decide(left.verdict, left.reason);
    unknown(std::string(nothing_seen));
  }

  void judge_limit(const Requirement::NoLimit&) {}

  void judge_limit(const Requirement::TimeLimit& limit) {
    if (!limit.metric) return not_measured("");
    if (!limit.value) return unknown("its limit is missing or cannot be read");
    if (const auto* of = process()) return process_time(of->task, *limit.metric, *limit.value);
    if (const auto* of = std::get_if<Requirement::OfRunnable>(&requirement_->subject))
      return runnable_time(of->runnable, *limit.metric, *limit.value);
    if (std::holds_alternative<Requirement::OfChain>(requirement_->subject))
      return chain_time(*limit.metric, *limit.value);
    unknown(missing_subject());
  }

  void process_time(TaskIndex index, TimeMetric metric, Duration limit) {
    const TaskResult& task = results_.tasks[index];
    const Extent& extent = task.metrics[metric];
    const bool lateness = metric == TimeMetric::lateness;
    if (lateness && !deadline_of(index)) return unknown("the model states no deadline, which lateness requires");
    const bool response = metric == TimeMetric::response_time;
    const bool between_jobs = !is_part_of_response(metric) && !lateness;
    judge_range(
        Range<Duration>{extent.jobs(), extent.min(), extent.max()}, "job", limit,
        leftover(task, upper_ && (response || lateness), upper_ && response),
        between_jobs ? "no two consecutive jobs ran in the simulated time" : "no job ended in the simulated time");
    add_process_bound(index, metric, limit);
  }

  void add_process_bound(TaskIndex index, TimeMetric metric, Duration limit) {
    const Bound& bound = results_.tasks[index].bound;
    const bool response = metric == TimeMetric::response_time, lateness = metric == TimeMetric::lateness;
    if (upper_ && bound.worst && is_part_of_response(metric)) result_.bound = bound.worst;
    if (upper_ && bound.worst && lateness) result_.bound = *bound.worst - *deadline_of(index);
    if (!upper_ && bound.best && response) result_.bound = bound.best;
    if (!upper_ && bound.best && lateness) result_.bound = *bound.best - *deadline_of(index);
    if (!result_.bound) return;
    if (!is_beyond(upper_, *result_.bound, limit)) {
      // A lost activation breaks an upper limit on ResponseTime, and bounds on jobs do not cover it.
      if (upper_ && response) not_guaranteed_ = why_activations_may_be_lost(system_, index, bound);
      if (not_guaranteed_.empty()) guarantee(upper_ ? coverage_of(system_, index, bound) : Coverage{});
    } else if (response || lateness) {  // for other metrics the bound is only a rough one
      result_.guaranteed = false;
    }
  }

  std::optional<Duration> deadline_of(TaskIndex index) const {
    const Task& task = system_.tasks[index];
    return task.folded_into ? system_.tasks[*task.folded_into].deadline : task.deadline;
  }

  void runnable_time(RunnableIndex runnable, TimeMetric metric, Duration limit) {
    if (metric != TimeMetric::response_time && metric != TimeMetric::gross_execution_time)
      return not_measured(to_string(metric));
    Range<Duration> seen;
    Leftover left;
    for (const RunnableResult& candidate : results_.runnables) {
      if (candidate.runnable != runnable) continue;
      if (left.verdict == LimitVerdict::met) left = leftover(results_.tasks[candidate.task], false, false);
      if (candidate.duration.jobs == 0) continue;
      const std::uint64_t jobs = seen.jobs + candidate.duration.jobs;
      seen.add(candidate.duration.min);
      seen.add(candidate.duration.max);
      seen.jobs = jobs;
    }
    judge_range(seen, "run", limit, left, "it never ran");
  }

  void chain_time(TimeMetric metric, Duration limit) {
    const bool response = metric == TimeMetric::response_time || metric == TimeMetric::end_to_end;
    if (!response && metric != TimeMetric::gross_execution_time) return not_measured(to_string(metric));
    const auto& tasks = std::get<Requirement::OfChain>(requirement_->subject).tasks;
    const Chain chain{"", tasks, {}, Chain::Source::model, {}};
    if (std::string obstacle = chain_data(system_, JobPaths(system_), chain).obstacle; !obstacle.empty())
      return unknown(std::move(obstacle));
    Leftover left;
    std::vector<std::vector<JobAccess>> accesses;
    for (const TaskIndex task : tasks) {
      accesses.push_back(results_.accesses[task]);
      if (left.verdict == LimitVerdict::met) {
        left = leftover(results_.tasks[task], false, false);
        if (left.verdict != LimitVerdict::met)
          left.reason = fmt::format("of {} {}", system_.tasks[task].name, left.reason);
      }
    }
    Range<Duration> seen;
    for (const Passage& passage : passages(accesses))
      seen.add(passage.end - (response ? passage.release : passage.start));
    judge_range(seen, "passage", limit, left, "no data passed through the chain");
    const auto& bound = chain_bounds_[static_cast<std::size_t>(requirement_ - system_.requirements.data())];
    if (!upper_ || !bound) return;
    result_.bound = bound;
    if (*bound <= limit)
      guarantee(chain_coverage_[static_cast<std::size_t>(requirement_ - system_.requirements.data())]);
  }

  /// From the release of a job of the first task to the end of the last one: the reduced reaction, whose bound counts
  /// from the release.
  void chain_bounds() {
    chain_bounds_.resize(system_.requirements.size());
    chain_coverage_.resize(system_.requirements.size());
    System chains_only;
    std::vector<std::size_t> requirements;
    for (std::size_t index = 0; index < system_.requirements.size(); ++index) {
      const auto* of = std::get_if<Requirement::OfChain>(&system_.requirements[index].subject);
      if (of == nullptr) continue;
      if (requirements.empty()) chains_only = system_;
      if (requirements.empty()) chains_only.chains.clear();
      chains_only.chains.push_back({"", of->tasks, {}, Chain::Source::model, {}});
      requirements.push_back(index);
    }
    if (requirements.empty()) return;
    std::vector<Bound> task_bounds;
    for (const TaskResult& task : results_.tasks) task_bounds.push_back(task.bound);
    const auto latencies = chain_latencies(chains_only, task_bounds);
    for (std::size_t i = 0; i < requirements.size(); ++i) {
      if (latencies[i].implicit) chain_bounds_[requirements[i]] = latencies[i].implicit->reduced_reaction;
      chain_coverage_[requirements[i]] = latencies[i].coverage;
    }
  }

  // ---- counts

  void judge_limit(const Requirement::CountLimit& limit) {
    const auto* of = process();
    if (of == nullptr) return not_measured(limit.metric);
    const TaskResult& task = results_.tasks[of->task];
    const bool ended = task.unfinished == 0 && !results_.stopped_early;
    if (limit.metric == "Activations") return judge_count(task.metrics.activations, "activations", limit.value, true);
    if (limit.metric == "Preemptions") return judge_count(task.metrics.preemptions, "preemptions", limit.value, ended);
    if (limit.metric == "FullMigrations") return judge_count(task.metrics.migrations, "migrations", limit.value, ended);
    if (limit.metric == "MtaLimitExceeding") return lost_activations(of->task, limit.value);
    not_measured(limit.metric);
  }

  void lost_activations(TaskIndex index, std::int64_t limit) {
    const TaskResult& task = results_.tasks[index];
    judge_count(task.lost_activations, "lost activations", limit, true);
    if (!upper_ || result_.verdict == LimitVerdict::missed) return;
    not_guaranteed_ = why_activations_may_be_lost(system_, index, task.bound);
    if (not_guaranteed_.empty()) guarantee(coverage_of(system_, index, task.bound));
  }

  /// `final`: unfinished jobs cannot increase it.
  void judge_count(std::uint64_t counted, std::string_view noun, std::int64_t limit, bool final) {
    const auto count = static_cast<std::int64_t>(counted);
    result_.observed = count;
    std::string text = fmt::format("{} {} in the simulation, {}", count, noun, distance_text(count, limit));
    judge_growing(is_beyond(upper_, count, limit), std::move(text), final && !results_.stopped_early);
  }

  /// For values that can only grow: above an upper limit they stay violated, above a lower one they stay met.
  void judge_growing(bool beyond, std::string text, bool final) {
    if (!final && upper_ != beyond) return unknown(text + "; jobs that had not ended could add to it");
    decide(beyond ? LimitVerdict::missed : LimitVerdict::met, std::move(text));
  }

  // ---- percentages

  void judge_limit(const Requirement::PercentageLimit& limit) {
    const auto* of = process();
    const bool response = limit.metric == "NormalizedResponseTime";
    if (of == nullptr || (!response && limit.metric != "NormalizedLateness")) return not_measured(limit.metric);
    const auto deadline = deadline_of(of->task);
    if (!deadline || *deadline <= Duration{})
      return unknown(fmt::format("the model states no deadline, which {} requires", limit.metric));
    const TaskResult& task = results_.tasks[of->task];
    const Extent& extent = task.metrics[response ? TimeMetric::response_time : TimeMetric::lateness];
    const auto percent = [&](Duration time) {
      return 100.0 * static_cast<double>(time.picoseconds()) / static_cast<double>(deadline->picoseconds());
    };
    judge_range(Range<double>{extent.jobs(), percent(extent.min()), percent(extent.max())}, "job", limit.value,
                leftover(task, upper_, upper_ && response), "no job ended in the simulated time");
  }

  void judge_limit(const Requirement::CpuLimit& limit) {
    if (limit.metric.empty()) return not_measured("");
    if (limit.unknown_unit) return unknown("its hardware is not a unit of the analyzed platform");
    if (limit.metric == "CPULoad") return cpu_load(limit);
    const auto* share = std::find_if(state_shares.begin(), state_shares.end(),
                                     [&](const StateShare& candidate) { return candidate.metric == limit.metric; });
    if (process() == nullptr || share == state_shares.end()) return not_measured(limit.metric);
    state_share(*share, limit);
  }

  std::vector<UnitIndex> units_of(TaskIndex index) const {
    const Task& task = system_.tasks[index];
    const Task& executed = task.folded_into ? system_.tasks[*task.folded_into] : task;
    return executed.units.empty() ? std::vector<UnitIndex>{executed.unit} : executed.units;
  }

  std::set<UnitIndex> cores_in_use() const {
    std::set<UnitIndex> cores;
    for (const auto& resource : results_.resources)
      if (resource.kind == ResourceKind::core) cores.insert(resource.unit);
    return cores;
  }

  void cpu_load(const Requirement::CpuLimit& limit) {
    std::optional<UnitIndex> unit = limit.unit;
    if (!unit && process() != nullptr)
      if (const auto cores = cores_in_use(); cores.size() == 1) unit = *cores.begin();
    if (!unit) return unknown("it states no core");
    const auto found = std::find_if(results_.resources.begin(), results_.resources.end(), [&](const auto& resource) {
      return resource.unit == *unit && resource.kind == ResourceKind::core;
    });
    const std::string& name = system_.platform.units[*unit].name;
    if (found == results_.resources.end()) return unknown(fmt::format("{} is not a simulated core", name));
    const double percent = found->utilization * 100;
    result_.observed = percent;
    if (results_.stopped_early) return unknown("the simulation stopped early");
    decide(is_beyond(upper_, percent, limit.value) ? LimitVerdict::missed : LimitVerdict::met,
           fmt::format("{} is in use for {} of the simulated time, {}", name, text_of(percent),
                       distance_text(percent, limit.value)));
  }

  void state_share(const StateShare& share, const Requirement::CpuLimit& limit) {
    if (results_.horizon <= Duration{}) return unknown("nothing was simulated");
    const TaskIndex index = process()->task;
    const auto units = units_of(index);
    const bool runs_there = !limit.unit || std::find(units.begin(), units.end(), *limit.unit) != units.end();
    if (limit.unit && runs_there && units.size() > 1)
      return unknown(fmt::format("{} on one of several cores is not measured", limit.metric));
    const TaskResult& task = results_.tasks[index];
    const Extent& extent = task.metrics[share.time];
    const double spent = runs_there && extent.jobs() > 0
                             ? static_cast<double>(extent.mean().picoseconds()) * static_cast<double>(extent.jobs())
                             : 0;
    const double percent = 100 * spent / static_cast<double>(results_.horizon.picoseconds());
    result_.observed = percent;
    judge_growing(is_beyond(upper_, percent, limit.value),
                  fmt::format("its jobs spend {} of the simulated time in this state, {}", text_of(percent),
                              distance_text(percent, limit.value)),
                  task.unfinished == 0 && !results_.stopped_early);
  }

  void judge_limit(const Requirement::FrequencyLimit& limit) { not_measured(limit.metric); }

  const System& system_;
  const Results& results_;
  std::vector<std::optional<Duration>> chain_bounds_;  ///< parallel to System::requirements
  std::vector<Coverage> chain_coverage_;               ///< of these
  const Requirement* requirement_ = nullptr;
  bool upper_ = true;
  std::string not_guaranteed_;  ///< why it is not, although the bound is within the limit
  RequirementResult result_;
};

}  // namespace

std::vector<RequirementResult> judge_requirements(const System& system, const Results& results) {
  std::vector<RequirementResult> verdicts;
  if (system.requirements.empty()) return verdicts;
  Judge judge(system, results);
  for (std::size_t index = 0; index < system.requirements.size(); ++index) verdicts.push_back(judge.judge(index));
  return verdicts;
}

}  // namespace amalthea::engine
