// SPDX-License-Identifier: Apache-2.0
// Tools of others as judges of our bounds, on random systems of every class that a tool can express. AMALTHEA_PEERS
// names a folder with their sources: simso, pycpa, np-schedulability-analysis, MAST.
//
// Where a tool and we use the same equations the bounds are equal. A simulation and an exact exploration never exceed
// them. Any other difference has a reason that the test states.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/diagnostic.hpp"
#include "engine/bounds/bounds.hpp"
#include "engine/devices/chosen_devices.hpp"
#include "exporter/peers/peer_formats.hpp"
#include "tests/support/random_system.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/test_models.hpp"

namespace peers_test {

using namespace amalthea;
using F = test::SystemFeature;

namespace {

namespace fs = std::filesystem;

/// The sources of a tool.
std::string peer(const std::string& name) {
  const char* folder = std::getenv("AMALTHEA_PEERS");
  if (folder == nullptr || !fs::is_directory(fs::path(folder) / name))
    test::skip(fmt::format("no sources of {} (AMALTHEA_PEERS)", name));
  return (fs::path(folder) / name).string();
}

/// Response times in picoseconds, by task.
using Responses = std::map<std::string, std::int64_t>;

Responses responses_in(const std::string& lines, std::int64_t unit = 1) {
  Responses responses;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    const std::size_t tab = line.find('\t');
    if (tab != std::string::npos) responses[line.substr(0, tab)] = std::stoll(line.substr(tab + 1)) * unit;
  }
  return responses;
}

Responses by_python(const std::string& sources, const std::string& script, const std::string& argument = "") {
  const auto result = test::run(
      {"/usr/bin/env", "PYTHONPATH=" + sources, "PYTHONDONTWRITEBYTECODE=1", "/usr/bin/python3", script, argument});
  if (result.err.find("No module named 'Sim") != std::string::npos)
    test::skip("no simulation package of Python (python3-simpy)");
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return responses_in(result.out);
}

std::vector<exporter::PeerFile> files_for(const System& system, const std::string& format) {
  Diagnostics findings;
  return exporter::write_peer(
      system, *exporter::peer_format_of(format), [](Origin) { return Location{}; }, findings);
}

class Pycpa {
 public:
  /// How releases of triggered tasks follow from those of the triggering one; pyCPA's own choice is "busy_window".
  explicit Pycpa(std::string propagation = "busy_window") : propagation_(std::move(propagation)) {}

  std::optional<Responses> operator()(const System& system) const {
    const auto files = files_for(system, "pycpa");
    if (files.empty()) return std::nullopt;
    const std::string script = folder_.path() + "/system.py";
    test::write_text(script, "from pycpa import options\noptions.set_opt('propagation', '" + propagation_ + "')\n" +
                                 files.front().text);
    return by_python(sources_, script);
  }

 private:
  std::string propagation_;
  std::string sources_ = peer("pycpa");
  test::TemporaryFolder folder_;
};

class Simso {
 public:
  std::optional<Responses> operator()(const System& system) const {
    Responses all;
    for (const exporter::PeerFile& file : files_for(system, "simso")) {
      test::write_text(folder_.path() + "/core.xml", file.text);
      const std::string script = folder_.path() + "/run.py";
      test::write_text(script, R"(import sys
from simso.configuration import Configuration
from simso.core import Model
model = Model(Configuration(sys.argv[1]))
model.run_model()
for task in model.task_list:
    ended = [job.response_time for job in task.jobs if job.response_time is not None]
    if ended:
        print("%s\t%d" % (task.name, max(ended)))
)");
      const std::string one = "stands for one ";
      const std::string unit = file.text.substr(file.text.find(one) + one.size(), 2);
      const std::map<std::string, std::int64_t> picoseconds{
          {"ms", 1'000'000'000}, {"us", 1'000'000}, {"ns", 1'000}, {"ps", 1}};
      for (const auto& entry : by_python(sources_, script, folder_.path() + "/core.xml"))
        all[entry.first] = entry.second * picoseconds.at(unit);
    }
    return all.empty() ? std::nullopt : std::optional(all);
  }

