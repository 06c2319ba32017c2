// SPDX-License-Identifier: Apache-2.0
#include "engine/devices/stream_scenario.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <deque>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/core.h>
#include <fmt/format.h>

#include "engine/amd/device_settings.hpp"
#include "engine/gpu/profile_settings.hpp"
#include "engine/nvidia/block_time.hpp"
#include "engine/nvidia/sm_mask.hpp"
#include "engine/nvidia/sm_warps.hpp"

namespace amalthea::engine::gpu {
namespace {

using Error = std::optional<TextError>;

/// Maximum number of operations, including all releases.
constexpr std::size_t max_operations = 1'000'000;

/// "a, b, c".
std::string listed(std::initializer_list<std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) text += fmt::format("{}{}", text.empty() ? "" : ", ", name);
  return text;
}

/// A context, and under MPS the name of the process within it.
struct Place {
  std::size_t context = 0;
  std::string process = {};
  friend auto operator<=>(const Place&, const Place&) = default;
};

/// A process under MPS.
struct Process {
  std::uint32_t index = 0;  ///< in the shared context
  std::int64_t sms = 0;     ///< 0: all
  double share = 0;         ///< the same in percent
};

/// An error if the key is there in both of its forms.
Error given_twice(const JsonValue& value, const JsonObject& object, std::string_view key) {
  if (find_member(object, key) == nullptr || find_member(object, fmt::format("{}_ps", key)) == nullptr)
    return std::nullopt;
  return error_at(value, fmt::format("give either \"{0}\" or \"{0}_ps\", not both", key));
}

/// An operation as written: with a period it stands for many.
struct WrittenOperation {
  StreamOperation operation;
  WrittenCall call;
  /// What each warp of a kernel executes.
  std::optional<nvidia::BlockInstructions> instructions = {};
  const JsonValue* value = nullptr;
};

/// The repetition time of everything periodic, after the last release of all operations.
class Repetition {
 public:
  void add(const WrittenOperation& written) {
    last_ = std::max(last_, written.operation.release.since_start());
    const std::int64_t period = written.call.period.picoseconds();
    if (period == 0 || overflows_) return;
    overflows_ = __builtin_mul_overflow(hyperperiod_ / std::gcd(hyperperiod_, period), period, &hyperperiod_);
  }
  /// Nothing if it is later than 2^63 ps.
  std::optional<Duration> end() const {
    std::int64_t end = 0;
    if (overflows_ || __builtin_add_overflow(last_.picoseconds(), hyperperiod_, &end)) return std::nullopt;
    return Duration::picoseconds(end);
  }

 private:
  Duration last_;
  std::int64_t hyperperiod_ = 1;
  bool overflows_ = false;
};

/// Reads what one GPU has to do.
class ScenarioReader {
 public:
  /// `is_named`: it is an element of "gpus".
  ScenarioReader(const DeviceProfile* profile, bool is_named) : has_profile_(profile != nullptr), is_named_(is_named) {
    device_ = profile != nullptr ? *profile : *find_profile("tx2");
  }
  // `device_` refers to a part of itself.
  ScenarioReader(const ScenarioReader&) = delete;
  ScenarioReader& operator=(const ScenarioReader&) = delete;

  /// All but the releases.
  Error read(const JsonValue& root) {
    const auto* object = std::get_if<JsonObject>(&root.value);
    if (object == nullptr) return error_at(root, R"(expected an object with "operations")");
    // Definitions are read before their references, at any position.
    static constexpr std::string_view order[] = {"platform", "amd", "contexts", "streams", "operations"};
    for (const std::string_view key : order)
      if (const JsonValue* value = find_member(*object, key))
        if (auto error = read_main(key, *value)) return error;
    for (const auto& [key, value] : object->members)
      if (std::find(std::begin(order), std::end(order), key) == std::end(order))
        if (auto error = read_setting(key, value)) return error;
    if (find_member(*object, "operations") == nullptr) return error_at(root, "\"operations\" is missing");
    if (stated_slices_ == scenario_.contexts.size()) is_stated(device_, "time_slice_us");
    for (const std::string_view key : {"until", "cycle"})
      if (auto error = given_twice(root, *object, key)) return error;
    return read_warps(root);
  }

