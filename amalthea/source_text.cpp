// SPDX-License-Identifier: Apache-2.0
#include "amalthea/source_text.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace amalthea {

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

Location SourceText::location(std::uint32_t offset) const {
  const std::uint32_t unit = this->unit();
  // UTF-8 continuation bytes belong to the previous character. In ISO-8859 such bytes are separate characters; there
  // the column may be too small, which is harmless in a message.
  const auto columns_at = [&](std::uint32_t at) {
    return unit == 1 && (static_cast<unsigned char>(bytes_[at]) & 0xC0U) == 0x80U ? 0U : 1U;
  };
  if (marks_.empty()) {
    // so that locations in a single-line file are also found quickly
    constexpr std::uint32_t mark_distance = 4096;
    Mark mark{bom_size_, 1, 1};
    marks_.push_back(mark);
    for (std::uint32_t at = bom_size_; at + unit <= bytes_.size(); at += unit) {
      mark.column += columns_at(at);
      if (ascii_at(at) == '\n')
        mark = {at + unit, mark.line + 1, 1};
      else if (at + unit - marks_.back().offset < mark_distance)
        continue;
      mark.offset = at + unit;
      marks_.push_back(mark);
    }
  }
  offset = std::min(offset, static_cast<std::uint32_t>(bytes_.size()));
  const auto next = std::upper_bound(marks_.begin(), marks_.end(), offset,
                                     [](std::uint32_t wanted, const Mark& mark) { return wanted < mark.offset; });
  const Mark& mark = next == marks_.begin() ? *next : *std::prev(next);
  std::uint32_t column = mark.column;
  for (std::uint32_t at = mark.offset; at + unit <= offset; at += unit) column += columns_at(at);
  return {path_, mark.line, column};
}

}  // namespace amalthea
