// SPDX-License-Identifier: Apache-2.0
#include "batch/model_list.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <system_error>

#include <fmt/core.h>

#include "amalthea/identifier.hpp"
#include "amalthea/primitives/xml_text.hpp"
#include "amalthea/source_text.hpp"

namespace amalthea::batch {
namespace {

namespace fs = std::filesystem;

/// References of a file to others, found in its text; a file that is not XML, or is zipped, has none.
struct References {
  std::set<std::string> files;                 ///< by name
  std::set<std::string> names;                 ///< of elements, `amlt:`
  std::set<std::string, std::less<>> defined;  ///< names and ids of elements; only on demand
};

std::string text_of(const std::string& file, std::uint64_t max_bytes) {
  std::error_code error;
  if (fs::file_size(file, error) > max_bytes || error) return {};
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

/// Calls `found` with the value of every attribute whose name ends in `name`, as written.
template <typename Found>
void each_attribute(std::string_view text, std::string_view name, const Found& found) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at)) {
    at += name.size();
    if (at + 1 >= text.size() || text[at] != '=' || (text[at + 1] != '"' && text[at + 1] != '\'')) continue;
    const std::size_t end = text.find(text[at + 1], at + 2);
    if (end == text.npos) return;
    found(text.substr(at + 2, end - at - 2));
    at = end;
  }
}

/// The name at the end of a reference: "A/every+10ms?type=X" → "every 10ms".
std::string name_in(std::string_view fragment) {
  fragment = fragment.substr(0, fragment.find('?'));
  return decode_name(fragment.substr(fragment.rfind('/') + 1));
}

References references_in(std::string_view text) {
  References references;
  each_attribute(text, "href", [&](std::string_view value) {
    const std::size_t hash = value.find('#');
    if (hash == value.npos) return;
    const std::string_view document = value.substr(0, hash);
    if (document.starts_with("amlt:")) {
      references.names.insert(name_in(unescaped(value.substr(hash + 1))));
    } else if (!document.empty() && document.find(':') == document.npos) {
      references.files.emplace(document);
    }
  });
  return references;
}

/// Union of sets of files.
class Groups {
 public:
  explicit Groups(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
  std::size_t of(std::size_t item) {
    while (parent_[item] != item) item = parent_[item] = parent_[parent_[item]];
    return item;
  }
  void join(std::size_t a, std::size_t b) { parent_[std::max(of(a), of(b))] = std::min(of(a), of(b)); }

 private:
  std::vector<std::size_t> parent_;
};

/// Groups the files of one folder into models, sorted.
std::vector<ModelFiles> models_among(const std::vector<std::string>& files, std::uint64_t max_bytes) {
  if (files.size() == 1) return {files};
  std::vector<References> references;
  std::map<std::string, std::size_t> by_file_name;
  for (const std::string& file : files) {
    by_file_name.emplace(fs::path(file).filename().string(), references.size());
    references.push_back(references_in(text_of(file, max_bytes)));
  }
  const bool by_name = std::any_of(references.begin(), references.end(),
                                   [](const References& of_file) { return !of_file.names.empty(); });
  if (by_name)
    for (std::size_t i = 0; i < files.size(); ++i) {
      const std::string text = text_of(files[i], max_bytes);
      for (const std::string_view attribute : {" name", "xmi:id"})
        each_attribute(text, attribute, [&](std::string_view name) { references[i].defined.insert(unescaped(name)); });
    }
  Groups groups(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (const std::string& name : references[i].files)
      if (const auto other = by_file_name.find(name); other != by_file_name.end()) groups.join(i, other->second);
    // Of the missing names, takes as many as possible from one file, among equals the first: folders also contain
    // variants of a model.
    std::set<std::string> missing;
    for (const std::string& name : references[i].names)
      if (!references[i].defined.contains(name)) missing.insert(name);
    while (!missing.empty()) {
      std::size_t best = i, most = 0;
      for (std::size_t other = 0; other < files.size(); ++other) {
        const auto has =
            static_cast<std::size_t>(std::count_if(missing.begin(), missing.end(), [&](const std::string& name) {
              return references[other].defined.contains(name);
            }));
        if (has > most) {
          best = other;
          most = has;
        }
      }
      if (most == 0) break;  // no file has the rest
      groups.join(i, best);
      for (auto name = missing.begin(); name != missing.end();)
        name = references[best].defined.contains(*name) ? missing.erase(name) : std::next(name);
    }
  }
  std::map<std::size_t, ModelFiles> models;
  for (std::size_t i = 0; i < files.size(); ++i) models[groups.of(i)].push_back(files[i]);
  std::vector<ModelFiles> result;
  for (auto& [first, model] : models) result.push_back(std::move(model));
  return result;
}

/// By folder, at any depth; does not follow links to folders. Files that disappear meanwhile are ignored. Or the folder
/// that is unreadable.
tl::expected<void, std::string> collect_files(const fs::path& folder,
                                              std::map<std::string, std::vector<std::string>>& folders) {
  std::error_code error;
  std::vector<fs::path> below;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    std::error_code gone;
    if (entry->is_directory(gone) && !entry->is_symlink(gone))
      below.push_back(entry->path());
    else if (is_model_file_name(entry->path().string()) && entry->is_regular_file(gone))
      folders[folder.string()].push_back(entry->path().string());
  }
  if (error) return tl::unexpected(fmt::format("{}: {}", folder.string(), error.message()));
  for (const fs::path& deeper : below)
    if (auto collected = collect_files(deeper, folders); !collected) return collected;
  return {};
}

