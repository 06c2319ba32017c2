// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The releases of AMALTHEA in the order of conversion: the three ITEA releases, then 0.7.0 to 3.3.0.

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "amalthea/element.hpp"

namespace amalthea::migration {

struct Release {
  IteaRelease itea = IteaRelease::none;
  Version version = oldest_version;  ///< for an ITEA release: 0.7.0, whose metamodel is used to read it

  Release() = default;
  // NOLINTBEGIN(google-explicit-constructor): either is a release
  constexpr Release(Version app4mc) : version(app4mc) {}
  constexpr Release(IteaRelease release) : itea(release) {}
  // NOLINTEND(google-explicit-constructor)

  bool is_itea() const { return itea != IteaRelease::none; }
  /// 0, 1, 2 for the ITEA releases, 3 for 0.7.0 and so on.
  int position() const;
  friend bool operator==(const Release& a, const Release& b) { return a.position() == b.position(); }
  friend auto operator<=>(const Release& a, const Release& b) { return a.position() <=> b.position(); }
};

/// "ITEA 1.2.0", "0.9.3".
std::string to_string(const Release& release);

/// "0.9.3", "itea-1.2.0", "ITEA 1.2.0"; nothing for any other text.
std::optional<Release> parse_release(std::string_view text);

Release release_of(const Document& document);

}  // namespace amalthea::migration
