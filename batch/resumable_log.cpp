// SPDX-License-Identifier: Apache-2.0
#include "batch/resumable_log.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/core.h>

#include "batch/record.hpp"
#include "exporter/primitives/new_file.hpp"

namespace amalthea::batch {
namespace {

namespace fs = std::filesystem;

tl::unexpected<std::string> cannot_write(const std::string& path) {
  return tl::unexpected(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

/// Whether a run may have written this file, or there is none: lines of batches begin with an index, those of trees with
/// files. A line may have been cut off. A pipe is not opened: that waits for whoever writes into it.
bool is_log(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return true;
  if (!fs::is_regular_file(path, error)) return false;
  std::array<char, 9> bytes{};
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), bytes.size());
  const std::string_view read(bytes.data(), static_cast<std::size_t>(file.gcount()));
  return std::string_view("{\"index\":").starts_with(read) || std::string_view("{\"files\":").starts_with(read);
}

/// A line of one of several files.
struct Place {
  std::string file;
  std::streamoff position = 0;
};

void collect(const std::string& path, std::map<std::string, Place>& places) {
  std::ifstream file(path, std::ios::binary);
  Line line;
  for (std::streamoff at = 0; next_line(file, line) && line.whole; at = file.tellg())  // not one that is cut off
    if (const std::string_view key = key_in(line.text); !key.empty())
      places.insert_or_assign(std::string(key), Place{path, at});
}

}  // namespace

bool next_line(std::istream& file, Line& line) {
  constexpr std::size_t beginning = std::size_t{64} << 10U;
  std::array<char, 65536> block{};
  line = {};
  bool any = false, ended = false;
  while (!ended && (file.getline(block.data(), block.size()), file.gcount() > 0)) {
    any = true;
    line.whole = ended = file.good();
    const std::size_t count = static_cast<std::size_t>(file.gcount()) - (ended ? 1 : 0);
    if (line.text.size() + count > longest_line) {
      line.too_long = true;
      line.text.resize(beginning);
    }
    if (!line.too_long) line.text.append(block.data(), count);
    if (file.fail() && !file.eof()) file.clear();  // more than one block
  }
  return any;
}

std::optional<std::string> line_at(const std::string& path, std::streamoff position) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(position);
  Line line;
  if (!next_line(file, line)) return std::nullopt;
  return std::move(line.text);
}

ResumableLog::ResumableLog(std::string path, exporter::FileLock lock)
    : path_(std::move(path)), lock_(std::move(lock)) {}

tl::expected<ResumableLog, std::string> ResumableLog::begin(std::string path, bool resume) {
  std::error_code error;
  if (fs::exists(path, error)) path = fs::canonical(path, error).string();
  if (fs::exists(path, error) && !fs::is_regular_file(path, error))
    return tl::unexpected(fmt::format("cannot write {}: expected a regular file", path));
  auto lock = exporter::FileLock::take(path);
  if (!lock) return tl::unexpected(std::move(lock.error()));
  ResumableLog log(std::move(path), std::move(*lock));
  if (!is_log(log.partial()))
    return tl::unexpected(
        fmt::format("cannot write {}: {} is there and is no log of an interrupted run; rename it, or name another "
                    "output",
                    log.path_, log.partial()));
  std::map<std::string, Place> places;
  if (resume)
    for (const std::string& file : {log.path_, log.partial()}) collect(file, places);
  auto lines = exporter::NewFile::create(log.partial());
  if (!lines) return tl::unexpected(std::move(lines.error()));
  for (const auto& [key, place] : places) {
    const auto line = line_at(place.file, place.position);
    if (!line) continue;
    log.known_.emplace(key, static_cast<std::streamoff>(lines->size()));
    lines->write(*line + "\n");
  }
  log.begin_ = static_cast<std::streamoff>(lines->size());
  if (auto written = lines->commit(); !written) return tl::unexpected(std::move(written.error()));
  log.output_.open(log.partial(), std::ios::binary | std::ios::in | std::ios::ate);
  if (!log.output_) return cannot_write(log.partial());
  return log;
}

std::optional<std::string> ResumableLog::known(const std::string& key) const {
  const auto found = known_.find(key);
  if (found == known_.end()) return std::nullopt;
  auto line = line_at(partial(), found->second);
  return line && key_in(*line) == key ? std::move(line) : std::nullopt;
}

tl::expected<void, std::string> ResumableLog::append(std::string_view line) {
  if (!(output_ << line << '\n' << std::flush)) return cannot_write(partial());
  return {};
}

tl::expected<void, std::string> ResumableLog::finish() {
  output_.close();
  if (!output_) return cannot_write(partial());
  if (begin_ == 0) return exporter::replace_file(partial(), path_);
  auto whole = exporter::NewFile::create(path_);
  if (!whole) return tl::unexpected(std::move(whole.error()));
  std::ifstream lines(partial(), std::ios::binary);
  lines.seekg(begin_);
  std::array<char, 65536> buffer{};
  while (lines.read(buffer.data(), buffer.size()), lines.gcount() > 0)
    whole->write({buffer.data(), static_cast<std::size_t>(lines.gcount())});
  if (lines.bad()) return tl::unexpected(fmt::format("cannot read {}: {}", partial(), std::strerror(errno)));
  if (auto written = whole->commit(); !written) return written;
  std::error_code error;
  fs::remove(partial(), error);
  return {};
}

}  // namespace amalthea::batch
