// SPDX-License-Identifier: Apache-2.0
#include "tests/support/documented_commands.hpp"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include <fmt/core.h>

#include "tests/support/markdown.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace test {
namespace {

namespace fs = std::filesystem;

const std::string ellipsis = "…";

bool stands_for_lines(const std::string& line) { return line == ellipsis || line == "..."; }

/// Whether `printed` is `expected`, in which every "…" stands for any text.
bool line_as_expected(const std::string& expected, const std::string& printed) {
  const auto first = expected.find(ellipsis);
  if (first == expected.npos) return expected == printed;
  if (printed.compare(0, first, expected, 0, first) != 0) return false;
  const std::string rest = expected.substr(first + ellipsis.size());
  for (std::size_t at = first; at <= printed.size(); ++at)
    if (line_as_expected(rest, printed.substr(at))) return true;
  return false;
}

/// How unlike two lines are: what it costs to say that one became the other.
int difference(const std::string& expected, const std::string& printed) {
  const auto words = [](const std::string& line) {
    std::istringstream in(line);
    std::multiset<std::string> found;
    for (std::string word; in >> word;) found.insert(word);
    return found;
  };
  const auto before = words(expected), after = words(printed);
  std::vector<std::string> common;
  std::set_intersection(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(common));
  const std::size_t most = std::max<std::size_t>({before.size(), after.size(), 1});
  return 2 + static_cast<int>(10 * (most - common.size()) / most);
}

/// The cheapest way from the expected lines to the printed ones.
class Alignment {
 public:
  Alignment(const std::vector<std::string>& expected, const std::vector<std::string>& printed)
      : expected_(expected),
        printed_(printed),
        width_(printed.size() + 1),
        cost_((expected.size() + 1) * width_, 0),
        steps_(cost_.size(), Step::drop) {
    for (std::size_t e = expected.size() + 1; e-- > 0;)
      for (std::size_t p = width_; p-- > 0;) choose(e, p);
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    for (std::size_t e = 0, p = 0; e < expected_.size() || p < printed_.size();) switch (steps_[e * width_ + p]) {
        case Step::keep:
          out.push_back(expected_[e++]);
          ++p;
          break;
        case Step::replace:
          ++e;
          out.push_back(printed_[p++]);
          break;
        case Step::insert:
          out.push_back(printed_[p++]);
          break;
        case Step::skip:
          if (out.empty() || !stands_for_lines(out.back())) out.push_back(ellipsis);
          ++p;
          break;
        case Step::drop:
          ++e;
          break;
      }
    return out;
  }

 private:
  enum class Step { keep, replace, insert, skip, drop };
  static constexpr int new_line = 8;

  void choose(std::size_t e, std::size_t p) {
    const bool more_expected = e < expected_.size(), more_printed = p < printed_.size();
    if (!more_expected && !more_printed) return;
    int best = -1;
    const auto offer = [&](Step step, int cost, std::size_t next_e, std::size_t next_p) {
      cost += cost_[next_e * width_ + next_p];
      if (best >= 0 && cost >= best) return;
      best = cost;
      steps_[e * width_ + p] = step;
    };
    const bool any = more_expected && stands_for_lines(expected_[e]);
    if (more_expected && more_printed && !any) {
      const bool same = line_as_expected(expected_[e], printed_[p]);
      offer(same ? Step::keep : Step::replace, same ? 0 : difference(expected_[e], printed_[p]), e + 1, p + 1);
    }
    if (any && more_printed) offer(Step::skip, 1, e, p + 1);
    if (more_printed && !any) offer(Step::insert, new_line, e, p + 1);
    if (more_expected) offer(Step::drop, any ? 0 : new_line, e + 1, p);
    cost_[e * width_ + p] = best;
  }

