// SPDX-License-Identifier: Apache-2.0
#include "migration/migration.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include <fmt/core.h>

#include "amalthea/attribute_value.hpp"
#include "amalthea/diagnostic.hpp"
#include "amalthea/emf_form.hpp"
#include "amalthea/identifier.hpp"
#include "migration/detail/itea_form.hpp"
#include "migration/detail/leftovers.hpp"
#include "migration/detail/references.hpp"
#include "migration/detail/root.hpp"
#include "migration/detail/steps.hpp"

namespace amalthea::migration {
namespace {

/// Releases with a new naming scheme for objects.
constexpr Version renaming_releases[] = {Version::v0_9_0, Version::v0_9_1, Version::v0_9_4, Version::v0_9_6};

bool names_change(const Release& from, const Release& to) {
  const int low = std::min(from.position(), to.position()), high = std::max(from.position(), to.position());
  return std::any_of(std::begin(renaming_releases), std::end(renaming_releases), [&](Version version) {
    return low < Release(version).position() && Release(version).position() <= high;
  });
}

/// Whether every class has the same features in both.
bool same_metamodel(Version one, Version other) {
  const auto same = [&](VersionSet versions) { return versions.contains(one) == versions.contains(other); };
  for (const ClassInfo& cls : metamodel::classes()) {
    if (!same(cls.versions) || !same(cls.abstract_in)) return false;
    for (const ClassRange& range : cls.lineages)
      if (!same(range.versions)) return false;
    for (const Feature& feature : cls.features)
      if (!same(feature.versions)) return false;
  }
  for (const EnumInfo& enumeration : metamodel::enums())
    for (const EnumLiteral& literal : enumeration.literals)
      if (!same(literal.versions)) return false;
  return true;
}

/// Updates references to objects that are named differently in the new release.
void rename_references(EditableModel& model, Version from, Version to) {
  std::unordered_map<std::string_view, std::string_view> renamed;
  model.for_each([&](Object& object) {
    const auto before = computed_id(object, from);
    const auto after = before ? computed_id(object, to) : std::nullopt;
    if (after && *after != *before) renamed.emplace(model.keep(*before), model.keep(*after));
  });
  if (!renamed.empty()) model.retarget(renamed);
}

void rename(Step& step, std::string_view cls, std::string_view attribute, std::string_view before,
            std::string_view after) {
  if (before.empty()) return;
  if (cls.empty())
    step.rename_class(before, after);
  else if (attribute.empty())
    step.rename_feature(cls, before, after);
  else
    step.rename_literal(cls, attribute, before, after);
}

void upgrade(EditableModel& model, const Release& from, const StepRules& rules, bool last, Record& record) {
  Step step(model, from, rules.to, record);
  for (const Rule& rule : rules.rules) {
    step.begin_rule(rule.name);
    for (const Renaming& one : rule.renamings) rename(step, one.cls, one.attribute, one.before, one.after);
    if (rule.apply != nullptr) rule.apply(step);
    step.end_rule();
  }
  if (rules.to.is_itea()) {  // there is no metamodel to ask, beside what 0.7.0 has
    step.begin_rule("content without a counterpart");
    keep_surplus(step);
    step.end_rule();
    return;
  }
  if (names_change(from, rules.to)) rename_references(model, from.version, rules.to.version);
  if (!last && !from.is_itea() && same_metamodel(from.version, rules.to.version)) return;
  step.begin_rule("content without a counterpart");
  keep_leftovers(step, last);
  step.end_rule();
}

/// Attributes with a redundant value are not an obstacle if the older release lacks them.
void drop_defaults(EditableModel& model, Version from, Version to) {
  model.for_each([&](Object& object) {
    if (object.cls() == no_class) return;
    std::vector<std::string_view> gone;
    for (const Field& field : object.fields()) {
      if (field.kind != FieldKind::value) continue;
      const std::string_view name = model.name(field.name);
      if (metamodel::find_feature(object.cls(), name, to) != nullptr) continue;
      const Feature* const feature = metamodel::find_feature(object.cls(), name, from);
      if (feature == nullptr || feature->kind != FeatureKind::attribute) continue;
      const auto value = written_value(*feature, from, field.text);
      if (value && value == default_value(*feature, from)) gone.push_back(name);
    }
    for (const std::string_view name : gone) object.unset(name);
  });
}

void downgrade(EditableModel& model, const StepRules& rules, const Release& to, Record& record) {
  Step step(model, rules.to, to, record);
  for (std::size_t i = rules.rules.size(); i-- > 0;) {
    const Rule& rule = rules.rules[i];
    if (rule.undo == nullptr) continue;
    step.begin_rule(rule.name);
    if (rule.undo == rename_back)
      for (const Renaming& one : rule.renamings) rename(step, one.cls, one.attribute, one.after, one.before);
    rule.undo(step);
    step.end_rule();
  }
  if (!to.is_itea()) drop_defaults(model, rules.to.version, to.version);
  if (!to.is_itea() && names_change(rules.to, to)) rename_references(model, rules.to.version, to.version);
}

/// In a file of 0.7.1 or later only the root has the old form, not its content.
void contain_late_roots(EditableModel& model, const Release& from, Record& record) {
  Step step(model, from, from, record);
  step.begin_rule("Amalthea is the root");
  contain_roots(step);
  step.end_rule();
}

bool take_steps(EditableModel& model, Release from, const Release& to, Record& record, Diagnostics& diagnostics) {
  const auto steps = all_steps();
  if (to >= from) {
    if (!from.is_itea()) {
      if (from.version > Version::v0_7_0) contain_late_roots(model, from, record);
      const Version structure = structure_of(model, from.version);
      if (structure != from.version) {
        diagnostics.add("AM0703", Severity::note,
                        fmt::format("has the structure of {} although it states {}; the conversion starts from {}",
                                    to_string(structure), to_string(from), to_string(structure)),
                        {model.files().front().path});
        from = structure;
      }
    }
    if (from < to || to.is_itea()) {
      Step step(model, from, from, record);
      step.begin_rule("content without a counterpart");
      keep_surplus(step);
      step.end_rule();
    }
    for (const StepRules& step : steps) {
      if (step.to <= from || step.to > to) continue;
      upgrade(model, from, step, step.to == to, record);
      from = step.to;
    }
  } else {
    for (std::size_t i = steps.size(); i-- > 0;) {
      if (steps[i].to > from || steps[i].to <= to) continue;
      const Release before = i == 0 ? Release(IteaRelease::v1_1_0) : steps[i - 1].to;
      downgrade(model, steps[i], before, record);
    }
    const std::size_t obstacles = find_obstacles(model, to.version, diagnostics);
    record.obstacles(obstacles);
    if (obstacles > 0) return false;
  }
  return true;
}

/// XML 1.0, which is written, has no way to say control characters other than tabs and line ends; XML 1.1 has. Returns
/// whether there are any.
bool find_unwritable(const EditableModel& model, Diagnostics& diagnostics, std::size_t most) {
  most = std::max(most, std::size_t{1});  // nothing is written, so something has to say why
  const auto unwritable = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  };
  std::size_t count = 0;
  model.for_each([&](const Object& object) {
    for (const Field& field : object.fields()) {
      const auto found = std::find_if(field.text.begin(), field.text.end(), unwritable);
      if (found == field.text.end() || ++count > most) continue;
      diagnostics.add(
          "AM0705", Severity::error,
          fmt::format("\"{}\" holds the control character U+{:04X}, which only XML 1.1 can hold; models are "
                      "written in XML 1.0; remove it",
                      model.name(field.name), static_cast<unsigned char>(*found)),
          object.location(), one_line(object.path()));
    }
  });
  return count > 0;
}

}  // namespace

std::string_view rule_summary(std::string_view rule) {
  for (const StepRules& step : all_steps())
    for (const Rule& candidate : step.rules)
      if (candidate.name == rule) return candidate.summary;
  return {};
}

bool migrate(EditableModel& model, Release from, Release to, Record& record, Diagnostics& diagnostics) {
  if (find_unwritable(model, diagnostics, record.places())) return false;
  model.keep_removed();
  const bool done = take_steps(model, from, to, record, diagnostics);
  if (done && !to.is_itea()) settle_references(model, to.version, diagnostics, record.places());
  model.forget_removed();
  return done;
}

std::string write(const Object& root, const Release& release) {
  std::string text;
  write(root, release, [&](std::string_view piece) { text += piece; });
  return text;
}

void write(const Object& root, const Release& release, const std::function<void(std::string_view)>& write) {
  if (release.is_itea())
    write(write_itea_form(root, release.itea));
  else
    write_emf_form(root, release.version, write);
}

}  // namespace amalthea::migration
