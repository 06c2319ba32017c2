// SPDX-License-Identifier: Apache-2.0
#include "reference/measures.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "reference/text_test.hpp"

using namespace reference;
using namespace reference::text;

namespace {

const std::string fpp = "FixedPriorityPreemptive";

/// A trace of custom events A, B, …: instants per event. Ends at 100.
struct Trace {
  Model model;
  Execution execution;

  explicit Trace(const std::vector<std::vector<Time>>& events) {
    for (Index event = 0; event < events.size(); ++event) {
      model.events.push_back({"", Event::Of::custom, "", event, none, none, none});
      for (const auto time : events[event]) {
        Occurrence one;
        one.time = time;
        one.of = Event::Of::custom;
        one.entity = event;
        execution.events.push_back(one);
      }
    }
    std::stable_sort(execution.events.begin(), execution.events.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
    execution.end = 100;
  }
  Judged judge(Constraint::Kind kind, Time lower, Time upper, const std::string& type, Time jitter = 0,
               std::int64_t span = 1, bool multiple = false) {
    Constraint constraint;
    constraint.kind = kind;
    constraint.type = type;
    for (Index event = 0; event < model.events.size(); ++event) constraint.events.push_back(event);
    constraint.lower = lower;
    constraint.upper = upper;
    constraint.lower_stated = constraint.upper_stated = true;
    constraint.jitter = jitter;
    constraint.span = span;
    constraint.tolerance = upper;
    constraint.multiple = multiple;
    model.constraints = {constraint};
    return reference::judge(model, execution, 0);
  }
};

using K = Constraint::Kind;

/// The response times of a task's jobs.
std::vector<Time> responses(const Model& model, const Execution& execution, const char* task, Time until) {
  std::vector<Time> out;
  for (const auto& job : execution.jobs)
    if (job.task == find(model.tasks, task) && job.release < until && job.end >= 0)
      out.push_back(job.end - job.release);
  return out;
}

bool met(const Judged& judged) { return judged.verdict == Verdict::met; }

}  // namespace

TEST_CASE("delays have the verdicts of the vectors", "[measures]") {
  Trace k1({{0, 10, 20}, {3, 12, 25}});
  CHECK(met(k1.judge(K::delay, 2, 5, "Reaction")));
  CHECK(k1.judge(K::delay, 2, 4, "Reaction").at == 20);
  Trace k2({{0, 10}, {3, 4, 12}});
  CHECK(k2.judge(K::delay, 0, 5, "OneToOne").at == 10);
  CHECK(met(k2.judge(K::delay, 0, 5, "Reaction")));
  Trace k3({{0, 1}, {3}});
  CHECK(met(k3.judge(K::delay, 0, 5, "Reaction")));
  CHECK(k3.judge(K::delay, 0, 5, "UniqueReaction").at == 1);
}

TEST_CASE("repetitions have the verdicts of the vectors", "[measures]") {
  CHECK(met(Trace({{0, 11, 21, 32}}).judge(K::repetition, 10, 10, "", 2)));
  CHECK(Trace({{0, 11, 21, 33}}).judge(K::repetition, 10, 10, "", 2).at == 33);
  CHECK(met(Trace({{0, 1, 16, 20}}).judge(K::repetition, 15, 25, "", 0, 2)));
  CHECK(Trace({{0, 1, 14, 20}}).judge(K::repetition, 15, 25, "", 0, 2).at == 14);
  CHECK(met(Trace({{0, 12, 24, 36}}).judge(K::repetition, 8, 12, "")));
  CHECK(Trace({{0, 13}}).judge(K::repetition, 8, 12, "").at == 13);
  CHECK(met(Trace({{0, 13}}).judge(K::repetition, 8, 12, "", 1)));
}

TEST_CASE("synchronizations have the verdicts of the vectors", "[measures]") {
  Trace k6({{0, 10}, {1, 12}}), k7({{0, 1}, {1}});
  for (const bool multiple : {false, true}) {
    CHECK(met(k6.judge(K::synchronization, 0, 2, "", 0, 1, multiple)));
    CHECK(k6.judge(K::synchronization, 0, 1, "", 0, 1, multiple).at == 10);
  }
  CHECK(met(k7.judge(K::synchronization, 0, 1, "", 0, 1, true)));
  CHECK_FALSE(met(k7.judge(K::synchronization, 0, 1, "", 0, 1, false)));
}

TEST_CASE("the latencies under LET are those published for WATERS 2019", "[chains]") {
  struct Published {
    std::vector<int> periods;
    Time reduced_reaction, reaction;
  };
  const int lidar = 33, can = 10, localization = 400, ekf = 15, planner = 15, dasm = 5, sfm = 33, lane = 66;
  for (const auto& chain :
       {Published{{lidar, localization, ekf, planner, dasm}, 875, 908},
        Published{{can, localization, ekf, planner, dasm}, 845, 855}, Published{{can, ekf, planner, dasm}, 55, 65},
        Published{{sfm, planner, dasm}, 65, 98}, Published{{lane, planner, dasm}, 98, 164}}) {
    Text text(5);
    std::vector<Index> tasks;
    for (std::size_t i = 0; i < chain.periods.size(); ++i) {
      const auto number = std::to_string(i);
      text.scheduler("S" + number, fpp, "C" + number)
          .task("T" + number, "S" + number, 1, std::to_string(1000 * chain.periods[i]), work(1));
      tasks.push_back(static_cast<Index>(i));
    }
    auto model = read(text.amxmi());
    add_chain(model, "chain", tasks);
    RunOptions options;
    options.until = 15'000 * ms;  // more than the hyperperiod and a passage
    Behaviour behaviour;
    const auto execution = run(model, behaviour, options);
    const auto measured = latencies(execution.passages.at(2), execution.end);
    CHECK(measured.reduced_reaction == chain.reduced_reaction * ms);
    CHECK(measured.reaction == chain.reaction * ms);
    CHECK(measured.age == measured.reaction);  // Günzel et al., ECRTS 2023
  }
}

TEST_CASE("implicit communication reads at the start and writes at the end", "[chains]") {
  Text text(2);
  text.scheduler("S0", fpp, "C0")
      .scheduler("S1", fpp, "C1")
      .task("A", "S0", 1, "10", work(3))
      .task("B", "S1", 1, "20 2", work(4));
  auto model = read(text.amxmi());
  add_chain(model, "chain", {0, 1});
  RunOptions options;
  options.until = 200 * us;
  Behaviour behaviour;
  const auto execution = run(model, behaviour, options);
  const auto measured = latencies(execution.passages.at(0), execution.end);
  // A reads at 0 and writes at 3, too late for B at 2; B at 22 reads what A read at 10 and writes at 26.
  CHECK(measured.reduced_reaction == 26 * us);
  CHECK(measured.reaction == 36 * us);  // after 10 - 0: the read at 20 is shown at 46
  CHECK(measured.reduced_age == 16 * us);
  CHECK(measured.age == 36 * us);
}

TEST_CASE("explicit communication reads and writes at the accesses, also before it has read", "[chains]") {
  Text text(2);
  text.scheduler("S0", fpp, "C0").scheduler("S1", fpp, "C1");
  text.runnable("A", label("write", "L2") + label("read", "L3") + work(1))
      .runnable("B", label("read", "L2") + work(1) + label("write", "L4"));
  text.task("T0", "S0", 1, "10", call("A")).task("T1", "S1", 1, "10 9", call("B"));
  text.event_model =
      "<events xsi:type=\"am:LabelEvent\" name=\"R\" entity=\"L3?type=Label\" eventType=\"read\"/><events "
      "xsi:type=\"am:LabelEvent\" name=\"W\" entity=\"L4?type=Label\" eventType=\"write\"/>";
  text.constraints = "<eventChains name=\"C\" stimulus=\"R?type=LabelEvent\" response=\"W?type=LabelEvent\"/>";
  const auto model = read(text.amxmi());
  RunOptions options;
  options.until = 100 * us;
  Behaviour behaviour;
  const auto execution = run(model, behaviour, options);
  // What T0 reads at 0 it writes at 10; T1 reads it at 19 and writes at 20.
  CHECK(latencies(execution.passages.at(1), execution.end).reduced_reaction == 20 * us);
  CHECK(latencies(execution.passages.at(0), execution.end).reduced_reaction == 10 * us);  // implicit: 0, 1, 9, 10
}

TEST_CASE("data does not pass where a label is not written", "[chains]") {
  Text text(2);
  text.scheduler("S0", fpp, "C0").scheduler("S1", fpp, "C1");
  text.runnable("W", label("write", "L2")).runnable("R", label("read", "L2") + work(1) + label("write", "L3"));
  text.task("T0", "S0", 1, "10",
            work(1) + item("ProbabilitySwitch", "",
                           "<entries probability=\"0.5\">" + call("W") + "</entries><entries probability=\"0.5\"/>"))
      .task("T1", "S1", 1, "10 5", call("R"));
  auto model = read(text.amxmi());
  add_chain(model, "chain", {0, 1});
  RunOptions options;
  options.until = 100 * us;
  Behaviour never_writes(Behaviour::Rule::most), writes;
  for (const std::size_t communication : {0u, 1u}) {
    const auto passes = run(model, writes, options), stays = run(model, never_writes, options);
    CHECK(latencies(passes.passages.at(communication), passes.end).reduced_reaction == 6 * us);
    const auto open = latencies(stays.passages.at(communication), stays.end);
    CHECK(open.reduced_reaction == -1);
    CHECK(open.open >= 90 * us);
  }
}

TEST_CASE("metrics of a job are its times in the states of a process", "[measures]") {
  Text text;
  text.scheduler("S0", fpp)
      .task("A", "S0", 1, "50", work(4) + label("read", "L0") + label("write", "L0"))
      .task("H", "S0", 2, "50 1", work(2));
  const std::pair<const char*, int> limits[] = {
      {"ResponseTime", 9}, {"GrossExecutionTime", 9}, {"NetExecutionTime", 7},
      {"RunningTime", 7},  {"CoreExecutionTime", 4},  {"MemoryAccessTime", 3},
      {"ReadyTime", 2},    {"StartDelay", 0},         {"ActivateToActivate", 50}};
  for (const auto& [metric, value] : limits) {
    for (const bool upper : {true, false}) {
      auto limited = text;
      limited.constraints =
          "<requirements xsi:type=\"am:ProcessRequirement\" name=\"R\" process=\"A?type=Task\"><limit "
          "xsi:type=\"am:TimeRequirementLimit\" limitType=\"" +
          std::string(upper ? "UpperLimit" : "LowerLimit") + "\" metric=\"" + metric + "\">" +
          time("limitValue", value) + "</limit></requirements>";
      const auto model = read(limited.amxmi());
      RunOptions options;
      options.until = 100 * us;
      Behaviour behaviour;
      const auto judged = meets(model, run(model, behaviour, options), 0, options.until);
      INFO(metric);
      CHECK(judged.verdict == Verdict::met);
      CHECK(judged.margin == 0);
    }
  }
}

/// The text without the elements that contain something; each ends with its tag, or at once.
std::string without(std::string text, const std::string& tag, const std::string& what) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what)) {
    const auto begin = text.rfind("<" + tag, at);
    const auto empty = text.find("/>", at), next = text.find('<', at), end = text.find("</" + tag + ">", at);
    text.erase(begin, (empty < next ? empty + 2 : end + tag.size() + 3) - begin);
  }
  return text;
}

