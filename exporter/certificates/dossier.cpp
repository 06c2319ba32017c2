// SPDX-License-Identifier: Apache-2.0
#include "exporter/certificates/dossier.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/verdict.hpp"
#include "exporter/primitives/html_page.hpp"
#include "exporter/primitives/outside_json.hpp"
#include "exporter/primitives/svg.hpp"
#include "exporter/primitives/text_table.hpp"
#include "exporter/results/verdict_text.hpp"

namespace amalthea::exporter {
namespace {

using Json = nlohmann::ordered_json;
using engine::OverallVerdict;
using Cell = TextTable::Cell;

/// In ms with all digits: what theorems state is not rounded.
std::string exact(std::int64_t picoseconds) {
  std::string text = fmt::format("{}.{:09}", picoseconds / 1'000'000'000, picoseconds % 1'000'000'000);
  while (text.ends_with('0') && text[text.size() - 4] != '.') text.pop_back();
  return text;
}
std::string exact(std::optional<Duration> time) { return time ? exact(time->picoseconds()) : "-"; }

std::string place_of(const Location& location) {
  return location.line == 0 ? location.file : fmt::format("{}:{}:{}", location.file, location.line, location.column);
}

Cell verdict_cell(OverallVerdict verdict) {
  return {std::string(to_string(verdict)), verdict == OverallVerdict::guaranteed  ? Colour::good
                                           : verdict >= OverallVerdict::unbounded ? Colour::bad
                                                                                  : Colour::none};
}

// What holds for every dossier. No word here may promise more than docs/how-to/use-as-evidence.md.
constexpr std::array<std::string_view, 4> levels = {
    "proved: Coq has accepted a certificate for the response time, and the proved bound is within the deadline. "
    "The theorem is about the task set in the certificate.",
    "computed: amalthea computed an upper bound with equations from the literature. Tests support the bound; no proof "
    "covers it.",
    "observed: no violation occurred in one simulation. Other executions may violate the limit.",
    "open: violated, unbounded or not judged."};
constexpr std::array<std::string_view, 6> assumptions = {
    "The model is right: execution times, periods, jitters, priorities, mapping, deadlines.",
    "The execution times are upper bounds. They include cache misses, and overheads of the operating system that the "
    "model does not state.",
    "amalthea reads the model as you mean it. Compare the task set in each certificate with your system.",
    "The scheduler, the cores and the GPUs work as the model and the documentation of amalthea describe them. Cores "
    "have "
    "a constant speed.",
    "Releases follow the stimuli of the model: no earlier, and no more often.",
    "Coq, its compiler and the machine that checked the certificates are right."};
constexpr std::array<std::string_view, 5> unproved = {
    "Whether the model describes the hardware and software that you ship.",
    "Execution times: amalthea computes with them and does not measure them.",
    "Limits other than deadlines of tasks with an accepted certificate. This includes latencies, requirements, "
    "constraints and everything on GPUs.",
    "The program amalthea itself. It is not qualified for any integrity level.",
    "Anything about a changed model or other options: the hashes below are of this state."};

class Dossier {
 public:
  Dossier(const ResultView& view, std::string_view manifest)
      : view_(view),
        assessment_(engine::assess(view.system, view.results, view.findings)),
        manifest_(outside_json<Json>(manifest).value()) {}

  std::string render() {
    std::string name;
    for (const std::string& file : view_.model.files) name += (name.empty() ? "" : ", ") + file;
    out_ = page_begin("Timing evidence: " + name, false);
    const Colour colour = colour_of(assessment_);
    out_ += fmt::format("<p class=\"sentence {}\">{}</p>\n",
                        colour == Colour::good  ? "good"
                        : colour == Colour::bad ? "bad"
                                                : "warn",
                        svg::escaped(verdict_sentence(assessment_)));
    summary();
    subject();
    tasks();
    limits();
    certificates();
    chains();
    assumed();
    open_points();
    title("What is not proved");
    list(unproved);
    title("Check again");
    paragraph("Anybody can check the folder of certificates without amalthea. Its README.md describes two commands:");
    out_ += "<p><code>sh check PROSA</code><br><code>python3 chains.py</code></p>\n";
    return out_ + page_end(false);
  }

