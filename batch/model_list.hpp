// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which models a batch is about: found below paths, or listed in a manifest; all of them, or a shard.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace amalthea::batch {

/// A model by its files: one, or those that it is split over, sorted.
using ModelFiles = std::vector<std::string>;

/// Every model at and below the paths, in the order of the paths and below each by the bytes of its first file's path.
/// Files of one folder are one model where one refers into another: by name (`href="other.amxmi#…"`, as ITEA's parts
/// do), or by `amlt:` references to names that it has not, as far as the other is the one that has most of them. Links
/// to folders are not followed, and what is given twice is there once. The error names a path that is not there or
/// cannot be read.
/// Files larger than `max_bytes` are not read for that, and so are models of their own.
tl::expected<std::vector<ModelFiles>, std::string> find_models(const std::vector<std::string>& paths,
                                                               std::uint64_t max_bytes);

/// A line per model; files of a split one are separated by tabs. Empty lines and those that begin with # say nothing.
/// The error names the line.
tl::expected<std::vector<ModelFiles>, std::string> parse_manifest(std::string_view text);
/// The error names a file whose name cannot stand in one.
tl::expected<std::string, std::string> manifest_text(const std::vector<ModelFiles>& models);

/// "2/10": the second of ten parts, which has every tenth model, so that neighbours of similar size are spread.
struct Shard {
  std::size_t number = 1;  ///< 1 … count
  std::size_t count = 1;
  bool has(std::size_t index) const { return index % count == number - 1; }
};
tl::expected<Shard, std::string> parse_shard(std::string_view text);

/// "a.amxmi", or "a.amxmi and 3 more".
std::string title_of(const ModelFiles& files);

}  // namespace amalthea::batch