 private:
  std::string sources_ = peer("simso");
  test::TemporaryFolder folder_;
};

/// nptest measures from the earliest release, so that jitter is part of a response.
class Nptest {
 public:
  Nptest() {
    const std::string sources = peer("np-schedulability-analysis");
    const auto built = test::run({"/usr/bin/env", "g++", "-O1", "-std=c++14", "-DCONFIG_COLLECT_SCHEDULE_GRAPH",
                                  "-I" + sources + "/include", "-I" + sources + "/lib/include",
                                  sources + "/src/nptest.cpp", sources + "/lib/src/OptionParser.cpp", "-o", program()});
    INFO(built.err);
    REQUIRE(built.exit_code == 0);
  }
  std::optional<Responses> operator()(const System& system) const {
    Responses all;
    const auto files = files_for(system, "np-schedulability");
    for (const exporter::PeerFile& file : files) test::write_text(folder_.path() + "/" + file.name, file.text);
    for (const exporter::PeerFile& file : files)
      if (!file.name.ends_with(".prec.csv")) add_core(file, files, all);
    return all.empty() ? std::nullopt : std::optional(all);
  }

 private:
  std::string program() const { return folder_.path() + "/nptest"; }

  void add_core(const exporter::PeerFile& file, const std::vector<exporter::PeerFile>& files, Responses& all) const {
    const std::string core = file.name.substr(0, file.name.size() - 4);
    std::vector<std::string> command = {program(), "-r", "-c", folder_.path() + "/" + file.name};
    for (const exporter::PeerFile& other : files)
      if (other.name == core + ".prec.csv") {
        command.emplace_back("-p");
        command.push_back(folder_.path() + "/" + other.name);
      }
    REQUIRE(test::run(command).exit_code == 0);
    std::map<std::string, std::string> names;  // by the numbers of tasks
    std::istringstream jobs(file.text);
    for (std::string line; std::getline(jobs, line);)
      names[line.substr(0, line.find(','))] = line.substr(line.rfind(',') + 1);
    std::istringstream found(test::read_text(folder_.path() + "/" + core + ".rta.csv"));
    std::string line;
    for (std::getline(found, line); std::getline(found, line);) {
      std::int64_t& response = all[names.at(line.substr(0, line.find(',')))];
      response = std::max<std::int64_t>(response, std::stoll(line.substr(line.rfind(',') + 1)));
    }
  }

  test::TemporaryFolder folder_;
};

/// Its responses count from the earliest release of the row, so that jitter is part of them.
class Mast {
 public:
  explicit Mast(std::string analysis) : analysis_(std::move(analysis)) {}

  std::optional<Responses> operator()(const System& system) const {
    const std::string mast = program();
    const auto files = files_for(system, "mast");
    if (files.empty()) return std::nullopt;
    const std::string model = folder_.path() + "/model.txt", results = folder_.path() + "/results.txt";
    test::write_text(model, files.front().text);
    // It writes a list of its own where it runs.
    const auto ran = test::run({"/usr/bin/env", "-C", folder_.path(), mast, analysis_, model, results});
    INFO(ran.out);
    REQUIRE(ran.exit_code == 0);
    std::map<std::string, std::string> names;  // by the events at the ends of tasks
    std::istringstream written(files.front().text);
    for (std::string line; std::getline(written, line);)
      if (line.starts_with("-- task_"))
        names["end_" + line.substr(8, line.find(':') - 8)] = line.substr(line.find(": ") + 2);
    return responses_of(names, test::read_text(results));
  }

 private:
  /// As MAST's own project file builds it, or built here once.
  static std::string program() {
    static const test::TemporaryFolder folder;
    const std::string sources = peer("MAST");
    for (const std::string& made : {sources + "/mast_analysis/mast_analysis", folder.path() + "/mast_analysis"})
      if (fs::exists(made)) return made;
    if (test::run({"/usr/bin/env", "gnatmake", "--version"}).exit_code != 0) test::skip("no gnatmake (gnat)");
    const auto built = test::run({"/bin/sh", "-c",
                                  "cd '" + folder.path() + "' && exec gnatmake -q -gnatws '-I" + sources +
                                      "/mast_analysis' '-I" + sources + "/utils' mast_analysis.adb"});
    INFO(built.err);
    REQUIRE(built.exit_code == 0);
    return folder.path() + "/mast_analysis";
  }

  /// It prints microseconds with six digits; all times of these systems are shorter than a millisecond.
  static Responses responses_of(const std::map<std::string, std::string>& names, const std::string& results) {
    Responses responses;
    std::istringstream in(results);
    std::string event;
    bool worst = false;
    for (std::string line; std::getline(in, line);) {
      const auto value = [&line] { return line.substr(line.find("=> ") + 3); };
      if (line.find("Event_Name ") != std::string::npos) event = value().substr(0, value().find(','));
      if (line.find("_Response_Times") != std::string::npos) worst = line.find("Worst_Global") != std::string::npos;
      if (worst && line.find("Time_Value ") != std::string::npos)
        responses[names.at(event)] = std::llround(std::stod(value()) * 1000) * 1000;
    }
    return responses;
  }

