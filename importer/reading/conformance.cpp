// SPDX-License-Identifier: Apache-2.0
#include "importer/reading/conformance.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>
#include <set>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "amalthea/identifier.hpp"
#include "amalthea/primitives/ascii.hpp"
#include "amalthea/primitives/by_class_and_name.hpp"
#include "amalthea/primitives/near_miss.hpp"
#include "amalthea/quantity.hpp"
#include "importer/reading/detail/structure.hpp"

namespace amalthea::importer {

const std::string_view missing_feature_id = "AM0222", missing_timing_feature_id = "AM0473";

namespace {

/// Classes of which the analysis needs all that the metamodel requires. What others lack is reported where it matters, or
/// does not affect timing.
constexpr std::array<std::string_view, 28> needed{"CustomProperty",
                                                  "SchedulingParameter",
                                                  "SchedulerAssociation",
                                                  "ConditionDisjunction",
                                                  "ConditionConjunction",
                                                  "ModeConditionDisjunction",
                                                  "ModeConditionConjunction",
                                                  "ModeValueDisjunction",
                                                  "ModeValueConjunction",
                                                  "ModeValueCondition",
                                                  "ModeLabelCondition",
                                                  "ModeCondition",
                                                  "SwitchEntry",
                                                  "ModeSwitchEntry",
                                                  "WhileLoop",
                                                  "HwAccessElement",
                                                  "HwAccessPath",
                                                  "HwAccessPathRef",
                                                  "AccessPathRef",
                                                  "PhysicalSectionMapping",
                                                  "MemoryMapping",
                                                  "AbstractElementMapping",
                                                  "NeedEntry",
                                                  "TaskAllocation",
                                                  "ISRAllocation",
                                                  "RunnableAllocation",
                                                  "SchedulerAllocation",
                                                  "CoreAllocation"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool all_digits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

std::string_view without_sign(std::string_view text) {
  return !text.empty() && (text.front() == '+' || text.front() == '-') ? text.substr(1) : text;
}

bool is_integer(std::string_view text) { return all_digits(without_sign(text)); }

/// An integer within [-limit - 1, limit].
bool is_integer_up_to(std::string_view text, std::uint64_t limit) {
  if (!is_integer(text)) return false;
  std::string_view digits = without_sign(text);
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  std::uint64_t value = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc{}) return false;
  return value <= limit + (text.front() == '-' ? 1U : 0U);
}

/// Like Java's Double.valueOf: surrounding blanks, suffix d or f, hexadecimal with an exponent, NaN and Infinity.
bool is_floating(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  text = without_sign(text);
  if (text == "NaN" || text == "Infinity") return true;
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  const auto take_digits = [&] {
    std::size_t count = 0;
    while (!text.empty() &&
           (hexadecimal ? std::string_view("0123456789abcdefABCDEF").find(text.front()) != std::string_view::npos
                        : is_digit(text.front()))) {
      text.remove_prefix(1);
      ++count;
    }
    return count;
  };
  std::size_t digits = take_digits();
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    digits += take_digits();
  }
  if (digits == 0) return false;
  const bool exponent =
      !text.empty() && std::string_view(hexadecimal ? "pP" : "eE").find(text.front()) != std::string_view::npos;
  if (hexadecimal && !exponent) return false;
  if (exponent) {
    text = without_sign(text.substr(1));
    std::size_t exponent_digits = 0;
    for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1)) ++exponent_digits;
    if (exponent_digits == 0) return false;
  }
  return text.empty() || (text.size() == 1 && std::string_view("dDfF").find(text.front()) != std::string_view::npos);
}

/// The form of a value of the type, for messages.
std::string_view expectation(std::string_view type) {
  if (type.starts_with("EInt")) return "an integer from -2147483648 to 2147483647";
  if (type.starts_with("ELong")) return "an integer of 64 bits";
  if (type.starts_with("EBigInteger")) return "an integer";
  if (type.starts_with("EDouble") || type.starts_with("EFloat")) return "a number such as 1.5";
  if (type.starts_with("EBoolean")) return "true or false";
  return "another value";
}

