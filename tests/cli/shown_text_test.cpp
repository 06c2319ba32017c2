// SPDX-License-Identifier: Apache-2.0
// What input says never commands the terminal: control characters of models, JSON files and arguments are spelled out.

#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "amalthea/primitives/visible_text.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace shown_text_test {

namespace {

using Arguments = std::vector<std::string>;

/// What XML 1.0 lets into a name: DEL, C1 and what changes the order of reading.
constexpr std::string_view hostile =
    "\x7F\u0085\u009B\u061C\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069";

/// The text with what may not be shown raw in brackets, or nothing where there is none.
std::string raw_in(std::string_view text) {
  std::string shown;
  const std::string visible = amalthea::visible_text(text);
  if (visible == text) return shown;
  std::size_t at = 0;
  while (at < text.size() && visible.compare(at, 1, text, at, 1) == 0) ++at;
  return fmt::format("at {}: {}", at, visible.substr(at > 40 ? at - 40 : 0, 80));
}

void check_output(const test::CommandResult& result) {
  CHECK(raw_in(result.out).empty());
  CHECK(raw_in(result.err).empty());
  CHECK(result.exit_code != 3);
  CHECK(result.exit_code < 128);
}

/// A sample with hostile characters in the name of its first task and wherever it is referred to.
std::string hostile_model() {
  std::string text = test::read_text(test::sample("offload-minimal.amxmi"));
  const std::size_t at = text.find("<tasks ");
  const std::size_t begin = text.find("name=\"", at) + 6;
  const std::string name = text.substr(begin, text.find('"', begin) - begin);
  std::string encoded;
  for (const char c : hostile) encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  std::string changed;
  for (std::size_t i = 0; i < text.size();) {
    const bool is_name = text.compare(i, name.size() + 7, "name=\"" + name + "\"") == 0;
    if (is_name) {
      changed += fmt::format("name=\"{}{}\"", name, hostile);
      i += name.size() + 7;
    } else if (text.compare(i, name.size() + 2, "\"" + name + "?") == 0) {
      changed += fmt::format("\"{}{}?", name, encoded);
      i += name.size() + 2;
    } else {
      changed += text[i++];
    }
  }
  return changed;
}

/// Names like commands for readers of lines, with line breaks of all kinds before more of them.
constexpr std::array<std::string_view, 8> commands = {"::error::", "/approve ", "=1+",      "\u2060@all",
                                                      "`",         "|a|",       "##vso[x]", "~~~"};
constexpr std::string_view breaks =
    "\n::error::m\n/approve m\r=m\u0085@m\u2028::error::m\u2029/approve m\t\u202E##[error]m";

std::string encoded(std::string_view text, std::string_view form) {
  std::string out;
  for (const char c : text)
    if (form == "uri" && c != ' ' && std::string_view(".-*_").find(c) == std::string_view::npos &&
        std::isalnum(static_cast<unsigned char>(c)) == 0)
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else if (form == "uri")
      out += c == ' ' ? '+' : c;
    else if (c == '\n' || c == '\r' || c == '\t')
      out += fmt::format("&#{};", static_cast<int>(c));
    else
      out += c;
  return out;
}

/// The model with all its names changed so, but those that the metamodel knows.
std::string model_of_commands(const std::string& text) {
  static const std::regex name_or_reference(R"re(<(\w+)[^<>]*? name="([^"]*)"|(["\s/])([^"\s/?<>]+)\?type=)re");
  std::map<std::string, std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), name_or_reference), end; at != end; ++at)
    if ((*at)[2].matched && (*at)[1] != "schedulerDefinitions" && (*at)[1] != "schedulingParameterDefinitions")
      names.emplace((*at)[2], fmt::format("{}{}{}", commands[names.size() % commands.size()], (*at)[2].str(), breaks));
  std::string out;
  std::size_t done = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), name_or_reference), end; at != end; ++at) {
    const std::size_t group = (*at)[2].matched ? 2 : 4;
    const auto name = names.find((*at)[group]);
    if (name == names.end()) continue;
    const auto begin = static_cast<std::size_t>(at->position(group));
    out += text.substr(done, begin - done) + encoded(name->second, group == 2 ? "xml" : "uri");
    done = begin + name->first.size();
  }
  return out + text.substr(done);
}

/// The first line that acts, or that shows a character that is no part of a line; else nothing.
std::string acting_line(const std::string& text, bool markdown) {
  std::string acting = raw_in(text);
  static const std::regex acts(R"re((\s|\u2060)*(::|/approve|=|@|`|~~~|m\b))re");
  std::istringstream lines(text);
  for (std::string line; acting.empty() && std::getline(lines, line);)
    if (line.find('\t') != line.npos || std::regex_search(line, acts, std::regex_constants::match_continuous) ||
        line.find("##[") != line.npos || line.find("##vso[") != line.npos || (!markdown && line.starts_with("|")))
      acting = line;
  return acting;
}

}  // namespace

