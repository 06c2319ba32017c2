// SPDX-License-Identifier: Apache-2.0
#include "importer/reading/detail/likely_target.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "amalthea/identifier.hpp"
#include "amalthea/primitives/near_miss.hpp"

namespace amalthea::importer {
namespace {

/// Whether one path is the other without its first parts: "port" and "GPU/port".
bool is_end_of_path(std::string_view end, std::string_view path) {
  return path.size() > end.size() && path.ends_with(end) && path[path.size() - end.size() - 1] == '/';
}

}  // namespace

std::string path_of_reference(std::string_view written) {
  const std::string id = id_of_href(written);
  return decode_name(std::string_view(id).substr(0, id.rfind("?type=")));
}

const std::vector<LikelyTargets::Candidate>& LikelyTargets::candidates(ClassId type) {
  const auto [entry, added] = candidates_.try_emplace(type);
  std::vector<Candidate>& list = entry->second;
  if (!added) return list;
  for (const auto& document : model_.documents()) {
    if (document->itea() != IteaRelease::none) continue;  // ids have another form there
    for (std::uint32_t i = 0; i < document->size() && list.size() < NearMisses::max_compared; ++i) {
      const Element element = document->element(i);
      if (!element.cls() || element.name().empty()) continue;
      if (type != no_class && !fits_(*element.cls(), type)) continue;
      if (auto id = computed_id(element)) {
        std::string path = path_of_reference(*id);
        list.push_back({element, std::move(*id), std::move(path)});
      }
    }
  }
  return list;
}

LikelyTarget LikelyTargets::search(Element holder, std::string_view written, ClassId type) {
  const std::string path = path_of_reference(written);
  // Positions and UUIDs have no similar names.
  if (path.empty() || path.starts_with('/') || (path.starts_with('_') && written.find("?type=") == written.npos))
    return {};
  const bool any_file = written.find('#') != std::string_view::npos;
  for (const bool elsewhere : {false, true}) {
    if (elsewhere && (any_file || model_.documents().size() < 2)) break;
    NearMisses near(path);
    compared_ += candidates(type).size();
    for (const Candidate& candidate : candidates(type)) {
      const bool here = any_file || candidate.element.document().position() == holder.document().position();
      if (here == elsewhere) continue;
      if (is_end_of_path(path, candidate.path) || is_end_of_path(candidate.path, path))
        near.offer(std::size_t{0}, candidate.id);
      else
        near.offer(candidate.path, candidate.id);
    }
    if (near.nearest().empty()) continue;
    const std::string_view first = near.nearest().front();
    const auto& list = candidates(type);
    const auto found = std::find_if(list.begin(), list.end(),
                                    [&](const Candidate& candidate) { return candidate.id.data() == first.data(); });
    if (elsewhere)
      return {found->element,
              fmt::format("; did you mean \"{}\" in {}? Reference it with a child element that has href=\"amlt:/#{}\"",
                          first, found->element.document().source().path(), first)};
    return {found->element, near.suggestion()};
  }
  return {};
}

const LikelyTarget& LikelyTargets::find(Element holder, std::string_view written, ClassId type) {
  static const LikelyTarget none;
  const auto key = std::pair(type, fmt::format("{} {}", holder.document().position(), written));
  if (const auto known = found_.find(key); known != found_.end()) return known->second;
  if (found_.size() == max_searched || compared_ >= max_compared) return none;
  return found_.emplace(key, search(holder, written, type)).first->second;
}

Element LikelyTargets::unknown_element(std::string_view written) {
  if (!unknown_read_) {
    unknown_read_ = true;
    for (const auto& document : model_.documents())
      for (std::uint32_t i = 1; i < document->size(); ++i)
        if (const Element element = document->element(i); !element.cls() && !element.name().empty())
          unknown_.emplace(element.name(), element);
  }
  if (unknown_.empty()) return {};
  const std::string path = path_of_reference(written);
  const auto found = unknown_.find(std::string_view(path).substr(path.rfind('/') + 1));
  return found == unknown_.end() ? Element{} : found->second;
}

}  // namespace amalthea::importer
