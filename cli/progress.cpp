// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <unistd.h>

#include <string>

#include <fmt/core.h>

#include "cli/shown_findings.hpp"
#include "cli/streams.hpp"

namespace amalthea::cli {

namespace {

double seconds_of(std::chrono::steady_clock::duration time) { return std::chrono::duration<double>(time).count(); }

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

void show_models(StatusLine& line, std::size_t done, std::size_t of, std::size_t known) {
  if (!line.is_due()) return;
  const double seconds = line.seconds();
  const double rate = seconds > 0 ? static_cast<double>(done - known) / seconds : 0;
  std::string text;
  if (line.is_on_terminal()) {
    const std::size_t width = 20, filled = of == 0 ? width : width * done / of;
    text = fmt::format("[{}{}] ", std::string(filled, '#'), std::string(width - filled, ' '));
  }
  text += fmt::format("{} of {} models", done, of);
  if (known > 0) text += fmt::format(" ({} from the cache or an earlier run)", known);
  if (rate > 0 && seconds > 0.5)
    text += fmt::format(", {:.1f}/s, {:.0f} s left", rate, static_cast<double>(of - done) / rate);
  line.show(text);
}

ReadingProgress::ReadingProgress() : terminal_(::isatty(STDERR_FILENO) != 0) {}

void ReadingProgress::show(std::uint64_t done, std::uint64_t of) {
  if (is_quiet() || of == 0) return;
  using Seconds = std::chrono::duration<double>;
  const auto now = Clock::now();
  if (Seconds(now - shown_).count() < (terminal_ ? 0.1 : 10.0)) return;
  shown_ = now;
  const double share = static_cast<double>(done) / static_cast<double>(of);
  const double seconds = Seconds(now - start_).count();
  const std::string text =
      share > 0 ? fmt::format("{:.0f} % of the traces read, {:.0f} s left", share * 100, seconds * (1 - share) / share)
                : std::string("reading the traces");
  if (terminal_) {
    constexpr double width = 20;
    const auto filled = static_cast<std::size_t>(share * width);
    tell("\r\x1b[K[{}{}] {}", std::string(filled, '#'), std::string(static_cast<std::size_t>(width) - filled, ' '),
         text);
    std::fflush(stderr);
  } else {
    tell("{}\n", text);
  }
}

void ReadingProgress::clear() {
  if (terminal_) tell_text("\r\x1b[K");
}

}  // namespace amalthea::cli