TEST_CASE("control characters and bytes that are no UTF-8 are spelled out") {
  using amalthea::visible_text;
  CHECK(visible_text("a\tb\nc \u00e4\u20ac\U0001F600") == "a\tb\nc \u00e4\u20ac\U0001F600");
  CHECK(visible_text("\x1b[31m\r\b") == "\\x1b[31m\\x0d\\x08");
  CHECK(visible_text(std::string_view("\0", 1)) == "\\x00");
  CHECK(visible_text("\u2028\u2029") == "\\u2028\\u2029");
  CHECK(visible_text("\x7F\u0080\u009F\u061C\u200E\u202E\u2069") ==
        "\\u007f\\u0080\\u009f\\u061c\\u200e\\u202e\\u2069");
  CHECK(visible_text("\x9b\xff\xC3") == "\\x9b\\xff\\xc3");
  CHECK(visible_text("\xED\xA0\x80\xC0\x80\xF5") == "\\xed\\xa0\\x80\\xc0\\x80\\xf5");
}

TEST_CASE("no verb writes a control character of a model as it is") {
  const test::TemporaryFolder folder;
  const auto in = [&](const char* name) { return folder.path() + "/" + name; };
  const std::string model = in("model.amxmi"), task = "the task";
  test::write_text(model, hostile_model());
  const std::vector<Arguments> commands = {
      {"info", model},
      {"info", model, "--format", "json"},
      {"info", model, "--dump"},
      {"graph", model},
      {"graph", model, "--format", "json"},
      {"graph", model, "--format", "svg"},
      {"graph", model, "--task", std::string(hostile)},
      {"analyze", model},
      {"analyze", model, "--format", "json"},
      {"analyze", model, "--format", "csv"},
      {"analyze", model, "--format", "markdown"},
      {"analyze", model, "--metrics"},
      {"simulate", model, "--runs", "2"},
      {"simulate", model, "--format", "json"},
      {"explain", model, "no such\x1b task"},
      {"validate", model},
      {"validate", model, "--format", "json"},
      {"validate", model, "--format", "sarif"},
      {"explore", model, "--candidates", "20", "--jobs", "1"},
      {"explore", model, "--candidates", "20", "--jobs", "1", "--format", "json"},
      {"convert", model, "--to", "3.2.0", "--check"},
      {"batch", model, "--jobs", "1"},
      {"annotate", model, "-o", in("annotated.amxmi")},
      {"report", model, "-o", in("report.html")},
      {"explore", model, "--candidates", "20", "--jobs", "1", "--report", in("report.md")},
      {"graph", model, "-o", in("graph.dot")},
      {"analyze", model, "-o", in("analysis.txt")},
      {"convert", model, "-o", in("model.csv"), "--table", "tasks"},
      {"simulate", model, "--trace", in("trace.csv")},
      {"batch", model, "--jobs", "1", "-o", in("lines.jsonl"), "--summary", in("summary.html"), "--summary",
       in("summary.md")},
  };
  for (const Arguments& arguments : commands) {
    INFO(fmt::format("{} {} {}", arguments[0], arguments.size() > 2 ? arguments[2] : "",
                     arguments.size() > 3 ? arguments[3] : ""));
    check_output(test::amalthea(arguments));
  }
  for (const char* file : {"report.html", "report.md", "graph.dot", "analysis.txt", "model.csv", "trace.csv",
                           "summary.html", "summary.md"}) {
    INFO(file);
    REQUIRE(std::filesystem::exists(in(file)));
    const std::string text = test::read_text(in(file));
    CHECK(raw_in(text).empty());
    if (std::string_view(file).substr(0, 7) != "summary") CHECK(text.find("202e") != std::string::npos);
  }
  // What others read byte by byte keeps the name.
  CHECK(test::read_text(in("annotated.amxmi")).find(hostile) != std::string::npos);
}

