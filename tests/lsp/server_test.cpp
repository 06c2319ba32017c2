// SPDX-License-Identifier: Apache-2.0
// The command as editors start it, and what a keystroke costs.

#include <ctime>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "bench/synthetic_model.hpp"
#include "importer/reading/model_reader.hpp"
#include "lsp/framing.hpp"
#include "tests/lsp/editor.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/test_models.hpp"

namespace lsp_server_test {

namespace {

using Json = nlohmann::json;
using amalthea::lsp::framed;

std::string request(int id, const std::string& method, Json params) {
  return framed(Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}}.dump());
}
std::string notification(const std::string& method, Json params) {
  return framed(Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}.dump());
}

test::CommandResult served(const std::string& bytes, const std::string& options = {}) {
  const test::TemporaryFolder folder;
  test::write_text(folder.path() + "/messages", bytes);
  return test::run(
      {"/bin/sh", "-c", fmt::format("'{}' lsp {} < '{}/messages'", AMALTHEA_COMMAND, options, folder.path())});
}

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

TEST_CASE("the exit code of the server is 0 after shutdown and 1 without it") {
  const std::string begin = request(1, "initialize", {{"capabilities", Json::object()}});
  const auto well = served(begin + request(2, "shutdown", nullptr) + notification("exit", nullptr));
  CHECK(well.exit_code == 0);
  CHECK(well.err.empty());
  CHECK(well.out.starts_with("Content-Length: "));
  CHECK(served(begin + notification("exit", nullptr)).exit_code == 1);
  CHECK(served(begin).exit_code == 1);  // the editor is gone
  CHECK(served("").exit_code == 1);
  CHECK(served(begin + request(2, "shutdown", nullptr)).exit_code == 0);
}

TEST_CASE("the arguments of clients built on vscode-languageclient change nothing") {
  const std::string all =
      request(1, "initialize", {{"capabilities", Json::object()}}) + request(2, "shutdown", nullptr);
  const auto plain = served(all);
  for (const char* options : {"--stdio", "--stdio --clientProcessId=1", "--stdio --clientProcessId 1",
                              "--clientProcessId=99999999999", "--clientProcessId=0"}) {
    INFO(options);
    const auto named = served(all, options);
    CHECK(named.exit_code == 0);
    CHECK(named.err.empty());
    CHECK(named.out == plain.out);
  }
}

TEST_CASE("the server ends when the process of its editor is gone") {
  for (const bool by_option : {true, false}) {
    INFO(by_option);
    const test::TemporaryFolder folder;
    const std::string begin =
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":%d,"capabilities":{}}})";
    const auto end = test::run(
        {"/bin/sh", "-c",
         fmt::format(
             "cd '{}'; mkfifo in; sleep 60 & client=$!; timeout 20 '{}' lsp {} <in >out & server=$!; exec 3>in; "
             "message=$(printf '{}' {}); printf 'Content-Length: %d\\r\\n\\r\\n%s' ${{#message}} \"$message\" >&3; "
             "until grep -q serverInfo out; do sleep 0.02; done; kill $client; wait $client; wait $server",
             folder.path(), AMALTHEA_COMMAND, by_option ? "--clientProcessId=$client" : "--stdio", begin,
             by_option ? "0" : "$client")});
    CHECK(end.exit_code == 1);
  }
}

TEST_CASE("damaged and oversized messages are answered with errors and the next request is served") {
  const std::string begin = request(1, "initialize", {{"capabilities", Json::object()}});
  const std::string end = request(2, "shutdown", nullptr) + notification("exit", nullptr);
  const auto header = served(begin + "Content-Length: many\r\n\r\n" + end);
  CHECK(header.exit_code == 0);
  CHECK(header.out.find("-32700") != std::string::npos);
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  for (const std::string& message :
       {R"({"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///x.amxmi","text":)"
        R"("<a/>","version":)" +
            deep + "}}}",
        R"({"jsonrpc":"2.0","id":)" + deep + R"(,"method":"x"})", deep}) {
    const auto nested = served(begin + fmt::format("Content-Length: {}\r\n\r\n{}", message.size(), message) + end);
    CHECK(nested.exit_code == 0);
    CHECK(nested.out.find("it is nested more than 32 levels deep") != std::string::npos);
  }
  const auto size = served(begin + notification("x", std::string(5000, 'x')) + end, "--max-message 2000");
  CHECK(size.exit_code == 0);
  CHECK(size.out.find("--max-message") != std::string::npos);
  CHECK(served(begin + notification("x", std::string(5000, 'x')) + end).out.find("error") == std::string::npos);
}

