// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "amalthea/source_text.hpp"

namespace source_text_test {

using namespace amalthea;

namespace {

/// "line:column" of the first byte of `what`.
std::string place(const SourceText& text, std::string_view what) {
  const auto at = text.bytes().find(what);
  REQUIRE(at != std::string_view::npos);
  const Location location = text.location(static_cast<std::uint32_t>(at));
  return std::to_string(location.line) + ":" + std::to_string(location.column);
}

std::string utf16(std::string_view ascii, bool big_endian) {
  return encode_ascii(ascii, big_endian ? Encoding::utf16_be : Encoding::utf16_le);
}

}  // namespace

TEST_CASE("lines and columns count from one and end at line feeds") {
  const SourceText text("a.amxmi", "ab\ncd\n\nef");
  CHECK(text.location(0) == Location{"a.amxmi", 1, 1});
  CHECK(place(text, "b") == "1:2");
  CHECK(text.location(2) == Location{"a.amxmi", 1, 3});  // the line feed itself
  CHECK(place(text, "c") == "2:1");
  CHECK(text.location(6) == Location{"a.amxmi", 3, 1});
  CHECK(place(text, "f") == "4:2");
}

TEST_CASE("an offset at or beyond the end is located after the last character") {
  const SourceText text("a", "ab\ncd");
  CHECK(text.location(5) == Location{"a", 2, 3});
  CHECK(text.location(5000) == Location{"a", 2, 3});
  const SourceText empty("e", "");
  CHECK(empty.location(0) == Location{"e", 1, 1});
}

TEST_CASE("CR LF counts as one line end") {
  const SourceText text("a", "ab\r\ncd\r\nef");
  CHECK(place(text, "c") == "2:1");
  CHECK(place(text, "f") == "3:2");
}

TEST_CASE("a byte order mark takes no column") {
  const SourceText text("a",
                        "\xEF\xBB\xBF"
                        "ab\ncd");
  CHECK(text.bom_size() == 3);
  CHECK(text.encoding() == Encoding::ascii_superset);
  CHECK(place(text, "a") == "1:1");
  CHECK(place(text, "b") == "1:2");
  CHECK(place(text, "d") == "2:2");
}

TEST_CASE("columns count characters and not bytes") {
  // ä (2 bytes), € (3 bytes) and U+1D11E (4 bytes) stand before x.
  const SourceText text("a", "\xC3\xA4\xE2\x82\xAC\xF0\x9D\x84\x9Ex\n\xC2\xB5y");
  CHECK(place(text, "x") == "1:4");
  CHECK(place(text, "y") == "2:2");
}

TEST_CASE("UTF-16 is counted in both byte orders with and without a byte order mark") {
  for (const bool big_endian : {false, true})
    for (const bool mark : {false, true}) {
      INFO((big_endian ? "big endian" : "little endian") << (mark ? " with mark" : ""));
      std::string bytes = mark ? (big_endian ? "\xFE\xFF" : "\xFF\xFE") : "";
      bytes.append(utf16("<ab\n<c", big_endian));
      const SourceText text("a", bytes);
      CHECK(text.encoding() == (big_endian ? Encoding::utf16_be : Encoding::utf16_le));
      CHECK(text.bom_size() == (mark ? 2U : 0U));
      const std::uint32_t first = text.bom_size();
      CHECK(text.location(first) == Location{"a", 1, 1});
      CHECK(text.location(first + 2) == Location{"a", 1, 2});
      CHECK(text.location(first + 8) == Location{"a", 2, 1});
      CHECK(text.location(first + 10) == Location{"a", 2, 2});
    }
}

TEST_CASE("a UTF-16 character with a line feed byte does not end the line") {
  // U+010A and U+0A01 hold the byte 0x0A.
  const SourceText text("a", std::string("\xFF\xFE<\0\x0A\x01\x01\x0A>\0", 10));
  CHECK(text.location(8) == Location{"a", 1, 4});
}

TEST_CASE("a span yields its text") {
  const SourceText text("a", "abcdef");
  CHECK(text.text({2, 4}) == "cd");
  CHECK(Span{2, 4}.size() == 2);
}

}  // namespace source_text_test
