// SPDX-License-Identifier: Apache-2.0
#include "importer/reading/detail/structure.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "amalthea/identifier.hpp"
#include "amalthea/position.hpp"
#include "amalthea/primitives/by_class_and_name.hpp"
#include "amalthea/primitives/itea.hpp"
#include "amalthea/primitives/near_miss.hpp"
#include "importer/reading/detail/likely_target.hpp"
#include "importer/reading/detail/prefixed_name.hpp"

namespace amalthea::importer {
namespace {

/// For references that EMF does not resolve.
constexpr std::string_view missing_file = "AM0205";
/// For references without a target, or with one of another class.
constexpr std::string_view missing_target = "AM0203";
/// For names to which references lead that affect timing, and for others.
constexpr std::string_view ambiguous_name = "AM0207";
constexpr std::string_view unused_name = "AM0680";

/// Findings about structure, with their locations up to a maximum number: a split model with a missing file has as many
/// as references, and computing locations takes time.
class Findings {
 public:
  explicit Findings(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}
  Findings(const Findings&) = delete;
  Findings& operator=(const Findings&) = delete;
  ~Findings() {
    if (more_ > 0)
      diagnostics_.add(
          "AM0206", Severity::warning,
          fmt::format("{} more findings of this kind are not listed; correct the listed ones, then check again",
                      more_));
  }

  /// `message` and `place` are only called if the finding is listed. Each kind has a separate limit, so that warnings
  /// do not hide an error.
  template <typename Message, typename Place>
  void add(std::string_view id, Severity severity, Element element, Message message, Place place,
           std::vector<Origin> elements = {}) {
    if (++count_[id] > most_) {
      ++more_;
      return;
    }
    diagnostics_.add(id, severity, message(), place(), element.path(), 1, std::move(elements));
  }
  bool is_full(std::string_view id) const {
    const auto found = count_.find(id);
    return found != count_.end() && found->second >= most_;
  }

 private:
  static constexpr std::size_t most_ = 1000;
  Diagnostics& diagnostics_;
  std::unordered_map<std::string_view, std::size_t> count_;
  std::size_t more_ = 0;
};

/// The features of a document's classes.
class FeatureCache {
 public:
  explicit FeatureCache(const Document& document) : document_(document), features_(document) {}

  const Feature* find(ClassId cls, NameId name) {
    return features_.find(
        cls, name, [&] { return metamodel::find_feature_any_version(cls, document_.name(name), document_.version()); });
  }

 private:
  const Document& document_;
  ByClassAndName<const Feature*> features_;
};

/// Content of a file that its own version lacks: files written during a development cycle have the namespace of the
/// next version and the old structure.
class OtherStructure {
 public:
  explicit OtherStructure(const Document& document) : document_(document) {}

  void note(VersionSet versions, Element element, std::string_view what) {
    if (count_++ == 0) {
      first_ = element;
      first_what_ = what;
    }
    for (const Version version : all_versions())
      if (versions.contains(version)) ++having_[static_cast<std::size_t>(version)];
  }

  void report(Findings& findings) const {
    if (count_ == 0 || document_.itea() != IteaRelease::none) return;
    // The version that explains most of it; among equals the nearest, then the older.
    const int own = static_cast<int>(document_.version());
    int best = -1;
    for (int i = 0; i < static_cast<int>(version_count); ++i) {
      if (static_cast<Version>(i) == Version::v0_9_6) continue;  // its table is derived from its neighbors
      if (best < 0 || having_[static_cast<std::size_t>(i)] > having_[static_cast<std::size_t>(best)] ||
          (having_[static_cast<std::size_t>(i)] == having_[static_cast<std::size_t>(best)] &&
           std::abs(i - own) < std::abs(best - own)))
        best = i;
    }
    findings.add(
        "AM0208", Severity::warning, first_,
        [&] {
          const auto own_text = to_string(document_.version()), best_text = to_string(static_cast<Version>(best));
          constexpr std::string_view advice = "correct the namespace, or migrate the model";
          if (count_ == 1)
            return fmt::format(
                "the namespace states AMALTHEA {}, but 1 element or attribute belongs to another version, {} ({}); it "
                "is read as in that version; {}",
                own_text, best_text, first_what_, advice);
          return fmt::format(
              "the namespace states AMALTHEA {}, but {} elements or attributes belong to another version, {} of them "
              "to {} (the first: {}); they are read as in that version; {}",
              own_text, count_, having_[static_cast<std::size_t>(best)], best_text, first_what_, advice);
        },
        [&] { return first_.location(); });
  }

