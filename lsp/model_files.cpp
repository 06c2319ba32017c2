// SPDX-License-Identifier: Apache-2.0
#include "lsp/model_files.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "amalthea/identifier.hpp"
#include "amalthea/source_text.hpp"
#include "importer/reading/file_bytes.hpp"

namespace amalthea::lsp {
namespace {

namespace fs = std::filesystem;

/// Beyond these, files of a folder are not considered: a folder of downloads is no model.
constexpr std::size_t max_files = 500;
constexpr std::uint64_t max_bytes = 500'000'000;

/// Calls visit(value) for every attribute that `mark` begins, which includes the opening quote.
template <typename Visit>
void for_each_value(std::string_view text, std::string_view mark, Visit visit) {
  for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at)) {
    at += mark.size();
    const std::size_t end = text.find('"', at);
    if (end == std::string_view::npos) return;
    visit(text.substr(at, end - at));
    at = end;
  }
}

/// "GPU" for "amlt:/#SoC/GPU?type=ProcessingUnit".
std::string last_name(std::string_view href) {
  const std::string id = id_of_href(href);
  std::string_view name = std::string_view(id).substr(0, id.rfind("?type="));
  if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos) name.remove_prefix(slash + 1);
  return decode_name(name);
}

/// Regular files with the name of a model, with their states, by path.
std::map<std::string, std::pair<std::string, std::uint64_t>> model_files_in(const std::string& folder) {
  std::map<std::string, std::pair<std::string, std::uint64_t>> files;
  std::error_code error;
  const fs::path canonical = fs::canonical(folder, error);
  if (error) return files;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string path = entry->path().string();
    std::error_code unknown;
    if (!is_model_file_name(path) || !entry->is_regular_file(unknown)) continue;
    if (entry->is_symlink(unknown) && fs::canonical(entry->path(), unknown).parent_path() != canonical) continue;
    const std::uint64_t size = entry->file_size(unknown);
    const auto time = entry->last_write_time(unknown).time_since_epoch().count();
    if (!unknown) files[path] = {fmt::format("{} {}", size, time), size};
    if (files.size() == max_files) break;
  }
  return files;
}

}  // namespace

FileLinks links_of(std::string_view text) {
  FileLinks links;
  std::set<std::string, std::less<>> files, elements;
  for_each_value(text, "href=\"", [&](std::string_view href) {
    const std::size_t hash = href.find('#');
    if (hash == std::string_view::npos || hash == 0) return;
    const std::string_view file = href.substr(0, hash);
    if (file.starts_with("amlt:"))
      elements.insert(last_name(href));
    else
      files.emplace(file.substr(file.rfind('/') + 1));
  });
  for_each_value(text, " name=\"", [&](std::string_view name) { links.own_names.emplace(name); });
  links.files.assign(files.begin(), files.end());
  for (const std::string& name : elements)
    if (!links.own_names.contains(name)) links.elements.push_back(name);
  return links;
}

std::vector<std::vector<SourceFile>> ModelFiles::groups(
    const std::map<std::string, std::shared_ptr<const std::string>>& open) {
  std::vector<SourceFile> files;
  std::vector<FileLinks> of_open;
  std::set<std::string> folders;
  for (const auto& [path, text] : open) {
    files.push_back({path, text, {}});
    of_open.push_back(links_of(*text));
    if (path.starts_with('/')) folders.insert(fs::path(path).parent_path().string());
  }
  std::map<std::string, Known> still_known;
  std::uint64_t bytes = 0;
  for (const std::string& folder : folders)
    for (auto& [path, state_and_size] : model_files_in(folder)) {
      auto& [state, size] = state_and_size;
      if (open.contains(path) || size > max_file_size_ || (bytes += size) > max_bytes) continue;
      auto known = on_disk_.find(path);
      if (known != on_disk_.end() && known->second.state == state) {
        still_known.insert(on_disk_.extract(known));
      } else if (const auto text = importer::read_bytes(path, max_file_size_)) {
        still_known.emplace(path, Known{state, links_of(*text)});
      } else {
        continue;
      }
      files.push_back({path, nullptr, state});
    }
  on_disk_ = std::move(still_known);

  const auto links = [&](std::size_t i) -> const FileLinks& {
    return i < of_open.size() ? of_open[i] : on_disk_.at(files[i].path).links;
  };
  const auto name_of = [&](std::size_t i) { return fs::path(files[i].path).filename().string(); };
  const auto refers = [&](std::size_t from, std::size_t to) {
    const FileLinks& link = links(from);
    return std::binary_search(link.files.begin(), link.files.end(), name_of(to)) ||
           std::any_of(link.elements.begin(), link.elements.end(),
                       [&](const std::string& name) { return links(to).own_names.contains(name); });
  };
  std::vector<std::size_t> group(files.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto join = [&](std::size_t one, std::size_t other) {
    for (std::size_t& of_file : group)
      if (of_file == one) of_file = other;
  };
  for (std::size_t from = 0; from < files.size(); ++from) {
    if (links(from).files.empty() && links(from).elements.empty()) continue;
    for (std::size_t to = 0; to < files.size(); ++to) {
      if (group[from] == group[to] || !files[from].path.starts_with('/')) continue;
      if (fs::path(files[from].path).parent_path() != fs::path(files[to].path).parent_path()) continue;
      if (refers(from, to)) join(group[to], group[from]);
    }
  }
  std::vector<std::vector<SourceFile>> result;
  std::set<std::size_t> done;
  for (std::size_t i = 0; i < of_open.size(); ++i) {
    if (!done.insert(group[i]).second) continue;
    std::vector<SourceFile> members;
    for (std::size_t j = 0; j < files.size(); ++j)
      if (group[j] == group[i]) members.push_back(files[j]);
    std::sort(members.begin(), members.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
    result.push_back(std::move(members));
  }
  return result;
}

}  // namespace amalthea::lsp
