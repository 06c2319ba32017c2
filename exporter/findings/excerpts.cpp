// SPDX-License-Identifier: Apache-2.0
#include "exporter/findings/excerpts.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "amalthea/primitives/visible_text.hpp"
#include "exporter/primitives/text_table.hpp"

namespace amalthea::exporter {
namespace {

constexpr std::size_t widest = 100;  ///< characters of a line; of longer lines, the part around the caret

/// Only of regular files: a pipe gives its bytes once.
std::ifstream opened(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) ? std::ifstream(path, std::ios::binary) : std::ifstream();
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

/// The end of the tag, name or token of a value that begins there.
std::size_t end_of_token(std::string_view line, std::size_t begin) {
  const std::string_view ends = line.substr(begin).starts_with('<') ? " />" : " \"'<>";
  return std::min(line.find_first_of(ends, std::min(begin + 1, line.size())), line.size());
}

/// The end of the markup that begins at `begin`; `size()` if it has none.
std::size_t end_of_markup(std::string_view text, std::size_t begin) {
  const auto behind = [&](std::string_view mark) {
    const std::size_t at = text.find(mark, begin);
    return at == text.npos ? text.size() : at + mark.size();
  };
  const std::string_view rest = text.substr(begin);
  if (rest.starts_with("<!--")) return behind("-->");
  if (rest.starts_with("<![CDATA[")) return behind("]]>");
  if (rest.starts_with("<?")) return behind("?>");
  for (std::size_t at = begin; at < text.size(); ++at) {
    if (text[at] == '>') return at + 1;
    if (text[at] == '"' || text[at] == '\'') at = std::min(text.find(text[at], at + 1), text.size());
  }
  return text.size();
}

/// Where the innermost element begins that is open at the end of `text`. All markup in it is well-formed.
std::optional<std::size_t> innermost_open(std::string_view text) {
  std::vector<std::size_t> open;
  for (std::size_t at = text.find('<'); at < text.size(); at = text.find('<', at)) {
    const std::size_t end = end_of_markup(text, at);
    const char kind = at + 1 < text.size() ? text[at + 1] : '!';
    if (kind == '/') {
      if (!open.empty()) open.pop_back();
    } else if (kind != '!' && kind != '?' && text[end - 2] != '/') {
      open.push_back(at);
    }
    at = end;
  }
  return open.empty() ? std::nullopt : std::optional(open.back());
}

/// The opening tag of the element whose end tag the parser misses at `missed`.
std::optional<Location> opening_tag(const Location& missed) {
  std::ostringstream bytes;
  bytes << opened(missed.file).rdbuf();
  const std::string text = bytes.str();
  std::size_t end = 0;
  for (std::uint32_t line = 1; line < missed.line && end < text.size(); ++line)
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  for (std::uint32_t column = 1; column < missed.column && end < text.size(); ++end)
    if (end + 1 < text.size() && begins_character(text[end + 1])) ++column;
  // The parser names a place behind "</", where the tag that it did not expect begins.
  end = std::min(end, text.size());
  if (const std::size_t mark = text.rfind("</", end); mark != text.npos && text.find_first_of(">\n", mark) >= end)
    end = mark;
  const auto begin = innermost_open(std::string_view(text).substr(0, end));
  if (!begin) return std::nullopt;
  const auto before = text.begin() + static_cast<std::ptrdiff_t>(*begin);
  const std::size_t line_begin = *begin == 0 ? 0 : text.rfind('\n', *begin - 1) + 1;
  return Location{
      missed.file, static_cast<std::uint32_t>(std::count(text.begin(), before, '\n') + 1),
      static_cast<std::uint32_t>(
          std::count_if(text.begin() + static_cast<std::ptrdiff_t>(line_begin), before, begins_character) + 1)};
}

bool misses_end_tag(std::string_view message) {
  return message.find("expected end of tag '") != message.npos || message.find("last tag started is '") != message.npos;
}

Colour colour_of(Severity severity) {
  return severity == Severity::error ? Colour::bad : severity == Severity::warning ? Colour::bold : Colour::dim;
}

}  // namespace

std::optional<std::string> Excerpts::line_of(const Location& at) {
  if (at.file != path_ || at.line < line_) {
    path_ = at.file;
    line_ = 0;
    file_ = opened(path_);
  }
  while (line_ < at.line) {
    if (!std::getline(file_, text_)) return std::nullopt;
    ++line_;
  }
  std::string line = text_;
  if (line.ends_with('\r')) line.pop_back();
  if (line_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  std::replace(line.begin(), line.end(), '\t', ' ');
  return visible_text(line) == line ? std::optional(std::move(line)) : std::nullopt;
}

std::string Excerpts::excerpt(const Location& at) {
  if (at.line == 0 || at.column == 0) return {};
  const auto line = line_of(at);
  if (!line) return {};
  std::vector<std::size_t> characters;  // where they begin
  for (std::size_t i = 0; i < line->size(); ++i)
    if (begins_character((*line)[i])) characters.push_back(i);
  const std::size_t caret = std::min<std::size_t>(at.column - 1, characters.size());
  const std::size_t count = characters.size();
  characters.push_back(line->size());
  const std::size_t token_end = end_of_token(*line, characters[caret]);
  const auto end_at = std::lower_bound(characters.begin(), characters.end(), token_end);
  const std::size_t marked_end = static_cast<std::size_t>(end_at - characters.begin());

  const std::size_t first = count <= widest || caret <= widest / 2 ? 0 : std::min(caret - widest / 2, count - widest);
  const std::size_t last = std::min(first + widest, count);
  const std::string margin = fmt::format("{:5} | ", at.line);
  std::string shown = margin + (first > 0 ? "…" : "");
  shown += line->substr(characters[first], characters[last] - characters[first]);
  shown += last < count ? "…\n" : "\n";
  const std::size_t tail = std::min(std::max(marked_end, caret + 1), std::max(last, caret + 1)) - caret - 1;
  return shown + std::string(margin.size() - 2, ' ') + "| " + std::string(caret - first + (first > 0 ? 1 : 0), ' ') +
         paint("^" + std::string(tail, '~'), Colour::good, colour_) + "\n";
}

std::string Excerpts::shown(const Diagnostic& finding) {
  std::string text = format(finding);
  const std::string severity = fmt::format("{}: ", to_string(finding.severity));
  const std::string words = severity + one_line(finding.message);
  if (const std::size_t at = text.rfind(words); colour_ && at != text.npos)
    text.replace(at, severity.size() - 1,
                 paint(severity.substr(0, severity.size() - 1), colour_of(finding.severity), colour_));
  text += "\n" + excerpt(finding.location);
  if (!misses_end_tag(finding.message)) return text;
  if (const auto opening = opening_tag(finding.location); opening && *opening != finding.location)
    text += fmt::format("{}:{}:{}: opened here\n", one_line(opening->file), opening->line, opening->column) +
            excerpt(*opening);
  return text;
}

}  // namespace amalthea::exporter