 private:
  const Document& document_;
  std::size_t count_ = 0;
  std::array<std::size_t, version_count> having_{};
  Element first_;
  std::string first_what_;
};

/// Content of an ITEA model that no later version has: kept, and reported once.
class ObsoleteContent {
 public:
  explicit ObsoleteContent(const Document& document) : document_(document) {}
  void note(Element element, std::string_view what) {
    if (count_++ == 0) {
      first_ = element;
      first_what_ = what;
    }
  }
  void report(Findings& findings) const {
    if (count_ == 0) return;
    findings.add(
        "AM0209", Severity::note, first_,
        [&] {
          return fmt::format(
              "{} elements or attributes of {} have no counterpart in AMALTHEA {} and later (the first: {}); they are "
              "kept but not interpreted",
              count_, document_.version_text(), to_string(oldest_version), first_what_);
        },
        [&] { return first_.location(); });
  }

 private:
  const Document& document_;
  std::size_t count_ = 0;
  Element first_;
  std::string first_what_;
};

/// The probable meaning of an unknown tag or attribute: a feature of the class in the file's version, else in any
/// other.
std::string feature_suggestion(ClassId cls, std::string_view written, Version own, bool is_attribute) {
  const auto is_written_so = [is_attribute](const Feature& feature) {
    return (feature.kind == FeatureKind::containment) != is_attribute && feature.stored();
  };
  if (const Feature* known = metamodel::find_feature_any_version(cls, written, own);
      known != nullptr && known->stored())
    return known->kind == FeatureKind::attribute ? fmt::format("; expected an attribute {}=\"…\"", written) : "";
  for (const bool in_own_version : {true, false}) {
    NearMisses near(written);
    for (const Version version : all_versions())
      if ((version == own) == in_own_version)
        for (const Feature* feature : metamodel::all_features(cls, version))
          if (is_written_so(*feature)) near.offer(feature->name);
    if (!near.nearest().empty()) return near.suggestion();
  }
  return {};
}

/// Assigns classes to the elements of one document, in document order, so that a parent has its class before its
/// children.
class Classifier {
 public:
  Classifier(Document& document, OtherStructure& other_structure, ObsoleteContent& obsolete, Findings& findings)
      : document_(document),
        findings_(findings),
        features_(document),
        other_structure_(other_structure),
        obsolete_(obsolete),
        is_itea_(document.itea() != IteaRelease::none),
        xsi_type_(document.find_name("xsi:type")),
        href_(document.find_name("href")) {}

  void run() {
    for (std::uint32_t i = 0; i < document_.size(); ++i)
      if (const ClassId cls = class_of(document_.element(i)); cls != no_class) document_.set_class(i, cls);
  }

 private:
  ClassId class_of(Element element) {
    const ElementRecord& record = element.record();
    if (record.parent == ElementRecord::none) {
      const ClassId root = find_class(document_.metamodel_prefix(), element.tag());
      return root == no_class ? unknown_class(element, element.tag()) : known_class(element, root);
    }
    const ClassId parent = document_.record(record.parent).cls;
    // below an unknown element everything is unknown; reported once, for that element
    if (parent == no_class) return no_class;
    if (element.tag().starts_with("xmi:")) return extension(element, parent);
    const Feature* feature = features_.find(parent, record.tag);
    const auto written_class = value(record, xsi_type_);
    if (feature == nullptr) return unknown_feature(element, written_class);
    if (feature->kind == FeatureKind::attribute) return attribute_as_element(element);
    // `<tags href="amlt:/#…"/>`: not an object but a reference to one.
    if (feature->kind == FeatureKind::reference && value(record, href_)) return no_class;
    if (!feature->versions.contains(document_.version()))
      other_structure_.note(feature->versions, element,
                            fmt::format("<{}> in a {}", element.tag(), metamodel::info(parent).name));
    if (!written_class) return feature->type;
    const ClassId cls = class_named(*written_class);
    return cls == no_class ? unknown_class(element, *written_class) : known_class(element, cls);
  }

  /// <xmi:Extension>, which EMF also ignores. It is for the content of other tools, and not of AMALTHEA.
  ClassId extension(Element element, ClassId parent) {
    for (const Element child : element.children()) {
      const auto written_class = child.attribute("xsi:type");
      if (features_.find(parent, child.record().tag) == nullptr &&
          !(written_class && class_named(*written_class) != no_class))
        continue;
      findings_.add(
          "AM0523", Severity::warning, element,
          [&] {
            return fmt::format("<{}> contains <{}> of AMALTHEA, which is not read, as in EMF; move it into the {}",
                               element.tag(), child.tag(), element.parent().class_name());
          },
          [&] { return element.location(); });
      break;
    }
    return no_class;
  }

  std::optional<std::string_view> value(const ElementRecord& record, std::optional<NameId> name) const {
    if (!name) return std::nullopt;
    for (std::uint32_t i = record.first_attribute; i < record.first_attribute + record.attribute_count; ++i)
      if (document_.attribute(i).name() == *name) return document_.value(document_.attribute(i));
    return std::nullopt;
  }

