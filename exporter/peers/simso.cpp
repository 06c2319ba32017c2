// SPDX-License-Identifier: Apache-2.0
// SimSo's XML (simso/configuration/parser.py). SimSo assigns tasks to processors itself, so every core is a file of its
// own. It multiplies times with `cycles_per_ms` as binary fractions and truncates; with 1 all times are whole and
// exact.

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/primitives/xml_text.hpp"
#include "exporter/peers/peer_formats.hpp"

namespace amalthea::exporter {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t picoseconds;
};

class SimsoFile {
 public:
  SimsoFile(const PeerSystem& peer, const PeerCore& core) : peer_(peer), core_(core), span_(span()) { find_dates(); }

  std::string text() {
    unit_ = common_unit();
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    for (const std::string& line : head_of(peer_, "SimSo")) append_xml_comment(out, line);
    append_xml_comment(
        out,
        "It simulates one run of this core alone, with all executions at their longest; what it observes "
        "is no bound.");
    append_xml_comment(out, fmt::format("One ms of SimSo stands for one {} of the model.", unit_.name));
    out += fmt::format(
        "<simulation duration=\"{}\" cycles_per_ms=\"1\" etm=\"wcet\" penalty_preemption=\"0\" "
        "penalty_migration=\"0\">\n",
        units(span_));
    const bool deadlines = core_.policy == PeerPolicy::earliest_deadline;
    out += fmt::format(
        "  <sched class=\"simso.schedulers.{}\" overhead=\"0\" overhead_activate=\"0\" "
        "overhead_terminate=\"0\"/>\n",
        deadlines ? "EDF_mono" : "FP");
    out += "  <caches memory_access_time=\"0\"/>\n  <processors>\n    <processor";
    append_attribute(out, "name", one_line(peer_.name(core_)));
    out += " id=\"1\" cl_overhead=\"0\" cs_overhead=\"0\"/>\n  </processors>\n";
    out += "  <tasks>\n    <field name=\"priority\" type=\"int\"/>\n";
    for (const std::size_t i : core_.tasks) append_task(out, i);
    return out + "  </tasks>\n</simulation>\n";
  }

 private:
  const Stimulus& stimulus_of(const PeerTask& task) const { return peer_.system.stimuli[*task.stimulus]; }

  /// Two hyperperiods after the first activation of every task, or less.
  Duration span() const {
    Duration first;
    double rate = 0;
    for (const std::size_t i : core_.tasks) {
      const PeerTask& task = peer_.tasks[i];
      if (!task.stimulus) continue;
      first = std::max(first, engine::first_arrival(stimulus_of(task)));
      rate += 1 / static_cast<double>(task.arrivals.period.picoseconds());
    }
    const double most = std::min(rate > 0 ? static_cast<double>(most_peer_jobs) / rate : 0,
                                 static_cast<double>(longest_simulation.picoseconds() / 4));
    const auto common = hyperperiod_of(peer_, core_);
    const double wanted =
        common ? static_cast<double>(first.picoseconds()) + 2 * static_cast<double>(common->picoseconds()) : most;
    return Duration::picoseconds(static_cast<std::int64_t>(std::min(most, wanted)));
  }

  /// The densest activations of tasks that are not strictly periodic.
  void find_dates() {
    dates_.resize(peer_.tasks.size());
    for (const std::size_t i : core_.tasks) {
      const PeerTask& task = peer_.tasks[i];
      if (!task.stimulus || engine::strictly_periodic(stimulus_of(task))) continue;
      engine::Arrivals arrivals(stimulus_of(task), {engine::ArrivalPattern::densest, 0, *task.stimulus});
      while (const auto date = arrivals.next()) {
        if (date->since_start() > span_ || static_cast<std::int64_t>(dates_[i].size()) >= most_peer_jobs) break;
        dates_[i].push_back(date->since_start());
      }
    }
  }

