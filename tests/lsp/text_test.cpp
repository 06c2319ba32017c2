// SPDX-License-Identifier: Apache-2.0
#include <random>
#include <string>

#include <catch2/catch.hpp>

#include "lsp/file_uri.hpp"
#include "lsp/text.hpp"

namespace lsp_text_test {

using amalthea::lsp::Changes;
using amalthea::lsp::LineIndex;
using amalthea::lsp::Position;
using amalthea::lsp::PositionEncoding;

TEST_CASE("positions count UTF-16 units or bytes and lines end as the protocol says") {
  const std::string text = "a\xC3\xA4\xF0\x9F\x98\x80z\r\nsecond\rthird\n";  // a ä 😀 z
  const LineIndex lines(text);
  CHECK(lines.position(text, 7, PositionEncoding::utf16) == Position{0, 4});
  CHECK(lines.position(text, 7, PositionEncoding::utf8) == Position{0, 7});
  CHECK(lines.offset(text, {0, 4}, PositionEncoding::utf16) == 7);
  CHECK(lines.offset(text, {0, 7}, PositionEncoding::utf8) == 7);
  CHECK(lines.offset(text, {0, 99}, PositionEncoding::utf16) == 8);  // before the line end
  CHECK(lines.position(text, text.find("third"), PositionEncoding::utf16) == Position{2, 0});
  CHECK(lines.position(text, text.size(), PositionEncoding::utf16) == Position{3, 0});
  CHECK(lines.offset(text, {1, 2}, PositionEncoding::utf16) == text.find("cond"));
  CHECK(lines.offset(text, {99, 0}, PositionEncoding::utf16) == text.size());
}

TEST_CASE("after random edits lines are those of the new text and unchanged places are found") {
  std::mt19937 random(1);
  const auto below = [&](std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit)(random); };
  const std::string alphabet = "ab\n\r";
  for (int trial = 0; trial < 300; ++trial) {
    std::string text;
    for (int i = 0; i < 60; ++i) text += static_cast<char>('A' + i % 26);  // capitals: of the old text
    const std::string old = text;
    std::vector<std::size_t> from(text.size());  // the old offset of every byte; npos for inserted ones
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = i;
    LineIndex lines(text);
    Changes changes;
    for (int edit = 0; edit < 12; ++edit) {
      const std::size_t begin = below(text.size());
      const std::size_t end = std::min(text.size(), begin + below(4));
      std::string inserted;
      for (std::size_t i = below(5); i > 0; --i) inserted += alphabet[below(alphabet.size() - 1)];
      text.replace(begin, end - begin, inserted);
      from.erase(from.begin() + static_cast<std::ptrdiff_t>(begin), from.begin() + static_cast<std::ptrdiff_t>(end));
      from.insert(from.begin() + static_cast<std::ptrdiff_t>(begin), inserted.size(), std::string::npos);
      lines.replace(text, begin, end, inserted.size());
      changes.replace(begin, end, inserted.size());
      const LineIndex fresh(text);
      for (std::size_t at = 0; at <= text.size(); ++at)
        REQUIRE(lines.position(text, at, PositionEncoding::utf8) == fresh.position(text, at, PositionEncoding::utf8));
    }
    // A byte that lies in no merged region keeps its place; others stay within the text.
    std::size_t kept = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::size_t before = changes.in_old(at);
      REQUIRE(before <= old.size());
      if (from[at] == std::string::npos || before != from[at]) continue;
      ++kept;
      CHECK(old[before] == text[at]);
    }
    for (std::size_t at = 0; at < old.size(); ++at) {
      REQUIRE(changes.begin_in_new(at) <= text.size());
      REQUIRE(changes.end_in_new(at) <= text.size());
    }
    CHECK(kept > 0);
  }
}

TEST_CASE("a text inserted before an element moves it and one inserted behind it does not widen it") {
  Changes changes;  // <a/><b/>
  changes.replace(4, 4, 10);
  CHECK(changes.begin_in_new(4) == 14);
  CHECK(changes.end_in_new(4) == 4);
  CHECK(changes.in_old(14) == 4);
  CHECK(changes.in_old(3) == 3);
  changes.replace(0, 0, 2);
  CHECK(changes.begin_in_new(4) == 16);
  CHECK(changes.begin_in_new(6) == 18);
  CHECK(changes.in_old(18) == 6);
}

TEST_CASE("file URIs become paths and back") {
  using amalthea::lsp::path_of_uri;
  using amalthea::lsp::uri_of_path;
  CHECK(path_of_uri("file:///home/me/a%20b/%C3%A4.amxmi") == "/home/me/a b/\xC3\xA4.amxmi");
  CHECK(path_of_uri("file://localhost/x") == "/x");
  CHECK(path_of_uri("file:///x/../y") == "/y");
  CHECK(!path_of_uri("file://server/x"));
  CHECK(!path_of_uri("http://x/y"));
  CHECK(!path_of_uri("untitled:Untitled-1"));
  CHECK(!path_of_uri("file:///x%"));
  CHECK(!path_of_uri("file:///x%0"));
  CHECK(!path_of_uri("file:///x%zz"));
  CHECK(!path_of_uri("file:///x%00y"));
  CHECK(uri_of_path("/home/me/a b/\xC3\xA4.amxmi") == "file:///home/me/a%20b/%C3%A4.amxmi");
}

}  // namespace lsp_text_test
