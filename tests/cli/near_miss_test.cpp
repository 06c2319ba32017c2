// SPDX-License-Identifier: Apache-2.0
// Messages for misspellings: the cause once, and what was probably meant.

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace {

std::string small_model() { return test::read_text(test::sample("offload-minimal.amxmi")); }

std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

/// A slip of the pen in a model, and what is to be said of it.
struct Slip {
  std::string_view what, from, to, id, says;
};

/// Findings, except the last line: that the model is not analyzed.
std::size_t findings_in(std::string_view text) { return count_of(text, "[AM") - count_of(text, "[AM0344]"); }

void check_said(const std::string& text, const Slip& slip) {
  INFO(slip.what << ": " << text);
  CHECK(findings_in(text) == 1);
  CHECK(count_of(text, fmt::format("[{}]", slip.id)) == 1);
  CHECK(text.find(slip.says) != std::string::npos);
}

/// `analyze` and `validate` say one thing each, and the same.
void check_slips(const std::vector<Slip>& slips) {
  for (const Slip& slip : slips) {
    const test::TemporaryFolder folder;
    const std::string model = folder.path() + "/model.amxmi";
    test::write_text(model, test::replaced(small_model(), slip.from, slip.to));
    const auto analyzed = test::amalthea({"analyze", model});
    CHECK(analyzed.exit_code == 1);
    check_said(analyzed.err, slip);
    check_said(test::amalthea({"validate", model}).out, slip);
  }
}

void check_refused(std::vector<std::string> arguments, std::string_view says) {
  const auto result = test::amalthea(arguments);
  INFO(result.err);
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  CHECK(result.err.find(says) != std::string::npos);
}

}  // namespace

// ---------------------------------------------------------------- in models

TEST_CASE("near miss: a misspelled reference is reported once with similar names") {
  check_slips({
      {"letters swapped", "data=\"Image_host?type=Label\" access=\"read\"",
       "data=\"Image_hots?type=Label\" access=\"read\"", "AM0203", "did you mean \"Image_host?type=Label\"?"},
      {"capital letter", "runnable=\"Monitor_Function?", "runnable=\"monitor_function?", "AM0203",
       "did you mean \"Monitor_Function?type=Runnable\"?"},
      {"no type", "runnable=\"Monitor_Function?type=Runnable\"", "runnable=\"Monitor_Function\"", "AM0203",
       "did you mean \"Monitor_Function?type=Runnable\"?"},
      {"wrong type", "runnable=\"Monitor_Function?type=Runnable\"", "runnable=\"Monitor_Function?type=Task\"", "AM0203",
       "did you mean \"Monitor_Function?type=Runnable\"?"},
      {"misspelt type", "runnable=\"Monitor_Function?type=Runnable\"", "runnable=\"Monitor_Function?type=Runable\"",
       "AM0203", "did you mean \"Monitor_Function?type=Runnable\"?"},
      {"of another class", "runnable=\"Monitor_Function?type=Runnable\"", "runnable=\"Monitor?type=Task\"", "AM0203",
       "refers to a Task; expected a Runnable; did you mean \"Monitor_Function?type=Runnable\"?"},
      {"core in an allocation", "scheduler=\"Cpu_Scheduler?type=TaskScheduler\" affinity=\"Core?type",
       "scheduler=\"Cpu_Scheduler?type=TaskScheduler\" affinity=\"Cores?type", "AM0203",
       "did you mean \"Core?type=ProcessingUnit\"?"},
      {"core of a scheduler", "responsibility=\"GPU?", "responsibility=\"GPUs?", "AM0203",
       "did you mean \"GPU?type=ProcessingUnit\"?"},
      {"scheduler in an allocation", "<taskAllocation task=\"Vision?type=Task\" scheduler=\"Gpu_Scheduler?",
       "<taskAllocation task=\"Vision?type=Task\" scheduler=\"Gpu_Sheduler?", "AM0203",
       "did you mean \"Gpu_Scheduler?type=TaskScheduler\"?"},
      {"scheduler of an allocation", "<schedulerAllocation scheduler=\"Gpu_Scheduler?",
       "<schedulerAllocation scheduler=\"Gpu_Sheduler?", "AM0203",
       "did you mean \"Gpu_Scheduler?type=TaskScheduler\"?"},
      {"task in an allocation", "<taskAllocation task=\"Vision?", "<taskAllocation task=\"Vison?", "AM0203",
       "did you mean \"Vision?type=Task\"?"},
      {"stimulus of a task", "stimuli=\"every_2ms?", "stimuli=\"every_2_ms?", "AM0203",
       "did you mean \"every_2ms?type=PeriodicStimulus\"?"},
      {"stimulus of a trigger", "stimulus=\"Vision_request?", "stimulus=\"Vision_reqest?", "AM0203",
       "did you mean \"Vision_request?type=InterProcessStimulus\"?"},
      {"clock", "frequencyDomain=\"Gpu_Clock?", "frequencyDomain=\"Gpu_Clok?", "AM0203",
       "did you mean \"Gpu_Clock?type=FrequencyDomain\"?"},
      {"event", "<eventMask events=\"Vision_done?", "<eventMask events=\"Vision_don?", "AM0203",
       "did you mean \"Vision_done?type=OsEvent\"?"},
      {"task of a requirement", "process=\"Monitor?type=Task\">", "process=\"Moniter?type=Task\">", "AM0203",
       "did you mean \"Monitor?type=Task\"?"},
  });
}

