// SPDX-License-Identifier: Apache-2.0
#include "cli/headroom.hpp"

#include <algorithm>
#include <thread>

#include "cli/complaint.hpp"
#include "cli/help.hpp"
#include "cli/progress.hpp"

namespace amalthea::cli {

void add_headroom_options(CLI::App& verb, HeadroomInput& options) {
  CLI::Option* headroom =
      verb.add_flag("--headroom", options.wanted,
                    "Also compute how much execution times, memory accesses and jitter may grow until the first limit "
                    "is violated (docs/reference/headroom.md)")
          ->group(group::analysis);
  verb.add_option("--headroom-analyses", options.analyses,
                  "Largest number of analyses for each thing that --headroom lets grow. With too few, results are "
                  "less exact")
      ->needs(headroom)
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000}))
      ->capture_default_str()
      ->group(rarely(group::limits));
}

bool headroom_is_possible(const HeadroomInput& options, const AnalysisInput& analysis) {
  if (options.wanted && analysis.execution == "best")
    return complain("--headroom requires --execution worst or average, because shortest times do not grow");
  return true;
}

std::optional<engine::Headroom> find_headroom(const HeadroomInput& options, const PreparedAnalysis& prepared,
                                              const engine::Results& results) {
  if (!options.wanted) return std::nullopt;
  LongWork long_work(LongWork::CtrlC::stops);
  engine::HeadroomOptions how;
  how.analysis = prepared.analysis;
  how.analysis.observer = nullptr;
  how.analysis.work = &long_work.work();
  how.analyses_each = options.analyses;
  how.threads = std::max(1U, std::thread::hardware_concurrency());
  return engine::headroom(prepared.system, results, how);
}

}  // namespace amalthea::cli
