// SPDX-License-Identifier: Apache-2.0
#include "engine/devices/examiner_plugins.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "engine/devices/detail/examiner_values.hpp"
#include "engine/nvidia/sm_mask.hpp"

namespace amalthea::engine::gpu {
namespace {

using namespace examiner;
using Error = std::optional<TextError>;

constexpr std::int64_t default_spin_nanoseconds = 10'000'000;  // of timer_spin without additional_info
constexpr std::int64_t integer_size = 4;                       // the tools count 32-bit integers and floats
constexpr std::int64_t hip_image_width = 1000;                 // of mandelbrot without additional_info
constexpr std::int64_t most_threads = std::int64_t{1} << 20;
constexpr std::int64_t most_bytes = std::int64_t{1} << 50;

/// Width and height of a block of two dimensions.
struct Plane {
  std::int64_t x = 1;
  std::int64_t y = 1;
};

std::int64_t blocks_for(std::int64_t width, std::int64_t per_block) { return (width + per_block - 1) / per_block; }

class PluginReader {
 public:
  PluginReader(const PluginInput& input, PluginContext& context) : in_(input), context_(context) {}

  tl::expected<std::vector<PluginCall>, TextError> read() {
    if (auto error = read_plugin()) return tl::unexpected(*error);
    return std::move(calls_);
  }

 private:
  bool is(std::initializer_list<std::string_view> plugins) const { return is_one_of(in_.plugin, plugins); }

  Error read_plugin() {
    if (is({"cpu_random_walk", "cpu_inorder_walk"})) return remark_idle("it runs on the CPU only");
    if (context_.is_hip && is({"dummy_streams", "dummy_lock_gpu"})) return remark_idle("it launches no kernel");
    if (is({"multikernel", "stream_action", "stream_actions"})) {
      if (auto error = read_counts(in_.benchmark, in_.members, false, threads_, blocks_)) return error;
      const JsonValue& info = in_.info != nullptr ? *in_.info : in_.benchmark;
      Error error = is({"multikernel"})     ? read_kernels(info)
                    : is({"stream_action"}) ? read_actions(info)
                                            : read_matrix_actions(info);
      if (!error && in_.data_size > 0 && !calls_.empty())
        error = add_copies(in_.benchmark, in_.data_size, 1, in_.data_size);
      return error;
    }
    return read_single_kernel();
  }

  /// The plugin issues nothing to the GPU.
  Error remark_idle(std::string_view why) {
    context_.remarks.push_back(error_at(in_.file, fmt::format("{}, so there is nothing to simulate", why)));
    return std::nullopt;
  }

  // ---- plugins with one kernel

  Error read_single_kernel() {
    PluginCall call;
    call.operation.name = in_.name;
    call.null_stream = in_.plugin == "timer_spin_default_stream";
    calls_.push_back(std::move(call));
    if (const JsonObject* object = info_object())
      if (find_member(*object, "duration") != nullptr || find_member(*object, "kernel_duration") != nullptr)
        return read_spin();
    if (is({"matrix_multiply"})) return read_matrix();
    if (is({"mandelbrot"})) return read_mandelbrot();
    if (is({"random_walk", "inorder_walk"})) return read_walk();
    if (is({"counter_spin"})) return read_plain({});
    if (context_.is_hip && is({"vector_add"})) return read_vectors();
    if (context_.is_hip && is({"memory_copy"})) return read_memory_copy();
    if (context_.is_hip && is({"huge_kernels"})) return read_huge_kernel();
    if (context_.is_hip && is({"backprop", "dwt2d", "gaussian", "particlefilter_naive"})) return read_rodinia();
    return read_spin();
  }

  StreamOperation& kernel() {
    return std::find_if(calls_.begin(), calls_.end(),
                        [](const PluginCall& call) { return call.operation.kind == StreamOperationKind::kernel; })
        ->operation;
  }

