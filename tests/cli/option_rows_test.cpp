// SPDX-License-Identifier: Apache-2.0
// All faces have the options of the rows, and no other ones for what a request holds.

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>

#include "analysis/annotation.hpp"
#include "analysis/calibration.hpp"
#include "analysis/certification.hpp"
#include "analysis/comparison.hpp"
#include "analysis/exploration.hpp"
#include "analysis/graph.hpp"
#include "analysis/headroom.hpp"
#include "analysis/info.hpp"
#include "analysis/report.hpp"
#include "analysis/simulation.hpp"
#include "analysis/validation.hpp"
#include "cli/verbs.hpp"
#include "tests/support/test_models.hpp"

namespace option_rows_test {
namespace {

using namespace amalthea;
using analysis::OptionTable;

/// The rows of a verb. Requests live as long as the test.
struct VerbRows {
  std::string verb;
  OptionTable rows;
};

struct Requests {
  analysis::AnalysisRequest analysis;
  analysis::HeadroomRequest headroom;
  analysis::SimulationRequest simulation;
  analysis::ExplorationRequest exploration;
  analysis::AnnotationRequest annotation;
  analysis::ReportRequest report;
  analysis::GraphRequest graph;
  analysis::InfoRequest info;
  analysis::ValidationRequest validation;
  analysis::ComparisonRequest comparison;
  analysis::CalibrationRequest calibration;
  importer::Limits limits;

  std::vector<VerbRows> all() {
    const OptionTable limit_rows = analysis::limit_options(limits);
    return {{"analyze", analysis::joined({request_options(analysis), certificates_option(analysis),
                                          headroom_options(headroom), limit_rows})},
            {"simulate", analysis::joined({simulation_request_options(simulation), limit_rows})},
            {"report", analysis::joined({report_options(report), limit_rows})},
            {"graph", analysis::joined({graph_options(graph), limit_rows})},
            {"explain", analysis::joined({analysis_options(analysis), limit_rows})},
            {"info", analysis::joined({info_options(info), limit_rows})},
            {"validate", analysis::joined({validation_options(validation), limit_rows})},
            {"compare", analysis::joined({simulation_options(comparison), comparison_options(comparison), limit_rows})},
            {"calibrate",
             analysis::joined({simulation_options(calibration), calibration_options(calibration), limit_rows})},
            {"annotate", analysis::joined({annotation_options(annotation), limit_rows})},
            {"explore", analysis::joined({exploration_options(exploration), limit_rows})}};
  }
};

std::set<std::string> names_of(const OptionTable& rows) {
  std::set<std::string> names;
  for (const analysis::Option& row : rows) names.emplace(row.name);
  CHECK(names.size() == rows.size());
  return names;
}

/// What only the command has: what is printed and written, and where, and what the exit code says.
const std::set<std::string> of_the_command = {
    "help",    "help-all",  "quiet",       "suppress",    "allow-unknown", "format",         "output", "table",
    "trace",   "trace-run", "trace-limit", "trace-names", "metrics",       "verbose",        "report", "mapping-out",
    "picture", "strip",     "check",       "dump",        "accepted",      "write-accepted", "fix",    "fix-deadlines"};

}  // namespace

TEST_CASE("every option of the command that concerns results is a row, and every row is an option") {
  Requests requests;
  static CLI::App app;  // declared options are known by their addresses, which others must not get
  static int exit_code = 0;
  cli::add_verbs(app, exit_code);
  for (const auto& [verb, rows] : requests.all()) {
    INFO(verb);
    const auto names = names_of(rows);
    std::set<std::string> found;
    for (const CLI::Option* option : app.get_subcommand(verb)->get_options())
      for (const std::string& name : option->get_lnames())
        if (of_the_command.count(name) == 0 &&
            verb + " " + name != "analyze baseline") {  // there it is for the exit code
          found.insert(name);
          INFO(name);
          const analysis::Option* row = find_option(rows, name);
          REQUIRE(row != nullptr);
          CHECK(option->get_description() == row->help);
        }
    CHECK(found == names);
  }
}

TEST_CASE("every row is a keyword that the stubs of Python name") {
  Requests requests;
  const std::string stubs = test::read_text(AMALTHEA_SOURCE_DIR "/python/amalthea_timing/model.py");
  for (const auto& [verb, rows] : requests.all()) {
    if (verb == "validate") continue;  // `fail-on` is about the exit code
    std::set<std::string> keywords;
    for (const analysis::Option& row : rows) {
      INFO(verb << ": " << row.name);
      const std::string keyword = row.keyword();
      CHECK(keywords.insert(keyword).second);
      CHECK((stubs.find("    " + keyword + ": ") != std::string::npos ||
             stubs.find(", " + keyword + ": ") != std::string::npos));
    }
  }
}

TEST_CASE("what was asked names the options that differ from their defaults") {
  analysis::AnalysisRequest request;
  request.until = "2s";
  request.map = {"A=Core1", "B=Core2"};
  request.strict = true;
  request.max_steps = 7;
  const auto words = asked(request, analysis::request_options);
  const auto has = [&](const char* name, const char* value) {
    return std::count(words.begin(), words.end(), std::pair<std::string, std::string>(name, value)) == 1;
  };
  CHECK(has("--until", "2s"));
  CHECK(has("--map", "A=Core1"));
  CHECK(has("--map", "B=Core2"));
  CHECK(has("--strict", ""));
  CHECK(has("--max-steps", "7"));
  CHECK(has("--memory", "model"));  // always
  CHECK_FALSE(has("--lenient", ""));
}

TEST_CASE("a row says which value it does not accept") {
  analysis::AnalysisRequest request;
  request.execution = "wrost";
  const auto fault = fault_in(*find_option(analysis_options(request), "execution"));
  REQUIRE(fault);
  CHECK(fault->text() == "--execution wrost: expected one of worst, average, best; did you mean \"worst\"?");
  CHECK(fault->option() == "execution");
  CHECK(fault->place == "--execution wrost");
  CHECK(fault->message == "expected one of worst, average, best");
  CHECK(fault->remedy == "did you mean \"worst\"?");
  request.max_steps = 0;
  CHECK(fault_in(*find_option(analysis_options(request), "max-steps")));
  request.max_steps = 1;
  CHECK_FALSE(fault_in(*find_option(analysis_options(request), "max-steps")));
}

}  // namespace option_rows_test
