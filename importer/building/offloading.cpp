// SPDX-License-Identifier: Apache-2.0
// Identifies the copies among label accesses of device tasks, and folds functions that could be offloaded but are not.

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <string>

#include <fmt/core.h>

#include "amalthea/primitives/near_miss.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/views/properties.hpp"
#include "importer/building/detail/build_context.hpp"
#include "importer/building/detail/kernel_access.hpp"
#include "importer/building/detail/kernel_properties.hpp"

namespace amalthea::importer::detail {
namespace {

template <typename T>
bool contains(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// ---------------------------------------------------------------- folding

bool could_run_on_gpu(const BuildContext& context, const RawBody& body) {
  const auto& definitions = context.system.platform.definitions;
  for (const GraphNode& node : body) {
    if (has_instructions(context, node)) return true;
    if (const auto* compute = std::get_if<Compute>(&node.activity))
      for (const auto& [definition, cycles] : compute->ticks.extended)
        if (definitions[definition].type == PuType::gpu) return true;
  }
  return false;
}

/// The only task that triggers `function`, if it triggers nothing else; nothing if something else activates it or is
/// activated too.
std::optional<TaskIndex> only_trigger_of(const BuildContext& context, TaskIndex function) {
  std::optional<TaskIndex> only;
  for (StimulusIndex stimulus = 0; stimulus < context.system.stimuli.size(); ++stimulus) {
    if (!contains(context.system.stimuli[stimulus].activates, function)) continue;
    if (!std::holds_alternative<InterProcess>(context.system.stimuli[stimulus].occurrence)) return std::nullopt;
    // others would lose their trigger
    if (context.system.stimuli[stimulus].activates.size() != 1) return std::nullopt;
    for (TaskIndex task = 0; task < context.raw_bodies.size(); ++task)
      for (const GraphNode& node : context.raw_bodies[task])
        if (const auto* trigger = std::get_if<Trigger>(&node.activity);
            trigger != nullptr && trigger->stimulus == stimulus) {
          if (only && *only != task) return std::nullopt;
          only = task;
        }
  }
  return only;
}

/// A wrapper triggers one function and later waits for an event that this function sets.
bool is_wrapper_of(const BuildContext& context, TaskIndex wrapper, TaskIndex function) {
  if (context.system.tasks[wrapper].side != Side::host || context.system.tasks[wrapper].kind != ProcessKind::task)
    return false;
  std::size_t triggers = 0;
  bool waits = false;
  for (const GraphNode& node : context.raw_bodies[wrapper]) {
    if (std::holds_alternative<SetEvents>(node.activity) || std::holds_alternative<SetMode>(node.activity) ||
        std::holds_alternative<UseSemaphore>(node.activity) || std::holds_alternative<Branch>(node.activity))
      return false;  // others depend on it, or it does more than wrapping
    if (std::holds_alternative<Trigger>(node.activity)) ++triggers;
    const auto* wait = std::get_if<WaitEvents>(&node.activity);
    if (wait == nullptr || triggers == 0) continue;
    for (const GraphNode& other : context.raw_bodies[function])
      if (const auto* set = std::get_if<SetEvents>(&other.activity);
          set != nullptr && set->task.value_or(wrapper) == wrapper)
        for (const EventIndex event : set->events) waits = waits || contains(wait->events, event);
  }
  return triggers == 1 && waits;
}

void fold(BuildContext& context, TaskIndex wrapper, TaskIndex function) {
  System& system = context.system;
  system.tasks[wrapper].folded_into = function;
  for (Stimulus& stimulus : system.stimuli) {
    auto& activates = stimulus.activates;
    activates.erase(std::remove(activates.begin(), activates.end(), function), activates.end());
    std::replace(activates.begin(), activates.end(), wrapper, function);
  }
  Task& task = system.tasks[function];
  task.activation_limit = system.tasks[wrapper].activation_limit;
  if (const auto deadline = system.tasks[wrapper].deadline)
    task.deadline = task.deadline ? std::min(*task.deadline, *deadline) : *deadline;
  const Element element = context.task_elements[function];
  context.diagnostics.add(
      "AM0410", Severity::note,
      fmt::format("task \"{}\" is mapped to the CPU core \"{}\", so the analysis drops its wrapper \"{}\" and its "
                  "copies, and releases it like the wrapper, with the wrapper's deadline (--keep-wrappers keeps them)",
                  task.name, system.platform.units[task.unit].name, system.tasks[wrapper].name),
      element.location(), element.path());
}

// ---------------------------------------------------------------- label sides

std::vector<bool> device_like_tasks(const System& system) {
  std::vector<bool> device_like(system.tasks.size());
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    if (system.tasks[task].side == Side::device) device_like[task] = true;
    if (const auto function = system.tasks[task].folded_into) device_like[*function] = true;
  }
  return device_like;
}

std::optional<LabelIndex> accessed_label(const GraphNode& node) {
  if (const auto* read = std::get_if<ReadLabel>(&node.activity)) return read->label;
  if (const auto* write = std::get_if<WriteLabel>(&node.activity)) return write->label;
  return std::nullopt;
}

void classify_labels(BuildContext& context) {
  const std::vector<bool> device_like = device_like_tasks(context.system);
  for (TaskIndex task = 0; task < context.raw_bodies.size(); ++task) {
    const LabelSide side = device_like[task] ? LabelSide::device : LabelSide::host;
    for (const GraphNode& node : context.raw_bodies[task])
      if (const auto label = accessed_label(node)) {
        LabelSide& known = context.system.labels[*label].side;
        if (known != LabelSide::host) known = side;
      }
  }
}

/// An event that only notifies the wrapper that its function is done.
bool is_for_wrapper(const BuildContext& context, const SetEvents& set, TaskIndex function) {
  return set.task && context.system.tasks[*set.task].folded_into == function;
}

/// Moves the activities [at, at + count) that `keep` accepts to `kept`; branches get the remaining lengths.
template <typename Keep>
void move_kept(RawBody& body, std::size_t at, std::size_t count, RawBody& kept, const Keep& keep) {
  for (const std::size_t end = at + count; at < end; ++at) {
    if (!std::holds_alternative<Branch>(body[at].activity)) {
      if (keep(body[at])) kept.push_back(std::move(body[at]));
      continue;
    }
    const std::size_t index = kept.size();
    Branch branch = std::get<Branch>(body[at].activity);
    kept.push_back(std::move(body[at]));
    for (Branch::Alternative& alternative : branch.alternatives) {
      const std::size_t first = kept.size();
      move_kept(body, at + 1, alternative.length, kept, keep);
      at += alternative.length;
      alternative.length = kept.size() - first;
    }
    kept[index].activity = std::move(branch);
  }
}

/// A folded function reads its inputs and writes its results in host memory; device labels and the wrapper's event are
/// removed.
void drop_copies(BuildContext& context, TaskIndex function) {
  RawBody kept;
  RawBody& body = context.raw_bodies[function];
  move_kept(body, 0, body.size(), kept, [&](const GraphNode& node) {
    if (const auto* set = std::get_if<SetEvents>(&node.activity)) return !is_for_wrapper(context, *set, function);
    const auto label = accessed_label(node);
    return !label || context.system.labels[*label].side == LabelSide::host;
  });
  context.raw_bodies[function] = std::move(kept);
}

// ---------------------------------------------------------------- copies and kernels

/// Label accesses of one runnable with no ticks in between.
struct AccessSegment {
  std::optional<RunnableIndex> runnable;
  Origin origin;
  std::vector<LabelIndex> reads, writes;
  bool before_ticks = false;  ///< of a runnable with ticks
  bool after_ticks = false;
  bool beside_copies = false;   ///< of a runnable that accesses host labels
  std::vector<Origin> counted;  ///< accesses that take place several times
  bool empty() const { return reads.empty() && writes.empty(); }
};

/// How runnables go through their labels.
class RunnableAccesses {
 public:
  explicit RunnableAccesses(BuildContext& context) : context_(context) {}

