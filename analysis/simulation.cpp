// SPDX-License-Identifier: Apache-2.0
#include "analysis/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "exporter/primitives/write_file.hpp"
#include "exporter/results/result_view.hpp"
#include "importer/reading/file_bytes.hpp"

namespace amalthea::analysis {
namespace {

/// Beyond these the search for a witness gains little.
constexpr std::uint64_t witness_simulations = 500;

/// The execution times if the request leaves them open.
std::string execution_of(const SimulationRequest& request) {
  return !request.execution.empty() ? request.execution : request.runs > 1 || request.seed ? "random" : "worst";
}

/// A part in a file, if it is one of this simulation.
Outcome<exporter::RunPart> read_part(const std::string& path, const Simulation& simulation) {
  const auto text = importer::read_bytes(path);
  if (!text) return misused(path, text.error());
  auto part = exporter::parse_run_part(*text);
  if (!part) return misused(path, part.error());
  const engine::RunTotals& totals = part->totals;
  const System& system = simulation.system;
  const bool fits = totals.runs == 0 ||
                    (totals.tasks.size() == system.tasks.size() && totals.chains.size() == system.chains.size() &&
                     totals.requirements.size() == system.requirements.size() &&
                     totals.constraints.size() == system.constraints.size() &&
                     std::all_of(totals.resources.begin(), totals.resources.end(), [&](const auto& resource) {
                       return resource.unit < system.platform.units.size() &&
                              resource.server.value_or(0) < std::max<std::size_t>(1, system.platform.schedulers.size());
                     }));
  if (part->key != simulation.key || part->of != simulation.runs || !fits)
    return misused(path, "the part belongs to another model, or to other options or another version of amalthea");
  return std::move(*part);
}

/// All parts, joined.
Outcome<engine::RunTotals> merged(const Simulation& simulation) {
  std::vector<engine::RunTotals> parts;
  for (const std::string& path : simulation.merge) {
    auto part = read_part(path, simulation);
    if (!part) return tl::unexpected(part.error());
    parts.push_back(std::move(part->totals));
  }
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  engine::RunTotals sum;
  for (engine::RunTotals& part : parts) {
    if (part.runs == 0) continue;
    if (part.first != sum.end())
      return misused("--merge", part.first > sum.end()
                                    ? fmt::format("the parts lack runs {} to {}", sum.end(), part.first - 1)
                                    : fmt::format("run {} is in several parts", part.first));
    engine::add(simulation.system, sum, std::move(part));
  }
  if (sum.end() == simulation.runs) return sum;
  return misused("--merge", fmt::format("the parts lack runs {} to {}", sum.end(), simulation.runs - 1));
}

/// Keeps what runs add up to in a file, now and then.
class Checkpoint {
 public:
  explicit Checkpoint(const Simulation& simulation) : of_(simulation) {}
  bool is_due() const { return std::chrono::steady_clock::now() - written_ >= std::chrono::seconds(10); }
  Outcome<void> write(const engine::RunTotals& totals) {
    const auto done = exporter::write_file(of_.checkpoint, exporter::render_run_part({of_.key, of_.runs, totals}));
    written_ = std::chrono::steady_clock::now();
    return done ? Outcome<void>() : misused(done.error());
  }

