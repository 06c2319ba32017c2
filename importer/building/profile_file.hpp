// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Profiles of GPUs in files beside a model: gpu.platform names one if its value ends with ".json".

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/element.hpp"
#include "importer/reading/limits.hpp"

namespace amalthea::importer {

/// The path of the file that the property names. It is relative to the folder of the element's document, and lies there
/// or in a folder below. "": the value names no file. The error is a clause.
tl::expected<std::string, std::string> profile_path(Element unit, const std::string& platform);

/// The text of the file; "" if the value names none. The error is a clause.
tl::expected<std::string, std::string> read_profile(Element unit, const std::string& platform);

/// The paths of all such files that a model names, whether or not they exist, in order.
std::vector<std::string> profile_files(const std::vector<std::string>& paths, const Limits& limits);
/// Whether a model with a file of these bytes may name one: few do, and the others need not be read as models.
bool may_name_profile(std::string_view bytes);

}  // namespace amalthea::importer
