// SPDX-License-Identifier: Apache-2.0
#include "tests/support/system_file.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string_view>
#include <variant>

#include <fmt/core.h>

#include "importer/building/system_builder.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/support/variant.hpp"

namespace test {
namespace {

using namespace amalthea;

// ---------------------------------------------------------------- what a model can state

template <typename Item>
void make_unique(std::vector<Item>& items, std::string_view kind) {
  std::map<std::string, int> count;
  for (const Item& item : items) ++count[item.name];
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items[i].name.empty() || count[items[i].name] > 1)
      items[i].name = fmt::format("{}_{}", items[i].name.empty() ? std::string(kind) : items[i].name, i);
}

using Body = std::vector<GraphNode>;

/// Rewrites the body of one task.
class Rewriting {
 public:
  Rewriting(System& system, const std::map<EventIndex, std::vector<StimulusIndex>>& driven)
      : system_(system), driven_(driven) {}

  Body run(const Body& body) {
    Body made;
    copy(body, 0, body.size(), made);
    return made;
  }

 private:
  void copy(const Body& body, std::size_t begin, std::size_t end, Body& made) {
    for (std::size_t i = begin; i < end; ++i) {
      const GraphNode& node = body[i];
      if (const auto* section = as<Uninterruptible>(node.activity)) {
        // Sections within sections have no effect.
        if (section->begins ? depth_++ == 0 : --depth_ == 0) made.push_back(node);
      } else if (const auto* branch = as<Branch>(node.activity)) {
        std::size_t length = 0;
        for (const Branch::Alternative& alternative : branch->alternatives) length += alternative.length;
        copy_branch(body, i, *branch, made);
        i += length;
      } else {
        made.push_back(node);
        if (const auto* set = as<SetEvents>(node.activity))
          for (const EventIndex event : set->events) add_triggers(event, node, made);
      }
    }
  }

  void add_triggers(EventIndex event, const GraphNode& by, Body& made) {
    const auto found = driven_.find(event);
    if (found == driven_.end()) return;
    for (const StimulusIndex stimulus : found->second) {
      GraphNode node = by;
      node.name = system_.stimuli[stimulus].name;
      node.activity = Trigger{stimulus};
      made.push_back(std::move(node));
    }
  }

  /// Counted alternatives first, each on its own; then the others.
  void copy_branch(const Body& body, std::size_t at, const Branch& branch, Body& made) {
    std::vector<std::pair<std::size_t, Branch::Alternative>> others;
    bool counts = false;
    std::size_t begin = at + 1;
    for (const Branch::Alternative& alternative : branch.alternatives) {
      if (const auto* every = as<EveryNth>(alternative.guard)) {
        counts = true;
        copy_counted(body, begin, begin + alternative.length, *every, body[at], made);
      } else {
        others.emplace_back(begin, alternative);
      }
      begin += alternative.length;
    }
    if (others.empty()) return;
    if (counts && others.size() == 1 && as<Otherwise>(others.front().second.guard) != nullptr)
      return copy(body, others.front().first, others.front().first + others.front().second.length, made);
    const std::size_t place = made.size();
    made.push_back(body[at]);
    Branch rest;
    rest.repeats = branch.repeats;
    for (const auto& [first, alternative] : others) {
      const std::size_t size = made.size();
      copy(body, first, first + alternative.length, made);
      rest.alternatives.push_back({alternative.guard, made.size() - size});
    }
    made[place].activity = std::move(rest);
  }

  void copy_counted(const Body& body, std::size_t begin, std::size_t end, const EveryNth& every,
                    const GraphNode& branch, Body& made) {
    Body content;
    copy(body, begin, end, content);
    if (content.empty()) return;
    if (every.prescaler > 1 || every.offset > 0) {
      if (!has_counter(content)) wrap(content, branch);
      Branch counted;
      counted.alternatives.push_back({every, content.size()});
      made.push_back(branch);
      made.back().activity = std::move(counted);
    }
    made.insert(made.end(), content.begin(), content.end());
  }

  /// Whether it is a single item that a counter can be written to.
  static bool has_counter(const Body& content) {
    const Activity& first = content.front().activity;
    if (as<Call>(first) != nullptr)
      return std::none_of(content.begin() + 1, content.end(), [&](const GraphNode& node) {
        return node.depth < content.front().depth ||
               (as<Call>(node.activity) != nullptr && node.depth == content.front().depth);
      });
    return content.size() == 1 &&
           (as<Trigger>(first) != nullptr || as<SetEvents>(first) != nullptr || as<ClearEvents>(first) != nullptr ||
            as<WaitEvents>(first) != nullptr || as<Terminate>(first) != nullptr);
  }

  void wrap(Body& content, const GraphNode& around) {
    const auto runnable = static_cast<RunnableIndex>(system_.runnables.size());
    system_.runnables.push_back({fmt::format("counted{}", runnable), {}});
    for (GraphNode& node : content) {
      if (node.runnable == around.runnable) node.runnable = runnable;
      ++node.depth;
    }
    GraphNode call = around;
    call.activity = Call{};
    call.runnable = runnable;
    ++call.depth;
    content.insert(content.begin(), std::move(call));
  }

  System& system_;
  const std::map<EventIndex, std::vector<StimulusIndex>>& driven_;
  int depth_ = 0;  ///< of sections
};

void rewrite_bodies(System& system) {
  std::map<EventIndex, std::vector<StimulusIndex>> driven;
  for (StimulusIndex index = 0; index < system.stimuli.size(); ++index)
    if (auto* by = std::get_if<EventDriven>(&system.stimuli[index].occurrence)) {
      for (const EventIndex event : by->events) driven[event].push_back(index);
      by->events.clear();
    }
  std::vector<Body> bodies;
  for (const Task& task : system.tasks) {
    Body body;
    for (const NodeIndex node : task.body) body.push_back(system.graph[node]);
    bodies.push_back(Rewriting(system, driven).run(body));
  }
  system.graph = RunnableGraph();
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    system.tasks[task].body.clear();
    for (GraphNode& node : bodies[task]) system.tasks[task].body.push_back(system.graph.add(std::move(node)));
  }
}

void give_controllers(System& system) {
  auto& schedulers = system.platform.schedulers;
  std::map<std::pair<SchedulerIndex, std::vector<UnitIndex>>, SchedulerIndex> made;
  for (Task& task : system.tasks) {
    if (task.kind == ProcessKind::task || schedulers[task.scheduler].interrupt_controller) continue;
    const std::vector<UnitIndex> units = task.units.empty() ? std::vector{task.unit} : task.units;
    const auto [place, added] =
        made.try_emplace({task.scheduler, units}, static_cast<SchedulerIndex>(schedulers.size()));
    if (added) {
      Scheduler controller;
      controller.name = fmt::format("controller{}", schedulers.size());
      controller.kind = SchedulingAlgorithm::priority_based;
      controller.interrupt_controller = true;
      controller.units = units;
      controller.overhead = schedulers[task.scheduler].overhead;
      schedulers.push_back(std::move(controller));
    }
    task.scheduler = place->second;
  }
}

/// Deadlines that no requirement states.
void add_requirements(System& system) {
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    if (!task.deadline) continue;
    const bool stated =
        std::any_of(system.requirements.begin(), system.requirements.end(), [&](const Requirement& one) {
          const auto* subject = std::get_if<Requirement::OfProcess>(&one.subject);
          const auto* limit = std::get_if<Requirement::TimeLimit>(&one.limit);
          return subject != nullptr && subject->task == index && limit != nullptr && limit->value == task.deadline &&
                 limit->metric == TimeMetric::response_time && one.limit_type == Requirement::LimitType::upper;
        });
    if (stated) continue;
    Requirement requirement;
    requirement.name = "deadline of " + task.name;
    std::replace(requirement.name.begin(), requirement.name.end(), ' ', '_');
    requirement.kind = Requirement::Kind::process;
    requirement.subject = Requirement::OfProcess{index};
    requirement.subject_name = task.name;
    requirement.limit_type = Requirement::LimitType::upper;
    requirement.limit = Requirement::TimeLimit{TimeMetric::response_time, task.deadline};
    system.requirements.push_back(std::move(requirement));
  }
}

