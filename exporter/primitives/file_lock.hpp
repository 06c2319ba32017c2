// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// One process at a time: a lock beside the file that a process writes for a long time.

#include <string>

#include <tl/expected.hpp>

namespace amalthea::exporter {

class TemporaryEntry;

/// Holds the file `path`.lock. The system releases the lock when the process and those it forked have ended, however
/// they end. File systems without locks grant every lock.
class FileLock {
 public:
  /// The error says who cannot write what, and why: another process holds the lock, or there can be no such file.
  static tl::expected<FileLock, std::string> take(const std::string& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(std::string file);

  std::string file_;
  TemporaryEntry* entry_ = nullptr;
  int descriptor_ = -1;
};

}  // namespace amalthea::exporter
