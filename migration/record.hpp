// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A record of a migration by rule, with locations.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/editable_model.hpp"
#include "amalthea/location.hpp"
#include "migration/release.hpp"

namespace amalthea::migration {

/// An object that a rule changed.
struct ChangeSite {
  Location location;  ///< location of its element, if that was in a file
  std::string path;   ///< "swModel/tasks/DASM", at that time
  /// "priority 3 became a scheduling parameter"; empty if the name of the rule is sufficient
  std::string what;
};

/// All changes by one rule.
struct RuleRecord {
  std::string_view rule;
  Release to;
  std::size_t count = 0;
  std::ptrdiff_t objects = 0;      ///< number of objects added, or removed if negative
  std::vector<ChangeSite> places;  ///< the first ones, in document order of each pass of the rule
};

class Record {
 public:
  /// Keeps up to `places` for each rule. Findings (kept content, changed meaning) go to `diagnostics`, up to the same
  /// number for each kind and rule.
  explicit Record(Diagnostics& diagnostics, std::size_t places = 1000) : diagnostics_(diagnostics), places_(places) {}

  void begin(std::string_view rule, const Release& to);
  void changed(const Object& object, std::string_view what);
  /// AM0701: the content is now in the custom property `key` of `holder`.
  void kept(const Object& holder, const Location& location, std::string_view what, std::string_view key);
  /// Counts created objects, or removed ones if negative.
  void objects(std::ptrdiff_t added);
  /// AM0702.
  void altered(const Object& object, std::string_view what);

  /// Counts what the older release cannot hold (AM0710).
  void obstacles(std::size_t found) { obstacles_ += found; }

  /// How many places and findings of a rule are remembered.
  std::size_t places() const { return places_; }
  /// Those that did something, in the order in which they ran.
  const std::vector<RuleRecord>& rules() const { return rules_; }
  /// How much content is kept as custom properties.
  std::size_t kept_count() const { return kept_; }
  /// How much content the older release cannot hold; the conversion failed if there is any.
  std::size_t obstacle_count() const { return obstacles_; }
  /// How much content has a changed meaning.
  std::size_t altered_count() const { return altered_; }

 private:
  RuleRecord& at_hand();

  Diagnostics& diagnostics_;
  std::size_t places_;
  std::string_view rule_;
  Release to_;
  std::vector<RuleRecord> rules_;
  std::size_t kept_ = 0;
  std::size_t altered_ = 0;
  std::size_t obstacles_ = 0;
  std::size_t findings_ = 0;  // of the current rule
};

}  // namespace amalthea::migration
