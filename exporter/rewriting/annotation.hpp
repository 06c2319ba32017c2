// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Inserts text into a model file without any other change, and removes it again.
///
/// There are two kinds of insertions: custom properties, whose keys all begin with `amalthea-timing.`, and whole
/// elements (measurements, requirements, and the sub-model around them if a file has none). A whole element is marked
/// by a custom property, see `element_mark` and `container_mark`. docs/reference/annotation.md lists everything.
///
/// Custom properties are inserted directly after an element's start tag, other elements where EMF would write them;
/// both with the file's own indentation, line ends and encoding. An element written as `<x/>` gets an end tag with a
/// blank, `</x >`, by which `strip` recognizes it.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/time.hpp"

namespace amalthea::exporter {

struct Splice;

inline constexpr std::string_view annotation_prefix = "amalthea-timing.";
/// Keys, without the prefix, of properties that mark a requirement or a measurement inserted as a whole; and a
/// sub-model inserted to hold them, which is removed if nothing else is in it.
inline constexpr std::string_view element_mark = "inserted";
inline constexpr std::string_view container_mark = "container";

struct Property {
  std::string key;  ///< without the prefix
  std::variant<Duration, std::string, double, std::int64_t, bool> value;
  /// For times, if a version cannot represent all picoseconds: see time_text.
  Rounding rounding = Rounding::nearest;
};

/// An element to insert.
struct NewElement {
  std::string tag;
  std::string type;                                             ///< its class, if it needs an xsi:type; else ""
  std::vector<std::pair<std::string, std::string>> attributes;  ///< in UTF-8, in order
  std::vector<NewElement> children;
};

struct Annotation {
  Element element;
  std::vector<Property> properties;
  std::vector<NewElement> elements = {};  ///< further children
};

/// A time in the range of a version: in ps; up to 0.8.0, whose times are 32-bit numbers, in the finest unit in which
/// the value fits, rounded.
struct TimeText {
  std::int64_t value = 0;
  std::string_view unit;
};
TimeText time_text(Duration time, Version version, Rounding rounding);

/// The class of times that can be used as a value: `Time`, or `TimeObject` in versions where a Time is not a value.
std::string_view time_value_class(Version version);

/// Whether the metamodel allows custom properties for an element of this class.
bool can_hold_properties(Element element);

/// The custom property as an element.
NewElement property_element(const Property& property, Version version);

/// The document's bytes with the annotations of its elements inserted; several annotations of one element are merged.
/// Omits properties that an element cannot have. The document must not contain annotations yet.
std::string annotate(const Document& document, const std::vector<Annotation>& annotations);

/// Inserts only elements, without the mark by which `strip` recognizes an element written as `<x/>`; for apply, which
/// may also change other positions.
std::vector<Splice> insertions(const Document& document, const std::vector<Annotation>& annotations);

/// Replaces an element, with the indentation and the encoding of the file; for apply.
Splice replacement(const Document& document, Element old, const NewElement& by);

/// The elements that `strip` removes, in document order, except those within another removed element.
std::vector<Element> annotations_in(const Document& document);

/// The document's bytes without any annotation: the original file, byte for byte.
std::string strip(const Document& document);

}  // namespace amalthea::exporter
