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

const char* title_of(Command::Kind kind) {
  switch (kind) {
    case Command::Kind::explain:
      return "Explain";
    case Command::Kind::files:
      return "List files";
    case Command::Kind::plan:
      return "Plan";
    case Command::Kind::report:
      return "Report";
  }
  return "";
}

}  // namespace

bool Session::begin(const Json& id, const std::string& method, const Json& params) {
  if (method == "workspace/executeCommand")
    begin_command(id, params);
  else if (method == "textDocument/rename")
    begin_rename(id, params);
  else if (method == "textDocument/diagnostic")
    begin_pull(id, params);
  else if (method == "workspace/diagnostic")
    begin_workspace_pull(id, params);
  else
    return false;
  return true;
}

void Session::wait(Waiting waiting) {
  if (waiting_.size() + running_.size() >= most_waiting)
    return fail(waiting.id, ErrorCode::request_failed, "too many requests wait for an answer");
  waiting_.push_back(std::move(waiting));
  serve_waiting();
  if (!waiting_.empty() && !in_work_) urgency_ = std::max(urgency_, Urgency::pause);  // the last reading failed
}

void Session::serve_waiting() {
  std::vector<Waiting> still;
  for (Waiting& one : std::exchange(waiting_, {}))
    if (one.ready())
      one.serve(one.id);
    else
      still.push_back(std::move(one));
  waiting_.insert(waiting_.begin(), std::make_move_iterator(still.begin()), std::make_move_iterator(still.end()));
}

void Session::give_up(const std::string& why) {
  in_work_ = false;
  for (const Waiting& one : std::exchange(waiting_, {})) fail(one.id, ErrorCode::internal_error, why);
}

bool Session::has_been_read() const {
  return std::all_of(documents_.begin(), documents_.end(),
                     [this](const auto& one) { return one.second.text.size() > max_text_ || is_read(one.second); });
}

Session::OpenDocument* Session::readable(const Json& id, const std::string& uri) {
  const auto found = documents_.find(path_of(uri));
  OpenDocument* document = found == documents_.end() ? nullptr : &found->second;
  if (document == nullptr)
    fail(id, ErrorCode::request_failed, fmt::format("{} is not open", one_line(uri)));
  else if (!is_read(*document) || !document->unreadable.empty() || !document->good)
    fail(id, ErrorCode::request_failed,
         document->unreadable.empty() ? "the text cannot be read" : document->unreadable);
  else
    return document;
  return nullptr;
}

void Session::start(Running running, const char* title, Job job) {
  job.ticket = ++tickets_;
  job.work = running.work = std::make_shared<Work>();
  if (!running.token.is_null())
    tell("$/progress",
         {{"token", running.token}, {"value", {{"kind", "begin"}, {"title", title}, {"cancellable", true}}}});
  running_.emplace(job.ticket, std::move(running));
  jobs_.push_back(std::move(job));
}

void Session::end_progress(const Running& running) {
  if (!running.token.is_null()) tell("$/progress", {{"token", running.token}, {"value", {{"kind", "end"}}}});
}

void Session::begin_command(const Json& id, const Json& params) {
  const Command command = command_of(params);
  // A pause in typing is long for a command.
  if (urgency_ == Urgency::pause) urgency_ = Urgency::now;
  wait({id, [this] { return has_been_read(); },
        [this, command, token = at(params, {"workDoneToken"})](const Json& of) {
          const OpenDocument* document = readable(of, command.uri);
          if (document == nullptr) return;
          Job job;
          job.execute = [command, state = document->good](const importer::Limits& limits, Work& work) {
            return run_command(command, texts_of(*state), limits, work);
          };
          const auto as_it_is = [](Json result) -> CommandResult { return result; };
          start({of, nullptr, as_it_is, token}, title_of(command.kind), std::move(job));
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
  const Running running = std::move(found->second);
  running_.erase(found);
  if (result) result = running.finish(std::move(*result));
  end_progress(running);
  if (result)
    reply(running.id, std::move(*result));
  else
    fail(running.id, ErrorCode::request_failed, result.error());
}

void Session::cancel(const Json& id) {
  const auto waiting = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& one) { return one.id == id; });
  const auto running =
      std::find_if(running_.begin(), running_.end(), [&](const auto& one) { return one.second.id == id; });
  if (waiting != waiting_.end()) {
    waiting_.erase(waiting);
  } else if (running != running_.end()) {
    running->second.work->stop = true;
    end_progress(running->second);
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
