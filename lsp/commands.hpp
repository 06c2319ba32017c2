// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What `workspace/executeCommand` does with a model: the texts and the page that the command writes. Each takes as long
/// as an analysis, so it runs apart from the conversation.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include "amalthea/work.hpp"
#include "importer/reading/limits.hpp"
#include "importer/reading/model_reader.hpp"

namespace amalthea::lsp {

inline constexpr const char* explain_command = "amalthea.explain";
inline constexpr const char* files_command = "amalthea.files";
inline constexpr const char* plan_command = "amalthea.plan";
inline constexpr const char* report_command = "amalthea.report";
inline constexpr std::array<const char*, 4> command_names = {explain_command, files_command, plan_command,
                                                             report_command};

struct Command {
  enum class Kind : std::uint8_t {
    explain,  ///< the text of `amalthea explain`
    files,    ///< the paths of the model's files
    plan,     ///< the changes that may help the tasks that are late or were not judged
    report,   ///< the page of `amalthea report`
  } kind = Kind::explain;
  std::string uri;   ///< of a document of the model
  std::string name;  ///< explain: of a task, or of a runnable that one task executes
  std::string path;  ///< report: the file to write; "": the page is the answer
};
/// Throws Json::exception for what is no parameter of `workspace/executeCommand`, or no known command.
Command command_of(const nlohmann::json& params);

/// The answer, or why there is none. A report never takes the place of a model. `work` ends it early; what it then
/// returns is worth nothing.
using CommandResult = tl::expected<nlohmann::json, std::string>;
CommandResult run_command(const Command& command, std::vector<importer::NamedBytes> files,
                          const importer::Limits& limits, Work& work);

}  // namespace amalthea::lsp
