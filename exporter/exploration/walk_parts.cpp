// SPDX-License-Identifier: Apache-2.0
#include "exporter/exploration/walk_parts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exporter/primitives/json_integers.hpp"
#include "exporter/primitives/outside_json.hpp"

namespace amalthea::exporter {
namespace {

using WalkJson = nlohmann::ordered_json;

/// JSON has no infinity.
std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }
/// Whatever is compared with others has an order.
double double_in(std::uint64_t bits) {
  const double value = std::bit_cast<double>(bits);
  if (std::isnan(value)) throw std::out_of_range("not a number");
  return value;
}

std::vector<TaskIndex> tasks_in(const WalkJson& list, std::size_t tasks) {
  auto all = integers_in<std::vector<TaskIndex>>(list);
  if (std::any_of(all.begin(), all.end(), [&](TaskIndex task) { return task >= tasks; }))
    throw std::out_of_range("task");
  return all;
}

WalkJson candidate_json(const explore::Candidate& candidate) {
  WalkJson list = WalkJson::array();
  for (const explore::Choice& choice : candidate)
    list.push_back(
        WalkJson::array({choice.unit, choice.priority, choice.waits_actively,
                         choice.slice ? WalkJson(choice.slice->picoseconds()) : WalkJson(nullptr), choice.migrates}));
  return list;
}

explore::Candidate candidate_in(const WalkJson& list, std::size_t tasks) {
  if (list.size() != tasks) throw std::out_of_range("tasks");
  explore::Candidate candidate;
  for (const WalkJson& json : list) {
    explore::Choice choice;
    choice.unit = integer_in<UnitIndex>(json.at(0));
    choice.priority = integer_in<std::int64_t>(json.at(1));
    choice.waits_actively = json.at(2).get<bool>();
    if (!json.at(3).is_null()) choice.slice = Duration::picoseconds(integer_in<std::int64_t>(json.at(3)));
    choice.migrates = json.at(4).get<bool>();
    candidate.push_back(choice);
  }
  return candidate;
}

WalkJson found_json(const explore::FoundCandidate& found) {
  const explore::Judgement& judgement = found.judgement;
  WalkJson objectives = WalkJson::array();
  for (const double objective : judgement.objectives) objectives.push_back(bits_of(objective));
  return {{"placement", found.placement},     {"candidate", candidate_json(found.candidate)},
          {"late", judgement.late},           {"excess", bits_of(judgement.excess)},
          {"unbounded", judgement.unbounded}, {"objectives", objectives},
          {"broken", judgement.broken}};
}

explore::FoundCandidate found_in(const WalkJson& json, std::size_t tasks) {
  explore::FoundCandidate found;
  found.placement = integer_in<std::size_t>(json.at("placement"));
  found.candidate = candidate_in(json.at("candidate"), tasks);
  found.judgement.late = tasks_in(json.at("late"), tasks);
  found.judgement.excess = double_in(integer_in<std::uint64_t>(json.at("excess")));
  found.judgement.unbounded = integer_in<std::size_t>(json.at("unbounded"));
  for (const auto bits : integers_in<std::vector<std::uint64_t>>(json.at("objectives")))
    found.judgement.objectives.push_back(double_in(bits));
  found.judgement.broken = integer_in<std::size_t>(json.at("broken"));
  return found;
}

}  // namespace

std::string render_walk_part(const WalkPart& part) {
  WalkJson walks = WalkJson::array();
  for (const explore::WalkRecord& walk : part.walks) {
    WalkJson front = WalkJson::array();
    for (const explore::FoundCandidate& found : walk.front) front.push_back(found_json(found));
    walks.push_back({{"number", walk.number},
                     {"front", std::move(front)},
                     {"judged", walk.judged},
                     {"steps", walk.steps},
                     {"is_cut", walk.is_cut},
                     {"late", walk.late}});
  }
  return WalkJson{{"schema", walk_part_schema}, {"key", part.key}, {"walks", std::move(walks)}}.dump() + "\n";
}

tl::expected<WalkPart, std::string> parse_walk_part(std::string_view text, std::size_t tasks) {
  try {
    const auto read = outside_json<WalkJson>(text);
    if (!read) return tl::unexpected(read.error());
    const WalkJson& json = *read;
    if (json.at("schema") != walk_part_schema)
      return tl::unexpected(fmt::format("expected a part with the schema {}", walk_part_schema));
    WalkPart part;
    part.key = json.at("key").get<std::string>();
    for (const WalkJson& walk : json.at("walks")) {
      explore::WalkRecord& record = part.walks.emplace_back();
      record.number = integer_in<std::size_t>(walk.at("number"));
      if (record.number >= explore::walk_count) throw std::out_of_range("number");
      for (const WalkJson& found : walk.at("front")) record.front.push_back(found_in(found, tasks));
      record.judged = integer_in<std::uint64_t>(walk.at("judged"));
      record.steps = integer_in<std::uint64_t>(walk.at("steps"));
      record.is_cut = walk.at("is_cut").get<bool>();
      for (const WalkJson& late : walk.at("late")) record.late.push_back(tasks_in(late, tasks));
    }
    return part;
  } catch (const nlohmann::json::exception&) {
  } catch (const std::out_of_range&) {
  }
  return tl::unexpected(std::string("expected a part of a search for this model, as explore --shard writes it"));
}

}  // namespace amalthea::exporter
