// SPDX-License-Identifier: Apache-2.0
#include "exporter/rewriting/annotation.hpp"

#include <algorithm>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/analysis.hpp"
#include "exporter/primitives/splice.hpp"
#include "exporter/rewriting/annotation_content.hpp"
#include "importer/building/system_builder.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/support/test_models.hpp"

namespace rewriting_annotation_test {

using namespace amalthea;
using exporter::Property;

namespace {

/// A model whose elements cover the layouts annotation has to keep: self-closing, with children, on one line, empty.
std::string small_model(std::string_view tasks, std::string_view version = "3.3.0") {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<am:Amalthea xmi:version=\"2.0\" xmlns:xmi=\"http://www.omg.org/XMI\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
      "xmlns:am=\"http://app4mc.eclipse.org/amalthea/{}\">\n"
      "  <swModel>\n{}  </swModel>\n</am:Amalthea>\n",
      version, tasks);
}

/// Annotates every task with these properties.
std::string annotated(const std::string& text, const std::vector<Property>& properties) {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(text, diagnostics);
  std::vector<exporter::Annotation> annotations;
  for (const Element task : model.all("swModel", "tasks")) annotations.push_back({task, properties});
  return exporter::annotate(*model.documents().front(), annotations);
}

std::string stripped(const std::string& text) {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(text, diagnostics);
  return exporter::strip(*model.documents().front());
}

const std::vector<Property> one_time = {{"responseTime.max", Duration::picoseconds(1874075000)}};

}  // namespace

TEST_CASE("a property is inserted before the other children with the file's own indentation") {
  const std::string text = small_model("    <tasks name=\"A\">\n      <activityGraph/>\n    </tasks>\n");
  CHECK(annotated(text, one_time) ==
        small_model("    <tasks name=\"A\">\n"
                    "      <customProperties key=\"amalthea-timing.responseTime.max\">\n"
                    "        <value xsi:type=\"am:Time\" value=\"1874075000\" unit=\"ps\"/>\n"
                    "      </customProperties>\n"
                    "      <activityGraph/>\n    </tasks>\n"));
}

TEST_CASE("an element without content is opened and closed again by strip") {
  const std::string text = small_model("    <tasks name=\"A\"/>\n");
  const std::string with = annotated(text, one_time);
  CHECK(with == small_model("    <tasks name=\"A\">\n"
                            "      <customProperties key=\"amalthea-timing.responseTime.max\">\n"
                            "        <value xsi:type=\"am:Time\" value=\"1874075000\" unit=\"ps\"/>\n"
                            "      </customProperties>\n"
                            "    </tasks >\n"));
  CHECK(stripped(with) == text);
}

TEST_CASE("strip restores the original byte for byte for any layout") {
  const std::vector<Property> properties = {{"jobs", std::int64_t{12}},
                                            {"responseTime.max", Duration::picoseconds(7)},
                                            {"verdict", std::string("met")},
                                            {"core.demand", 0.25}};
  const std::vector<std::string> layouts = {
      "    <tasks name=\"A\"/>\n",
      "    <tasks name=\"A\" />\n",
      "    <tasks\n      name=\"A\"\n    />\n",
      "    <tasks name=\"A\"></tasks>\n",
      "    <tasks name=\"A\">\n    </tasks>\n",
      "    <tasks name=\"A\">   </tasks   >\n",
      "    <tasks name=\"A\">\n    </tasks >\n",
      "    <tasks name=\"A\">\n    </tasks\t>\n",
      "\t<tasks name=\"A\">\n\t\t<activityGraph/>\n\t</tasks>\n",
      "    <tasks name=\"A\"><activityGraph/></tasks>\n",
      "<tasks name=\"A\"/><tasks name=\"B\"><activityGraph/></tasks><tasks name=\"C\"></tasks>",
      "    <!-- a > b <tasks> --><tasks name=\"A\"><!-- empty --></tasks>\n",
      "    <tasks name=\"a &gt; b\">\n      <customProperties key=\"theirs\">\n        <value "
      "xsi:type=\"am:StringObject\" value=\"x\"/>\n      </customProperties>\n    </tasks>\n",
      "    <tasks name=\"A\">\n      <customProperties key=\"theirs\"/>\n    </tasks>\n    <tasks name=\"B\"/>\n",
  };
  for (const std::string& layout : layouts) {
    const std::string lf = small_model(layout);
    std::string crlf;
    for (const char c : lf) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
    std::string one_line;
    for (const char c : lf)
      if (c != '\n') one_line += c;
    for (const std::string& text : {lf, crlf, one_line, "\xEF\xBB\xBF" + lf}) {
      INFO(text);
      const std::string with = annotated(text, properties);
      CHECK(with != text);
      CHECK(stripped(with) == text);
      CHECK(stripped(text) == text);
      // Line ends are the file's own.
      if (text == crlf) CHECK(std::count(with.begin(), with.end(), '\n') == std::count(with.begin(), with.end(), '\r'));
      if (text == one_line) CHECK(with.find('\n') == std::string::npos);
    }
  }
}

