// SPDX-License-Identifier: Apache-2.0
#include "batch/batch.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <dlfcn.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "analysis/diagnosis.hpp"
#include "batch/resumable_log.hpp"
#include "exporter/primitives/write_file.hpp"
#include "exporter/results/result_view.hpp"
#include "exporter/results/results_json.hpp"
#include "importer/building/profile_file.hpp"
#include "importer/reading/file_bytes.hpp"

namespace amalthea::batch {
namespace {

namespace fs = std::filesystem;

/// The file of this program. The tarball's script starts it with the tarball's loader, which is the executable then.
std::string own_file() {
  std::string executable = "/proc/self/exe";
  std::error_code error;
  Dl_info here{};
  const bool is_loader = fs::read_symlink(executable, error).filename().string().starts_with("ld-");
  if (is_loader && ::dladdr(reinterpret_cast<const void*>(&own_file), &here) != 0) executable = here.dli_fname;
  return executable;
}

/// Results depend on the build of the tool.
const std::string& hash_of_this_program() {
  static const std::string hash = exporter::hash_of_file(own_file()).value_or("");
  return hash;
}

class Batch {
 public:
  explicit Batch(const BatchOptions& options) : options_(options) {
    for (std::size_t index = 0; index < options.models.size(); ++index)
      if (options.shard.has(index)) mine_.push_back(index);
  }

  tl::expected<void, std::string> run() {
    if (!options_.output.empty()) {
      std::error_code error;
      if (fs::exists(options_.output, error) && !fs::is_regular_file(options_.output, error))
        return tl::unexpected(fmt::format(
            "cannot write {}: expected a regular file; omit -o to write to standard output", options_.output));
      auto log = ResumableLog::begin(options_.output, options_.resume);
      if (!log) return tl::unexpected(std::move(log.error()));
      log_.emplace(std::move(*log));
    }
    hash_of_this_program();  // once, not in every process
    ProcessWork work;
    work.count = mine_.size();
    work.at_once = options_.at_once;
    work.limits = options_.limits;
    // Looked up in the worker, so that hashing is also distributed over processes.
    work.work = [this](std::size_t place) { return known_or_made(options_.models[mine_[place]]); };
    work.done = [this](std::size_t place, Outcome outcome) { return deliver(mine_[place], std::move(outcome)); };
    work.stop = [this] { return options_.work != nullptr && options_.work->stop; };
    run_processes(work);
    if (!failure_.empty()) return tl::unexpected(failure_);
    if (log_) return log_->finish();
    return {};
  }

 private:
  bool fail(std::string message) {
    failure_ = std::move(message);
    return false;
  }

  /// "K", the key and a known body, or "M", the key and a new body; "D" if the files changed meanwhile, so that the
  /// body is ambiguous. "m" and "d" if what was known is damaged.
  std::string known_or_made(const ModelFiles& files) {
    const std::string key = key_of(files, options_.options, options_.max_bytes);
    bool damaged = false;
    if (const auto line = log_ ? log_->known(key) : std::nullopt) {
      if (const std::string body = body_in(*line); is_body(body)) return "K" + key + body;
      damaged = true;
    }
    if (const auto body = cached(key)) {
      if (is_body(*body)) return "K" + key + *body;
      damaged = true;
    }
    const std::string body = options_.analyze(files);
    const bool same = key_of(files, options_.options, options_.max_bytes) == key;
    return (same ? (damaged ? "m" : "M") : (damaged ? "d" : "D")) + key + body;
  }

