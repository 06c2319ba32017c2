// SPDX-License-Identifier: Apache-2.0
// What the text of an exploration says first.

#include <string>

#include <catch2/catch.hpp>

#include "explore/exploration.hpp"
#include "exporter/exploration/exploration_formats.hpp"
#include "tests/support/system_maker.hpp"

namespace exploration_text_test {

using namespace amalthea;
using namespace amalthea::explore;
using namespace test;

namespace {

/// Two tasks as text; what exceeds its deadline is late.
std::string text_of(const Exploration& exploration) {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  for (const char* name : {"one", "two"}) maker.compute(maker.task(name, core, 1, maker.periodic(1000)), 100);
  const System system = maker.build();
  const exporter::ModelInfo info{{"model.amxmi"}, "3.3.0", ""};
  const std::vector<TaskIndex> all = {0, 1};
  return exporter::render_exploration_text({info, system, system, exploration, {}, 0, {}, nullptr, nullptr, &all, &all},
                                           false);
}

Exploration kept() {
  Exploration exploration;
  exploration.original_judgement.bounds.resize(2);
  Solution solution;
  solution.judgement.bounds.resize(2);
  solution.simulated.resize(2);
  solution.was_simulated = true;
  exploration.front = {solution};
  return exploration;
}

}  // namespace

TEST_CASE("explore: the verdict names late tasks and violations before and after") {
  Exploration exploration = kept();
  CHECK(text_of(exploration)
            .starts_with("Every deadline is met. With the mapping of the model, no task is late either.\n"));
  exploration.impossible = {{1, us(3), 0, us(2)}};
  CHECK(text_of(exploration)
            .starts_with(
                "No mapping can meet the deadline of two; every other one is met. With the mapping of the model, no "
                "other task is late either.\n"));
  exploration.impossible.clear();
  exploration.original_judgement.broken = 2;
  exploration.front[0].judgement.late = {1};
  CHECK(text_of(exploration)
            .starts_with("No mapping was found that meets all deadlines; late: two. With the mapping of the model, no "
                         "task is late; constraints that it violates: 2.\n"));
  exploration.original_judgement.late = {0};
  exploration.front[0].judgement.broken = 1;
  CHECK(text_of(exploration)
            .starts_with("No mapping was found that meets all deadlines; late: two; violated constraints: 1. Late with "
                         "the mapping of the model: one; constraints that it violates: 2.\n"));
}

TEST_CASE("explore: a task beyond its deadline by its bound alone lacks a guarantee and is not late") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  for (const char* name : {"one", "two"}) maker.compute(maker.task(name, core, 1, maker.periodic(1000)), 100);
  const System system = maker.build();
  const exporter::ModelInfo info{{"model.amxmi"}, "3.3.0", ""};
  Exploration exploration = kept();
  exploration.original_judgement.late = {0, 1};
  const std::vector<TaskIndex> before = {0}, after;
  engine::Assessment assessment;
  exporter::ExplorationView view{info, system, system, exploration, {}, 0, {}, &assessment, nullptr, &before, &after};
  const auto has = [&](const char* text) {
    return exporter::render_exploration_text(view, false).find(text) != std::string::npos;
  };
  CHECK(has("Every deadline is met. Late with the mapping of the model: one; not guaranteed: two.\n"));
  assessment.counts[static_cast<std::size_t>(engine::OverallVerdict::missed)] = 1;
  CHECK_FALSE(has("Every deadline is met"));
  exploration.front[0].judgement.late = {1};
  CHECK(has("No mapping was found that guarantees all deadlines; not guaranteed: two. Late with"));
}

TEST_CASE("explore: simulations that contradict or do not confirm a solution are reported") {
  Exploration exploration = kept();
  const std::string well = text_of(exploration);
  CHECK(well.find("simulation") == std::string::npos);
  CHECK(well.find("could not be simulated") == std::string::npos);
  exploration.front[0].judgement.bounds[1].worst = us(100);
  exploration.front[0].simulated[1] = us(100);
  CHECK(text_of(exploration).find("beyond") == std::string::npos);
  exploration.front[0].simulated[1] = us(101);
  CHECK(text_of(exploration).find("response times exceed their bounds, which is an error of this program: two.\n") !=
        std::string::npos);
  exploration.front[0].was_simulated = false;
  CHECK(text_of(exploration).find("could not be simulated, so the simulation does not confirm its bounds.\n") !=
        std::string::npos);
}

}  // namespace exploration_text_test
