// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A file that is written in pieces and appears only when it is complete.

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace amalthea::exporter {

class TemporaryEntry;

/// Whether a file has to survive a power failure. One that need not may be empty or missing afterwards.
enum class Durable : std::uint8_t { no, yes };

/// A temporary file next to `path`, which `commit` renames; without `commit` it is removed. Follows links. Anything that
/// is not a regular file (a pipe, /dev/null), and whatever standard output or standard error leads to, is written
/// directly.
///
/// The temporary file is `path`.amalthea-tmp and a hexadecimal digit, locked while its process lives. A process that is
/// killed leaves it behind; the next one that writes to `path` removes it. If the name would be too long, it is
/// .amalthea-tmp and the digit alone. Where all digits are taken, a random number stands in the place of the digit.
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
  /// Bytes written so far.
  std::uint64_t size() const { return size_; }
  /// Data, file name and folder are on the disk when this returns, if it has to be durable. The error says why not; then
  /// a file that was there before is untouched, or the new one is there as a whole.
  tl::expected<void, std::string> commit(Durable durable = Durable::yes);

 private:
  NewFile(std::string path, std::string target, std::string temporary, int descriptor);

  std::string path_;    ///< as given
  std::string target_;  ///< after following links
  std::string temporary_;
  TemporaryEntry* entry_ = nullptr;  ///< of the temporary file
  int descriptor_ = -1;
  int failure_ = 0;  ///< errno of the first failure
  std::uint64_t size_ = 0;
};

/// Renames a file that was written completely, and returns when its data and its new name are on the disk. The error
/// says why not.
tl::expected<void, std::string> replace_file(const std::string& written, const std::string& target);

}  // namespace amalthea::exporter
