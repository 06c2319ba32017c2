// SPDX-License-Identifier: Apache-2.0
#include "bench/synthetic_model.hpp"

#include <cstdint>
#include <iterator>

#include <fmt/format.h>

namespace amalthea::bench {
namespace {

constexpr unsigned tasks_per_scale = 21, runnables_per_scale = 1250, labels_per_scale = 10000, cores = 6;
constexpr unsigned periods[] = {1, 2, 5, 10, 20, 50, 100, 200, 1000};

class Writer {
 public:
  explicit Writer(unsigned scale)
      : tasks_(tasks_per_scale * scale), runnables_(runnables_per_scale * scale), labels_(labels_per_scale * scale) {}

  std::string write() {
    line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    line(
        "<am:Amalthea xmi:version=\"2.0\" xmlns:xmi=\"http://www.omg.org/XMI\" "
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
        "xmlns:am=\"http://app4mc.eclipse.org/amalthea/2.0.0\">");
    software();
    hardware();
    operating_system();
    stimuli();
    mapping();
    line("</am:Amalthea>");
    return std::move(text_);
  }

 private:
  template <typename... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }

  /// A number below `bound`; the same sequence in every run (xorshift).
  unsigned random(unsigned bound) {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return static_cast<unsigned>(state_ % bound);
  }

  void accesses(const char* access, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      line(
          "        <items xsi:type=\"am:LabelAccess\" data=\"Label_{}?type=Label\" access=\"{}\" "
          "dataStability=\"inherited\"/>",
          random(labels_), access);
  }

  void software() {
    line("  <swModel>");
    for (unsigned task = 0; task < tasks_; ++task) {
      line(
          "    <tasks xmi:id=\"Task_{0}?type=Task\" name=\"Task_{0}\" stimuli=\"every_{1}ms?type=PeriodicStimulus\" "
          "preemption=\"preemptive\" multipleTaskActivationLimit=\"1\">",
          task, periods[task % std::size(periods)]);
      line("      <activityGraph>");
      line("        <items xsi:type=\"am:Group\" name=\"CallSequence\" ordered=\"true\">");
      for (unsigned runnable = task; runnable < runnables_; runnable += tasks_)
        line("          <items xsi:type=\"am:RunnableCall\" runnable=\"Runnable_{}?type=Runnable\"/>", runnable);
      line("        </items>\n      </activityGraph>\n    </tasks>");
    }
    for (unsigned runnable = 0; runnable < runnables_; ++runnable) {
      line(
          "    <runnables xmi:id=\"Runnable_{0}?type=Runnable\" name=\"Runnable_{0}\" callback=\"false\" "
          "service=\"false\">",
          runnable);
      line("      <activityGraph>");
      accesses("read", 1 + random(14));
      line("        <items xsi:type=\"am:Ticks\">");
      for (const char* definition : {"Fast", "Slow"}) {
        const unsigned least = 200 + random(40000);
        line("          <extended key=\"{}?type=ProcessingUnitDefinition\">", definition);
        line(
            "            <value xsi:type=\"am:DiscreteValueStatistics\" lowerBound=\"{}\" upperBound=\"{}\" "
            "average=\"{}.0\"/>",
            least, 2 * least, least + least / 2);
        line("          </extended>");
      }
      line("        </items>");
      accesses("write", 1 + random(7));
      line("      </activityGraph>\n    </runnables>");
    }
    for (unsigned label = 0; label < labels_; ++label) {
      line("    <labels xmi:id=\"Label_{0}?type=Label\" name=\"Label_{0}\" constant=\"false\" bVolatile=\"false\">",
           label);
      line("      <size value=\"{}\" unit=\"B\"/>\n    </labels>", 1U << random(7));
    }
    line("  </swModel>");
  }

