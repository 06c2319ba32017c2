// SPDX-License-Identifier: Apache-2.0
// `new` and `convert --to table`.

#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "amalthea/metamodel.hpp"
#include "tests/support/emf_batch.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace new_test {
namespace {

const std::vector<std::string> templates = {"cpu", "gpu", "let", "autosar"};

std::string without_comments(const std::string& table) {
  std::string text;
  for (std::size_t at = 0; at < table.size();) {
    const std::size_t end = table.find('\n', at) + 1;
    if (table[at] != '#') text += table.substr(at, end - at);
    at = end;
  }
  return text;
}

/// The findings about a table, without its name; the model is not written.
std::string mistakes_in(std::string_view table) {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/t.csv", model = folder.path() + "/m.amxmi";
  test::write_text(file, table);
  const auto made = test::amalthea({"new", file, "-o", model});
  CHECK(made.exit_code == 2);
  CHECK(made.out.empty());
  CHECK(test::amalthea({"info", model}).exit_code == 2);
  std::string said = made.err;
  for (std::size_t at = 0; (at = said.find(file)) != said.npos;) said.erase(at, file.size() + 1);
  return said.starts_with(' ') ? said.substr(1) : said;
}

}  // namespace

TEST_CASE("new: every template is a model without findings whose limits are guaranteed") {
  const test::TemporaryFolder folder;
  for (const std::string& name : templates) {
    INFO(name);
    const std::string model = folder.path() + "/" + name + ".amxmi", table = folder.path() + "/" + name + ".csv";
    const auto made = test::amalthea({"new", "--template", name, "-o", model});
    REQUIRE(made.exit_code == 0);
    CHECK(made.out.ends_with("Next: amalthea analyze " + model + (name == "let" ? " --communication let\n" : "\n")));
    CHECK(test::amalthea({"validate", model}).out == "0 errors, 0 warnings, 0 notes\n");
    CHECK(test::amalthea({"analyze", model, "-q"}).out.starts_with("Verdict: guaranteed. "));
    const auto back = test::amalthea({"convert", model, "--to", "table", "-o", table});
    CHECK(back.exit_code == 0);
    CHECK(back.err.empty());
    CHECK(test::read_text(table) == without_comments(test::read_text(test::sample("new/" + name + ".csv"))));
  }
}

TEST_CASE("new: a template can be written as a table to edit") {
  const test::TemporaryFolder folder;
  const std::string table = folder.path() + "/table.csv", model = folder.path() + "/model.amxmi";
  const auto written = test::amalthea({"new", "--template", "cpu", "-o", table});
  CHECK(written.out == "Edit " + table + ", then: amalthea new " + table + " -o model.amxmi\n");
  CHECK(test::read_text(table) == test::read_text(test::sample("new/cpu.csv")));
  CHECK(test::amalthea({"new", table, "-o", model}).exit_code == 0);
}

TEST_CASE("new: what a short table leaves open is said in the output and at the top of the model") {
  const test::TemporaryFolder folder;
  const std::string table = folder.path() + "/t.csv", model = folder.path() + "/m.amxmi";
  test::write_text(table, "task,core,period,priority,time\nA,C0,10 ms,2,3 ms\nB,C0,20 ms,1,1..2 ms\n");
  const auto made = test::amalthea({"new", table, "-o", model});
  CHECK(made.out ==
        "Assumed: cores run at 1 GHz and schedule by fixed priorities where nothing else is stated\n"
        "Assumed: a time of one value is the longest one; the shortest is 0\n"
        "Assumed: tasks are preemptive where nothing else is stated\n"
        "Assumed: no deadline limits A and 1 more\n"
        "Next: amalthea analyze " +
            model + "\n");
  const std::string text = test::read_text(model);
  CHECK(text.find("<!-- Assumed: a time of one value is the longest one; the shortest is 0 -->") != text.npos);
  CHECK(text.find("lowerBound=\"0\" upperBound=\"3000000\"") != text.npos);
  CHECK(test::amalthea({"new", table}).out == text);
}

