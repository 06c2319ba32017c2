// SPDX-License-Identifier: Apache-2.0
#include "migration/record.hpp"

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"

namespace amalthea::migration {

void Record::begin(std::string_view rule, const Release& to) {
  rule_ = rule;
  to_ = to;
  findings_ = 0;
}

RuleRecord& Record::at_hand() {
  if (rules_.empty() || rules_.back().rule != rule_ || rules_.back().to != to_)
    rules_.push_back({rule_, to_, 0, 0, {}});
  return rules_.back();
}

void Record::changed(const Object& object, std::string_view what) {
  RuleRecord& rule = at_hand();
  if (++rule.count <= places_) rule.places.push_back({object.location(), object.path(), std::string(what)});
}

void Record::kept(const Object& holder, const Location& location, std::string_view what, std::string_view key) {
  RuleRecord& rule = at_hand();
  ++kept_;
  const std::string text = fmt::format("{} is kept as the custom property \"{}\"", what, key);
  if (++rule.count <= places_) rule.places.push_back({location, holder.path(), text});
  if (++findings_ <= places_)
    diagnostics_.add("AM0701", Severity::warning,
                     fmt::format("{} has no counterpart for {}; it becomes the custom property \"{}\"", to_string(to_),
                                 what, one_line(key)),
                     location, holder.path());
}

void Record::objects(std::ptrdiff_t added) {
  if (added != 0) at_hand().objects += added;
}

void Record::altered(const Object& object, std::string_view what) {
  changed(object, what);
  ++altered_;
  if (++findings_ <= places_)
    diagnostics_.add("AM0702", Severity::warning, fmt::format("in {}, {}", to_string(to_), what), object.location(),
                     object.path());
}

}  // namespace amalthea::migration
