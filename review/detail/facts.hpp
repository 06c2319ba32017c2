// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Usage of the elements of a model: the references of all elements, inverted. Computed once for all rules.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/primitives/by_class_and_name.hpp"

namespace amalthea::review {

/// A reference to an element: its holder and feature.
struct Use {
  Element holder;
  std::string_view feature;
};

/// How executables use an element.
struct Accesses {
  bool read = false;
  bool written = false;
  bool any() const { return read || written; }
};

class Facts {
 public:
  explicit Facts(const Model& model);

  /// References to the element, in document order, followed by misspelled ones that probably mean it.
  std::span<const Use> uses_of(Element element) const;

  /// A use by an executable that is neither a read nor a write, such as a condition or an argument, may be both.
  Accesses accesses_of(Element element) const { return of_[element.document().position()][element.index()].accesses; }

  /// Elements of the class, not of its subclasses, in document order.
  const std::vector<Element>& all(std::string_view class_name) const;

 private:
  struct FoundUse {
    Element target;
    Use use;
  };
  struct ElementFacts {
    std::uint32_t first_use = 0;  ///< in uses_; the uses end with the first one of the next element
    Accesses accesses;
  };
  void find_references(const Model& model, Element element, bool executable, ByClassAndName<bool>& references,
                       std::vector<FoundUse>& found);
  void add(Element target, Use use, bool executable, std::vector<FoundUse>& found);

  std::vector<Use> uses_;                       ///< by target
  std::vector<std::vector<ElementFacts>> of_;   ///< by document and element, and one more
  std::vector<std::vector<Element>> by_class_;  ///< by ClassId
};

/// The task, ISR, runnable or process prototype that contains the element (or the element itself); empty if there is
/// none.
Element executable_around(Element element);

/// 'Runnable "Filter"', or 'a Group' for an element without a name.
std::string describe(Element element);

/// "1 task", "3 tasks"
std::string counted(std::size_t count, std::string_view noun);

}  // namespace amalthea::review
