// SPDX-License-Identifier: Apache-2.0
// Calibration: a trace of known distributions gives them back, a log of a GPU its kernels' times; nothing else changes.

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/analysis.hpp"
#include "exporter/rewriting/calibration.hpp"
#include "exporter/traces/trace_formats.hpp"
#include "exporter/traces/trace_names.hpp"
#include "importer/building/system_builder.hpp"
#include "tests/support/test_models.hpp"
#include "traces/calibration.hpp"

namespace traces_calibration_test {
namespace {

using namespace amalthea;

System system_of(const Model& model) {
  Diagnostics diagnostics;
  auto system = importer::build_system(model, {}, diagnostics);
  REQUIRE(system.has_value());
  return std::move(*system);
}

/// The text of the model with the measured times.
std::string calibrated(const Model& model, const std::vector<std::string>& paths,
                       const exporter::CalibrationRequest& request, const std::string& names = "{}",
                       bool more = false) {
  const System system = system_of(model);
  Diagnostics diagnostics;
  const engine::AnalysisOptions options;
  const auto directory = exporter::trace_names(system, options, diagnostics);
  const auto rules = traces::NameRules::parse(names);
  REQUIRE(rules.has_value());
  const auto measured = traces::compare_traces({system, options, nullptr, *directory, *rules}, paths, diagnostics);
  INFO((measured ? "" : measured.error()));
  REQUIRE(measured.has_value());
  const auto calibration = exporter::calibrate(
      model, system,
      {traces::measured_ticks(system, options, *measured),
       more ? traces::measured_arrivals(system, *measured) : std::vector<traces::MeasuredArrivals>{},
       more ? traces::measured_accesses(system, options, *measured) : std::vector<traces::MeasuredAccess>{}},
      request, diagnostics);
  REQUIRE(calibration.has_value());
  CHECK(calibration->splices.size() <= 1);
  if (calibration->splices.empty()) return std::string(model.documents().front()->source().bytes());
  return exporter::apply(model.documents().front()->source().bytes(), calibration->splices.begin()->second);
}

void trace(const Model& model, const std::string& path, Duration until) {
  const System system = system_of(model);
  auto writer = exporter::trace_format_of(path)->make(path, {});
  REQUIRE(writer.has_value());
  engine::AnalysisOptions options;
  options.execution = engine::Execution::random;
  options.until = until;
  options.observer = writer->get();
  Diagnostics diagnostics;
  REQUIRE(engine::analyze(system, options, diagnostics).has_value());
  REQUIRE((*writer)->finish().has_value());
}

Cycles cycles_of(const System& system, const std::string& runnable) {
  for (NodeIndex node = 0; node < system.graph.size(); ++node) {
    const auto* compute = std::get_if<Compute>(&system.graph[node].activity);
    const auto index = system.graph[node].runnable;
    if (compute == nullptr || !index || system.runnables[*index].name != runnable) continue;
    return *compute->ticks.on(system.platform.units[system.tasks[system.graph[node].task].unit].definition);
  }
  FAIL("no ticks of " << runnable);
  return {};
}

engine::Sample drawn(const Cycles& cycles, std::uint64_t seed) {
  engine::Sample sample;
  for (std::uint64_t number = 0; number < 20'000; ++number) {
    RandomStream random(seed, purpose::execution, 0, number);
    sample.add(Duration::picoseconds(draw({cycles.lower, cycles.average, cycles.upper, cycles.shape}, random)));
  }
  return sample;
}

constexpr const char* monitor_ticks =
    "<default xsi:type=\"am:DiscreteValueStatistics\" lowerBound=\"200000\" upperBound=\"300000\" "
    "average=\"250000.0\"/>";

}  // namespace

TEST_CASE("calibration gets known distributions back from traces of every form") {
  const test::TemporaryFolder folder;
  const std::string original = test::read_text(test::sample("offload-minimal.amxmi"));
  for (const char* distribution :
       {"<default xsi:type=\"am:DiscreteValueGaussDistribution\" mean=\"250000\" sd=\"15000\" lowerBound=\"200000\" "
        "upperBound=\"300000\"/>",
        "<default xsi:type=\"am:DiscreteValueBetaDistribution\" alpha=\"2\" beta=\"5\" lowerBound=\"200000\" "
        "upperBound=\"300000\"/>",
        "<default xsi:type=\"am:DiscreteValueHistogram\"><entries lowerBound=\"200000\" upperBound=\"220000\" "
        "occurrences=\"70\"/><entries lowerBound=\"260000\" upperBound=\"300000\" occurrences=\"30\"/></default>"}) {
    Diagnostics diagnostics;
    const Model model = test::model_from_text(test::replaced(original, monitor_ticks, distribution), diagnostics);
    const engine::Sample known = drawn(cycles_of(system_of(model), "Monitor_Function"), 1);
    for (const char* extension : {".btf", ".atdb", ".json"}) {
      const std::string path = folder.path() + "/trace" + extension;
      trace(model, path, Duration::seconds(8));
      exporter::CalibrationRequest request;
      request.form = exporter::CalibrationForm::histogram;
      request.traces = {"trace"};
      const Model after = test::model_from_text(calibrated(model, {path}, request), diagnostics);
      const engine::Sample found = drawn(cycles_of(system_of(after), "Monitor_Function"), 2);
      INFO(distribution << " " << extension);
      CHECK(engine::kolmogorov_distance(known, found) < 0.05);
    }
    for (const auto form : {exporter::CalibrationForm::gauss, exporter::CalibrationForm::beta}) {
      const std::string path = folder.path() + "/trace.atdb";
      exporter::CalibrationRequest request;
      request.form = form;
      const Model after = test::model_from_text(calibrated(model, {path}, request), diagnostics);
      const Cycles found = cycles_of(system_of(after), "Monitor_Function");
      CHECK(found.lower >= 200'000);
      CHECK(found.upper <= 300'000);
      const bool same = std::string(distribution).find(form == exporter::CalibrationForm::gauss ? "Gauss" : "Beta") !=
                        std::string::npos;
      if (same) CHECK(engine::kolmogorov_distance(known, drawn(found, 2)) < 0.05);
    }
  }
}

TEST_CASE("calibration subtracts the label accesses of the model and changes nothing else") {
  const test::TemporaryFolder folder;
  Diagnostics diagnostics;
  const Model model = test::model_from_file(test::sample("offload-minimal.amxmi"), diagnostics);
  const std::string path = folder.path() + "/trace.atdb";
  trace(model, path, Duration::seconds(4));
  const std::string text = calibrated(model, {path}, {});
  const Model after = test::model_from_text(text, diagnostics);
  const System before_system = system_of(model), after_system = system_of(after);
  for (const char* runnable : {"Control_Preprocessing", "Control_Postprocessing", "Monitor_Function"}) {
    const Cycles before = cycles_of(before_system, runnable), now = cycles_of(after_system, runnable);
    INFO(runnable);
    CHECK(now.lower >= before.lower);
    CHECK(now.upper <= before.upper);
    CHECK(std::abs(now.average - before.average) < (before.upper - before.lower) / 10);
  }
  // Every line of the file is still there, in the same order, but for those that state execution times.
  const auto lines_of = [](const std::string& of) {
    std::vector<std::string> lines(1);
    for (const char character : of)
      if (character == '\n')
        lines.emplace_back();
      else
        lines.back() += character;
    return lines;
  };
  const auto before = lines_of(test::read_text(test::sample("offload-minimal.amxmi"))), now = lines_of(text);
  std::size_t at = 0, replaced = 0;
  for (const std::string& line : before) {
    if (line.find("<default ") != std::string::npos) {
      ++replaced;
      continue;
    }
    while (at < now.size() && now[at] != line) {
      INFO(now[at]);
      CHECK((now[at].find("<default ") != std::string::npos || now[at].find("ustomProperties") != std::string::npos ||
             now[at].find("StringObject") != std::string::npos));
      ++at;
    }
    REQUIRE(at < now.size());
    ++at;
  }
  CHECK(replaced == 4);
  CHECK(text.find("key=\"measured.contention\"") != std::string::npos);
  CHECK(text.find("key=\"gpu.memoryIntensity\"") != std::string::npos);
  exporter::CalibrationRequest isolated;
  isolated.isolated = true;
  CHECK(calibrated(model, {path}, isolated).find("gpu.memoryIntensity") == std::string::npos);
  // A calibrated model is calibrated again in place.
  CHECK(calibrated(after, {path}, {}) == text);
}

TEST_CASE("a percentile and a margin shape the upper bound") {
  const test::TemporaryFolder folder;
  Diagnostics diagnostics;
  const Model model = test::model_from_file(test::sample("offload-minimal.amxmi"), diagnostics);
  const std::string path = folder.path() + "/trace.btf";
  trace(model, path, Duration::seconds(4));
  const auto upper = [&](const exporter::CalibrationRequest& request) {
    const Model after = test::model_from_text(calibrated(model, {path}, request), diagnostics);
    return cycles_of(system_of(after), "Monitor_Function").upper;
  };
  exporter::CalibrationRequest request;
  const std::int64_t maximum = upper(request);
  request.margin = 20;
  CHECK(upper(request) == Approx(1.2 * static_cast<double>(maximum)).epsilon(0.001));
  request.margin = 0;
  request.percentile = 500;
  CHECK(upper(request) < maximum);
  CHECK(upper(request) == Approx(250'000).epsilon(0.05));
}

// ---------------------------------------------------------------- stimuli

TEST_CASE("occurrences give their period and offset and jitter") {
  traces::Occurrences occurrences;
  std::mt19937 random(7);
  const auto at = [](std::int64_t k) { return 3'000'000 + k * 10'000'037; };
  Duration largest;
  for (std::int64_t k = 0; k < 20'000; ++k) {
    if (k % 100 == 17) continue;  // missing ones leave a gap
    const auto jitter = static_cast<std::int64_t>(random() % 500'000);
    largest = std::max(largest, Duration::picoseconds(jitter));
    occurrences.add(static_cast<std::uint64_t>(k), Instant::at(Duration::picoseconds(at(k) + jitter)));
  }
  const auto fit = occurrences.best_fit();
  REQUIRE(fit.has_value());
  CHECK(std::abs(fit->period.picoseconds() - 10'000'037) <= 1);
  CHECK(std::abs(fit->first.picoseconds() - 3'000'000) < 20'000);
  CHECK(fit->jitter <= largest);
  CHECK(fit->jitter > Duration::picoseconds(480'000));
  // Any other period needs more jitter.
  for (const std::int64_t other : {-3, -1, 1, 3})
    CHECK(occurrences.fit(fit->period + Duration::picoseconds(other)).jitter >= fit->jitter);
}

TEST_CASE("calibration writes measured periods and jitters on request only") {
  const test::TemporaryFolder folder;
  Diagnostics diagnostics;
  const std::string original = test::read_text(test::sample("offload-minimal.amxmi"));
  // The target is another model: 2.5 ms instead of 2 ms, 11 ms with an offset and a jitter instead of 10 ms.
  const Model target = test::model_from_text(
      test::replaced(
          test::replaced(original, "<recurrence value=\"2\" unit=\"ms\"/>", "<recurrence value=\"2500\" unit=\"us\"/>"),
          "<recurrence value=\"10\" unit=\"ms\"/>",
          "<offset value=\"1\" unit=\"ms\"/><recurrence value=\"11\" unit=\"ms\"/><jitter "
          "xsi:type=\"am:TimeUniformDistribution\"><lowerBound value=\"0\" unit=\"us\"/><upperBound "
          "value=\"500\" unit=\"us\"/></jitter>"),
      diagnostics);
  const Model model = test::model_from_text(original, diagnostics);
  const auto periodic = [](const Model& of, const std::string& name) {
    const System system = system_of(of);
    for (const Stimulus& stimulus : system.stimuli)
      if (stimulus.name == name) return std::get<Periodic>(stimulus.occurrence);
    FAIL(name);
    return Periodic{};
  };
  for (const char* extension : {".btf", ".atdb", ".json", ".csv"}) {
    INFO(extension);
    const std::string path = folder.path() + "/trace" + extension;
    trace(target, path, Duration::seconds(4));
    if (extension != std::string(".csv")) {  // which has no runnables
      const Model unchanged = test::model_from_text(calibrated(model, {path}, {}), diagnostics);
      CHECK(periodic(unchanged, "every_2ms").period == Duration::milliseconds(2));
    }
    const Model after = test::model_from_text(calibrated(model, {path}, {}, "{}", true), diagnostics);
    const Periodic fast = periodic(after, "every_2ms"), slow = periodic(after, "every_10ms");
    CHECK(fast.period == Duration::microseconds(2500));
    CHECK(fast.offset == Duration{});
    CHECK(fast.jitter.upper == 0);
    CHECK(std::abs((slow.period - Duration::milliseconds(11)).picoseconds()) < 100'000);
    CHECK(slow.offset >= Duration::microseconds(980));
    CHECK(slow.offset < Duration::microseconds(1020));
    CHECK(slow.jitter.lower == 0);
    CHECK(slow.jitter.upper > 450'000'000);
    CHECK(slow.jitter.upper < 505'000'000);
    // The measured stimuli are kept by a second calibration.
    CHECK(calibrated(after, {path}, {}, "{}", true) == std::string(after.documents().front()->source().bytes()));
  }
}

TEST_CASE("calibration writes measured distances of a sporadic stimulus") {
  const test::TemporaryFolder folder;
  Diagnostics diagnostics;
  std::string original = test::read_text(test::sample("offload-minimal.amxmi"));
  for (std::size_t at = 0; (at = original.find("every_2ms?type=PeriodicStimulus", at)) != std::string::npos;)
    original.replace(at, 31, "every_2ms?type=RelativePeriodicStimulus");
  const auto sporadic = [&](const char* lower, const char* average, const char* upper) {
    return test::model_from_text(
        test::replaced(
            test::replaced(original, "xsi:type=\"am:PeriodicStimulus\" xmi:id=\"every_2ms",
                           "xsi:type=\"am:RelativePeriodicStimulus\" xmi:id=\"every_2ms"),
            "<recurrence value=\"2\" unit=\"ms\"/>",
            fmt::format(
                "<nextOccurrence xsi:type=\"am:TimeStatistics\"><lowerBound value=\"{}\" unit=\"us\"/><upperBound "
                "value=\"{}\" unit=\"us\"/><average value=\"{}\" unit=\"us\"/></nextOccurrence>",
                lower, upper, average)),
        diagnostics);
  };
  const Model target = sporadic("3000", "3500", "5000"), model = sporadic("1000", "2000", "9000");
  const std::string path = folder.path() + "/trace.atdb";
  trace(target, path, Duration::seconds(8));
  const System after = system_of(test::model_from_text(calibrated(model, {path}, {}, "{}", true), diagnostics));
  for (const Stimulus& stimulus : after.stimuli) {
    if (stimulus.name != "every_2ms") continue;
    const Distribution& distance = std::get<Sporadic>(stimulus.occurrence).distance;
    CHECK(distance.lower >= 3'000'000'000);
    CHECK(distance.lower < 3'020'000'000);
    CHECK(distance.upper <= 5'000'000'000);
    CHECK(distance.upper > 4'950'000'000);
    CHECK(std::abs(distance.average - 3'500'000'000) < 50'000'000);
  }
}

TEST_CASE("calibration scales the latencies of a GPU to measured copies on request only") {
  const test::TemporaryFolder folder;
  Diagnostics diagnostics;
  const std::string original = test::read_text(test::sample("offload-minimal.amxmi"));
  const char* own = "<readLatency xsi:type=\"am:DiscreteValueConstant\" value=\"5\"/>";
  const Model target = test::model_from_text(
      test::replaced(test::replaced(original, own, "<readLatency xsi:type=\"am:DiscreteValueConstant\" value=\"8\"/>"),
                     "<writeLatency xsi:type=\"am:DiscreteValueConstant\" value=\"5\"/>",
                     "<writeLatency xsi:type=\"am:DiscreteValueConstant\" value=\"8\"/>"),
      diagnostics);
  const Model model = test::model_from_text(original, diagnostics);
  for (const char* extension : {".btf", ".atdb", ".json"}) {
    INFO(extension);
    const std::string path = folder.path() + "/trace" + extension;
    trace(target, path, Duration::milliseconds(400));
    CHECK(calibrated(model, {path}, {}).find(own) != std::string::npos);
    const System after = system_of(test::model_from_text(calibrated(model, {path}, {}, "{}", true), diagnostics));
    bool found = false;
    for (const ProcessingUnit& unit : after.platform.units)
      if (unit.name == "GPU") {
        REQUIRE(unit.accesses.size() == 1);
        CHECK(unit.accesses.front().read.lower == 8);
        CHECK(unit.accesses.front().read.upper == 8);
        CHECK(unit.accesses.front().write.average == 8);
        found = true;
      }
    CHECK(found);
  }
}

// ---------------------------------------------------------------- a GPU

namespace {

struct LoggedKernel {
  std::string name;
  double returned;  ///< launch call, s
  std::vector<std::pair<double, double>> blocks;
};

/// The published times of a run on a Jetson TX2, in seconds of the log's clock.
const std::vector<LoggedKernel>& logged_kernels() {
  static const std::vector<LoggedKernel> kernels = {
      {"K2", 0.068614, std::vector<std::pair<double, double>>(7, {0.068618165, 6.068822517})},
      {"K3", 0.068651, {{0.068651990, 6.068856374}, {6.068822517, 12.069025845}}},
      {"K4", 0.068685, std::vector<std::pair<double, double>>(5, {6.068823573, 11.068993493})},
      {"K1", 0.068721, {{6.068823573, 10.068959125}, {6.068857334, 10.068992886}}},
  };
  return kernels;
}

std::string tx2_model() {
  std::string tasks, runnables, stimuli, allocations;
  for (const LoggedKernel& kernel : logged_kernels()) {
    tasks += fmt::format(
        "<tasks name=\"{0}\" stimuli=\"at_{0}?type=SingleStimulus\" preemption=\"preemptive\">"
        "<customProperties key=\"gpu.context\"><value xsi:type=\"am:StringObject\" value=\"spin\"/></customProperties>"
        "<customProperties key=\"gpu.stream\"><value xsi:type=\"am:StringObject\" value=\"{0}\"/></customProperties>"
        "<activityGraph><items xsi:type=\"am:RunnableCall\" runnable=\"{0}_Spin?type=Runnable\"/></activityGraph>"
        "</tasks>\n",
        kernel.name);
    runnables += fmt::format(
        "<runnables name=\"{0}_Spin\"><customProperties key=\"gpu.grid\"><value xsi:type=\"am:StringObject\" "
        "value=\"{1}\"/></customProperties><customProperties key=\"gpu.block\"><value xsi:type=\"am:StringObject\" "
        "value=\"512\"/></customProperties><activityGraph><items xsi:type=\"am:Ticks\"><default "
        "xsi:type=\"am:DiscreteValueConstant\" value=\"1000\"/></items></activityGraph></runnables>\n",
        kernel.name, kernel.blocks.size());
    stimuli += fmt::format(
        "<stimuli xsi:type=\"am:SingleStimulus\" name=\"at_{}\"><occurrence value=\"{}\" unit=\"us\"/></stimuli>\n",
        kernel.name, std::llround(kernel.returned * 1e6));
    allocations +=
        fmt::format("<taskAllocation task=\"{}?type=Task\" scheduler=\"S?type=TaskScheduler\"/>\n", kernel.name);
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<am:Amalthea xmi:version=\"2.0\" "
         "xmlns:xmi=\"http://www.omg.org/XMI\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
         "xmlns:am=\"http://app4mc.eclipse.org/amalthea/3.3.0\">\n<swModel>\n" +
         tasks + runnables +
         "</swModel>\n<hwModel>\n<definitions xsi:type=\"am:ProcessingUnitDefinition\" name=\"Gpu\" puType=\"GPU\"/>\n"
         "<structures name=\"Board\" structureType=\"System\"><modules xsi:type=\"am:ProcessingUnit\" name=\"GPU\" "
         "frequencyDomain=\"Clock?type=FrequencyDomain\" definition=\"Gpu?type=ProcessingUnitDefinition\">"
         "<customProperties key=\"gpu.platform\"><value xsi:type=\"am:StringObject\" value=\"tx2\"/></customProperties>"
         "</modules></structures>\n<domains xsi:type=\"am:FrequencyDomain\" name=\"Clock\"><defaultValue "
         "value=\"1300.5\" unit=\"MHz\"/></domains>\n</hwModel>\n<osModel><operatingSystems name=\"Os\">"
         "<taskSchedulers name=\"S\"/></operatingSystems></osModel>\n<stimuliModel>\n" +
         stimuli +
         "</stimuliModel>\n<mappingModel>\n<schedulerAllocation scheduler=\"S?type=TaskScheduler\" "
         "responsibility=\"GPU?type=ProcessingUnit\"/>\n" +
         allocations + "</mappingModel>\n</am:Amalthea>\n";
}

std::string examiner_log(const LoggedKernel& kernel) {
  std::string times;
  double end = 0;
  for (const auto& [from, to] : kernel.blocks) {
    times += fmt::format("{}{:.9f},{:.9f}", times.empty() ? "" : ",", from, to);
    end = std::max(end, to);
  }
  return fmt::format(
      "{{\n\"scenario_name\": \"Spin\",\n\"benchmark_name\": \"Timer Spin\",\n\"label\": \"{0}\",\n\"times\": [{{}},\n"
      "{{\"copy_in_times\": [0.068092000,0.068092320], \"execute_times\": [0.068092576,{1:.9f}], \"cpu_times\": "
      "[0.068092000,{1:.9f}]}},\n{{\"kernel_name\": \"GPUSpin\", \"block_count\": {2}, \"thread_count\": 512, "
      "\"cuda_launch_times\": [0.068093312, {3:.9f}, {1:.9f}], \"block_times\": [{4}]}}\n]}}",
      kernel.name, end, kernel.blocks.size(), kernel.returned, times);
}

}  // namespace

TEST_CASE("logs of a TX2 give the times of its kernels and the analysis then its completions") {
  const test::TemporaryFolder folder;
  std::vector<std::string> paths;
  for (const LoggedKernel& kernel : logged_kernels()) {
    paths.push_back(folder.path() + "/" + kernel.name + ".json");
    test::write_text(paths.back(), examiner_log(kernel));
  }
  Diagnostics diagnostics;
  const Model model = test::model_from_text(tx2_model(), diagnostics);
  exporter::CalibrationRequest request;
  request.traces = {"logs"};
  const std::string text = calibrated(
      model, paths, request, R"({"K1/GPUSpin": "K1_Spin", "K2/*": "K2_Spin", "K3/*": "K3_Spin", "K4/*": "K4_Spin"})");
  const Model after = test::model_from_text(text, diagnostics);
  const System system = system_of(after);
  engine::AnalysisOptions options;
  options.until = Duration::seconds(20);
  const auto results = engine::analyze(system, options, diagnostics);
  REQUIRE(results.has_value());
  const auto completion = [&](const std::string& name) {
    for (TaskIndex task = 0; task < system.tasks.size(); ++task)
      if (system.tasks[task].name == name) {
        REQUIRE(results->tasks[task].response.jobs == 1);
        return static_cast<double>(
                   (results->tasks[task].worst_release->since_start() + results->tasks[task].response.max)
                       .picoseconds()) /
               1e12;
      }
    return 0.0;
  };
  CHECK(completion("K2") == Approx(6.0688).margin(0.0001));
  CHECK(completion("K3") == Approx(12.0690).margin(0.0001));
  CHECK(completion("K4") == Approx(11.0690).margin(0.0001));
  CHECK(completion("K1") == Approx(10.0690).margin(0.0001));
}

}  // namespace traces_calibration_test
