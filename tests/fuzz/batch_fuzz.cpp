// SPDX-License-Identifier: Apache-2.0
// The log of a batch as a later run finds it: each line is a record, from which the same line can be written again, or
// it is refused.

#include "batch/record.hpp"
#include "batch/summary.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace amalthea;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = fuzz::text_of(data, size);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::string_view key = batch::key_in(line);
    const std::string body = batch::body_in(line);
    const auto record = batch::parse_line(line);
    if (!record) {
      fuzz::require(!record.error().empty());
      continue;
    }
    if (record->key != key || !batch::is_body(body)) continue;
    const std::string again = batch::line_of(record->index, record->of, record->files, key, body);
    const auto same = batch::parse_line(again);
    fuzz::require(same && same->index == record->index && same->status == record->status &&
                  same->verdict == record->verdict && same->files == record->files);
  }
  return 0;
}