/// The Ecore type of a data type of AMALTHEA.
std::string_view ecore_type(std::string_view java_class) {
  if (java_class == "int") return "EInt";
  if (java_class == "long") return "ELong";
  if (java_class == "double") return "EDouble";
  if (java_class == "float") return "EFloat";
  if (java_class == "boolean") return "EBoolean";
  return "";
}

/// Whether a readable value is below the minimum of its data type.
bool below_minimum(const DataTypeForm& form, std::string_view text) {
  if (!form.has_minimum) return false;
  const double value = std::strtod(std::string(text).c_str(), nullptr);
  return form.minimum_exclusive ? !(value > form.minimum) : !(value >= form.minimum);
}

/// Attributes of these types have a value even if none is written.
bool has_value_when_unset(const Feature& feature) {
  if (feature.kind != FeatureKind::attribute) return false;
  if (feature.has_default || feature.enumeration != no_enum) return true;
  if (feature.data_type != no_data_type) return true;  // all of them represent int, long or double
  constexpr std::array<std::string_view, 5> primitive{"EInt", "ELong", "EDouble", "EFloat", "EBoolean"};
  return std::find(primitive.begin(), primitive.end(), feature.type_name) != primitive.end();
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 60;
  if (text.size() <= longest) return fmt::format("\"{}\"", text);
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not within a character
  return fmt::format("\"{}…\"", text.substr(0, end));
}

std::string_view article(std::string_view noun) {
  return !noun.empty() && std::string_view("AEIOaeio").find(noun.front()) != std::string_view::npos ? "an" : "a";
}

/// Findings up to a maximum number for each kind, since computing their locations takes time.
class ConformanceFindings {
 public:
  ConformanceFindings(Diagnostics& diagnostics, std::size_t most) : diagnostics_(diagnostics), most_(most) {}
  ConformanceFindings(const ConformanceFindings&) = delete;
  ConformanceFindings& operator=(const ConformanceFindings&) = delete;
  ~ConformanceFindings() {
    std::size_t more = 0;
    for (const auto& [id, count] : counts_) more += count > most_ ? count - most_ : 0;
    if (more > 0)
      diagnostics_.add("AM0229", Severity::warning,
                       fmt::format("{} more findings about values and features are not listed", more));
  }

  /// Later findings wait until they are kept or dropped.
  void mark() {
    marked_ = counts_;
    other_version_ = false;
  }
  void keep() {
    for (Diagnostic& finding : waiting_)
      diagnostics_.add(finding.id, finding.severity, std::move(finding.message), std::move(finding.location),
                       std::move(finding.path));
    waiting_.clear();
  }
  void drop() {
    counts_ = marked_;
    waiting_.clear();
  }