// ---------------------------------------------------------------- text

std::string escaped(std::string_view text) {
  std::string made;
  for (const char c : text) switch (c) {
      case '&':
        made += "&amp;";
        break;
      case '<':
        made += "&lt;";
        break;
      case '"':
        made += "&quot;";
        break;
      default:
        made += c;
    }
  return made;
}

/// `value="3" unit="us"`, in the largest unit in which it is whole.
std::string time_attributes(Duration time) {
  static constexpr std::pair<std::string_view, std::int64_t> units[] = {
      {"s", 1'000'000'000'000}, {"ms", 1'000'000'000}, {"us", 1'000'000}, {"ns", 1'000}, {"ps", 1}};
  for (const auto& [unit, factor] : units)
    if (time.picoseconds() % factor == 0 && !time.is_zero())
      return fmt::format("value=\"{}\" unit=\"{}\"", time.picoseconds() / factor, unit);
  return "value=\"0\" unit=\"ps\"";
}
std::string time(std::string_view tag, Duration value) { return fmt::format("<{} {}/>", tag, time_attributes(value)); }
std::string time(std::string_view tag, const std::optional<Duration>& value) { return value ? time(tag, *value) : ""; }

std::string times(std::string_view tag, const Distribution& of) {
  return fmt::format(
      "<{} xsi:type=\"am:TimeStatistics\">{}{}{}</{}>", tag, time("lowerBound", Duration::picoseconds(of.lower)),
      time("upperBound", Duration::picoseconds(of.upper)), time("average", Duration::picoseconds(of.average)), tag);
}

std::string cycles(std::string_view tag, const Cycles& of) {
  if (of.lower == of.upper)
    return fmt::format("<{} xsi:type=\"am:DiscreteValueConstant\" value=\"{}\"/>", tag, of.lower);
  return fmt::format(
      "<{} xsi:type=\"am:DiscreteValueStatistics\" lowerBound=\"{}\" upperBound=\"{}\" average=\"{}.0\"/>", tag,
      of.lower, of.upper, of.average);
}

std::string property(std::string_view key, std::string_view value) {
  return fmt::format(
      "<customProperties key=\"{}\"><value xsi:type=\"am:StringObject\" value=\"{}\"/></customProperties>", key,
      escaped(value));
}
std::string property_if(std::string_view key, std::string_view value) {
  return value.empty() ? std::string() : property(key, value);
}

std::string counter(const EveryNth& every) {
  if (every.prescaler <= 1 && every.offset <= 0) return "";
  return fmt::format("<counter prescaler=\"{}\" offset=\"{}\"/>", every.prescaler, every.offset);
}

std::string_view name_of(Relation relation) {
  switch (relation) {
    case Relation::equal:
      return "EQUAL";
    case Relation::not_equal:
      return "NOT_EQUAL";
    case Relation::less:
      return "LESS_THAN";
    case Relation::less_or_equal:
      return "LESS_THAN_OR_EQUAL";
    case Relation::greater:
      return "GREATER_THAN";
    case Relation::greater_or_equal:
      return "GREATER_THAN_OR_EQUAL";
  }
  return "";
}

std::string_view class_of(const Stimulus& stimulus) {
  static constexpr std::string_view names[] = {"PeriodicStimulus",
                                               "SingleStimulus",
                                               "InterProcessStimulus",
                                               "RelativePeriodicStimulus",
                                               "PeriodicSyntheticStimulus",
                                               "PeriodicBurstStimulus",
                                               "ArrivalCurveStimulus",
                                               "VariableRateStimulus",
                                               "EventStimulus"};
  return names[static_cast<const OccurrenceKinds&>(stimulus.occurrence).index()];
}

using Texts = std::vector<std::string>;

class Writer {
 public:
  Writer(const System& system, const ModelText& form)
      : system_(system), form_(form), random_(form.shuffled.value_or(0)) {}

