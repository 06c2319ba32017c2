// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Options that name files, and the rule for all verbs: nothing that is written takes the place of a file that is read,
/// or of something else that is written.
///
/// Files are compared by device and inode, so links and other spellings of a path make no difference; files that do not
/// exist yet by the path they will have. Devices and pipes may be named as often as one likes.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/App.hpp>

namespace amalthea::cli {

/// How a verb uses what an option names.
enum class FileRole : std::uint8_t {
  none,
  input,
  output,
  folder,  ///< in which files of other names are written
};
FileRole file_role(const CLI::Option& option);

/// The files that the values of an input stand for.
using ListFiles = std::function<std::vector<std::string>(const std::vector<std::string>& values)>;
/// Files, and the model files directly in folders.
std::vector<std::string> model_files(const std::vector<std::string>& paths);

void declare(const CLI::Option& option, FileRole role);
void declare_input(const CLI::Option& option, ListFiles files);
void declare_output(const CLI::Option& option, std::vector<std::string> companions, const CLI::Option* may_replace);

template <typename Target>
CLI::Option* add_input(CLI::App& verb, const std::string& name, Target& target, const std::string& help,
                       ListFiles files = {}) {
  CLI::Option* option = verb.add_option(name, target, help);
  declare_input(*option, std::move(files));
  return option;
}

/// `companions`: endings of files that are written beside it. `may_replace`: an input that the output may be. A folder
/// for several files is an output, too; `will_write` takes the files once they are known.
template <typename Target>
CLI::Option* add_output(CLI::App& verb, const std::string& name, Target& target, const std::string& help,
                        std::vector<std::string> companions = {}, const CLI::Option* may_replace = nullptr) {
  CLI::Option* option = verb.add_option(name, target, help);
  declare_output(*option, std::move(companions), may_replace);
  return option;
}

template <typename Target>
CLI::Option* add_folder(CLI::App& verb, const std::string& name, Target& target, const std::string& help) {
  CLI::Option* option = verb.add_option(name, target, help);
  declare(*option, FileRole::folder);
  return option;
}

/// What the verb does: `run` if the files that its options name keep the rule, else exit code 2 and a message.
void set_run(CLI::App& verb, int& exit_code, std::function<int()> run);

/// Before another command in the same process.
void forget_files();

/// Inputs and outputs that show only while a verb runs; `what` is how messages call them. False, and a message, where
/// the rule is broken. An output may be the input `own`, but no other one.
struct FileUse {
  std::string what, path;
};
bool will_read(const FileUse& input);
bool will_write(const FileUse& output, const std::optional<FileUse>& own = std::nullopt);

}  // namespace amalthea::cli
