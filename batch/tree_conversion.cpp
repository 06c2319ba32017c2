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
#include "exporter/result_view.hpp"

namespace amalthea::batch {
namespace {

namespace fs = std::filesystem;

std::string hash_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "unreadable";
  std::ostringstream text;
  text << file.rdbuf();
  return exporter::hash_of_text(std::move(text).str());
}

/// What an earlier run noted, by the key of a model: whole lines.
class KnownLines {
 public:
  void read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    for (std::string line; std::getline(file, line) && !file.eof();) {  // not one that was cut off
      const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
      if (json.is_object() && json.contains("key") && json["key"].is_string())
        lines_.insert_or_assign(json["key"].get<std::string>(), line);
    }
  }

  /// The line, if all that was written then is still there as it was.
  std::string find(const std::string& key) const {
    const auto known = lines_.find(key);
    if (known == lines_.end()) return {};
    const auto json = nlohmann::ordered_json::parse(known->second, nullptr, false);
    if (!json.contains("outputs") || json.value("status", "") != "converted") return {};
    for (const auto& output : json["outputs"])
      if (hash_of_file(output.value("path", "")) != output.value("hash", "")) return {};
    return known->second;
  }

  const std::map<std::string, std::string>& all() const { return lines_; }

 private:
  std::map<std::string, std::string> lines_;
};

class Conversion {
 public:
  explicit Conversion(const TreeConversion& options) : options_(options) {}

  tl::expected<TreeTotals, std::string> run() {
    const std::string partial = options_.log + ".partial";
    if (options_.resume)
      for (const std::string& path : {options_.log, partial}) known_.read(path);
    // What an interrupted run noted and this one has not come to yet would be lost with a second interruption.
    output_.open(partial, std::ios::binary | std::ios::trunc);
    for (const auto& [key, line] : known_.all()) output_ << line << '\n';
    output_.flush();
    if (!output_) return tl::unexpected(fmt::format("cannot write {}: {}", partial, std::strerror(errno)));
    ProcessWork work;
    work.count = options_.models.size();
    work.at_once = options_.at_once;
    work.limits = options_.limits;
    work.work = [this](std::size_t index) { return known_or_made(options_.models[index]); };
    work.done = [this](std::size_t index, Outcome outcome) { return deliver(index, std::move(outcome)); };
    run_processes(work);
    output_.close();
    return finish(partial);
  }

 private:
  /// "K" and a line that was known, or "M" and one that was made.
  std::string known_or_made(const TreeModel& model) {
    std::string options = options_.options;
    for (const std::string& place : model.places) options += fmt::format("\n{}", place);
    const std::string key = key_of(model.files, options);
    if (std::string line = known_.find(key); !line.empty()) return fmt::format("K{}", line);
    auto made = nlohmann::ordered_json::parse(options_.convert(model), nullptr, false);
    nlohmann::ordered_json line;
    line["files"] = model.files;
    if (made.value("status", "") == "converted") {
      line["key"] = key;
      for (auto& output : made["outputs"]) {
        const std::string path = output.get<std::string>();
        output = {{"path", path}, {"hash", hash_of_file(path)}};
      }
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
      line = failure.dump();
    }
    const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
    const bool converted = json.value("status", "") == "converted";
    ++(known ? totals_.unchanged : converted ? totals_.converted : totals_.failed);
    lines_.push_back(line);
    output_ << line << '\n' << std::flush;
    if (options_.progress) options_.progress(lines_.size(), options_.models.size(), totals_.unchanged);
    return static_cast<bool>(output_);
  }

  /// Only the lines of this run, in their order.
  tl::expected<TreeTotals, std::string> finish(const std::string& partial) {
    std::ofstream whole(partial, std::ios::binary | std::ios::trunc);
    for (const std::string& line : lines_) whole << line << '\n';
    whole.close();
    if (!whole || lines_.size() != options_.models.size() || std::rename(partial.c_str(), options_.log.c_str()) != 0)
      return tl::unexpected(fmt::format("cannot write {}: {}", options_.log, std::strerror(errno)));
    return totals_;
  }

  const TreeConversion& options_;
  KnownLines known_;
  std::ofstream output_;
  std::vector<std::string> lines_;
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
      if (const auto [other, free] = taken.emplace(place, file); !free)
        return tl::unexpected(fmt::format("{} and {} would both become {}; convert them into different folders",
                                          other->second, file, place));
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
