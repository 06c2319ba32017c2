// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Identifiers of AMALTHEA elements: `<qualified name>?type=<EClass>`, each name form-url-encoded.
///
/// The containers that qualify a name depend on the version:
/// - 0.7.0 – 0.8.3: the direct container's name for ModeLiteral, component ports, hardware ports;
/// - 0.9.0: also HwFeature, HwConnection; 0.9.1 – 0.9.5: also RunnableParameter;
/// - since 0.9.7: the container's qualified name, for more classes, and the namespace path of namespace members.
/// A CallArgument is named after two references (its runnable and its parameter), a namespace member after one. The
/// text of those references already contains the names, so an id never requires another element to be resolved first.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "amalthea/element.hpp"

namespace amalthea {

class Object;

/// UTF-8 form encoding like Java's URLEncoder: blank → '+', all except A-Z a-z 0-9 . - * _ → %XX.
std::string encode_name(std::string_view name);
/// The inverse; keeps malformed escapes.
std::string decode_name(std::string_view encoded);

/// Calls visit(token, offset) for each blank-separated token of a reference attribute.
template <typename Visit>
void for_each_token(std::string_view tokens, Visit visit) {
  std::size_t at = 0;
  while (at < tokens.size()) {
    const std::size_t end = std::min(tokens.find(' ', at), tokens.size());
    if (end > at) visit(tokens.substr(at, end - at), at);
    at = end + 1;
  }
}

/// The id in `amlt:/#id` or `file.amxmi#id`; the whole fragment may be percent-encoded once more.
std::string id_of_href(std::string_view href);

/// The id that a reference names, in the form in which `document` stores ids: as id_of_href; in an ITEA model the class
/// without its package and with its later name ("X?type=sw.OSEvent" → "X?type=OsEvent").
std::string lookup_form(const Document& document, std::string_view reference);

/// Id of an element whose class is referable, e.g. "CudaCores/SM_2?type=HwFeature"; nothing for others.
std::optional<std::string> computed_id(Element element);

/// The same for an object in a model of `version`.
std::optional<std::string> computed_id(const Object& object, Version version);

}  // namespace amalthea
