// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Bytes → Document: the one place where Xerces-C++ is used.
///
/// Reads any well-formed XML in any encoding Xerces knows. Refuses document type declarations altogether, so no
/// entity, internal or external, is ever expanded, and nothing but the given bytes is read: no file, no network.

#include <memory>
#include <string>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "importer/reading/limits.hpp"

namespace amalthea::importer {

/// The document with all its elements and attributes, classes not yet known; null after an error, which is
/// then in `diagnostics` with its place. `path` is used in messages only.
std::unique_ptr<Document> read_xml(std::string path, std::string bytes, const Limits& limits, Diagnostics& diagnostics);

}  // namespace amalthea::importer
