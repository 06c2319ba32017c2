// SPDX-License-Identifier: Apache-2.0
#include "engine/devices/examiner_scenario.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <map>
#include <set>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "engine/gpu/device_profile.hpp"

namespace amalthea::engine::gpu {
namespace {

using Error = std::optional<TextError>;

constexpr std::int64_t default_spin_nanoseconds = 10'000'000;  // of timer_spin without additional_info
constexpr std::int64_t shared_memory_element = 4;              // the tool counts 32-bit integers

Error read_flag(const JsonValue& value, bool& target) {
  const auto* flag = std::get_if<bool>(&value.value);
  if (flag == nullptr) return error_at(value, "expected true or false");
  target = *flag;
  return std::nullopt;
}

/// The tool's numbers are doubles: 1e9 is also an integer.
std::optional<std::int64_t> whole_number(const JsonValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value.value)) return *number;
  const auto* number = std::get_if<double>(&value.value);
  if (number == nullptr || std::abs(*number) > 9e15 || std::floor(*number) != *number) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

Error read_whole(const JsonValue& value, std::int64_t minimum, std::int64_t& target) {
  const auto number = whole_number(value);
  if (!number || *number < minimum) return error_at(value, fmt::format("expected a whole number from {}", minimum));
  target = *number;
  return std::nullopt;
}

Error read_seconds(const JsonValue& value, Duration& target) {
  double seconds = -1;
  if (const auto* number = std::get_if<std::int64_t>(&value.value)) seconds = static_cast<double>(*number);
  if (const auto* number = std::get_if<double>(&value.value)) seconds = *number;
  if (!(seconds >= 0) || seconds > 9e6) return error_at(value, "expected seconds, a number from 0 to 9000000");
  target = Duration::picoseconds(std::llround(seconds * 1e12));
  return std::nullopt;
}

/// A number, a string of digits as in the tool's first versions, or an object with "duration" or "kernel_duration".
Error read_nanoseconds(const JsonValue& value, Duration& target) {
  auto nanoseconds = whole_number(value);
  if (const auto* text = std::get_if<std::string>(&value.value))
    if (const auto parsed = parse_integer(*text)) nanoseconds = *parsed;
  constexpr std::int64_t most = 9'000'000'000'000'000;
  if (!nanoseconds || *nanoseconds < 0 || *nanoseconds > most)
    return error_at(value, fmt::format("expected a whole number of nanoseconds from 0 to {}", most));
  target = Duration::nanoseconds(*nanoseconds);
  return std::nullopt;
}

/// A number, or an array of up to three whose product counts.
Error read_dimensions(const JsonValue& value, std::int64_t most, std::int64_t& target) {
  const std::string expected =
      fmt::format("expected a whole number from 1, or an array of up to three, whose product is at most {}", most);
  const auto* array = std::get_if<JsonArray>(&value.value);
  std::int64_t product = 1;
  const auto multiply = [&](const JsonValue& factor) {
    const auto number = whole_number(factor);
    if (!number || *number < 1 || *number > most / product) return false;
    product *= *number;
    return true;
  };
  if (array == nullptr) {
    if (!multiply(value)) return error_at(value, expected);
  } else {
    if (array->elements.empty() || array->elements.size() > 3) return error_at(value, expected);
    for (const JsonValue& element : array->elements)
      if (!multiply(element)) return error_at(element, expected);
  }
  target = product;
  return std::nullopt;
}

/// "timer_spin" for "./bin/timer_spin.so".
std::string library_name(std::string_view file) {
  if (const auto slash = file.rfind('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
  if (const auto dot = file.rfind('.'); dot != std::string_view::npos) file = file.substr(0, dot);
  return std::string(file);
}

/// A file name within the log folder: the last part of the path, with ".json", which viewers expect. `taken` prevents
/// two benchmarks from using the same file.
std::string log_file_name(std::string_view wanted, std::set<std::string>& taken) {
  if (const auto slash = wanted.rfind('/'); slash != std::string_view::npos) wanted.remove_prefix(slash + 1);
  if (wanted.ends_with(".json")) wanted.remove_suffix(5);
  std::string stem;
  for (const char character : wanted)
    stem += static_cast<unsigned char>(character) < 0x20 || character == '\\' || character == '/' ? '_' : character;
  if (stem.empty() || stem.front() == '.') stem = fmt::format("_{}", stem);
  std::string name = stem + ".json";
  for (std::size_t number = 2; !taken.insert(name).second; ++number) name = fmt::format("{}_{}.json", stem, number);
  return name;
}

/// What one iteration of a benchmark issues; releases are relative to its start.
struct Call {
  StreamOperation operation;
  bool null_stream = false;
};

class ExaminerReader {
 public:
  ExaminerReader(const DeviceProfile& profile, const ExaminerOptions& options)
      : options_(options), slice_(profile.time_slice) {
    result_.scenario.device = profile;
  }

  tl::expected<ExaminerScenario, TextError> read(const JsonValue& root) {
    const auto* object = std::get_if<JsonObject>(&root.value);
    if (object == nullptr) return tl::unexpected(error_at(root, R"(expected an object with "benchmarks")"));
    const JsonValue* benchmarks = nullptr;
    const JsonValue* sync = nullptr;
    for (const auto& [key, member] : object->members) {
      Error error;
      if (key == "benchmarks") {
        benchmarks = &member;
      } else if (key == "name") {
        error = read_text(member, result_.name);
      } else if (key == "use_processes") {
        error = read_flag(member, use_processes_);
      } else if (key == "max_iterations") {
        error = read_iterations(member, iterations_);
      } else if (key == "max_time") {
        error = read_max_time(member);
      } else if (key == "sync_every_iteration") {
        bool flag = false;
        error = read_flag(member, flag);
        if (flag) sync = &member;
      } else if (key == "max_resident_threads") {
        std::int64_t threads = 0;
        error = read_whole(member, 1, threads);
        const std::int64_t platform = result_.scenario.limits().sms * result_.scenario.limits().threads;
        if (!error && threads != platform)
          remark(member, fmt::format("the platform holds {} threads; its limits are taken", platform));
      } else if (!is_one_of(key, {"comment", "cuda_device", "pin_cpus", "do_warmup", "base_result_directory",
                                  "omit_block_times"})) {
        remark(member, "unknown key; it is ignored");
      }
      if (error) return tl::unexpected(*error);
    }
    const auto* array = benchmarks != nullptr ? std::get_if<JsonArray>(&benchmarks->value) : nullptr;
    if (array == nullptr || array->elements.empty())
      return tl::unexpected(
          error_at(benchmarks != nullptr ? *benchmarks : root, "expected \"benchmarks\", an array that is not empty"));
    if (!use_processes_) result_.scenario.contexts.push_back({"process", slice_, Context{}.priority});
    for (const JsonValue& benchmark : array->elements)
      if (auto error = read_benchmark(benchmark)) return tl::unexpected(*error);
    if (sync != nullptr)
      for (const ExaminerBenchmark& benchmark : result_.benchmarks)
        if (benchmark.iterations.size() > 1)
          return tl::unexpected(
              error_at(*sync, "synchronization in every iteration is not modeled; expected false, or one iteration"));
    const auto& streams = result_.scenario.streams;
    if (std::any_of(streams.begin(), streams.end(), [](const Stream& stream) { return stream.is_null; }))
      for (const JsonValue* priority : prioritised_)
        remark(*priority, "on hardware a stream with a priority does not wait for the NULL stream; here it does");
    std::stable_sort(result_.remarks.begin(), result_.remarks.end(), [](const TextError& a, const TextError& b) {
      return a.line != b.line ? a.line < b.line : a.column < b.column;
    });
    return std::move(result_);
  }

 private:
  static bool is_one_of(std::string_view key, std::initializer_list<std::string_view> known) {
    return std::find(known.begin(), known.end(), key) != known.end();
  }

  void remark(const JsonValue& value, std::string_view what) { result_.remarks.push_back(error_at(value, what)); }

  static Error read_iterations(const JsonValue& value, std::int64_t& target) {
    const auto number = whole_number(value);
    if (!number || *number < 1)
      return error_at(value, "expected a whole number from 1; iterations without a number are not modeled");
    target = *number;
    return std::nullopt;
  }

  Error read_max_time(const JsonValue& value) {
    Duration time;
    if (auto error = read_seconds(value, time)) return error;
    if (!time.is_zero()) remark(value, "not applied: max_iterations says how often it runs");
    return std::nullopt;
  }

  Error read_benchmark(const JsonValue& value) {
    const auto* object = std::get_if<JsonObject>(&value.value);
    if (object == nullptr) return error_at(value, R"(expected an object with "filename")");
    const std::size_t index = result_.benchmarks.size();
    ExaminerBenchmark benchmark;
    std::int64_t iterations = iterations_;
    Duration release;
    BlockShape shape;
    shape.threads = 0;
    std::int64_t blocks = 0;
    std::string log_name;
    const JsonValue* info = nullptr;
    const JsonValue* file = nullptr;
    std::optional<StreamPriority> priority;
    for (const auto& [key, member] : object->members) {
      Error error;
      if (key == "filename") {
        file = &member;
        error = read_text(member, benchmark.name);
      } else if (key == "log_name") {
        error = read_text(member, log_name);
      } else if (key == "label") {
        error = read_text(member, benchmark.label);
      } else if (key == "thread_count" || key == "block_count") {
        continue;  // their meaning depends on the library
      } else if (key == "data_size") {
        error = read_whole(member, 0, benchmark.data_size);
      } else if (key == "additional_info") {
        info = &member;
      } else if (key == "max_iterations") {
        error = read_iterations(member, iterations);
      } else if (key == "max_time") {
        error = read_max_time(member);
      } else if (key == "release_time") {
        error = read_seconds(member, release);
      } else if (key == "stream_priority") {
        error = read_priority(member, priority);
        if (priority) prioritised_.push_back(&member);
      } else if (key == "sm_mask") {
        error = error_at(member, "masks of SMs are not modeled");
      } else if (key == "mps_thread_percentage") {
        const auto percent = whole_number(member);
        if (use_processes_ && percent != 100) error = error_at(member, "shares of MPS are not modeled; expected 100");
      } else if (key != "comment" && key != "cpu_core") {
        remark(member, "unknown key; it is ignored");
      }
      if (error) return error;
    }
    if (file == nullptr) return error_at(value, "\"filename\" is missing");
    benchmark.name = library_name(benchmark.name);
    benchmark.release = Instant::at(release);
    benchmark.process = use_processes_ ? index : 0;
    benchmark.thread = index;
    const std::string default_name = fmt::format("{}_{}", benchmark.name, index);
    benchmark.log_name = log_file_name(log_name.empty() ? default_name : log_name, log_names_);

    // Libraries that take their kernels only from additional_info may leave the counts at 0.
    const bool is_list = benchmark.name == "multikernel" || benchmark.name == "stream_action";
    if (auto error = read_counts(value, *object, !is_list, shape.threads, blocks)) return error;
    const std::string name = benchmark.label.empty() ? default_name : benchmark.label;
    std::vector<Call> calls;
    Error error;
    if (benchmark.name == "multikernel") {
      error = read_kernels(info != nullptr ? *info : value, calls);
    } else if (benchmark.name == "stream_action") {
      error = read_actions(info != nullptr ? *info : value, blocks, shape.threads, calls);
    } else {
      Call call;
      call.operation.name = name;
      call.operation.blocks = blocks;
      call.operation.shape = shape;
      call.null_stream = benchmark.name == "timer_spin_default_stream";
      error = read_spin(*file, info, benchmark.name, call.operation);
      if (!error) error = check_shape(*object, value, call.operation);
      calls.push_back(std::move(call));
    }
    if (error) return error;
    if (benchmark.data_size > 0) add_copies(name, benchmark.data_size, calls);
    return issue(value, std::move(benchmark), iterations, priority, name, calls);
  }

  static Error read_counts(const JsonValue& value, const JsonObject& object, bool needed, std::int64_t& threads,
                           std::int64_t& blocks) {
    struct Count {
      std::string_view key;
      std::int64_t most;
      std::int64_t* target;
    };
    const std::array<Count, 2> counts = {
        {{"thread_count", std::int64_t{1} << 20, &threads}, {"block_count", max_simulated_blocks, &blocks}}};
    for (const Count& count : counts) {
      const JsonValue* given = find_member(object, count.key);
      if (given == nullptr) {
        if (needed && *count.target < 1) return error_at(value, fmt::format("\"{}\" is missing", count.key));
      } else if (needed || whole_number(*given) != 0) {
        if (auto error = read_dimensions(*given, count.most, *count.target)) return error;
      }
    }
    return std::nullopt;
  }

  static Error read_priority(const JsonValue& value, std::optional<StreamPriority>& target) {
    const auto number = whole_number(value);
    if (!number) return error_at(value, "expected a whole number; -1 is high, 0 is low");
    // As in the tool: outside of the range a stream is created without priority, which means low.
    if (*number == -1 || *number == 0) target = *number == -1 ? StreamPriority::high : StreamPriority::low;
    return std::nullopt;
  }

  Error check_shape(const JsonObject& object, const JsonValue& place, const StreamOperation& kernel) const {
    const auto use = use_of_block(result_.scenario.limits(), kernel.shape);
    if (use) return std::nullopt;
    const JsonValue* threads = find_member(object, "thread_count");
    return error_at(threads != nullptr ? *threads : place, use.error());
  }

  /// The duration of blocks of a library with a single kernel.
  Error read_spin(const JsonValue& file, const JsonValue* info, const std::string& library, StreamOperation& kernel) {
    const bool is_timer = library == "timer_spin" || library == "timer_spin_default_stream";
    const auto* text = info != nullptr ? std::get_if<std::string>(&info->value) : nullptr;
    if (is_timer && (info == nullptr || (text != nullptr && text->empty()))) {
      kernel.duration = Duration::nanoseconds(default_spin_nanoseconds);
      return std::nullopt;
    }
    if (info != nullptr)
      if (const auto* object = std::get_if<JsonObject>(&info->value)) {
        const JsonValue* duration = find_member(*object, "duration");
        if (duration == nullptr) duration = find_member(*object, "kernel_duration");
        if (duration == nullptr) return error_at(*info, "expected \"duration\" or \"kernel_duration\" in nanoseconds");
        if (auto error = read_nanoseconds(*duration, kernel.duration)) return error;
        return read_shared_memory(*object, kernel);
      }
    if (is_timer) return read_nanoseconds(*info, kernel.duration);
    if (library == "sharedmem_timer_spin") {
      if (text != nullptr)
        if (const auto comma = text->find(','); comma != std::string::npos) {
          const auto spin = parse_integer(std::string_view(*text).substr(0, comma));
          const auto elements = parse_integer(std::string_view(*text).substr(comma + 1));
          if (spin && elements && *spin >= 0 && *spin <= 9'000'000'000'000'000 && *elements >= 0 &&
              *elements <= 1 << 28) {
            kernel.duration = Duration::nanoseconds(*spin);
            kernel.shape.shared_memory = *elements * shared_memory_element;
            return std::nullopt;
          }
        }
      return error_at(info != nullptr ? *info : file,
                      R"(expected "additional_info" such as "1000000,4096": nanoseconds and 32-bit integers of shared )"
                      R"(memory, or {"duration": 1000000, "shared_memory_size": 4096})");
    }
    return error_at(
        file,
        fmt::format(
            "the duration of a block of \"{}\" is unknown; expected timer_spin, timer_spin_default_stream, "
            "sharedmem_timer_spin, multikernel, stream_action, or \"additional_info\": {{\"duration\": nanoseconds}}",
            library));
  }

  static Error read_shared_memory(const JsonObject& object, StreamOperation& kernel) {
    const JsonValue* size = find_member(object, "shared_memory_size");
    if (size == nullptr) return std::nullopt;
    std::int64_t elements = 0;
    if (auto error = read_whole(*size, 0, elements)) return error;
    if (elements > 1 << 28) return error_at(*size, "expected at most 2^28 integers of 32 bits");
    kernel.shape.shared_memory = elements * shared_memory_element;
    return std::nullopt;
  }

  /// "duration", "block_count", "thread_count", "shared_memory_size" of one kernel in a list; missing counts are those
  /// of the benchmark.
  Error read_listed_kernel(const JsonValue& place, const JsonObject& object, StreamOperation& kernel) {
    const JsonValue* duration = find_member(object, "duration");
    if (duration == nullptr) return error_at(place, "\"duration\" is missing");
    if (auto error = read_nanoseconds(*duration, kernel.duration)) return error;
    if (auto error = read_counts(place, object, true, kernel.shape.threads, kernel.blocks)) return error;
    if (const JsonValue* mask = find_member(object, "sm_mask")) return error_at(*mask, "masks of SMs are not modeled");
    if (auto error = read_shared_memory(object, kernel)) return error;
    return check_shape(object, place, kernel);
  }

  /// Adds the time that the program sleeps before the call to `at`.
  static Error read_delay(const JsonObject& object, Instant& at) {
    const JsonValue* delay = find_member(object, "delay");
    Duration sleep;
    if (delay != nullptr)
      if (auto error = read_seconds(*delay, sleep)) return error;
    at = at + sleep;
    return std::nullopt;
  }

  /// multikernel: several kernels in one stream, issued without waiting.
  Error read_kernels(const JsonValue& info, std::vector<Call>& calls) {
    const auto* array = std::get_if<JsonArray>(&info.value);
    if (array == nullptr || array->elements.empty())
      return error_at(info, "expected \"additional_info\", an array of kernels that is not empty");
    Instant at;
    for (const JsonValue& element : array->elements) {
      const auto* object = std::get_if<JsonObject>(&element.value);
      if (object == nullptr) return error_at(element, "expected an object with \"duration\"");
      Call call;
      call.operation.blocks = 0;
      call.operation.shape.threads = 0;
      const JsonValue* label = find_member(*object, "kernel_label");
      if (label == nullptr) return error_at(element, "\"kernel_label\" is missing");
      if (auto error = read_text(*label, call.operation.name)) return error;
      if (auto error = read_listed_kernel(element, *object, call.operation)) return error;
      if (auto error = read_delay(*object, at)) return error;
      call.operation.release = at;
      calls.push_back(std::move(call));
    }
    return std::nullopt;
  }

  Error read_actions(const JsonValue& info, std::int64_t blocks, std::int64_t threads, std::vector<Call>& calls) {
    const auto* object = std::get_if<JsonObject>(&info.value);
    const JsonValue* actions = object != nullptr ? find_member(*object, "actions") : nullptr;
    const auto* array = actions != nullptr ? std::get_if<JsonArray>(&actions->value) : nullptr;
    if (array == nullptr || array->elements.empty())
      return error_at(info, "expected \"additional_info\", an object with \"actions\" that are not empty");
    bool null_stream = false;
    if (const JsonValue* flag = find_member(*object, "use_null_stream"))
      if (auto error = read_flag(*flag, null_stream)) return error;
    Instant at;
    for (const JsonValue& element : array->elements) {
      const auto* action = std::get_if<JsonObject>(&element.value);
      const JsonValue* type = action != nullptr ? find_member(*action, "type") : nullptr;
      std::string name;
      if (type == nullptr) return error_at(element, "expected an object with \"type\"");
      if (auto error = read_text(*type, name)) return error;
      if (auto error = read_delay(*action, at)) return error;
      if (is_one_of(name, {"malloc", "free", "synchronize"})) {
        remark(*type, "takes no time and delays nothing in this simulation");
        continue;
      }
      Call call;
      call.operation.name = name;
      call.operation.release = at;
      call.operation.blocks = blocks;
      call.operation.shape.threads = threads;
      call.null_stream = null_stream;
      if (const JsonValue* label = find_member(*action, "label"))
        if (auto error = read_text(*label, call.operation.name)) return error;
      const JsonValue* parameters = find_member(*action, "parameters");
      const auto* members = parameters != nullptr ? std::get_if<JsonObject>(&parameters->value) : nullptr;
      if (members == nullptr) return error_at(element, "expected \"parameters\", an object");
      const Error error = name == "kernel" ? read_kernel_action(*parameters, *members, call.operation)
                                           : read_copy_action(*type, name, *parameters, *members, call);
      if (error) return error;
      calls.push_back(std::move(call));
    }
    return std::nullopt;
  }

  Error read_kernel_action(const JsonValue& parameters, const JsonObject& members, StreamOperation& kernel) {
    std::string spin = "timer_spin";
    if (const JsonValue* type = find_member(members, "type")) {
      if (auto error = read_text(*type, spin)) return error;
      if (spin != "timer_spin")
        return error_at(*type, "the duration of such a kernel is unknown; expected \"timer_spin\"");
    }
    return read_listed_kernel(parameters, members, kernel);
  }

  Error read_copy_action(const JsonValue& type, const std::string& name, const JsonValue& parameters,
                         const JsonObject& members, Call& call) const {
    if (name != "memset" && name != "memcpy")
      return error_at(type, "expected kernel, memset, memcpy, malloc, free or synchronize");
    const JsonValue* size = find_member(members, "size");
    if (size == nullptr) return error_at(parameters, "\"size\" is missing");
    std::int64_t bytes = 0;
    if (auto error = read_whole(*size, 0, bytes)) return error;
    call.operation.duration = copy_time(bytes);
    call.operation.kind = StreamOperationKind::memset;
    if (name == "memcpy") {
      const JsonValue* direction = find_member(members, "direction");
      std::string text;
      if (direction != nullptr)
        if (auto error = read_text(*direction, text)) return error;
      if (text != "hostToDevice" && text != "deviceToHost")
        return error_at(direction != nullptr ? *direction : parameters,
                        R"(expected "direction": "hostToDevice" or "deviceToHost"; copies within the device are not )"
                        "modelled");
      call.operation.kind =
          text == "hostToDevice" ? StreamOperationKind::host_to_device : StreamOperationKind::device_to_host;
    }
    bool is_async = true;
    if (const JsonValue* flag = find_member(members, "async"))
      if (auto error = read_flag(*flag, is_async)) return error;
    if (!is_async) call.null_stream = true;
    return std::nullopt;
  }

  Duration copy_time(std::int64_t bytes) const {
    return scale(Duration::seconds(1), bytes, options_.copy_bytes_per_second, Rounding::up);
  }

  /// copy_in before the first call, copy_out after the last.
  void add_copies(const std::string& name, std::int64_t bytes, std::vector<Call>& calls) const {
    Call copy;
    copy.null_stream = calls.front().null_stream;
    copy.operation.duration = copy_time(bytes);
    copy.operation.kind = StreamOperationKind::device_to_host;
    copy.operation.name = fmt::format("{} out", name);
    copy.operation.release = calls.back().operation.release;
    calls.push_back(copy);
    copy.operation.kind = StreamOperationKind::host_to_device;
    copy.operation.name = fmt::format("{} in", name);
    copy.operation.release = Instant();
    calls.insert(calls.begin(), std::move(copy));
  }

  /// A stream for this benchmark, or the single NULL stream of its context.
  std::size_t make_stream(bool null_stream, std::size_t context, const std::string& name, StreamPriority priority) {
    auto& streams = result_.scenario.streams;
    if (null_stream)
      for (std::size_t index = 0; index < streams.size(); ++index)
        if (streams[index].is_null && streams[index].context == context) return index;
    std::string unique = null_stream ? std::string() : name;
    for (std::size_t number = 2; !null_stream && !stream_names_.insert(unique).second; ++number)
      unique = fmt::format("{} ({})", name, number);
    Stream& stream = streams.emplace_back();
    stream.name = unique;
    stream.context = context;
    stream.is_null = null_stream;
    if (!null_stream) stream.priority = priority;
    return streams.size() - 1;
  }

  Error issue(const JsonValue& place, ExaminerBenchmark benchmark, std::int64_t iterations,
              std::optional<StreamPriority> priority, const std::string& name, const std::vector<Call>& calls) {
    const auto length = static_cast<std::int64_t>(calls.size());
    operations_ += length * std::min(iterations, max_examiner_operations + 1);
    if (operations_ > max_examiner_operations)
      return error_at(place, fmt::format("with this benchmark's {} iterations the scenario has more than {} operations",
                                         iterations, max_examiner_operations));
    if (iterations > 1 && !(calls.back().operation.release == Instant()))
      return error_at(place, "delays between calls are not modeled in more than one iteration");
    std::size_t context = 0;
    if (use_processes_) {
      context = result_.scenario.contexts.size();
      result_.scenario.contexts.push_back({name, slice_, Context{}.priority});
    }
    std::array<std::optional<std::size_t>, 2> streams;
    for (const Call& call : calls) {
      auto& stream = streams[call.null_stream ? 1 : 0];
      if (!stream) stream = make_stream(call.null_stream, context, name, priority.value_or(StreamPriority::low));
    }
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      auto& issued = benchmark.iterations.emplace_back();
      for (const Call& call : calls) {
        StreamOperation operation = call.operation;
        operation.release = benchmark.release + operation.release.since_start();
        operation.stream = *streams[call.null_stream ? 1 : 0];
        issued.push_back(result_.scenario.operations.size());
        result_.scenario.operations.push_back(std::move(operation));
      }
    }
    result_.benchmarks.push_back(std::move(benchmark));
    return std::nullopt;
  }

  ExaminerOptions options_;
  Duration slice_;
  ExaminerScenario result_;
  bool use_processes_ = false;
  std::int64_t iterations_ = 1;
  std::int64_t operations_ = 0;
  std::vector<const JsonValue*> prioritised_;
  std::set<std::string> log_names_;
  std::set<std::string> stream_names_;
};

}  // namespace

bool is_examiner_scenario(std::string_view json) {
  const auto parsed = parse_located_json(json);
  const auto* object = parsed ? std::get_if<JsonObject>(&parsed->value) : nullptr;
  return object != nullptr && find_member(*object, "benchmarks") != nullptr;
}

tl::expected<ExaminerScenario, TextError> parse_examiner_scenario(std::string_view json, const DeviceProfile* profile,
                                                                  const ExaminerOptions& options) {
  const auto parsed = parse_located_json(json);
  if (!parsed) return tl::unexpected(parsed.error());
  return ExaminerReader(profile != nullptr ? *profile : *find_profile("tx2"), options).read(*parsed);
}

std::vector<ExaminerBenchmark> benchmarks_of_streams(const StreamScenario& scenario) {
  std::vector<std::vector<std::size_t>> operations(scenario.streams.size());
  std::vector<bool> has_kernel(scenario.streams.size(), false);
  for (std::size_t index = 0; index < scenario.operations.size(); ++index) {
    const StreamOperation& operation = scenario.operations[index];
    operations[operation.stream].push_back(index);
    if (operation.kind == StreamOperationKind::kernel) has_kernel[operation.stream] = true;
  }
  std::vector<ExaminerBenchmark> benchmarks;
  std::set<std::string> log_names;
  for (std::size_t index = 0; index < scenario.streams.size(); ++index) {
    if (!has_kernel[index]) continue;
    const Stream& stream = scenario.streams[index];
    auto& issued = operations[index];
    std::stable_sort(issued.begin(), issued.end(), [&](std::size_t a, std::size_t b) {
      return scenario.operations[a].release < scenario.operations[b].release;
    });
    ExaminerBenchmark& benchmark = benchmarks.emplace_back();
    benchmark.name = "stream";
    benchmark.label = stream.is_null ? "NULL" : stream.name;
    benchmark.log_name = log_file_name(stream.is_null ? "null_stream" : stream.name, log_names);
    benchmark.release = scenario.operations[issued.front()].release;
    benchmark.process = stream.context;
    benchmark.thread = benchmarks.size() - 1;
    benchmark.iterations.push_back(std::move(issued));
  }
  return benchmarks;
}

}  // namespace amalthea::engine::gpu