  /// Nothing if it is not stated; the first time, an error if it is not understood.
  std::optional<KernelAccess> of(std::optional<RunnableIndex> runnable) {
    if (!runnable) return std::nullopt;
    const auto [known, added] = known_.try_emplace(*runnable);
    if (added) known->second = read(*runnable);
    return known->second;
  }

 private:
  std::optional<KernelAccess> read(RunnableIndex runnable) {
    const auto property = custom_property(context_.runnable_elements[runnable], "gpu.access");
    if (!property) return std::nullopt;
    const auto access = parse_kernel_access(property->value);
    if (access) return *access;
    context_.error("AM0329", fmt::format("custom property gpu.access is \"{}\"; {}", property->value, access.error()),
                   property->element.location(), property->element.path());
    return std::nullopt;
  }

  BuildContext& context_;
  std::map<RunnableIndex, std::optional<KernelAccess>> known_;
};

class DeviceShaper {
 public:
  DeviceShaper(BuildContext& context, RunnableAccesses& accesses, BlockNeeds& needs, TaskIndex task)
      : context_(context), accesses_(accesses), needs_(needs), task_(task) {}

  RawBody shape(const RawBody& written) {
    const RawBody raw = with_computations(written);
    find_parts(raw);
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const GraphNode& node = raw[i];
      if (accessed_label(node)) {
        access(node, i);
        continue;
      }
      flush();
      if (const auto* compute = std::get_if<Compute>(&node.activity)) {
        Kernel kernel;
        kernel.ticks = compute->ticks;
        KernelProperties stated(context_, needs_, node, task_);
        kernel.memory_intensity = stated.memory_intensity();
        kernel.access = accesses_.of(node.runnable);
        kernel.footprint = footprint(node.runnable);
        kernel.launch = stated.launch();
        if (auto costs = stated.costs(); costs != KernelCosts{}) kernel.costs = std::move(costs);
        kernel.instructions = stated.instructions();
        if (kernel.instructions) kernel.ticks = {};
        add("kernel", std::move(kernel), node.runnable, node.origin);
      } else if (!std::holds_alternative<Call>(node.activity)) {
        push(node);
      }
    }
    flush();
    return std::move(body_);
  }

