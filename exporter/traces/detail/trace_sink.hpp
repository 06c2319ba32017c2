// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The destination of a trace's text: through a buffer into a new file, optionally compressed.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <tl/expected.hpp>

#include "exporter/primitives/new_file.hpp"

namespace amalthea::exporter {

/// The first failure is stored and returned by `commit`; text after a failure is discarded.
class TraceSink {
 public:
  TraceSink(NewFile file, bool compressed);
  TraceSink(const TraceSink&) = delete;
  TraceSink& operator=(const TraceSink&) = delete;
  ~TraceSink();

  void put(std::string_view text) {
    if (text.size() > capacity_ - used_) {
      drain(text);
      return;
    }
    std::copy(text.begin(), text.end(), buffer_.get() + used_);  // unlike memcpy, of an empty text too
    used_ += text.size();
  }
  /// A buffer for up to `most` further bytes; `advance` states how many were written.
  char* room(std::size_t most) {
    if (most > capacity_ - used_) make_room(most);
    return buffer_.get() + used_;
  }
  void advance(const char* end) { used_ = static_cast<std::size_t>(end - buffer_.get()); }
  void put(char character) { put(std::string_view(&character, 1)); }
  void put_number(std::uint64_t number) {
    if (number < 10) {
      put(static_cast<char>('0' + number));
      return;
    }
    const fmt::format_int text(number);
    put(std::string_view(text.data(), text.size()));
  }

  /// Bytes in the file; what is in the buffer is not counted.
  std::uint64_t size() const { return file_.size(); }
  tl::expected<void, std::string> commit();

 private:
  void make_room(std::size_t most);
  void drain(std::string_view more);
  void pass(std::string_view bytes, bool last);

  struct Compressor;

  NewFile file_;
  std::size_t capacity_ = std::size_t{1} << 16U;
  std::unique_ptr<char[]> buffer_;
  std::size_t used_ = 0;
  std::unique_ptr<Compressor> compressor_;  ///< null: uncompressed
};

}  // namespace amalthea::exporter