TEST_CASE("near miss: the remedy is general if no name is similar") {
  const test::TemporaryFolder folder;
  const std::string model = folder.path() + "/model.amxmi";
  test::write_text(model, test::replaced(small_model(), "runnable=\"Monitor_Function?", "runnable=\"Zzz?"));
  check_said(test::amalthea({"analyze", model}).err,
             {"nothing alike", "", "", "AM0203",
              "no element in the model; correct it, or also pass the file that contains it"});
}

TEST_CASE("near miss: a blank in a reference is reported as one mistake") {
  const test::TemporaryFolder folder;
  const std::string model = folder.path() + "/model.amxmi";
  std::string text =
      test::replaced(small_model(), "xmi:id=\"Monitor_Function?type=Runnable\" name=\"Monitor_Function\"",
                     "name=\"Monitor Function\"");
  text = test::replaced(text, "runnable=\"Monitor_Function?", "runnable=\"Monitor Function?");
  test::write_text(model, text);
  for (const char* verb : {"analyze", "validate"}) {
    const auto result = test::amalthea({verb, model});
    check_said(result.err + result.out, {"blank", "", "", "AM0203",
                                         "did you mean \"Monitor+Function?type=Runnable\"? In references a space is "
                                         "written as +"});
  }
}

TEST_CASE("near miss: missing and superfluous parts of a qualified name are reported") {
  std::string text = test::replaced(small_model(), "<accessElements name=\"Core_to_DRAM\"",
                                    "<ports name=\"Bus_side\"/><accessElements name=\"Core_to_DRAM\"");
  for (const char* written : {"Bus_side", "Board/Core/Bus_side", "Core/Bus_sde"}) {
    const test::TemporaryFolder folder;
    const std::string model = folder.path() + "/model.amxmi";
    test::write_text(
        model,
        test::replaced(text, "</structures>",
                       fmt::format("<connections name=\"wire\" port1=\"{}?type=HwPort\"/></structures>", written)));
    const auto result = test::amalthea({"info", model});
    INFO(result.err);
    CHECK(count_of(result.err, "[AM0203]") == 1);
    CHECK(result.err.find("did you mean \"Core/Bus_side?type=HwPort\"?") != std::string::npos);
  }
}

TEST_CASE("near miss: a name in another file of the model is suggested") {
  const test::TemporaryFolder folder;
  const std::string head =
      "<am:Amalthea xmi:version=\"2.0\" xmlns:xmi=\"http://www.omg.org/XMI\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:am=\"http://app4mc.eclipse.org/amalthea/3.3.0\">";
  test::write_text(
      folder.path() + "/a.amxmi",
      head + "<swModel><tasks name=\"A\" stimuli=\"evry?type=PeriodicStimulus\"/></swModel></am:Amalthea>");
  test::write_text(
      folder.path() + "/b.amxmi",
      head + "<stimuliModel><stimuli xsi:type=\"am:PeriodicStimulus\" name=\"every\"/></stimuliModel></am:Amalthea>");
  const auto result = test::amalthea({"info", folder.path()});
  CHECK(result.err.find("b.amxmi? Reference it with a child element that has "
                        "href=\"amlt:/#every?type=PeriodicStimulus\" [AM0203]") != std::string::npos);
}

