// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A model as plain structures. Lists refer to each other by index. Everything that the reader does not know is
/// Refused, with the place in the file.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reference/behaviour.hpp"

namespace reference {

using Index = std::uint32_t;
constexpr Index none = 0xffffffff;
inline bool contains(const std::vector<Index>& list, Index one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}
using Properties = std::map<std::string, std::string>;  ///< custom properties gpu.*, as written

/// All values in [least, most] are possible.
struct Range {
  std::int64_t least = 0, most = 0;
};

/// Ticks or cycles of a step, by definition of the unit (none: all others).
struct Ticks {
  std::vector<std::pair<Index, Range>> of;
};

/// How a unit accesses a memory.
struct Access {
  bool stated = false;                ///< without it accesses take no time
  Range read, write;                  ///< cycles of the unit for each line; no latency: 0
  std::int64_t bytes_per_second = 0;  ///< 0: not stated
};

struct Unit {
  std::string name;
  Index definition = none;
  bool gpu = false;
  std::int64_t hertz = 0;
  std::vector<Access> access;  ///< by memory
  Properties properties;
};

struct Label {
  std::string name;
  std::int64_t bytes = 0;
  Index memory = none, section = none;
  bool host = false;  ///< some task on a CPU uses it (S-device-1)
};

/// Terms that hold or not: a disjunction of conjunctions.
struct Condition {
  enum class Relation { equal, not_equal, less, less_equal, greater, greater_equal };
  struct Term {
    Index mode = none, other = none;  ///< mode labels; none: not known, so a question decides
    std::int64_t value = 0;
    Relation relation = Relation::equal;
  };
  std::vector<std::vector<Term>> any_of;
};

struct Counter {
  std::int64_t prescaler = 1, offset = 0;
  bool stated = false;
  bool hits(std::int64_t number) const { return number >= offset && (number - offset) % prescaler == 0; }
};

/// An activity, with what it contains.
struct Item {
  enum class Kind {
    ticks,
    group,
    clear,
    switch_,
    probability,
    entry,  ///< of a switch: condition and items
    loop,
    schedule_point,
    terminate,
    call,
    label,  // from here on, the order of several jobs at one instant may matter
    wait,
    set,
    trigger,
    semaphore,
    mode,
    custom_event,
    leave,     // from here on, operations of programs only; a runnable ends
    boundary,  ///< before a runnable: cooperative tasks may preempt each other
    lock,
    unlock,  ///< an uninterruptible group
    count,   ///< goes on if the counter hits, else jumps
    test,    ///< goes on if the condition holds, else jumps
    jump,
    end
  };

  Kind kind = Kind::ticks;
  Ticks ticks;
  Index target = none;   ///< label, runnable, stimulus, semaphore, mode label, custom event, process of set
  bool write = false;    ///< label: writes; mode: sets
  Range accesses{1, 1};  ///< label and call: by their statistic
  bool ordered = true, interruptible = true;  ///< group
  bool release = false, exclusive = false;    ///< semaphore
  bool active = true;                         ///< wait and semaphore: keeps its core
  bool all = false;                           ///< wait: for all events
  std::vector<Index> events;                  ///< wait, set, clear
  std::int64_t value = 0;                     ///< mode: the value set, or the step (negative: decrement)
  bool step = false;
  Counter counter;
  double probability = 0;
  bool otherwise = false;  ///< entry: the default of its switch
  Condition condition;     ///< empty: none
  std::vector<Item> items;
};

struct Runnable {
  std::string name;
  Condition condition;  ///< of its execution; empty: none
  std::vector<Item> items;
  Properties properties;
};

struct Stimulus {
  enum class Kind { periodic, relative, synthetic, single, burst, curve, rate, triggered, by_event };
  struct Border {
    std::int64_t occurrences = 1;
    Time lower = 0, upper = never;  ///< time that so many occurrences span
  };

  std::string name;
  Kind kind = Kind::periodic;
  Time offset = 0, period = 0, least_distance = 0;
  Range jitter, distance;      ///< picoseconds
  std::vector<Time> instants;  ///< synthetic
  Time burst_length = 0;
  std::int64_t burst_count = 1;
  std::vector<Border> borders;  ///< arrival curve
  Time step = 0;                ///< variable rate
  double least_per_step = 0, most_per_step = 0, increase = -1, decrease = -1;
  Counter counter;
  std::vector<Index> triggers;                        ///< event stimulus: events of the event model
  Condition condition;                                ///< empty: none
  std::vector<std::pair<Index, std::int64_t>> modes;  ///< mode labels that it sets
};

struct Semaphore {
  std::string name;
  std::int64_t users = 0, most = 1;  ///< at the start; at most
  bool ceiling = false, spin = false;
};

struct ModeLabel {
  std::string name;
  std::int64_t initial = 0;           ///< literals count from 0
  std::vector<std::string> literals;  ///< empty: a number
};

/// Ticks of calls of the operating system, and of interrupts by category, by the name of their element.
using Overhead = std::map<std::string, Ticks>;

struct Scheduler {
  /// fixed: by priority; turns: round robin among equal priorities; polling, deferrable and bandwidth: servers
  enum class Algorithm { fixed, rate, deadline, edf, turns, grouping, polling, deferrable, bandwidth, interrupts, gpu };

