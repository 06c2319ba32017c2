// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <utility>

#include <unistd.h>

#include <fmt/core.h>

#include "cli/shown_findings.hpp"
#include "cli/streams.hpp"

namespace amalthea::cli {

namespace {

/// The work that Ctrl-C stops; and what Ctrl-C did before.
std::atomic<Work*> stoppable = nullptr;
struct sigaction before {};

void stop_work(int /*signal*/) {
  if (Work* work = stoppable.exchange(nullptr)) work->stop = true;
  ::sigaction(SIGINT, &before, nullptr);
}

double seconds_of(std::chrono::steady_clock::duration time) { return std::chrono::duration<double>(time).count(); }

/// "[#####     ]".
std::string bar(double share) {
  constexpr std::size_t width = 20;
  const auto filled = static_cast<std::size_t>(share * width);
  return fmt::format("[{}{}]", std::string(filled, '#'), std::string(width - filled, ' '));
}
/// The same in front of words, on a terminal.
std::string bar(const StatusLine& line, double share) { return line.is_on_terminal() ? bar(share) + " " : ""; }

}  // namespace

StatusLine::StatusLine(Log log)
    : terminal_(::isatty(STDERR_FILENO) != 0 && !is_quiet()), log_(log == Log::yes && !terminal_ && !is_quiet()) {}

bool StatusLine::is_due() const {
  return (terminal_ || log_) && seconds_of(Clock::now() - shown_) >= (terminal_ ? 0.1 : 10.0);
}

double StatusLine::seconds() const { return seconds_of(Clock::now() - start_); }

void StatusLine::show(std::string_view text) {
  shown_ = Clock::now();
  if (terminal_) {
    show_status(text);
    visible_ = true;
  } else if (log_) {
    tell("{}\n", text);
  }
}

void StatusLine::clear() {
  if (visible_) show_status("");
  visible_ = false;
}

std::string share_text(double share, double seconds) {
  std::string text = fmt::format("{} {:.0f} %", bar(share), 100 * share);
  constexpr double early = 1;  // seconds; the rest is a guess before
  if (share > 0 && share < 1 && seconds > early) text += fmt::format(", {:.0f} s left", seconds * (1 - share) / share);
  return text;
}

LongWork::LongWork(CtrlC ctrl_c, StatusLine::Log log, std::function<std::string()> words)
    : line_(log), words_(std::move(words)) {
  if (ctrl_c == CtrlC::stops && ::sigaction(SIGINT, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
    struct sigaction action {};
    action.sa_handler = stop_work;
    ::sigemptyset(&action.sa_mask);
    stoppable = &work_;
    handles_ = ::sigaction(SIGINT, &action, nullptr) == 0;
  }
  if (!line_.is_shown()) return;
  ticker_ = std::jthread([this](const std::stop_token& end) {
    std::unique_lock lock(mutex_);
    for (;;) {
      ended_.wait_for(lock, end, std::chrono::milliseconds(100), [] { return false; });
      if (end.stop_requested()) return;
      show();
    }
  });
}

LongWork::~LongWork() { end(); }

void LongWork::end() {
  if (ticker_.joinable()) {
    ticker_.request_stop();
    ticker_.join();
  }
  line_.clear();
  if (!std::exchange(handles_, false)) return;
  if (stoppable.exchange(nullptr) != nullptr) ::sigaction(SIGINT, &before, nullptr);
}

void LongWork::show() {
  if (!line_.is_due()) return;
  const std::string words = words_ ? words_() : std::string();
  line_.show(fmt::format("{}{}{}", share_text(work_.done, line_.seconds()), words.empty() ? "" : "; ", words));
}

void show_models(StatusLine& line, std::size_t done, std::size_t of, std::size_t known) {
  if (!line.is_due()) return;
  const double seconds = line.seconds();
  const double rate = seconds > 0 ? static_cast<double>(done - known) / seconds : 0;
  std::string text = bar(line, of == 0 ? 1 : static_cast<double>(done) / static_cast<double>(of));
  text += fmt::format("{} of {} models", done, of);
  if (known > 0) text += fmt::format(" ({} from the cache or an earlier run)", known);
  if (rate > 0 && seconds > 0.5)
    text += fmt::format(", {:.1f}/s, {:.0f} s left", rate, static_cast<double>(of - done) / rate);
  line.show(text);
}

void show_reading(StatusLine& line, std::uint64_t done, std::uint64_t of) {
  if (of == 0 || !line.is_due()) return;
  const double share = static_cast<double>(done) / static_cast<double>(of);
  line.show(bar(line, share) + (share > 0 ? fmt::format("{:.0f} % of the traces read, {:.0f} s left", share * 100,
                                                        line.seconds() * (1 - share) / share)
                                          : "reading the traces"));
}

}  // namespace amalthea::cli
