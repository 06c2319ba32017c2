// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How AMALTHEA names its elements: `<qualified name>?type=<EClass>`, each name form-url-encoded.
///
/// Which containers qualify a name differs by version:
/// - 0.7.0 – 0.8.3: the direct container's name for ModeLiteral, component ports, hardware ports;
/// - 0.9.0: also HwFeature, HwConnection; 0.9.1 – 0.9.5: also RunnableParameter;
/// - 0.9.7 on: the container's qualified name, for more classes, and the namespace path of namespace members.
/// A CallArgument is named after two references (its runnable and its parameter), a namespace member after one; the
/// text of those references already holds the names, so an id never needs another element to be resolved first.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "amalthea/element.hpp"

namespace amalthea {

class Object;

/// UTF-8 form encoding as Java's URLEncoder writes it: blank → '+', all but A-Z a-z 0-9 . - * _ → %XX.
std::string encode_name(std::string_view name);
/// The inverse; malformed escapes are kept as they stand.
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

/// The id inside `amlt:/#id` or `file.amxmi#id`; the whole fragment may be percent-encoded once more.
std::string id_of_href(std::string_view href);

/// The id that a reference names, in the form in which `document` keeps ids: as id_of_href; in an ITEA model the class
/// without its package and under its later name ("X?type=sw.OSEvent" → "X?type=OsEvent").
std::string lookup_form(const Document& document, std::string_view reference);

/// Id of an element whose class is referable, e.g. "CudaCores/SM_2?type=HwFeature"; nothing for others.
std::optional<std::string> computed_id(Element element);

/// The same of an object in a model of `version`.
std::optional<std::string> computed_id(const Object& object, Version version);

}  // namespace amalthea
