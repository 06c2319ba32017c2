#include "engine/nvidia/stream_scenario.hpp"

#include <map>
#include <string>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "engine/device_profile.hpp"

namespace amalthea::engine::nvidia {
namespace {

using Error = std::optional<TextError>;

Error read_text(const JsonValue& value, std::string& target) {
  const auto* text = std::get_if<std::string>(&value.value);
  if (text == nullptr) return error_at(value, "expected a string");
  target = *text;
  return std::nullopt;
}

/// `_ps`: a whole number of picoseconds; without it a text such as "2500us".
Error read_time(const JsonValue& value, bool picoseconds, Duration& target) {
  if (picoseconds) {
    std::int64_t number = 0;
    if (auto error = read_number(value, 0, number)) return error;
    target = Duration::picoseconds(number);
    return std::nullopt;
  }
  const auto* text = std::get_if<std::string>(&value.value);
  const auto time = text != nullptr ? parse_time_text(*text) : Parsed<Duration>(tl::unexpected(std::string()));
  if (!time || *time < Duration{}) return error_at(value, "expected a whole time such as \"5ms\" or \"2500us\"");
  target = *time;
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(const std::optional<SmLimits>& limits) : has_limits_(limits.has_value()) {
    scenario_.contexts.emplace_back();
    scenario_.limits = limits ? *limits : *find_profile("tx2")->multiprocessors;
  }

  tl::expected<StreamScenario, TextError> read(const JsonValue& root) {
    const auto* object = std::get_if<JsonObject>(&root.value);
    if (object == nullptr) return tl::unexpected(error_at(root, R"(expected an object with "operations")"));
    const JsonValue* operations = nullptr;
    const JsonValue* streams = nullptr;
    std::string ignored;
    for (const auto& [key, member] : object->members) {
      Error error;
      if (key == "platform") {
        error = read_platform(member);
      } else if (key == "copy_engines") {
        std::int64_t engines = 0;
        error = read_number(member, 1, engines);
        if (!error && engines > 2) error = error_at(member, "expected 1 or 2");
        scenario_.copy_engines = static_cast<int>(engines);
      } else if (key == "streams") {
        streams = &member;
      } else if (key == "operations") {
        operations = &member;
      } else if (key == "description") {
        error = read_text(member, ignored);
      } else {
        error = error_at(member, "unknown key; expected platform, copy_engines, streams, operations, description");
      }
      if (error) return tl::unexpected(*error);
    }
    if (operations == nullptr) return tl::unexpected(error_at(root, "\"operations\" is missing"));
    if (streams != nullptr)
      if (auto error = read_list(*streams, &Reader::read_stream)) return tl::unexpected(*error);
    if (auto error = read_list(*operations, &Reader::read_operation)) return tl::unexpected(*error);
    return std::move(scenario_);
  }

 private:
  Error read_list(const JsonValue& value, Error (Reader::*read_element)(const JsonValue&)) {
    const auto* array = std::get_if<JsonArray>(&value.value);
    if (array == nullptr) return error_at(value, "expected an array");
    for (const JsonValue& element : array->elements)
      if (auto error = (this->*read_element)(element)) return error;
    return std::nullopt;
  }

  Error read_platform(const JsonValue& value) {
    std::string name;
    if (auto error = read_text(value, name)) return error;
    const DeviceProfile* profile = find_profile(name);
    if (profile == nullptr || !profile->multiprocessors)
      return error_at(value, "not a built-in profile whose SMs are known; --platform takes one from a file");
    if (!has_limits_) scenario_.limits = *profile->multiprocessors;
    return std::nullopt;
  }

  std::size_t stream_named(const std::string& name) {
    const auto [at, is_new] = streams_.emplace(name, scenario_.streams.size());
    if (is_new) scenario_.streams.push_back({name, StreamPriority::low, name.empty(), 0});
    return at->second;
  }

  Error read_stream(const JsonValue& value) {
    const auto* object = std::get_if<JsonObject>(&value.value);
    if (object == nullptr) return error_at(value, R"(expected an object such as {"name": "a", "priority": "high"})");
    std::string name;
    std::string priority = "low";
    for (const auto& [key, member] : object->members) {
      Error error;
      if (key == "name") {
        error = read_text(member, name);
      } else if (key == "priority") {
        error = read_text(member, priority);
        if (!error && priority != "high" && priority != "low") error = error_at(member, "expected \"high\" or \"low\"");
      } else {
        error = error_at(member, "unknown key; a stream has name and priority");
      }
      if (error) return error;
    }
    if (name.empty()) return error_at(value, "a stream needs a \"name\" that is not empty");
    if (streams_.count(name) > 0) return error_at(value, fmt::format("there are two streams \"{}\"", name));
    scenario_.streams[stream_named(name)].priority = priority == "high" ? StreamPriority::high : StreamPriority::low;
    return std::nullopt;
  }

  Error read_operation(const JsonValue& value) {
    const auto* object = std::get_if<JsonObject>(&value.value);
    if (object == nullptr) return error_at(value, "expected an object with \"kernel\" or \"copy\"");
    const auto given = [&](std::string_view key) {
      for (const auto& member : object->members)
        if (member.key == key) return true;
      return false;
    };
    const bool is_kernel = given("kernel");
    if (is_kernel == given("copy")) return error_at(value, "expected either \"kernel\" or \"copy\" with a name");
    if (given("release") && given("release_ps"))
      return error_at(value, "\"release\" and \"release_ps\" are one too many");
    if (given("duration") == given("duration_ps"))
      return error_at(value, "expected either \"duration\" or \"duration_ps\"");
    if (is_kernel && !given("threads")) return error_at(value, "\"threads\" is missing");
    if (!is_kernel && !given("kind")) return error_at(value, "\"kind\" is missing");
    StreamOperation operation;
    operation.kind = is_kernel ? StreamOperationKind::kernel : StreamOperationKind::host_to_device;
    std::string stream;
    for (const auto& [key, member] : object->members)
      if (auto error = read_member(key, member, is_kernel, operation, stream)) return error;
    operation.stream = stream_named(stream);
    if (is_kernel) {
      if (const auto use = use_of_block(scenario_.limits, operation.shape); !use) return error_at(value, use.error());
      if (operation.blocks > most_simulated_blocks - blocks_)
        return error_at(value, fmt::format("more than {} blocks in all", most_simulated_blocks));
      blocks_ += operation.blocks;
    }
    scenario_.operations.push_back(std::move(operation));
    return std::nullopt;
  }

  Error read_member(const std::string& key, const JsonValue& value, bool is_kernel, StreamOperation& operation,
                    std::string& stream) {
    if (key == "kernel" || key == "copy") return read_text(value, operation.name);
    if (key == "stream") {
      auto error = read_text(value, stream);
      if (!error && stream.empty())
        error = error_at(value, "expected a name; without \"stream\" it is the NULL stream");
      return error;
    }
    if (key == "release" || key == "release_ps") {
      Duration release;
      auto error = read_time(value, key == "release_ps", release);
      operation.release = Instant::at(release);
      return error;
    }
    if (key == "duration" || key == "duration_ps") return read_time(value, key == "duration_ps", operation.duration);
    if (is_kernel) {
      if (key == "blocks") return read_number(value, 1, operation.blocks);
      if (key == "threads") return read_number(value, 1, operation.shape.threads);
      if (key == "registers") return read_number(value, 0, operation.shape.registers);
      if (key == "shared_memory") return read_number(value, 0, operation.shape.shared_memory);
      if (key == "cache_config") return read_text(value, operation.cache_config);
      return error_at(value,
                      "unknown key; a kernel has kernel, stream, release, duration, blocks, threads, registers, "
                      "shared_memory, cache_config");
    }
    if (key != "kind") return error_at(value, "unknown key; a copy has copy, stream, release, duration, kind");
    std::string kind;
    if (auto error = read_text(value, kind)) return error;
    for (const auto known :
         {StreamOperationKind::host_to_device, StreamOperationKind::device_to_host, StreamOperationKind::memset})
      if (name_of(known) == kind) {
        operation.kind = known;
        return std::nullopt;
      }
    return error_at(value, "expected \"h2d\", \"d2h\" or \"memset\"");
  }

  bool has_limits_;
  StreamScenario scenario_;
  std::map<std::string, std::size_t> streams_;
  std::int64_t blocks_ = 0;
};

}  // namespace

tl::expected<StreamScenario, TextError> parse_stream_scenario(std::string_view json,
                                                              const std::optional<SmLimits>& limits) {
  const auto parsed = parse_located_json(json);
  if (!parsed) return tl::unexpected(parsed.error());
  return Reader(limits).read(*parsed);
}

}  // namespace amalthea::engine::nvidia
