// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What stands at a place of a model file, and where elements are defined and referenced.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/element.hpp"

namespace amalthea::lsp {

/// A span of a document of the model.
struct Place {
  std::uint32_t document = 0;
  Span span;
};

/// What stands at an offset.
struct Subject {
  Element element;                   ///< the innermost one
  std::string_view attribute;        ///< whose name or value it is; "" for none
  const Feature* feature = nullptr;  ///< the feature of this attribute, or of an element that only holds a reference
  Span token;                        ///< the reference, or the whole value
  Element target;                    ///< of the reference
};
/// Empty outside of the root element.
Subject subject_at(const Model& model, const Document& document, std::uint32_t offset);

/// The innermost element around an offset, or an empty one.
Element element_around(const Document& document, std::uint32_t offset);

/// The place that stands for an element: the value of its name, else the name of its tag.
Span name_span(Element element);

/// Calls visit for every reference, in the order of documents and places, with its target or an empty element.
using VisitReference = std::function<void(Element holder, std::string_view written, Place place, Element target)>;
void visit_references(const Model& model, const VisitReference& visit);

/// Every reference to the element, in the order of documents and places. Linear in the size of the model.
std::vector<Place> references_to(const Model& model, Element target);

/// A named element, or a part of the model such as `swModel`, with those in it.
struct Symbol {
  Element element;
  std::string name;
  std::vector<Symbol> children;
};
/// The outline of a document. Elements without a name are left out; those in them take their place.
std::vector<Symbol> symbols_of(const Document& document);

}  // namespace amalthea::lsp
