// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Progress of long-running work.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

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

/// `done` models of `of`, of which `known` needed no work.
void show_models(StatusLine& line, std::size_t done, std::size_t of, std::size_t known);

/// The same for reading files.
class ReadingProgress {
 public:
  ReadingProgress();
  ~ReadingProgress() { clear(); }

  /// `done` of `of`, in any unit; 0: unknown.
  void show(std::uint64_t done, std::uint64_t of);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_;
};

}  // namespace amalthea::cli
