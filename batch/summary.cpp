// SPDX-License-Identifier: Apache-2.0
#include "batch/summary.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/core.h>

#include "batch/detail/summary_sqlite.hpp"
#include "exporter/primitives/csv.hpp"
#include "exporter/primitives/new_file.hpp"
#include "exporter/primitives/svg.hpp"
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

std::vector<TextTable::Column> failure_columns() {
  return {{"failures", Align::right}, {"cause"}, {"the first one"}, {"why"}};
}

TextTable::Rows failure_rows(const Summary& summary, const std::vector<Summary::Failures>& failures) {
  return [&](std::size_t i) -> std::vector<TextTable::Cell> {
    const Summary::Row& first = summary.rows()[failures[i].first];
    return {{std::to_string(failures[i].count)}, {failures[i].cause}, {summary.title(first)}, {first.why}};
  };
}

struct SummaryFormat {
  std::string_view ending;
  void (*render)(const Summary&, const Summary::Sink&);
};
constexpr std::array<SummaryFormat, 4> formats{
    {{".md", summary_markdown},
     {".csv", summary_csv},
     {".html", summary_html},
     {".txt", [](const Summary& summary, const Summary::Sink& sink) { summary_text(summary, false, sink); }}}};

bool is_database(std::string_view path) { return path.ends_with(".db") || path.ends_with(".sqlite"); }

}  // namespace

void Summary::add(const Record& record) {
  totals_.add(record.verdict);
  rows_.push_back({record.index, record.verdict, record.counts, record.status, record.why, record.cause});
}

std::vector<Summary::Failures> Summary::failures() const {
  std::vector<Failures> failures;
  std::map<std::string_view, std::size_t> places;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (rows_[row].verdict != ModelVerdict::failed) continue;
    const auto [place, is_new] = places.emplace(rows_[row].cause, failures.size());
    if (is_new) failures.push_back({rows_[row].cause, 0, row});
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

void summary_html(const Summary& summary, const Summary::Sink& sink) {
  sink(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Timing of models</title>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<style>:root{color-scheme:light dark}body{font:15px/1.4 sans-serif;margin:2em}"
      "table{border-collapse:collapse}th,td{padding:.25em .7em;text-align:left;border-bottom:1px solid #8886}"
      "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}tr.bad td:nth-child(2){font-weight:bold}"
      "</style></head>\n<body><h1>Timing of models</h1>\n");
  sink(fmt::format("<p>{}</p>\n", sentence_of(summary.totals())));
  sink(
      "<table><thead><tr><th scope=\"col\">model</th><th scope=\"col\">verdict</th>"
      "<th scope=\"col\" class=\"n\">guaranteed</th><th scope=\"col\" class=\"n\">met</th>"
      "<th scope=\"col\" class=\"n\">unknown</th><th scope=\"col\" class=\"n\">unbounded</th>"
      "<th scope=\"col\" class=\"n\">missed</th><th scope=\"col\">why</th></tr></thead>\n<tbody>\n");
  for (const Summary::Row& row : summary.rows()) {
    const bool bad = row.verdict < ModelVerdict::met;
    std::string line = fmt::format("<tr class=\"{}\"><td>{}</td><td>{}</td>", bad ? "bad" : "good",
                                   exporter::svg::escaped(summary.title(row)), to_string(row.verdict));
    for (const std::uint64_t value :
         {row.counts.guaranteed, row.counts.met, row.counts.unknown, row.counts.unbounded, row.counts.missed})
      line += fmt::format("<td class=\"n\">{}</td>", is_judged(row.verdict) ? std::to_string(value) : std::string("–"));
    sink(line + fmt::format("<td>{}</td></tr>\n", exporter::svg::escaped(row.why)));
  }
  sink("</tbody></table>\n");
  if (const auto failures = summary.failures(); !failures.empty()) {
    sink(
        fmt::format("<h2>{}</h2>\n<table><thead><tr><th scope=\"col\" class=\"n\">failures</th><th "
                    "scope=\"col\">cause</th><th scope=\"col\">the first one</th><th "
                    "scope=\"col\">why</th></tr></thead>\n<tbody>\n",
                    failures_title));
    for (const Summary::Failures& one : failures)
      sink(fmt::format("<tr><td class=\"n\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", one.count,
                       exporter::svg::escaped(one.cause),
                       exporter::svg::escaped(summary.title(summary.rows()[one.first])),
                       exporter::svg::escaped(summary.rows()[one.first].why)));
    sink("</tbody></table>");
  }
  sink("</body></html>\n");
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
    format.render(summary, [&file](std::string_view text) { file->write(text); });
    return file->commit();
  }
  return tl::unexpected(fmt::format("{}: expected a name that ends with .md, .html, .txt, .csv, .db or .sqlite", path));
}

}  // namespace amalthea::batch
