// SPDX-License-Identifier: Apache-2.0
#include "amalthea/metamodel.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/test_models.hpp"

namespace metamodel_test {

using namespace amalthea;

namespace {

ClassId class_named(std::string_view name) {
  const auto found = metamodel::find_class(name);
  if (!found) throw std::invalid_argument("no class " + std::string(name));
  return *found;
}

const Feature& feature_of(std::string_view class_name, std::string_view name, Version version) {
  const Feature* found = metamodel::find_feature(class_named(class_name), name, version);
  if (found == nullptr) throw std::invalid_argument("no feature " + std::string(name));
  return *found;
}

std::vector<std::string> names_of(std::span<const ClassId> classes) {
  std::vector<std::string> result;
  for (const ClassId id : classes) result.emplace_back(metamodel::info(id).name);
  return result;
}

std::vector<std::string> names_of(const std::vector<const Feature*>& features) {
  std::vector<std::string> result;
  for (const Feature* feature : features) result.emplace_back(feature->name);
  return result;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("versions have a text and a namespace and an order", "[metamodel]") {
  CHECK(all_versions().size() == version_count);
  CHECK(version_count == 27);
  CHECK(to_string(oldest_version) == "0.7.0");
  CHECK(to_string(Version::v0_9_6) == "0.9.6");
  CHECK(to_string(newest_version) == "3.3.0");
  for (const Version version : all_versions()) CHECK(parse_version(to_string(version)) == version);
  CHECK_FALSE(parse_version("0.9.10"));
  CHECK_FALSE(parse_version("0.9.3 "));
  CHECK_FALSE(parse_version(""));
  CHECK(namespace_uri(Version::v0_9_3) == "http://app4mc.eclipse.org/amalthea/0.9.3");
  CHECK(Version::v0_9_9 < Version::v1_0_0);
}

TEST_CASE("a version set knows its members and its first and last version", "[metamodel]") {
  constexpr VersionSet none;
  static_assert(none.empty() && none.size() == 0);
  constexpr VersionSet some = VersionSet::from_bits(0b10110);
  static_assert(some.size() == 3);
  static_assert(some.first() == Version::v0_7_1 && some.last() == Version::v0_8_1);
  static_assert(some.contains(Version::v0_7_2) && !some.contains(Version::v0_8_0));
  CHECK(some == VersionSet::from_bits(some.bits()));
}

// The numbers of the AMALTHEA versions, counted in their Ecore files. Attributes
// are those that are not derived; cross references are the stored ones, without
// transient references and the way back to a container.
TEST_CASE("the metamodel table has the right number of entries for each version", "[metamodel]") {
  struct Row {
    const char* version;
    int classes, concrete, referable, enums, data_types;
    int attributes, defaults, containments, cross_references, many;
  };
  const Row rows[] = {
      {"0.7.0", 307, 240, 86, 36, 0, 146, 2, 219, 125, 24},   {"0.7.1", 315, 245, 88, 42, 0, 158, 2, 231, 130, 31},
      {"0.7.2", 319, 249, 91, 47, 0, 172, 89, 233, 136, 29},  {"0.8.0", 316, 248, 94, 48, 0, 176, 89, 243, 138, 33},
      {"0.8.1", 335, 259, 95, 49, 0, 171, 80, 251, 140, 36},  {"0.8.2", 343, 266, 96, 52, 0, 175, 80, 255, 144, 36},
      {"0.8.3", 348, 269, 97, 53, 1, 176, 82, 265, 145, 35},  {"0.9.0", 342, 262, 89, 55, 1, 175, 80, 275, 142, 37},
      {"0.9.1", 343, 264, 91, 56, 1, 170, 81, 280, 147, 40},  {"0.9.2", 343, 264, 91, 57, 2, 173, 83, 280, 147, 40},
      {"0.9.3", 366, 278, 91, 57, 4, 199, 101, 278, 147, 40}, {"0.9.4", 370, 280, 92, 59, 4, 205, 102, 277, 144, 40},
      {"0.9.5", 364, 275, 91, 60, 7, 203, 99, 273, 143, 40},  {"0.9.7", 377, 281, 95, 61, 7, 200, 102, 278, 151, 40},
      {"0.9.8", 377, 281, 95, 61, 7, 200, 102, 278, 151, 40}, {"0.9.9", 377, 281, 95, 61, 7, 200, 102, 278, 151, 40},
      {"1.0.0", 372, 277, 95, 61, 7, 200, 102, 274, 148, 40}, {"1.1.0", 372, 277, 95, 61, 7, 200, 102, 274, 148, 40},
      {"1.2.0", 375, 279, 95, 61, 7, 201, 103, 275, 148, 40}, {"2.0.0", 360, 266, 97, 62, 7, 204, 107, 275, 153, 42},
      {"2.1.0", 373, 277, 99, 64, 7, 210, 108, 280, 164, 42}, {"2.2.0", 373, 277, 99, 64, 7, 210, 108, 280, 164, 42},
      {"3.0.0", 366, 272, 99, 64, 7, 211, 109, 273, 166, 42}, {"3.1.0", 366, 272, 99, 64, 7, 211, 109, 273, 166, 42},
      {"3.2.0", 366, 272, 99, 64, 7, 211, 109, 273, 166, 42}, {"3.3.0", 366, 272, 99, 64, 7, 211, 109, 273, 166, 42},
  };
  for (const Row& row : rows) {
    CAPTURE(row.version);
    const Version version = parse_version(row.version).value();
    Row count{row.version, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    for (const ClassInfo& one : metamodel::classes()) {
      if (!one.versions.contains(version)) continue;
      ++count.classes;
      if (!metamodel::is_abstract(one.id, version)) {
        ++count.concrete;
        if (metamodel::is_referable(one.id, version)) ++count.referable;
      }
      for (const Feature& feature : one.features) {
        if (!feature.versions.contains(version)) continue;
        if (feature.kind == FeatureKind::attribute && !feature.derived) {
          ++count.attributes;
          if (feature.has_default) ++count.defaults;
        } else if (feature.kind == FeatureKind::containment) {
          ++count.containments;
        } else if (feature.kind == FeatureKind::reference && feature.stored()) {
          ++count.cross_references;
          if (feature.many()) ++count.many;
        }
      }
    }
    for (const EnumInfo& one : metamodel::enums()) count.enums += one.versions.contains(version);
    for (const DataTypeInfo& one : metamodel::data_types()) count.data_types += one.versions.contains(version);
    CHECK(count.classes == row.classes);
    CHECK(count.concrete == row.concrete);
    CHECK(count.referable == row.referable);
    CHECK(count.enums == row.enums);
    CHECK(count.data_types == row.data_types);
    CHECK(count.attributes == row.attributes);
    CHECK(count.defaults == row.defaults);
    CHECK(count.containments == row.containments);
    CHECK(count.cross_references == row.cross_references);
    CHECK(count.many == row.many);
  }
}

TEST_CASE("ids are table positions in the order of names", "[metamodel]") {
  std::size_t at = 0;
  std::string_view before;
  for (const ClassInfo& one : metamodel::classes()) {
    CHECK(static_cast<std::size_t>(one.id) == at++);
    CHECK(before < one.name);
    before = one.name;
    CHECK(metamodel::find_class(one.name) == one.id);
    CHECK(&metamodel::info(one.id) == &one);
    CHECK_FALSE(one.versions.empty());
    for (const Feature& feature : one.features) CHECK(feature.owner == one.id);
  }
  for (const EnumInfo& one : metamodel::enums()) {
    CHECK(metamodel::find_enum(one.name) == &one);
    CHECK(&metamodel::info(one.id) == &one);
  }
  for (const DataTypeInfo& one : metamodel::data_types()) {
    CHECK(metamodel::find_data_type(one.name) == &one);
    CHECK(&metamodel::info(one.id) == &one);
  }
  CHECK_FALSE(metamodel::find_class("NoSuchClass"));
  CHECK_FALSE(metamodel::find_class(""));
  CHECK(metamodel::find_enum("ZZZ") == nullptr);
  CHECK(metamodel::find_data_type("EInt") == nullptr);
}

TEST_CASE("each feature refers to its kind of type", "[metamodel]") {
  for (const ClassInfo& one : metamodel::classes()) {
    for (const Feature& feature : one.features) {
      CAPTURE(one.name, feature.name);
      if (feature.kind == FeatureKind::attribute) {
        CHECK(feature.type == no_class);
        CHECK_FALSE(feature.many());
      } else {
        CHECK((feature.type == no_class) == (feature.type_name == "EObject"));
        CHECK(feature.enumeration == no_enum);
        CHECK(feature.data_type == no_data_type);
      }
      if (feature.type != no_class) CHECK(metamodel::info(feature.type).name == feature.type_name);
      if (feature.enumeration != no_enum) CHECK(metamodel::info(feature.enumeration).name == feature.type_name);
      if (feature.data_type != no_data_type) CHECK(metamodel::info(feature.data_type).name == feature.type_name);
      if (feature.derived) CHECK_FALSE(feature.stored());
    }
  }
}

TEST_CASE("existence and inheritance of a class depend on the version", "[metamodel]") {
  const ClassId runnable = class_named("Runnable");
  const ClassId memory_element = class_named("AbstractMemoryElement");
  CHECK_FALSE(metamodel::is_a(runnable, memory_element, Version::v0_7_2));
  CHECK(metamodel::is_a(runnable, memory_element, Version::v0_8_0));
  CHECK(metamodel::is_a(runnable, runnable, Version::v0_7_0));
  CHECK_FALSE(metamodel::is_a(memory_element, runnable, newest_version));
  CHECK(names_of(metamodel::supertypes(runnable, newest_version)) ==
        Names{"AbstractMemoryElement", "IExecutable", "INamespaceMember"});

  const ClassId core = class_named("Core");
  CHECK(metamodel::exists(core, Version::v0_8_3));
  CHECK_FALSE(metamodel::exists(core, Version::v0_9_0));
  // Not even of itself where it does not exist.
  CHECK_FALSE(metamodel::is_a(core, core, Version::v0_9_0));
  CHECK(metamodel::lineage(core, Version::v0_9_0).empty());
  CHECK(metamodel::all_features(core, Version::v0_9_0).empty());
  CHECK_FALSE(metamodel::is_abstract(core, Version::v0_9_0));

  CHECK(metamodel::is_abstract(class_named("Stimulus"), newest_version));
  CHECK(metamodel::is_abstract(class_named("IReferable"), newest_version));
  CHECK_FALSE(metamodel::is_abstract(runnable, newest_version));
  // EventConfig became concrete in 0.7.2.
  CHECK(metamodel::is_abstract(class_named("EventConfig"), Version::v0_7_1));
  CHECK_FALSE(metamodel::is_abstract(class_named("EventConfig"), Version::v0_7_2));
}

TEST_CASE("only subclasses of IReferable can be referred to", "[metamodel]") {
  for (const char* name : {"Task", "Runnable", "Label", "ProcessingUnit", "HwPort", "ModeLiteral"})
    CHECK(metamodel::is_referable(class_named(name), newest_version));
  for (const char* name : {"OperatingSystem", "Group", "HwAccessElement", "TaskAllocation", "Amalthea"})
    CHECK_FALSE(metamodel::is_referable(class_named(name), newest_version));
  CHECK(feature_of("Task", "uniqueName", newest_version).id);
  CHECK_FALSE(feature_of("Task", "uniqueName", newest_version).stored());
  CHECK_FALSE(feature_of("Task", "name", newest_version).id);
}

TEST_CASE("a name can be a class in one version and an enum in another", "[metamodel]") {
  const ClassId memory_type = class_named("MemoryType");
  const EnumInfo* const other = metamodel::find_enum("MemoryType");
  REQUIRE(other != nullptr);
  CHECK(metamodel::info(memory_type).versions.last() == Version::v0_8_3);
  CHECK(other->versions.first() == Version::v0_9_2);
}

TEST_CASE("map entries are marked as map entries", "[metamodel]") {
  std::set<std::string_view> found;
  for (const ClassInfo& one : metamodel::classes()) {
    if (one.map_entry) found.insert(one.name);
  }
  CHECK(found == std::set<std::string_view>{"CustomProperty", "ExecutionNeedExtended", "InterfaceChannel",
                                            "ModeValueMapEntry", "NeedEntry", "ParameterExtension",
                                            "RunnableInstructionsEntry", "SchedulingParameter", "TicksEntry"});
}

TEST_CASE("a feature is found as defined in its version", "[metamodel]") {
  const Feature& old_type = feature_of("Label", "dataType", Version::v2_2_0);
  CHECK(old_type.kind == FeatureKind::containment);
  CHECK(old_type.type == class_named("DataType"));
  const Feature& new_type = feature_of("Label", "dataType", Version::v3_0_0);
  CHECK(new_type.kind == FeatureKind::reference);
  CHECK(new_type.type_name == "TypeDefinition");

  const Feature& constant = feature_of("Label", "constant", Version::v0_7_2);
  CHECK(constant.has_default);
  CHECK(constant.default_literal == "false");
  CHECK_FALSE(feature_of("Label", "constant", Version::v0_7_1).has_default);

  const Feature& preemption = feature_of("Task", "preemption", newest_version);
  CHECK(preemption.enumeration == metamodel::find_enum("Preemption")->id);
  CHECK(preemption.lower == 0);
  CHECK(preemption.upper == 1);

  // Inherited from INamed.
  CHECK(metamodel::info(feature_of("Task", "name", newest_version).owner).name == "INamed");
  CHECK(metamodel::find_feature(class_named("Task"), "nome", newest_version) == nullptr);

  const Feature& stimuli = feature_of("Task", "stimuli", newest_version);
  CHECK(stimuli.many());
  CHECK(stimuli.upper == -1);
  CHECK_FALSE(stimuli.required());
  const Feature& scope = feature_of("EventChainSynchronizationConstraint", "scope", newest_version);
  CHECK(scope.many());
  CHECK(scope.required());
  CHECK(scope.lower == 2);
  CHECK(scope.upper == 2);

  const Feature& back = feature_of("ModeLiteral", "containingMode", newest_version);
  CHECK(back.container);
  CHECK(back.opposite == "literals");
  CHECK_FALSE(back.stored());
  CHECK_FALSE(back.changeable);
  CHECK(feature_of("EnumMode", "literals", newest_version).opposite == "containingMode");
  CHECK_FALSE(feature_of("EnumMode", "literals", newest_version).container);

  // A type parameter of 0.9.3 and 0.9.4 is EObject.
  CHECK(feature_of("ProbabilitySwitchEntry", "items", Version::v0_9_4).type == no_class);
}

TEST_CASE("reading by structure finds the feature in the nearest version", "[metamodel]") {
  const ClassId runnable = class_named("Runnable");
  const auto nearest = [&](std::string_view name, Version version) {
    return metamodel::find_feature_any_version(runnable, name, version);
  };
  CHECK(nearest("callGraph", Version::v0_9_5) == metamodel::find_feature(runnable, "callGraph", Version::v0_9_5));
  CHECK(nearest("callGraph", Version::v3_3_0) == metamodel::find_feature(runnable, "callGraph", Version::v0_9_6));
  CHECK(nearest("runnableItems", Version::v1_0_0) ==
        metamodel::find_feature(runnable, "runnableItems", Version::v0_9_4));
  CHECK(nearest("activityGraph", Version::v0_7_0) ==
        metamodel::find_feature(runnable, "activityGraph", Version::v0_9_6));
  CHECK(nearest("noSuchFeature", Version::v1_0_0) == nullptr);

  // The class itself may be one of another version.
  CHECK(metamodel::find_feature_any_version(class_named("Core"), "lockstepGroup", newest_version) ==
        metamodel::find_feature(class_named("Core"), "lockstepGroup", Version::v0_8_3));
}

TEST_CASE("0.9.6 has the content of its neighboring versions", "[metamodel]") {
  const ClassId runnable = class_named("Runnable");
  CHECK(metamodel::find_feature(runnable, "callGraph", Version::v0_9_6) != nullptr);
  CHECK(metamodel::find_feature(runnable, "activityGraph", Version::v0_9_6) != nullptr);
  for (const ClassInfo& one : metamodel::classes()) {
    CAPTURE(one.name);
    const bool older = one.versions.contains(Version::v0_9_5);
    const bool newer = one.versions.contains(Version::v0_9_7);
    CHECK(one.versions.contains(Version::v0_9_6) == (older || newer));
    for (const Feature& feature : one.features) {
      CAPTURE(feature.name);
      if (feature.versions.contains(Version::v0_9_7)) CHECK(feature.versions.contains(Version::v0_9_6));
      if (feature.versions.contains(Version::v0_9_6)) {
        const bool neighbour = feature.versions.contains(Version::v0_9_5) || feature.versions.contains(Version::v0_9_7);
        CHECK(neighbour);
      }
    }
  }
}

TEST_CASE("all features are returned in the order of writing", "[metamodel]") {
  CHECK(names_of(metamodel::all_features(class_named("TaskAllocation"), Version::v1_0_0)) ==
        Names{"customProperties", "task", "scheduler", "affinity", "schedulingParameters", "parameterExtensions"});
  // Two own features that changed places between 0.7.1 and 0.7.2.
  const auto position = [](std::string_view name, Version version) {
    const Names names = names_of(metamodel::all_features(class_named("Amalthea"), version));
    return std::find(names.begin(), names.end(), name) - names.begin();
  };
  CHECK(position("constraintsModel", Version::v0_7_1) < position("eventModel", Version::v0_7_1));
  CHECK(position("constraintsModel", Version::v0_7_2) > position("eventModel", Version::v0_7_2));
}

TEST_CASE("an enum has its literals in order", "[metamodel]") {
  const EnumInfo& asil = *metamodel::find_enum("ASILType");
  CHECK(asil.literals_in(newest_version) == std::vector<std::string_view>{"_undefined_", "D", "C", "B", "A", "QM"});
  CHECK(asil.literals_in(Version::v0_7_0).empty());
  CHECK(asil.default_literal(newest_version) == "_undefined_");
  CHECK(asil.default_literal(Version::v0_7_0).empty());
  CHECK(asil.has_literal("QM", Version::v0_7_1));
  CHECK_FALSE(asil.has_literal("QM", Version::v0_7_0));
  CHECK_FALSE(asil.has_literal("qm", newest_version));

  // The text counts, not the name of the literal.
  const EnumInfo& sampling = *metamodel::find_enum("SamplingType");
  CHECK(sampling.default_literal(Version::v1_0_0) == "default");
  CHECK_FALSE(sampling.has_literal("_default_", Version::v1_0_0));
  CHECK(sampling.literals_in(Version::v1_0_0) == sampling.literals_in(Version::v0_9_5));

  const EnumInfo& preemption = *metamodel::find_enum("Preemption");
  CHECK(preemption.has_literal("unknown", Version::v0_7_1));
  CHECK_FALSE(preemption.has_literal("unknown", Version::v0_7_2));
  CHECK(preemption.has_literal("non_preemptive", Version::v0_7_2));
}

TEST_CASE("a data type has its limits", "[metamodel]") {
  const DataTypeInfo& positive = *metamodel::find_data_type("PositiveInt");
  CHECK(positive.form_in(Version::v0_9_1) == nullptr);
  CHECK_FALSE(positive.form_in(Version::v0_9_2)->has_minimum);
  const DataTypeForm& form = *positive.form_in(newest_version);
  CHECK(form.java_class == "int");
  CHECK(form.has_minimum);
  CHECK(form.minimum_exclusive);
  CHECK(form.minimum == 0);
  CHECK_FALSE(metamodel::find_data_type("Address")->form_in(newest_version)->minimum_exclusive);
}

// ---------------------------------------------------------------------------
// Comparison with the Ecore files, in both directions. Both sides are written as
// the same kind of text, one block of lines for each class, enum and data type;
// equal texts mean that nothing is missing and nothing is too much.

namespace {

/// An XML element without its text; all that an Ecore file needs.
struct EcoreElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::vector<EcoreElement> children;

  std::string get(const std::string& key, const std::string& otherwise = {}) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? otherwise : found->second;
  }
  bool is(const std::string& key) const { return get(key) == "true"; }
};

/// Reads one element; `at` is just behind its '<'. Knows no comments and no
/// entities, as no name in these files needs them.
EcoreElement read_element(const std::string& text, std::size_t& at) {
  EcoreElement element;
  std::size_t end = text.find_first_of(" \t\r\n/>", at);
  element.name = text.substr(at, end - at);
  for (;;) {
    at = text.find_first_not_of(" \t\r\n", end);
    if (text.at(at) == '/') {
      at += 2;
      return element;
    }
    if (text.at(at) == '>') break;
    const std::size_t equals = text.find('=', at);
    const std::size_t close = text.find(text.at(equals + 1), equals + 2);
    element.attributes[text.substr(at, equals - at)] = text.substr(equals + 2, close - equals - 2);
    end = close + 1;
  }
  for (;;) {
    at = text.find('<', at);
    if (at == std::string::npos) throw std::runtime_error("unclosed " + element.name);
    ++at;
    if (text.at(at) == '/') {
      at = text.find('>', at) + 1;
      return element;
    }
    element.children.push_back(read_element(text, at));
  }
}

EcoreElement read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream buffer;
  buffer << in.rdbuf();
  const std::string text = buffer.str();
  std::size_t at = text.find("<ecore:EPackage") + 1;
  return read_element(text, at);
}

std::string after_hash(const std::string& reference) { return reference.substr(reference.rfind("#//") + 3); }

/// "class X" / "enum X" / "datatype X" -> its lines
using Blocks = std::map<std::string, std::vector<std::string>>;

std::string feature_line(const std::string& kind, const std::string& name, const std::string& type,
                         const std::string& lower, const std::string& upper, const std::string& default_text,
                         const std::vector<std::string>& flags, const std::string& opposite) {
  std::string line = kind + " " + name + " " + type + " " + lower + ".." + upper + " default:" + default_text;
  for (const std::string& flag : flags) line += " " + flag;
  return line + " opposite:" + opposite;
}

std::string feature_line(const EcoreElement& element) {
  const bool attribute = element.get("xsi:type") == "ecore:EAttribute";
  std::string type = element.get("eType");
  for (const EcoreElement& child : element.children) {
    // An unbounded type parameter is erased to EObject.
    if (child.name == "eGenericType") type = child.get("eClassifier", "#//EObject");
  }
  const bool has_default = element.attributes.contains("defaultValueLiteral");
  std::vector<std::string> flags;
  if (element.is("iD")) flags.emplace_back("id");
  if (element.is("derived")) flags.emplace_back("derived");
  if (element.is("transient")) flags.emplace_back("transient");
  if (element.is("volatile")) flags.emplace_back("volatile");
  if (element.get("changeable") == "false") flags.emplace_back("unchangeable");
  std::string opposite = element.get("eOpposite");
  if (!opposite.empty()) opposite = after_hash(opposite);
  return feature_line(attribute                   ? "attribute"
                      : element.is("containment") ? "containment"
                                                  : "reference",
                      element.get("name"), after_hash(type), element.get("lowerBound", "0"),
                      element.get("upperBound", "1"),
                      has_default ? "'" + element.get("defaultValueLiteral") + "'" : "none", flags, opposite);
}

std::string feature_line(const Feature& feature) {
  const char* const kinds[] = {"attribute", "reference", "containment"};
  std::vector<std::string> flags;
  if (feature.id) flags.emplace_back("id");
  if (feature.derived) flags.emplace_back("derived");
  if (feature.transient) flags.emplace_back("transient");
  if (feature.is_volatile) flags.emplace_back("volatile");
  if (!feature.changeable) flags.emplace_back("unchangeable");
  std::string opposite(feature.opposite);
  if (!opposite.empty()) opposite = std::string(feature.type_name) + "/" + opposite;
  return feature_line(kinds[static_cast<std::size_t>(feature.kind)], std::string(feature.name),
                      std::string(feature.type_name), std::to_string(feature.lower), std::to_string(feature.upper),
                      feature.has_default ? "'" + std::string(feature.default_literal) + "'" : "none", flags, opposite);
}

std::string join(const Names& names) {
  std::string result;
  for (const std::string& name : names) result += " " + name;
  return result;
}

Names supertype_names(const EcoreElement& classifier) {
  Names result;
  std::istringstream stream(classifier.get("eSuperTypes"));
  for (std::string one; stream >> one;) result.push_back(after_hash(one));
  return result;
}

Blocks blocks_of(const EcoreElement& package) {
  Blocks result;
  for (const EcoreElement& one : package.children) {
    if (one.name != "eClassifiers") continue;
    const std::string name = one.get("name");
    const std::string kind = one.get("xsi:type");
    std::vector<std::string> lines;
    if (kind == "ecore:EDataType") {
      std::string line = one.get("instanceClassName");
      for (const EcoreElement& annotation : one.children) {
        for (const EcoreElement& detail : annotation.children) {
          if (detail.get("key") == "minInclusive") line += " >=" + detail.get("value");
          if (detail.get("key") == "minExclusive") line += " >" + detail.get("value");
        }
      }
      lines.push_back(line);
      result["datatype " + name] = lines;
    } else if (kind == "ecore:EEnum") {
      for (const EcoreElement& literal : one.children) {
        if (literal.name != "eLiterals") continue;
        lines.push_back(literal.get("literal", literal.get("name")) + " named " + literal.get("name"));
      }
      result["enum " + name] = lines;
    } else {
      lines.push_back(std::string(one.is("abstract") ? "abstract" : "") + (one.is("interface") ? " interface" : "") +
                      (one.get("instanceClassName") == "java.util.Map$Entry" ? " map" : ""));
      lines.push_back("extends" + join(supertype_names(one)));
      for (const EcoreElement& feature : one.children) {
        if (feature.name == "eStructuralFeatures") lines.push_back(feature_line(feature));
      }
      result["class " + name] = lines;
    }
  }
  return result;
}

Blocks blocks_of(Version version) {
  Blocks result;
  for (const DataTypeInfo& one : metamodel::data_types()) {
    const DataTypeForm* const form = one.form_in(version);
    if (form == nullptr) continue;
    std::string line(form->java_class);
    if (form->has_minimum) line += (form->minimum_exclusive ? " >" : " >=") + std::to_string(form->minimum);
    result["datatype " + std::string(one.name)] = {line};
  }
  for (const EnumInfo& one : metamodel::enums()) {
    if (!one.versions.contains(version)) continue;
    std::vector<std::string> lines;
    for (const EnumLiteral& literal : one.literals) {
      if (literal.versions.contains(version))
        lines.push_back(std::string(literal.text) + " named " + std::string(literal.name));
    }
    result["enum " + std::string(one.name)] = lines;
  }
  for (const ClassInfo& one : metamodel::classes()) {
    if (!one.versions.contains(version)) continue;
    std::vector<std::string> lines;
    lines.push_back(std::string(one.abstract_in.contains(version) ? "abstract" : "") +
                    (one.interface_in.contains(version) ? " interface" : "") + (one.map_entry ? " map" : ""));
    lines.push_back("extends" + join(names_of(metamodel::supertypes(one.id, version))));
    for (const Feature& feature : one.features) {
      if (feature.versions.contains(version)) lines.push_back(feature_line(feature));
    }
    result["class " + std::string(one.name)] = lines;
  }
  return result;
}

/// What Ecore calls "all structural features", by the book: those of the
/// supertypes in order, each class once, then the own ones.
void collect_features(const std::map<std::string, const EcoreElement*>& classes, const std::string& name,
                      Names& visited, Names& result) {
  if (std::find(visited.begin(), visited.end(), name) != visited.end()) return;
  visited.push_back(name);
  const EcoreElement& one = *classes.at(name);
  for (const std::string& super : supertype_names(one)) collect_features(classes, super, visited, result);
  for (const EcoreElement& child : one.children) {
    if (child.name == "eStructuralFeatures") result.push_back(feature_line(child));
  }
}

}  // namespace

TEST_CASE("the metamodel table matches the Ecore files", "[metamodel][ecore]") {
  const std::string folder = test::metamodel_folder();
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with("amalthea-") || !file.ends_with(".ecore")) continue;
    ++files;
    CAPTURE(file);
    const auto version = parse_version(entry.path().stem().string().substr(9));
    REQUIRE(version.has_value());
    const EcoreElement package = read_file(entry.path());
    CHECK(package.get("nsURI") == namespace_uri(*version));

