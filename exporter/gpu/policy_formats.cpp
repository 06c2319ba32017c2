// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "exporter/gpu/answers.hpp"
#include "exporter/primitives/csv.hpp"
#include "exporter/primitives/text_table.hpp"

namespace amalthea::exporter {
namespace {

using nlohmann::ordered_json;
using Variant = PolicyStudy::Variant;

/// Variants that the text shows beside the given and the worst one.
constexpr std::size_t most_rows = 20;

bool is_given(const Variant& variant) {
  const auto& choices = variant.judged.choices;
  return std::all_of(choices.begin(), choices.end(), [](std::size_t choice) { return choice == 0; });
}

/// The place of a variant: "best, given".
std::string place_of(const PolicyStudy& study, std::size_t variant) {
  std::vector<std::string_view> words;
  if (is_given(study.variants[variant])) words.emplace_back("given");
  if (variant == 0) words.emplace_back("best");
  if (variant + 1 == study.variants.size()) words.emplace_back("worst");
  if (study.variants[variant].judged.is_optimal) words.emplace_back("Pareto");
  return fmt::format("{}", fmt::join(words, ", "));
}

std::optional<Duration> longest(const PolicyTimes& times) {
  return times.response.count() > 0 ? std::optional(times.response.max()) : std::nullopt;
}

ordered_json known(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }

/// Shares of limits in models; times in scenarios, in seconds.
std::string objective_text(const PolicyStudy& study, const Variant& variant, std::size_t objective) {
  const double value = variant.judged.judgement.objectives[objective];
  if (!std::isfinite(value)) return "none";
  if (study.has_bounds) return fmt::format("{:.1f} %", 100 * value);
  return fmt::format("{:.3f} ms", 1000 * value);
}

std::vector<std::size_t> shown_rows(const PolicyStudy& study) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < study.variants.size(); ++i)
    if (rows.size() < most_rows || is_given(study.variants[i]) || i + 1 == study.variants.size()) rows.push_back(i);
  return rows;
}

}  // namespace

std::size_t given_variant(const PolicyStudy& study) {
  return static_cast<std::size_t>(
      std::find_if(study.variants.begin(), study.variants.end(), [](const Variant& one) { return is_given(one); }) -
      study.variants.begin());
}

std::string describe(const PolicyStudy& study, const Variant& variant) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < study.policies.size(); ++i)
    if (const std::size_t choice = variant.judged.choices[i]; choice > 0)
      words.push_back(fmt::format("{}: {}", study.policies[i].name, study.policies[i].choices[choice]));
  return words.empty() ? "as given" : fmt::format("{}", fmt::join(words, ", "));
}

