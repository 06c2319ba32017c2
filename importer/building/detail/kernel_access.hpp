// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The notation of gpu.access: how a runnable goes through its labels.

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "amalthea/graph/activity.hpp"

namespace amalthea::importer::detail {

/// "coalesced", "sequential", "random", "zero-copy" or "bulk", and details of it: "random,lanes=same",
/// "random,location=zero-copy", "sequential,fetch=32", "bulk,load-path=919us,memory-path=530us". The error states what
/// is wrong and what is expected.
tl::expected<KernelAccess, std::string> parse_kernel_access(std::string_view text);

}  // namespace amalthea::importer::detail
