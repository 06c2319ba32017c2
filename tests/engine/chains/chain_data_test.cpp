// SPDX-License-Identifier: Apache-2.0
// Which accesses carry a chain, whether every job performs them, and in which order.

#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "amalthea/graph/chain_data.hpp"
#include "amalthea/graph/job_paths.hpp"
#include "engine/chains/chain_latency.hpp"
#include "engine/verdict.hpp"
#include "tests/support/system_maker.hpp"

namespace chains_chain_data_test {

using namespace test;
using engine::Communication;
using engine::LimitVerdict;

namespace {

/// Tasks "first", "middle" and "last", every 10 us on a core each. Labels 0 to 3: what first reads, writes, what middle
/// writes, and what last writes.
struct Three {
  SystemMaker maker;
  TaskIndex first, middle, last;
  std::vector<ChainEvent> events = {};

  Three() {
    const auto task = [this](const char* name) { return maker.task(name, maker.core(name), 1, maker.periodic(10)); };
    first = task("first");
    middle = task("middle");
    last = task("last");
    for (const char* name : {"input", "given", "passed", "output"}) maker.system().labels.emplace_back().name = name;
  }

  void pass(TaskIndex task, std::initializer_list<Activity> activities) {
    for (const Activity& activity : activities) maker.add(task, activity);
  }
  void pass_first() { pass(first, {ReadLabel{0}, Compute{constant_ticks(1)}, WriteLabel{1}}); }
  void pass_middle() { pass(middle, {ReadLabel{1}, Compute{constant_ticks(1)}, WriteLabel{2}}); }
  void pass_last() { pass(last, {ReadLabel{2}, Compute{constant_ticks(1)}, WriteLabel{3}}); }

  void event(std::size_t position, LabelIndex label, EventAction action) {
    const TaskIndex task = position == 0 ? first : position == 1 ? middle : last;
    events.push_back({{"event", ObservableEvent::OfLabel{label, action, {}, task}}, position});
  }
  void name_all_events() {
    event(0, 0, EventAction::read);
    event(0, 1, EventAction::write);
    event(1, 1, EventAction::read);
    event(1, 2, EventAction::write);
    event(2, 2, EventAction::read);
    event(2, 3, EventAction::write);
  }

