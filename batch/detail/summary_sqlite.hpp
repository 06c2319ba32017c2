// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A batch as an SQLite database for queries.

#include <string>

#include <tl/expected.hpp>

#include "batch/summary.hpp"

namespace amalthea::batch {

/// Tables `models` (one row per line) and `tasks` (one per task of an analyzed model; from `lines`, a file of the
/// batch's lines, "" for none). Times are in picoseconds, unknown values are NULL. Written to a temporary file next to
/// `path`, then renamed.
tl::expected<void, std::string> write_database(const std::string& path, const Summary& summary,
                                               const std::string& lines);

}  // namespace amalthea::batch