  std::string write() {
    hardware();
    operating_system();
    stimuli();
    software();
    constraints();
    mapping();
    Texts parameters;
    for (const std::string& name : parameters_)
      parameters.push_back(fmt::format("<schedulingParameterDefinitions name=\"{}\" type=\"{}\"/>", name,
                                       name == "priority" ? "Integer" : "Time"));
    os_ += join(parameters);
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<am:Amalthea xmi:version=\"2.0\" "
        "xmlns:xmi=\"http://www.omg.org/XMI\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
        "xmlns:am=\"http://app4mc.eclipse.org/amalthea/3.3.0\">\n<swModel>\n{}</swModel>\n<hwModel>\n{}</hwModel>\n"
        "<osModel>\n{}</osModel>\n<stimuliModel>\n{}</stimuliModel>\n<eventModel>\n{}</eventModel>\n"
        "<constraintsModel>\n{}</constraintsModel>\n<mappingModel>\n{}</mappingModel>\n</am:Amalthea>\n",
        software_, hardware_, os_, stimuli_, join(events_), constraints_, mapping_);
  }

 private:
  // ---- names and references

  std::string called(std::string_view name) const { return escaped(form_.prefix + std::string(name)); }
  std::string named(std::string_view name) const { return fmt::format("name=\"{}\"", called(name)); }
  std::string ref(std::string_view name, std::string_view type) const {
    return fmt::format("{}?type={}", called(name), type);
  }
  std::string task(TaskIndex index) const {
    const Task& task = system_.tasks[index];
    return ref(task.name, task.kind == ProcessKind::task ? "Task" : "ISR");
  }
  std::string runnable(RunnableIndex index) const { return ref(system_.runnables[index].name, "Runnable"); }
  std::string label(LabelIndex index) const { return ref(system_.labels[index].name, "Label"); }
  std::string stimulus(StimulusIndex index) const {
    return ref(system_.stimuli[index].name, class_of(system_.stimuli[index]));
  }
  std::string mode(ModeIndex index) const { return ref(system_.modes[index].name, "ModeLabel"); }
  std::string unit(UnitIndex index) const { return ref(system_.platform.units[index].name, "ProcessingUnit"); }
  std::string memory(MemoryIndex index) const { return ref(system_.platform.memories[index].name, "Memory"); }
  std::string semaphore(SemaphoreIndex index) const { return ref(system_.semaphores[index].name, "Semaphore"); }
  std::string scheduler(SchedulerIndex index) const {
    const Scheduler& one = system_.platform.schedulers[index];
    return ref(one.name, one.interrupt_controller ? "InterruptController" : "TaskScheduler");
  }

  std::string join(Texts lines) {
    if (form_.shuffled) std::shuffle(lines.begin(), lines.end(), random_);
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }
  /// Blank-separated references; in this order.
  template <typename Index, typename Reference>
  static std::string list(const std::vector<Index>& indices, Reference reference) {
    std::string text;
    for (const Index index : indices) text += (text.empty() ? "" : " ") + reference(index);
    return text;
  }
  std::string units(const std::vector<UnitIndex>& indices) const {
    return list(indices, [&](UnitIndex index) { return unit(index); });
  }
  std::string tasks(const std::vector<TaskIndex>& indices) const {
    return list(indices, [&](TaskIndex index) { return task(index); });
  }
  std::string labels(const std::vector<LabelIndex>& indices) const {
    return list(indices, [&](LabelIndex index) { return label(index); });
  }

  // ---- hardware

  void hardware() {
    const Platform& platform = system_.platform;
    Texts definitions, modules, domains;
    for (const ProcessingUnitDefinition& definition : platform.definitions)
      definitions.push_back(fmt::format("<definitions xsi:type=\"am:ProcessingUnitDefinition\" {} puType=\"{}\"/>",
                                        named(definition.name),
                                        definition.type == PuType::gpu   ? "GPU"
                                        : definition.type == PuType::cpu ? "CPU"
                                                                         : "Accelerator"));
    definitions.push_back(fmt::format("<definitions xsi:type=\"am:MemoryDefinition\" {}/>", named("Ram")));
    std::set<std::int64_t> lines;
    for (const ProcessingUnit& one : platform.units) {
      lines.insert(one.cache_line.bytes);
      std::string settings, accesses;
      for (const UnitSetting& setting : one.settings) settings += property_if(setting.property, setting.value);
      for (std::size_t i = 0; i < one.accesses.size(); ++i) {
        const MemoryAccess& access = one.accesses[i];
        accesses += fmt::format("<accessElements name=\"access{}\" destination=\"{}\">{}{}", i, memory(access.memory),
                                cycles("readLatency", access.read), cycles("writeLatency", access.write));
        if (access.data_rate.bytes_per_second > 0)
          accesses += fmt::format("<dataRate value=\"{}\" unit=\"BPerSecond\"/>", access.data_rate.bytes_per_second);
        accesses += "</accessElements>";
      }
      modules.push_back(fmt::format(
          "<modules xsi:type=\"am:ProcessingUnit\" {} frequencyDomain=\"{}\" definition=\"{}\">{}{}{}{}{}"
          "<caches {} definition=\"{}\"/></modules>",
          named(one.name), ref("clock_" + one.name, "FrequencyDomain"),
          ref(platform.definitions[one.definition].name, "ProcessingUnitDefinition"),
          property_if("gpu.platform", one.device_profile), property_if("gpu.warpPolicy", one.warp_policy),
          property_if("gpu.warpPipelines", one.warp_pipelines),
          property_if("gpu.contextScheduling", one.context_scheduling) + settings, accesses, named("cache_" + one.name),
          ref(fmt::format("Lines{}", one.cache_line.bytes), "CacheDefinition")));
      domains.push_back(
          fmt::format("<domains xsi:type=\"am:FrequencyDomain\" {}><defaultValue value=\"{}\" unit=\"Hz\"/></domains>",
                      named("clock_" + one.name), static_cast<double>(one.frequency.millihertz()) / 1000));
    }
    for (const std::int64_t line : lines)
      definitions.push_back(fmt::format(
          "<definitions xsi:type=\"am:CacheDefinition\" {}><lineSize value=\"{}\" unit=\"B\"/></definitions>",
          named(fmt::format("Lines{}", line)), line));
    for (const Memory& one : platform.memories)
      modules.push_back(fmt::format("<modules xsi:type=\"am:Memory\" {} definition=\"{}\"/>", named(one.name),
                                    ref("Ram", "MemoryDefinition")));
    hardware_ = fmt::format("{}<structures {} structureType=\"System\">\n{}</structures>\n{}", join(definitions),
                            named(platform.name), join(modules), join(domains));
  }

  // ---- operating system

  std::string ticks_content(const Ticks& ticks) {
    std::string text;
    if (ticks.otherwise) text += cycles("default", *ticks.otherwise);
    for (const auto& [definition, of] : ticks.extended)
      text += fmt::format("<extended key=\"{}\">{}</extended>",
                          ref(system_.platform.definitions[definition].name, "ProcessingUnitDefinition"),
                          cycles("value", of));
    return text;
  }
  std::string ticks(std::string_view tag, const std::optional<Ticks>& of) {
    return of ? fmt::format("<{}>{}</{}>", tag, ticks_content(*of), tag) : std::string();
  }

  std::string overhead(const std::string& name, const OverheadTicks& of) {
    return fmt::format(
        "<osOverheads {}><apiOverhead>{}{}{}{}{}{}{}{}{}{}</apiOverhead><isrCategory1Overhead>{}{}"
        "</isrCategory1Overhead><isrCategory2Overhead>{}{}</isrCategory2Overhead></osOverheads>",
        named(name), ticks("apiActivateTask", of.activate_task), ticks("apiTerminateTask", of.terminate_task),
        ticks("apiSetEvent", of.set_event), ticks("apiWaitEvent", of.wait_event),
        ticks("apiClearEvent", of.clear_event), ticks("apiRequestResource", of.request_resource),
        ticks("apiReleaseResource", of.release_resource), ticks("apiRequestSpinlock", of.request_spinlock),
        ticks("apiReleaseSpinlock", of.release_spinlock), ticks("apiSchedule", of.schedule_point),
        ticks("preExecutionOverhead", of.isr_category1_before), ticks("postExecutionOverhead", of.isr_category1_after),
        ticks("preExecutionOverhead", of.isr_category2_before), ticks("postExecutionOverhead", of.isr_category2_after));
  }

  std::string parameter(std::string_view name, std::string_view value) {
    parameters_.insert(std::string(name));
    return fmt::format(
        "<schedulingParameters key=\"{}?type=SchedulingParameterDefinition\"><value xsi:type=\"am:{}/></"
        "schedulingParameters>",
        name, value);
  }
  std::string time_parameter(std::string_view name, const std::optional<Duration>& value) {
    return value ? parameter(name, fmt::format("Time\" {}", time_attributes(*value))) : std::string();
  }
  std::string number_parameter(std::string_view name, std::int64_t value) {
    return parameter(name, fmt::format("IntegerObject\" value=\"{}\"", value));
  }

  /// One operating system per scheduler, since each may have other overheads.
  void operating_system() {
    Texts systems, overheads, definitions, semaphores;
    std::set<std::string> algorithms;
    for (const Scheduler& one : system_.platform.schedulers) {
      const std::string algorithm(to_string(one.kind));
      algorithms.insert(algorithm);
      const std::string own = time_parameter("timeSliceLength", one.time_slice) +
                              time_parameter("minimumTimeslice", one.minimum_time_slice) +
                              time_parameter("maximumTimeslice", one.maximum_time_slice);
      std::string share = time_parameter("capacity", one.share.budget) + time_parameter("period", one.share.period);
      if (one.parent)
        share = fmt::format("<parentAssociation parent=\"{}\">{}{}</parentAssociation>", scheduler(*one.parent),
                            number_parameter("priority", one.share.priority), share);
      const std::string_view tag = one.interrupt_controller ? "interruptControllers" : "taskSchedulers";
      std::string overhead_of;
      if (one.overhead) {
        const std::string name = "overhead_" + one.name;
        overheads.push_back(overhead(name, *one.overhead));
        overhead_of = fmt::format(" overhead=\"{}\"", ref(name, "OsOverhead"));
      }
      systems.push_back(fmt::format(
          "<operatingSystems {}{}><{} {} definition=\"{}?type=SchedulerDefinition\">{}{}</{}></operatingSystems>",
          named("os_" + one.name), overhead_of, tag, named(one.name), algorithm, own, share, tag));
    }
    for (const std::string& algorithm : algorithms)
      definitions.push_back(fmt::format("<schedulerDefinitions name=\"{}\"/>", algorithm));
    for (const Semaphore& one : system_.semaphores)
      semaphores.push_back(
          fmt::format("<semaphores {} semaphoreType=\"{}\" initialValue=\"{}\" maxValue=\"{}\" "
                      "priorityCeilingProtocol=\"{}\"/>",
                      named(one.name),
                      one.spinlock       ? "Spinlock"
                      : one.capacity > 1 ? "CountingSemaphore"
                                         : "Resource",
                      one.capacity - one.free, one.capacity, one.priority_ceiling));
    os_ = join(semaphores) + join(systems) + join(overheads) + join(definitions);
  }

  // ---- conditions

  std::string test(const ModeTest& test) const {
    if (test.other)
      return fmt::format("<entries xsi:type=\"am:ModeLabelCondition\" relation=\"{}\" label1=\"{}\" label2=\"{}\"/>",
                         name_of(test.relation), mode(test.mode), mode(*test.other));
    return fmt::format("<entries xsi:type=\"am:ModeValueCondition\" relation=\"{}\" label=\"{}\" value=\"{}\"/>",
                       name_of(test.relation), mode(test.mode), value(test.mode, test.value));
  }
  std::string value(ModeIndex index, std::int64_t number) const {
    return escaped(mode_value_name(system_.modes[index], number));
  }
  std::string condition(std::string_view tag, const ModeCondition& of) const {
    std::string text;
    for (const auto& conjunction : of.any_of) {
      std::string tests;
      for (const ModeTest& one : conjunction) tests += test(one);
      text += conjunction.size() == 1
                  ? tests
                  : fmt::format("<entries xsi:type=\"am:ConditionConjunction\">{}</entries>", tests);
    }
    return fmt::format("<{}>{}</{}>", tag, text, tag);
  }

  // ---- stimuli

  void stimuli() {
    Texts lines;
    for (StimulusIndex index = 0; index < system_.stimuli.size(); ++index) {
      const Stimulus& one = system_.stimuli[index];
      std::string content, attributes;
      if (!one.sets.empty()) {
        content += "<setModeValueList>";
        for (const ModeSetting& set : one.sets)
          content += fmt::format("<entries label=\"{}\" value=\"{}\"/>", mode(set.mode), value(set.mode, set.value));
        content += "</setModeValueList>";
      }
      if (one.condition) content += condition("executionCondition", *one.condition);
      occurrence(index, content, attributes);
      lines.push_back(fmt::format("<stimuli xsi:type=\"am:{}\" {}{}>{}</stimuli>", class_of(one), named(one.name),
                                  attributes, content));
    }
    stimuli_ = join(lines);
  }

  void occurrence(StimulusIndex index, std::string& content, std::string& attributes) {
    const Stimulus& one = system_.stimuli[index];
    const auto fixed = [&](Duration period, Duration offset) {
      content += time("recurrence", period);
      if (!offset.is_zero()) content += time("offset", offset);
    };
    if (const auto* periodic = as<Periodic>(one.occurrence)) {
      fixed(periodic->period, periodic->offset);
      if (periodic->jitter.upper > 0) content += times("jitter", periodic->jitter);
      if (!periodic->minimum_distance.is_zero()) content += time("minDistance", periodic->minimum_distance);
    } else if (const auto* single = as<Single>(one.occurrence)) {
      content += time("occurrence", single->occurrence);
    } else if (const auto* sporadic = as<Sporadic>(one.occurrence)) {
      content += time("offset", sporadic->offset) + times("nextOccurrence", sporadic->distance);
    } else if (const auto* synthetic = as<Synthetic>(one.occurrence)) {
      fixed(synthetic->period, synthetic->offset);
      for (const Duration at : synthetic->occurrences) content += time("occurrenceTimes", at);
    } else if (const auto* burst = as<Burst>(one.occurrence)) {
      fixed(burst->period, burst->offset);
      attributes += fmt::format(" occurrenceCount=\"{}\"", burst->occurrences);
      content += time("burstLength", burst->length) + time("occurrenceMinDistance", burst->minimum_distance);
    } else if (const auto* curve = as<ArrivalCurve>(one.occurrence)) {
      for (const ArrivalCurve::Entry& entry : curve->entries)
        content += fmt::format("<entries numberOfOccurrences=\"{}\">{}{}</entries>", entry.count,
                               time("lowerTimeBorder", entry.lower), time("upperTimeBorder", entry.upper));
    } else if (const auto* rate = as<VariableRate>(one.occurrence)) {
      const auto real = [](std::int64_t millionths) { return static_cast<double>(millionths) / 1e6; };
      if (rate->largest_increase) attributes += fmt::format(" maxIncreasePerStep=\"{}\"", *rate->largest_increase);
      if (rate->largest_decrease) attributes += fmt::format(" maxDecreasePerStep=\"{}\"", *rate->largest_decrease);
      content += time("step", rate->step);
      content += fmt::format(
          "<occurrencesPerStep xsi:type=\"am:ContinuousValueStatistics\" lowerBound=\"{}\" upperBound=\"{}\" "
          "average=\"{}\"/>",
          real(rate->occurrences.lower), real(rate->occurrences.upper), real(rate->occurrences.average));
    } else if (as<EventDriven>(one.occurrence) != nullptr) {
      const std::string event = "cause_" + one.name;
      events_.push_back(fmt::format("<events xsi:type=\"am:CustomEvent\" {}/>", named(event)));
      attributes += fmt::format(" triggeringEvents=\"{}\"", ref(event, "CustomEvent"));
      content += counter(one.counter);
    } else {
      content += counter(one.counter);
    }
  }

  // ---- software

  const GraphNode& node(TaskIndex task, std::size_t at) const { return system_.graph[system_.tasks[task].body[at]]; }

  std::string mask(const std::vector<EventIndex>& events) const {
    return fmt::format("<eventMask events=\"{}\"/>",
                       list(events, [&](EventIndex index) { return ref(system_.events[index].name, "OsEvent"); }));
  }

  std::string access(LabelIndex index, bool write, const AccessCount& count = {}) const {
    const std::string start = fmt::format("<items xsi:type=\"am:LabelAccess\" data=\"{}\" access=\"{}\"", label(index),
                                          write ? "write" : "read");
    if (count.least == 1 && count.average == 1 && count.most == 1) return start + "/>";
    return start + fmt::format(
                       "><statistic><value xsi:type=\"am:MinAvgMaxStatistic\" min=\"{}\" avg=\"{}.0\" "
                       "max=\"{}\"/></statistic></items>",
                       count.least, count.average, count.most);
  }

  void define(const std::string& name, const std::string& properties, const std::string& items) {
    std::string text =
        fmt::format("<runnables {}>{}<activityGraph>{}</activityGraph></runnables>", named(name), properties, items);
    const auto [place, added] = runnables_.try_emplace(name, text);
    if (!added && place->second != text)
      throw std::invalid_argument(fmt::format("runnable {} is called with different contents", name));
  }

  std::size_t length_of(const Branch& branch) const {
    std::size_t length = 0;
    for (const Branch::Alternative& alternative : branch.alternatives) length += alternative.length;
    return length;
  }

  /// Items of the activities [begin, end), which are in calls of this depth.
  std::string items(TaskIndex task, std::size_t begin, std::size_t end, std::uint32_t depth) {
    std::string text;
    for (std::size_t i = begin; i < end; ++i) {
      const GraphNode& one = node(task, i);
      if (as<Call>(one.activity) != nullptr) {
        const std::size_t after = end_of_call(task, i, end);
        text += call(task, i, after, "");
        i = after - 1;
      } else if (const auto* section = as<Uninterruptible>(one.activity)) {
        if (!section->begins) throw std::invalid_argument("a section ends where it does not begin");
        std::size_t last = i + 1;
        while (last < end && as<Uninterruptible>(node(task, last).activity) == nullptr) ++last;
        if (last == end) throw std::invalid_argument("a section does not end where it begins");
        text += fmt::format("<items xsi:type=\"am:Group\" name=\"section\" interruptible=\"false\">{}</items>",
                            items(task, i + 1, last, depth));
        i = last;
      } else if (const auto* branch = as<Branch>(one.activity)) {
        text += this->branch(task, i, *branch, depth);
        i += length_of(*branch);
      } else {
        text += item(task, i, "");
      }
    }
    return text;
  }

  std::size_t end_of_call(TaskIndex task, std::size_t at, std::size_t end) const {
    const std::uint32_t depth = node(task, at).depth;
    std::size_t after = at + 1;
    while (after < end && node(task, after).depth >= depth &&
           !(as<Call>(node(task, after).activity) != nullptr && node(task, after).depth == depth))
      ++after;
    return after;
  }

  std::string call(TaskIndex task, std::size_t at, std::size_t end, const std::string& counter_text) {
    const GraphNode& one = node(task, at);
    const Runnable& called = system_.runnables[*one.runnable];
    define(called.name, called.random_access ? property("gpu.access", "random") : "",
           items(task, at + 1, end, one.depth));
    return fmt::format("<items xsi:type=\"am:RunnableCall\" runnable=\"{}\">{}</items>", runnable(*one.runnable),
                       counter_text);
  }

  std::string branch(TaskIndex task, std::size_t at, const Branch& branch, std::uint32_t depth) {
    if (branch.alternatives.empty()) return "";
    std::size_t begin = at + 1;
    if (const auto* every = as<EveryNth>(branch.alternatives.front().guard)) {
      if (as<Call>(node(task, begin).activity) != nullptr)
        return call(task, begin, begin + branch.alternatives.front().length, counter(*every));
      return item(task, begin, counter(*every));
    }
    std::string text;
    const bool by_chance = as<Probability>(branch.alternatives.front().guard) != nullptr;
    for (const Branch::Alternative& alternative : branch.alternatives) {
      const std::string content = items(task, begin, begin + alternative.length, depth);
      begin += alternative.length;
      if (branch.repeats)
        return fmt::format("<items xsi:type=\"am:WhileLoop\">{}{}</items>", content,
                           condition("condition", std::get<ModeCondition>(alternative.guard)));
      if (const auto* chance = as<Probability>(alternative.guard))
        text += fmt::format("<entries probability=\"{}\">{}</entries>", chance->weight, content);
      else if (const auto* when = as<ModeCondition>(alternative.guard))
        text += fmt::format("<entries>{}{}</entries>", content, condition("condition", *when));
      else
        text += fmt::format("<defaultEntry>{}</defaultEntry>", content);
    }
    return fmt::format("<items xsi:type=\"am:{}\">{}</items>", by_chance ? "ProbabilitySwitch" : "Switch", text);
  }

  std::string item(TaskIndex task, std::size_t at, const std::string& more) {
    const GraphNode& one = node(task, at);
    const Activity& activity = one.activity;
    if (const auto* read = as<ReadLabel>(activity)) return access(read->label, false, read->count);
    if (const auto* write = as<WriteLabel>(activity)) return access(write->label, true, write->count);
    if (const auto* compute = as<Compute>(activity))
      return fmt::format("<items xsi:type=\"am:Ticks\">{}</items>", ticks_content(compute->ticks));
    if (const auto* trigger = as<Trigger>(activity)) {
      const Stimulus& target = system_.stimuli[trigger->stimulus];
      if (std::holds_alternative<EventDriven>(target.occurrence))
        return fmt::format("<items xsi:type=\"am:CustomEventTrigger\" event=\"{}\"/>",
                           ref("cause_" + target.name, "CustomEvent"));
      return fmt::format("<items xsi:type=\"am:InterProcessTrigger\" stimulus=\"{}\">{}</items>",
                         stimulus(trigger->stimulus), more);
    }
    if (const auto* set = as<SetEvents>(activity))
      return fmt::format("<items xsi:type=\"am:SetEvent\"{}>{}{}</items>",
                         set->task ? fmt::format(" process=\"{}\"", this->task(*set->task)) : std::string(),
                         mask(set->events), more);
    if (const auto* clear = as<ClearEvents>(activity))
      return fmt::format("<items xsi:type=\"am:ClearEvent\">{}{}</items>", mask(clear->events), more);
    if (const auto* wait = as<WaitEvents>(activity))
      return fmt::format("<items xsi:type=\"am:WaitEvent\" maskType=\"{}\" waitingBehaviour=\"{}\">{}{}</items>",
                         wait->all ? "AND" : "OR", wait->active ? "active" : "passive", mask(wait->events), more);
    if (const auto* use = as<UseSemaphore>(activity)) {
      static constexpr std::string_view operations[] = {"request", "exclusive", "release"};
      return fmt::format(
          "<items xsi:type=\"am:SemaphoreAccess\" semaphore=\"{}\" access=\"{}\" waitingBehaviour=\"{}\"/>",
          semaphore(use->semaphore), operations[static_cast<std::size_t>(use->operation)],
          use->active ? "active" : "passive");
    }
    if (const auto* set = as<SetMode>(activity)) {
      static constexpr std::string_view operations[] = {"set", "increment", "decrement"};
      return fmt::format(
          "<items xsi:type=\"am:ModeLabelAccess\" data=\"{}\" access=\"{}\" {}=\"{}\"/>", mode(set->mode),
          operations[static_cast<std::size_t>(set->operation)],
          set->operation == SetMode::Operation::set ? "value" : "step",
          set->operation == SetMode::Operation::set ? value(set->mode, set->value) : std::to_string(set->value));
    }
    if (as<SchedulePoint>(activity) != nullptr) return "<items xsi:type=\"am:SchedulePoint\"/>";
    if (as<Terminate>(activity) != nullptr)
      return fmt::format("<items xsi:type=\"am:TerminateProcess\">{}</items>", more);
    if (as<Copy>(activity) != nullptr || as<Kernel>(activity) != nullptr) return operation(task, at);
    throw std::invalid_argument(fmt::format("{} in {} has no form", kind_name(activity), system_.tasks[task].name));
  }

  /// An operation of a GPU: a runnable.
  std::string operation(TaskIndex task, std::size_t at) {
    const GraphNode& one = node(task, at);
    const std::string name = fmt::format("{}_operation{}", system_.tasks[task].name, at);
    std::string properties, content;
    if (const auto* copy = as<Copy>(one.activity)) {
      properties = property("gpu.copy", copy->kind == CopyKind::host_to_device   ? "h2d"
                                        : copy->kind == CopyKind::device_to_host ? "d2h"
                                                                                 : "memset");
      if (copy->pageable) properties += property("gpu.hostMemory", "pageable");
      if (copy->time) properties += property("gpu.copyTime", fmt::format("{} ps", copy->time->picoseconds()));
      for (const LabelIndex label : copy->sources) content += access(label, false);
      for (const LabelIndex label : copy->destinations) content += access(label, true);
    } else {
      const auto& kernel = std::get<Kernel>(one.activity);
      properties = property("gpu.memoryIntensity", fmt::format("{}", kernel.memory_intensity));
      if (kernel.launch) {
        properties += property("gpu.grid", std::to_string(kernel.launch->blocks)) +
                      property("gpu.block", std::to_string(kernel.launch->threads)) +
                      property_if("gpu.cacheConfig", kernel.launch->cache_config) +
                      property_if("gpu.smMask", kernel.launch->sm_mask);
        if (kernel.costs) {
          const KernelCosts& costs = *kernel.costs;
          properties += property_if("gpu.like", costs.like);
          if (costs.full_speed_threads)
            properties += property("gpu.fullSpeedThreads", std::to_string(*costs.full_speed_threads));
          if (costs.weight) properties += property("gpu.weight", fmt::format("{}", *costs.weight));
          if (costs.dispatch)
            properties += property("gpu.dispatch", fmt::format("{} ps", costs.dispatch->picoseconds()));
        }
        if (kernel.launch->registers > 0)
          properties += property("gpu.registers", std::to_string(kernel.launch->registers));
        if (kernel.launch->shared_memory > 0)
          properties += property("gpu.sharedMemory", std::to_string(kernel.launch->shared_memory));
      }
      if (kernel.instructions)
        properties += property("gpu.instructions", kernel.instructions->text) +
                      property("gpu.budget", std::to_string(kernel.instructions->budget));
      else
        content = fmt::format("<items xsi:type=\"am:Ticks\">{}</items>", ticks_content(*kernel.ticks));
    }
    define(name, properties, content);
    return fmt::format("<items xsi:type=\"am:RunnableCall\" runnable=\"{}\"/>", ref(name, "Runnable"));
  }

  void software() {
    std::vector<std::vector<StimulusIndex>> activated_by(system_.tasks.size());
    for (StimulusIndex index = 0; index < system_.stimuli.size(); ++index)
      for (const TaskIndex task : system_.stimuli[index].activates) activated_by[task].push_back(index);
    Texts tasks, labels, modes, mode_labels, events, runnables;
    for (TaskIndex index = 0; index < system_.tasks.size(); ++index)
      tasks.push_back(process(index, activated_by[index]));
    for (const Runnable& one : system_.runnables)
      if (!runnables_.contains(one.name)) define(one.name, "", "");
    for (const auto& [name, text] : runnables_) runnables.push_back(text);
    std::map<LabelIndex, std::string> section_of;
    Texts sections;
    for (const TimingConstraint& constraint : system_.constraints)
      if (const auto* placement = as<SectionPlacement>(constraint.kind)) {
        sections.push_back(fmt::format("<sections {}/>", named(placement->section)));
        for (const LabelIndex label : placement->labels) section_of[label] = placement->section;
      }
    for (LabelIndex index = 0; index < system_.labels.size(); ++index) {
      const auto section = section_of.find(index);
      labels.push_back(fmt::format(
          "<labels {}{}><size value=\"{}\" unit=\"B\"/></labels>", named(system_.labels[index].name),
          section == section_of.end() ? "" : fmt::format(" section=\"{}\"", ref(section->second, "Section")),
          system_.labels[index].size.bytes));
    }
    for (ModeIndex index = 0; index < system_.modes.size(); ++index) {
      const Mode& one = system_.modes[index];
      std::string literals;
      for (const std::string& literal : one.literals ? *one.literals : std::vector<std::string>())
        literals += fmt::format("<literals name=\"{}\"/>", literal);
      const std::string_view type = one.literals == nullptr ? "NumericMode" : "EnumMode";
      modes.push_back(fmt::format("<modes xsi:type=\"am:{}\" {}>{}</modes>", type, named("of_" + one.name), literals));
      mode_labels.push_back(fmt::format("<modeLabels {} mode=\"{}\" initialValue=\"{}\"/>", named(one.name),
                                        ref("of_" + one.name, type), value(index, one.initial)));
    }
    for (const OsEvent& one : system_.events) events.push_back(fmt::format("<events {}/>", named(one.name)));
    software_ =
        join(tasks) + join(runnables) + join(labels) + join(sections) + join(events) + join(modes) + join(mode_labels);
  }

  std::string process(TaskIndex index, const std::vector<StimulusIndex>& by) {
    const Task& one = system_.tasks[index];
    const bool interrupt = one.kind != ProcessKind::task;
    std::string attributes, properties;
    if (!by.empty())
      attributes = fmt::format(" stimuli=\"{}\"", list(by, [&](StimulusIndex each) { return stimulus(each); }));
    if (interrupt) {
      attributes +=
          fmt::format(" category=\"{}\"", one.kind == ProcessKind::isr_category1 ? "CATEGORY_1" : "CATEGORY_2");
    } else {
      static constexpr std::string_view preemptions[] = {"preemptive", "cooperative", "non_preemptive"};
      attributes += fmt::format(" preemption=\"{}\" multipleTaskActivationLimit=\"{}\"",
                                preemptions[static_cast<std::size_t>(one.preemption)], one.activation_limit);
    }
    if (one.side == Side::device) {
      const GpuShare& gpu = one.gpu;
      static constexpr std::string_view levels[] = {"low", "low", "medium", "high"};
      properties = property_if("gpu.context", gpu.context.empty() ? "" : form_.prefix + gpu.context) +
                   property("gpu.contextPriority", levels[gpu.runlist_slots]) +
                   property_if("gpu.stream", gpu.stream.empty() ? "" : form_.prefix + gpu.stream) +
                   property_if("gpu.nullStream", gpu.null_stream ? "true" : "") +
                   property("gpu.priority", gpu.high_priority ? "high" : "low") +
                   property_if("gpu.cuMask", gpu.cu_mask) + property_if("gpu.smMask", gpu.sm_mask);
      if (gpu.hsa_queue) properties += property("gpu.hsaQueue", std::to_string(*gpu.hsa_queue));
      if (gpu.ace) properties += property("gpu.ace", std::to_string(*gpu.ace));
      if (gpu.mps_share > 0) properties += property("gpu.mpsShare", fmt::format("{}", gpu.mps_share));
      if (one.time_slice) properties += property("gpu.timeslice", fmt::format("{} ps", one.time_slice->picoseconds()));
    }
    const std::string_view tag = interrupt ? "isrs" : "tasks";
    return fmt::format("<{} {}{}>{}<activityGraph>{}</activityGraph></{}>", tag, named(one.name), attributes,
                       properties, items(index, 0, one.body.size(), 0), tag);
  }

  // ---- constraints

  /// Constraints share events that are alike.
  std::string event(const std::string& name, std::string_view cls, const std::string& attributes) {
    std::string text = fmt::format("<events xsi:type=\"am:{}\" {}{}/>", cls, named(name), attributes);
    if (std::find(events_.begin(), events_.end(), text) == events_.end()) events_.push_back(std::move(text));
    return ref(name, cls);
  }
  static std::string attribute(std::string_view name, const std::string& value) {
    return fmt::format(" {}=\"{}\"", name, value);
  }
  template <typename Index, typename Reference>
  static std::string attribute_if(std::string_view name, const std::optional<Index>& index, Reference reference) {
    return index ? attribute(name, reference(*index)) : std::string();
  }
  static std::string type(EventAction action) {
    return action == EventAction::any ? "" : attribute("eventType", std::string(to_string(action)));
  }

  std::string event(const ObservableEvent& of) {
    const auto task_of = [&](TaskIndex index) { return task(index); };
    const auto runnable_of = [&](RunnableIndex index) { return runnable(index); };
    const auto unit_of = [&](UnitIndex index) { return unit(index); };
    if (const auto* process = as<ObservableEvent::OfProcess>(of.what))
      return event(of.name, "ProcessEvent",
                   type(process->action) + attribute_if("entity", process->task, task_of) +
                       attribute_if("processingUnit", process->unit, unit_of));
    if (const auto* execution = as<ObservableEvent::OfRunnable>(of.what))
      return event(of.name, "RunnableEvent",
                   type(execution->action) + attribute_if("entity", execution->runnable, runnable_of) +
                       attribute_if("process", execution->task, task_of) +
                       attribute_if("processingUnit", execution->unit, unit_of));
    if (const auto* accessed = as<ObservableEvent::OfLabel>(of.what))
      return event(of.name, "LabelEvent",
                   type(accessed->action) +
                       attribute_if("entity", accessed->label, [&](LabelIndex index) { return label(index); }) +
                       attribute_if("runnable", accessed->runnable, runnable_of) +
                       attribute_if("process", accessed->task, task_of));
    if (const auto* occurs = as<ObservableEvent::OfStimulus>(of.what))
      return event(of.name, "StimulusEvent",
                   attribute_if("entity", occurs->stimulus, [&](StimulusIndex index) { return stimulus(index); }));
    if (const auto* held = as<ObservableEvent::OfSemaphore>(of.what))
      return event(of.name, "SemaphoreEvent",
                   type(held->action) +
                       attribute_if("entity", held->semaphore, [&](SemaphoreIndex index) { return semaphore(index); }) +
                       attribute_if("runnable", held->runnable, runnable_of) +
                       attribute_if("process", held->task, task_of) +
                       attribute_if("processingUnit", held->unit, unit_of));
    if (const auto* changed = as<ObservableEvent::OfMode>(of.what))
      return event(of.name, "ModeLabelEvent",
                   type(changed->action) +
                       attribute_if("entity", changed->mode, [&](ModeIndex index) { return mode(index); }) +
                       attribute_if("runnable", changed->runnable, runnable_of) +
                       attribute_if("process", changed->task, task_of));
    throw std::invalid_argument(fmt::format("event {} has no form", of.name));
  }

  void constraints() {
    Texts chains, timing, requirements, ages, coherency, stability, sequences, placements;
    for (const Chain& chain : system_.chains) chains.push_back(this->chain(chain, timing));
    for (const TimingConstraint& one : system_.constraints) {
      const std::string name = named(one.name);
      if (const auto* delay = as<DelayLimit>(one.kind)) {
        static constexpr std::string_view mappings[] = {"Reaction", "OneToOne", "UniqueReaction"};
        timing.push_back(
            fmt::format("<timingConstraints xsi:type=\"am:DelayConstraint\" {} mappingType=\"{}\" "
                        "source=\"{}\" target=\"{}\">{}{}</timingConstraints>",
                        name, mappings[static_cast<std::size_t>(delay->mapping)], event(delay->source),
                        event(delay->target), time("upper", delay->limits.upper), time("lower", delay->limits.lower)));
      } else if (const auto* repetition = as<Repetition>(one.kind)) {
        timing.push_back(
            fmt::format("<timingConstraints xsi:type=\"am:RepetitionConstraint\" {} span=\"{}\" event=\"{}\">{}{}{}"
                        "</timingConstraints>",
                        name, repetition->span, event(repetition->event), time("lower", repetition->limits.lower),
                        time("upper", repetition->limits.upper), time("jitter", repetition->jitter)));
      } else if (const auto* together = as<EventSynchronization>(one.kind)) {
        std::string events;
        for (const ObservableEvent& each : together->events) events += (events.empty() ? "" : " ") + event(each);
        timing.push_back(
            fmt::format("<timingConstraints xsi:type=\"am:EventSynchronizationConstraint\" {} "
                        "multipleOccurrencesAllowed=\"{}\" events=\"{}\">{}</timingConstraints>",
                        name, together->multiple_occurrences, events, time("tolerance", together->tolerance)));
      } else if (const auto* age = as<DataAge>(one.kind)) {
        std::string limits = time("minimumTime", age->limits.lower) + time("maximumTime", age->limits.upper);
        if (age->least_cycles || age->max_cycles)
          limits = fmt::format("<dataAge xsi:type=\"am:DataAgeCycle\" minimumCycle=\"{}\" maximumCycle=\"{}\"/>",
                               age->least_cycles.value_or(0), age->max_cycles.value_or(0));
        else
          limits = fmt::format("<dataAge xsi:type=\"am:DataAgeTime\">{}</dataAge>", limits);
        ages.push_back(fmt::format("<dataAgeConstraints {} runnable=\"{}\" label=\"{}\">{}</dataAgeConstraints>", name,
                                   runnable(age->runnable), label(age->label), limits));
      } else if (const auto* coherent = as<DataCoherency>(one.kind)) {
        coherency.push_back(
            fmt::format("<dataCoherencyGroups {} labels=\"{}\" direction=\"{}\">{}</dataCoherencyGroups>", name,
                        labels(coherent->labels), coherent->output ? "output" : "input", scope(coherent->scope)));
      } else if (const auto* stable = as<DataStability>(one.kind)) {
        stability.push_back(fmt::format("<dataStabilityGroups {} labels=\"{}\">{}</dataStabilityGroups>", name,
                                        labels(stable->labels), scope(stable->scope)));
      } else if (const auto* sequence = as<RunnableSequence>(one.kind)) {
        static constexpr std::string_view orders[] = {"successor", "immediateSuccessorStartSequence",
                                                      "immediateSuccessorAnySequence", "immediateSuccessorEndSequence"};
        std::string groups;
        for (const RunnableSequence::Group& group : sequence->groups)
          groups += fmt::format("<runnableGroups runnables=\"{}\"/>",
                                list(group.members, [&](RunnableIndex index) { return runnable(index); }));
        sequences.push_back(
            fmt::format("<runnableSequencingConstraints {} orderType=\"{}\"{}>{}</runnableSequencingConstraints>", name,
                        orders[static_cast<std::size_t>(sequence->order)],
                        sequence->tasks.empty() ? "" : attribute("processScope", tasks(sequence->tasks)), groups));
      } else if (const auto* placement = as<SectionPlacement>(one.kind)) {
        placements.push_back(fmt::format("<physicalSectionConstraints {} section=\"{}\" memories=\"{}\"/>", name,
                                         ref(placement->section, "Section"),
                                         list(placement->memories, [&](MemoryIndex index) { return memory(index); })));
      } else {
        throw std::invalid_argument(fmt::format("constraint {} has no form", one.name));
      }
    }
    for (const Requirement& one : system_.requirements) requirements.push_back(requirement(one));
    constraints_ = join(chains) + join(timing) + join(sequences) + join(ages) + join(requirements) + join(coherency) +
                   join(stability) + join(placements);
  }

  std::string scope(const DataScope& of) const {
    if (of.tasks.size() + of.runnables.size() != 1) throw std::invalid_argument("a scope of several elements");
    return of.tasks.empty()
               ? fmt::format("<scope xsi:type=\"am:RunnableScope\" runnable=\"{}\"/>", runnable(of.runnables.front()))
               : fmt::format("<scope xsi:type=\"am:ProcessScope\" process=\"{}\"/>", task(of.tasks.front()));
  }

  std::string chain(const Chain& chain, Texts& timing) {
    std::vector<std::string> events;
    for (std::size_t i = 0; i < chain.tasks.size(); ++i)
      events.push_back(event(fmt::format("{}_event{}", chain.name, i), "ProcessEvent",
                             type(i == 0 ? chain.from_activation ? EventAction::activate : EventAction::start
                                  : i + 1 == chain.tasks.size() ? EventAction::terminate
                                                                : EventAction::start) +
                                 attribute("entity", task(chain.tasks[i]))));
    if (events.size() == 1)
      events.push_back(event(fmt::format("{}_event1", chain.name), "ProcessEvent",
                             type(EventAction::terminate) + attribute("entity", task(chain.tasks.front()))));
    std::string parts;
    for (std::size_t i = 0; events.size() > 2 && i + 1 < events.size(); ++i)
      parts += fmt::format(
          "<items xsi:type=\"am:EventChainContainer\"><eventChain {} stimulus=\"{}\" response=\"{}\"/>"
          "</items>",
          named(fmt::format("{}_part{}", chain.name, i)), events[i], events[i + 1]);
    for (const ChainLimit& limit : chain.limits)
      timing.push_back(fmt::format(
          "<timingConstraints xsi:type=\"am:EventChainLatencyConstraint\" {} scope=\"{}\" "
          "type=\"{}\">{}{}</timingConstraints>",
          named(limit.name), ref(chain.name, "EventChain"), limit.kind == ChainLimit::Kind::age ? "Age" : "Reaction",
          time("minimum", limit.minimum), time("maximum", limit.maximum)));
    return fmt::format("<eventChains {} stimulus=\"{}\" response=\"{}\"{}>{}</eventChains>", named(chain.name),
                       events.front(), events.back(), parts.empty() ? "" : " itemType=\"sequence\"", parts);
  }

  std::string requirement(const Requirement& one) {
    std::string cls, subject;
    if (const auto* process = as<Requirement::OfProcess>(one.subject)) {
      cls = "ProcessRequirement";
      subject = attribute("process", task(process->task));
    } else if (const auto* executed = as<Requirement::OfRunnable>(one.subject)) {
      cls = "RunnableRequirement";
      subject = attribute("runnable", runnable(executed->runnable));
    } else if (const auto* chain = as<Requirement::OfChain>(one.subject)) {
      cls = "ProcessChainRequirement";
      const std::string name = fmt::format("{}_processes", one.name);
      software_ += fmt::format("<processChains {}{}/>\n", named(name), attribute("processes", tasks(chain->tasks)));
      subject = attribute("processChain", ref(name, "ProcessChain"));
    } else {
      throw std::invalid_argument(fmt::format("requirement {} has no form", one.name));
    }
    const std::string limit_type =
        attribute("limitType", one.limit_type == Requirement::LimitType::upper ? "UpperLimit" : "LowerLimit");
    std::string limit;
    if (const auto* of_time = as<Requirement::TimeLimit>(one.limit))
      limit = fmt::format("<limit xsi:type=\"am:TimeRequirementLimit\"{} metric=\"{}\">{}</limit>", limit_type,
                          to_string(*of_time->metric), time("limitValue", of_time->value));
    else if (const auto* of_count = as<Requirement::CountLimit>(one.limit))
      limit = fmt::format("<limit xsi:type=\"am:CountRequirementLimit\"{} metric=\"{}\" limitValue=\"{}\"/>",
                          limit_type, of_count->metric, of_count->value);
    else if (const auto* of_cpu = as<Requirement::CpuLimit>(one.limit))
      limit = fmt::format("<limit xsi:type=\"am:CPUPercentageRequirementLimit\"{} metric=\"{}\" limitValue=\"{}\"{}/>",
                          limit_type, of_cpu->metric, of_cpu->value,
                          attribute_if("hardwareContext", of_cpu->unit, [&](UnitIndex index) { return unit(index); }));
    else
      throw std::invalid_argument(fmt::format("the limit of requirement {} has no form", one.name));
    return fmt::format("<requirements xsi:type=\"am:{}\" {}{}>{}</requirements>", cls, named(one.name), subject, limit);
  }

  // ---- mapping

  void mapping() {
    Texts lines;
    const auto& schedulers = system_.platform.schedulers;
    for (SchedulerIndex index = 0; index < schedulers.size(); ++index)
      lines.push_back(fmt::format("<schedulerAllocation scheduler=\"{}\" responsibility=\"{}\"/>", scheduler(index),
                                  units(schedulers[index].units)));
    for (TaskIndex index = 0; index < system_.tasks.size(); ++index) {
      const Task& one = system_.tasks[index];
      if (one.kind != ProcessKind::task)
        lines.push_back(fmt::format("<isrAllocation isr=\"{}\" controller=\"{}\" priority=\"{}\"/>", task(index),
                                    scheduler(one.scheduler), one.priority));
      else
        lines.push_back(fmt::format("<taskAllocation task=\"{}\" scheduler=\"{}\" affinity=\"{}\">{}</taskAllocation>",
                                    task(index), scheduler(one.scheduler),
                                    one.units.empty() ? unit(one.unit) : units(one.units),
                                    number_parameter("priority", one.priority)));
    }
    for (LabelIndex index = 0; index < system_.labels.size(); ++index)
      if (system_.labels[index].memory)
        lines.push_back(fmt::format("<memoryMapping abstractElement=\"{}\" memory=\"{}\"/>", label(index),
                                    memory(*system_.labels[index].memory)));
    mapping_ = join(lines);
  }

  const System& system_;
  const ModelText& form_;
  std::mt19937 random_;
  std::map<std::string, std::string> runnables_;  ///< by name
  std::set<std::string> parameters_;              ///< of schedulers, those that are used
  Texts events_;
  std::string software_, hardware_, os_, stimuli_, constraints_, mapping_;
};

}  // namespace

