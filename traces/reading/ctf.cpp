// SPDX-License-Identifier: Apache-2.0
// CTF traces of Linux: what its scheduler did with threads. A job begins when its thread is woken and ends when the
// thread sleeps. Where the trace does not show it being woken, its execution is known and its response time is not.

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>

#include "traces/reading/detail/babeltrace.hpp"
#include "traces/reading/formats.hpp"

namespace amalthea::traces {
namespace {

namespace fs = std::filesystem;
using engine::ProcessEvent;

/// The folders of a trace, and the bytes in them. The error is a reason.
struct Folders {
  std::vector<std::string> all;
  std::uint64_t bytes = 0;
};
tl::expected<Folders, std::string> folders_of(const std::string& path) {
  constexpr std::size_t most_entries = 10'000, most_folders = 64;
  constexpr std::uintmax_t longest_metadata = std::uintmax_t{16} << 20U;
  Folders found;
  std::set<std::string> sorted;
  std::size_t entries = 0;
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(path, options, error), end; !error && at != end; at.increment(error)) {
    if (++entries > most_entries) return tl::unexpected(fmt::format("it has more than {} entries", most_entries));
    if (at->is_directory(error)) continue;
    // A pipe would wait for somebody who writes into it.
    if (!at->is_regular_file(error))
      return tl::unexpected(fmt::format("{} is neither a file nor a folder", at->path().string()));
    const std::uintmax_t size = at->file_size(error);
    found.bytes += size;
    if (at->path().filename() != "metadata") continue;
    if (size > longest_metadata)
      return tl::unexpected(fmt::format("{} has more than {} bytes", at->path().string(), longest_metadata));
    sorted.insert(at->path().parent_path().string());
  }
  if (error) return tl::unexpected(error.message());
  if (sorted.empty()) return tl::unexpected(std::string("this is a folder without the file metadata of a CTF trace"));
  if (sorted.size() > most_folders)
    return tl::unexpected(fmt::format("it has {} traces, more than {}", sorted.size(), most_folders));
  found.all.assign(sorted.begin(), sorted.end());
  return found;
}

class CtfReader {
 public:
  explicit CtfReader(Reading& reading) : reading_(reading) {
    reading_.report.tables = {"its events"};
    reading_.sink.resolution(Duration::nanoseconds(1));
  }

  ReadResult read(const Folders& folders) {
    const std::string ended = read_scheduler_events(folders.all, folders.bytes, [this](const SchedulerEvent& event) {
      reading_.advance();
      place_ = {event.row, 1};
      one(event);
      return reading_.names.complete();
    });
    reading_.report.ignored = place_.line > used_ ? place_.line - used_ : 0;
    if (ended.empty()) return {};
    if (used_ == 0) return tl::unexpected(ended);
    reading_.sink.problem({Problem::Kind::truncated, ended, place_});
    return {};
  }

 private:
  enum class State : std::uint8_t {
    unknown,  ///< the trace has not shown it sleep or be woken
    asleep,
    woken,  ///< its job is active
    ready,
    running,
    waiting,  ///< within its job
  };
  struct Thread {
    std::string name;
    EntityIndex entity = no_entity;
    std::uint64_t job = 0;
    State state = State::unknown;
    EntityIndex core = no_entity;
  };

  void one(const SchedulerEvent& event) {
    if (event.kind == SchedulerEvent::Kind::discarded) return discarded(event);
    if (event.kind != SchedulerEvent::Kind::switches && event.kind != SchedulerEvent::Kind::wakes) return;
    ++used_;
    if (gap_until_ && event.time <= *gap_until_) return;
    if (event.time < 0 || !clock_.read(static_cast<std::uint64_t>(event.time), now_))
      return malformed("its time is not within 26 days of the first event");
    if (event.kind == SchedulerEvent::Kind::wakes) {
      if (Thread* thread = thread_of(event.thread)) wake(*thread);
      return;
    }
    if (event.cpu < 0) return malformed("it does not state its CPU; expected cpu_id in the context of its packet");
    const EntityIndex core = reading_.names.find(EntityKind::core, fmt::format("CPU {}", event.cpu));
    if (core == no_entity) return;
    // Where an event is missing, nobody knows how long the thread ran.
    std::int64_t& running = running_.try_emplace(event.cpu, event.thread.id).first->second;
    if (running != event.thread.id) forget(running);
    if (Thread* thread = thread_of(event.thread)) leave(*thread, event.thread.id, event.state, core);
    running = event.next.id;
    if (Thread* thread = thread_of(event.next)) enter(*thread, event.next.id, core);
  }

  void malformed(std::string why) { reading_.sink.problem({Problem::Kind::malformed, std::move(why), place_}); }

