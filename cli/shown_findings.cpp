// SPDX-License-Identifier: Apache-2.0
#include "cli/shown_findings.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "amalthea/primitives/near_miss.hpp"
#include "cli/declared_options.hpp"
#include "cli/help.hpp"
#include "exporter/findings/finding_catalog.hpp"

namespace amalthea::cli {
namespace {

struct ShownFindings {
  std::vector<std::string> suppressed;
  bool quiet = false;
};

/// Global like standard error; set while the command line is parsed.
ShownFindings& shown_findings() {
  static ShownFindings shown;
  return shown;
}

/// Nothing, or what is wrong with an id.
std::string wrong_id(const std::string& id) {
  NearMisses near(id);
  for (const exporter::FindingKind& kind : exporter::finding_catalog()) {
    if (kind.id == id) return {};
    near.offer(kind.id);
  }
  return fmt::format("{}: unknown finding id (docs/reference/diagnostics.md lists all ids){}", id, near.suggestion());
}

}  // namespace

void add_finding_options(CLI::App& verb) {
  verb.add_option("--suppress", shown_findings().suppressed,
                  "Hide findings by id, such as AM0410,AM0503. May be repeated; verdicts and exit codes do not change")
      ->type_name("ID")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Validator(wrong_id, ""))
      ->group(rarely(group::findings));
  add_options(verb, {row("quiet", &shown_findings().quiet,
                         "Hide progress and findings other than errors. Verdicts and exit codes do not change",
                         {group::findings}, {.letter = 'q'})});
}

void show_all_findings() { shown_findings() = {}; }

bool is_suppressed(std::string_view id) {
  const auto& ids = shown_findings().suppressed;
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

bool is_quiet() { return shown_findings().quiet; }

bool is_shown(const Diagnostic& finding) {
  return !is_suppressed(finding.id) && (finding.severity == Severity::error || !is_quiet());
}

}  // namespace amalthea::cli