  ClassId find_class(std::string_view package, std::string_view name) const {
    return metamodel::find_class(is_itea_ ? itea_class(package, name) : name).value_or(no_class);
  }

  /// The class that an xsi:type names.
  ClassId class_named(std::string_view written) {
    if (const auto known = class_names_.find(written); known != class_names_.end()) return known->second;
    const auto [package, name] = split_name(written);
    return class_names_.emplace(written, find_class(package, name)).first->second;
  }

  ClassId known_class(Element element, ClassId cls) {
    if (const VersionSet versions = metamodel::info(cls).versions; !versions.contains(document_.version()))
      other_structure_.note(versions, element, fmt::format("the class {}", metamodel::info(cls).name));
    return cls;
  }

  ClassId unknown_class(Element element, std::string_view name) {
    if (is_itea_) {
      obsolete_.note(element, fmt::format("the class {}", name));
      return no_class;
    }
    findings_.add(
        "AM0202", Severity::error, element,
        [&] {
          return fmt::format("unknown class \"{}\"; no AMALTHEA version has it{}", name,
                             class_suggestion(element, name));
        },
        [&] { return element.attribute_location("xsi:type"); });
    return no_class;
  }

  ClassId unknown_feature(Element element, std::optional<std::string_view> written_class) {
    if (is_itea_) {
      obsolete_.note(element, fmt::format("<{}> in a {}", element.tag(), element.parent().class_name()));
      if (element.attribute("href")) return no_class;
      if (written_class) return class_named(*written_class);
      return metamodel::find_class(itea_content(element.tag())).value_or(no_class);
    }
    findings_.add(
        "AM0201", Severity::error, element,
        [&] {
          return fmt::format("unknown element <{}> in a {}; it is kept but not interpreted{}", element.tag(),
                             element.parent().class_name(),
                             feature_suggestion(*element.parent().cls(), element.tag(), document_.version(), false));
        },
        [&] { return element.location(); });
    return no_class;
  }

  /// Classes that are allowed here, else all others.
  std::string class_suggestion(Element element, std::string_view written) const {
    const auto [prefix, name] = split_name(written);
    const Element parent = element.parent();
    const Feature* feature =
        parent && parent.cls() ? metamodel::find_feature_any_version(*parent.cls(), element.tag(), document_.version())
                               : nullptr;
    for (const bool here : {true, false}) {
      NearMisses near(name);
      for (const ClassInfo& info : metamodel::classes()) {
        const Version version =
            info.versions.contains(document_.version()) ? document_.version() : info.versions.last();
        if (metamodel::is_abstract(info.id, version)) continue;
        const bool fits =
            feature != nullptr && feature->type != no_class && metamodel::is_a(info.id, feature->type, version);
        if (fits == here) near.offer(info.name);
      }
      if (!near.nearest().empty()) return near.suggestion();
    }
    return {};
  }

  /// EMF accepts such values.
  ClassId attribute_as_element(Element element) {
    if (is_itea_)
      obsolete_.note(element, fmt::format("<{}> in a {}", element.tag(), element.parent().class_name()));
    else
      findings_.add(
          "AM0231", Severity::warning, element,
          [&] {
            return fmt::format(
                "<{0}> is an attribute of a {1}, but it is written as an element, which is kept but not read; write "
                "{0}=\"…\"",
                element.tag(), element.parent().class_name());
          },
          [&] { return element.location(); });
    return no_class;
  }