 private:
  /// What the body contains of a runnable, or of none.
  struct Part {
    std::optional<std::size_t> first_ticks, last_ticks;
    std::vector<LabelIndex> labels;  ///< each once
    std::set<LabelIndex> accessed;   ///< the same
    std::optional<DataSize> footprint;
    bool accesses_host = false;
  };

  void find_parts(const RawBody& raw) {
    for (std::size_t i = 0; i < raw.size(); ++i) {
      Part& part = parts_[raw[i].runnable];
      if (std::holds_alternative<Compute>(raw[i].activity)) {
        if (!part.first_ticks) part.first_ticks = i;
        part.last_ticks = i;
      } else if (const auto label = accessed_label(raw[i]); label && part.accessed.insert(*label).second) {
        part.labels.push_back(*label);
        part.accesses_host = part.accesses_host || side(*label) == LabelSide::host;
      }
    }
  }

  void access(const GraphNode& node, std::size_t i) {
    if (!segment_.empty() && segment_.runnable != node.runnable) flush();
    if (segment_.empty()) {
      segment_.runnable = node.runnable;
      segment_.origin = node.origin;
      const Part& part = parts_[node.runnable];
      segment_.beside_copies = node.runnable && part.accesses_host;
      segment_.after_ticks = node.runnable && part.first_ticks && *part.first_ticks < i;
      segment_.before_ticks = node.runnable && part.last_ticks && *part.last_ticks > i;
    }
    const LabelIndex label = *accessed_label(node);
    auto& list = std::holds_alternative<ReadLabel>(node.activity) ? segment_.reads : segment_.writes;
    if (!contains(list, label)) list.push_back(label);
    const auto* read = std::get_if<ReadLabel>(&node.activity);
    const auto* write = std::get_if<WriteLabel>(&node.activity);
    if ((read != nullptr ? read->count : write->count).most > 1) segment_.counted.push_back(node.origin);
  }

  LabelSide side(LabelIndex label) const { return context_.system.labels[label].side; }

  std::vector<LabelIndex> on_side(const std::vector<LabelIndex>& labels, LabelSide wanted) const {
    std::vector<LabelIndex> found;
    std::copy_if(labels.begin(), labels.end(), std::back_inserter(found),
                 [&](LabelIndex label) { return side(label) == wanted; });
    return found;
  }

