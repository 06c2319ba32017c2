// SPDX-License-Identifier: Apache-2.0
#include "migration/detail/itea_reference.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/core.h>

#include "amalthea/identifier.hpp"

namespace amalthea::migration {
namespace {

constexpr std::string_view lent_id = "_position.";

/// The way back, as 1.3.0 writes it.
std::string with_package(std::string_view id) {
  const std::size_t type = id.rfind(type_mark) + type_mark.size();
  const std::string_view name = id.substr(type);
  return fmt::format("{}{}.{}", id.substr(0, type), itea_package(name, IteaRelease::v1_3_0),
                     itea_class_name(name, IteaRelease::v1_3_0));
}

/// Whether an owner has at most one child in this feature.
bool is_single(const Object& owner, std::string_view feature) {
  if (owner.cls() != no_class)
    if (const Feature* known = metamodel::find_feature_any_version(owner.cls(), feature, oldest_version))
      return !known->many();
  return feature != "scheduler" && !itea_content(feature).empty();
}

/// Calls change(holder, token) for every text that may be a reference to an object of an ITEA model; its result
/// replaces the text. Features that 0.7.0 lacks count as references if `suspects` returns true for their text.
template <typename Suspects, typename Change>
void change_references(EditableModel& model, Suspects suspects, Change change) {
  model.for_each([&](Object& object) {
    for (Field& field : object.fields()) {
      const std::string_view name = model.name(field.name);
      if (name == "xmi:id" || name == "xsi:type" || name == "name") continue;
      std::string after;
      if (field.kind != FieldKind::value)
        after = change(object, field.text);
      else if (suspects(field.text))
        for_each_token(field.text, [&](std::string_view token, std::size_t) {
          after.append(after.empty() ? "" : " ").append(change(object, token));
        });
      else
        continue;
      if (after != field.text) field.text = model.keep(after);
    }
  });
}

/// Calls change(holder, written, fragment) for every reference by position or by a temporary id, where `fragment` is
/// what follows "file#" or all of it; its result replaces the fragment unless it is empty.
template <typename Change>
void change_positions(EditableModel& model, Change change) {
  const auto suspects = [](std::string_view text) {
    for (const std::string_view mark : {std::string_view("//@"), lent_id})
      for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1))
        if (at == 0 || text[at - 1] == ' ' || text[at - 1] == '#') return true;
    return false;
  };
  change_references(model, suspects, [&](const Object& holder, std::string_view written) {
    const std::size_t hash = written.find('#');
    const std::string_view fragment = hash == std::string_view::npos ? written : written.substr(hash + 1);
    const std::string after = change(holder, written, fragment);
    if (after.empty()) return std::string(written);
    return std::string(written.substr(0, written.size() - fragment.size())).append(after);
  });
}

}  // namespace

std::string_view file_name(std::string_view path) { return path.substr(path.find_last_of("/\\") + 1); }

std::string without_package(std::string_view id) {
  const std::size_t type = id.rfind(type_mark);
  if (type == std::string_view::npos) return std::string(id);
  const std::string_view qualified = id.substr(type + type_mark.size());
  const std::size_t dot = qualified.rfind('.');
  if (dot == std::string_view::npos) return std::string(id);
  return std::string(id.substr(0, type + type_mark.size()))
      .append(itea_class(qualified.substr(0, dot), qualified.substr(dot + 1)));
}

const Object& root_of(const Object& object) {
  const Object* at = &object;
  while (at->owner() != nullptr) at = at->owner();
  return *at;
}

IteaReferences::IteaReferences(const EditableModel& model) {
  for (const EditableModel::File& file : model.files()) {
    File& known = files_.emplace_back();
    known.root = file.root.get();
    known.name = file_name(file.path);
  }
  for (File& file : files_) {
    std::vector<Object*> left{file.root};
    while (!left.empty()) {
      Object& object = *left.back();
      left.pop_back();
      const auto add = [&](std::string id) {
        Named& named = file.ids[std::move(id)];
        named.several = named.object != nullptr && named.object != &object;
        named.object = &object;
      };
      if (const auto id = object.attribute("xmi:id")) add(std::string(*id));
      if (auto id = computed_id(object, oldest_version)) add(std::move(*id));
      // In document order, so that the last of several counts.
      for (std::size_t i = object.children().size(); i-- > 0;) left.push_back(object.children()[i].get());
    }
  }
}

Object* IteaReferences::at_position(Object& root, std::string_view position) const {
  position.remove_prefix(1);
  std::size_t end = std::min(position.find('/'), position.size());
  if (const std::string_view first = position.substr(0, end); !first.empty() && first != "0") return nullptr;
  Object* at = &root;
  while (at != nullptr && end < position.size()) {
    position.remove_prefix(end + 1);
    end = std::min(position.find('/'), position.size());
    std::string_view step = position.substr(0, end);
    if (step.size() < 2 || step.front() != '@') return nullptr;
    step.remove_prefix(1);
    std::size_t index = 0;
    if (const std::size_t dot = step.rfind('.'); dot != std::string_view::npos) {
      std::from_chars(step.data() + dot + 1, step.data() + step.size(), index);
      step = step.substr(0, dot);
    }
    const auto [known, is_new] = children_.try_emplace(at);
    if (is_new)
      for (const OwnedObject& child : at->children()) known->second[child->feature()].push_back(child.get());
    const auto found = known->second.find(itea_feature(step));
    at = found != known->second.end() && index < found->second.size() ? found->second[index] : nullptr;
  }
  return at;
}

Object* IteaReferences::in_file(const File& file, std::string_view fragment) const {
  if (fragment.starts_with('/')) return at_position(*file.root, fragment);
  const auto found = file.ids.find(without_package(fragment));
  return found == file.ids.end() ? nullptr : found->second.object;
}

