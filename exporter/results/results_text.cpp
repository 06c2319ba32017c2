// SPDX-License-Identifier: Apache-2.0
// Results for people: verdict first, then tables, then reasons. As text, and as Markdown.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "amalthea/primitives/visible_text.hpp"
#include "amalthea/quantity.hpp"
#include "engine/results/lost_activations.hpp"
#include "exporter/primitives/text_table.hpp"
#include "exporter/results/causes.hpp"
#include "exporter/results/contribution_text.hpp"
#include "exporter/results/detail/headroom_parts.hpp"
#include "exporter/results/detail/requirement_text.hpp"
#include "exporter/results/ratchet.hpp"
#include "exporter/results/result_formats.hpp"
#include "exporter/results/verdict_text.hpp"

namespace amalthea::exporter {
namespace {

using engine::ContributionKind;
using engine::LimitVerdict;
using engine::TaskResult;
using engine::Verdict;

TextTable::Cell verdict_cell(LimitVerdict verdict) {
  return {std::string(to_string(verdict)), verdict == LimitVerdict::met ? Colour::good
                                           : verdict == LimitVerdict::missed || verdict == LimitVerdict::unbounded
                                               ? Colour::bad
                                               : Colour::dim};
}

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

class TextRenderer {
 public:
  TextRenderer(const ResultView& view, const RenderOptions& options, bool markdown)
      : view_(view),
        system_(view.system),
        results_(view.results),
        assessment_(engine::assess(view.system, view.results, view.findings)),
        markdown_(markdown),
        colour_(options.colour && !markdown),
        metrics_(options.metrics),
        verbose_(options.verbose) {
    choose_unit();
  }

  std::string render() {
    head();
    tasks();
    proved_bounds();
    reasons();
    missing_bounds();
    possible_losses();
    coverage();
    if (metrics_) states();
    requirements();
    constraints();
    operations();
    resources();
    chains();
    headroom();
    open_findings();
    return std::move(out_);
  }

 private:
  /// What to mend, so that the limits are judged that depend on it; what unlocks most comes first.
  void open_findings() {
    if (results_.open.empty()) return;
    std::vector<engine::OpenResult> open = results_.open;
    std::stable_sort(open.begin(), open.end(), [](const auto& a, const auto& b) { return a.limits > b.limits; });
    title("What to fill in or correct, so that unknown limits are judged");
    for (const engine::OpenResult& one : open) {
      const auto& findings = view_.findings.all();
      const auto finding = std::find_if(findings.begin(), findings.end(), [&](const Diagnostic& candidate) {
        return candidate.id == one.id && candidate.location == one.location;
      });
      const std::string place =
          one.location.line == 0 ? one.id
                                 : fmt::format("{}:{}:{}", one.location.file, one.location.line, one.location.column);
      out_ += reason(place, fmt::format("{} {} {} on it; {} [{}]", one.limits, one.limits == 1 ? "limit" : "limits",
                                        one.limits == 1 ? "depends" : "depend",
                                        finding == findings.end() ? "" : one_line(finding->message), one.id));
    }
  }

  void choose_unit() {
    Duration longest;
    for (const TaskResult& task : results_.tasks) longest = std::max(longest, task.response.max);
    unit_ = TableUnit(longest);
  }

  std::string time(Duration value) const { return unit_.time(value); }
  std::string time(std::optional<Duration> value) const { return value ? time(*value) : "-"; }
  /// Rounded up, since it is an upper bound.
  std::string at_most(std::optional<Duration> value) const {
    if (!value) return "-";
    const auto thousandth = Duration::picoseconds(unit_.size().picoseconds() / 1000);
    return time(scale(thousandth,
                      amalthea::detail::divide(value->picoseconds(), thousandth.picoseconds(), Rounding::up), 1,
                      Rounding::nearest));
  }
  std::string with_unit(const char* title) const { return fmt::format("{} {}", title, unit_.name()); }

  void title(std::string_view text) {
    out_ += markdown_ ? fmt::format("\n## {}\n\n", markdown_text(text)) : heading(text, colour_);
  }
  void show(const TextTable& table) { out_ += markdown_ ? table.markdown() : table.render(colour_); }