 private:
  void title(std::string_view text) { out_ += fmt::format("<h2>{}</h2>\n", svg::escaped(text)); }
  void paragraph(std::string_view text) { out_ += fmt::format("<p>{}</p>\n", svg::escaped(text)); }
  template <typename Items>
  void list(const Items& items) {
    out_ += "<ul>\n";
    for (const auto& item : items) out_ += fmt::format("<li>{}</li>\n", svg::escaped(item));
    out_ += "</ul>\n";
  }
  void fact(std::string_view name, std::string_view value) {
    out_ += fmt::format("<dt>{}</dt><dd>{}</dd>\n", svg::escaped(name), svg::escaped(value));
  }

  bool is_proved(TaskIndex task) const {
    const engine::TaskResult& result = view_.results.tasks[task];
    return result.guaranteed == true && engine::is_proved(view_.system.tasks[task], result);
  }
  /// The level of `levels` that a limit has reached.
  static std::string_view level_of(OverallVerdict verdict) {
    return verdict == OverallVerdict::guaranteed ? "computed" : verdict == OverallVerdict::met ? "observed" : "open";
  }

  void summary() {
    std::size_t proved = 0;
    for (TaskIndex task = 0; task < view_.system.tasks.size(); ++task)
      proved += !view_.system.tasks[task].folded_into && view_.system.tasks[task].deadline && is_proved(task) ? 1 : 0;
    const std::size_t guaranteed = assessment_.count(OverallVerdict::guaranteed),
                      met = assessment_.count(OverallVerdict::met);
    title("What the results rest on");
    out_ += "<ul class=\"tiles\">\n";
    for (const auto& [count, name] :
         {std::pair(proved, "limits proved"), std::pair(guaranteed - proved, "computed"),
          std::pair(met, "observed only"), std::pair(assessment_.limits.size() - guaranteed - met, "open")})
      out_ += fmt::format("<li><b>{}</b><span>{}</span></li>\n", count, name);
    out_ += "</ul>\n";
    list(levels);
  }

  void subject() {
    title("Model and versions");
    out_ += "<dl class=\"facts\">\n";
    for (const Json& file : manifest_["model"]["files"]) fact("Model", file.get<std::string>());
    fact("Version of AMALTHEA", view_.model.version);
    fact("Hash of the files", view_.model.hash);
    fact("Hash without annotations", manifest_["model"]["hash"].get<std::string>());
    fact("Tool", manifest_["tool"].get<std::string>());
    fact("Prosa", manifest_["prosa"].get<std::string>());
    fact("Coq", manifest_["coq"].is_string() ? manifest_["coq"].get<std::string>() : "not run");
    for (const auto& [name, value] : manifest_["options"].items())
      fact("Option", value == "" ? name : fmt::format("{} {}", name, value.get<std::string>()));
    fact("Simulation", fmt::format("{} at worst-case execution times{}", format_duration(view_.results.horizon),
                                   view_.results.stopped_early ? "; stopped early" : ""));
    out_ += "</dl>\n";
  }

  void tasks() {
    title("Response times");
    paragraph(
        "In ms. A response time counts from the actual release of a job. Observed is the longest one in the "
        "simulation; the other two are upper bounds.");
    TextTable table =
        TextTable::of("task", "core", ">deadline", ">observed", ">computed", ">proved", "verdict", "rests on");
    for (TaskIndex index = 0; index < view_.system.tasks.size(); ++index) {
      const Task& task = view_.system.tasks[index];
      const engine::TaskResult& result = view_.results.tasks[index];
      if (task.folded_into) continue;
      const OverallVerdict verdict = verdict_on(result);
      const bool limited = task.deadline || verdict > OverallVerdict::met;
      table.add(task.name, view_.system.platform.units[task.unit].name, exact(task.deadline),
                result.response.jobs > 0 ? exact(result.response.max.picoseconds()) : "-", exact(result.bound.worst),
                exact(result.bound.proved), limited ? verdict_cell(verdict) : Cell{"no deadline"},
                !limited           ? "-"
                : is_proved(index) ? std::string_view("proved")
                                   : level_of(verdict));
    }
    out_ += table.html();
  }

  void limits() {
    TextTable table = TextTable::of("limit", "kind", "verdict", "rests on");
    for (const engine::JudgedLimit& limit : assessment_.limits)
      if (limit.kind != engine::JudgedLimit::Kind::deadline && limit.kind != engine::JudgedLimit::Kind::task)
        table.add(limit.name, to_string(limit.kind), verdict_cell(limit.verdict), level_of(limit.verdict));
    if (table.empty()) return;
    title("Other limits");
    out_ += table.html();
  }

