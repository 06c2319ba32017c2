// SPDX-License-Identifier: Apache-2.0
#include "batch/summary.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/core.h>

#include "batch/detail/summary_sqlite.hpp"
#include "exporter/primitives/csv.hpp"
#include "exporter/primitives/html_page.hpp"
#include "exporter/primitives/new_file.hpp"
#include "exporter/primitives/text_table.hpp"

namespace amalthea::batch {
namespace {

using exporter::Align;
using exporter::Colour;
using exporter::TextTable;

Colour colour_of(ModelVerdict verdict) {
  switch (verdict) {
    case ModelVerdict::met:
    case ModelVerdict::guaranteed:
      return Colour::good;
    case ModelVerdict::unknown:
      return Colour::bold;
    case ModelVerdict::nothing:
    case ModelVerdict::no_task:
      return Colour::dim;
    case ModelVerdict::failed:
    case ModelVerdict::unbounded:
    case ModelVerdict::missed:
      break;
  }
  return Colour::bad;
}

bool is_judged(ModelVerdict verdict) { return verdict != ModelVerdict::failed && verdict != ModelVerdict::no_task; }

std::vector<TextTable::Column> columns() {
  return {{"model"},
          {"verdict"},
          {"guaranteed", Align::right},
          {"met", Align::right},
          {"unknown", Align::right},
          {"unbounded", Align::right},
          {"missed", Align::right},
          {"why"}};
}

TextTable::Rows rows_of(const Summary& summary) {
  return [&summary](std::size_t i) -> std::vector<TextTable::Cell> {
    const Summary::Row& row = summary.rows()[i];
    const auto number = [&](std::uint64_t value) {
      return is_judged(row.verdict) ? std::to_string(value) : std::string("-");
    };
    return {{summary.title(row)},
            {std::string(to_string(row.verdict)), colour_of(row.verdict)},
            {number(row.counts.guaranteed)},
            {number(row.counts.met)},
            {number(row.counts.unknown)},
            {number(row.counts.unbounded)},
            {number(row.counts.missed)},
            {row.why}};
  };
}

constexpr std::string_view failures_title = "Failures by cause";

std::vector<TextTable::Column> failure_columns(std::string_view counted = "failures") {
  return {{std::string(counted), Align::right}, {"cause"}, {"the first one"}, {"why"}};
}

TextTable::Rows failure_rows(const Summary& summary, const std::vector<Summary::Failures>& failures) {
  return [&](std::size_t i) -> std::vector<TextTable::Cell> {
    const Summary::Row& first = summary.rows()[failures[i].first];
    return {{std::to_string(failures[i].count)},
            {failures[i].cause, exporter::Colour::none, "#models"},
            {summary.title(first)},
            {first.first_cause.empty() ? first.why : first.first_cause}};
  };
}

/// The address of a file, for a page in a folder.
std::string link_from(const std::string& folder, const std::string& file) {
  namespace fs = std::filesystem;
  std::string link;
  for (const char c : fs::proximate(file, folder.empty() ? "." : folder).generic_string())
    if (std::string_view("%#?\"<>\\ :").find(c) != std::string_view::npos)
      link += fmt::format("%{:02X}", static_cast<unsigned>(c));
    else
      link += c;
  return link;
}

struct SummaryFormat {
  std::string_view ending;
  void (*render)(const Summary&, const std::string& folder, const Summary::Sink&);
};
constexpr std::array<SummaryFormat, 4> formats{
    {{".md",
      [](const Summary& summary, const std::string&, const Summary::Sink& sink) { summary_markdown(summary, sink); }},
     {".csv",
      [](const Summary& summary, const std::string&, const Summary::Sink& sink) { summary_csv(summary, sink); }},
     {".html", summary_html},
     {".txt", [](const Summary& summary, const std::string&, const Summary::Sink& sink) {
        summary_text(summary, false, sink);
      }}}};

bool is_database(std::string_view path) { return path.ends_with(".db") || path.ends_with(".sqlite"); }

}  // namespace

void Summary::add(const Record& record) {
  totals_.add(record.verdict);
  rows_.push_back({record.index, record.verdict, record.counts, record.status, record.why, record.cause,
                   record.first_cause, record.report});
}

std::vector<Summary::Failures> Summary::failures() const {
  return grouped([](const Row& row) {
    return row.verdict == ModelVerdict::failed ? std::optional<std::string_view>(row.cause) : std::nullopt;
  });
}

std::vector<Summary::Failures> Summary::groups() const {
  return grouped([](const Row& row) {
    const std::string_view cause = row.first_cause;
    return cause.empty() ? std::nullopt : std::optional(cause.substr(0, cause.find(':')));
  });
}

std::vector<Summary::Failures> Summary::grouped(
    const std::function<std::optional<std::string_view>(const Row&)>& cause_of) const {
  std::vector<Failures> failures;
  std::map<std::string_view, std::size_t> places;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const auto cause = cause_of(rows_[row]);
    if (!cause) continue;
    const auto [place, is_new] = places.emplace(*cause, failures.size());
    if (is_new) failures.push_back({std::string(*cause), 0, row});
    ++failures[place->second].count;
  }
  std::stable_sort(failures.begin(), failures.end(),
                   [](const Failures& a, const Failures& b) { return a.count > b.count; });
  return failures;
}