  const JsonObject* info_object() const {
    return in_.info != nullptr ? std::get_if<JsonObject>(&in_.info->value) : nullptr;
  }
  const JsonValue& info_place() const { return in_.info != nullptr ? *in_.info : in_.file; }

  /// timer_spin and its variants, and plugins that are not known.
  Error read_spin() {
    const bool is_timer = is({"timer_spin", "timer_spin_default_stream"});
    if (auto error = read_grid(true)) return error;
    if (!has_block_time()) {
      if (auto error = read_spin_time(is_timer)) return error;
    }
    if (const JsonObject* object = info_object())
      remark_unknown_keys(*object, {"duration", "kernel_duration", "shared_memory_size"}, context_.remarks);
    if (auto error = finish_kernel(kernel())) return error;
    return in_.data_size > 0 ? add_copies(in_.benchmark, in_.data_size, 1, in_.data_size) : std::nullopt;
  }

  Error read_spin_time(bool is_timer) {
    StreamOperation& spin = kernel();
    const auto* text = in_.info != nullptr ? std::get_if<std::string>(&in_.info->value) : nullptr;
    if (is_timer && (in_.info == nullptr || (text != nullptr && text->empty()))) {
      spin.duration = Duration::nanoseconds(default_spin_nanoseconds);
      return std::nullopt;
    }
    if (info_object() != nullptr) {
      if (auto error = read_stated_time(spin); error || is_timed_) return error;
      if (is_timer || is({"sharedmem_timer_spin"}))
        return error_at(*in_.info, "expected \"duration\" or \"kernel_duration\" in nanoseconds");
      return missing_time();
    }
    if (is_timer) return read_nanoseconds(*in_.info, spin.duration);
    if (!is({"sharedmem_timer_spin"})) return missing_time();
    if (text != nullptr)
      if (const auto comma = text->find(','); comma != std::string::npos) {
        const auto time = parse_integer(std::string_view(*text).substr(0, comma));
        const auto elements = parse_integer(std::string_view(*text).substr(comma + 1));
        if (time && elements && *time >= 0 && *time <= 9'000'000'000'000'000 && *elements >= 0 &&
            *elements <= 1 << 28) {
          spin.duration = Duration::nanoseconds(*time);
          spin.shape.shared_memory = *elements * integer_size;
          return std::nullopt;
        }
      }
    return error_at(info_place(),
                    R"(expected "additional_info" such as "1000000,4096": nanoseconds and 32-bit integers of shared )"
                    R"(memory, or {"duration": 1000000, "shared_memory_size": 4096})");
  }

  /// "duration" or "kernel_duration" in additional_info, which any plugin may have.
  Error read_stated_time(StreamOperation& target) {
    const JsonObject* object = info_object();
    if (object == nullptr) return std::nullopt;
    const JsonValue* duration = find_member(*object, "duration");
    if (duration == nullptr) duration = find_member(*object, "kernel_duration");
    if (duration == nullptr) return std::nullopt;
    is_timed_ = true;
    if (auto error = read_nanoseconds(*duration, target.duration)) return error;
    return read_shared_memory(*object, target);
  }

  /// A kernel whose time is neither in the configuration nor in the profile. `known` are its keys.
  Error read_plain(std::initializer_list<std::string_view> known) {
    if (auto error = read_grid(true)) return error;
    return finish_measured_kernel(known);
  }

  Error finish_measured_kernel(std::initializer_list<std::string_view> known) {
    StreamOperation& target = kernel();
    if (auto error = read_stated_time(target)) return error;
    if (!is_timed_ && !has_block_time() && !take_from_profile(target)) return missing_time();
    if (const JsonObject* object = info_object())
      for (const auto& [key, value] : object->members)
        if (!is_one_of(key, known) && !is_one_of(key, {"comment", "duration", "kernel_duration", "shared_memory_size"}))
          context_.remarks.push_back(error_at(value, "unknown key; it is ignored"));
    return finish_kernel(target);
  }

