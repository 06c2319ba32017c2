// SPDX-License-Identifier: Apache-2.0
#include "importer/reading/detail/foreign_content.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>
#include <utility>

#include "amalthea/primitives/ascii.hpp"

namespace amalthea::importer {
namespace {

constexpr std::size_t looked_at = std::size_t{1} << 20U;

/// The names of the members of a JSON object, of the members one level below, and the texts of the former.
struct JsonNames {
  std::set<std::string, std::less<>> top, below;
  std::string schema;
  bool has(std::initializer_list<std::string_view> names) const {
    return std::all_of(names.begin(), names.end(), [this](std::string_view name) { return top.contains(name); });
  }
};

/// Sufficient to distinguish file types; invalid JSON yields some names or none, but no error.
JsonNames names_of(std::string_view text) {
  JsonNames names;
  std::size_t depth = 0;
  std::string last, last_name;
  const std::size_t arrays = text.starts_with('[') ? 1 : 0;  // for an array of objects, their names count
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && depth > 0) --depth;
    if (c == '"') {
      const std::size_t begin = ++i;
      while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
      last = text.substr(begin, std::min(i, text.size()) - begin);
      if (last_name == "schema" && names.schema.empty()) names.schema = last;
    } else if (c == ':') {
      if (depth == 1 + arrays) {
        names.top.insert(last);
        last_name = last;
      } else {
        last_name.clear();
        if (depth == 2 + arrays) names.below.insert(last);
      }
    } else if (c == ',') {
      last_name.clear();
    }
  }
  return names;
}

std::string described_json(std::string_view text) {
  const JsonNames names = names_of(text);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> schemas{{
      {"amalthea-timing-exploration/",
       "the result of `amalthea explore`, not an AMALTHEA model; for --mapping, use a file that `amalthea explore "
       "--mapping-out` wrote"},
      {"amalthea-timing/",
       "the result of `amalthea analyze`, not an AMALTHEA model; `amalthea report MODEL --baseline` "
       "reads it"},
      {"amalthea-runs/", "the result of `amalthea simulate`, not an AMALTHEA model; use the model it was made from"},
      {"amalthea-explanation/",
       "the result of `amalthea explain`, not an AMALTHEA model; use the model it was made from"},
      {"amalthea-findings/",
       "the result of `amalthea validate`, not an AMALTHEA model; use the model it was made from"},
      {"amalthea-conversion/", "a report of `amalthea convert`, not an AMALTHEA model; use the converted model"},
      {"amalthea-model/", "a model in JSON, which `amalthea convert` writes but no verb reads; use the .amxmi file"},
      {"amalthea-", "a result of amalthea, not an AMALTHEA model; use the model it was made from"},
  }};
  for (const auto& [schema, description] : schemas)
    if (names.schema.starts_with(schema)) return std::string(description);
  if (names.has({"runs", "version"}) && names.top.contains("$schema"))
    return "a SARIF log, not an AMALTHEA model; use the model that it concerns";
  if (names.has({"traceEvents"})) return "a trace for Perfetto, not an AMALTHEA model; open it in ui.perfetto.dev";
  if (names.has({"operations"}) || names.has({"benchmarks"}))
    return "a GPU scenario, not an AMALTHEA model; `amalthea gpu run` reads it";
  const bool has_name = names.has({"name"});
  for (const std::string_view key : {"multiprocessors", "time_slice_us", "context_switch_us", "preemption"})
    if (has_name && names.top.contains(key)) return "a GPU profile, not an AMALTHEA model; pass it with --platform";
  if (names.has({"units"}) || names.has({"copy"}))
    return "a memory model, not an AMALTHEA model; pass it with --memory";
  for (const std::string_view key : {"core", "priority", "waiting", "slice"})
    if (names.below.contains(key)) return "a mapping file, not an AMALTHEA model; pass it with --mapping";
  return "JSON, not an AMALTHEA model; expected XML with the root element <am:Amalthea>, or a ZIP archive of it";
}

}  // namespace

std::string foreign_content(std::string_view path, std::string_view bytes) {
  const std::string_view start = bytes.substr(0, looked_at);
  std::string_view text = start;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const auto first = text.find_first_not_of(" \t\r\n");
  text.remove_prefix(std::min(first, text.size()));
  const std::string ending = lower_case(path.substr(std::min(path.rfind('.'), path.size())));

  if (text.starts_with('{') || text.starts_with('[')) return described_json(text);
  if (start.starts_with("\x1F\x8B"))
    return ending == ".gz" && lower_case(path).ends_with(".json.gz")
               ? "a compressed trace for Perfetto or other JSON, not an AMALTHEA model; open traces in ui.perfetto.dev"
               : "compressed with gzip; unpack it with gunzip, or pack it as a ZIP archive";
  if (ending == ".pftrace") return "a trace for Perfetto, not an AMALTHEA model; open it in ui.perfetto.dev";
  if (start.starts_with("SQLite format 3"))
    return "an SQLite database, such as a trace (.atdb) or the summary of a batch, not an AMALTHEA model; use the "
           "model it was made from";
  if (text.starts_with("#version") || (ending == ".btf" && text.starts_with('#')))
    return "a trace in BTF, not an AMALTHEA model; use the model it was made from";
  if (text.starts_with("version https://git-lfs."))
    return "a Git LFS pointer, not the file itself; fetch it with git lfs pull";
  const std::string beginning = lower_case(text.substr(0, 15));
  if (beginning.starts_with("<!doctype html") || beginning.starts_with("<html"))
    return "an HTML page, such as a report or a download page, not an AMALTHEA model; use the .amxmi file";
  if (text.starts_with("---") || text.starts_with("%YAML") ||
      (!text.starts_with('<') && (ending == ".yaml" || ending == ".yml")))
    return "YAML, not an AMALTHEA model; expected XML with the root element <am:Amalthea>";
  if (text.starts_with("digraph") || text.starts_with("strict digraph"))
    return "a graph for Graphviz, not an AMALTHEA model; use the model it was made from";
  if (start.starts_with("%PDF-") ||
      start.starts_with("\x7F"
                        "ELF") ||
      start.starts_with("7z\xBC\xAF") ||
      start.starts_with("\xFD"
                        "7zXZ"))
    return "binary data, not an AMALTHEA model; expected XML with the root element <am:Amalthea>, or a ZIP archive of "
           "it";
  return {};
}

std::string foreign_root(std::string_view root) {
  if (root == "CAEXFile") return "; this is AutomationML (.aml)";
  if (root == "AUTOSAR") return "; this is AUTOSAR XML (.arxml)";
  if (root == "svg") return "; this is a picture";
  if (root == "EPackage") return "; this is a metamodel";
  if (root == "XMI") return "; save each root element of this XMI document in a separate file";
  return {};
}

}  // namespace amalthea::importer
