// SPDX-License-Identifier: Apache-2.0
// Memory use of kernels: gpu.access and footprints, and every measured case of the TX2 as a model.

#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <fmt/core.h>

#include "engine/analysis.hpp"
#include "engine/nvidia/tx2_measurements.hpp"
#include "importer/building/system_builder.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/test_models.hpp"

namespace building_measured_memory_test {

using namespace amalthea;
namespace nvidia = engine::nvidia;
using engine::DeviceProfile;
using nvidia::MemoryKernel;

namespace {

constexpr double accesses = 1000;  ///< of a walk, in one kernel

/// A model of one kernel, others and CPU traffic, as AMALTHEA 3.3.0.
class CaseModel {
 public:
  explicit CaseModel(const nvidia::CpuTraffic& cpu) {
    for (std::int64_t core = 0; core < cpu.cores; ++core) {
      const std::string name = fmt::format("Core{}", core);
      units_ += fmt::format(
          R"(<modules xsi:type="am:ProcessingUnit" name="{0}" frequencyDomain="Clock?type=FrequencyDomain" definition="Cpu?type=ProcessingUnitDefinition"><accessElements name="of{0}" destination="DRAM?type=Memory"><readLatency xsi:type="am:DiscreteValueConstant" value="100"/></accessElements></modules>)",
          name);
      allocations_ += fmt::format(
          R"(<schedulerAllocation scheduler="Cpus?type=TaskScheduler" responsibility="{}?type=ProcessingUnit"/>)",
          name);
      const bool random = cpu.kind == nvidia::CpuTrafficKind::random;
      add_task("Traffic" + name, "Cpus", name, random ? property("gpu.access", "random") : "",
               access(add_label("Data" + name, std::int64_t{64} << 20)));
    }
  }

  void add_kernel(const std::string& name, const MemoryKernel& kernel, double cycles) {
    std::string properties = property("gpu.access", access_of(kernel));
    properties += property("gpu.block", std::to_string(kernel.threads));
    properties += property("gpu.grid", std::to_string(kernel.blocks));
    std::string items = kernel.footprint > 0 ? access(add_label("Data" + name, kernel.footprint)) : "";
    items +=
        fmt::format(R"(<items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="{}"/></items>)",
                    std::llround(cycles));
    add_task(name, "Gpu", "GP10B", properties, items, property("gpu.context", "one"));
  }

  std::string text() const {
    return test::model_text(fmt::format(
        R"(<swModel>{}{}{}</swModel>
<hwModel>
  <definitions xsi:type="am:ProcessingUnitDefinition" name="Cpu" puType="CPU"/>
  <definitions xsi:type="am:ProcessingUnitDefinition" name="GpuUnit" puType="GPU"/>
  <definitions xsi:type="am:MemoryDefinition" name="Ram" memoryType="DRAM"/>
  <structures name="JetsonTX2" structureType="System">{}
    <modules xsi:type="am:ProcessingUnit" name="GP10B" frequencyDomain="GpuClock?type=FrequencyDomain" definition="GpuUnit?type=ProcessingUnitDefinition"/>
    <modules xsi:type="am:Memory" name="DRAM" definition="Ram?type=MemoryDefinition"/>
  </structures>
  <domains xsi:type="am:FrequencyDomain" name="Clock" clockGating="false"><defaultValue value="1.0" unit="GHz"/></domains>
  <domains xsi:type="am:FrequencyDomain" name="GpuClock" clockGating="false"><defaultValue value="1300.5" unit="MHz"/></domains>
</hwModel>
<osModel>
  <operatingSystems name="OS">
    <taskSchedulers name="Cpus" definition="FixedPriorityPreemptive?type=SchedulerDefinition"/>
    <taskSchedulers name="Gpu" definition="TimeSlices?type=SchedulerDefinition"/>
  </operatingSystems>
  <schedulerDefinitions name="FixedPriorityPreemptive" requiresParentScheduler="false" passesParametersUpwards="false" hasExactlyOneChild="false"/>
  <schedulerDefinitions name="TimeSlices" requiresParentScheduler="false" passesParametersUpwards="false" hasExactlyOneChild="false"/>
</osModel>
<stimuliModel>
  <stimuli xsi:type="am:PeriodicStimulus" name="start"><recurrence value="10" unit="s"/></stimuli>
</stimuliModel>
<mappingModel>{}
  <schedulerAllocation scheduler="Gpu?type=TaskScheduler" responsibility="GP10B?type=ProcessingUnit"/>
  {}{}
</mappingModel>)",
        tasks_, runnables_, labels_, units_, allocations_, task_allocations_, mappings_));
  }

