// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

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

void Session::wait(const Json& id, Request request) {
  if (waiting_.size() + running_.size() >= most_waiting)
    return fail(id, ErrorCode::request_failed, "too many requests wait for an answer");
  waiting_.push_back({id, std::move(request)});
  // A pause in typing is long for a command.
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
  const Command& command = waiting.request;
  const auto found = documents_.find(path_of(command.uri));
  const OpenDocument* document = found == documents_.end() ? nullptr : &found->second;
  if (document != nullptr && document->text.size() <= max_text_ && !is_read(*document)) return false;
  if (document == nullptr)
    fail(waiting.id, ErrorCode::request_failed, fmt::format("{} is not open", one_line(command.uri)));
  else if (!is_read(*document) || !document->unreadable.empty() || !document->good)
    fail(waiting.id, ErrorCode::request_failed,
         document->unreadable.empty() ? "the text cannot be read" : document->unreadable);
  else
    begin(waiting.id, command, document->good);
  return true;
}

void Session::begin(const Json& id, const Command& command, std::shared_ptr<const ModelState> state) {
  auto work = std::make_shared<Work>();
  running_.emplace(++tickets_, Running{id, work});
  jobs_.push_back({tickets_, command, std::move(state), std::move(work)});
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