  /// A value, at the attribute where it is written.
  void illegal_value(Element element, std::string_view attribute, std::string_view value, std::string_view expected) {
    add("AM0220", Severity::error, element, attribute, [&] {
      return fmt::format("{} of {} is {}; expected {}", attribute, name_of(element), quoted(value), expected);
    });
  }
  void too_small(Element element, std::string_view attribute, std::string_view value, const DataTypeForm& form) {
    add("AM0221", Severity::error, element, attribute, [&] {
      return fmt::format("{} of {} is {}; expected a value {} {}", attribute, name_of(element), quoted(value),
                         form.minimum_exclusive ? "above" : "of at least", form.minimum);
    });
  }
  void missing(Element element, std::string_view feature) {
    if (std::find(needed.begin(), needed.end(), element.class_name()) != needed.end())
      // All of them, since each one leaves something else open.
      waiting_.push_back({std::string(missing_timing_feature_id), Severity::warning,
                          fmt::format("{} has no {}, which is required; add it", name_of(element), feature),
                          element.location(), element.path(), 1});
    else
      add(missing_feature_id, Severity::warning, element, "",
          [&] { return fmt::format("{} has no {}, which is required; add it", name_of(element), feature); });
  }
  void too_many(Element element, std::string_view feature, std::size_t written, int allowed) {
    add("AM0223", Severity::error, element, feature, [&] {
      return fmt::format("{} of {} is given {} times; expected at most {}", feature, name_of(element), written,
                         allowed);
    });
  }
  void wrong_class(Element element, std::string message) {
    add("AM0224", Severity::error, element, "xsi:type", [&] { return std::move(message); });
  }
  /// Content of other versions.
  void other_version(Element element, std::string_view attribute, std::string what, VersionSet versions,
                     Version version) {
    other_version_ = true;
    add("AM0225", Severity::error, element, attribute, [&] {
      const Version stated = element.document().version();
      return fmt::format(
          "{} of AMALTHEA {}, but the file states {}{}; correct the namespace, or migrate the model", what,
          describe(versions), to_string(stated),
          version == stated ? "" : fmt::format(" and otherwise has the structure of {}", to_string(version)));
    });
  }
  void repeated(Element element, std::string_view feature, std::string_view id) {
    add("AM0226", Severity::warning, element, feature,
        [&] { return fmt::format("{} of {} references {} twice; remove one", feature, name_of(element), quoted(id)); });
  }
  bool has_other_version() const { return other_version_; }
  void content_as_attribute(Element element, std::string_view feature) {
    add("AM0230", Severity::error, element, feature, [&] {
      return fmt::format("{} of {} {} is written as an attribute; expected elements <{}>", feature,
                         article(element.class_name()), element.class_name(), feature);
    });
  }
  template <typename Place>
  void misplaced(Element element, Place place, std::string message) {
    add_at("AM0227", Severity::warning, element, place, [&] { return std::move(message); });
  }
  void second_xmi_id(Element element, std::string_view id, Element first) {
    add("AM0228", Severity::warning, element, "xmi:id", [&] {
      return fmt::format(
          "a second element has the xmi:id {}; references resolve to the last one, not to the one at line {}; change "
          "one of them",
          quoted(id), first.location().line);
    });
  }

 private:
  static std::string name_of(Element element) {
    return element.name().empty() ? fmt::format("{} {}", article(element.class_name()), element.class_name())
                                  : fmt::format("{} {}", element.class_name(), quoted(element.name()));
  }

  template <typename Message>
  void add(std::string_view id, Severity severity, Element element, std::string_view attribute, Message message) {
    const auto place = [&] { return attribute.empty() ? element.location() : element.attribute_location(attribute); };
    add_at(id, severity, element, place, message);
  }
  template <typename Place, typename Message>
  void add_at(std::string_view id, Severity severity, Element element, Place place, Message message) {
    if (++counts_[id] <= most_) waiting_.push_back({std::string(id), severity, message(), place(), element.path(), 1});
  }

  Diagnostics& diagnostics_;
  std::size_t most_;
  std::unordered_map<std::string_view, std::size_t> counts_, marked_;
  std::vector<Diagnostic> waiting_;
  bool other_version_ = false;
};

/// The meaning of a tag or attribute name in a class of the document's version.
struct Meaning {
  const Feature* feature = nullptr;  ///< in this version
  VersionSet elsewhere;              ///< versions that have it, if this one does not
};

class Checker {
 public:
  Checker(const Model& model, const Document& document, Version version, ConformanceFindings& findings)
      : document_(document), version_(version), findings_(findings), meanings_(document) {
    for (const Model::Dangling& dangling : model.dangling())
      if (dangling.likely && dangling.element.document().position() == document.position())
        dangling_.emplace(dangling.element.index(), dangling.feature);
  }

  void run() {
    for (std::uint32_t i = 0; i < document_.size(); ++i)
      if (const Element element = document_.element(i); element.cls()) check(element);
  }