TEST_CASE("edits and requests arrive while another thread reads and analyzes") {
  const std::string text = test::read_text(test::sample("waters2019-tx2.amxmi"));
  const Json named = {{"uri", "file:///nowhere/model.amxmi"}, {"version", 1}};
  Json opened = named;
  opened["text"] = text;
  const auto edit = [&](int line, const char* inserted) {
    const Json at = {{"line", line}, {"character", 0}};
    const Json change = {{"range", {{"start", at}, {"end", at}}}, {"text", inserted}};
    return notification("textDocument/didChange", {{"textDocument", named}, {"contentChanges", {change}}});
  };
  const test::TemporaryFolder folder;
  test::write_text(folder.path() + "/begin", request(1, "initialize", {{"capabilities", Json::object()}}) +
                                                 notification("textDocument/didOpen", {{"textDocument", opened}}));
  std::string pieces = "cat begin; sleep 0.2; ";
  for (int i = 0; i < 20; ++i) {  // every second edit breaks the text, and the next one repairs it
    const std::string file = fmt::format("piece{}", i);
    const Json place = {{"textDocument", named}, {"position", {{"line", 39 + i / 2}, {"character", 20}}}};
    test::write_text(folder.path() + "/" + file,
                     edit(38 + i / 2, i % 2 == 0 ? "<!--" : "x-->") + request(10 + i, "textDocument/hover", place) +
                         request(50 + i, "textDocument/documentSymbol", {{"textDocument", named}}));
    pieces += fmt::format("cat {}; sleep 0.{}; ", file, i % 3);
  }
  test::write_text(folder.path() + "/end", request(2, "shutdown", nullptr) + notification("exit", nullptr));
  const auto server = test::run(
      {"/bin/sh", "-c",
       fmt::format("cd '{}' && ({} sleep 1; cat end) | '{}' lsp --delay 20", folder.path(), pieces, AMALTHEA_COMMAND)});
  CHECK(server.exit_code == 0);
  CHECK(server.err.empty());
  for (int i = 0; i < 20; ++i)
    for (const int id : {10 + i, 50 + i})
      CHECK(server.out.find(fmt::format("{{\"id\":{},\"jsonrpc\":\"2.0\",\"result\":", id)) != std::string::npos);
  CHECK(server.out.find("AM0103") != std::string::npos);
}

TEST_CASE("the server executes a command in another thread and stops one at its end") {
  const std::string uri = "file:///nowhere/model.amxmi";
  const test::TemporaryFolder folder;
  const auto run_command = [&](int id, const char* command) {
    return request(id, "workspace/executeCommand", {{"command", command}, {"arguments", {{{"uri", uri}}}}});
  };
  test::write_text(
      folder.path() + "/begin",
      request(1, "initialize", {{"capabilities", Json::object()}}) +
          notification(
              "textDocument/didOpen",
              {{"textDocument",
                {{"uri", uri}, {"version", 1}, {"text", test::read_text(test::sample("waters2019-tx2.amxmi"))}}}}) +
          run_command(7, "amalthea.plan"));
  test::write_text(folder.path() + "/end",
                   run_command(8, "amalthea.report") + request(2, "shutdown", nullptr) + notification("exit", nullptr));
  const auto server =
      test::run({"/bin/sh", "-c",
                 fmt::format("cd '{}'; mkfifo in; timeout 50 '{}' lsp <in >out & server=$!; exec 3>in; cat begin >&3; "
                             "until grep -q '\"id\":7' out; do sleep 0.02; done; cat end >&3; wait $server",
                             folder.path(), AMALTHEA_COMMAND)});
  CHECK(server.exit_code == 0);
  const std::string out = test::read_text(folder.path() + "/out");
  CHECK(out.find("Smallest change that works") != std::string::npos);
  CHECK(out.find(R"("code":-32800)") != std::string::npos);
}

