// SPDX-License-Identifier: Apache-2.0
// Many runs as text.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "amalthea/primitives/visible_text.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/rounded_duration.hpp"
#include "exporter/primitives/text_table.hpp"
#include "exporter/results/runs_formats.hpp"
#include "exporter/results/verdict_text.hpp"

namespace amalthea::exporter {
namespace {

using engine::TaskRuns;
using engine::Verdict;

std::string share_text(double share) { return fmt::format("{:.1f} %", share * 100); }
/// Shares near zero and near one matter: three decimals.
std::string fine_percent(double share) { return fmt::format("{:.3f}", share * 100); }

/// Rounded down to tenths of a percent: only what reaches the whole is 100 %.
double share_below(Duration part, Duration whole) {
  if (whole.is_zero()) return 1;
  return std::floor(1000 * static_cast<double>(part.picoseconds()) / static_cast<double>(whole.picoseconds())) / 1000;
}

class RunsText {
 public:
  RunsText(const RunsView& view, bool colour) : view_(view), system_(view.system), runs_(view.runs), colour_(colour) {
    Duration longest;
    for (const TaskRuns& task : runs_.tasks)
      if (task.response.count() > 0) longest = std::max(longest, task.response.max());
    unit_ = TableUnit(longest);
  }

  std::string render() {
    head();
    witness();
    tasks();
    longest_jobs();
    resources();
    chains();
    return std::move(out_);
  }

 private:
  std::string time(Duration value) const { return unit_.time(value); }
  std::string time(std::optional<Duration> value) const { return value ? time(*value) : "-"; }
  std::string with_unit(const char* title) const { return fmt::format("{} {}", title, unit_.name()); }
  void title(std::string_view text) { out_ += heading(text, colour_); }

  void head() {
    for (const VerdictLine& said : verdict_lines(engine::assess(system_, runs_.judged, view_.findings)))
      out_ += paint(one_line(said.text), said.colour, colour_) + "\n";
    out_ += line_start(fmt::format("{}  (AMALTHEA {}, {})", fmt::join(view_.model.files, ", "), view_.model.version,
                                   view_.model.hash.substr(0, 19))) +
            "\n";
    out_ += fmt::format("{} of {}{} with {} execution times, seed {}: observed values, not bounds.\n",
                        runs_.runs == 1 ? "One run" : fmt::format("{} runs", runs_.runs),
                        format_duration(runs_.horizon), runs_.hyperperiod == runs_.horizon ? " (the hyperperiod)" : "",
                        to_string(runs_.execution), runs_.seed);
  }

  void witness() {
    if (view_.witness == nullptr) return;
    const engine::Witness& found = *view_.witness;
    title("Witness of " + system_.tasks[found.task].name);
    out_ +=
        found.bound
            ? fmt::format("A job released in this time takes {}, {} of the bound {}.", format_duration(found.response),
                          share_text(share_below(found.response, *found.bound)),
                          format_duration(*found.bound, Rounding::up))
            : fmt::format("A job released in this time takes {}; there is no bound.", format_duration(found.response));
    out_ += fmt::format(" The search took {} simulation{}.\n", found.simulations, found.simulations == 1 ? "" : "s");
    if (found.moved.empty()) {
      out_ += "The releases are those of the model.\n";
      return;
    }
    TextTable table = TextTable::of("stimulus", ">offset in the model", ">offset in this run");
    for (const engine::Witness::Moved& moved : found.moved)
      table.add(system_.stimuli[moved.stimulus].name, format_duration(moved.stated), format_duration(moved.chosen));
    out_ += table.render(colour_);
  }

