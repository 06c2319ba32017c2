// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A new name for an element, in all files of its model: the edits after which every reference leads where it led.
///
/// An id consists of names (amalthea/identifier.hpp), so other elements may get another id with it. References by
/// `xmi:id` or position stay. Values of modes and keys of needs name their element as text, and follow it. Text that
/// only happens to contain the name stays.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/element.hpp"
#include "amalthea/work.hpp"
#include "importer/reading/limits.hpp"
#include "importer/reading/model_reader.hpp"
#include "lsp/navigation.hpp"

namespace amalthea::lsp {

struct Renamed {
  Element element;
  Span name;  ///< within the place that was asked about: the name alone
};
/// The element that is renamed at a place: whose name stands there, or to which the reference there leads.
std::optional<Renamed> renamed_at(const Subject& subject);

struct TextEdit {
  Place place;
  std::string text;
};
/// In the order of documents and places. The error says why the name cannot be given: it cannot be written, another
/// element has the id, a reference would lead elsewhere, or a place in a file cannot be stated. Reads the files at least
/// twice. `work` ends it early.
tl::expected<std::vector<TextEdit>, std::string> rename(const std::vector<importer::NamedBytes>& files, Origin element,
                                                        const std::string& name, const importer::Limits& limits,
                                                        const Work& work);

}  // namespace amalthea::lsp
