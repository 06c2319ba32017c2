// SPDX-License-Identifier: Apache-2.0
// A model in several files is the same model as one file, whatever the files are called and wherever they lie, and no
// option hides its errors.

#include <filesystem>
#include <string>
#include <string_view>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace whole_model_test {

using test::replaced;

namespace {

std::string file(const std::string& content) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<am:Amalthea xmi:version=\"2.0\" "
         "xmlns:xmi=\"http://www.omg.org/XMI\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
         "xmlns:am=\"http://app4mc.eclipse.org/amalthea/3.3.0\">" +
         content + "</am:Amalthea>\n";
}

std::string sound() { return test::read_text(test::sample("offload-minimal.amxmi")); }

const std::string late = R"(<constraintsModel><requirements xsi:type="am:ProcessRequirement" name="Late">
<process xsi:type="am:Task" href="amlt:/#Monitor?type=Task"/>
<limit xsi:type="am:TimeRequirementLimit" limitType="UpperLimit" metric="ResponseTime"><limitValue value="1" unit="us"/></limit>
</requirements></constraintsModel>)";

}  // namespace

TEST_CASE("a folder's models that are not read are named in the first lines") {
  namespace fs = std::filesystem;
  const test::TemporaryFolder folder;
  const std::string path = folder.path();
  test::write_text(path + "/model.amxmi", sound());
  CHECK(test::amalthea({"analyze", "-q", path}).out.find("Verdict: guaranteed. ") == 0);
  SECTION("in a folder below") {
    fs::create_directory(path + "/sub");
    test::write_text(path + "/sub/late.amxmi", file(late));
    const auto run = test::amalthea({"analyze", path});
    CHECK(run.err.find("/sub/late.amxmi: note: this model file is not read") != std::string::npos);
    CHECK(run.out.find("Verdict: guaranteed under 1 assumption") == 0);
    CHECK(run.out.find("Assumed: a model file that is not read") != std::string::npos);
    CHECK(test::amalthea({"analyze", "--strict", path}).exit_code == 4);
  }
  SECTION("with another spelling of the extension") {
    test::write_text(path + "/late.AMXMI", file(late));
    CHECK(test::amalthea({"analyze", path}).err.find("/late.AMXMI: note: this model file is not read") !=
          std::string::npos);
  }
  SECTION("but not those of hidden folders") {
    fs::create_directory(path + "/.git");
    test::write_text(path + "/.git/late.amxmi", file(late));
    CHECK(test::amalthea({"analyze", path}).err.find("not read") == std::string::npos);
  }
}

TEST_CASE("an element that two files have gives the same result whatever the files are called") {
  const std::string split =
      replaced(replaced(sound(), R"( frequencyDomain="Cpu_Clock?type=FrequencyDomain" definition="Cpu?)",
                        R"( definition="Cpu?)"),
               R"(<accessElements name="Core_to_DRAM")",
               R"(<frequencyDomain xsi:type="am:FrequencyDomain" href="amlt:/#Cpu_Clock?type=FrequencyDomain"/>
        <accessElements name="Core_to_DRAM")");
  const std::string slow = file(R"(<hwModel><domains xsi:type="am:FrequencyDomain" name="Cpu_Clock">
<defaultValue value="1" unit="kHz"/></domains></hwModel>)");
  for (const std::string name : {"aa", "zz"}) {
    const test::TemporaryFolder folder;
    test::write_text(folder.path() + "/model.amxmi", split);
    test::write_text(folder.path() + "/" + name + ".amxmi", slow);
    const auto run = test::amalthea({"analyze", folder.path()});
    INFO(name << run.err);
    CHECK(run.exit_code == 1);
    CHECK(run.out.empty());
    CHECK(run.err.find("[AM0207]") != std::string::npos);
  }
}

TEST_CASE("a reference to a missing file is an error as in one file, and --allow-unknown hides none") {
  const std::string one = replaced(sound(), "<constraintsModel>",
                                   R"(<constraintsModel><eventChains name="C" stimulus="Gone?type=ProcessEvent"/>)");
  const std::string split = replaced(
      sound(), "<constraintsModel>",
      R"(<constraintsModel><eventChains name="C"><stimulus xsi:type="am:ProcessEvent" href="amlt:/#Gone?type=ProcessEvent"/></eventChains>)");
  const test::TemporaryFolder folder;
  const std::string model = folder.path() + "/model.amxmi";
  for (const std::string& text : {one, split}) {
    test::write_text(model, text);
    CHECK(test::amalthea({"analyze", model}).exit_code == 1);
    CHECK(test::amalthea({"analyze", "--allow-unknown", model}).exit_code == 1);
    CHECK(test::amalthea({"analyze", "--lenient", model}).exit_code == 4);
    CHECK(test::amalthea({"analyze", "--lenient", "--allow-unknown", model}).exit_code == 4);
  }
}

TEST_CASE("the options --strict and --allow-unknown contradict each other") {
  const auto run = test::amalthea({"analyze", "--strict", "--allow-unknown", test::sample("offload-minimal.amxmi")});
  CHECK(run.exit_code == 2);
  CHECK(run.err.find("--allow-unknown") != std::string::npos);
  CHECK(run.err.find("--strict") != std::string::npos);
}

}  // namespace whole_model_test