 private:
  static std::string property(const std::string& key, const std::string& value) {
    return fmt::format(
        R"(<customProperties key="{}"><value xsi:type="am:StringObject" value="{}"/></customProperties>)", key, value);
  }

  static std::string access_of(const MemoryKernel& kernel) {
    const auto time = [](double cycles) { return fmt::format("{}ns", std::llround(1000 * cycles / 1300.5)); };
    std::string text = kernel.pattern == nvidia::AccessPattern::random ? "random" : "sequential";
    if (kernel.pattern == nvidia::AccessPattern::bulk)
      return fmt::format("bulk,own={},load-path={},memory-path={}", time(kernel.own_cycles),
                         time(kernel.load_path_cycles), time(kernel.memory_path_cycles));
    if (kernel.location == nvidia::MemoryLocation::zero_copy) text += ",location=zero-copy";
    if (!kernel.lanes_differ) text += ",lanes=same";
    if (kernel.fetched_bytes) text += fmt::format(",fetch={}", std::llround(*kernel.fetched_bytes));
    return text;
  }

  std::string add_label(const std::string& name, std::int64_t bytes) {
    labels_ += fmt::format(R"(<labels name="{}"><size value="{}" unit="B"/></labels>)", name, bytes);
    mappings_ += fmt::format(R"(<memoryMapping abstractElement="{}?type=Label" memory="DRAM?type=Memory"/>)", name);
    return name;
  }

  static std::string access(const std::string& label) {
    return fmt::format(R"(<items xsi:type="am:LabelAccess" data="{}?type=Label" access="read"/>)", label);
  }

  void add_task(const std::string& name, const std::string& scheduler, const std::string& unit,
                const std::string& properties, const std::string& items, const std::string& of_task = "") {
    tasks_ += fmt::format(
        R"(<tasks name="{0}" stimuli="start?type=PeriodicStimulus" preemption="preemptive">{1}<activityGraph><items xsi:type="am:RunnableCall" runnable="Run{0}?type=Runnable"/></activityGraph></tasks>)",
        name, of_task);
    runnables_ += fmt::format(R"(<runnables name="Run{}">{}<activityGraph>{}</activityGraph></runnables>)", name,
                              properties, items);
    task_allocations_ += fmt::format(
        R"(<taskAllocation task="{}?type=Task" scheduler="{}?type=TaskScheduler" affinity="{}?type=ProcessingUnit"/>)",
        name, scheduler, unit);
  }

  std::string tasks_, runnables_, labels_, units_, allocations_, task_allocations_, mappings_;
};

struct Analyzed {
  Duration kernel;
  engine::gpu::ContentionBasis basis = engine::gpu::ContentionBasis::table;
  std::optional<Duration> bound;
};

/// The time of the first kernel; the others run longer.
Analyzed analyze(const MemoryKernel& kernel, double cycles, const std::vector<nvidia::MemoryKernels>& others,
                 const nvidia::CpuTraffic& cpu) {
  CaseModel text(cpu);
  text.add_kernel("Victim", kernel, cycles);
  std::size_t count = 0;
  for (const nvidia::MemoryKernels& other : others)
    for (std::int64_t i = 0; i < other.count; ++i)
      text.add_kernel(fmt::format("Other{}", count++), other.kernel, 30 * cycles);
  Diagnostics diagnostics;
  const Model model = test::model_from_text(text.text(), diagnostics);
  const auto system = importer::build_system(model, {}, diagnostics);
  REQUIRE(system);
  engine::AnalysisOptions options;
  options.until = Duration::milliseconds(1);
  const auto results = engine::analyze(*system, options, diagnostics);
  REQUIRE(results);
  for (const engine::OperationResult& operation : results->operations)
    if (system->tasks[operation.task].name == "Victim")
      return {operation.duration.max, operation.basis.value(), operation.bound.worst};
  FAIL("no kernel");
  return {};
}

double cycles_of(Duration time) { return static_cast<double>(time.picoseconds()) * 1300.5 / 1e6; }

/// The prediction for a measured case, through a model.
double predicted(const DeviceProfile& tx2, const nvidia::Measurement& row) {
  const auto model =
      nvidia::predict_interference(*tx2.measured_memory, *tx2.multiprocessors, row.kernel, row.others, row.cpu);
  const bool bulk = row.kernel.pattern == nvidia::AccessPattern::bulk;
  const double alone = model->alone_cycles * (bulk ? 1 : accesses);
  const Analyzed found = analyze(row.kernel, alone, row.others, row.cpu);
  CHECK(found.basis == engine::gpu::ContentionBasis::measured);
  if (found.bound) CHECK(found.kernel <= *found.bound);
  // The rounds of a grid that does not fit follow each other.
  const auto rounds = static_cast<double>((row.kernel.blocks + model->resident_blocks - 1) / model->resident_blocks);
  const double cycles = cycles_of(found.kernel) / rounds;
  switch (row.quantity) {
    case nvidia::MeasuredQuantity::cycles:
      return cycles / accesses + (row.hit_of_build ? *row.hit_of_build - model->parts.front().cycles : 0);
    case nvidia::MeasuredQuantity::microseconds:
      return cycles / 1300.5;
    case nvidia::MeasuredQuantity::slowdown:
      return cycles / alone;
    case nvidia::MeasuredQuantity::cpu_slowdown:
      return cycles / cycles_of(analyze(row.kernel, alone, row.others, {}).kernel);
  }
  return 0;
}

}  // namespace

