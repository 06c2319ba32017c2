// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include "amalthea/attribute_value.hpp"
#include "amalthea/diagnostic.hpp"
#include "amalthea/editable_model.hpp"
#include "amalthea/identifier.hpp"
#include "exporter/models/model_exports.hpp"

namespace amalthea::exporter {
namespace {

bool is_json_number(std::string_view text) { return nlohmann::json::accept(text); }

/// Objects in the order of writing, feature by feature; those with the same name together, as an array if the metamodel
/// allows several.
class ModelWriter {
 public:
  ModelWriter(const EditableModel& model, const Sink& sink) : model_(model), sink_(sink) {}

  void file(const EditableModel::File& file, Version version, const std::string& version_text) {
    version_ = version;
    out_ += "  {\"path\": ";
    text(file.path);
    out_ += ", \"version\": ";
    text(version_text);
    out_ += ", \"model\":\n";
    object(*file.root, 2);
    out_ += "}";
  }
  void raw(std::string_view piece) { out_ += piece; }
  void flush() {
    sink_(out_);
    out_.clear();
  }

 private:
  const Feature* feature_of(ClassId cls, NameKey name) {
    if (cls == no_class) return nullptr;
    const std::uint64_t key = static_cast<std::uint64_t>(cls) << 32U | static_cast<std::uint32_t>(name);
    const auto known = features_.find(key);
    if (known != features_.end()) return known->second;
    return features_[key] = metamodel::find_feature_any_version(cls, model_.name(name), version_);
  }

  void text(std::string_view value) {
    for (const char c : value)
      if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F || c == '"' || c == '\\') {
        out_ += nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        return;
      }
    out_.append("\"").append(value).append("\"");
  }

  /// Numbers and booleans as such, if the metamodel defines them; everything else as text.
  void value(const Feature* feature, std::string_view written) {
    if (feature != nullptr && feature->kind == FeatureKind::attribute) {
      const ValueKind kind = value_kind(*feature, version_);
      const bool plain = kind != ValueKind::text && kind != ValueKind::address && kind != ValueKind::literal;
      if (const auto form = plain ? written_value(*feature, version_, written) : std::nullopt)
        if (is_json_number(*form)) {
          out_ += *form;
          return;
        }
    }
    text(written);
  }

  void key(std::string_view name, std::size_t depth, bool& first) {
    out_ += first ? "\n" : ",\n";
    first = false;
    out_.append(depth, ' ');
    text(name);
    out_ += ": ";
  }

  void fields(const Object& object, std::size_t depth, bool& first) {
    std::vector<bool> done(object.fields().size(), false);
    for (std::size_t i = 0; i < object.fields().size(); ++i) {
      if (done[i]) continue;
      const Field& field = object.fields()[i];
      const std::string_view name = model_.name(field.name);
      if (name == "xmi:id" && object.cls() != no_class) continue;  // written as "$id"
      const Feature* const feature = feature_of(object.cls(), field.name);
      key(name, depth, first);
      if (field.kind == FieldKind::value) {
        value(feature, field.text);
        continue;
      }
      const bool many = feature == nullptr || feature->many();
      if (many) out_ += '[';
      bool first_target = true;
      for (std::size_t j = i; j < object.fields().size(); ++j) {
        const Field& other = object.fields()[j];
        if (other.name != field.name || other.kind == FieldKind::value) continue;
        done[j] = true;
        if (!first_target && !many) continue;  // with at most one target allowed, the first counts
        if (!first_target) out_ += ", ";
        first_target = false;
        text(other.text);
      }
      if (many) out_ += ']';
    }
  }

  void children(const Object& object, std::size_t depth, bool& first) {
    std::vector<NameKey> order;
    std::unordered_map<std::uint32_t, std::vector<const Object*>> by_feature;
    for (const OwnedObject& child : object.children()) {
      auto& same = by_feature[static_cast<std::uint32_t>(child->feature_key())];
      if (same.empty()) order.push_back(child->feature_key());
      same.push_back(child.get());
    }
    for (const NameKey name : order) {
      const auto& same = by_feature[static_cast<std::uint32_t>(name)];
      const Feature* const feature = feature_of(object.cls(), name);
      const bool many = feature == nullptr || feature->many() || same.size() > 1;
      key(model_.name(name), depth, first);
      if (!many) {
        out_ += '\n';
        this->object(*same.front(), depth + 1);
        continue;
      }
      out_ += '[';
      for (std::size_t i = 0; i < same.size(); ++i) {
        out_ += i == 0 ? "\n" : ",\n";
        this->object(*same[i], depth + 1);
      }
      out_ += ']';
    }
  }

  void object(const Object& object, std::size_t depth) {
    out_.append(depth, ' ').append("{\"$class\": ");
    if (object.cls() == no_class)
      out_ += "null";
    else
      text(object.class_name());
    if (const auto id = computed_id(object, version_)) {
      out_ += ", \"$id\": ";
      text(*id);
    }
    bool first = false;
    fields(object, depth + 1, first);
    children(object, depth + 1, first);
    out_ += '}';
    if (out_.size() > piece_size) flush();
  }

  static constexpr std::size_t piece_size = 1U << 20U;
  const EditableModel& model_;
  const Sink& sink_;
  Version version_ = newest_version;
  std::unordered_map<std::uint64_t, const Feature*> features_;
  std::string out_;
};

}  // namespace

void write_model_json(const Model& model, const ModelExportOptions&, Diagnostics&, const Sink& sink) {
  const EditableModel editable(model);
  ModelWriter writer(editable, sink);
  writer.raw("{\"schema\": \"amalthea-model/1\",\n \"files\": [\n");
  for (std::size_t i = 0; i < editable.files().size(); ++i) {
    const Document& document = *model.documents()[i];
    if (i > 0) writer.raw(",\n");
    writer.file(editable.files()[i], document.version(), document.version_text());
  }
  writer.raw("]}\n");
  writer.flush();
}

}  // namespace amalthea::exporter