  const std::string& name() const { return name_; }
  const std::optional<Duration>& until() const { return until_; }
  void repeat(Repetition& all) const {
    for (const WrittenOperation& written : written_) all.add(written);
  }

  /// Adds it to the scenario of all GPUs. Operations with a period are released repeatedly before `until`; `blocks`
  /// counts those of all GPUs.
  Error release_all(Duration until, std::int64_t& blocks, StreamScenario& whole, std::vector<WrittenCall>* calls) {
    const std::size_t first_context = whole.contexts.size(), first_stream = whole.streams.size();
    for (Context& context : scenario_.contexts) {
      context.gpu = whole.gpus.size();
      whole.contexts.push_back(std::move(context));
    }
    for (Stream& stream : scenario_.streams) {
      stream.context += first_context;
      whole.streams.push_back(std::move(stream));
    }
    for (const WrittenOperation& written : written_) {
      StreamOperation operation = written.operation;
      operation.stream += first_stream;
      if (calls != nullptr) calls->emplace_back(written.call).operation = whole.operations.size();
      for (;;) {
        if (whole.operations.size() == max_operations)
          return error_at(*written.value, fmt::format("more than {} releases in all; give \"until\"", max_operations));
        if (operation.kind == StreamOperationKind::kernel) {
          if (operation.blocks > max_simulated_blocks - blocks)
            return error_at(*written.value, fmt::format("more than {} blocks in all", max_simulated_blocks));
          blocks += operation.blocks;
        }
        whole.operations.push_back(operation);
        if (written.call.period.is_zero() || until - operation.release.since_start() <= written.call.period) break;
        operation.release = operation.release + written.call.period;
      }
    }
    if (is_named_) {
      whole.gpus.push_back({name_, std::move(device_), scenario_.by_urgency});
    } else {
      whole.device = std::move(device_);
      whole.by_urgency = scenario_.by_urgency;
    }
    return std::nullopt;
  }

 private:
  Error read_main(std::string_view key, const JsonValue& value) {
    if (key == "platform") return read_platform(value);
    if (key == "amd") return read_settings(key, R"({"shader_engines": 4})", value);
    if (key == "contexts") return read_list(value, &ScenarioReader::read_context);
    if (key == "streams") return read_list(value, &ScenarioReader::read_stream);
    return read_list(value, &ScenarioReader::read_operation);
  }

  Error read_setting(const std::string& key, const JsonValue& value) {
    if (const ProfileSetting* setting = find_setting(key, "")) return replace(*setting, value);
    if (key == "context_scheduling") {
      std::string order;
      if (auto error = read_text(value, order)) return error;
      if (order != "timeslice" && order != "priority") return error_at(value, R"(expected "timeslice" or "priority")");
      if (device_.amd) return error_at(value, "contexts of an AMD GPU run concurrently");
      scenario_.by_urgency = order == "priority";
      return std::nullopt;
    }
    if (key == "context_switch_ps")
      return replaced("context_switch_us", read_time(value, true, device_.context_switch));
    if (key == "stream_preemption_ps")
      return replaced("stream_preemption_us", read_time(value, true, device_.stream_preemption));
    if (key == "interference") return read_settings(key, R"({"kernel_by_memset": 8})", value);
    if (key == "cycle" || key == "cycle_ps") {
      auto error = read_time(value, key == "cycle_ps", cycle_);
      if (!error && cycle_.is_zero()) error = error_at(value, "a cycle must be longer than zero");
      return error;
    }
    if (key == "warp_policy") return read_named(value, nvidia::warp_policies(), policy_);
    if (key == "warp_pipelines") return read_named(value, nvidia::warp_pipelines(), pipelines_);
    std::string ignored;
    if (is_named_ && key == "name") return read_text(value, name_);
    if (key == "description") return read_text(value, ignored);
    if (!is_named_ && key == "$schema") return read_text(value, ignored);
    if (!is_named_ && (key == "until" || key == "until_ps"))
      return read_time(value, key == "until_ps", until_.emplace());
    return error_at(
        value, fmt::format("unknown key; {}, {}, description", is_named_ ? "a GPU has name" : "expected gpus, until",
                           listed({"platform", "amd", "copy_engines", "contexts", "preemption", "context_switch",
                                   "stream_preemption", "context_scheduling", "interference", "cpu_traffic", "streams",
                                   "operations", "cycle", "warp_policy", "warp_pipelines"})));
  }

