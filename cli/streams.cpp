// SPDX-License-Identifier: Apache-2.0
#include "cli/streams.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "cli/complaint.hpp"

namespace amalthea::cli {
namespace {

int print_failure = 0;  ///< errno of the first

}  // namespace

void open_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is the one that is closed. Only messages may go nowhere without a failure.
    static_cast<void>(::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY));
  }
}

void tell_text(std::string_view text) { static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr)); }

void print_text(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && print_failure == 0)
    print_failure = errno != 0 ? errno : EIO;
}

bool output_is_written() {
  errno = 0;
  if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && print_failure == 0)
    print_failure = errno != 0 ? errno : EIO;
  if (print_failure == 0) return true;
  if (print_failure != EPIPE)
    complain(fmt::format("cannot write to standard output: {}", std::strerror(print_failure)));
  return false;
}

}  // namespace amalthea::cli
