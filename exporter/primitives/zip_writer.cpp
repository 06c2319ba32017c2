// SPDX-License-Identifier: Apache-2.0
#include "exporter/primitives/zip_writer.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/core.h>
#include <zip.h>

namespace amalthea::exporter {
namespace {

using Failure = tl::unexpected<std::string>;

struct Release {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Archive = std::unique_ptr<zip_t, Release>;
using Source = std::unique_ptr<zip_source_t, Release>;

Failure failure_of(zip_error_t& error) {
  std::string message = zip_error_strerror(&error);
  zip_error_fini(&error);
  return Failure(std::move(message));
}

/// The only entry that is a file, not a folder.
std::optional<zip_uint64_t> only_file(zip_t* archive) {
  std::optional<zip_uint64_t> found;
  const auto entries = static_cast<zip_uint64_t>(std::max<zip_int64_t>(zip_get_num_entries(archive, 0), 0));
  for (zip_uint64_t i = 0; i < entries; ++i) {
    const char* name = zip_get_name(archive, i, ZIP_FL_ENC_RAW);
    if (name == nullptr || std::string_view(name).ends_with('/')) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

/// Whether a program that unpacks the name might write outside of its folder: on Windows, backslashes part folders and a
/// colon follows a drive.
bool leads_out(std::string_view name) {
  if (name.find_first_of("/\\") == 0 || name.substr(0, 2).ends_with(':')) return true;
  for (std::size_t end = 0; end != name.npos; name.remove_prefix(end == name.npos ? 0 : end + 1)) {
    end = name.find_first_of("/\\");
    if (name.substr(0, end) == "..") return true;
  }
  return false;
}

/// The first name of an entry that leads out of the folder.
std::optional<std::string> name_that_leads_out(zip_t* archive) {
  const auto entries = static_cast<zip_uint64_t>(std::max<zip_int64_t>(zip_get_num_entries(archive, 0), 0));
  for (zip_uint64_t i = 0; i < entries; ++i)
    if (const char* name = zip_get_name(archive, i, ZIP_FL_ENC_RAW); name != nullptr && leads_out(name)) return name;
  return std::nullopt;
}

/// Replaces the content of an entry and keeps its other attributes.
bool replace(zip_t* archive, zip_uint64_t entry, std::string_view content) {
  zip_stat_t before;
  zip_stat_init(&before);
  if (zip_stat_index(archive, entry, 0, &before) != 0) return false;
  zip_source_t* source = zip_source_buffer(archive, content.data(), content.size(), 0);
  if (source == nullptr) return false;
  if (zip_file_replace(archive, entry, source, 0) != 0) {
    zip_source_free(source);
    return false;
  }
  if ((before.valid & ZIP_STAT_COMP_METHOD) != 0 &&
      zip_set_file_compression(archive, entry, before.comp_method, 0) != 0)
    return false;
  // Otherwise the entry would have the current time, and no two results would be equal.
  return (before.valid & ZIP_STAT_MTIME) == 0 || zip_file_set_mtime(archive, entry, before.mtime, 0) == 0;
}

tl::expected<std::string, std::string> content_of(zip_source_t* source) {
  const auto failure = [source] { return Failure(zip_error_strerror(zip_source_error(source))); };
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_source_stat(source, &stat) != 0 || zip_source_open(source) != 0) return failure();
  std::string bytes(stat.size, '\0');
  const zip_int64_t got = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  if (got < 0) return failure();
  if (static_cast<zip_uint64_t>(got) != stat.size) return Failure("the archive in memory is cut short");
  return bytes;
}

}  // namespace

tl::expected<std::string, std::string> replace_in_zip(std::string_view archive, std::string_view content) {
  zip_error_t error;
  zip_error_init(&error);
  const Source source(zip_source_buffer_create(archive.data(), archive.size(), 0, &error));
  if (source == nullptr) return failure_of(error);
  // closing the archive releases one reference, and reading the result needs another
  zip_source_keep(source.get());
  Archive opened(zip_open_from_source(source.get(), 0, &error));
  if (opened == nullptr) {
    zip_source_free(source.get());
    return failure_of(error);
  }
  const auto entry = only_file(opened.get());
  if (!entry) return Failure("it does not hold exactly one file");
  if (const auto name = name_that_leads_out(opened.get()))
    return Failure(fmt::format(
        "its entry \"{}\" leads out of the folder that it is unpacked to; pack the model again, with its name alone",
        *name));
  if (!replace(opened.get(), *entry, content)) return Failure(zip_strerror(opened.get()));
  if (zip_close(opened.get()) != 0) return Failure(zip_strerror(opened.get()));
  static_cast<void>(opened.release());
  return content_of(source.get());
}

}  // namespace amalthea::exporter
