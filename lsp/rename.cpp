// SPDX-License-Identifier: Apache-2.0
#include "lsp/rename.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/identifier.hpp"
#include "amalthea/primitives/utf8.hpp"
#include "lsp/text.hpp"

namespace amalthea::lsp {
namespace {

/// Ids contain ids of containers, namespaces and runnables: no model nests them deeper.
constexpr int most_rounds = 12;

using Ids = std::vector<std::vector<std::string>>;  // by document and element; "" for what no reference names
using Edits = std::map<std::pair<std::uint32_t, std::uint32_t>, TextEdit>;  // by document and beginning

Ids ids_of(const Model& model) {
  Ids ids;
  for (const auto& document : model.documents()) {
    auto& all = ids.emplace_back(document->size());
    for (std::uint32_t i = 0; i < document->size(); ++i)
      if (auto id = computed_id(document->element(i))) all[i] = std::move(*id);
  }
  return ids;
}

const std::string& id_in(const Ids& ids, Element element) {
  return ids[element.document().position()][element.index()];
}

std::vector<importer::NamedBytes> edited(std::vector<importer::NamedBytes> files, const Edits& edits) {
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) {
    const Place& place = edit->second.place;
    files[place.document].bytes.replace(place.span.begin, place.span.size(), edit->second.text);
  }
  return files;
}

/// The reference with the path of another id: what stands around it is kept.
std::string with_id(std::string_view token, const std::string& id) {
  const std::size_t hash = token.find('#');
  const std::size_t begin = hash == std::string_view::npos ? 0 : hash + 1;
  const std::string_view fragment = token.substr(begin);
  std::string out(token.substr(0, begin));
  if (fragment.find("%3Ftype%3D") != std::string_view::npos) return out + encode_name(id);
  out += std::string_view(id).substr(0, id.rfind("?type="));
  return out.append(fragment.substr(std::min(fragment.rfind("?type="), fragment.size())));
}

/// Edits of all references to elements whose id has changed.
void add_references(const Model& model, const Ids& before, const Ids& after, Edits& edits) {
  visit_references(model, [&](Element, std::string_view token, Place place, Element target) {
    if (!target) return;
    const std::string& old_id = id_in(before, target);
    const std::string& new_id = id_in(after, target);
    if (old_id == new_id || lookup_form(*model.documents()[place.document], token) != old_id) return;
    edits.insert_or_assign({place.document, place.span.begin}, TextEdit{place, as_attribute(with_id(token, new_id))});
  });
}

struct Use {
  Origin holder, target;
  bool leads = false;
  friend bool operator==(const Use&, const Use&) = default;
};
std::vector<Use> uses_in(const Model& model) {
  std::vector<Use> uses;
  visit_references(model, [&](Element holder, std::string_view, Place, Element target) {
    uses.push_back({holder.origin(), target ? target.origin() : Origin{}, static_cast<bool>(target)});
  });
  return uses;
}

/// An id that the new name gives, and that another element has.
const std::string* clash(const Ids& before, const Ids& after) {
  std::unordered_map<std::string_view, int> old_count, count;
  for (std::size_t document = 0; document < after.size(); ++document)
    for (std::size_t i = 0; i < after[document].size(); ++i) {
      ++old_count[before[document][i]];
      ++count[after[document][i]];
    }
  for (std::size_t document = 0; document < after.size(); ++document)
    for (std::size_t i = 0; i < after[document].size(); ++i) {
      const std::string& id = after[document][i];
      if (id != before[document][i] && count[id] > old_count[before[document][i]]) return &id;
    }
  return nullptr;
}

/// A name that stands as text, not in a reference.
struct NameInText {
  Place place;
  std::string_view name;
};
/// Where names may stand that mean what the name of this element means: values of its mode, and keys of needs.
std::vector<NameInText> names_in_text(const Model& model, Element renamed) {
  std::vector<NameInText> names;
  const auto add = [&](Element holder, std::string_view attribute) {
    const auto value = holder.attribute(attribute);
    if (!value) return;
    Span span = *holder.attribute_span(attribute);
    const std::size_t end = std::min(value->find("?type="), value->size());  // of a key in 0.9.0
    span.end -= static_cast<std::uint32_t>(value->size() - end);
    names.push_back({{holder.document().position(), span}, value->substr(0, end)});
  };
  const bool is_literal = renamed.is("ModeLiteral"), is_category = renamed.is("HwFeatureCategory");
  if (!is_literal && !is_category) return names;
  for (const auto& document : model.documents()) {
    if (is_literal && document->version() < Version::v0_9_4) continue;  // values are references
    for (std::uint32_t i = 0; i < document->size(); ++i) {
      const Element holder = document->element(i);
      if (is_category && holder.is("NeedEntry")) add(holder, "key");
      if (!is_literal || !holder.cls()) continue;
      Element label = holder;
      for (const char* feature : {"data", "label", "key"})
        if (const Element named = model.reference(holder, feature)) label = named;
      if (model.reference(label, "mode") != renamed.parent()) continue;
      for (const char* attribute : {"value", "initialValue", "defaultValue"}) add(holder, attribute);
    }
  }
  return names;
}

bool is_utf8_file(const Document& document) {
  const SourceText& source = document.source();
  if (source.unit() != 1 || document.zipped()) return false;
  return utf8(source, {0, static_cast<std::uint32_t>(source.bytes().size())}) == source.bytes();
}

/// Why XML or an editor cannot keep the name; "" if they can.
std::string fault_in(const std::string& name) {
  if (name.empty()) return "a name cannot be empty";
  if (one_line(name) != name) return "a name cannot contain control characters";
  if (name.front() == ' ' || name.back() == ' ') return "a name cannot begin or end with a blank";
  return {};
}

bool same_shape(const Model& a, const Model& b) {
  return std::equal(a.documents().begin(), a.documents().end(), b.documents().begin(), b.documents().end(),
                    [](const auto& one, const auto& other) { return one->size() == other->size(); });
}

}  // namespace