const IteaReferences::File* IteaReferences::file_of(const Object& object) const {
  const Object& root = root_of(object);
  const auto found = std::find_if(files_.begin(), files_.end(), [&](const File& file) { return file.root == &root; });
  return found == files_.end() ? nullptr : &*found;
}

Object* IteaReferences::find(const Object& holder, std::string_view written) const {
  const std::size_t hash = written.find('#');
  if (hash == std::string_view::npos || hash == 0) {
    const File* const own = file_of(holder);
    return own == nullptr ? nullptr : in_file(*own, written.substr(hash == 0 ? 1 : 0));
  }
  const std::string_view name = written.substr(0, hash);
  for (const File& file : files_)
    if (name.starts_with("amlt:") || file.name == file_name(name))
      if (Object* const found = in_file(file, written.substr(hash + 1))) return found;
  return nullptr;
}

Object* IteaReferences::target(const Object& holder, std::string_view feature) const {
  if (const auto reference = holder.reference(feature)) return find(holder, *reference);
  if (const auto text = holder.attribute(feature)) return find(holder, *text);
  if (const Object* const child = holder.child(feature))
    if (const auto address = child->attribute("href")) return find(holder, *address);
  return nullptr;
}

bool IteaReferences::is_set(const Object& holder, std::string_view feature) {
  return holder.reference(feature) || holder.attribute(feature) || holder.child(feature) != nullptr;
}

bool IteaReferences::is_named(const Object& object) const {
  const auto id = computed_id(object, oldest_version);
  const File* const file = id ? file_of(object) : nullptr;
  if (file == nullptr) return false;
  const auto found = file->ids.find(*id);
  return found == file->ids.end() || (found->second.object == &object && !found->second.several);
}

Positions positions_in(const Object& root, IteaRelease release) {
  Positions positions{{&root, "/"}};
  std::vector<const Object*> left{&root};
  while (!left.empty()) {
    const Object& owner = *left.back();
    left.pop_back();
    const std::string before = positions[&owner];
    std::vector<std::pair<NameKey, std::size_t>> counts;  // of the few features that an object has
    for (const OwnedObject& child : owner.children()) {
      auto count = std::find_if(counts.begin(), counts.end(),
                                [&](const auto& entry) { return entry.first == child->feature_key(); });
      if (count == counts.end()) count = counts.insert(count, {child->feature_key(), 0});
      const std::string_view feature = itea_feature_name(owner.class_name(), child->feature(), release);
      positions[child.get()] = is_single(owner, child->feature())
                                   ? fmt::format("{}/@{}", before, feature)
                                   : fmt::format("{}/@{}.{}", before, feature, count->second++);
      left.push_back(child.get());
    }
  }
  return positions;
}

std::string lasting_id(Object& object) {
  if (const auto id = object.attribute("xmi:id")) return std::string(*id);
  // The address is unique among the objects of the model while this one lives.
  std::string id = fmt::format("{}{}", lent_id, static_cast<const void*>(&object));
  object.set("xmi:id", id);
  return id;
}

std::size_t hold_positions(EditableModel& model) {
  const IteaReferences references(model);
  std::size_t count = 0;
  change_positions(model, [&](const Object& holder, std::string_view written, std::string_view fragment) {
    Object* const target = fragment.starts_with("//@") ? references.find(holder, written) : nullptr;
    if (target == nullptr) return std::string();
    ++count;
    return lasting_id(*target);
  });
  return count;
}

void release_positions(EditableModel& model, IteaRelease release) {
  const IteaReferences references(model);
  std::unordered_map<const Object*, Positions> positions;  // by root
  change_positions(model, [&](const Object& holder, std::string_view written, std::string_view fragment) {
    const Object* const target = fragment.starts_with(lent_id) ? references.find(holder, written) : nullptr;
    if (target == nullptr) return std::string();
    const Object& root = root_of(*target);
    const auto [known, is_new] = positions.try_emplace(&root);
    if (is_new) known->second = positions_in(root, release);
    return known->second.at(target);
  });
  model.for_each([&](Object& object) {
    if (object.attribute_or("xmi:id", "").starts_with(lent_id)) object.unset("xmi:id");
  });
}

void hold_positions(Step& step) { hold_positions(step.model); }
void release_positions(Step& step) { release_positions(step.model, step.to.itea); }

void refer(Object& holder, std::string_view feature, Object& target, const IteaReferences& references) {
  const Object& root = root_of(target);
  if (&root == &root_of(holder)) {
    holder.add_reference(feature,
                         references.is_named(target) ? *computed_id(target, oldest_version) : lasting_id(target));
    return;
  }
  const bool by_name = !target.name().empty() && references.is_named(target);
  const std::string id = by_name ? with_package(*computed_id(target, oldest_version)) : lasting_id(target);
  for (const EditableModel::File& file : holder.model().files())
    if (file.root.get() == &root)
      holder.add_remote_reference(feature, fmt::format("{}#{}", file_name(file.path), id), target.cls());
}

void rename_file(EditableModel& model, std::size_t file, const std::string& path) {
  const std::string before(file_name(model.files()[file].path));
  const std::string after(file_name(path));
  model.rename_file(file, path);
  const auto suspects = [&](std::string_view text) { return text.find(before + "#") != std::string_view::npos; };
  change_references(model, suspects, [&](const Object&, std::string_view written) {
    const std::size_t hash = written.find('#');
    if (hash == std::string_view::npos || file_name(written.substr(0, hash)) != before) return std::string(written);
    return std::string(written.substr(0, hash - before.size())).append(after).append(written.substr(hash));
  });
}

}  // namespace amalthea::migration