  /// The profile has measured a kernel of this plugin with the same grid.
  bool take_from_profile(StreamOperation& target) const {
    if (!context_.profile.amd) return false;
    for (const NamedKernel& measured : context_.profile.amd->kernels)
      if (measured.plugin == in_.plugin && measured.blocks == target.blocks &&
          measured.shape.threads == target.shape.threads) {
        target.duration = measured.duration;
        target.cost = measured.cost;
        return true;
      }
    return false;
  }

  TextError missing_time() const {
    return error_at(in_.file, fmt::format("the duration of a block of \"{0}\" is unknown; use --block-time {0}=TIME, "
                                          "such as {0}=2ms",
                                          in_.plugin));
  }

  Error read_matrix() {
    const JsonObject* object = info_object();
    std::int64_t width = 0;
    bool skips_copies = false;
    if (auto error = read_member(object, "matrix_width", 1, 1 << 20, width)) return error;
    if (auto error = read_optional_flag(object, "skip_copy", skips_copies)) return error;
    Plane block;
    if (auto error = read_plane(find_member(in_.members, "thread_count"), block)) return error;
    kernel().shape.threads = block.x * block.y;
    kernel().blocks = blocks_for(width, block.x) * blocks_for(width, block.y);
    if (auto error = take_grid_option()) return error;
    if (auto error = finish_measured_kernel({"matrix_width", "skip_copy"})) return error;
    const std::int64_t bytes = width * width * integer_size;
    return skips_copies ? std::nullopt : add_copies(*in_.info, bytes, 2, bytes);
  }

  /// With blocks of one dimension the tool takes 32 threads.
  Error read_plane(const JsonValue* value, Plane& block) {
    if (value == nullptr) return error_at(in_.benchmark, "\"thread_count\" is missing");
    const auto* array = std::get_if<JsonArray>(&value->value);
    if (array == nullptr || array->elements.size() < 2) {
      context_.remarks.push_back(error_at(*value, "expected two dimensions; 32 threads are taken, as in the tool"));
      block = {32, 1};
      return std::nullopt;
    }
    if (auto error = read_whole(array->elements[0], 1, block.x)) return error;
    if (auto error = read_whole(array->elements[1], 1, block.y)) return error;
    if (block.x > most_threads || block.y > most_threads) return error_at(*value, "expected at most 2^20 threads");
    return std::nullopt;
  }

  /// A square image, one thread per pixel. The tools differ in where its width is.
  Error read_mandelbrot() {
    std::int64_t width = hip_image_width;
    if (!context_.is_hip) {
      width = static_cast<std::int64_t>(std::sqrt(static_cast<double>(in_.data_size)));
    } else if (const JsonObject* object = info_object()) {
      if (const JsonValue* given = find_member(*object, "image_width"))
        if (auto error = read_limited(*given, 1, 1 << 20, width)) return error;
    }
    if (width < 1) return error_at(in_.benchmark, R"(expected "data_size", the number of pixels, from 1)");
    if (auto error = read_threads()) return error;
    kernel().blocks = blocks_for(width * width, kernel().shape.threads);
    if (auto error = take_grid_option()) return error;
    if (auto error = finish_measured_kernel({"image_width", "max_iterations"})) return error;
    return add_copies(in_.benchmark, 0, 0, width * width);
  }

  /// The buffer is copied only once, when the program starts.
  Error read_walk() { return read_plain({"iterations", "buffer_size"}); }

  Error read_vectors() {
    const JsonObject* object = info_object();
    std::int64_t length = 0;
    bool skips_copies = false;
    if (auto error = read_member(object, "vector_length", 1, most_bytes / integer_size, length)) return error;
    if (auto error = read_optional_flag(object, "skip_copy", skips_copies)) return error;
    if (auto error = read_threads()) return error;
    kernel().blocks = std::max<std::int64_t>(1, length / kernel().shape.threads);  // as in the tool
    if (auto error = take_grid_option()) return error;
    if (auto error = finish_measured_kernel({"vector_length", "skip_copy"})) return error;
    return skips_copies ? std::nullopt : add_copies(*in_.info, length * integer_size, 2, length * integer_size);
  }

