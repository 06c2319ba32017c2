// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/graph/boost_graph.hpp"
#include "amalthea/graph/system.hpp"
#include "amalthea/views/quantities.hpp"
#include "importer/building/system_builder.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/support/test_models.hpp"

namespace building_system_test {

using namespace amalthea;
using amalthea::importer::BuildOptions;
using test::replaced;

namespace {

std::string minimal() { return test::read_text(test::sample("offload-minimal.amxmi")); }
std::string three() { return test::read_text(test::sample("offload-minimal-three-runnables.amxmi")); }
std::string waters() { return test::read_text(test::sample("waters2019-tx2.amxmi")); }

System system_of(std::string text, const BuildOptions& options = {}) {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(std::move(text), diagnostics);
  auto system = importer::build_system(model, options, diagnostics);
  for (const auto& diagnostic : diagnostics.all()) UNSCOPED_INFO(format(diagnostic));
  REQUIRE(system.has_value());
  return std::move(*system);
}

/// Messages of the findings of at least this severity, after reading and building. `built`: whether there is a system.
std::vector<std::string> findings(std::string text, bool& built, Severity least = Severity::error) {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(std::move(text), diagnostics);
  built = importer::build_system(model, {}, diagnostics).has_value();
  std::vector<std::string> found;
  for (const auto& diagnostic : diagnostics.all())
    if (diagnostic.severity >= least) found.push_back(format(diagnostic));
  return found;
}

/// The one error that makes a model useless for the analysis.
std::string only_error(std::string text) {
  bool built = true;
  const auto errors = findings(std::move(text), built);
  CHECK_FALSE(built);
  for (const auto& error : errors) UNSCOPED_INFO(error);
  REQUIRE(errors.size() == 1);
  return errors.front();
}

/// "line:column" of the first occurrence of `what`, plus `skip` columns.
std::string place(const std::string& text, std::string_view what, std::size_t skip = 0) {
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  const auto line_start = text.rfind('\n', at) + 1;
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
  return fmt::format("{}:{}", line, at - line_start + 1 + skip);
}

std::string without_all(std::string text, std::string_view what) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what)) text.erase(at, what.size());
  return text;
}

const Task& task_named(const System& system, std::string_view name) {
  for (const Task& task : system.tasks)
    if (task.name == name) return task;
  FAIL("no task is called " << name);
  return system.tasks.front();
}

std::string label_names(const System& system, const std::vector<LabelIndex>& labels) {
  std::string text;
  for (const LabelIndex label : labels) text.append(text.empty() ? "" : " ").append(system.labels[label].name);
  return text;
}

std::string describe(const System& system, const Ticks& ticks) {
  const auto one = [](const Cycles& c) { return fmt::format("{}/{}/{}", c.lower, c.average, c.upper); };
  std::string text = ticks.otherwise ? one(*ticks.otherwise) : std::string();
  for (const auto& [definition, cycles] : ticks.extended)
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", system.platform.definitions[definition].name, one(cycles));
  return text;
}

/// One line for each activity of a task: name, kind, and what it works on.
std::vector<std::string> body(const System& system, std::string_view task) {
  std::vector<std::string> lines;
  for (const NodeIndex index : task_named(system, task).body) {
    const GraphNode& node = system.graph[index];
    std::string line = fmt::format("{} {}", kind_name(node.activity), node.name);
    if (const auto* copy = std::get_if<Copy>(&node.activity))
      line += fmt::format(": {} B, {} -> {}", copy->size.bytes, label_names(system, copy->sources),
                          label_names(system, copy->destinations));
    if (const auto* kernel = std::get_if<Kernel>(&node.activity))
      line += fmt::format(": {}, intensity {}", describe(system, kernel->ticks), kernel->memory_intensity);
    if (const auto* compute = std::get_if<Compute>(&node.activity)) line += ": " + describe(system, compute->ticks);
    lines.push_back(std::move(line));
  }
  return lines;
}

/// Every edge as text, sorted; nodes by task and name.
std::vector<std::string> edges(const System& system) {
  std::vector<std::string> lines;
  const auto [first, last] = boost::edges(system.graph.boost());
  const auto node = [&](NodeIndex index) {
    const GraphNode& at = system.graph[index];
    return fmt::format("{}/{} {}", system.tasks[at.task].name, kind_name(at.activity), at.name);
  };
  for (auto edge = first; edge != last; ++edge)
    lines.push_back(fmt::format("{}: {} -> {} ({})", to_string(system.graph.boost()[*edge].kind),
                                node(boost::source(*edge, system.graph.boost())),
                                node(boost::target(*edge, system.graph.boost())), system.graph.boost()[*edge].label));
  std::sort(lines.begin(), lines.end());
  return lines;
}

using Lines = std::vector<std::string>;

/// Task, core, side, priority, time slice, deadline.
std::string describe(const System& system, const Task& task) {
  return fmt::format("{} {} {} {} {} {} {}", task.name, task.side == Side::device ? "device" : "host",
                     system.platform.units[task.unit].name, system.platform.schedulers[task.scheduler].name,
                     task.priority, task.time_slice ? format_duration(*task.time_slice) : "-",
                     task.deadline ? format_duration(*task.deadline) : "-");
}

constexpr std::string_view vision_ticks =
    "<default xsi:type=\"am:DiscreteValueStatistics\" lowerBound=\"2000000\" upperBound=\"3000000\" "
    "average=\"2400000.0\"/>";

}  // namespace

// ---------------------------------------------------------------- the WATERS 2019 model

TEST_CASE("the WATERS system has fourteen tasks with the units and priorities of its mapping") {
  const System system = system_of(waters(), {.keep_wrappers = true});
  Lines tasks;
  for (const Task& task : system.tasks) tasks.push_back(describe(system, task));
  CHECK(tasks == Lines{"DASM host Core5 Scheduler_A57 3 - 5 ms", "CANbus_polling host Core2 Scheduler_A57 5 - 10 ms",
                       "EKF host Core2 Scheduler_A57 1 - 15 ms", "Planner host Core0 Scheduler_Denver 9 - 12 ms",
                       "Lidar_Grabber host Core4 Scheduler_A57 8 - 33 ms", "OS_Overhead host Core5 Scheduler_A57 0 - -",
                       "PRE_SFM_gpu_POST host Core1 Scheduler_Denver 6 - 33 ms",
                       "PRE_Lane_detection_gpu_POST host Core1 Scheduler_Denver 2 - 66 ms",
                       "PRE_Detection_gpu_POST host Core4 Scheduler_A57 4 - 200 ms",
                       "PRE_Localization_gpu_POST host Core3 Scheduler_A57 4 - 400 ms",
                       "SFM device GP10B GPU_Sched 0 7.2 ms -", "Lane_detection host Core1 Scheduler_Denver 2 - -",
                       "Detection device GP10B GPU_Sched 0 50 ms -", "Localization host Core3 Scheduler_A57 4 - -"});
}

