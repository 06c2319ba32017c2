// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A trace written by a thread of its own, while the simulation goes on.

#include <cstdint>
#include <memory>

#include "exporter/traces/trace_formats.hpp"

namespace amalthea::exporter {

/// Tells `writer` everything that it is told itself, in the same order, by another thread: the file is the same. A few
/// thousand events wait at most; then the simulation does. `finish` waits for all. Where no thread can be started, the
/// thread of the simulation writes. The trace ends before the instant at which its file exceeds `most_bytes` (0: never).
std::unique_ptr<TraceWriter> on_own_thread(std::unique_ptr<TraceWriter> writer, std::uint64_t most_bytes = 0);

}  // namespace amalthea::exporter