  std::string name;
  Algorithm algorithm = Algorithm::fixed;
  bool osek = false;  ///< equals run in the order of activation
  Index parent = none;
  std::int64_t priority = 0;  ///< within the parent
  Time budget = 0, period = 0, slice = 0;
  std::vector<Index> units;  ///< those it is responsible for, else those of its parent
  Overhead overhead;
  std::map<std::string, std::string> parameters;  ///< all of the model, as written
};

inline bool is_server(Scheduler::Algorithm algorithm) {
  return algorithm >= Scheduler::Algorithm::polling && algorithm <= Scheduler::Algorithm::bandwidth;
}

/// A process. Interrupt service routines follow all tasks.
struct Task {
  enum class Preemption { preemptive, cooperative, none };

  std::string name;
  bool isr = false;
  int category = 2;  ///< ISR
  Preemption preemption = Preemption::preemptive;
  std::int64_t limit = 0;  ///< of activations; 0: none
  std::vector<Index> stimuli;
  Index scheduler = none;    ///< none: never runs
  std::vector<Index> units;  ///< where it may run
  std::int64_t priority = 0;
  Time deadline = -1;    ///< least upper limit on its response time; -1: none
  Time period = -1;      ///< least distance of releases by its stimuli; -1: not known
  bool device = false;   ///< on a GPU
  bool dropped = false;  ///< a wrapper whose function runs on a CPU (S-device-6)
  std::vector<Item> items;
  Properties properties;
  std::map<std::string, std::string> parameters;  ///< of its allocation, as written
};

/// An event of the event model: occurrences in the trace that fit it.
struct Event {
  enum class Of { process, chain, runnable, label, stimulus, semaphore, mode, custom };

  std::string name;
  Of of = Of::process;
  std::string type;  ///< as written; empty: all
  Index entity = none, runnable = none, process = none, unit = none;
};

struct Chain {
  struct Link {
    Index event = none;  ///< none: named by a task
    Index task = none;   ///< none: in no process, or in several
    Index label = none;
    bool write = false;       ///< the event is a write of the label
    bool activation = false;  ///< stimulus or activation of the task
  };

  std::string name;
  std::vector<Link> links;   ///< in order; parallel parts are left out
  std::vector<Index> tasks;  ///< without repetition of neighbours; empty: not a chain of tasks
};

struct Constraint {
  enum class Kind { delay, repetition, synchronization, latency, age, coherency, stability };

  std::string name;
  Kind kind = Kind::delay;
  std::string type;                           ///< mapping, synchronization, latency, direction or order, as written
  std::vector<Index> events;                  ///< delay: source and target
  std::vector<Index> chains, labels, scopes;  ///< scopes: tasks, or runnables of_runnables
  Index runnable = none;
  Time lower = 0, upper = never;
  bool lower_stated = false, upper_stated = false;
  Time jitter = 0, tolerance = 0;
  std::int64_t span = 1;
  bool multiple = false, of_runnables = false;
};

/// An upper or lower limit on a metric of a process, or on the latency of a process chain.
struct Requirement {
  std::string name, metric;
  Index entity = none;           ///< process, or the chain of a process chain
  std::vector<Index> processes;  ///< of a process chain
  bool of_chain = false, counts = false, upper = true;
  double limit = 0;  ///< picoseconds, or a number where it counts
};

struct Model {
  std::vector<Unit> units;
  std::int64_t line_bytes = 64;
  std::vector<Scheduler> schedulers;
  std::vector<Task> tasks;
  std::vector<Runnable> runnables;
  std::vector<Label> labels;
  std::vector<Stimulus> stimuli;
  std::vector<Semaphore> semaphores;
  std::vector<ModeLabel> modes;
  std::vector<Event> events;
  std::vector<Chain> chains;
  std::vector<Constraint> constraints;
  std::vector<Requirement> requirements;
};

/// Reads a model (AMALTHEA 3.3.0). Throws Refused.
Model read(std::string_view amxmi);

/// The entry with this name; throws Refused where there is none.
template <class T>
Index find(const std::vector<T>& list, std::string_view name) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name) return static_cast<Index>(i);
  throw Refused(std::string(name), "not in the model");
}

/// Adds a chain through these tasks (`--chain "A->B->C"`) and returns its place.
Index add_chain(Model&, std::string name, const std::vector<Index>& tasks);

}  // namespace reference
