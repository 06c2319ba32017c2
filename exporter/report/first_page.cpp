// SPDX-License-Identifier: Apache-2.0
#include "exporter/report/first_page.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "engine/verdict.hpp"
#include "exporter/primitives/svg.hpp"
#include "exporter/report/detail/page.hpp"
#include "exporter/results/causes.hpp"
#include "exporter/results/plan.hpp"
#include "exporter/results/verdict_text.hpp"

namespace amalthea::exporter {
namespace {

using engine::OverallVerdict;

constexpr std::size_t most_figures = 3;

/// A time with a maximum.
struct Figure {
  std::string name;
  Duration limit;
  std::optional<Duration> least;  ///< a minimum beside it
  std::optional<Duration> seen, bound;
  OverallVerdict verdict = OverallVerdict::unknown;

  /// The share of the limit that is left, of the bound if there is one; what was not seen is most urgent.
  double margin() const {
    if (!bound && !seen) return -1e300;
    const auto left = static_cast<double>((limit - (bound ? *bound : *seen)).picoseconds());
    return left / std::max(1.0, static_cast<double>(limit.picoseconds()));
  }
};

/// Of chains, the most urgent first; without enough of them, of tasks.
std::vector<Figure> key_figures(const ResultView& view) {
  const auto urgent = [](std::vector<Figure> figures) {
    std::stable_sort(figures.begin(), figures.end(), [](const Figure& a, const Figure& b) {
      return std::pair(b.verdict, a.margin()) < std::pair(a.verdict, b.margin());
    });
    return figures;
  };
  std::vector<Figure> figures, of_tasks;
  for (std::size_t i = 0; i < view.results.chains.size(); ++i) {
    const Chain& chain = view.system.chains[i];
    const engine::ChainResult& result = view.results.chains[i];
    for (std::size_t k = 0; k < chain.limits.size() && k < result.limits.size(); ++k) {
      const ChainLimit& limit = chain.limits[k];
      if (!limit.maximum) continue;
      const bool age = limit.kind == ChainLimit::Kind::age;
      const auto of = [age](const auto& latencies) {
        return latencies ? std::optional<Duration>(age ? latencies->reduced_age : latencies->reduced_reaction)
                         : std::nullopt;
      };
      const engine::Communication way = view.results.communication;
      const auto& judged = result.limits[k].by(way);
      Figure figure{
          chain.name, *limit.maximum, limit.minimum, {}, {}, engine::verdict_on(judged.verdict, judged.guaranteed)};
      figure.bound = way == engine::Communication::implicit ? of(result.implicit)
                     : way == engine::Communication::let    ? of(result.let)
                                                            : of(result.explicit_access);
      // The simulation observes implicit communication.
      if (way == engine::Communication::implicit)
        figure.seen = age ? result.observed.reduced_age : result.observed.reduced_reaction;
      figures.push_back(std::move(figure));
    }
  }
  figures = urgent(std::move(figures));
  for (TaskIndex task = 0; task < view.system.tasks.size(); ++task) {
    const auto deadline = view.system.tasks[task].deadline;
    if (!deadline || view.system.tasks[task].folded_into) continue;
    const engine::TaskResult& result = view.results.tasks[task];
    of_tasks.push_back({view.system.tasks[task].name,
                        *deadline,
                        {},
                        result.response.jobs > 0 ? std::optional(result.response.max) : std::nullopt,
                        result.bound.worst,
                        engine::verdict_on(result)});
  }
  for (Figure& figure : urgent(std::move(of_tasks))) figures.push_back(std::move(figure));
  figures.resize(std::min(figures.size(), most_figures));
  return figures;
}

TextTable figure_table(const std::vector<Figure>& figures) {
  Duration longest;
  for (const Figure& figure : figures)
    longest = std::max({longest, figure.limit, figure.seen.value_or(Duration{}), figure.bound.value_or(Duration{})});
  const TableUnit unit(longest);
  const auto time = [&unit](std::optional<Duration> value, Rounding rounding = Rounding::nearest) {
    return value ? fmt::format("{} {}", unit.time(*value, rounding), unit.name()) : std::string("–");
  };
  TextTable table = TextTable::of("Chain or task", ">Limit", ">Longest seen", ">Bound", ">Margin", "Verdict");
  for (const Figure& figure : figures) {
    const bool bad = figure.verdict >= OverallVerdict::unbounded, good = figure.verdict <= OverallVerdict::met;
    const bool known = figure.bound || figure.seen;
    const double margin = figure.margin();
    table.add(figure.name,
              figure.least ? fmt::format("{} to {}", time(figure.least), time(figure.limit)) : time(figure.limit),
              time(figure.seen), time(figure.bound, Rounding::up),
              !known         ? std::string("–")
              : margin <= -1 ? fmt::format("{:.1f}× the limit", 1 - margin)
                             : fmt::format("{:.1f} %", margin * 100),
              TextTable::Cell{std::string(to_string(figure.verdict)), bad    ? Colour::bad
                                                                      : good ? Colour::good
                                                                             : Colour::none});
  }
  return table;
}

/// Its lines number its steps themselves, as the list does.
FirstPage::Part plan_part(const Plan* plan, const engine::Results& results) {
  FirstPage::Part part{"plan", "Plan", {}, {}, {}};
  if (plan == nullptr || plan->before == Problems{}) {
    part.paragraphs.push_back(fmt::format("None was sought: {}.", results.stopped_early
                                                                      ? "the simulation stopped early"
                                                                      : "the model with changes cannot be analyzed"));
    return part;
  }
  const std::vector<std::string> lines = plan_lines(*plan);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (i == 0)
      part.paragraphs.push_back(lines[i] + ".");
    else if (i <= plan->steps.size())
      part.steps.push_back(lines[i].substr(lines[i].find(' ') + 1));
    else
      part.notes.push_back(lines[i]);
  if (!plan->complete) part.notes.push_back("amalthea explore --plan tries more combinations.");
  return part;
}

/// To be filled in by hand.
FirstPage::Part decision_part() {
  FirstPage::Part part{"decision", "Decision", {}, {}, {}, TextTable::of("Decision", "Owner", "Date")};
  part.table.add("", "", "");
  return part;
}

}  // namespace

FirstPage first_page(const ResultView& view) {
  const engine::Assessment assessment = engine::assess(view.system, view.results, view.findings);
  struct Mark {
    std::string_view symbol, style;
  };
  constexpr std::array<Mark, engine::overall_verdicts> marks = {
      {{"✓", "good"}, {"✓", "good"}, {"?", "warn"}, {"∞", "bad"}, {"✗", "bad"}}};
  const Mark mark = assessment.limits.empty() ? Mark{"–", "soft"} : marks[static_cast<std::size_t>(assessment.verdict)];
  FirstPage page{
      page_title(view.model), verdict_sentence(assessment), std::string(mark.symbol), std::string(mark.style), {}};
  if (view.causes != nullptr && !view.causes->all.empty())
    page.parts.push_back({"causes", "Root causes", {}, cause_lines(*view.causes), {}});
  if (view.results.stopped_early || (view.causes != nullptr && view.causes->problems != Problems{}))
    page.parts.push_back(plan_part(view.plan, view.results));
  FirstPage::Part assumed{"assumed", "", {}, {}, {}};
  for (const engine::Assumption& assumption : assessment.assumptions)
    assumed.notes.push_back(fmt::format("Assumed: {}.", assumption.text));
  for (const std::string& replaced : assessment.replaced)
    assumed.notes.push_back(fmt::format("Replaced: {}.", replaced));
  if (!assumed.notes.empty()) page.parts.push_back(std::move(assumed));
  if (const auto figures = key_figures(view); !figures.empty())
    page.parts.push_back({"figures", "Key figures", {}, {}, {}, figure_table(figures)});
  page.parts.push_back(decision_part());
  page.parts.push_back({"source",
                        "",
                        {},
                        {},
                        {fmt::format("Model: {}, AMALTHEA {}, {}. Tool: {} {}.", fmt::join(view.model.files, ", "),
                                     view.model.version, view.model.hash, tool_name, tool_version)}});
  return page;
}

std::string render_first_page_markdown(const FirstPage& page) {
  std::string text =
      fmt::format("# Timing of {}\n\n{} **{}**\n", markdown_text(page.title), page.symbol, markdown_text(page.verdict));
  for (const FirstPage::Part& part : page.parts) {
    if (!part.title.empty()) text += fmt::format("\n## {}\n", part.title);
    for (const std::string& paragraph : part.paragraphs) text += fmt::format("\n{}\n", markdown_text(paragraph));
    if (!part.steps.empty()) text += "\n";
    for (std::size_t i = 0; i < part.steps.size(); ++i)
      text += fmt::format("{}. {}\n", i + 1, markdown_text(part.steps[i]));
    if (!part.notes.empty()) text += "\n";
    for (const std::string& note : part.notes) text += fmt::format("- {}\n", markdown_text(note));
    if (!part.table.empty()) text += "\n" + part.table.markdown();
  }
  return text;
}

std::string render_first_page_html(const FirstPage& page) {
  std::string text = fmt::format(
      "<p class=\"sentence {}\" id=\"sentence\"><span class=\"symbol\" aria-hidden=\"true\">{}</span>"
      "<span>{}</span></p>\n",
      page.style, page.symbol, svg::escaped(page.verdict));
  for (const FirstPage::Part& part : page.parts) {
    text += fmt::format("<div class=\"part\" id=\"{}\">\n", part.id);
    if (!part.title.empty()) text += fmt::format("<h3>{}</h3>\n", part.title);
    for (const std::string& paragraph : part.paragraphs) text += fmt::format("<p>{}</p>\n", svg::escaped(paragraph));
    const auto list = [&](std::size_t from, std::size_t to) {
      text += fmt::format("<ol start=\"{}\">\n", from + 1);
      for (std::size_t i = from; i < to; ++i) text += fmt::format("<li>{}</li>\n", svg::escaped(part.steps[i]));
      text += "</ol>\n";
    };
    const std::size_t steps = part.steps.size(), shown = std::min(steps, FirstPage::most_steps);
    if (shown > 0) list(0, shown);
    if (shown < steps) {
      text += fmt::format("<details data-print=\"closed\"><summary>{} more</summary>\n", steps - shown);
      list(shown, steps);
      text += "</details>\n";
    }
    for (const std::string& note : part.notes)
      text += fmt::format("<p class=\"{}\">{}</p>\n", part.id == "source" ? "soft" : "note", svg::escaped(note));
    if (!part.table.empty()) text += part.table.html();
    text += "</div>\n";
  }
  return text;
}

}  // namespace amalthea::exporter
