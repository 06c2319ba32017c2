#pragma once
/// \file
/// Timing written into a model file, as custom properties, by inserting text and touching nothing else.
///
/// All keys begin with `amalthea-timing.`; docs/annotation.md lists them. Times are `am:Time` in ps (`am:TimeObject`
/// up to 0.9.0). Properties are inserted right after an element's start tag, in the file's own indentation, line ends
/// and encoding. An element that was written `<x/>` gets an end tag with a blank, `</x >`, by which `strip` knows it.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "amalthea/element.hpp"
#include "exporter/result_view.hpp"

namespace amalthea::exporter {

inline constexpr std::string_view annotation_prefix = "amalthea-timing.";

struct Property {
  std::string key;  ///< without the prefix
  std::variant<Duration, std::string, double, std::int64_t> value;
};

struct Annotation {
  Element element;
  std::vector<Property> properties;
};

/// What an analysis has to say of each element: tasks, processing units, and the root for where it comes from.
std::vector<Annotation> annotations_of(const Model& model, const ResultView& view);

/// The document's bytes with the annotations of its elements in them. The document must hold none yet.
std::string annotate(const Document& document, const std::vector<Annotation>& annotations);

/// The document's bytes without any annotation: the original file, byte for byte.
std::string strip(const Document& document);

}  // namespace amalthea::exporter