  void tasks() {
    title("Response times");
    TextTable table = TextTable::of("task", ">jobs", with_unit(">min"), with_unit(">mean"), ">± (95 % conf.)",
                                    with_unit(">p50"), with_unit(">p99"), with_unit(">p99.9"), with_unit(">max"),
                                    with_unit(">deadline"), ">late %", ">late % (95 % conf.)", "verdict");
    bool unfinished = false, lost = false;
    for (TaskIndex index = 0; index < system_.tasks.size(); ++index) {
      const Task& task = system_.tasks[index];
      const TaskRuns& runs = runs_.tasks[index];
      const engine::Sample& sample = runs.response;
      const auto observed = [&](auto value) { return sample.count() > 0 ? time(value()) : std::string("-"); };
      const bool judged = task.deadline && runs.jobs() > 0;
      const engine::Share late = judged ? engine::wilson_interval(runs.late, runs.jobs()) : engine::Share{};
      const std::string half_width =
          runs.means.runs() < 2 ? "-" : time(Duration::picoseconds(std::llround(runs.means.half_width())));
      std::string jobs = std::to_string(sample.count());
      if (runs.unfinished > 0) jobs += fmt::format("+{}", runs.unfinished);
      if (runs.lost_activations > 0) jobs += fmt::format("-{}", runs.lost_activations);
      unfinished = unfinished || runs.unfinished > 0;
      lost = lost || runs.lost_activations > 0;
      table.add(task.name, jobs, observed([&] { return sample.min(); }), observed([&] { return sample.mean(); }),
                half_width, observed([&] { return sample.percentile(500); }),
                observed([&] { return sample.percentile(990); }), observed([&] { return sample.percentile(999); }),
                observed([&] { return sample.max(); }), time(task.deadline), judged ? fine_percent(late.value) : "-",
                judged ? fmt::format("{} … {}", fine_percent(late.lower), fine_percent(late.upper)) : "-",
                TextTable::Cell{std::string(to_string(runs.verdict)), colour_of(runs.verdict)});
    }
    out_ += table.render(colour_);
    if (unfinished)
      out_ += paint("jobs n+m: m jobs had not ended at the end of the simulation\n", Colour::dim, colour_);
    if (lost) out_ += paint("jobs n-m: m activations were lost\n", Colour::dim, colour_);
  }

  void longest_jobs() {
    title("Longest jobs (reproduce each with --runs 1 and its seed)");
    TextTable table = TextTable::of("task", with_unit(">response"), ">run", ">seed", with_unit(">released"));
    for (TaskIndex index = 0; index < system_.tasks.size(); ++index)
      if (const auto& worst = runs_.tasks[index].worst)
        table.add(system_.tasks[index].name, time(worst->response), std::to_string(worst->run),
                  std::to_string(worst->seed), time(worst->release.since_start()));
    out_ += table.render(colour_);
  }

  void resources() {
    title("Utilization of resources");
    TextTable table = TextTable::of("resource", "kind", ">mean", ">lowest", ">highest");
    for (const engine::ResourceRuns& resource : runs_.resources)
      table.add(name_of(system_, resource), to_string(resource.kind), share_text(resource.mean),
                share_text(resource.least), share_text(resource.most));
    out_ += table.render(colour_);
  }

  void chains() {
    if (system_.chains.empty()) return;
    title("Chains: longest observed latencies under implicit communication");
    TextTable table = TextTable::of("chain", ">reads", with_unit(">reaction"), with_unit(">reduced"), with_unit(">age"),
                                    with_unit(">reduced"));
    for (std::size_t index = 0; index < system_.chains.size(); ++index) {
      const engine::ObservedLatencies& seen = runs_.chains[index];
      table.add(system_.chains[index].name, std::to_string(seen.reads), time(seen.reaction),
                time(seen.reduced_reaction), time(seen.age), time(seen.reduced_age));
    }
    out_ += table.render(colour_);
  }

  const RunsView& view_;
  const System& system_;
  const engine::ManyRuns& runs_;
  bool colour_;
  TableUnit unit_;
  std::string out_;
};

}  // namespace

std::string render_runs_text(const RunsView& view, bool colour) { return RunsText(view, colour).render(); }

}  // namespace amalthea::exporter