  Document& document_;
  Findings& findings_;
  FeatureCache features_;
  OtherStructure& other_structure_;
  ObsoleteContent& obsolete_;
  bool is_itea_;
  std::optional<NameId> xsi_type_, href_;
  std::unordered_map<std::string_view, ClassId> class_names_;
};

/// Whether EMF orders `later` before `earlier`, which precedes it in the file: EMF uses the order of the features, and
/// within one feature that of the file.
bool precedes_in_content(Element later, Element earlier) {
  std::vector<Element> ancestors;
  for (Element at = earlier; at; at = at.parent()) ancestors.push_back(at);
  Element child_of_later = later;
  for (Element at = later.parent(); at; child_of_later = at, at = at.parent()) {
    const auto shared = std::find(ancestors.begin(), ancestors.end(), at);
    if (shared == ancestors.end()) continue;
    if (shared == ancestors.begin() || !at.cls()) return false;  // one contains the other
    const std::string_view later_tag = child_of_later.tag(), earlier_tag = std::prev(shared)->tag();
    if (later_tag == earlier_tag) return false;
    for (const Feature* feature : metamodel::all_features(*at.cls(), at.document().version())) {
      if (feature->name == earlier_tag) return false;
      if (feature->name == later_tag) return true;
    }
    return false;
  }
  return false;
}

/// Two elements of one class with the same name.
struct Namesakes {
  Element second;  ///< in the file
  Element meant;   ///< the one to which references lead
  Element other;
};

/// Registers the ids of one document.
void give_ids(Document& document, std::vector<Namesakes>& namesakes) {
  const auto xmi_id = document.find_name("xmi:id");
  enum class Referable : std::uint8_t { unknown, no, yes };
  std::vector<Referable> referable(metamodel::classes().size(), Referable::unknown);
  const auto is_referable = [&](ClassId cls) {
    Referable& known = referable[static_cast<std::size_t>(cls)];
    if (known == Referable::unknown)
      known = metamodel::is_referable_any_version(cls, document.version()) ? Referable::yes : Referable::no;
    return known == Referable::yes;
  };
  for (std::uint32_t i = 0; i < document.size(); ++i) {
    const Element element = document.element(i);
    const ElementRecord& record = element.record();
    std::optional<std::string_view> written;
    for (std::uint32_t a = 0; xmi_id && a < record.attribute_count && !written; ++a)
      if (const AttributeRecord& attribute = document.attribute(record.first_attribute + a);
          attribute.name() == *xmi_id)
        written = document.value(attribute);
    Element meant = element, other;
    if (written) {
      const Element without = document.find(*written);  // with this id by its name, or the same xmi:id
      other = document.add_xmi_id(*written, element);
      if (!other && without) other = without;
    }
    if (record.cls != no_class && is_referable(record.cls)) {
      const std::string id = computed_id(element).value_or("");
      // If both are equal, as usual, the written one is used.
      if (!id.empty() && id != written.value_or("")) {
        if (const Element before = document.add_computed_id(id, element)) {
          other = before;
          if (precedes_in_content(element, before)) {
            document.add_computed_id(id, before);
            std::swap(meant, other);
          }
        } else if (const std::uint32_t first = document.xmi_ids().find(id); xmi_id && first != ElementRecord::none) {
          // The written one is found first.
          meant = document.element(first);
          other = element;
        }
      }
    }
    if (other && !element.name().empty()) namesakes.push_back({element, meant, other});
  }
}

/// Elements of one class with the same name, and whether a reference that may affect timing leads to them.
class Homonyms {
 public:
  explicit Homonyms(std::vector<Namesakes> found) : found_(std::move(found)) {
    for (const Namesakes& one : found_) watched_.insert(key(one.meant));
  }

  /// A reference within a file, or to another file of which only one has such an element.
  void note_reference(Element holder, std::string_view feature, Element target) {
    if (!watched_.empty() && watched_.contains(key(target)) && affects_timing(holder, feature, target))
      referenced_.insert(key(target));
  }

  /// A reference between files for which several files have a target. Which one is meant must not depend on the names
  /// of the files.
  void note_ambiguous(Element holder, std::string_view feature, Element first, Element second) {
    if (!ambiguous_.insert(key(second)).second) return;
    across_.push_back({first, second, affects_timing(holder, feature, first)});
  }

  void report(Findings& findings) {
    for (auto one = found_.rbegin(); one != found_.rend(); ++one)  // of three, the second is also one of the others
      if (referenced_.contains(key(one->meant))) referenced_.insert(key(one->other));
    for (const Namesakes& one : found_)
      add(findings, one.second, one.meant, one.other, referenced_.contains(key(one.meant)), Severity::warning, [&one] {
        const std::string what =
            one.meant.name() == one.other.name()
                ? fmt::format("a second {} is named \"{}\"", one.second.class_name(), one.second.name())
                : fmt::format("the xmi:id of \"{}\" stands for the name of \"{}\"", one.meant.name(), one.other.name());
        return fmt::format(
            "{}; references resolve to {}, not to the one at line {}; rename one of them if "
            "both "
            "are needed",
            what, one.meant == one.second ? "this one" : fmt::format("the one at line {}", one.meant.location().line),
            one.other.location().line);
      });
    for (const Across& one : across_)
      add(findings, one.second, one.first, one.second, one.affects_timing,
          one.affects_timing ? Severity::error : Severity::warning, [&one] {
            return fmt::format(
                "{} also has a {} \"{}\"; references from other files cannot tell them apart; rename or remove one of "
                "them",
                one.first.document().source().path(), one.second.class_name(), one.second.name());
          });
  }

 private:
  struct Across {
    Element first, second;
    bool affects_timing = false;
  };

  static std::pair<std::uint32_t, std::uint32_t> key(Element element) {
    return {element.origin().document, element.origin().element};
  }

  /// Tags, components, types and the like have no effect, and neither have the ports of a connection.
  static bool affects_timing(Element holder, std::string_view feature, Element target) {
    constexpr std::array<std::string_view, 4> features{"tags", "port1", "port2", "powerDomain"};
    if (std::find(features.begin(), features.end(), feature) != features.end()) return false;
    const std::string_view cls = target.class_name();
    if (cls.ends_with("TypeDefinition") || cls.ends_with("Classifier")) return false;
    Element part = holder;
    while (part.parent() && part.parent().parent()) part = part.parent();
    constexpr std::array<std::string_view, 3> parts{"commonElements", "componentsModel", "configModel"};
    return std::find(parts.begin(), parts.end(), part.tag()) == parts.end();
  }