  void flush() {
    const AccessSegment segment = std::move(segment_);
    segment_ = {};
    if (segment.empty()) return;
    // The kernel accesses the labels in place.
    if (const auto access = accesses_.of(segment.runnable); access && access->zero_copy && !forced_kind(segment)) {
      if (!segment.before_ticks && !segment.after_ticks)
        report_no_time(segment, "accesses labels in place (gpu.access), without ticks");
      return;
    }
    const auto host_reads = on_side(segment.reads, LabelSide::host),
               host_writes = on_side(segment.writes, LabelSide::host);
    const auto device_reads = on_side(segment.reads, LabelSide::device),
               device_writes = on_side(segment.writes, LabelSide::device);
    const bool touches_host = !host_reads.empty() || !host_writes.empty();
    const bool moves = !segment.reads.empty() && !segment.writes.empty();
    if (const auto forced = forced_kind(segment)) {
      add_copy(*forced, segment.reads, segment.writes, segment);
    } else if (segment.before_ticks != segment.after_ticks && (touches_host || moves)) {
      // The one-runnable form: the position decides.
      add_copy(segment.before_ticks ? CopyKind::host_to_device : CopyKind::device_to_host, segment.reads,
               segment.writes, segment);
    } else if (!host_reads.empty() && host_writes.empty()) {
      add_copy(CopyKind::host_to_device, segment.reads, segment.writes, segment);
    } else if (!host_writes.empty() && host_reads.empty()) {
      add_copy(CopyKind::device_to_host, segment.reads, segment.writes, segment);
    } else if (touches_host) {
      if (device_writes.empty() && device_reads.empty()) {
        report_no_time(segment, "copies between host labels only");
        return;
      }
      add_copy(CopyKind::host_to_device, host_reads, device_writes, segment);
      add_copy(CopyKind::device_to_host, device_reads, host_writes, segment);
    } else if (segment.beside_copies && segment.before_ticks != segment.after_ticks &&
               (segment.before_ticks ? segment.reads : segment.writes).empty()) {
      report_lone_side(segment.reads, segment.writes, segment);  // an input of the kernel, or an output
    } else if (!segment.before_ticks && !segment.after_ticks) {
      report_no_time(segment, "accesses, without ticks, only labels that no host task accesses");
    }
    // Accesses only to device labels belong to the kernel and are part of its ticks.
  }

  void report_no_time(const AccessSegment& segment, std::string_view what) {
    const Element element = context_.model.element(segment.origin);
    context_.diagnostics.add(
        "AM0412", Severity::warning,
        fmt::format(
            "{} device task \"{}\" {} ({}), which takes no time in the analysis; a copy needs a label that a task "
            "on a CPU accesses and one that only device tasks access, a kernel needs ticks; add what is missing, "
            "or set gpu.copy",
            segment.runnable ? fmt::format("runnable \"{}\" of", context_.system.runnables[*segment.runnable].name)
                             : std::string("the"),
            context_.system.tasks[task_].name, what, names(segment)),
        element.location(), element.path());
  }

  std::string names(const AccessSegment& segment) const {
    std::vector<LabelIndex> labels = segment.reads;
    labels.insert(labels.end(), segment.writes.begin(), segment.writes.end());
    constexpr std::size_t most = 3;
    std::string names;
    for (std::size_t i = 0; i < std::min(most, labels.size()); ++i)
      names += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", context_.system.labels[labels[i]].name);
    return labels.size() > most ? names + " …" : names;
  }

  std::optional<CopyKind> forced_kind(const AccessSegment& segment) {
    if (!segment.runnable) return std::nullopt;
    const auto property = custom_property(context_.runnable_elements[*segment.runnable], "gpu.copy");
    if (!property) return std::nullopt;
    if (property->value == "h2d") return CopyKind::host_to_device;
    if (property->value == "d2h") return CopyKind::device_to_host;
    if (property->value == "memset") return CopyKind::memset;
    context_.error("AM0315",
                   fmt::format("custom property gpu.copy is \"{}\"; expected h2d, d2h or memset{}", property->value,
                               did_you_mean(property->value, std::array<std::string_view, 3>{"h2d", "d2h", "memset"})),
                   property->element.location(), property->element.path());
    return std::nullopt;
  }

  /// gpu.hostMemory and gpu.copyTime.
  void read_settings(const AccessSegment& segment, Copy& copy) {
    if (!segment.runnable) return;
    const auto read = [&](std::string_view key, std::string_view expected, auto accept) {
      const auto property = custom_property(context_.runnable_elements[*segment.runnable], key);
      if (property && !accept(property->value))
        context_.error("AM0599",
                       fmt::format("custom property {} is \"{}\"; expected {}", key, property->value, expected),
                       property->element.location(), property->element.path());
    };
    read("gpu.hostMemory", "pinned, or for a copy from or to the host pageable", [&](const std::string& value) {
      copy.pageable = value == "pageable";
      return value == "pinned" || (copy.pageable && copy.kind != CopyKind::memset);
    });
    read("gpu.copyTime", "a time with unit, such as 200 us", [&](const std::string& value) {
      const auto time = parse_time_text(value);
      if (time) copy.time = *time;
      return time.has_value();
    });
  }

