// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Bytes → Document. Only this part uses Xerces-C++.
///
/// Reads any well-formed XML in any encoding that Xerces supports. Rejects document type declarations, so that no
/// internal or external entity is ever expanded. Reads only the given bytes: no files, no network.

#include <memory>
#include <string>

#include "amalthea/element.hpp"
#include "amalthea/location.hpp"
#include "importer/reading/limits.hpp"

namespace amalthea::importer {

/// The document with all its elements and attributes, without classes; null after an error, which is then in
/// `diagnostics` with its location. `path` is only used in messages.
std::unique_ptr<Document> read_xml(std::string path, std::string bytes, const Limits& limits, Diagnostics& diagnostics);

}  // namespace amalthea::importer
