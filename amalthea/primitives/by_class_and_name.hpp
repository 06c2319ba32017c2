// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What is known about the names of a document.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "amalthea/element.hpp"

namespace amalthea {

/// Remembers what look_up() returns for a name in a class: a model has few distinct pairs and many elements.
template <typename Fact>
class ByClassAndName {
 public:
  explicit ByClassAndName(const Document& document)
      : columns_(std::min(document.name_total(), max_columns)), by_class_(metamodel::classes().size()) {}

  template <typename LookUp>
  Fact find(ClassId cls, NameId name, LookUp look_up) {
    const auto column = static_cast<std::size_t>(name);
    if (column >= columns_) return look_up();
    std::vector<std::optional<Fact>>& row = by_class_[static_cast<std::size_t>(cls)];
    if (row.empty()) row.resize(columns_);
    if (!row[column]) row[column] = look_up();
    return *row[column];
  }

 private:
  /// A file with thousands of invented names uses slow lookup instead of filling the memory.
  static constexpr std::size_t max_columns = 2048;
  std::size_t columns_;
  std::vector<std::vector<std::optional<Fact>>> by_class_;
};

}  // namespace amalthea