Modelled as_modelled(const System& system) {
  Modelled made{system, {}};
  System& changed = made.system;
  const auto note = [&](std::string_view what) {
    if (std::find(made.changed.begin(), made.changed.end(), what) == made.changed.end())
      made.changed.emplace_back(what);
  };
  if (changed.platform.name.empty()) changed.platform.name = "Board";
  for (Task& task : changed.tasks)
    if (task.kind != ProcessKind::task) {
      if (task.activation_limit > 0) note("activation limits of ISRs");
      task.activation_limit = 0;
    }
  give_controllers(changed);
  for (Scheduler& scheduler : changed.platform.schedulers) scheduler.algorithm = to_string(scheduler.kind);
  rewrite_bodies(changed);
  for (Chain& chain : changed.chains) chain.source = Chain::Source::model;
  make_unique(changed.platform.definitions, "definition");
  make_unique(changed.platform.units, "unit");
  make_unique(changed.platform.memories, "memory");
  make_unique(changed.platform.schedulers, "scheduler");
  make_unique(changed.labels, "label");
  make_unique(changed.runnables, "runnable");
  make_unique(changed.events, "event");
  make_unique(changed.modes, "mode");
  make_unique(changed.semaphores, "semaphore");
  make_unique(changed.stimuli, "stimulus");
  make_unique(changed.tasks, "task");
  make_unique(changed.chains, "chain");
  add_requirements(changed);
  make_unique(changed.requirements, "requirement");
  make_unique(changed.constraints, "constraint");
  return made;
}

