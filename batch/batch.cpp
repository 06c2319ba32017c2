// SPDX-License-Identifier: Apache-2.0
#include "batch/batch.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>

#include <fmt/core.h>

#include "exporter/primitives/file_lock.hpp"
#include "exporter/primitives/new_file.hpp"
#include "exporter/primitives/write_file.hpp"
#include "exporter/results/result_view.hpp"

namespace amalthea::batch {
namespace {

namespace fs = std::filesystem;

/// The start of a line: there may be many, and they may be long.
struct LinePlace {
  std::size_t file = 0;
  std::streamoff at = 0;
};

/// Opens the file again, since processes that share an open file would share its position.
std::optional<std::string> line_at(const std::vector<std::string>& paths, const LinePlace& place) {
  std::ifstream file(paths[place.file], std::ios::binary);
  file.seekg(place.at);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

/// Lines of an earlier batch by their key, as positions in its files.
class KnownLines {
 public:
  void read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string line;
    for (std::streamoff at = 0; std::getline(file, line); at = file.tellg()) {
      if (file.eof()) break;  // truncated: every complete line has an end
      if (const std::string_view key = key_in(line); !key.empty())
        places_.insert_or_assign(std::string(key), LinePlace{paths_.size(), at});
    }
    paths_.push_back(path);
  }

  /// The body; nothing if it is unknown.
  std::optional<std::string> find(const std::string& key) const {
    const auto place = places_.find(key);
    if (place == places_.end()) return std::nullopt;
    const auto line = line_at(paths_, place->second);
    if (!line || key_in(*line) != key) return std::nullopt;
    auto body = body_in(*line);
    return is_body(body) ? std::optional(std::move(body)) : std::nullopt;
  }

 private:
  std::map<std::string, LinePlace> places_;
  std::vector<std::string> paths_;
};

std::optional<std::string> whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

/// Results depend on the build of the tool.
const std::string& hash_of_this_program() {
  static const std::string hash = exporter::hash_of_text(whole_file("/proc/self/exe").value_or(""));
  return hash;
}

class Batch {
 public:
  explicit Batch(const BatchOptions& options) : options_(options), output_path_(options.output) {
    for (std::size_t index = 0; index < options.models.size(); ++index)
      if (options.shard.has(index)) mine_.push_back(index);
  }

  tl::expected<void, std::string> run() {
    if (!open_output()) return tl::unexpected(failure_);
    hash_of_this_program();  // once, not in every process
    ProcessWork work;
    work.count = mine_.size();
    work.at_once = options_.at_once;
    work.limits = options_.limits;
    // Looked up in the worker, so that hashing is also distributed over processes.
    work.work = [this](std::size_t place) { return known_or_made(options_.models[mine_[place]]); };
    work.done = [this](std::size_t place, Outcome outcome) { return deliver(mine_[place], std::move(outcome)); };
    run_processes(work);
    if (!failure_.empty()) return tl::unexpected(failure_);
    if (!close_output()) return tl::unexpected(failure_);
    return {};
  }

 private:
  std::string partial() const { return output_path_ + ".partial"; }
  std::string previous() const { return output_path_ + ".previous"; }

  bool open_output() {
    if (output_path_.empty()) return true;
    std::error_code error;
    // Follows links; anything that is not a file cannot be replaced by one.
    if (fs::exists(output_path_, error)) {
      if (!fs::is_regular_file(output_path_, error))
        return fail(
            fmt::format("cannot write {}: expected a regular file; omit -o to write to standard output", output_path_));
      output_path_ = fs::canonical(output_path_, error).string();
    }
    auto lock = exporter::FileLock::take(output_path_);
    if (!lock) return fail(std::move(lock.error()));
    lock_ = std::make_unique<exporter::FileLock>(std::move(*lock));
    if (options_.resume) {
      // The lines of an interrupted batch are appended to those of the one before it.
      if (fs::exists(partial(), error)) {
        std::ofstream kept(previous(), std::ios::binary | std::ios::app);
        std::ifstream lines(partial(), std::ios::binary);
        kept << '\n';  // after a line that was truncated by a full disk
        for (std::string line; std::getline(lines, line) && !lines.eof();) kept << line << '\n';  // not one cut off
        kept.close();
        if (!kept) return fail(fmt::format("cannot write {}: {}", previous(), std::strerror(errno)));
      }
      for (const std::string& path : {output_path_, previous()})
        if (fs::exists(path, error)) known_.read(path);
    }
    output_.open(partial(), std::ios::binary | std::ios::trunc);
    return output_ ? true : fail(fmt::format("cannot write {}: {}", partial(), std::strerror(errno)));
  }

  bool close_output() {
    if (output_path_.empty()) return true;
    output_.close();
    if (!output_) return fail(fmt::format("cannot write {}: {}", partial(), std::strerror(errno)));
    if (auto replaced = exporter::replace_file(partial(), output_path_); !replaced)
      return fail(std::move(replaced.error()));
    std::error_code error;
    fs::remove(previous(), error);
    return true;
  }

