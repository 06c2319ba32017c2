// SPDX-License-Identifier: Apache-2.0
#include "batch/processes.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <new>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exporter/primitives/temporaries.hpp"

namespace amalthea::batch {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int out_of_memory_code = 86;
/// A child that is to end removes its temporary files first; if it does not end, it is killed.
constexpr std::chrono::seconds grace{1};

struct Child {
  pid_t process = 0;
  int pipe = -1;  ///< its result is read from here
  std::size_t index = 0;
  Clock::time_point started;
  std::string output;
  bool overdue = false;
};

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) ::_exit(1);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Sanitizers reserve more address space than any limit allows.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool reserves_memory = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool reserves_memory = true;
#else
constexpr bool reserves_memory = false;
#endif
#else
constexpr bool reserves_memory = false;
#endif

/// Never returns: open files and exit handlers belong to the parent.
[[noreturn]] void be_child(const ProcessWork& work, std::size_t index, int pipe, pid_t parent) {
  // The parent's handler, if there is one, removes temporary files; a child must not ignore the signal.
  struct sigaction on_end {};
  if (::sigaction(SIGTERM, nullptr, &on_end) == 0 && on_end.sa_handler == SIG_IGN) std::signal(SIGTERM, SIG_DFL);
  // If the parent is killed, nobody needs the result. That may have happened before this call.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(1);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  if (work.limits.memory && !reserves_memory) {
    const rlimit limit{*work.limits.memory, *work.limits.memory};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  // Also where the exception cannot be caught: a destructor of JSON needs memory, for example.
  std::set_terminate([] {
    try {
      if (const auto failure = std::current_exception()) std::rethrow_exception(failure);
    } catch (const std::bad_alloc&) {
      exporter::remove_temporaries();
      ::_exit(out_of_memory_code);
    } catch (...) {
    }
    exporter::remove_temporaries();
    std::abort();
  });
  int code = 1;
  try {
    write_all(pipe, work.work(index));
    code = 0;
  } catch (const std::bad_alloc&) {
    code = out_of_memory_code;
  } catch (...) {
  }
  ::_exit(code);
}

class Pool {
 public:
  explicit Pool(const ProcessWork& work) : work_(work) {}
  ~Pool() {
    for (const Child& child : children_) ::kill(child.process, SIGTERM);
    const auto end = Clock::now() + grace;
    for (const Child& child : children_) {
      while (::waitpid(child.process, nullptr, WNOHANG) == 0) {
        if (Clock::now() > end) ::kill(child.process, SIGKILL);
        ::poll(nullptr, 0, 1);
      }
      ::close(child.pipe);
    }
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void run() {
    // Early results wait for earlier pieces; their number bounds the memory.
    const std::size_t window = std::size_t{work_.at_once} * 8 + 8;
    while (delivered_ < work_.count && !stopped_) {
      while (started_ < work_.count && children_.size() < work_.at_once && started_ < delivered_ + window)
        if (!start()) break;
      wait();
      deliver();
      stopped_ = stopped_ || (work_.stop && work_.stop());
    }
  }

 private:
  /// False: the system allows no more processes; one must end first.
  bool start() {
    int ends[2] = {};
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      if (!children_.empty() && (errno == EMFILE || errno == ENFILE)) return false;
      fail("cannot start a process");
    }
    std::fflush(nullptr);
    const pid_t parent = ::getpid();
    const pid_t process = ::fork();
    if (process < 0) {
      const int error = errno;
      ::close(ends[0]);
      ::close(ends[1]);
      if (!children_.empty() && error == EAGAIN) return false;
      errno = error;
      fail("cannot start a process");
    }
    if (process == 0) {
      ::close(ends[0]);
      be_child(work_, started_, ends[1], parent);
    }
    ::close(ends[1]);
    children_.push_back({process, ends[0], started_++, Clock::now(), {}, false});
    return true;
  }

  /// Waits until a child has output, or a time limit expires.
  void wait() {
    std::vector<pollfd> descriptors;
    for (const Child& child : children_) descriptors.push_back({child.pipe, POLLIN, 0});
    if (::poll(descriptors.data(), descriptors.size(), milliseconds_left()) < 0 && errno != EINTR)
      fail("cannot wait for processes");
    for (std::size_t i = children_.size(); i-- > 0;) {
      Child& child = children_[i];
      // A process with output is done: it may have waited for this process to read.
      const bool speaks = (descriptors[i].revents & POLLIN) != 0;
      if (!speaks && work_.limits.time && Clock::now() > end_of(child)) {
        ::kill(child.process, child.overdue ? SIGKILL : SIGTERM);
        child.overdue = true;
      }
      if (descriptors[i].revents != 0 && !read(child)) end(i);
    }
  }

  /// When it is asked to end, or killed if it has been asked.
  Clock::time_point end_of(const Child& child) const {
    return child.started + *work_.limits.time + (child.overdue ? grace : std::chrono::seconds{0});
  }

  /// Up to the next time limit of a child; limited, so that progress is shown.
  int milliseconds_left() const {
    std::chrono::milliseconds left{500};
    if (work_.limits.time)
      for (const Child& child : children_)
        left = std::min(left, std::chrono::duration_cast<std::chrono::milliseconds>(end_of(child) - Clock::now()));
    return static_cast<int>(std::max<std::int64_t>(left.count() + 1, 1));
  }

  /// False at the end of its output.
  static bool read(Child& child) {
    char buffer[65536];
    const ssize_t count = ::read(child.pipe, buffer, sizeof buffer);
    if (count < 0) return errno == EINTR;
    child.output.append(buffer, static_cast<std::size_t>(count));
    return count > 0;
  }

  void end(std::size_t place) {
    Child child = std::move(children_[place]);
    children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(place));
    ::close(child.pipe);
    int status = 0;
    while (::waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
    }
    Outcome outcome;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      outcome.output = std::move(child.output);
    } else if (child.overdue) {
      outcome.ending = Ending::out_of_time;
    } else if (WIFEXITED(status) && WEXITSTATUS(status) == out_of_memory_code) {
      outcome.ending = Ending::out_of_memory;
    } else {
      outcome.ending = Ending::crashed;
      outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }
    ended_.emplace(child.index, std::move(outcome));
    ++finished_;
    if (work_.progress) work_.progress(finished_);
  }

  void deliver() {
    for (auto next = ended_.find(delivered_); next != ended_.end() && !stopped_; next = ended_.find(delivered_)) {
      Outcome outcome = std::move(next->second);
      ended_.erase(next);
      stopped_ = !work_.done(delivered_++, std::move(outcome));
    }
  }

  const ProcessWork& work_;
  std::vector<Child> children_;
  std::map<std::size_t, Outcome> ended_;  ///< not delivered yet
  std::size_t started_ = 0;
  std::size_t delivered_ = 0;
  std::size_t finished_ = 0;
  bool stopped_ = false;
};

}  // namespace

void run_processes(const ProcessWork& work) {
  // The parent of this process may ignore the signal; then exit codes would be unavailable.
  std::signal(SIGCHLD, SIG_DFL);
  Pool(work).run();
}

}  // namespace amalthea::batch