  std::string analysis_;
  test::TemporaryFolder folder_;
};

enum class Wanted : std::uint8_t { equal, at_most, at_least, nearly_at_least };

using Change = std::function<void(System&)>;
const Change as_it_is = [](System&) {};
/// Where the order of equal priorities decides, our bounds hold for any.
const Change distinct_priorities = [](System& system) {
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) system.tasks[task].priority = task;
};
/// A triggered task that preempts the one that triggers it delays the end of that, but no row.
const Change descending_priorities = [](System& system) {
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    system.tasks[task].priority = static_cast<std::int64_t>(system.tasks.size() - task);
};
const Change non_preemptive = [](System& system) {
  for (Task& task : system.tasks) task.preemption = Preemption::non_preemptive;
};

/// The task whose job triggers it.
std::optional<TaskIndex> triggering(const System& system, TaskIndex task) {
  for (TaskIndex other = 0; other < system.tasks.size(); ++other)
    for (const NodeIndex node : system.tasks[other].body)
      if (const auto* trigger = std::get_if<Trigger>(&system.graph[node].activity)) {
        const auto& activates = system.stimuli[trigger->stimulus].activates;
        if (std::find(activates.begin(), activates.end(), task) != activates.end()) return other;
      }
  return std::nullopt;
}

/// From the release of a task, or from that of the first task of its row, which has no jitter.
using From = std::int64_t (*)(const System&, const std::vector<engine::Bound>&, TaskIndex);
std::int64_t from_release(const System&, const std::vector<engine::Bound>& bounds, TaskIndex task) {
  return bounds[task].worst->picoseconds();
}
std::int64_t from_first_release(const System& system, const std::vector<engine::Bound>& bounds, TaskIndex task) {
  const auto before = triggering(system, task);
  return from_release(system, bounds, task) + (before ? from_first_release(system, bounds, *before) : 0);
}
/// The same, with the jitter of the first task.
std::int64_t from_earliest_release(const System& system, const std::vector<engine::Bound>& bounds, TaskIndex task) {
  TaskIndex first = task;
  while (const auto before = triggering(system, first)) first = *before;
  const auto stimulus = std::find_if(system.stimuli.begin(), system.stimuli.end(), [first](const Stimulus& candidate) {
    return std::find(candidate.activates.begin(), candidate.activates.end(), first) != candidate.activates.end();
  });
  const auto& jitter = std::get<Periodic>(stimulus->occurrence).jitter;
  return from_first_release(system, bounds, task) + jitter.upper - jitter.lower;
}

constexpr int wanted_systems = 3;

/// Three random systems whose tasks all have bounds, two tasks at least, and that the tool can express.
template <typename Tool>
void judge(const Tool& tool, test::RandomSystemOptions options, const Change& change, Wanted wanted,
           From from = from_release) {
  std::mt19937 random(2026);
  options.one_in = 2;
  int judged = 0;
  for (int trial = 0; trial < 2000 && judged < wanted_systems; ++trial) {
    System system = test::random_system(random, options).system;
    change(system);
    const auto bounds = engine::system_bounds(system, engine::default_devices(system)).tasks;
    if (system.tasks.size() < 2 || !std::all_of(bounds.begin(), bounds.end(), [](const engine::Bound& bound) {
          return bound.worst && !bound.worst->is_zero();
        }))
      continue;
    const auto responses = tool(system);
    if (!responses || responses->size() < system.tasks.size()) continue;
    ++judged;
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
      INFO("system " << trial << ", " << system.tasks[task].name);
      const std::int64_t ours = from(system, bounds, task), theirs = responses->at(system.tasks[task].name);
      if (wanted == Wanted::equal)
        CHECK(theirs == ours);
      else if (wanted == Wanted::at_least)
        CHECK(theirs >= ours);
      else if (wanted == Wanted::nearly_at_least)
        CHECK(theirs >= ours - ours / 8);
      else
        CHECK(theirs <= ours);
    }
  }
  CHECK(judged == wanted_systems);
}

test::RandomSystemOptions of(std::initializer_list<F> may, std::initializer_list<F> must = {}) {
  test::RandomSystemOptions options;
  options.may = test::features_of(may) | test::features_of(must);
  options.must = test::features_of(must);
  return options;
}

}  // namespace