std::string sentence_of(const Totals& totals) {
  return fmt::format(
      "{} {}: {} guaranteed, {} met, {} unknown, {} unbounded, {} missed, {} failed, {} with nothing to be met{}",
      totals.models, totals.models == 1 ? "model" : "models", totals.of(ModelVerdict::guaranteed),
      totals.of(ModelVerdict::met), totals.of(ModelVerdict::unknown), totals.of(ModelVerdict::unbounded),
      totals.of(ModelVerdict::missed), totals.of(ModelVerdict::failed), totals.of(ModelVerdict::nothing),
      totals.of(ModelVerdict::no_task) > 0
          ? fmt::format(", {} with nothing to analyze", totals.of(ModelVerdict::no_task))
          : "");
}

void summary_text(const Summary& summary, bool colour, const Summary::Sink& sink) {
  TextTable::render(columns(), summary.rows().size(), rows_of(summary), colour, sink);
  if (const auto failures = summary.failures(); !failures.empty()) {
    sink(fmt::format("\n{}\n", failures_title));
    TextTable::render(failure_columns(), failures.size(), failure_rows(summary, failures), colour, sink);
  }
  sink(fmt::format("\n{}\n", sentence_of(summary.totals())));
}

void summary_markdown(const Summary& summary, const Summary::Sink& sink) {
  sink(fmt::format("# Timing of models\n\n{}\n\n", sentence_of(summary.totals())));
  TextTable::markdown(columns(), summary.rows().size(), rows_of(summary), sink);
  if (const auto failures = summary.failures(); !failures.empty()) {
    sink(fmt::format("\n## {}\n\n", failures_title));
    TextTable::markdown(failure_columns(), failures.size(), failure_rows(summary, failures), sink);
  }
}

void summary_html(const Summary& summary, const std::string& folder, const Summary::Sink& sink) {
  sink(exporter::page_begin("Timing of models", true));
  sink(fmt::format("<p>{}</p>\n", sentence_of(summary.totals())));
  const auto table = [&](std::string_view title, auto columns, std::size_t rows, const TextTable::Rows& row) {
    if (rows == 0) return;
    sink(fmt::format("<h2>{}</h2>\n", title));
    TextTable::html(columns, rows, row, "", sink);
  };
  const auto groups = summary.groups();
  table("Models by their first cause", failure_columns("models"), groups.size(), failure_rows(summary, groups));
  const auto failures = summary.failures();
  table(failures_title, failure_columns("failures"), failures.size(), failure_rows(summary, failures));
  sink("<h2 id=\"models\">Models</h2>\n");
  std::vector<TextTable::Column> all = columns();
  all.push_back({"first cause"});
  TextTable::html(
      all, summary.rows().size(),
      [&, row_of = rows_of(summary)](std::size_t i) {
        std::vector<TextTable::Cell> cells = row_of(i);
        const Summary::Row& row = summary.rows()[i];
        if (!row.report.empty()) cells[0].link = link_from(folder, row.report);
        cells.push_back({row.first_cause});
        return cells;
      },
      "filtered", sink);
  sink(exporter::page_end(true));
}

void summary_csv(const Summary& summary, const Summary::Sink& sink) {
  sink("model,files,status,verdict,guaranteed,met,unknown,unbounded,missed,errors,warnings,why,cause\n");
  for (const Summary::Row& row : summary.rows())
    sink(fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", row.index, exporter::csv_field(summary.title(row)),
                     row.status, to_string(row.verdict), row.counts.guaranteed, row.counts.met, row.counts.unknown,
                     row.counts.unbounded, row.counts.missed, row.counts.errors, row.counts.warnings,
                     exporter::csv_field(row.why), exporter::csv_field(row.cause)));
}

bool is_summary_file(std::string_view path) {
  for (const SummaryFormat& format : formats)
    if (path.ends_with(format.ending)) return true;
  return is_database(path);
}

tl::expected<void, std::string> write_summary(const std::string& path, const Summary& summary,
                                              const std::string& lines) {
  if (is_database(path)) return write_database(path, summary, lines);
  for (const SummaryFormat& format : formats) {
    if (!path.ends_with(format.ending)) continue;
    auto file = exporter::NewFile::create(path);
    if (!file) return tl::unexpected(file.error());
    format.render(summary, std::filesystem::path(path).parent_path().string(),
                  [&file](std::string_view text) { file->write(text); });
    return file->commit();
  }
  return tl::unexpected(fmt::format("{}: expected a name that ends with .md, .html, .txt, .csv, .db or .sqlite", path));
}

}  // namespace amalthea::batch
