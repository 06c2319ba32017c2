// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Text inserted into a model file, touching nothing else, and taken out again.
///
/// Two kinds of things are inserted: custom properties, whose keys all begin with `amalthea-timing.`, and whole
/// elements (measurements, requirements, and the sub-model around them where a file has none). A whole element is known
/// by a custom property of its own, see `element_mark` and `container_mark`. docs/reference/annotation.md lists everything.
///
/// Custom properties are inserted right after an element's start tag, other elements where EMF would write them; both
/// in the file's own indentation, line ends and encoding. An element that was written `<x/>` gets an end tag with a
/// blank, `</x >`, by which `strip` knows it.

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
/// Keys, without the prefix, of properties that mark a requirement or a measurement that was inserted as a whole; and a
/// sub-model that was inserted to hold them, which goes again when nothing else is in it.
inline constexpr std::string_view element_mark = "inserted";
inline constexpr std::string_view container_mark = "container";

struct Property {
  std::string key;  ///< without the prefix
  std::variant<Duration, std::string, double, std::int64_t, bool> value;
  /// Of times, where a version cannot hold all picoseconds: see time_text.
  Rounding rounding = Rounding::nearest;
};

/// An element to be inserted.
struct NewElement {
  std::string tag;
  std::string type;                                             ///< its class, where xsi:type has to say it; else ""
  std::vector<std::pair<std::string, std::string>> attributes;  ///< in UTF-8, in order
  std::vector<NewElement> children;
};

struct Annotation {
  Element element;
  std::vector<Property> properties;
  std::vector<NewElement> elements = {};  ///< further children
};

/// A time as a version can hold it: in ps; up to 0.8.0, whose times are 32-bit numbers, in the finest unit in which the
/// value fits, rounded to it.
struct TimeText {
  std::int64_t value = 0;
  std::string_view unit;
};
TimeText time_text(Duration time, Version version, Rounding rounding);

/// The class of times that can stand where any value can: `Time`, or `TimeObject` in versions where a Time is no value.
std::string_view time_value_class(Version version);

/// Whether the metamodel lets an element of this class have custom properties.
bool can_hold_properties(Element element);

/// The custom property as an element.
NewElement property_element(const Property& property, Version version);

/// The document's bytes with the annotations of its elements in them, several of one element as if they were one.
/// Properties that an element cannot hold are left out. The document must hold no annotations yet.
std::string annotate(const Document& document, const std::vector<Annotation>& annotations);

/// What inserts elements alone, without leaving the mark by which `strip` knows an element that was written `<x/>`; for
/// apply, which may change other places at once.
std::vector<Splice> insertions(const Document& document, const std::vector<Annotation>& annotations);

/// What `strip` takes out, in document order; not what stands within something that goes anyway.
std::vector<Element> annotations_in(const Document& document);

/// The document's bytes without any annotation: the original file, byte for byte.
std::string strip(const Document& document);

}  // namespace amalthea::exporter
