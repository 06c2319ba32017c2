// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Writes models in the format of Eclipse EMF with the options of APP4MC.
///
/// - Within an element: xsi:type if the class is not the declared one, xmi:id, then attributes, then children, both in
///   the order of the features of the class in the written version: inherited ones first.
/// - An attribute is omitted if it has the default of its type, unless the metamodel states a default: then it is
///   always written, as APP4MC does since 0.7.2. The few stated defaults of 0.7.0 and 0.7.1 are treated the same.
/// - Values are written in EMF's form (see attribute_value.hpp). Text that EMF would reject is written unchanged.
/// - References are ids in an attribute. If one target of a list is in another file, all targets are child elements
///   with an address, and have an xsi:type if the declared type is abstract.
/// - UTF-8, LF, two blanks per level, `<x/>` without blank. The root declares its namespaces in the order of EMF's
///   release: up to 0.9.9 xmi, am, xsi, since 1.0.0 xmi, xsi, am; xsi only if it is used.
///
/// Whatever the version does not support (features, classes, unknown elements) is written after the rest, so that no
/// information is lost. Comments are written too, although EMF drops them.

#include <functional>
#include <string>
#include <string_view>

#include "amalthea/editable_model.hpp"
#include "amalthea/metamodel.hpp"

namespace amalthea {

struct EmfFormOptions {
  bool comments = true;
  /// Declare the xmlns of the root in the order of the current EMF, whatever the version.
  bool current_namespace_order = false;
};

/// One file: the text of the tree below `root` as a model of `version`. Linear in its size. Characters that XML does
/// not allow (control characters except tab and line ends) become U+FFFD.
std::string write_emf_form(const Object& root, Version version, EmfFormOptions options = {});

/// The same, passed to `write` in pieces of about a megabyte.
void write_emf_form(const Object& root, Version version, const std::function<void(std::string_view)>& write,
                    EmfFormOptions options = {});

/// The element of one object with everything below it, as in such a file, on one line.
std::string write_fragment(const Object& object, Version version);

}  // namespace amalthea
