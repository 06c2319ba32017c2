// SPDX-License-Identifier: Apache-2.0
#include "engine/program/memory_contention.hpp"

#include <cmath>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/primitives/ascii.hpp"
#include "amalthea/quantity.hpp"

namespace amalthea::engine {
namespace {

using Error = std::optional<TextError>;

/// Maximum latency; with it and the largest label, times stay well within the range of Duration.
constexpr double longest_ns = 1e9;

/// Nanoseconds, rounded to the nearest picosecond.
Error read_ns(const JsonValue& value, Duration& target) {
  double ns = 0;
  if (auto error = read_real(value, 0, longest_ns, ns)) return error;
  target = Duration::picoseconds(std::llround(ns * 1000));
  return std::nullopt;
}

TextError unknown_key(const JsonValue& value, std::string_view expected) {
  return error_at(value, fmt::format("unknown key; expected {}", expected));
}

Error read_unit(const std::string& name, const JsonValue& value, UnitLatency& unit) {
  unit.name = name;
  const auto* object = std::get_if<JsonObject>(&value.value);
  if (object == nullptr) return error_at(value, "expected an object with \"base_ns\"");
  for (const auto& [key, entry] : object->members) {
    Error error;
    if (key == "base_ns") {
      error = read_ns(entry, unit.base);
    } else if (key == "per_core_ns") {
      error = read_ns(entry, unit.per_core);
    } else if (key == "gpu_ns") {
      error = read_ns(entry, unit.gpu);
    } else if (key == "max_interfering") {
      std::int64_t most = 0;
      error = read_number(entry, 0, most);
      unit.max_interfering = most;
    } else if (key == "hit_rate") {
      double rate = 0;
      error = read_real(entry, 0, 1, rate);
      unit.hits_per_million = std::llround(rate * 1e6);
    } else if (key == "hit_ns") {
      error = read_ns(entry, unit.hit);
    } else {
      error = unknown_key(entry, "base_ns, per_core_ns, gpu_ns, max_interfering, hit_rate, hit_ns");
    }
    if (error) return error;
  }
  if (find_member(*object, "base_ns") == nullptr) return error_at(value, "\"base_ns\" is missing");
  if ((find_member(*object, "hit_rate") == nullptr) != (find_member(*object, "hit_ns") == nullptr))
    return error_at(value, "give \"hit_rate\" and \"hit_ns\" together");
  if (unit.hit > unit.base) return error_at(value, "\"hit_ns\" is more than \"base_ns\"");
  return std::nullopt;
}

Error read_copy(const JsonValue& value, CopyCost& copy) {
  const auto* object = std::get_if<JsonObject>(&value.value);
  if (object == nullptr) return error_at(value, R"(expected an object with "ns_per_line" or "bytes_per_second")");
  for (const auto& [key, entry] : object->members) {
    Error error;
    if (key == "ns_per_line")
      error = read_ns(entry, copy.per_line);
    else if (key == "bytes_per_second")
      error = read_number(entry, 1, copy.rate.bytes_per_second);
    else if (key == "setup_ns")
      error = read_ns(entry, copy.setup);
    else
      error = unknown_key(entry, "ns_per_line or bytes_per_second, and setup_ns");
    if (error) return error;
  }
  if ((find_member(*object, "ns_per_line") == nullptr) == (find_member(*object, "bytes_per_second") == nullptr))
    return error_at(value, R"(expected either "ns_per_line" or "bytes_per_second")");
  return std::nullopt;
}

Error read_model(const JsonValue& root, MemoryModel& model) {
  const auto* object = std::get_if<JsonObject>(&root.value);
  if (object == nullptr) return error_at(root, R"(expected an object with "units")");
  for (const auto& [key, value] : object->members) {
    if (key == "name") {
      const auto* text = std::get_if<std::string>(&value.value);
      if (text == nullptr || text->empty()) return error_at(value, "expected a name");
      model.name = *text;
    } else if (key == "units") {
      const auto* units = std::get_if<JsonObject>(&value.value);
      if (units == nullptr)
        return error_at(value, "expected an object whose keys are names of processing unit definitions");
      for (const auto& [name, entry] : units->members) {
        UnitLatency unit;
        if (auto error = read_unit(name, entry, unit)) return error;
        model.units.push_back(std::move(unit));
      }
    } else if (key == "copy") {
      CopyCost copy;
      if (auto error = read_copy(value, copy)) return error;
      model.copy = copy;
    } else {
      return unknown_key(value, "name, units, copy");
    }
  }
  if (model.units.empty() && !model.copy) return error_at(root, R"("units" and "copy" are both empty)");
  return std::nullopt;
}

bool separates(char c) { return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')); }

/// Whether `text` contains `word` surrounded by separators.
bool has_word(std::string_view text, std::string_view word) {
  const std::string lower = lower_case(text), wanted = lower_case(word);
  if (wanted.empty()) return false;
  for (std::size_t at = lower.find(wanted); at != lower.npos; at = lower.find(wanted, at + 1)) {
    const std::size_t end = at + wanted.size();
    if ((at == 0 || separates(lower[at - 1])) && (end == lower.size() || separates(lower[end]))) return true;
  }
  return false;
}

/// Sources: WATERS 2019 challenge for the platform of the Jetson TX2; copies as in the results of the MobSTr data set.
MemoryModel waters2019() {
  MemoryModel model;
  model.name = "waters2019";
  model.source = MemoryModel::Source::table;
  const auto ns = [](std::int64_t value) { return Duration::nanoseconds(value); };
  UnitLatency a57, denver;
  a57.name = "A57";
  a57.base = ns(20), a57.per_core = ns(20), a57.gpu = ns(100), a57.max_interfering = 5;
  denver.name = "Denver";
  denver.base = ns(8), denver.per_core = ns(2), denver.gpu = ns(20), denver.max_interfering = 5;
  model.units = {a57, denver};
  model.copy = CopyCost{ns(3), {}, {}};
  return model;
}

std::string described(const UnitLatency& unit, std::int64_t other_cores, bool gpu) {
  const std::int64_t cores = std::min(other_cores, unit.max_interfering.value_or(other_cores));
  std::string text = fmt::format("{} to {} a cache line on {}: {} other core{} with {} each",
                                 format_duration(unit.base), format_duration(worst_line(unit, other_cores, gpu)),
                                 unit.name, cores, cores == 1 ? "" : "s", format_duration(unit.per_core));
  text += gpu ? fmt::format(" and {} for the GPU", format_duration(unit.gpu)) : ", and no GPU in use";
  if (unit.hits_per_million > 0)
    text += fmt::format("; of all lines {} are in a cache at {}", static_cast<double>(unit.hits_per_million) / 1e6,
                        format_duration(unit.hit));
  return text;
}

std::string described(const CopyCost& copy) {
  const std::string each =
      copy.rate.bytes_per_second > 0
          ? fmt::format("{} bytes per second", copy.rate.bytes_per_second)
          : fmt::format("{} for every cache line read and written", format_duration(copy.per_line));
  return fmt::format("copies take {}{}", each,
                     copy.setup > Duration{} ? fmt::format(" and {} each", format_duration(copy.setup)) : "");
}

}  // namespace

std::string_view to_string(LineRule rule) { return rule == LineRule::exact ? "exact" : "published"; }

std::int64_t lines_of(DataSize size, DataSize line, LineRule rule) {
  if (rule == LineRule::published)
    return detail::checked_add(detail::divide(size.bytes, line.bytes, Rounding::down), 1);
  return detail::divide(size.bytes, line.bytes, Rounding::up);
}

const std::vector<MemoryModel>& built_in_memory_models() {
  static const std::vector<MemoryModel> models = [] {
    MemoryModel own, none;
    none.name = "none";
    none.source = MemoryModel::Source::uncontended;
    return std::vector<MemoryModel>{none, own, waters2019()};
  }();
  return models;
}

const MemoryModel* find_memory_model(std::string_view name) {
  for (const MemoryModel& model : built_in_memory_models())
    if (model.name == name) return &model;
  return nullptr;
}

tl::expected<MemoryModel, TextError> parse_memory_model(std::string_view text) {
  const auto json = parse_located_json(text);
  if (!json) return tl::unexpected(json.error());
  MemoryModel model;
  model.name = "of a file";
  model.source = MemoryModel::Source::table;
  if (auto error = read_model(*json, model)) return tl::unexpected(std::move(*error));
  return model;
}

const UnitLatency* latency_of(const MemoryModel& model, const Platform& platform, const ProcessingUnit& unit) {
  if (model.source != MemoryModel::Source::table) return nullptr;
  const std::string_view definition =
      unit.definition < platform.definitions.size() ? std::string_view(platform.definitions[unit.definition].name) : "";
  for (const UnitLatency& entry : model.units)
    if (equal_ignoring_case(entry.name, definition)) return &entry;
  for (const UnitLatency& entry : model.units)
    if (equal_ignoring_case(entry.name, unit.name)) return &entry;
  for (const UnitLatency& entry : model.units)
    if (has_word(definition, entry.name)) return &entry;
  return nullptr;
}

namespace {

std::vector<UnitIndex> units_of(const Task& task) { return task.units.empty() ? std::vector{task.unit} : task.units; }

}  // namespace

MemoryUsers::MemoryUsers(const System& system) : system_(system), tasks_(system.platform.units.size()) {
  for (const Task& task : system.tasks) {
    if (task.folded_into) continue;
    if (task.side == Side::device)
      ++device_tasks_;
    else
      for (const UnitIndex unit : units_of(task))
        if (tasks_[unit]++ == 0) ++cores_;
  }
}

std::int64_t MemoryUsers::other_cores(UnitIndex unit, TaskIndex task) const {
  const Task& itself = system_.tasks[task];
  const bool counts = itself.side == Side::host && !itself.folded_into;
  std::int64_t others = cores_ - (tasks_[unit] > 0 ? 1 : 0);
  if (!counts) return others;
  for (const UnitIndex own : units_of(itself))
    if (own != unit && tasks_[own] == 1) --others;  // no other task runs there
  return others;
}

bool MemoryUsers::gpu_besides(TaskIndex task) const {
  return device_tasks_ > (system_.tasks[task].side == Side::device ? 1u : 0u);
}

LineContention contention_of(const UnitLatency& latency, std::int64_t other_cores, bool gpu) {
  const std::int64_t cores = std::min(other_cores, latency.max_interfering.value_or(other_cores));
  return {latency.per_core, cores, gpu ? latency.gpu : Duration{}};
}

Duration worst_line(const UnitLatency& latency, std::int64_t other_cores, bool gpu) {
  return latency.base + contention_of(latency, other_cores, gpu).worst();
}

bool reaches_memory_of(const System& system, UnitIndex gpu, const Activity& access) {
  const auto* read = std::get_if<ReadLabel>(&access);
  const auto* write = std::get_if<WriteLabel>(&access);
  if (read == nullptr && write == nullptr) return false;
  const ProcessingUnit& unit = system.platform.units[gpu];
  return unit.accesses.empty() ||
         access_to(unit, system.labels[read != nullptr ? read->label : write->label]) != nullptr;
}

void report_memory_model(const System& system, const MemoryModel& model, Diagnostics& diagnostics) {
  if (model.source != MemoryModel::Source::table) return;
  const MemoryUsers users(system);
  std::vector<const UnitLatency*> reported;
  std::vector<std::string> costs;
  std::vector<bool> seen(system.platform.units.size());
  const auto report_core = [&](UnitIndex unit, TaskIndex task) {
    const ProcessingUnit& core = system.platform.units[unit];
    const UnitLatency* latency = latency_of(model, system.platform, core);
    if (latency == nullptr) {
      diagnostics.add("AM0521", Severity::warning,
                      fmt::format("the memory model \"{}\" has no entry for core \"{}\" ({}); its accesses use the "
                                  "latencies of the AMALTHEA model; add an entry (docs/reference/memory.md)",
                                  model.name, core.name,
                                  core.definition < system.platform.definitions.size()
                                      ? system.platform.definitions[core.definition].name
                                      : "of no definition"),
                      core.location);
    } else if (std::find(reported.begin(), reported.end(), latency) == reported.end()) {
      reported.push_back(latency);
      costs.push_back(described(*latency, users.other_cores(unit, task), users.gpu_besides(task)));
    }
  };
  // Without units, the model only concerns copies.
  for (TaskIndex task = 0; !model.units.empty() && task < system.tasks.size(); ++task) {
    if (system.tasks[task].side != Side::host || system.tasks[task].folded_into) continue;
    for (const UnitIndex unit : units_of(system.tasks[task])) {
      if (!seen[unit]) report_core(unit, task);
      seen[unit] = true;
    }
  }
  if (model.units.empty()) costs.push_back("accesses of cores as in the AMALTHEA model");
  if (users.gpu()) costs.push_back(model.copy ? described(*model.copy) : "copies as in the AMALTHEA model");
  for (const std::string& cost : costs)
    diagnostics.add("AM0520", Severity::note, fmt::format("memory model \"{}\": {}", model.name, cost));
}

}  // namespace amalthea::engine
