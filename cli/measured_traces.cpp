// SPDX-License-Identifier: Apache-2.0
#include "cli/measured_traces.hpp"

#include <CLI/CLI.hpp>

#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/shown_findings.hpp"

namespace amalthea::cli {

void add_measured_inputs(CLI::App& verb, InputOptions& input, analysis::TraceRequest& request, bool& allow_unknown) {
  add_input(verb, "MODEL", input.models, "Model file, or a folder of .amxmi files that form one model", model_files)
      ->expected(1)
      ->allow_extra_args(false)
      ->required();
  add_input(
      verb, "TRACE", request.trace_files,
      "Traces: BTF, ATDB, CSV, JSON, CTF of LTTng, SQLite of Nsight, logs of cuda_scheduling_examiner. CSV is "
      "that of --trace, JSON any with trace events, CTF a folder. Text may be packed by gzip; - is standard input")
      ->required();
  add_options(verb, analysis::trace_options(request));
  add_finding_options(verb);
  add_options(verb, analysis::limit_options(input.limits));
  add_judging_options(verb, analysis::simulation_options(request), allow_unknown);
}

}  // namespace amalthea::cli
