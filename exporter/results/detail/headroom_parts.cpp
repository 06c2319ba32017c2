// SPDX-License-Identifier: Apache-2.0
#include "exporter/results/detail/headroom_parts.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "amalthea/quantity.hpp"
#include "exporter/results/json_parts.hpp"
#include "exporter/results/verdict_text.hpp"

namespace amalthea::exporter {
namespace {

using engine::Headroom;
using engine::Margin;
using engine::Stress;
using engine::StressHeadroom;
using Json = nlohmann::ordered_json;

std::string violated_limit(const engine::JudgedLimit& limit) {
  if (limit.kind == engine::JudgedLimit::Kind::deadline) return "deadline of " + limit.name;
  if (limit.kind == engine::JudgedLimit::Kind::task)
    return fmt::format("{} is {}", limit.name, to_string(limit.verdict));
  return limit.name;
}

std::string first_limit(const Margin& margin) {
  if (margin.broken.empty()) return "-";
  const std::string first = violated_limit(margin.broken.front());
  return margin.broken.size() == 1 ? first : fmt::format("{} and {} more", first, margin.broken.size() - 1);
}

std::string what_text(const System& system, const Stress& stress) {
  constexpr std::array<std::string_view, 8> texts{
      "all times and all jitter", "all execution times",  "all jitter",
      "execution time of {}",     "execution on core {}", "kernels on GPU {}",
      "accesses to memory {}",    "jitter of {}"};
  const std::string name = name_of(system, stress);
  if (stress.kind == Stress::Kind::memory && name.empty()) return "memory accesses";
  return fmt::format(fmt::runtime(texts[static_cast<std::size_t>(stress.kind)]), name);
}

/// Of one stimulus.
std::optional<Duration> jitter_period(const System& system, const Stress& stress) {
  if (stress.kind != Stress::Kind::jitter) return std::nullopt;
  const auto* periodic = std::get_if<Periodic>(&system.stimuli[stress.index].occurrence);
  return periodic == nullptr ? std::nullopt : std::optional(periodic->period);
}
Duration share_of(Duration period, int percent) {
  const Duration share = scale(period, std::abs(percent), 100, Rounding::down);
  return percent < 0 ? Duration{} - share : share;
}

std::string amount_text(int percent, std::optional<Duration> period) {
  const char* sign = percent < 0 ? "-" : percent > 0 ? "+" : "";
  if (period) return fmt::format("{}{}", sign, format_duration(share_of(*period, std::abs(percent))));
  return fmt::format("{}{} %", sign, std::abs(percent));
}

std::string margin_text(const Margin& margin, std::optional<Duration> period) {
  if (!margin.holds) return "-";
  std::string text = amount_text(*margin.holds, period);
  if (!margin.breaks) return "at least " + text;
  if (*margin.breaks - *margin.holds > 1) text += fmt::format(" (< {})", amount_text(*margin.breaks, period));
  return margin.monotone ? text : text + " *";
}

Colour margin_colour(const Margin& margin) {
  if (!margin.holds) return Colour::none;
  return *margin.holds == 0 ? Colour::bad : Colour::good;
}

bool has_open(const Headroom& headroom) { return headroom.guaranteed < headroom.limits; }

/// "-17 %: deadline of Control", "-35 %: 2 of 3"; `open`: number of limits that do not hold today.
std::string needed_text(const Margin& margin, std::size_t open, std::optional<Duration> period) {
  if (open == 0) return "-";
  if (!margin.needed) return "not enough";
  const std::string amount = amount_text(*margin.needed, period);
  if (margin.repaired.size() == open) return fmt::format("{}: all", amount);
  if (margin.repaired.size() == 1) return fmt::format("{}: {}", amount, violated_limit(margin.repaired.front()));
  return fmt::format("{}: {} of {}", amount, margin.repaired.size(), open);
}

/// "12 % (guaranteed), 18 % (seen)"
std::string growth_text(const StressHeadroom& of) {
  const auto text = [](const Margin& margin, const char* kind) {
    const char* at_least = margin.breaks ? "" : "at least ";
    return fmt::format("{}{} % ({})", at_least, *margin.holds, kind);
  };
  std::string words;
  if (of.guaranteed.holds) words = text(of.guaranteed, "guaranteed");
  if (of.seen.holds) words += (words.empty() ? "" : ", ") + text(of.seen, "seen");
  return words;
}

std::string first_limits(const StressHeadroom& of) {
  const bool g = of.guaranteed.holds && !of.guaranteed.broken.empty(), s = of.seen.holds && !of.seen.broken.empty();
  if (!g && !s) return "";
  if (!g) return "; first limit: " + first_limit(of.seen);
  if (!s || first_limit(of.guaranteed) == first_limit(of.seen)) return "; first limit: " + first_limit(of.guaranteed);
  return fmt::format("; first limits: {} (guaranteed), {} (seen)", first_limit(of.guaranteed), first_limit(of.seen));
}

const StressHeadroom* headroom_of(const Headroom& headroom, Stress::Kind kind) {
  const auto found =
      std::find_if(headroom.of.begin(), headroom.of.end(), [&](const auto& one) { return one.stress.kind == kind; });
  return found == headroom.of.end() ? nullptr : &*found;
}

std::string limits_text(const Headroom& headroom) {
  if (headroom.limits == 0) return "";
  return fmt::format("{} of {} limits {} guaranteed today, {} {} met in the simulation", headroom.guaranteed,
                     headroom.limits, headroom.guaranteed == 1 ? "is" : "are", headroom.met,
                     headroom.met == 1 ? "is" : "are");
}

Json margin_json(const ResultView& view, const Margin& margin, std::optional<Duration> period) {
  const auto number = [](std::optional<int> value) { return value ? Json(*value) : Json(nullptr); };
  const auto time = [&](std::optional<int> value) {
    return value ? Json(share_of(*period, *value).picoseconds()) : Json(nullptr);
  };
  Json json = {{"holds_percent", number(margin.holds)},
               {"breaks_percent", number(margin.breaks)},
               {"needed_percent", number(margin.needed)},
               {"monotone", margin.monotone}};
  if (period) {
    json["holds_ps"] = time(margin.holds);
    json["breaks_ps"] = time(margin.breaks);
    json["needed_ps"] = time(margin.needed);
  }
  json["repaired"] = Json::array();
  for (const engine::JudgedLimit& limit : margin.repaired) json["repaired"].push_back(violated_limit(limit));
  json["violated"] = margin.broken.size();
  json["first"] = nullptr;
  if (margin.broken.empty()) return json;
  const engine::JudgedLimit& first = margin.broken.front();
  json["first"] = {{"kind", to_string(first.kind)},
                   {"name", first.name},
                   {"verdict", to_string(first.verdict)},
                   {"reason", first.reason}};
  add_place(json["first"], location_of(view, first.origin));
  return json;
}

}  // namespace

std::vector<std::string> headroom_sentences(const Headroom& headroom) {
  std::vector<std::string> sentences;
  const StressHeadroom* times = headroom_of(headroom, Stress::Kind::times);
  if (times == nullptr) return sentences;
  if (const std::string growth = growth_text(*times); !growth.empty())
    sentences.push_back(fmt::format("Headroom: all execution times may grow by {}{}.", growth, first_limits(*times)));
  if (has_open(headroom)) {
    const auto shorter = [](const Margin& margin, std::size_t open, const char* how) {
      if (!margin.needed) return fmt::format("no reduction of all execution times makes more of them {}", how);
      const std::string which =
          margin.repaired.size() == open
              ? "every limit is"
              : fmt::format("{} more {}", margin.repaired.size(), margin.repaired.size() == 1 ? "is" : "are");
      return fmt::format("{} {} if all execution times are {} % shorter", which, how, -*margin.needed);
    };
    std::string text = fmt::format("Headroom: {}; ", limits_text(headroom));
    if (headroom.met < headroom.limits)
      text += shorter(times->seen, headroom.limits - headroom.met, "met in the simulation") + "; ";
    sentences.push_back(text + shorter(times->guaranteed, headroom.limits - headroom.guaranteed, "guaranteed") + ".");
  }
  return sentences;
}

TextTable headroom_table(const System& system, const Headroom& headroom) {
  std::vector<TextTable::Column> columns = {
      {"what grows"}, {"guaranteed", Align::right}, {"first limit"}, {"seen", Align::right}, {"first limit"}};
  if (has_open(headroom)) {
    columns.push_back({"less, to guarantee"});
    columns.push_back({"less, to meet"});
  }
  TextTable table(columns);
  for (const StressHeadroom& of : headroom.of) {
    const auto period = jitter_period(system, of.stress);
    std::vector<TextTable::Cell> row = {{what_text(system, of.stress)},
                                        {margin_text(of.guaranteed, period), margin_colour(of.guaranteed)},
                                        {first_limit(of.guaranteed)},
                                        {margin_text(of.seen, period), margin_colour(of.seen)},
                                        {first_limit(of.seen)}};
    if (has_open(headroom)) {
      row.push_back({needed_text(of.guaranteed, headroom.limits - headroom.guaranteed, period)});
      row.push_back({needed_text(of.seen, headroom.limits - headroom.met, period)});
    }
    table.add_row(std::move(row));
  }
  return table;
}

std::vector<std::string> headroom_notes(const Headroom& headroom) {
  std::vector<std::string> notes;
  const engine::GrowthRange times = engine::range_of(Stress::Kind::times);
  notes.push_back(fmt::format(
      "guaranteed: no job violates a limit that is guaranteed today; seen: the simulation violates none that it meets "
      "today"));
  if (!headroom.covers.complete())
    notes.push_back(fmt::format("some guarantees hold {}", engine::limitation(headroom.covers)));
  notes.push_back(fmt::format("searched in steps of 1 %: times up to +{} %, jitter up to one period", times.largest));
  if (const std::string limits = limits_text(headroom); !limits.empty() && has_open(headroom))
    notes.push_back(fmt::format("{}; the last columns show the reduction with which others hold, down to {} %", limits,
                                times.least));
  if (std::any_of(headroom.of.begin(), headroom.of.end(),
                  [](const StressHeadroom& of) { return !of.guaranteed.monotone || !of.seen.monotone; }))
    notes.emplace_back("*: the limits hold again for some larger value, because the schedule differs");
  if (headroom.stopped_early) notes.emplace_back("the search was interrupted; the table lacks the last rows");
  return notes;
}

Json headroom_json(const ResultView& view, const Headroom& headroom) {
  const auto range = [](Stress::Kind kind) {
    const engine::GrowthRange searched = engine::range_of(kind);
    return Json::array({searched.least, searched.largest});
  };
  Json json = {{"limits", headroom.limits},
               {"guaranteed", headroom.guaranteed},
               {"met", headroom.met},
               {"summary", headroom_sentences(headroom)},
               {"times_range_percent", range(Stress::Kind::times)},
               {"jitter_range_percent", range(Stress::Kind::jitters)},
               {"stopped_early", headroom.stopped_early},
               {"covers", coverage_json(headroom.covers)},
               {"of", Json::array()}};
  for (const StressHeadroom& of : headroom.of) {
    const auto period = jitter_period(view.system, of.stress);
    const std::string name = name_of(view.system, of.stress);
    json["of"].push_back({{"kind", to_string(of.stress.kind)},
                          {"name", name.empty() ? Json(nullptr) : Json(name)},
                          {"guaranteed", margin_json(view, of.guaranteed, period)},
                          {"seen", margin_json(view, of.seen, period)},
                          {"analyses", of.analyses}});
  }
  return json;
}

}  // namespace amalthea::exporter
