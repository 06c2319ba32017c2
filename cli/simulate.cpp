// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "batch/model_list.hpp"
#include "cli/complaint.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/progress.hpp"
#include "cli/shown_findings.hpp"
#include "cli/streams.hpp"
#include "cli/trace.hpp"
#include "cli/verbs.hpp"
#include "engine/many_runs.hpp"
#include "engine/witness.hpp"
#include "exporter/primitives/write_file.hpp"
#include "exporter/results/run_parts.hpp"
#include "exporter/results/runs_formats.hpp"
#include "importer/reading/file_bytes.hpp"

namespace amalthea::cli {
namespace {

struct SimulateOptions {
  InputOptions input;
  AnalysisInput analysis;
  std::uint64_t runs = 1;
  std::uint64_t seed = 1;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  std::string format = "text";
  std::string output;
  TraceOptions trace;
  std::uint64_t traced_run = 0;
  std::string shard;
  std::vector<std::string> merge;
  std::string checkpoint;
  std::optional<std::string> witness;  ///< name of a task
};

/// Beyond these the search for a witness gains little.
constexpr std::uint64_t witness_simulations = 500;

/// The runs to simulate.
struct Range {
  std::uint64_t first = 0, end = 0;
};

/// What all results depend on.
std::string key_of(const SimulateOptions& options, const Model& model, const std::string& files) {
  std::string text =
      fmt::format("{} {}\n{}\n{} runs, seed {}\nlimits {}{}", exporter::tool_name, exporter::tool_version,
                  exporter::hash_of_model(model), options.runs, options.seed, words_of(options.input.limits), files);
  for (const auto& [name, value] : words_of(options.analysis)) text += fmt::format("\n{} {}", name, value);
  return exporter::hash_of_text(text);
}

/// A part in a file; nothing, and a message, if it is none of this simulation.
std::optional<exporter::RunPart> read_part(const std::string& path, const std::string& key, std::uint64_t runs,
                                           const System& system) {
  const auto text = importer::read_bytes(path);
  if (!text) {
    complain(fmt::format("{}: {}", path, text.error()));
    return std::nullopt;
  }
  auto part = exporter::parse_run_part(*text);
  if (!part) {
    complain(fmt::format("{}: {}", path, part.error()));
    return std::nullopt;
  }
  const engine::RunTotals& totals = part->totals;
  const bool fits =
      totals.runs == 0 || (totals.tasks.size() == system.tasks.size() && totals.chains.size() == system.chains.size() &&
                           totals.requirements.size() == system.requirements.size() &&
                           totals.constraints.size() == system.constraints.size());
  if (part->key != key || part->of != runs || !fits) {
    complain(
        fmt::format("{}: the part belongs to another model, or to other options or another version of amalthea", path));
    return std::nullopt;
  }
  return std::move(*part);
}

/// All parts, joined; nothing, and a message, if some are missing.
std::optional<engine::RunTotals> merged(const SimulateOptions& options, const std::string& key, const System& system) {
  std::vector<engine::RunTotals> parts;
  for (const std::string& path : options.merge) {
    auto part = read_part(path, key, options.runs, system);
    if (!part) return std::nullopt;
    parts.push_back(std::move(part->totals));
  }
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  engine::RunTotals sum;
  for (engine::RunTotals& part : parts) {
    if (part.runs == 0) continue;
    if (part.first != sum.end()) {
      complain(part.first > sum.end() ? fmt::format("--merge: the parts lack runs {} to {}", sum.end(), part.first - 1)
                                      : fmt::format("--merge: run {} is in several parts", part.first));
      return std::nullopt;
    }
    engine::add(system, sum, std::move(part));
  }
  if (sum.end() == options.runs) return sum;
  complain(fmt::format("--merge: the parts lack runs {} to {}", sum.end(), options.runs - 1));
  return std::nullopt;
}

/// Keeps what runs add up to in a file, now and then.
class Checkpoint {
 public:
  Checkpoint(const std::string& path, std::string key, std::uint64_t of) : path_(path), key_(std::move(key)), of_(of) {}
  void offer(const engine::RunTotals& totals) {
    constexpr auto between = std::chrono::seconds(10);
    if (path_.empty() || std::chrono::steady_clock::now() - written_ < between) return;
    write(totals);
  }
  bool write(const engine::RunTotals& totals) {
    if (path_.empty()) return true;
    const auto done = exporter::write_file(path_, exporter::render_run_part({key_, of_, totals}));
    if (!done) complain(done.error());
    written_ = std::chrono::steady_clock::now();
    return done.has_value();
  }
  void remove() const {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove(path_, error);
  }

