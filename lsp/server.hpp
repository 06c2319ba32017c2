// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The language server: a Session over two streams, and a second thread that reads and analyzes.

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "amalthea/diagnostic.hpp"
#include "analysis/model_analysis.hpp"

namespace amalthea::lsp {

struct ServerOptions {
  analysis::Options analysis;
  std::size_t max_message = 256'000'000;  ///< bytes; longer messages are skipped and answered with an error
  std::chrono::milliseconds delay{200};   ///< models are read when no edit has arrived for this long
  std::uint64_t client_process = 0;       ///< of the editor; the server ends when it is gone. 0: unknown
  bool (*is_shown)(const Diagnostic&) = [](const Diagnostic&) { return true; };  ///< findings that become diagnostics
};

/// Serves one editor until it sends `exit`, its stream ends, or its process is gone (the option, or `processId` of
/// `initialize`; a process that this machine does not know is not watched). `in` and `out` are file descriptors. Returns the exit
/// code that the protocol demands: 0 after `shutdown`, else 1.
int serve(int in, int out, const ServerOptions& options);

}  // namespace amalthea::lsp
