// SPDX-License-Identifier: Apache-2.0
#include "importer/reading/model_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "amalthea/primitives/ascii.hpp"
#include "amalthea/source_text.hpp"
#include "importer/reading/detail/foreign_content.hpp"
#include "importer/reading/detail/structure.hpp"
#include "importer/reading/detail/xml_reader.hpp"
#include "importer/reading/detail/zip_reader.hpp"
#include "importer/reading/file_bytes.hpp"

namespace amalthea::importer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view standard_input = "-";

/// For a folder without models: the models below it, or what to give instead.
std::string where_models_are(const std::string& folder) {
  constexpr int max_entries = 10'000;
  int entries = 0;
  std::vector<std::string> below, others;
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
       !error && entry != fs::recursive_directory_iterator() && entries < max_entries; entry.increment(error)) {
    ++entries;
    const std::string file = entry->path().string();
    if (is_model_file_name(file)) below.push_back(file);
    if (entry.depth() == 0 && (file.ends_with(".zip") || file.ends_with(".xml") || file.ends_with(".xmi")))
      others.push_back(file);
  }
  std::sort(below.begin(), below.end());
  std::sort(others.begin(), others.end());
  if (!below.empty())
    return fmt::format(
        "folders below it contain some, such as {}; pass that folder, or pass all of them to amalthea batch",
        below.front());
  if (!others.empty()) return fmt::format("if {} is a model, pass the file itself", others.front());
  return "pass a folder that contains some, or the model files";
}

/// Whether the file is a model by its name in another case, such as MODEL.AMXMI.
bool is_nearly_model_file_name(const std::string& file) { return is_model_file_name(lower_case(file)); }

/// Whether the file, whatever its name, begins like a model: XML that declares a namespace of AMALTHEA, or an archive
/// whose name tells of one.
bool begins_like_model(const std::string& file) {
  std::string start(4096, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(stream.gcount()));
  if (is_zip(start)) return lower_case(file).find(".amxmi") != std::string::npos;
  std::erase(start, '\0');  // UTF-16
  for (const std::string_view uri : {"://app4mc.eclipse.org/amalthea/", "://www.amalthea.itea2.org/"}) {
    const std::size_t at = start.find(uri);
    if (at == std::string::npos) continue;
    const std::size_t name = start.find_last_of(" \t\r\n", at);
    if (name != std::string::npos && start.compare(name + 1, 5, "xmlns") == 0) return true;
  }
  return false;
}

/// Reports models that a reader of the folder might expect to be part of the model: in folders below it, and with
/// another name than `….amxmi`.
void report_unread(const std::string& folder, Diagnostics& diagnostics) {
  constexpr int max_entries = 10'000;
  int entries = 0;
  std::vector<std::string> unread;
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
       !error && entry != fs::recursive_directory_iterator() && entries < max_entries; entry.increment(error)) {
    ++entries;
    std::error_code unknown;
    const std::string file = entry->path().string();
    if (entry->is_directory(unknown)) {
      if (entry->path().filename() == ".git") entry.disable_recursion_pending();
    } else if ((entry.depth() > 0 || !is_model_file_name(file)) && entry->is_regular_file(unknown) &&
               (is_nearly_model_file_name(file) || begins_like_model(file))) {
      unread.push_back(file);
    }
  }
  if (unread.empty()) return;
  std::sort(unread.begin(), unread.end());
  const bool one = unread.size() == 1;
  diagnostics.add("AM0481", Severity::note,
                  fmt::format("{}, because a model consists of the files *.amxmi of one folder; name {} on the command "
                              "line if {} to the model",
                              one ? std::string("this model file is not read")
                                  : fmt::format("this and {} more model files are not read", unread.size() - 1),
                              one ? "it" : "them", one ? "it belongs" : "they belong"),
                  {unread.front()}, {}, unread.size());
}

/// The files of the given paths; false after an error.
bool expand(const std::string& path, std::vector<std::string>& files, Diagnostics& diagnostics) {
  std::error_code error;
  if (path == standard_input || !fs::is_directory(path, error)) {
    files.push_back(path);
    return true;
  }
  std::vector<std::string> found;
  for (auto entry = fs::directory_iterator(path, error); !error && entry != fs::directory_iterator();
       entry.increment(error))
    if (const std::string file = entry->path().string(); is_model_file_name(file)) {
      std::error_code unknown;  // of a file that is gone, which reading it says
      const fs::file_status status = entry->status(unknown);
      if (!fs::exists(status) || fs::is_regular_file(status) || fs::is_directory(status))
        found.push_back(file);
      else
        diagnostics.add("AM0120", Severity::note,
                        "this is a pipe or a device and left out of its folder; to read it, name it", {file});
    }
  if (error) {
    diagnostics.add("AM0101", Severity::error, fmt::format("cannot read the folder: {}", error.message()), {path});
    return false;
  }
  if (found.empty()) {
    diagnostics.add("AM0114", Severity::error, "the folder contains no .amxmi file; " + where_models_are(path), {path});
    return false;
  }
  report_unread(path, diagnostics);
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
  if (const std::string foreign = foreign_content(path, bytes); !foreign.empty()) {
    diagnostics.add("AM0119", Severity::error, "the file is " + foreign, {path});
    return nullptr;
  }
  const bool zipped = is_zip(bytes);
  if (zipped) {
    auto content = unzip(path, bytes, limits, diagnostics);
    if (!content) return nullptr;
    bytes = std::move(*content);
  }
  auto document = read_xml(std::move(path), std::move(bytes), limits, diagnostics);
  // A model from standard input has no archive to be written to.
  if (zipped && document != nullptr && document->source().path() != standard_input_name) document->set_zipped();
  return document;
}

}  // namespace

std::optional<std::string> read_file(const std::string& path, const Limits& limits, Diagnostics& diagnostics) {
  const auto may_be_model = [](std::string_view name) { return is_model_file_name(name) || name.ends_with(".zip"); };
  auto bytes = read_bytes(path, limits.max_file_size, "--max-size", may_be_model);
  if (bytes) return std::move(*bytes);
  diagnostics.add("AM0116", Severity::error, bytes.error(), {path});
  return std::nullopt;
}

std::optional<Model> read_model(const std::vector<std::string>& paths, const Limits& limits, Diagnostics& diagnostics) {
  std::vector<std::string> files;
  for (const std::string& path : paths)
    if (!expand(path, files, diagnostics)) return std::nullopt;
  Model model;
  bool readable = true;
  std::set<fs::path> seen;
  for (const std::string& given : files) {
    const std::string file(given == standard_input ? standard_input_name : given);
    std::error_code error;
    fs::path canonical = fs::canonical(file, error);
    if (given == standard_input) {
      canonical = standard_input;
      error.clear();
    }
    if (!error && !seen.insert(canonical).second) continue;  // a duplicate
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
