// SPDX-License-Identifier: Apache-2.0
#include "exporter/primitives/new_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include "exporter/primitives/write_file.hpp"

namespace amalthea::exporter {
namespace {

namespace fs = std::filesystem;

/// Permissions of the replaced file, else rw-rw-rw- minus the umask.
mode_t permissions_for(const std::string& path) {
  struct stat existing {};
  if (::stat(path.c_str(), &existing) == 0) return existing.st_mode & 07777U;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666U & ~mask;
}

std::string message(const std::string& path, int reason) {
  return fmt::format("cannot write {}: {}", path, std::strerror(reason));
}

}  // namespace

NewFile::NewFile(std::string path, std::string target, std::string temporary, int descriptor)
    : path_(std::move(path)), target_(std::move(target)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      failure_(other.failure_) {}

NewFile::~NewFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

tl::expected<NewFile, std::string> NewFile::create(const std::string& path) {
  if (auto possible = check_writable(path); !possible) return tl::unexpected(std::move(possible.error()));
  std::error_code error;
  const fs::path target = fs::exists(path, error) ? fs::canonical(path, error) : fs::path(path);
  if (fs::exists(target, error) && !fs::is_regular_file(target, error)) {
    const int descriptor = ::open(target.c_str(), O_WRONLY);
    if (descriptor < 0) return tl::unexpected(message(path, errno));
    return NewFile(path, target.string(), {}, descriptor);
  }
  std::string temporary = target.string() + ".XXXXXX";
  const int descriptor = ::mkstemp(temporary.data());
  if (descriptor < 0) return tl::unexpected(message(path, errno));
  return NewFile(path, target.string(), std::move(temporary), descriptor);
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
  }
  return failure_ == 0;
}

tl::expected<void, std::string> NewFile::commit() {
  const auto note = [this](bool done) {
    if (!done && failure_ == 0) failure_ = errno;
  };
  if (!temporary_.empty()) note(::fchmod(descriptor_, permissions_for(target_)) == 0);
  note(::close(std::exchange(descriptor_, -1)) == 0);
  if (failure_ == 0 && !temporary_.empty()) {
    note(::rename(temporary_.c_str(), target_.c_str()) == 0);
    if (failure_ == 0) temporary_.clear();
  }
  if (failure_ != 0) return tl::unexpected(message(path_, failure_));
  return {};
}

}  // namespace amalthea::exporter
