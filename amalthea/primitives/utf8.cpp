// SPDX-License-Identifier: Apache-2.0
#include "amalthea/primitives/utf8.hpp"

#include <algorithm>
#include <cerrno>
#include <string_view>

#include <iconv.h>

namespace amalthea {
namespace {

/// The encoding of the XML declaration; UTF-8 if it is not stated.
std::string declared_encoding(std::string_view bytes) {
  constexpr std::string_view attribute = "encoding";
  const std::string_view declaration = bytes.substr(0, std::min(bytes.find("?>"), bytes.size()));
  const std::size_t at = declaration.find(attribute);
  if (!declaration.starts_with("<?xml") || at == std::string_view::npos) return "UTF-8";
  const std::size_t begin = declaration.find_first_of("\"'", at + attribute.size());
  if (begin == std::string_view::npos) return "UTF-8";
  const std::size_t end = declaration.find(declaration[begin], begin + 1);
  return std::string(declaration.substr(begin + 1, end == std::string_view::npos ? end : end - begin - 1));
}

std::string converted(std::string_view text, const std::string& encoding) {
  iconv_t converter = ::iconv_open("UTF-8", encoding.c_str());
  if (converter == reinterpret_cast<iconv_t>(-1))
    return std::string(text);  // NOLINT(performance-no-int-to-ptr): as iconv defines it
  std::string from(text), result;
  char* in = from.data();
  std::size_t left = from.size();
  char buffer[4096];
  while (left > 0) {
    char* out = buffer;
    std::size_t room = sizeof buffer;
    const bool stuck = ::iconv(converter, &in, &left, &out, &room) == static_cast<std::size_t>(-1) && errno != E2BIG;
    result.append(buffer, sizeof buffer - room);
    if (stuck && left > 0) {
      ++in;
      --left;
    }
  }
  ::iconv_close(converter);
  return result;
}

}  // namespace

std::string utf8(const SourceText& source, Span span) {
  const std::string_view written = source.text(span);
  if (source.encoding() == Encoding::utf16_le) return converted(written, "UTF-16LE");
  if (source.encoding() == Encoding::utf16_be) return converted(written, "UTF-16BE");
  const bool ascii = std::none_of(written.begin(), written.end(), [](char c) { return (c & 0x80) != 0; });
  if (ascii || source.bom_size() > 0) return std::string(written);
  const std::string encoding = declared_encoding(source.bytes());
  return encoding == "UTF-8" ? std::string(written) : converted(written, encoding);
}

}  // namespace amalthea