  /// A separate line; in Markdown a list item.
  std::string line(std::string_view text, Colour colour = Colour::none) const {
    if (markdown_) return fmt::format("- {}\n", markdown_text(text));
    return paint(line_start(text), colour, colour_) + "\n";
  }
  /// A reason; in Markdown a list item.
  std::string reason(std::string_view subject, std::string_view text) const {
    if (markdown_) return fmt::format("- **{}**: {}\n", markdown_text(subject), markdown_text(text));
    return fmt::format("{}: {}\n", paint(line_start(subject), Colour::bold, colour_), one_line(text));
  }
  /// Lines after a table.
  void note(const std::string& lines) {
    if (!lines.empty() && markdown_) out_ += "\n";
    out_ += lines;
  }

  void section(std::string_view name, const std::string& text) {
    if (text.empty()) return;
    title(name);
    out_ += text;
  }

  void head() {
    if (markdown_) out_ += "# Timing\n\n";
    for (const VerdictLine& said : verdict_lines(assessment_)) out_ += line(said.text, said.colour);
    if (view_.ratchet != nullptr)
      for (const std::string& compared : ratchet_lines(*view_.ratchet)) out_ += line(compared);
    causes();
    if (view_.headroom != nullptr)
      for (const std::string& sentence : headroom_sentences(*view_.headroom)) out_ += line(sentence);
    out_ += line(fmt::format("{}  (AMALTHEA {}, {})", fmt::join(view_.model.files, ", "), view_.model.version,
                             view_.model.hash.substr(0, 19)));
    std::string platform =
        fmt::format("Platform {}", system_.platform.name.empty() ? "without a name" : system_.platform.name);
    for (UnitIndex unit = 0; unit < system_.platform.units.size(); ++unit)
      if (system_.platform.units[unit].type == PuType::gpu)
        platform +=
            fmt::format(", GPU {} (profile {})", system_.platform.units[unit].name, results_.device_profiles[unit]);
    out_ += line(platform);
    const bool whole = results_.hyperperiod == results_.horizon;
    const bool at_once = results_.horizon <= Duration::picoseconds(1);
    out_ += line(fmt::format("Simulated {}{} with {} execution times: observed values, not bounds.",
                             at_once ? "what occurs at time 0" : format_duration(results_.horizon),
                             whole ? " (the hyperperiod)"
                             : results_.hyperperiod
                                 ? fmt::format(" (the hyperperiod is {})", format_duration(*results_.hyperperiod))
                                 : "",
                             to_string(results_.execution)));
    const auto count = engine::tasks_by_verdict(system_, results_);
    const auto number = [&](Verdict verdict) { return count[static_cast<std::size_t>(verdict)]; };
    out_ += line(fmt::format("Tasks: {} met, {} missed, {} unbounded, {} unknown, {} without deadline",
                             number(Verdict::met), number(Verdict::missed), number(Verdict::unbounded),
                             number(Verdict::unknown), number(Verdict::no_deadline)));
    requirements_head();
    for (const auto& resource : results_.resources)
      if (resource.overloaded())
        out_ += line(fmt::format("Overloaded: {} {}, utilization {:.2f} %", to_string(resource.kind),
                                 name_of(system_, resource), 100 * resource.demand),
                     Colour::bad);
  }

  /// Why not all limits are guaranteed; numbered, the first cause first.
  void causes() {
    if (view_.causes == nullptr || view_.causes->all.empty()) return;
    title("Causes");
    std::size_t number = 0;
    for (const std::string& cause : cause_lines(*view_.causes)) out_ += line(fmt::format("{}. {}", ++number, cause));
    if (!view_.causes->complete)
      out_ += line("Not every suspicion was tried: the analyses take too long.", Colour::dim);
    out_ += "\n";
  }

  void requirements_head() {
    if (results_.requirements.empty()) return;
    std::array<std::size_t, 4> count{};
    for (const auto& result : results_.requirements) ++count[static_cast<std::size_t>(result.verdict)];
    const auto number = [&](LimitVerdict verdict) { return count[static_cast<std::size_t>(verdict)]; };
    const std::size_t unbounded = number(LimitVerdict::unbounded);
    out_ += line(fmt::format(
        "Requirements: {} met, {} missed, {}{} unknown", number(LimitVerdict::met), number(LimitVerdict::missed),
        unbounded > 0 ? fmt::format("{} unbounded, ", unbounded) : "", number(LimitVerdict::unknown)));
  }