  /// An element of a table, by its name.
  template <typename Entry>
  Error read_named(const JsonValue& value, const std::vector<Entry>& known, const Entry*& chosen) {
    std::string name, names;
    if (auto error = read_text(value, name)) return error;
    for (const Entry& entry : known) {
      if (entry.name == name) {
        chosen = &entry;
        return std::nullopt;
      }
      names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", entry.name);
    }
    return error_at(value, fmt::format("expected one of {}", names));
  }

  Error read_list(const JsonValue& value, Error (ScenarioReader::*read_element)(const JsonValue&)) {
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
      return error_at(value, "not a built-in profile with SM limits; use --platform for a profile from a file");
    if (!has_profile_) device_ = *profile;
    return std::nullopt;
  }

  /// For an AMD GPU.
  amd::Layout layout() const { return amd::device_settings(device_).layout(); }

  Error read_cu_mask(const JsonValue& value, std::optional<CuMask>& target) {
    std::string text;
    if (auto error = read_text(value, text)) return error;
    auto mask = amd::parse_cu_mask(text, layout());
    if (!mask) return error_at(value, mask.error());
    target = std::move(*mask);
    return std::nullopt;
  }

  Error read_hsa_queue(const JsonValue& value, std::optional<std::int64_t>& queue) {
    return read_limited(value, 0, device_.amd->pool_queues - 1, queue.emplace());
  }

  /// The keys of a stream on an AMD GPU; returns whether `key` is one of them.
  bool read_stream_on_amd(const std::string& key, const JsonValue& value, StreamSettings& settings, Error& error) {
    if (!device_.amd) return false;
    if (key == "cu_mask") {
      error = read_cu_mask(value, settings.mask);
      return true;
    }
    if (key == "hsa_queue") {
      error = read_hsa_queue(value, settings.queue);
      return true;
    }
    if (key == "ace") {
      error = read_limited(value, 0, device_.amd->aces - 1, settings.on_ace.emplace());
      return true;
    }
    return false;
  }

  /// The cost of a kernel on an AMD GPU; returns whether `key` is part of it.
  bool read_cost(const std::string& key, const JsonValue& value, KernelCost& cost, Error& error) {
    if (!device_.amd) return false;
    if (key == "like") return true;  // already read
    if (key == "full_speed_threads") {
      error = read_limited(value, 0, 1 << 20, cost.full_speed_threads);
      return true;
    }
    if (key == "weight") {
      double weight = 1;
      error = read_real(value, 0.001, 1000, weight);
      cost.weight_ppm = std::llround(weight * 1e6);
      return true;
    }
    if (key == "dispatch" || key == "dispatch_ps") {
      error = read_time(value, key == "dispatch_ps", cost.dispatch);
      cost.dispatch_beside = cost.dispatch;
      return true;
    }
    return false;
  }

  /// "like" names a kernel of the profile, whose launch and cost are the defaults.
  Error read_like(const JsonValue& value, StreamOperation& operation) {
    std::string name;
    if (auto error = read_text(value, name)) return error;
    const NamedKernel* kernel = find_kernel(device_, name);
    if (kernel == nullptr) return error_at(value, "the platform has no such kernel");
    operation.blocks = kernel->blocks;
    operation.shape = kernel->shape;
    operation.duration = kernel->duration;
    operation.cost = kernel->cost;
    return std::nullopt;
  }

