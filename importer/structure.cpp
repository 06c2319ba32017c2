#include "importer/structure.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

#include <fmt/core.h>

#include "amalthea/identifier.hpp"

namespace amalthea::importer {
namespace {

/// Findings about structure, told with their places up to a number that somebody may read; a split model with a file
/// missing has as many as it has references, and finding their places takes time.
class Findings {
 public:
  explicit Findings(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}
  Findings(const Findings&) = delete;
  Findings& operator=(const Findings&) = delete;
  ~Findings() {
    if (more_ > 0)
      diagnostics_.add("AM0206", Severity::warning, fmt::format("{} more findings of this kind are not listed", more_));
  }

  /// `place` is only asked for when the finding is listed.
  template <typename Place>
  void add(std::string_view id, Severity severity, Element element, std::string message, Place place) {
    if (listed_ == most_) {
      ++more_;
      return;
    }
    ++listed_;
    diagnostics_.add(id, severity, std::move(message), place(), element.path());
  }

 private:
  static constexpr std::size_t most_ = 1000;
  Diagnostics& diagnostics_;
  std::size_t listed_ = 0;
  std::size_t more_ = 0;
};

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

std::optional<ClassId> class_of(Element element, FeatureCache& features, Findings& findings) {
  const auto unknown_class = [&](std::string_view name) {
    findings.add("AM0202", Severity::warning, element,
                 fmt::format("unknown class \"{}\"; no AMALTHEA version has it", name),
                 [&] { return element.attribute_location("xsi:type"); });
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
    findings.add(
        "AM0201", Severity::warning, element,
        fmt::format("unknown element <{}> in a {}; it is kept but not understood", element.tag(), parent.class_name()),
        [&] { return element.location(); });
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

/// "a Label; expected a Runnable", or that there is nothing.
std::string wrong_target(Element target, ClassId type) {
  return target ? fmt::format("a {}; expected a {}", target.class_name(), metamodel::info(type).name)
                : "nothing in the model";
}

std::string name_for_message(Element element) {
  return element.name().empty() ? std::string(element.class_name())
                                : fmt::format("{} \"{}\"", element.class_name(), element.name());
}

void check_tokens(Model& model, Element element, std::string_view feature, ClassId type, std::string_view tokens,
                  Findings& findings) {
  for_each_token(tokens, [&](std::string_view token, std::size_t offset) {
    const Element target = model.find(token);
    if (target && fits(target, type)) return;
    model.add_dangling(element, std::string(feature));
    findings.add("AM0203", Severity::error, element,
                 fmt::format("{} \"{}\" of {} refers to {}", feature, token, name_for_message(element),
                             wrong_target(target, type)),
                 [&] {
                   Location at = element.attribute_location(feature);
                   // Where the value's own place is not known (UTF-16), neither is the token's.
                   if (element.attribute_span(feature)->size() != 0) at.column += static_cast<std::uint32_t>(offset);
                   return at;
                 });
  });
}

/// `<tags href="…"/>` in an element with a class.
void check_href(Model& model, Element proxy, std::string_view href, FeatureCache& features, Findings& findings) {
  const Element holder = proxy.parent();
  // Targets in other kinds of files (Franca .fidl) are outside of any AMALTHEA model.
  const bool foreign = href.find("amlt:") == std::string_view::npos && href.find(".amxmi") == std::string_view::npos &&
                       !href.starts_with('#');
  const Feature* feature = features.find(*holder.cls(), proxy.record().tag);
  const Element target = model.find(id_of_href(href));
  if (foreign || feature == nullptr || (target && fits(target, feature->type))) return;
  model.add_dangling(holder, std::string(proxy.tag()));
  findings.add("AM0205", Severity::error, proxy,
               fmt::format("reference \"{}\" of {} refers to {}", href, proxy.tag(),
                           target ? wrong_target(target, feature->type) : std::string("nothing in the files given")),
               [&] { return proxy.attribute_location("href"); });
}

}  // namespace

void give_classes_and_ids(Model& model, Diagnostics& diagnostics) {
  Findings findings(diagnostics);
  for (const auto& document : model.documents()) {
    FeatureCache features(*document);
    for (std::uint32_t i = 0; i < document->size(); ++i) {
      const Element element = document->element(i);
      if (const auto cls = class_of(element, features, findings)) document->set_class(i, *cls);
    }
    for (std::uint32_t i = 0; i < document->size(); ++i) {
      const Element element = document->element(i);
      if (const auto xmi_id = element.attribute("xmi:id")) model.add_xmi_id(*xmi_id, element);
      auto id = computed_id(element);
      if (!id) continue;
      const Element before = model.add_computed_id(std::move(*id), element);
      if (before && !element.name().empty())
        findings.add("AM0207", Severity::warning, element,
                     fmt::format("a second {} is named \"{}\"; references mean this one, not the one at line {}",
                                 element.class_name(), element.name(), before.location().line),
                     [&] { return element.location(); });
    }
  }
}

void check_references(Model& model, Diagnostics& diagnostics) {
  Findings findings(diagnostics);
  for (const auto& document : model.documents()) {
    FeatureCache features(*document);
    for (std::uint32_t i = 0; i < document->size(); ++i) {
      const Element element = document->element(i);
      const ElementRecord& record = element.record();
      if (const auto href = element.attribute("href");
          href && !record.cls && element.parent() && element.parent().cls()) {
        check_href(model, element, *href, features, findings);
        continue;
      }
      if (!record.cls) continue;
      for (std::uint32_t a = 0; a < record.attribute_count; ++a) {
        const AttributeRecord& attribute = document->attribute(record.first_attribute + a);
        const std::string_view name = document->name(attribute.name);
        if (name.find(':') != std::string_view::npos) continue;  // xsi:type, xmi:id, xmi:version, xsi:schemaLocation
        const Feature* feature = features.find(*record.cls, attribute.name);
        if (feature == nullptr) {
          findings.add(
              "AM0204", Severity::warning, element,
              fmt::format("unknown attribute {} of a {}; it is kept but not understood", name, element.class_name()),
              [&] { return element.attribute_location(name); });
        } else if (feature->kind == FeatureKind::reference) {
          check_tokens(model, element, name, feature->type, document->value(attribute), findings);
        }
      }
    }
  }
}

}  // namespace amalthea::importer
