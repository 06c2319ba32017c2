// SPDX-License-Identifier: Apache-2.0
#include "importer/building/detail/kernel_access.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "amalthea/primitives/near_miss.hpp"
#include "amalthea/quantity.hpp"

namespace amalthea::importer::detail {
namespace {

constexpr std::array<std::string_view, 5> patterns{"coalesced", "sequential", "random", "zero-copy", "bulk"};

/// Sets the pattern; false if there is no such pattern.
bool read_pattern(std::string_view name, KernelAccess& access) {
  using Pattern = KernelAccess::Pattern;
  if (std::find(patterns.begin(), patterns.end(), name) == patterns.end()) return false;
  access.pattern = name == "random" ? Pattern::random : name == "bulk" ? Pattern::bulk : Pattern::sequential;
  access.zero_copy = name == "zero-copy";
  return true;
}

/// The error; "" if there is none.
std::string read_detail(std::string_view detail, KernelAccess& access) {
  using Pattern = KernelAccess::Pattern;
  const std::size_t equals = detail.find('=');
  const std::string_view key = detail.substr(0, equals);
  const std::string_view value = equals == detail.npos ? std::string_view() : detail.substr(equals + 1);
  const auto for_pattern = [&](Pattern pattern, std::string_view name) {
    return access.pattern == pattern ? std::string() : fmt::format("{} applies to {} accesses only", key, name);
  };
  if (key == "lanes") {
    if (value != "same" && value != "differ") return fmt::format("\"{}\": expected lanes=same or lanes=differ", detail);
    access.same_element = value == "same";
    return for_pattern(Pattern::random, "random");
  }
  if (key == "location") {
    if (value != "zero-copy") return fmt::format("\"{}\": expected location=zero-copy", detail);
    access.zero_copy = true;
    return access.pattern == Pattern::bulk ? "location does not apply to bulk accesses" : "";
  }
  if (key == "fetch") {
    const auto bytes = parse_integer(value);
    if (!bytes || *bytes < 32 || *bytes > 128)
      return fmt::format("\"{}\": expected 32 to 128 bytes, such as fetch=64", detail);
    access.fetched_bytes = *bytes;
    return for_pattern(Pattern::sequential, "sequential");
  }
  for (const auto& [name, target] : {std::pair{"own", &access.own}, std::pair{"load-path", &access.load_path},
                                     std::pair{"memory-path", &access.memory_path}}) {
    if (key != name) continue;
    const auto time = parse_time_text(value);
    if (!time || *time < Duration{} || *time > Duration::seconds(1000))
      return fmt::format("\"{}\": expected a time such as {}=530us", detail, name);
    *target = *time;
    return for_pattern(Pattern::bulk, "bulk");
  }
  return fmt::format("\"{}\": expected lanes, location, fetch, own, load-path or memory-path", detail);
}

}  // namespace

tl::expected<KernelAccess, std::string> parse_kernel_access(std::string_view text) {
  KernelAccess access;
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (!read_pattern(words.front(), access))
    return tl::unexpected(fmt::format("expected coalesced, sequential, random, zero-copy or bulk{}",
                                      did_you_mean(words.front(), patterns)));
  for (std::size_t word = 1; word < words.size(); ++word)
    if (std::string problem = read_detail(words[word], access); !problem.empty())
      return tl::unexpected(std::move(problem));
  const bool any = !(access.own + access.load_path + access.memory_path).is_zero();
  if (access.pattern == KernelAccess::Pattern::bulk && !any)
    return tl::unexpected(std::string("bulk needs at least one of own, load-path and memory-path"));
  return access;
}

}  // namespace amalthea::importer::detail
