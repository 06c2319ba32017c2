// SPDX-License-Identifier: Apache-2.0
// Streams that are closed or full, two processes with one output, signals, limits.

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "exporter/primitives/file_lock.hpp"
#include "exporter/primitives/new_file.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/test_models.hpp"

namespace {

namespace fs = std::filesystem;

std::string minimal() { return test::sample("offload-minimal.amxmi"); }
std::string waters() { return test::sample("waters2019-tx2.amxmi"); }

/// In a shell, with $0 for the command, $1 for a folder and $2 for a model.
test::CommandResult shell(const std::string& script, const std::string& folder, const std::string& model) {
  return test::run({"/bin/sh", "-c", "cd \"$1\"; " + script, AMALTHEA_COMMAND, folder, model});
}

std::size_t entries_of(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// Writes a trace until it is killed by the signal, once the temporary file has grown.
void kill_while_writing(const std::string& folder, int signal) {
  const pid_t process = ::fork();
  REQUIRE(process >= 0);
  if (process == 0) {
    const int nowhere = ::open("/dev/null", O_RDWR);
    ::dup2(nowhere, 1);
    ::dup2(nowhere, 2);
    const std::string model = waters(), trace = folder + "/t.json";
    ::execl(AMALTHEA_COMMAND, "amalthea", "analyze", model.c_str(), "--until", "10000s", "--trace", trace.c_str(),
            "--trace-limit", "0", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  for (int i = 0; i < 2000; ++i) {
    std::error_code error;
    if (fs::file_size(folder + "/t.json.amalthea-tmp0", error) > 0 && !error) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(fs::exists(folder + "/t.json.amalthea-tmp0"));
  ::kill(process, signal);
  int status = 0;
  ::waitpid(process, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == signal);
}

}  // namespace

TEST_CASE("standard error that is closed or full changes no exit code") {
  for (const std::string arguments : {"analyze \"$2\"", "analyze --bogus", "convert \"$2\" --to 1.0.0 --check",
                                      "analyze /none", "batch \"$2\"", "explore \"$2\" --candidates 10"}) {
    const test::TemporaryFolder folder;
    const auto usual = shell("exec \"$0\" " + arguments + " > out", folder.path(), waters());
    const std::string printed = test::read_text(folder.path() + "/out");
    for (const std::string error : {"2>&-", "2> /dev/full"}) {
      INFO(arguments << ' ' << error);
      CHECK(shell("exec \"$0\" " + arguments + " > out " + error, folder.path(), waters()).exit_code ==
            usual.exit_code);
      CHECK(test::read_text(folder.path() + "/out") == printed);
    }
  }
}

TEST_CASE("standard output that is closed or full is an error where results go there") {
  for (const std::string arguments :
       {"analyze \"$2\"", "info \"$2\"", "info --dump \"$2\"", "batch \"$2\"", "batch --list \"$2\"", "graph \"$2\"",
        "annotate \"$2\" -o -", "annotate \"$2\" -o /dev/stdout", "--version", "analyze --help",
        "gpu occupancy --threads 64"})
    for (const std::string output : {">&-", "> /dev/full"}) {
      const test::TemporaryFolder folder;
      const auto result = shell("exec \"$0\" " + arguments + " " + output, folder.path(), minimal());
      INFO(arguments << ' ' << output << '\n' << result.err);
      CHECK(result.exit_code == 2);
      CHECK(result.err.find("amalthea: error: cannot write to standard output: ") != std::string::npos);
      CHECK(result.err.find("standard output: ") == result.err.rfind("standard output: "));
    }
  // A summary of results that are in a file: nobody wants it on a closed standard output.
  for (const std::string arguments : {"batch \"$2\" -o lines", "convert \"$2\" --tree --to 3.2.0 -o tree"}) {
    const test::TemporaryFolder folder;
    CHECK(shell("exec \"$0\" " + arguments + " >&-", folder.path(), minimal()).exit_code == 0);
    const auto full = shell("exec \"$0\" " + arguments + " > /dev/full", folder.path(), minimal());
    CHECK(full.exit_code == 2);
    CHECK(full.err.find("amalthea: error: cannot write to standard output: ") != std::string::npos);
  }
}

TEST_CASE("a reader that has seen enough is no error to speak of") {
  const test::TemporaryFolder folder;
  const auto result = shell("trap '' PIPE; { \"$0\" info --dump \"$2\"; echo $? > code; } | head -c 10 > /dev/null",
                            folder.path(), waters());
  CHECK(result.err.empty());
  CHECK(test::read_text(folder.path() + "/code") == "2\n");
}

TEST_CASE("a process without standard streams gives the usual results") {
  const test::TemporaryFolder folder;
  fs::copy_file(minimal(), folder.path() + "/m.amxmi");
  const auto open = shell("\"$0\" batch m.amxmi --jobs 1 -o open > /dev/null && \"$0\" annotate m.amxmi -o open.amxmi",
                          folder.path(), "");
  REQUIRE(open.exit_code == 0);
  const std::string closed = " <&- >&- 2>&-";
  CHECK(shell("exec \"$0\" batch m.amxmi --jobs 1 -o closed" + closed, folder.path(), "").exit_code == 0);
  CHECK(shell("exec \"$0\" annotate m.amxmi -o closed.amxmi" + closed, folder.path(), "").exit_code == 0);
  CHECK(shell("exec \"$0\" convert m.amxmi --tree --to 3.2.0 -o t" + closed, folder.path(), "").exit_code == 0);
  CHECK(test::read_text(folder.path() + "/closed") == test::read_text(folder.path() + "/open"));
  CHECK(test::read_text(folder.path() + "/closed.amxmi") == test::read_text(folder.path() + "/open.amxmi"));
  CHECK(test::read_text(folder.path() + "/t/convert.jsonl").find("\"converted\"") != std::string::npos);
}

TEST_CASE("an output that another process is writing is refused, and free when that process has ended") {
  const test::TemporaryFolder folder;
  const std::string lines = folder.path() + "/o.jsonl", tree = folder.path() + "/tree";
  test::write_text(lines, "precious");
  fs::create_directory(tree);
  const std::vector<std::string> batch = {"batch", minimal(), "-o", lines};
  const std::vector<std::string> convert = {"convert", minimal(), "--tree", "--to", "3.2.0", "-o", tree};
  {
    const auto batch_lock = amalthea::exporter::FileLock::take(lines);
    const auto tree_lock = amalthea::exporter::FileLock::take(tree + "/convert.jsonl");
    REQUIRE(batch_lock);
    REQUIRE(tree_lock);
    for (const auto& arguments : {batch, convert}) {
      const auto refused = test::amalthea(arguments);
      CHECK(refused.exit_code == 2);
      CHECK(refused.err.find("another process is writing it") != std::string::npos);
    }
    CHECK(test::read_text(lines) == "precious");
    CHECK_FALSE(fs::exists(lines + ".partial"));
    CHECK(entries_of(tree) == 1);
  }
  // As it is after the process was killed.
  test::write_text(lines + ".lock", "");
  CHECK(test::amalthea(batch).exit_code == 0);
  CHECK(test::amalthea(convert).exit_code == 0);
  CHECK_FALSE(fs::exists(lines + ".lock"));
  CHECK_FALSE(fs::exists(tree + "/convert.jsonl.lock"));
}

TEST_CASE("of two batches with one output one is refused, and the lines of the other are whole") {
  const test::TemporaryFolder folder;
  const auto result = shell(
      "\"$0\" batch \"$2\" --jobs 1 -o o --until 100s >/dev/null 2>&1 & first=$!; "
      "while [ ! -e o.lock ] && kill -0 $first; do :; done; "
      "\"$0\" batch \"$2\" --jobs 1 -o o --until 900ms >/dev/null 2>&1; echo $?; wait $first; echo $?",
      folder.path(), waters());
  CHECK(result.out == "2\n1\n");
  const std::string lines = test::read_text(folder.path() + "/o");
  CHECK(lines.ends_with("}\n"));
  CHECK(nlohmann::json::accept(lines));
  CHECK(entries_of(folder.path()) == 1);
}

TEST_CASE("a signal that ends the command removes its temporary files") {
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    const test::TemporaryFolder folder;
    INFO(signal);
    kill_while_writing(folder.path(), signal);
    CHECK(entries_of(folder.path()) == 0);
  }
}

TEST_CASE("what a killed process left is removed when its output is written again, and nothing else is") {
  const test::TemporaryFolder folder;
  kill_while_writing(folder.path(), SIGKILL);
  CHECK(entries_of(folder.path()) == 1);
  const std::string trace = folder.path() + "/t.json", foreign = trace + ".amalthea-tmp3";
  auto alive = amalthea::exporter::NewFile::create(trace);  // removes what was left
  REQUIRE(alive);
  CHECK(alive->temporary() == trace + ".amalthea-tmp0");
  CHECK(alive->write("alive"));
  test::write_text(trace + ".amalthea-tmp2", "left");
  fs::create_directory(foreign);
  CHECK(test::amalthea({"analyze", minimal(), "--trace", trace}).exit_code == 0);
  CHECK(nlohmann::json::accept(test::read_text(trace)));
  CHECK_FALSE(fs::exists(trace + ".amalthea-tmp2"));
  CHECK(fs::exists(foreign));
  CHECK(fs::exists(alive->temporary()));
  CHECK(alive->commit());
  CHECK(test::read_text(trace) == "alive");
}

TEST_CASE("an output lends nobody the rights of the file that it replaces") {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/o.csv";
  const auto mode_after = [&](mode_t before, gid_t group) {
    test::write_text(file, "x");
    CHECK(::chown(file.c_str(), static_cast<uid_t>(-1), group) == 0);
    CHECK(::chmod(file.c_str(), before) == 0);
    CHECK(test::amalthea({"analyze", minimal(), "--format", "csv", "-o", file}).exit_code == 0);
    struct stat written {};
    CHECK(::stat(file.c_str(), &written) == 0);
    fs::remove(file);
    return written.st_mode & 07777U;
  };
  const gid_t own = ::getegid();
  CHECK(mode_after(06755, own) == 0755);
  CHECK(mode_after(01640, own) == 0640);
  if (::geteuid() != 0) return;  // the rest takes another group
  CHECK(mode_after(0664, own + 1) == 0644);
  CHECK(mode_after(06770, own + 1) == 0700);
}

TEST_CASE("nobody blocks an output or leads it elsewhere by names beside it") {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/o.csv", elsewhere = folder.path() + "/elsewhere";
  for (const char digit : std::string("0123456789abcdef")) fs::create_directory(file + ".amalthea-tmp" + digit);
  CHECK(test::amalthea({"analyze", minimal(), "--format", "csv", "-o", file}).exit_code == 0);
  CHECK(fs::file_size(file) > 0);
  CHECK(entries_of(folder.path()) == 17);
  const std::string lines = folder.path() + "/lines";
  fs::create_symlink(elsewhere, lines + ".lock");
  const auto refused = test::amalthea({"batch", minimal(), "--jobs", "1", "-o", lines});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.find("lines.lock is there and is no lock") != std::string::npos);
  CHECK_FALSE(fs::exists(elsewhere));
}

TEST_CASE("a file that may become no larger is an output that cannot be written") {
  const test::TemporaryFolder folder;
  for (const std::string arguments :
       {"annotate \"$2\" -o o", "simulate \"$2\" --until 1s --trace t.json",
        "simulate \"$2\" --until 1s --trace t.atdb", "batch \"$2\" --cache . --summary s.db -o lines",
        "analyze \"$2\" --format json"}) {
    const auto result = shell("ulimit -f 8; exec \"$0\" " + arguments + " 2> error > out", folder.path(), waters());
    INFO(arguments);
    CHECK(result.exit_code == 2);
    const std::string error = test::read_text(folder.path() + "/error");
    INFO(error);
    CHECK(error.find("cannot write") != std::string::npos);
    fs::remove(folder.path() + "/error");
    fs::remove(folder.path() + "/out");
    fs::remove(folder.path() + "/lines.partial");  // to be resumed
    CHECK(entries_of(folder.path()) == 0);
  }
}

TEST_CASE("a file name of 255 bytes can be written") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/" + std::string(255, 'x');
  CHECK(test::amalthea({"graph", minimal(), "-o", path}).exit_code == 0);
  CHECK(entries_of(folder.path()) == 1);
}

TEST_CASE("a trace ends at its limit and says when, and the results are those of the whole simulation") {
  const test::TemporaryFolder folder;
  for (const auto& [ending, until] : std::vector<std::pair<std::string, std::string>>{
           {"btf", "5s"}, {"json", "5s"}, {"json.gz", "20s"}, {"csv", "5s"}, {"atdb", "5s"}}) {
    const std::string trace = folder.path() + "/t." + ending;
    const auto whole = test::amalthea({"simulate", waters(), "--until", until});
    const auto limited =
        test::amalthea({"simulate", waters(), "--until", until, "--trace", trace, "--trace-limit", "1"});
    INFO(ending << '\n' << limited.err);
    CHECK(limited.exit_code == whole.exit_code);
    CHECK(limited.out == whole.out);
    CHECK(limited.err.find("amalthea: warning: " + trace + " ends at ") != std::string::npos);
    CHECK(fs::file_size(trace) > 800'000);
    CHECK(fs::file_size(trace) < 1'300'000);
    if (ending == "json") CHECK(nlohmann::json::accept(test::read_text(trace)));
  }
  const auto short_one =
      test::amalthea({"simulate", waters(), "--until", "100ms", "--trace", folder.path() + "/t.csv"});
  CHECK(short_one.err.find("ends at") == std::string::npos);
}

TEST_CASE("too little memory has a message and exit code 2") {
  test::skip_if_sanitized();
  const test::TemporaryFolder folder;
  // The first is too little for the model, the second for the simulation, or for a thread.
  for (const int kibibytes : {100'000, 150'000, 250'000}) {
    const auto result = shell(fmt::format("ulimit -v {}; exec \"$0\" simulate \"$2\" --runs 100 --jobs 64", kibibytes),
                              folder.path(), waters());
    INFO(kibibytes << '\n' << result.err);
    CHECK((result.exit_code == 1 || result.exit_code == 2 || result.exit_code == 4));
    CHECK(result.err.find("internal error") == std::string::npos);
    if (result.exit_code == 2) CHECK(result.err.find("memory") != std::string::npos);
  }
}
