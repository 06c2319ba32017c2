// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Usage of the elements of a model: the references of all elements, inverted. Computed once for all rules.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "amalthea/element.hpp"

namespace amalthea::review {

/// A reference to an element: its holder and feature.
struct Use {
  Element holder;
  std::string_view feature;
};

class Facts {
 public:
  explicit Facts(const Model& model);

  /// References to the element, in document order, followed by misspelled ones that probably mean it.
  const std::vector<Use>& uses_of(Element element) const;

  /// Elements of the class, not of its subclasses, in document order.
  const std::vector<Element>& all(std::string_view class_name) const;

 private:
  static std::uint64_t key(Element element) {
    return (static_cast<std::uint64_t>(element.document().position()) << 32U) | element.index();
  }
  void add_references(const Model& model, Element element);

  std::unordered_map<std::uint64_t, std::vector<Use>> uses_;
  std::unordered_map<std::string_view, std::vector<Element>> by_class_;
  std::unordered_map<std::uint64_t, bool> is_reference_;  ///< by class and interned name of one document
};

/// The task, ISR, runnable or process prototype that contains the element (or the element itself); empty if there is
/// none.
Element executable_around(Element element);

/// 'Runnable "Filter"', or 'a Group' for an element without a name.
std::string describe(Element element);

/// "1 task", "3 tasks"
std::string counted(std::size_t count, std::string_view noun);

}  // namespace amalthea::review