  /// Up to `event.time` any event may be missing, so that those that are there mean nothing.
  void discarded(const SchedulerEvent& event) {
    malformed(event.count > 0 ? fmt::format("the tracer has lost {} events before this one: what they say", event.count)
                              : "the tracer has lost events before this one: what they say");
    for (const auto& [id, thread] : threads_) forget(id);
    running_.clear();
    gap_until_ = std::max(gap_until_.value_or(event.time), event.time);
  }

  /// Null for the idle threads, and if there are too many names. The first thread of a name has it alone, others are
  /// told apart by their number.
  Thread* thread_of(const ThreadName& named) {
    if (named.id == 0) return nullptr;
    const std::string name(named.name.data());
    Thread& thread = threads_[named.id];
    if (thread.entity != no_entity && thread.name == name) return &thread;
    forget(named.id);
    const std::int64_t owner = owners_.try_emplace(name, named.id).first->second;
    thread.name = name;
    thread.entity =
        reading_.names.find(EntityKind::process, owner == named.id ? name : fmt::format("{}:{}", name, named.id));
    return thread.entity == no_entity ? nullptr : &thread;
  }

  /// Until it sleeps the next time, nothing is known of it.
  void forget(std::int64_t id) {
    const auto known = threads_.find(id);
    if (known == threads_.end()) return;
    Thread& thread = known->second;
    if (std::exchange(thread.state, State::unknown) == State::unknown) return;
    Event event = made(thread);
    event.what = Event::What::forget;
    reading_.event(event);
  }

  void wake(Thread& thread) {
    if (thread.state == State::unknown || thread.state == State::asleep) {
      activate(thread, false);
      thread.state = State::woken;
    } else if (thread.state == State::waiting) {
      thread.state = State::ready;
      process(thread, ProcessEvent::release, thread.core);
    }
  }

  void enter(Thread& thread, std::int64_t id, EntityIndex core) {
    if (thread.state == State::unknown) return;
    if (thread.state == State::running) return forget(id);  // its end on another core is missing
    if (thread.state == State::waiting) process(thread, ProcessEvent::release, thread.core);
    if (thread.state == State::asleep) activate(thread, true);
    const bool starts = thread.state == State::asleep || thread.state == State::woken;
    thread.state = State::running;
    thread.core = core;
    process(thread, starts ? ProcessEvent::start : ProcessEvent::resume, core);
  }

  void leave(Thread& thread, std::int64_t id, std::int64_t state, EntityIndex core) {
    constexpr std::int64_t interruptible = 1, dead = 0x10 | 0x20 | 0x40, idle = 0x80, preempted = 0x100;
    const bool goes_on = state == 0 || state >= preempted;
    const bool ends = !goes_on && ((state & (interruptible | dead)) != 0 || state == idle);
    if (thread.state == State::running) {
      process(thread, goes_on ? ProcessEvent::preempt : ends ? ProcessEvent::terminate : ProcessEvent::wait, core);
      thread.state = goes_on ? State::ready : ends ? State::asleep : State::waiting;
    } else if (thread.state == State::unknown) {
      if (ends) thread.state = State::asleep;
    } else {
      forget(id);  // its beginning on this core is missing
      if (ends) thread.state = State::asleep;
    }
    if ((state & dead) == 0 || goes_on) return;
    // Another thread may have its name now.
    if (const auto owner = owners_.find(thread.name); owner != owners_.end() && owner->second == id)
      owners_.erase(owner);
    threads_.erase(id);
  }

  void activate(Thread& thread, bool unseen) {
    thread.job = jobs_[thread.entity]++;
    Event event = made(thread);
    event.woken = true;
    event.unseen = unseen;
    reading_.event(event);
  }

  void process(const Thread& thread, ProcessEvent what, EntityIndex core) {
    Event event = made(thread);
    event.process = what;
    event.source = core;
    reading_.event(event);
  }

  Event made(const Thread& thread) const {
    Event event;
    event.target = thread.entity;
    event.instance = thread.job;
    event.time = now_;
    event.place = place_;
    return event;
  }

  Reading& reading_;
  Clock clock_;
  Instant now_;
  Place place_;
  std::uint64_t used_ = 0;
  std::optional<std::int64_t> gap_until_;                   ///< ns, as the events state it
  std::unordered_map<std::int64_t, Thread> threads_;        ///< by number
  std::unordered_map<std::string, std::int64_t> owners_;    ///< of a name: the number of its thread
  std::unordered_map<EntityIndex, std::uint64_t> jobs_;     ///< that a thread has had
  std::unordered_map<std::int64_t, std::int64_t> running_;  ///< number of the thread, by CPU
};

}  // namespace

bool is_ctf(const std::string& path, std::string_view /*beginning*/) {
  std::error_code error;
  return fs::is_directory(path, error);
}

ReadResult read_ctf(Reading& reading) {
  const auto folders = folders_of(reading.input.path);
  if (!folders) return tl::unexpected(folders.error());
  return CtfReader(reading).read(*folders);
}

}  // namespace amalthea::traces