  bool fail(std::string message) {
    failure_ = std::move(message);
    return false;
  }

  /// "K", the key and a known body, or "M", the key and a new body; "D" if the files changed meanwhile, so that the
  /// body is ambiguous.
  std::string known_or_made(const ModelFiles& files) {
    const std::string key = key_of(files, options_.options);
    if (const auto body = known_.find(key)) return "K" + key + *body;
    if (!options_.cache.empty())
      if (auto body = whole_file(cache_file(key)); body && is_body(*body)) return "K" + key + *body;
    const std::string body = options_.analyze(files);
    return (key_of(files, options_.options) == key ? "M" : "D") + key + body;
  }

  std::string cache_file(const std::string& key) const { return options_.cache + "/" + key + ".json"; }

  bool deliver(std::size_t index, Outcome outcome) {
    constexpr std::size_t key_length = 64;
    const ModelFiles& files = options_.models[index];
    std::string key, body;
    bool made = true;
    bool may_differ = false;
    if (outcome.ending == Ending::finished && outcome.output.size() > key_length + 2) {
      made = outcome.output[0] != 'K';
      may_differ = outcome.output[0] == 'D';
      key = outcome.output.substr(1, key_length);
      body = outcome.output.substr(1 + key_length);
    } else {
      if (outcome.ending == Ending::finished) outcome.ending = Ending::crashed;
      may_differ = true;  // another machine may have more time or memory
      body = body_of_ending(outcome, options_.limits);
    }
    if (made && !may_differ && !options_.cache.empty())
      if (const auto written = exporter::write_file(cache_file(key), body); !written) return fail(written.error());
    // An invalid key is not found when the batch is resumed.
    const std::string line = line_of(index, options_.models.size(), files, may_differ ? std::string() : key, body);
    if (!output_path_.empty() && !(output_ << line << '\n' << std::flush))
      return fail(fmt::format("cannot write {}: {}", partial(), std::strerror(errno)));
    const auto record = parse_line(line);
    if (!record) return fail(fmt::format("{}: {}", title_of(files), record.error()));
    ++delivered_;
    known_lines_ += made ? 0 : 1;
    if (options_.done) options_.done(*record, line);
    if (options_.progress) options_.progress(delivered_, mine_.size(), known_lines_);
    return true;
  }

  const BatchOptions& options_;
  std::string output_path_;
  std::vector<std::size_t> mine_;  ///< indices of models
  KnownLines known_;
  std::unique_ptr<exporter::FileLock> lock_;  ///< of the output
  std::ofstream output_;
  std::string failure_;
  std::size_t delivered_ = 0;
  std::size_t known_lines_ = 0;
};

}  // namespace

tl::expected<void, std::string> run_batch(const BatchOptions& options) { return Batch(options).run(); }

std::string key_of(const ModelFiles& files, const std::string& options) {
  std::string text =
      fmt::format("{} {} {}\n{}\n", exporter::tool_name, exporter::tool_version, hash_of_this_program(), options);
  for (const std::string& file : files) {
    const auto bytes = whole_file(file);
    text += fmt::format("{}\n{}\n", file, bytes ? exporter::hash_of_text(*bytes) : "unreadable");
  }
  return exporter::hash_of_text(text);
}

tl::expected<void, std::string> merge_parts(const std::vector<std::string>& paths,
                                            const std::function<void(std::string_view)>& give) {
  std::map<std::size_t, LinePlace> places;
  std::optional<std::size_t> count;
  std::string line;
  for (std::size_t part = 0; part < paths.size(); ++part) {
    const std::string& path = paths[part];
    std::error_code error;
    if (fs::exists(path, error) && !fs::is_regular_file(path, error))
      return tl::unexpected(fmt::format("{}: expected a regular file, because parts are read twice", path));
    std::ifstream file(path, std::ios::binary);
    if (!file) return tl::unexpected(fmt::format("{}: cannot read the file", path));
    std::streamoff at = 0;
    for (std::size_t number = 1; std::getline(file, line); ++number) {
      // The results are not parsed; they end with the line.
      if (file.eof()) return tl::unexpected(fmt::format("{}:{}: the line is incomplete", path, number));
      const auto record = parse_line(line);
      if (!record) return tl::unexpected(fmt::format("{}:{}: {}", path, number, record.error()));
      if (count.value_or(record->of) != record->of)
        return tl::unexpected(
            fmt::format("{}:{}: this part belongs to a batch of {} models, the others to a batch of {}; merge parts of "
                        "one batch only",
                        path, number, record->of, *count));
      count = record->of;
      const auto [place, is_new] = places.emplace(record->index, LinePlace{part, at});
      if (!is_new && line_at(paths, place->second) != line)
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
    auto found = line_at(paths, place);
    if (!found || !parse_line(*found))
      return tl::unexpected(fmt::format("{}: the file changed while it was read", paths[place.file]));
    give(found->append("\n"));
  }
  return {};
}

}  // namespace amalthea::batch
