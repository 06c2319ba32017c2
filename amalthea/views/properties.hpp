// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Custom properties and scheduling parameters of any version, as plain text and as typed values.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/location.hpp"
#include "amalthea/time.hpp"

namespace amalthea {

/// A named value and its element. Times are "50000 us", references are their id.
struct Parameter {
  std::string name;
  std::string value;
  Element element;
};

/// The custom property `key` of an element, or nothing. The first one counts if a key is written twice.
std::optional<Parameter> custom_property(Element element, std::string_view key);

/// Parameters of a scheduler, a scheduler association or an allocation, in all forms:
/// - up to 0.8.0: `<parameter key= value=/>` of a user specific algorithm, `quantSizeNs` of a Pfair one;
/// - up to 1.2.0: `<schedulingParameters priority="5"/>` and `<parameterExtensions key= value=/>`, those of an
///   algorithm within `<schedulingAlgorithm>`;
/// - since 2.0.0: `<schedulingParameters key="priority?type=…"><value …/></schedulingParameters>`; the name is that of
///   the definition, without the prefix "extended: " that migrations put before old extension keys.
std::vector<Parameter> scheduling_parameters(const Model& model, Element container);

/// The value of a scheduling parameter or a custom property with its unit, as written.
std::string value_text(Element value);

/// The name of a scheduler's algorithm: the class of `schedulingAlgorithm` or the name of `definition`; "" if none.
std::string scheduling_algorithm(const Model& model, Element scheduler);

/// The name in an id: "extended%3A+x?type=T" → "extended: x".
std::string name_of_id(std::string_view id);

/// The name of a scheduling parameter without the prefix "extended: ".
std::string without_extended(std::string name);

}  // namespace amalthea

namespace amalthea::views {

struct PropertyValue;

/// Digits with an optional sign, of any length.
struct BigInteger {
  std::string digits;
  friend bool operator==(const BigInteger&, const BigInteger&) = default;
};

struct PropertyReference {
  std::string id;  ///< as written: "X?type=Label", or the text of an href
  Element target;  ///< empty if it is not in the model
};

struct PropertyList {
  std::vector<PropertyValue> values;
};

struct PropertyMap {
  std::vector<std::string> keys;
  std::vector<PropertyValue> values;  ///< parallel to keys
};

/// The value of a custom property or a scheduling parameter. An attribute that is not written has the default of its
/// type, as in EMF: 0, false, no text.
struct PropertyValue {
  /// Empty: no value is written (allowed since 0.9.1), the value is unreadable (and reported), or its class is unknown.
  std::variant<std::monostate, std::string, std::int32_t, std::int64_t, BigInteger, float, double, bool, Duration,
               PropertyReference, PropertyList, PropertyMap>
      value;
  Element element;  ///< `<value>` or `<values>`; empty if none is written
};

/// The value of one Value object: StringObject, IntegerObject, LongObject, BigIntegerObject, FloatObject, DoubleObject,
/// BooleanObject, ReferenceObject, ListObject, MapObject, Time (TimeObject and SignedTimeObject in older versions).
PropertyValue value_of(const Model& model, Element value, Diagnostics& diagnostics);

}  // namespace amalthea::views