TEST_CASE("the constraints of the sample have the verdicts that its comment states", "[measures]") {
  std::ifstream in(AMALTHEA_SOURCE_DIR "/samples/constraints.amxmi");
  std::stringstream file;
  file << in.rdbuf();
  CHECK_THROWS_AS(read(file.str()), Refused);  // for what this reading does not judge
  auto judged = without(file.str(), "timingConstraints", "EventChainSynchronizationConstraint");
  judged = without(judged, "runnableSequencingConstraints", "orderType");
  const auto model = read(without(judged, "physicalSectionConstraints", "memories"));
  RunOptions options;
  options.until = 200 * ms;
  Behaviour behaviour;
  const auto execution = run(model, behaviour, options);
  for (std::size_t i = 0; i < model.constraints.size(); ++i) {
    INFO(model.constraints[i].name);
    CHECK(judge(model, execution, i).verdict ==
          (model.constraints[i].name == "SpeedAndAngle" ? Verdict::missed : Verdict::met));
  }
}

TEST_CASE("the model of WATERS 2019 has its published latencies, and response times without interference",
          "[measures]") {
  std::ifstream in(AMALTHEA_SOURCE_DIR "/samples/waters2019-tx2.amxmi");
  std::stringstream file;
  file << in.rdbuf();
  const auto model = read(file.str());
  RunOptions options;
  options.until = 14'400 * ms;
  Behaviour longest;
  longest.rule(Question::Kind::execution_time, Behaviour::Rule::most);
  longest.rule(Question::Kind::block_time, Behaviour::Rule::most);
  const auto execution = run(model, longest, options);
  const auto response = [&](const char* task) {
    const auto all = responses(model, execution, task, options.until);
    return *std::max_element(all.begin(), all.end());
  };
  CHECK(response("EKF") == 5'362'550'000);  // 4762.55 of its own and 600 of CANbus_polling
  CHECK(response("CANbus_polling") == 600'000'000);
  CHECK(model.tasks[find(model.tasks, "PRE_Localization_gpu_POST")].dropped);  // Localization is mapped to a CPU
  CHECK(responses(model, execution, "Localization", options.until).size() == 36);
  const std::pair<const char*, std::pair<Time, Time>> published[] = {{"Lidar_to_DASM", {875, 908}},
                                                                     {"CAN_via_Localization_to_DASM", {845, 855}},
                                                                     {"CAN_to_DASM", {55, 65}},
                                                                     {"SFM_to_DASM", {65, 98}},
                                                                     {"Lane_to_DASM", {98, 164}}};
  for (const auto& [name, expected] : published) {
    for (const auto& passage : execution.passages) {
      if (passage.communication != Passage::Communication::let || model.chains[passage.chain].name != name) continue;
      const auto measured = latencies(passage, execution.end);
      CHECK(measured.reduced_reaction == expected.first * ms);
      CHECK(measured.reaction == expected.second * ms);
    }
  }
}