  static TextTable::Cell guarantee(std::optional<bool> guaranteed) {
    if (!guaranteed) return {"-", Colour::none};
    return *guaranteed ? TextTable::Cell{"yes", Colour::good} : TextTable::Cell{"no", Colour::bad};
  }

  void tasks() {
    title("Response times of tasks");
    TextTable table = TextTable::of("task", "core", ">priority", with_unit(">period"), with_unit(">deadline"), ">jobs",
                                    with_unit(">min"), with_unit(">mean"), with_unit(">max"), with_unit(">bound"),
                                    "verdict", "guaranteed");
    for (TaskIndex index = 0; index < system_.tasks.size(); ++index) {
      const Task& task = system_.tasks[index];
      const TaskResult& result = results_.tasks[index];
      const Task& executed = task.folded_into ? system_.tasks[*task.folded_into] : task;
      const bool known = result.response.jobs > 0;
      const auto observed = [&](Duration value) { return known ? time(value) : std::string("-"); };
      table.add(task.name, system_.platform.units[executed.unit].name,
                executed.side == Side::device ? "-" : std::to_string(executed.priority), time(results_.periods[index]),
                time(task.deadline),
                fmt::format("{}{}{}", result.response.jobs,
                            result.unfinished > 0 ? fmt::format("+{}", result.unfinished) : "",
                            result.lost_activations > 0 ? fmt::format("-{}", result.lost_activations) : ""),
                observed(result.response.min), observed(result.response.mean), observed(result.response.max),
                at_most(result.bound.worst),
                TextTable::Cell{std::string(to_string(result.verdict)), colour_of(result.verdict)},
                result.guaranteed == true && engine::is_proved(task, result) ? TextTable::Cell{"proved", Colour::good}
                                                                             : guarantee(result.guaranteed));
    }
    show(table);
    if (std::any_of(results_.tasks.begin(), results_.tasks.end(),
                    [](const TaskResult& task) { return task.unfinished > 0; }))
      note(line("jobs n+m: m jobs had not ended at the end of the simulation", Colour::dim));
    if (std::any_of(results_.tasks.begin(), results_.tasks.end(),
                    [](const TaskResult& task) { return task.lost_activations > 0; }))
      note(line("jobs n-m: m activations were lost", Colour::dim));
  }

  /// Of the same tasks, which may be smaller: they have more arguments than the theorems.
  void proved_bounds() {
    if (!results_.proofs) return;
    title("Bounds that Coq has proved, from the actual release");
    TextTable table = TextTable::of("task", with_unit(">bound"), with_unit(">proved"));
    for (TaskIndex index = 0; index < system_.tasks.size(); ++index)
      if (const engine::Bound& bound = results_.tasks[index].bound; bound.proved)
        table.add(system_.tasks[index].name, at_most(bound.worst), at_most(bound.proved));
    show(table);
  }

  void reasons() {
    std::string text;
    for (TaskIndex index = 0; index < system_.tasks.size(); ++index) {
      const TaskResult& result = results_.tasks[index];
      if (result.verdict == Verdict::met || result.verdict == Verdict::no_deadline) continue;
      text += reason(system_.tasks[index].name, result.reason);
      if (system_.tasks[index].folded_into || !result.worst_release) continue;
      const Duration release = result.worst_release->since_start();
      text += fmt::format("  {}longest job, released at {}, took {}:\n", markdown_ ? "- " : "",
                          release == Duration{} ? "time 0" : format_duration(release),
                          format_duration(result.response.max));
      auto parts = result.contributions;
      std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.time > b.time; });
      for (const auto& part : parts)
        text += markdown_ ? fmt::format("    - {} {}: {}\n", time(part.time), unit_.name(),
                                        markdown_text(describe(system_, part)))
                          : fmt::format("    {:>12} {}  {}\n", time(part.time), unit_.name(),
                                        one_line(describe(system_, part)));
    }
    section("Why tasks are late, unbounded or unknown", text);
  }

  void missing_bounds() {
    std::string text;
    for (TaskIndex index = 0; index < system_.tasks.size(); ++index)
      if (!results_.tasks[index].bound.worst && !system_.tasks[index].folded_into)
        text += reason(system_.tasks[index].name, results_.tasks[index].bound.reason);
    section("Tasks without a bound", text);
  }

