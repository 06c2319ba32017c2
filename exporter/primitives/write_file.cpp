// SPDX-License-Identifier: Apache-2.0
#include "exporter/primitives/write_file.hpp"

#include <filesystem>

#include <fmt/core.h>

namespace amalthea::exporter {

namespace fs = std::filesystem;

tl::expected<void, std::string> check_writable(const std::string& path) {
  std::error_code error;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, error))
    return tl::unexpected(fmt::format(
        "cannot write {}: the folder {} does not exist; create it, or choose another folder", path, folder.string()));
  if (fs::is_directory(path, error))
    return tl::unexpected(fmt::format("cannot write {}: it is a folder; choose a file name", path));
  return {};
}

tl::expected<void, std::string> write_file(const std::string& path, std::string_view bytes, Durable durable) {
  auto file = NewFile::create(path);
  if (!file) return tl::unexpected(std::move(file.error()));
  file->write(bytes);
  return file->commit(durable);
}

}  // namespace amalthea::exporter
