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

/// Whether the path still leads to the open file: its last owner may have removed it before we had the lock.
bool is_there(int descriptor, const std::string& path) {
  struct stat open {
  }, named{};
  return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
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
  for (;;) {
    FileLock lock(file);
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0)
      return tl::unexpected(
          fmt::format("cannot write {}: cannot open the lock {}: {}", path, file, std::strerror(errno)));
    const int locked = ::flock(descriptor, LOCK_EX | LOCK_NB);
    if (locked != 0 && errno == EWOULDBLOCK) {
      ::close(descriptor);
      return tl::unexpected(fmt::format(
          "cannot write {}: another process is writing it; wait until it has ended, or name another output", path));
    }
    if (!is_there(descriptor, file)) {
      ::close(descriptor);
      continue;
    }
    lock.descriptor_ = descriptor;
    lock.entry_ = remember_temporary(file);
    return lock;
  }
}

}  // namespace amalthea::exporter
