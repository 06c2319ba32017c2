// SPDX-License-Identifier: Apache-2.0
// Job sets for nptest of np-schedulability-analysis: for each core CORE.csv, and CORE.prec.csv where jobs follow
// others. It skips the first line and what follows the columns that it knows, so the name of the task is one more.

#include <algorithm>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "exporter/peers/peer_formats.hpp"
#include "exporter/primitives/csv.hpp"

namespace amalthea::exporter {
namespace {

const Stimulus& stimulus_of(const PeerSystem& peer, const PeerTask& task) {
  return peer.system.stimuli[*task.stimulus];
}

/// The task at the begin of the row of triggers that leads to this one.
const PeerTask& root_of(const PeerSystem& peer, const PeerTask& task) {
  const PeerTask* root = &task;
  for (std::size_t hops = 0; root->trigger && hops < peer.tasks.size(); ++hops) root = &peer.tasks[*root->trigger];
  return *root;
}

/// The jobs that begin within this time: a hyperperiod, or with offsets the first offset of all and two hyperperiods.
/// Only if every job ends in time before the next one of its task do later jobs repeat these.
std::optional<Duration> span_of(const PeerSystem& peer, const PeerCore& core) {
  const auto common = hyperperiod_of(peer, core);
  Duration last;
  for (const std::size_t i : core.tasks)
    if (peer.tasks[i].stimulus) last = std::max(last, engine::first_arrival(stimulus_of(peer, peer.tasks[i])));
  if (!common || last.is_zero()) return common;
  if (*common > longest_simulation - last - *common) return std::nullopt;
  return last + *common * 2;
}

std::int64_t jobs_of(const PeerSystem& peer, const PeerCore& core, Duration span) {
  double jobs = 0;
  for (const std::size_t i : core.tasks)
    if (const std::int64_t period = root_of(peer, peer.tasks[i]).arrivals.period.picoseconds(); period > 0)
      jobs += static_cast<double>(span.picoseconds()) / static_cast<double>(period);
  return jobs > 1e15 ? std::int64_t{1'000'000'000'000'000} : static_cast<std::int64_t>(jobs);
}

void append_jobs(std::string& out, const PeerSystem& peer, const PeerCore& core, std::size_t i, Duration span) {
  const PeerTask& task = peer.tasks[i];
  const auto& periodic = std::get<Periodic>(stimulus_of(peer, root_of(peer, task)).occurrence);
  const auto& deadline = core.policy == PeerPolicy::earliest_deadline ? task.deadline : peer.task_of(task).deadline;
  const Duration jitter = Duration::picoseconds(periodic.jitter.upper - periodic.jitter.lower);
  Duration release = periodic.offset + Duration::picoseconds(periodic.jitter.lower);
  for (std::int64_t job = 1; release < span; ++job, release += periodic.period) {
    const Duration last = deadline ? release + *deadline : longest_simulation * 2;
    out += fmt::format(
        "{},{},{},{},{},{},{},{},{}\n", i + 1, job, release.picoseconds(), (release + jitter).picoseconds(),
        task.best.picoseconds(), task.worst.picoseconds(), last.picoseconds(),
        core.policy == PeerPolicy::earliest_deadline ? last.picoseconds()
                                                     : static_cast<std::int64_t>(core.tasks.size()) - task.rank,
        csv_field(peer.name(task)));
  }
}

void append_precedence(std::string& out, const PeerSystem& peer, std::size_t i, Duration span) {
  const PeerTask& task = peer.tasks[i];
  const auto& periodic = std::get<Periodic>(stimulus_of(peer, root_of(peer, task)).occurrence);
  Duration release = periodic.offset + Duration::picoseconds(periodic.jitter.lower);
  for (std::int64_t job = 1; release < span; ++job, release += periodic.period)
    out += fmt::format("{},{},{},{}\n", *task.trigger + 1, job, i + 1, job);
}

std::string limits_of_release(const PeerSystem& peer, const PeerTask& task) {
  const auto* periodic = std::get_if<Periodic>(&stimulus_of(peer, task).occurrence);
  if (periodic == nullptr || !periodic->minimum_distance.is_zero())
    return fmt::format("{} has no period, or a minimum distance", peer.name(task));
  if (peer.cores[task.core].policy == PeerPolicy::earliest_deadline && periodic->jitter.upper != periodic->jitter.lower)
    return fmt::format("the deadlines of the jobs of {} have a jitter", peer.name(task));
  return {};
}

}  // namespace

std::string np_limits(const PeerSystem& peer, const PeerTask& task) {
  const PeerCore& core = peer.cores[task.core];
  if (core.preempts()) return fmt::format("tasks of the core {} preempt each other", peer.name(core));
  if (task.stimulus) {
    if (std::string limit = limits_of_release(peer, task); !limit.empty()) return limit;
  } else if (!task.trigger || peer.tasks[*task.trigger].core != task.core) {
    return fmt::format("a task of another core triggers {}", peer.name(task));
  } else if (!task.triggered_at_end) {
    return fmt::format("the job that triggers {} goes on after that", peer.name(task));
  } else if (core.policy == PeerPolicy::earliest_deadline) {
    return fmt::format("the deadlines of the jobs of {} depend on those that trigger them", peer.name(task));
  }
  if (&task != &peer.tasks[core.tasks.front()]) return {};  // the first one speaks for all
  const auto span = span_of(peer, core);
  if (!span || jobs_of(peer, core, *span) > most_peer_jobs)
    return fmt::format("a hyperperiod of {} has more than {} jobs", peer.name(core), most_peer_jobs);
  return {};
}

std::vector<PeerFile> write_np(const PeerSystem& peer) {
  std::vector<PeerFile> files;
  for (const PeerCore& core : peer.cores) {
    std::string jobs = "task,job,release_min_ps,release_max_ps,cost_min_ps,cost_max_ps,deadline_ps,priority,name\n";
    std::string precedence = "from_task,from_job,to_task,to_job\n";
    const std::size_t none = precedence.size();
    const Duration span = span_of(peer, core).value_or(Duration{});
    for (const std::size_t i : core.tasks) {
      append_jobs(jobs, peer, core, i, span);
      if (peer.tasks[i].trigger) append_precedence(precedence, peer, i, span);
    }
    const std::string name = file_name_of(peer, core);
    files.push_back({name + ".csv", std::move(jobs)});
    if (precedence.size() > none) files.push_back({name + ".prec.csv", std::move(precedence)});
  }
  return files;
}

}  // namespace amalthea::exporter
