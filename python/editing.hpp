// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Models that Python builds or changes: trees of objects (amalthea/editable_model.hpp). Names and references may change
/// freely; ids follow when the model is written.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include "amalthea/editable_model.hpp"
#include "python/model.hpp"

namespace amalthea::python {

class Tree;

/// An object of a tree, which it keeps alive.
class Node {
 public:
  Node(std::shared_ptr<Tree> tree, Object& object) : tree_(std::move(tree)), object_(&object) {}

  std::string class_name() const { return std::string(object().class_name()); }
  std::string feature() const { return std::string(object().feature()); }
  std::string path() const { return object().path(); }
  std::optional<Node> owner() const;
  std::vector<Node> children(const std::optional<std::string>& feature) const;
  Node create(const std::string& feature, const std::string& class_name) const;
  void remove() const;

  std::optional<std::string> attribute(const std::string& name) const;
  pybind11::dict attributes() const;
  /// None removes it.
  void set(const std::string& name, const std::optional<std::string>& value) const;
  /// Those that lead to objects of the tree.
  std::vector<Node> references(const std::string& name) const;
  void refer(const std::string& name, const std::vector<Node>& targets) const;

  bool operator==(const Node& other) const { return object_ == other.object_; }
  std::size_t hash() const { return std::hash<const void*>()(object_); }

 private:
  Object& object() const;
  std::shared_ptr<Tree> tree_;
  Object* object_;
};

class Tree : public std::enable_shared_from_this<Tree> {
 public:
  /// An empty model of the newest release, in one file.
  static std::shared_ptr<Tree> create(const std::string& file_name);
  static std::shared_ptr<Tree> of(std::shared_ptr<const PythonModel> model);

  std::vector<Node> roots();
  std::vector<Node> objects(const std::string& class_name);
  std::vector<File> files();

 private:
  std::shared_ptr<const PythonModel> model_;  // texts of the tree remain in its files
  std::unique_ptr<EditableModel> tree_;
  Version version_ = newest_version;
};

void add_editing(pybind11::module_& module);

}  // namespace amalthea::python
