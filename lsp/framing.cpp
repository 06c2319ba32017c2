// SPDX-License-Identifier: Apache-2.0
#include "lsp/framing.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include <fmt/core.h>

namespace amalthea::lsp {
namespace {

constexpr std::size_t longest_header_line = 4096;
constexpr std::string_view length_field = "content-length:";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

void MessageStream::add(std::string_view bytes) {
  const std::size_t skipped = std::min(to_skip_, bytes.size());
  to_skip_ -= skipped;
  bytes.remove_prefix(skipped);
  // Moving the rest to the front only now and then keeps the cost linear.
  if (at_ > bytes_.size() / 2) {
    bytes_.erase(0, at_);
    at_ = 0;
  }
  bytes_ += bytes;
}

void MessageStream::read_header_line(std::string_view line) {
  // Behind a damaged message the field may follow other bytes.
  const auto field = std::search(line.begin(), line.end(), length_field.begin(), length_field.end(),
                                 [](char c, char wanted) { return lower(c) == wanted; });
  if (field == line.end()) return;  // another field
  std::string_view value = line.substr(static_cast<std::size_t>(field - line.begin()) + length_field.size());
  while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  while (!value.empty() && value.back() == ' ') value.remove_suffix(1);
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length_);
  has_length_ = error == std::errc{} && end == value.data() + value.size();
}

tl::expected<std::string, MessageStream::Gap> MessageStream::next() {
  while (in_header_) {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == std::string::npos) {
      if (bytes_.size() - at_ > longest_header_line) {
        // No header is that long. A length may follow, and its first bytes may be the last ones here.
        at_ = bytes_.size() - length_field.size();
      }
      return tl::unexpected(Gap::incomplete);
    }
    std::string_view line(bytes_.data() + at_, end - at_);
    at_ = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) {
      read_header_line(line);
      continue;
    }
    if (!has_length_) return tl::unexpected(Gap::bad_header);
    in_header_ = false;
  }
  const auto finish = [this] {
    in_header_ = true;
    has_length_ = false;
  };
  if (length_ > max_message_) {
    const std::size_t here = std::min(length_, bytes_.size() - at_);
    at_ += here;
    to_skip_ = length_ - here;
    finish();
    return tl::unexpected(Gap::too_large);
  }
  if (bytes_.size() - at_ < length_) return tl::unexpected(Gap::incomplete);
  std::string message = bytes_.substr(at_, length_);
  at_ += length_;
  finish();
  return message;
}

std::string framed(std::string_view message) {
  return fmt::format("Content-Length: {}\r\n\r\n{}", message.size(), message);
}

}  // namespace amalthea::lsp
