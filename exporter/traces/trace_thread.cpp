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
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace amalthea::exporter {
namespace {

using Observer = engine::SimulationObserver;

Instant time_in(Instant time) { return time; }
Instant time_in(const engine::Interval& interval) { return interval.to; }
Instant time_in(const engine::gpu::EngineSlice& slice) { return slice.end; }
template <typename Value>
Instant time_in(const Value& value) {
  if constexpr (requires { value.now; }) return value.now;
  return {};
}

/// What an observer was told, to be told again.
template <auto function>
struct Call;
template <typename... Values, void (Observer::*function)(Values...)>
struct Call<function> {
  std::tuple<std::decay_t<Values>...> values;

  void repeat(TraceWriter& writer) const {
    std::apply([&](const auto&... each) { (writer.*function)(each...); }, values);
  }
  Instant time() const {
    return std::apply([](const auto&... each) { return std::max({time_in(each)...}); }, values);
  }
};
using Ended = Call<&Observer::ended>;
using Event = std::variant<Call<&Observer::interval>, Call<&Observer::released>, Call<&Observer::completed>,
                           Call<&Observer::occurred>, Call<&Observer::process>, Call<&Observer::step_begins>,
                           Call<&Observer::step_ends>, Call<&Observer::operation>, Call<&Observer::block>,
                           Call<&Observer::served>, Ended>;
using Events = std::vector<Event>;

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
  void interval(const engine::Interval& interval) override { add<&Observer::interval>(interval); }
  void released(TaskIndex task, Instant now, bool lost) override { add<&Observer::released>(task, now, lost); }
  void completed(TaskIndex task, std::uint64_t job, Instant release, Instant now) override {
    add<&Observer::completed>(task, job, release, now);
  }
  void occurred(StimulusIndex stimulus, std::optional<TaskIndex> by, Instant now) override {
    add<&Observer::occurred>(stimulus, by, now);
  }
  void process(const engine::ProcessChange& change) override { add<&Observer::process>(change); }
  void step_begins(TaskIndex task, std::uint64_t job, std::size_t step, Instant now) override {
    add<&Observer::step_begins>(task, job, step, now);
  }
  void step_ends(TaskIndex task, std::uint64_t job, std::size_t step, Instant now) override {
    add<&Observer::step_ends>(task, job, step, now);
  }
  void operation(const engine::OperationChange& change) override { add<&Observer::operation>(change); }
  void block(const engine::BlockChange& change) override { add<&Observer::block>(change); }
  void served(UnitIndex unit, const engine::gpu::EngineSlice& slice) override { add<&Observer::served>(unit, slice); }
  void ended(Instant now) override {
    add<&Observer::ended>(now);
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

  template <auto function, typename... Values>
  void add(const Values&... values) {
    const Call<function> call{{values...}};
    if (!thread_.joinable()) {
      write(call);
      return;
    }
    gathered_.emplace_back(call);
    if (gathered_.size() == max_gathered) pass_on();
  }

  /// By one thread, whichever it is.
  template <typename What>
  void write(const What& what) {
    if (cut_) return;
    const Instant time = what.time();
    // Not within an instant, and not where nothing but the end is missing.
    if (full_ && time > time_ && !std::is_same_v<What, Ended>) {
      writer_->ended(time_);
      cut_ = time_;
      return;
    }
    what.repeat(*writer_);
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
