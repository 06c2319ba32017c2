// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Custom properties and scheduling parameters, whatever the version's form: as plain text and as typed values.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/time.hpp"

namespace amalthea {

/// A named value and the element it comes from. Times read "50000 us", references their id.
struct Parameter {
  std::string name;
  std::string value;
  Element element;
};

/// The custom property `key` of an element, or nothing. The first one wins where a key is written twice.
std::optional<Parameter> custom_property(Element element, std::string_view key);

/// Parameters of a scheduler, a scheduler association or an allocation, in all forms:
/// - up to 0.8.0: `<parameter key= value=/>` of a user specific algorithm, `quantSizeNs` of a Pfair one;
/// - up to 1.2.0: `<schedulingParameters priority="5"/>` and `<parameterExtensions key= value=/>`, those of an
///   algorithm inside `<schedulingAlgorithm>`;
/// - from 2.0.0: `<schedulingParameters key="priority?type=…"><value …/></schedulingParameters>`; the name is that of
///   the definition, without the "extended: " that migrated models put before old extension keys.
std::vector<Parameter> scheduling_parameters(Element container);

/// Name of the algorithm of a scheduler: the class of `schedulingAlgorithm` or the name of `definition`; "" if none.
std::string scheduling_algorithm(const Model& model, Element scheduler);

/// Name part of an id: "extended%3A+x?type=T" → "extended: x".
std::string name_of_id(std::string_view id);

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
  Element target;  ///< empty where it is not in the model
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
  /// Empty: no value is written (from 0.9.1 on that is allowed), one that cannot be read (which has been reported), or
  /// one of an unknown class.
  std::variant<std::monostate, std::string, std::int32_t, std::int64_t, BigInteger, float, double, bool, Duration,
               PropertyReference, PropertyList, PropertyMap>
      value;
  Element element;  ///< `<value>` or `<values>`; empty where none is written
};

/// The value of one Value object: StringObject, IntegerObject, LongObject, BigIntegerObject, FloatObject, DoubleObject,
/// BooleanObject, ReferenceObject, ListObject, MapObject, Time (TimeObject and SignedTimeObject in older versions).
PropertyValue value_of(const Model& model, Element value, Diagnostics& diagnostics);

struct CustomProperty {
  std::string key;
  PropertyValue value;
  Element element;  ///< `<customProperties>`
};

/// All custom properties of an element, in the order written; a key may come twice.
std::vector<CustomProperty> custom_properties(const Model& model, Element element, Diagnostics& diagnostics);

/// The typed value of the custom property `key`; the first one wins where a key is written twice.
std::optional<PropertyValue> custom_property_value(const Model& model, Element element, std::string_view key,
                                                   Diagnostics& diagnostics);

}  // namespace amalthea::views