  /// Of all labels that the kernel's runnable accesses. Of those that it copies, only the device labels count, if there
  /// are any; a kernel that accesses labels in place works on all of them.
  DataSize footprint(std::optional<RunnableIndex> runnable) {
    Part& part = parts_[runnable];
    if (part.footprint) return *part.footprint;
    const auto access = accesses_.of(runnable);
    const auto on_device = on_side(part.labels, LabelSide::device);
    part.footprint = total(on_device.empty() || (access && access->zero_copy) ? part.labels : on_device);
    return *part.footprint;
  }

  /// Runnables with instructions need no ticks: those without get a computation after the labels that they read first.
  RawBody with_computations(const RawBody& written) {
    RawBody raw;
    for (std::size_t begin = 0, end = 0; begin < written.size(); begin = end) {
      const auto runnable = written[begin].runnable;
      while (end < written.size() && written[end].runnable == runnable &&
             (end == begin || !std::holds_alternative<Call>(written[end].activity)))
        ++end;
      const auto first = written.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = written.begin() + static_cast<std::ptrdiff_t>(end);
      if (!has_instructions(context_, written[begin])) {
        raw.insert(raw.end(), first, last);
        continue;
      }
      const auto computes = std::count_if(
          first, last, [](const GraphNode& node) { return std::holds_alternative<Compute>(node.activity); });
      report_ticks(*runnable, computes);
      auto place = last;
      if (computes == 0) {
        // The one-runnable form copies in, computes, copies out. A runnable that only writes or reads is a separate
        // copy.
        place = std::find_if(first, last, [](const GraphNode& node) { return accessed_label(node).has_value(); });
        const auto is_input = [this](const GraphNode& node) {
          const auto label = accessed_label(node);
          return label && (std::holds_alternative<ReadLabel>(node.activity) == (side(*label) == LabelSide::host));
        };
        while (place != last && is_input(*place)) ++place;
      }
      raw.insert(raw.end(), first, place);
      if (computes == 0) {
        GraphNode node = *first;
        node.activity = Compute{};
        raw.push_back(std::move(node));
      }
      raw.insert(raw.end(), place, last);
    }
    return raw;
  }

  void report_ticks(RunnableIndex runnable, std::ptrdiff_t computes) {
    const Element element = context_.runnable_elements[runnable];
    if (computes > 1)
      context_.error("AM0326",
                     fmt::format("runnable \"{}\" has gpu.instructions and {} ticks items; keep at most one ticks item",
                                 element.name(), computes),
                     element.location(), element.path());
    if (computes == 1)
      context_.diagnostics.add(
          "AM0327", Severity::note,
          fmt::format("runnable \"{}\" has gpu.instructions; its ticks are not used", element.name()),
          element.location(), element.path());
  }

  DataSize total(const std::vector<LabelIndex>& labels) const {
    DataSize sum;
    for (const LabelIndex label : labels)  // saturates at the largest size
      if (__builtin_add_overflow(sum.bytes, context_.system.labels[label].size.bytes, &sum.bytes))
        return {std::numeric_limits<std::int64_t>::max()};
    return sum;
  }

  /// A copy takes as long as both of its sides.
  void report_lone_side(const std::vector<LabelIndex>& reads, const std::vector<LabelIndex>& writes,
                        const AccessSegment& segment) {
    if (!reads.empty() && !writes.empty()) return;
    const LabelIndex label = (reads.empty() ? writes : reads).front();
    const bool of_host = side(label) == LabelSide::host;
    const Element element = context_.model.element(segment.origin);
    context_.diagnostics.add(
        "AM0490", Severity::warning,
        fmt::format(
            "device task \"{}\" copies {} \"{}\", but {} no label of the {}, so the time of that side of the copy "
            "is missing; add the access to the label, or set gpu.copy if one side is all that takes time",
            context_.system.tasks[task_].name, reads.empty() ? "to" : "from", context_.system.labels[label].name,
            reads.empty() ? "reads" : "writes", of_host ? "device" : "host"),
        element.location(), element.path(), 1, {context_.system.tasks[task_].origin});
  }

