// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The lines of a stream, in bounded memory.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "traces/reading/detail/byte_stream.hpp"

namespace amalthea::traces {

struct Line {
  std::string_view text;     ///< without the line end; valid until the next call
  std::uint64_t number = 0;  ///< from 1
  bool whole = true;         ///< it has a line end
  bool too_long = false;     ///< longer than the limit; `text` is its beginning
};

class LineReader {
 public:
  LineReader(ByteStream& stream, std::size_t longest) : stream_(stream), longest_(longest) {}

  std::optional<Line> next();

 private:
  ByteStream& stream_;
  std::size_t longest_;
  std::string_view rest_;
  std::string joined_;  ///< a line that begins in an earlier block
  std::uint64_t number_ = 0;
};

}  // namespace amalthea::traces
