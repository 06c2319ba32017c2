// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Models written the way Eclipse EMF writes them with the options of APP4MC.
///
/// - Inside an element: xsi:type where the class is not the declared one, xmi:id, then attributes, then children, both
///   in the order of the features of the class in the version written: inherited ones first.
/// - An attribute is left out where it has the default of its type, unless the metamodel states a default: then it is
///   always written, as APP4MC does from 0.7.2 on. The few stated defaults of 0.7.0 and 0.7.1 are treated alike.
/// - Values are written in EMF's form (see attribute_value.hpp). Text that EMF would reject is written as it is.
/// - References are ids in an attribute; if one target of a list is in another file, all are child elements with an
///   address, and have an xsi:type where the declared type is abstract.
/// - UTF-8, LF, two blanks a level, `<x/>` without blank. The root names its namespaces in the order of EMF's release:
///   up to 0.9.9 xmi, am, xsi, from 1.0.0 on xmi, xsi, am; xsi only where it is used.
///
/// What the version does not have (features, classes, unknown elements) is written after what it has, so that nothing
/// is lost; so are comments, which EMF itself drops.

#include <functional>
#include <string>
#include <string_view>

#include "amalthea/editable_model.hpp"
#include "amalthea/metamodel.hpp"

namespace amalthea {

struct EmfFormOptions {
  bool comments = true;
  /// xmlns declarations of the root in the order of today's EMF whatever the version.
  bool current_namespace_order = false;
};

/// One file: the text of the tree below `root` as a model of `version`. Linear in its size. Characters that XML cannot
/// hold (control characters other than tab and line ends) become U+FFFD.
std::string write_emf_form(const Object& root, Version version, EmfFormOptions options = {});

/// The same, handed over in pieces of about a megabyte.
void write_emf_form(const Object& root, Version version, const std::function<void(std::string_view)>& write,
                    EmfFormOptions options = {});

/// The element of one object with all below it, as it stands in such a file, on one line.
std::string write_fragment(const Object& object, Version version);

}  // namespace amalthea
