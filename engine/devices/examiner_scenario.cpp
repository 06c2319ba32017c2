// SPDX-License-Identifier: Apache-2.0
#include "engine/devices/examiner_scenario.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "engine/amd/cu_mask.hpp"
#include "engine/amd/device_settings.hpp"
#include "engine/devices/detail/examiner_values.hpp"
#include "engine/nvidia/sm_mask.hpp"

namespace amalthea::engine::gpu {
namespace {

using namespace examiner;
using Error = std::optional<TextError>;

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

/// The settings of a configuration, or of one that a task_host runs.
struct Scope {
  bool use_processes = false;
  std::int64_t iterations = 1;
  Duration time;                       ///< limit; zero: none
  const JsonValue* sync = nullptr;     ///< "sync_every_iteration", if it is true
  Duration release;                    ///< of the task_host
  std::optional<std::size_t> context;  ///< of all benchmarks, unless they are processes
  std::optional<std::size_t> process;  ///< the same under MPS
};

/// The settings of a benchmark.
struct Settings {
  std::int64_t iterations = 1;
  Duration time;
  Duration release;
  std::optional<StreamPriority> priority;
  std::optional<CuMask> mask;
  double share = 100;  ///< of MPS, in percent
  std::string log_name;
};

class ExaminerReader {
 public:
  ExaminerReader(const DeviceProfile& profile, const ExaminerOptions& options, bool is_hip)
      : options_(options), is_hip_(is_hip), slice_(profile.time_slice) {
    result_.scenario.device = profile;
    result_.is_hip = is_hip;
  }

