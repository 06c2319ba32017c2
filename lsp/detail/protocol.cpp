// SPDX-License-Identifier: Apache-2.0
#include "lsp/detail/protocol.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "exporter/primitives/json_integers.hpp"
#include "lsp/file_uri.hpp"

namespace amalthea::lsp::detail {

const Json& at(const Json& json, std::initializer_list<const char*> keys) {
  static const Json none;
  const Json* value = &json;
  for (const char* key : keys) {
    if (!value->is_object()) return none;
    const auto found = value->find(key);
    if (found == value->end()) return none;
    value = &*found;
  }
  return *value;
}

bool is_true(const Json& value) { return value.is_boolean() && value.get<bool>(); }

bool contains(const Json& list, std::string_view word) {
  return list.is_array() &&
         std::any_of(list.begin(), list.end(), [&](const Json& entry) { return entry.is_string() && entry == word; });
}

Position position_of(const Json& json) {
  return {exporter::integer_in<std::size_t>(json.at("line")), exporter::integer_in<std::size_t>(json.at("character"))};
}

Json to_json(Position position) { return {{"line", position.line}, {"character", position.character}}; }

std::string path_of(const std::string& uri) { return path_of_uri(uri).value_or(uri); }

int kind_of(Element element) {
  constexpr int module = 2, structure = 23, function = 12, variable = 13, constant = 14, event = 24, object = 19;
  if (element.name().empty()) return module;
  constexpr std::array<std::pair<std::string_view, int>, 9> kinds = {{{"Task", event},
                                                                      {"ISR", event},
                                                                      {"Runnable", function},
                                                                      {"Label", variable},
                                                                      {"ModeLabel", variable},
                                                                      {"ModeLiteral", constant},
                                                                      {"HwStructure", structure},
                                                                      {"ProcessingUnit", structure},
                                                                      {"Memory", structure}}};
  for (const auto& [cls, kind] : kinds)
    if (element.is(cls)) return kind;
  return object;
}

}  // namespace amalthea::lsp::detail
