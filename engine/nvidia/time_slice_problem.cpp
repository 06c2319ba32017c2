// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "engine/nvidia/time_slice_analysis.hpp"

namespace amalthea::engine::nvidia {
namespace {

using Error = std::optional<TextError>;

/// The members of an object, with times under their name without "_ps".
class Members {
 public:
  /// `times` may be a text such as "2500us" or, with _ps after the name, an integer number of picoseconds.
  static tl::expected<Members, TextError> of(const JsonValue& value, std::string_view what,
                                             std::initializer_list<std::string_view> times,
                                             std::initializer_list<std::string_view> others) {
    const auto* object = std::get_if<JsonObject>(&value.value);
    if (object == nullptr) return tl::unexpected(error_at(value, fmt::format("expected {}, an object", what)));
    Members members(value);
    for (const JsonMember& member : object->members) {
      bool known = false;
      for (const std::string_view other : others) known = known || member.key == other;
      if (known) members.others_.emplace(member.key, &member.value);
      for (const std::string_view time : times) {
        const bool picoseconds = member.key == fmt::format("{}_ps", time);
        if (!picoseconds && member.key != time) continue;
        known = true;
        if (!members.times_.emplace(time, Time{&member.value, picoseconds}).second)
          return tl::unexpected(error_at(value, fmt::format("give either \"{}\" or \"{}_ps\", not both", time, time)));
      }
      if (!known) {
        std::string expected;
        for (const auto& list : {times, others})
          for (const std::string_view key : list) expected += fmt::format("{}{}", expected.empty() ? "" : ", ", key);
        return tl::unexpected(error_at(member.value, fmt::format("unknown key; {} has {}", what, expected)));
      }
    }
    return members;
  }

  const JsonValue* find(std::string_view key) const {
    const auto at = others_.find(key);
    return at == others_.end() ? nullptr : at->second;
  }
  bool has_time(std::string_view key) const { return times_.find(key) != times_.end(); }
  const JsonValue& time_value(std::string_view key) const { return *times_.find(key)->second.value; }

  /// `target` is unchanged if the time is missing.
  Error time(std::string_view key, bool required, Duration& target) const {
    const auto at = times_.find(key);
    if (at == times_.end())
      return required ? Error(error_at(*value_, fmt::format("\"{}\" is missing", key))) : std::nullopt;
    const JsonValue& value = *at->second.value;
    if (auto error = read_time(value, at->second.picoseconds, target)) return error;
    if (target >= longest_analyzed)
      return error_at(value, fmt::format("expected a time below {}", format_duration(longest_analyzed)));
    return std::nullopt;
  }
  Error positive_time(std::string_view key, bool required, Duration& target) const {
    if (auto error = time(key, required, target)) return error;
    if (has_time(key) && target.is_zero()) return error_at(time_value(key), "expected a time above zero");
    return std::nullopt;
  }

 private:
  struct Time {
    const JsonValue* value;
    bool picoseconds;
  };
  explicit Members(const JsonValue& value) : value_(&value) {}
  const JsonValue* value_;
  std::map<std::string, const JsonValue*, std::less<>> others_;
  std::map<std::string, Time, std::less<>> times_;
};

class ProblemReader {
 public:
  tl::expected<TimeSliceProblem, TextError> read(const JsonValue& root) {
    const auto members =
        Members::of(root, "the problem", {"context_switch"},
                    {"description", "preemption", "context_scheduling", "interference", "cores", "tasks"});
    if (!members) return tl::unexpected(members.error());
    if (auto error = read_root(root, *members)) return tl::unexpected(*error);
    return std::move(problem_);
  }