 private:
  const std::string& path_;
  std::string key_;
  std::uint64_t of_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
};

/// Simulates the range, after what a checkpoint has.
std::optional<engine::RunTotals> simulated(const SimulateOptions& options, const System& system,
                                           const engine::ManyRunsOptions& many, Range range, const std::string& key,
                                           Diagnostics& diagnostics) {
  Checkpoint checkpoint(options.checkpoint, key, options.runs);
  engine::ManyRunsOptions followed = many;
  if (!options.checkpoint.empty())
    followed.checkpoint = [&](const engine::RunTotals& totals) { checkpoint.offer(totals); };
  engine::RunTotals so_far;
  so_far.first = range.first;
  std::error_code error;
  if (!options.checkpoint.empty() && std::filesystem::exists(options.checkpoint, error)) {
    auto part = read_part(options.checkpoint, key, options.runs, system);
    if (!part) return std::nullopt;
    if (part->totals.first != range.first || part->totals.end() > range.end) {
      complain(fmt::format("{}: the checkpoint belongs to another part of the runs", options.checkpoint));
      return std::nullopt;
    }
    so_far = std::move(part->totals);
    if (so_far.runs > 0 && !is_quiet())
      tell("amalthea: note: {} of {} runs are in the checkpoint\n", so_far.runs, range.end - range.first);
  }
  auto totals = engine::simulate_range(system, followed, std::move(so_far), range.end, diagnostics);
  if (!totals) return std::nullopt;
  if (totals->end() < range.end) {
    if (!checkpoint.write(*totals)) return std::nullopt;
  } else {
    checkpoint.remove();
  }
  return totals;
}

bool options_fit(const SimulateOptions& options, Range& range) {
  range = {0, options.runs};
  if (options.traced_run >= options.runs)
    return complain(
        fmt::format("--trace-run {}: expected a run number from 0 to {}", options.traced_run, options.runs - 1));
  if (options.shard.empty()) return true;
  const auto shard = batch::parse_shard(options.shard);
  if (!shard) return complain(fmt::format("--shard {}", shard.error()));
  if (options.output.empty()) return complain("--shard requires -o FILE, in which the part is written");
  // Neighboring runs, as even as possible; without overflow.
  const auto begin_of = [&](std::uint64_t number) {
    return static_cast<std::uint64_t>(static_cast<detail::UInt128>(options.runs) * number / shard->count);
  };
  range = {begin_of(shard->number - 1), begin_of(shard->number)};
  return true;
}

int run(const SimulateOptions& options) {
  Range range;
  if (!check_output(options.output) || !check_output(options.checkpoint) || !check_trace(options.trace.path) ||
      !options_fit(options, range))
    return ExitCode::unusable;
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  const auto understood = understand(options.analysis);
  if (!understood) return ExitCode::unusable;
  auto prepared = model.and_then([&](const Model& read) { return prepare_analysis(read, *understood, diagnostics); });
  std::unique_ptr<exporter::TraceWriter> trace;
  if (prepared && !options.trace.path.empty()) {
    trace = make_trace(options.trace, exporter::model_info(*model));
    if (!trace) return ExitCode::unusable;
    prepared->analysis.observer = trace.get();
  }
  if (!prepared) {
    print_findings(diagnostics);
    return prepared.error();
  }
  std::optional<engine::Witness> witness;
  if (options.witness) {
    const auto task = find_task(prepared->system, "--witness", *options.witness);
    if (!task) return ExitCode::unusable;
    LongWork search(LongWork::CtrlC::stops, StatusLine::Log::no, [] { return std::string("searching for a witness"); });
    engine::AnalysisOptions searched = prepared->analysis;
    searched.work = &search.work();
    Diagnostics ignored;  // the run reports them again
    auto found = engine::find_witness(prepared->system, searched, *task, witness_simulations, ignored);
    search.end();
    if (!found) {
      print_findings(diagnostics);
      complain(fmt::format("--witness: {}", found.error()));
      return ExitCode::findings;
    }
    witness = std::move(*found);
    prepared->system = engine::with_releases(std::move(prepared->system), *witness);
    prepared->analysis.until = witness->until;
  }
  const System& system = prepared->system;
  const std::string key = key_of(options, *model, understood->files);
  std::atomic<std::uint64_t> done = range.first;
  LongWork long_work(LongWork::CtrlC::stops, StatusLine::Log::no,
                     [&] { return fmt::format("{} of {} runs", done - range.first, range.end - range.first); });
  prepared->analysis.work = &long_work.work();
  const auto threads = static_cast<unsigned>(std::min<std::uint64_t>(options.jobs, options.runs));
  engine::ManyRunsOptions many{prepared->analysis, options.runs, options.seed, threads};
  many.watched_run = options.traced_run;
  many.progress = [&](std::uint64_t added) { done = added; };
  auto totals =
      options.merge.empty() ? simulated(options, system, many, range, key, diagnostics) : merged(options, key, system);
  long_work.end();
  const bool interrupted = long_work.was_interrupted();
  const bool misused = !totals && !diagnostics.has_errors();  // a message says why
  if (totals && !options.shard.empty()) {
    print_findings(diagnostics);
    if (!finish_trace(trace.get(), options.trace)) return ExitCode::unusable;
    if (interrupted && totals->end() < range.end) {
      tell("amalthea: warning: interrupted after {} of {} runs; the part is not written\n", totals->runs,
           range.end - range.first);
      return ExitCode::interrupted;
    }
    const exporter::RunPart part{key, options.runs, std::move(*totals)};
    return write_data(options.output, exporter::render_run_part(part)) ? ExitCode::all_well : ExitCode::unusable;
  }
  std::optional<engine::ManyRuns> runs;
  if (totals) runs = engine::judge_runs(system, many, std::move(*totals), diagnostics);
  print_findings(diagnostics);
  if (misused) return ExitCode::unusable;
  if (!runs) return ExitCode::findings;
  if (!finish_trace(trace.get(), options.trace)) return ExitCode::unusable;
  const exporter::ModelInfo info = exporter::model_info(*model);
  if (witness && !witness->moved.empty())
    runs->judged.replaced.push_back(
        fmt::format("releases of the model, by those that make {} take long", system.tasks[witness->task].name));
  const exporter::RunsView view{info, system, *runs, diagnostics, witness ? &*witness : nullptr};
  const std::string text = options.format == "json"
                               ? exporter::render_runs_json(view)
                               : exporter::render_runs_text(view, options.output.empty() && use_colour());
  if (!write_output(options.output, text)) return ExitCode::unusable;
  if (interrupted) {
    tell("amalthea: warning: interrupted; these results are partial\n");
    return ExitCode::interrupted;
  }
  return exit_code_of(engine::assess(system, runs->judged, diagnostics), diagnostics, options.analysis);
}

}  // namespace

void add_simulate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* verb =
      app.add_subcommand("simulate", "Simulate random execution times and show response-time distributions");
  verb->group(group::timing);
  add_input_options(*verb, options->input);
  CLI::Option* number =
      verb->add_option("--runs", options->runs,
                       "Number of independent runs. One run uses worst-case times, several use random times")
          ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
          ->capture_default_str()
          ->group(group::analysis);
  CLI::Option* seed = verb->add_option("--seed", options->seed, "Random seed. The same seed draws the same values")
                          ->check(CLI::Range(std::uint64_t{0}, engine::seed_limit - 1))
                          ->capture_default_str()
                          ->group(group::analysis);
  CLI::Option* execution =
      verb->add_option("--execution", options->analysis.execution,
                       "Execution times. Default: random for several runs or with --seed, otherwise worst")
          ->check(CLI::IsMember({"worst", "average", "best", "random"}))
          ->group(rarely(group::analysis));
  add_simulation_options(*verb, options->analysis);
  add_chain_options(*verb, options->analysis);
  verb->add_option("--format", options->format, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str()
      ->group(group::output);
  add_output_option(*verb, options->output);
  add_trace_options(*verb, options->trace);
  verb->add_option("--trace-run", options->traced_run, "Run that --trace records, counted from 0")
      ->capture_default_str()
      ->group(rarely(group::output));
  verb->add_option("--jobs", options->jobs, "Number of threads. Default: one per core. The results do not depend on it")
      ->check(CLI::Range(1U, 1024U))
      ->group(rarely(group::run));
  CLI::Option* shard = verb->add_option("--shard", options->shard,
                                        "Simulate only the I-th of N parts of the runs and write it to -o. --merge "
                                        "joins the parts")
                           ->type_name("I/N")
                           ->group(rarely(group::run));
  CLI::Option* merge = add_input(*verb, "--merge", options->merge,
                                 "Join this part, with the same options, instead of simulating. May be repeated")
                           ->type_name("PART")
                           ->allow_extra_args(false)
                           ->excludes(shard)
                           ->group(rarely(group::run));
  CLI::Option* checkpoint =
      add_output(
          *verb, "--checkpoint", options->checkpoint,
          "Keep what the runs add up to in this file, every ten seconds and at Ctrl-C. The same command goes on from "
          "there; at the end it removes the file")
          ->type_name("FILE")
          ->group(rarely(group::run));
  verb->add_option(
          "--witness", options->witness,
          "Search for releases that make TASK take long, and simulate them. Shows how close the bound of TASK is "
          "to what can happen")
      ->type_name("TASK")
      ->excludes(number)
      ->excludes(seed)
      ->excludes(execution)
      ->excludes(shard)
      ->excludes(merge)
      ->excludes(checkpoint)
      ->group(group::analysis);
  describe(*verb,
           {"amalthea simulate --runs 1000 model.amxmi", "amalthea simulate --runs 1000 --until 1s model.amxmi",
            "amalthea simulate --trace run.btf model.amxmi   # one run, worst case"},
           verdict_exit_codes);
  set_run(*verb, exit_code, [options, seed, execution] {
    if (execution->count() == 0 && (options->runs > 1 || seed->count() > 0)) options->analysis.execution = "random";
    return run(*options);
  });
}

}  // namespace amalthea::cli