TEST_CASE("new: tables as spreadsheets of other countries write them are read alike") {
  const test::TemporaryFolder folder;
  const std::string table = folder.path() + "/t.csv";
  test::write_text(table, "task,core,period,priority,time\nA,C0,10 ms,2,3 ms\n");
  const std::string expected = test::amalthea({"new", table}).out;
  for (const char* text : {"\xEF\xBB\xBFtask;core;period;priority;time\r\nA;C0;10 ms;2;3 ms\r\n;;;;\r\n",
                           "Task\tCore\tPeriod\tPriority\tTime\nA\tC0\t10ms\t2\t3000us",
                           "\n# a comment\n"
                           "\"task\",\"core\",\"period\",priority,time\n \"A\" , C0 , 0.01 s , 2 , 0..3 ms\n"}) {
    INFO(text);
    test::write_text(table, text);
    const std::string model = test::amalthea({"new", table}).out;
    CHECK(model.substr(model.find("<am:")) == expected.substr(expected.find("<am:")));
  }
}

TEST_CASE("new: mistakes in a table are said with line and column") {
  CHECK(mistakes_in("") ==
        "error: the table has no task; expected a line task,core,period,time and its tasks [AM0121]\n");
  const std::string head = "task,core,period,priority,time\n";
  const auto one = [&](const std::string& lines, const std::string& message) {
    INFO(lines);
    CHECK(mistakes_in(lines) == message + " [AM0121]\n");
  };
  one("A,C0\n",
      "1:1: error: expected a line of titles that begins with core, gpu, task, step or chain, such as "
      "task,core,period,time");
  one("task,core,perid,time\n",
      "1:11: error: a section of tasks has no column \"perid\"; did you mean \"period\"?; its columns are task, core, "
      "period, priority, deadline, time, offset, jitter, preemption");
  one(head + "A,C0,10,1,1 ms\n",
      "2:6: error: \"10\": expected a number with a unit, such as 1.5 ms (one of ps, ns, us, ms, s)");
  one(head + "A,C0,10 ms,1,\"1,5 ms\"\n",
      "2:14: error: \"1,5 ms\": expected a number with a unit, such as 1.5 ms (one of ps, ns, us, ms, s), a range such "
      "as 2..3 ms, or ticks");
  one(head + "A,C0,10 ms,high,1 ms\n",
      "2:12: error: \"high\": expected a whole number of 0 or more; the larger, the more urgent");
  one(head + "A,C0,10 ms,,1 ms\n",
      "2:1: error: the priority is missing: expected a whole number of 0 or more; the larger, the more urgent");
  one(head + "A,C0,10 ms,1,3..2 ms\n", "2:14: error: \"3..2 ms\": the shortest time comes first");
  one(head + "A,C0,10 ms,1,1.5 ns\n",
      "2:14: error: \"1.5 ns\" is no whole number of ticks of C0, which runs at 1 GHz; write another time, or ticks");
  one(head + "A,C0,10 ms,1,0 ms\n", "2:14: error: \"0 ms\": expected more than zero");
  one(head + "A,C0,10 ms,1\n", "2:1: error: task \"A\" has neither a time nor a step");
  one(head + "A,C0,10 ms,1,1 ms\nA,C0,10 ms,1,1 ms\n", "3:1: error: there are two tasks with the name \"A\"");
  one(head + "\"A,C0\n", "2:1: error: this quoted cell does not end on its line");
  one(head + "A,C0,10 ms,1,1 ms,\xC3\xA4\n", "2:19: error: \"ä\" stands in a column without a title");
  one("core,scheduler\nC0,EDFF\n\n" + head + "A,C0,10 ms,1,1 ms\n",
      "2:4: error: \"EDFF\": expected one of FixedPriorityPreemptive, OSEK, RateMonotonic, DeadlineMonotonic, "
      "EarliestDeadlineFirst");
  one("core,scheduler\nC0,RateMonotonic\n\n" + head + "\xC3\xA4,C0,10 ms,1,1 ms\n",
      "5:12: error: a priority has no effect on C0, which schedules by RateMonotonic");
  one("core,scheduler\nC0,EDF\n\n" + head + "A,C0,10 ms,,1 ms\n",
      "5:1: error: the deadline is missing, by which C0 schedules (EarliestDeadlineFirst)");
  one("core\nC0\n\n" + head + "A,C1,10 ms,1,1 ms\n", "5:3: error: there is no core \"C1\"; did you mean \"C0\"?");
  one(head + "A,C0,10 ms,1,1 ms\n\nstep,task,time,gpu\nK,A,1 ms,GPU\n", "5:10: error: there is no GPU \"GPU\"");
  one("gpu,frequency\nGPU,1 GHz\n\n" + head + "A,C0,10 ms,1,1 ms\n\nstep,task,time,gpu,in\nK,A,1 ms,GPU,1 kB\n",
      "8:14: error: a copy takes time by the bandwidth of GPU to a memory, which is missing");
  one("gpu,platform\nGPU,tx3\n\n" + head + "A,C0,10 ms,1,1 ms\n",
      "2:5: error: there is no GPU platform \"tx3\"; did you mean \"tx2\"?");
  one(head + "A,C0,10 ms,1,1 ms\n\nchain,path,age\nX,A -> B,1 ms\n",
      "5:3: error: there is no task \"B\"; available: \"A\"");
  one(head + "A,C0,10 ms,1,1 ms\nB,C0,10 ms,1,1 ms\n\nchain,path\nX,A -> B\n",
      "6:1: error: the chain has no limit; state its reaction or its age");
  one(std::string("a\0b", 3), "error: this is no text in UTF-8; save the table as CSV in UTF-8");
}