  /// Settings of the profile that stand in an object of this name.
  Error read_settings(std::string_view name, std::string_view example, const JsonValue& value) {
    const auto* object = std::get_if<JsonObject>(&value.value);
    if (object == nullptr) return error_at(value, fmt::format("expected an object such as {}", example));
    if (name == "amd" && !device_.amd) return error_at(value, "the platform is not an AMD GPU");
    for (const JsonMember& written : object->members) {
      const ProfileSetting* setting = find_setting(written.key, name);
      if (setting == nullptr) {
        std::vector<std::string_view> keys;
        for (const ProfileSetting& known : profile_settings())
          if (known.object == name) keys.push_back(known.key);
        return error_at(written.value, fmt::format("unknown key; expected {}", fmt::join(keys, ", ")));
      }
      if (auto error = replace(*setting, written.value)) return error;
    }
    return std::nullopt;
  }

  /// A figure of the profile.
  Error replace(const ProfileSetting& setting, const JsonValue& value) {
    return replaced(setting.figure, setting.read(value, device_));
  }
  Error replaced(std::string_view figure, Error error) {
    if (!error) is_stated(device_, figure);
    return error;
  }

  std::size_t context_named(const std::string& name) {
    const auto [at, is_new] = contexts_.emplace(name, scenario_.contexts.size());
    if (is_new) scenario_.contexts.push_back({name, device_.time_slice, ContextPriority::medium});
    return at->second;
  }

  Error read_context(const JsonValue& value) {
    const auto* object = std::get_if<JsonObject>(&value.value);
    if (object == nullptr) return error_at(value, R"(expected an object such as {"name": "A", "timeslice": "2ms"})");
    Context context;
    std::optional<double> share;
    std::optional<CuMask> mask;
    context.slice = device_.time_slice;
    if (find_member(*object, "timeslice") != nullptr && find_member(*object, "timeslice_ps") != nullptr)
      return error_at(value, "give either \"timeslice\" or \"timeslice_ps\", not both");
    for (const auto& [key, member] : object->members) {
      Error error;
      if (key == "name") {
        error = read_text(member, context.name);
      } else if (key == "priority") {
        error = read_choice(member, {ContextPriority::high, ContextPriority::medium, ContextPriority::low},
                            context.priority);
      } else if (key == "timeslice" || key == "timeslice_ps") {
        error = read_time(member, key == "timeslice_ps", context.slice);
        if (!error && context.slice.is_zero()) error = error_at(member, "a time slice must be above zero");
      } else if (key == "urgency") {
        error = read_number(member, std::numeric_limits<std::int64_t>::min(), context.urgency);
      } else if (key == "mps_share" && !device_.amd) {
        error = read_real(member, 0, 100, share.emplace());
        if (!error && *share <= 0) error = error_at(member, "expected a number above 0, up to 100");
      } else if (key == "cu_mask" && device_.amd) {
        error = read_cu_mask(member, mask);
      } else {
        error = error_at(member, device_.amd ? "unknown key; a context has name, priority, timeslice, urgency, cu_mask"
                                             : "unknown key; a context has name, priority, timeslice, urgency, "
                                               "mps_share");
      }
      if (error) return error;
    }
    if (context.name.empty()) return error_at(value, "a context needs a non-empty \"name\"");
    if (contexts_.count(context.name) > 0)
      return error_at(value, fmt::format("two contexts are named \"{}\"", context.name));
    if (share) return add_process(value, context.name, *share);
    if (find_member(*object, "timeslice") != nullptr || find_member(*object, "timeslice_ps") != nullptr)
      ++stated_slices_;
    const std::size_t index = context_named(context.name);
    scenario_.contexts[index] = context;
    if (mask) masks_.emplace(index, std::move(*mask));
    return std::nullopt;
  }

  /// A process under MPS, which shares the context "MPS" with the others.
  Error add_process(const JsonValue& value, const std::string& name, double share) {
    static const std::string shared = "MPS";
    if (name == shared) return error_at(value, "\"MPS\" is the context that all processes under MPS share");
    if (processes_.empty() && contexts_.count(shared) > 0)
      return error_at(value, "two contexts are named \"MPS\", that of the processes under MPS and another one");
    const std::size_t context = context_named(shared);
    contexts_.emplace(name, context);
    processes_.emplace(name, Process{static_cast<std::uint32_t>(processes_.size()),
                                     share < 100 ? nvidia::sms_of_share(scenario_.limits(), share) : 0, share});
    return std::nullopt;
  }

