// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/design.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

namespace planted {
namespace {

std::size_t draw(std::mt19937& random, std::size_t least, std::size_t most) {
  return least + random() % (most - least + 1);
}
double draw_real(std::mt19937& random, double least, double most) {
  return least + (most - least) * static_cast<double>(random() % 10'001) / 10'000;
}

constexpr std::array task_names{"Wheel",  "Brake",  "Torque",  "Lambda",  "Throttle", "Camera", "Radar", "Fusion",
                           "Map",    "Gear",   "Clutch",  "Yaw",     "Damper",   "Lidar",  "Ego",   "Pilot",
                           "Signal", "Wiper",  "Climate", "Battery", "Inverter", "Charge", "Lane",  "Sign",
                           "Object", "Driver", "Seat",    "Horn",    "Window",   "Mirror"};
constexpr std::array periods{5'000.0, 10'000.0, 20'000.0, 40'000.0, 50'000.0, 100'000.0};

/// A part of the utilization for each of `count` jobs, none below a third of the mean.
std::vector<double> shares(std::mt19937& random, std::size_t count, double sum) {
  std::vector<double> parts;
  double all = 0;
  for (std::size_t i = 0; i < count; ++i) {
    parts.push_back(draw_real(random, 0.5, 1.5));
    all += parts.back();
  }
  for (double& part : parts) part *= sum / all;
  return parts;
}

void add_core(std::mt19937& random, std::size_t core, std::vector<std::string>& left, Design& design) {
  const std::size_t count = draw(random, 3, 5);
  const bool interrupt = random() % 2 == 0;
  const std::vector<double> parts = shares(random, count, draw_real(random, 0.35, 0.6));
  for (std::size_t i = 0; i < count; ++i) {
    Job job;
    job.name = left.back();
    left.pop_back();
    job.interrupt = interrupt && i == 0;
    job.core = core;
    job.period = periods[draw(random, job.interrupt ? 0 : 1, job.interrupt ? 1 : periods.size() - 1)];
    if (job.interrupt) job.name += "_Isr";
    if (!job.interrupt && random() % 4 != 0) job.deadline = job.period * (random() % 3 == 0 ? 0.9 : 1);
    job.execution = std::floor(job.period * parts[i] * (job.interrupt ? 0.6 : 1));
    design.jobs.push_back(job);
  }
}

/// The last jobs of two or three cores offload work.
void add_gpu(std::mt19937& random, Design& design) {
  std::vector<std::size_t> hosts;
  for (std::size_t index = 0; index < design.jobs.size(); ++index)
    if (!design.jobs[index].interrupt && design.jobs[index].period >= 40'000) hosts.push_back(index);
  std::shuffle(hosts.begin(), hosts.end(), random);
  hosts.resize(std::min<std::size_t>(hosts.size(), 3));
  for (const std::size_t host : hosts) {
    Job& job = design.jobs[host];
    Offload offload;
    offload.name = job.name + "_on_GPU";
    offload.kernel = std::floor(job.period * draw_real(random, 0.08, 0.15));
    offload.copied = static_cast<std::int64_t>(draw(random, 20, 400));
    offload.slice = draw_real(random, 0, 1) < 0.5 ? 1000 : 2000;
    job.deadline = job.period;
    job.offload = offload;
  }
}

/// Two jobs of a core share data.
void add_lock(std::mt19937& random, Design& design) {
  const std::size_t core = draw(random, 0, design.cores.size() - 1);
  std::vector<std::size_t> users;
  for (std::size_t index = 0; index < design.jobs.size(); ++index) {
    const Job& job = design.jobs[index];
    if (job.core == core && !job.interrupt && !job.offload) users.push_back(index);
  }
  if (users.size() < 2) return;
  std::sort(users.begin(), users.end(),
            [&](std::size_t a, std::size_t b) { return design.jobs[a].period < design.jobs[b].period; });
  Job& first = design.jobs[users.front()];
  Job& last = design.jobs[users.back()];
  const std::size_t lock = design.locks.size();
  design.locks.push_back({design.cores[core].name + "_Data", true});
  first.semaphore = last.semaphore = lock;
  first.held = first.execution / 4;
  last.held = std::min(last.execution / 2, first.period / 4);
}

/// By rate.
void set_priorities(Design& design) {
  for (std::size_t own = 0; own < design.jobs.size(); ++own)
    for (std::size_t other = 0; other < design.jobs.size(); ++other) {
      const Job& a = design.jobs[own];
      const Job& b = design.jobs[other];
      if (a.core == b.core && (b.period > a.period || (b.period == a.period && other > own)))
        ++design.jobs[own].priority;
    }
}

void add_path(std::mt19937& random, Design& design) {
  std::vector<std::size_t> all;
  for (std::size_t index = 0; index < design.jobs.size(); ++index)
    if (!design.jobs[index].interrupt) all.push_back(index);
  std::shuffle(all.begin(), all.end(), random);
  all.resize(std::min<std::size_t>(all.size(), draw(random, 3, 4)));
  Path path;
  path.name = fmt::format("Path_{}", design.paths.size() + 1);
  path.jobs = all;
  for (const std::size_t job : all) path.maximum += 2.1 * design.jobs[job].period;
  if (random() % 2 == 0) path.minimum = 50;
  design.paths.push_back(path);
}

}  // namespace

Design draw_design(std::mt19937& random) {
  Design design;
  std::vector<std::string> left(task_names.begin(), task_names.end());
  std::shuffle(left.begin(), left.end(), random);
  const std::size_t cores = draw(random, 2, 4);
  constexpr std::array frequencies{200.0, 400.0, 800.0, 1200.0};
  const double frequency = frequencies[draw(random, 0, 3)];
  design.clocks = {{"Clock_A", frequency}, {"Clock_B", frequency}, {"Clock_GPU", 1000}};
  for (const Clock& clock : design.clocks) design.sound.push_back(clock.frequency);
  for (std::size_t core = 0; core < cores; ++core) {
    design.cores.push_back({fmt::format("Core{}", core), core % 2});
    add_core(random, core, left, design);
  }
  if (random() % 3 != 0) add_gpu(random, design);
  add_lock(random, design);
  set_priorities(design);
  add_path(random, design);
  if (random() % 2 == 0) add_path(random, design);
  return design;
}

namespace {

class Writer {
 public:
  explicit Writer(const Design& design) : design_(design) {}

  std::string run() {
    for (std::size_t index = 0; index < design_.jobs.size(); ++index) add_job(index);
    for (std::size_t index = 0; index < design_.paths.size(); ++index) add_path(design_.paths[index]);
    add_platform();
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<am:Amalthea xmi:version=\"2.0\" "
        "xmlns:xmi=\"http://www.omg.org/XMI\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
        "xmlns:am=\"http://app4mc.eclipse.org/amalthea/3.3.0\">\n<swModel>\n{}{}{}{}{}</swModel>\n<hwModel>\n{}"
        "</hwModel>\n<osModel>\n{}</osModel>\n<stimuliModel>\n{}</stimuliModel>\n<eventModel>\n{}</eventModel>\n"
        "<constraintsModel>\n{}{}{}</constraintsModel>\n<mappingModel>\n{}</mappingModel>\n</am:Amalthea>\n",
        tasks_, isrs_, runnables_, labels_, os_events_, hardware_, os_, stimuli_, events_, chains_, constraints_,
        requirements_, mapping_);
  }

 private:
  static std::string time(double microseconds) {
    const auto whole = static_cast<std::int64_t>(std::llround(microseconds * 1000));
    const bool ms = whole % 1'000'000 == 0, us = whole % 1000 == 0;
    return fmt::format("value=\"{}\" unit=\"{}\"",
                       ms   ? whole / 1'000'000
                       : us ? whole / 1000
                            : whole,
                       ms   ? "ms"
                       : us ? "us"
                            : "ns");
  }

  std::string ticks(double microseconds, double frequency) const {
    const auto most = static_cast<std::int64_t>(microseconds * frequency);
    return fmt::format(
        "<items xsi:type=\"am:Ticks\"><default xsi:type=\"am:DiscreteValueStatistics\" lowerBound=\"{}\" "
        "upperBound=\"{}\" average=\"{}\"/></items>\n",
        most * 2 / 3, most, most * 5 / 6);
  }

  void add_runnable(const std::string& name, const std::string& content) {
    runnables_ +=
        fmt::format("<runnables name=\"{}\"><activityGraph>\n{}</activityGraph></runnables>\n", name, content);
  }
  static std::string call(const std::string& runnable) {
    return fmt::format("<items xsi:type=\"am:RunnableCall\" runnable=\"{}?type=Runnable\"/>\n", runnable);
  }
  static std::string access(const std::string& label, std::string_view how) {
    return fmt::format("<items xsi:type=\"am:LabelAccess\" data=\"{}?type=Label\" access=\"{}\"/>\n", label, how);
  }
  void add_label(const std::string& name, std::int64_t kilobytes) {
    labels_ += fmt::format("<labels name=\"{}\"><size value=\"{}\" unit=\"{}\"/></labels>\n", name,
                           kilobytes == 0 ? 4 : kilobytes, kilobytes == 0 ? "B" : "kB");
    mapping_ += fmt::format("<memoryMapping abstractElement=\"{}?type=Label\" memory=\"Ram?type=Memory\"/>\n", name);
  }

  void add_job(std::size_t index) {
    const Job& job = design_.jobs[index];
    const double frequency = design_.sound[design_.cores[job.core].clock] * job.ticks_factor;
    std::string reads, items;
    for (const Path& path : design_.paths)
      for (std::size_t i = 1; i < path.jobs.size(); ++i)
        if (path.jobs[i] == index) reads += access(design_.jobs[path.jobs[i - 1]].name + "_Value", "read");
    const double held = job.semaphore ? job.held : 0;
    add_runnable(job.name + "_Step", reads + ticks(job.execution - held, frequency));
    add_label(job.name + "_Value", 0);
    items += call(job.name + "_Step");
    if (job.semaphore) {
      const std::string use = fmt::format(
          "<items xsi:type=\"am:SemaphoreAccess\" semaphore=\"{}?type=Semaphore\" waitingBehaviour=\"passive\" access=",
          design_.locks[*job.semaphore].name);
      add_runnable(job.name + "_Shared", ticks(held, frequency));
      items += use + "\"request\"/>\n" + call(job.name + "_Shared") + use + "\"release\"/>\n";
    }
    if (job.offload) items += offload(job);
    const std::string result = job.offload ? access(job.offload->name + "_Out_host", "read") : "";
    add_runnable(job.name + "_End", result + access(job.name + "_Value", "write"));
    items += call(job.name + "_End");
    const std::string text = fmt::format(
        "{0} name=\"{1}\" stimuli=\"timer_{1}?type=PeriodicStimulus\"{2}><activityGraph>\n{3}</activityGraph></{0}>\n",
        job.interrupt ? "isrs" : "tasks", job.name,
        job.interrupt ? " category=\"CATEGORY_2\"" : " preemption=\"preemptive\"", items);
    (job.interrupt ? isrs_ : tasks_) += "<" + text;
    stimuli_ += fmt::format("<stimuli xsi:type=\"am:PeriodicStimulus\" name=\"timer_{}\"><recurrence {}/></stimuli>\n",
                            job.name, time(job.period));
    if (job.deadline) add_deadline(job);
    allocate(index);
  }

  void add_deadline(const Job& job) {
    requirements_ += fmt::format(
        "<requirements xsi:type=\"am:ProcessRequirement\" name=\"Deadline_{0}\" process=\"{0}?type={1}\">"
        "<limit xsi:type=\"am:TimeRequirementLimit\" limitType=\"UpperLimit\" metric=\"ResponseTime\">"
        "<limitValue {2}/></limit></requirements>\n",
        job.name, job.interrupt ? "ISR" : "Task", time(*job.deadline));
  }

  void allocate(std::size_t index) {
    const Job& job = design_.jobs[index];
    const std::string& core = design_.cores[job.core].name;
    if (job.interrupt) {
      mapping_ += fmt::format(
          "<isrAllocation isr=\"{}?type=ISR\" controller=\"{}_Interrupts?type=InterruptController\" priority=\"1\"/>\n",
          job.name, core);
      return;
    }
    mapping_ += fmt::format(
        "<taskAllocation task=\"{}?type=Task\" scheduler=\"{}_Scheduler?type=TaskScheduler\"><schedulingParameters "
        "key=\"priority?type=SchedulingParameterDefinition\"><value xsi:type=\"am:IntegerObject\" value=\"{}\"/>"
        "</schedulingParameters></taskAllocation>\n",
        job.name, core, job.priority);
  }

  std::string offload(const Job& job) {
    const Offload& gpu = *job.offload;
    const std::string& name = gpu.name;
    const std::string done = name + "_done";
    os_events_ += fmt::format("<events name=\"{}\"/>\n", done);
    for (const auto* label : {"_In_host", "_In_device"}) add_label(name + label, gpu.copied);
    for (const auto* label : {"_Out_host", "_Out_device"}) add_label(name + label, 10);
    add_runnable(name + "_Prepare", access(name + "_In_host", "write"));
    add_runnable(name + "_Copy_in", access(name + "_In_host", "read") + access(name + "_In_device", "write"));
    add_runnable(name + "_Kernel", ticks(gpu.kernel, design_.sound.back()));
    add_runnable(name + "_Copy_out", access(name + "_Out_device", "read") + access(name + "_Out_host", "write"));
    const std::string mask = fmt::format("<eventMask events=\"{}?type=OsEvent\"/>", done);
    stimuli_ += fmt::format("<stimuli xsi:type=\"am:InterProcessStimulus\" name=\"start_{}\"/>\n", name);
    tasks_ += fmt::format(
        "<tasks name=\"{0}\" stimuli=\"start_{0}?type=InterProcessStimulus\"><customProperties key=\"gpu.timeslice\">"
        "<value xsi:type=\"am:Time\" {1}/></customProperties><activityGraph>\n{2}{3}{4}<items xsi:type=\"am:SetEvent\" "
        "process=\"{5}?type=Task\">{6}</items>\n</activityGraph></tasks>\n",
        name, time(gpu.slice), call(name + "_Copy_in"), call(name + "_Kernel"), call(name + "_Copy_out"), job.name,
        mask);
    mapping_ +=
        fmt::format("<taskAllocation task=\"{}?type=Task\" scheduler=\"GPU_Scheduler?type=TaskScheduler\"/>\n", name);
    return call(name + "_Prepare") +
           fmt::format("<items xsi:type=\"am:InterProcessTrigger\" stimulus=\"start_{}?type=InterProcessStimulus\"/>\n",
                       name) +
           fmt::format("<items xsi:type=\"am:WaitEvent\" waitingBehaviour=\"{}\">{}</items>\n",
                       gpu.polls ? "active" : "passive", mask) +
           (gpu.clears ? fmt::format("<items xsi:type=\"am:ClearEvent\">{}</items>\n", mask) : "");
  }

  std::string event(std::size_t job, bool start) {
    const std::string& name = design_.jobs[job].name;
    const std::string text = fmt::format(
        "<events xsi:type=\"am:ProcessEvent\" name=\"{0}_{1}\" entity=\"{0}?type=Task\" eventType=\"{2}\"/>\n", name,
        start ? "starts" : "ends", start ? "start" : "terminate");
    if (events_.find(text) == std::string::npos) events_ += text;
    return fmt::format("{}_{}?type=ProcessEvent", name, start ? "starts" : "ends");
  }

  void add_path(const Path& path) {
    std::string items, before = event(path.jobs.front(), true);
    const std::string stimulus = before;
    for (std::size_t i = 1; i < path.jobs.size(); ++i) {
      const std::string next = event(path.jobs[i], false);
      items += fmt::format(
          "<items xsi:type=\"am:EventChainContainer\"><eventChain name=\"{}_{}\" stimulus=\"{}\" response=\"{}\" "
          "minItemsCompleted=\"1\"/></items>\n",
          path.name, i, before, next);
      before = next;
    }
    chains_ += fmt::format(
        "<eventChains name=\"{}\" stimulus=\"{}\" response=\"{}\" itemType=\"sequence\" minItemsCompleted=\"1\">\n{}"
        "</eventChains>\n",
        path.name, stimulus, before, items);
    constraints_ += fmt::format(
        "<timingConstraints xsi:type=\"am:EventChainLatencyConstraint\" name=\"Limit_{0}\" "
        "scope=\"{0}?type=EventChain\" type=\"Reaction\">{1}<maximum {2}/></timingConstraints>\n",
        path.name, path.minimum ? fmt::format("<minimum {}/>", time(*path.minimum)) : "", time(path.maximum));
  }

  void add_platform() {
    std::string modules, schedulers;
    const auto add_unit = [&](const std::string& name, const std::string& clock, const char* kind,
                              const std::string& more) {
      modules += fmt::format(
          "<modules xsi:type=\"am:ProcessingUnit\" name=\"{0}\" frequencyDomain=\"{1}?type=FrequencyDomain\" "
          "definition=\"{2}?type=ProcessingUnitDefinition\">{3}<accessElements name=\"{0}_to_Ram\" "
          "destination=\"Ram?type=Memory\"><dataRate value=\"10\" unit=\"GBPerSecond\"/></accessElements></modules>\n",
          name, clock, kind, more);
    };
    const auto controls = [&](const std::string& scheduler, const char* kind, const std::string& unit) {
      mapping_ +=
          fmt::format("<schedulerAllocation scheduler=\"{}?type={}\" responsibility=\"{}?type=ProcessingUnit\"/>\n",
                      scheduler, kind, unit);
    };
    for (const Core& core : design_.cores) {
      add_unit(core.name, design_.clocks[core.clock].name, "Cpu", "");
      schedulers += fmt::format(
          "<taskSchedulers name=\"{}_Scheduler\" definition=\"FixedPriorityPreemptive?type=SchedulerDefinition\"/>\n",
          core.name);
      controls(core.name + "_Scheduler", "TaskScheduler", core.name);
    }
    for (std::size_t core = 0; core < design_.cores.size(); ++core)
      if (std::any_of(design_.jobs.begin(), design_.jobs.end(),
                      [&](const Job& job) { return job.interrupt && job.core == core; })) {
        schedulers += fmt::format(
            "<interruptControllers name=\"{}_Interrupts\" definition=\"PriorityBased?type=SchedulerDefinition\"/>\n",
            design_.cores[core].name);
        controls(design_.cores[core].name + "_Interrupts", "InterruptController", design_.cores[core].name);
      }
    add_unit("GPU", design_.clocks.back().name, "Gpu",
             "<customProperties key=\"gpu.platform\"><value xsi:type=\"am:StringObject\" value=\"tx2\"/>"
             "</customProperties>");
    schedulers += "<taskSchedulers name=\"GPU_Scheduler\" definition=\"GpuTimeSlicing?type=SchedulerDefinition\"/>\n";
    controls("GPU_Scheduler", "TaskScheduler", "GPU");
    std::string domains, locks;
    for (const Clock& clock : design_.clocks)
      domains += fmt::format(
          "<domains xsi:type=\"am:FrequencyDomain\" name=\"{}\"><defaultValue value=\"{}\" unit=\"MHz\"/></domains>\n",
          clock.name, clock.frequency);
    for (const Lock& lock : design_.locks)
      locks += fmt::format(
          "<semaphores name=\"{}\" semaphoreType=\"Resource\" initialValue=\"0\" maxValue=\"1\" "
          "priorityCeilingProtocol=\"{}\"/>\n",
          lock.name, lock.ceiling);
    hardware_ = fmt::format(
        "<definitions xsi:type=\"am:ProcessingUnitDefinition\" name=\"Cpu\" puType=\"CPU\"/>\n"
        "<definitions xsi:type=\"am:ProcessingUnitDefinition\" name=\"Gpu\" puType=\"GPU\"/>\n"
        "<definitions xsi:type=\"am:MemoryDefinition\" name=\"Dram\" memoryType=\"DRAM\"/>\n"
        "<structures name=\"Board\" structureType=\"System\">\n{}<modules xsi:type=\"am:Memory\" name=\"Ram\" "
        "definition=\"Dram?type=MemoryDefinition\"/></structures>\n{}",
        modules, domains);
    os_ = fmt::format(
        "{}<operatingSystems name=\"Os\">\n{}</operatingSystems>\n<schedulerDefinitions name=\"GpuTimeSlicing\"/>\n"
        "<schedulerDefinitions name=\"PriorityBased\"/>\n<schedulerDefinitions name=\"FixedPriorityPreemptive\" "
        "processParameters=\"priority?type=SchedulingParameterDefinition\"/>\n<schedulingParameterDefinitions "
        "name=\"priority\" type=\"Integer\" mandatory=\"true\"/>\n",
        locks, schedulers);
  }

  const Design& design_;
  std::string tasks_, isrs_, runnables_, labels_, os_events_, hardware_, os_, stimuli_, events_, chains_, constraints_,
      requirements_, mapping_;
};

}  // namespace

std::string model_of(const Design& design) { return Writer(design).run(); }

}  // namespace planted