TEST_CASE("new: the platform of another model is kept byte for byte") {
  const test::TemporaryFolder folder;
  const std::string table = folder.path() + "/t.csv", model = folder.path() + "/m.amxmi",
                    other = test::sample("tutorial/6-repaired.amxmi");
  test::write_text(table,
                   "task,core,period,priority,deadline,time\nA,Core0,10 ms,1,10 ms,1..2 ms\n\n"
                   "step,task,time,gpu,in\nK,A,1..2 ms,GPU,1 kB\n");
  const auto made = test::amalthea({"new", table, "--from", other, "-o", model});
  INFO(made.err);
  REQUIRE(made.exit_code == 0);
  const std::string text = test::read_text(model), source = test::read_text(other);
  for (const std::string part : {"hwModel", "osModel"}) {
    const std::size_t begin = source.find("<" + part + ">"), end = source.find("</" + part + ">");
    CHECK(text.find(source.substr(begin, end - begin)) != text.npos);
  }
  CHECK(test::amalthea({"validate", model}).out == "0 errors, 0 warnings, 0 notes\n");
  CHECK(test::amalthea({"analyze", model, "-q"}).out.starts_with("Verdict: guaranteed. "));
  test::write_text(table, "task,core,period,priority,time\nA,Core1,10 ms,1,1 ms\n");
  CHECK(test::amalthea({"new", table, "--from", other}).err ==
        table + ":2:3: error: there is no core \"Core1\"; did you mean \"Core0\"? [AM0121]\n");
  const std::string odd = folder.path() + "/odd.amxmi";
  test::write_text(odd, test::replaced(source, "schedulingParameterDefinitions name=\"priority\"",
                                       "schedulingParameterDefinitions name=\"prio\""));
  CHECK(test::amalthea({"new", table, "--from", odd}).err.find("defines no scheduling parameter \"priority\"") !=
        std::string::npos);
  const auto old = test::amalthea({"new", table, "--from", test::data("offload-0.9.3.amxmi")});
  CHECK(old.exit_code == 2);
  CHECK(old.err.find("expected a model of AMALTHEA 3.3.0 in one file; convert it first") != old.err.npos);
}

TEST_CASE("convert: what a table cannot hold is a finding") {
  const auto back = test::amalthea({"convert", test::sample("tutorial/6-repaired.amxmi"), "--to", "table", "-o", "-"});
  CHECK(back.exit_code == 0);
  CHECK(back.out.find("Detect,Detection,4..6 ms,GPU,2 MB,10 kB,passive\n") != back.out.npos);
  CHECK(back.err.find("46:7: warning: a table has no place for \"customProperties\" (CustomProperty)") !=
        back.err.npos);
  CHECK(back.err.find("a table has no place for the attribute \"average\" of a DiscreteValueStatistics") !=
        back.err.npos);
  // An affinity to the only core of the scheduler says nothing new.
  CHECK(test::amalthea({"convert", test::sample("offload-minimal.amxmi"), "--to", "table", "-o", "-", "-q"})
            .out.find("\nMonitor,Core,2 ms,2,2 ms,preemptive\n") != std::string::npos);
  const auto none = test::amalthea({"convert", test::sample("waters2019-tx2.amxmi"), "--to", "table", "-o", "-", "-q"});
  CHECK(none.exit_code == 2);
  CHECK(none.out.empty());
}

TEST_CASE("new: EMF loads every template without a diagnostic", "[emf]") {
  test::EmfBatch emf;
  for (const std::string& name : templates) {
    const std::string model = emf.folder() + "/" + name + ".amxmi";
    REQUIRE(test::amalthea({"new", "--template", name, "-o", model}).exit_code == 0);
    emf.expect_accepted(amalthea::newest_version, {model});
  }
  emf.run();
}

}  // namespace new_test