 private:
  struct ClassFacts {
    bool exists = false;
    std::vector<const Feature*> required;  ///< features without a value when unset
  };

  const ClassFacts& facts(ClassId cls) {
    const auto known = classes_.find(static_cast<std::uint16_t>(cls));
    if (known != classes_.end()) return known->second;
    ClassFacts facts;
    facts.exists = metamodel::exists(cls, version_);
    if (facts.exists)
      for (const Feature* feature : metamodel::all_features(cls, version_))
        // A part of a way to a memory that is another way states nothing else.
        if ((feature->required() || feature->name == "ref") && feature->stored() && !has_value_when_unset(*feature))
          facts.required.push_back(feature);
    return classes_.emplace(static_cast<std::uint16_t>(cls), std::move(facts)).first->second;
  }

  Meaning meaning(ClassId cls, NameId name) {
    return meanings_.find(cls, name, [&] {
      Meaning meaning{metamodel::find_feature(cls, document_.name(name), version_), {}};
      if (meaning.feature == nullptr) {
        std::uint32_t bits = 0;
        for (const Version version : all_versions())
          if (metamodel::find_feature(cls, document_.name(name), version) != nullptr)
            bits |= 1U << static_cast<unsigned>(version);
        meaning.elsewhere = VersionSet::from_bits(bits);
      }
      return meaning;
    });
  }

  void check(Element element) {
    const ClassId cls = *element.cls();
    check_class(element, cls);
    check_xmi_id(element);
    check_text(element);
    const ClassFacts& class_facts = facts(cls);
    if (!class_facts.exists) return;  // its features belong to other versions; reported once, for the class
    written_.clear();
    foreign_ = false;
    check_attributes(element, cls);
    check_children(element, cls);
    for (const auto& [feature, count] : written_)
      if (feature->upper >= 0 && count > static_cast<std::size_t>(feature->upper) && !is_dangling(element, *feature))
        findings_.too_many(element, feature->name, count, feature->upper);
    if (foreign_) return;  // a missing feature may exist under the name of another version, or misspelled
    for (const Feature* feature : class_facts.required)
      if (count_of(*feature) == 0) findings_.missing(element, feature->name);
  }

  void check_class(Element element, ClassId cls) {
    const ClassInfo& info = metamodel::info(cls);
    if (!info.versions.contains(version_)) {
      findings_.other_version(element, "xsi:type", fmt::format("{} is a class", info.name), info.versions, version_);
      return;
    }
    const auto written = element.attribute("xsi:type");
    if (metamodel::is_abstract(cls, version_)) {
      findings_.wrong_class(
          element,
          written
              ? fmt::format(
                    "{} {} cannot appear in a model, because the class is abstract; expected one of its subclasses",
                    article(info.name), info.name)
              : fmt::format("the element <{}> does not state its class; expected an xsi:type, because {} is abstract",
                            element.tag(), info.name));
      return;
    }
    if (written) check_prefix(element, *written);
    const Element parent = element.parent();
    if (!parent || !parent.cls()) return;
    const Feature* feature = meaning(*parent.cls(), element.record().tag).feature;
    if (feature == nullptr) return;
    if (feature->type != no_class && !metamodel::is_a(cls, feature->type, version_)) {
      findings_.wrong_class(
          element, fmt::format("{} {} cannot be one of the {} of {} {}; expected {} {}", article(info.name), info.name,
                               element.tag(), article(parent.class_name()), parent.class_name(),
                               article(metamodel::info(feature->type).name), metamodel::info(feature->type).name));
    }
  }

