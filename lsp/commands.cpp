// SPDX-License-Identifier: Apache-2.0
#include "lsp/commands.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/rounded_duration.hpp"
#include "analysis/explanation.hpp"
#include "analysis/report.hpp"
#include "engine/what_if.hpp"
#include "exporter/primitives/write_file.hpp"
#include "exporter/results/verdict_text.hpp"
#include "exporter/rewriting/annotation_state.hpp"
#include "importer/building/mapping_constraints.hpp"
#include "lsp/detail/protocol.hpp"

namespace amalthea::lsp {
namespace {

using Json = nlohmann::json;

/// A plan states this many tasks.
constexpr std::size_t most_planned = 10;

/// Why a step has no result.
std::string reason_of(const analysis::Failure& failure, const Diagnostics& findings) {
  if (!failure.message.empty()) return failure.text();
  const auto& all = findings.all();
  const auto error =
      std::find_if(all.begin(), all.end(), [](const Diagnostic& one) { return one.severity == Severity::error; });
  return error == all.end() ? "the model cannot be analyzed" : format(*error);
}

Json plain(std::string text) { return {{"kind", "plaintext"}, {"value", std::move(text)}}; }

CommandResult explain(const Command& command, const Model& model, Diagnostics& findings, Work& work) {
  const auto explained = analysis::explain(model, {}, command.name, findings, &work);
  if (!explained) return tl::unexpected(reason_of(explained.error(), findings));
  const exporter::ModelInfo info = exporter::model_info(model);
  const exporter::ResultView view{info, explained->system, explained->results, findings};
  return plain(explained->explanation ? exporter::render_explanation_text(
                                            view, explained->asked, *explained->explanation, explained->tried, false)
                                      : exporter::render_without_job_text(view, explained->asked, explained->task,
                                                                          explained->no_job, explained->tried, false));
}

std::string result_text(const engine::TaskResult& result) {
  std::string text =
      result.guaranteed == true ? engine::guaranteed_text(result.coverage) : std::string(to_string(result.verdict));
  if (result.response.jobs > 0) text += fmt::format(", simulated {}", format_duration(result.response.max));
  if (result.bound.worst) text += fmt::format(", bound {}", format_duration(*result.bound.worst, Rounding::up));
  return text;
}

std::string planned_text(const System& system, const engine::TaskResult& result, TaskIndex task,
                         const engine::WhatIfs& tried) {
  std::string text = fmt::format("{}: {}: {}\n", one_line(system.tasks[task].name), to_string(result.verdict),
                                 one_line(result.reason));
  for (const engine::WhatIf& one : tried.tried) {
    text += fmt::format("  - {}: {}", one_line(one.change), result_text(one.result));
    const char* separator = "; worse for ";
    for (const TaskIndex late : one.late) {
      text += separator + one_line(system.tasks[late].name);
      separator = ", ";
    }
    text += "\n";
  }
  if (tried.smallest)
    text += fmt::format("  Smallest change that works: {}.\n", one_line(tried.tried[*tried.smallest].change));
  else if (tried.sought)
    text += "  None of these changes is enough without harm to another task.\n";
  return text;
}

CommandResult plan(const Model& model, Diagnostics& findings, Work& work) {
  const auto how = analysis::resolve({});
  if (!how) return tl::unexpected(how.error().text());
  auto prepared = analysis::prepare(model, *how, findings);
  if (!prepared) return tl::unexpected(reason_of(prepared.error(), findings));
  prepared->analysis.work = &work;
  const auto analyzed = analysis::results_of(std::move(*prepared), findings);
  if (!analyzed) return tl::unexpected(reason_of(analyzed.error(), findings));
  std::string text = exporter::verdict_sentence(analyzed->assessment) + "\n";
  const System& system = analyzed->system;
  Diagnostics ignored;  // `explore` reports constraints that it cannot keep
  const auto allowed = importer::mapping_constraints(model, {&system}, false, ignored).allowed;
  std::size_t planned = 0, left = 0;
  for (TaskIndex task = 0; task < system.tasks.size() && !work.stop; ++task) {
    const engine::TaskResult& result = analyzed->results.tasks[task];
    if (system.tasks[task].folded_into || result.verdict == engine::Verdict::met ||
        result.verdict == engine::Verdict::no_deadline)
      continue;
    if (planned == most_planned) {
      ++left;
      continue;
    }
    ++planned;
    text += "\n" + planned_text(system, result, task,
                                engine::what_if(system, analyzed->analysis, analyzed->results, allowed, task));
  }
  if (planned == 0) text += "\nNo deadline is missed, and each one was judged.\n";
  if (left > 0) text += fmt::format("\n{} more tasks are late or were not judged.\n", left);
  return plain(std::move(text));
}

CommandResult report(const Command& command, const Model& model, Diagnostics& findings, Work& work) {
  if (is_model_file_name(command.path))
    return tl::unexpected(fmt::format("{}: a report does not replace a model", one_line(command.path)));
  analysis::ReportRequest request;
  request.work = &work;
  const auto page = analysis::report(model, request, {}, {}, findings);
  if (!page) return tl::unexpected(reason_of(page.error(), findings));
  if (command.path.empty()) return Json{{"html", page->html}};
  if (work.stop) return tl::unexpected(std::string("stopped"));
  if (const auto written = exporter::write_file(command.path, page->html); !written)
    return tl::unexpected(written.error());
  return Json{{"path", command.path}};
}

}  // namespace

Command command_of(const Json& params) {
  constexpr std::pair<const char*, Command::Kind> kinds[] = {{explain_command, Command::Kind::explain},
                                                             {files_command, Command::Kind::files},
                                                             {plan_command, Command::Kind::plan},
                                                             {report_command, Command::Kind::report}};
  const std::string name = params.at("command");
  const auto kind =
      std::find_if(std::begin(kinds), std::end(kinds), [&](const auto& one) { return one.first == name; });
  if (kind == std::end(kinds)) throw Json::other_error::create(501, "unknown command " + one_line(name), &params);
  const Json& argument = params.at("arguments").at(0);
  Command command{kind->second, argument.at("uri"), {}, {}};
  if (command.kind == Command::Kind::explain) command.name = argument.at("name");
  if (const Json& path = detail::at(argument, {"path"}); !path.is_null()) command.path = path;
  return command;
}

CommandResult run_command(const Command& command, std::vector<importer::NamedBytes> files,
                          const importer::Limits& limits, Work& work) {
  if (command.kind == Command::Kind::files) {
    Json paths = Json::array();
    for (const auto& file : files) paths.push_back(file.path);
    return Json{{"paths", std::move(paths)}};
  }
  Diagnostics findings;
  const auto model = importer::read_model_from_bytes(std::move(files), limits, findings);
  if (!model) return tl::unexpected(reason_of({}, findings));
  exporter::check_annotations(*model, findings);
  switch (command.kind) {
    case Command::Kind::explain:
      return explain(command, *model, findings, work);
    case Command::Kind::files:
      break;
    case Command::Kind::plan:
      return plan(*model, findings, work);
    case Command::Kind::report:
      return report(command, *model, findings, work);
  }
  return tl::unexpected(std::string("unknown command"));
}

}  // namespace amalthea::lsp