 private:
  Error read_root(const JsonValue& root, const Members& members) {
    std::string ignored;
    if (const auto* value = members.find("description"))
      if (auto error = read_name(*value, ignored)) return error;
    if (auto error = members.time("context_switch", false, problem_.gpus.front().context_switch)) return error;
    if (const auto* value = members.find("preemption"))
      if (auto error = read_choice(*value, {Preemption::instruction, Preemption::block, Preemption::kernel},
                                   problem_.gpus.front().preemption))
        return error;
    if (const auto* value = members.find("context_scheduling")) {
      std::string order;
      if (auto error = read_name(*value, order)) return error;
      if (order != "timeslice" && order != "priority") return error_at(*value, R"(expected "timeslice" or "priority")");
      problem_.gpus.front().by_priority = order == "priority";
    }
    if (const auto* value = members.find("interference"))
      if (auto error = read_interference(*value)) return error;
    if (const auto* value = members.find("cores")) {
      std::int64_t cores = 0;
      if (auto error = read_number(*value, 1, cores)) return error;
      if (cores > 65536) return error_at(*value, "expected at most 65536 cores");
      for (std::int64_t core = 0; core < cores; ++core) core_named(fmt::format("{}", core));
      cores_are_known_ = true;
    }
    const auto* tasks = members.find("tasks");
    if (tasks == nullptr) return error_at(root, "\"tasks\" is missing");
    const auto* array = std::get_if<JsonArray>(&tasks->value);
    if (array == nullptr) return error_at(*tasks, "expected an array");
    for (const JsonValue& task : array->elements)
      if (auto error = read_task(task)) return error;
    return std::nullopt;
  }

  Error read_interference(const JsonValue& value) {
    const auto members =
        Members::of(value, "interference", {}, {"kernel_by_memcpy", "kernel_by_memset", "copy_by_kernel"});
    if (!members) return members.error();
    for (const auto& [key, target] :
         {std::pair("kernel_by_memcpy", &problem_.gpus.front().interference.kernel_by_memcpy),
          std::pair("kernel_by_memset", &problem_.gpus.front().interference.kernel_by_memset),
          std::pair("copy_by_kernel", &problem_.gpus.front().interference.copy_by_kernel)}) {
      const auto* factor = members->find(key);
      if (factor == nullptr) continue;
      double times = 1;
      if (auto error = read_real(*factor, 1, 1000, times)) return error;
      target->ppm = std::llround(times * 1e6);
    }
    return std::nullopt;
  }

  std::size_t core_named(const std::string& name) {
    const auto [at, is_new] = cores_.emplace(name, problem_.cores.size());
    if (is_new) problem_.cores.push_back(name);
    return at->second;
  }

  Error read_core(const JsonValue& value, std::size_t& target) {
    std::string name;
    if (const auto* number = std::get_if<std::int64_t>(&value.value); number != nullptr && *number >= 0)
      name = fmt::format("{}", *number);
    else if (const auto* text = std::get_if<std::string>(&value.value); text != nullptr && !text->empty())
      name = *text;
    else
      return error_at(value, "expected a core: a whole number from 0, or a name");
    if (cores_are_known_ && cores_.count(name) == 0)
      return error_at(value, fmt::format("expected a core number below {}", problem_.cores.size()));
    target = core_named(name);
    return std::nullopt;
  }

  Error read_task(const JsonValue& value) {
    const auto members = Members::of(value, "a task", {"period", "deadline", "timeslice"},
                                     {"name", "core", "priority", "wait", "gpu_priority", "segments"});
    if (!members) return members.error();
    GpuTask task;
    for (const std::string_view key : {"name", "core", "priority", "segments"})
      if (members->find(key) == nullptr) return error_at(value, fmt::format("\"{}\" is missing", key));
    if (auto error = read_name(*members->find("name"), task.name)) return error;
    if (!names_.insert(task.name).second) return error_at(value, fmt::format("two tasks are named \"{}\"", task.name));
    if (auto error = read_core(*members->find("core"), task.core)) return error;
    if (auto error = read_number(*members->find("priority"), std::numeric_limits<std::int32_t>::min(), task.priority))
      return error;
    if (auto error = members->positive_time("period", true, task.period)) return error;
    task.deadline = task.period;
    if (auto error = members->positive_time("deadline", false, task.deadline)) return error;
    if (auto error = members->positive_time("timeslice", false, task.slice)) return error;
    if (const auto* priority = members->find("gpu_priority"))
      if (auto error = read_choice(*priority, {ContextPriority::low, ContextPriority::medium, ContextPriority::high},
                                   task.gpu_priority))
        return error;
    if (const auto* wait = members->find("wait"))
      if (auto error = read_choice(*wait, {WaitMode::busy, WaitMode::suspend}, task.wait)) return error;
    const JsonValue& segments = *members->find("segments");
    const auto* array = std::get_if<JsonArray>(&segments.value);
    if (array == nullptr) return error_at(segments, "expected an array");
    Duration total;
    bool offloads = false;
    for (const JsonValue& segment : array->elements) {
      if (auto error = read_segment(segment, task, total)) return error;
      offloads = offloads || std::holds_alternative<GpuSegment>(task.segments.back());
    }
    if (offloads && members->find("wait") == nullptr)
      return error_at(value, R"("wait" is missing: does the task wait "busy" or "suspend"?)");
    problem_.tasks.push_back(std::move(task));
    return std::nullopt;
  }