  template <typename Message>
  static void add(Findings& findings, Element place, Element one, Element other, bool affects_timing, Severity severity,
                  Message message) {
    findings.add(affects_timing ? ambiguous_name : unused_name, severity, place, message,
                 [place] { return place.location(); }, {one.origin(), other.origin()});
  }

  std::vector<Namesakes> found_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> watched_, referenced_, ambiguous_;
  std::vector<Across> across_;
};

std::string name_for_message(Element element) {
  return element.name().empty() ? std::string(element.class_name())
                                : fmt::format("{} \"{}\"", element.class_name(), element.name());
}

/// Resolves every reference of a model once.
class ReferenceChecker {
 public:
  ReferenceChecker(Model& model, Findings& findings, Homonyms& homonyms)
      : model_(model),
        findings_(findings),
        homonyms_(homonyms),
        fits_(metamodel::classes().size() * metamodel::classes().size()),
        likely_(model, [this](ClassId cls, ClassId type) { return fits(cls, type); }) {}

  void check(Document& document, OtherStructure& other_structure, ObsoleteContent& obsolete) {
    FeatureCache features(document);
    const auto href = document.find_name("href");
    for (std::uint32_t i = 0; i < document.size(); ++i) {
      const Element element = document.element(i);
      const ElementRecord& record = element.record();
      if (record.cls == no_class) {
        if (href && record.parent != ElementRecord::none && document.record(record.parent).cls != no_class)
          if (const auto written = element.attribute("href")) {
            look_up_waiting();
            check_href(element, *written, features.find(document.record(record.parent).cls, record.tag));
          }
        continue;
      }
      for (std::uint32_t a = 0; a < record.attribute_count; ++a) {
        const AttributeRecord& attribute = document.attribute(record.first_attribute + a);
        const Feature* feature = features.find(record.cls, attribute.name());
        if (feature == nullptr) {
          look_up_waiting();
          unknown_attribute(element, document.name(attribute.name()), obsolete);
        } else {
          if (!feature->versions.contains(document.version()))
            other_structure.note(feature->versions, element,
                                 fmt::format("attribute {} of a {}", feature->name, element.class_name()));
          if (feature->kind == FeatureKind::reference)
            check_tokens(element, *feature, record.first_attribute + a, document.value(attribute));
        }
      }
    }
    look_up_waiting();
  }

 private:
  void unknown_attribute(Element element, std::string_view name, ObsoleteContent& obsolete) {
    if (name.find(':') < name.find('{')) return;  // xsi:type, xmi:id, xmi:version, xsi:schemaLocation
    if (element.document().itea() != IteaRelease::none)
      return obsolete.note(element, fmt::format("attribute {} of a {}", name, element.class_name()));
    findings_.add(
        "AM0204", Severity::error, element,
        [&] {
          return fmt::format("unknown attribute {} of a {}; it is kept but not interpreted{}", name,
                             element.class_name(),
                             feature_suggestion(*element.cls(), name, element.document().version(), true));
        },
        [&] { return element.attribute_location(name); });
  }

  /// Whether a reference to `type` may refer to the element, in the version of its file or in any other.
  bool fits(Element target, ClassId type) { return fits(target.record().cls, type); }
  bool fits(ClassId cls, ClassId type) {
    if (cls == no_class || type == no_class || cls == type) return true;
    Fit& known = fits_[static_cast<std::size_t>(cls) * metamodel::classes().size() + static_cast<std::size_t>(type)];
    if (known == Fit::unknown) {
      const auto versions = all_versions();
      const bool is = std::any_of(versions.begin(), versions.end(),
                                  [&](Version version) { return metamodel::is_a(cls, type, version); });
      known = is ? Fit::yes : Fit::no;
    }
    return known == Fit::yes;
  }

  /// Resolves positions while the lists of children are available, and stores the result.
  void remember_position(Element holder, std::string_view written) {
    const std::string_view fragment = written.substr(written.find('#') + 1);
    if (!fragment.starts_with('/')) return;
    for (const Document* scope : model_.scope(holder, written)) {
      Document& document = *model_.documents()[scope->position()];
      const auto finder = positions_.try_emplace(scope->position(), document).first;
      document.add_position(fragment, finder->second.find(fragment));
    }
  }

