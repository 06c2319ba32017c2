// SPDX-License-Identifier: Apache-2.0
// MAST's text format (MAST 1.x, "Description of the MAST model"): one transaction for each row of triggers. MAST reads
// names without regard to case, so tasks have numbers. Times are microseconds.

#include <algorithm>
#include <cstddef>
#include <optional>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "exporter/peers/peer_formats.hpp"

namespace amalthea::exporter {
namespace {

/// MAST reads no whole number beyond 32 bits.
std::string microseconds(Duration time) {
  return fmt::format("{}.{:06}", time.picoseconds() / 1'000'000, time.picoseconds() % 1'000'000);
}

std::optional<std::size_t> triggered_by(const PeerSystem& peer, std::size_t task) {
  const auto found = std::find_if(peer.tasks.begin(), peer.tasks.end(),
                                  [task](const PeerTask& other) { return other.trigger == task; });
  return found == peer.tasks.end() ? std::nullopt : std::optional<std::size_t>(found - peer.tasks.begin());
}

void append_core(std::string& out, const PeerSystem& peer, std::size_t index) {
  const PeerCore& core = peer.cores[index];
  out += fmt::format(
      "\nProcessing_Resource (Type => Fixed_Priority_Processor, Name => core_{}, Min_Priority => 1,\n"
      "  Max_Priority => {}, Min_Interrupt_Priority => {}, Max_Interrupt_Priority => {});\n",
      index + 1, core.tasks.size(), core.tasks.size() + 1, core.tasks.size() + 1);
  for (const std::size_t i : core.tasks) {
    const PeerTask& task = peer.tasks[i];
    out += fmt::format(
        "-- task_{0}: {1}\n"
        "Operation (Type => Simple, Name => task_{0}, Worst_Case_Execution_Time => {2}, Best_Case_Execution_Time => "
        "{3});\n"
        "Scheduling_Server (Type => Fixed_Priority, Name => task_{0}, Server_Processing_Resource => core_{4},\n"
        "  Server_Sched_Parameters => (Type => {5}Fixed_Priority_Policy, The_Priority => {6}));\n",
        i + 1, one_line(peer.name(task)), microseconds(task.worst), microseconds(task.best), index + 1,
        core.blocks() ? "Non_Preemptible_" : "", task.rank);
  }
}

void append_row(std::string& out, const PeerSystem& peer, std::size_t first) {
  const PeerTask& root = peer.tasks[first];
  std::string ends, tasks, before = fmt::format("release_{}", first + 1);
  out += fmt::format(
      "\nTransaction (Type => Regular, Name => row_{0},\n"
      "  External_Events => ((Type => Periodic, Name => {1}, Period => {2}, Max_Jitter => {3})),\n",
      first + 1, before, microseconds(root.arrivals.period), microseconds(root.arrivals.jitter));
  for (std::optional<std::size_t> task = first; task; task = triggered_by(peer, *task)) {
    const std::string end = fmt::format("end_{}", *task + 1), comma = ends.empty() ? "" : ",\n    ";
    ends += fmt::format("{}(Type => Regular, Name => {})", comma, end);
    tasks += fmt::format(
        "{0}(Type => Activity, Input_Event => {1}, Output_Event => {2}, Activity_Operation => task_{3},\n"
        "     Activity_Server => task_{3})",
        comma, before, end, *task + 1);
    before = end;
  }
  out += fmt::format("  Internal_Events => (\n    {}),\n  Event_Handlers => (\n    {}));\n", ends, tasks);
}

}  // namespace

std::string mast_limits(const PeerSystem& peer, const PeerTask& task) {
  const PeerCore& core = peer.cores[task.core];
  if (core.policy == PeerPolicy::earliest_deadline)
    return fmt::format("the deadlines of jobs order the tasks of {}", peer.name(core));
  if (core.policy == PeerPolicy::round_robin) return fmt::format("the tasks of {} take turns", peer.name(core));
  // Its analyses with offsets let nothing delay a task without any.
  if (task.worst.is_zero()) return fmt::format("{} takes no time", peer.name(task));
  return row_limits(peer, task);
}

std::vector<PeerFile> write_mast(const PeerSystem& peer) {
  std::string out;
  for (const std::string& line : head_of(peer, "MAST")) out += "-- " + line + "\n";
  out +=
      "-- Nor expressed are offsets, and the least distance of activations: MAST bounds response times without them.\n"
      "-- All times are microseconds. Those of end_N count from the earliest release of the row, and contain its "
      "jitter.\n"
      "Model (Model_Name => amalthea, Model_Date => 2000-01-01);\n";
  for (std::size_t core = 0; core < peer.cores.size(); ++core) append_core(out, peer, core);
  for (std::size_t task = 0; task < peer.tasks.size(); ++task)
    if (peer.tasks[task].stimulus) append_row(out, peer, task);
  return {{"", out}};
}

}  // namespace amalthea::exporter
