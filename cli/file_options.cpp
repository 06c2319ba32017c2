// SPDX-License-Identifier: Apache-2.0
#include "cli/file_options.hpp"

#include <filesystem>
#include <map>
#include <tuple>

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "amalthea/source_text.hpp"
#include "cli/complaint.hpp"
#include "cli/input.hpp"
#include "cli/verbs.hpp"

namespace amalthea::cli {
namespace {

namespace fs = std::filesystem;

struct Declared {
  FileRole role = FileRole::none;
  ListFiles files;                      ///< of an input
  std::vector<std::string> companions;  ///< of an output
  const CLI::Option* may_replace = nullptr;
};

/// Device and inode of a file that exists, else the path that it will have.
using Identity = std::tuple<dev_t, ino_t, std::string>;

struct Use {
  FileUse use;
  Identity identity;
};

/// Of the whole process, as its files are.
std::map<const CLI::Option*, Declared>& declared() {
  static std::map<const CLI::Option*, Declared> options;
  return options;
}
std::vector<Use>& inputs() {
  static std::vector<Use> uses;
  return uses;
}
std::vector<Use>& outputs() {
  static std::vector<Use> uses;
  return uses;
}

Identity identity_of(const struct stat& file) { return {file.st_dev, file.st_ino, {}}; }

/// Nothing for what is no regular file.
std::optional<Identity> identity_of(const std::string& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) == 0) return S_ISREG(file.st_mode) ? std::optional(identity_of(file)) : std::nullopt;
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  const fs::path canonical = fs::weakly_canonical(whole, error);
  return Identity{0, 0, (error ? whole : canonical).lexically_normal().string()};
}

std::optional<Identity> identity_of_stream(int descriptor) {
  struct stat file {};
  const bool regular = ::fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode);
  return regular ? std::optional(identity_of(file)) : std::nullopt;
}

/// The first that is the same file, `other_than` left out.
const FileUse* find(const std::vector<Use>& uses, const Identity& identity,
                    const std::optional<FileUse>& other_than = std::nullopt) {
  for (const Use& each : uses)
    if (each.identity == identity &&
        !(other_than && each.use.what == other_than->what && each.use.path == other_than->path))
      return &each.use;
  return nullptr;
}

/// "--trace" or "MODEL".
std::string spoken_name(const CLI::Option& option) {
  if (!option.get_lnames().empty() && option.get_snames().empty()) return "--" + option.get_lnames().front();
  return option.get_snames().empty() ? option.get_name() : "-" + option.get_snames().front();
}

bool over_input(const std::string& what, const std::string& path) {
  return complain(fmt::format("{} would overwrite the input {}; choose another file", what, path));
}

bool note_inputs(const CLI::Option& option, const Declared& as) {
  const std::vector<std::string> values = option.results();
  for (const std::string& path : as.files ? as.files(values) : values)
    if (!will_read({spoken_name(option), path})) return false;
  return true;
}

bool note_outputs(const CLI::Option& option, const Declared& as) {
  std::optional<FileUse> own;
  if (as.may_replace != nullptr && as.may_replace->count() > 0)
    own = FileUse{spoken_name(*as.may_replace), as.may_replace->results().front()};
  for (const std::string& path : option.results()) {
    if (is_standard_output(path)) continue;
    if (!will_write({spoken_name(option), path}, own)) return false;
    for (const std::string& ending : as.companions)
      if (!will_write({spoken_name(option), path + ending})) return false;
  }
  return true;
}

/// Of the options that were given.
bool declared_files_are_apart(const CLI::App& verb) {
  for (const FileRole role : {FileRole::input, FileRole::output})
    for (const CLI::Option* option : verb.get_options()) {
      if (option->count() == 0 || file_role(*option) != role) continue;
      const Declared& as = declared()[option];
      if (!(role == FileRole::input ? note_inputs(*option, as) : note_outputs(*option, as))) return false;
    }
  // As after `amalthea … model >> model`.
  const auto printed = identity_of_stream(STDOUT_FILENO);
  const FileUse* const over = printed ? find(inputs(), *printed) : nullptr;
  return over == nullptr || over_input("standard output", over->path);
}

}  // namespace

FileRole file_role(const CLI::Option& option) {
  const auto found = declared().find(&option);
  return found == declared().end() ? FileRole::none : found->second.role;
}

std::vector<std::string> model_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    for (auto entry = fs::directory_iterator(path, error); !error && entry != fs::directory_iterator();
         entry.increment(error))
      if (is_model_file_name(entry->path().string())) files.push_back(entry->path().string());
  }
  return files;
}

void declare(const CLI::Option& option, FileRole role) { declared()[&option].role = role; }

void declare_input(const CLI::Option& option, ListFiles files) {
  declared()[&option] = {FileRole::input, std::move(files), {}, nullptr};
}

void declare_output(const CLI::Option& option, std::vector<std::string> companions, const CLI::Option* may_replace) {
  declared()[&option] = {FileRole::output, {}, std::move(companions), may_replace};
}

void set_run(CLI::App& verb, int& exit_code, std::function<int()> run) {
  verb.callback([&verb, &exit_code, run = std::move(run)] {
    if (!verb.get_subcommands().empty()) return;  // they run instead
    exit_code = declared_files_are_apart(verb) ? run() : ExitCode::unusable;
  });
}

void forget_files() {
  declared().clear();
  inputs().clear();
  outputs().clear();
}

bool will_read(const FileUse& input) {
  const auto identity = input.path == "-" ? identity_of_stream(STDIN_FILENO) : identity_of(input.path);
  if (!identity) return true;
  if (const FileUse* written = find(outputs(), *identity)) return over_input(written->what, input.path);
  inputs().push_back({input, *identity});
  return true;
}

bool will_write(const FileUse& output, const std::optional<FileUse>& own) {
  const auto identity = identity_of(output.path);
  if (!identity) return true;
  if (const FileUse* read = find(inputs(), *identity, own)) return over_input(output.what, read->path);
  if (const FileUse* other = find(outputs(), *identity))
    return complain(fmt::format("{} and {} would both write {}; choose another file for one of them", other->what,
                                output.what, output.path));
  outputs().push_back({output, *identity});
  return true;
}

}  // namespace amalthea::cli