  void add_copy(CopyKind kind, const std::vector<LabelIndex>& reads, const std::vector<LabelIndex>& writes,
                const AccessSegment& segment) {
    if (!forced_kind(segment)) report_lone_side(reads, writes, segment);
    for (const Origin access : segment.counted) context_.ignore(context_.model.element(access).child("statistic"));
    Copy copy{kind, reads, writes, std::max(total(reads), total(writes))};
    read_settings(segment, copy);
    const std::string name(kind_name(Activity{copy}));
    add(name, std::move(copy), segment.runnable, segment.origin);
  }

  void add(const std::string& kind, Activity activity, std::optional<RunnableIndex> runnable, Origin origin) {
    const std::size_t same = of_kind_[kind];
    GraphNode node;
    node.name = context_.system.tasks[task_].name + "." + kind + (same == 0 ? "" : std::to_string(same + 1));
    node.activity = std::move(activity);
    node.task = task_;
    node.runnable = runnable;
    node.origin = origin;
    push(std::move(node));
  }

  void push(GraphNode node) {
    ++of_kind_[std::string(kind_name(node.activity))];
    body_.push_back(std::move(node));
  }

  BuildContext& context_;
  RunnableAccesses& accesses_;
  BlockNeeds& needs_;
  TaskIndex task_;
  RawBody body_;
  std::map<std::string, std::size_t> of_kind_;  ///< activities of the body
  AccessSegment segment_;
  std::map<std::optional<RunnableIndex>, Part> parts_;
};

void check_ticks(BuildContext& context, TaskIndex task, UnitIndex on) {
  const ProcessingUnit& unit = context.system.platform.units[on];
  for (const GraphNode& node : context.raw_bodies[task]) {
    const auto* compute = std::get_if<Compute>(&node.activity);
    const auto* kernel = std::get_if<Kernel>(&node.activity);
    const Ticks* ticks = compute != nullptr ? &compute->ticks : kernel != nullptr ? &*kernel->ticks : nullptr;
    if (ticks == nullptr || ticks->on(unit.definition) != nullptr) continue;
    if (kernel != nullptr && kernel->instructions) continue;
    const auto& definitions = context.system.platform.definitions;
    const Element element = context.model.element(node.origin);
    context.error_unless_explained(
        "AM0314", element,
        fmt::format("{} has no ticks for \"{}\", the definition of \"{}\", which runs task \"{}\"; add an extended "
                    "entry or a default, or map the task elsewhere",
                    node.runnable ? fmt::format("runnable \"{}\"", context.system.runnables[*node.runnable].name)
                                  : std::string("this item"),
                    unit.definition < definitions.size() ? definitions[unit.definition].name : "?", unit.name,
                    context.system.tasks[task].name));
  }
}

/// Whether a mapping change moves the task from a CPU to a GPU, or back.
bool changes_side(const BuildContext& context, TaskIndex task) {
  const MappingChange* change = mapping_change_of(context, context.system.tasks[task].name);
  const auto index = context.mapping.task_allocation_of.find(context.task_elements[task]);
  if (change == nullptr || change->core.empty() || !index) return false;
  const views::TaskAllocation& allocation = context.mapping.tasks[*index];
  std::optional<UnitIndex> before;
  if (!allocation.affinity.empty())
    before = context.units.find(allocation.affinity.front());
  else if (const auto scheduler = context.schedulers.find(allocation.scheduler);
           scheduler && !context.system.platform.schedulers[*scheduler].units.empty())
    before = context.system.platform.schedulers[*scheduler].units.front();
  return before && (context.system.platform.units[*before].type == PuType::gpu) !=
                       (context.system.tasks[task].side == Side::device);
}

/// Default ticks count for every unit, but may be meant for the kind of unit in the model only.
void report_default_ticks(BuildContext& context, TaskIndex task) {
  if (!changes_side(context, task)) return;
  const ProcessingUnit& unit = context.system.platform.units[context.system.tasks[task].unit];
  for (const GraphNode& node : context.raw_bodies[task]) {
    const auto* compute = std::get_if<Compute>(&node.activity);
    const auto* kernel = std::get_if<Kernel>(&node.activity);
    const Ticks* ticks = compute != nullptr ? &compute->ticks : kernel != nullptr ? &*kernel->ticks : nullptr;
    if (ticks == nullptr || !ticks->otherwise || ticks->on(unit.definition) != &*ticks->otherwise) continue;
    const auto& definitions = context.system.platform.definitions;
    context.diagnostics.add(
        "AM0424", Severity::warning,
        fmt::format("task \"{}\" moves to \"{}\", {}, but {} states no ticks for it; the default ticks are used; add "
                    "an extended entry for \"{}\"",
                    context.system.tasks[task].name, unit.name, unit.type == PuType::gpu ? "a GPU" : "a CPU",
                    node.runnable ? fmt::format("runnable \"{}\"", context.system.runnables[*node.runnable].name)
                                  : std::string("an item"),
                    unit.definition < definitions.size() ? definitions[unit.definition].name : "?"),
        context.model.element(node.origin).location(), context.model.element(node.origin).path());
    return;
  }
}

/// Remembers calls and accesses that may not remain in the body: of device tasks all; of functions whose wrappers are
/// removed those of device labels and all of the wrapper.
void remember_contained(BuildContext& context, TaskIndex task) {
  const Task& of = context.system.tasks[task];
  const TaskIndex function = of.folded_into.value_or(task);
  const bool whole = of.folded_into || of.side == Side::device;
  const RawBody& body = context.raw_bodies[task];
  std::size_t certain = 0;  // from here on every job does it
  for (std::size_t i = 0; i < body.size(); ++i) {
    const Activity& activity = body[i].activity;
    if (std::holds_alternative<Terminate>(activity)) certain = body.size();
    if (const auto* branch = std::get_if<Branch>(&activity); branch != nullptr && i >= certain) {
      certain = i + 1;
      for (const Branch::Alternative& alternative : branch->alternatives) certain += alternative.length;
    }
    const auto label = accessed_label(body[i]);
    if (!label && !(whole && std::holds_alternative<Call>(activity))) continue;
    if (!whole && context.system.labels[*label].side != LabelSide::device) continue;
    const auto* read = std::get_if<ReadLabel>(&activity);
    const auto* write = std::get_if<WriteLabel>(&activity);
    const AccessCount count = read != nullptr ? read->count : write != nullptr ? write->count : AccessCount{};
    if (count.most > 0)
      context.system.tasks[function].contained.push_back(
          {body[i].runnable, label, write != nullptr, i >= certain && count.least > 0});
  }
}

}  // namespace

