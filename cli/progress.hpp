// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Progress of long-running work.

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace amalthea::cli {

/// On standard error: one changing line on a terminal, a line every ten seconds in a log.
class Progress {
 public:
  Progress();
  ~Progress() { clear(); }

  /// `done` models of `of`, of which `known` needed no work.
  void show(std::size_t done, std::size_t of, std::size_t known);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_;
};

/// The same for a search.
class SearchProgress {
 public:
  SearchProgress();
  ~SearchProgress() { clear(); }

  /// `judged` candidates of `of`; the best one so far has `late` late tasks.
  void show(std::uint64_t judged, std::uint64_t of, std::size_t late);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  Clock::time_point shown_ = Clock::now();
};

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