  /// References are collected and resolved in groups, see IdTable.
  void check_tokens(Element element, const Feature& feature, std::uint32_t attribute, std::string_view tokens) {
    for_each_token(tokens, [&](std::string_view token, std::size_t offset) {
      waiting_[waiting_count_++] = {
          element,  &feature, tokens, token, attribute, static_cast<std::uint32_t>(offset), IdTable::hash(token),
          Element{}};
      if (waiting_count_ == waiting_.size()) look_up_waiting();
    });
  }

  void look_up_waiting() {
    const auto waiting = std::span(waiting_).first(waiting_count_);
    waiting_count_ = 0;
    const auto ids = [](const Waiting& reference) -> const IdTable& { return reference.element.document().xmi_ids(); };
    for (const Waiting& reference : waiting) ids(reference).prefetch_slot(reference.hash);
    for (const Waiting& reference : waiting) ids(reference).prefetch_text(reference.hash);
    for (Waiting& reference : waiting) {
      const std::uint32_t found = ids(reference).find(reference.token, reference.hash);
      reference.target = found == ElementRecord::none ? Element{} : reference.element.document().element(found);
      if (reference.target) __builtin_prefetch(&reference.target.record());
    }
    for (const Waiting& reference : waiting) check_reference(reference);
  }

  struct Waiting {
    Element element;
    const Feature* feature = nullptr;
    std::string_view value;  ///< of the attribute, whose end a search would find again for every reference of a list
    std::string_view token;
    std::uint32_t attribute = 0;
    std::uint32_t offset = 0;  ///< in the attribute's value
    std::uint32_t hash = 0;
    Element target;  ///< by xmi:id
  };

  void check_reference(const Waiting& reference) {
    const Element element = reference.element;
    const Feature* feature = reference.feature;
    const std::string_view token = reference.token;
    Element target = reference.target;
    if (!target) {
      remember_position(element, token);
      target = model_.target(element, token);
    }
    if (target && fits(target, feature->type)) {
      homonyms_.note_reference(element, feature->name, target);
      Document& own = *model_.documents()[element.document().position()];
      if (target.document().position() == own.position() && token.size() == reference.value.size())
        own.add_target(element.index(), reference.attribute - element.record().first_attribute, target);
      return;
    }
    if (is_part_of_joined(reference)) return;
    const LikelyTarget likely =
        target_of_blanks(reference, feature->type)
            .value_or(findings_.is_full(missing_target) ? LikelyTarget{} : likely_.find(element, token, feature->type));
    model_.add_dangling(element, std::string(feature->name), likely.element);
    if (is_explained_by_unknown(target, token)) return;
    findings_.add(
        missing_target, Severity::error, element,
        [&] {
          return fmt::format("{} \"{}\" of {} refers to {}", feature->name, token, name_for_message(element),
                             what_is_found(reference, target, likely));
        },
        [&] {
          Location at = element.attribute_location(feature->name);
          // If the location of the value is unknown (UTF-16), so is that of the token.
          if (element.document().source().unit() == 1) at.column += reference.offset;
          return at;
        });
  }

  /// "nothing in the model; did you mean …?"
  std::string what_is_found(const Waiting& reference, Element target, const LikelyTarget& likely) {
    if (!target) {
      if (const Element elsewhere = model_.find(reference.token))
        return fmt::format("no element in its own file; {} has one; reference it with a child <{} href=\"amlt:/#…\"/>",
                           elsewhere.document().source().path(), reference.feature->name);
      if (const Element unknown = likely_.unknown_element(reference.token))
        return fmt::format("\"{}\" at line {}, but no AMALTHEA version has the {}; correct it there", unknown.name(),
                           unknown.location().line, unknown.attribute("xsi:type") ? "class" : "element");
    }
    return wrong_target(target, reference.feature->type) + remedy(reference.token, target, likely);
  }

  static std::string remedy(std::string_view token, Element target, const LikelyTarget& likely) {
    if (!likely.suggestion.empty() || target) return likely.suggestion;
    if (token.starts_with('/')) return "; correct it";  // a position is relative to its own file
    return "; correct it, or also pass the file that contains it";
  }

  /// Whether the token is part of a list that was reported as one name with blanks.
  bool is_part_of_joined(const Waiting& reference) const {
    return reference.element == joined_.element && reference.attribute == joined_.attribute &&
           reference.offset < joined_.end;
  }

  /// `Read Radar?type=Label` is two references; `Read+Radar?type=Label`, if it exists, is probably meant.
  std::optional<LikelyTarget> target_of_blanks(const Waiting& reference, ClassId type) {
    constexpr std::size_t longest = 1000;
    const std::string_view rest = reference.value.substr(reference.offset, longest);
    const std::size_t type_at = rest.find("?type=");
    if (type_at == std::string_view::npos || type_at < reference.token.size()) return std::nullopt;
    std::string joined(rest.substr(0, rest.find(' ', type_at)));
    std::replace(joined.begin(), joined.end(), ' ', '+');
    const Element target = model_.target(reference.element, joined);
    if (!target || !fits(target, type)) return std::nullopt;
    joined_ = {reference.element, reference.attribute, reference.offset + static_cast<std::uint32_t>(joined.size())};
    return LikelyTarget{target, fmt::format("; did you mean \"{}\"? In references a space is written as +", joined)};
  }

