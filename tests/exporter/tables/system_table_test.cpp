// SPDX-License-Identifier: Apache-2.0
// A table becomes a model without findings, and the model becomes the same table.

#include "exporter/tables/system_table.hpp"

#include <random>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "review/review.hpp"
#include "tests/support/emf_batch.hpp"
#include "tests/support/test_models.hpp"

namespace system_table_test {

using namespace amalthea;
using exporter::tables::SystemTable;

namespace {

class RandomTable {
 public:
  explicit RandomTable(unsigned seed) : random_(seed) {}

  SystemTable make() {
    SystemTable table;
    for (int i = number(1, 4); i > 0; --i)
      table.cores.push_back({maybe()  ? name("Core", i)
                             : i == 1 ? "Core"
                                      : name("core", i),
                             clock(), algorithms[static_cast<std::size_t>(number(0, 4))]});
    for (int i = number(0, 2); i > 0; --i)
      table.gpus.push_back({name("GPU", i), clock(),
                            DataRate{std::int64_t{number(0, 1)} * number(1'000'000'000, 2'000'000'000)},
                            maybe() ? "tx2" : "generic"});
    for (int i = number(1, 8); i > 0; --i) add_task(table, i);
    for (int i = number(0, 2); i > 0 && table.tasks.size() > 1; --i) add_chain(table, i);
    return table;
  }

 private:
  int number(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  bool maybe() { return number(0, 1) == 1; }
  Duration time() {
    return Duration::picoseconds(std::int64_t{number(1, 999)} * powers[static_cast<std::size_t>(number(0, 4))]);
  }
  Frequency clock() {
    return Frequency::millihertz(maybe() ? number(1, 3000) * std::int64_t{1'000'000'000}
                                         : number(1000, 3000) * std::int64_t{1'000'000});
  }
  std::string name(std::string_view kind, int i) {
    constexpr std::array<std::string_view, 8> odd = {"", "", "", " b c", ",\"x\"", "\xC3\xA4%", "&<'", ".1?type=Task"};
    return fmt::format("{}{}{}",
                       maybe()              ? ""
                       : number(0, 20) == 0 ? "="
                                            : "a ",
                       fmt::format("{}{}", kind, i), odd[static_cast<std::size_t>(number(0, 7))]);
  }

  void add_task(SystemTable& table, int i) {
    SystemTable::Task task;
    task.name = number(0, 9) == 0 ? std::string(i == 1 ? "Task" : i == 2 ? "Step" : name("Task", i)) : name("Task", i);
    task.core = static_cast<std::size_t>(number(0, static_cast<int>(table.cores.size()) - 1));
    task.period = Duration::milliseconds(number(10, 100));
    const SchedulingAlgorithm algorithm = table.cores[task.core].scheduler;
    if (exporter::tables::needs_priority(algorithm)) task.priority = number(0, 1000);
    if (exporter::tables::needs_deadline(algorithm) || maybe())
      task.deadline =
          task.period - Duration::picoseconds(number(0, 1'000'000) * powers[static_cast<std::size_t>(number(0, 1))]);
    if (maybe()) task.offset = maybe() ? Duration() : time();
    if (maybe()) task.jitter = Duration::nanoseconds(number(0, 900));
    task.preemption = cooperative_ ? "cooperative" : maybe() ? "preemptive" : "non_preemptive";
    const bool alone = maybe();
    for (int step = alone ? 1 : number(1, 4); step > 0; --step)

      add_step(table, task, alone ? task.name : name("Step", 10 * i + step), step > 1);
    table.tasks.push_back(std::move(task));
  }

  void add_step(SystemTable& table, const SystemTable::Task& task, const std::string& named, bool may_offload) {
    SystemTable::Step step;
    step.name = named;
    step.task = table.tasks.size();
    if (!table.gpus.empty() && may_offload && maybe()) {
      step.gpu = static_cast<std::size_t>(number(0, static_cast<int>(table.gpus.size()) - 1));
      const bool copies = table.gpus[*step.gpu].bandwidth.bytes_per_second > 0;
      if (copies && maybe()) step.bytes_in = number(1, 100'000);
      if (copies && maybe()) step.bytes_out = number(1, 100'000);
      step.polls = maybe();
      if (maybe()) step.process = "P";
    }
    // No unit is busy for more than a part of the time.
    const Frequency clock = step.gpu ? table.gpus[*step.gpu].clock : table.cores[task.core].clock;
    const std::int64_t percent = task.period.picoseconds() / 100'000'000 * (clock.millihertz() / 1000) / 1'000'000;
    step.most = number(1, static_cast<int>(percent / 2));
    if (maybe()) step.least = number(0, static_cast<int>(step.most));
    table.steps.push_back(std::move(step));
  }

  void add_chain(SystemTable& table, int i) {
    SystemTable::Chain chain;
    chain.name = name("Chain", i);
    for (std::size_t task = 0; task < table.tasks.size(); ++task)
      if (maybe()) chain.tasks.push_back(task);
    if (chain.tasks.size() < 2) chain.tasks = {1, 0};
    chain.reaction = time();
    if (maybe()) chain.age = time();
    if (maybe()) chain.tasks = {chain.tasks.rbegin(), chain.tasks.rend()};
    table.chains.push_back(std::move(chain));
  }

  static constexpr std::array algorithms{SchedulingAlgorithm::fixed_priority_preemptive, SchedulingAlgorithm::osek,
                                         SchedulingAlgorithm::rate_monotonic, SchedulingAlgorithm::deadline_monotonic,
                                         SchedulingAlgorithm::earliest_deadline_first};
  static constexpr std::array<std::int64_t, 5> powers{1, 1000, 1'000'000, 1'000'000'000, 1'000'000'000};
  std::mt19937 random_;
  bool cooperative_ = maybe();
};

/// The model without a finding.
Model clean_model(const std::string& text) {
  Diagnostics findings;
  Model model = test::model_from_text(text, findings);
  review::review_model(model, findings);
  INFO(text);
  for (const std::string& message : test::messages(findings)) UNSCOPED_INFO(message);
  CHECK(findings.all().empty());
  return model;
}

void check_there_and_back(const SystemTable& table) {
  const std::string text = exporter::tables::write_table(table);
  INFO(text);
  Diagnostics findings;
  const auto read = exporter::tables::read_table("table.csv", text, nullptr, findings);
  for (const std::string& message : test::messages(findings)) UNSCOPED_INFO(message);
  REQUIRE(read);
  CHECK(*read == table);
  CHECK(exporter::tables::write_table(*read) == text);
  const Model model = clean_model(exporter::tables::model_of(table, nullptr, {"a--b---"}));
  const SystemTable back = exporter::tables::table_of(model, findings);
  for (const std::string& message : test::messages(findings)) UNSCOPED_INFO(message);
  CHECK(findings.all().empty());
  CHECK(exporter::tables::write_table(back) == text);
}

}  // namespace

TEST_CASE("random tables become models without findings, and these the same tables") {
  for (unsigned seed = 0; seed < 500; ++seed) {
    INFO("seed " << seed);
    check_there_and_back(RandomTable(seed).make());
  }
}

TEST_CASE("models of random tables load in EMF without messages", "[emf]") {
  test::EmfBatch emf;
  for (unsigned seed = 0; seed < 500; ++seed) {
    const std::string file = fmt::format("{}/{}.amxmi", emf.folder(), seed);
    test::write_text(file, exporter::tables::model_of(RandomTable(seed).make(), nullptr, {}));
    emf.expect_accepted(newest_version, {file});
  }
  emf.run();
}

}  // namespace system_table_test
