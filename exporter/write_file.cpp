#include "exporter/write_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

namespace amalthea::exporter {
namespace {

namespace fs = std::filesystem;

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Permissions of the file that is replaced, else what the umask leaves of rw-rw-rw-.
mode_t permissions_for(const std::string& path) {
  struct stat existing {};
  if (::stat(path.c_str(), &existing) == 0) return existing.st_mode & 07777U;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666U & ~mask;
}

}  // namespace

tl::expected<void, std::string> check_writable(const std::string& path) {
  std::error_code error;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, error))
    return tl::unexpected(fmt::format("cannot write {}: the folder {} does not exist", path, folder.string()));
  if (fs::is_directory(path, error)) return tl::unexpected(fmt::format("cannot write {}: it is a folder", path));
  return {};
}

tl::expected<void, std::string> write_file(const std::string& path, std::string_view bytes) {
  if (auto possible = check_writable(path); !possible) return possible;
  const auto failure = [&path](int reason) {
    return tl::unexpected(fmt::format("cannot write {}: {}", path, std::strerror(reason)));
  };
  std::error_code error;
  const fs::path target = fs::exists(path, error) ? fs::canonical(path, error) : fs::path(path);
  if (fs::exists(target, error) && !fs::is_regular_file(target, error)) {
    const int descriptor = ::open(target.c_str(), O_WRONLY);
    if (descriptor < 0) return failure(errno);
    const bool written = write_all(descriptor, bytes);
    const int reason = errno;
    const bool closed = ::close(descriptor) == 0;
    return written && closed ? tl::expected<void, std::string>{} : failure(written ? errno : reason);
  }
  std::string temporary = target.string() + ".XXXXXX";
  const int descriptor = ::mkstemp(temporary.data());
  if (descriptor < 0) return failure(errno);
  const bool written = write_all(descriptor, bytes) && ::fchmod(descriptor, permissions_for(target.string())) == 0;
  const int write_error = errno;
  const bool closed = ::close(descriptor) == 0;
  if (written && closed && ::rename(temporary.c_str(), target.c_str()) == 0) return {};
  const int reason = written ? errno : write_error;
  ::unlink(temporary.c_str());
  return failure(reason);
}

}  // namespace amalthea::exporter