  /// An unknown element has been reported itself, and so has, once, a reference to it.
  bool is_explained_by_unknown(Element target, std::string_view token) {
    if (target) return false;
    const Element unknown = likely_.unknown_element(token);
    return unknown && !reported_unknown_.insert({unknown.document().position(), unknown.index()}).second;
  }

  /// `<tags href="…"/>` in an element with a class.
  void check_href(Element proxy, std::string_view href, const Feature* feature) {
    // Targets in other kinds of files (Franca .fidl) are not part of an AMALTHEA model.
    const bool foreign = href.find("amlt:") == std::string_view::npos &&
                         href.find(".amxmi") == std::string_view::npos && !href.starts_with('#');
    if (foreign || feature == nullptr) return;
    remember_position(proxy, href);
    const Element target = model_.target(proxy, href);
    if (target && fits(target, feature->type)) {
      homonyms_.note_reference(proxy.parent(), feature->name, target);
      if (href.find("type=") != std::string_view::npos) check_other_files(proxy, href, *feature, target);
      return;
    }
    const LikelyTarget likely =
        findings_.is_full(missing_file) ? LikelyTarget{} : likely_.find(proxy, href, feature->type);
    model_.add_dangling(proxy.parent(), std::string(proxy.tag()), likely.element);
    findings_.add(
        missing_file, Severity::error, proxy,
        [&] {
          return fmt::format(
              "reference \"{}\" of {} refers to {}{}", href, proxy.tag(),
              target ? wrong_target(target, feature->type) : std::string("no element in the given files"),
              !target && likely.suggestion.empty() ? "; also pass the file that contains it, or the whole folder"
                                                   : likely.suggestion);
        },
        [&] { return proxy.attribute_location("href"); });
  }

  /// A reference by name, not by position or xmi:id, must have its target in one file only.
  void check_other_files(Element proxy, std::string_view href, const Feature& feature, Element target) {
    const auto scope = model_.scope(proxy, href);
    const std::string id = scope.size() < 2 ? std::string() : computed_id(target).value_or("");
    if (id.empty()) return;
    for (const Document* document : scope)
      if (const Element other = document->find(id); other && other != target && fits(other, feature.type) &&
                                                    other.document().position() != target.document().position())
        homonyms_.note_ambiguous(proxy.parent(), feature.name, target, other);
  }

  /// "a Label; expected a Runnable", or that there is no target.
  static std::string wrong_target(Element target, ClassId type) {
    return target ? fmt::format("a {}; expected a {}", target.class_name(), metamodel::info(type).name)
                  : "no element in the model";
  }