TEST_CASE("the WATERS platform has its cores and clocks and memory and access costs") {
  const System system = system_of(waters());
  const Platform& platform = system.platform;
  CHECK(platform.name == "JetsonTX2");
  Lines units;
  for (const ProcessingUnit& unit : platform.units) {
    REQUIRE(unit.accesses.size() == 1);
    const MemoryAccess& access = unit.accesses.front();
    units.push_back(fmt::format("{} {} {} MHz, {} B, {} {}/{} {}", unit.name,
                                platform.definitions[unit.definition].name, unit.frequency.millihertz() / 1'000'000'000,
                                unit.cache_line.bytes, platform.memories[access.memory].name, access.read.upper,
                                access.write.upper, access.data_rate.bytes_per_second));
  }
  CHECK(units == Lines{"Core0 Denver 2000 MHz, 64 B, SYSTEM_DRAM 16/16 0",
                       "Core1 Denver 2000 MHz, 64 B, SYSTEM_DRAM 16/16 0",
                       "Core2 A57 2000 MHz, 64 B, SYSTEM_DRAM 40/40 0", "Core3 A57 2000 MHz, 64 B, SYSTEM_DRAM 40/40 0",
                       "Core4 A57 2000 MHz, 64 B, SYSTEM_DRAM 40/40 0", "Core5 A57 2000 MHz, 64 B, SYSTEM_DRAM 40/40 0",
                       "GP10B GPU_def 1500 MHz, 64 B, SYSTEM_DRAM 5/5 20000000000"});
  CHECK(platform.units[6].type == PuType::gpu);
  CHECK(platform.units[6].device_profile == "tx2");
  CHECK(platform.units[6].enclosing_structures == "GPU island JetsonTX2");
  REQUIRE(platform.schedulers.size() == 3);
  CHECK(platform.schedulers[0].algorithm == "FixedPriorityPreemptive");
  CHECK(platform.schedulers[0].units == std::vector<UnitIndex>{0, 1});
  CHECK(platform.schedulers[1].units == std::vector<UnitIndex>{2, 3, 4, 5});
  CHECK(platform.schedulers[2].algorithm == "GpuTimeSlicing");
  CHECK(platform.schedulers[2].minimum_time_slice == Duration::milliseconds(1));
  CHECK(platform.schedulers[2].maximum_time_slice == Duration::milliseconds(50));
}

TEST_CASE("wrappers of functions on a CPU are folded into them with releases and deadlines") {
  const System system = system_of(waters());
  const auto folded = [&](std::string_view task) -> std::string {
    const auto into = task_named(system, task).folded_into;
    return into ? system.tasks[*into].name : std::string();
  };
  CHECK(folded("PRE_Lane_detection_gpu_POST") == "Lane_detection");
  CHECK(folded("PRE_Localization_gpu_POST") == "Localization");
  CHECK(folded("PRE_SFM_gpu_POST").empty());
  CHECK(folded("PRE_Detection_gpu_POST").empty());
  CHECK(task_named(system, "PRE_Lane_detection_gpu_POST").body.empty());
  CHECK(task_named(system, "Lane_detection").deadline == Duration::milliseconds(66));
  CHECK(task_named(system, "Localization").deadline == Duration::milliseconds(400));
  for (const Stimulus& stimulus : system.stimuli) {
    Lines activated;
    for (const TaskIndex task : stimulus.activates) activated.push_back(system.tasks[task].name);
    if (stimulus.name == "periodic_66ms") CHECK(activated == Lines{"Lane_detection"});
    if (stimulus.name == "periodic_400ms") CHECK(activated == Lines{"Localization"});
    if (stimulus.name == "Lane_detection_stim") CHECK(activated.empty());
    if (stimulus.name == "SFM_stim") CHECK(activated == Lines{"SFM"});
  }
  // Inputs and results stay in host memory; copies to and from device labels and the event go.
  CHECK(body(system, "Lane_detection") ==
        Lines{"call Lane_Detection_host_to_device", "read Image_lane_lines_host", "call Lane_Detection_Function",
              "ticks ticks: Denver:76875648/80075648/84475648 A57:95689120/98689120/102089120 "
              "GPU_def:36750000/39750000/41000000",
              "call Lane_Detection_device_to_host", "write Lane_boundaries_host"});
}

TEST_CASE("folding is reported for each function and nothing else is") {
  bool built = false;
  const auto notes = findings(waters(), built, Severity::note);
  CHECK(built);
  REQUIRE(notes.size() == 2);
  CHECK(notes[0] ==
        fmt::format("model.amxmi:{}: note: task \"Lane_detection\" is mapped to the CPU core \"Core1\", so the "
                    "analysis drops its wrapper \"PRE_Lane_detection_gpu_POST\" and its copies, and releases it like "
                    "the wrapper, with the wrapper's deadline (--keep-wrappers keeps them) [AM0410]",
                    place(waters(), "<tasks xmi:id=\"Lane_detection?type=Task\"")));
  CHECK(notes[1].find("task \"Localization\" is mapped to the CPU core \"Core3\"") != std::string::npos);
}

TEST_CASE("keep_wrappers keeps everything as written") {
  const System system = system_of(waters(), {.keep_wrappers = true});
  for (const Task& task : system.tasks) CHECK_FALSE(task.folded_into.has_value());
  CHECK(body(system, "PRE_Lane_detection_gpu_POST").size() == 11);
  CHECK(body(system, "Lane_detection").back() == "set Lane_detect_GPU");
  CHECK_FALSE(task_named(system, "Lane_detection").deadline.has_value());
}

TEST_CASE("a label accessed by a host task is a host label and one only accessed by device tasks a device label") {
  for (const bool keep : {false, true}) {
    const System system = system_of(waters(), {.keep_wrappers = keep});
    for (const Label& label : system.labels) {
      INFO(label.name << (keep ? " with wrappers" : ""));
      // The model's own names say which is which, except where functions were moved to a CPU
      // and for IMU_data_host, which no host task writes.
      const bool moved = label.name == "Image_lane_lines_device" || label.name == "Lane_boundaries_device" ||
                         label.name == "Cloud_map_device" || label.name == "Vehicle_status_device" ||
                         label.name.find("car_device") != std::string::npos;
      if (label.name == "NN_weights")
        CHECK(label.side == LabelSide::unused);
      else if ((label.name.ends_with("_device") && !(keep && moved)) || label.name == "IMU_data_host")
        CHECK(label.side == LabelSide::device);
      else
        CHECK(label.side == LabelSide::host);
    }
  }
}

TEST_CASE("device tasks of the WATERS model are copy and kernel and copy and event") {
  const System system = system_of(waters());
  CHECK(body(system, "SFM") ==
        Lines{"h2d SFM.h2d: 2000256 B, IMU_data_host Image_SFM_host -> Image_SFM_device IMU_data_device",
              "kernel SFM.kernel: Denver:44363022/49534130/55623380 A57:48274300/53775310/59003000 "
              "GPU_def:10575000/10800000/11850000, intensity 1",
              "d2h SFM.d2h: 24000 B, Matrix_SFM_device -> Matrix_SFM_host", "set SFM"});
  CHECK(body(system, "Detection") ==
        Lines{"h2d Detection.h2d: 2000000 B, Image_host -> Image_device",
              "kernel Detection.kernel: GPU_def:162000000/165000000/174000000, intensity 1",
              "d2h Detection.d2h: 750000 B, Bounding_box_device -> Bounding_box_host", "set Detect"});
}

