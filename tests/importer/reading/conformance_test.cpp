// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "importer/reading/conformance.hpp"
#include "importer/reading/detail/structure.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/support/emf_batch.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/test_models.hpp"

namespace reading_conformance_test {

using namespace amalthea;

namespace {

namespace fs = std::filesystem;

/// Ids of the findings about the content, in order; what reading finds is left out.
std::vector<std::string> ids(std::string_view version, std::string_view content) {
  Diagnostics reading, conformance;
  const Model model = test::model_from_text(test::model_text(content, version), reading);
  importer::check_conformance(model, conformance);
  std::vector<std::string> found;
  for (const Diagnostic& finding : conformance.all()) {
    UNSCOPED_INFO(format(finding));
    found.push_back(finding.id);
  }
  return found;
}

std::string message(std::string_view version, std::string_view content) {
  Diagnostics reading, conformance;
  const Model model = test::model_from_text(test::model_text(content, version), reading);
  importer::check_conformance(model, conformance);
  return conformance.all().empty() ? "" : format(conformance.all().front());
}

using Ids = std::vector<std::string>;

const std::map<std::string, std::vector<std::string>> values_by_class = {
    {"IntegerObject",
     {"5", "+5", "-5", " 5", "5 ", "", "0x10", "2147483647", "2147483648", "-2147483648", "-2147483649", "1e3", "5.0",
      "007", "- 5", "+", "000000000000000000000000001"}},
    {"LongObject",
     {"5", "", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
      "99999999999999999999999", "1_000", "5L"}},
    {"BigIntegerObject", {"5", "99999999999999999999999", "+7", "", "1e3", "-", "0x1"}},
    {"DoubleObject", {"1",  "1.0", " 1.5 ", "1e3",    "1E+3",    "NaN",    "Infinity", "-Infinity", "INF", "inf",
                      "1d", "1f",  "1.5D",  "0x1p3",  "0x1.8p1", "0x.8p1", "0x10",     "1,5",       "",    ".5",
                      "5.", ".",   "1e",    "+.5e-3", "1e400",   "--1",    "nan",      "1dd",       "e3"}},
    {"FloatObject", {"1", "1.0", "x", "1e50", "1f", ""}},
    {"BooleanObject", {"true", "TRUE", "True", "false", "1", "0", "yes", "", " true"}},
};

std::string model_of_values(const std::string& cls, const std::vector<std::string>& values) {
  std::string content;
  for (std::size_t i = 0; i < values.size(); ++i)
    content +=
        fmt::format("<customProperties key=\"k{}\"><value xsi:type=\"am:{}\" value=\"{}\"/></customProperties>\n", i,
                    cls, values[i]);
  return test::model_text(content);
}

}  // namespace

TEST_CASE("values are valid if EMF reads them", "[emf]") {
  test::EmfBatch emf;
  const auto path_of = [&](const std::string& cls) { return emf.folder() + "/" + cls + ".amxmi"; };
  for (const auto& [cls, values] : values_by_class) {
    test::write_text(path_of(cls), model_of_values(cls, values));
    emf.ask({test::EmfBatch::ecore(Version::v3_3_0), path_of(cls), "--errors"});
  }
  emf.run();
  std::size_t question = 0;
  for (const auto& [cls, values] : values_by_class) {
    INFO(cls);
    const std::string path = path_of(cls), answer = emf.answer(question++);
    std::set<std::uint32_t> refused;  // lines
    const std::regex line("is not legal\\.\\s+(\\d+), \\d+\\)");
    for (auto at = std::sregex_iterator(answer.begin(), answer.end(), line); at != std::sregex_iterator(); ++at)
      refused.insert(static_cast<std::uint32_t>(std::stoul((*at)[1])));
    CHECK_FALSE(refused.empty());
    Diagnostics diagnostics;
    const Model model = test::model_from_file(path, diagnostics);
    importer::check_conformance(model, diagnostics);
    std::set<std::uint32_t> ours;
    for (const Diagnostic& finding : test::with_id(diagnostics, "AM0220")) ours.insert(finding.location.line);
    CHECK(ours == refused);
  }
}

TEST_CASE("integers and numbers and booleans are parsed like in Java") {
  CHECK(importer::is_value_of("EInt", "-2147483648"));
  CHECK_FALSE(importer::is_value_of("EInt", "2147483648"));
  CHECK(importer::is_value_of("EIntegerObject", "+7"));
  CHECK_FALSE(importer::is_value_of("EInt", " 7"));
  CHECK(importer::is_value_of("ELongObject", "-9223372036854775808"));
  CHECK_FALSE(importer::is_value_of("ELong", "9223372036854775808"));
  CHECK(importer::is_value_of("EBigInteger", "123456789012345678901234567890"));
  CHECK_FALSE(importer::is_value_of("EBigInteger", "1e9"));
  CHECK(importer::is_value_of("EDouble", " 1.5E3 "));
  CHECK(importer::is_value_of("EFloat", "0x1p3"));
  CHECK_FALSE(importer::is_value_of("EDouble", "1,5"));
  CHECK(importer::is_value_of("EBoolean", "TRUE"));
  CHECK_FALSE(importer::is_value_of("EBoolean", "1"));
  CHECK(importer::is_value_of("EString", "whatever"));
}

TEST_CASE("addresses are decimal or hexadecimal or octal without a sign below 2^63") {
  for (const char* good : {"0", "0x0", "0X1F", "31", "017", "#ff", "0x7fffffffffffffff"}) {
    INFO(good);
    CHECK(importer::is_address(good));
  }
  for (const char* bad : {"", "-5", "+5", " 7", "0x", "08", "0x8000000000000000", "ff", "0xg"}) {
    INFO(bad);
    CHECK_FALSE(importer::is_address(bad));
  }
}

TEST_CASE("a value of the wrong type is reported at its location with the expected form") {
  CHECK(message("3.3.0", "<swModel><tasks name=\"T\" multipleTaskActivationLimit=\"x\"/></swModel>") ==
        "model.amxmi:3:55: error: multipleTaskActivationLimit of Task \"T\" is \"x\"; expected an integer from "
        "-2147483648 to 2147483647 [AM0220]");
  CHECK(message("3.3.0", "<swModel><tasks name=\"T\" preemption=\"Preemptive\"/></swModel>") ==
        "model.amxmi:3:38: error: preemption of Task \"T\" is \"Preemptive\"; expected one of preemptive, "
        "cooperative, non_preemptive; did you mean \"preemptive\"? [AM0220]");
  CHECK(ids("3.3.0",
            "<swModel><tasks name=\"T\" preemption=\"preemptive\" multipleTaskActivationLimit=\"-1\"/></swModel>")
            .empty());
  CHECK(ids("3.3.0",
            "<mappingModel><memoryMapping abstractElement=\"L?type=Label\" memory=\"M?type=Memory\" "
            "memoryPositionAddress=\"-5\"/></mappingModel>") == Ids{"AM0220"});
}

TEST_CASE("a value below the minimum of its data type is reported") {
  const std::string chain =
      "<constraintsModel><eventChains name=\"C\" stimulus=\"a?type=LabelEvent\" response=\"b?type=LabelEvent\" "
      "minItemsCompleted=\"1\"/></constraintsModel>";
  CHECK(ids("3.3.0", chain).empty());
  CHECK(ids("3.3.0", test::replaced(chain, "=\"1\"", "=\"0\"")) == Ids{"AM0221"});
}

TEST_CASE("a missing required feature is reported unless it has a default") {
  CHECK(ids("3.3.0", "<mappingModel><schedulerAllocation/></mappingModel>") == Ids{"AM0473", "AM0473"});
  CHECK(message("3.3.0", "<mappingModel><taskAllocation task=\"T?type=Task\"/></mappingModel>") ==
        "model.amxmi:3:15: warning: a TaskAllocation has no scheduler, which is required; add it [AM0473]");
  CHECK(ids("3.3.0", "<swModel><tasks name=\"T\"><customProperties key=\" \"/></tasks></swModel>") == Ids{"AM0473"});
  CHECK(ids("3.3.0", "<constraintsModel><eventChains name=\"C\"/></constraintsModel>") == Ids{"AM0222", "AM0222"});
  // A constant value is required and 0 when it is not written.
  CHECK(ids("3.3.0",
            "<swModel><runnables name=\"R\"><activityGraph><items xsi:type=\"am:Ticks\"><default "
            "xsi:type=\"am:DiscreteValueConstant\"/></items></activityGraph></runnables></swModel>")
            .empty());
}

TEST_CASE("more values than the metamodel allows are reported in every form") {
  CHECK(ids("3.3.0", "<swModel/><swModel/>") == Ids{"AM0223"});
  CHECK(ids("3.3.0", "<swModel><runnables name=\"R\"/><runnables name=\"S\"/></swModel>").empty());
  CHECK(ids("3.3.0",
            "<mappingModel><taskAllocation task=\"A?type=Task B?type=Task\" scheduler=\"S?type=TaskScheduler\"/>"
            "</mappingModel>") == Ids{"AM0223"});
  CHECK(ids("3.3.0",
            "<mappingModel><taskAllocation task=\"A?type=Task\" scheduler=\"S?type=TaskScheduler\"><task "
            "href=\"amlt:/#B?type=Task\"/></taskAllocation></mappingModel>") == Ids{"AM0223"});
}

TEST_CASE("elements of a class that is not allowed are reported") {
  CHECK(ids("3.3.0", "<swModel><tasks xsi:type=\"am:ISR\" name=\"T\"/></swModel>") == Ids{"AM0224"});
  CHECK(ids("3.3.0", "<swModel><tasks xsi:type=\"am:Process\" name=\"T\"/></swModel>") == Ids{"AM0224"});
  CHECK(ids("3.3.0", "<stimuliModel><stimuli name=\"S\"/></stimuliModel>") == Ids{"AM0224"});
  CHECK(ids("3.3.0", "<swModel><tasks xsi:type=\"Task\" name=\"T\"/></swModel>") == Ids{"AM0224"});
  CHECK(ids("3.3.0", "<swModel><tasks xsi:type=\"xx:Task\" name=\"T\"/></swModel>") == Ids{"AM0224"});
  CHECK(ids("3.3.0", "<swModel><tasks xsi:type=\"am:Task\" name=\"T\"/></swModel>").empty());
}

TEST_CASE("content of another version is reported with the versions that have it") {
  CHECK(message("3.3.0",
                "<swModel><runnables name=\"R\"><runnableItems xsi:type=\"am:LabelAccess\"/></runnables></swModel>")
            .find("<runnableItems> is an element of a Runnable of AMALTHEA 0.7.0 to 0.9.") != std::string::npos);
  CHECK(ids("0.9.3",
            "<swModel><runnables name=\"R\"><runnableItems xsi:type=\"am:LabelAccess\" "
            "data=\"L?type=Label\"/></runnables></swModel>")
            .empty());
  CHECK(ids("3.3.0", "<swModel><tasks name=\"T\"><callGraph/></tasks></swModel>").front() == "AM0225");
  const auto versions = [](std::initializer_list<Version> list) {
    std::uint32_t bits = 0;
    for (const Version version : list) bits |= 1U << static_cast<unsigned>(version);
    return importer::describe(VersionSet::from_bits(bits));
  };
  CHECK(versions({Version::v0_8_3}) == "0.8.3");
  CHECK(versions({Version::v0_8_0, Version::v0_8_1, Version::v1_0_0}) == "0.8.0 to 0.8.1 and 1.0.0");
  CHECK(versions({Version::v0_7_0, Version::v0_8_0, Version::v3_2_0, Version::v3_3_0}) ==
        "0.7.0, 0.8.0 and 3.2.0 to 3.3.0");
}

TEST_CASE("a duplicate reference is reported") {
  CHECK(ids("3.3.0",
            "<swModel><tasks name=\"T\" stimuli=\"S?type=PeriodicStimulus S?type=PeriodicStimulus\"/></swModel>") ==
        Ids{"AM0226"});
  CHECK(
      ids("3.3.0", "<swModel><tasks name=\"T\" stimuli=\"S?type=PeriodicStimulus U?type=PeriodicStimulus\"/></swModel>")
          .empty());
}

TEST_CASE("text between elements and content as attributes are reported but not comments") {
  CHECK(message("3.3.0", "<swModel><!-- yes --> no </swModel>") ==
        "model.amxmi:3:23: warning: text between the tags of a SWModel; expected elements only [AM0227]");
  CHECK(ids("3.3.0", "<swModel><!-- a > b --><?p q?>\n\t<labels name=\"L\"/>\r\n</swModel>").empty());
  CHECK(ids("3.3.0", "<swModel><tasks name=\"T\" activityGraph=\"G\"/></swModel>") == Ids{"AM0230"});
}

TEST_CASE("two unnamed elements with the same xmi:id are reported") {
  CHECK(ids("3.3.0", "<swModel xmi:id=\"a\"/><hwModel xmi:id=\"a\"/>") == Ids{"AM0228"});
  CHECK(ids("3.3.0", "<swModel xmi:id=\"a\"/><hwModel xmi:id=\"b\"/>").empty());
}

TEST_CASE("the first thousand findings of each kind are listed and the rest are counted") {
  std::string labels;
  for (int i = 0; i < 1500; ++i) labels += fmt::format("<labels name=\"L{}\" constant=\"maybe\"/>", i);
  const auto found = ids("3.3.0", "<swModel>" + labels + "</swModel>");
  CHECK(std::count(found.begin(), found.end(), "AM0220") == 1000);
  CHECK(found.back() == "AM0229");
}

TEST_CASE("rejected third-party models are those that EMF rejects except files of a development cycle", "[emf]") {
  const std::string folder = test::corpus_folder();
  test::EmfBatch emf;
  std::string list;
  std::set<std::string> ours, of_a_cycle;
  std::size_t read = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (entry.path().filename().string().find(".amxmi") == std::string::npos) continue;
    Diagnostics diagnostics;
    const auto model = importer::read_model({path}, {}, diagnostics);
    if (!model || model->documents().front()->itea() != IteaRelease::none) continue;
    const std::string ecore = test::EmfBatch::ecore(model->version());
    if (!fs::exists(ecore)) continue;
    ++read;
    list += fmt::format("{}\t{}\n", ecore, path);
    const bool other_structure = !test::with_id(diagnostics, "AM0208").empty();
    importer::check_conformance(*model, diagnostics);
    const auto& found = diagnostics.all();
    if (std::any_of(found.begin(), found.end(), [](const Diagnostic& finding) {
          return finding.severity == Severity::error && !importer::is_about_missing_file(finding);
        }))
      ours.insert(path);
    else if (other_structure)
      of_a_cycle.insert(path);
  }
  const std::string path = emf.folder() + "/list";
  test::write_text(path, list);
  const std::size_t question = emf.ask({"--batch", path});
  emf.run();
  std::set<std::string> theirs;
  std::istringstream lines(emf.answer(question));
  for (std::string line; std::getline(lines, line);) {
    // Columns: model, metamodel, objects, attributes, resolved, references that lead nowhere within the file, …, errors
    // (JSON, "{}" when there is none), time.
    std::vector<std::string> columns;
    std::istringstream row(line);
    for (std::string column; std::getline(row, column, '\t');) columns.push_back(column);
    if (columns.size() > 13 && columns[0] != "model" && (columns[5] != "0" || columns[13] != "{}"))
      theirs.insert(columns[0]);
  }
  WARN(fmt::format("{} models compared; EMF refuses {}, of which {} are of a development cycle", read, theirs.size(),
                   of_a_cycle.size()));
  CHECK(read > 200);
  CHECK_FALSE(theirs.empty());
  ours.insert(of_a_cycle.begin(), of_a_cycle.end());
  CHECK(ours == theirs);
}

}  // namespace reading_conformance_test
