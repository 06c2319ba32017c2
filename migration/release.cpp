// SPDX-License-Identifier: Apache-2.0
#include "migration/release.hpp"

#include <algorithm>

namespace amalthea::migration {
namespace {

constexpr std::pair<IteaRelease, std::string_view> itea_releases[] = {
    {IteaRelease::v1_1_0, "1.1.0"}, {IteaRelease::v1_2_0, "1.2.0"}, {IteaRelease::v1_3_0, "1.3.0"}};

}  // namespace

int Release::position() const {
  if (is_itea()) return static_cast<int>(itea) - static_cast<int>(IteaRelease::v1_1_0);
  return static_cast<int>(std::size(itea_releases)) + static_cast<int>(version);
}

std::string to_string(const Release& release) {
  for (const auto& [itea, name] : itea_releases)
    if (release.itea == itea) return "ITEA " + std::string(name);
  return std::string(to_string(release.version));
}

std::optional<Release> parse_release(std::string_view text) {
  for (const std::string_view prefix : {"itea-", "ITEA ", "itea "})
    if (text.starts_with(prefix))
      for (const auto& [itea, name] : itea_releases)
        if (text.substr(prefix.size()) == name) return Release(itea);
  if (const auto version = parse_version(text)) return Release(*version);
  return std::nullopt;
}

Release release_of(const Document& document) {
  return document.itea() == IteaRelease::none ? Release(document.version()) : Release(document.itea());
}

}  // namespace amalthea::migration
