// SPDX-License-Identifier: Apache-2.0
#include "lsp/detail/command_thread.hpp"

namespace amalthea::lsp::detail {

CommandThread::CommandThread(importer::Limits limits) : limits_(limits), thread_([this] { run(); }) {}

CommandThread::~CommandThread() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    if (running_) running_->stop = true;
  }
  wanted_.notify_one();
  thread_.join();
}

void CommandThread::start(Session::Job job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  wanted_.notify_one();
}

std::optional<CommandThread::Done> CommandThread::fetch() {
  const std::lock_guard lock(mutex_);
  if (done_.empty()) {
    pipe_.clear();
    return std::nullopt;
  }
  Done done = std::move(done_.front());
  done_.pop_front();
  return done;
}

void CommandThread::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wanted_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    if (ending_) return;
    const Session::Job job = std::move(jobs_.front());
    jobs_.pop_front();
    if (job.work->stop) continue;
    running_ = job.work;
    lock.unlock();
    CommandResult result = job.run(limits_);
    lock.lock();
    running_.reset();
    done_.push_back({job.ticket, std::move(result)});
    pipe_.signal();
  }
}

}  // namespace amalthea::lsp::detail
