// SPDX-License-Identifier: Apache-2.0
// Small models with one mistake: exactly what EMF rejects is an error here.

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "importer/reading/conformance.hpp"
#include "importer/reading/detail/structure.hpp"
#include "tests/support/emf_batch.hpp"
#include "tests/support/test_models.hpp"

namespace reading_emf_agreement_test {

using namespace amalthea;

namespace {

struct Mutation {
  std::string name, from, to;
  bool stricter = false;  ///< refused here, and by EMF only when it validates what it has read
};

const std::string stimulus = "<stimuli xsi:type=\"am:PeriodicStimulus\"";

/// Of samples/offload-minimal.amxmi.
const std::vector<Mutation> mutations = {
    {"nothing", "<swModel>", "<swModel>"},
    {"misspelt class", "xsi:type=\"am:PeriodicStimulus\"", "xsi:type=\"am:PeriodicStimulos\""},
    {"class of the wrong kind", stimulus, "<stimuli xsi:type=\"am:Task\""},
    {"abstract class", stimulus, "<stimuli xsi:type=\"am:Stimulus\""},
    {"no class where it is needed", stimulus, "<stimuli"},
    {"class without a prefix", "xsi:type=\"am:PeriodicStimulus\"", "xsi:type=\"PeriodicStimulus\""},
    {"class with a foreign prefix", "xsi:type=\"am:PeriodicStimulus\"", "xsi:type=\"xx:PeriodicStimulus\""},
    {"unknown class with content", "<swModel>",
     "<swModel><runnables name=\"Q\"><activityGraph><items xsi:type=\"am:Tickz\"><default "
     "xsi:type=\"am:DiscreteValueConstant\"/></items></activityGraph></runnables>"},
    {"misspelt attribute", "name=\"Control\"", "nome=\"Control\""},
    {"unknown attribute", "<swModel>", "<swModel foo=\"1\">"},
    {"unknown attribute of the root", "<am:Amalthea ", "<am:Amalthea foo=\"1\" "},
    {"attribute of a foreign namespace", "<swModel>", "<swModel x:foo=\"1\" xmlns:x=\"http://x.y\">"},
    {"attribute with the metamodel's prefix", "name=\"Monitor\"", "am:name=\"Monitor\""},
    {"unknown element", "<swModel>", "<swModel><foo/>"},
    {"unknown element with content", "<swModel>", "<swModel><foo><bar/></foo>"},
    {"element of a foreign namespace", "<swModel>", "<swModel><x:foo xmlns:x=\"http://x.y\"/>"},
    {"element with the metamodel's prefix", "<labels ", "<am:labels name=\"X\"/><labels "},
    {"extension of XMI", "<swModel>", "<xmi:Extension><foo/></xmi:Extension><swModel>"},
    {"text", "<swModel>", "<swModel>text"},
    {"character data", "<swModel>", "<swModel><![CDATA[x]]>"},
    {"element of another version", "<swModel>",
     "<swModel><runnables name=\"Q\"><runnableItems xsi:type=\"am:Ticks\"/></runnables>"},
    {"attribute of another version", "name=\"Monitor\"", "priority=\"3\" name=\"Monitor\""},
    {"another version's namespace", "amalthea/3.3.0", "amalthea/1.2.0"},
    {"the version before", "amalthea/3.3.0", "amalthea/3.2.0"},
    {"unknown literal", "unit=\"ms\"", "unit=\"msec\""},
    {"literal in other letters", "unit=\"ms\"", "unit=\"MS\""},
    {"empty literal", "unit=\"ms\"", "unit=\"\""},
    {"undefined literal", "unit=\"ms\"", "unit=\"_undefined_\""},
    {"no number", "average=\"500000.0\"", "average=\"5e\""},
    {"empty number", "multipleTaskActivationLimit=\"0\"", "multipleTaskActivationLimit=\"\""},
    {"number that is too large", "lowerBound=\"400000\"", "lowerBound=\"99999999999999999999\""},
    {"value below the least", "<constraintsModel>",
     "<constraintsModel><eventChains name=\"C\" minItemsCompleted=\"0\"/>", true},
    {"contents twice", "<swModel>", "<swModel/><swModel>", true},
    {"contents as an attribute", "<swModel>", "<swModel><tasks name=\"X\" activityGraph=\"G\"/>"},
    {"attribute as an element", "<swModel>", "<swModel><labels><name>X</name></labels>"},
    {"wrong attribute as an element", "<swModel>", "<swModel><labels name=\"X\"><constant>maybe</constant></labels>"},
    {"computed reference that leads nowhere", "<swModel>", "<swModel><labels name=\"X\" labelAccesses=\"a\"/>"},
    {"computed attribute", "<swModel>", "<swModel><tasks name=\"X\" namePrefix=\"a\"/>"},
    {"empty reference", "<swModel>", "<swModel><tasks name=\"X\" stimuli=\"\"/>"},
    {"reference that leads nowhere", "<mappingModel>", "<mappingModel><taskAllocation task=\"Contrl?type=Task\"/>"},
    {"tag that leads nowhere", "name=\"Monitor\"", "tags=\"t?type=Tag\" name=\"Monitor\""},
    {"reference to something else", "<mappingModel>",
     "<mappingModel><taskAllocation task=\"Core?type=ProcessingUnit\"/>"},
    {"two references where one may be", "<mappingModel>",
     "<mappingModel><taskAllocation task=\"Control?type=Task Monitor?type=Task\"/>", true},
    {"reference into another file", "<mappingModel>",
     "<mappingModel><taskAllocation><task href=\"amlt:/#Contrl?type=Task\"/></taskAllocation>"},
    {"reference by an element", "<mappingModel>",
     "<mappingModel><taskAllocation><task href=\"#Control?type=Task\"/></taskAllocation>"},
    {"reference by an element without its class", "<swModel>",
     "<swModel><tasks name=\"X\"><stimuli href=\"#every_2ms?type=PeriodicStimulus\"/></tasks>"},
    {"two of one name", "<swModel>", "<swModel><labels name=\"D\"/><labels name=\"D\"/>"},
    {"two of one id", "<swModel>", "<swModel><labels xmi:id=\"q\" name=\"D\"/><labels xmi:id=\"q\" name=\"E\"/>"},
};

/// The first error that refuses the model, "" for none.
std::string refusal(const std::string& path) {
  Diagnostics diagnostics;
  const Model model = test::model_from_file(path, diagnostics);
  importer::check_conformance(model, diagnostics);
  for (const Diagnostic& finding : diagnostics.all())
    if (finding.severity == Severity::error && !importer::is_about_missing_file(finding)) return format(finding);
  return "";
}

}  // namespace

TEST_CASE("small models with one mistake are rejected exactly if EMF rejects them", "[emf]") {
  test::EmfBatch emf;
  std::vector<std::string> paths;
  for (const Mutation& mutation : mutations) {
    paths.push_back(fmt::format("{}/{}.amxmi", emf.folder(), paths.size()));
    const std::string text =
        test::replaced(test::read_text(test::sample("offload-minimal.amxmi")), mutation.from, mutation.to);
    test::write_text(paths.back(), text);
    Diagnostics diagnostics;
    const Version version = test::model_from_text(text, diagnostics).version();
    emf.ask({test::EmfBatch::ecore(version), paths.back(), "--errors"});
  }
  emf.run();
  std::size_t refused = 0;
  for (std::size_t i = 0; i < mutations.size(); ++i) {
    const auto answer = nlohmann::json::parse(emf.answer(i));
    const bool theirs = !answer["errors"].empty();
    const std::string ours = refusal(paths[i]);
    INFO(mutations[i].name << ": EMF " << answer["errors"] << ", ours " << ours);
    refused += theirs ? 1U : 0U;
    if (mutations[i].stricter) {
      CHECK_FALSE(theirs);
      CHECK_FALSE(ours.empty());
    } else {
      CHECK(theirs == !ours.empty());
    }
  }
  CHECK(refused > 25);
}

TEST_CASE("files of a development cycle are checked against their actual release") {
  // 0.9.4 has calls, 0.9.5 items of a call graph.
  const auto text = [](const char* version, const char* more) {
    return fmt::format(
        "<am:Amalthea xmlns:am=\"http://app4mc.eclipse.org/amalthea/{}\" "
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><swModel>{}<runnables name=\"R\"><runnableItems "
        "xsi:type=\"am:Group\"/></runnables></swModel></am:Amalthea>",
        version, more);
  };
  const auto errors = [](const std::string& model_text) {
    Diagnostics diagnostics;
    const Model model = test::model_from_text(model_text, diagnostics);
    importer::check_conformance(model, diagnostics);
    for (const Diagnostic& finding : diagnostics.all()) UNSCOPED_INFO(format(finding));
    return std::pair(diagnostics.errors(), test::with_id(diagnostics, "AM0208").size());
  };
  using Found = std::pair<std::size_t, std::size_t>;
  CHECK(errors(text("0.9.4", "")) == Found{0, 0});
  CHECK(errors(text("0.9.5", "")) == Found{0, 1});
  // Of the release that it names and of the one before in one file, or of one further away.
  CHECK(errors(text("0.9.5", "<runnables name=\"Q\"><callGraph/></runnables>")) == Found{1, 1});
  CHECK(errors(text("0.9.8", "")).first == 1);
}

}  // namespace reading_emf_agreement_test
