// SPDX-License-Identifier: Apache-2.0
#include "analysis/gpu/detail/steps.hpp"

#include <algorithm>
#include <charconv>

#include "analysis/request.hpp"
#include "importer/reading/file_bytes.hpp"

namespace amalthea::analysis::gpu {

Option platform_row(std::string& platform) {
  return row("platform", &platform, "GPU profile: built-in name (tx2, xavier, ...) or JSON file", {group::options},
             {.takes = "NAME", .file = FileKind::read});
}

Outcome<engine::DeviceProfile> profile_with_sms(const std::string& platform) {
  std::string files;
  auto profile = choose_profile(platform, files);
  if (profile && !profile->multiprocessors)
    return misused("--platform " + platform, "the profile has no \"multiprocessors\" (the limits of an SM)",
                   "add them, or choose another profile");
  return profile;
}

Outcome<engine::DeviceProfile> nvidia_profile(const std::string& platform) {
  auto profile = profile_with_sms(platform);
  if (profile && profile->amd)
    return misused("--platform " + platform, "this verb models NVIDIA GPUs",
                   "for an AMD GPU, use amalthea gpu run or amalthea gpu partition");
  return profile;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

Outcome<std::string> text_of(const Scenario& scenario) {
  if (scenario.text) return *scenario.text;
  return importer::read_bytes(scenario.path).map_error([&](const std::string& error) {
    return Failure{Failure::Kind::unreadable, error, scenario.path};
  });
}

Failure unreadable(const std::string& path, const engine::TextError& error) {
  Failure failure = misread(path, format(error)).value();
  failure.kind = Failure::Kind::unreadable;
  return failure;
}

}  // namespace amalthea::analysis::gpu
