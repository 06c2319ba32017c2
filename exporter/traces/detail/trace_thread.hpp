// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A trace written by a separate thread, while the simulation continues.

#include <memory>

#include "exporter/traces/trace_formats.hpp"

namespace amalthea::exporter {

/// Forwards all events to `writer` in the same order, on another thread: the file is identical. At most a few thousand
/// events wait; then the simulation waits. `finish` waits for all of them.
std::unique_ptr<TraceWriter> on_own_thread(std::unique_ptr<TraceWriter> writer);

}  // namespace amalthea::exporter
