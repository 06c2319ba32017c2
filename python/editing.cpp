// SPDX-License-Identifier: Apache-2.0
#include "python/editing.hpp"

#include <filesystem>
#include <stdexcept>

#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include "amalthea/emf_form.hpp"
#include "amalthea/identifier.hpp"

namespace amalthea::python {

namespace py = pybind11;

namespace {

constexpr std::string_view any_file = "amlt:/#";

/// The id by which others refer to an object.
std::string id_of(const Object& object, Version version) {
  if (const auto id = computed_id(object, version)) return *id;
  return std::string(object.attribute_or("xmi:id", ""));
}

const Object& root_of(const Object& object) {
  const Object* root = &object;
  while (root->owner() != nullptr) root = root->owner();
  return *root;
}

}  // namespace

Object& Node::object() const {
  if (object_->is_removed()) throw std::runtime_error("the object was removed from its model");
  return *object_;
}

std::optional<Node> Node::owner() const {
  Object* owner = object().owner();
  return owner != nullptr ? std::optional(Node(tree_, *owner)) : std::nullopt;
}

std::vector<Node> Node::children(const std::optional<std::string>& feature) const {
  std::vector<Node> nodes;
  for (const OwnedObject& child : object().children())
    if (!feature || child->feature() == *feature) nodes.emplace_back(tree_, *child);
  return nodes;
}

Node Node::create(const std::string& feature, const std::string& class_name) const {
  if (!metamodel::find_class(class_name)) throw py::value_error("AMALTHEA has no class \"" + class_name + "\"");
  return {tree_, object().create(feature, class_name)};
}

void Node::remove() const {
  Object* owner = object().owner();
  if (owner == nullptr) throw py::value_error("the root of a file cannot be removed");
  owner->remove(object());
}

std::optional<std::string> Node::attribute(const std::string& name) const {
  const auto value = object().attribute(name);
  return value ? std::optional(std::string(*value)) : std::nullopt;
}

py::dict Node::attributes() const {
  py::dict all;
  for (const Field& field : object().fields())
    if (field.kind == FieldKind::value)
      all[py::str(std::string(object().model().name(field.name)))] = std::string(field.text);
  return all;
}

void Node::set(const std::string& name, const std::optional<std::string>& value) const {
  if (value)
    object().set(name, *value);
  else
    object().unset(name);
}

std::vector<Node> Node::references(const std::string& name) const {
  std::vector<Node> nodes;
  for (const Field& field : object().references(name))
    if (field.target != nullptr && !field.target->is_removed()) nodes.emplace_back(tree_, *field.target);
  return nodes;
}

void Node::refer(const std::string& name, const std::vector<Node>& targets) const {
  object().unset(name);
  for (const Node& target : targets) {
    if (target.tree_ != tree_) throw py::value_error("the target of a reference belongs to another model");
    // The ids are set when the model is written.
    if (&root_of(target.object()) == &root_of(object()))
      object().add_reference(name, "", &target.object());
    else
      object().add_remote_reference(name, any_file, target.object().cls(), &target.object());
  }
}

std::shared_ptr<Tree> Tree::create(const std::string& file_name) {
  auto tree = std::make_shared<Tree>();
  tree->tree_ = std::make_unique<EditableModel>();
  tree->tree_->keep_removed();
  tree->tree_->add_file(file_name);
  return tree;
}

std::shared_ptr<Tree> Tree::of(std::shared_ptr<const PythonModel> model) {
  const Document& first = *model->model().documents().front();
  if (first.itea() != IteaRelease::none)
    throw py::value_error("models of ITEA releases cannot be changed; convert the model first");
  auto tree = std::make_shared<Tree>();
  tree->tree_ = std::make_unique<EditableModel>(model->model(), SharedIds::apart);
  tree->tree_->keep_removed();
  tree->version_ = first.version();
  tree->model_ = std::move(model);
  return tree;
}

std::vector<Node> Tree::roots() {
  std::vector<Node> nodes;
  for (const EditableModel::File& file : tree_->files()) nodes.emplace_back(shared_from_this(), *file.root);
  return nodes;
}

std::vector<Node> Tree::objects(const std::string& class_name) {
  std::vector<Node> nodes;
  for (Object* object : tree_->objects_of(class_name)) nodes.emplace_back(shared_from_this(), *object);
  return nodes;
}

std::vector<File> Tree::files() {
  tree_->for_each([&](Object& object) {
    const auto id = computed_id(object, version_);
    const auto written = object.attribute("xmi:id");
    if (id && (!written || written->find("?type=") != std::string_view::npos)) object.set("xmi:id", *id);
  });
  tree_->for_each([&](Object& object) {
    std::erase_if(object.fields(), [](const Field& field) { return field.target && field.target->is_removed(); });
    for (Field& field : object.fields()) {
      if (field.kind == FieldKind::value || field.target == nullptr) continue;
      const auto written = field.target->attribute("xmi:id");
      const std::string id = written ? std::string(*written) : id_of(*field.target, version_);
      if (id.empty()) continue;
      field.text = tree_->keep(field.kind == FieldKind::local ? id : std::string(any_file) + id);
    }
  });
  std::vector<File> files;
  for (const EditableModel::File& file : tree_->files())
    files.emplace_back(std::filesystem::path(file.path).filename().string(), write_emf_form(*file.root, version_));
  return files;
}

void add_editing(py::module_& module) {
  py::class_<Node>(module, "Node", "An object of a model: its class, attributes, references and contained objects.")
      .def_property_readonly("class_name", &Node::class_name, "AMALTHEA's class, such as \"Task\".")
      .def_property_readonly("feature", &Node::feature, "The feature of its owner that holds it.")
      .def_property_readonly("path", &Node::path, "Where it is, such as \"swModel/tasks/Control\".")
      .def_property_readonly("owner", &Node::owner, "The object that contains it; None for a root.")
      .def("children", &Node::children, py::arg("feature") = py::none(),
           "The contained objects, of one feature or of all.")
      .def("create", &Node::create, py::arg("feature"), py::arg("class_name"),
           "Adds an object after the others, and returns it.")
      .def("remove", &Node::remove, "Removes it from its model, with everything that it contains.")
      .def("attribute", &Node::attribute, py::arg("name"), "The value as text; None if it is not set.")
      .def("attributes", &Node::attributes, "All attributes as texts.")
      .def("set", &Node::set, py::arg("name"), py::arg("value"), "Sets an attribute; None removes it.")
      .def("references", &Node::references, py::arg("name"), "The targets of a reference.")
      .def("refer", &Node::refer, py::arg("name"), py::arg("targets"), "Replaces the targets of a reference.")
      .def(py::self == py::self)
      .def("__hash__", &Node::hash)
      .def("__repr__", [](const Node& node) { return "<" + node.class_name() + " " + node.path() + ">"; });
  py::class_<Tree, std::shared_ptr<Tree>>(module, "Tree", "The objects of a model, to be changed.")
      .def(py::init(&Tree::create), py::arg("file_name") = "model.amxmi")
      .def("roots", &Tree::roots, "The root object of every file.")
      .def("objects", &Tree::objects, py::arg("class_name"), "All objects of a class.")
      .def(
          "files",
          [](Tree& tree) {
            py::list files;
            for (const auto& [name, text] : tree.files()) files.append(py::make_tuple(name, py::bytes(text)));
            return files;
          },
          "Name and content of every file, in the form of Eclipse EMF.");
}

}  // namespace amalthea::python