  /// The context named by "context", which must be one of "contexts"; without the key the first.
  Error read_context_name(const JsonObject& object, Place& place) {
    const JsonValue* value = find_member(object, "context");
    if (value == nullptr) {
      if (scenario_.contexts.empty()) context_named("");
      place = {};
      if (!processes_.empty())
        for (const auto& [name, process] : processes_)
          if (process.index == 0 && contexts_.at(name) == 0) place.process = name;
      return std::nullopt;
    }
    std::string name;
    if (auto error = read_text(*value, name)) return error;
    const auto known = contexts_.find(name);
    if (known == contexts_.end()) return error_at(*value, fmt::format("\"contexts\" has no context \"{}\"", name));
    place = {known->second, processes_.contains(name) ? name : std::string()};
    return std::nullopt;
  }

  std::size_t stream_named(const Place& place, const std::string& name) {
    const auto [at, is_new] = streams_.emplace(std::pair(place, name), scenario_.streams.size());
    if (is_new) {
      Stream& stream = scenario_.streams.emplace_back();
      stream.name = place.process.empty() || name.empty() ? name : fmt::format("{}/{}", place.process, name);
      stream.is_null = name.empty();
      stream.context = place.context;
      set_process(place, stream);
      set_mask(place, stream);
    }
    return at->second;
  }

  /// A mask of the process is one of each of its streams that has none of its own.
  void set_mask(const Place& place, StreamSettings& settings) const {
    if (const auto mask = masks_.find(place.context); mask != masks_.end() && !settings.mask)
      settings.mask = mask->second;
  }

  void set_process(const Place& place, StreamSettings& settings) const {
    if (place.process.empty()) return;
    const Process& process = processes_.at(place.process);
    settings.process = process.index;
    settings.process_sms = process.sms;
  }

  Error read_sm_mask(const JsonValue& value, std::optional<CuMask>& target) {
    std::string text;
    if (auto error = read_text(value, text)) return error;
    auto mask = nvidia::parse_tpc_mask(text, scenario_.limits());
    if (!mask) return error_at(value, mask.error());
    target = std::move(*mask);
    return std::nullopt;
  }

  Error read_stream(const JsonValue& value) {
    const auto* object = std::get_if<JsonObject>(&value.value);
    if (object == nullptr) return error_at(value, R"(expected an object such as {"name": "a", "priority": "high"})");
    std::string name;
    Place place;
    StreamSettings settings;
    Duration deadline;
    for (const auto& [key, member] : object->members) {
      Error error;
      if (key == "name") {
        error = read_text(member, name);
      } else if (key == "deadline" || key == "deadline_ps") {
        error = read_deadline(*object, key, member, deadline);
      } else if (key == "priority") {
        error = read_choice(member, {StreamPriority::high, StreamPriority::low}, settings.priority);
      } else if (key == "context") {
        error = read_context_name(*object, place);
      } else if (key == "sm_mask" && !device_.amd) {
        error = read_sm_mask(member, settings.mask);
      } else if (!read_stream_on_amd(key, member, settings, error)) {
        error = error_at(
            member, device_.amd ? "unknown key; a stream has name, priority, context, deadline, cu_mask, hsa_queue, ace"
                                : "unknown key; a stream has name, priority, context, deadline, sm_mask");
      }
      if (error) return error;
    }
    if (name.empty()) return error_at(value, "a stream needs a non-empty \"name\"");
    if (auto error = read_context_name(*object, place)) return error;
    if (streams_.count({place, name}) > 0) return error_at(value, fmt::format("two streams are named \"{}\"", name));
    set_mask(place, settings);
    if (settings.mask && settings.queue)
      return error_at(value, "a stream with a \"cu_mask\" has an HSA queue of its own and no \"hsa_queue\"");
    if (settings.on_ace && !settings.mask) return error_at(value, "\"ace\" needs a \"cu_mask\"");
    set_process(place, settings);
    const std::size_t stream = stream_named(place, name);
    static_cast<StreamSettings&>(scenario_.streams[stream]) = std::move(settings);
    deadlines_[stream] = deadline;
    return std::nullopt;
  }

