// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The models of a batch: found in folders, or listed in a manifest; all of them, or a shard.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "analysis/shard.hpp"

namespace amalthea::batch {

/// The files of a model, sorted: one, or several for a split model.
using ModelFiles = std::vector<std::string>;

/// Every model at and below the paths, in the order of the paths, and below each in the byte order of the first file's
/// path. Files of one folder form one model if one refers to another: by name (`href="other.amxmi#…"`, as ITEA's parts
/// do), or by `amlt:` references to names that it does not contain, if the other file has most of them. Links to
/// folders are not followed; duplicates are removed. The error names a path that does not exist or is unreadable. Files
/// larger than `max_bytes` are not inspected for this, and are separate models.
tl::expected<std::vector<ModelFiles>, std::string> find_models(const std::vector<std::string>& paths,
                                                               std::uint64_t max_bytes);

/// One line per model; the files of a split model are separated by tabs. Empty lines and lines that begin with # are
/// ignored. The error names the line.
tl::expected<std::vector<ModelFiles>, std::string> parse_manifest(std::string_view text);
/// The error names a file whose name a manifest cannot contain.
tl::expected<std::string, std::string> manifest_text(const std::vector<ModelFiles>& models);

using analysis::parse_shard;
using analysis::Shard;

/// "a.amxmi", or "a.amxmi and 3 more".
std::string title_of(const ModelFiles& files);

}  // namespace amalthea::batch
