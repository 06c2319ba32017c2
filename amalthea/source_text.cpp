// SPDX-License-Identifier: Apache-2.0
#include "amalthea/source_text.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "amalthea/made_text.hpp"

namespace amalthea {

std::string encode_ascii(std::string_view ascii, Encoding encoding) {
  if (encoding == Encoding::ascii_superset) return std::string(ascii);
  std::string out;
  for (const char c : ascii) {
    if (encoding == Encoding::utf16_be) out += '\0';
    out += c;
    if (encoding == Encoding::utf16_le) out += '\0';
  }
  return out;
}

bool is_model_file_name(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  const std::string_view extension = name.substr(dot);
  return extension == ".amxmi" || extension.starts_with(".amxmi-");
}

SourceText::SourceText(std::string path, std::string bytes) : path_(std::move(path)), bytes_(std::move(bytes)) {
  const std::string_view head = this->bytes().substr(0, 4);
  if (head.starts_with("\xEF\xBB\xBF")) {
    bom_size_ = 3;
  } else if (head.starts_with("\xFF\xFE")) {
    bom_size_ = 2;
    encoding_ = Encoding::utf16_le;
  } else if (head.starts_with("\xFE\xFF")) {
    bom_size_ = 2;
    encoding_ = Encoding::utf16_be;
  } else if (head.size() == 4 && head[0] == '<' && head[1] == 0) {
    encoding_ = Encoding::utf16_le;
  } else if (head.size() == 4 && head[0] == 0 && head[1] == '<') {
    encoding_ = Encoding::utf16_be;
  }
}

std::uint32_t SourceText::find(char wanted, std::uint32_t from) const {
  const auto size = static_cast<std::uint32_t>(bytes_.size());
  if (encoding_ == Encoding::ascii_superset) {
    if (from >= size) return size;
    const void* found = std::memchr(bytes_.data() + from, wanted, size - from);
    return found == nullptr ? size : static_cast<std::uint32_t>(static_cast<const char*>(found) - bytes_.data());
  }
  while (from + 2 <= size && ascii_at(from) != wanted) from += 2;
  return from + 2 <= size ? from : size;
}

std::uint32_t SourceText::tag_end(std::uint32_t begin) const {
  const auto size = static_cast<std::uint32_t>(bytes_.size());
  for (std::uint32_t at = begin; at + unit() <= size; at += unit()) {
    const char c = ascii_at(at);
    if (c == '>') return at + unit();
    if (c == '"' || c == '\'') at = find(c, at + unit());
  }
  return size;
}

void SourceText::advance(Mark& mark, std::uint32_t to) const {
  if (unit() == 1) {
    std::string_view text = bytes().substr(mark.offset, to - mark.offset);
    if (const std::size_t last = text.rfind('\n'); last != std::string_view::npos) {
      const std::string_view lines = text.substr(0, last + 1);
      mark.line += static_cast<std::uint32_t>(std::count(lines.begin(), lines.end(), '\n'));
      mark.column = 1;
      text.remove_prefix(lines.size());
    }
    // UTF-8 continuation bytes belong to the previous character. In ISO-8859 such bytes are separate characters; there
    // the column may be too small, which is harmless in a message.
    mark.column += static_cast<std::uint32_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
    mark.offset = to;
    return;
  }
  for (; mark.offset + unit() <= to; mark.offset += unit()) {
    const bool ends = ascii_at(mark.offset) == '\n';
    mark.line += ends ? 1 : 0;
    mark.column = ends ? 1 : mark.column + 1;
  }
}

Location SourceText::location(std::uint32_t offset) const {
  constexpr std::uint32_t mark_distance = 4096;
  offset = std::min(offset, static_cast<std::uint32_t>(bytes_.size()));
  if (const auto place = place_made_from(path_, bytes_, offset)) return {path_, place->line, place->column};
  if (marks_.empty()) {
    marks_.push_back({bom_size_, 1, 1});
    while (bytes_.size() - marks_.back().offset >= mark_distance) {
      Mark next = marks_.back();
      advance(next, next.offset + mark_distance);
      marks_.push_back(next);
    }
  }
  Mark mark = marks_[(std::max(offset, bom_size_) - bom_size_) / mark_distance];
  if (offset > mark.offset) advance(mark, offset);
  return {path_, mark.line, mark.column};
}

}  // namespace amalthea