    const Blocks expected = blocks_of(package);
    const Blocks found = blocks_of(*version);
    for (const auto& [name, lines] : expected) {
      CAPTURE(name);
      const auto at = found.find(name);
      REQUIRE(at != found.end());
      CHECK(at->second == lines);
    }
    for (const auto& [name, lines] : found) {
      CAPTURE(name);
      CHECK(expected.contains(name));
    }

    std::map<std::string, const EcoreElement*> classes;
    for (const EcoreElement& one : package.children) {
      if (one.get("xsi:type") == "ecore:EClass") classes[one.get("name")] = &one;
    }
    for (const auto& [name, element] : classes) {
      CAPTURE(name);
      Names ancestors;
      Names lines;
      collect_features(classes, name, ancestors, lines);
      const ClassId id = class_named(name);
      const std::vector<const Feature*> features = metamodel::all_features(id, *version);
      Names found_lines;
      for (const Feature* feature : features) {
        found_lines.push_back(feature_line(*feature));
        CHECK(metamodel::find_feature(id, feature->name, *version) == feature);
      }
      CHECK(found_lines == lines);
      Names lineage = names_of(metamodel::lineage(id, *version));
      std::sort(ancestors.begin(), ancestors.end());
      std::sort(lineage.begin(), lineage.end());
      CHECK(lineage == ancestors);
    }
  }
  CHECK(files + 1 == version_count);  // there is none for 0.9.6
}

}  // namespace metamodel_test