void fold_wrappers(BuildContext& context) {
  if (context.options.keep_wrappers) return;
  for (TaskIndex function = 0; function < context.system.tasks.size(); ++function) {
    const Task& task = context.system.tasks[function];
    if (task.side != Side::host || task.kind != ProcessKind::task ||
        !could_run_on_gpu(context, context.raw_bodies[function]))
      continue;
    const auto wrapper = only_trigger_of(context, function);
    if (wrapper && *wrapper != function && is_wrapper_of(context, *wrapper, function))
      fold(context, *wrapper, function);
  }
}

void shape_offloading(BuildContext& context) {
  // including the wrappers' own accesses: what they access is host data even if they are folded
  classify_labels(context);
  RunnableAccesses accesses(context);
  BlockNeeds needs;
  const std::vector<bool> device_like = device_like_tasks(context.system);
  for (TaskIndex task = 0; task < context.system.tasks.size(); ++task)
    if (context.system.tasks[task].folded_into || device_like[task]) remember_contained(context, task);
  for (TaskIndex task = 0; task < context.system.tasks.size(); ++task)
    if (context.system.tasks[task].folded_into) context.raw_bodies[task].clear();
  for (TaskIndex task = 0; task < context.system.tasks.size(); ++task) {
    if (context.system.tasks[task].side == Side::device) {
      context.raw_bodies[task] = DeviceShaper(context, accesses, needs, task).shape(context.raw_bodies[task]);
    } else {
      if (device_like[task]) drop_copies(context, task);
      for (const GraphNode& node : context.raw_bodies[task])
        if (const auto access = accesses.of(accessed_label(node) ? node.runnable : std::nullopt))
          context.system.runnables[*node.runnable].random_access = access->pattern == KernelAccess::Pattern::random;
    }
    check_ticks(context, task, context.system.tasks[task].unit);
    report_default_ticks(context, task);
    for (const UnitIndex unit : context.system.tasks[task].units)
      if (unit != context.system.tasks[task].unit) check_ticks(context, task, unit);
  }
  needs.report(context);
}

}  // namespace amalthea::importer::detail
