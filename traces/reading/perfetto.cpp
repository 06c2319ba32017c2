// SPDX-License-Identifier: Apache-2.0
// Trace event JSON (Chrome, Perfetto). Traces that `--trace FILE.json` wrote give all events of processes and
// runnables; of others every slice is an execution of what its name says.

#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "traces/reading/detail/json_elements.hpp"
#include "traces/reading/formats.hpp"

namespace amalthea::traces {
namespace {

using engine::ProcessEvent;
using engine::ProcessState;
using nlohmann::json;

using Track = std::pair<std::int64_t, std::int64_t>;  ///< process and thread of the format

std::int64_t number_or(const json& object, const char* key, std::int64_t otherwise) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : otherwise;
}
std::string_view text_or(const json& object, const char* key) {
  const auto found = object.find(key);
  const auto* text = found == object.end() ? nullptr : found->get_ptr<const json::string_t*>();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

class PerfettoReader {
 public:
  explicit PerfettoReader(Reading& reading) : reading_(reading) {}

  ReadResult read() {
    JsonElements elements;
    elements.array = "traceEvents";
    elements.max_values = 100'000;
    elements.element = [this](const json& element, std::uint64_t line) {
      reading_.advance();
      if (!reading_.names.complete()) return;
      place_.line = line;
      if (const std::string wrong = element.is_object() ? one(element) : "expected an object"; !wrong.empty())
        reading_.sink.problem({Problem::Kind::malformed, wrong, place_});
    };
    const JsonEnd end = read_json_elements(reading_.bytes, elements);
    resolve({});
    if (!end.whole) {
      place_.line = end.line;
      reading_.sink.problem({Problem::Kind::truncated, "the JSON is not complete: " + end.message, place_});
    }
    return {};
  }

 private:
  struct Run {
    EntityIndex runnable = no_entity;
    std::uint64_t instance = 0;
    bool running = true;
  };
  struct Runs {
    std::vector<Run> all;  ///< in the order of their starts
    std::map<std::pair<EntityIndex, std::uint64_t>, std::size_t> by_name;
  };
  struct Job {
    ProcessState state = ProcessState::active;
    EntityIndex core = no_entity;
    std::unique_ptr<Runs> runs;  ///< null: none
  };
  struct Process {
    std::uint64_t activations = 0;
    std::map<std::uint64_t, Job> jobs;
    std::uint64_t current = 0;  ///< the job that its state is about
  };
  struct Slice {
    EntityIndex entity = no_entity;
    std::uint64_t instance = 0;
    bool is_runnable = false, ignored = false;
    Instant begin;
  };
  /// The slices of a track that have begun and not ended.
  struct Open {
    std::vector<Slice> slices;
    std::uint64_t left_out = 0;  ///< within them
  };
  struct Ended {
    Event event;     ///< of a job that is known; it ends for a reason that the next event tells
    Track states{};  ///< of the process
  };

  // Of the whole trace; a packed trace of many is small.
  static constexpr std::size_t max_slices = 100'000, max_jobs = 1'000'000, max_runs = 1'000'000;
  static constexpr std::size_t max_depth = 10'000;  ///< slices of one track

  // Groups of tracks that this tool writes.
  static constexpr std::int64_t multiprocessors = 4, contexts = 5, states = 6, stimuli = 7;

  std::string one(const json& event) {
    const std::string_view phase = text_or(event, "ph");
    const Track track{number_or(event, "pid", 0), number_or(event, "tid", 0)};
    if (phase == "M") {
      metadata(event, track);
      return {};
    }
    const bool matters = phase == "B" || phase == "E" || phase == "X" || phase == "i" || phase == "I";
    if (!matters) {
      ++reading_.report.ignored;  // counters, flows and others
      return {};
    }
    const auto stamp = event.find("ts");
    std::int64_t time = 0;
    if (stamp == event.end() || !read_decimal(*stamp, 1'000'000, time))
      return "its ts is not a number of microseconds below 26 days";
    if (!begun_) origin_ = time < 0 || time > longest_simulation.picoseconds() / 2 ? time : 0;
    begun_ = true;
    if (time < origin_) return "it begins before the first event";
    if (time - origin_ > longest_simulation.picoseconds()) return "it is 26 days or more after the first event";
    now_ = Instant::at(Duration::picoseconds(time - origin_));
    return own_ ? own(event, phase, track) : foreign(event, phase, track);
  }

  void metadata(const json& event, Track track) {
    const auto args = event.find("args");
    if (args == event.end() || !args->is_object()) return;
    const std::string_view what = text_or(event, "name"), name = text_or(*args, "name");
    if (what == "thread_name" && tracks_.size() < reading_.input.limits.max_names) tracks_[track] = std::string(name);
    if (what == "process_name" && track.first == states && name == "states of processes") own_ = true;
  }

  const std::string& name_of(Track track) {
    std::string& name = tracks_[track];
    if (name.empty()) name = fmt::format("{}.{}", track.first, track.second);
    return name;
  }

  // ---------------------------------------------------------------- traces of others

  std::string foreign(const json& event, std::string_view phase, Track track) {
    if (phase == "B") {
      return push(track, {reading_.names.find(EntityKind::process, text_or(event, "name")), 0, false, false, now_});
    } else if (phase == "E") {
      Slice slice;
      if (std::string wrong = pop(track, slice); !wrong.empty()) return wrong;
      if (!slice.ignored) execution(slice.entity, slice.begin, now_, track);
    } else if (phase == "X") {
      const auto length = event.find("dur");
      std::int64_t duration = 0;
      if (length == event.end() || !read_decimal(*length, 1'000'000, duration) || duration < 0)
        return "its dur is not a number of microseconds below 26 days";
      const EntityIndex entity = reading_.names.find(EntityKind::process, text_or(event, "name"));
      execution(entity, now_, now_ + Duration::picoseconds(duration), track);
    } else {
      ++reading_.report.ignored;
    }
    return {};
  }

  /// "" or what is wrong: then the end of the slice is left out, too.
  std::string push(Track track, const Slice& slice) {
    const auto known = open_.find(track);
    const std::size_t depth = known == open_.end() ? 0 : known->second.slices.size();
    if (depth < max_depth && slices_ < max_slices) {
      open_[track].slices.push_back(slice);
      ++slices_;
      return {};
    }
    if (known != open_.end()) ++known->second.left_out;
    return depth >= max_depth ? fmt::format("{} slices are open on its track, the most that there may be", max_depth)
                              : fmt::format("{} slices are open, the most that there may be", max_slices);
  }

  /// "" or what is wrong. An end of what has been left out gives a slice to ignore.
  std::string pop(Track track, Slice& slice) {
    const auto known = open_.find(track);
    if (known == open_.end()) return "it ends a slice, but none is open on its track";
    slice.ignored = true;
    if (known->second.left_out > 0) {
      --known->second.left_out;
      return {};
    }
    slice = known->second.slices.back();
    known->second.slices.pop_back();
    --slices_;
    if (known->second.slices.empty()) open_.erase(known);
    return {};
  }

  void execution(EntityIndex entity, Instant from, Instant to, Track /*track*/) {
    if (entity == no_entity) return;
    Event one;
    one.what = Event::What::execution;
    one.target = entity;
    one.from = from;
    one.time = to;
    one.place = place_;
    reading_.event(one);
  }

  // ---------------------------------------------------------------- traces of this tool

  Event made(EntityIndex target, std::uint64_t instance) const {
    Event event;
    event.target = target;
    event.instance = instance;
    event.time = now_;
    event.place = place_;
    return event;
  }

  void process_event(ProcessEvent what, EntityIndex target, std::uint64_t instance, EntityIndex source) {
    Event event = made(target, instance);
    event.process = what;
    event.source = source;
    reading_.event(event);
  }

  std::string own(const json& event, std::string_view phase, Track track) {
    const auto args = event.find("args");
    const bool has_args = args != event.end() && args->is_object();
    const auto instance =
        static_cast<std::uint64_t>(has_args ? std::max<std::int64_t>(0, number_or(*args, "instance", 0)) : 0);
    const std::string_view name = text_or(event, "name");
    if (track.first == states) return state(phase, name, instance, track, has_args && args->contains("open"));
    resolve(ProcessEvent::terminate);
    if (track.first == stimuli) {
      if (name != "trigger") return "expected a trigger on the track of a stimulus";
      const EntityIndex stimulus = reading_.names.find(EntityKind::stimulus, name_of(track));
      if (stimulus == no_entity) return {};
      Event one = made(stimulus, triggers_[stimulus]++);
      one.what = Event::What::trigger;
      reading_.event(one);
      return {};
    }
    if (track.first == multiprocessors || track.first == contexts || phase == "i") {
      ++reading_.report.ignored;
      return {};
    }
    const auto known = open_.find(track);
    const Slice owner = known == open_.end() ? Slice{} : known->second.slices.front();
    if (phase == "B") return begin(event, name, instance, track, owner);
    if (phase == "E") {
      Slice slice;
      if (std::string wrong = pop(track, slice); !wrong.empty()) return wrong;
      if (!slice.ignored && !(has_args && args->contains("open"))) return end(slice, track, owner);
    }
    return {};
  }

  /// A new one if there is none; null if there are too many.
  Job* job_of(Process& process, std::uint64_t instance) {
    const auto known = process.jobs.find(instance);
    if (known != process.jobs.end()) return &known->second;
    if (jobs_ >= max_jobs) return nullptr;
    ++jobs_;
    return &process.jobs[instance];
  }
  static std::string too_many_jobs() { return fmt::format("{} jobs are open, the most that there may be", max_jobs); }

  /// `owner` is the first open slice of its track: of the process that runs there. Like all that follow, this gives ""
  /// or what is wrong.
  std::string begin(const json& event, std::string_view name, std::uint64_t instance, Track track, const Slice& owner) {
    Slice slice;
    slice.instance = instance;
    slice.is_runnable = text_or(event, "cat") == "runnable";
    slice.entity = reading_.names.find(slice.is_runnable ? EntityKind::runnable : EntityKind::process, name);
    slice.ignored = slice.entity == no_entity || (slice.is_runnable && (owner.entity == no_entity || owner.ignored));
    if (std::string wrong = push(track, slice); !wrong.empty() || slice.ignored) return wrong;
    if (slice.is_runnable) return begin_runnable(slice, owner);
    const EntityIndex core = reading_.names.find(EntityKind::core, name_of(track));
    Process& process = processes_[slice.entity];
    Job* job = job_of(process, instance);
    if (job == nullptr) return too_many_jobs();
    process.current = instance;
    const ProcessEvent what = job->state == ProcessState::ready     ? ProcessEvent::resume
                              : job->state == ProcessState::parking ? ProcessEvent::poll_parking
                                                                    : ProcessEvent::start;
    job->state = what == ProcessEvent::poll_parking ? ProcessState::polling : ProcessState::running;
    job->core = core;
    process_event(what, slice.entity, instance, core);
    return {};
  }

  std::string begin_runnable(const Slice& slice, const Slice& owner) {
    Job* job = job_of(processes_[owner.entity], owner.instance);
    if (job == nullptr) return too_many_jobs();
    if (job->runs == nullptr) job->runs = std::make_unique<Runs>();
    Runs& runs = *job->runs;
    const auto [known, added] = runs.by_name.try_emplace({slice.entity, slice.instance}, runs.all.size());
    if (!added) {
      runs.all[known->second].running = true;
      runnable(RunnableEvent::resume, runs.all[known->second], owner.entity, owner.instance);
      return {};
    }
    if (runs_ >= max_runs) {
      runs.by_name.erase(known);
      return fmt::format("{} runnables of open jobs have begun, the most that there may be", max_runs);
    }
    ++runs_;
    runs.all.push_back({slice.entity, slice.instance, true});
    runnable(RunnableEvent::start, runs.all.back(), owner.entity, owner.instance);
    return {};
  }

  void runnable(RunnableEvent what, const Run& run, EntityIndex process, std::uint64_t instance) {
    Event event = made(run.runnable, run.instance);
    event.what = Event::What::runnable;
    event.runnable = what;
    event.ended_before = what == RunnableEvent::terminate;
    event.source = process;
    event.source_instance = instance;
    reading_.event(event);
  }

  std::string end(const Slice& slice, Track track, const Slice& owner) {
    if (slice.is_runnable) {
      const auto& jobs = processes_[owner.entity].jobs;
      const auto job = jobs.find(owner.instance);
      if (job == jobs.end() || job->second.runs == nullptr) return {};
      const auto run = job->second.runs->by_name.find({slice.entity, slice.instance});
      if (run == job->second.runs->by_name.end()) return {};
      Run& ended = job->second.runs->all[run->second];
      if (std::exchange(ended.running, false)) runnable(RunnableEvent::suspend, ended, owner.entity, owner.instance);
      return {};
    }
    if (!processes_[slice.entity].jobs.contains(slice.instance)) return "it ends a job that has already ended";
    Ended ended;
    ended.event = made(slice.entity, slice.instance);
    ended.event.source = reading_.names.find(EntityKind::core, name_of(track));
    ended_ = ended;
    return {};
  }

  /// The process whose slice has ended last: why. Nothing: the trace ends.
  void resolve(std::optional<ProcessEvent> why) {
    if (!ended_) return;
    Event event = ended_->event;
    ended_.reset();
    Process& process = processes_[event.target];
    const auto found = process.jobs.find(event.instance);
    event.process = why.value_or(ProcessEvent::terminate);
    if (event.process == ProcessEvent::terminate) {
      const Instant now = std::exchange(now_, event.time);
      const Place place = std::exchange(place_, event.place);
      // Slices do not tell where a runnable terminates: it is where its last one ends.
      if (const Runs* runs = found->second.runs.get()) {
        for (const Run& run : runs->all) {
          runnable(RunnableEvent::resume, run, event.target, event.instance);
          runnable(RunnableEvent::terminate, run, event.target, event.instance);
        }
        runs_ -= runs->all.size();
      }
      now_ = now;
      place_ = place;
      process.jobs.erase(found);
      --jobs_;
    } else {
      found->second.state = event.process == ProcessEvent::preempt ? ProcessState::ready
                            : event.process == ProcessEvent::wait  ? ProcessState::waiting
                                                                   : ProcessState::parking;
    }
    reading_.event(event);
  }

  std::string state(std::string_view phase, std::string_view name, std::uint64_t instance, Track track, bool at_end) {
    const EntityIndex entity = reading_.names.find(EntityKind::process, name_of(track));
    if (entity == no_entity) return {};
    Process& process = processes_[entity];
    if (ended_ && ended_->event.target == entity && ended_->event.instance == instance && phase == "B") {
      const auto why = name == "ready"     ? std::optional(ProcessEvent::preempt)
                       : name == "waiting" ? std::optional(ProcessEvent::wait)
                       : name == "parking" ? std::optional(ProcessEvent::park)
                                           : std::nullopt;
      if (why) {
        resolve(why);
        return {};
      }
    }
    // The end of the state of polling, before it parks.
    if (ended_ && ended_->event.target == entity && phase == "E" && !at_end) {
      const auto job = process.jobs.find(ended_->event.instance);
      if (job != process.jobs.end() && job->second.state == ProcessState::polling) return {};
    }
    resolve(ProcessEvent::terminate);
    if (phase == "i") {
      if (name == "activate") return activate(entity, process, process.activations);
      if (name == "activation lost")
        process_event(ProcessEvent::mta_limit_exceeded, entity, process.activations, no_entity);
      return {};
    }
    if (phase == "E") {
      const auto job = process.jobs.find(process.current);
      if (at_end || job == process.jobs.end() || job->second.state != ProcessState::polling) return {};
      job->second.state = ProcessState::running;
      process_event(ProcessEvent::run, entity, process.current, job->second.core);
      return {};
    }
    if (name == "active") return instance >= process.activations ? activate(entity, process, instance) : std::string();
    Job* job = job_of(process, instance);
    if (job == nullptr) return too_many_jobs();
    process.current = instance;
    if (name == "polling" && job->state == ProcessState::running) {
      job->state = ProcessState::polling;
      process_event(ProcessEvent::poll, entity, instance, job->core);
    } else if (name == "ready" && job->state != ProcessState::ready) {
      const bool parks = job->state == ProcessState::parking;
      job->state = ProcessState::ready;
      process_event(parks ? ProcessEvent::release_parking : ProcessEvent::release, entity, instance, job->core);
    }
    return {};
  }

  std::string activate(EntityIndex entity, Process& process, std::uint64_t instance) {
    process.activations = instance + 1;
    if (job_of(process, instance) == nullptr) return too_many_jobs();
    process_event(ProcessEvent::activate, entity, instance, no_entity);
    return {};
  }

  Reading& reading_;
  bool own_ = false, begun_ = false;
  std::int64_t origin_ = 0;
  Instant now_;
  Place place_;
  std::map<Track, std::string> tracks_;
  std::map<Track, Open> open_;
  std::size_t slices_ = 0, jobs_ = 0, runs_ = 0;  ///< that are open
  std::unordered_map<EntityIndex, Process> processes_;
  std::unordered_map<EntityIndex, std::uint64_t> triggers_;
  std::optional<Ended> ended_;
};

}  // namespace

bool is_perfetto(const std::string& /*path*/, std::string_view beginning) {
  const std::size_t at = beginning.find_first_not_of(" \t\r\n");
  if (at == std::string_view::npos) return false;
  if (beginning[at] == '[') return true;
  return beginning[at] == '{' && beginning.find("\"traceEvents\"") != std::string_view::npos;
}

ReadResult read_perfetto(Reading& reading) { return PerfettoReader(reading).read(); }

}  // namespace amalthea::traces