TEST_CASE("strip keeps later additions to an annotated element") {
  const std::string with = annotated(small_model("    <tasks name=\"A\"/>\n"), one_time);
  const std::string more = test::replaced(with, "    </tasks >", "      <!-- reviewed -->\n    </tasks >");
  CHECK(stripped(more) == small_model("    <tasks name=\"A\">\n      <!-- reviewed -->\n    </tasks>\n"));
}

TEST_CASE("a UTF-16 file is annotated and stripped in UTF-16") {
  const std::string ascii = test::replaced(
      small_model("    <tasks name=\"A\"/>\n    <tasks name=\"B\">\n      <activityGraph/>\n    </tasks>\n"), "UTF-8",
      "UTF-16");
  for (const Encoding encoding : {Encoding::utf16_le, Encoding::utf16_be}) {
    const std::string text = (encoding == Encoding::utf16_le ? "\xFF\xFE" : "\xFE\xFF") + encode_ascii(ascii, encoding);
    const std::string with = annotated(text, one_time);
    CHECK(with.find(encode_ascii("amalthea-timing.responseTime.max", encoding)) != std::string::npos);
    CHECK(stripped(with) == text);
  }
}

TEST_CASE("times are TimeObjects up to 0.9.0 and Times since 0.9.1") {
  CHECK(annotated(small_model("    <tasks name=\"A\"/>\n", "0.9.0"), one_time)
            .find("am:TimeObject\" value=\"1874075000\" unit=\"ps\"") != std::string::npos);
  CHECK(annotated(small_model("    <tasks name=\"A\"/>\n", "0.9.1"), one_time)
            .find("am:Time\" value=\"1874075000\" unit=\"ps\"") != std::string::npos);
}

TEST_CASE("the file's own prefixes are used and xsi is declared if missing") {
  const std::string text =
      "<m:Amalthea xmlns:m=\"http://app4mc.eclipse.org/amalthea/2.0.0\"><swModel><tasks "
      "name=\"A\"/></swModel></m:Amalthea>";
  const std::string with = annotated(text, one_time);
  CHECK(with.find("<value xsi:type=\"m:Time\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
                  "value=\"1874075000\" unit=\"ps\"/>") != std::string::npos);
  CHECK(stripped(with) == text);
}

TEST_CASE("text is escaped so that it is valid in any encoding") {
  CHECK(exporter::escape_attribute("a<b & \"c\" > d\n\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x9A\x97 \x01") ==
        "a&lt;b &amp; &quot;c&quot; > d&#xA;&#xE4; &#x20AC; &#x1F697; ");
  CHECK(exporter::escape_attribute("\xFF\xC3") == "&#xFFFD;&#xFFFD;");
}

TEST_CASE("annotations of the WATERS sample match the analysis and change no other byte") {
  const std::string path = test::sample("waters2019-tx2.amxmi");
  Diagnostics diagnostics;
  const Model model = test::model_from_file(path, diagnostics);
  const System system = *importer::build_system(model, {}, diagnostics);
  const engine::Results results = *engine::analyze(system, {}, diagnostics);
  const exporter::ModelInfo info{{path}, "3.3.0", exporter::hash_of_model(model)};
  const std::string with =
      exporter::annotate(*model.documents().front(),
                         exporter::annotations_of(model, {info, system, results, diagnostics}, {}, diagnostics));
  CHECK(stripped(with) == test::read_text(path));

  Diagnostics again;
  const Model read_back = test::model_from_text(with, again);
  CHECK_FALSE(again.has_errors());
  std::size_t compared = 0;
  for (const Element task : read_back.all("swModel", "tasks"))
    for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
      if (system.tasks[index].name != task.name()) continue;
      for (const Element property : task.children("customProperties")) {
        if (property.attribute_or("key", "") != "amalthea-timing.responseTime.max") continue;
        CHECK(property.child("value").attribute_or("value", "") ==
              std::to_string(results.tasks[index].response.max.picoseconds()));
        CHECK(property.child("value").attribute_or("unit", "") == "ps");
        ++compared;
      }
    }
  const auto ended = std::count_if(results.tasks.begin(), results.tasks.end(),
                                   [](const engine::TaskResult& task) { return task.response.jobs > 0; });
  CHECK(compared == static_cast<std::size_t>(ended));
  CHECK(compared >= 12);
}

}  // namespace rewriting_annotation_test