  Error read_memory_copy() {
    const JsonObject* object = info_object();
    std::int64_t bytes = 0;
    std::int64_t parts = 1;
    if (auto error = read_member(object, "buffer_size", 1, most_bytes, bytes)) return error;
    if (auto error = read_member(object, "copy_subdivisions", 1, 1 << 20, parts)) return error;
    if (auto error = read_plain({"buffer_size", "copy_subdivisions", "sync_every_copy"})) return error;
    return add_copies(*in_.info, blocks_for(bytes, parts), parts, 0);
  }

  Error read_huge_kernel() {
    if (auto error = read_plain({"repetitions", "kernel_selection"})) return error;
    const std::int64_t bytes = kernel().blocks * kernel().shape.threads * integer_size;
    if (auto error = add_copies(in_.benchmark, bytes, 1, bytes)) return error;
    calls_.front().operation.kind = StreamOperationKind::memset;
    return std::nullopt;
  }

  /// The configured grid has no effect; the program's own depends on its input.
  Error read_rodinia() {
    if (const PluginBlocks* given = option(context_.options.blocks); given == nullptr || given->threads == 0)
      return error_at(in_.file, fmt::format("the grid of \"{0}\" is not part of the configuration; use --blocks "
                                            "{0}=BLOCKSxTHREADS, and --block-time {0}=TIME",
                                            in_.plugin));
    if (auto error = take_grid_option()) return error;
    return finish_measured_kernel({});
  }

  // ---- grids, times, copies

  /// The value of an option for this plugin or this label; null if there is none.
  template <typename Value>
  const Value* option(const std::map<std::string, Value>& values) {
    for (const std::string& key : {in_.label, in_.plugin}) {
      const auto found = values.find(key);
      if (found == values.end()) continue;
      context_.used.insert(key);
      return &found->second;
    }
    return nullptr;
  }

  bool has_block_time() { return option(context_.options.block_times) != nullptr; }

  Error read_threads() {
    const JsonValue* threads = find_member(in_.members, "thread_count");
    if (threads == nullptr) return error_at(in_.benchmark, "\"thread_count\" is missing");
    return read_dimensions(*threads, most_threads, kernel().shape.threads);
  }

  /// "thread_count" and "block_count" of the benchmark, unless an option replaces them.
  Error read_grid(bool needed) {
    StreamOperation& target = kernel();
    const PluginBlocks* given = option(context_.options.blocks);
    target.shape.threads = 0;
    target.blocks = 0;
    if (auto error = read_counts(in_.benchmark, in_.members, needed && (given == nullptr || given->threads == 0),
                                 target.shape.threads, target.blocks))
      return error;
    return take_grid_option();
  }

  Error take_grid_option() {
    const PluginBlocks* given = option(context_.options.blocks);
    if (given == nullptr) return std::nullopt;
    kernel().blocks = given->blocks;
    if (given->threads > 0) kernel().shape.threads = given->threads;
    return std::nullopt;
  }

  static Error read_counts(const JsonValue& place, const JsonObject& object, bool needed, std::int64_t& threads,
                           std::int64_t& blocks) {
    struct Count {
      std::string_view key;
      std::int64_t most;
      std::int64_t* target;
    };
    const std::array<Count, 2> counts = {
        {{"thread_count", most_threads, &threads}, {"block_count", max_simulated_blocks, &blocks}}};
    for (const Count& count : counts) {
      const JsonValue* given = find_member(object, count.key);
      if (given == nullptr) {
        if (needed && *count.target < 1) return error_at(place, fmt::format("\"{}\" is missing", count.key));
      } else if (needed || whole_number(*given) != 0) {
        if (auto error = read_dimensions(*given, count.most, *count.target)) return error;
      }
    }
    return std::nullopt;
  }