  const std::vector<std::string>&expected_, &printed_;
  std::size_t width_;
  std::vector<int> cost_;
  std::vector<Step> steps_;
};

std::vector<std::string> trimmed(std::vector<std::string> lines) {
  for (std::string& line : lines) line.erase(line.find_last_not_of(" \t\r") + 1);
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::string indented(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "    " + line + "\n";
  return text;
}

/// A command of a ```console block and the lines of the block that say what it prints.
struct Command {
  std::string text;
  std::size_t first = 0, end = 0;  ///< of its output, in the block
  std::vector<std::string> expected;
  int exit_code = 0;
};

std::vector<Command> commands_of(const FencedBlock& block) {
  static const std::regex exit_code("# exit code ([0-9]+)");
  std::vector<Command> commands;
  for (std::size_t at = 0; at < block.lines.size();) {
    if (!block.lines[at].starts_with("$ ")) {
      ++at;
      continue;
    }
    Command command;
    command.text = block.lines[at].substr(2);
    while (command.text.ends_with("\\") && at + 1 < block.lines.size()) command.text += "\n" + block.lines[++at];
    command.first = ++at;
    while (at < block.lines.size() && !block.lines[at].starts_with("$ ")) command.expected.push_back(block.lines[at++]);
    command.expected = trimmed(command.expected);
    command.end = command.first + command.expected.size();
    std::smatch code;
    if (!command.expected.empty() && std::regex_match(command.expected.back(), code, exit_code)) {
      command.exit_code = std::stoi(code[1]);
      command.expected = trimmed({command.expected.begin(), command.expected.end() - 1});
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

/// Where a page's commands run.
class Scratch {
 public:
  Scratch() {
    for (const char* part : {"samples", "docs"})
      fs::copy(std::string(AMALTHEA_SOURCE_DIR "/") + part, folder() + "/" + part, fs::copy_options::recursive);
    fs::create_directory(temporary_.path() + "/bin");
    fs::create_symlink(AMALTHEA_COMMAND, temporary_.path() + "/bin/amalthea");
  }
  std::string folder() {
    fs::create_directories(temporary_.path() + "/work");
    return temporary_.path() + "/work";
  }
  CommandResult run(const std::string& command) {
    return test::run({"bash", "-c",
                      fmt::format("export PATH='{}/bin':\"$PATH\" LC_ALL=C.UTF-8; cd '{}'; exec 2>&1\n{}",
                                  temporary_.path(), folder(), command)});
  }

 private:
  TemporaryFolder temporary_;
};

}  // namespace

bool as_expected(const std::vector<std::string>& expected, const std::vector<std::string>& printed) {
  // Which beginnings of what was printed are the expected lines so far.
  std::vector<bool> reached(printed.size() + 1, false);
  reached[0] = true;
  for (const std::string& line : expected) {
    std::vector<bool> next(printed.size() + 1, false);
    const bool any = stands_for_lines(line);
    for (std::size_t at = 0; at <= printed.size(); ++at) {
      if (any && (reached[at] || (at > 0 && next[at - 1]))) next[at] = true;
      if (!any && reached[at] && at < printed.size() && line_as_expected(line, printed[at])) next[at + 1] = true;
    }
    reached = next;
  }
  return reached.back();
}

std::vector<std::string> updated(const std::vector<std::string>& expected, const std::vector<std::string>& printed) {
  return as_expected(expected, printed) ? expected : Alignment(expected, printed).lines();
}

PageRun run_commands(const std::string& name, const std::string& page) {
  PageRun run;
  Scratch scratch;
  std::vector<std::string> lines;  // of the updated page
  const std::vector<std::string> old = lines_of(page);
  std::size_t copied = 0;
  const auto copy_until = [&](std::size_t line) {
    for (; copied < line && copied < old.size(); ++copied) lines.push_back(old[copied]);
  };
  for (const FencedBlock& block : fenced_blocks(page)) {
    const std::string place = fmt::format("{}:{}", name, block.first);
    if (!block.file.empty()) {
      const std::string file = scratch.folder() + "/" + block.file;
      fs::create_directories(fs::path(file).parent_path());
      std::string text;
      for (const std::string& line : block.lines) text += line + "\n";
      write_text(file, text);
    }
    if (block.language != "console") continue;
    if (!block.lines.empty() && !block.lines.front().starts_with("$ "))
      run.failures.push_back(place + ": expected a command after \"$ \" on the first line of a console block");
    for (const Command& command : commands_of(block)) {
      ++run.commands;
      const CommandResult result = scratch.run(command.text);
      const std::vector<std::string> printed = trimmed(lines_of(result.out));
      const bool same = as_expected(command.expected, printed);
      copy_until(block.first + command.first);
      if (same && result.exit_code == command.exit_code) continue;
      const std::string where = fmt::format("{}:{}: {}", name, block.first + command.first, command.text);
      std::string message = where + "\n";
      if (result.exit_code != command.exit_code)
        message += fmt::format("  exit code {}, documented is {}\n", result.exit_code, command.exit_code);
      if (!same) message += "  documented:\n" + indented(command.expected) + "  printed:\n" + indented(printed);
      run.failures.push_back(message);
      std::vector<std::string> now = updated(command.expected, printed);
      const bool shortened = std::any_of(now.begin(), now.end(), stands_for_lines);
      if (shortened || result.exit_code != command.exit_code) run.rewritten.push_back(where);
      if (result.exit_code != 0) now.push_back(fmt::format("# exit code {}", result.exit_code));
      for (const std::string& line : now) lines.push_back(line.empty() ? line : block.indentation + line);
      copied = block.first + command.end;
    }
  }
  copy_until(old.size());
  for (const std::string& line : lines) run.text += line + "\n";
  return run;
}

}  // namespace test
