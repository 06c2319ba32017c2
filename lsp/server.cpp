// SPDX-License-Identifier: Apache-2.0
#include "lsp/server.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "lsp/detail/command_thread.hpp"
#include "lsp/detail/pipe.hpp"
#include "lsp/framing.hpp"
#include "lsp/model_state.hpp"
#include "lsp/session.hpp"

namespace amalthea::lsp {
namespace {

/// How often it is checked whether the editor is there, and progress is shown.
constexpr std::chrono::milliseconds heartbeat{1000};

/// False if nobody reads any more.
bool write_all(int out, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(out, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// The process of the editor. One that cannot be seen when it is named may run elsewhere, as beside a container, so only
/// a process that was seen can be gone.
class ClientProcess {
 public:
  void watch(std::uint64_t id) {
    if (id == named_) return;
    named_ = id;
    const bool possible = id > 0 && id <= static_cast<std::uint64_t>(std::numeric_limits<pid_t>::max());
    watched_ = possible && exists(static_cast<pid_t>(id)) ? static_cast<pid_t>(id) : 0;
  }
  bool is_watched() const { return watched_ != 0; }
  bool is_gone() const { return is_watched() && !exists(watched_); }

 private:
  static bool exists(pid_t id) { return ::kill(id, 0) == 0 || errno != ESRCH; }

  std::uint64_t named_ = 0;
  pid_t watched_ = 0;
};

/// A thread that reads models.
class BackgroundReader {
 public:
  explicit BackgroundReader(analysis::Options options) : reader_(std::move(options)), thread_([this] { run(); }) {}
  BackgroundReader(const BackgroundReader&) = delete;
  BackgroundReader& operator=(const BackgroundReader&) = delete;
  ~BackgroundReader() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
      work_.stop = true;
    }
    wanted_.notify_one();
    thread_.join();
  }

  int descriptor() const { return pipe_.descriptor(); }

  /// Takes the place of a request that has not begun, and ends the analysis of one that has.
  void request(OpenTexts texts) {
    {
      const std::lock_guard lock(mutex_);
      request_ = std::move(texts);
      ready_.reset();
      failure_.clear();
      work_.stop = true;
    }
    wanted_.notify_one();
  }

  /// The latest result of the latest request.
  std::optional<std::vector<Reading>> fetch() {
    const std::lock_guard lock(mutex_);
    pipe_.clear();
    return std::exchange(ready_, std::nullopt);
  }

  /// Why the latest request has no result; "" if it has one, or will have.
  std::string failure() {
    const std::lock_guard lock(mutex_);
    return std::exchange(failure_, {});
  }
  /// The part of the analysis that is done, from 0 to 1.
  double done() const { return work_.done; }

 private:
  void deliver(std::vector<Reading> readings) {
    const std::lock_guard lock(mutex_);
    if (request_) return;  // about texts that have changed
    ready_ = std::move(readings);
    pipe_.signal();
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      wanted_.wait(lock, [this] { return ending_ || request_; });
      if (ending_) return;
      const OpenTexts texts = std::move(*request_);
      request_.reset();
      work_.stop = false;
      work_.done = 0;
      lock.unlock();
      std::string failure;
      try {
        reader_.read(texts, work_, [this](std::vector<Reading> readings) { deliver(std::move(readings)); });
      } catch (const std::exception& error) {  // such as a lack of memory; the earlier state remains
        write_all(STDERR_FILENO, std::string("amalthea lsp: ") + error.what() + "\n");
        failure = error.what();
      }
      lock.lock();
      if (failure.empty() || request_) continue;
      failure_ = std::move(failure);
      pipe_.signal();
    }
  }

  ModelReader reader_;
  Work work_;
  detail::Pipe pipe_;
  std::mutex mutex_;
  std::condition_variable wanted_;
  std::optional<OpenTexts> request_;
  std::optional<std::vector<Reading>> ready_;
  std::string failure_;
  bool ending_ = false;
  std::thread thread_;
};

/// Handles the messages that have arrived, up to the one that ends the conversation.
void receive_all(MessageStream& stream, Session& session) {
  while (!session.ended()) {
    const auto message = stream.next();
    if (message)
      session.receive(*message);
    else if (message.error() == MessageStream::Gap::bad_header)
      session.refuse(ErrorCode::parse_error, "expected a header Content-Length: N");
    else if (message.error() == MessageStream::Gap::too_large)
      session.refuse(ErrorCode::invalid_request, "the message exceeds the limit of --max-message");
    else
      return;
  }
}

}  // namespace

int serve(int in, int out, const ServerOptions& options) {
  using Clock = std::chrono::steady_clock;
  bool connected = true;
  Session session(options.analysis.limits.max_file_size, options.is_shown, [&](const nlohmann::json& message) {
    // Names in a file may be no UTF-8.
    const std::string text = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    connected = connected && write_all(out, framed(text));
  });
  MessageStream stream(options.max_message);
  BackgroundReader reader(options.analysis);
  detail::CommandThread commands(options.analysis.limits);
  std::string buffer(std::size_t{1} << 16U, '\0');
  Clock::time_point last_edit, idle;  // no analysis was awaited, or its progress was shown
  std::uint64_t edits = 0;
  ClientProcess client;
  client.watch(options.client_process);
  while (connected && !client.is_gone()) {
    const bool is_awaited = session.awaits_analysis();
    if (!is_awaited) idle = Clock::now();
    int timeout = client.is_watched() || is_awaited ? static_cast<int>(heartbeat.count()) : -1;
    const bool is_due = session.urgency() != Session::Urgency::none;
    if (is_due) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(
          last_edit + session.delay().value_or(options.delay) - Clock::now());
      timeout =
          session.urgency() == Session::Urgency::now ? 0 : static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    }
    while (auto job = session.next_job()) commands.start(std::move(*job));
    std::array<pollfd, 3> waiting = {
        {{in, POLLIN, 0}, {reader.descriptor(), POLLIN, 0}, {commands.descriptor(), POLLIN, 0}}};
    const int ready = ::poll(waiting.data(), waiting.size(), timeout);
    if (ready < 0 && errno != EINTR) break;
    if (ready == 0 && is_due) reader.request(session.due());
    if (is_awaited && Clock::now() - idle >= heartbeat) {
      idle = Clock::now();
      session.show_progress(reader.done());
    }
    if (ready <= 0) continue;
    if (waiting[1].revents != 0) {
      if (auto readings = reader.fetch()) session.take(std::move(*readings));
      if (const std::string why = reader.failure(); !why.empty()) session.give_up(why);
    }
    if (waiting[2].revents != 0)
      while (auto done = commands.fetch()) session.finish(done->ticket, std::move(done->result));
    if (waiting[0].revents == 0) continue;
    const ssize_t count = ::read(in, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    stream.add(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
    receive_all(stream, session);
    if (session.ended()) return *session.ended();
    if (session.client_process() != 0) client.watch(session.client_process());
    if (std::exchange(edits, session.edits()) != session.edits()) last_edit = Clock::now();
  }
  return session.code_at_end();
}

}  // namespace amalthea::lsp