TEST_CASE("event chains become task sequences with functions in place of folded wrappers") {
  const auto chains = [](const System& system) {
    Lines lines;
    for (const Chain& chain : system.chains) {
      std::string line = chain.name + ":";
      for (const TaskIndex task : chain.tasks) line.append(" ").append(system.tasks[task].name);
      lines.push_back(std::move(line));
    }
    return lines;
  };
  CHECK(chains(system_of(waters())) ==
        Lines{"Lidar_to_DASM: Lidar_Grabber Localization EKF Planner DASM",
              "CAN_via_Localization_to_DASM: CANbus_polling Localization EKF Planner DASM",
              "CAN_to_DASM: CANbus_polling EKF Planner DASM", "SFM_to_DASM: PRE_SFM_gpu_POST Planner DASM",
              "Lane_to_DASM: Lane_detection Planner DASM", "Detection_to_DASM: PRE_Detection_gpu_POST Planner DASM"});
  CHECK(chains(system_of(waters(), {.keep_wrappers = true}))[0] ==
        "Lidar_to_DASM: Lidar_Grabber PRE_Localization_gpu_POST EKF Planner DASM");
}

// ---------------------------------------------------------------- the smallest system

TEST_CASE("a device task has the same operations with one runnable or three") {
  const System one = system_of(minimal()), other = system_of(three());
  const Lines vision{"h2d Vision.h2d: 64000 B, Image_host -> Image_device",
                     "kernel Vision.kernel: 2000000/2400000/3000000, intensity 1",
                     "d2h Vision.d2h: 4000 B, Result_device -> Result_host", "set Vision_done"};
  CHECK(body(one, "Vision") == vision);
  CHECK(body(other, "Vision") == vision);
  CHECK(body(one, "Control") == body(other, "Control"));
  CHECK(body(one, "Monitor") == body(other, "Monitor"));
  CHECK(edges(one) == edges(other));
  for (std::size_t i = 0; i < one.tasks.size(); ++i)
    CHECK(describe(one, one.tasks[i]) == describe(other, other.tasks[i]));
}

TEST_CASE("the graph has edges for sequence and trigger and event and data") {
  CHECK(edges(system_of(minimal())) ==
        Lines{"data: Control/write Image_host -> Vision/h2d Vision.h2d (Image_host)",
              "data: Vision/d2h Vision.d2h -> Control/read Result_host (Result_host)",
              "event: Vision/set Vision_done -> Control/wait Vision_done (Vision_done)",
              "sequence: Control/call Control_Postprocessing -> Control/read Result_host ()",
              "sequence: Control/call Control_Preprocessing -> Control/ticks ticks ()",
              "sequence: Control/clear Vision_done -> Control/call Control_Postprocessing ()",
              "sequence: Control/read Result_host -> Control/ticks ticks ()",
              "sequence: Control/ticks ticks -> Control/write Image_host ()",
              "sequence: Control/trigger Vision_request -> Control/wait Vision_done ()",
              "sequence: Control/wait Vision_done -> Control/clear Vision_done ()",
              "sequence: Control/write Image_host -> Control/trigger Vision_request ()",
              "sequence: Monitor/call Monitor_Function -> Monitor/ticks ticks ()",
              "sequence: Vision/d2h Vision.d2h -> Vision/set Vision_done ()",
              "sequence: Vision/h2d Vision.h2d -> Vision/kernel Vision.kernel ()",
              "sequence: Vision/kernel Vision.kernel -> Vision/d2h Vision.d2h ()",
              "trigger: Control/trigger Vision_request -> Vision/h2d Vision.h2d (Vision_request)"});
}

TEST_CASE("the graph of one task has only its activities and their sequence") {
  const System system = system_of(minimal());
  const RunnableGraph graph = task_graph(system, 2);
  CHECK(graph.size() == 4);
  CHECK(boost::num_edges(graph.boost()) == 3);
}

TEST_CASE("activities know their location in the file") {
  Diagnostics diagnostics;
  const std::string text = minimal();
  const Model model = test::model_from_text(text, diagnostics);
  const auto system = importer::build_system(model, {}, diagnostics);
  REQUIRE(system.has_value());
  const auto origin = [&](std::size_t activity) {
    const Location at = model.element(system->graph[task_named(*system, "Vision").body[activity]].origin).location();
    return fmt::format("{}:{}", at.line, at.column);
  };
  const std::string function = "<runnables xmi:id=\"Vision_Function?type=Runnable\"";
  const std::string rest = text.substr(text.find(function));
  CHECK(origin(0) ==
        place(text, "<items xsi:type=\"am:LabelAccess\" data=\"Image_host?type=Label\" access=\"read\"/>"));
  CHECK(origin(3) == place(text, "<items xsi:type=\"am:SetEvent\""));
}

// ---------------------------------------------------------------- custom properties of runnables

namespace {

/// offload-minimal with three runnables where Vision_host_to_device says what it is.
std::string with_property(std::string_view runnable, std::string_view key, std::string_view value) {
  const std::string open = fmt::format(
      "<runnables xmi:id=\"{0}?type=Runnable\" name=\"{0}\" callback=\"false\" service=\"false\">", runnable);
  std::string with = open;
  with += fmt::format(
      "<customProperties key=\"{}\"><value xsi:type=\"am:StringObject\" value=\"{}\"/></customProperties>", key, value);
  return replaced(three(), open, with);
}

}  // namespace

TEST_CASE("gpu.copy defines the copy kind of a runnable") {
  const auto first = [](std::string_view value) {
    return body(system_of(with_property("Vision_host_to_device", "gpu.copy", value)), "Vision").front();
  };
  CHECK(first("h2d") == "h2d Vision.h2d: 64000 B, Image_host -> Image_device");
  CHECK(first("d2h") == "d2h Vision.d2h: 64000 B, Image_host -> Image_device");
  CHECK(first("memset") == "memset Vision.memset: 64000 B, Image_host -> Image_device");
}

TEST_CASE("two copies of the same kind get different names") {
  const System system = system_of(with_property("Vision_host_to_device", "gpu.copy", "d2h"));
  CHECK(body(system, "Vision")[2].starts_with("d2h Vision.d2h2: 4000 B"));
}

TEST_CASE("an invalid gpu.copy is an error at its value") {
  const std::string text = with_property("Vision_host_to_device", "gpu.copy", "sideways");
  CHECK(only_error(text) ==
        fmt::format("model.amxmi:{}: error: custom property gpu.copy is \"sideways\"; expected h2d, d2h or memset "
                    "[AM0315]",
                    place(text, "<value xsi:type=\"am:StringObject\" value=\"sideways\"")));
}

TEST_CASE("gpu.memoryIntensity is a number from 0 to 1") {
  for (const auto& [text, value] : {std::pair{"0", 0.0}, std::pair{"0.25", 0.25}, std::pair{"1.0", 1.0}}) {
    const System system = system_of(with_property("Vision_Function", "gpu.memoryIntensity", text));
    const auto& node = system.graph[task_named(system, "Vision").body[1]];
    CHECK(std::get<Kernel>(node.activity).memory_intensity == value);
  }
  for (const char* wrong : {"1.5", "-0.1", "half", ""}) {
    const std::string text = with_property("Vision_Function", "gpu.memoryIntensity", wrong);
    CHECK(
        only_error(text) ==
        fmt::format("model.amxmi:{}: error: custom property gpu.memoryIntensity is \"{}\"; expected a number from 0 to "
                    "1 [AM0316]",
                    place(text, fmt::format("<value xsi:type=\"am:StringObject\" value=\"{}\"", wrong)), wrong));
  }
}

