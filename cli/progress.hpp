#pragma once
/// \file
/// How far a long piece of work is.

#include <chrono>
#include <cstddef>

namespace amalthea::cli {

/// On standard error: one line that changes on a terminal, a line every ten seconds in a log.
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

}  // namespace amalthea::cli
