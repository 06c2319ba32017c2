// SPDX-License-Identifier: Apache-2.0
#include "importer/reading/file_bytes.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <fmt/core.h>

#include "amalthea/primitives/near_miss.hpp"

namespace amalthea::importer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t usual_step = std::size_t{1} << 20U;

/// The stream to its end, but not far beyond the limit.
bool read_stream(std::istream& stream, std::size_t step, std::uint64_t limit, std::string& bytes) {
  while (stream && bytes.size() <= limit) {
    const std::size_t before = bytes.size();
    bytes.resize(before + step);
    stream.read(bytes.data() + before, static_cast<std::streamsize>(step));
    bytes.resize(before + static_cast<std::size_t>(stream.gcount()));
    step = usual_step;
  }
  return !stream.bad();
}

/// /dev/null is empty and a terminal ends where its user says so. Any other device may be endless.
bool may_never_end(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_block_file(status)) return true;
  if (!fs::is_character_file(status)) return false;
  const std::string name = fs::canonical(path, error).string();
  return name != "/dev/null" && !name.starts_with("/dev/pts/") && !name.starts_with("/dev/tty") &&
         name != "/dev/console";
}

}  // namespace

tl::expected<std::string, std::string> read_bytes(const std::string& path, std::uint64_t limit,
                                                  const char* limit_option, bool (*suits)(std::string_view)) {
  const auto fail = [](std::string reason) { return tl::unexpected(std::move(reason)); };
  std::string size_text;  // of a file of known size
  const auto checked = [&](std::string bytes) -> tl::expected<std::string, std::string> {
    if (bytes.size() <= limit) return bytes;
    return tl::unexpected(fmt::format("the file{} is larger than the limit of {} bytes{}", size_text, limit,
                                      *limit_option == '\0' ? "" : fmt::format(" ({})", limit_option)));
  };
  std::string bytes;
  if (path == standard_input_name) {
    if (!read_stream(std::cin, usual_step, limit, bytes)) return fail("cannot read standard input to its end");
    return checked(std::move(bytes));
  }
  std::error_code error;
  if (fs::is_directory(path, error)) return fail("this is a folder; expected a file");
  if (may_never_end(path)) return fail("this is a device, which may never end; expected a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const int reason = errno;
    return fail(fmt::format("cannot open the file: {}{}", std::strerror(reason),
                            reason == ENOENT ? did_you_mean_file(path, suits) : std::string()));
  }
  // The size is a hint only: the path may be a pipe, or the file may grow.
  const std::uintmax_t size = fs::file_size(path, error);
  const std::size_t step = error ? usual_step : static_cast<std::size_t>(std::min<std::uintmax_t>(size, limit)) + 1;
  if (!error && size > limit) size_text = fmt::format(" has {} bytes and", size);
  if (!read_stream(file, step, limit, bytes)) return fail("cannot read the file to its end");
  return checked(std::move(bytes));
}

}  // namespace amalthea::importer
