// SPDX-License-Identifier: Apache-2.0
#include "traces/reading/detail/byte_stream.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace amalthea::traces {

tl::expected<ByteStream, std::string> ByteStream::open(const std::string& path) {
  const int descriptor = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return tl::unexpected(std::string(std::strerror(errno)));
  struct stat status {};
  const bool known = ::fstat(descriptor, &status) == 0;
  const auto refuse = [&](const char* why) {
    ::close(descriptor);
    return tl::unexpected(std::string(why));
  };
  if (known && S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    return ByteStream(nullptr, 0);
  }
  if (known && path != "-" && (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)))
    return refuse("this is a device, which may never end; expected a file or a pipe");
  const gzFile file = ::gzdopen(descriptor, "rb");
  if (file == nullptr) return refuse("not enough memory");
  ::gzbuffer(file, static_cast<unsigned>(block));
  return ByteStream(file, known && S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0);
}

ByteStream::ByteStream(gzFile_s* file, std::uint64_t total) : file_(file), total_(total), buffer_(new char[block]) {
  if (file_ != nullptr) fill();
}

ByteStream::ByteStream(ByteStream&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)),
      total_(other.total_),
      buffer_(std::move(other.buffer_)),
      size_(other.size_),
      fresh_(other.fresh_),
      broken_(other.broken_) {}

ByteStream::~ByteStream() {
  if (file_ != nullptr) ::gzclose(file_);
}

void ByteStream::fill() {
  const int count = ::gzread(file_, buffer_.get(), static_cast<unsigned>(block));
  size_ = count > 0 ? static_cast<std::size_t>(count) : 0;
  if (count < 0) broken_ = true;
  if (count >= 0 && static_cast<std::size_t>(count) < block) {
    int code = Z_OK;
    ::gzerror(file_, &code);
    broken_ = broken_ || code == Z_BUF_ERROR;
  }
}

std::string_view ByteStream::next() {
  if (!std::exchange(fresh_, false)) fill();
  return {buffer_.get(), size_};
}

std::uint64_t ByteStream::done() const {
  const auto offset = file_ == nullptr ? 0 : ::gzoffset(file_);
  return offset > 0 ? static_cast<std::uint64_t>(offset) : 0;
}

}  // namespace amalthea::traces
