#include "importer/model_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "amalthea/source_text.hpp"
#include "importer/structure.hpp"
#include "importer/xml_reader.hpp"
#include "importer/zip_reader.hpp"

namespace amalthea::importer {
namespace {

namespace fs = std::filesystem;

/// Files that the paths stand for; false after an error.
bool expand(const std::string& path, std::vector<std::string>& files, Diagnostics& diagnostics) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    files.push_back(path);
    return true;
  }
  std::vector<std::string> found;
  for (auto entry = fs::directory_iterator(path, error); !error && entry != fs::directory_iterator();
       entry.increment(error))
    if (is_model_file_name(entry->path().string())) found.push_back(entry->path().string());
  if (error) {
    diagnostics.add("AM0101", Severity::error, fmt::format("cannot read the folder: {}", error.message()), {path});
    return false;
  }
  if (found.empty()) {
    diagnostics.add("AM0114", Severity::error, "the folder holds no .amxmi file", {path});
    return false;
  }
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
  return true;
}

std::unique_ptr<Document> read_document(std::string path, std::string bytes, const Limits& limits,
                                        Diagnostics& diagnostics) {
  if (bytes.empty()) {
    diagnostics.add("AM0115", Severity::error, "the file is empty; expected an AMALTHEA model", {path});
    return nullptr;
  }
  const bool zipped = is_zip(bytes);
  if (zipped) {
    auto content = unzip(path, bytes, limits, diagnostics);
    if (!content) return nullptr;
    bytes = std::move(*content);
  }
  auto document = read_xml(std::move(path), std::move(bytes), limits, diagnostics);
  if (zipped && document != nullptr) document->set_zipped();
  return document;
}

}  // namespace

std::optional<std::string> read_file(const std::string& path, const Limits& limits, Diagnostics& diagnostics) {
  const auto fail = [&](std::string message) {
    diagnostics.add("AM0116", Severity::error, std::move(message), {path});
    return std::nullopt;
  };
  std::error_code error;
  if (fs::is_directory(path, error)) return fail("this is a folder; expected a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(fmt::format("cannot open the file: {}", std::strerror(errno)));
  // The size is a hint only: the path may be a pipe, or the file may grow.
  const std::uintmax_t size = fs::file_size(path, error);
  std::size_t step = error ? std::size_t{1} << 20U : static_cast<std::size_t>(std::min(size, limits.max_file_size)) + 1;
  std::string bytes;
  while (file) {
    const std::size_t before = bytes.size();
    bytes.resize(before + step);
    file.read(bytes.data() + before, static_cast<std::streamsize>(step));
    bytes.resize(before + static_cast<std::size_t>(file.gcount()));
    if (bytes.size() > limits.max_file_size)
      return fail(fmt::format("the file is larger than the limit of {} bytes (--max-size)", limits.max_file_size));
    step = std::size_t{1} << 20U;
  }
  if (file.bad()) return fail("cannot read the file to its end");
  return bytes;
}

std::optional<Model> read_model(const std::vector<std::string>& paths, const Limits& limits, Diagnostics& diagnostics) {
  std::vector<std::string> files;
  for (const std::string& path : paths)
    if (!expand(path, files, diagnostics)) return std::nullopt;
  Model model;
  bool readable = true;
  std::set<fs::path> seen;
  for (const std::string& file : files) {
    std::error_code error;
    if (const fs::path canonical = fs::canonical(file, error); !error && !seen.insert(canonical).second)
      continue;  // given twice
    auto bytes = read_file(file, limits, diagnostics);
    auto document = bytes ? read_document(file, std::move(*bytes), limits, diagnostics) : nullptr;
    if (document == nullptr) {
      readable = false;
      continue;
    }
    model.add(std::move(document));
  }
  if (!readable) return std::nullopt;
  understand_structure(model, diagnostics);
  return model;
}

std::optional<Model> read_model_from_bytes(std::vector<NamedBytes> files, const Limits& limits,
                                           Diagnostics& diagnostics) {
  Model model;
  for (NamedBytes& file : files) {
    auto document = read_document(std::move(file.path), std::move(file.bytes), limits, diagnostics);
    if (document == nullptr) return std::nullopt;
    model.add(std::move(document));
  }
  understand_structure(model, diagnostics);
  return model;
}

std::optional<Model> read_model_from_bytes(std::string path, std::string bytes, const Limits& limits,
                                           Diagnostics& diagnostics) {
  std::vector<NamedBytes> files;
  files.push_back({std::move(path), std::move(bytes)});
  return read_model_from_bytes(std::move(files), limits, diagnostics);
}

}  // namespace amalthea::importer
