// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What an execution knows at an instant, and what changes it. Each part of the class has a file of its own.

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "reference/data.hpp"
#include "reference/execution.hpp"
#include "reference/gpu_program.hpp"
#include "reference/program.hpp"
#include "reference/releases.hpp"

namespace reference {

enum class Phase : std::uint8_t { idle, ready, waiting, polling };

/// The current job of a task, and what belongs to the task.
struct Active {
  std::vector<std::int64_t> queue;  ///< pending jobs, the current one first
  std::int64_t job = -1;
  std::int64_t released = 0;  ///< jobs so far
  Index pc = 0;
  bool executing = false, started = false, granted = false;
  bool holding = false;      ///< has its core since it became non-preemptible
  int locks = 0;             ///< uninterruptible groups
  Time left = 0, whole = 0;  ///< of the operation, on the unit
  Phase phase = Phase::idle;
  State state = State::ready;
  Index unit = none, last = none;  ///< where it runs, and ran
  Time since = 0, ready_since = 0, turn = 0, slice_left = 0, deadline = never, ended = -1;
  std::vector<std::pair<Index, std::int64_t>> held;  ///< semaphores, and how many of each
  std::vector<Index> stack;                          ///< runnables
  std::vector<std::int64_t> counters;
  std::vector<std::uint64_t> visited;
  std::uint64_t flags = 0;  ///< OS events
};

struct Core {
  Index task = none, next = none;
  Index cooperative = none;  ///< task within a runnable; no other cooperative task may run here
  bool taken = false;
};

struct Server {
  Time budget = 0, replenished = 0, deadline = 0;
  int running = 0;
};

/// What a scheduler decides about: its tasks, and its child schedulers.
struct Level {
  std::vector<Index> tasks, children;
};

/// A task or a child scheduler, with its place in the order: smaller is more urgent.
struct Entity {
  std::int64_t order = 0, second = 0;
  Index task = none, child = none;
  std::tuple<bool, Time, Index> earliness;
};

inline bool hits(const Counter& counter, std::int64_t number) {
  return number >= counter.offset && (number - counter.offset) % counter.prescaler == 0;
}

class Executor {
 public:
  Executor(const Model&, Behaviour&, const RunOptions&);
  Execution run();

 private:
  using Algorithm = Scheduler::Algorithm;
  using Kind = Question::Kind;

  Job& job(Index task) { return result_.jobs[static_cast<std::size_t>(active_[task].job)]; }
  Algorithm algorithm(Index scheduler) const { return model_.schedulers[scheduler].algorithm; }
  bool cooperates(Index task) const { return model_.tasks[task].preemption == Task::Preemption::cooperative; }
  bool turns(Index task) const { return algorithm(model_.tasks[task].scheduler) == Algorithm::turns; }
  bool below(Index task, Index scheduler) const;
  std::int64_t ask(Kind kind, Index entity, std::int64_t least, std::int64_t most) {
    return behaviour_.ask(kind, entity, least, most);
  }
  /// One of so many, by a question.
  std::size_t pick(Kind kind, Index entity, std::size_t count) {
    return static_cast<std::size_t>(ask(kind, entity, 0, static_cast<std::int64_t>(count) - 1));
  }

  // execution.cpp: preparation and time
  void prepare_tasks();
  std::vector<Index> path(Index task) const;
  void prepare_order();
  void prepare_servers();
  Time next() const;
  void advance(Time to);
  void instant();
  void all_due();
  void settle();

  // execution_order.cpp: who is more urgent
  std::int64_t urgency(Index task) const;
  std::int64_t level(Index task) const;
  std::int64_t level(Index child, Algorithm in) const;
  Time deadline(Index child) const;
  bool wants(Index scheduler) const;
  std::tuple<bool, Time, Index> earliness(Index scheduler) const;
  std::tuple<bool, Time, Index> earliness_of(Index task) const;
  Index select(Index number, const std::vector<Index>& merged);
  std::size_t choose(std::vector<Entity>& list, Index scheduler);
  Index next_task(Index cluster);
  bool unpreemptible(Index task) const;
  int rank(Index task) const;
  int more_urgent(Index a, Index b) const;

  // execution_cores.cpp: who has a core, servers and turns
  bool runnable(Index task) const;
  void schedule(Index cluster);
  Index place(Index task);
  Index cooperative_before(Index task) const;
  void count_running(Index task, int change);
  void leave_core(Index task);
  void preempt(Index task);
  void dispatch(Index task, Index unit);
  std::size_t place_of(Index task, Index unit) const;
  void migrate(Index task, Index from, Index to);
  void free_section(Index task);
  void servers();
  void new_deadline(Index scheduler);
  void idle_servers();
  bool others_active(Index task, Index scheduler) const;

  // execution_jobs.cpp: from the stimulus to the end of a job, the trace
  void set_state(Index task, State);
  void emit(Event::Of, std::string_view type, Index entity, Index task);
  bool holds(const Condition&, Index task, Kind);
  void occur(Index stimulus);
  void activate(Index task);
  void begin(Index task);
  void ready(Index task);
  void finish_job(Index task);
  void device_progress(Index task);
  void devices_advance(Time to);

  // execution_operations.cpp: what a job does
  enum class Then : std::uint8_t { follow, jumped, decide, yield, stop };
  void progress(Index task);
  Then perform(Index task, const Op&);
  bool execute(Index task, const Op&);
  void effect(Index task, const Op&);
  Then control(Index task, const Op&);
  Time cost_of(Index task, const Op&);
  void yield(Index task);
  void decide(Index cluster);
  std::size_t choice(Index task, const Item&);
  std::size_t unvisited(Index task, const Op&);
  void accessed(Index task, const Op&);
  void access_mode(Index task, const Op&);
  bool request(Index task, const Op&);
  std::int64_t amount(Index task) const;
  void grant(Index task, Index semaphore);
  void release(Index task, Index semaphore);
  bool satisfied(Index task) const;
  void suspend(Index task, bool active);
  void resume_from_poll(Index task);
  void wake(Index task);
  void set_events(const Item&);

  const Model& model_;
  Behaviour& behaviour_;
  const RunOptions& options_;
  Execution result_;
  Data data_;
  Time now_ = 0;
  std::int64_t open_ = 0, steps_ = 0;
  bool trace_ = false, event_stimuli_ = false, interacts_ = false, has_servers_ = false;
  std::vector<Program> programs_;
  std::vector<std::vector<DeviceStep>> device_steps_;
  std::vector<Active> active_;
  std::vector<Core> cores_;
  std::vector<Index> cluster_, cpu_tasks_, choices_;
  std::vector<std::size_t> open_choices_;
  std::vector<std::vector<Index>> paths_, waiters_;
  std::vector<Level> levels_;
  std::vector<std::vector<Index>> roots_;  ///< by cluster
  std::vector<char> wanting_;              ///< tasks that want a core and have none yet
  std::vector<std::int64_t> ceilings_, modes_, users_, occurred_;
  std::vector<Releases> releases_;
  std::vector<Server> servers_;
  std::vector<Device> devices_;
  std::map<std::pair<Index, std::uint32_t>, std::size_t> operations_;
  std::vector<Index> due_, dirty_, yielded_, ended_;
};

}  // namespace reference