tl::expected<std::vector<ModelFiles>, std::string> models_below(const std::string& path, std::uint64_t max_bytes) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (!fs::exists(path, error)) return tl::unexpected(fmt::format("{}: there is no such file or folder", path));
    // Pipes can be read only once.
    if (!fs::is_regular_file(path, error))
      return tl::unexpected(fmt::format("{}: expected a regular file or a folder", path));
    return std::vector<ModelFiles>{{path}};
  }
  std::map<std::string, std::vector<std::string>> folders;
  if (const auto collected = collect_files(path, folders); !collected) return tl::unexpected(collected.error());
  std::vector<ModelFiles> models;
  for (auto& [folder, files] : folders) {
    std::sort(files.begin(), files.end());
    for (ModelFiles& model : models_among(files, max_bytes)) models.push_back(std::move(model));
  }
  std::sort(models.begin(), models.end());
  return models;
}

}  // namespace

tl::expected<std::vector<ModelFiles>, std::string> find_models(const std::vector<std::string>& paths,
                                                               std::uint64_t max_bytes) {
  std::vector<ModelFiles> models;
  std::set<ModelFiles> seen;
  for (const std::string& path : paths) {
    auto found = models_below(path, max_bytes);
    if (!found) return found;
    for (ModelFiles& model : *found)
      if (seen.insert(model).second) models.push_back(std::move(model));
  }
  return models;
}

tl::expected<std::vector<ModelFiles>, std::string> parse_manifest(std::string_view text) {
  std::vector<ModelFiles> models;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    ModelFiles files;
    while (true) {
      const std::size_t tab = std::min(line.find('\t'), line.size());
      if (tab == 0) return tl::unexpected(fmt::format("line {}: a file name is empty", number));
      files.emplace_back(line.substr(0, tab));
      if (tab == line.size()) break;
      line.remove_prefix(tab + 1);
    }
    models.push_back(std::move(files));
  }
  return models;
}

tl::expected<std::string, std::string> manifest_text(const std::vector<ModelFiles>& models) {
  std::string text;
  for (const ModelFiles& files : models)
    for (std::size_t i = 0; i < files.size(); ++i) {
      const auto separates = [](char c) { return c == '\t' || c == '\r' || c == '\n'; };
      if (std::any_of(files[i].begin(), files[i].end(), separates)) {
        std::string shown = files[i];
        std::replace_if(shown.begin(), shown.end(), separates, '?');
        return tl::unexpected(
            fmt::format("{}: a manifest cannot contain a file name with a tab or a line break", shown));
      }
      // A line that begins with # is ignored.
      text += fmt::format("{}{}{}", i == 0 && files[i].starts_with('#') ? "./" : "", files[i],
                          i + 1 < files.size() ? '\t' : '\n');
    }
  return text;
}

std::string title_of(const ModelFiles& files) {
  return files.size() == 1 ? files.front() : fmt::format("{} and {} more", files.front(), files.size() - 1);
}

}  // namespace amalthea::batch
