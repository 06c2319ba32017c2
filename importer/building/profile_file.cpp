// SPDX-License-Identifier: Apache-2.0
#include "importer/building/profile_file.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include "amalthea/diagnostic.hpp"
#include "amalthea/views/properties.hpp"
#include "importer/reading/file_bytes.hpp"
#include "importer/reading/model_reader.hpp"

namespace amalthea::importer {
namespace {

namespace fs = std::filesystem;

/// The longest built-in profile has a fiftieth of this.
constexpr std::uint64_t max_profile_bytes = 1'000'000;

}  // namespace

tl::expected<std::string, std::string> profile_path(Element unit, const std::string& platform) {
  if (!platform.ends_with(".json")) return std::string();
  const std::string& model = unit.document().source().path();
  if (model.empty() || model.front() == '<')
    return tl::unexpected(std::string("the model has no folder, because it is not read from a file"));
  const fs::path name(platform);
  if (name.is_absolute() || std::find(name.begin(), name.end(), "..") != name.end())
    return tl::unexpected(std::string("the file must be in the folder of the model, or below it"));
  std::error_code error;
  const fs::path folder = fs::path(model).parent_path(), path = folder / name;
  // A link may lead anywhere.
  const fs::path from = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder, error);
  const fs::path inside = fs::weakly_canonical(path, error).lexically_relative(from);
  if (error || inside.empty() || *inside.begin() == "..")
    return tl::unexpected(std::string("a link leads out of the folder of the model"));
  return path.string();
}

tl::expected<std::string, std::string> read_profile(Element unit, const std::string& platform) {
  const auto path = profile_path(unit, platform);
  if (!path || path->empty()) return path;
  return read_bytes(*path, max_profile_bytes);
}

std::vector<std::string> profile_files(const std::vector<std::string>& paths, const Limits& limits) {
  std::vector<std::string> files;
  Diagnostics ignored;
  const auto model = read_model(paths, limits, ignored);
  if (!model) return files;
  for (const auto& document : model->documents())
    for (std::uint32_t index = 0; index < document->size(); ++index) {
      const Element property = document->element(index);
      if (property.attribute_or("key", "") != "gpu.platform") continue;
      const auto stated = custom_property(property.parent(), "gpu.platform");
      if (const auto path = profile_path(property, stated ? stated->value : ""); path && !path->empty())
        files.push_back(*path);
    }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

bool may_name_profile(std::string_view bytes) {
  if (bytes.starts_with("PK")) return true;  // an archive
  std::string text(bytes);
  std::erase(text, '\0');  // UTF-16
  return text.find(".json") != text.npos || text.find("&#") != text.npos;
}

}  // namespace amalthea::importer
