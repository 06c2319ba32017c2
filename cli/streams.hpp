// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Standard input, output and error: also where they are closed, full or broken.

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace amalthea::cli {

/// Before anything else: opens /dev/null for those of the three that are closed, so that no other file takes their
/// place. What is written to standard output then is a failure, as it was before.
void open_standard_streams();

/// To standard error, with control characters spelled out (visible_text): messages quote models and arguments. What
/// cannot be written there is lost: there is nobody to tell. `painted`: the colors of exporter::paint stay.
void tell_text(std::string_view text, bool painted = false);
/// Whether messages appear on a terminal.
bool tells_terminal();
/// The same for one message, on a line of its own whatever it quotes.
void tell_line(std::string_view text);
template <typename... Values>
void tell(fmt::format_string<Values...> format, Values&&... values) {
  tell_line(fmt::format(format, std::forward<Values>(values)...));
}

/// On a terminal: replaces the line of standard error that the cursor is in. "" leaves it empty.
void show_status(std::string_view text);

/// To standard output, as far as possible; `output_is_written` says whether it was.
void print_text(std::string_view text);
/// The same for a summary of results that are in a file: a caller who has closed standard output wants none.
void print_summary(std::string_view text);
/// What was printed precedes what is told from now on.
void flush_output();

/// While it lives, what its thread prints or tells is collected here instead.
class CapturedStreams {
 public:
  CapturedStreams();
  CapturedStreams(const CapturedStreams&) = delete;
  CapturedStreams& operator=(const CapturedStreams&) = delete;
  ~CapturedStreams();
  const std::string& output() const { return output_; }
  const std::string& messages() const { return messages_; }

 private:
  friend void tell_text(std::string_view text, bool painted);
  friend void print_text(std::string_view text);
  std::string output_, messages_;
  CapturedStreams* outer_;
};

/// Whether everything that was printed has been written; false and a message otherwise. There is no message when the
/// reader has closed its end of a pipe: it has read enough. main asks once, after every verb.
bool output_is_written();

}  // namespace amalthea::cli
