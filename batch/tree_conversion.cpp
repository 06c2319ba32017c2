// SPDX-License-Identifier: Apache-2.0
#include "batch/tree_conversion.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "batch/batch.hpp"
#include "batch/record.hpp"
#include "exporter/primitives/file_lock.hpp"
#include "exporter/primitives/new_file.hpp"
#include "exporter/results/result_view.hpp"

namespace amalthea::batch {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view unreadable = "unreadable";

std::string hash_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::string(unreadable);
  std::ostringstream text;
  text << file.rdbuf();
  return exporter::hash_of_text(std::move(text).str());
}

/// The line at this position.
std::string line_at(const std::string& path, std::streamoff at) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(at);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Lines of earlier runs by the key of a model: their positions in one file that contains them all.
class KnownConversions {
 public:
  explicit KnownConversions(std::string path) : path_(std::move(path)) {}

  /// Appends the complete lines with a key to that file.
  void take(const std::string& path, exporter::NewFile& all) {
    std::ifstream file(path, std::ios::binary);
    for (std::string line; std::getline(file, line) && !file.eof();) {  // skips a truncated line
      const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
      if (!json.is_object() || !json.contains("key") || !json["key"].is_string()) continue;
      places_.insert_or_assign(json["key"].get<std::string>(), static_cast<std::streamoff>(all.size()));
      all.write(line + "\n");
    }
  }

  /// The line, if all outputs still exist unchanged.
  std::string find(const std::string& key) const {
    const auto known = places_.find(key);
    if (known == places_.end()) return {};
    std::string line = line_at(path_, known->second);
    const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
    if (!json.is_object() || json.value("key", "") != key) return {};
    if (!json.contains("outputs") || json.value("status", "") != "converted") return {};
    for (const auto& output : json["outputs"]) {
      const std::string hash = hash_of_file(output.value("path", ""));
      if (hash == unreadable || hash != output.value("hash", "")) return {};
    }
    return line;
  }

 private:
  std::string path_;
  std::map<std::string, std::streamoff> places_;
};

class Conversion {
 public:
  explicit Conversion(const TreeConversion& options)
      : options_(options), partial_(options.log + ".partial"), known_(partial_) {}

  tl::expected<TreeTotals, std::string> run() {
    const auto lock = exporter::FileLock::take(options_.log);
    if (!lock) return tl::unexpected(lock.error());
    // Without this, a second interruption would lose lines of the first run that this run has not reached.
    auto known = exporter::NewFile::create(partial_);
    if (!known) return tl::unexpected(known.error());
    if (options_.resume)
      for (const std::string& path : {options_.log, partial_}) known_.take(path, *known);
    if (auto begun = known->commit(); !begun) return tl::unexpected(begun.error());
    output_.open(partial_, std::ios::binary | std::ios::in | std::ios::ate);
    if (!output_) return cannot_write(partial_);
    ProcessWork work;
    work.count = options_.models.size();
    work.at_once = options_.at_once;
    work.limits = options_.limits;
    work.work = [this](std::size_t index) { return known_or_made(options_.models[index]); };
    work.done = [this](std::size_t index, Outcome outcome) { return deliver(index, std::move(outcome)); };
    run_processes(work);
    if (!output_) return cannot_write(partial_);  // kept for resuming
    output_.close();
    return finish();
  }

 private:
  static tl::unexpected<std::string> cannot_write(const std::string& path) {
    return tl::unexpected(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  }

  /// "K" and a known line, or "M" and a new one.
  std::string known_or_made(const TreeModel& model) {
    std::string options = options_.options;
    for (const std::string& place : model.places) options += fmt::format("\n{}", place);
    const std::string key = key_of(model.files, options);
    if (std::string line = known_.find(key); !line.empty()) return fmt::format("K{}", line);
    auto made = nlohmann::ordered_json::parse(options_.convert(model), nullptr, false);
    nlohmann::ordered_json line;
    line["files"] = model.files;
    if (made.value("status", "") == "converted") {
      // A path that is not UTF-8 is changed in the line: such a model is converted again.
      bool found = true;
      auto outputs = nlohmann::ordered_json::array();
      for (const auto& output : made["outputs"]) {
        const std::string path = output.get<std::string>(), hash = hash_of_file(path);
        found = found && hash != unreadable;
        outputs.push_back({{"path", path}, {"hash", hash}});
      }
      made["outputs"] = std::move(outputs);
      if (found) line["key"] = key;
    }
    line.update(made);
    return fmt::format("M{}", line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  }

  bool deliver(std::size_t index, Outcome outcome) {
    std::string line;
    bool known = false;
    if (outcome.ending == Ending::finished && outcome.output.size() > 1) {
      known = outcome.output[0] == 'K';
      line = outcome.output.substr(1);
    } else {
      if (outcome.ending == Ending::finished) outcome.ending = Ending::crashed;
      auto json = nlohmann::ordered_json::parse(body_of_ending(outcome, options_.limits));
      nlohmann::ordered_json failure;
      failure["files"] = options_.models[index].files;
      failure["status"] = json["status"];
      failure["error"] = json["error"];
      line = failure.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    }
    const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
    const bool converted = json.value("status", "") == "converted";
    ++(known ? totals_.unchanged : converted ? totals_.converted : totals_.failed);
    lines_.push_back(static_cast<std::streamoff>(output_.tellp()));
    output_ << line << '\n' << std::flush;
    if (options_.progress) options_.progress(lines_.size(), options_.models.size(), totals_.unchanged);
    return static_cast<bool>(output_);
  }

  /// Only the lines of this run, in order.
  tl::expected<TreeTotals, std::string> finish() {
    auto whole = exporter::NewFile::create(options_.log);
    if (!whole) return tl::unexpected(whole.error());
    for (const std::streamoff at : lines_) whole->write(line_at(partial_, at) + "\n");
    if (auto written = whole->commit(); !written) return tl::unexpected(written.error());
    std::error_code error;
    fs::remove(partial_, error);
    return totals_;
  }

  const TreeConversion& options_;
  std::string partial_;
  KnownConversions known_;
  std::ofstream output_;
  std::vector<std::streamoff> lines_;  ///< positions of this run's lines in `partial_`
  TreeTotals totals_;
};

}  // namespace

tl::expected<std::vector<TreeModel>, std::string> place_models(const std::vector<std::string>& paths,
                                                               std::vector<ModelFiles> models) {
  std::vector<TreeModel> placed;
  std::map<std::string, std::string> taken;
  std::error_code error;
  for (ModelFiles& files : models) {
    TreeModel model;
    for (const std::string& file : files) {
      std::string place = fs::path(file).filename().string();
      for (const std::string& path : paths) {
        const fs::path below = fs::path(file).lexically_relative(fs::path(path));
        if (fs::is_directory(path, error) && !below.empty() && *below.begin() != "..") {
          place = below.string();
          break;
        }
      }
      // Parts of ITEA models are renamed by the conversion.
      const std::string result = place.ends_with(".amxmi") ? place : place + ".amxmi";
      if (const auto [other, free] = taken.emplace(result, file); !free)
        return tl::unexpected(fmt::format("{} and {} would both be written to {}; convert them into different folders",
                                          other->second, file, result));
      model.places.push_back(std::move(place));
    }
    model.files = std::move(files);
    placed.push_back(std::move(model));
  }
  return placed;
}

tl::expected<TreeTotals, std::string> convert_tree(const TreeConversion& conversion) {
  return Conversion(conversion).run();
}

}  // namespace amalthea::batch
