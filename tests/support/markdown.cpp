// SPDX-License-Identifier: Apache-2.0
#include "tests/support/markdown.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>

namespace test {
namespace {

namespace fs = std::filesystem;

/// The page line by line; lines of fenced blocks, fences included, are empty.
std::vector<std::string> prose(const std::string& page) {
  std::vector<std::string> lines = lines_of(page);
  for (const FencedBlock& block : fenced_blocks(page))
    for (std::size_t line = block.first - 1; line <= block.end && line < lines.size(); ++line) lines[line].clear();
  return lines;
}

/// The anchor that GitHub makes of a heading's text.
std::string slug(std::string heading) {
  heading = std::regex_replace(heading, std::regex(R"(!?\[([^\]]*)\]\([^)]*\))"), "$1");
  std::string anchor;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 'A' && byte <= 'Z') anchor += static_cast<char>(c + 32);
    if ((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || c == '_' || c == '-' || byte >= 0x80)
      anchor += c;
    if (c == ' ') anchor += '-';
  }
  for (const char* dropped : {"…", "–", "—", "→", "“", "”", "’", "×", "≤"})
    for (auto at = anchor.find(dropped); at != anchor.npos; at = anchor.find(dropped))
      anchor.erase(at, std::string(dropped).size());
  return anchor;
}

}  // namespace

std::vector<std::string> documentation_pages() {
  std::vector<std::string> pages;
  const fs::path root = AMALTHEA_SOURCE_DIR;
  const auto add = [&](const fs::directory_entry& entry) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path().lexically_relative(root).string());
  };
  for (const auto& entry : fs::directory_iterator(root)) add(entry);
  for (const char* folder : {"docs", "samples"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) add(entry);
  std::sort(pages.begin(), pages.end());
  return pages;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<FencedBlock> fenced_blocks(const std::string& page) {
  static const std::regex opening(R"(^( *)(`{3,})\s*([^\s`]*)\s*([^`]*)$)");
  static const std::regex file(R"(\bfile=(\S+))");
  std::vector<FencedBlock> blocks;
  const std::vector<std::string> lines = lines_of(page);
  for (std::size_t at = 0; at < lines.size(); ++at) {
    std::smatch fence;
    if (!std::regex_match(lines[at], fence, opening)) continue;
    FencedBlock block;
    block.indentation = fence[1];
    block.language = fence[3];
    block.first = at + 1;
    const std::string rest = fence[4], ticks = fence[2];
    std::smatch name;
    if (std::regex_search(rest, name, file)) block.file = name[1];
    const std::regex closing("^ *" + ticks + "`*\\s*$");
    for (++at; at < lines.size() && !std::regex_match(lines[at], closing); ++at)
      block.lines.push_back(lines[at].starts_with(block.indentation) ? lines[at].substr(block.indentation.size())
                                                                     : lines[at]);
    block.end = at;
    blocks.push_back(std::move(block));
  }
  return blocks;
}

std::vector<Link> links(const std::string& page) {
  static const std::regex code("`+[^`]+`+");
  static const std::regex link(R"(\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)|(?:href|src|srcset)="([^"]+)\")");
  std::vector<Link> found;
  const std::vector<std::string> lines = prose(page);
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const std::string line = std::regex_replace(lines[at], code, "");
    for (auto hit = std::sregex_iterator(line.begin(), line.end(), link); hit != std::sregex_iterator(); ++hit)
      found.push_back({(*hit)[1].matched ? (*hit)[1] : (*hit)[2], at + 1});
  }
  return found;
}

std::set<std::string> anchors(const std::string& page) {
  static const std::regex heading(R"(^#{1,6}\s+(.*?)\s*#*\s*$)"),
      element("<[a-z0-9]+ [^>]*\\b(?:id|name)=\"([^\"]+)\"");
  std::set<std::string> found;
  std::map<std::string, int> times;
  for (const std::string& line : prose(page)) {
    std::smatch match;
    if (std::regex_match(line, match, heading)) {
      const std::string anchor = slug(match[1]);
      const int before = times[anchor]++;
      found.insert(before == 0 ? anchor : anchor + "-" + std::to_string(before));
    }
    for (auto hit = std::sregex_iterator(line.begin(), line.end(), element); hit != std::sregex_iterator(); ++hit)
      found.insert((*hit)[1]);
  }
  return found;
}

}  // namespace test
