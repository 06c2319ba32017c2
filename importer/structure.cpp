#include "importer/structure.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

#include <fmt/core.h>

#include "amalthea/identifier.hpp"

namespace amalthea::importer {
namespace {

/// Feature lookup by (class, name), remembered per document: a model has few distinct pairs and many elements.
class FeatureCache {
 public:
  explicit FeatureCache(const Document& document) : document_(document) {}

  const Feature* find(ClassId cls, NameId name) {
    const auto key = (static_cast<std::uint64_t>(cls) << 32U) | static_cast<std::uint32_t>(name);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    const Feature* feature = metamodel::find_feature_any_version(cls, document_.name(name), document_.version());
    known_.emplace(key, feature);
    return feature;
  }

 private:
  const Document& document_;
  std::unordered_map<std::uint64_t, const Feature*> known_;
};

/// "am:Task" → "Task".
std::string_view local_name(std::string_view qname) { return qname.substr(qname.find(':') + 1); }

/// `<tags href="amlt:/#…"/>`: not an object of its own but a reference to one.
bool is_proxy(Element element, const Feature& feature) {
  return feature.kind == FeatureKind::reference && element.attribute("href").has_value();
}

std::optional<ClassId> class_of(Element element, FeatureCache& features, Diagnostics& diagnostics) {
  const auto unknown_class = [&](std::string_view name) {
    diagnostics.add("AM0202", Severity::warning, fmt::format("unknown class \"{}\"; no AMALTHEA version has it", name),
                    element.attribute_location("xsi:type"), element.path());
    return std::nullopt;
  };
  const Element parent = element.parent();
  if (!parent) {
    const auto root = metamodel::find_class(element.tag());
    return root ? root : unknown_class(element.tag());
  }
  if (!parent.cls()) return std::nullopt;  // below something unknown everything is unknown; reported once, above
  const Feature* feature = features.find(*parent.cls(), element.record().tag);
  if (feature == nullptr || feature->kind == FeatureKind::attribute) {
    diagnostics.add(
        "AM0201", Severity::warning,
        fmt::format("unknown element <{}> in a {}; it is kept but not understood", element.tag(), parent.class_name()),
        element.location(), element.path());
    return std::nullopt;
  }
  if (is_proxy(element, *feature)) return std::nullopt;
  if (const auto written = element.attribute("xsi:type")) {
    const auto cls = metamodel::find_class(local_name(*written));
    return cls ? cls : unknown_class(*written);
  }
  return feature->type == no_class ? std::nullopt : std::optional(feature->type);
}

/// Whether a reference to `type` may lead to the element, in the version of its file or in any other.
bool fits(Element target, ClassId type) {
  const auto cls = target.cls();
  if (!cls || type == no_class || metamodel::is_a(*cls, type, target.document().version())) return true;
  const auto versions = all_versions();
  return std::any_of(versions.begin(), versions.end(),
                     [&](Version version) { return metamodel::is_a(*cls, type, version); });
}

void check_tokens(Model& model, Element element, std::string_view feature, ClassId type, std::string_view tokens,
                  Diagnostics& diagnostics) {
  for_each_token(tokens, [&](std::string_view token, std::size_t offset) {
    const Element target = model.find(token);
    if (target && fits(target, type)) return;
    model.add_dangling(element, std::string(feature));
    Location at = element.attribute_location(feature);
    if (at.column != 0) at.column += static_cast<std::uint32_t>(offset);
    diagnostics.add(
        "AM0203", Severity::error,
        fmt::format("{} \"{}\" of {} refers to {}", feature, token,
                    element.name().empty() ? std::string(element.class_name())
                                           : fmt::format("{} \"{}\"", element.class_name(), element.name()),
                    target ? fmt::format("a {}; expected a {}", target.class_name(), metamodel::info(type).name)
                           : "nothing in the model"),
        std::move(at), element.path());
  });
}

}  // namespace

void give_classes_and_ids(Model& model, Diagnostics& diagnostics) {
  for (const auto& document : model.documents()) {
    FeatureCache features(*document);
    for (std::uint32_t i = 0; i < document->size(); ++i) {
      const Element element = document->element(i);
      if (const auto cls = class_of(element, features, diagnostics)) document->set_class(i, *cls);
    }
    for (std::uint32_t i = 0; i < document->size(); ++i) {
      const Element element = document->element(i);
      if (const auto xmi_id = element.attribute("xmi:id")) model.add_xmi_id(*xmi_id, element);
      if (auto id = computed_id(element)) model.add_computed_id(std::move(*id), element);
    }
  }
}

void check_references(Model& model, Diagnostics& diagnostics) {
  for (const auto& document : model.documents()) {
    FeatureCache features(*document);
    for (std::uint32_t i = 0; i < document->size(); ++i) {
      const Element element = document->element(i);
      const ElementRecord& record = element.record();
      if (const auto href = element.attribute("href");
          href && !record.cls && element.parent() && element.parent().cls()) {
        // Targets in other kinds of files (Franca .fidl) are outside of any AMALTHEA model.
        const bool foreign = href->find("amlt:") == std::string_view::npos &&
                             href->find(".amxmi") == std::string_view::npos && !href->starts_with('#');
        if (!foreign && !model.find(id_of_href(*href))) {
          model.add_dangling(element.parent(), std::string(element.tag()));
          diagnostics.add(
              "AM0205", Severity::error,
              fmt::format("reference \"{}\" of {} refers to nothing in the files given", *href, element.tag()),
              element.attribute_location("href"), element.path());
        }
        continue;
      }
      if (!record.cls) continue;
      for (std::uint32_t a = 0; a < record.attribute_count; ++a) {
        const AttributeRecord& attribute = document->attribute(record.first_attribute + a);
        const std::string_view name = document->name(attribute.name);
        if (name.find(':') != std::string_view::npos) continue;  // xsi:type, xmi:id, xmi:version, xsi:schemaLocation
        const Feature* feature = features.find(*record.cls, attribute.name);
        if (feature == nullptr) {
          diagnostics.add(
              "AM0204", Severity::warning,
              fmt::format("unknown attribute {} of a {}; it is kept but not understood", name, element.class_name()),
              element.attribute_location(name), element.path());
        } else if (feature->kind == FeatureKind::reference) {
          check_tokens(model, element, name, feature->type, document->value(attribute), diagnostics);
        }
      }
    }
  }
}

}  // namespace amalthea::importer
