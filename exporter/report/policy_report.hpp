// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A study of GPU policies as one self-contained HTML file (docs/reference/gpu.md).

#include <string>

#include "exporter/gpu/answers.hpp"

namespace amalthea::exporter {

/// Byte-for-byte identical for the same study.
std::string render_policies_html(const PolicyStudy& study);

}  // namespace amalthea::exporter
