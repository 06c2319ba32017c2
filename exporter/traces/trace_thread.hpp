// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A trace written by a separate thread, while the simulation continues.

#include <cstdint>
#include <memory>

#include "exporter/traces/trace_formats.hpp"

namespace amalthea::exporter {

/// Forwards all events to `writer` in the same order, on another thread: the file is identical. At most a few thousand
/// events wait; then the simulation waits. `finish` waits for all of them. If no thread can be started, the thread of
/// the simulation writes. The trace ends before the instant at which its file exceeds `max_bytes` (0: no limit).
std::unique_ptr<TraceWriter> on_own_thread(std::unique_ptr<TraceWriter> writer, std::uint64_t max_bytes = 0);

}  // namespace amalthea::exporter
