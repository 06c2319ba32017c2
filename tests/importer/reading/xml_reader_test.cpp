// SPDX-License-Identifier: Apache-2.0
#include "importer/reading/detail/xml_reader.hpp"

#include <sys/stat.h>

#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "importer/reading/model_reader.hpp"
#include "tests/support/test_models.hpp"

namespace reading_xml_reader_test {

using namespace amalthea;
using amalthea::importer::Limits;

namespace {

constexpr std::string_view root_open =
    "<am:Amalthea xmlns:am=\"http://app4mc.eclipse.org/amalthea/3.3.0\" xmlns:xmi=\"http://www.omg.org/XMI\" "
    "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">";

std::string in_root(std::string_view content) { return fmt::format("{}{}</am:Amalthea>", root_open, content); }

std::unique_ptr<Document> read(std::string bytes) {
  Diagnostics diagnostics;
  auto document = importer::read_xml("m.amxmi", std::move(bytes), {}, diagnostics);
  for (const auto& diagnostic : diagnostics.all()) UNSCOPED_INFO(format(diagnostic));
  REQUIRE(document != nullptr);
  CHECK(diagnostics.all().empty());
  return document;
}

/// The one error of a text that cannot be read.
std::string error_of(std::string bytes, const Limits& limits = {}) {
  Diagnostics diagnostics;
  const auto document = importer::read_xml("m.amxmi", std::move(bytes), limits, diagnostics);
  CHECK(document == nullptr);
  for (const auto& diagnostic : diagnostics.all()) UNSCOPED_INFO(format(diagnostic));
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all().front().severity == Severity::error);
  return format(diagnostics.all().front());
}

std::string_view text_of(Element element) { return element.document().source().text(element.span()); }

/// Start tag and end tag as written; an element that closes itself has no end tag.
std::pair<std::string_view, std::string_view> tags_of(Element element) {
  const SourceText& source = element.document().source();
  return {source.text(element.start_tag()), source.text(element.end_tag())};
}

/// The element with this name attribute.
Element named(const Document& document, std::string_view name) {
  for (std::uint32_t i = 0; i < document.size(); ++i)
    if (document.element(i).name() == name) return document.element(i);
  FAIL("no element is called " << name);
  return {};
}

std::string_view written(Element element, std::string_view attribute) {
  const auto span = element.attribute_span(attribute);
  REQUIRE(span.has_value());
  return element.document().source().text(*span);
}

std::string utf16(std::string_view ascii, bool big_endian) {
  return (big_endian ? "\xFE\xFF" : "\xFF\xFE") +
         encode_ascii(ascii, big_endian ? Encoding::utf16_be : Encoding::utf16_le);
}

}  // namespace

// ---------------------------------------------------------------- where elements stand

TEST_CASE("a self-closing element spans its single tag") {
  const auto document = read(in_root("<swModel><tasks name=\"A\"/><tasks name=\"B\" /></swModel>"));
  const Element a = named(*document, "A"), b = named(*document, "B");
  CHECK(text_of(a) == "<tasks name=\"A\"/>");
  CHECK(text_of(b) == "<tasks name=\"B\" />");
  for (const Element element : {a, b}) {
    CHECK(element.record().self_closing());
    CHECK(element.start_tag() == element.span());
    CHECK(element.end_tag() == Span{element.span().end, element.span().end});
  }
}

TEST_CASE("an element with an end tag spans both even if it is empty") {
  const auto document = read(in_root("<swModel>\n  <tasks name=\"A\"></tasks\n></swModel>"));
  const Element a = named(*document, "A");
  CHECK(text_of(a) == "<tasks name=\"A\"></tasks\n>");
  CHECK(tags_of(a) == std::pair<std::string_view, std::string_view>{"<tasks name=\"A\">", "</tasks\n>"});
  CHECK_FALSE(a.record().self_closing());
  CHECK(tags_of(a.parent()) == std::pair<std::string_view, std::string_view>{"<swModel>", "</swModel>"});
}

TEST_CASE("nested elements of the same name keep their own tags") {
  const auto document =
      read(in_root("<hwModel><structures name=\"A\"><structures name=\"B\"><structures name=\"C\"/>"
                   "</structures></structures></hwModel>"));
  CHECK(text_of(named(*document, "C")) == "<structures name=\"C\"/>");
  CHECK(text_of(named(*document, "B")) == "<structures name=\"B\"><structures name=\"C\"/></structures>");
  CHECK(tags_of(named(*document, "A")).second == "</structures>");
  CHECK(named(*document, "C").parent() == named(*document, "B"));
  CHECK(named(*document, "B").parent() == named(*document, "A"));
}