std::string model_of(const System& system, const ModelText& form) {
  const Modelled modelled = as_modelled(system);
  return Writer(modelled.system, form).write();
}

/// Whether the system contains everything that the finding is about: a property without effect, a task that executes
/// nothing, a wait that may end at once or never, a chain along which nothing passes, time slices within a process.
static bool is_read(const Diagnostic& finding) {
  if (finding.id == "AM0462") return finding.message.find("time slice of the tasks") != std::string::npos;
  constexpr std::array<std::string_view, 7> ids{"AM0414", "AM0440", "AM0486", "AM0487", "AM0488", "AM0489", "AM0665"};
  return std::find(ids.begin(), ids.end(), finding.id) != ids.end();
}

System system_of(std::string text) {
  Diagnostics diagnostics;
  const auto fail = [&] {
    for (const Diagnostic& finding : diagnostics.all())
      if (finding.severity == Severity::error || (finding.severity == Severity::warning && !is_read(finding)))
        throw std::runtime_error(fmt::format("{}: {} ({})", finding.id, finding.message, finding.path));
  };
  const auto model = importer::read_model_from_bytes("random.amxmi", std::move(text), {}, diagnostics);
  fail();
  if (!model) throw std::runtime_error("no model");
  auto system = importer::build_system(*model, {}, diagnostics);
  fail();
  if (!system) throw std::runtime_error("no system");
  return std::move(*system);
}

}  // namespace test