  /// `owner` has the key.
  Error read_deadline(const JsonObject& owner, std::string_view key, const JsonValue& value, Duration& target) {
    if (find_member(owner, "deadline") != nullptr && find_member(owner, "deadline_ps") != nullptr)
      return error_at(value, R"(give either "deadline" or "deadline_ps", not both)");
    auto error = read_time(value, key == "deadline_ps", target);
    if (!error && target.is_zero()) error = error_at(value, "a deadline must be above zero");
    return error;
  }

  Error read_operation(const JsonValue& value) {
    const auto* object = std::get_if<JsonObject>(&value.value);
    if (object == nullptr) return error_at(value, "expected an object with \"kernel\" or \"copy\"");
    const auto given = [&](std::string_view key) { return find_member(*object, key) != nullptr; };
    const bool is_kernel = given("kernel");
    if (is_kernel == given("copy")) return error_at(value, "expected either \"kernel\" or \"copy\" with a name");
    for (const std::string_view key : {"release", "period", "dispatch"})
      if (given(key) && given(fmt::format("{}_ps", key)))
        return error_at(value, fmt::format("give either \"{0}\" or \"{0}_ps\", not both", key));
    const JsonValue* like = device_.amd && is_kernel ? find_member(*object, "like") : nullptr;
    if (is_kernel && !device_.amd && given("instructions")) {
      if (given("duration") || given("duration_ps"))
        return error_at(value, "give either \"instructions\" or a duration, not both");
    } else if (like != nullptr ? given("duration") && given("duration_ps")
                               : given("duration") == given("duration_ps")) {
      return error_at(value, "expected either \"duration\" or \"duration_ps\"");
    } else if (given("budget")) {
      return error_at(value, "\"budget\" needs \"instructions\"");
    }
    if (is_kernel && like == nullptr && !given("threads")) return error_at(value, "\"threads\" is missing");
    if (!is_kernel && !given("kind")) return error_at(value, "\"kind\" is missing");
    WrittenOperation written;
    written.value = &value;
    written.call.line = value.line;
    written.call.column = value.column;
    StreamOperation& operation = written.operation;
    operation.kind = is_kernel ? StreamOperationKind::kernel : StreamOperationKind::host_to_device;
    std::string stream;
    if (like != nullptr)
      if (auto error = read_like(*like, operation)) return error;
    for (const auto& [key, member] : object->members)
      if (auto error = key == "deadline" || key == "deadline_ps"
                           ? read_deadline(*object, key, member, written.call.deadline)
                           : read_member(key, member, is_kernel, written, stream))
        return error;
    Place place;
    if (auto error = read_context_name(*object, place)) return error;
    operation.stream = stream_named(place, stream);
    if (operation.queue && scenario_.streams[operation.stream].mask)
      return error_at(value,
                      "a kernel of a stream with a \"cu_mask\" has the HSA queue of the stream and no \"hsa_queue\"");
    if (written.call.deadline.is_zero()) written.call.deadline = deadlines_[operation.stream];
    written.call.process = place.process;
    if (!place.process.empty()) written.call.mps_share = processes_.at(place.process).share;
    if (operation.pageable && operation.kind == StreamOperationKind::memset)
      return error_at(*find_member(*object, "host_memory"), "a memset uses no host memory");
    scenario_.streams[operation.stream].has_barriers |= operation.pageable;
    if (is_kernel)
      if (const auto use = use_of_block(scenario_.limits(), operation.shape); !use) return error_at(value, use.error());
    written_.push_back(std::move(written));
    return std::nullopt;
  }