TEST_CASE("a kernel's launch is read from its runnable or else from its task") {
  const auto kernel_of = [](const System& system) {
    return std::get<Kernel>(system.graph[task_named(system, "Vision").body[1]].activity);
  };
  CHECK_FALSE(kernel_of(system_of(three())).launch);
  const auto property = [](std::string_view key, std::string_view value) {
    return fmt::format(
        "<customProperties key=\"{}\"><value xsi:type=\"am:StringObject\" value=\"{}\"/></customProperties>", key,
        value);
  };
  const std::string runnable = "name=\"Vision_Function\">";
  const std::string task = "name=\"Vision\" stimuli=";
  std::string text = with_property("Vision_Function", "gpu.block", "16x16");
  CHECK(kernel_of(system_of(text)).launch == Launch{1, 256, 0, 0, ""});
  text = replaced(text, "<customProperties key=\"gpu.block\">",
                  property("gpu.grid", "4, 2, 1") + property("gpu.registers", "40") +
                      property("gpu.sharedMemory", "4096") + property("gpu.cacheConfig", "L1") +
                      "<customProperties key=\"gpu.block\">");
  CHECK(kernel_of(system_of(text)).launch == Launch{8, 256, 40, 4096, "L1"});

  for (const char* wrong : {"many", "0", "16x", "2x2x2x2", "-3"}) {
    const std::string bad = with_property("Vision_Function", "gpu.block", wrong);
    CHECK(only_error(bad) ==
          fmt::format(
              "model.amxmi:{}: error: custom property gpu.block is \"{}\"; expected a whole number, or up to three "
              "such as 16x16, of at least 1 [AM0321]",
              place(bad, fmt::format("<value xsi:type=\"am:StringObject\" value=\"{}\"", wrong)), wrong));
  }
  const std::string lonely = with_property("Vision_Function", "gpu.grid", "4");
  CHECK(only_error(lonely) ==
        fmt::format("model.amxmi:{}: error: gpu.grid requires gpu.block (threads per block) [AM0322]",
                    place(lonely, "<value xsi:type=\"am:StringObject\" value=\"4\"")));
}

TEST_CASE("what a kernel costs on an AMD GPU is read from its properties") {
  const auto costs = [](std::string_view key, std::string_view value) {
    const System system = system_of(with_property("Vision_Function", key, value));
    return std::get<Kernel>(system.graph[task_named(system, "Vision").body[1]].activity).costs;
  };
  CHECK(costs("gpu.like", "mm1024") == KernelCosts{"mm1024"});
  CHECK(costs("gpu.fullSpeedThreads", "1024") == KernelCosts{"", 1024});
  CHECK(costs("gpu.weight", "0.5") == KernelCosts{"", {}, 0.5});
  CHECK(costs("gpu.dispatch", "300 ns") == KernelCosts{"", {}, {}, Duration::nanoseconds(300)});
  CHECK_FALSE(costs("gpu.block", "4"));
  for (const auto& [key, wrong, expected] :
       {std::tuple("gpu.fullSpeedThreads", "1048577", "a whole number from 0 to 1048576"),
        std::tuple("gpu.weight", "0", "a number from 0.001 to 1000"),
        std::tuple("gpu.dispatch", "soon", "a time with unit, such as 2 us")}) {
    const std::string bad = with_property("Vision_Function", key, wrong);
    CHECK(only_error(bad) ==
          fmt::format("model.amxmi:{}: error: custom property {} is \"{}\"; expected {} [AM0512]",
                      place(bad, fmt::format("<value xsi:type=\"am:StringObject\" value=\"{}\"", wrong)), key, wrong,
                      expected));
  }
}

TEST_CASE("GPU sharing of a device task is read from its properties") {
  const auto with = [](std::string_view key, std::string_view value) {
    const std::string text = three();
    const std::size_t task = text.find("<tasks xmi:id=\"Vision?type=Task\"");
    REQUIRE(task != std::string::npos);
    const std::size_t open = text.find('>', task);
    return text.substr(0, open + 1) +
           fmt::format(
               "<customProperties key=\"{}\"><value xsi:type=\"am:StringObject\" value=\"{}\"/></customProperties>",
               key, value) +
           text.substr(open + 1);
  };
  const auto share = [&](std::string_view key, std::string_view value) {
    return task_named(system_of(with(key, value)), "Vision").gpu;
  };
  CHECK(share("gpu.context", "vision").context == "vision");
  CHECK(share("gpu.stream", "main").stream == "main");
  CHECK(share("gpu.priority", "high").high_priority);
  CHECK_FALSE(share("gpu.priority", "low").high_priority);
  CHECK(share("gpu.contextPriority", "high").runlist_slots == 3);
  CHECK(share("gpu.contextPriority", "low").runlist_slots == 1);
  CHECK(task_named(system_of(three()), "Vision").gpu.runlist_slots == 2);
  CHECK(share("gpu.hsaQueue", "3").hsa_queue == 3);
  CHECK(share("gpu.ace", "0").ace == 0);
  const std::string negative = with("gpu.hsaQueue", "-1");
  CHECK(
      only_error(negative) ==
      fmt::format("model.amxmi:{}: error: custom property gpu.hsaQueue is \"-1\"; expected a whole number of at least "
                  "0 [AM0323]",
                  place(negative, "<value xsi:type=\"am:StringObject\" value=\"-1\"")));
  const std::string wrong = with("gpu.priority", "urgent");
  CHECK(only_error(wrong) ==
        fmt::format("model.amxmi:{}: error: custom property gpu.priority is \"urgent\"; expected high or low [AM0323]",
                    place(wrong, "<value xsi:type=\"am:StringObject\" value=\"urgent\"")));
}

// ---------------------------------------------------------------- cycles

namespace {

/// Cycles of a deviation, and the ids of what is reported about it.
std::pair<std::optional<Cycles>, Lines> cycles(std::string_view deviation) {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(
      fmt::format("<am:Amalthea xmlns:am=\"http://app4mc.eclipse.org/amalthea/3.3.0\" "
                  "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><swModel><runnables><activityGraph>"
                  "<items xsi:type=\"am:Ticks\">{}</items></activityGraph></runnables></swModel></am:Amalthea>",
                  deviation),
      diagnostics);
  const Element items = model.all("swModel", "runnables").front().child("activityGraph").child("items");
  const auto found = cycles_of(items.child("default"), diagnostics);
  Lines ids;
  for (const auto& diagnostic : diagnostics.all()) ids.push_back(diagnostic.id);
  return {found, ids};
}

/// The cycles of a deviation about which nothing is reported.
Cycles clean_cycles(std::string_view deviation) {
  const auto [found, ids] = cycles(deviation);
  CHECK(ids.empty());
  REQUIRE(found.has_value());
  return *found;
}

std::string deviation(std::string_view kind, std::string_view attributes) {
  return fmt::format("<default xsi:type=\"am:DiscreteValue{}\" {}/>", kind, attributes);
}

}  // namespace

