// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Small models as AMALTHEA text: cores with 1 GHz, so that a tick is a nanosecond.

#include <algorithm>
#include <string>
#include <vector>

#include "reference/execution.hpp"

namespace reference::text {

constexpr Time us = 1'000'000, ms = 1'000 * us;

inline std::string ref(const std::string& name, const std::string& type) { return name + "?type=" + type; }
inline std::string time(const std::string& tag, std::int64_t value, const std::string& unit = "us") {
  return "<" + tag + " value=\"" + std::to_string(value) + "\" unit=\"" + unit + "\"/>";
}
inline std::string item(const std::string& type, const std::string& rest, const std::string& inside = "") {
  return "<items xsi:type=\"am:" + type + "\" " + rest + ">" + inside + "</items>";
}
inline std::string work(std::int64_t least, std::int64_t most = -1) {  // microseconds
  return item("Ticks", "",
              "<default xsi:type=\"am:DiscreteValueBoundaries\" lowerBound=\"" + std::to_string(least * 1000) +
                  "\" upperBound=\"" + std::to_string((most < 0 ? least : most) * 1000) + "\"/>");
}
inline std::string call(const std::string& runnable, const std::string& inside = "") {
  return item("RunnableCall", "runnable=\"" + ref(runnable, "Runnable") + "\"", inside);
}
inline std::string trigger(const std::string& stimulus, const std::string& inside = "") {
  return item("InterProcessTrigger", "stimulus=\"" + ref(stimulus, "InterProcessStimulus") + "\"", inside);
}
inline std::string events(const std::string& kind, const std::string& names, const std::string& rest = "") {
  return item(kind, rest, "<eventMask events=\"" + names + "\"/>");
}
inline std::string semaphore(const std::string& access, const std::string& waiting = "passive") {
  return item("SemaphoreAccess",
              "semaphore=\"S?type=Semaphore\" access=\"" + access + "\" waitingBehaviour=\"" + waiting + "\"");
}
inline std::string label(const std::string& access, const std::string& name) {
  return item("LabelAccess", "data=\"" + ref(name, "Label") + "\" access=\"" + access + "\"");
}
inline std::string mode(const std::string& access, const std::string& rest = "") {
  return item("ModeLabelAccess", "data=\"M?type=ModeLabel\" access=\"" + access + "\" " + rest);
}
inline std::string condition(const std::string& tag, const std::string& relation, int value) {
  return "<" + tag + "><entries xsi:type=\"am:ModeValueCondition\" label=\"M?type=ModeLabel\" relation=\"" + relation +
         "\" value=\"" + std::to_string(value) + "\"/></" + tag + ">";
}

class Text {
 public:
  explicit Text(int cores = 1) {
    for (int core = 0; core < cores; ++core) modules += module("C" + std::to_string(core), "Clock");
  }
  static std::string module(const std::string& name, const std::string& clock) {
    return "<modules xsi:type=\"am:ProcessingUnit\" name=\"" + name + "\" frequencyDomain=\"" +
           ref(clock, "FrequencyDomain") + "\" definition=\"Cpu?type=ProcessingUnitDefinition\">" +
           "<accessElements name=\"a\" destination=\"Ram?type=Memory\"><readLatency "
           "xsi:type=\"am:DiscreteValueConstant\" value=\"1000\"/><writeLatency "
           "xsi:type=\"am:DiscreteValueConstant\" value=\"2000\"/></accessElements></modules>";
  }
  /// parameters: "name=microseconds" or, for the priority, "priority=number", separated by blanks.
  Text& scheduler(const std::string& name, const std::string& algorithm, const std::string& core = "C0",
                  const std::string& parameters = "", const std::string& parent = "") {
    std::string values, above;
    for (std::size_t at = 0; at < parameters.size();) {
      const auto end = std::min(parameters.find(' ', at), parameters.size());
      const auto one = parameters.substr(at, end - at);
      const auto equals = one.find('=');
      const auto key = one.substr(0, equals), value = one.substr(equals + 1);
      (key == "priority" ? above : values) += "<schedulingParameters key=\"" +
                                              ref(key, "SchedulingParameterDefinition") + "\"><value xsi:type=\"am:" +
                                              (key == "priority" ? "IntegerObject\" value=\"" + value + "\""
                                                                 : "Time\" value=\"" + value + "\" unit=\"us\"") +
                                              "/></schedulingParameters>";
      at = end + 1;
    }
    const bool interrupts = algorithm == "interrupts";
    const auto tag = std::string(interrupts ? "interruptControllers" : "taskSchedulers");
    schedulers += "<" + tag + " name=\"" + name + "\"" +
                  (interrupts ? "" : " definition=\"" + ref(algorithm, "SchedulerDefinition") + "\"") + ">" + values;
    if (!parent.empty())
      schedulers +=
          "<parentAssociation parent=\"" + ref(parent, "TaskScheduler") + "\">" + above + "</parentAssociation>";
    schedulers += "</" + tag + ">";
    if (!interrupts && os.find("\"" + algorithm + "\"") == std::string::npos)
      os += "<schedulerDefinitions name=\"" + algorithm + "\"/>";
    if (!parent.empty()) return *this;
    std::string units;
    for (std::size_t at = 0; at < core.size(); at += 3) units += ref(core.substr(at, 2), "ProcessingUnit") + " ";
    mapping += "<schedulerAllocation scheduler=\"" + ref(name, interrupts ? "InterruptController" : "TaskScheduler") +
               "\" responsibility=\"" + units + "\"/>";
    return *this;
  }
  Text& stimulus(const std::string& type, const std::string& name, const std::string& inside) {
    stimuli += "<stimuli xsi:type=\"am:" + type + "\" name=\"" + name + "\">" + inside + "</stimuli>";
    return *this;
  }
  Text& periodic(const std::string& name, std::int64_t period, std::int64_t offset = 0, const std::string& more = "") {
    return stimulus("PeriodicStimulus", name, time("recurrence", period) + time("offset", offset) + more);
  }
  /// A task with a stimulus of its own, named as the task; stimulus: "period offset", or the reference to another one.
  Text& task(const std::string& name, const std::string& scheduler, int priority, const std::string& by,
             const std::string& items, const std::string& attributes = "", const std::string& affinity = "") {
    std::string reference = by;
    if (by.find('?') == std::string::npos && !by.empty()) {
      const auto blank = by.find(' ');
      periodic(name, std::stoll(by), blank == std::string::npos ? 0 : std::stoll(by.substr(blank)));
      reference = ref(name, "PeriodicStimulus");
    }
    tasks += "<tasks name=\"" + name + "\" stimuli=\"" + reference + "\" " + attributes + "><activityGraph>" + items +
             "</activityGraph></tasks>";
    mapping += "<taskAllocation task=\"" + ref(name, "Task") + "\" scheduler=\"" + ref(scheduler, "TaskScheduler") +
               "\"" + (affinity.empty() ? "" : " affinity=\"" + ref(affinity, "ProcessingUnit") + "\"") +
               "><schedulingParameters key=\"priority?type=SchedulingParameterDefinition\"><value "
               "xsi:type=\"am:IntegerObject\" value=\"" +
               std::to_string(priority) + "\"/></schedulingParameters></taskAllocation>";
    return *this;
  }
  Text& isr(const std::string& name, int priority, const std::string& by, const std::string& items) {
    isrs += "<isrs name=\"" + name + "\" category=\"CATEGORY_2\" stimuli=\"" + by + "\"><activityGraph>" + items +
            "</activityGraph></isrs>";
    mapping += "<isrAllocation isr=\"" + ref(name, "ISR") + "\" controller=\"I?type=InterruptController\" priority=\"" +
               std::to_string(priority) + "\"/>";
    return *this;
  }
  Text& runnable(const std::string& name, const std::string& items, const std::string& before = "") {
    runnables +=
        "<runnables name=\"" + name + "\"><activityGraph>" + items + "</activityGraph>" + before + "</runnables>";
    return *this;
  }
  Text& deadline(const std::string& task, std::int64_t value) {
    constraints += "<requirements xsi:type=\"am:ProcessRequirement\" name=\"" + task + "\" process=\"" +
                   ref(task, "Task") +
                   "\"><limit xsi:type=\"am:TimeRequirementLimit\" limitType=\"UpperLimit\" metric=\"ResponseTime\">" +
                   time("limitValue", value) + "</limit></requirements>";
    return *this;
  }

