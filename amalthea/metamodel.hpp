// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The AMALTHEA metamodel of every version: which classes there are, what they
/// inherit and which features they have. One table answers for all versions;
/// every entry carries the set of versions in which it holds. The facts are those
/// of the Ecore files of AMALTHEA; they stand in metamodel/metamodel.txt, whose
/// head also says what is known about 0.9.6 (no Ecore file of it is to be had).
///
/// Everything here is constant data: pointers, spans and views stay valid for the life of the program, and all
/// functions may be called from any thread. An unknown name or version is not an error; the result is empty.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace amalthea {

/// A released AMALTHEA metamodel version, oldest first. The ordinals are contiguous from 0, so that versions can be
/// compared and used as indices.
enum class Version : std::uint8_t {
  v0_7_0,
  v0_7_1,
  v0_7_2,
  v0_8_0,
  v0_8_1,
  v0_8_2,
  v0_8_3,
  v0_9_0,
  v0_9_1,
  v0_9_2,
  v0_9_3,
  v0_9_4,
  v0_9_5,
  v0_9_6,
  v0_9_7,
  v0_9_8,
  v0_9_9,
  v1_0_0,
  v1_1_0,
  v1_2_0,
  v2_0_0,
  v2_1_0,
  v2_2_0,
  v3_0_0,
  v3_1_0,
  v3_2_0,
  v3_3_0,
};

inline constexpr Version oldest_version = Version::v0_7_0;
inline constexpr Version newest_version = Version::v3_3_0;
inline constexpr std::size_t version_count = static_cast<std::size_t>(newest_version) + 1;

/// "0.9.3"
std::string_view to_string(Version version);

/// The version written "0.9.3"; nothing for any other text.
std::optional<Version> parse_version(std::string_view text);

/// All versions, oldest first.
std::span<const Version> all_versions();

/// The XML namespace of a model of this version,
/// "http://app4mc.eclipse.org/amalthea/0.9.3".
std::string namespace_uri(Version version);

/// A set of versions.
class VersionSet {
 public:
  /// The empty set.
  constexpr VersionSet() = default;

  /// Bit n stands for the version with ordinal n.
  static constexpr VersionSet from_bits(std::uint32_t bits) {
    VersionSet result;
    result.bits_ = bits;
    return result;
  }

  constexpr bool contains(Version version) const { return (bits_ >> static_cast<unsigned>(version) & 1U) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr std::size_t size() const { return static_cast<std::size_t>(std::popcount(bits_)); }
  constexpr std::uint32_t bits() const { return bits_; }

  /// The oldest and the newest version in the set, which must not be empty.
  constexpr Version first() const { return static_cast<Version>(std::countr_zero(bits_)); }
  constexpr Version last() const { return static_cast<Version>(31 - std::countl_zero(bits_)); }

  friend constexpr bool operator==(VersionSet, VersionSet) = default;

 private:
  std::uint32_t bits_ = 0;
};

/// Handles of classes, enumerations and data types: ordinals in the order of their names, usable as array indices. They
/// differ between releases of this library; never store them.
enum class ClassId : std::uint16_t {};
enum class EnumId : std::uint16_t {};
enum class DataTypeId : std::uint16_t {};

inline constexpr ClassId no_class{0xffff};
inline constexpr EnumId no_enum{0xffff};
inline constexpr DataTypeId no_data_type{0xffff};

enum class FeatureKind : std::uint8_t {
  attribute,    ///< a value: number, text, enum literal
  reference,    ///< refers to an object elsewhere
  containment,  ///< contains the object as a child element
};

/// A feature of a class, as defined in `versions`. A feature that changed (type, multiplicity, default, ...) has
/// several entries with disjoint versions.
struct Feature {
  std::string_view name;
  FeatureKind kind;
  ClassId owner;               ///< the class that declares it
  std::string_view type_name;  ///< "EInt", "Preemption", "Runnable", ...

  /// The type named by type_name. Reference and containment: a class, or no_class for EObject, which every object is.
  /// Attribute: an enum, a data type of AMALTHEA, or neither for a type of Ecore itself such as EInt or EString.
  ClassId type;
  EnumId enumeration;
  DataTypeId data_type;

  std::int16_t lower;  ///< minimum number of values
  std::int16_t upper;  ///< maximum number of values; -1: no limit

  /// Whether the metamodel states a default, and its text (may be empty). An unset attribute without one has the
  /// default of its type: the first literal, 0, false, no text.
  bool has_default;
  std::string_view default_literal;

  bool id;  ///< identity of the object (IReferable.uniqueName only)
  bool derived;
  bool transient;
  bool is_volatile;
  bool changeable;
  bool container;             ///< refers to the containing object
  std::string_view opposite;  ///< the opposite feature of `type`, or empty

  VersionSet versions;

  bool many() const { return upper < 0 || upper > 1; }
  bool required() const { return lower > 0; }