std::optional<Renamed> renamed_at(const Subject& subject) {
  if (subject.attribute == "name" && subject.element && !subject.element.name().empty())
    return Renamed{subject.element, subject.token};
  if (!subject.target || subject.target.name().empty()) return std::nullopt;
  // Of a reference only the last name of its path; the whole of it, if it is spelled in another way.
  const std::string_view token = subject.element.document().source().text(subject.token);
  const std::string name = encode_name(subject.target.name());
  const std::size_t end = std::min(token.rfind("?type="), token.size());
  Renamed renamed{subject.target, subject.token};
  if (end >= name.size() && token.substr(end - name.size(), name.size()) == name)
    renamed.name = {subject.token.begin + static_cast<std::uint32_t>(end - name.size()),
                    subject.token.begin + static_cast<std::uint32_t>(end)};
  return renamed;
}

tl::expected<std::vector<TextEdit>, std::string> rename(const std::vector<importer::NamedBytes>& files, Origin element,
                                                        const std::string& name, const importer::Limits& limits,
                                                        const Work& work) {
  if (std::string fault = fault_in(name); !fault.empty()) return tl::unexpected(std::move(fault));
  Diagnostics ignored;
  const auto model = importer::read_model_from_bytes(files, limits, ignored);
  if (!model) return tl::unexpected(std::string("the model cannot be read"));
  const Element renamed = model->element(element);
  const auto span = renamed.attribute_span("name");
  if (!span) return tl::unexpected(std::string("the element has no name"));
  Edits edits;
  if (name == renamed.name()) return std::vector<TextEdit>{};
  const Ids before = ids_of(*model);
  const Place place{element.document, *span};
  edits.emplace(std::pair(place.document, span->begin), TextEdit{place, as_attribute(name)});
  for (const NameInText& text : names_in_text(*model, renamed)) {
    if (text.name == name) return tl::unexpected(std::string("a value would mean another element"));
    if (text.name == renamed.name())
      edits.emplace(std::pair(text.place.document, text.place.span.begin), TextEdit{text.place, as_attribute(name)});
  }
  for (int round = 0; round < most_rounds && !work.stop; ++round) {
    const auto next = importer::read_model_from_bytes(edited(files, edits), limits, ignored);
    if (!next || !same_shape(*model, *next)) break;
    const Ids after = ids_of(*next);
    const std::size_t known = edits.size();
    Edits more = edits;
    add_references(*model, before, after, more);
    const bool settled =
        more.size() == known && std::equal(more.begin(), more.end(), edits.begin(),
                                           [](const auto& a, const auto& b) { return a.second.text == b.second.text; });
    edits = std::move(more);
    if (!settled) continue;
    if (const std::string* id = clash(before, after))
      return tl::unexpected(fmt::format("another element is called \"{}\"", one_line(decode_name(*id))));
    if (uses_in(*model) != uses_in(*next))
      return tl::unexpected(std::string("a reference would lead to another element"));
    std::vector<TextEdit> all;
    for (auto& [at, edit] : edits) {
      // With the new name: an editor writes UTF-8, whatever the file declares.
      const Document& document = *next->documents()[at.first];
      const bool is_checked = !all.empty() && all.back().place.document == at.first;
      if (!is_checked && !is_utf8_file(document))
        return tl::unexpected(
            fmt::format("{} refers to it and is no UTF-8 text; open it first", one_line(document.source().path())));
      all.push_back(std::move(edit));
    }
    return all;
  }
  return tl::unexpected(std::string("the model with the new name cannot be read"));
}

}  // namespace amalthea::lsp
