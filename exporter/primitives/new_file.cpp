// SPDX-License-Identifier: Apache-2.0
#include "exporter/primitives/new_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include "exporter/primitives/temporaries.hpp"
#include "exporter/primitives/write_file.hpp"

namespace amalthea::exporter {
namespace {

namespace fs = std::filesystem;

/// Names that are tried first, so that a later run finds and removes what a killed one has left.
constexpr std::uint64_t numbered_temporaries = 16;
/// Then names that nobody can foresee: whoever may create files in the folder could have taken the others.
constexpr std::uint64_t random_temporaries = 16;

std::uint64_t random_number() {
  std::random_device random;
  return (static_cast<std::uint64_t>(random()) << 32U | random()) | std::uint64_t{1} << 63U;
}

/// Permissions of the replaced file, else rw-rw-rw- minus the umask. Bits that lend the rights of an owner are not for
/// new content, and another group than that of the replaced file gets what everybody had.
mode_t permissions_for(const std::string& path, int descriptor) {
  struct stat existing {
  }, written{};
  if (::stat(path.c_str(), &existing) == 0) {
    const mode_t mode = existing.st_mode & 0777U, others = mode & 07U;
    const bool same_group = ::fstat(descriptor, &written) == 0 && written.st_gid == existing.st_gid;
    return same_group ? mode : mode & (0707U | others << 3U);
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666U & ~mask;
}

std::string message(const std::string& path, int reason) {
  return fmt::format("cannot write {}: {}", path, std::strerror(reason));
}

/// The standard stream that leads to the same file; -1 for none.
int standard_stream_of(const std::string& path) {
  struct stat file {
  }, stream{};
  if (::stat(path.c_str(), &file) != 0) return -1;
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    const int mode = ::fcntl(descriptor, F_GETFL);
    if (mode >= 0 && (mode & O_ACCMODE) != O_RDONLY && ::fstat(descriptor, &stream) == 0 &&
        stream.st_dev == file.st_dev && stream.st_ino == file.st_ino)
      return descriptor;
  }
  return -1;
}

std::string temporary_name(const fs::path& target, std::uint64_t number) {
  constexpr std::size_t longest_name = 255;
  std::string name = fmt::format("{}.amalthea-tmp{:x}", target.filename().string(), number);
  if (name.size() > longest_name) name = fmt::format(".amalthea-tmp{:x}", number);
  return (target.parent_path() / name).string();
}

/// Removes a temporary file of a process that has ended: nobody holds its lock. False: it belongs to somebody, or is
/// something else.
bool remove_left_over(const std::string& temporary) {
  const int descriptor = ::open(temporary.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return errno == ENOENT;
  struct stat file {};
  const bool ours = ::fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == ::geteuid() &&
                    ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && leads_to(temporary, descriptor);
  const bool removed = ours && (::unlink(temporary.c_str()) == 0 || errno == ENOENT);
  ::close(descriptor);
  return removed;
}

/// A new file with its lock; -1 and errno when there can be none.
int create_locked(const std::string& temporary) {
  constexpr int max_attempts = 100;
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    const int descriptor = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor < 0) {
      if (errno != EEXIST) return -1;
      if (remove_left_over(temporary)) continue;
      errno = EEXIST;
      return -1;
    }
    // Another process may have taken it for a left-over before it was locked.
    const bool taken = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!taken && leads_to(temporary, descriptor)) return descriptor;
    ::close(descriptor);
  }
  errno = EEXIST;
  return -1;
}

/// Some file systems and descriptors have nothing to synchronize.
bool is_synchronized(int descriptor) {
  return ::fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

/// 0, or errno.
int synchronize_folder_of(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno == EACCES ? 0 : errno;  // a folder may be writable and not readable
  const int failure = is_synchronized(descriptor) ? 0 : errno;
  ::close(descriptor);
  return failure;
}

}  // namespace

NewFile::NewFile(std::string path, std::string target, std::string temporary, int descriptor)
    : path_(std::move(path)), target_(std::move(target)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      entry_(std::exchange(other.entry_, nullptr)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      failure_(other.failure_),
      size_(other.size_) {}

NewFile::~NewFile() {
  // The lock is held until the file is gone.
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  if (entry_ != nullptr) forget_temporary(entry_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

tl::expected<NewFile, std::string> NewFile::create(const std::string& path) {
  if (auto possible = check_writable(path); !possible) return tl::unexpected(std::move(possible.error()));
  if (const int stream = standard_stream_of(path); stream >= 0) {
    if (stream == STDOUT_FILENO) std::fflush(stdout);
    NewFile file(path, path, {}, ::fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    if (file.descriptor_ < 0) return tl::unexpected(message(path, errno));
    return file;
  }
  std::error_code error;
  const fs::path target = fs::exists(path, error) ? fs::canonical(path, error) : fs::path(path);
  if (fs::exists(target, error) && !fs::is_regular_file(target, error)) {
    NewFile file(path, target.string(), {}, -1);
    file.descriptor_ = ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.descriptor_ < 0) return tl::unexpected(message(path, errno));
    return file;
  }
  NewFile file(path, target.string(), {}, -1);
  std::uint64_t number = 0;
  std::string temporary;
  for (; number < numbered_temporaries + random_temporaries && file.descriptor_ < 0; ++number) {
    temporary = temporary_name(target, number < numbered_temporaries ? number : random_number());
    file.descriptor_ = create_locked(temporary);
    if (file.descriptor_ < 0 && errno != EEXIST) return tl::unexpected(message(path, errno));
  }
  if (file.descriptor_ < 0) return tl::unexpected(message(path, EEXIST));
  file.temporary_ = std::move(temporary);  // from here on it is removed, whatever happens
  file.entry_ = remember_temporary(file.temporary_);
  for (; number < numbered_temporaries; ++number) remove_left_over(temporary_name(target, number));
  return file;
}

bool NewFile::write(std::string_view bytes) {
  while (!bytes.empty() && failure_ == 0) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      failure_ = written < 0 ? errno : EIO;
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
    size_ += static_cast<std::size_t>(written);
  }
  return failure_ == 0;
}

tl::expected<void, std::string> NewFile::commit(Durable durable) {
  const auto note = [this](bool done) {
    if (!done && failure_ == 0) failure_ = errno;
  };
  const bool renames = !temporary_.empty();
  if (renames) note(::fchmod(descriptor_, permissions_for(target_, descriptor_)) == 0);
  if (renames && failure_ == 0 && durable == Durable::yes) note(is_synchronized(descriptor_));
  if (renames && failure_ == 0) {
    note(::rename(temporary_.c_str(), target_.c_str()) == 0);
    if (failure_ == 0) {
      temporary_.clear();
      forget_temporary(std::exchange(entry_, nullptr));
      if (durable == Durable::yes) failure_ = synchronize_folder_of(target_);
    }
  }
  // Closing releases the lock, which marks the temporary file as owned.
  note(::close(std::exchange(descriptor_, -1)) == 0);
  if (failure_ != 0) return tl::unexpected(message(path_, failure_));
  return {};
}

tl::expected<void, std::string> replace_file(const std::string& written, const std::string& target) {
  const int descriptor = ::open(written.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return tl::unexpected(message(target, errno));
  int failure = is_synchronized(descriptor) ? 0 : errno;
  ::close(descriptor);
  if (failure == 0 && ::rename(written.c_str(), target.c_str()) != 0) failure = errno;
  if (failure == 0) failure = synchronize_folder_of(target);
  if (failure != 0) return tl::unexpected(message(target, failure));
  return {};
}

}  // namespace amalthea::exporter