TEST_CASE("Neovim shows diagnostics and lenses and hovers and applies a quick fix") {
  if (test::run({"nvim", "--version"}).exit_code != 0) test::skip("no Neovim (neovim)");
  const test::TemporaryFolder folder;
  const std::string model = folder.path() + "/model.amxmi";
  test::write_text(model, test::read_text(test::sample("tutorial/1-one-task.amxmi")));
  const auto editor = test::run({"/usr/bin/env", "HOME=" + folder.path(), "XDG_CACHE_HOME=" + folder.path(),
                                 "AMALTHEA=" AMALTHEA_COMMAND, "MODEL=" + model, "SHOWN=" + folder.path() + "/shown",
                                 "nvim", "--headless", "-u", "NONE", "-n", "-i", "NONE", "-c",
                                 "luafile " AMALTHEA_SOURCE_DIR "/tests/lsp/neovim.lua"});
  CHECK(editor.exit_code == 0);
  std::map<std::string, Json> shown;
  std::istringstream lines(test::read_text(folder.path() + "/shown"));
  for (std::string line; std::getline(lines, line);) {
    const Json value = Json::parse(line);
    shown[value[0]] = value[1];
  }
  INFO(editor.err);
  CHECK(shown["failure"] == Json());
  CHECK(shown["lenses"] == Json{"WCRT 3 ms, no deadline; 100 % own execution"});
  CHECK(shown["diagnostics"].is_array());
  CHECK(shown["hover"].get<std::string>().starts_with("**Runnable** Steer\n"));
  CHECK(shown["symbols"] == 5);
  CHECK(shown["definition"] == 22);
  CHECK(shown["action"] == "Change to \"Steer?type=Runnable\"");
  CHECK(shown["fixed"] == true);
  CHECK(shown["last state"] == true);
  CHECK(shown["exit code"] == 0);
}

namespace {

/// Lets an editor hold the dialogue of dialogue.json: what it wrote, one pair of JSON per line.
Json dialogue_of(std::vector<std::string> editor) {
  const test::TemporaryFolder folder;
  const std::string model = folder.path() + "/model.amxmi";
  test::write_text(model, test::read_text(test::sample("tutorial/2-missed-deadline.amxmi")));
  test::write_text(folder.path() + "/shown", "");
  std::vector<std::string> command = {"/usr/bin/env",
                                      "HOME=" + folder.path(),
                                      "XDG_CACHE_HOME=" + folder.path(),
                                      "AMALTHEA=" AMALTHEA_COMMAND,
                                      "MODEL=" + model,
                                      "SHOWN=" + folder.path() + "/shown",
                                      "timeout",
                                      "50"};
  command.insert(command.end(), editor.begin(), editor.end());
  const auto ended = test::run(command);
  INFO(ended.err);
  CHECK(ended.exit_code == 0);
  Json shown = Json::object();
  std::istringstream lines(test::read_text(folder.path() + "/shown"));
  for (std::string line; std::getline(lines, line);) {
    const Json value = Json::parse(line);
    shown[value[0].get<std::string>()] = value[1];
  }
  return shown;
}

Json expected_dialogue() { return Json::parse(test::read_text(AMALTHEA_SOURCE_DIR "/tests/lsp/dialogue.json")); }

}  // namespace

TEST_CASE("Neovim holds the dialogue of all clients with the same answers") {
  if (test::run({"nvim", "--version"}).exit_code != 0) test::skip("no Neovim (neovim)");
  CHECK(dialogue_of({"nvim", "--headless", "-u", "NONE", "-n", "-i", "NONE", "-c",
                     "luafile " AMALTHEA_SOURCE_DIR "/tests/lsp/dialogue.lua"}) == expected_dialogue());
}