TEST_CASE("every kind of deviation yields a lower bound and a mean and an upper bound") {
  CHECK(clean_cycles(deviation("Constant", "value=\"7\"")) == Cycles{7, 7, 7});
  CHECK(clean_cycles(deviation("Constant", "")) == Cycles{0, 0, 0});
  CHECK(clean_cycles(deviation("Statistics", "lowerBound=\"10\" upperBound=\"50\" average=\"20.4\"")) ==
        Cycles{10, 20, 50});
  CHECK(clean_cycles(deviation("Statistics", "lowerBound=\"10\" upperBound=\"2147483648\" average=\"1.0E8\"")) ==
        Cycles{10, 100'000'000, 2'147'483'648});
  CHECK(clean_cycles(deviation("UniformDistribution", "lowerBound=\"10\" upperBound=\"51\"")) == Cycles{10, 30, 51});
  CHECK(clean_cycles(deviation("Boundaries", "samplingType=\"WorstCase\" lowerBound=\"10\" upperBound=\"50\"")) ==
        Cycles{10, 30, 50});
  CHECK(clean_cycles(deviation("BetaDistribution", "lowerBound=\"10\" upperBound=\"50\" alpha=\"1.0\" beta=\"2.0\"")) ==
        Cycles{10, 30, 50});
  CHECK(clean_cycles(deviation("WeibullEstimatorsDistribution",
                               "lowerBound=\"10\" upperBound=\"50\" average=\"12.6\" pRemainPromille=\"0.5\"")) ==
        Cycles{10, 13, 50});
  CHECK(
      clean_cycles(deviation("GaussDistribution", "lowerBound=\"80\" upperBound=\"150\" mean=\"100.0\" sd=\"10.0\"")) ==
      Cycles{80, 100, 150});
  CHECK(clean_cycles(deviation("GaussDistribution", "mean=\"100.0\" sd=\"10.0\"")) == Cycles{0, 100, 130});
}

TEST_CASE("a histogram yields its extremes and the weighted mean of its entries") {
  CHECK(clean_cycles("<default xsi:type=\"am:DiscreteValueHistogram\">"
                     "<entries lowerBound=\"10\" upperBound=\"20\" occurrences=\"3\"/>"
                     "<entries lowerBound=\"20\" upperBound=\"40\" occurrences=\"1\"/></default>") ==
        Cycles{10, 19, 40});
  CHECK(clean_cycles("<default xsi:type=\"am:DiscreteValueHistogram\"/>") == Cycles{0, 0, 0});
}

TEST_CASE("negative or unordered bounds are corrected and reported") {
  const auto check = [](const std::string& text, const Cycles& expected, const char* id = "AM0211") {
    const auto [found, ids] = cycles(text);
    CHECK(found == expected);
    CHECK(ids == Lines{id});
  };
  check(deviation("Statistics", "lowerBound=\"50\" upperBound=\"10\" average=\"20\""), {10, 20, 50});
  check(deviation("Statistics", "lowerBound=\"10\" upperBound=\"50\" average=\"99\""), {10, 30, 50});
  check(deviation("Statistics", "lowerBound=\"10\" upperBound=\"50\" average=\"0.0\""), {10, 30, 50}, "AM0232");
  check(deviation("Constant", "value=\"-7\""), {0, 0, 0});
  CHECK(clean_cycles(deviation("GaussDistribution", "mean=\"10\" sd=\"10\"")) == Cycles{0, 10, 40});
}

TEST_CASE("numbers too large for cycles are reported or saturated and never wrap around") {
  const auto [constant, ids] = cycles(deviation("Constant", "value=\"99999999999999999999\""));
  CHECK(ids == Lines{"AM0210"});
  CHECK(cycles(deviation("Statistics", "lowerBound=\"1\" upperBound=\"2\" average=\"1.0E30\"")).second.front() ==
        "AM0210");
  const auto gauss = cycles(deviation("GaussDistribution", "mean=\"9.0E18\" sd=\"8.0E18\"")).first;
  REQUIRE(gauss.has_value());
  CHECK(gauss->upper == std::numeric_limits<std::int64_t>::max());
  CHECK(gauss->lower == 0);
  const auto wide =
      cycles(deviation("UniformDistribution", "lowerBound=\"-9223372036854775808\" upperBound=\"9223372036854775807\""))
          .first;
  REQUIRE(wide.has_value());
  CHECK(wide->upper == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("a count that is not a number is an error at its location") {
  Diagnostics diagnostics;
  const std::string text = replaced(minimal(), "lowerBound=\"400000\"", "lowerBound=\"many\"");
  const Model model = test::model_from_text(text, diagnostics);
  importer::build_system(model, {}, diagnostics);
  const auto found = test::with_id(diagnostics, "AM0210");
  REQUIRE(found.size() == 1);
  CHECK(format(found.front()) ==
        fmt::format("model.amxmi:{}: error: unreadable value in <default>: \"many\" is not a number [AM0210]",
                    place(text, "many")));
}

// ---------------------------------------------------------------- one error for each thing that is missing

TEST_CASE("a runnable that calls itself is an error at the call") {
  const std::string text =
      replaced(minimal(), "<items xsi:type=\"am:Ticks\">",
               "<items xsi:type=\"am:RunnableCall\" runnable=\"Control_Preprocessing?type=Runnable\"/>"
               "<items xsi:type=\"am:Ticks\">");
  const auto second = text.find("runnable=\"Control_Preprocessing", text.find("<runnables"));
  CHECK(only_error(text) == fmt::format("model.amxmi:{}: error: runnable \"Control_Preprocessing\" calls itself, and "
                                        "recursion has no bound; break the cycle [AM0305]",
                                        place(text, text.substr(second - 34, 90))));
}

TEST_CASE("runnables that call each other in a cycle are an error at the closing call") {
  std::string text = replaced(minimal(), "<items xsi:type=\"am:Ticks\">",
                              "<items xsi:type=\"am:RunnableCall\" runnable=\"Monitor_Function?type=Runnable\"/>"
                              "<items xsi:type=\"am:Ticks\">");
  const auto monitor = text.find("<runnables xmi:id=\"Monitor_Function");
  text.insert(text.find("<items", monitor),
              "<items xsi:type=\"am:RunnableCall\" runnable=\"Control_Preprocessing?type=Runnable\"/>");
  bool built = true;
  const auto errors = findings(text, built);
  CHECK_FALSE(built);
  REQUIRE(errors.size() == 2);  // seen from Control and from Monitor
  CHECK(errors[0].find(
            "runnable \"Control_Preprocessing\" calls itself, and recursion has no bound; break the cycle [AM0305]") !=
        std::string::npos);
  CHECK(errors[1].find(
            "runnable \"Monitor_Function\" calls itself, and recursion has no bound; break the cycle [AM0305]") !=
        std::string::npos);
}

namespace {

/// offload-minimal where Monitor calls R0, and each of `count` runnables calls the next `times` times.
std::string with_calls(int count, int times) {
  std::string runnables;
  for (int i = 0; i < count; ++i) {
    runnables += fmt::format("<runnables name=\"R{}\"><activityGraph>", i);
    for (int j = 0; j < times && i + 1 < count; ++j)
      runnables += fmt::format("<items xsi:type=\"am:RunnableCall\" runnable=\"R{}?type=Runnable\"/>", i + 1);
    runnables += "</activityGraph></runnables>";
  }
  std::string text =
      replaced(minimal(), "runnable=\"Monitor_Function?type=Runnable\"", "runnable=\"R0?type=Runnable\"");
  return text.insert(text.find("<labels"), runnables);
}

}  // namespace

TEST_CASE("calls nested too deeply are an error without stack overflow") {
  CHECK(system_of(with_calls(512, 1)).runnables.size() > 512);
  const std::string error = only_error(with_calls(100'000, 1));
  CHECK(
      error.find("the call of runnable \"R512\" is nested more than 512 runnables deep; flatten the calls [AM0305]") !=
      std::string::npos);
}

TEST_CASE("exponentially multiplying calls are an error without memory exhaustion") {
  const std::string error = only_error(with_calls(60, 2));
  CHECK(error.find("the tasks have more than 300000 activities if each call of a runnable counts; split the model, "
                   "replace calls by ticks, or raise --max-activities [AM0317]") != std::string::npos);
}

TEST_CASE("long names and content count as further activities, since calls repeat them") {
  const auto called = [](const std::string& activity) {
    std::string calls;
    for (int i = 0; i < 1000; ++i) calls += "<items xsi:type=\"am:RunnableCall\" runnable=\"R1?type=Runnable\"/>";
    const std::string text =
        replaced(minimal(), "runnable=\"Monitor_Function?type=Runnable\"", "runnable=\"R0?type=Runnable\"");
    return std::string(text).insert(text.find("<labels"), "<runnables name=\"R0\"><activityGraph>" + calls +
                                                              "</activityGraph></runnables><runnables "
                                                              "name=\"R1\"><activityGraph>" +
                                                              activity + "</activityGraph></runnables>");
  };
  const std::string ticks = R"(<items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueHistogram">)";
  const auto histogram = [&](int entries) {
    std::string text;
    for (int i = 0; i < entries; ++i) text += R"(<entries occurrences="1" lowerBound="1" upperBound="9"/>)";
    return ticks + text + "</default></items>";
  };
  CHECK(system_of(called(histogram(10))).runnables.size() > 2);
  for (const std::string& content :
       {histogram(10'000), "<items xsi:type=\"am:Group\" name=\"" + std::string(400'000, 'x') + "\"/>"}) {
    const std::string error = only_error(called(content));
    CHECK(
        error.find("the tasks have more than 300000 activities if each call of a runnable counts, and each 1000 bytes "
                   "of names and content; split the model, ") != std::string::npos);
  }
}

TEST_CASE("a task without allocation is one error at the task") {
  const std::string text =
      replaced(minimal(),
               "<taskAllocation task=\"Vision?type=Task\" scheduler=\"Gpu_Scheduler?type=TaskScheduler\" "
               "affinity=\"GPU?type=ProcessingUnit\"/>",
               "");
  CHECK(only_error(text) == fmt::format("model.amxmi:{}: error: task \"Vision\" is not allocated to a scheduler; "
                                        "add a taskAllocation in the mappingModel [AM0302]",
                                        place(text, "<tasks xmi:id=\"Vision")));
}

TEST_CASE("a scheduler without units is one error at the scheduler for any number of tasks") {
  std::string text = replaced(minimal(), " responsibility=\"Core?type=ProcessingUnit\"", "");
  text = without_all(text, " affinity=\"Core?type=ProcessingUnit\"");
  CHECK(only_error(text) ==
        fmt::format("model.amxmi:{}: error: scheduler \"Cpu_Scheduler\" of task \"Control\" is responsible for no "
                    "processing unit; add a schedulerAllocation in the mappingModel [AM0303]",
                    place(text, "<taskSchedulers xmi:id=\"Cpu_Scheduler")));
}

TEST_CASE("a core without a clock is one error at the core for any number of tasks") {
  const std::string expected =
      ": error: processing unit \"Core\", which runs task \"Control\", has no clock; add one (frequencyDomain with "
      "defaultValue) [AM0304]";
  const std::string no_reference =
      replaced(minimal(), " name=\"Core\" frequencyDomain=\"Cpu_Clock?type=FrequencyDomain\"", " name=\"Core\"");
  const std::string unit = "<modules xsi:type=\"am:ProcessingUnit\" xmi:id=\"Core?";
  CHECK(only_error(no_reference) == "model.amxmi:" + place(no_reference, unit) + expected);
  const std::string no_value = replaced(minimal(), "<defaultValue value=\"1.0\" unit=\"GHz\"/>", "");
  CHECK(only_error(no_value) == "model.amxmi:" + place(no_value, unit) + expected);
}

TEST_CASE("a device without a GPU definition is one error even if more is missing") {
  const auto expected = [](std::string_view definition) {
    return fmt::format(
        ": error: unit \"GPU\" is used as a GPU, because it states gpu.platform \"tx2\", but {}; if it is a GPU, set "
        "puType=\"GPU\" in its definition, else remove gpu.platform [AM0307]",
        definition);
  };
  const std::string unit = "<modules xsi:type=\"am:ProcessingUnit\" xmi:id=\"GPU?";
  const std::string no_type = replaced(minimal(), " puType=\"GPU\"", "");
  CHECK(only_error(no_type) ==
        "model.amxmi:" + place(no_type, unit) + expected("its definition \"Gpu\" has no puType"));
  const std::string wrong_type = replaced(minimal(), "puType=\"GPU\"", "puType=\"CPU\"");
  CHECK(only_error(wrong_type) ==
        "model.amxmi:" + place(wrong_type, unit) + expected("its definition \"Gpu\" has puType=\"CPU\""));
  const std::string no_reference = replaced(minimal(), " definition=\"Gpu?type=ProcessingUnitDefinition\"", "");
  CHECK(only_error(no_reference) == "model.amxmi:" + place(no_reference, unit) + expected("it has no definition"));
  const std::string no_definition = replaced(
      minimal(),
      "<definitions xsi:type=\"am:ProcessingUnitDefinition\" xmi:id=\"Gpu?type=ProcessingUnitDefinition\" name=\"Gpu\" "
      "puType=\"GPU\"/>",
      "");
  CHECK(only_error(no_definition) ==
        fmt::format("model.amxmi:{}: error: definition \"Gpu?type=ProcessingUnitDefinition\" of ProcessingUnit \"GPU\" "
                    "refers to no element in the model; did you mean \"Cpu?type=ProcessingUnitDefinition\"? [AM0203]",
                    place(no_definition, "definition=\"Gpu?type", 12)));
}

TEST_CASE("a device that several tasks share is reported once") {
  // Time slices tell what the WATERS device is meant to be, also without its gpu.platform.
  const std::string text = replaced(waters(), " puType=\"GPU\"", "");
  CHECK(only_error(text).find("unit \"GP10B\" is used as a GPU") != std::string::npos);
  const std::string plain = replaced(text, "<value xsi:type=\"am:StringObject\" value=\"tx2\"/>", "");
  CHECK(only_error(plain).find("unit \"GP10B\" is used as a GPU") != std::string::npos);
}

TEST_CASE("missing ticks for the kind of core are one error at the ticks") {
  const std::string only_cpu = fmt::format(
      "<extended key=\"Cpu?type=ProcessingUnitDefinition\"><value xsi:type=\"am:DiscreteValueConstant\" "
      "value=\"1\"/></extended>");
  const std::string text = replaced(three(), vision_ticks, only_cpu);
  const std::string rest = text.substr(text.find(only_cpu) - 80);
  CHECK(only_error(text) ==
        fmt::format(
            "model.amxmi:{}: error: runnable \"Vision_Function\" has no ticks for \"Gpu\", the definition of \"GPU\", "
            "which runs task \"Vision\"; add an extended entry or a default, or map the task elsewhere [AM0314]",
            place(text, rest.substr(rest.find("<items"), 120))));
}

TEST_CASE("an unsupported scheduling algorithm is one error at the scheduler") {
  std::string text = replaced(minimal(), "name=\"FixedPriorityPreemptive\"", "name=\"PfairPD2\"");
  CHECK(only_error(text) ==
        fmt::format("model.amxmi:{}: error: scheduler \"Cpu_Scheduler\" uses the algorithm PfairPD2, which is not "
                    "simulated; expected FixedPriorityPreemptive, OSEK, RateMonotonic, DeadlineMonotonic, "
                    "EarliestDeadlineFirst, PriorityBasedRoundRobin, Grouping, PollingPeriodicServer, "
                    "DeferrableServer or ConstantBandwidthServer [AM0306]",
                    place(text, "<taskSchedulers xmi:id=\"Cpu_Scheduler")));
}

TEST_CASE("an unsupported kind of stimulus is one error at the stimulus") {
  const std::string text =
      replaced(replaced(minimal(), "xsi:type=\"am:PeriodicStimulus\" xmi:id=\"every_2ms?type=PeriodicStimulus\"",
                        "xsi:type=\"am:CustomStimulus\" xmi:id=\"every_2ms?type=PeriodicStimulus\""),
               "<recurrence value=\"2\" unit=\"ms\"/>", "");
  CHECK(only_error(text) ==
        fmt::format(
            "model.amxmi:{}: error: task \"Monitor\" is activated by the CustomStimulus \"every_2ms\", a "
            "kind of stimulus that is not simulated; use a periodic, sporadic, event or inter-process one [AM0310]",
            place(text, "<stimuli xsi:type=\"am:CustomStimulus\"")));
}

TEST_CASE("a zero or missing period is one error at the stimulus") {
  const std::string expected =
      ": error: periodic stimulus \"every_2ms\" needs a recurrence above zero and an offset of 0 or more [AM0311]";
  const std::string stimulus = "<stimuli xsi:type=\"am:PeriodicStimulus\" xmi:id=\"every_2ms";
  for (const char* recurrence : {"<recurrence value=\"0\" unit=\"ms\"/>", "<recurrence value=\"-2\" unit=\"ms\"/>", "",
                                 "<recurrence value=\"2\" unit=\"ms\"/><offset value=\"-1\" unit=\"ms\"/>"}) {
    const std::string text = replaced(minimal(), "<recurrence value=\"2\" unit=\"ms\"/>", recurrence);
    CHECK(only_error(text) == "model.amxmi:" + place(text, stimulus) + expected);
  }
}

TEST_CASE("an affinity to something other than a processing unit is one error") {
  const std::string text = replaced(minimal(), "affinity=\"GPU?type=ProcessingUnit\"", "affinity=\"DRAM?type=Memory\"");
  CHECK(
      only_error(text) ==
      fmt::format("model.amxmi:{}: error: affinity \"DRAM?type=Memory\" of TaskAllocation refers to a Memory; expected "
                  "a ProcessingUnit [AM0203]",
                  place(text, "affinity=\"DRAM", 10)));
  const std::string href = replaced(minimal(), " affinity=\"GPU?type=ProcessingUnit\"/>",
                                    "><affinity href=\"amlt:/#DRAM?type=Memory\"/></taskAllocation>");
  CHECK(only_error(href) ==
        fmt::format("model.amxmi:{}: error: reference \"amlt:/#DRAM?type=Memory\" of affinity refers to a "
                    "Memory; expected a ProcessingUnit [AM0205]",
                    place(href, "amlt:/#DRAM")));
}

TEST_CASE("an unreadable priority or time slice is one error at its value") {
  const std::string priority = replaced(minimal(), "<value xsi:type=\"am:IntegerObject\" value=\"2\"/>",
                                        "<value xsi:type=\"am:StringObject\" value=\"high\"/>");
  CHECK(only_error(priority) ==
        fmt::format(
            "model.amxmi:{}: error: unreadable scheduling parameter priority of task \"Monitor\": \"high\" is not "
            "an integer [AM0308]",
            place(priority, "\"high\"", 1)));
  const std::string slice = replaced(test::read_text(test::data("offload-1.1.0.amxmi")), "5000\xC2\xB5s", "soon");
  CHECK(only_error(slice) ==
        fmt::format(
            "model.amxmi:{}: error: unreadable scheduling parameter TimeSlice_Vision of task \"Vision\": \"soon\" "
            "is not a whole number with a unit of time, such as \"7200 us\" [AM0308]",
            place(slice, "\"soon\"", 1)));
}

TEST_CASE("an event mask without events is one error at the item") {
  const std::string text = replaced(minimal(), "<eventMask events=\"Vision_done?type=OsEvent\"/>", "<eventMask/>");
  CHECK(only_error(text) ==
        fmt::format("model.amxmi:{}: error: WaitEvent has no event; reference one in its eventMask [AM0313]",
                    place(text, "<items xsi:type=\"am:WaitEvent\"")));
}

TEST_CASE("a call without a runnable is one error at the call") {
  const std::string text = replaced(minimal(), " runnable=\"Monitor_Function?type=Runnable\"", "");
  CHECK(only_error(text) == fmt::format("model.amxmi:{}: error: RunnableCall has no runnable, which its timing "
                                        "requires; add it, or remove the element [AM0301]",
                                        place(text, "<items xsi:type=\"am:RunnableCall\"/>")));
}

TEST_CASE("a call of an unknown runnable is one error at the reference") {
  const std::string text =
      replaced(minimal(), "runnable=\"Monitor_Function?type=Runnable\"", "runnable=\"Gone?type=Runnable\"");
  CHECK(only_error(text) ==
        fmt::format("model.amxmi:{}: error: runnable \"Gone?type=Runnable\" of RunnableCall refers to no element in "
                    "the model; correct it, or also pass the file that contains it [AM0203]",
                    place(text, "Gone?type")));
}

TEST_CASE("a call of something other than a runnable is one error at the reference") {
  const std::string text =
      replaced(minimal(), "runnable=\"Monitor_Function?type=Runnable\"", "runnable=\"Image_host?type=Label\"");
  CHECK(only_error(text) ==
        fmt::format("model.amxmi:{}: error: runnable \"Image_host?type=Label\" of RunnableCall refers to a Label; "
                    "expected a Runnable [AM0203]",
                    place(text, "runnable=\"Image_host?type=Label\"", 10)));
}

TEST_CASE("a model without tasks is one error at the root in every version") {
  const auto root = [](std::string_view version) {
    return fmt::format("<am:Amalthea xmlns:am=\"http://app4mc.eclipse.org/amalthea/{}\"/>", version);
  };
  CHECK(only_error(root("3.3.0")) ==
        "model.amxmi:1:1: error: the model has no task to analyze; pass all its files, or add a task to the swModel "
        "[AM0312]");
  CHECK(only_error(root("0.8.3")) ==
        "model.amxmi:1:1: error: the model has no task to analyze; pass all its files, or add a task to the swModel "
        "[AM0312]");
}

TEST_CASE("chains that refer to each other terminate") {
  std::string chains;
  for (int i = 0; i < 40; ++i) {
    chains += fmt::format("<eventChains name=\"c{}\">", i);
    for (int j = 0; j < 2; ++j)
      chains +=
          fmt::format("<items xsi:type=\"am:EventChainReference\" eventChain=\"c{}?type=EventChain\"/>", (i + 1) % 40);
    chains += "</eventChains>";
  }
  const System system = system_of(replaced(minimal(), "<constraintsModel>", "<constraintsModel>" + chains));
  CHECK(system.chains.empty());
}

TEST_CASE("copies larger than any number of bytes saturate") {
  std::string text = minimal();
  for (int i = 0; i < 2; ++i)
    text = replaced(text, "<size value=\"64\" unit=\"kB\"/>", "<size value=\"1\" unit=\"TB\"/>");
  const System system = system_of(text);
  CHECK(body(system, "Vision").front().starts_with("h2d Vision.h2d: 1000000000000 B"));
}

// ---------------------------------------------------------------- what is said but does not block

TEST_CASE("what the analysis omits is reported once with its number") {
  bool built = false;
  const std::string semaphore =
      replaced(minimal(), "<items xsi:type=\"am:WaitEvent\"",
               "<items xsi:type=\"am:SemaphoreAccess\"/><items xsi:type=\"am:SemaphoreAccess\"/>"
               "<items xsi:type=\"am:WaitEvent\"");
  const auto warnings = findings(semaphore, built, Severity::warning);
  CHECK(built);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front().find("2 SemaphoreAccess in the model are not simulated; the time they take is missing from "
                              "all results; remove them, or state the time as Ticks (docs/modelled.md lists what is "
                              "simulated); this is the first one [AM0401]") != std::string::npos);
}

TEST_CASE("a task that waits for an event that is never set is reported with the event name") {
  bool built = false;
  const std::string text = replaced(minimal(), "<items xsi:type=\"am:SetEvent\" process=\"Control?type=Task\">",
                                    "<items xsi:type=\"am:ClearEvent\">");
  const auto warnings = findings(text, built, Severity::warning);
  CHECK(built);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front() ==
        fmt::format("model.amxmi:{}: warning: task \"Control\" waits for Vision_done, which no task sets, so it waits "
                    "forever; add a SetEvent to the task that it waits for [AM0413]",
                    place(text, "<items xsi:type=\"am:WaitEvent\"")));
}

TEST_CASE("a memory that a unit cannot access is reported because its accesses take no time") {
  bool built = false;
  const std::string text =
      replaced(minimal(), "<accessElements name=\"Core_to_DRAM\" destination=\"DRAM?type=Memory\">",
               "<accessElements name=\"Core_to_DRAM\" destination=\"GPU?type=ProcessingUnit\">");
  const auto notes = findings(text, built, Severity::note);
  CHECK(built);
  REQUIRE(notes.size() == 1);
  CHECK(notes.front().find("processing unit \"Core\" has no accessElement for the memory of label") !=
        std::string::npos);
}

TEST_CASE("common names of fixed-priority scheduling are recognized") {
  for (const char* name : {"FPP", "Fixed_Priority-Preemptive", "OSEK"}) {
    std::string text = minimal();
    constexpr std::string_view usual = "FixedPriorityPreemptive";
    for (auto at = text.find(usual); at != std::string::npos; at = text.find(usual, at))
      text.replace(at, usual.size(), name);
    Diagnostics diagnostics;
    const Model model = test::model_from_text(text, diagnostics);
    INFO(name);
    CHECK(importer::build_system(model, {}, diagnostics).has_value());
  }
}

TEST_CASE("a wrapper whose trigger also activates another task is kept with all activations") {
  const std::string text = replaced(
      test::read_text(test::sample("waters2019-tx2.amxmi")), "stimuli=\"periodic_100ms?type=PeriodicStimulus\"",
      "stimuli=\"periodic_100ms?type=PeriodicStimulus Lane_detection_stim?type=InterProcessStimulus\"");
  const System system = system_of(text);
  CHECK_FALSE(task_named(system, "PRE_Lane_detection_gpu_POST").folded_into.has_value());
  CHECK(task_named(system, "PRE_Localization_gpu_POST").folded_into.has_value());
  for (const Stimulus& stimulus : system.stimuli)
    if (stimulus.name == "Lane_detection_stim") CHECK(stimulus.activates.size() == 2);
}

TEST_CASE("an unreadable value stops the analysis with one error at the value") {
  const std::string text = replaced(minimal(), "<size value=\"64\" unit=\"kB\"", "<size value=\"64\" unit=\"parsec\"");
  CHECK(only_error(text) == fmt::format("model.amxmi:{}: error: unreadable value in <size>: \"parsec\" is not a unit "
                                        "of data size (B, kB, KiB, MB, …) [AM0210]",
                                        place(text, "\"parsec\"", 1)));
}

TEST_CASE("the statistic of a label access defines its frequency") {
  const std::string once = "<items xsi:type=\"am:LabelAccess\" data=\"Image_host?type=Label\" access=\"write\"/>";
  const auto counted = [&](const std::string& value) {
    Diagnostics diagnostics;
    const std::string text = test::replaced(
        test::read_text(test::sample("offload-minimal.amxmi")), once,
        "<items xsi:type=\"am:LabelAccess\" data=\"Image_host?type=Label\" access=\"write\"><statistic>" + value +
            "</statistic></items>");
    const auto system = importer::build_system(test::model_from_text(text, diagnostics), {}, diagnostics);
    REQUIRE(system.has_value());
    for (NodeIndex node = 0; node < system->graph.size(); ++node)
      if (const auto* write = std::get_if<WriteLabel>(&system->graph[node].activity))
        if (system->labels[write->label].name == "Image_host")
          return std::vector<std::int64_t>{write->count.least, write->count.average, write->count.most};
    return std::vector<std::int64_t>{};
  };
  using Counts = std::vector<std::int64_t>;
  CHECK(counted("<value xsi:type=\"am:MinAvgMaxStatistic\" min=\"2\" avg=\"3.4\" max=\"7\"/>") == Counts{2, 3, 7});
  CHECK(counted("<value xsi:type=\"am:SingleValueStatistic\" value=\"2.5\"/>") == Counts{2, 3, 3});
  CHECK(counted("<value xsi:type=\"am:MinAvgMaxStatistic\" min=\"0\" avg=\"0\" max=\"4\"/>") == Counts{0, 0, 4});
  CHECK(counted("") == Counts{1, 1, 1});
}

}  // namespace building_system_test