TEST_CASE("near miss: classes and elements and attributes are suggested") {
  const std::vector<Slip> slips = {
      {"class", "<items xsi:type=\"am:RunnableCall\" runnable=\"Monitor",
       "<items xsi:type=\"am:RunableCall\" runnable=\"Monitor", "AM0202", "did you mean \"RunnableCall\"?"},
      {"element", "<recurrence value=\"2\" unit=\"ms\"/>", "<recurence value=\"2\" unit=\"ms\"/>", "AM0201",
       "did you mean \"recurrence\"?"},
      {"attribute", "stimuli=\"every_2ms?type=PeriodicStimulus\"", "stimulus=\"every_2ms?type=PeriodicStimulus\"",
       "AM0204", "did you mean \"stimuli\"?"},
      {"element of another version", "<activityGraph>\n        <items xsi:type=\"am:RunnableCall\" runnable=\"Monitor",
       "<callGraphs/><activityGraph>\n        <items xsi:type=\"am:RunnableCall\" runnable=\"Monitor", "AM0201",
       "did you mean \"callGraph\"?"},
      {"attribute as an element", "<size value=\"64\" unit=\"kB\"/>", "<constant/><size value=\"64\" unit=\"kB\"/>",
       "AM0231", "<constant> is an attribute of a Label, but it is written as an element"},
  };
  for (const Slip& slip : slips) {
    const test::TemporaryFolder folder;
    const std::string model = folder.path() + "/model.amxmi";
    test::write_text(model, test::replaced(small_model(), slip.from, slip.to));
    const auto result = test::amalthea({"info", model});
    INFO(result.err);
    CHECK(count_of(result.err, fmt::format("[{}]", slip.id)) == 1);
    CHECK(result.err.find(slip.says) != std::string::npos);
  }
}

TEST_CASE("near miss: references to an element of unknown class are reported once") {
  const test::TemporaryFolder folder;
  const std::string model = folder.path() + "/model.amxmi";
  test::write_text(
      model, test::replaced(small_model(),
                            "<stimuli xsi:type=\"am:PeriodicStimulus\" xmi:id=\"every_2ms?type=PeriodicStimulus\"",
                            "<stimuli xsi:type=\"am:PeriodicStimulu\""));
  const auto result = test::amalthea({"analyze", model});
  INFO(result.err);
  CHECK(result.err.find("did you mean \"PeriodicStimulus\"? [AM0202]") != std::string::npos);
  CHECK(result.err.find("refers to \"every_2ms\" at line ") != std::string::npos);
  CHECK(count_of(result.err, "[AM0203]") == 1);
}

TEST_CASE("near miss: enumeration literals are suggested") {
  const test::TemporaryFolder folder;
  const std::string model = folder.path() + "/model.amxmi";
  test::write_text(model, test::replaced(small_model(), "preemption=\"preemptive\"", "preemption=\"premptive\""));
  const auto result = test::amalthea({"validate", model});
  check_said(result.out, {"literal", "", "", "AM0220", "did you mean \"preemptive\"?"});
}

TEST_CASE("near miss: an unknown unit and an unreadable value are reported once") {
  for (const Slip& slip :
       std::vector<Slip>{{"time", "<recurrence value=\"2\" unit=\"ms\"/>", "<recurrence value=\"2\" unit=\"mss\"/>", "",
                          "did you mean \"ms\"?"},
                         {"frequency", "<defaultValue value=\"1.0\" unit=\"GHz\"/>",
                          "<defaultValue value=\"1.0\" unit=\"GHZ\"/>", "", "did you mean \"GHz\"?"},
                         {"size", "<size value=\"64\" unit=\"kB\"/>", "<size value=\"64\" unit=\"kBB\"/>", "",
                          "did you mean \"kB\" or \"KiB\"?"},
                         {"number", "<recurrence value=\"2\" unit=\"ms\"/>",
                          "<recurrence value=\"2 \xC2\xBD\" unit=\"ms\"/>", "", "2 \xC2\xBD"},
                         {"frequency that is no number", "<defaultValue value=\"1.0\" unit=\"GHz\"/>",
                          "<defaultValue value=\"one\" unit=\"GHz\"/>", "", "\"one\""}}) {
    const test::TemporaryFolder folder;
    const std::string model = folder.path() + "/model.amxmi";
    test::write_text(model, test::replaced(small_model(), slip.from, slip.to));
    for (const char* verb : {"analyze", "validate"}) {
      const auto result = test::amalthea({verb, model});
      const std::string said = std::string(verb) == "analyze" ? result.err : result.out;
      INFO(slip.what << " " << verb << ": " << said);
      CHECK(result.exit_code == 1);
      CHECK(findings_in(said) == 1);
      CHECK(said.find(slip.says) != std::string::npos);
    }
  }
}