TEST_CASE("pyCPA has our bounds for preemptive fixed priorities", "[.peers]") {
  judge(Pycpa(),
        of({F::jitter, F::minimum_distance, F::sporadic, F::varying_times, F::tie}, {F::fixed_priority, F::periodic}),
        as_it_is, Wanted::equal);
}

TEST_CASE("pyCPA has our bounds for cores of their own", "[.peers]") {
  judge(Pycpa(), of({F::jitter, F::periodic, F::varying_times}, {F::fixed_priority, F::several_cores}), as_it_is,
        Wanted::equal);
}

TEST_CASE("pyCPA has our bounds for non-preemptive fixed priorities", "[.peers]") {
  judge(Pycpa(), of({F::jitter, F::varying_times}, {F::fixed_priority, F::periodic}), non_preemptive, Wanted::equal);
}

// By default it also knows that two triggers by one task are an execution of this task apart.
TEST_CASE("pyCPA has no smaller bounds for rows of triggers where it knows no more than a jitter", "[.peers]") {
  const auto rows = of({F::jitter, F::varying_times, F::several_cores, F::periodic}, {F::fixed_priority, F::trigger});
  judge(Pycpa("jitter"), rows, as_it_is, Wanted::at_least);
}

TEST_CASE("no simulation of SimSo exceeds our bounds for fixed priorities", "[.peers]") {
  judge(Simso(),
        of({F::offset, F::jitter, F::sporadic, F::varying_times, F::several_cores}, {F::fixed_priority, F::periodic}),
        as_it_is, Wanted::at_most);
}

TEST_CASE("SimSo observes our bounds where all tasks begin together", "[.peers]") {
  judge(Simso(), of({F::varying_times, F::several_cores}, {F::fixed_priority, F::periodic}), distinct_priorities,
        Wanted::equal);
}

TEST_CASE("no simulation of SimSo exceeds our bounds for earliest deadlines", "[.peers]") {
  judge(Simso(), of({F::offset, F::varying_times, F::deadline}, {F::earliest_deadline, F::periodic}), as_it_is,
        Wanted::at_most);
}

TEST_CASE("no simulation of SimSo exceeds our bounds for rows of triggers", "[.peers]") {
  judge(Simso(), of({F::offset, F::varying_times, F::periodic}, {F::fixed_priority, F::trigger}), as_it_is,
        Wanted::at_most);
}

TEST_CASE("no schedule that nptest explores exceeds our bounds for fixed priorities", "[.peers]") {
  judge(Nptest(), of({F::offset, F::varying_times, F::several_cores}, {F::fixed_priority, F::periodic}), non_preemptive,
        Wanted::at_most);
}

TEST_CASE("no schedule that nptest explores exceeds our bounds for earliest deadlines", "[.peers]") {
  judge(Nptest(), of({F::offset, F::varying_times, F::deadline}, {F::earliest_deadline, F::periodic}), non_preemptive,
        Wanted::at_most);
}

TEST_CASE("no schedule that nptest explores exceeds our bounds for rows of triggers", "[.peers]") {
  // Its responses count from the release of the first task.
  judge(Nptest(), of({F::varying_times, F::periodic}, {F::fixed_priority, F::trigger}), non_preemptive, Wanted::at_most,
        from_first_release);
}

TEST_CASE("MAST has our bounds for preemptive fixed priorities", "[.peers]") {
  judge(Mast("holistic"), of({F::varying_times, F::tie, F::several_cores}, {F::fixed_priority, F::periodic}), as_it_is,
        Wanted::equal, from_earliest_release);
}

TEST_CASE("MAST's holistic analysis has no smaller bounds for rows of triggers", "[.peers]") {
  const auto rows = of({F::varying_times, F::several_cores, F::periodic}, {F::fixed_priority, F::trigger});
  judge(Mast("holistic"), rows, descending_priorities, Wanted::at_least, from_earliest_release);
}

// Of 2224 bounds 5 were smaller, by at most 10 %.
TEST_CASE("MAST's slanted analysis with offsets has hardly smaller bounds for rows of triggers", "[.peers]") {
  const auto rows = of({F::varying_times, F::several_cores, F::periodic}, {F::fixed_priority, F::trigger});
  judge(Mast("offset_based_slanted"), rows, descending_priorities, Wanted::nearly_at_least, from_earliest_release);
}

}  // namespace peers_test