  /// Takes the time from the options, and checks whether an SM can hold a block.
  Error finish_kernel(StreamOperation& target) {
    if (const Duration* given = option(context_.options.block_times)) target.duration = *given;
    if (context_.profile.amd) target.release = target.release + context_.profile.amd->launch_overhead;
    return check_shape(in_.members, in_.benchmark, target);
  }

  Error check_shape(const JsonObject& object, const JsonValue& place, const StreamOperation& target) const {
    if (target.blocks > max_simulated_blocks)
      return error_at(place, fmt::format("expected at most {} blocks", max_simulated_blocks));
    const auto use = use_of_block(*context_.profile.multiprocessors, target.shape);
    if (use) return std::nullopt;
    const JsonValue* threads = find_member(object, "thread_count");
    return error_at(threads != nullptr ? *threads : place, use.error());
  }

  tl::expected<Duration, TextError> copy_time(const JsonValue& place, std::int64_t bytes) const {
    if (bytes == 0) return Duration();
    const std::int64_t rate = context_.options.copy_bytes_per_second.value_or(context_.profile.copy_bytes_per_second);
    if (rate == 0)
      return tl::unexpected(error_at(
          place, fmt::format("the copy rate of \"{}\" is unknown, and \"{}\" copies {} bytes; use --copy-rate, in GB/s",
                             context_.profile.name, in_.name, bytes)));
    return scale(Duration::seconds(1), bytes, rate, Rounding::up);
  }

  /// `parts` copies of `bytes_in` each before the first call, and one of `bytes_out` after the last.
  Error add_copies(const JsonValue& place, std::int64_t bytes_in, std::int64_t parts, std::int64_t bytes_out) {
    PluginCall copy;
    copy.null_stream = calls_.front().null_stream;
    if (bytes_out > 0) {
      const auto time = copy_time(place, bytes_out);
      if (!time) return time.error();
      copy.operation.duration = *time;
      copy.operation.kind = StreamOperationKind::device_to_host;
      copy.operation.name = fmt::format("{} out", in_.name);
      copy.operation.release = calls_.back().operation.release;
      calls_.push_back(copy);
    }
    if (bytes_in == 0) return std::nullopt;
    const auto time = copy_time(place, bytes_in);
    if (!time) return time.error();
    copy.operation.duration = *time;
    copy.operation.kind = StreamOperationKind::host_to_device;
    copy.operation.name = fmt::format("{} in", in_.name);
    copy.operation.release = Instant();
    calls_.insert(calls_.begin(), static_cast<std::size_t>(parts), copy);
    return std::nullopt;
  }

  static Error read_limited(const JsonValue& value, std::int64_t least, std::int64_t most, std::int64_t& target) {
    const auto number = whole_number(value);
    if (!number || *number < least || *number > most)
      return error_at(value, fmt::format("expected a whole number from {} to {}", least, most));
    target = *number;
    return std::nullopt;
  }

  Error read_member(const JsonObject* object, std::string_view key, std::int64_t least, std::int64_t most,
                    std::int64_t& target) {
    const JsonValue* value = object != nullptr ? find_member(*object, key) : nullptr;
    if (value == nullptr)
      return error_at(info_place(), fmt::format("expected \"additional_info\", an object with \"{}\"", key));
    return read_limited(*value, least, most, target);
  }

  static Error read_optional_flag(const JsonObject* object, std::string_view key, bool& target) {
    const JsonValue* value = object != nullptr ? find_member(*object, key) : nullptr;
    return value != nullptr ? read_flag(*value, target) : std::nullopt;
  }

  static Error read_shared_memory(const JsonObject& object, StreamOperation& target) {
    const JsonValue* size = find_member(object, "shared_memory_size");
    if (size == nullptr) return std::nullopt;
    std::int64_t elements = 0;
    if (auto error = read_whole(*size, 0, elements)) return error;
    if (elements > 1 << 28) return error_at(*size, "expected at most 2^28 integers of 32 bits");
    target.shape.shared_memory = elements * integer_size;
    return std::nullopt;
  }

