#include "batch/summary.hpp"

#include <array>

#include <fmt/core.h>

#include "batch/summary_sqlite.hpp"
#include "exporter/svg.hpp"
#include "exporter/text_table.hpp"
#include "exporter/write_file.hpp"

namespace amalthea::batch {
namespace {

using exporter::Align;
using exporter::Colour;
using exporter::TextTable;

Colour colour_of(ModelVerdict verdict) {
  switch (verdict) {
    case ModelVerdict::met:
      return Colour::good;
    case ModelVerdict::nothing:
      return Colour::dim;
    case ModelVerdict::failed:
    case ModelVerdict::unbounded:
    case ModelVerdict::missed:
      break;
  }
  return Colour::bad;
}

TextTable table_of(const std::vector<Record>& records) {
  TextTable table({{"model"},
                   {"verdict"},
                   {"met", Align::right},
                   {"missed", Align::right},
                   {"unbounded", Align::right},
                   {"no deadline", Align::right},
                   {"why"}});
  for (const Record& record : records) {
    const auto number = [&](std::uint64_t value) {
      return record.verdict == ModelVerdict::failed ? std::string("-") : std::to_string(value);
    };
    table.add_row({{title_of(record.files)},
                   {std::string(to_string(record.verdict)), colour_of(record.verdict)},
                   {number(record.counts.met)},
                   {number(record.counts.missed)},
                   {number(record.counts.unbounded)},
                   {number(record.counts.no_deadline)},
                   {record.error}});
  }
  return table;
}

struct SummaryFormat {
  std::string_view ending;
  std::string (*render)(const std::vector<Record>&);
};
constexpr std::array<SummaryFormat, 3> formats{
    {{".md", summary_markdown}, {".html", summary_html}, {".txt", [](const std::vector<Record>& records) {
                                                            return summary_text(records, false);
                                                          }}}};

bool is_database(std::string_view path) { return path.ends_with(".db") || path.ends_with(".sqlite"); }

}  // namespace

void Totals::add(ModelVerdict verdict) {
  ++models;
  switch (verdict) {
    case ModelVerdict::failed:
      ++failed;
      break;
    case ModelVerdict::unbounded:
      ++unbounded;
      break;
    case ModelVerdict::missed:
      ++missed;
      break;
    case ModelVerdict::met:
      ++met;
      break;
    case ModelVerdict::nothing:
      ++nothing;
      break;
  }
}

Totals totals_of(const std::vector<Record>& records) {
  Totals totals;
  for (const Record& record : records) totals.add(record.verdict);
  return totals;
}

std::string sentence_of(const Totals& totals) {
  return fmt::format("{} models: {} met, {} missed, {} unbounded, {} failed, {} with nothing to be met", totals.models,
                     totals.met, totals.missed, totals.unbounded, totals.failed, totals.nothing);
}

std::string summary_text(const std::vector<Record>& records, bool colour) {
  return table_of(records).render(colour) + "\n" + sentence_of(totals_of(records)) + "\n";
}

std::string summary_markdown(const std::vector<Record>& records) {
  return fmt::format("# Timing of models\n\n{}\n\n{}", sentence_of(totals_of(records)), table_of(records).markdown());
}

std::string summary_html(const std::vector<Record>& records) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Timing of models</title>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<style>:root{color-scheme:light dark}body{font:15px/1.4 sans-serif;margin:2em}"
      "table{border-collapse:collapse}th,td{padding:.25em .7em;text-align:left;border-bottom:1px solid #8886}"
      "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}tr.bad td:nth-child(2){font-weight:bold}"
      "</style></head>\n<body><h1>Timing of models</h1>\n";
  out += fmt::format("<p>{}</p>\n", sentence_of(totals_of(records)));
  out +=
      "<table><thead><tr><th scope=\"col\">model</th><th scope=\"col\">verdict</th><th scope=\"col\" "
      "class=\"n\">met</th>"
      "<th scope=\"col\" class=\"n\">missed</th><th scope=\"col\" class=\"n\">unbounded</th>"
      "<th scope=\"col\" class=\"n\">no deadline</th><th scope=\"col\">why</th></tr></thead>\n<tbody>\n";
  for (const Record& record : records) {
    const bool bad = colour_of(record.verdict) == Colour::bad;
    out += fmt::format("<tr class=\"{}\"><td>{}</td><td>{}</td>", bad ? "bad" : "good",
                       exporter::svg::escaped(title_of(record.files)), to_string(record.verdict));
    for (const std::uint64_t value :
         {record.counts.met, record.counts.missed, record.counts.unbounded, record.counts.no_deadline})
      out += fmt::format("<td class=\"n\">{}</td>",
                         record.verdict == ModelVerdict::failed ? std::string("–") : std::to_string(value));
    out += fmt::format("<td>{}</td></tr>\n", exporter::svg::escaped(record.error));
  }
  return out + "</tbody></table></body></html>\n";
}

bool is_summary_file(std::string_view path) {
  for (const SummaryFormat& format : formats)
    if (path.ends_with(format.ending)) return true;
  return is_database(path);
}

tl::expected<void, std::string> write_summary(const std::string& path, const std::vector<Record>& records,
                                              const std::string& lines) {
  if (is_database(path)) return write_database(path, records, lines);
  for (const SummaryFormat& format : formats)
    if (path.ends_with(format.ending)) return exporter::write_file(path, format.render(records));
  return tl::unexpected(fmt::format("{}: expected a name that ends with .md, .html, .txt, .db or .sqlite", path));
}

}  // namespace amalthea::batch
