// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The bytes of a trace from its beginning to its end, unpacked if gzip packed them.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

struct gzFile_s;

namespace amalthea::traces {

class ByteStream {
 public:
  /// "-" is standard input. A folder has no bytes of its own. The error is a reason without the path.
  static tl::expected<ByteStream, std::string> open(const std::string& path);
  ByteStream(ByteStream&&) noexcept;
  ByteStream& operator=(ByteStream&&) = delete;
  ~ByteStream();

  /// The first bytes, at most those of one block; `next` returns them again.
  std::string_view beginning() const { return {buffer_.get(), size_}; }
  /// The next bytes; none at the end.
  std::string_view next();
  /// Whether the packed data ended early or was damaged. Valid after the end.
  bool is_broken() const { return broken_; }

  std::uint64_t done() const;                     ///< bytes of the file
  std::uint64_t total() const { return total_; }  ///< 0: unknown

 private:
  ByteStream(gzFile_s* file, std::uint64_t total);
  void fill();

  static constexpr std::size_t block = std::size_t{1} << 18U;
  gzFile_s* file_;
  std::uint64_t total_;
  std::unique_ptr<char[]> buffer_;
  std::size_t size_ = 0;
  bool fresh_ = true;  ///< the buffer has not been returned yet
  bool broken_ = false;
};

}  // namespace amalthea::traces
