// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What all pages for people have in common: the style sheet (page.css), and a page without data.

#include <string>
#include <string_view>

namespace amalthea::exporter {

/// The style sheet of every page.
extern const std::string_view page_style;

/// The Content-Security-Policy hash of a script or style sheet: "'sha256-…'", in base64.
std::string policy_hash(std::string_view text);

/// Up to the content of a page without data, its heading included. If it `filters`, it has a field that narrows the rows
/// of its tables (filter.js); without scripts it is complete, only without that field.
std::string page_begin(std::string_view title, bool filters);
/// After the content of the same page.
std::string page_end(bool filters);

}  // namespace amalthea::exporter
