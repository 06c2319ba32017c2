// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How a thread tells one that waits in poll() that there is something to fetch.

#include <array>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace amalthea::lsp::detail {

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK) != 0)
      throw std::system_error(errno, std::generic_category(), "cannot open a pipe");
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    for (const int end : ends_) ::close(end);
  }

  int descriptor() const { return ends_[0]; }
  /// A full pipe says it, too.
  void signal() const { static_cast<void>(!::write(ends_[1], "", 1)); }
  void clear() const {
    std::array<char, 64> ignored{};
    while (::read(ends_[0], ignored.data(), ignored.size()) > 0) {
    }
  }

 private:
  std::array<int, 2> ends_{};
};

}  // namespace amalthea::lsp::detail