  /// xsi:type="am:Task": the prefix must be declared in this file.
  void check_prefix(Element element, std::string_view type) {
    const auto colon = type.find(':');
    const std::string_view prefix = colon == std::string_view::npos ? "" : type.substr(0, colon);
    if (prefix == document_.metamodel_prefix()) return;
    auto [known, added] = prefixes_.emplace(std::string(prefix), false);
    if (added) {
      const std::string declaration = prefix.empty() ? "xmlns=" : fmt::format("xmlns:{}=", prefix);
      known->second = document_.source().encoding() != Encoding::ascii_superset ||
                      document_.source().bytes().find(declaration) != std::string_view::npos;
    }
    if (!known->second)
      findings_.wrong_class(element,
                            fmt::format("xsi:type {} has a prefix that this file does not declare; expected \"{}:{}\"",
                                        quoted(type), document_.metamodel_prefix(), element.class_name()));
  }

  void check_xmi_id(Element element) {
    const auto id = element.attribute("xmi:id");
    if (!id) return;
    // The table of the document has the last element with the id.
    if (document_.xmi_ids().find(*id) == element.index() && !xmi_ids_.contains(*id)) return;
    const auto [before, added] = xmi_ids_.emplace(*id, element);
    if (added) return;
    // reading reports others
    if (element.name().empty()) findings_.second_xmi_id(element, *id, before->second);
    before->second = element;
  }

  /// Between the tags of an element, only blanks, comments and processing instructions may be beside other elements.
  void check_text(Element element) {
    const ElementRecord& record = element.record();
    if (record.self_closing()) return;
    std::uint32_t at = element.start_tag().end;
    for (const Element child : element.children()) {
      if (check_gap(element, at, child.record().begin)) return;
      at = child.span().end;
    }
    check_gap(element, at, record.close_begin);
  }