TEST_CASE("Eglot of Emacs holds the dialogue of all clients with the same answers") {
  if (test::run({"emacs", "--batch", "--eval", "(progn (package-initialize) (require 'eglot))"}).exit_code != 0)
    test::skip("no Emacs with Eglot (emacs-nox, elpa-eglot)");
  CHECK(dialogue_of({"emacs", "--batch", "-l", AMALTHEA_SOURCE_DIR "/tests/lsp/dialogue.el"}) == expected_dialogue());
}

TEST_CASE("the configuration of Neovim in the documentation attaches the server to a model") {
  if (test::run({"nvim", "--version"}).exit_code != 0) test::skip("no Neovim (neovim)");
  const std::string page = test::read_text(AMALTHEA_SOURCE_DIR "/docs/how-to/use-in-an-editor.md");
  const std::size_t begin = page.find("```lua\n") + 7;
  const test::TemporaryFolder folder;
  test::write_text(folder.path() + "/init.lua", page.substr(begin, page.find("```", begin) - begin));
  test::write_text(folder.path() + "/model.amxmi", test::read_text(test::sample("broken.amxmi")));
  const std::string commands = std::string(AMALTHEA_COMMAND).substr(0, std::string(AMALTHEA_COMMAND).rfind('/'));
  const auto editor = test::run(
      {"/bin/sh", "-c",
       fmt::format(
           "cd '{0}' && HOME='{0}' XDG_CACHE_HOME='{0}' PATH=\"{1}:$PATH\" nvim --headless -u init.lua -n -i NONE "
           "model.amxmi -c 'lua print(vim.wait(20000, function() return #vim.diagnostic.get(0) > 3 end, 20), "
           "vim.bo.filetype)' -c 'qa!'",
           folder.path(), commands)});
  CHECK(editor.exit_code == 0);
  CHECK(editor.err.find("true xml") != std::string::npos);
}

TEST_CASE("a keystroke in a model of 5 MB costs at most a fifth of reading it") {
  const std::string text = amalthea::bench::synthetic_model(1);
  REQUIRE(text.size() > 4'000'000);
  double start = seconds();
  amalthea::Diagnostics findings;
  REQUIRE(amalthea::importer::read_model_from_bytes("model.amxmi", text, {}, findings));
  const double reading = seconds() - start;

  amalthea::lsp::Session session(
      2'000'000'000, [](const amalthea::Diagnostic&) { return true; }, [](const Json&) {});
  const auto receive = [&](const Json& message) { session.receive(message.dump()); };
  receive({{"jsonrpc", "2.0"}, {"id", 1}, {"method", "initialize"}, {"params", {{"capabilities", Json::object()}}}});
  receive({{"jsonrpc", "2.0"},
           {"method", "textDocument/didOpen"},
           {"params", {{"textDocument", {{"uri", "file:///nowhere/model.amxmi"}, {"version", 1}, {"text", text}}}}}});
  CHECK(session.due().size() == 1);
  constexpr int keystrokes = 100;
  start = seconds();
  for (int i = 0; i < keystrokes; ++i) {  // at places all over the file, the worst case for the regions that changed
    const Json at = {{"line", i * 500}, {"character", 2}};
    receive({{"jsonrpc", "2.0"},
             {"method", "textDocument/didChange"},
             {"params",
              {{"textDocument", {{"uri", "file:///nowhere/model.amxmi"}, {"version", 2 + i}}},
               {"contentChanges", {{{"range", {{"start", at}, {"end", at}}}, {"text", "x"}}}}}}});
  }
  const double keystroke = (seconds() - start) / keystrokes;
  CHECK(session.urgency() == amalthea::lsp::Session::Urgency::pause);
  fmt::print("reading: {:.1f} ms, a keystroke: {:.3f} ms, ratio {:.4f}\n", reading * 1000, keystroke * 1000,
             keystroke / reading);
  CHECK(keystroke <= reading / 5);
}

}  // namespace lsp_server_test