  void certificates() {
    title("Certificates");
    TextTable table = TextTable::of("file", "core", "schedule", "Coq", "hash");
    for (const Json& core : manifest_["cores"])
      table.add(core["file"].get<std::string>(), core["core"].get<std::string>(), core["schedule"].get<std::string>(),
                said(core), core["hash"].get<std::string>());
    if (table.empty()) return paragraph("No task has a certificate.");
    paragraph(manifest_["meaning"].get<std::string>());
    out_ += table.html();
  }
  static Cell said(const Json& core) {
    if (core["accepted"].is_null()) return {"not checked"};
    return core["accepted"] == true ? Cell{"accepted", Colour::good} : Cell{"rejected", Colour::bad};
  }
  bool is_accepted(const Json& part) const {
    const auto& cores = manifest_["cores"];
    const auto& tasks = manifest_["tasks"];
    const auto task = std::find_if(tasks.begin(), tasks.end(), [&](const Json& one) {
      return one["task"] == part["task"] && one.contains("file");
    });
    return task != tasks.end() && std::any_of(cores.begin(), cores.end(), [&](const Json& core) {
             return core["file"] == (*task)["file"] && core["accepted"] == true;
           });
  }

  void chains() {
    TextTable table = TextTable::of("chain", ">latency", "certificates of its tasks");
    for (const Json& chain : manifest_["chains"]) {
      const bool accepted = std::all_of(chain["parts"].begin(), chain["parts"].end(),
                                        [this](const Json& part) { return is_accepted(part); });
      table.add(chain["chain"].get<std::string>(), exact(chain["latency_ps"].get<std::int64_t>()),
                accepted ? Cell{"accepted", Colour::good} : Cell{"not all accepted"});
    }
    if (table.empty()) return;
    title("Latencies that follow from certificates");
    paragraph(
        "In ms. Each is a sum that the manifest spells out and chains.py adds up again. Coq does not check sums. "
        "Verdicts on latency constraints do not use them.");
    out_ += table.html();
  }

  void assumed() {
    title("What is assumed");
    TextTable table = TextTable::of("finding", "assumption or replacement", "first place");
    for (const engine::Assumption& one : assessment_.assumptions) table.add(one.id, one.text, place_of(one.location));
    for (const std::string& replaced : assessment_.replaced) table.add("", "Replaced: " + replaced, "");
    if (!table.empty()) out_ += table.html();
    list(assumptions);
  }

  void open_points() {
    title("Open points");
    TextTable table = TextTable::of("what", "state", "why");
    for (const engine::JudgedLimit& limit : assessment_.limits)
      if (limit.verdict != OverallVerdict::guaranteed) table.add(limit.name, verdict_cell(limit.verdict), limit.reason);
    for (const Json& core : manifest_["cores"])
      if (core["accepted"] != true)
        table.add(core["file"].get<std::string>(), said(core), "Coq has not accepted this certificate");
    for (const Json& task : manifest_["tasks"])
      if (task.contains("no_certificate"))
        table.add(task["task"].get<std::string>(), "no certificate", task["no_certificate"].get<std::string>());
    for (const Json& chain : manifest_["other_chains"])
      table.add(chain["chain"].get<std::string>(), "no proved latency", chain["reason"].get<std::string>());
    std::map<std::string, std::pair<const Diagnostic*, std::size_t>> others;
    for (const Diagnostic& finding : view_.findings.all())
      if (finding.severity != Severity::note && engine::consequence_of(finding) == engine::Consequence::none)
        ++others.try_emplace(finding.id, &finding, 0).first->second.second;
    for (const auto& [id, first] : others)
      table.add(id, counted(first.second, to_string(first.first->severity)),
                fmt::format("{}: {}", place_of(first.first->location), first.first->message));
    if (table.empty()) return paragraph("None.");
    out_ += table.html();
  }

  const ResultView& view_;
  engine::Assessment assessment_;
  Json manifest_;
  std::string out_;
};

}  // namespace

std::string render_dossier_html(const ResultView& view, std::string_view manifest) {
  return Dossier(view, manifest).render();
}

}  // namespace amalthea::exporter
