#pragma once
/// \file
/// Custom properties and scheduling parameters as plain text, whatever the version's form.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/element.hpp"

namespace amalthea {

/// A named value and the element it comes from. Times read "50000 us", references their id.
struct Parameter {
  std::string name;
  std::string value;
  Element element;
};

/// The custom property `key` of an element, or nothing. The first one wins where a key is written twice.
std::optional<Parameter> custom_property(Element element, std::string_view key);

/// Parameters of a scheduler or an allocation, in both forms:
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
