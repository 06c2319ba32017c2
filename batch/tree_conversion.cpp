// SPDX-License-Identifier: Apache-2.0
#include "batch/tree_conversion.hpp"

#include <filesystem>
#include <map>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "batch/batch.hpp"
#include "batch/record.hpp"
#include "batch/resumable_log.hpp"
#include "exporter/primitives/outside_json.hpp"
#include "exporter/results/result_view.hpp"

namespace amalthea::batch {
namespace {

namespace fs = std::filesystem;

class Conversion {
 public:
  explicit Conversion(const TreeConversion& options) : options_(options) {}

  tl::expected<TreeTotals, std::string> run() {
    auto log = ResumableLog::begin(options_.log, options_.resume);
    if (!log) return tl::unexpected(std::move(log.error()));
    log_.emplace(std::move(*log));
    ProcessWork work;
    work.count = options_.models.size();
    work.at_once = options_.at_once;
    work.limits = options_.limits;
    work.work = [this](std::size_t index) { return known_or_made(options_.models[index]); };
    work.done = [this](std::size_t index, Outcome outcome) { return deliver(index, std::move(outcome)); };
    run_processes(work);
    if (!failure_.empty()) return tl::unexpected(failure_);
    return log_->finish().map([this] { return totals_; });
  }

 private:
  /// The known line with this key, if all outputs still exist unchanged.
  std::string still_valid(const std::string& key) const {
    auto line = log_->known(key);
    if (!line) return {};
    const auto json = exporter::outside_json<nlohmann::ordered_json>(*line);
    if (!json || !json->is_object() || !json->contains("outputs")) return {};
    try {
      if (json->value("status", "") != "converted") return {};
      for (const auto& output : json->at("outputs"))
        if (exporter::hash_of_file(output.value("path", "")) != output.value("hash", "")) return {};
    } catch (const nlohmann::json::exception&) {
      return {};  // a line that is damaged is made again
    }
    return std::move(*line);
  }

  /// "K" and a known line, or "M" and a new one.
  std::string known_or_made(const TreeModel& model) {
    std::string options = options_.options;
    for (const std::string& place : model.places) options += fmt::format("\n{}", place);
    const std::string key = key_of(model.files, options, options_.max_bytes);
    if (const std::string line = still_valid(key); !line.empty()) return fmt::format("K{}", line);
    auto made = nlohmann::ordered_json::parse(options_.convert(model), nullptr, false);
    nlohmann::ordered_json line;
    line["files"] = model.files;
    if (made.value("status", "") == "converted") {
      // A path that is not UTF-8 is changed in the line: such a model is converted again.
      bool found = true;
      auto outputs = nlohmann::ordered_json::array();
      for (const auto& output : made["outputs"]) {
        const std::string path = output.get<std::string>();
        const auto hash = exporter::hash_of_file(path);
        found = found && hash;
        outputs.push_back({{"path", path}, {"hash", hash.value_or("unreadable")}});
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
    if (const auto written = log_->append(line); !written) {
      failure_ = written.error();
      return false;
    }
    if (options_.progress) options_.progress(++delivered_, options_.models.size(), totals_.unchanged);
    return true;
  }

  const TreeConversion& options_;
  std::optional<ResumableLog> log_;
  std::string failure_;
  std::size_t delivered_ = 0;
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

bool is_below(const std::string& file, const std::string& folder) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(folder, error);
  const fs::path relative = fs::weakly_canonical(file, error).lexically_relative(whole);
  return !relative.empty() && *relative.begin() != "..";
}

tl::expected<TreeTotals, std::string> convert_tree(const TreeConversion& conversion) {
  return Conversion(conversion).run();
}

}  // namespace amalthea::batch
