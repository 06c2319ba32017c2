// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Writes a changed model back into its ZIP archive.

#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace amalthea::exporter {

/// The archive with new content in its only file. Name, time, compression method, attributes and comments of that entry
/// and everything else in the archive are unchanged, so the same input gives the same bytes. The error states why the
/// archive cannot be written. An archive is none with an entry such as ../x or /x: whoever unpacks the copy trusts us.
tl::expected<std::string, std::string> replace_in_zip(std::string_view archive, std::string_view content);

}  // namespace amalthea::exporter
