// SPDX-License-Identifier: Apache-2.0
// Small input costs little, in every verb with its default options: no model of less than 100 kB takes more than 1 GB or
// an unlimited number of steps.

#include <functional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/test_models.hpp"
#include "tests/support/thoroughness.hpp"

namespace cost_test {

namespace {

std::string repeated(int count, const std::function<std::string(int)>& part) {
  std::string text;
  for (int i = 0; i < count; ++i) text += part(i);
  return text;
}

std::string ticks(std::int64_t least, std::int64_t most) {
  return fmt::format(
      R"(<items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueStatistics" lowerBound="{}" upperBound="{}" average="{}"/></items>)",
      least, most, (least + most) / 2);
}
std::string call(int runnable) {
  return fmt::format(R"(<items xsi:type="am:RunnableCall" runnable="R{}?type=Runnable"/>)", runnable);
}
std::string runnable(int number, const std::string& items) {
  return fmt::format(R"(<runnables name="R{}"><activityGraph>{}</activityGraph></runnables>)", number, items);
}
std::string periodic(int number, std::int64_t value, const char* unit) {
  return fmt::format(
      R"(<stimuli xsi:type="am:PeriodicStimulus" name="p{}"><recurrence value="{}" unit="{}"/></stimuli>)", number,
      value, unit);
}
std::string inter_process(int number) {
  return fmt::format(R"(<stimuli xsi:type="am:InterProcessStimulus" name="p{}"/>)", number);
}
std::string trigger(int stimulus) {
  return fmt::format(R"(<items xsi:type="am:InterProcessTrigger" stimulus="p{}?type=InterProcessStimulus"/>)",
                     stimulus);
}
std::string event_of(int number) { return fmt::format(R"(<events name="e{}"/>)", number); }
std::string wait_and_clear(int event) {
  return fmt::format(
      R"(<items xsi:type="am:WaitEvent"><eventMask events="e{0}?type=OsEvent"/></items><items xsi:type="am:ClearEvent"><eventMask events="e{0}?type=OsEvent"/></items>)",
      event);
}
std::string set_event(int event, int waiting) {
  return fmt::format(
      R"(<items xsi:type="am:SetEvent" process="T{}?type=Task"><eventMask events="e{}?type=OsEvent"/></items>)",
      waiting, event);
}
std::string task(int number, const std::string& items, int stimulus, const char* type = "PeriodicStimulus") {
  return fmt::format(
      R"(<tasks name="T{}" stimuli="p{}?type={}" multipleTaskActivationLimit="0"><activityGraph>{}</activityGraph></tasks>)",
      number, stimulus, type, items);
}

struct Parts {
  std::string software, stimuli;
  int tasks = 1;
  int cores = 1;
  std::string more = {};  ///< further parts of the model
  const char* algorithm = "FixedPriorityPreemptive";
};

std::string model_of(const Parts& parts) {
  const auto numbered = [](const char* pattern) {
    return [pattern](int i) { return fmt::format(fmt::runtime(pattern), i); };
  };
  std::string mapping = repeated(
      parts.cores,
      numbered(
          R"(<schedulerAllocation scheduler="S{0}?type=TaskScheduler" responsibility="C{0}?type=ProcessingUnit" executingPU="C{0}?type=ProcessingUnit"/>)"));
  mapping += repeated(parts.tasks, [&](int i) {
    return fmt::format(
        R"(<taskAllocation task="T{0}?type=Task" scheduler="S{1}?type=TaskScheduler" affinity="C{1}?type=ProcessingUnit"><schedulingParameters key="priority?type=SchedulingParameterDefinition"><value xsi:type="am:IntegerObject" value="{2}"/></schedulingParameters></taskAllocation>)",
        i, i % parts.cores, parts.tasks - i);
  });
  return test::model_text(fmt::format(
      R"(<swModel>{}</swModel><hwModel><definitions xsi:type="am:ProcessingUnitDefinition" name="Cpu" puType="CPU"/><structures name="B" structureType="System">{}</structures><domains xsi:type="am:FrequencyDomain" name="Clk"><defaultValue value="1.0" unit="GHz"/></domains></hwModel><osModel><operatingSystems name="OS">{}</operatingSystems><schedulerDefinitions name="{}" processParameters="priority?type=SchedulingParameterDefinition"/><schedulingParameterDefinitions name="priority" type="Integer"/></osModel><stimuliModel>{}</stimuliModel>{}<mappingModel>{}</mappingModel>)",
      parts.software,
      repeated(
          parts.cores,
          numbered(
              R"(<modules xsi:type="am:ProcessingUnit" name="C{}" frequencyDomain="Clk?type=FrequencyDomain" definition="Cpu?type=ProcessingUnitDefinition"/>)")),
      repeated(parts.cores,
               [&](int i) {
                 return fmt::format(R"(<taskSchedulers name="S{}" definition="{}?type=SchedulerDefinition"/>)", i,
                                    parts.algorithm);
               }),
      parts.algorithm, parts.stimuli, parts.more, mapping));
}

// ---- families

/// Each runnable calls the next one twice.
std::string doubling_calls(int depth) {
  return model_of({task(0, call(0), 0) + repeated(depth, [](int i) { return runnable(i, call(i + 1) + call(i + 1)); }) +
                       runnable(depth, ticks(1, 1)),
                   periodic(0, 10, "ms")});
}

/// The same within alternatives.
std::string doubling_alternatives(int depth) {
  return model_of(
      {task(0, call(0), 0) +
           repeated(depth,
                    [](int i) {
                      const std::string entry = R"(<entries probability="0.5">)" + call(i + 1) + "</entries>";
                      return runnable(i, R"(<items xsi:type="am:ProbabilitySwitch">)" + entry + entry + "</items>");
                    }) +
           runnable(depth, ticks(1, 1)),
       periodic(0, 10, "ms")});
}

std::string short_beside_long_period() {
  return model_of({task(0, ticks(1, 1), 0) + task(1, ticks(1, 1), 1), periodic(0, 1, "ns") + periodic(1, 1, "s"), 2});
}

/// A long busy window of short jobs.
std::string nearly_full() {
  return model_of({task(0, ticks(1, 2), 0) + task(1, ticks(1, 333'333), 1) + task(2, ticks(1, 1000), 2),
                   periodic(0, 3, "ns") + periodic(1, 1'000'000, "ns") + periodic(2, 100, "s"), 3});
}

/// Jobs that wait forever beside very many short ones.
std::string overload() {
  return model_of({repeated(60, [](int i) { return task(i, ticks(1, 30), i); }),
                   repeated(59, [](int i) { return periodic(i, 1, "us"); }) + periodic(59, 1, "s"), 60});
}

std::string prime_periods(const char* unit, const char* algorithm) {
  std::vector<int> primes;
  for (int number = 10'007; primes.size() < 60; ++number) {
    int divisor = 2;
    while (divisor * divisor <= number && number % divisor != 0) ++divisor;
    if (divisor * divisor > number) primes.push_back(number);
  }
  return model_of({repeated(60, [](int i) { return task(i, ticks(1, 90), i); }),
                   repeated(60, [&](int i) { return periodic(i, primes[static_cast<std::size_t>(i)], unit); }),
                   60,
                   1,
                   {},
                   algorithm});
}

std::string self_triggering() {
  return model_of(
      {R"(<tasks name="T0" stimuli="p0?type=PeriodicStimulus i?type=InterProcessStimulus"><activityGraph>)" +
           repeated(2,
                    [](int) {
                      return std::string(
                          R"(<items xsi:type="am:InterProcessTrigger" stimulus="i?type=InterProcessStimulus"/>)");
                    }) +
           ticks(1, 1) + "</activityGraph></tasks>",
       periodic(0, 10, "ms") + R"(<stimuli xsi:type="am:InterProcessStimulus" name="i"/>)"});
}

std::string dense_arrival_curve() {
  return model_of(
      {task(0, ticks(1, 1), 0, "ArrivalCurveStimulus") + task(1, ticks(1, 100'000'000), 1),
       R"(<stimuli xsi:type="am:ArrivalCurveStimulus" name="p0">)" +
           repeated(800,
                    [](int i) {
                      return fmt::format(
                          R"(<entries numberOfOccurrences="{}"><lowerTimeBorder value="{}" unit="ns"/></entries>)",
                          i + 2, 7 * (i + 2));
                    }) +
           "</stimuli>" + periodic(1, 1, "s"),
       2});
}

std::string bursts() {
  return model_of(
      {repeated(90, [](int i) { return task(i, ticks(1, 10), i, "PeriodicBurstStimulus"); }),
       repeated(
           90,
           [](int i) {
             return fmt::format(
                 R"(<stimuli xsi:type="am:PeriodicBurstStimulus" name="p{}" occurrenceCount="10000"><recurrence value="1" unit="s"/><burstLength value="1" unit="us"/><occurrenceMinDistance value="1" unit="ps"/></stimuli>)",
                 i);
           }),
       90, 4});
}

std::string large_jitter() {
  return model_of(
      {task(0, ticks(1, 1), 0) + task(1, ticks(1, 1), 1),
       R"(<stimuli xsi:type="am:PeriodicStimulus" name="p0"><recurrence value="1" unit="us"/><jitter xsi:type="am:TimeConstant"><value value="10" unit="s"/></jitter></stimuli>)" +
           periodic(1, 1, "s"),
       2});
}

std::string many_alternatives() {
  return model_of(
      {task(0,
            R"(<items xsi:type="am:ProbabilitySwitch">)" +
                repeated(450, [](int) { return R"(<entries probability="0.5">)" + ticks(1, 2) + "</entries>"; }) +
                "</items>",
            0),
       periodic(0, 10, "ms")});
}

std::string nested_loops() {
  const std::string loop =
      R"(<items xsi:type="am:WhileLoop"><condition><entries xsi:type="am:ModeValueCondition" label="m?type=ModeLabel" value="0" relation="EQUAL"/></condition>)";
  return model_of(
      {task(0,
            repeated(20, [&](int) { return loop; }) + ticks(1, 1) +
                repeated(20, [](int) { return std::string("</items>"); }),
            0) +
           R"(<modes xsi:type="am:NumericMode" name="N"/><modeLabels name="m" mode="N?type=NumericMode" initialValue="0"/>)",
       periodic(0, 10, "ms")});
}

/// Each of many branches triggers the same task in one alternative.
std::string triggers_in_alternatives() {
  const std::string branch = R"(<items xsi:type="am:ProbabilitySwitch"><entries probability="0.5">)" + ticks(1, 3) +
                             trigger(1) + R"(</entries><entries probability="0.5">)" + ticks(1, 2) +
                             "</entries></items>";
  return model_of(
      {task(0, repeated(180, [&](int) { return branch; }), 0) + task(1, ticks(1, 5), 1, "InterProcessStimulus"),
       periodic(0, 10, "ms") + inter_process(1), 2});
}

/// Each task triggers the next one twice, in branches.
std::string doubling_triggers() {
  constexpr int count = 40;
  return model_of({repeated(count,
                            [](int i) {
                              const std::string branch =
                                  R"(<items xsi:type="am:ProbabilitySwitch"><entries probability="1">)" +
                                  trigger(i + 1) + "</entries></items>";
                              return task(i, ticks(1, 2) + (i + 1 < count ? branch + branch : ""), i,
                                          i == 0 ? "PeriodicStimulus" : "InterProcessStimulus");
                            }),
                   periodic(0, 10, "ms") + repeated(count - 1, [](int i) { return inter_process(i + 1); }), count});
}

/// Each task waits for all tasks below it.
std::string rows_of_waits() {
  constexpr int count = 22;
  const auto event = [](int waiting, int setting) { return waiting * count + setting; };
  return model_of(
      {repeated(count,
                [&](int i) {
                  return task(i,
                              ticks(1, 2'000) +
                                  repeated(count - 1 - i, [&](int k) { return wait_and_clear(event(i, i + 1 + k)); }) +
                                  repeated(i, [&](int k) { return set_event(event(k, i), k); }),
                              0);
                }) +
           repeated(count * count, event_of),
       periodic(0, 10, "ms"), count, 4});
}

/// Each task calls the next one: it triggers that task and waits for it.
std::string deep_calls() {
  constexpr int count = 60;
  return model_of({repeated(count,
                            [](int i) {
                              return task(i,
                                          ticks(1, 2'000) + (i + 1 < count ? trigger(i + 1) + wait_and_clear(i) : "") +
                                              (i > 0 ? set_event(i - 1, i - 1) : ""),
                                          i, i == 0 ? "PeriodicStimulus" : "InterProcessStimulus");
                            }) +
                       repeated(count, event_of),
                   periodic(0, 10, "ms") + repeated(count - 1, [](int i) { return inter_process(i + 1); }), count, 4});
}

/// Loops that count to `iterations`; each iteration triggers one task.
std::string counting_loops(int iterations) {
  constexpr int count = 60;
  const auto label = [](int i, const char* access) {
    return fmt::format(R"(<items xsi:type="am:ModeLabelAccess" data="m{}?type=ModeLabel" access={}/>)", i, access);
  };
  return model_of(
      {repeated(
           count,
           [&](int i) {
             return task(
                 i,
                 label(i, R"("set" value="0")") +
                     fmt::format(
                         R"(<items xsi:type="am:WhileLoop"><condition><entries xsi:type="am:ModeValueCondition" label="m{}?type=ModeLabel" value="{}" relation="LESS_THAN"/></condition>)",
                         i, iterations) +
                     ticks(1, 2) + trigger(1) + label(i, R"("increment" step="1")") + "</items>",
                 0);
           }) +
           task(count, ticks(1, 1), 1, "InterProcessStimulus") + R"(<modes xsi:type="am:NumericMode" name="N"/>)" +
           repeated(count,
                    [](int i) {
                      return fmt::format(R"(<modeLabels name="m{}" mode="N?type=NumericMode" initialValue="0"/>)", i);
                    }),
       periodic(0, 10, "ms") + inter_process(1), count + 1, 4});
}

/// Everybody reads what everybody writes.
std::string many_chains() {
  constexpr int count = 24;
  const auto access = [](int label, const char* kind) {
    return fmt::format(R"(<items xsi:type="am:LabelAccess" data="l{}?type=Label" access="{}"/>)", label, kind);
  };
  return model_of(
      {repeated(count, [](int i) { return task(i, call(i), 0); }) +
           repeated(count,
                    [&](int i) {
                      return runnable(i, repeated(count, [&](int k) { return access(k, "read"); }) + ticks(1, 2) +
                                             access(i, "write"));
                    }) +
           repeated(count,
                    [](int i) { return fmt::format(R"(<labels name="l{}"><size value="1" unit="B"/></labels>)", i); }),
       periodic(0, 10, "ms"), count});
}

std::string many_tasks(int count) {
  return model_of(
      {repeated(count, [](int i) { return task(i, ticks(1, 50'000), 0); }), periodic(0, 10, "ms"), count, 16});
}

/// What `verb` says of the model, with 2 GB of addresses and so many seconds of computing: far more than it needs, even
/// where the machine is slow.
void check_cost(const std::string& text, const std::vector<std::string>& verbs) {
  CHECK(text.size() < 100'000);
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/model.amxmi";
  test::write_text(file, text);
  for (const std::string& verb : verbs) {
    const auto space = verb.find(' ');
    const std::string options = space == verb.npos ? "" : verb.substr(space);
    const auto result =
        test::run({"/bin/sh", "-c",
                   fmt::format("ulimit -t 40; ulimit -v 2000000; cd '{}'; exec '{}' {} model.amxmi{} > out.txt",
                               folder.path(), AMALTHEA_COMMAND, verb.substr(0, space), options)});
    INFO(verb << ": " << result.err.substr(0, 1000));
    CHECK(result.err.find("[AM0203]") == std::string::npos);  // a wrong reference would keep it from being analyzed
    const bool usual = result.exit_code == 0 || result.exit_code == 1 || result.exit_code == 4;
    CHECK(usual);
  }
}

const std::vector<std::string> all_verbs = {"info",
                                            "graph",
                                            "analyze",
                                            "simulate",
                                            "explain T0",
                                            "validate",
                                            "report -o report.html",
                                            "annotate -o annotated.amxmi",
                                            "batch --jobs 1",
                                            "explore --jobs 1 --candidates 200",
                                            "convert --to 3.2.0 -o converted.amxmi"};

/// That a verb says something of a large model within so many MB of addresses and eight seconds of computing, some times
/// what it needs.
void check_linear(const std::string& text, const std::vector<std::string>& verbs, int megabytes = 1000) {
  test::skip_if_sanitized();
  const test::TemporaryFolder folder;
  test::write_text(folder.path() + "/model.amxmi", text);
  for (const std::string& verb : verbs) {
    const auto result =
        test::run({"/bin/sh", "-c",
                   fmt::format("cd '{}'; ulimit -t 8; ulimit -v {}000; exec '{}' {} model.amxmi > out.txt",
                               folder.path(), megabytes, AMALTHEA_COMMAND, verb)});
    INFO(verb << ": " << result.err.substr(0, 1000));
    CHECK((result.exit_code <= 1 || result.exit_code == 4));
  }
}

}  // namespace

TEST_CASE("a simulation that takes too many steps is stopped, and its verdict is unknown") {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/model.amxmi";
  test::write_text(file, short_beside_long_period());
  const auto stopped = test::amalthea({"analyze", file, "--max-steps", "10000"});
  CHECK(stopped.err.find("or raise --max-steps [AM0504]") != std::string::npos);
  CHECK(stopped.exit_code != 0);
  CHECK(stopped.out.find("unknown") != std::string::npos);
  test::write_text(file, many_tasks(3));
  const auto whole = test::amalthea({"analyze", file, "--max-steps", "10000"});
  CHECK(whole.err.find("AM0504") == std::string::npos);
}

TEST_CASE("doubling calls cost little") {
  test::skip_if_sanitized();
  check_cost(doubling_calls(14), {"info", "analyze"});
}

TEST_CASE("small models cost little in every verb", "[long]") {
  test::skip_if_sanitized();
  const std::vector<std::pair<const char*, std::string>> families = {
      {"doubling calls", doubling_calls(16)},
      {"doubling calls without end", doubling_calls(60)},
      {"doubling alternatives", doubling_alternatives(18)},
      {"a short beside a long period", short_beside_long_period()},
      {"a core that is nearly full", nearly_full()},
      {"an overloaded core", overload()},
      {"prime periods", prime_periods("ns", "FixedPriorityPreemptive")},
      {"prime periods by deadline", prime_periods("ns", "EarliestDeadlineFirst")},
      {"prime periods in picoseconds", prime_periods("ps", "FixedPriorityPreemptive")},
      {"a task that triggers itself twice", self_triggering()},
      {"a dense arrival curve", dense_arrival_curve()},
      {"bursts", bursts()},
      {"a large jitter", large_jitter()},
      {"many alternatives", many_alternatives()},
      {"nested loops", nested_loops()},
      {"triggers in alternatives", triggers_in_alternatives()},
      {"doubling triggers", doubling_triggers()},
      {"rows of waits", rows_of_waits()},
      {"deep calls", deep_calls()},
      {"loops that count", counting_loops(200)},
      {"loops that count far", counting_loops(2'000'000'000)},
      {"many chains", many_chains()},
      {"many tasks", many_tasks(170)}};
  // Every family meets a sixth of the verbs, every verb a sixth of the families; a thorough run tries all pairs.
  const std::size_t stride = test::is_thorough() ? 1 : 6;
  for (std::size_t family = 0; family < families.size(); ++family) {
    const auto& [name, text] = families[family];
    std::vector<std::string> verbs;
    for (std::size_t verb = family % stride; verb < all_verbs.size(); verb += stride) verbs.push_back(all_verbs[verb]);
    INFO(name);
    check_cost(text, verbs);
  }
}

TEST_CASE("converting references by position takes linear time") {
  constexpr int count = 100'000;
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/model.amxmi";
  const std::string items = repeated(count, [](int i) {
    return fmt::format(R"(<items xsi:type="am:LabelAccess" data="//@swModel/@labels.{}"/>)", i);
  });
  test::write_text(
      file, test::model_text("<swModel><runnables name=\"R\"><activityGraph>" + items + "</activityGraph></runnables>" +
                                 repeated(count, [](int) { return std::string("<labels/>"); }) + "</swModel>",
                             "2.0.0"));
  const auto result =
      test::run({"/bin/sh", "-c",
                 fmt::format("cd '{}'; ulimit -t 8; exec '{}' convert model.amxmi --to 3.2.0 -o converted.amxmi",
                             folder.path(), AMALTHEA_COMMAND)});
  INFO(result.err.substr(0, 1000));
  CHECK(result.exit_code == 0);
}

TEST_CASE("mode labels with many literals, and conditions on them, take linear time") {
  constexpr int count = 20'000;
  const std::string literals = repeated(count, [](int i) { return fmt::format("<literals name=\"x{}\"/>", i); });
  const std::string labels = repeated(count, [](int i) {
    return fmt::format(R"(<modeLabels name="m{0}" mode="E?type=EnumMode" initialValue="x{0}"/>)", i);
  });
  const auto condition = [](int label, const std::string& value) {
    return fmt::format(
        R"(<entries xsi:type="am:ModeValueCondition" label="m{}?type=ModeLabel" value="{}" relation="EQUAL"/>)", label,
        value);
  };
  for (const std::string name : {"x", "other"}) {
    const std::string conditions = repeated(count, [&](int i) { return condition(0, name + std::to_string(i)); }) +
                                   "<entries xsi:type=\"am:ConditionConjunction\">" +
                                   repeated(count, [&](int i) { return condition(i, name + std::to_string(i)); }) +
                                   "</entries>";
    check_linear(model_of({"<modes xsi:type=\"am:EnumMode\" name=\"E\">" + literals + "</modes>" + labels +
                               task(0,
                                    "<items xsi:type=\"am:Switch\"><entries>" + ticks(1, 2) + "<condition>" +
                                        conditions + "</condition></entries></items>" + ticks(1, 2),
                                    0),
                           periodic(0, 10, "ms")}),
                 {"info", "validate", "analyze"});
  }
}

TEST_CASE("the graph of as many activities as the limit admits takes less than 500 MB") {
  const auto access = [](int) {
    return std::string(R"(<items xsi:type="am:LabelAccess" data="l?type=Label" access="read"/>)");
  };
  check_linear(
      model_of({task(0, repeated(500, [](int) { return call(0); }) + ticks(1, 2), 0) +
                    runnable(0, repeated(590, access)) + R"(<labels name="l"><size value="4" unit="B"/></labels>)",
                periodic(0, 10, "ms")}),
      {"graph --format json", "graph --format dot", "graph --format svg"}, 500);
}

TEST_CASE("references to many ports that do not exist take linear time") {
  constexpr int count = 40'000;
  const std::string hardware =
      "<hwModel><structures name=\"S\">" + repeated(count, [](int i) {
        return fmt::format(R"(<ports name="p{0}"/><connections name="c{0}" port1="X/p{0}?type=HwPort"/>)", i);
      });
  check_linear(test::model_text(hardware + "</structures></hwModel>"), {"info", "validate"});
}

TEST_CASE("small GPU scenarios cost little") {
  test::skip_if_sanitized();
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/scenario.json";
  const auto check = [&](const std::string& text, int exit_code, const char* message) {
    test::write_text(file, text);
    const auto result = test::run(
        {"/bin/sh", "-c",
         fmt::format("ulimit -t 40; ulimit -v 2000000; exec '{}' gpu run '{}' > /dev/null", AMALTHEA_COMMAND, file)});
    INFO(result.err.substr(0, 1000));
    CHECK(result.exit_code == exit_code);
    CHECK(result.err.find(message) != std::string::npos);
  };
  const std::string contexts =
      R"({"contexts": [{"name": "a", "timeslice": "1ps"}, {"name": "b", "timeslice": "1ps"}],)";
  check(contexts + R"("operations": [{"kernel": "k", "threads": 32, "duration": "1s", "stream": "s", "context": "a"},
         {"kernel": "k", "threads": 32, "duration": "1s", "stream": "t", "context": "b"}]})",
        2, "raise --max-steps");
  check(R"({"operations": [{"kernel": "k", "threads": 1024, "duration": "9223372036854775807ps"}]})", 2,
        "operations[0]: it ends later than 2^63 ps");
}

TEST_CASE("small inputs of GPU analyses cost little") {
  test::skip_if_sanitized();
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/input.json";
  const auto check = [&](const char* verb, const std::string& text, const char* printed) {
    CHECK(text.size() < 100'000);
    test::write_text(file, text);
    const auto result =
        test::run({"/bin/sh", "-c",
                   fmt::format("ulimit -t 40; ulimit -v 2000000; exec '{}' {} '{}'", AMALTHEA_COMMAND, verb, file)});
    INFO(verb << ": " << result.err.substr(0, 1000));
    CHECK(result.exit_code < 2);
    CHECK(result.out.find(printed) != std::string::npos);
  };
  const auto tasks = [](int count, int cores, const char* slice, const char* kernel,
                        const std::function<std::string(int)>& period) {
    return R"({"tasks": [)" +
           repeated(
               count,
               [&](int i) {
                 return fmt::format(
                     R"({}{{"name": "T{}", "core": "C{}", "priority": {}, "period": "{}", "wait": "suspend", "timeslice": "{}",
                 "segments": [{{"cpu": "10us"}}, {{"gpu": [{{"kernel": "{}"}}, {{"copy": "1us"}}]}}, {{"cpu": "1us"}}]}})",
                     i == 0 ? "" : ",", i, i % cores, i + 1, period(i), slice, kernel);
               }) +
           "]}";
  };
  const auto primes = [](int i) { return fmt::format("{}us", 10'007 + 2 * i); };
  check("gpu bounds", tasks(120, 4, "1ps", "1ms", [](int) { return std::string("1s"); }), "T119");
  check("gpu bounds", tasks(200, 4, "1us", "49us", primes), "T199");
  check("gpu bounds", tasks(2, 1, "1ps", "1ps", [](int i) { return std::string(i == 0 ? "2ns" : "999s"); }), "T1");
  check("gpu rta --releases periodic",
        R"({"g_max": 8, "kernels": [{"r": 0, "C": 1, "g": 1, "T": 2}, {"r": 0, "C": 1, "g": 1, "T": 1000000007}]})",
        "the schedule has not repeated yet");
  check("gpu rta",
        R"({"g_max": 8, "kernels": [)" +
            repeated(2000,
                     [](int i) {
                       return fmt::format(R"({}{{"r": {}, "C": {}, "g": {}}})", i == 0 ? "" : ",", i, 4 + i % 7,
                                          2 + i % 5);
                     }) +
            "]}",
        "1999");
}

}  // namespace cost_test
