// SPDX-License-Identifier: Apache-2.0
#include "cli/model_output.hpp"

#include <filesystem>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "amalthea/made_text.hpp"
#include "cli/complaint.hpp"
#include "cli/file_options.hpp"
#include "cli/input.hpp"
#include "exporter/primitives/new_file.hpp"
#include "exporter/primitives/zip_writer.hpp"
#include "importer/reading/model_reader.hpp"

namespace amalthea::cli {
namespace {

namespace fs = std::filesystem;
using analysis::misused;
using analysis::Outcome;

/// The archive of the target with the text in it.
Outcome<std::string> zipped(const Target& target, const std::string& text, const importer::Limits& limits) {
  Diagnostics diagnostics;
  const auto archive = importer::read_file(target.input, limits, diagnostics);
  if (!archive) {
    print_findings(diagnostics);
    return misused({});
  }
  auto changed = exporter::replace_in_zip(*archive, text);
  if (changed) return std::move(*changed);
  return misused(fmt::format("cannot write {}: the ZIP archive {}: {}", target.output, target.input, changed.error()));
}

/// Everything except the last step.
Outcome<exporter::NewFile> prepare(const Target& target, const Pieces& text, const importer::Limits& limits) {
  const fs::path folder = fs::path(target.output).parent_path();
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);  // another process may do the same
  if (!folder.empty() && !fs::is_directory(folder))
    return misused(fmt::format("cannot create the folder {}: {}", folder.string(), error.message()));
  auto file = exporter::NewFile::create(target.output);
  if (!file) return misused(file.error());
  bool written = true;
  if (target.zipped) {
    std::string whole;
    text([&](std::string_view piece) { whole += piece; });
    const auto archive = zipped(target, whole, limits);
    if (!archive) return tl::unexpected(archive.error());
    written = file->write(*archive);
  } else {
    text([&](std::string_view piece) { written = file->write(piece); });
  }
  if (written) return std::move(*file);
  return misused(file->commit().error());
}

bool may_be_written(const Target& target, InPlace in_place) {
  const FileUse own{"MODEL", target.input};
  return will_write({"-o", target.output}, in_place == InPlace::yes ? std::optional(own) : std::nullopt);
}

}  // namespace

std::vector<Target> targets_of(const Model& model) {
  std::vector<Target> targets;
  for (const auto& document : model.documents()) {
    const std::string& path = document->source().path();
    const bool made = place_made_from(path, document->source().bytes(), 0).has_value();
    targets.push_back({path, fs::path(path).filename().string(), {}, document->zipped(), made});
  }
  return targets;
}

bool place_targets(std::vector<Target>& targets, const std::vector<std::string>& given, const std::string& output,
                   InPlace in_place) {
  std::error_code error;
  const bool folder_given = given.size() == 1 && fs::is_directory(given.front(), error);
  if (targets.size() == 1 && !folder_given) {
    targets.front().output = output;
    if (targets.front().made && fs::equivalent(output, targets.front().input, error))
      return complain(
          fmt::format("-o {}: this is the scenario, and a model would replace it; give another file", output));
    return check_output(output);
  }
  if (is_standard_output(output))
    return complain("several files cannot be written to standard output; give a folder with -o");
  if (!fs::is_directory(output, error) && fs::exists(output, error))
    return complain(fmt::format(
        "cannot write {}: several files need a folder, but this is a file; give a folder or a new name", output));
  std::map<std::string, std::string> inputs;  // by output name
  for (Target& target : targets) {
    if (const auto [same, added] = inputs.emplace(target.name, target.input); !added)
      return complain(
          fmt::format("{} and {} have the same name; write them into different folders", same->second, target.input));
    target.output = (fs::path(output) / target.name).string();
    if (!may_be_written(target, in_place)) return false;
  }
  if (!fs::is_directory(output, error)) return check_output(output);  // it is created when there is output
  for (const Target& target : targets)
    if (!check_output(target.output)) return false;
  return true;
}

Outcome<void> write_targets(const std::vector<Target>& targets, const std::function<Pieces(std::size_t)>& text,
                            const importer::Limits& limits) {
  if (targets.size() == 1 && is_standard_output(targets.front().output)) {
    std::string whole;
    text(0)([&](std::string_view piece) { whole += piece; });
    const auto archive = targets.front().zipped ? zipped(targets.front(), whole, limits) : std::move(whole);
    if (!archive) return tl::unexpected(archive.error());
    write_data("-", *archive);  // main checks standard output
    return {};
  }
  std::vector<exporter::NewFile> files;
  files.reserve(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    auto file = prepare(targets[i], text(i), limits);
    if (!file) return tl::unexpected(file.error());
    files.push_back(std::move(*file));
  }
  for (exporter::NewFile& file : files)
    if (const auto done = file.commit(); !done) return misused(done.error());
  return {};
}

Outcome<void> write_texts(const std::vector<Target>& targets, const std::vector<std::string>& texts,
                          const importer::Limits& limits) {
  return write_targets(
      targets, [&](std::size_t i) { return [&text = texts[i]](const auto& write) { write(text); }; }, limits);
}

}  // namespace amalthea::cli
