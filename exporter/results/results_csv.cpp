// SPDX-License-Identifier: Apache-2.0
// One table of the results for spreadsheets. The rows are those of the JSON form, so that both agree.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "exporter/primitives/csv.hpp"
#include "exporter/results/result_formats.hpp"
#include "exporter/results/results_json.hpp"

namespace amalthea::exporter {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 13> all_tables{
    "tasks", "runnables", "operations",    "chains", "resources",   "requirements", "constraints",
    "open",  "findings",  "contributions", "limits", "assumptions", "headroom"};

struct ResultRow {
  std::vector<std::pair<std::string, std::string>> fields;
};

std::string text_of(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string text;
  for (const Json& item : value) text += (text.empty() ? "" : " -> ") + text_of(item);
  return text;
}

/// Arrays of objects are separate tables.
bool is_table(const Json& value) { return value.is_array() && !value.empty() && value.front().is_object(); }

void flatten(const Json& object, const std::string& prefix, ResultRow& row) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object())
      flatten(value, prefix + key + ".", row);
    else if (!is_table(value) && key != "contributions" && key != "constraints")
      row.fields.emplace_back(prefix + key, text_of(value));
  }
}

/// The parts of the longest jobs and of the bounds of tasks.
std::vector<ResultRow> contributions(const Json& tasks) {
  std::vector<ResultRow> rows;
  const auto add = [&](const Json& task, const char* of, const Json& parts) {
    for (const Json& part : parts)
      rows.push_back({{{"task", text_of(task["name"])},
                       {"of", of},
                       {"kind", text_of(part["kind"])},
                       {"by", part.contains("others") ? "others" : text_of(part["by"])},
                       {"ps", text_of(part["ps"])},
                       {"traffic", part.contains("traffic") ? text_of(part["traffic"]) : ""}}});
  };
  for (const Json& task : tasks) {
    if (task.contains("contributions")) add(task, "longest job", task["contributions"]);
    if (task.contains("bound") && task["bound"].contains("contributions"))
      add(task, "bound", task["bound"]["contributions"]);
  }
  return rows;
}

std::vector<ResultRow> rows_of(const Json& results, std::string_view table) {
  if (table == "contributions") return contributions(results["tasks"]);
  std::vector<ResultRow> rows;
  for (const Json& entry : table == "headroom" ? results["headroom"]["of"] : results[std::string(table)]) {
    rows.emplace_back();
    flatten(entry, "", rows.back());
  }
  return rows;
}

}  // namespace

std::span<const std::string_view> result_tables() { return all_tables; }

std::string render_csv(const ResultView& view, const RenderOptions& options) {
  const std::vector<ResultRow> rows = rows_of(results_json(view), options.table);
  std::vector<std::string> titles;  // of all rows, by first appearance
  for (const ResultRow& row : rows)
    for (const auto& [title, value] : row.fields)
      if (std::find(titles.begin(), titles.end(), title) == titles.end()) titles.push_back(title);
  // An object in one row may be null in another.
  const auto is_object = [titles](const std::string& title) {
    return std::any_of(titles.begin(), titles.end(),
                       [&](const std::string& other) { return other.starts_with(title + "."); });
  };
  titles.erase(std::remove_if(titles.begin(), titles.end(), is_object), titles.end());
  std::string out;
  append_csv_line(out, titles);
  for (const ResultRow& row : rows) {
    std::vector<std::string> line;
    for (const std::string& title : titles) {
      const auto field =
          std::find_if(row.fields.begin(), row.fields.end(), [&](const auto& known) { return known.first == title; });
      line.push_back(field == row.fields.end() ? "" : field->second);
    }
    append_csv_line(out, line);
  }
  return out;
}

}  // namespace amalthea::exporter
