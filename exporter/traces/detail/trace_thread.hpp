// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A trace written by a thread of its own, while the simulation goes on.

#include <memory>

#include "exporter/traces/trace_formats.hpp"

namespace amalthea::exporter {

/// Tells `writer` everything that it is told itself, in the same order, by another thread: the file is the same. A few
/// thousand events wait at most; then the simulation does. `finish` waits for all.
std::unique_ptr<TraceWriter> on_own_thread(std::unique_ptr<TraceWriter> writer);

}  // namespace amalthea::exporter
