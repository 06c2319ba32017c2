// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A file with one line per model, from which an interrupted run is resumed.

#include <cstddef>
#include <fstream>
#include <ios>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "exporter/primitives/file_lock.hpp"

namespace amalthea::batch {

/// While a run writes, `path`.partial holds the known lines of earlier runs and then its own, so that no interruption
/// loses a line. At the end `path` holds the lines of this run alone. One process at a time writes it (`path`.lock).
class ResumableLog {
 public:
  /// Follows links. With `resume`, the lines in `path` and `path`.partial are known; without it, those in
  /// `path`.partial are dropped. The error says what cannot be written, and why.
  static tl::expected<ResumableLog, std::string> begin(std::string path, bool resume);

  /// The line of an earlier run with this key (key_in). Forked processes may ask, too.
  std::optional<std::string> known(const std::string& key) const;

  /// Adds a line of this run, without its end. The line has left the process when this returns.
  tl::expected<void, std::string> append(std::string_view line);

  tl::expected<void, std::string> finish();

 private:
  ResumableLog(std::string path, exporter::FileLock lock);
  std::string partial() const { return path_ + ".partial"; }

  std::string path_;
  exporter::FileLock lock_;
  std::map<std::string, std::streamoff, std::less<>> known_;  ///< positions in the partial file, by key
  std::streamoff begin_ = 0;                                  ///< of the lines of this run
  std::ofstream output_;
};

/// A line is in memory as a whole, and anything may have been put into a file of lines.
inline constexpr std::size_t longest_line = std::size_t{256} << 20U;

/// Without its end.
struct Line {
  std::string text;       ///< of one that is too long only the beginning, with its key
  bool whole = true;      ///< its end was there
  bool too_long = false;  ///< it has more than `longest_line` bytes
};
/// False at the end of the file.
bool next_line(std::istream& file, Line& line);

/// The text of the line that begins at this position. Opens the file anew: processes that share an open file share its
/// position.
std::optional<std::string> line_at(const std::string& path, std::streamoff position);

}  // namespace amalthea::batch
