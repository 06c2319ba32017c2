// SPDX-License-Identifier: Apache-2.0
#include "exporter/primitives/file_lock.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include "exporter/primitives/temporaries.hpp"

namespace amalthea::exporter {
namespace {

/// Locks are empty: anything else is a file of somebody.
bool is_lock(int descriptor) {
  struct stat file {};
  return ::fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode) && file.st_size == 0;
}

}  // namespace

FileLock::FileLock(std::string file) : file_(std::move(file)) {}

FileLock::FileLock(FileLock&& other) noexcept
    : file_(std::move(other.file_)),
      entry_(std::exchange(other.entry_, nullptr)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock::~FileLock() {
  if (descriptor_ < 0) return;
  ::unlink(file_.c_str());
  if (entry_ != nullptr) forget_temporary(entry_);
  ::close(descriptor_);
}

tl::expected<FileLock, std::string> FileLock::take(const std::string& path) {
  const std::string file = path + ".lock";
  const auto fail = [&](std::string_view reason) {
    return tl::unexpected(fmt::format("cannot write {}: {}", path, reason));
  };
  const std::string no_lock = fmt::format("{} is there and is no lock; rename it, or name another output", file);
  constexpr int max_attempts = 100;  // the last owner may remove the file before this process has its lock
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    FileLock lock(file);
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
    if (descriptor < 0 && errno == ELOOP) return fail(no_lock);
    if (descriptor < 0) return fail(fmt::format("cannot open the lock {}: {}", file, std::strerror(errno)));
    const int locked = ::flock(descriptor, LOCK_EX | LOCK_NB);
    const bool taken = locked != 0 && errno == EWOULDBLOCK, ours = is_lock(descriptor);
    if (!taken && ours && leads_to(file, descriptor)) {
      lock.descriptor_ = descriptor;
      lock.entry_ = remember_temporary(file);
      return lock;
    }
    ::close(descriptor);
    if (!ours) return fail(no_lock);
    if (taken) break;
  }
  return fail("another process is writing it; wait until it has ended, or name another output");
}

}  // namespace amalthea::exporter