TEST_CASE("what would act at the beginning of a line is spelled out") {
  using amalthea::line_start;
  CHECK(line_start("::error::x") == "\\x3a:error::x");
  CHECK(line_start(" \u00a0\u3000::error::x") == " \u00a0\u3000\\x3a:error::x");
  CHECK(line_start("/approve") == "\\x2fapprove");
  CHECK(line_start("/label ~a/b") == "\\x2flabel ~a/b");
  CHECK(line_start("/approve\t./x") == "\\x2fapprove\\x09./x");
  CHECK(line_start("/approve\u00a0./x") == "\\x2fapprove\u00a0./x");
  CHECK(line_start("a\r\n\tb ##[error]c ##vso[d") == "a\\x0d\\x0a\\x09b \\u0023#[error]c \\u0023#vso[d");
  const std::vector<std::string> ignorable = {"\u00ad", "\u034f",     "\u115f",     "\u1160",     "\u17b4",
                                              "\u180b", "\u180e",     "\u200b",     "\u200d",     "\u2060",
                                              "\u2065", "\u206f",     "\u3164",     "\ufe0f",     "\ufeff",
                                              "\uffa0", "\U0001bca0", "\U0001d173", "\U000e0001", "\U000e0fff"};
  std::vector<std::string> unseen = {" ", "\u1680", "\u2000", "\u205f", "\u2800", "\u3000", "\ufffc"};
  for (const std::string& skipped : ignorable) {
    INFO(skipped);
    CHECK(line_start(":" + skipped + ":error::x") == "\\x3a" + skipped + ":error::x");
    CHECK(line_start("a #" + skipped + "#vso[d") == "a \\u0023" + skipped + "#vso[d");
    unseen.push_back(skipped);
  }
  for (const std::string& blank : unseen) {
    INFO(blank);
    CHECK(line_start(blank + " " + blank + "/approve") == blank + " " + blank + "\\x2fapprove");
    CHECK(line_start("/approve" + blank + "./x") == "\\x2fapprove" + blank + "./x");
  }
  for (const char* as_it_is : {"", "Task", "\u00e9", "a::b", "a ##b[", "a ## [", "a # #[", ": a", "/models/a.amxmi",
                               "/a.amxmi:3:4", "-", "+5", "a @b", "~ 5 ms"})
    CHECK(line_start(as_it_is) == as_it_is);
}

TEST_CASE("no line of an output begins with what a name says") {
  const test::TemporaryFolder folder;
  const auto in = [&](const char* name) { return folder.path() + "/" + name; };
  const std::string original = test::sample("offload-minimal.amxmi"), model = in("model.amxmi");
  test::write_text(model, model_of_commands(test::read_text(original)));
  // Too short a deadline, so that reasons are given.
  const std::string late = in("late.amxmi");
  test::write_text(late, test::replaced(test::read_text(model), "<limitValue value=\"2\" unit=\"ms\"/>",
                                        "<limitValue value=\"100\" unit=\"us\"/>"));
  const auto analyzed = test::amalthea({"analyze", model});
  REQUIRE(analyzed.exit_code == 0);
  // Columns stay below each other.
  const auto column_of = [&](std::string_view line_part, std::string_view part) {
    const std::size_t begin = analyzed.out.rfind('\n', analyzed.out.find(line_part)) + 1;
    return analyzed.out.find(part, begin) - begin;
  };
  CHECK(column_of("task  ", "core") == column_of("Monitor\\x0a", "/approve Core"));
  std::vector<Arguments> runs = {{"compare", model, in("trace.btf")},
                                 {"compare", model, in("trace.csv")},
                                 {"compare", model, in("trace.btf"), "--format", "markdown"},
                                 {"calibrate", model, in("trace.btf"), "--check"},
                                 {"diff", model, original},
                                 {"diff", original, model, "--timing"},
                                 {"diff", model, late, "--timing", "--format", "markdown"},
                                 {"diff", model, original, late},
                                 {"graph", model, "--task", "no\n::error::task"},
                                 {"explain", model, "no\n::error::task"},
                                 {"info", model, "--no\n::error::option"},
                                 {"info", "/approve x"},
                                 {"gpu", "run", in("kernels.json")},
                                 {"gpu", "run", in("kernels.json"), "--format", "gantt"},
                                 {"gpu", "bounds", in("processes.json")},
                                 {"no\n::error::verb"}};
  test::write_text(in("kernels.json"), R"({"operations": [{"kernel": "::error::k\n/approve m", "stream": "/approve s",
                                          "blocks": 4, "threads": 32, "duration": "1us"}]})");
  test::write_text(in("processes.json"), R"({"tasks": [{"name": "::error::p\n/approve m", "core": "=1", "priority": 1,
                                            "period": "2ms", "segments": [{"cpu": "1ms"}]}]})");
  for (const std::string& file : {model, late})
    for (const Arguments& of_one : std::vector<Arguments>{{"info"},
                                                          {"info", "--dump"},
                                                          {"info", "--format", "json"},
                                                          {"analyze", "--trace", in("trace.csv")},
                                                          {"analyze", "--trace", in("trace.btf")},
                                                          {"analyze", "-v"},
                                                          {"analyze", "--metrics"},
                                                          {"analyze", "--headroom"},
                                                          {"analyze", "--format", "csv"},
                                                          {"analyze", "--format", "markdown"},
                                                          {"simulate", "--runs", "2"},
                                                          {"validate"},
                                                          {"explore", "--candidates", "20", "--jobs", "1"},
                                                          {"convert", "--to", "3.2.0", "--check"},
                                                          {"batch", "--jobs", "1"},
                                                          {"annotate", "-o", in("annotated.amxmi")}}) {
      Arguments& run = *runs.insert(runs.end() - 16, of_one);
      run.insert(run.begin() + 1, file);
    }
  for (std::size_t i = 0; i < 3; ++i)
    runs.push_back({"explain", late, fmt::format("{}{}{}", commands[i], i == 0 ? "Control" : "Monitor", breaks)});
  for (const Arguments& arguments : runs) {
    const auto result = test::amalthea(arguments);
    INFO(fmt::format("{}", fmt::join(arguments, " ")));
    CHECK(result.exit_code != 3);
    CHECK(acting_line(result.out, arguments.back() == "markdown").empty());
    CHECK(acting_line(result.err, false).empty());
  }
  for (const char* report : {"report.md", "summary.md"}) {
    const std::string path = in(report);
    const auto result = test::amalthea(
        report[0] == 'r' ? Arguments{"explore", late, "--candidates", "20", "--jobs", "1", "--report", path}
                         : Arguments{"batch", late, "--jobs", "1", "--summary", path, "-o", in("lines")});
    INFO(result.err);
    REQUIRE(std::filesystem::exists(path));
    CHECK(acting_line(test::read_text(path), true).empty());
  }
}