  void hardware() {
    line("  <hwModel>");
    for (const char* definition : {"Fast", "Slow"})
      line(
          "    <definitions xsi:type=\"am:ProcessingUnitDefinition\" xmi:id=\"{0}?type=ProcessingUnitDefinition\" "
          "name=\"{0}\" puType=\"CPU\"/>",
          definition);
    line("    <structures xmi:id=\"SoC?type=HwStructure\" name=\"SoC\" structureType=\"SoC\">");
    for (unsigned core = 0; core < cores; ++core) {
      line(
          "      <modules xsi:type=\"am:ProcessingUnit\" xmi:id=\"Core_{0}?type=ProcessingUnit\" name=\"Core_{0}\" "
          "frequencyDomain=\"Clock?type=FrequencyDomain\" definition=\"{1}?type=ProcessingUnitDefinition\">",
          core, core < 2 ? "Fast" : "Slow");
      line("        <accessElements name=\"access_{}\" destination=\"Memory?type=Memory\">", core);
      line("          <readLatency xsi:type=\"am:DiscreteValueConstant\" value=\"40\"/>\n        </accessElements>");
      line("      </modules>");
    }
    line("      <modules xsi:type=\"am:Memory\" xmi:id=\"Memory?type=Memory\" name=\"Memory\"/>\n    </structures>");
    line(
        "    <domains xsi:type=\"am:FrequencyDomain\" xmi:id=\"Clock?type=FrequencyDomain\" name=\"Clock\" "
        "clockGating=\"false\">");
    line("      <defaultValue value=\"2.0\" unit=\"GHz\"/>\n    </domains>\n  </hwModel>");
  }

  void operating_system() {
    line("  <osModel>\n    <operatingSystems name=\"OS\">");
    for (unsigned core = 0; core < cores; ++core)
      line(
          "      <taskSchedulers xmi:id=\"Scheduler_{0}?type=TaskScheduler\" name=\"Scheduler_{0}\" "
          "definition=\"FixedPriorityPreemptive?type=SchedulerDefinition\"/>",
          core);
    line("    </operatingSystems>");
    line(
        "    <schedulerDefinitions xmi:id=\"FixedPriorityPreemptive?type=SchedulerDefinition\" "
        "name=\"FixedPriorityPreemptive\" processParameters=\"priority?type=SchedulingParameterDefinition\"/>");
    line(
        "    <schedulingParameterDefinitions xmi:id=\"priority?type=SchedulingParameterDefinition\" name=\"priority\" "
        "type=\"Integer\" many=\"false\" mandatory=\"true\"/>\n  </osModel>");
  }

  void stimuli() {
    line("  <stimuliModel>");
    for (const unsigned period : periods) {
      line(
          "    <stimuli xsi:type=\"am:PeriodicStimulus\" xmi:id=\"every_{0}ms?type=PeriodicStimulus\" "
          "name=\"every_{0}ms\">",
          period);
      line("      <recurrence value=\"{}\" unit=\"ms\"/>\n    </stimuli>", period);
    }
    line("  </stimuliModel>");
  }

  void mapping() {
    line("  <mappingModel addressMappingType=\"address\">");
    for (unsigned core = 0; core < cores; ++core)
      line(
          "    <schedulerAllocation scheduler=\"Scheduler_{0}?type=TaskScheduler\" "
          "responsibility=\"Core_{0}?type=ProcessingUnit\"/>",
          core);
    for (unsigned task = 0; task < tasks_; ++task) {
      line("    <taskAllocation task=\"Task_{}?type=Task\" scheduler=\"Scheduler_{}?type=TaskScheduler\">", task,
           task % cores);
      line("      <schedulingParameters key=\"priority?type=SchedulingParameterDefinition\">");
      line("        <value xsi:type=\"am:IntegerObject\" value=\"{}\"/>", task + 1);
      line("      </schedulingParameters>\n    </taskAllocation>");
    }
    for (unsigned label = 0; label < labels_; ++label)
      line("    <memoryMapping abstractElement=\"Label_{}?type=Label\" memory=\"Memory?type=Memory\"/>", label);
    line("  </mappingModel>");
  }

  unsigned tasks_, runnables_, labels_;
  std::uint64_t state_ = 2017;
  std::string text_;
};

}  // namespace

std::string synthetic_model(unsigned scale) { return Writer(scale).write(); }

}  // namespace amalthea::bench