TEST_CASE("comments and CDATA and processing instructions do not shift spans") {
  for (const char* noise : {"<!-- a < b > c <tasks name=\"X\"/> -->", "<![CDATA[ <tasks name=\"X\"> ]] > ]]>",
                            "<?app4mc <tasks name=\"X\"> ?>", " text > with brackets ", "&lt;tasks/&gt;"}) {
    INFO(noise);
    const auto document =
        read(in_root(fmt::format("{0}<swModel>{0}<tasks name=\"A\">{0}</tasks>{0}</swModel>{0}", noise)));
    const Element a = named(*document, "A");
    CHECK(tags_of(a) == std::pair<std::string_view, std::string_view>{"<tasks name=\"A\">", "</tasks>"});
    CHECK(tags_of(a.parent()) == std::pair<std::string_view, std::string_view>{"<swModel>", "</swModel>"});
    CHECK(tags_of(document->root()) == std::pair<std::string_view, std::string_view>{root_open, "</am:Amalthea>"});
    CHECK(document->size() == 3);
  }
}

TEST_CASE("comments and processing instructions around the root belong to no element") {
  const std::string model = in_root("<swModel/>");
  const auto document = read(
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- <a> -->\n<?p <b> ?>\n{}\n<!-- </c> -->\n", model));
  CHECK(text_of(document->root()) == model);
}

TEST_CASE("a bracket or the other quote inside an attribute does not end it") {
  const auto document = read(in_root(
      "<swModel><tasks name='A' a=\"x > y\" b=\"/>\" c='say \"yes\"' d=\"it's\"/><tasks name=\"B\"/></swModel>"));
  const Element a = named(*document, "A");
  CHECK(text_of(a) == "<tasks name='A' a=\"x > y\" b=\"/>\" c='say \"yes\"' d=\"it's\"/>");
  CHECK(a.attribute("a") == "x > y");
  CHECK(a.attribute("b") == "/>");
  CHECK(a.attribute("c") == "say \"yes\"");
  CHECK(a.attribute("d") == "it's");
  CHECK(text_of(named(*document, "B")) == "<tasks name=\"B\"/>");
}

TEST_CASE("spans are correct with CR LF and with a byte order mark and with multibyte characters") {
  const std::string content =
      "<swModel>\r\n  <!-- \xC3\xA4 \xE2\x82\xAC \xF0\x9D\x84\x9E -->\r\n"
      "  <tasks name=\"A\"\r\n    stimuli=\"\">\r\n  </tasks>\r\n</swModel>\r\n";
  for (const std::string_view mark : {"", "\xEF\xBB\xBF"})
    for (const std::string_view head : {"", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n"}) {
      const auto document = read(fmt::format("{}{}{}\r\n", mark, head, in_root(content)));
      const Element a = named(*document, "A");
      CHECK(tags_of(a) ==
            std::pair<std::string_view, std::string_view>{"<tasks name=\"A\"\r\n    stimuli=\"\">", "</tasks>"});
      CHECK(tags_of(document->root()) == std::pair<std::string_view, std::string_view>{root_open, "</am:Amalthea>"});
      CHECK(a.location() == Location{"m.amxmi", head.empty() ? 3U : 4U, 3});
    }
}

TEST_CASE("spans are bytes in UTF-16 files") {
  for (const bool big_endian : {false, true}) {
    const std::string model = in_root("<swModel><!-- <x> --><tasks name=\"A\"></tasks><tasks name=\"B\"/></swModel>");
    const auto document = read(utf16(model, big_endian));
    const auto expected = [&](std::string_view text) { return utf16(text, big_endian).substr(2); };
    CHECK(tags_of(named(*document, "A")).first == expected("<tasks name=\"A\">"));
    CHECK(tags_of(named(*document, "A")).second == expected("</tasks>"));
    CHECK(text_of(named(*document, "B")) == expected("<tasks name=\"B\"/>"));
    CHECK(named(*document, "B").record().self_closing());
    CHECK(text_of(document->root()) == expected(model));
    CHECK(named(*document, "A").location().column == 1 + model.find("<tasks"));
  }
}

TEST_CASE("a large document has correct spans") {
  // More than the parser's buffers hold, with characters of one to four bytes.
  std::string content = "<swModel>";
  for (int i = 0; i < 20000; ++i)
    content += fmt::format("<labels name=\"L{}\" displayName=\"\xC3\xA4\xE2\x82\xAC\xF0\x9D\x84\x9E\">\n</labels>", i);
  content += "</swModel>";
  const auto document = read(in_root(content));
  REQUIRE(document->size() == 20002);
  for (std::uint32_t i = 2; i < document->size(); ++i) {
    const auto [open, close] = tags_of(document->element(i));
    if (open == fmt::format("<labels name=\"L{}\" displayName=\"\xC3\xA4\xE2\x82\xAC\xF0\x9D\x84\x9E\">", i - 2) &&
        close == "</labels>" && written(document->element(i), "name") == fmt::format("L{}", i - 2))
      continue;
    FAIL("wrong spans: " << open << " " << close);
  }
}

// ---------------------------------------------------------------- attributes

TEST_CASE("the span of an attribute is its value between the quotes") {
  const auto document = read(
      in_root("<swModel><tasks  name = \"A\"\n stimuli='s?type=X'\tempty=\"\" xmi:id=\"A?type=Task\"/></swModel>"));
  const Element a = named(*document, "A");
  CHECK(written(a, "name") == "A");
  CHECK(written(a, "stimuli") == "s?type=X");
  CHECK(written(a, "empty").empty());
  CHECK(written(a, "xmi:id") == "A?type=Task");
  const auto empty = a.attribute_span("empty");
  REQUIRE(empty.has_value());
  CHECK(document->source().text({empty->begin - 1, empty->end + 1}) == "\"\"");
  CHECK(a.attribute_location("stimuli") == Location{"m.amxmi", 2, 11});
  CHECK_FALSE(a.attribute_span("absent").has_value());
  CHECK(a.attribute_location("absent") == a.location());
}

TEST_CASE("entities and white space in values are decoded and the span shows the written form") {
  const auto document = read(in_root(
      "<swModel><tasks name=\"A\" a=\"x &amp; &lt;y&gt; &quot;z&quot; &apos;\" b=\"1&#xA;2&#9;3\" c=\"&#xE4;&#8364;"
      "&#x1D11E;\" d=\"l1\nl2\"/></swModel>"));
  const Element a = named(*document, "A");
  CHECK(a.attribute("a") == "x & <y> \"z\" '");
  CHECK(a.attribute("b") == "1\n2\t3");
  CHECK(a.attribute("c") == "\xC3\xA4\xE2\x82\xAC\xF0\x9D\x84\x9E");
  CHECK(a.attribute("d") == "l1 l2");  // XML turns a line break inside a value into a blank
  CHECK(written(a, "a") == "x &amp; &lt;y&gt; &quot;z&quot; &apos;");
  CHECK(written(a, "b") == "1&#xA;2&#9;3");
  CHECK(written(a, "d") == "l1\nl2");
}

TEST_CASE("values of UTF-8 and UTF-16 and ISO-8859-1 files are the same text") {
  const std::string utf8 = in_root("<swModel><tasks name=\"A\" note=\"K\xC3\xA4se\"/></swModel>");
  CHECK(named(*read(utf8), "A").attribute("note") == "K\xC3\xA4se");

  const auto latin = read("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n" +
                          in_root("<swModel><tasks name=\"A\" note=\"K\xE4se\"/></swModel>"));
  CHECK(named(*latin, "A").attribute("note") == "K\xC3\xA4se");
  CHECK(written(named(*latin, "A"), "note") == "K\xE4se");
  CHECK(text_of(named(*latin, "A")) == "<tasks name=\"A\" note=\"K\xE4se\"/>");

  std::string wide;
  for (const char c : utf16(in_root("<swModel><tasks name=\"A\" note=\"K@se\"/></swModel>"), false))
    wide += c == '@' ? '\xE4' : c;
  CHECK(named(*read(wide), "A").attribute("note") == "K\xC3\xA4se");
}

TEST_CASE("names of attributes in ISO-8859-1 files are UTF-8 text") {
  const auto document = read("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n" +
                             in_root("<swModel><tasks name=\"A\" K\xE4se=\"Gouda\"/></swModel>"));
  CHECK(named(*document, "A").attribute("K\xC3\xA4se") == "Gouda");
  CHECK(written(named(*document, "A"), "K\xC3\xA4se") == "Gouda");
}

TEST_CASE("a document type declaration that only the parser can decode is refused") {
  CHECK(error_of("<?xml version=\"1.0\" encoding=\"UTF-7\"?>\n+ADw-!DOCTYPE x [+ADw-!ENTITY a 'b'+AD4-]+AD4-\n" +
                 in_root(""))
            .find("AM0118") != std::string::npos);
}

TEST_CASE("names and values are those that the encoding decodes, also where their bytes are ASCII") {
  const auto document = read("<?xml version=\"1.0\" encoding=\"UTF-7\"?>\n" +
                             in_root("<swModel><tasks name=\"A\" K+AOQ-se=\"f+APw-r\"/></swModel>"));
  CHECK(named(*document, "A").attribute("K\xC3\xA4se") == "f\xC3\xBCr");
}

TEST_CASE("prefixes are normalized regardless of the file's own prefixes") {
  const auto document = read(
      "<m:Amalthea xmlns:m='http://app4mc.eclipse.org/amalthea/1.0.0' xmlns:x='http://www.omg.org/XMI' "
      "xmlns:i='http://www.w3.org/2001/XMLSchema-instance' x:version='2.0'><hwModel><definitions i:type='m:Cache' "
      "x:id='id' name='A'/></hwModel></m:Amalthea>");
  const Element a = named(*document, "A");
  CHECK(a.attribute("xsi:type") == "m:Cache");
  CHECK(a.attribute("xmi:id") == "id");
  CHECK(written(a, "xsi:type") == "m:Cache");
  CHECK(document->root().attribute("xmi:version") == "2.0");
  CHECK(document->metamodel_prefix() == "m");
  CHECK(document->xsi_prefix() == "i");
  CHECK(document->version() == Version::v1_0_0);
  CHECK(document->root().tag() == "Amalthea");
}

TEST_CASE("namespace declarations are not attributes") {
  const auto document = read(in_root(""));
  CHECK(document->root().record().attribute_count == 0);
}

// ---------------------------------------------------------------- what must not happen

TEST_CASE("a document type declaration is rejected wherever it points") {
  const test::TemporaryFolder folder;
  const std::string secret = folder.path() + "/secret.txt";
  test::write_text(secret, "top secret");
  const std::string model = in_root("<swModel><tasks name=\"&e;\"/></swModel>");
  const std::string refused =
      "m.amxmi:3:1: error: a document type declaration (<!DOCTYPE …>) is not allowed in a model file [AM0104]";
  const auto with = [&](std::string_view declaration) {
    return error_of(fmt::format("<?xml version=\"1.0\"?>\n<!-- <!DOCTYPE> -->\n{}\n{}", declaration, model));
  };
  CHECK(with("<!DOCTYPE Amalthea [<!ENTITY e \"x\">]>") == refused);
  CHECK(with(fmt::format("<!DOCTYPE Amalthea [<!ENTITY e SYSTEM \"file://{}\">]>", secret)) == refused);
  CHECK(with(fmt::format("<!DOCTYPE Amalthea SYSTEM \"file://{}\">", secret)) == refused);
  CHECK(with("<!DOCTYPE Amalthea SYSTEM \"http://127.0.0.1:1/x.dtd\">") == refused);
  CHECK(with("<!DOCTYPE Amalthea PUBLIC \"-//x//y\" \"http://127.0.0.1:1/x.dtd\">") == refused);
  CHECK(with("<!DOCTYPE Amalthea [<!ENTITY % p SYSTEM \"file:///dev/zero\"> %p;]>") == refused);
}

TEST_CASE("an empty document type declaration is rejected as well") {
  const std::string refused = "a document type declaration (<!DOCTYPE …>) is not allowed in a model file [AM0104]";
  const std::string plain = "<?p <x?>\n<!DOCTYPE Amalthea>\n" + in_root("");
  CHECK(error_of(plain) == "m.amxmi:2:1: error: " + refused);
  CHECK(error_of("\xEF\xBB\xBF" + plain) == "m.amxmi:2:1: error: " + refused);
  CHECK(error_of(utf16(plain, false)) == "m.amxmi:2:1: error: " + refused);
  CHECK(error_of(utf16(plain, true)) == "m.amxmi:2:1: error: " + refused);
  read("<!-- <!DOCTYPE a> --><?p <!DOCTYPE a> ?>" + in_root("<!-- <!DOCTYPE a> -->"));
}

TEST_CASE("a file named by an entity or an include is never opened") {
  // Opening a FIFO without a writer would block for ever, so to have come back is the proof.
  const test::TemporaryFolder folder;
  const std::string fifo = folder.path() + "/fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const std::string entity = fmt::format("<!DOCTYPE a [<!ENTITY e SYSTEM \"{}\">]>", fifo);
  CHECK(error_of(fmt::format("{}{}", entity, in_root("&e;"))).ends_with("[AM0104]"));
  CHECK(error_of(fmt::format("<!DOCTYPE a SYSTEM \"{}\">{}", fifo, in_root(""))).ends_with("[AM0104]"));
  const std::string schema = fmt::format("http://app4mc.eclipse.org/amalthea/3.3.0 {}", fifo);
  read(
      fmt::format("<am:Amalthea xmlns:am=\"http://app4mc.eclipse.org/amalthea/3.3.0\" "
                  "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"{}\"/>",
                  schema));
  read(in_root(fmt::format("<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" href=\"{}\"/>", fifo)));
}

TEST_CASE("multiplying entities are rejected at once") {
  std::string laughs = "<!DOCTYPE a [<!ENTITY e0 \"ha\">";
  for (int i = 1; i < 30; ++i)
    laughs += fmt::format("<!ENTITY e{0} \"&e{1};&e{1};&e{1};&e{1};&e{1};&e{1};&e{1};&e{1};&e{1};&e{1};\">", i, i - 1);
  laughs += "]>" + in_root("<swModel><tasks name=\"&e29;\"/></swModel>");
  const std::clock_t start = std::clock();  // processor time: other programs do not count
  CHECK(error_of(laughs).ends_with("[AM0104]"));
  CHECK(std::clock() - start < CLOCKS_PER_SEC);
}

TEST_CASE("an undeclared entity is an error with its location") {
  CHECK(error_of(in_root("\n<swModel name=\"&e;\"/>")).starts_with("m.amxmi:2:"));
}

TEST_CASE("nesting deeper than the limit is an error at the first element too deep") {
  Limits limits;
  limits.max_depth = 3;
  CHECK(read(in_root("<a><b/></a>")) != nullptr);
  CHECK(error_of(in_root("\n<a>\n<b>\n  <c/></b></a>"), limits) ==
        "m.amxmi:4:3: error: the element is nested 4 levels deep, more than the limit of 3 (--max-depth) [AM0105]");
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  CHECK(error_of(std::string(root_open).append("\n").append(deep)) ==
        "m.amxmi:2:1534: error: the element is nested 513 levels deep, more than the limit of 512 (--max-depth) "
        "[AM0105]");
}

TEST_CASE("more elements than the limit are an error at the first excess one") {
  Limits limits;
  limits.max_elements = 3;
  Diagnostics diagnostics;
  CHECK(importer::read_xml("m.amxmi", in_root("<a/><b/>"), limits, diagnostics) != nullptr);
  CHECK(error_of(in_root("\n<a/><b/><c/>"), limits) ==
        "m.amxmi:2:9: error: this is element 4 of the file, more than the limit of 3 (--max-elements) [AM0106]");
}

TEST_CASE("more attributes than the limit are an error at their element") {
  Limits limits;
  limits.max_attributes_per_element = 5;
  CHECK(error_of(in_root("\n <a u='' v='' w='' x='' y='' z=''/>"), limits) ==
        "m.amxmi:2:2: error: the element has 6 attributes, more than the limit of 5 (--max-attributes) [AM0107]");
}

TEST_CASE("a file larger than the limit is rejected before parsing") {
  Limits limits;
  limits.max_file_size = 10;
  CHECK(error_of("<not-xml...", limits) ==
        "m.amxmi: error: the file has 11 bytes, more than the limit of 10 (--max-size) [AM0102]");
}

TEST_CASE("a truncated model is one error with a line for every cut") {
  const std::string whole = test::read_text(test::sample("offload-minimal.amxmi"));
  REQUIRE(whole.size() > 10000);
  const std::size_t end_of_root = whole.rfind('>');
  for (std::size_t size = 1; size <= end_of_root; size += 97) {
    INFO("cut after " << size << " bytes");
    const std::string error = error_of(whole.substr(0, size));
    CHECK(error.starts_with("m.amxmi:"));
    CHECK(error.find(": error: not well-formed XML: ") != std::string::npos);
    CHECK(error.ends_with("[AM0103]"));
  }
}

TEST_CASE("wrong bytes anywhere never crash the reader") {
  const std::string whole = test::read_text(test::sample("offload-minimal.amxmi"));
  for (std::size_t at = 0; at < whole.size(); at += 131)
    for (const char byte : {'<', '>', '"', '&', '\0', '\xFF'}) {
      std::string text = whole;
      text[at] = byte;
      Diagnostics diagnostics;
      const auto document = importer::read_xml("m.amxmi", std::move(text), {}, diagnostics);
      if ((document == nullptr) != diagnostics.has_errors()) FAIL_CHECK("at " << at << ": " << byte);
    }
  SUCCEED();
}

// ---------------------------------------------------------------- what is no model

TEST_CASE("XML that is not an AMALTHEA model is rejected with its kind") {
  CHECK(error_of("<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"/>") ==
        "m.amxmi:2:1: error: not an AMALTHEA model: the root element is <svg> in namespace "
        "\"http://www.w3.org/2000/svg\"; expected <am:Amalthea "
        "xmlns:am=\"http://app4mc.eclipse.org/amalthea/VERSION\">; this is a picture [AM0110]");
  CHECK(error_of("<Amalthea/>").find("the root element is <Amalthea> in namespace \"\"") != std::string::npos);
}

TEST_CASE("an unknown version is rejected with the known ones") {
  CHECK(error_of("<am:Amalthea xmlns:am=\"http://app4mc.eclipse.org/amalthea/9.9.9\"/>") ==
        "m.amxmi:1:1: error: unknown AMALTHEA version \"9.9.9\"; supported versions are 0.7.0 to 3.3.0; save the model "
        "in one of them [AM0111]");
  CHECK(error_of("<am:Amalthea xmlns:am=\"http://app4mc.eclipse.org/amalthea/\"/>").ends_with("[AM0111]"));
}

TEST_CASE("a model older than 0.7.0 is read as one of its ITEA releases") {
  const auto document = read(
      "<central:AMALTHEA xmlns:central=\"http://www.amalthea.itea2.org/model/1.3.0/central\"><swModel><labels "
      "isBuffered=\"true\"/></swModel></central:AMALTHEA>");
  CHECK(document->itea() == IteaRelease::v1_3_0);
  CHECK(document->version_text() == "ITEA 1.3.0");
  CHECK(document->version() == oldest_version);
  // Under the name that it has had since 0.7.0.
  CHECK(document->element(2).attribute("buffered") == "true");
  CHECK(error_of("<c:AMALTHEA xmlns:c=\"http://www.amalthea.itea2.org/model/1.4.0/central\"/>").ends_with("[AM0110]"));
}

TEST_CASE("a prefix redeclared by an inner element has its new meaning there") {
  const auto document = read(
      in_root("<a xmi:id='1'><b xmlns:xmi='urn:x' xmi:id='2'/><b xmlns:q='http://www.omg.org/XMI' q:id='3'/></a><a "
              "xmi:id='4'/>"));
  std::vector<std::string> ids;
  for (std::uint32_t i = 0; i < document->size(); ++i)
    ids.emplace_back(document->element(i).attribute_or("xmi:id", "-"));
  CHECK(ids == std::vector<std::string>{"-", "1", "-", "3", "4"});
  CHECK(document->element(2).attribute("{urn:x}id") == "2");
}

TEST_CASE("a colon in a name stands between a prefix and a name") {
  for (const char* name : {":name", "xmi:", "xmi:a:b", ":xmi:id", "a::b", ":"}) {
    const std::string message =
        fmt::format("not well-formed XML: the name {} has a colon that is not between a prefix and a name", name);
    CHECK(error_of(in_root(fmt::format("\n<a {}='1'/>", name))).find("2:1: error: " + message) != std::string::npos);
    CHECK(error_of(in_root(fmt::format("\n<{}/>", name))).find("2:1: error: " + message) != std::string::npos);
  }
  for (const char* declared : {"xmlns:", "xmlns:a:b"})
    CHECK(error_of(in_root(fmt::format("<a {}='urn:x'/>", declared))).ends_with("[AM0103]"));
  CHECK(read(in_root("<a xmi:id='1'/>"))->size() == 2);
}

TEST_CASE("markup errors have line and column") {
  CHECK(error_of(in_root("\n<swModel></hwModel>")).starts_with("m.amxmi:2:"));
  CHECK(error_of(in_root("\n\n  <a x=1/>")).starts_with("m.amxmi:3:"));
  CHECK(error_of(in_root("<a x='' x=''/>")).ends_with("[AM0103]"));
  CHECK(error_of("plain text\n").starts_with("m.amxmi:1:1: error: not well-formed XML: "));
  CHECK(error_of(in_root("") + "\n<again/>").starts_with("m.amxmi:2:"));
}

TEST_CASE("an undeclared prefix is an error") {
  CHECK(error_of(in_root("\n<swModel foo:bar=''/>")).starts_with("m.amxmi:2:"));
  CHECK(error_of("<am:Amalthea/>").find("m.amxmi:1:") == 0);
}

TEST_CASE("empty files and archives and folders without models are rejected with a remedy") {
  Diagnostics diagnostics;
  CHECK_FALSE(importer::read_model_from_bytes("e.amxmi", "", {}, diagnostics));
  CHECK_FALSE(importer::read_model_from_bytes("z.amxmi", "PK\x03\x04rest", {}, diagnostics));
  const test::TemporaryFolder folder;
  test::write_text(folder.path() + "/model.txt", "no model");
  CHECK_FALSE(importer::read_model({folder.path()}, {}, diagnostics));
  CHECK_FALSE(importer::read_model({folder.path() + "/none.amxmi"}, {}, diagnostics));
  std::vector<std::string> messages;
  for (const auto& diagnostic : diagnostics.all()) messages.push_back(format(diagnostic));
  CHECK(messages == std::vector<std::string>{
                        "e.amxmi: error: the file is empty; expected an AMALTHEA model [AM0115]",
                        "z.amxmi: error: the ZIP archive cannot be read: Not a zip archive [AM0113]",
                        fmt::format("{}: error: the folder contains no .amxmi file; pass a folder that contains "
                                    "some, or the model files [AM0114]",
                                    folder.path()),
                        fmt::format("{}/none.amxmi: error: cannot open the file: No such file or directory [AM0116]",
                                    folder.path())});
}

TEST_CASE("a file that grows beyond the limit is rejected without reading all of it") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/big.amxmi";
  test::write_text(path, std::string(5000, ' '));
  Limits limits;
  limits.max_file_size = 4999;
  Diagnostics diagnostics;
  CHECK_FALSE(importer::read_model({path}, limits, diagnostics));
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(
      format(diagnostics.all().front()) ==
      fmt::format("{}: error: the file has 5000 bytes and is larger than the limit of 4999 bytes (--max-size) [AM0116]",
                  path));
}

TEST_CASE("a folder is read by name and only its models") {
  const test::TemporaryFolder folder;
  const std::string model = in_root("<swModel><tasks name=\"T\"/></swModel>");
  for (const char* name : {"/b.amxmi", "/a.amxmi", "/c.xml"}) test::write_text(folder.path() + name, model);
  Diagnostics diagnostics;
  const auto read = importer::read_model({folder.path()}, {}, diagnostics);
  REQUIRE(read.has_value());
  REQUIRE(read->documents().size() == 2);
  CHECK(read->documents()[0]->source().path() == folder.path() + "/a.amxmi");
  CHECK(read->documents()[1]->source().path() == folder.path() + "/b.amxmi");
  CHECK(read->documents()[1]->position() == 1);
  // Models under other names are said to be left out, other XML is not.
  const auto unread = [&] {
    Diagnostics found;
    CHECK(importer::read_model({folder.path()}, {}, found).has_value());
    const auto notes = test::with_id(found, "AM0481");
    return notes.empty() ? std::size_t{0} : notes.front().count;
  };
  CHECK(unread() == 1);
  std::filesystem::create_directory(folder.path() + "/.hidden");
  test::write_text(folder.path() + "/.hidden/d.amxmi", model);
  test::write_text(folder.path() + "/e.amxmi.txt", model);
  test::write_text(folder.path() + "/f.amxmiz", "PK\x03\x04");
  test::write_text(folder.path() + "/g.ecore",
                   "<ecore:EPackage xmlns:ecore=\"x\" nsURI=\"http://app4mc.eclipse.org/amalthea/3.3.0\"/>");
  test::write_text(folder.path() + "/h.xml", "<other/>");
  CHECK(unread() == 4);
}

}  // namespace reading_xml_reader_test