  void possible_losses() {
    std::string text;
    for (TaskIndex index = 0; index < system_.tasks.size(); ++index) {
      const TaskResult& result = results_.tasks[index];
      if (!result.bound.worst || system_.tasks[index].folded_into) continue;
      const std::string lost = engine::why_activations_may_be_lost(system_, index, result.bound);
      if (!lost.empty()) text += reason(system_.tasks[index].name, lost);
    }
    section("Tasks that may lose activations", text);
  }

  /// What guarantees cover: all of them if verbose, else those with a limitation.
  void coverage() {
    if (verbose_) {
      TextTable table = TextTable::of("guaranteed", "offsets", "equally urgent tasks", "activations");
      for (const engine::JudgedLimit& limit : assessment_.limits)
        if (limit.covers)
          table.add(limit.name, to_string(limit.covers->offsets), to_string(limit.covers->ties),
                    to_string(limit.covers->losses));
      if (table.empty()) return;
      title("What guarantees cover");
      show(table);
      return;
    }
    std::string text;
    for (const engine::JudgedLimit& limit : assessment_.limits)
      if (limit.covers && !limit.covers->complete())
        text += reason(limit.name, "holds " + engine::limitation(*limit.covers));
    section("Guarantees that do not cover every run", text);
  }

  /// The maximum over every task's jobs.
  void states() {
    title(fmt::format("States of processes, the largest of a job, {}", unit_.name()));
    TextTable table = TextTable::of("process", ">running", ">ready", ">waiting", ">polling", ">parking", ">start delay",
                                    ">preemptions");
    for (TaskIndex index = 0; index < system_.tasks.size(); ++index) {
      const engine::ProcessMetrics& metrics = results_.tasks[index].metrics;
      const auto largest = [&](TimeMetric metric) {
        return metrics[metric].jobs() == 0 ? std::string("-") : time(metrics[metric].max());
      };
      table.add(system_.tasks[index].name, largest(TimeMetric::running_time), largest(TimeMetric::ready_time),
                largest(TimeMetric::waiting_time), largest(TimeMetric::polling_time), largest(TimeMetric::parking_time),
                largest(TimeMetric::start_delay), std::to_string(metrics.preemptions));
    }
    show(table);
    note(line("preemptions: of all jobs", Colour::dim));
  }

  /// Times may be negative (lateness), and limits may have any value.
  std::string signed_time(Duration value) const {
    if (value >= Duration{}) return in_unit(time(value));
    const Duration below = std::max(value, Duration::picoseconds(-Duration::max().picoseconds()));
    return in_unit(fmt::format("-{}", time(Duration::picoseconds(-below.picoseconds()))));
  }
  std::string in_unit(const std::string& number) const { return fmt::format("{} {}", number, unit_.name()); }

  std::string bound_text(const Requirement& requirement, const engine::RequirementResult& result) const {
    if (!result.bound) return "-";
    const bool upper = requirement.limit_type == Requirement::LimitType::upper;
    return upper && *result.bound >= Duration{} ? in_unit(at_most(result.bound)) : signed_time(*result.bound);
  }

  std::string limit_text(const Requirement& requirement) const {
    std::string value;
    if (const auto* time_limit = std::get_if<Requirement::TimeLimit>(&requirement.limit)) {
      if (time_limit->value) value = signed_time(*time_limit->value);
    } else if (const auto* count = std::get_if<Requirement::CountLimit>(&requirement.limit)) {
      value = std::to_string(count->value);
    } else if (const auto* percentage = std::get_if<Requirement::PercentageLimit>(&requirement.limit)) {
      value = fmt::format("{:.2f} %", percentage->value);
    } else if (const auto* cpu = std::get_if<Requirement::CpuLimit>(&requirement.limit)) {
      value = fmt::format("{:.2f} %", cpu->value);
      if (cpu->unit) value += fmt::format(" of {}", system_.platform.units[*cpu->unit].name);
    } else if (const auto* frequency = std::get_if<Requirement::FrequencyLimit>(&requirement.limit)) {
      if (frequency->hertz) value = fmt::format("{} Hz", *frequency->hertz);
    }
    if (value.empty()) return "-";
    if (requirement.limit_type == Requirement::LimitType::unstated) return value;
    return (requirement.limit_type == Requirement::LimitType::upper ? "<= " : ">= ") + value;
  }