  /// The warps of kernels with instructions.
  Error read_warps(const JsonValue& root) {
    for (WrittenOperation& written : written_) {
      if (!written.instructions) continue;
      if (cycle_.is_zero())
        return error_at(root, "\"instructions\" need \"cycle\", the time of a cycle of the SMs, such as \"770ps\"");
      const std::int64_t warps = use_of_block(scenario_.limits(), written.operation.shape).value().warps;
      nvidia::BlockWarps block{nvidia::warps_of(*written.instructions, warps, written.call.budget),
                               policy_,
                               pipelines_,
                               scenario_.limits().warp_schedulers,
                               1,
                               cycle_.picoseconds()};
      if (const auto fault = nvidia::fault_of({{block.warps}, policy_, pipelines_, block.sub_cores}))
        return error_at(*written.value, fmt::format("\"instructions\": {}", *fault));
      written.operation.warps = std::make_shared<const nvidia::BlockWarps>(std::move(block));
    }
    return std::nullopt;
  }

  Error read_member(const std::string& key, const JsonValue& value, bool is_kernel, WrittenOperation& written,
                    std::string& stream) {
    StreamOperation& operation = written.operation;
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
    if (key == "period" || key == "period_ps") {
      auto error = read_time(value, key == "period_ps", written.call.period);
      if (!error && written.call.period.is_zero()) error = error_at(value, "a period must be above zero");
      return error;
    }
    if (key == "context") return std::nullopt;  // read together with the operation's stream
    if (key == "duration" || key == "duration_ps") return read_time(value, key == "duration_ps", operation.duration);
    if (is_kernel) {
      if (key == "blocks") return read_number(value, 1, operation.blocks);
      if (key == "threads") return read_number(value, 1, operation.shape.threads);
      if (key == "registers") return read_number(value, 0, operation.shape.registers);
      if (key == "shared_memory") return read_number(value, 0, operation.shape.shared_memory);
      if (key == "cache_config") return read_text(value, operation.cache_config);
      if (key == "memory_share") return read_real(value, 0, 1, operation.memory_share);
      if (key == "footprint" && !device_.amd) {
        KernelMemory memory;
        auto error = read_number(value, 1, memory.footprint);
        operation.memory = std::make_shared<const KernelMemory>(std::move(memory));
        return error;
      }
      if (key == "sm_mask" && !device_.amd) return read_sm_mask(value, operation.mask);
      if (key == "hsa_queue" && device_.amd) return read_hsa_queue(value, operation.queue);
      if (key == "budget" && !device_.amd) return read_number(value, 1, written.call.budget);
      if (key == "instructions" && !device_.amd) return read_instructions(value, written);
      if (Error error; read_cost(key, value, operation.cost, error)) return error;
      return error_at(value,
                      fmt::format("unknown key; a kernel has kernel, context, stream, release, period, deadline, "
                                  "duration, blocks, threads, registers, shared_memory, cache_config, memory_share{}",
                                  device_.amd ? ", hsa_queue, like, full_speed_threads, weight, dispatch"
                                              : ", footprint, sm_mask, instructions, budget"));
    }
    if (key == "host_memory") {
      std::string memory;
      if (auto error = read_text(value, memory)) return error;
      if (memory != "pinned" && memory != "pageable") return error_at(value, R"(expected "pinned" or "pageable")");
      operation.pageable = memory == "pageable";
      return std::nullopt;
    }
    if (key != "kind")
      return error_at(
          value,
          "unknown key; a copy has copy, context, stream, release, period, deadline, duration, kind, host_memory");
    return read_choice(
        value, {StreamOperationKind::host_to_device, StreamOperationKind::device_to_host, StreamOperationKind::memset},
        operation.kind);
  }

  Error read_instructions(const JsonValue& value, WrittenOperation& written) {
    std::string& text = written.call.instructions;
    if (auto error = read_text(value, text)) return error;
    auto instructions = nvidia::parse_block_instructions(text);
    if (!instructions) return error_at(value, instructions.error());
    written.instructions = std::move(*instructions);
    return std::nullopt;
  }