  /// The sum of all worst times of a task must stay within the analysis limit.
  Error add(const JsonValue& value, Duration time, Duration& total) {
    if (time >= longest_analyzed - total)
      return error_at(value, fmt::format("the segments of a task must be shorter than {} together",
                                         format_duration(longest_analyzed)));
    total += time;
    return std::nullopt;
  }

  /// "best" defaults to the worst time.
  Error read_best(const Members& members, Duration worst, Duration& best) {
    best = worst;
    if (auto error = members.time("best", false, best)) return error;
    if (best > worst) return error_at(members.time_value("best"), "is longer than the worst");
    return std::nullopt;
  }

  Error read_segment(const JsonValue& value, GpuTask& task, Duration& total) {
    const auto members = Members::of(value, "a segment", {"cpu", "best"}, {"gpu"});
    if (!members) return members.error();
    const auto* gpu = members->find("gpu");
    if (members->has_time("cpu") == (gpu != nullptr))
      return error_at(value, "expected either \"cpu\" with a time or \"gpu\" with an array of copies and kernels");
    if (gpu == nullptr) {
      CpuSegment segment;
      if (auto error = members->time("cpu", true, segment.worst)) return error;
      if (auto error = read_best(*members, segment.worst, segment.best)) return error;
      if (auto error = add(value, segment.worst, total)) return error;
      task.segments.emplace_back(segment);
      return std::nullopt;
    }
    if (members->has_time("best")) return error_at(members->time_value("best"), "belongs to a copy or kernel");
    const auto* array = std::get_if<JsonArray>(&gpu->value);
    if (array == nullptr || array->elements.empty())
      return error_at(*gpu, "expected an array of copies and kernels that is not empty");
    GpuSegment segment;
    for (const JsonValue& element : array->elements) {
      GpuOperation operation;
      if (auto error = read_operation(element, operation)) return error;
      if (auto error = add(element, operation.worst, total)) return error;
      segment.operations.push_back(operation);
    }
    task.segments.emplace_back(std::move(segment));
    return std::nullopt;
  }

  Error read_operation(const JsonValue& value, GpuOperation& operation) {
    const auto members =
        Members::of(value, "a copy or kernel", {"copy", "kernel", "best", "block"}, {"kind", "memory_share"});
    if (!members) return members.error();
    const bool is_kernel = members->has_time("kernel");
    if (is_kernel == members->has_time("copy"))
      return error_at(value, "expected either \"kernel\" or \"copy\" with a time");
    if (auto error = members->positive_time(is_kernel ? "kernel" : "copy", true, operation.worst)) return error;
    if (auto error = read_best(*members, operation.worst, operation.best)) return error;
    if (!is_kernel) {
      operation.kind = StreamOperationKind::host_to_device;
      if (members->has_time("block")) return error_at(members->time_value("block"), "belongs to a kernel");
      if (const auto* share = members->find("memory_share")) return error_at(*share, "belongs to a kernel");
      if (const auto* kind = members->find("kind"))
        return read_choice(
            *kind,
            {StreamOperationKind::host_to_device, StreamOperationKind::device_to_host, StreamOperationKind::memset},
            operation.kind);
      return std::nullopt;
    }
    if (const auto* kind = members->find("kind")) return error_at(*kind, "belongs to a copy");
    if (auto error = members->time("block", false, operation.longest_block)) return error;
    if (operation.longest_block > operation.worst)
      return error_at(members->time_value("block"), "is longer than its kernel");
    if (const auto* share = members->find("memory_share")) return read_real(*share, 0, 1, operation.memory_share);
    return std::nullopt;
  }

  TimeSliceProblem problem_;
  std::map<std::string, std::size_t> cores_;
  std::set<std::string> names_;
  bool cores_are_known_ = false;
};

}  // namespace

tl::expected<TimeSliceProblem, TextError> parse_time_slice_problem(std::string_view json) {
  const auto parsed = parse_located_json(json);
  if (!parsed) return tl::unexpected(parsed.error());
  return ProblemReader().read(*parsed);
}

}  // namespace amalthea::engine::nvidia
