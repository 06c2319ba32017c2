// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Comments by which a model that was made from another file says where its parts stand there, as #line does in C. A
/// location within such a model is one in the other file, as long as the model bears its name: before it is saved.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace amalthea {

/// The text of the first comment of the model.
std::string made_from_comment(std::string_view path);
/// The text of a comment before an element.
std::string origin_comment(std::size_t line, std::size_t column);

struct MadeFrom {
  std::uint32_t line = 1, column = 1;
};
/// Where the part of `text` at `offset` stands in the file `path`; nothing if the text was not made from it.
std::optional<MadeFrom> place_made_from(std::string_view path, std::string_view text, std::size_t offset);

}  // namespace amalthea