  bool has_profile_;
  bool is_named_;
  std::string name_;
  StreamScenario scenario_;
  DeviceProfile& device_ = scenario_.device;
  std::vector<WrittenOperation> written_;
  std::optional<Duration> until_;
  Duration cycle_;  ///< of the SMs
  const nvidia::WarpPolicy* policy_ = nvidia::find_warp_policy("gto");
  const nvidia::WarpPipelines* pipelines_ = &nvidia::warp_pipelines().front();
  std::map<std::string, std::size_t> contexts_;
  std::size_t stated_slices_ = 0;  ///< contexts with their own
  std::map<std::string, Process> processes_;
  std::map<std::size_t, CuMask> masks_;  ///< of contexts
  std::map<std::pair<Place, std::string>, std::size_t> streams_;
  std::map<std::size_t, Duration> deadlines_;  ///< of streams that state one; zero: none
};

const JsonValue* gpus_in(const JsonValue& root) {
  const auto* object = std::get_if<JsonObject>(&root.value);
  return object != nullptr ? find_member(*object, "gpus") : nullptr;
}

/// `root` is an object whose member "gpus" is `gpus`.
Error read_gpus(const JsonValue& root, const JsonValue& gpus, const DeviceProfile* profile,
                std::deque<ScenarioReader>& readers, std::optional<Duration>& until) {
  const auto& object = std::get<JsonObject>(root.value);
  if (profile != nullptr) return error_at(gpus, "each GPU states its \"platform\", and --platform is one for all");
  const auto* list = std::get_if<JsonArray>(&gpus.value);
  if (list == nullptr || list->elements.empty() || list->elements.size() > max_scenario_gpus)
    return error_at(gpus, fmt::format("expected an array of 1 to {} GPUs", max_scenario_gpus));
  for (const auto& [key, value] : object.members) {
    Error error;
    std::string ignored;
    if (key == "until" || key == "until_ps")
      error = read_time(value, key == "until_ps", until.emplace());
    else if (key == "description" || key == "$schema")
      error = read_text(value, ignored);
    else if (key != "gpus")
      error = error_at(value, "unknown key beside \"gpus\"; expected gpus, until, description");
    if (error) return error;
  }
  if (auto error = given_twice(root, object, "until")) return error;
  std::set<std::string> names;
  for (const JsonValue& value : list->elements) {
    const ScenarioReader& reader = readers.emplace_back(nullptr, true);
    if (auto error = readers.back().read(value)) return error;
    if (reader.name().empty()) return error_at(value, "a GPU needs a non-empty \"name\"");
    if (!names.insert(reader.name()).second)
      return error_at(value, fmt::format("two GPUs are named \"{}\"", reader.name()));
  }
  return std::nullopt;
}

}  // namespace

tl::expected<StreamScenario, TextError> parse_stream_scenario(std::string_view json, const DeviceProfile* profile,
                                                              std::vector<WrittenCall>* calls) {
  const auto parsed = parse_located_json(json);
  if (!parsed) return tl::unexpected(parsed.error());
  std::deque<ScenarioReader> readers;
  std::optional<Duration> until;
  if (const JsonValue* gpus = gpus_in(*parsed)) {
    if (auto error = read_gpus(*parsed, *gpus, profile, readers, until)) return tl::unexpected(*error);
  } else {
    if (auto error = readers.emplace_back(profile, false).read(*parsed)) return tl::unexpected(*error);
    until = readers.front().until();
  }
  if (!until) {
    Repetition all;
    for (const ScenarioReader& reader : readers) reader.repeat(all);
    until = all.end();
  }
  if (!until)
    return tl::unexpected(error_at(*parsed, "the hyperperiod of the periods is longer than 2^63 ps; give \"until\""));
  StreamScenario whole;
  std::int64_t blocks = 0;
  for (ScenarioReader& reader : readers)
    if (auto error = reader.release_all(*until, blocks, whole, calls)) return tl::unexpected(*error);
  return whole;
}

tl::expected<StreamScenario, TextError> parse_scenario_of_one_gpu(std::string_view json, const DeviceProfile* profile) {
  if (const auto parsed = parse_located_json(json))
    if (const JsonValue* gpus = gpus_in(*parsed))
      return tl::unexpected(error_at(*gpus, "expected a scenario of one GPU"));
  return parse_stream_scenario(json, profile);
}

}  // namespace amalthea::engine::gpu