TEST_CASE("near miss: keys and values of gpu. properties are suggested") {
  const test::TemporaryFolder folder;
  const std::string model = folder.path() + "/model.amxmi";
  const auto said = [&](std::string_view from, std::string_view to) {
    test::write_text(model, test::replaced(small_model(), from, to));
    return test::amalthea({"analyze", model}).err;
  };
  CHECK(said("key=\"gpu.platform\"", "key=\"gpu.plattform\"").find("did you mean \"gpu.platform\"? [AM0414]") !=
        std::string::npos);
  CHECK(said("value=\"tx2\"", "value=\"tx22\"").find("did you mean \"tx2\"? [AM0502]") != std::string::npos);
  const std::string runnable = "name=\"Vision_Function\" callback=\"false\" service=\"false\">";
  const auto property = [&](std::string_view key, std::string_view value) {
    return runnable + fmt::format(
                          "<customProperties key=\"{}\"><value xsi:type=\"am:StringObject\" "
                          "value=\"{}\"/></customProperties>",
                          key, value);
  };
  CHECK(said(runnable, property("gpu.copy", "h2h")).find("did you mean \"h2d\" or \"d2h\"? [AM0315]") !=
        std::string::npos);
}

TEST_CASE("near miss: ten thousand broken references take about as long as valid ones") {
  std::string text =
      "<am:Amalthea xmi:version=\"2.0\" xmlns:xmi=\"http://www.omg.org/XMI\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:am=\"http://app4mc.eclipse.org/amalthea/3.3.0\">"
      "<swModel><runnables name=\"R\"><activityGraph>";
  constexpr int labels = 10'000;
  for (int i = 0; i < labels; ++i)
    text +=
        fmt::format("<items xsi:type=\"am:LabelAccess\" data=\"Label_nummer_{:05}?type=Label\" access=\"read\"/>\n", i);
  text += "</activityGraph></runnables>";
  for (int i = 0; i < labels; ++i) text += fmt::format("<labels name=\"Label_number_{:05}\"/>\n", i);
  text += "</swModel></am:Amalthea>";
  const test::TemporaryFolder folder;
  const std::string model = folder.path() + "/model.amxmi";
  test::write_text(model, text);
  const auto start = std::chrono::steady_clock::now();
  const auto result = test::amalthea({"info", model});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  CHECK(count_of(result.err, "[AM0203]") == 1000);
  CHECK(count_of(result.err, "did you mean \"Label_number_") == 100);
  CHECK(result.err.find("9000 more findings of this kind are not listed") != std::string::npos);
  CHECK(seconds.count() < 20);
}

// ---------------------------------------------------------------- on the command line

TEST_CASE("near miss: verbs and options and option values are suggested") {
  const std::string model = test::sample("offload-minimal.amxmi");
  check_refused({"analyse", model}, "unknown verb \"analyse\"; did you mean \"analyze\"?");
  check_refused({"zzz", model}, "unknown verb \"zzz\"; expected one of new, info, graph, validate");
  check_refused({"gpu", "rnu", "x.json"}, "unknown verb \"rnu\"; did you mean \"run\"?");
  check_refused({"--bogus"}, "use amalthea VERB with one of new, info, graph, validate");
  check_refused({"analyze", model, "--formta", "json"}, "did you mean \"--format\"?");
  check_refused({"analyze", model, "--untill=2s"}, "did you mean \"--until\"?");
  check_refused({"analyze", model, "-execution", "best"}, "See amalthea analyze --help.");
  check_refused({"info", model, "--execution", "best"}, "it is an option of diff, analyze, ");
  check_refused({"analyze", model, "--format", "jsn"}, "did you mean \"json\"?");
  check_refused({"analyze", model, "--execution", "wurst"}, "did you mean \"worst\"?");
  check_refused({"info", model, "--max-depth", "deep"}, "expected a whole number of 0 or more");
  check_refused({"analyze", model, "--suppress", "AM410"},
                "AM410: unknown finding id (docs/reference/diagnostics.md lists all ids); did you mean \"AM0410\"?");
  check_refused({"convert", model, "--to", "3.3", "-o", "-"}, "did you mean \"3.3.0\"?");
}

