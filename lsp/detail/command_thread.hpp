// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A thread that executes the commands of an editor, one after the other.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "importer/reading/limits.hpp"
#include "lsp/detail/pipe.hpp"
#include "lsp/session.hpp"

namespace amalthea::lsp::detail {

class CommandThread {
 public:
  explicit CommandThread(importer::Limits limits);
  CommandThread(const CommandThread&) = delete;
  CommandThread& operator=(const CommandThread&) = delete;
  /// Stops what runs, and waits for it.
  ~CommandThread();

  /// Readable when there is something to fetch.
  int descriptor() const { return pipe_.descriptor(); }
  void start(Session::Job job);
  struct Done {
    std::uint64_t ticket = 0;
    CommandResult result;
  };
  std::optional<Done> fetch();

 private:
  void run();

  importer::Limits limits_;
  Pipe pipe_;
  std::mutex mutex_;
  std::condition_variable wanted_;
  std::deque<Session::Job> jobs_;
  std::shared_ptr<Work> running_;
  std::deque<Done> done_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace amalthea::lsp::detail