  // ---- plugins with lists of kernels and copies

  /// "duration", "block_count", "thread_count", "shared_memory_size" of one kernel in a list; missing counts are those
  /// of the benchmark.
  Error read_listed_kernel(const JsonValue& place, const JsonObject& object, StreamOperation& target) {
    if (const Duration* given = option(context_.options.block_times)) {
      target.duration = *given;
    } else {
      const JsonValue* duration = find_member(object, "duration");
      if (duration == nullptr) return error_at(place, "\"duration\" is missing");
      if (auto error = read_nanoseconds(*duration, target.duration)) return error;
    }
    if (auto error = read_counts(place, object, true, target.shape.threads, target.blocks)) return error;
    if (const JsonValue* mask = find_member(object, "sm_mask")) {
      std::string text;
      if (auto error = read_text(*mask, text)) return error;
      auto sms = nvidia::parse_tpc_mask(text, *context_.profile.multiprocessors);
      if (!sms) return error_at(*mask, sms.error());
      target.mask = std::move(*sms);
    }
    if (auto error = read_shared_memory(object, target)) return error;
    return check_shape(object, place, target);
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

  /// multikernel: several kernels in one stream with their copies, issued without waiting.
  Error read_kernels(const JsonValue& info) {
    const auto* array = std::get_if<JsonArray>(&info.value);
    if (array == nullptr || array->elements.empty())
      return error_at(info, "expected \"additional_info\", an array of kernels that is not empty");
    Instant at;
    for (const JsonValue& element : array->elements) {
      const auto* object = std::get_if<JsonObject>(&element.value);
      if (object == nullptr) return error_at(element, "expected an object with \"duration\"");
      PluginCall call;
      call.operation.blocks = 0;
      call.operation.shape.threads = 0;
      const JsonValue* label = find_member(*object, "kernel_label");
      if (label == nullptr) return error_at(element, "\"kernel_label\" is missing");
      if (auto error = read_text(*label, call.operation.name)) return error;
      if (auto error = read_listed_kernel(element, *object, call.operation)) return error;
      if (auto error = read_delay(*object, at)) return error;
      call.operation.release = at;
      remark_unknown_keys(*object,
                          {"kernel_label", "duration", "block_count", "thread_count", "shared_memory_size", "delay",
                           "sm_mask", "copy_in_count", "copy_out_count"},
                          context_.remarks);
      if (auto error = add_copy_of_kernel(*object, "copy_in_count", call.operation, "in")) return error;
      calls_.push_back(call);
      if (auto error = add_copy_of_kernel(*object, "copy_out_count", call.operation, "out")) return error;
    }
    return std::nullopt;
  }

  /// A copy of so many 32-bit integers for the kernel, in the same stream.
  Error add_copy_of_kernel(const JsonObject& object, std::string_view key, const StreamOperation& of,
                           std::string_view direction) {
    const JsonValue* count = find_member(object, key);
    std::int64_t integers = 0;
    if (count == nullptr) return std::nullopt;
    if (auto error = read_limited(*count, 0, most_bytes / integer_size, integers)) return error;
    if (integers == 0) return std::nullopt;
    const auto time = copy_time(*count, integers * integer_size);
    if (!time) return time.error();
    PluginCall copy;
    copy.operation.name = fmt::format("{} {}", of.name, direction);
    copy.operation.kind = direction == "in" ? StreamOperationKind::host_to_device : StreamOperationKind::device_to_host;
    copy.operation.release = of.release;
    copy.operation.duration = *time;
    calls_.push_back(std::move(copy));
    return std::nullopt;
  }

  Error read_actions(const JsonValue& info) {
    const auto* object = std::get_if<JsonObject>(&info.value);
    const JsonValue* actions = object != nullptr ? find_member(*object, "actions") : nullptr;
    const auto* array = actions != nullptr ? std::get_if<JsonArray>(&actions->value) : nullptr;
    if (array == nullptr || array->elements.empty())
      return error_at(info, "expected \"additional_info\", an object with \"actions\" that are not empty");
    bool null_stream = false;
    if (auto error = read_optional_flag(object, "use_null_stream", null_stream)) return error;
    remark_unknown_keys(*object, {"actions", "use_null_stream"}, context_.remarks);
    Instant at;
    for (const JsonValue& element : array->elements) {
      const auto* action = std::get_if<JsonObject>(&element.value);
      const JsonValue* type = action != nullptr ? find_member(*action, "type") : nullptr;
      std::string name;
      if (type == nullptr) return error_at(element, "expected an object with \"type\"");
      if (auto error = read_text(*type, name)) return error;
      if (auto error = read_delay(*action, at)) return error;
      remark_unknown_keys(*action, {"type", "label", "delay", "parameters"}, context_.remarks);
      if (is_one_of(name, {"malloc", "free", "synchronize"})) {
        context_.remarks.push_back(error_at(*type, "takes no time and delays nothing in this simulation"));
        continue;
      }
      PluginCall call;
      call.operation.name = name;
      call.operation.release = at;
      call.operation.blocks = blocks_;
      call.operation.shape.threads = threads_;
      call.null_stream = null_stream;
      if (const JsonValue* label = find_member(*action, "label"))
        if (auto error = read_text(*label, call.operation.name)) return error;
      const JsonValue* parameters = find_member(*action, "parameters");
      const auto* members = parameters != nullptr ? std::get_if<JsonObject>(&parameters->value) : nullptr;
      if (members == nullptr) return error_at(element, "expected \"parameters\", an object");
      const Error error = name == "kernel" ? read_kernel_action(*parameters, *members, call.operation)
                                           : read_copy_action(*type, name, *parameters, *members, call);
      if (error) return error;
      calls_.push_back(std::move(call));
    }
    return std::nullopt;
  }

  Error read_kernel_action(const JsonValue& parameters, const JsonObject& members, StreamOperation& target) {
    std::string spin = "timer_spin";
    remark_unknown_keys(members, {"type", "duration", "block_count", "thread_count", "shared_memory_size", "sm_mask"},
                        context_.remarks);
    if (const JsonValue* type = find_member(members, "type")) {
      if (auto error = read_text(*type, spin)) return error;
      // The "duration" of a counter_spin is a number of loop iterations.
      if (spin != "timer_spin" && !has_block_time())
        return error_at(*type, fmt::format("the duration of a block of \"{}\" is unknown; use --block-time {}=TIME",
                                           spin, in_.plugin));
    }
    return read_listed_kernel(parameters, members, target);
  }

  Error read_copy_action(const JsonValue& type, const std::string& name, const JsonValue& parameters,
                         const JsonObject& members, PluginCall& call) {
    if (name != "memset" && name != "memcpy")
      return error_at(type, "expected kernel, memset, memcpy, malloc, free or synchronize");
    remark_unknown_keys(members, {"async", "size", "direction"}, context_.remarks);
    const JsonValue* size = find_member(members, "size");
    if (size == nullptr) return error_at(parameters, "\"size\" is missing");
    std::int64_t bytes = 0;
    if (auto error = read_whole(*size, 0, bytes)) return error;
    const auto time = copy_time(*size, bytes);
    if (!time) return time.error();
    call.operation.duration = *time;
    call.operation.kind = StreamOperationKind::memset;
    if (name == "memcpy") {
      const JsonValue* direction = find_member(members, "direction");
      std::string text;
      if (direction != nullptr)
        if (auto error = read_text(*direction, text)) return error;
      if (!is_one_of(text, {"hostToDevice", "deviceToHost", "deviceToDevice"}))
        return error_at(direction != nullptr ? *direction : parameters,
                        R"(expected "direction": "hostToDevice", "deviceToHost" or "deviceToDevice")");
      if (text == "deviceToDevice")
        context_.remarks.push_back(
            error_at(*direction, "a copy within the device is simulated like one from the host"));
      call.operation.kind =
          text == "deviceToHost" ? StreamOperationKind::device_to_host : StreamOperationKind::host_to_device;
    }
    bool is_async = true;
    if (auto error = read_optional_flag(&members, "async", is_async)) return error;
    if (!is_async) call.null_stream = true;
    return std::nullopt;
  }

  /// stream_actions of hip_plugin_framework: multiplications of matrices, and copies.
  Error read_matrix_actions(const JsonValue& info) {
    const auto* array = std::get_if<JsonArray>(&info.value);
    if (array == nullptr || array->elements.empty())
      return error_at(info, "expected \"additional_info\", an array of actions that is not empty");
    std::size_t kernels = 0;
    for (const JsonValue& element : array->elements) {
      const auto* action = std::get_if<JsonObject>(&element.value);
      const JsonValue* type = action != nullptr ? find_member(*action, "action") : nullptr;
      std::string name;
      if (type == nullptr) return error_at(element, "expected an object with \"action\"");
      if (auto error = read_text(*type, name)) return error;
      remark_unknown_keys(*action, {"action", "matrix_width", "block_dims", "size"}, context_.remarks);
      PluginCall call;
      if (name == "synchronize") {
        context_.remarks.push_back(error_at(*type, "takes no time and delays nothing in this simulation"));
        continue;
      }
      if (name == "kernel") {
        call.operation.name = fmt::format("{} #{}", in_.name, kernels++);
        if (auto error = read_matrix_action(element, *action, call.operation)) return error;
      } else if (name == "copy_in" || name == "copy_out") {
        const JsonValue* size = find_member(*action, "size");
        if (size == nullptr) return error_at(element, "\"size\" is missing");
        std::int64_t bytes = 0;
        if (auto error = read_limited(*size, 0, most_bytes, bytes)) return error;
        const auto time = copy_time(*size, bytes);
        if (!time) return time.error();
        call.operation.name = name;
        call.operation.duration = *time;
        call.operation.kind =
            name == "copy_in" ? StreamOperationKind::host_to_device : StreamOperationKind::device_to_host;
      } else {
        return error_at(*type, "expected kernel, copy_in, copy_out or synchronize");
      }
      calls_.push_back(std::move(call));
    }
    return std::nullopt;
  }

  Error read_matrix_action(const JsonValue& place, const JsonObject& action, StreamOperation& target) {
    const JsonValue* width = find_member(action, "matrix_width");
    const JsonValue* dimensions = find_member(action, "block_dims");
    if (width == nullptr || dimensions == nullptr)
      return error_at(place, R"(expected "matrix_width" and "block_dims")");
    std::int64_t columns = 0;
    if (auto error = read_limited(*width, 1, 1 << 20, columns)) return error;
    Plane block;
    if (auto error = read_plane(dimensions, block)) return error;
    target.shape.threads = block.x * block.y;
    target.blocks = blocks_for(columns, block.x) * blocks_for(columns, block.y);
    const Duration* given = option(context_.options.block_times);
    if (given == nullptr) return missing_time();
    target.duration = *given;
    if (context_.profile.amd) target.release = target.release + context_.profile.amd->launch_overhead;
    return check_shape(action, place, target);
  }

  const PluginInput& in_;
  PluginContext& context_;
  std::vector<PluginCall> calls_;
  std::int64_t threads_ = 0;  ///< of the benchmark, for kernels of lists
  std::int64_t blocks_ = 0;
  bool is_timed_ = false;  ///< the configuration states the time of a block
};

}  // namespace

bool is_task_host(const std::string& plugin) { return plugin == "task_host"; }

tl::expected<std::vector<PluginCall>, TextError> calls_of_plugin(const PluginInput& input, PluginContext& context) {
  return PluginReader(input, context).read();
}

}  // namespace amalthea::engine::gpu