 private:
  const Simulation& of_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
};

/// What a checkpoint has of the runs, or none of them.
Outcome<engine::RunTotals> known_runs(const Simulation& simulation, const SimulationWatch& watch) {
  engine::RunTotals known;
  known.first = simulation.first;
  std::error_code error;
  if (simulation.checkpoint.empty() || !std::filesystem::exists(simulation.checkpoint, error)) return known;
  auto part = read_part(simulation.checkpoint, simulation);
  if (!part) return tl::unexpected(part.error());
  if (part->totals.first != simulation.first || part->totals.end() > simulation.end)
    return misused(simulation.checkpoint, "the checkpoint belongs to another part of the runs");
  if (part->totals.runs > 0 && watch.note)
    watch.note(
        fmt::format("{} of {} runs are in the checkpoint", part->totals.runs, simulation.end - simulation.first));
  return std::move(part->totals);
}

/// Simulates the runs that a checkpoint lacks.
Outcome<engine::RunTotals> simulated(const Simulation& simulation, engine::ManyRunsOptions many,
                                     const SimulationWatch& watch, Diagnostics& findings) {
  Checkpoint checkpoint(simulation);
  const bool keeps = !simulation.checkpoint.empty();
  if (keeps)
    many.checkpoint = [&](const engine::RunTotals& totals) {
      if (!checkpoint.is_due()) return;
      if (const auto written = checkpoint.write(totals); !written && watch.failed) watch.failed(written.error().text());
    };
  auto known = known_runs(simulation, watch);
  if (!known) return known;
  auto totals = engine::simulate_range(simulation.system, many, std::move(*known), simulation.end, findings);
  if (!totals) return tl::unexpected(Failure{});
  if (!keeps) return std::move(*totals);
  if (totals->end() < simulation.end) {
    if (const auto written = checkpoint.write(*totals); !written) return tl::unexpected(written.error());
  } else {
    std::error_code error;
    std::filesystem::remove(simulation.checkpoint, error);
  }
  return std::move(*totals);
}

/// The neighboring runs of a part: as even as possible, without overflow.
void take_part(const Shard& shard, Simulation& simulation) {
  const auto begin_of = [&](std::uint64_t number) {
    return static_cast<std::uint64_t>(static_cast<detail::UInt128>(simulation.runs) * number / shard.count);
  };
  simulation.first = begin_of(shard.number - 1);
  simulation.end = begin_of(shard.number);
  simulation.is_part = true;
}

}  // namespace

OptionTable runs_options(SimulationRequest& request) {
  const OptionTable runs = {
      row("runs", &request.runs, "Number of independent runs. One run uses worst-case times, several use random times",
          {group::analysis}, {.range = Range{1, 1'000'000'000}}),
      row("seed", &request.seed, "Random seed. The same seed draws the same values", {group::analysis},
          {.range = Range{0, engine::seed_limit - 1}, .usual = "1"}),
      row("execution", &request.execution,
          "Execution times. Default: random for several runs or with --seed, otherwise worst", rare(group::analysis),
          {.choices = {"worst", "average", "best", "random"}})};
  return joined({runs, simulation_options(request), chain_options(request)});
}

OptionTable sharing_options(SimulationRequest& request) {
  return {row("jobs", &request.jobs, "Number of threads. Default: one per core. The results do not depend on it",
              rare(group::run), {.range = Range{1, 1024}, .usual = ""}),
          row("shard", &request.shard,
              "Simulate only the I-th of N parts of the runs and write it to -o. --merge joins the parts",
              rare(group::run), {.takes = "I/N"}),
          row("merge", &request.merge, "Join this part, with the same options, instead of simulating. May be repeated",
              rare(group::run), {.takes = "PART", .file = FileKind::read, .excludes = {"shard"}}),
          row("checkpoint", &request.checkpoint,
              "Keep what the runs add up to in this file, every ten seconds and at Ctrl-C. The same command goes on "
              "from there; at the end it removes the file",
              rare(group::run), {.takes = "FILE", .file = FileKind::written}),
          row("witness", &request.witness,
              "Search for releases that make TASK take long, and simulate them. Shows how close the bound of TASK is "
              "to what can happen",
              {group::analysis},
              {.takes = "TASK", .excludes = {"runs", "seed", "execution", "shard", "merge", "checkpoint"}})};
}

OptionTable simulation_request_options(SimulationRequest& request) {
  return joined({runs_options(request), sharing_options(request)});
}

Outcome<Simulation> prepare_simulation(const Model& model, const SimulationRequest& request,
                                       const importer::Limits& limits, Diagnostics& findings) {
  AnalysisRequest asked_of = request;
  asked_of.execution = execution_of(request);
  const auto resolved = resolve(asked_of);
  if (!resolved) return tl::unexpected(resolved.error());
  auto prepared = prepare(model, *resolved, findings);
  if (!prepared) return tl::unexpected(prepared.error());
  Simulation simulation;
  static_cast<Prepared&>(simulation) = std::move(*prepared);
  simulation.runs = simulation.end = request.runs;
  simulation.seed = request.seed.value_or(1);
  const unsigned jobs = request.jobs != 0 ? request.jobs : std::max(1U, std::thread::hardware_concurrency());
  simulation.threads = static_cast<unsigned>(std::min<std::uint64_t>(jobs, request.runs));
  simulation.merge = request.merge;
  simulation.checkpoint = request.checkpoint;
  if (!request.shard.empty()) {
    const auto shard = parse_shard(request.shard);
    if (!shard) return tl::unexpected(shard.error());
    take_part(*shard, simulation);
  }
  simulation.key = exporter::hash_of_text(
      fmt::format("{} {}\n{}\n{} runs, seed {}\nlimits{}{}{}", exporter::tool_name, exporter::tool_version,
                  exporter::hash_of_model(model), simulation.runs, simulation.seed, asked_text(limits, limit_options),
                  resolved->files + hashes_of_profiles(simulation.system), asked_text(asked_of, request_options)));
  return simulation;
}

Outcome<void> seek_witness(Simulation& simulation, const std::string& task, Work* work) {
  const auto named = task_named(simulation.system, "--witness", task);
  if (!named) return tl::unexpected(named.error());
  engine::AnalysisOptions searched = simulation.analysis;
  searched.work = work;
  Diagnostics ignored;  // the run reports them again
  auto found = engine::find_witness(simulation.system, searched, *named, witness_simulations, ignored);
  if (!found) return tl::unexpected(Failure{Failure::Kind::refused, found.error(), "--witness"});
  simulation.witness = std::move(*found);
  simulation.system = engine::with_releases(std::move(simulation.system), *simulation.witness);
  simulation.analysis.until = simulation.witness->until;
  return {};
}

Outcome<SimulatedRuns> simulate(const Simulation& simulation, const SimulationWatch& watch, Diagnostics& findings) {
  engine::ManyRunsOptions many{simulation.analysis, simulation.runs, simulation.seed, simulation.threads};
  many.analysis.work = watch.work;
  many.analysis.observer = watch.observer;
  many.watched_run = watch.observed_run;
  many.progress = watch.progress;
  auto totals = simulation.merge.empty() ? simulated(simulation, many, watch, findings) : merged(simulation);
  if (!totals) return tl::unexpected(totals.error());
  if (!simulation.merge.empty()) engine::report_before_runs(simulation.system, many, findings);
  if (simulation.is_part) return SimulatedRuns{{simulation.key, simulation.runs, std::move(*totals)}, {}};
  SimulatedRuns found;
  found.runs = engine::judge_runs(simulation.system, many, std::move(*totals), findings);
  if (!found.runs) return tl::unexpected(Failure{});
  if (const auto& witness = simulation.witness; witness && !witness->moved.empty())
    found.runs->judged.replaced.push_back(fmt::format("releases of the model, by those that make {} take long",
                                                      simulation.system.tasks[witness->task].name));
  return found;
}

}  // namespace amalthea::analysis
