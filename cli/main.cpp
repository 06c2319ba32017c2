// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>
#include <new>
#include <system_error>

#include <unistd.h>

#include "cli/command.hpp"
#include "cli/complaint.hpp"
#include "cli/streams.hpp"
#include "cli/verbs.hpp"
#include "exporter/primitives/temporaries.hpp"

namespace {

using namespace amalthea;

int tell_out_of_memory() {
  // Without the memory that a formatted message needs.
  cli::tell_text(
      "amalthea: error: not enough memory; raise the memory limit of the process, or simulate less (--until)\n");
  return cli::ExitCode::unusable;
}

/// Where an exception cannot be caught: a destructor of JSON needs memory, for example.
[[noreturn]] void end_at_once() {
  exporter::remove_temporaries();
  try {
    if (const auto failure = std::current_exception()) std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    ::_exit(tell_out_of_memory());
  } catch (...) {
  }
  cli::tell_text("amalthea: internal error: an exception was not caught\n");
  ::_exit(cli::ExitCode::internal);
}

}  // namespace

int main(int argc, char** argv) {
  cli::open_standard_streams();
  exporter::remove_temporaries_on_signals();
  std::set_terminate(end_at_once);
  try {
    return cli::run_command({argv + std::min(argc, 1), argv + argc});
  } catch (const std::bad_alloc&) {
    return tell_out_of_memory();
  } catch (const std::system_error& error) {
    return cli::unusable(error.what());
  } catch (const std::exception& error) {
    cli::tell("amalthea: internal error: {}\n", error.what());
    return cli::ExitCode::internal;
  }
}