TEST_CASE("arguments that a message quotes are spelled out") {
  const std::string bad = "\x1b]0;title\x07\xc2\x9b", model = test::sample("offload-minimal.amxmi");
  for (const Arguments& arguments : std::vector<Arguments>{{bad},
                                                           {"info", bad},
                                                           {"info", model, "--" + bad},
                                                           {"analyze", "x.amxmi", "--format", bad},
                                                           {"analyze", model, "--until", bad},
                                                           {"analyze", model, "--platform", bad},
                                                           {"analyze", model, "--map", bad},
                                                           {"validate", "x.amxmi", "--suppress", bad},
                                                           {"batch", bad},
                                                           {"gpu", bad},
                                                           {"gpu", "run", bad},
                                                           {"gpu", "place", bad, "--sms", "2", "--max-warps", "2"},
                                                           {"gpu", "makespan", "--kernel", bad, "--warps", "1"}}) {
    const auto result = test::amalthea(arguments);
    INFO(amalthea::visible_text(result.err));
    CHECK(result.exit_code == 2);
    CHECK(result.err.find("\\x1b") != std::string::npos);
    check_output(result);
  }
}

TEST_CASE("text of JSON files is spelled out") {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/file.json", esc = "k\\u001b]0;x\\u0007\\u009b";
  const auto check = [&](const std::string& text, Arguments arguments) {
    test::write_text(file, text);
    const auto result = test::amalthea(arguments);
    INFO(amalthea::visible_text(result.err));
    check_output(result);
    CHECK((result.out + result.err).find("x1b]0;") != std::string::npos);
  };
  const std::string model = test::sample("offload-minimal.amxmi");
  check(R"({"tasks": [{"name": ")" + esc + R"(", "core": ")" + esc +
            R"(", "priority": 2, "period": "2ms", "deadline": "2ms", "segments": [{"cpu": "1ms"}]}]})",
        {"gpu", "bounds", file});
  check(R"({")" + esc + R"(": 1})", {"gpu", "run", file});
  check(R"({"operations": [{"kernel": ")" + esc + R"(", "threads": 32, "duration": "1ms"}]})", {"gpu", "run", file});
  check(R"({"operations": [{"kernel": ")" + esc + R"(", "threads": 32, "duration": "1ms"}]})",
        {"gpu", "run", file, "--format", "gantt"});
  check(R"({")" + esc + R"(": {"core": "A"}})", {"analyze", model, "--mapping", file});
  check(R"({")" + esc + R"(": 1})", {"analyze", model, "--memory", file});
  const std::string tx2 = test::read_text(AMALTHEA_SOURCE_DIR "/engine/gpu/platforms/tx2.json");
  check(test::replaced(tx2, "\"name\": \"tx2\"", "\"name\": \"" + esc + "\""), {"analyze", model, "--platform", file});
}

}  // namespace shown_text_test
