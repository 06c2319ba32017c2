// SPDX-License-Identifier: Apache-2.0
// A Python script for pyCPA. Its numbers are whole picoseconds.

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "amalthea/diagnostic.hpp"
#include "exporter/peers/peer_formats.hpp"

namespace amalthea::exporter {
namespace {

/// A literal of JSON is one of Python.
std::string literal(std::string_view name) {
  return nlohmann::json(one_line(name)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string scheduler_of(const PeerCore& core) {
  if (core.policy == PeerPolicy::round_robin) return "RoundRobinScheduler()";
  constexpr std::string_view order = "schedulers.prio_high_wins_equal_fifo";
  // One picosecond, as whole as the times: a task that arrives as a job begins may go first.
  if (core.blocks()) return fmt::format("SPNPScheduler({}, cycle_time=1)", order);
  return fmt::format("SPPScheduler({})", order);
}

void append_core(std::string& out, const PeerSystem& peer, const PeerCore& core) {
  out += fmt::format("\ncore = system.bind_resource(model.Resource({}, schedulers.{}))\n", literal(peer.name(core)),
                     scheduler_of(core));
  for (const std::size_t i : core.tasks) {
    const PeerTask& task = peer.tasks[i];
    const std::int64_t parameter =
        core.policy == PeerPolicy::round_robin ? core.slice.picoseconds() : static_cast<std::int64_t>(task.rank);
    out += fmt::format("tasks.append(core.bind_task(model.Task({}, bcet={}, wcet={}, scheduling_parameter={})))\n",
                       literal(peer.name(task)), task.best.picoseconds(), task.worst.picoseconds(), parameter);
    if (task.stimulus)
      out += fmt::format("tasks[-1].in_event_model = model.PJdEventModel(P={}, J={}, dmin={})\n",
                         task.arrivals.period.picoseconds(), task.arrivals.jitter.picoseconds(),
                         task.arrivals.minimum_distance.picoseconds());
  }
}

}  // namespace

std::string pycpa_limits(const PeerSystem& peer, const PeerTask& task) {
  const PeerCore& core = peer.cores[task.core];
  if (core.policy == PeerPolicy::earliest_deadline)
    return fmt::format("the deadlines of jobs order the tasks of {}", peer.name(core));
  // Its equations begin with the execution: nothing would delay a job without any.
  return task.worst.is_zero() ? fmt::format("{} takes no time", peer.name(task)) : "";
}

std::vector<PeerFile> write_pycpa(const PeerSystem& peer) {
  std::string out = "#!/usr/bin/env python3\n";
  for (const std::string& line : head_of(peer, "pyCPA")) out += "# " + line + "\n";
  out +=
      "# Nor expressed are offsets: pyCPA bounds response times for any. All times are picoseconds.\n"
      "# It prints the bound of each task in picoseconds, after its name and a tab.\n"
      "import sys\n\n"
      "from pycpa import analysis, model, schedulers\n\n"
      "system = model.System()\n"
      "tasks = []  # in the order of the lines below\n";
  for (const PeerCore& core : peer.cores) append_core(out, peer, core);
  out += "\n# Tasks that the jobs of others trigger.\n";
  for (const PeerCore& core : peer.cores)
    for (const std::size_t i : core.tasks)
      if (const auto from = peer.tasks[i].trigger)
        out += fmt::format("tasks[{}].link_dependent_task(tasks[{}])\n", *from, i);
  out +=
      "\ntry:\n"
      "    results = analysis.analyze_system(system)\n"
      "except analysis.NotSchedulableException as reason:\n"
      "    sys.exit(\"not schedulable: %s\" % reason)\n"
      "for task in tasks:\n"
      "    print(\"%s\\t%d\" % (task.name, results[task].wcrt))\n";
  return {{"", out}};
}

}  // namespace amalthea::exporter
