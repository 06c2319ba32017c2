// SPDX-License-Identifier: Apache-2.0
#include "analysis/mapping_file.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "amalthea/primitives/near_miss.hpp"
#include "engine/input/located_json.hpp"
#include "exporter/results/result_view.hpp"
#include "importer/reading/file_bytes.hpp"

namespace amalthea::analysis {
namespace {

using engine::error_at;
using engine::JsonObject;
using engine::JsonValue;
using engine::TextError;
using importer::MappingChange;

std::optional<TextError> read_change(const JsonValue& value, MappingChange& change) {
  const auto* object = std::get_if<JsonObject>(&value.value);
  if (object == nullptr) return error_at(value, R"(expected an object such as {"core": "Core2", "priority": 3})");
  for (const auto& [key, entry] : object->members) {
    if (key == "core") {
      const auto* core = std::get_if<std::string>(&entry.value);
      if (core == nullptr || core->empty()) return error_at(entry, "expected the name of a processing unit");
      change.core = *core;
    } else if (key == "priority") {
      const auto* priority = std::get_if<std::int64_t>(&entry.value);
      if (priority == nullptr) return error_at(entry, "expected a whole number");
      change.priority = *priority;
    } else if (key == "waiting") {
      const auto* waiting = std::get_if<std::string>(&entry.value);
      if (waiting == nullptr || (*waiting != "active" && *waiting != "passive"))
        return error_at(entry, "expected \"active\" or \"passive\"");
      change.waits_actively = *waiting == "active";
    } else if (key == "slice") {
      Duration slice;
      if (auto error = engine::read_time(entry, false, slice)) return error;
      if (slice == Duration{}) return error_at(entry, "a time slice must be above zero");
      change.time_slice = slice;
    } else {
      return error_at(
          entry,
          fmt::format("unknown key; expected core, priority, waiting or slice{}",
                      did_you_mean(key, std::array<std::string_view, 4>{"core", "priority", "waiting", "slice"})));
    }
  }
  if (change.core.empty() && !change.priority && !change.waits_actively && !change.time_slice)
    return error_at(value, "\"core\" is missing");
  return std::nullopt;
}

tl::expected<std::vector<MappingChange>, TextError> parse_mapping(const std::string& file, const std::string& text) {
  const auto json = engine::parse_located_json(text);
  if (!json) return tl::unexpected(json.error());
  const auto* object = std::get_if<JsonObject>(&json->value);
  if (object == nullptr) return tl::unexpected(error_at(*json, "expected an object whose keys are task names"));
  std::vector<MappingChange> changes;
  for (const auto& [task, value] : object->members) {
    MappingChange change;
    change.task = task;
    change.location = {file, static_cast<std::uint32_t>(value.line), static_cast<std::uint32_t>(value.column)};
    if (auto error = read_change(value, change)) return tl::unexpected(std::move(*error));
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace

Outcome<std::vector<MappingChange>> read_mapping_file(const std::string& option, const std::string& file,
                                                      std::string& files) {
  const auto text = importer::read_bytes(file);
  if (!text) return misused(option + " " + file, text.error());
  files += fmt::format("\n{} {}", option, exporter::hash_of_text(*text));
  auto read = parse_mapping(file, *text);
  if (!read) return misread(file, format(read.error()));
  return std::move(*read);
}

Outcome<std::vector<MappingChange>> read_mapping_changes(const std::string& file, const std::vector<std::string>& texts,
                                                         std::string& files) {
  std::vector<MappingChange> changes;
  if (!file.empty()) {
    auto read = read_mapping_file("--mapping", file, files);
    if (!read) return read;
    changes = std::move(*read);
  }
  const std::size_t of_file = changes.size();
  for (const std::string& text : texts) {
    auto change = importer::parse_mapping_change(text);
    if (!change) return misused("--map " + text, change.error());
    const auto same = [&](const MappingChange& other) { return other.task == change->task; };
    if (std::any_of(changes.begin() + static_cast<std::ptrdiff_t>(of_file), changes.end(), same))
      return misused("--map " + text, fmt::format("task \"{}\" is mapped twice", change->task),
                     "use --map once per task");
    changes.push_back(std::move(*change));
  }
  return changes;
}

}  // namespace amalthea::analysis
