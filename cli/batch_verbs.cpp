// SPDX-License-Identifier: Apache-2.0
#include "cli/batch_verbs.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "amalthea/primitives/visible_text.hpp"
#include "analysis/exploration.hpp"
#include "analysis/report.hpp"
#include "analysis/simulation.hpp"
#include "analysis/validation.hpp"
#include "batch/record.hpp"
#include "cli/declared_options.hpp"
#include "cli/input.hpp"
#include "cli/numbers.hpp"
#include "cli/usage_error.hpp"
#include "cli/verbs.hpp"
#include "exporter/exploration/exploration_formats.hpp"
#include "exporter/findings/finding_formats.hpp"
#include "exporter/primitives/write_file.hpp"
#include "exporter/results/causes.hpp"
#include "exporter/results/runs_formats.hpp"
#include "exporter/results/verdict_text.hpp"

namespace amalthea::cli {
namespace {

namespace fs = std::filesystem;
using analysis::misused;
using analysis::Outcome;

/// What is asked of the verbs; one of them is used.
struct Requests {
  importer::Limits limits;
  bool allow_unknown = false;
  analysis::ValidationRequest validation;
  analysis::SimulationRequest simulation;
  analysis::ExplorationRequest exploration;
  analysis::ConversionRequest conversion;
  analysis::ReportRequest report;
};

std::string body_of(const std::string& results, int exit_code) {
  return batch::body_of_verb(nlohmann::ordered_json::parse(results), exit_code);
}

/// Errors only, as with --quiet; also of a model that cannot be read.
std::string validated(const Requests& asked, const Outcome<Model>& model, const batch::ModelFiles& files,
                      Diagnostics& findings) {
  const bool passes = model && analysis::validate(*model, asked.validation, findings);
  std::vector<Diagnostic> errors;
  std::copy_if(findings.all().begin(), findings.all().end(), std::back_inserter(errors),
               [](const Diagnostic& finding) { return finding.severity == Severity::error; });
  exporter::sort_findings(errors);
  const exporter::ModelInfo info = model ? exporter::model_info(*model) : exporter::ModelInfo{files, "", ""};
  const std::string results =
      exporter::render_findings_json({info, errors, findings.all().size() - errors.size(), fs::current_path().string(),
                                      analysis::failing(asked.validation)});
  return body_of(results, !model ? ExitCode::unusable : passes ? ExitCode::all_well : ExitCode::findings);
}

Outcome<std::string> simulated(const Requests& asked, const Model& model, const std::string& /*output*/,
                               Diagnostics& findings) {
  const analysis::SimulationRequest& request = asked.simulation;
  auto simulation = analysis::prepare_simulation(model, request, asked.limits, findings);
  if (!simulation) return tl::unexpected(simulation.error());
  if (!request.witness.empty())
    if (const auto sought = analysis::seek_witness(*simulation, request.witness, nullptr); !sought)
      return tl::unexpected(sought.error());
  const auto found = analysis::simulate(*simulation, {}, findings);
  if (!found) return tl::unexpected(found.error());
  const exporter::ModelInfo info = exporter::model_info(model);
  const auto& witness = simulation->witness;
  const engine::Assessment assessment = engine::assess(simulation->system, found->runs->judged, findings);
  return body_of(
      exporter::render_runs_json({info, simulation->system, *found->runs, findings, witness ? &*witness : nullptr}),
      exit_code_of(assessment, findings, asked.allow_unknown));
}

Outcome<std::string> explored(const Requests& asked, const Model& model, const std::string& /*output*/,
                              Diagnostics& findings) {
  Diagnostics of_compared;
  auto exploration = analysis::prepare_exploration(model, asked.exploration, asked.limits, findings, of_compared);
  if (!exploration) return tl::unexpected(exploration.error());
  const auto found = analysis::explore(*exploration, {}, findings);
  if (!found) return tl::unexpected(found.error());
  const auto chosen = analysis::chosen_mapping(*exploration, *found, findings);
  const exporter::ModelInfo info = exporter::model_info(model);
  const bool judged = chosen.keeps_limits && chosen.assessment;
  return body_of(exporter::render_exploration_json(analysis::view_of(info, *exploration, *found, chosen)),
                 judged ? exit_code_of(*chosen.assessment, chosen.findings, asked.allow_unknown) : ExitCode::findings);
}

Outcome<std::string> converted(const Requests& asked, const Model& model, const std::string& output,
                               Diagnostics& findings) {
  const auto target = analysis::target_of(asked.conversion);
  if (!target) return tl::unexpected(target.error());
  const analysis::Conversion conversion(model, *target, asked.conversion.places);
  for (const Diagnostic& finding : conversion.findings.all())
    findings.add(finding.id, finding.severity, finding.message, finding.location, finding.path, finding.count);
  if (!conversion.done) return tl::unexpected(analysis::Failure{});
  return write_converted(conversion, model, output, asked.limits).map([&] {
    return batch::body_of_verb({{"output", output}}, ExitCode::all_well);
  });
}

Outcome<std::string> reported(const Requests& asked, const Model& model, const std::string& output,
                              Diagnostics& findings) {
  Diagnostics of_baseline;
  auto earlier = analysis::read_earlier(asked.report, asked.report.baseline, asked.limits, of_baseline);
  if (!earlier) return tl::unexpected(earlier.error());
  const auto made = analysis::report(model, asked.report, std::move(*earlier), {}, findings);
  if (!made) return tl::unexpected(made.error());
  std::error_code error;  // writing then fails with a message
  fs::create_directories(fs::path(output).parent_path(), error);
  if (const auto done = exporter::write_file(output, visible_text(made->html)); !done) return misused(done.error());
  nlohmann::ordered_json verdict, results = {{"output", output}};
  exporter::add_verdict(verdict, made->assessment);
  for (const char* key : {"verdict", "summary", "counts"}) results[key] = verdict[key];
  results["causes"] = exporter::causes_json(made->causes);
  return batch::body_of_verb(results, exit_code_of(made->assessment, findings, asked.allow_unknown));
}

struct Verb {
  analysis::OptionTable rows;
  Outcome<std::string> (*run)(const Requests& asked, const Model& model, const std::string& output,
                              Diagnostics& findings) = nullptr;
};
Verb verb_of(const std::string& name, Requests& asked) {
  if (name == "simulate") return {simulation_request_options(asked.simulation), simulated};
  if (name == "explore") return {exploration_options(asked.exploration), explored};
  if (name == "convert") return {conversion_options(asked.conversion), converted};
  if (name == "report") return {report_options(asked.report), reported};
  return {validation_options(asked.validation)};
}

/// What is wrong with the words of --with; "" if nothing is.
std::string fault_in_words(const std::string& name, std::vector<std::string> words, const Verb& verb, Requests& asked) {
  CLI::App app("", name);
  app.set_help_flag();
  add_options(app, analysis::joined({verb.rows, analysis::limit_options(asked.limits)}));
  if (app.get_option_no_throw("--strict") != nullptr) add_allow_unknown(app, asked.allow_unknown);
  check_numbers(app);
  std::string fault;
  try {
    std::reverse(words.begin(), words.end());
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    fault = usage_fault(app, error);
  }
  forget_files();  // they have the addresses of these options
  if (fault.empty() && (!asked.simulation.shard.empty() || !asked.exploration.shard.empty()))
    return "--shard requires -o FILE, in which the part is written";
  return fault;
}

}  // namespace

BodyOfModel batch_verb(const std::string& name, std::vector<std::string> words) {
  const auto asked = std::make_shared<Requests>();
  const Verb verb = verb_of(name, *asked);
  const std::string fault = fault_in_words(name, std::move(words), verb, *asked);
  return [asked, run = verb.run, fault](const batch::ModelFiles& files, const std::string& output) {
    if (!fault.empty()) return batch::body_of_failure({}, "error: " + fault);
    Diagnostics findings;
    const auto model = analysis::read(files, asked->limits, findings);
    if (run == nullptr) return validated(*asked, model, files, findings);
    const auto body = model.and_then([&](const Model& read) { return run(*asked, read, output, findings); });
    if (body) return *body;
    const std::string why = body.error().text();
    return batch::body_of_failure(findings.all(), why.empty() ? "the model is refused" : "error: " + why);
  };
}

}  // namespace amalthea::cli
