// SPDX-License-Identifier: Apache-2.0
#include "exporter/traces/trace_text.hpp"

#include <cstdlib>
#include <ctime>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "amalthea/quantity.hpp"
#include "exporter/gpu/timeline.hpp"
#include "exporter/primitives/drawing.hpp"

namespace amalthea::exporter {
namespace {

std::string with_beginning(std::string_view beginning, const std::string& name) {
  return name.starts_with(beginning) ? name : fmt::format("{}_{}", beginning, name);
}

}  // namespace

std::string btf_name(std::string_view name) {
  std::string out = printable(name);
  for (char& character : out)
    if (character == ',' || character == ' ' || character == '?' || character == '#') character = '_';
  return out.empty() ? "_" : out;
}

std::string btf_core_name(const std::string& name) { return with_beginning("Core", name); }
std::string btf_task_name(const std::string& name) { return with_beginning("TASK", name); }

std::string UniqueNames::take(const std::string& name) {
  std::string unique = name;
  for (std::size_t number = 2; !taken_.insert(unique).second; ++number) unique = fmt::format("{}_{}", name, number);
  return unique;
}

tl::expected<std::string, std::string> date_of_traces() {
  std::time_t time = 0;
  if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH")) {
    const auto seconds = parse_integer(epoch);
    if (!seconds || *seconds < 0 || *seconds > 253402300799)  // the end of year 9999
      return tl::unexpected(fmt::format("SOURCE_DATE_EPOCH=\"{}\": expected seconds since 1970", epoch));
    time = static_cast<std::time_t>(*seconds);
  }
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string btf_header(std::string_view date, std::string_view input) {
  return fmt::format(
      "#version 2.1.5\n#creator amalthea-timing\n#creationDate {}\n#inputFile {}\n#timeScale ns\n#entityTypeTable\n",
      date, printable(input));
}

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_microseconds(std::int64_t picoseconds) { return decimal(picoseconds, 6); }

std::string json_track_name(bool group, int process, std::size_t thread, std::string_view name) {
  const std::string_view what = group ? "process" : "thread";
  return fmt::format(R"({{"ph":"M","name":"{0}_name","pid":{1},"tid":{2},"args":{{"name":{3}}}}},)"
                     "\n"
                     R"({{"ph":"M","name":"{0}_sort_index","pid":{1},"tid":{2},"args":{{"sort_index":{4}}}}})",
                     what, process, thread, json_text(name), group ? static_cast<std::size_t>(process) : thread);
}

}  // namespace amalthea::exporter