  std::string observed_text(const engine::RequirementResult& result) const {
    if (const auto* observed = std::get_if<Duration>(&result.observed)) return signed_time(*observed);
    if (const auto* count = std::get_if<std::int64_t>(&result.observed)) return std::to_string(*count);
    if (const auto* percent = std::get_if<double>(&result.observed)) return fmt::format("{:.2f} %", *percent);
    return "-";
  }

  void requirements() {
    if (results_.requirements.empty()) return;
    title("Requirements");
    TextTable table = TextTable::of("requirement", "subject", "metric", ">limit", ">observed", ">bound", "severity",
                                    "verdict", "guaranteed");
    std::string reasons;
    for (std::size_t index = 0; index < results_.requirements.size(); ++index) {
      const Requirement& requirement = system_.requirements[index];
      const engine::RequirementResult& result = results_.requirements[index];
      const auto shown = [](std::string_view text) { return text.empty() ? std::string("-") : std::string(text); };
      table.add(shown(requirement.name), shown(requirement.subject_name), shown(metric_name(requirement)),
                limit_text(requirement), observed_text(result), bound_text(requirement, result),
                shown(to_string(requirement.severity)), verdict_cell(result.verdict), guarantee(result.guaranteed));
      if (result.verdict != LimitVerdict::met)
        reasons += reason(shown(requirement.name), fmt::format("{}: {}", to_string(result.verdict), result.reason));
    }
    show(table);
    note(reasons);
  }

  void constraints() {
    if (results_.constraints.empty()) return;
    title("Timing constraints, judged by the simulated events");
    TextTable table = TextTable::of("constraint", "class", ">judged", "verdict", "guaranteed");
    std::string reasons;
    for (std::size_t index = 0; index < results_.constraints.size(); ++index) {
      const TimingConstraint& constraint = system_.constraints[index];
      const engine::ConstraintResult& result = results_.constraints[index];
      const std::string name = constraint.name.empty() ? "-" : constraint.name;
      table.add(name, constraint.class_name, std::to_string(result.judged), verdict_cell(result.verdict),
                guarantee(result.guaranteed));
      if (result.verdict != LimitVerdict::met)
        reasons += reason(
            name, fmt::format("{}: {}{}", to_string(result.verdict), result.reason, place_text(constraint.location)));
    }
    show(table);
    note(reasons);
  }

  /// " (file:3:7)"
  static std::string place_text(const Location& place) {
    return place.line == 0 ? "" : fmt::format(" ({}:{}:{})", place.file, place.line, place.column);
  }

  void operations() {
    if (results_.operations.empty()) return;
    title("Operations on the GPU (submission to completion)");
    TextTable table = TextTable::of("operation", "runnable", ">bytes", ">runs", with_unit(">min"), with_unit(">mean"),
                                    with_unit(">max"), with_unit(">bound"));
    for (const auto& result : results_.operations) {
      const GraphNode& node = system_.graph[result.node];
      const auto* copy = std::get_if<Copy>(&node.activity);
      const bool known = result.duration.jobs > 0;
      const auto observed = [&](Duration value) { return known ? time(value) : std::string("-"); };
      table.add(node.name, node.runnable ? system_.runnables[*node.runnable].name : "-",
                copy != nullptr ? std::to_string(copy->size.bytes) : "-", std::to_string(result.duration.jobs),
                observed(result.duration.min), observed(result.duration.mean), observed(result.duration.max),
                at_most(result.bound.worst));
    }
    show(table);
  }

  void resources() {
    title("Resources");
    TextTable table = TextTable::of("resource", "kind", ">utilization", ">long-term demand", "verdict");
    for (const auto& resource : results_.resources)
      table.add(name_of(system_, resource), to_string(resource.kind), percent(resource.utilization),
                fmt::format("{:.2f} %", resource.demand * 100),
                TextTable::Cell{resource.overloaded() ? "overloaded" : "ok",
                                resource.overloaded() ? Colour::bad : Colour::good});
    show(table);
  }

  std::string steps_of(const Chain& chain) const {
    std::string text;
    for (const TaskIndex task : chain.tasks)
      text += fmt::format("{}{}", text.empty() ? "" : " -> ", system_.tasks[task].name);
    return text;
  }

