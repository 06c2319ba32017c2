// SPDX-License-Identifier: Apache-2.0
#include "engine/chains/chain_observation.hpp"

#include <algorithm>
#include <cstddef>

namespace amalthea::engine {
namespace {

using Jobs = std::span<const std::vector<JobAccess>>;

void raise(std::optional<Duration>& longest, Duration value) {
  if (!longest || value > *longest) longest = value;
}

void lower(std::optional<Duration>& shortest, Duration value) {
  if (!shortest || value < *shortest) shortest = value;
}

/// The first write of the last task that reflects what this job of the first one read. Visits the job of every task
/// that hands the data on.
template <typename Visit>
std::optional<Instant> follow(Jobs tasks, std::size_t job, Visit visit) {
  visit(tasks.front()[job]);
  Instant written = tasks.front()[job].write;
  for (const std::vector<JobAccess>& jobs : tasks.subspan(1)) {
    const auto reader = std::lower_bound(jobs.begin(), jobs.end(), written,
                                         [](const JobAccess& other, Instant time) { return other.read < time; });
    if (reader == jobs.end()) return std::nullopt;
    visit(*reader);
    written = reader->write;
  }
  return written;
}

std::optional<Instant> first_output(Jobs tasks, std::size_t job) {
  return follow(tasks, job, [](const JobAccess&) {});
}

/// The jobs of the tasks of a chain. Where its stimulus is the activation of the first task, that task reads at its
/// release.
std::vector<std::vector<JobAccess>> jobs_of(const Chain& chain, Jobs accesses) {
  std::vector<std::vector<JobAccess>> jobs;
  for (const TaskIndex task : chain.tasks) jobs.push_back(accesses[task]);
  if (chain.from_activation && !jobs.empty())
    for (JobAccess& job : jobs.front()) job.read = job.release;
  return jobs;
}

/// When the first task read the data that this job of the last one processes; nothing if that precedes the first job.
std::optional<Instant> source_of(Jobs tasks, std::size_t job) {
  Instant read = tasks.back()[job].read;
  for (std::size_t i = tasks.size() - 1; i > 0; --i) {
    const std::vector<JobAccess>& jobs = tasks[i - 1];
    const auto later = std::upper_bound(jobs.begin(), jobs.end(), read,
                                        [](Instant time, const JobAccess& other) { return time < other.write; });
    if (later == jobs.begin()) return std::nullopt;
    read = std::prev(later)->read;
  }
  return read;
}

}  // namespace

ObservedLatencies observed_latencies(Jobs tasks) {
  ObservedLatencies observed;
  std::optional<Instant> previous;  // read
  for (std::size_t job = 0; job < tasks.front().size(); ++job) {
    const auto output = first_output(tasks, job);
    if (!output) break;
    const Instant read = tasks.front()[job].read;
    ++observed.reads;
    raise(observed.reduced_reaction, *output - read);
    lower(observed.least_reaction, *output - read);
    if (previous) raise(observed.reaction, *output - *previous);
    previous = read;
  }
  const std::vector<JobAccess>& last = tasks.back();
  for (std::size_t job = 0; job < last.size(); ++job) {
    const auto source = source_of(tasks, job);
    if (!source) continue;
    raise(observed.reduced_age, last[job].write - *source);
    lower(observed.least_age, last[job].write - *source);
    if (job + 1 < last.size()) raise(observed.age, last[job + 1].write - *source);
  }
  return observed;
}

ObservedLatencies observed_latencies(const Chain& chain, Jobs accesses) {
  if (chain.tasks.empty()) return {};
  return observed_latencies(jobs_of(chain, accesses));
}

std::vector<ChainStep> longest_reaction(const Chain& chain, Jobs accesses) {
  if (chain.tasks.empty()) return {};
  const std::vector<std::vector<JobAccess>> tasks = jobs_of(chain, accesses);
  std::optional<std::size_t> longest_job;
  Duration longest;
  for (std::size_t job = 1; job < tasks.front().size(); ++job) {
    const auto output = first_output(tasks, job);
    if (!output) break;
    const Duration reaction = *output - tasks.front()[job - 1].read;
    if (longest_job && reaction <= longest) continue;
    longest_job = job;
    longest = reaction;
  }
  std::vector<ChainStep> steps;
  if (!longest_job) return steps;
  Instant written = tasks.front()[*longest_job - 1].read;
  follow(tasks, *longest_job, [&](const JobAccess& job) {
    steps.push_back({job.read - written, job.write - job.read});
    written = job.write;
  });
  return steps;
}

std::vector<Passage> passages(Jobs tasks) {
  std::vector<Passage> found;
  for (std::size_t job = 0; job < tasks.front().size(); ++job) {
    const auto output = first_output(tasks, job);
    if (!output) break;  // later jobs have none either
    found.push_back({tasks.front()[job].release, tasks.front()[job].read, *output});
  }
  return found;
}

}  // namespace amalthea::engine