TEST_CASE("every measured case of the TX2 has the same error through a model and the analysis") {
  const DeviceProfile& tx2 = *engine::find_profile("tx2");
  auto rows = nvidia::compare_with_measurements(*tx2.measured_memory, *tx2.multiprocessors).value();
  const nvidia::ErrorSummary before = nvidia::summarise_errors(rows);
  REQUIRE(rows.size() == 194);
  for (nvidia::ComparedMeasurement& row : rows) {
    INFO(row.measurement.section << ": " << row.measurement.label);
    const double found = predicted(tx2, row.measurement);
    CHECK(found == Approx(row.predicted).epsilon(1e-4));
    row.predicted = found;
  }
  const nvidia::ErrorSummary after = nvidia::summarise_errors(rows);
  CHECK(after.median_percent == Approx(before.median_percent).margin(0.01));
  CHECK(after.max_percent == Approx(before.max_percent).margin(0.01));
  CHECK(after.median_percent < 1);
}

TEST_CASE("gpu.access states how a kernel goes through its labels") {
  MemoryKernel kernel;
  kernel.pattern = nvidia::AccessPattern::random;
  kernel.lanes_differ = false;
  kernel.location = nvidia::MemoryLocation::zero_copy;
  kernel.footprint = 4096;
  kernel.threads = 64;
  kernel.blocks = 3;
  CaseModel text({});
  text.add_kernel("Victim", kernel, 1000);
  Diagnostics diagnostics;
  const Model model = test::model_from_text(text.text(), diagnostics);
  const auto system = importer::build_system(model, {}, diagnostics);
  REQUIRE(system);
  const auto& built = std::get<Kernel>(system->graph[system->tasks[0].body[0]].activity);
  CHECK(system->tasks[0].body.size() == 1);  // the accesses form no copy
  CHECK(built.footprint == DataSize{4096});
  KernelAccess expected;
  expected.pattern = KernelAccess::Pattern::random;
  expected.same_element = expected.zero_copy = true;
  CHECK(built.access == expected);

  const auto complaint = [&](const std::string& access) {
    Diagnostics found;
    const std::string changed = test::replaced(text.text(), "random,location=zero-copy,lanes=same", access);
    importer::build_system(test::model_from_text(changed, found), {}, found);
    const auto errors = test::with_id(found, "AM0329");
    REQUIRE(errors.size() == 1);
    return errors.front().message;
  };
  CHECK(complaint("randm").find("custom property gpu.access is \"randm\"; expected coalesced, sequential, random, "
                                "zero-copy or bulk; did you mean \"random\"?") != std::string::npos);
  CHECK(complaint("sequential,lanes=same").find("lanes applies to random accesses only") != std::string::npos);
  CHECK(complaint("random,fetch=64").find("fetch applies to sequential accesses only") != std::string::npos);
  CHECK(complaint("sequential,fetch=16").find("expected 32 to 128 bytes") != std::string::npos);
  CHECK(complaint("random,speed=3").find("expected lanes, location, fetch, own") != std::string::npos);
  CHECK(complaint("bulk").find("bulk needs at least one of own, load-path and memory-path") != std::string::npos);
  CHECK(complaint("bulk,own=fast").find("expected a time such as own=530us") != std::string::npos);
}

TEST_CASE("the footprint of a kernel is the size of the device labels of its runnable") {
  Diagnostics diagnostics;
  const auto system = importer::build_system(
      test::model_from_text(test::read_text(test::sample("offload-minimal.amxmi")), diagnostics), {}, diagnostics);
  REQUIRE(system);
  for (NodeIndex node = 0; node < system->graph.size(); ++node)
    if (const auto* kernel = std::get_if<Kernel>(&system->graph[node].activity))
      CHECK(kernel->footprint == DataSize{64'000 + 4'000});
}

}  // namespace building_measured_memory_test
