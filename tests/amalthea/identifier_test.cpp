// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/identifier.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/test_models.hpp"

namespace identifier_test {

using namespace amalthea;

namespace {

/// Ids of all elements that have one, in document order.
std::vector<std::string> ids(std::string_view version, std::string_view content) {
  const Model model = test::model_of(version, content);
  std::vector<std::string> found;
  const Document& document = *model.documents().front();
  for (std::uint32_t i = 0; i < document.size(); ++i)
    if (auto id = computed_id(document.element(i))) found.push_back(std::move(*id));
  return found;
}

using Ids = std::vector<std::string>;

constexpr std::string_view features =
    "<hwModel><featureCategories name=\"Cuda Cores\"><features name=\"SM_2\"/></featureCategories>"
    "<structures name=\"Board\"><structures name=\"Island\"><ports name=\"p\"/>"
    "<modules xsi:type=\"am:ProcessingUnit\" name=\"GPU\"><ports name=\"q\"/></modules></structures>"
    "<connections name=\"c\"/></structures></hwModel>";

}  // namespace

TEST_CASE("a name is form-url-encoded") {
  CHECK(encode_name("DASM") == "DASM");
  CHECK(encode_name("aZ09.-*_") == "aZ09.-*_");
  CHECK(encode_name("GPU island") == "GPU+island");
  CHECK(encode_name("f(x)") == "f%28x%29");
  CHECK(encode_name("a+b") == "a%2Bb");
  CHECK(encode_name("a/b:c#d") == "a%2Fb%3Ac%23d");
  CHECK(encode_name("100%") == "100%25");
  CHECK(encode_name("~home") == "%7Ehome");
  CHECK(encode_name("K\xC3\xA4se") == "K%C3%A4se");
  CHECK(encode_name("\xC2\xB5s") == "%C2%B5s");
  CHECK(encode_name("a\nb") == "a%0Ab");
  CHECK(encode_name("").empty());
}

TEST_CASE("decoding reverses encoding for every byte") {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  CHECK(decode_name(encode_name(all)) == all);
  CHECK(decode_name("").empty());
  CHECK(decode_name("a%c3%a4b") ==
        "a\xC3\xA4"
        "b");
}

TEST_CASE("a malformed escape is kept unchanged") {
  CHECK(decode_name("100%") == "100%");
  CHECK(decode_name("a%2") == "a%2");
  CHECK(decode_name("a%zzb") == "a%zzb");
}

TEST_CASE("the id in an href is found in every form") {
  CHECK(id_of_href("amlt:/#DASM?type=Task") == "DASM?type=Task");
  CHECK(id_of_href("democar-os.amxmi#DASM?type=Task") == "DASM?type=Task");
  CHECK(id_of_href("#DASM?type=Task") == "DASM?type=Task");
  CHECK(id_of_href("DASM?type=Task") == "DASM?type=Task");
  CHECK(id_of_href("amlt:/#_abcdefghijklmnopqrstuv") == "_abcdefghijklmnopqrstuv");
}

TEST_CASE("a doubly encoded href yields the same id") {
  CHECK(id_of_href("amlt:/#DASM%3Ftype%3DTask") == "DASM?type=Task");
  // "GPU island" is GPU+island, and "f(x)" is f%28x%29, which becomes f%2528x%2529.
  CHECK(id_of_href("amlt:/#GPU+island%3Ftype%3DHwStructure") == "GPU+island?type=HwStructure");
  CHECK(id_of_href("amlt:/#f%2528x%2529%3Ftype%3DRunnable") == "f%28x%29?type=Runnable");
  CHECK(id_of_href("amlt:/#f%28x%29?type=Runnable") == "f%28x%29?type=Runnable");
}

TEST_CASE("the tokens of a reference list are returned with their offsets") {
  std::vector<std::pair<std::string, std::size_t>> found;
  for_each_token(" a  bc d", [&](std::string_view token, std::size_t offset) { found.emplace_back(token, offset); });
  CHECK(found == std::vector<std::pair<std::string, std::size_t>>{{"a", 1}, {"bc", 4}, {"d", 7}});
  for_each_token("", [](std::string_view, std::size_t) { FAIL("no token is there"); });
}

TEST_CASE("an element is named after itself and its class in every version") {
  for (const Version version : all_versions()) {
    INFO(to_string(version));
    CHECK(ids(to_string(version), "<swModel><tasks name=\"My Task\"/><runnables name=\"f(x)\"/></swModel>") ==
          Ids{"My+Task?type=Task", "f%28x%29?type=Runnable"});
  }
}

TEST_CASE("an element without a name is named no-name") {
  CHECK(ids("3.3.0", "<swModel><tasks/><tasks name=\"\"/></swModel>") == Ids{"no-name?type=Task", "no-name?type=Task"});
}

TEST_CASE("an element of a class without references to it has no id") {
  CHECK(ids("3.3.0", "<mappingModel><taskAllocation/></mappingModel><osModel><operatingSystems name=\"os\"/></osModel>")
            .empty());
}

TEST_CASE("ids of mode literals contain the name of their mode and those of hardware features do since 0.9.0") {
  CHECK(ids("0.8.2", "<swModel><modes name=\"Gear\"><literals name=\"up\"/></modes></swModel>") ==
        Ids{"Gear?type=Mode", "Gear/up?type=ModeLiteral"});
  CHECK(ids("0.9.1", features) == Ids{"Cuda+Cores?type=HwFeatureCategory", "Cuda+Cores/SM_2?type=HwFeature",
                                      "Board?type=HwStructure", "Island?type=HwStructure", "Island/p?type=HwPort",
                                      "GPU?type=ProcessingUnit", "GPU/q?type=HwPort", "Board/c?type=HwConnection"});
}

TEST_CASE("ids of hardware structures and modules contain only the direct container even since 0.9.7") {
  CHECK(ids("3.3.0", features) == ids("0.9.1", features));
}

TEST_CASE("a container without a name yields a prefix up to 0.9.2 and none from 0.9.4 to 0.9.5") {
  constexpr std::string_view unnamed = "<swModel><modes><literals name=\"up\"/></modes></swModel>";
  CHECK(ids("0.8.3", unnamed).back() == "no-name/up?type=ModeLiteral");
  CHECK(ids("0.9.3", unnamed).back() == "no-name/up?type=ModeLiteral");
  constexpr std::string_view unnamed_port = "<hwModel><structures><ports name=\"p\"/></structures></hwModel>";
  CHECK(ids("0.9.2", unnamed_port).back() == "no-name/p?type=HwPort");
  CHECK(ids("0.9.4", unnamed_port).back() == "p?type=HwPort");
  CHECK(ids("0.9.5", unnamed_port).back() == "p?type=HwPort");
  CHECK(ids("0.9.7", unnamed_port).back() == "no-name/p?type=HwPort");
}

TEST_CASE("runnable parameters are qualified since 0.9.1") {
  constexpr std::string_view parameter =
      "<swModel><runnables name=\"f\"><parameters name=\"x y\"/></runnables></swModel>";
  CHECK(ids("0.9.1", parameter).back() == "f/x+y?type=RunnableParameter");
  CHECK(ids("0.9.5", parameter).back() == "f/x+y?type=RunnableParameter");
  CHECK(ids("3.3.0", parameter).back() == "f/x+y?type=RunnableParameter");
}

TEST_CASE("ids of namespaces are paths and their members begin with them") {
  constexpr std::string_view content =
      "<commonElements><namespaces name=\"a\"><nextSegments name=\"b c\"/></namespaces></commonElements>"
      "<swModel><runnables name=\"f\" namespace=\"a/b+c?type=Namespace\"><parameters name=\"x\"/></runnables>"
      "<labels name=\"l\" namespace=\"a?type=Namespace\"/></swModel>";
  const Model model = test::model_of("2.1.0", content);
  for (const char* id : {"a?type=Namespace", "a/b+c?type=Namespace", "a/b+c/f?type=Runnable",
                         "a/b+c/f/x?type=RunnableParameter", "a/l?type=Label"}) {
    INFO(id);
    CHECK(model.find(id));
  }
}

TEST_CASE("ids of local mode labels contain the enclosing task or runnable") {
  CHECK(ids("2.1.0", "<swModel><tasks name=\"t\"><localLabels name=\"m\"/></tasks></swModel>").back() ==
        "t/m?type=LocalModeLabel");
}

TEST_CASE("a call argument is named after caller and callee and parameter") {
  const auto content = [](std::string_view graph) {
    return fmt::format(
        "<swModel><runnables name=\"f\"><{0}xsi:type=\"am:RunnableCall\" runnable=\"g?type=Runnable\">"
        "<arguments name=\"arg 1\" parameter=\"g/x?type=RunnableParameter\"/></{1}</runnables>"
        "<runnables name=\"g\"><parameters name=\"x\"/></runnables></swModel>",
        graph == "runnableItems" ? "runnableItems " : fmt::format("{}><items ", graph),
        graph == "runnableItems" ? "runnableItems>" : fmt::format("items></{}>", graph));
  };
  const std::string id = "f/calls/g/param/x/arg+1?type=CallArgument";
  const auto has = [&](std::string_view version, std::string_view graph) {
    const Ids all = ids(version, content(graph));
    INFO(version);
    CHECK(std::find(all.begin(), all.end(), id) != all.end());
  };
  has("0.9.1", "runnableItems");
  has("0.9.4", "runnableItems");
  has("0.9.5", "callGraph");
  has("0.9.7", "activityGraph");
  has("3.3.0", "activityGraph");
}

}  // namespace identifier_test