  /// What the cache has, if it has something; "" for more than any body has. Anything may have been put there.
  std::optional<std::string> cached(const std::string& key) const {
    constexpr std::uintmax_t longest = std::uintmax_t{1} << 30;
    std::error_code error;
    if (options_.cache.empty() || !fs::is_regular_file(cache_file(key), error)) return std::nullopt;
    if (fs::file_size(cache_file(key), error) > longest) return std::string();
    std::ifstream file(cache_file(key), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }

  std::string cache_file(const std::string& key) const { return options_.cache + "/" + key + ".json"; }

  bool deliver(std::size_t index, Outcome outcome) {
    constexpr std::size_t key_length = 64;
    const ModelFiles& files = options_.models[index];
    std::string key, body;
    bool made = true;
    bool may_differ = false;
    if (outcome.ending == Ending::finished && outcome.output.size() > key_length + 2) {
      const char mark = outcome.output[0];
      made = mark != 'K';
      may_differ = mark == 'D' || mark == 'd';
      if (options_.damaged && (mark == 'm' || mark == 'd')) options_.damaged(files);
      key = outcome.output.substr(1, key_length);
      body = outcome.output.substr(1 + key_length);
    } else {
      if (outcome.ending == Ending::finished) outcome.ending = Ending::crashed;
      may_differ = true;  // another machine may have more time or memory
      body = body_of_ending(outcome, options_.limits);
    }
    if (made && !may_differ && !options_.cache.empty())
      if (const auto written = exporter::write_file(cache_file(key), body, exporter::Durable::no); !written)
        return fail(written.error());
    // An invalid key is not found when the batch is resumed.
    const std::string line = line_of(index, options_.models.size(), files, may_differ ? std::string() : key, body);
    if (log_)
      if (const auto written = log_->append(line); !written) return fail(written.error());
    const auto record = parse_line(line);
    if (!record) return fail(fmt::format("{}: {}", title_of(files), record.error()));
    ++delivered_;
    known_lines_ += made ? 0 : 1;
    if (options_.done) options_.done(*record, line);
    if (options_.progress) options_.progress(delivered_, mine_.size(), known_lines_);
    return true;
  }

  const BatchOptions& options_;
  std::vector<std::size_t> mine_;  ///< indices of models
  std::optional<ResumableLog> log_;
  std::string failure_;
  std::size_t delivered_ = 0;
  std::size_t known_lines_ = 0;
};

/// The body of an analysis.
std::string body_of_analysis(const ModelFiles& files, const importer::Limits& limits, const analysis::Resolved& how) {
  Diagnostics findings;
  const auto model = analysis::read(files, limits, findings);
  const auto analyzed = model.and_then([&](const Model& read) { return analysis::analyze(read, how, findings); });
  if (!analyzed) return body_of_failure(findings.all(), "the model cannot be analyzed with these options");
  const exporter::ModelInfo info = exporter::model_info(*model);
  const exporter::Causes causes = analysis::diagnose(analyzed->system, analyzed->analysis, analyzed->results, findings);
  return body_of_results(
      exporter::results_json({info, analyzed->system, analyzed->results, findings, &*model, nullptr, &causes}));
}

}  // namespace

analysis::OptionTable process_options(BatchRequest& request) {
  using namespace analysis;
  return {row("shard", &request.shard, "Analyze only the I-th of N parts. merge joins the results of all parts",
              rare(group::run), {.takes = "I/N"}),
          row("jobs", &request.jobs, "Number of processes. Default: one per core. The results do not depend on it",
              {group::run}, {.range = Range{1, 1024}, .usual = ""}),
          row("time-limit", &request.time_limit, "Time limit per model, in seconds", {group::run},
              {.range = RealRange{0.01, 1e7}}),
          row("memory-limit", &request.memory_limit, "Address space per model, in MiB. 0: no limit", rare(group::run),
              {.range = Range{0, max_mebibytes}}),
          row("resume", &request.resume, "Continue an interrupted batch that has the same -o", {group::run})};
}

analysis::Outcome<std::vector<ModelFiles>> models_of(const BatchRequest& request) {
  auto models = find_models(request.paths, request.limits.max_file_size);
  if (!models) return analysis::misused(models.error());
  if (!request.manifest.empty()) {
    std::error_code error;
    const auto listed = importer::read_bytes(request.manifest).and_then(parse_manifest);
    if (!listed) return analysis::misused(request.manifest, listed.error());
    for (const ModelFiles& files : *listed)
      for (const std::string& file : files)
        if (fs::exists(file, error) && !fs::is_regular_file(file, error))
          return analysis::misused(
              fmt::format("{}: {}: expected the files of each model, separated by tabs, as --list writes them",
                          request.manifest, file));
    models->insert(models->end(), listed->begin(), listed->end());
  }
  if (models->empty())
    return analysis::misused(fmt::format("{}; pass .amxmi files, folders that contain them, or --manifest FILE",
                                         request.paths.empty() ? "no model is given" : "these paths contain no model"));
  return std::move(*models);
}

analysis::Outcome<BatchOptions> prepare_batch(const BatchRequest& request, std::vector<ModelFiles> models) {
  if (request.resume && request.output.empty())
    return analysis::misused("--resume requires -o FILE, the output of the interrupted batch");
  const auto shard = parse_shard(request.shard);
  if (!shard) return tl::unexpected(shard.error());
  const auto how = analysis::resolve(request.analysis);
  if (!how) return tl::unexpected(how.error());
  if (!request.cache.empty()) {
    std::error_code error;
    fs::create_directories(request.cache, error);
    if (error) return analysis::misused("--cache " + request.cache, error.message());
  }
  BatchOptions work;
  work.models = std::move(models);
  work.shard = *shard;
  work.output = request.output;
  work.resume = request.resume;
  work.cache = request.cache;
  work.options = "limits" + analysis::asked_text(request.limits, analysis::limit_options) + how->files +
                 analysis::asked_text(request.analysis, analysis::request_options);
  work.max_bytes = request.limits.max_file_size;
  work.at_once = request.jobs;
  work.limits.time = std::chrono::milliseconds(static_cast<std::int64_t>(request.time_limit * 1000));
  if (request.memory_limit > 0) work.limits.memory = request.memory_limit << 20U;
  work.analyze = [how = std::make_shared<analysis::Resolved>(*how), limits = request.limits](const ModelFiles& files) {
    return body_of_analysis(files, limits, *how);
  };
  return work;
}

tl::expected<void, std::string> run_batch(const BatchOptions& options) { return Batch(options).run(); }

std::string key_of(const ModelFiles& files, const std::string& options, std::uint64_t max_bytes) {
  std::string text =
      fmt::format("{} {} {}\n{}\n", exporter::tool_name, exporter::tool_version, hash_of_this_program(), options);
  const auto add = [&text](const std::string& file, const std::string& hash) {
    text += fmt::format("{}\n{}\n", file, hash);
  };
  bool names_profiles = false;
  for (const std::string& file : files) {
    std::error_code error;
    const std::uint64_t size = fs::file_size(file, error);
    if (!error && size > max_bytes) {
      add(file, fmt::format("more than {} bytes", max_bytes));
      continue;
    }
    const auto bytes = importer::read_bytes(file, UINT64_MAX);
    add(file, bytes ? exporter::hash_of_text(*bytes) : "unreadable");
    names_profiles |= bytes && importer::may_name_profile(*bytes);
  }
  importer::Limits limits;
  limits.max_file_size = max_bytes;
  if (names_profiles)
    for (const std::string& file : importer::profile_files(files, limits))
      add(file, exporter::hash_of_file(file).value_or("unreadable"));
  return exporter::hash_of_text(text);
}

tl::expected<void, std::string> merge_parts(const std::vector<std::string>& paths,
                                            const std::function<void(std::string_view)>& give) {
  struct Place {
    std::size_t part = 0;
    std::streamoff position = 0;
  };
  std::map<std::size_t, Place> places;
  std::optional<std::size_t> count;
  Line read;
  for (std::size_t part = 0; part < paths.size(); ++part) {
    const std::string& path = paths[part];
    std::error_code error;
    if (fs::exists(path, error) && !fs::is_regular_file(path, error))
      return tl::unexpected(fmt::format("{}: expected a regular file, because parts are read twice", path));
    std::ifstream file(path, std::ios::binary);
    if (!file) return tl::unexpected(fmt::format("{}: cannot read the file", path));
    std::streamoff at = 0;
    for (std::size_t number = 1; next_line(file, read); ++number) {
      // The results are not parsed; they end with the line.
      const std::string& line = read.text;
      if (read.too_long)
        return tl::unexpected(fmt::format("{}:{}: the line has more than {} bytes", path, number, longest_line));
      if (!read.whole) return tl::unexpected(fmt::format("{}:{}: the line is incomplete", path, number));
      const auto record = parse_line(line);
      if (!record) return tl::unexpected(fmt::format("{}:{}: {}", path, number, record.error()));
      if (count.value_or(record->of) != record->of)
        return tl::unexpected(
            fmt::format("{}:{}: this part belongs to a batch of {} models, the others to a batch of {}; merge parts of "
                        "one batch only",
                        path, number, record->of, *count));
      count = record->of;
      const auto [place, is_new] = places.emplace(record->index, Place{part, at});
      if (!is_new && line_at(paths[place->second.part], place->second.position) != line)
        return tl::unexpected(
            fmt::format("{}:{}: model {} already has a different result in another part", path, number, record->index));
      at += static_cast<std::streamoff>(line.size() + 1);
    }
  }
  if (const std::size_t missing = count.value_or(0) - places.size(); missing > 0) {
    constexpr std::size_t max_listed = 20;
    std::string indices;
    for (std::size_t index = 0, found = 0; found < std::min(missing, max_listed); ++index)
      if (!places.contains(index)) indices += fmt::format("{}{}", found++ == 0 ? "" : ", ", index);
    return tl::unexpected(fmt::format("parts are missing results of the models with these indices: {}{}", indices,
                                      missing > max_listed ? fmt::format(" and {} more", missing - max_listed) : ""));
  }
  for (const auto& [index, place] : places) {
    auto found = line_at(paths[place.part], place.position);
    if (!found || !parse_line(*found))
      return tl::unexpected(fmt::format("{}: the file changed while it was read", paths[place.part]));
    give(found->append("\n"));
  }
  return {};
}

}  // namespace amalthea::batch
