// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Identifies a file that was given as a model and is none, by its beginning.

#include <string>
#include <string_view>

namespace amalthea::importer {

/// "a GPU scenario, not an AMALTHEA model; `amalthea gpu run` reads it", or nothing for a possible model. Inspects the
/// first megabyte.
std::string foreign_content(std::string_view path, std::string_view bytes);

/// The same for an XML document, by the name of its root element: "; this is …", or nothing.
std::string foreign_root(std::string_view root);

}  // namespace amalthea::importer