  System system() {
    System built = maker.build();
    Chain chain{"chain", {first, middle, last}, {}, Chain::Source::model, {}};
    chain.limits = {{"limit", ChainLimit::Kind::reaction, std::nullopt, us(10'000)}};
    chain.events = events;
    built.chains = {chain};
    return built;
  }
  ChainData data() {
    const System built = system();
    return chain_data(built, JobPaths(built), built.chains.front());
  }
};

/// The same, if middle has these activities between the read of label 1 and the end.
std::string obstacle_if(const std::function<void(Three&)>& writes) {
  Three three;
  three.pass_first();
  three.pass_last();
  three.maker.add(three.middle, ReadLabel{1});
  writes(three);
  return three.data().obstacle;
}

Branch branch_of(std::vector<Branch::Alternative> alternatives, bool repeats = false) {
  Branch branch;
  branch.alternatives = std::move(alternatives);
  branch.repeats = repeats;
  return branch;
}

constexpr const char* not_always = "not every job of \"middle\" writes label \"passed\", which its chain passes";
constexpr const char* never = "\"middle\" never writes label \"passed\", which its chain passes";

}  // namespace

TEST_CASE("chain data: a write that not every job performs carries no chain") {
  SECTION("in one alternative of a branch") {
    CHECK(obstacle_if([](Three& three) {
            three.pass(three.middle, {branch_of({{Probability{1}, 1}, {Probability{9}, 0}}), WriteLabel{2}});
          }) == not_always);
  }
  SECTION("but in all of them") {
    CHECK(obstacle_if([](Three& three) {
            three.pass(three.middle,
                       {branch_of({{Probability{1}, 1}, {Probability{9}, 1}}), WriteLabel{2}, WriteLabel{2}});
          }).empty());
  }
  SECTION("in all of them, of which none may be taken") {
    CHECK(obstacle_if([](Three& three) {
            three.pass(three.middle,
                       {branch_of({{EveryNth{2, 0}, 1}, {EveryNth{3, 0}, 1}}), WriteLabel{2}, WriteLabel{2}});
          }) == not_always);
  }
  SECTION("in a counted call") {
    CHECK(obstacle_if([](Three& three) {
            three.pass(three.middle, {branch_of({{EveryNth{4, 0}, 1}}), WriteLabel{2}});
          }) == not_always);
  }
  SECTION("in a loop") {
    CHECK(obstacle_if([](Three& three) {
            three.pass(three.middle, {branch_of({{Probability{1}, 1}, {Probability{1}, 0}}, true), WriteLabel{2}});
          }) == not_always);
  }
  SECTION("behind a branch that may end the job") {
    CHECK(
        obstacle_if([](Three& three) {
          three.pass(three.middle, {branch_of({{Probability{1}, 1}, {Probability{1}, 0}}), Terminate{}, WriteLabel{2}});
        }) == not_always);
  }
  SECTION("but before it ends the job") {
    CHECK(obstacle_if([](Three& three) {
            three.pass(three.middle, {branch_of({{Probability{1}, 2}, {Probability{1}, 0}}), WriteLabel{2}, Terminate{},
                                      WriteLabel{2}});
          }).empty());
  }
  SECTION("with a statistic that allows none") {
    CHECK(obstacle_if([](Three& three) { three.pass(three.middle, {WriteLabel{2, {0, 1, 1}}}); }) == not_always);
  }
}

TEST_CASE("chain data: what no job performs is told apart from what some perform") {
  CHECK(obstacle_if([](Three& three) { three.pass(three.middle, {Terminate{}, WriteLabel{2}}); }) == never);
  const auto named = [](const std::function<void(Three&)>& writes) {
    Three three;
    three.event(0, 0, EventAction::read);
    three.event(2, 2, EventAction::read);
    three.pass_first();
    three.pass_last();
    three.maker.add(three.middle, ReadLabel{1});
    writes(three);
    return three.data();
  };
  CHECK(named([](Three&) {}).obstacle == never);
  CHECK(named([](Three&) {}).never);
  CHECK(named([](Three& three) { three.pass(three.middle, {WriteLabel{2, {0, 0, 0}}}); }).never);
  CHECK_FALSE(named([](Three& three) { three.pass(three.middle, {WriteLabel{2, {0, 1, 1}}}); }).never);
}

TEST_CASE("chain data: a condition on modes that nothing changes is decided") {
  const auto with = [](std::int64_t initial, bool changes) {
    Three three;
    three.pass_first();
    three.pass_last();
    three.maker.system().modes.push_back({"mode", initial});
    ModeCondition is_one;
    is_one.any_of = {{ModeTest{0, Relation::equal, 1, {}}}};
    three.pass(three.middle, {ReadLabel{1}, branch_of({{is_one, 1}}), WriteLabel{2}});
    if (changes) three.pass(three.last, {SetMode{0, SetMode::Operation::set, 1}});
    three.event(2, 2, EventAction::read);
    return three.data();
  };
  CHECK(with(1, false).obstacle.empty());
  CHECK(with(0, false).obstacle == never);
  CHECK(with(1, true).obstacle == not_always);
}

TEST_CASE("chain data: tasks without a common label are connected by a certain trigger alone") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex from = maker.task("from", core, 2, maker.periodic(10)), to = maker.task("to", core, 1, request);
  maker.compute(from, 1);
  maker.compute(to, 1);
  const Chain chain{"chain", {from, to}, {}, Chain::Source::request, {}};
  const auto data = [&] { return chain_data(maker.system(), JobPaths(maker.system()), chain); };
  CHECK(data().obstacle == "\"from\" writes no label that \"to\" reads, and does not trigger it");
  CHECK(data().never);
  SECTION("a trigger") {
    maker.trigger(from, request);
    CHECK(data().obstacle.empty());
  }
  SECTION("a trigger in a branch") {
    maker.add(from, branch_of({{Probability{1}, 1}, {Probability{1}, 0}}));
    maker.trigger(from, request);
    CHECK(data().obstacle == "not every job of \"from\" triggers \"to\"");
  }
}

TEST_CASE("chain data: events name the labels that count") {
  Three three;
  three.pass_first();
  three.pass_middle();
  three.pass_last();
  // Another label between middle and last, which not every job writes.
  three.maker.system().labels.emplace_back().name = "rare";
  three.pass(three.middle, {WriteLabel{4, {0, 1, 1}}});
  three.pass(three.last, {ReadLabel{4}});
  CHECK(three.data().obstacle == "not every job of \"middle\" writes label \"rare\", which its chain passes");
  SECTION("one of them") {
    three.name_all_events();
    CHECK(three.data().obstacle.empty());
  }
  SECTION("two different ones") {
    three.event(1, 2, EventAction::write);
    three.event(2, 4, EventAction::read);
    CHECK(three.data().obstacle ==
          "its chain leads from label \"passed\" to label \"rare\" without naming the task between them");
  }
}

TEST_CASE("chain data: every event of a chain must occur in every job") {
  const auto with = [](decltype(ObservableEvent::what) what) {
    Three three;
    three.pass_first();
    three.pass_middle();
    three.pass_last();
    three.maker.system().runnables.push_back({"other", {}});
    three.events.push_back({{"E", std::move(what)}, 1});
    return three.data();
  };
  using Of = ObservableEvent;
  CHECK(with(Of::OfProcess{1, EventAction::start, {}}).obstacle.empty());
  CHECK(with(Of::OfProcess{1, EventAction::start, 1}).obstacle.empty());
  CHECK(with(Of::OfProcess{1, EventAction::start, 0}).obstacle ==
        "the event \"E\" of its chain never occurs in \"middle\"");
  CHECK(with(Of::OfProcess{1, EventAction::preempt, {}}).obstacle ==
        "the event \"E\" of its chain need not occur in every job of \"middle\"");
  const ChainData runnable = with(Of::OfRunnable{0, EventAction::start, 1, {}});
  CHECK(runnable.obstacle == "the event \"E\" of its chain never occurs in \"middle\"");
  CHECK(runnable.event == 0);
  CHECK(runnable.never);
  CHECK(with(Of::OfLabel{3, EventAction::read, {}, 1}).never);
}

TEST_CASE("chain data: under no communication has a limit a verdict if not every job passes data on") {
  Three three;
  three.pass_first();
  three.pass_middle();
  three.pass_last();
  const auto judged = [&] { return analyzed(three.system(), us(100)).chains.front(); };
  CHECK(judged().limits.front().implicit.guaranteed == true);
  three.pass(three.last, {branch_of({{Probability{1}, 1}, {Probability{1}, 0}}), ReadLabel{1}});
  CHECK(judged().limits.front().implicit.guaranteed == true);  // nothing of the chain
  three.maker.system().labels.emplace_back().name = "rare";
  three.pass(three.middle, {WriteLabel{4, {0, 1, 1}}});
  three.pass(three.last, {ReadLabel{4}});
  const engine::ChainResult result = judged();
  for (const Communication communication :
       {Communication::implicit, Communication::explicit_access, Communication::let}) {
    const auto& judgement = result.limits.front().by(communication);
    CHECK(judgement.verdict == LimitVerdict::unknown);
    CHECK_FALSE(judgement.guaranteed.has_value());
    CHECK(judgement.reason == "not every job of \"middle\" writes label \"rare\", which its chain passes");
  }
  CHECK_FALSE(result.let);
  CHECK_FALSE(result.implicit);
  CHECK(result.observed.reads == 0);
}

TEST_CASE("chain data: a task that writes before it reads passes data on in its next job") {
  Three three;
  three.name_all_events();
  const auto late = [&] { return three.data().writes_first; };
  SECTION("none does") {
    three.pass_first();
    three.pass_middle();
    three.pass_last();
    CHECK(late() == std::vector{false, false, false});
  }
  SECTION("the first one") {
    three.pass(three.first, {WriteLabel{1}, ReadLabel{0}});
    three.pass_middle();
    three.pass_last();
    CHECK(late() == std::vector{true, false, false});
    const System system = three.system();
    std::vector<engine::Bound> responses(3);
    for (engine::Bound& response : responses) response.worst = us(2);
    const auto results = engine::chain_latencies(system, responses);
    CHECK(results[0].explicit_access->reduced_reaction == results[0].implicit->reduced_reaction + us(10));
  }
  SECTION("the first one, which also reads after its only write") {
    three.pass(three.first, {ReadLabel{0}, WriteLabel{1}, ReadLabel{0}});
    three.pass_middle();
    three.pass_last();
    CHECK(late() == std::vector{true, false, false});
  }
  SECTION("the last one") {
    three.pass_first();
    three.pass_middle();
    three.pass(three.last, {WriteLabel{3}, ReadLabel{2}});
    CHECK(late() == std::vector{false, false, true});
  }
  SECTION("the middle one if its read is in a branch after the write") {
    three.pass_first();
    three.pass(three.middle, {WriteLabel{2}, ReadLabel{1}});
    three.pass_last();
    CHECK(late() == std::vector{false, true, false});
  }
  SECTION("not if each write follows a read") {
    three.pass_first();
    three.pass(three.middle, {ReadLabel{1}, WriteLabel{2}, ReadLabel{1}, WriteLabel{2}});
    three.pass(three.last, {branch_of({{Probability{1}, 2}, {Probability{1}, 1}}), ReadLabel{2}, ReadLabel{2},
                            ReadLabel{2}, WriteLabel{3}});
    CHECK(late() == std::vector{false, false, false});
  }
  SECTION("if one alternative writes before the read that follows") {
    three.pass_first();
    three.pass(three.middle,
               {branch_of({{Probability{1}, 1}, {Probability{1}, 0}}), WriteLabel{2}, ReadLabel{1}, WriteLabel{2}});
    three.pass_last();
    CHECK(late() == std::vector{false, true, false});
  }
  SECTION("if the order is open") {
    three.pass_first();
    three.pass_middle();
    three.pass_last();
    for (const NodeIndex node : three.maker[three.middle].body) three.maker.system().graph[node].unordered = 1;
    CHECK(late() == std::vector{false, true, false});
    for (const NodeIndex node : three.maker[three.first].body) three.maker.system().graph[node].unordered = 1;
    CHECK(late() == std::vector{true, true, false});
  }
}

TEST_CASE("chain data: a runnable that starts the chain passes on what is written after its start") {
  for (const bool before : {false, true}) {
    Three three;
    three.maker.system().runnables.push_back({"sense", {}});
    if (before) three.pass(three.first, {WriteLabel{1}});
    const auto begin = three.maker[three.first].body.size();
    three.pass(three.first, {Call{}, Compute{constant_ticks(1)}});
    for (std::size_t i = begin; i < three.maker[three.first].body.size(); ++i) {
      GraphNode& node = three.maker.system().graph[three.maker[three.first].body[i]];
      node.runnable = 0;
      node.depth = 1;
    }
    if (!before) three.pass(three.first, {WriteLabel{1}});
    three.pass_middle();
    three.pass_last();
    three.events.push_back({{"sense starts", ObservableEvent::OfRunnable{0, EventAction::start, three.first, {}}}, 0});
    const ChainData data = three.data();
    CHECK(data.obstacle.empty());
    CHECK(data.writes_first == std::vector{before, false, false});
  }
}

}  // namespace chains_chain_data_test
