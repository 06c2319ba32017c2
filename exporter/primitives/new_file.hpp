// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A file that is written in pieces and appears only when it is complete.

#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace amalthea::exporter {

/// A temporary file next to `path`, which `commit` renames; without `commit` it is removed. Follows links; anything
/// that is not a regular file (a pipe, /dev/stdout) is written directly.
class NewFile {
 public:
  static tl::expected<NewFile, std::string> create(const std::string& path);
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  /// The path of the bytes until then; "" if they are written directly.
  const std::string& temporary() const { return temporary_; }
  /// Appends to the file. False: failed; `commit` returns the error.
  bool write(std::string_view bytes);
  tl::expected<void, std::string> commit();

 private:
  NewFile(std::string path, std::string target, std::string temporary, int descriptor);

  std::string path_;    ///< as given
  std::string target_;  ///< after following links
  std::string temporary_;
  int descriptor_ = -1;
  int failure_ = 0;  ///< errno of the first failure
};

}  // namespace amalthea::exporter
