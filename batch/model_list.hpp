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

/// "2/10": the second of ten parts. A part has every tenth model, so that neighbors of similar size are distributed.
struct Shard {
  std::size_t number = 1;  ///< 1 … count
  std::size_t count = 1;
  bool has(std::size_t index) const { return index % count == number - 1; }
};
tl::expected<Shard, std::string> parse_shard(std::string_view text);

/// "a.amxmi", or "a.amxmi and 3 more".
std::string title_of(const ModelFiles& files);

}  // namespace amalthea::batch
