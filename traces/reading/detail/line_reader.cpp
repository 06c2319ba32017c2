// SPDX-License-Identifier: Apache-2.0
#include "traces/reading/detail/line_reader.hpp"

#include <algorithm>

namespace amalthea::traces {

std::optional<Line> LineReader::next() {
  joined_.clear();
  Line line;
  for (;;) {
    if (rest_.empty()) {
      rest_ = stream_.next();
      if (rest_.empty()) {  // the end
        if (joined_.empty() && !line.too_long) return std::nullopt;
        line.whole = false;
        line.text = joined_;
        break;
      }
    }
    const std::size_t end = rest_.find('\n');
    const std::string_view piece = rest_.substr(0, end);
    if (joined_.empty() && end != std::string_view::npos && piece.size() <= longest_ && !line.too_long) {
      line.text = piece;
    } else {
      const std::size_t room = longest_ - std::min(longest_, joined_.size());
      line.too_long = line.too_long || piece.size() > room;
      joined_.append(piece.substr(0, room));
      line.text = joined_;
    }
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (end != std::string_view::npos) break;
  }
  if (!line.text.empty() && line.text.back() == '\r') line.text.remove_suffix(1);
  line.number = ++number_;
  return line;
}

}  // namespace amalthea::traces
