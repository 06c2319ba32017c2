// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a migration did, rule by rule, with places.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/editable_model.hpp"
#include "migration/release.hpp"

namespace amalthea::migration {

/// Where a rule did something.
struct Place {
  Location location;  ///< of the element it concerns, where that was in a file
  std::string path;   ///< "swModel/tasks/DASM", as it was then
  std::string what;   ///< "priority 3 became a scheduling parameter"; empty where the rule's name says it all
};

/// All that one rule did.
struct RuleRecord {
  std::string_view rule;
  Release to;
  std::size_t count = 0;
  std::ptrdiff_t objects = 0;  ///< how many more there are afterwards, or fewer
  std::vector<Place> places;   ///< the first of them, in document order of each pass of the rule
};

class Record {
 public:
  /// `places` of each rule are remembered; findings (content kept aside, changed meaning) go to `diagnostics`, as many
  /// of each kind and rule.
  explicit Record(Diagnostics& diagnostics, std::size_t places = 1000) : diagnostics_(diagnostics), places_(places) {}

  void begin(std::string_view rule, const Release& to);
  void changed(const Object& object, std::string_view what);
  /// AM0701: it stands in the custom property `key` of `holder` now.
  void kept(const Object& holder, const Location& location, std::string_view what, std::string_view key);
  /// That many objects came into being, or went if it is negative.
  void objects(std::ptrdiff_t added);
  /// AM0702.
  void altered(const Object& object, std::string_view what);

  /// How many places and findings of a rule are remembered.
  std::size_t places() const { return places_; }
  /// Those that did something, in the order in which they ran.
  const std::vector<RuleRecord>& rules() const { return rules_; }
  /// How much content had to be kept aside.
  std::size_t kept_count() const { return kept_; }
  /// How much does not mean exactly the same any more.
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
  std::size_t findings_ = 0;  // of the rule at hand
};

}  // namespace amalthea::migration
