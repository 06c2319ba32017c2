// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Messages of the protocol as JSON: what they contain, and the parts that many answers share.

#include <initializer_list>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "amalthea/element.hpp"
#include "lsp/text.hpp"

namespace amalthea::lsp::detail {

using Json = nlohmann::json;

/// The value at a path of keys, or null.
const Json& at(const Json& json, std::initializer_list<const char*> keys);
bool is_true(const Json& value);
/// Whether a list contains a word; false if it is no list.
bool contains(const Json& list, std::string_view word);

/// Throws for anything but a position, as all accesses to parameters do.
Position position_of(const Json& json);
Json to_json(Position position);

/// The path of a document. One without a file is named by its URI, which is no absolute path.
std::string path_of(const std::string& uri);

/// SymbolKind of the protocol.
int kind_of(Element element);

}  // namespace amalthea::lsp::detail
