// SPDX-License-Identifier: Apache-2.0
#include "exporter/traces/trace_thread.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace amalthea::exporter {
namespace {

// What an observer may be told, with all that it is told of it; see SimulationObserver.
struct Released {
  TaskIndex task;
  Instant now;
  bool lost;
};
struct Completed {
  TaskIndex task;
  std::uint64_t job;
  Instant release, now;
};
struct Occurred {
  StimulusIndex stimulus;
  std::optional<TaskIndex> by;
  Instant now;
};
struct StepChange {
  TaskIndex task;
  std::uint64_t job;
  std::size_t step;
  Instant now;
  bool begins;
};
struct Served {
  UnitIndex unit;
  engine::gpu::EngineSlice slice;
};
struct Ended {
  Instant now;
};
using Event = std::variant<engine::Interval, Released, Completed, Occurred, engine::ProcessChange, StepChange,
                           engine::OperationChange, engine::BlockChange, Served, Ended>;
using Events = std::vector<Event>;

void record(TraceWriter& writer, const engine::Interval& interval) { writer.interval(interval); }
void record(TraceWriter& writer, const Released& what) { writer.released(what.task, what.now, what.lost); }
void record(TraceWriter& writer, const Completed& what) {
  writer.completed(what.task, what.job, what.release, what.now);
}
void record(TraceWriter& writer, const Occurred& what) { writer.occurred(what.stimulus, what.by, what.now); }
void record(TraceWriter& writer, const engine::ProcessChange& change) { writer.process(change); }
void record(TraceWriter& writer, const StepChange& what) {
  if (what.begins)
    writer.step_begins(what.task, what.job, what.step, what.now);
  else
    writer.step_ends(what.task, what.job, what.step, what.now);
}
void record(TraceWriter& writer, const engine::OperationChange& change) { writer.operation(change); }
void record(TraceWriter& writer, const engine::BlockChange& change) { writer.block(change); }
void record(TraceWriter& writer, const Served& what) { writer.served(what.unit, what.slice); }
void record(TraceWriter& writer, const Ended& what) { writer.ended(what.now); }

Instant time_of(const engine::Interval& interval) { return interval.to; }
Instant time_of(const Served& what) { return what.slice.end; }
template <typename What>
Instant time_of(const What& what) {
  return what.now;
}

class ThreadedTrace final : public TraceWriter {
 public:
  ThreadedTrace(std::unique_ptr<TraceWriter> writer, std::uint64_t max_bytes)
      : writer_(std::move(writer)), max_bytes_(max_bytes) {
    gathered_.reserve(max_gathered);
    spare_.reserve(2 * max_waiting);
  }
  ~ThreadedTrace() override { stop(); }

  bool wants_intervals() const override { return writer_->wants_intervals(); }
  bool wants_events() const override { return writer_->wants_events(); }

  void begins(const engine::SimulationInput& input) override {
    writer_->begins(input);
    try {
      thread_ = std::thread([this] { work(); });
    } catch (const std::system_error&) {
      // Then it is done by the thread of the simulation.
    }
  }
  void interval(const engine::Interval& interval) override { add(interval); }
  void released(TaskIndex task, Instant now, bool lost) override { add(Released{task, now, lost}); }
  void completed(TaskIndex task, std::uint64_t job, Instant release, Instant now) override {
    add(Completed{task, job, release, now});
  }
  void occurred(StimulusIndex stimulus, std::optional<TaskIndex> by, Instant now) override {
    add(Occurred{stimulus, by, now});
  }
  void process(const engine::ProcessChange& change) override { add(change); }
  void step_begins(TaskIndex task, std::uint64_t job, std::size_t step, Instant now) override {
    add(StepChange{task, job, step, now, true});
  }
  void step_ends(TaskIndex task, std::uint64_t job, std::size_t step, Instant now) override {
    add(StepChange{task, job, step, now, false});
  }
  void operation(const engine::OperationChange& change) override { add(change); }
  void block(const engine::BlockChange& change) override { add(change); }
  void served(UnitIndex unit, const engine::gpu::EngineSlice& slice) override { add(Served{unit, slice}); }
  void ended(Instant now) override {
    add(Ended{now});
    if (thread_.joinable()) pass_on();
    stop();  // what `begins` was given may be gone after this
  }

  tl::expected<void, std::string> finish() override {
    stop();
    if (failure_) std::rethrow_exception(failure_);
    return writer_->finish();
  }
  std::uint64_t size() override { return writer_->size(); }
  std::optional<Instant> cut() const override { return cut_; }

 private:
  static constexpr std::size_t max_gathered = 2048;
  static constexpr std::size_t max_waiting = 4;  ///< of that many events each

  template <typename What>
  void add(const What& what) {
    if (!thread_.joinable()) {
      write(what);
      return;
    }
    gathered_.emplace_back(what);
    if (gathered_.size() == max_gathered) pass_on();
  }

  /// By one thread, whichever it is.
  template <typename What>
  void write(const What& what) {
    if (cut_) return;
    const Instant time = time_of(what);
    // Not within an instant, and not where nothing but the end is missing.
    if (full_ && time > time_ && !std::is_same_v<What, Ended>) {
      writer_->ended(time_);
      cut_ = time_;
      return;
    }
    record(*writer_, what);
    time_ = std::max(time_, time);
    constexpr std::uint64_t check_after = 64;
    if (max_bytes_ > 0 && ++written_ % check_after == 0) full_ = writer_->size() >= max_bytes_;
  }

  void pass_on() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_.size() < max_waiting; });
    waiting_.push_back(std::move(gathered_));
    if (spare_.empty()) {
      gathered_ = {};
    } else {
      gathered_ = std::move(spare_.back());
      spare_.pop_back();
    }
    lock.unlock();
    changed_.notify_all();
    gathered_.clear();
    gathered_.reserve(max_gathered);
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  void work() {
    while (true) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      Events events = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      changed_.notify_all();
      try {
        if (!failure_)
          for (const Event& event : events) std::visit([this](const auto& what) { write(what); }, event);
      } catch (...) {
        failure_ = std::current_exception();
      }
      lock.lock();
      if (spare_.size() < spare_.capacity()) spare_.push_back(std::move(events));
    }
  }

  std::unique_ptr<TraceWriter> writer_;
  std::uint64_t max_bytes_;
  std::uint64_t written_ = 0;  ///< events
  bool full_ = false;
  Instant time_;  ///< of the last event
  std::optional<Instant> cut_;
  std::thread thread_;
  Events gathered_;  ///< by the simulation
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Events> waiting_;
  std::vector<Events> spare_;  ///< read, to be filled again
  bool stopping_ = false;
  std::exception_ptr failure_;  ///< of the thread's own; read by others once it has ended
};

}  // namespace

std::unique_ptr<TraceWriter> on_own_thread(std::unique_ptr<TraceWriter> writer, std::uint64_t max_bytes) {
  return std::make_unique<ThreadedTrace>(std::move(writer), max_bytes);
}

}  // namespace amalthea::exporter