  void chains() {
    if (system_.chains.empty()) return;
    title(
        fmt::format("End-to-end latencies of chains, {}: exact under LET, otherwise upper bounds; observed latencies "
                    "for implicit communication",
                    unit_.name()));
    TextTable table = TextTable::of("chain", ">LET reaction", ">reduced reaction", ">age", ">reduced age",
                                    ">implicit reaction", ">seen", ">explicit reaction", "tasks");
    std::vector<std::string> unknown;  // reasons, without duplicates
    for (std::size_t index = 0; index < system_.chains.size(); ++index) {
      const Chain& chain = system_.chains[index];
      const engine::ChainResult& result = results_.chains[index];
      const auto let = [&](Duration engine::LetLatencies::*which) {
        return result.let ? time((*result.let).*which) : std::string("-");
      };
      const auto bound = [&](const std::optional<engine::LatencyBounds>& bounds) {
        return bounds ? time(bounds->reaction) : std::string("-");
      };
      table.add(chain.source == Chain::Source::model     ? chain.name
                : chain.source == Chain::Source::request ? "(requested)"
                                                         : "(label flow)",
                let(&engine::LetLatencies::reaction), let(&engine::LetLatencies::reduced_reaction),
                let(&engine::LetLatencies::age), let(&engine::LetLatencies::reduced_age), bound(result.implicit),
                result.observed.reaction ? time(*result.observed.reaction) : "-", bound(result.explicit_access),
                steps_of(chain));
      const auto missing = [&](std::string_view columns, const std::string& why) {
        if (!why.empty()) unknown.push_back(fmt::format("{}: no {} latency: {}", steps_of(chain), columns, why));
      };
      missing("LET", result.let_reason);
      if (result.implicit_reason == result.explicit_reason) {
        missing("implicit or explicit", result.implicit_reason);
      } else {
        missing("implicit", result.implicit_reason);
        missing("explicit", result.explicit_reason);
      }
    }
    show(table);
    std::string lines;
    for (const std::string& sentence : unknown) lines += line(sentence, Colour::dim);
    note(lines);
    chain_limits();
  }

  void chain_limits() {
    TextTable table = TextTable::of("latency constraint", "chain", "of", with_unit(">min"), with_unit(">max"),
                                    "implicit", "explicit", "LET", "judged");
    std::string reasons;
    for (std::size_t index = 0; index < system_.chains.size(); ++index)
      for (std::size_t i = 0; i < system_.chains[index].limits.size(); ++i) {
        const ChainLimit& limit = system_.chains[index].limits[i];
        const engine::ChainResult::Limit& verdict = results_.chains[index].limits[i];
        const engine::ChainResult::Judgement& judged = verdict.by(results_.communication);
        table.add(limit.name, system_.chains[index].name, limit.kind == ChainLimit::Kind::age ? "age" : "reaction",
                  time(limit.minimum), time(limit.maximum), verdict_cell(verdict.implicit.verdict),
                  verdict_cell(verdict.explicit_access.verdict), verdict_cell(verdict.let.verdict),
                  TextTable::Cell{std::string(to_string(engine::verdict_on(judged.verdict, judged.guaranteed))),
                                  verdict_cell(judged.verdict).colour});
        reasons += reason(limit.name.empty() ? "-" : limit.name,
                          fmt::format("{} under {} communication: {}", to_string(judged.verdict),
                                      to_string(results_.communication), judged.reason));
      }
    if (table.empty()) return;
    out_ += "\n";
    show(table);
    note(reasons);
  }

  void headroom() {
    if (view_.headroom == nullptr) return;
    title("Headroom: how much more until the first limit is violated");
    show(headroom_table(system_, *view_.headroom));
    std::string lines;
    for (const std::string& sentence : headroom_notes(*view_.headroom)) lines += line(sentence, Colour::dim);
    note(lines);
  }

  const ResultView& view_;
  const System& system_;
  const engine::Results& results_;
  engine::Assessment assessment_;
  bool markdown_;
  bool colour_;
  bool metrics_;
  bool verbose_;
  TableUnit unit_;
  std::string out_;
};

}  // namespace

std::string render_text(const ResultView& view, const RenderOptions& options) {
  return TextRenderer(view, options, false).render();
}

std::string render_markdown(const ResultView& view, const RenderOptions& options) {
  return TextRenderer(view, options, true).render();
}

}  // namespace amalthea::exporter
