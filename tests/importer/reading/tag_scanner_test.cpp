// SPDX-License-Identifier: Apache-2.0
#include "importer/reading/detail/tag_scanner.hpp"

#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

namespace reading_tag_scanner_test {

using namespace amalthea;
using importer::TagScanner;

namespace {

/// All tags as "kind text", the attributes of start tags behind them as "name=value", those that need decoding with a
/// question mark.
std::vector<std::string> scan(std::string text) {
  const SourceText source("m", std::move(text));
  TagScanner scanner(source);
  std::vector<std::string> found;
  for (TagScanner::Tag tag = scanner.next(); tag.kind != TagScanner::Kind::none; tag = scanner.next()) {
    constexpr const char* names[] = {"start", "self", "end", "declaration"};
    std::string line = fmt::format("{} {}", names[static_cast<std::size_t>(tag.kind)], source.text(tag.span));
    if (tag.kind == TagScanner::Kind::start || tag.kind == TagScanner::Kind::self_closing)
      for (const auto& attribute : scanner.attributes())
        line += fmt::format(" {}={}{}", source.text(attribute.name), source.text(attribute.value),
                            attribute.plain ? "" : "?");
    found.push_back(line);
    if (tag.kind == TagScanner::Kind::declaration) break;
  }
  return found;
}

using Tags = std::vector<std::string>;

}  // namespace

TEST_CASE("tags are returned in order with the values of their attributes") {
  CHECK(scan("<a><b x='1' y = \"2\"/></a >") == Tags{"start <a>", "self <b x='1' y = \"2\"/> x=1 y=2", "end </a >"});
}

TEST_CASE("tags in comments and character data and processing instructions are ignored") {
  CHECK(scan("<?xml version='1.0'?><!-- <x> --><a><![CDATA[<y></y>]]>text<?p <z>?></a><!-->--><!-- > -->") ==
        Tags{"start <a>", "end </a>"});
}

TEST_CASE("brackets and quotes inside the other quotes are content") {
  CHECK(scan("<a x='>\"' y=\"/>'\"/>") == Tags{"self <a x='>\"' y=\"/>'\"/> x=>\" y=/>'"});
}

TEST_CASE("a value is plain unless a parser may have changed it") {
  CHECK(scan("<a p='x y' q='&amp;' r='a\tb' s='a\nb' t='\xC3\xA4' u=''/>") ==
        Tags{"self <a p='x y' q='&amp;' r='a\tb' s='a\nb' t='\xC3\xA4' u=''/> p=x y q=&amp;? r=a\tb? s=a\nb? "
             "t=\xC3\xA4? u="});
}

TEST_CASE("a document type declaration ends the scan") { CHECK(scan("<!DOCTYPE a><a/>") == Tags{"declaration "}); }

TEST_CASE("truncated text is scanned to its end") {
  const std::string whole = "<?xml version='1.0'?><a x='1'><!-- c --><b/><![CDATA[d]]></a>";
  for (std::size_t size = 0; size <= whole.size(); ++size) CHECK(scan(whole.substr(0, size)).size() <= 3);
}

}  // namespace reading_tag_scanner_test