  /// Returns whether there is text, which is then reported.
  bool check_gap(Element element, std::uint32_t at, std::uint32_t end) {
    const SourceText& source = document_.source();
    const std::uint32_t unit = source.unit();
    const auto starts_with = [&](std::uint32_t from, std::string_view text) {
      for (const char c : text) {
        if (from + unit > end || source.ascii_at(from) != c) return false;
        from += unit;
      }
      return true;
    };
    while (at + unit <= end) {
      const char c = source.ascii_at(at);
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        at += unit;
        continue;
      }
      const std::string_view closing = starts_with(at, "<!--") ? "-->" : starts_with(at, "<?") ? "?>" : "";
      if (closing.empty()) {
        findings_.misplaced(
            element, [&] { return source.location(at); },
            fmt::format("text between the tags of {} {}; expected elements only", article(element.class_name()),
                        element.class_name()));
        return true;
      }
      at += unit * static_cast<std::uint32_t>(closing.size() == 3 ? 4 : 2);
      while (at + unit <= end && !starts_with(at, closing)) at += unit;
      at += unit * static_cast<std::uint32_t>(closing.size());
    }
    return false;
  }

  void check_attributes(Element element, ClassId cls) {
    const ElementRecord& record = element.record();
    for (std::uint32_t a = 0; a < record.attribute_count; ++a) {
      const AttributeRecord& attribute = document_.attribute(record.first_attribute + a);
      const std::string_view name = document_.name(attribute.name());
      if (name.find_first_of(":{") != std::string_view::npos)
        continue;  // xsi:type, xmi:id, xmi:version, xsi:schemaLocation
      const Meaning here = meaning(cls, attribute.name());
      if (here.feature == nullptr) {
        foreign_ = true;
        if (here.elsewhere.empty()) continue;  // already reported as unknown
        findings_.other_version(
            element, name,
            fmt::format("{} is an attribute of {} {}", name, article(element.class_name()), element.class_name()),
            here.elsewhere, version_);
        continue;
      }
      const std::string_view value = document_.value(attribute);
      switch (here.feature->kind) {
        case FeatureKind::attribute:
          count_of(*here.feature) += name == "key" && value.find_first_not_of(" \t\r\n") == value.npos ? 0 : 1;
          check_value(element, *here.feature, value);
          break;
        case FeatureKind::reference:
          if (!here.feature->stored()) {
            findings_.misplaced(
                element, [&] { return element.attribute_location(name); },
                fmt::format("{} of {} {} is a computed value and cannot appear in a file; remove it", name,
                            article(element.class_name()), element.class_name()));
            break;
          }
          check_references(element, *here.feature, value);
          break;
        case FeatureKind::containment:
          findings_.content_as_attribute(element, name);
          ++count_of(*here.feature);
          break;
      }
    }
  }

  void check_value(Element element, const Feature& feature, std::string_view value) {
    if (feature.enumeration != no_enum) {
      check_literal(element, feature, value);
      return;
    }
    if (feature.data_type == no_data_type) {
      if (!is_value_of(feature.type_name, value))
        findings_.illegal_value(element, feature.name, value, expectation(feature.type_name));
      return;
    }
    const DataTypeForm* form = metamodel::info(feature.data_type).form_in(version_);
    if (form == nullptr) return;
    if (feature.type_name == "Address") {
      if (!is_address(value)) findings_.illegal_value(element, feature.name, value, "an address such as 0x1f or 31");
    } else if (!is_value_of(ecore_type(form->java_class), value)) {
      findings_.illegal_value(element, feature.name, value, expectation(ecore_type(form->java_class)));
    } else if (below_minimum(*form, value)) {
      findings_.too_small(element, feature.name, value, *form);
    }
  }

  void check_literal(Element element, const Feature& feature, std::string_view value) {
    const EnumInfo& info = metamodel::info(feature.enumeration);
    if (info.has_literal(value, version_)) return;
    std::uint32_t bits = 0;
    for (const EnumLiteral& literal : info.literals)
      if (literal.text == value) bits |= literal.versions.bits();
    if (bits != 0) {
      findings_.other_version(element, feature.name, fmt::format("{} is a {}", quoted(value), info.name),
                              VersionSet::from_bits(bits), version_);
      return;
    }
    std::string literals;
    for (const std::string_view literal : info.literals_in(version_))
      if (literal != "_undefined_")  // the same as no value
        literals += fmt::format("{}{}", literals.empty() ? "" : ", ", literal);
    findings_.illegal_value(element, feature.name, value,
                            "one of " + literals + did_you_mean(value, info.literals_in(version_)));
  }

  void check_references(Element element, const Feature& feature, std::string_view tokens) {
    if (tokens.find(' ') == std::string_view::npos) {
      count_of(feature) += tokens.empty() ? 0 : 1;
      return;
    }
    std::size_t count = 0;
    std::unordered_set<std::string_view> seen;
    for_each_token(tokens, [&](std::string_view token, std::size_t) {
      ++count;
      if (!seen.insert(token).second) findings_.repeated(element, feature.name, token);
    });
    count_of(feature) += count;
  }

  void check_children(Element element, ClassId cls) {
    if (!hrefs_.empty()) hrefs_.clear();  // clearing takes as long as the largest element so far
    for (const Element child : element.children()) {
      const Meaning here = meaning(cls, child.record().tag);
      if (here.feature == nullptr) {
        foreign_ = true;
        if (here.elsewhere.empty()) continue;  // already reported as unknown
        findings_.other_version(child, "",
                                fmt::format("<{}> is an element of {} {}", child.tag(), article(element.class_name()),
                                            element.class_name()),
                                here.elsewhere, version_);
        continue;
      }
      ++count_of(*here.feature);
      if (here.feature->kind == FeatureKind::attribute && document_.source().unit() == 1)
        check_value(element, *here.feature, document_.source().text({child.start_tag().end, child.end_tag().begin}));
      if (here.feature->kind != FeatureKind::reference) continue;
      const auto href = child.attribute("href");
      if (!href)
        findings_.misplaced(
            child, [&] { return child.location(); },
            fmt::format("<{}> of {} {} is a reference, not a containment; expected an attribute or an href",
                        child.tag(), article(element.class_name()), element.class_name()));
      else if (here.feature->type != no_class && !child.attribute("xsi:type") &&
               metamodel::is_abstract(here.feature->type, version_))
        findings_.wrong_class(child, fmt::format("the reference <{}> does not state the class of its target; expected "
                                                 "an xsi:type, because {} is abstract",
                                                 child.tag(), metamodel::info(here.feature->type).name));
      else if (!hrefs_.insert(fmt::format("{} {}", child.tag(), *href)).second)
        findings_.repeated(element, here.feature->name, *href);
    }
  }

  /// Reading reports misspelled references with a suggestion; a name with a blank looks like two of them.
  bool is_dangling(Element element, const Feature& feature) const {
    return dangling_.contains({element.index(), feature.name});
  }

  /// How often a feature of the current element is written. An element has few distinct ones.
  std::size_t& count_of(const Feature& feature) {
    for (auto& [known, count] : written_)
      if (known == &feature) return count;
    written_.emplace_back(&feature, 0);
    return written_.back().second;
  }

  const Document& document_;
  const Version version_;
  ConformanceFindings& findings_;
  std::set<std::pair<std::uint32_t, std::string_view>> dangling_;  ///< element and feature
  std::unordered_map<std::uint16_t, ClassFacts> classes_;
  ByClassAndName<Meaning> meanings_;
  std::unordered_map<std::string, bool> prefixes_;
  std::unordered_map<std::string_view, Element> xmi_ids_;  ///< that several elements have
  // For the current element:
  std::vector<std::pair<const Feature*, std::size_t>> written_;
  std::unordered_set<std::string> hrefs_;
  bool foreign_ = false;
};

}  // namespace