  /// Whether it is stored in a model file. Transient features and references to the container are not; all derived
  /// features are transient.
  bool stored() const { return !transient && !container; }
};

/// A list of classes that holds in `versions`.
struct ClassRange {
  VersionSet versions;
  std::span<const ClassId> classes;
};

struct ClassInfo {
  ClassId id;
  std::string_view name;
  bool map_entry;           ///< an entry of a map, with features "key" and "value"
  VersionSet versions;      ///< in which the class exists
  VersionSet abstract_in;   ///< in which it has no instances
  VersionSet interface_in;  ///< in which it is an interface, and therefore abstract

  /// Direct supertypes in order. A version without an entry has none.
  std::span<const ClassRange> supertypes;

  /// All supertypes, supertypes of a class before it, each once, the class itself last: the order in which Ecore lists
  /// inherited features. One entry for every version of the class.
  std::span<const ClassRange> lineages;

  /// Own features. Those of one version are in declaration order.
  std::span<const Feature> features;
};

struct EnumLiteral {
  std::string_view text;  ///< as written in a model
  /// as named in the metamodel; differs only for SamplingType and LabelAccessImplementation
  std::string_view name;
  VersionSet versions;
};

struct EnumInfo {
  EnumId id;
  std::string_view name;
  VersionSet versions;

  /// In order for each version. A literal that changed has several entries.
  std::span<const EnumLiteral> literals;

  /// The literals of a version in order; empty if the enum does not exist in it.
  std::vector<std::string_view> literals_in(Version version) const;

  bool has_literal(std::string_view text, Version version) const;

  /// The value of an unset attribute: the first literal. Empty if the enum does
  /// not exist in the version.
  std::string_view default_literal(Version version) const;
};

/// A data type as defined in `versions`.
struct DataTypeForm {
  VersionSet versions;
  std::string_view java_class;  ///< "int", "long", "double"
  bool has_minimum;
  bool minimum_exclusive;  ///< values must be larger than the minimum
  std::int32_t minimum;    ///< 0 if there is none
};

struct DataTypeInfo {
  DataTypeId id;
  std::string_view name;
  VersionSet versions;
  std::span<const DataTypeForm> forms;  ///< disjoint

  /// The form in this version, or nullptr.
  const DataTypeForm* form_in(Version version) const;
};

namespace metamodel {

/// The whole table, in the order of the ids.
std::span<const ClassInfo> classes();
std::span<const EnumInfo> enums();
std::span<const DataTypeInfo> data_types();

/// The class with this name in any version. (A name may be a class in some versions and an enum in others: MemoryType,
/// Condition.)
std::optional<ClassId> find_class(std::string_view name);

/// The class of an id from this table; not for no_class.
const ClassInfo& info(ClassId id);

bool exists(ClassId id, Version version);

/// Whether the class has no instances. False if it does not exist.
bool is_abstract(ClassId id, Version version);

/// Direct supertypes in declaration order; empty if the class does not exist.
std::span<const ClassId> supertypes(ClassId id, Version version);

/// All supertypes, see ClassInfo::lineages; empty if the class does not exist.
std::span<const ClassId> lineage(ClassId id, Version version);

/// Whether `sub` is `super` or inherits from it. False if `sub` does not exist.
bool is_a(ClassId sub, ClassId super, Version version);

/// Whether references can refer to objects of the class by name (it is an IReferable).
bool is_referable(ClassId id, Version version);

/// The same for a class that does not exist in the version of the file: in the nearest version that has it, of two
/// equally near ones the older.
bool is_referable_any_version(ClassId id, Version nearest_to);

/// The feature, own or inherited; nullptr if the class has none with this name in this version. Linear in the number of
/// features, so store the result.
const Feature* find_feature(ClassId id, std::string_view name, Version version);

/// For reading by structure, since the structure of a file may belong to another version than its namespace. Like
/// find_feature in `nearest_to`, else in the nearest version that has the feature; of two equally near ones the older,
/// since a namespace changes before the structure does. nullptr if no version has it.
const Feature* find_feature_any_version(ClassId id, std::string_view name, Version nearest_to);

/// All features, inherited ones first, in the order in which EMF writes them, including those that are not stored.
/// Empty if the class does not exist.
std::vector<const Feature*> all_features(ClassId id, Version version);

/// The enum of this name in any version, or nullptr.
const EnumInfo* find_enum(std::string_view name);

/// The enum of an id from this table; not for no_enum.
const EnumInfo& info(EnumId id);

/// The data type with this name in any version, or nullptr. Types of Ecore itself (EInt, EString, ...) are not in the
/// table.
const DataTypeInfo* find_data_type(std::string_view name);

/// The data type of an id from this table; not for no_data_type.
const DataTypeInfo& info(DataTypeId id);

}  // namespace metamodel
}  // namespace amalthea
