// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A batch as an SQLite database, to be asked questions.

#include <string>

#include <tl/expected.hpp>

#include "batch/summary.hpp"

namespace amalthea::batch {

/// Tables `models` (one row per line) and `tasks` (one per task of a model that was analysed; from `lines`, a file of
/// the batch's lines, "" for none). Times in picoseconds, what is not known is NULL. Written beside `path`, then
/// renamed.
tl::expected<void, std::string> write_database(const std::string& path, const Summary& summary,
                                               const std::string& lines);

}  // namespace amalthea::batch