  tl::expected<ExaminerScenario, TextError> read(const JsonValue& root) {
    uses_mps_ = has_mps_share(root);
    if (auto error = read_config(root, {}, true)) return tl::unexpected(*error);
    if (auto error = check_options(root)) return tl::unexpected(*error);
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
  void remark(const JsonValue& value, std::string_view what) { result_.remarks.push_back(error_at(value, what)); }

  /// Whether any process has a share of MPS below 100 %. Without one nothing says that MPS is active.
  static bool has_mps_share(const JsonValue& value) {
    if (const auto* array = std::get_if<JsonArray>(&value.value))
      return std::any_of(array->elements.begin(), array->elements.end(), has_mps_share);
    const auto* object = std::get_if<JsonObject>(&value.value);
    if (object == nullptr) return false;
    double percent = 100;
    if (const JsonValue* share = find_member(*object, "mps_thread_percentage"))
      if (!read_real(*share, 0, 100, percent) && percent < 100) return true;
    return std::any_of(object->members.begin(), object->members.end(),
                       [](const JsonMember& member) { return has_mps_share(member.value); });
  }

  /// A configuration; those of task_host have a scope around them.
  Error read_config(const JsonValue& root, Scope scope, bool is_whole) {
    const std::string_view list = is_hip_ ? "plugins" : "benchmarks";
    const auto* object = std::get_if<JsonObject>(&root.value);
    if (object == nullptr) return error_at(root, fmt::format("expected an object with \"{}\"", list));
    const JsonValue* benchmarks = nullptr;
    for (const auto& [key, member] : object->members) {
      Error error;
      if (key == list) {
        benchmarks = &member;
      } else if (key == "name") {
        std::string name;
        error = read_text(member, name);
        if (is_whole) result_.name = name;
      } else if (key == "use_processes") {
        error = read_flag(member, scope.use_processes);
      } else if (key == "max_iterations") {
        error = read_whole(member, 0, scope.iterations);
      } else if (key == "max_time") {
        error = read_seconds(member, scope.time);
      } else if (key == "sync_every_iteration") {
        bool flag = false;
        error = read_flag(member, flag);
        if (flag) scope.sync = &member;
      } else if (key == "max_resident_threads" && !is_hip_) {
        error = read_resident_threads(member);
      } else if (!is_one_of(key, {"comment", "cuda_device", "gpu_device_id", "pin_cpus", "do_warmup",
                                  "base_result_directory", "omit_block_times"})) {
        remark(member, "unknown key; it is ignored");
      }
      if (error) return error;
    }
    const auto* array = benchmarks != nullptr ? std::get_if<JsonArray>(&benchmarks->value) : nullptr;
    if (array == nullptr || array->elements.empty())
      return error_at(benchmarks != nullptr ? *benchmarks : root,
                      fmt::format("expected \"{}\", an array that is not empty", list));
    if (!scope.use_processes && !scope.context) add_process(scope.context, scope.process, "process", 100);
    for (const JsonValue& benchmark : array->elements)
      if (auto error = read_benchmark(benchmark, scope)) return error;
    return std::nullopt;
  }

  Error read_resident_threads(const JsonValue& value) {
    std::int64_t threads = 0;
    if (auto error = read_whole(value, 1, threads)) return error;
    const std::int64_t platform = result_.scenario.limits().sms * result_.scenario.limits().threads;
    if (threads != platform)
      remark(value, fmt::format("the platform holds {} threads; its limits are taken", platform));
    return std::nullopt;
  }

  /// A context for a process, or, under MPS, a process of the context that all of them share.
  void add_process(std::optional<std::size_t>& context, std::optional<std::size_t>& process, const std::string& name,
                   double share) {
    auto& contexts = result_.scenario.contexts;
    if (uses_mps_) {
      if (contexts.empty()) contexts.push_back({"MPS", slice_, Context{}.priority});
      context = 0;
      process = shares_.size();
      shares_.push_back(share < 100 ? nvidia::sms_of_share(result_.scenario.limits(), share) : 0);
      return;
    }
    context = contexts.size();
    contexts.push_back({name, slice_, Context{}.priority});
  }

  Error read_benchmark(const JsonValue& value, const Scope& scope) {
    const auto* object = std::get_if<JsonObject>(&value.value);
    if (object == nullptr) return error_at(value, R"(expected an object with "filename")");
    const std::size_t index = result_.benchmarks.size();
    ExaminerBenchmark benchmark;
    Settings settings;
    settings.iterations = scope.iterations;
    settings.time = scope.time;
    const JsonValue* info = nullptr;
    const JsonValue* file = nullptr;
    for (const auto& [key, member] : object->members) {
      Error error;
      if (key == "filename") {
        file = &member;
        error = read_text(member, benchmark.name);
      } else if (key == "label") {
        error = read_text(member, benchmark.label);
      } else if (key == "data_size") {
        error = read_whole(member, 0, benchmark.data_size);
      } else if (key == "additional_info") {
        info = &member;
      } else {
        error = read_setting(key, member, scope, settings);
      }
      if (error) return error;
    }
    if (file == nullptr) return error_at(value, "\"filename\" is missing");
    benchmark.name = library_name(benchmark.name);
    if (is_task_host(benchmark.name)) return read_task_host(value, info, benchmark, scope, settings);
    const Duration release = scope.release + settings.release;
    benchmark.release = Instant::at(release);
    benchmark.is_hip = is_hip_;
    benchmark.thread = index;
    const std::string default_name = fmt::format("{}_{}", benchmark.name, index);
    benchmark.log_name = log_file_name(settings.log_name.empty() ? default_name : settings.log_name, log_names_);
    const std::string name = benchmark.label.empty() ? default_name : benchmark.label;
    const auto calls = calls_of_plugin(
        {benchmark.name, name, benchmark.label, value, *object, *file, info, benchmark.data_size}, plugins_);
    if (!calls) return calls.error();
    return issue(value, std::move(benchmark), settings, scope, name, *calls);
  }

  Error read_setting(const std::string& key, const JsonValue& member, const Scope& scope, Settings& settings) {
    if (key == "log_name") return read_text(member, settings.log_name);
    if (key == "max_iterations") return read_whole(member, 0, settings.iterations);
    if (key == "max_time") return read_seconds(member, settings.time);
    if (key == "release_time") return read_seconds(member, settings.release);
    // The meaning of the counts depends on the plugin.
    if (is_one_of(key, {"comment", "cpu_core", "thread_count", "block_count"})) return std::nullopt;
    if (is_hip_ && key == "compute_unit_mask") return read_cu_mask(member, settings);
    if (!is_hip_ && key == "stream_priority") {
      auto error = read_priority(member, settings.priority);
      if (settings.priority) prioritised_.push_back(&member);
      return error;
    }
    if (!is_hip_ && key == "sm_mask") {
      std::string text;
      if (auto error = read_text(member, text)) return error;
      auto mask = nvidia::parse_tpc_mask(text, result_.scenario.limits());
      if (!mask) return error_at(member, mask.error());
      settings.mask = std::move(*mask);
      return std::nullopt;
    }
    if (!is_hip_ && key == "mps_thread_percentage") {
      if (auto error = read_real(member, 0, 100, settings.share)) return error;
      if (settings.share <= 0) return error_at(member, "expected a number above 0, up to 100");
      if (!scope.use_processes) remark(member, "it has an effect only with \"use_processes\"");
      return std::nullopt;
    }
    if (is_hip_ && key == "job_deadline") {
      remark(member, "deadlines are those of a locking module of the kernel, which is not simulated");
      return std::nullopt;
    }
    remark(member, "unknown key; it is ignored");
    return std::nullopt;
  }

  static Error read_priority(const JsonValue& value, std::optional<StreamPriority>& target) {
    const auto number = whole_number(value);
    if (!number) return error_at(value, "expected a whole number; -1 is high, 0 is low");
    // As in the tool: outside of the range a stream is created without priority, which means low.
    if (*number == -1 || *number == 0) target = *number == -1 ? StreamPriority::high : StreamPriority::low;
    return std::nullopt;
  }

  /// Bits that are not stated enable their CUs, as in the tool.
  Error read_cu_mask(const JsonValue& value, Settings& settings) {
    if (!result_.scenario.device.amd) {
      remark(value, "the platform is not an AMD GPU, so the mask has no effect");
      return std::nullopt;
    }
    const amd::Layout layout = amd::device_settings(result_.scenario.device).layout();
    std::vector<bool> bits;
    if (const auto* array = std::get_if<JsonArray>(&value.value)) {
      for (const JsonValue& element : array->elements) {
        bool bit = false;
        if (auto error = read_flag(element, bit)) return error;
        bits.push_back(bit);
      }
    } else {
      std::string text;
      if (auto error = read_text(value, text)) return error;
      const bool is_hexadecimal = text.starts_with("0x");
      const std::string_view digits = std::string_view(text).substr(is_hexadecimal ? 2 : 0);
      const auto all_of = [&](std::string_view allowed) {
        return !digits.empty() && digits.find_first_not_of(allowed) == std::string_view::npos;
      };
      if (!all_of(is_hexadecimal ? "0123456789abcdefABCDEF" : "01"))
        return error_at(value, "expected an array of booleans, binary digits, or a hexadecimal number such as 0xff");
      if (is_hexadecimal) {
        for (auto at = digits.rbegin(); at != digits.rend(); ++at)
          for (unsigned bit = 0; bit < 4; ++bit)
            bits.push_back(
                (std::string_view("0123456789abcdef").find(static_cast<char>(*at >= 'A' ? *at | 0x20 : *at)) >> bit &
                 1U) != 0);
      } else {
        for (const char digit : digits) bits.push_back(digit == '1');
      }
    }
    CuMask mask = amd::full_mask(layout);
    for (std::size_t bit = 0; bit < std::min(bits.size(), mask.bits.size()); ++bit) mask.bits[bit] = bits[bit];
    if (mask.count() == 0) return error_at(value, "the mask disables all CUs of the platform; leave at least one");
    if (mask != amd::full_mask(layout)) settings.mask = std::move(mask);
    return std::nullopt;
  }

  /// A task_host is one process, whose additional_info is a configuration.
  Error read_task_host(const JsonValue& value, const JsonValue* info, const ExaminerBenchmark& benchmark,
                       const Scope& scope, const Settings& settings) {
    if (info == nullptr) return error_at(value, "expected \"additional_info\", the configuration of the task host");
    if (settings.iterations != 1 && options_.iterations != 1)
      return error_at(value, "more than one iteration of a task host is not modeled; use --iterations 1");
    Scope inner;
    inner.release = scope.release + settings.release;
    inner.context = scope.context;
    inner.process = scope.process;
    if (scope.use_processes)
      add_process(inner.context, inner.process, benchmark.label.empty() ? benchmark.name : benchmark.label,
                  settings.share);
    return read_config(*info, inner, false);
  }

  /// A stream for this benchmark, or the single NULL stream of its process.
  std::size_t make_stream(bool null_stream, std::size_t context, std::size_t process, const std::string& name,
                          const Settings& settings) {
    auto& streams = result_.scenario.streams;
    if (null_stream)
      for (std::size_t index = 0; index < streams.size(); ++index)
        if (streams[index].is_null && streams[index].context == context && streams[index].process == process)
          return index;
    std::string unique = null_stream ? std::string() : name;
    for (std::size_t number = 2; !null_stream && !stream_names_.insert(unique).second; ++number)
      unique = fmt::format("{} ({})", name, number);
    Stream& stream = streams.emplace_back();
    stream.name = unique;
    stream.context = context;
    stream.is_null = null_stream;
    stream.process = static_cast<std::uint32_t>(process);
    if (!shares_.empty()) stream.process_sms = shares_[process];
    if (null_stream) return streams.size() - 1;
    stream.priority = settings.priority.value_or(StreamPriority::low);
    stream.mask = settings.mask;
    return streams.size() - 1;
  }

  Error issue(const JsonValue& place, ExaminerBenchmark benchmark, const Settings& settings, const Scope& scope,
              const std::string& name, const std::vector<PluginCall>& calls) {
    std::int64_t iterations = settings.iterations;
    if (options_.iterations > 0 && (iterations == 0 || iterations > options_.iterations))
      iterations = options_.iterations;
    if (iterations == 0 && settings.time.is_zero())
      return error_at(place, "the benchmark has no limit of iterations or time; use --iterations");
    const auto length = static_cast<std::int64_t>(calls.size());
    // Iterations queue in the stream. That is not enough if an iteration waits for more than the one before.
    const bool is_loop = (iterations != 1 || !settings.time.is_zero()) && !calls.empty() &&
                         (!settings.time.is_zero() || scope.sync != nullptr || iterations == 0 ||
                          !(calls.back().operation.release == Instant()));
    const std::int64_t stated = is_loop ? 1 : iterations;
    operations_ += length * std::min(stated, max_examiner_operations + 1);
    if (operations_ > max_examiner_operations)
      return error_at(place,
                      fmt::format("with this benchmark's {} iterations the scenario has more than {} operations; "
                                  "use --iterations",
                                  iterations, max_examiner_operations));
    auto context = scope.context;
    auto process = scope.process;
    if (scope.use_processes) add_process(context, process, name, settings.share);
    benchmark.process = process.value_or(*context);
    benchmark.line = place.line;
    benchmark.column = place.column;
    std::array<std::optional<std::size_t>, 2> streams;
    for (const PluginCall& call : calls) {
      auto& stream = streams[call.null_stream ? 1 : 0];
      if (!stream) stream = make_stream(call.null_stream, *context, process.value_or(0), name, settings);
    }
    for (std::int64_t iteration = 0; iteration < (calls.empty() ? 0 : stated); ++iteration) {
      auto& issued = benchmark.iterations.emplace_back();
      for (const PluginCall& call : calls) {
        StreamOperation operation = call.operation;
        operation.release = benchmark.release + operation.release.since_start();
        operation.stream = *streams[call.null_stream ? 1 : 0];
        issued.push_back(result_.scenario.operations.size());
        result_.scenario.operations.push_back(std::move(operation));
      }
    }
    if (is_loop) {
      benchmark.loop = result_.scenario.loops.size();
      result_.scenario.loops.push_back(
          {benchmark.iterations.front(), benchmark.release, iterations, settings.time, scope.sync != nullptr});
    }
    result_.benchmarks.push_back(std::move(benchmark));
    return std::nullopt;
  }

  /// A figure for a plugin that the configuration does not have is a mistake.
  Error check_options(const JsonValue& root) const {
    const auto check = [&](const auto& values, std::string_view option) -> Error {
      for (const auto& [key, value] : values)
        if (!plugins_.used.contains(key))
          return error_at(
              root, fmt::format("{} {}: no benchmark has such a plugin or label, or needs the value", option, key));
      return std::nullopt;
    };
    if (auto error = check(options_.block_times, "--block-time")) return error;
    return check(options_.blocks, "--blocks");
  }

  const ExaminerOptions& options_;
  bool is_hip_;
  Duration slice_;
  ExaminerScenario result_;
  PluginContext plugins_{result_.scenario.device, options_, is_hip_, result_.remarks, {}};
  bool uses_mps_ = false;
  std::vector<std::int64_t> shares_;  ///< of the processes under MPS: the number of SMs, 0 for all
  std::int64_t operations_ = 0;
  std::vector<const JsonValue*> prioritised_;
  std::set<std::string> log_names_;
  std::set<std::string> stream_names_;
};

/// Comments may be repeated in both tools.
tl::expected<JsonValue, TextError> parse_config(std::string_view json) { return parse_located_json(json, "comment"); }

bool has_key(const JsonValue& root, std::string_view key) {
  const auto* object = std::get_if<JsonObject>(&root.value);
  return object != nullptr && find_member(*object, key) != nullptr;
}

}  // namespace

bool is_examiner_scenario(std::string_view json) {
  const auto parsed = parse_config(json);
  return parsed && (has_key(*parsed, "benchmarks") || has_key(*parsed, "plugins"));
}

tl::expected<ExaminerScenario, TextError> parse_examiner_scenario(std::string_view json, const DeviceProfile* profile,
                                                                  const ExaminerOptions& options) {
  const auto parsed = parse_config(json);
  if (!parsed) return tl::unexpected(parsed.error());
  const bool is_hip = has_key(*parsed, "plugins") && !has_key(*parsed, "benchmarks");
  if (profile == nullptr) profile = find_profile(is_hip ? "radeon-vii" : "tx2");
  return ExaminerReader(*profile, options, is_hip).read(*parsed);
}

void take_iterations(std::vector<ExaminerBenchmark>& benchmarks, const StreamRun& run) {
  for (ExaminerBenchmark& benchmark : benchmarks)
    if (benchmark.loop) benchmark.iterations = run.iterations[*benchmark.loop];
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
