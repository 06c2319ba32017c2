// SPDX-License-Identifier: Apache-2.0
#include "amalthea/identifier.hpp"

#include <array>

#include "amalthea/editable_model.hpp"
#include "amalthea/primitives/itea.hpp"

namespace amalthea {
namespace {

constexpr std::string_view hex_digits = "0123456789ABCDEF";

bool is_plain(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
         c == '*' || c == '_';
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::string decode_percent(std::string_view text, bool plus_is_blank) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0) {
      decoded += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      decoded += plus_is_blank && text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

// The interface of an element that naming needs, also provided for an object.

std::optional<ClassId> class_of(Element element) { return element.cls(); }
Element container_of(Element element) { return element.parent(); }

/// "a/b?type=T" for a reference written like that, or as `<feature href="amlt:/#a/b?type=T"/>`; empty if it is not
/// written.
std::string_view reference_text(Element element, std::string_view feature) {
  const std::string_view token = element.attribute_or(feature, "");
  if (!token.empty()) return token;
  const Element proxy = element.child(feature);
  return proxy ? proxy.attribute_or("href", "") : std::string_view{};
}

/// A pointer to an object with the interface of an Element.
class ObjectNode {
 public:
  ObjectNode() = default;
  explicit ObjectNode(const Object* object) : object_(object) {}
  explicit operator bool() const { return object_ != nullptr; }
  std::string_view name() const { return object_->name(); }
  std::string_view class_name() const { return object_->class_name(); }
  bool is(std::string_view class_name) const { return object_->is(class_name); }
  const Object& object() const { return *object_; }

 private:
  const Object* object_ = nullptr;
};

std::optional<ClassId> class_of(ObjectNode node) {
  const ClassId cls = node.object().cls();
  return cls == no_class ? std::nullopt : std::optional(cls);
}
ObjectNode container_of(ObjectNode node) { return ObjectNode(node.object().owner()); }
std::string_view reference_text(ObjectNode node, std::string_view feature) {
  return node.object().reference(feature).value_or("");
}

template <typename Node>
std::string own_name(Node element) {
  const std::string_view name = element.name();
  return name.empty() ? "no-name" : encode_name(name);
}

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Classes whose id begins with the name of the direct container, up to 0.9.5.
bool qualified_by_container_name(std::string_view cls, Version version) {
  constexpr std::array<std::string_view, 5> always{"ModeLiteral", "FInterfacePort", "InterfacePort", "HwPort",
                                                   "ComplexPort"};
  if (contains(always, cls)) return true;
  if (version >= Version::v0_9_0 && (cls == "HwFeature" || cls == "HwConnection")) return true;
  return version >= Version::v0_9_1 && cls == "RunnableParameter";
}

/// Classes whose id begins with the qualified name of the container, since 0.9.7.
bool qualified_by_container_path(std::string_view cls) {
  constexpr std::array<std::string_view, 10> classes{
      "ModeLiteral", "SubInterface", "ComponentPort", "ComponentStructure", "ComponentInstance",
      "HwFeature",   "HwPort",       "HwConnection",  "RunnableParameter",  "LocalModeLabel"};
  return contains(classes, cls);
}

/// "a/b" for a reference to "a/b?type=T"; empty if it is not written.
template <typename Node>
std::string_view referenced_path(Node element, std::string_view feature) {
  std::string_view token = reference_text(element, feature);
  if (const auto hash = token.find('#'); hash != std::string_view::npos) token.remove_prefix(hash + 1);
  return token.substr(0, token.find("?type="));
}

/// The nearest referable container: the owner of call arguments.
template <typename Node>
Node enclosing_referable(Node element, Version version) {
  for (Node at = container_of(element); at; at = container_of(at))
    if (class_of(at) && metamodel::is_referable_any_version(*class_of(at), version)) return at;
  return {};
}

/// The nearest executable container: the owner of local mode labels.
template <typename Node>
Node enclosing_executable(Node element) {
  for (Node at = container_of(element); at; at = container_of(at))
    if (at.is("Runnable") || at.is("Task") || at.is("ISR")) return at;
  return {};
}

template <typename Node>
std::string qualified_name(Node element, Version version);

/// `<executable>/calls/<runnable>/param/<parameter>/<own name>`; up to 0.9.5 only runnables contain such calls.
template <typename Node>
std::string call_argument_name(Node element, Version version) {
  const bool by_path = version > Version::v0_9_5;
  const Node call = container_of(element);
  const Node executable = call ? enclosing_referable(call, version) : Node{};
  const std::string_view missing = by_path ? "" : "no-name";
  const auto or_missing = [&](std::string_view path) { return std::string(path.empty() ? missing : path); };
  std::string prefix;
  if (by_path) {
    if (executable) prefix = qualified_name(executable, version) + "/";
  } else {
    prefix = (executable && executable.is("Runnable") ? own_name(executable) : "no-name") + "/";
  }
  const std::string_view parameter = referenced_path(element, "parameter");
  return prefix + "calls/" + or_missing(call ? referenced_path(call, "runnable") : "") + "/param/" +
         or_missing(parameter.substr(parameter.rfind('/') + 1)) + "/" + own_name(element);
}

template <typename Node>
std::string qualified_name(Node element, Version version) {
  const std::string_view cls = element.class_name();
  std::string own = own_name(element);
  if (cls == "CallArgument") return call_argument_name(element, version);
  const Node container = container_of(element);
  if (version <= Version::v0_9_5) {
    if (!container || !qualified_by_container_name(cls, version)) return own;
    if (container.name().empty() && version >= Version::v0_9_4) return own;
    return own_name(container) + "/" + own;
  }
  if (qualified_by_container_path(cls)) {
    const Node outer = cls == "LocalModeLabel" ? enclosing_executable(element) : container;
    const bool named =
        outer && class_of(outer) && metamodel::find_feature(*class_of(outer), "name", version) != nullptr;
    return named ? qualified_name(outer, version) + "/" + own : own;
  }
  if (cls == "Namespace")
    return container && container.is("Namespace") ? qualified_name(container, version) + "/" + own : own;
  const std::string_view space = referenced_path(element, "namespace");
  return space.empty() ? own : std::string(space) + "/" + own;
}

}  // namespace

std::string encode_name(std::string_view name) {
  std::string encoded;
  encoded.reserve(name.size());
  for (const char c : name) {
    if (is_plain(c)) {
      encoded += c;
    } else if (c == ' ') {
      encoded += '+';
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += '%';
      encoded += hex_digits[byte >> 4U];
      encoded += hex_digits[byte & 15U];
    }
  }
  return encoded;
}

std::string decode_name(std::string_view encoded) { return decode_percent(encoded, true); }

std::string id_of_href(std::string_view href) {
  const auto hash = href.find('#');
  std::string_view fragment = hash == std::string_view::npos ? href : href.substr(hash + 1);
  if (fragment.find("%3Ftype%3D") != std::string_view::npos) return decode_percent(fragment, false);
  return std::string(fragment);
}

std::string lookup_form(const Document& document, std::string_view reference) {
  std::string id = id_of_href(reference);
  if (document.itea() == IteaRelease::none) return id;
  const std::size_t type = id.rfind("?type=");
  if (type == std::string::npos) return id;
  const std::string_view qualified = std::string_view(id).substr(type + 6);
  const std::size_t dot = qualified.rfind('.');
  if (dot == std::string_view::npos) return id;
  return id.substr(0, type + 6).append(itea_class(qualified.substr(0, dot), qualified.substr(dot + 1)));
}

std::optional<std::string> computed_id(Element element) {
  const auto cls = element.cls();
  const Version version = element.document().version();
  if (!cls || !metamodel::is_referable_any_version(*cls, version)) return std::nullopt;
  return qualified_name(element, version) + "?type=" + std::string(element.class_name());
}

std::optional<std::string> computed_id(const Object& object, Version version) {
  if (object.cls() == no_class || !metamodel::is_referable_any_version(object.cls(), version)) return std::nullopt;
  return qualified_name(ObjectNode(&object), version) + "?type=" + std::string(object.class_name());
}

}  // namespace amalthea
