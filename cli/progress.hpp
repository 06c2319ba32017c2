// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Progress of long-running work.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "amalthea/work.hpp"

namespace amalthea::cli {

/// On standard error: one changing line on a terminal, which is removed at the end. Nothing with --quiet.
class StatusLine {
 public:
  /// Whether a log gets a line every ten seconds.
  enum class Log : std::uint8_t { no, yes };
  explicit StatusLine(Log log = Log::no);
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  ~StatusLine() { clear(); }

  /// Whether enough time has passed for the next `show`.
  bool is_due() const;
  void show(std::string_view text);
  /// Removes the line if there is one.
  void clear();

  bool is_on_terminal() const { return terminal_; }
  /// Whether `show` shows anything, on a terminal or in a log.
  bool is_shown() const { return terminal_ || log_; }
  /// Since the work began.
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  bool log_;
  bool visible_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_;
};

/// "[#####     ] 34 %, 12 s left", for work that is done by `share` after some seconds.
std::string share_text(double share, double seconds);

/// Work that a terminal shows, with the time left, and that Ctrl-C ends with what it has by then. A
/// second Ctrl-C ends the process.
class LongWork {
 public:
  enum class CtrlC : std::uint8_t { ends_process, stops };
  /// `words` are shown behind the share; called in another thread.
  explicit LongWork(CtrlC ctrl_c, StatusLine::Log log = StatusLine::Log::no, std::function<std::string()> words = {});
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;
  ~LongWork();

  Work& work() { return work_; }
  bool was_interrupted() const { return work_.stop; }
  /// No more progress, and Ctrl-C ends the process again.
  void end();

 private:
  void show();
  Work work_;
  StatusLine line_;
  std::function<std::string()> words_;
  bool handles_ = false;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread ticker_;
};

/// `done` models of `of`, of which `known` needed no work.
void show_models(StatusLine& line, std::size_t done, std::size_t of, std::size_t known);

/// The same for reading traces: `done` of `of`, in any unit; 0: unknown.
void show_reading(StatusLine& line, std::uint64_t done, std::uint64_t of);

}  // namespace amalthea::cli
