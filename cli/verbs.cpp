// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

namespace amalthea::cli {

void add_verbs(CLI::App& app, int& exit_code) {
  add_new(app, exit_code);
  add_info(app, exit_code);
  add_graph(app, exit_code);
  add_validate(app, exit_code);
  add_lsp(app, exit_code);
  add_diff(app, exit_code);
  add_analyze(app, exit_code);
  add_simulate(app, exit_code);
  add_explain(app, exit_code);
  add_certify(app, exit_code);
  add_report(app, exit_code);
  add_annotate(app, exit_code);
  add_compare(app, exit_code);
  add_calibrate(app, exit_code);
  add_explore(app, exit_code);
  add_batch(app, exit_code);
  add_convert(app, exit_code);
  add_gpu(app, exit_code);
}

}  // namespace amalthea::cli
