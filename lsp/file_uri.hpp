// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// `file:` URIs, by which editors name documents.

#include <optional>
#include <string>
#include <string_view>

namespace amalthea::lsp {

/// The absolute path of a `file:` URI of this machine, normalized; nothing for any other URI.
std::optional<std::string> path_of_uri(std::string_view uri);

/// The `file:` URI of an absolute path.
std::string uri_of_path(std::string_view path);

}  // namespace amalthea::lsp
