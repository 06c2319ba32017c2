// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <string>

#include <fmt/core.h>

#include "cli/shown_findings.hpp"
#include "cli/streams.hpp"

namespace amalthea::cli {

Progress::Progress() : terminal_(::isatty(STDERR_FILENO) != 0) {}

void Progress::show(std::size_t done, std::size_t of, std::size_t known) {
  if (is_quiet()) return;
  using Seconds = std::chrono::duration<double>;
  const auto now = Clock::now();
  const bool last = done == of;
  if (Seconds(now - shown_).count() < (terminal_ ? 0.1 : 10.0) && !last) return;
  shown_ = now;
  const double seconds = Seconds(now - start_).count();
  const double rate = seconds > 0 ? static_cast<double>(done - known) / seconds : 0;
  std::string text = fmt::format("{} of {} models", done, of);
  if (known > 0) text += fmt::format(" ({} from the cache or an earlier run)", known);
  if (rate > 0 && seconds > 0.5)
    text += fmt::format(", {:.1f}/s, {:.0f} s left", rate, static_cast<double>(of - done) / rate);
  if (terminal_) {
    const std::size_t width = 20, filled = of == 0 ? width : width * done / of;
    tell("\r\x1b[K[{}{}] {}", std::string(filled, '#'), std::string(width - filled, ' '), text);
    std::fflush(stderr);
  } else if (!last) {
    tell("{}\n", text);
  }
}

void Progress::clear() {
  if (terminal_) tell_text("\r\x1b[K");
}

SearchProgress::SearchProgress() : terminal_(::isatty(STDERR_FILENO) != 0) {}

void SearchProgress::show(std::uint64_t judged, std::uint64_t of, std::size_t late) {
  if (is_quiet()) return;
  const auto now = Clock::now();
  if (std::chrono::duration<double>(now - shown_).count() < (terminal_ ? 0.1 : 10.0)) return;
  shown_ = now;
  const std::string text = fmt::format("{} of {} candidates evaluated; best so far: {} late", judged, of,
                                       late == 0 ? std::string("nobody") : fmt::format("{} tasks", late));
  if (terminal_) {
    tell("\r\x1b[K{}", text);
    std::fflush(stderr);
  } else {
    tell("{}\n", text);
  }
}

void SearchProgress::clear() {
  if (terminal_) tell_text("\r\x1b[K");
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