  enum class Fit : std::uint8_t { unknown, no, yes };
  Model& model_;
  Findings& findings_;
  Homonyms& homonyms_;
  std::vector<Fit> fits_;  // by class and type
  std::array<Waiting, 64> waiting_;
  std::size_t waiting_count_ = 0;
  std::map<std::uint32_t, PositionFinder> positions_;
  LikelyTargets likely_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> reported_unknown_;  // document, element
  struct Joined {
    Element element;
    std::uint32_t attribute = 0;
    std::uint32_t end = 0;  ///< offset in the attribute's value
  };
  Joined joined_;  ///< the last name with blanks
};

}  // namespace

std::optional<Version> version_of_cycle(const Document& document) {
  FeatureCache any(document);
  const auto has_all = [&](Version version) {
    std::unordered_map<std::uint64_t, bool> known;  // by class and name
    const auto has = [&](ClassId cls, NameId name) {
      const auto key = (static_cast<std::uint64_t>(cls) << 32U) | static_cast<std::uint32_t>(name);
      const auto [at, added] = known.emplace(key, true);
      if (added)  // unknown content is reported separately
        at->second =
            any.find(cls, name) == nullptr || metamodel::find_feature(cls, document.name(name), version) != nullptr;
      return at->second;
    };
    for (std::uint32_t i = 0; i < document.size(); ++i) {
      const ElementRecord& record = document.record(i);
      const ClassId parent = record.parent == ElementRecord::none ? no_class : document.record(record.parent).cls;
      if (parent != no_class && !has(parent, record.tag)) return false;
      if (record.cls == no_class) continue;
      if (!metamodel::exists(record.cls, version)) return false;
      for (std::uint32_t a = 0; a < record.attribute_count; ++a)
        if (!has(record.cls, document.attribute(record.first_attribute + a).name())) return false;
    }
    return true;
  };
  const auto own = static_cast<int>(document.version());
  for (const int step : {-1, 1}) {
    int other = own + step;
    if (other == static_cast<int>(Version::v0_9_6)) other += step;  // its table is derived from its neighbors
    if (other < 0 || other >= static_cast<int>(version_count)) continue;
    if (has_all(static_cast<Version>(other))) return static_cast<Version>(other);
  }
  return std::nullopt;
}

bool is_about_missing_file(const Diagnostic& finding) { return finding.id == missing_file; }

namespace {

/// Files of one model have different tasks; variants of a model have the same.
void report_repeated_tasks(const Model& model, Diagnostics& diagnostics) {
  if (model.documents().size() < 2) return;
  std::map<std::string_view, Element> known;
  Element first, before;
  std::size_t repeated = 0;
  for (const Element task : model.all("swModel", "tasks")) {
    if (task.name().empty()) continue;
    const auto [entry, added] = known.emplace(task.name(), task);
    if (added || entry->second.document().position() == task.document().position()) continue;
    if (repeated++ == 0) first = task, before = entry->second;
  }
  if (repeated == 0) return;
  diagnostics.add(
      "AM0216", Severity::warning,
      fmt::format("task \"{}\"{} also in {}; all files form one model, which has {} twice; to analyze "
                  "variants, use one file at a time or amalthea batch",
                  first.name(), repeated == 1 ? " is" : fmt::format(" and {} other tasks are", repeated - 1),
                  before.document().source().path(), repeated == 1 ? "it" : "them"),
      first.location(), first.path(), repeated);
}

/// The same content, ids apart.
bool is_same(Element one, Element other) {
  const auto written = [](Element element) {
    std::map<std::string_view, std::string_view> attributes;
    const ElementRecord& record = element.record();
    for (std::uint32_t i = 0; i < record.attribute_count; ++i) {
      const AttributeRecord& attribute = element.document().attribute(record.first_attribute + i);
      if (const auto name = element.document().name(attribute.name()); name != "xmi:id")
        attributes.emplace(name, element.document().value(attribute));
    }
    return attributes;
  };
  // Not recursive: descendants follow their element in document order.
  const std::uint32_t size = one.record().after - one.index();
  if (size != other.record().after - other.index()) return false;
  for (std::uint32_t i = 0; i < size; ++i) {
    const Element a = one.document().element(one.index() + i), b = other.document().element(other.index() + i);
    if (a.tag() != b.tag() || a.record().after - a.index() != b.record().after - b.index() || written(a) != written(b))
      return false;
  }
  return true;
}

/// Named parts of the model that stand in several files with different content: neither of them is all that was meant.
void report_divided(const Model& model, Diagnostics& diagnostics) {
  if (model.documents().size() < 2) return;
  std::map<std::pair<ClassId, std::string_view>, Element> known;
  constexpr std::array<std::string_view, 7> parts{"SWModel",      "HWModel",    "OSModel",         "MappingModel",
                                                  "StimuliModel", "EventModel", "ConstraintsModel"};
  for (const auto& document : model.documents())
    for (const Element part : document->root().children()) {
      if (std::find(parts.begin(), parts.end(), part.class_name()) == parts.end()) continue;
      for (const Element element : part.children()) {
        if (!element.cls() || element.name().empty() || element.attribute("href")) continue;
        const auto [entry, added] = known.emplace(std::pair(*element.cls(), element.name()), element);
        const Element before = entry->second;
        if (added || before.document().position() == element.document().position() || is_same(before, element))
          continue;
        diagnostics.add("AM0478", Severity::warning,
                        fmt::format("{} \"{}\" is also in {}, with different content; one model has each element once; "
                                    "merge them, or rename one of them",
                                    element.class_name(), element.name(), before.document().source().path()),
                        element.location(), element.path(), 1, {before.origin(), element.origin()});
      }
    }
}

}  // namespace

void understand_structure(Model& model, Diagnostics& diagnostics) {
  Findings findings(diagnostics);
  std::vector<OtherStructure> other_structures;
  std::vector<ObsoleteContent> obsolete;
  std::vector<Namesakes> namesakes;
  for (const auto& document : model.documents()) {
    document->index();
    other_structures.emplace_back(*document);
    obsolete.emplace_back(*document);
    Classifier(*document, other_structures.back(), obsolete.back(), findings).run();
    give_ids(*document, namesakes);
  }
  // References may lead to any document, so all documents need their ids first.
  Homonyms homonyms(std::move(namesakes));
  ReferenceChecker checker(model, findings, homonyms);
  for (const auto& document : model.documents()) {
    const std::size_t position = document->position();
    checker.check(*document, other_structures[position], obsolete[position]);
    other_structures[position].report(findings);
    obsolete[position].report(findings);
  }
  homonyms.report(findings);
  report_repeated_tasks(model, diagnostics);
  report_divided(model, diagnostics);
}

}  // namespace amalthea::importer