bool is_value_of(std::string_view type, std::string_view text) {
  if (type.ends_with("Object") && type != "EObject") type.remove_suffix(6);
  if (type == "EIntegerObject" || type == "EInteger" || type == "EInt")
    return is_integer_up_to(text, std::numeric_limits<std::int32_t>::max());
  if (type == "ELong") return is_integer_up_to(text, std::numeric_limits<std::int64_t>::max());
  if (type == "EBigInteger") return is_integer(text);
  if (type == "EDouble" || type == "EFloat") return is_floating(text);
  if (type == "EBoolean") return equal_ignoring_case(text, "true") || equal_ignoring_case(text, "false");
  return true;
}

bool is_address(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  } else if (text.starts_with("#")) {
    text.remove_prefix(1);
    base = 16;
  } else if (text.size() > 1 && text.front() == '0') {
    text.remove_prefix(1);
    base = 8;
  }
  if (text.empty()) return false;
  std::uint64_t value = 0;
  for (const char c : text) {
    const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    const int digit = is_digit(c) ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 16;
    if (digit >= base) return false;
    const auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (value > (limit - static_cast<std::uint64_t>(digit)) / static_cast<std::uint64_t>(base)) return false;
    value = value * static_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(digit);
  }
  return true;
}

std::string describe(VersionSet versions) {
  std::vector<std::string> ranges;
  std::optional<Version> first;
  std::optional<Version> last;
  const auto close = [&] {
    if (!first) return;
    ranges.push_back(*first == *last ? std::string(to_string(*first))
                                     : fmt::format("{} to {}", to_string(*first), to_string(*last)));
    first.reset();
  };
  for (const Version version : all_versions()) {
    if (!versions.contains(version)) {
      close();
      continue;
    }
    if (!first) first = version;
    last = version;
  }
  close();
  std::string text;
  for (std::size_t i = 0; i < ranges.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == ranges.size() ? " and " : ", ", ranges[i]);
  return text;
}

void check_conformance(const Model& model, Diagnostics& diagnostics, std::size_t most) {
  for (ConformanceFindings findings(diagnostics, most); const auto& document : model.documents()) {
    if (document->itea() != IteaRelease::none) continue;
    findings.mark();
    Checker(model, *document, document->version(), findings).run();
    if (findings.has_other_version())
      if (const auto version = version_of_cycle(*document)) {
        findings.drop();
        Checker(model, *document, *version, findings).run();
      }
    findings.keep();
  }
}

}  // namespace amalthea::importer