std::string render_json(const PolicyStudy& study) {
  ordered_json json{{"title", study.title},
                    {"bounds", study.has_bounds},
                    {"all", study.all},
                    {"impossible", study.impossible},
                    {"policies", ordered_json::array()},
                    {"parties", ordered_json::array()},
                    {"variants", ordered_json::array()}};
  for (const PolicyStudy::Policy& policy : study.policies)
    json["policies"].push_back({{"name", policy.name}, {"choices", policy.choices}});
  const auto ps = [](std::optional<Duration> time) {
    return time ? ordered_json(time->picoseconds()) : ordered_json(nullptr);
  };
  for (const PolicyStudy::Party& party : study.parties)
    json["parties"].push_back({{"name", party.name}, {"limit_ps", ps(party.limit)}});
  for (const Variant& variant : study.variants) {
    const explore::Judgement& judgement = variant.judged.judgement;
    ordered_json one{{"choices", variant.judged.choices},
                     {"given", is_given(variant)},
                     {"pareto", variant.judged.is_optimal},
                     {"missed", judgement.broken},
                     {"not_guaranteed", judgement.late.size()},
                     {"unbounded", judgement.unbounded},
                     {"longest", known(judgement.objectives[0])},
                     {"mean", known(judgement.objectives[1])},
                     {"times", ordered_json::array()}};
    for (const PolicyTimes& times : variant.times) {
      ordered_json of_party{{"bound_ps", ps(times.bound)}, {"count", times.response.count()}};
      if (times.response.count() > 0) {
        of_party["min_ps"] = times.response.min().picoseconds();
        of_party["mean_ps"] = times.response.mean().picoseconds();
        of_party["median_ps"] = times.response.percentile(500).picoseconds();
        of_party["p99_ps"] = times.response.percentile(990).picoseconds();
        of_party["max_ps"] = times.response.max().picoseconds();
      }
      one["times"].push_back(std::move(of_party));
    }
    json["variants"].push_back(std::move(one));
  }
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string render_csv(const PolicyStudy& study) {
  std::vector<std::string> head = {"variant", "place"};
  for (const PolicyStudy::Policy& policy : study.policies) head.push_back(policy.name);
  for (const char* name : {"name", "limit_ps", "bound_ps", "count", "mean_ps", "median_ps", "p99_ps", "max_ps"})
    head.emplace_back(name);
  std::string out;
  append_csv_line(out, head);
  const auto ps = [](std::optional<Duration> time) { return time ? fmt::format("{}", time->picoseconds()) : ""; };
  for (std::size_t i = 0; i < study.variants.size(); ++i)
    for (std::size_t party = 0; party < study.parties.size(); ++party) {
      const PolicyTimes& times = study.variants[i].times[party];
      std::vector<std::string> row = {fmt::format("{}", i + 1), place_of(study, i)};
      for (std::size_t policy = 0; policy < study.policies.size(); ++policy)
        row.push_back(study.policies[policy].choices[study.variants[i].judged.choices[policy]]);
      row.push_back(study.parties[party].name);
      row.push_back(ps(study.parties[party].limit));
      row.push_back(ps(times.bound));
      row.push_back(fmt::format("{}", times.response.count()));
      const bool any = times.response.count() > 0;
      row.push_back(any ? ps(times.response.mean()) : "");
      for (const std::int64_t share : {500, 990, 1000}) row.push_back(any ? ps(times.response.percentile(share)) : "");
      append_csv_line(out, row);
    }
  return out;
}

std::string render_text(const PolicyStudy& study, bool colour) {
  if (study.policies.empty()) return "Nothing about how the GPU is shared can be varied.\n";
  std::string text =
      fmt::format("{} of {}, {}.\n", counted(study.variants.size(), "variant"),
                  study.policies.size() == 1 ? "one policy" : fmt::format("{} policies", study.policies.size()),
                  study.all ? "all that there are" : "of more that there are");
  if (study.impossible > 0)
    text += fmt::format("{} cannot run. The first one: {}.\n", counted(study.impossible, "variant"), study.reason);
  text += heading("Policies", colour) + "\n";
  for (const PolicyStudy::Policy& policy : study.policies)
    text += fmt::format("{}: {}\n", policy.name, fmt::join(policy.choices, ", "));
  text += heading(study.has_bounds ? "Variants (response times relative to deadlines, else to periods)" : "Variants",
                  colour) +
          "\n";
  auto table = study.has_bounds
                   ? TextTable::of(">", "place", ">missed", ">not guaranteed", ">largest bound", ">mean", "policies")
                   : TextTable::of(">", "place", ">longest", ">mean", "policies");
  const std::vector<std::size_t> rows = shown_rows(study);
  for (const std::size_t i : rows) {
    const Variant& variant = study.variants[i];
    const std::string worst = objective_text(study, variant, 0), mean = objective_text(study, variant, 1);
    if (study.has_bounds)
      table.add(i + 1, place_of(study, i), variant.judged.judgement.broken, variant.judged.judgement.late.size(), worst,
                mean, describe(study, variant));
    else
      table.add(i + 1, place_of(study, i), worst, mean, describe(study, variant));
  }
  text += table.render(colour);
  if (rows.size() < study.variants.size())
    text += fmt::format("… {} others: --format csv or json, --page.\n", study.variants.size() - rows.size());

  const std::size_t given = given_variant(study), worst = study.variants.size() - 1;
  const std::array shown = {given, std::size_t{0}, worst};
  Duration largest = Duration::milliseconds(study.has_bounds ? 1 : 0);
  for (const std::size_t i : shown)
    for (const PolicyTimes& times : study.variants[i].times)
      largest = std::max(largest, longest(times).value_or(Duration{}));
  const TableUnit unit(largest);
  const auto time = [&](std::optional<Duration> value) { return value ? unit.time(*value) : "-"; };
  text += heading(fmt::format("Response times in {}: given, best, worst", unit.name()), colour) + "\n";
  std::vector<TextTable::Column> columns = {{study.has_bounds ? "task" : "stream"}};
  if (study.has_bounds) columns.push_back({"limit", Align::right});
  for (const char* what : {"bound", "median", "99 %", "longest"})
    for (const char* whose : {"given", "best", "worst"})
      columns.push_back({fmt::format("{} {}", what, whose), Align::right});
  TextTable of_parties(columns);
  for (std::size_t party = 0; party < study.parties.size(); ++party) {
    std::vector<TextTable::Cell> cells = {{study.parties[party].name}};
    if (study.has_bounds) cells.push_back({time(study.parties[party].limit)});
    for (int what = 0; what < 4; ++what)
      for (const std::size_t i : shown) {
        const PolicyTimes& times = study.variants[i].times[party];
        const bool any = times.response.count() > 0;
        if (what == 0)
          cells.push_back({times.bound ? unit.time(*times.bound, Rounding::up) : "-"});
        else
          cells.push_back({time(any ? std::optional(times.response.percentile(what == 1   ? 500
                                                                              : what == 2 ? 990
                                                                                          : 1000))
                                    : std::nullopt)});
      }
    of_parties.add_row(std::move(cells));
  }
  return text + of_parties.render(colour);
}

}  // namespace amalthea::exporter