  std::string amxmi() const {
    return "<am:Amalthea xmlns:xmi=\"http://www.omg.org/XMI\" "
           "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
           "xmlns:am=\"http://app4mc.eclipse.org/amalthea/3.3.0\"><swModel>" +
           isrs + tasks + runnables + software +
           "<labels name=\"L0\"><size value=\"64\" unit=\"B\"/></labels>"
           "<labels name=\"L1\"><size value=\"100\" unit=\"B\"/></labels><labels name=\"L2\"/><labels "
           "name=\"L4\"/><labels name=\"L3\"/>"
           "<events name=\"E0\"/><events name=\"E1\"/><modes xsi:type=\"am:NumericMode\" name=\"N\"/>"
           "<modeLabels name=\"M\" mode=\"N?type=NumericMode\" initialValue=\"0\"/></swModel><hwModel>"
           "<definitions xsi:type=\"am:ProcessingUnitDefinition\" name=\"Cpu\" puType=\"CPU\"/>"
           "<structures name=\"Board\">" +
           modules +
           "<modules xsi:type=\"am:Memory\" name=\"Ram\"/></structures>"
           "<domains xsi:type=\"am:FrequencyDomain\" name=\"Clock\"><defaultValue value=\"1\" unit=\"GHz\"/></domains>"
           "<domains xsi:type=\"am:FrequencyDomain\" name=\"Slow\"><defaultValue value=\"500\" unit=\"MHz\"/></domains>"
           "</hwModel><osModel>" +
           semaphores + "<operatingSystems name=\"Os\"" + overhead + ">" + schedulers + "</operatingSystems>" + os +
           "<schedulingParameterDefinitions name=\"priority\" type=\"Integer\"/>"
           "<schedulingParameterDefinitions name=\"budget\" type=\"Time\"/>"
           "<schedulingParameterDefinitions name=\"period\" type=\"Time\"/>"
           "<schedulingParameterDefinitions name=\"timeSlice\" type=\"Time\"/></osModel><stimuliModel>" +
           stimuli + "</stimuliModel><eventModel>" + event_model + "</eventModel><constraintsModel>" + constraints +
           "</constraintsModel><mappingModel>" + mapping +
           "<memoryMapping abstractElement=\"L0?type=Label\" memory=\"Ram?type=Memory\"/></mappingModel></am:Amalthea>";
  }

