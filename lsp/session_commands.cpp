// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "lsp/detail/protocol.hpp"
#include "lsp/session.hpp"

namespace amalthea::lsp {

using namespace detail;

namespace {

/// A limit for editors that ask faster than models can be read.
constexpr std::size_t most_waiting = 1000;

}  // namespace

bool Session::begin(const Json& id, const std::string& method, const Json& params) {
  if (method == "workspace/executeCommand")
    begin_command(id, params);
  else if (method == "textDocument/rename")
    begin_rename(id, params);
  else
    return false;
  return true;
}

void Session::wait(Waiting waiting) {
  if (waiting_.size() + running_.size() >= most_waiting)
    return fail(waiting.id, ErrorCode::request_failed, "too many requests wait for an answer");
  waiting_.push_back(std::move(waiting));
  // A pause in typing is long for a request.
  if (urgency_ == Urgency::pause) urgency_ = Urgency::now;
  serve_waiting();
}

void Session::serve_waiting() {
  std::vector<Waiting> still;
  for (Waiting& one : std::exchange(waiting_, {}))
    if (!serve(one)) still.push_back(std::move(one));
  waiting_.insert(waiting_.begin(), std::make_move_iterator(still.begin()), std::make_move_iterator(still.end()));
}

bool Session::serve(const Waiting& waiting) {
  const auto found = documents_.find(path_of(waiting.uri));
  OpenDocument* document = found == documents_.end() ? nullptr : &found->second;
  if (document != nullptr && document->text.size() <= max_text_ && !is_read(*document)) return false;
  if (document == nullptr)
    fail(waiting.id, ErrorCode::request_failed, fmt::format("{} is not open", one_line(waiting.uri)));
  else if (!is_read(*document) || !document->unreadable.empty() || !document->good)
    fail(waiting.id, ErrorCode::request_failed,
         document->unreadable.empty() ? "the text cannot be read" : document->unreadable);
  else
    waiting.serve(waiting.id, *document);
  return true;
}

void Session::start(const Json& id, Job job, std::function<CommandResult(Json result)> finish) {
  job.ticket = ++tickets_;
  job.work = std::make_shared<Work>();
  running_.emplace(job.ticket, Running{id, job.work, std::move(finish)});
  jobs_.push_back(std::move(job));
}

void Session::begin_command(const Json& id, const Json& params) {
  wait({id, command_of(params).uri, [this, command = command_of(params)](const Json& of, OpenDocument& document) {
          Job job;
          job.execute = [command, state = document.good](const importer::Limits& limits, Work& work) {
            return run_command(command, texts_of(*state), limits, work);
          };
          start(of, std::move(job), [](Json result) -> CommandResult { return result; });
        }});
}

CommandResult Session::Job::run(const importer::Limits& limits) const {
  try {
    return execute(limits, *work);
  } catch (const std::exception& error) {  // such as a lack of memory, or an overflow of times
    return tl::unexpected(std::string(error.what()));
  }
}

std::optional<Session::Job> Session::next_job() {
  if (jobs_.empty()) return std::nullopt;
  Job job = std::move(jobs_.front());
  jobs_.pop_front();
  return job;
}

void Session::finish(std::uint64_t ticket, CommandResult result) {
  const auto found = running_.find(ticket);
  if (found == running_.end()) return;  // the editor no longer wants it
  const Json id = std::move(found->second.id);
  if (result) result = found->second.finish(std::move(*result));
  running_.erase(found);
  if (result)
    reply(id, std::move(*result));
  else
    fail(id, ErrorCode::request_failed, result.error());
}

void Session::cancel(const Json& id) {
  const auto waiting = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& one) { return one.id == id; });
  const auto running =
      std::find_if(running_.begin(), running_.end(), [&](const auto& one) { return one.second.id == id; });
  if (waiting != waiting_.end()) {
    waiting_.erase(waiting);
  } else if (running != running_.end()) {
    running->second.work->stop = true;
    running_.erase(running);
  } else {
    return;  // it was answered
  }
  fail(id, ErrorCode::request_cancelled, "cancelled");
}

void Session::cancel_all() {
  while (!waiting_.empty()) cancel(Json(waiting_.front().id));
  while (!running_.empty()) cancel(Json(running_.begin()->second.id));
}

}  // namespace amalthea::lsp
