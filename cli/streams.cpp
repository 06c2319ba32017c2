// SPDX-License-Identifier: Apache-2.0
#include "cli/streams.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <unistd.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/primitives/visible_text.hpp"
#include "cli/complaint.hpp"
#include "exporter/primitives/text_table.hpp"

namespace amalthea::cli {
namespace {

int print_failure = 0;  ///< errno of the first
bool output_was_closed = false;
thread_local CapturedStreams* captured = nullptr;

}  // namespace

void open_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    output_was_closed = output_was_closed || descriptor == STDOUT_FILENO;
    // The lowest free number is the one that is closed. Only messages may go nowhere without a failure.
    static_cast<void>(::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY));
  }
}

CapturedStreams::CapturedStreams() : outer_(std::exchange(captured, this)) {}
CapturedStreams::~CapturedStreams() { captured = outer_; }

void tell_text(std::string_view text, bool painted) {
  if (captured != nullptr) {
    captured->messages_ += text;
    return;
  }
  try {
    const std::string shown = painted ? exporter::visible_painted_text(text) : visible_text(text);
    static_cast<void>(std::fwrite(shown.data(), 1, shown.size(), stderr));
  } catch (const std::bad_alloc&) {  // as far as it goes without memory
    for (const char c : text) static_cast<void>(std::fputc(c == '\n' || (c >= ' ' && c <= '~') ? c : '?', stderr));
  }
}

bool tells_terminal() { return captured == nullptr && ::isatty(STDERR_FILENO) != 0; }

void tell_line(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  tell_text(one_line(text) + "\n");
}

void show_status(std::string_view text) {
  if (captured != nullptr) return;
  const std::string line = "\r\x1b[K" + one_line(text);
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
  static_cast<void>(std::fflush(stderr));
}

void print_text(std::string_view text) {
  if (captured != nullptr) {
    captured->output_ += text;
    return;
  }
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && print_failure == 0)
    print_failure = errno != 0 ? errno : EIO;
}

void print_summary(std::string_view text) {
  if (!output_was_closed) print_text(text);
}

void flush_output() {
  errno = 0;
  if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && print_failure == 0)
    print_failure = errno != 0 ? errno : EIO;
}

bool output_is_written() {
  flush_output();
  if (print_failure == 0) return true;
  if (print_failure != EPIPE)
    complain(fmt::format("cannot write to standard output: {}", std::strerror(print_failure)));
  return false;
}

}  // namespace amalthea::cli
