// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Messages in a stream of bytes, as the Language Server Protocol frames them: `Content-Length: N`, a blank line, and N
/// bytes of JSON.

#include <cstddef>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace amalthea::lsp {

/// Takes bytes in pieces of any size and returns messages. After a damaged header it continues with the next
/// `Content-Length` line.
class MessageStream {
 public:
  /// Messages of more bytes are skipped.
  explicit MessageStream(std::size_t max_message) : max_message_(max_message) {}

  void add(std::string_view bytes);

  enum class Gap : unsigned char {
    incomplete,  ///< more bytes are needed
    bad_header,  ///< a header without a valid length was skipped
    too_large,   ///< a message above the limit is skipped
  };
  /// The next message, without its header.
  tl::expected<std::string, Gap> next();

 private:
  void read_header_line(std::string_view line);

  std::size_t max_message_;
  std::string bytes_;
  std::size_t at_ = 0;  ///< in bytes_: where the unread part begins
  bool in_header_ = true;
  bool has_length_ = false;
  std::size_t length_ = 0;
  std::size_t to_skip_ = 0;  ///< bytes of a message that is too large
};

/// The message with its header.
std::string framed(std::string_view message);

}  // namespace amalthea::lsp
