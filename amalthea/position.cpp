// SPDX-License-Identifier: Apache-2.0
#include "amalthea/position.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "amalthea/primitives/itea.hpp"

namespace amalthea {
namespace {

struct Step {
  std::string_view tag;
  std::size_t index = 0;
};

/// "@tasks.3" → {"tasks", 3}
std::optional<Step> parse_step(std::string_view text) {
  if (text.size() < 2 || text.front() != '@') return std::nullopt;
  text.remove_prefix(1);
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos) return Step{text};
  Step step{text.substr(0, dot)};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + dot + 1, end, step.index);
  return error == std::errc() && stop == end ? std::optional(step) : std::nullopt;
}

/// Follows a position from the root; `child(parent, step)` returns the next element.
template <typename Child>
Element follow(const Document& document, std::string_view position, Child child) {
  if (!position.starts_with('/') || document.size() == 0) return {};
  position.remove_prefix(1);
  // The first segment selects the root; a model has one, written as nothing or as 0.
  std::size_t end = std::min(position.find('/'), position.size());
  if (const std::string_view root = position.substr(0, end); !root.empty() && root != "0") return {};
  Element at = document.root();
  while (at && end < position.size()) {
    position.remove_prefix(end + 1);
    end = std::min(position.find('/'), position.size());
    auto step = parse_step(position.substr(0, end));
    if (step && document.itea() != IteaRelease::none) step->tag = itea_feature(step->tag);
    at = step ? child(at, *step) : Element{};
  }
  return at;
}

}  // namespace

Element at_position(const Document& document, std::string_view position) {
  return follow(document, position, [](Element parent, const Step& step) {
    std::size_t left = step.index;
    for (const Element child : parent.children())
      if (child.tag() == step.tag && left-- == 0) return child;
    return Element{};
  });
}

Element PositionFinder::find(std::string_view position) {
  return follow(document_, position, [this](Element parent, const Step& step) {
    const auto tag = document_.find_name(step.tag);
    if (!tag) return Element{};
    const auto key = (static_cast<std::uint64_t>(parent.index()) << 32U) | static_cast<std::uint32_t>(*tag);
    const auto [entry, is_new] = children_.try_emplace(key);
    if (is_new)
      for (const Element child : parent.children())
        if (child.record().tag == *tag) entry->second.push_back(child.index());
    return step.index < entry->second.size() ? document_.element(entry->second[step.index]) : Element{};
  });
}

}  // namespace amalthea