  /// The largest unit in which all times are whole.
  Unit common_unit() const {
    std::vector<Duration> times;
    for (const std::size_t i : core_.tasks) {
      const PeerTask& task = peer_.tasks[i];
      times.insert(times.end(), dates_[i].begin(), dates_[i].end());
      times.push_back(task.worst);
      times.push_back(deadline_of(task));
      if (const auto periodic = task.stimulus ? engine::strictly_periodic(stimulus_of(task)) : std::nullopt) {
        times.push_back(periodic->period);
        times.push_back(periodic->offset);
      }
    }
    constexpr std::array<Unit, 4> all{{{"ms", 1'000'000'000}, {"us", 1'000'000}, {"ns", 1'000}, {"ps", 1}}};
    for (const Unit& unit : all)
      if (std::all_of(times.begin(), times.end(),
                      [&](Duration time) { return time.picoseconds() % unit.picoseconds == 0; }))
        return unit;
    return all.back();
  }

  std::int64_t units(Duration time) const { return time.picoseconds() / unit_.picoseconds; }
  /// SimSo needs one; without one, a deadline that no job of the simulation misses early.
  Duration deadline_of(const PeerTask& task) const {
    const auto& deadline = core_.policy == PeerPolicy::earliest_deadline ? task.deadline : peer_.task_of(task).deadline;
    return deadline.value_or(Duration::seconds(1000));
  }

  void append_task(std::string& out, std::size_t i) const {
    const PeerTask& task = peer_.tasks[i];
    const auto periodic = task.stimulus ? engine::strictly_periodic(stimulus_of(task)) : std::nullopt;
    out += "    <task";
    append_attribute(out, "name", one_line(peer_.name(task)));
    out += fmt::format(" id=\"{}\" task_type=\"{}\" abort_on_miss=\"no\" period=\"{}\" activationDate=\"{}\"", i + 1,
                       periodic ? "Periodic" : (task.stimulus ? "Sporadic" : "APeriodic"),
                       periodic ? units(periodic->period) : 0, periodic ? units(periodic->offset) : 0);
    out += fmt::format(
        " deadline=\"{}\" WCET=\"{}\" ACET=\"0\" et_stddev=\"0\" base_cpi=\"1\" instructions=\"0\" "
        "mix=\"0\" preemption_cost=\"0\" priority=\"{}\"",
        units(deadline_of(task)), units(task.worst), task.rank);
    for (const std::size_t other : core_.tasks)
      if (peer_.tasks[other].trigger == i) out += fmt::format(" followed_by=\"{}\"", other + 1);
    if (task.stimulus && !periodic) {
      out += " list_activation_dates=\"";
      for (const Duration& date : dates_[i])
        out += fmt::format("{}{}", &date == dates_[i].data() ? "" : ",", units(date));
      out += "\"";
    }
    out += "/>\n";
  }

  const PeerSystem& peer_;
  const PeerCore& core_;
  Duration span_;
  std::vector<std::vector<Duration>> dates_;  ///< of every task
  Unit unit_{};
};

}  // namespace

std::string simso_limits(const PeerSystem& peer, const PeerTask& task) {
  const PeerCore& core = peer.cores[task.core];
  if (core.blocks()) return fmt::format("no task of the core {} preempts another", peer.name(core));
  if (core.policy == PeerPolicy::round_robin) return fmt::format("the tasks of {} take turns", peer.name(core));
  if (task.trigger && peer.tasks[*task.trigger].core != task.core)
    return fmt::format("a task of another core triggers {}", peer.name(task));
  return row_limits(peer, task);
}

std::vector<PeerFile> write_simso(const PeerSystem& peer) {
  std::vector<PeerFile> files;
  for (const PeerCore& core : peer.cores)
    files.push_back({file_name_of(peer, core) + ".xml", SimsoFile(peer, core).text()});
  return files;
}

}  // namespace amalthea::exporter
