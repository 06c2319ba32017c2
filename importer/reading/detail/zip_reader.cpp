// SPDX-License-Identifier: Apache-2.0
#include "importer/reading/detail/zip_reader.hpp"

#include <algorithm>
#include <memory>

#include <fmt/core.h>
#include <zip.h>
#include <tl/expected.hpp>

#include "amalthea/diagnostic.hpp"

namespace amalthea::importer {
namespace {

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

std::string message_of(zip_error_t& error) {
  std::string message = zip_error_strerror(&error);
  zip_error_fini(&error);
  return message;
}

/// The only entry that is a file, not a folder.
tl::expected<zip_uint64_t, std::string> only_file(zip_t* archive) {
  std::optional<zip_uint64_t> found;
  zip_uint64_t files = 0;
  const auto entries = static_cast<zip_uint64_t>(std::max<zip_int64_t>(zip_get_num_entries(archive, 0), 0));
  for (zip_uint64_t i = 0; i < entries; ++i) {
    const char* name = zip_get_name(archive, i, ZIP_FL_ENC_RAW);
    if (name == nullptr || std::string_view(name).ends_with('/')) continue;
    found = i;
    ++files;
  }
  if (files != 1) return tl::unexpected(fmt::format("it contains {} files; expected one model", files));
  return *found;
}

tl::expected<std::string, std::string> content_of(zip_t* archive, zip_uint64_t entry, std::uint64_t packed,
                                                  const Limits& limits) {
  const std::unique_ptr<zip_file_t, Discard> file(zip_fopen_index(archive, entry, 0));
  if (file == nullptr) return tl::unexpected(std::string(zip_strerror(archive)));
  const std::uint64_t max_by_size = std::min(limits.max_unpacked_size, limits.max_file_size);
  const std::uint64_t max_by_ratio = packed > max_by_size / std::max<std::uint64_t>(1, limits.max_unpacked_ratio)
                                         ? max_by_size
                                         : std::max(small_unpacked_size, packed * limits.max_unpacked_ratio);
  std::string content;
  // The sizes in the archive are not trusted, so the content is counted while it is unpacked.
  constexpr std::size_t step = 1U << 20U;
  while (true) {
    const std::size_t before = content.size();
    content.resize(before + step);
    const zip_int64_t got = zip_fread(file.get(), content.data() + before, step);
    if (got < 0) return tl::unexpected(std::string(zip_file_strerror(file.get())));
    content.resize(before + static_cast<std::size_t>(got));
    if (content.size() > max_by_size)
      return tl::unexpected(
          fmt::format("its content has at least {} bytes, more than the limit of {} ({})", content.size(), max_by_size,
                      limits.max_unpacked_size <= limits.max_file_size ? "--max-unpacked" : "--max-size"));
    if (content.size() > max_by_ratio)
      return tl::unexpected(fmt::format(
          "its content has at least {} bytes, {} times the {} bytes of the archive; more than {} bytes are "
          "limited to {} times (--max-ratio)",
          content.size(), (content.size() - 1) / packed + 1, packed, small_unpacked_size, limits.max_unpacked_ratio));
    if (got == 0) return content;
  }
}

tl::expected<std::string, std::string> read_archive(std::string_view bytes, const Limits& limits) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (source == nullptr) return tl::unexpected(message_of(error));
  const std::unique_ptr<zip_t, Discard> archive(zip_open_from_source(source, ZIP_RDONLY, &error));
  if (archive == nullptr) {
    zip_source_free(source);
    return tl::unexpected(message_of(error));
  }
  const auto entry = only_file(archive.get());
  if (!entry) return tl::unexpected(entry.error());
  return content_of(archive.get(), *entry, bytes.size(), limits);
}

}  // namespace

bool is_zip(std::string_view bytes) { return bytes.starts_with("PK\x03\x04"); }

std::optional<std::string> unzip(const std::string& path, std::string_view bytes, const Limits& limits,
                                 Diagnostics& diagnostics) {
  auto content = read_archive(bytes, limits);
  if (content) return std::move(*content);
  diagnostics.add("AM0113", Severity::error, fmt::format("the ZIP archive cannot be read: {}", content.error()),
                  {path});
  return std::nullopt;
}

}  // namespace amalthea::importer