  std::string modules, tasks, isrs, runnables, software, semaphores, schedulers, os, overhead, stimuli, event_model,
      constraints, mapping;
};

/// Response times of a task's jobs, in microseconds; -1: unfinished.
inline std::vector<double> times(const Text& text, const std::string& task, Behaviour& behaviour, RunOptions options) {
  const auto model = read(text.amxmi());
  const auto execution = run(model, behaviour, options);
  std::vector<double> out;
  for (const auto& job : execution.jobs) {
    if (model.tasks[job.task].name != task || job.release >= options.until) continue;
    out.push_back(job.end < 0 ? -1 : static_cast<double>(job.end - job.release) / static_cast<double>(us));
  }
  return out;
}

/// With the longest execution times and the default of everything else.
inline std::vector<double> times(const Text& text, const std::string& task, Time until = 100 * us) {
  Behaviour behaviour;
  behaviour.rule(Question::Kind::execution_time, Behaviour::Rule::most);
  RunOptions options;
  options.until = until;
  return times(text, task, behaviour, options);
}

/// The longest response time in so many executions by chance, in microseconds; 1e9: a job did not end.
inline double longest(const Text& text, const std::string& task, Time until = 100 * us, int executions = 300,
                      bool any_offsets = false) {
  const auto model = read(text.amxmi());
  RunOptions options;
  options.until = until;
  options.any_offsets = any_offsets;
  Time most = 0;
  for (int seed = 0; seed < executions; ++seed) {
    Behaviour behaviour(seed % 2 == 0 ? Behaviour::Rule::random : Behaviour::Rule::corners,
                        static_cast<std::uint64_t>(seed));
    const auto execution = run(model, behaviour, options);
    for (const auto& job : execution.jobs) {
      if (model.tasks[job.task].name != task || job.release >= until) continue;
      if (job.end < 0) return 1e9;
      most = std::max(most, job.end - job.release);
    }
  }
  return static_cast<double>(most) / static_cast<double>(us);
}

}  // namespace reference::text
