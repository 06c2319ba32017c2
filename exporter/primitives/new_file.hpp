// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A file that is written bit by bit and comes into being as a whole.

#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace amalthea::exporter {

/// A temporary file beside `path`, which `commit` renames; without that nothing stays behind. A link is followed; what
/// is no regular file (a pipe, /dev/stdout) is written to directly.
class NewFile {
 public:
  static tl::expected<NewFile, std::string> create(const std::string& path);
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  /// Where the bytes stand until then; "" where they are written directly.
  const std::string& temporary() const { return temporary_; }
  /// At the end of the file. False: failed, as `commit` will say.
  bool write(std::string_view bytes);
  tl::expected<void, std::string> commit();

 private:
  NewFile(std::string path, std::string target, std::string temporary, int descriptor);

  std::string path_;    ///< as asked for
  std::string target_;  ///< where links lead
  std::string temporary_;
  int descriptor_ = -1;
  int failure_ = 0;  ///< errno of the first
};

}  // namespace amalthea::exporter
