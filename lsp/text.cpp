// SPDX-License-Identifier: Apache-2.0
#include "lsp/text.hpp"

#include <algorithm>
#include <iterator>

namespace amalthea::lsp {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Number of UTF-16 units of the character that begins with this byte of UTF-8.
std::size_t utf16_units(char first) { return static_cast<unsigned char>(first) >= 0xF0U ? 2 : 1; }

/// Whether a line begins at `at`, which is not 0.
bool begins_line(std::string_view text, std::size_t at) {
  const char before = text[at - 1];
  return before == '\n' || (before == '\r' && (at == text.size() || text[at] != '\n'));
}

}  // namespace

LineIndex::LineIndex(std::string_view text) : starts_{0} {
  for (std::size_t at = text.find_first_of("\r\n"); at != std::string_view::npos;
       at = text.find_first_of("\r\n", at + 1))
    if (begins_line(text, at + 1)) starts_.push_back(at + 1);
}

Position LineIndex::position(std::string_view text, std::size_t offset, PositionEncoding encoding) const {
  offset = std::min(offset, text.size());
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const std::size_t start = *std::prev(next);
  Position position{static_cast<std::size_t>(next - starts_.begin()) - 1, offset - start};
  if (encoding == PositionEncoding::utf16) {
    if (known_.start != start || known_.offset - start > 2 * (offset - start)) known_ = {start, start, 0};
    const auto units = [&](std::size_t at) { return is_continuation(text[at]) ? 0 : utf16_units(text[at]); };
    for (; known_.offset < offset; ++known_.offset) known_.units += units(known_.offset);
    for (; known_.offset > offset; --known_.offset) known_.units -= units(known_.offset - 1);
    position.character = known_.units;
  }
  return position;
}

std::size_t LineIndex::offset(std::string_view text, Position position, PositionEncoding encoding) const {
  if (position.line >= starts_.size()) return text.size();
  std::size_t at = starts_[position.line];
  std::size_t end = position.line + 1 < starts_.size() ? starts_[position.line + 1] : text.size();
  if (end > at && position.line + 1 < starts_.size()) {  // without the line end
    --end;
    if (end > at && text[end] == '\n' && text[end - 1] == '\r') --end;
  }
  if (encoding == PositionEncoding::utf8) {
    at += std::min(position.character, end - at);
    while (at < end && is_continuation(text[at])) ++at;
    return at;
  }
  std::size_t units = 0;
  while (at < end && units < position.character) {
    units += utf16_units(text[at]);
    for (++at; at < end && is_continuation(text[at]);) ++at;
  }
  return at;
}

void LineIndex::replace(std::string_view text, std::size_t begin, std::size_t end, std::size_t inserted) {
  known_ = {};
  // A "\r" before the edit, or a "\n" after it, may become part of another line end.
  const auto first = std::lower_bound(starts_.begin() + 1, starts_.end(), begin);
  const auto last = std::upper_bound(first, starts_.end(), end + 1);
  std::vector<std::size_t> found;
  const std::size_t new_end = begin + inserted;
  for (std::size_t at = std::max<std::size_t>(begin, 1); at <= std::min(new_end + 1, text.size()); ++at)
    if (begins_line(text, at)) found.push_back(at);
  for (auto later = last; later != starts_.end(); ++later) *later = *later - end + new_end;
  const auto place = starts_.erase(first, last);
  starts_.insert(place, found.begin(), found.end());
}

void Changes::replace(std::size_t begin, std::size_t end, std::size_t inserted) {
  const auto first =
      std::find_if(regions_.begin(), regions_.end(), [&](const Region& r) { return r.new_end >= begin; });
  const auto last = std::find_if(first, regions_.end(), [&](const Region& r) { return r.new_begin > end; });
  Region merged{begin, end, begin, end};
  if (first != last) {
    merged.new_begin = std::min(begin, first->new_begin);
    merged.new_end = std::max(end, std::prev(last)->new_end);
  }
  const auto old_of = [&](std::size_t offset, auto next) {
    return next == regions_.begin() ? offset : offset - std::prev(next)->new_end + std::prev(next)->old_end;
  };
  merged.old_begin = old_of(merged.new_begin, first);
  merged.old_end = old_of(merged.new_end, last);
  const auto shifted = [&](std::size_t offset) { return offset - end + begin + inserted; };
  merged.new_end = shifted(merged.new_end);
  for (auto later = last; later != regions_.end(); ++later) {
    later->new_begin = shifted(later->new_begin);
    later->new_end = shifted(later->new_end);
  }
  regions_.insert(regions_.erase(first, last), merged);
}

std::size_t Changes::begin_in_new(std::size_t offset) const {
  const auto next = std::upper_bound(regions_.begin(), regions_.end(), offset,
                                     [](std::size_t wanted, const Region& r) { return wanted < r.old_begin; });
  if (next == regions_.begin()) return offset;
  const Region& region = *std::prev(next);
  if (offset >= region.old_end) return offset - region.old_end + region.new_end;
  return std::min(region.new_begin + (offset - region.old_begin), region.new_end);
}

std::size_t Changes::end_in_new(std::size_t offset) const {
  const auto at = std::find_if(regions_.begin(), regions_.end(),
                               [&](const Region& r) { return r.old_begin == offset && r.old_end == offset; });
  return at == regions_.end() ? begin_in_new(offset) : at->new_begin;
}

std::size_t Changes::in_old(std::size_t offset) const {
  const auto next = std::upper_bound(regions_.begin(), regions_.end(), offset,
                                     [](std::size_t wanted, const Region& r) { return wanted < r.new_begin; });
  if (next == regions_.begin()) return offset;
  const Region& region = *std::prev(next);
  if (offset >= region.new_end) return offset - region.new_end + region.old_end;
  return std::min(region.old_begin + (offset - region.new_begin), region.old_end);
}

std::string as_attribute(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&apos;";
    else
      out += c;
  }
  return out;
}

}  // namespace amalthea::lsp