TEST_CASE("near miss: tasks and cores and profiles and memory models and file types are suggested") {
  const std::string model = test::sample("offload-minimal.amxmi");
  check_refused({"analyze", model, "--map", "Contrl=Core"},
                "the model has no task \"Contrl\"; did you mean \"Control\"?");
  check_refused({"analyze", model, "--map", "Control=Coer"},
                "the model has no processing unit \"Coer\"; did you mean \"Core\"?");
  check_refused({"analyze", model, "--chain", "Contrl->Vision"},
                "there is no task \"Contrl\"; did you mean \"Control\"?");
  check_refused({"analyze", model, "--chain", "Zzz->Vision"},
                "there is no task \"Zzz\"; available: \"Control\", \"Monitor\" and \"Vision\"");
  check_refused({"explain", model, "vision"}, "the model has no task \"vision\"; did you mean \"Vision\"?");
  check_refused({"graph", model, "--task", "Monitr"}, "did you mean \"Monitor\"?");
  check_refused({"explore", model, "--pin", "Monitr=Core"}, "did you mean \"Monitor\"?");
  check_refused({"explore", model, "--pin", "Monitor=core"}, "did you mean \"Core\"?");
  check_refused({"explore", model, "--objective", "respose"}, "did you mean \"response\"?");
  check_refused({"analyze", model, "--platform", "xaver"}, "did you mean \"xavier\"?");
  check_refused({"analyze", model, "--memory", "waters2091"}, "did you mean \"waters2019\"?");
  check_refused({"analyze", model, "--trace", "t.bft"}, "did you mean \".btf\"?");
  const test::TemporaryFolder folder;
  test::write_text(folder.path() + "/mapping.json", R"({"Control": {"cor": "Core"}})");
  check_refused({"analyze", model, "--mapping", folder.path() + "/mapping.json"}, "did you mean \"core\"?");
  check_refused({"analyze", model, "--mapping", folder.path() + "/maping.json"}, "/mapping.json\"?");
  check_refused({"gpu", "run", folder.path() + "/maping.json"}, "/mapping.json\"?");
  check_refused({"info", test::sample("offload-minmal.amxmi")}, "offload-minimal.amxmi\"? [AM0116]");
}

TEST_CASE("options -q and --suppress hide messages without changing results or exit codes") {
  const std::string model = test::sample("waters2019-tx2.amxmi");
  const auto plain = test::amalthea({"analyze", model});
  REQUIRE(plain.err.find("[AM0410]") != std::string::npos);
  const auto quiet = test::amalthea({"analyze", model, "-q"});
  CHECK(quiet.err.empty());
  CHECK(quiet.out == plain.out);
  CHECK(quiet.exit_code == plain.exit_code);
  const auto suppressed = test::amalthea({"analyze", model, "--suppress", "AM0410,AM0503", "--suppress", "AM0412"});
  CHECK(suppressed.err.find("[AM0410]") == std::string::npos);
  CHECK(suppressed.out == plain.out);
  CHECK(suppressed.exit_code == plain.exit_code);
  const test::TemporaryFolder folder;
  const std::string broken = folder.path() + "/model.amxmi";
  test::write_text(broken,
                   test::replaced(small_model(), "runnable=\"Monitor_Function?", "runnable=\"Monitor_Funktion?"));
  for (const std::string verb : {"analyze", "simulate", "info", "graph", "validate", "report", "annotate", "explore"}) {
    INFO(verb);
    std::vector<std::string> arguments = {verb, broken, "--suppress", "AM0203"};
    if (verb == "report" || verb == "annotate") arguments.insert(arguments.end(), {"-o", folder.path() + "/out"});
    const auto result = test::amalthea(arguments);
    CHECK(result.exit_code == 1);
    CHECK((result.err + result.out).find("[AM0203]") == std::string::npos);
    arguments = {verb, broken, "--quiet"};
    if (verb == "report" || verb == "annotate") arguments.insert(arguments.end(), {"-o", folder.path() + "/out"});
    const auto errors_only = test::amalthea(arguments);
    CHECK((errors_only.err + errors_only.out).find("[AM0203]") != std::string::npos);
  }
}
