// SPDX-License-Identifier: Apache-2.0
#include "cli/declared_options.hpp"

#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/file_options.hpp"
#include "cli/help.hpp"

namespace amalthea::cli {
namespace {

/// The files of values such as UNIT=FILE.
std::vector<std::string> behind_units(const std::vector<std::string>& values) {
  std::vector<std::string> files = values;
  for (std::string& file : files)
    if (std::error_code error; !std::filesystem::exists(file, error)) file.erase(0, file.find('=') + 1);
  return files;
}

std::string dashed(std::string_view name) { return fmt::format("--{}", name); }

CLI::Option* added(CLI::App& verb, const analysis::Option& row) {
  std::string name = row.form.letter != '\0' ? fmt::format("-{},--{}", row.form.letter, row.name) : dashed(row.name);
  if (!row.form.alias.empty()) name += ",--" + std::string(row.form.alias);
  return std::visit(
      [&](auto* value) -> CLI::Option* {
        using Member = std::decay_t<decltype(*value)>;
        if constexpr (std::is_same_v<Member, bool>) {
          return verb.add_flag(name, *value, row.help);
        } else {
          CLI::Option* option = verb.add_option(name, *value, row.help);
          if constexpr (!std::is_same_v<Member, std::optional<double>> &&
                        !std::is_same_v<Member, std::optional<std::uint64_t>>)
            if (row.form.usual == nullptr) option->capture_default_str();
          if (row.form.usual != nullptr) option->default_str(row.form.usual);
          if constexpr (std::is_same_v<Member, std::vector<std::string>>) option->allow_extra_args(false);
          return option;
        }
      },
      row.value);
}

}  // namespace

void add_options(CLI::App& verb, const analysis::OptionTable& table) {
  for (const analysis::Option& row : table) {
    const analysis::Form& form = row.form;
    CLI::Option* option = added(verb, row);
    option->group(row.place.rare ? rarely(row.place.group) : row.place.group);
    if (!form.takes.empty()) option->type_name(std::string(form.takes));
    if (form.by_commas) option->delimiter(',');
    if (!form.choices.empty()) option->check(CLI::IsMember(form.choices));
    if (const auto* range = std::get_if<analysis::Range>(&form.range))
      option->check(CLI::Range(range->least, range->most));
    if (const auto* range = std::get_if<analysis::RealRange>(&form.range))
      option->check(CLI::Range(range->least, range->most));
    if (form.file == analysis::FileKind::read) declare_input(*option, {});
    if (form.file == analysis::FileKind::read_for_unit) declare_input(*option, behind_units);
    if (form.file == analysis::FileKind::written) declare_output(*option, {}, nullptr);
    if (form.file == analysis::FileKind::folder) declare(*option, FileRole::folder);
    option->required(form.required);
    if (!form.needs.empty()) option->needs(verb.get_option(dashed(form.needs)));
    for (const std::string_view other : form.excludes) option->excludes(verb.get_option(dashed(other)));
  }
}

}  // namespace amalthea::cli
