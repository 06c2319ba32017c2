// SPDX-License-Identifier: Apache-2.0
// Whether tasks wait for what they offload: triggers, events and results in turn. Without that, a task seems to need
// less time than it does.

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "importer/building/detail/build_context.hpp"

namespace amalthea::importer::detail {
namespace {

template <typename T>
bool among(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// What may be true at a place of a job, as bits.
using States = unsigned;

/// Which activities of a job a walk along its paths has to look at.
class Outline {
 public:
  explicit Outline(const RawBody& body) : around_(body.size(), none) {
    std::vector<std::pair<std::size_t, std::size_t>> open;  // branches: their end and place
    for (std::size_t at = 0; at < body.size(); ++at) {
      while (!open.empty() && open.back().first <= at) open.pop_back();
      if (!open.empty()) around_[at] = open.back().second;
      const auto* branch = std::get_if<Branch>(&body[at].activity);
      if (branch != nullptr) {
        std::size_t end = at + 1;
        for (const auto& alternative : branch->alternatives) end += alternative.length;
        open.emplace_back(end, at);
      }
      // No path leaves a branch whose only alternative repeats.
      if (std::holds_alternative<Terminate>(body[at].activity) ||
          (branch != nullptr && branch->repeats && branch->alternatives.size() == 1))
        ending_.push_back(at);
    }
  }

  /// In their order: these, those that end paths, and the branches around them. All others change nothing.
  std::vector<std::size_t> with(const std::vector<std::size_t>& places) const {
    std::set<std::size_t> found;
    for (const auto* from : {&places, &ending_})
      for (std::size_t at : *from)
        for (; at != none && found.insert(at).second; at = around_[at]) {
        }
    return {found.begin(), found.end()};
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> around_;  ///< of every activity: the branch around it
  std::vector<std::size_t> ending_;
};

/// Follows all paths through a job. `step(at, states)` returns the states after the activity `at`.
template <typename Step>
class Paths {
 public:
  Paths(const RawBody& body, Step step) : body_(body), step_(std::move(step)) {}
  /// Along these places only, which an Outline names.
  Paths(const RawBody& body, const std::vector<std::size_t>& places, Step step)
      : body_(body), places_(&places), step_(std::move(step)) {}

  /// The states at the end of a job that begins in `states`.
  States job(States states) {
    ended_ = 0;
    return sequence(0, body_.size(), states) | ended_;
  }

 private:
  /// The next place from `at` on.
  std::size_t next(std::size_t at) const {
    if (places_ == nullptr) return at;
    const auto found = std::lower_bound(places_->begin(), places_->end(), at);
    return found == places_->end() ? body_.size() : *found;
  }

  States sequence(std::size_t at, std::size_t end, States states) {
    for (at = next(at); at < end; at = next(at)) {
      const Activity& activity = body_[at].activity;
      if (const auto* branch = std::get_if<Branch>(&activity)) {
        states = alternatives(*branch, at, states);
        continue;
      }
      if (std::holds_alternative<Terminate>(activity)) {
        ended_ |= states;
        states = 0;
      } else if (states != 0) {
        states = step_(at, states);
      }
      ++at;
    }
    return states;
  }

  /// `at`: the branch; then what follows it.
  States alternatives(const Branch& branch, std::size_t& at, States states) {
    States after = 0;
    bool one_is_taken = false;
    ++at;
    for (std::size_t i = 0; i < branch.alternatives.size(); ++i) {
      const auto& [guard, length] = branch.alternatives[i];
      if (branch.repeats && i == 0)
        for (States before = 0; before != states;) {
          before = states;
          states |= sequence(at, at + length, states);
        }
      else
        after |= sequence(at, at + length, states);
      at += length;
      one_is_taken =
          one_is_taken || std::holds_alternative<Otherwise>(guard) || std::holds_alternative<Probability>(guard);
    }
    return one_is_taken ? after : after | states;
  }

  const RawBody& body_;
  const std::vector<std::size_t>* places_ = nullptr;
  Step step_;
  States ended_ = 0;  // of jobs that end early
};

/// An activity of a task; before the first one if `at` is -1.
struct Place {
  TaskIndex task = 0;
  std::ptrdiff_t at = -1;
  friend bool operator==(const Place&, const Place&) = default;
};

/// Why a wait ends before the work that it is for.
struct Cause {
  Place place;         ///< an activity that sets the event; -1: an activation of the task
  std::string reason;  ///< with the remedy
};

class Protocols {
 public:
  explicit Protocols(BuildContext& context)
      : context_(context),
        system_(context.system),
        bodies_(context.raw_bodies),
        activating_(system_.tasks.size()),
        triggering_(system_.stimuli.size()),
        setters_(system_.events.size()) {
    for (StimulusIndex stimulus = 0; stimulus < system_.stimuli.size(); ++stimulus)
      for (const TaskIndex task : system_.stimuli[stimulus].activates) activating_[task].push_back(stimulus);
    for (TaskIndex task = 0; task < bodies_.size(); ++task)
      for (std::size_t at = 0; at < bodies_[task].size(); ++at) {
        const GraphNode& node = bodies_[task][at];
        for (const StimulusIndex stimulus : caused_by(node))
          if (!among(triggering_[stimulus], task)) triggering_[stimulus].push_back(task);
        if (const auto* set = std::get_if<SetEvents>(&node.activity))
          for (const EventIndex event : set->events)
            setters_[event].emplace_back(Place{task, static_cast<std::ptrdiff_t>(at)}, set->task);
      }
  }

  void run() {
    for (TaskIndex task = 0; task < bodies_.size(); ++task) {
      report_idle_triggers(task);
      report_stale(task);
      if (system_.tasks[task].side != Side::host) continue;
      for (const TaskIndex device : started_by(task)) check(task, device);
    }
  }

 private:
  // ---- who activates and sets what

  std::vector<StimulusIndex> caused_by(const GraphNode& node) const {
    if (const auto* trigger = std::get_if<Trigger>(&node.activity)) return {trigger->stimulus};
    std::vector<StimulusIndex> caused;
    if (const auto* set = std::get_if<SetEvents>(&node.activity))
      for (StimulusIndex stimulus = 0; stimulus < system_.stimuli.size(); ++stimulus)
        if (const auto* driven = std::get_if<EventDriven>(&system_.stimuli[stimulus].occurrence))
          if (std::find_first_of(driven->events.begin(), driven->events.end(), set->events.begin(),
                                 set->events.end()) != driven->events.end())
            caused.push_back(stimulus);
    return caused;
  }

  std::vector<TaskIndex> activated_by(const GraphNode& node) const {
    std::vector<TaskIndex> tasks;
    for (const StimulusIndex stimulus : caused_by(node))
      tasks.insert(tasks.end(), system_.stimuli[stimulus].activates.begin(), system_.stimuli[stimulus].activates.end());
    return tasks;
  }

  void add_devices(const GraphNode& node, std::vector<TaskIndex>& found) const {
    for (const TaskIndex task : activated_by(node)) {
      if (system_.tasks[task].side != Side::device || among(found, task)) continue;
      found.push_back(task);
      for (const GraphNode& inner : bodies_[task]) add_devices(inner, found);
    }
  }
  /// The device tasks that a host task activates, itself or through other device tasks.
  std::vector<TaskIndex> started_by(TaskIndex host) const {
    std::vector<TaskIndex> found;
    for (const GraphNode& node : bodies_[host]) add_devices(node, found);
    return found;
  }
  bool starts(const GraphNode& node, TaskIndex device) const {
    std::vector<TaskIndex> found;
    add_devices(node, found);
    return among(found, device);
  }

  std::vector<EventIndex> awaited_by(TaskIndex task) const {
    std::set<EventIndex> events;
    for (const GraphNode& node : bodies_[task])
      if (const auto* wait = std::get_if<WaitEvents>(&node.activity))
        events.insert(wait->events.begin(), wait->events.end());
    return {events.begin(), events.end()};
  }

  /// Where the event is set for the task.
  std::vector<Place> setters_of(EventIndex event, TaskIndex waiting) const {
    std::vector<Place> places;
    for (const auto& [place, receiver] : setters_[event])
      if (receiver.value_or(waiting) == waiting) places.push_back(place);
    return places;
  }

  const GraphNode& node(Place place) const { return bodies_[place.task][static_cast<std::size_t>(place.at)]; }

  /// Whether `later` is reached only after `earlier`: further on in its task, in a task that is activated there, or
  /// after a wait for it.
  bool follows(Place later, Place earlier, int depth = 0) const {
    constexpr int longest_row = 8;
    if (later.task == earlier.task) return later.at > earlier.at;
    if (depth > longest_row) return false;
    const auto size = static_cast<std::ptrdiff_t>(bodies_[earlier.task].size());
    for (Place at{earlier.task, earlier.at + 1}; at.at < size; ++at.at)
      for (const TaskIndex task : activated_by(node(at)))
        if (follows(later, {task, -1}, depth + 1)) return true;
    for (Place at{later.task, 0}; at.at < later.at; ++at.at)
      if (const auto* wait = std::get_if<WaitEvents>(&node(at).activity))
        if (ends_after(*wait, later.task, earlier, false, depth + 1)) return true;
    return false;
  }

  /// Whether all that sets one of the awaited events comes after the place. `initialized`: except for tasks that run once.
  bool ends_after(const WaitEvents& wait, TaskIndex waiting, Place work, bool initialized = false,
                  int depth = 0) const {
    return std::any_of(wait.events.begin(), wait.events.end(), [&](EventIndex event) {
      std::vector<Place> setters = setters_of(event, waiting);
      if (initialized) std::erase_if(setters, [&](Place setter) { return runs_once(setter.task); });
      return !setters.empty() &&
             std::all_of(setters.begin(), setters.end(), [&](Place setter) { return follows(setter, work, depth); });
    });
  }

  /// What else activates a device task than the triggers of its host, in words; "" if nothing does.
  std::string other_source(TaskIndex device, TaskIndex host, int depth = 0) const {
    for (const StimulusIndex index : activating_[device]) {
      const Stimulus& stimulus = system_.stimuli[index];
      if (!std::holds_alternative<InterProcess>(stimulus.occurrence) &&
          !std::holds_alternative<EventDriven>(stimulus.occurrence))
        return fmt::format("stimulus \"{}\"", stimulus.name);
      for (const TaskIndex task : triggering_[index]) {
        if (task == host || task == device) continue;
        if (system_.tasks[task].side != Side::device || depth > 8) return fmt::format("task \"{}\"", name(task));
        if (std::string other = other_source(task, host, depth + 1); !other.empty()) return other;
      }
    }
    return {};
  }

  /// Whether the task has one job only.
  bool runs_once(TaskIndex task) const {
    return activating_[task].size() == 1 &&
           std::holds_alternative<Single>(system_.stimuli[activating_[task].front()].occurrence);
  }

  const std::string& name(TaskIndex task) const { return system_.tasks[task].name; }

  /// The finding concerns the timing of the task.
  void report(std::string_view id, TaskIndex concerned, Element element, std::string message,
              std::string_view attribute = {}) {
    context_.diagnostics.add(id, Severity::warning, std::move(message),
                             attribute.empty() ? element.location() : element.attribute_location(attribute),
                             element.path(), 1, {system_.tasks[concerned].origin});
  }
  Element element_of(const GraphNode& node) const { return context_.model.element(node.origin); }

  // ---- triggers without effect

  void report_idle_triggers(TaskIndex task) {
    for (const GraphNode& node : bodies_[task]) {
      const auto* trigger = std::get_if<Trigger>(&node.activity);
      if (trigger == nullptr) continue;
      const Stimulus& stimulus = system_.stimuli[trigger->stimulus];
      if (!std::holds_alternative<InterProcess>(stimulus.occurrence) || !stimulus.activates.empty() ||
          !stimulus.sets.empty())
        continue;
      report(
          "AM0492", task, element_of(node),
          fmt::format("task \"{}\" triggers \"{}\", which activates no task, so the work that it requests is missing "
                      "from all results; add the stimulus to the task that it shall activate, or remove the trigger",
                      name(task), stimulus.name));
    }
  }

  // ---- events that remain set

  void report_stale(TaskIndex task) {
    const RawBody& body = bodies_[task];
    struct Uses {
      std::vector<std::size_t> places;
      bool awaited = false, cleared = false;
    };
    std::map<EventIndex, Uses> uses;
    for (std::size_t at = 0; at < body.size(); ++at) {
      const auto* wait = std::get_if<WaitEvents>(&body[at].activity);
      const auto* clear = std::get_if<ClearEvents>(&body[at].activity);
      if (wait == nullptr && clear == nullptr) continue;
      for (const EventIndex event : wait != nullptr ? wait->events : clear->events) {
        uses[event].places.push_back(at);
        (wait != nullptr ? uses[event].awaited : uses[event].cleared) = true;
      }
    }
    if (uses.empty()) return;
    const Outline outline(body);
    for (const auto& [event, of] : uses)
      if (of.awaited) report_stale(task, event, outline.with(of.places), of.cleared);
  }

  /// An event remains set after a wait for it. If the task waits again before it clears the event, the wait ends at once.
  /// `places`: where it waits for the event or clears it.
  void report_stale(TaskIndex task, EventIndex event, const std::vector<std::size_t>& places, bool ever_cleared) {
    if (setters_of(event, task).empty()) return;
    constexpr States clean = 1, stale = 2;
    const RawBody& body = bodies_[task];
    Paths paths(body, places, [&](std::size_t at, States states) -> States {
      const auto* wait = std::get_if<WaitEvents>(&body[at].activity);
      if (wait == nullptr) return clean;
      // Which of several events has ended the wait, and is cleared, is not known.
      const bool counts = wait->all || wait->events.size() == 1 || !ever_cleared;
      if ((states & stale) != 0 && counts) report_stale(task, event, body[at]);
      return stale;
    });
    States states = clean;
    for (States before = 0; before != states && !(before != 0 && runs_once(task));) {
      before = states;
      states |= paths.job(states);
    }
  }

  void report_stale(TaskIndex task, EventIndex event, const GraphNode& wait) {
    std::string others;
    for (TaskIndex other = 0; other < bodies_.size() && others.empty(); ++other)
      for (const GraphNode& node : bodies_[other])
        if (const auto* clear = std::get_if<ClearEvents>(&node.activity);
            other != task && clear != nullptr && among(clear->events, event))
          others = fmt::format(" (every task has events of its own: \"{}\" clears another one)", name(other));
    report(
        "AM0486", task, element_of(wait),
        fmt::format("task \"{}\" may wait here for {} without having cleared it since its last wait, so the wait ends "
                    "at once{}; add a ClearEvent behind the wait",
                    name(task), system_.events[event].name, others));
  }

  // ---- offloaded work

  /// The last copy or kernel of a device task.
  std::optional<Place> end_of_work(TaskIndex device) const {
    const RawBody& body = bodies_[device];
    for (std::size_t at = body.size(); at-- > 0;)
      if (std::holds_alternative<Copy>(body[at].activity) || std::holds_alternative<Kernel>(body[at].activity))
        return Place{device, static_cast<std::ptrdiff_t>(at)};
    return std::nullopt;
  }

  /// Where the device task has written a host label, if it does.
  std::optional<Place> result_place(TaskIndex device, LabelIndex label, Place end) const {
    if (system_.labels[label].side != LabelSide::host) return std::nullopt;
    const RawBody& body = bodies_[device];
    for (std::size_t at = body.size(); at-- > 0;)
      if (const auto* copy = std::get_if<Copy>(&body[at].activity); copy != nullptr && among(copy->destinations, label))
        return Place{device, static_cast<std::ptrdiff_t>(at)};
    const auto& contained = system_.tasks[device].contained;  // what a kernel writes in place
    if (std::any_of(contained.begin(), contained.end(),
                    [&](const Contained& one) { return one.label == label && one.write; }))
      return end;
    return std::nullopt;
  }

  void check(TaskIndex host, TaskIndex device) {
    const auto end = end_of_work(device);
    if (!end) return;
    bool early_read = false;
    std::set<LabelIndex> read;
    for (const GraphNode& node : bodies_[host])
      if (const auto* access = std::get_if<ReadLabel>(&node.activity)) read.insert(access->label);
    for (const LabelIndex label : read)
      if (const auto written = result_place(device, label, *end))
        early_read = check_result(host, *written, label) || early_read;
    std::set<EventIndex> events;  // that it sets for the host
    const std::vector<EventIndex> awaited = awaited_by(host);
    for (const GraphNode& node : bodies_[device])
      if (const auto* set = std::get_if<SetEvents>(&node.activity); set != nullptr)
        for (const EventIndex event : set->events)
          if (set->task ? *set->task == host : among(awaited, event)) events.insert(event);
    if (events.empty()) return;
    check_end(host, *end, *events.begin(), early_read);
    for (const EventIndex event : events)
      if (among(awaited, event)) check_turns(host, device, event);
  }

  /// Whether a host task has triggered its work in this job, and awaited it, or cleared the event before that; or has
  /// triggered it in an earlier job.
  enum : States { idle = 1, running = 2, ended = 4, lost = 8, earlier = 16 };

  /// Follows the work up to the place. `before(at, states)` is called for each activity that is no wait.
  template <typename Before>
  auto work_paths(TaskIndex host, Place work, std::vector<Cause>& causes, Before before) {
    const RawBody& body = bodies_[host];
    return Paths(body, [&, before, host, work](std::size_t at, States states) -> States {
      if (const auto* wait = std::get_if<WaitEvents>(&body[at].activity)) {
        if (never_ends(*wait, host)) return 0;
        for (const States from : {running, earlier})
          if ((states & from) != 0 && ends_work(*wait, host, work, from == earlier, causes))
            states = (states & ~from) | ended;
        return states;
      }
      before(at, states);
      return starts(body[at], work.task) ? States{running} : states;
    });
  }

  /// A wait for an event that nothing sets (AM0413).
  bool never_ends(const WaitEvents& wait, TaskIndex waiting) const {
    const auto is_set = [&](EventIndex event) { return !setters_of(event, waiting).empty(); };
    return wait.all ? !std::all_of(wait.events.begin(), wait.events.end(), is_set)
                    : std::none_of(wait.events.begin(), wait.events.end(), is_set);
  }

  /// Whether the work has ended when the wait ends; if the wait is meant for it and does not, adds the causes.
  /// A task that runs once may set the event in place of the first work, before a job that begins with the wait.
  bool ends_work(const WaitEvents& wait, TaskIndex host, Place work, bool of_earlier_job,
                 std::vector<Cause>& causes) const {
    const std::string other = other_source(work.task, host);
    if (other.empty() && ends_after(wait, host, work, of_earlier_job)) return true;
    const auto add = [&](Place place, std::string reason) {
      if (std::none_of(causes.begin(), causes.end(), [&](const Cause& cause) { return cause.place == place; }))
        causes.push_back({place, std::move(reason)});
    };
    for (const EventIndex event : wait.events) {
      const std::vector<Place> setters = setters_of(event, host);
      const std::string& what = system_.events[event].name;
      if (std::none_of(setters.begin(), setters.end(), [&](Place setter) { return follows(setter, {work.task, -1}); }))
        continue;
      if (!other.empty())
        add({work.task, -1},
            fmt::format("{} activates \"{}\", too; let only \"{}\" activate it, or give that activation "
                        "to a task of its own",
                        other, name(work.task), name(host)));
      for (const Place setter : setters) {
        if (follows(setter, work)) continue;
        add(setter,
            setter.task == work.task
                ? fmt::format("this sets {} earlier; set it behind the last copy or kernel, or let \"{}\" wait "
                              "for another event that \"{}\" sets there",
                              what, name(host), name(work.task))
                : fmt::format("\"{}\" sets {} here, too; use an event of its own for it", name(setter.task), what));
      }
    }
    return false;
  }

  /// True if there is a finding at a read.
  bool check_result(TaskIndex host, Place written, LabelIndex label) {
    std::vector<Cause> causes;
    std::set<std::size_t> early;
    auto paths = work_paths(host, written, causes, [&](std::size_t at, States states) {
      const auto* read = std::get_if<ReadLabel>(&bodies_[host][at].activity);
      if (read != nullptr && read->label == label && (states & running) != 0) early.insert(at);
    });
    paths.job(idle);
    if (early.empty()) return false;
    if (!causes.empty()) {
      report_causes(host, written.task, causes);
      return true;
    }
    report_unawaited(
        host, bodies_[host][*early.begin()],
        fmt::format("reads {} here after it has triggered \"{}\", which writes it, without a wait for \"{}\"; wait for "
                    "an event that \"{}\" sets at its end, or read the previous result before the trigger",
                    system_.labels[label].name, name(written.task), name(written.task), name(written.task)));
    return true;
  }

  /// A device task that sets an event for its host has ended before the host triggers it again.
  void check_end(TaskIndex host, Place end, EventIndex event, bool early_read) {
    std::vector<Cause> causes;
    std::set<std::size_t> again;
    const RawBody& body = bodies_[host];
    auto paths = work_paths(host, end, causes, [&](std::size_t at, States states) {
      if ((states & (running | earlier)) != 0 && starts(body[at], end.task)) again.insert(at);
    });
    const States states = paths.job(idle);
    if (!runs_once(host))
      paths.job((states & running) != 0 ? (states & ~States{running}) | earlier : states);
    else if ((states & running) != 0)
      again.insert(0);
    if (again.empty()) return;
    if (!causes.empty()) return report_causes(host, end.task, causes);
    if (early_read) return;
    const auto first =
        std::find_if(body.begin(), body.end(), [&](const GraphNode& node) { return starts(node, end.task); });
    report_unawaited(
        host, *first,
        fmt::format("triggers \"{}\" here, which sets {} for it, but does not wait for that before each further "
                    "trigger, so the time of "
                    "\"{}\" may be missing from its response time; add a WaitEvent, or remove the SetEvent",
                    name(end.task), system_.events[event].name, name(end.task)));
  }

  void report_unawaited(TaskIndex host, const GraphNode& where, const std::string& what) {
    report("AM0487", host, element_of(where), fmt::format("task \"{}\" {}", name(host), what));
  }

  void report_causes(TaskIndex host, TaskIndex device, const std::vector<Cause>& causes) {
    for (const auto& [place, reason] : causes)
      report("AM0488", host, place.at < 0 ? context_.task_elements[place.task] : element_of(node(place)),
             fmt::format("task \"{}\" may go on before \"{}\" has ended the work that it waits for: {}", name(host),
                         name(device), reason),
             place.at < 0 ? "stimuli" : "");
  }

  // ---- waits that may never end

  /// Trigger, wait, clear, in turn. Only for an event that nothing but the triggered work sets.
  void check_turns(TaskIndex host, TaskIndex device, EventIndex event) {
    const std::vector<Place> setters = setters_of(event, host);
    if (!other_source(device, host).empty() || !std::all_of(setters.begin(), setters.end(), [&](Place setter) {
          return follows(setter, {device, -1});
        }))
      return;
    const RawBody& body = bodies_[host];
    bool first_job = true;
    std::set<std::size_t> clears;  // while the work is running, and before a wait
    Paths paths(body, [&](std::size_t at, States states) -> States {
      if (const auto* wait = std::get_if<WaitEvents>(&body[at].activity); wait && among(wait->events, event)) {
        if (first_job && (states & idle) != 0 && (wait->all || wait->events.size() == 1))
          report_turn(host, element_of(body[at]),
                      fmt::format("waits for {} here, although it may not have triggered \"{}\" before, "
                                  "so it may wait forever; wait only where it triggers \"{}\"",
                                  system_.events[event].name, name(device), name(device)));
        if ((states & lost) != 0)
          for (const std::size_t clear : clears)
            report_turn(
                host, element_of(body[clear]),
                fmt::format("clears {} between the trigger of \"{}\" and the wait for it, so it waits forever if "
                            "the event is already set; clear it behind the wait, or before the trigger",
                            system_.events[event].name, name(device)));
        return ended;
      }
      if (const auto* clear = std::get_if<ClearEvents>(&body[at].activity);
          clear && among(clear->events, event) && (states & running) != 0) {
        clears.insert(at);
        return (states & ~States{running}) | lost;
      }
      return starts(body[at], device) ? States{running} : states;
    });
    const States states = paths.job(idle);
    first_job = false;
    if (!runs_once(host)) paths.job(states);
    for (const StimulusIndex index : activating_[device])
      if (const Stimulus& stimulus = system_.stimuli[index]; stimulus.counter.prescaler > 1 || stimulus.condition)
        report_turn(
            host, context_.model.element(stimulus.origin),
            fmt::format("waits for \"{}\", which this stimulus does not activate at each trigger, so it may wait "
                        "forever; remove the counter or condition",
                        name(device)));
  }

  void report_turn(TaskIndex host, Element where, const std::string& what) {
    report("AM0489", host, where, fmt::format("task \"{}\" {}", name(host), what));
  }

  BuildContext& context_;
  const System& system_;
  const std::vector<RawBody>& bodies_;
  std::vector<std::vector<StimulusIndex>> activating_;                            ///< per task
  std::vector<std::vector<TaskIndex>> triggering_;                                ///< per stimulus
  std::vector<std::vector<std::pair<Place, std::optional<TaskIndex>>>> setters_;  ///< per event, with the receiver
};

}  // namespace

void report_offload_protocols(BuildContext& context) { Protocols(context).run(); }

}  // namespace amalthea::importer::detail
