// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "batch/processes.hpp"
#include "batch/resumable_log.hpp"
#include "exporter/primitives/new_file.hpp"
#include "exporter/primitives/temporaries.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/test_models.hpp"

// Many models in one go, as a user runs them.

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// A folder of good, bad and split models.
class Models {
 public:
  Models() {
    fs::create_directories(path("a"));
    fs::create_directories(path("split"));
    copy("offload-minimal.amxmi", "a/minimal.amxmi");
    copy("waters2019-tx2.amxmi", "a/waters.amxmi");
    copy("offload-blocks.amxmi", "blocks.amxmi");
    test::write_text(path("a/broken.amxmi"), "<?xml version=\"1.0\"?>\n<am:Amalthea");
    test::write_text(path("a/empty.amxmi"), "");
    test::write_text(path("notes.txt"), "no model");
  }
  std::string path(const std::string& name = {}) const { return folder_.path() + "/models/" + name; }
  std::string beside(const std::string& name) const { return folder_.path() + "/" + name; }
  void copy(const std::string& sample, const std::string& name) const {
    test::write_text(path(name), test::read_text(test::sample(sample)));
  }

 private:
  test::TemporaryFolder folder_;
};

test::CommandResult batch(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"batch", "--until", "400ms"});
  return test::amalthea(std::move(arguments));
}

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<json> parsed(const std::string& text) {
  std::vector<json> lines;
  for (const std::string& line : lines_in(text)) lines.push_back(json::parse(line));
  return lines;
}

constexpr const char* totals =
    "5 models: 2 guaranteed, 0 met, 0 unknown, 0 unbounded, 1 missed, 2 failed, 0 with nothing to be met\n";

}  // namespace

TEST_CASE("batch: every model gets one line in the order of the paths for any number of processes") {
  const Models models;
  const auto one = batch({models.path(), "--jobs", "1"});
  CHECK(one.exit_code == 1);
  const auto lines = parsed(one.out);
  REQUIRE(lines.size() == 5);
  const std::vector<std::pair<std::string, std::string>> expected = {{"a/broken.amxmi", "failed"},
                                                                     {"a/empty.amxmi", "failed"},
                                                                     {"a/minimal.amxmi", "guaranteed"},
                                                                     {"a/waters.amxmi", "missed"},
                                                                     {"blocks.amxmi", "guaranteed"}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CHECK(lines[i]["index"] == i);
    CHECK(lines[i]["of"] == 5);
    CHECK(lines[i]["files"] == json::array({models.path(expected[i].first)}));
    CHECK(lines[i]["verdict"] == expected[i].second);
  }
  CHECK(lines[0]["error"].get<std::string>().find("broken.amxmi:2:") != std::string::npos);
  CHECK(lines[3]["results"]["schema"] == "amalthea-timing/1");
  CHECK(lines[3]["tasks"]["missed"].get<int>() + lines[3]["tasks"]["unbounded"].get<int>() >= 3);
  CHECK(one.err.find(totals) != std::string::npos);
  CHECK(batch({models.path(), "--jobs", "4"}).out == one.out);
  CHECK(batch({models.path(), "--fail-on", "never"}).exit_code == 0);
  CHECK(batch({models.path("blocks.amxmi")}).exit_code == 0);
}

TEST_CASE("batch: a line contains the results of analyze") {
  const Models models;
  const auto alone = test::amalthea({"analyze", models.path("blocks.amxmi"), "--until", "400ms", "--format", "json"});
  CHECK(parsed(batch({models.path("blocks.amxmi")}).out)[0]["results"] == json::parse(alone.out));
}

TEST_CASE("batch: a model that exceeds the time limit does not affect the others") {
  const Models models;
  const std::string waters = models.path("a/waters.amxmi");
  // Long enough for the small model on a busy machine, far too short for 20 000 s of the large one.
  const auto slow = test::amalthea({"batch", waters, models.path("a/empty.amxmi"), "--until", "20000s", "--max-steps",
                                    "1000000000000", "--time-limit", "3", "--jobs", "1"});
  const auto lines = parsed(slow.out);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["status"] == "out of time");
  CHECK(lines[0]["error"] == "took longer than 3 s");
  CHECK(lines[0]["key"] == "");
  CHECK(lines[1]["status"] == "failed");
}

TEST_CASE("batch: a model that exceeds the memory limit does not affect the others") {
  test::skip_if_sanitized();
  const Models models;
  const auto large =
      parsed(batch({models.path("a/waters.amxmi"), models.path("a/empty.amxmi"), "--memory-limit", "1"}).out);
  REQUIRE(large.size() == 2);
  // Which part needs the memory that is missing depends on the build; the reader reports it as a finding.
  CHECK((large[0]["status"] == "out of memory" || large[0]["status"] == "crashed" ||
         large[0]["error"].get<std::string>().find("out of memory") != std::string::npos));
}

TEST_CASE("a process that is ended for its time limit removes its temporary file first") {
  const test::TemporaryFolder folder;
  const auto before = std::signal(SIGTERM, SIG_DFL);
  amalthea::exporter::remove_temporaries_on_signals();
  amalthea::batch::ProcessWork work;
  work.count = 2;
  work.limits.time = std::chrono::milliseconds(300);
  work.work = [&](std::size_t index) -> std::string {
    // The second one ignores the signal, and is killed.
    if (index == 1) std::signal(SIGTERM, SIG_IGN);
    const auto file = amalthea::exporter::NewFile::create(folder.path() + "/output");
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
  };
  std::vector<std::size_t> left;
  work.done = [&](std::size_t, const amalthea::batch::Outcome& outcome) {
    CHECK(outcome.ending == amalthea::batch::Ending::out_of_time);
    left.push_back(static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path()), {})));
    return true;
  };
  amalthea::batch::run_processes(work);
  std::signal(SIGTERM, before);
  CHECK(left == std::vector<std::size_t>{0, 1});
}

TEST_CASE("batch: an interrupted batch resumes with its existing lines") {
  const Models models;
  const std::string output = models.beside("results.jsonl");
  CHECK(batch({models.path(), "-o", output}).exit_code == 1);
  const std::string whole = test::read_text(output);
  CHECK_FALSE(fs::exists(output + ".partial"));

  // Three lines and a half; the third is marked, to see that it is kept.
  auto lines = lines_in(whole);
  const std::string mark = "\"findings\":{\"error\":0";
  REQUIRE(lines[2].find(mark) != std::string::npos);
  lines[2] = test::replaced(lines[2], mark, "\"findings\":{\"error\":7");
  fs::remove(output);
  test::write_text(output + ".partial",
                   lines[0] + "\n" + lines[1] + "\n" + lines[2] + "\n" + lines[3].substr(0, lines[3].size() / 2));
  CHECK(batch({models.path(), "-o", output, "--resume"}).exit_code == 1);
  CHECK(test::read_text(output) == test::replaced(whole, lines_in(whole)[2], lines[2]));
  CHECK_FALSE(fs::exists(output + ".partial"));
  CHECK_FALSE(fs::exists(output + ".previous"));

  // A changed model is analyzed again.
  models.copy("offload-minimal-three-runnables.amxmi", "a/minimal.amxmi");
  batch({models.path(), "-o", output, "--resume"});
  CHECK(test::read_text(output).find("\"error\":7") == std::string::npos);
  CHECK(test::read_text(output) == batch({models.path()}).out);
  CHECK(batch({models.path(), "--resume"}).exit_code == 2);
}

TEST_CASE("batch: files beside the output that no batch made stay as they are") {
  const Models models;
  const std::string output = models.beside("x");
  for (const std::string ending : {".lock", ".partial"}) {
    test::write_text(output + ending, "precious");
    const auto refused = batch({models.path("blocks.amxmi"), "-o", output});
    CHECK(refused.exit_code == 2);
    CHECK(refused.err.find(output + ending + " is there and is no") != std::string::npos);
    CHECK(test::read_text(output + ending) == "precious");
    CHECK_FALSE(fs::exists(output));
    fs::remove(output + ending);
  }
  test::write_text(output + ".previous", "precious");
  CHECK(batch({models.path("blocks.amxmi"), "-o", output}).exit_code == 0);
  CHECK(batch({models.path("blocks.amxmi"), "-o", output, "--resume"}).exit_code == 0);
  CHECK(test::read_text(output + ".previous") == "precious");
}

TEST_CASE("batch: nothing beside the output that cannot be opened or locked keeps a batch waiting") {
  const Models models;
  const std::string output = models.beside("x"), elsewhere = models.beside("elsewhere");
  const auto refuses = [&](const std::string& planted) {
    for (const char* resume : {"", " --resume"}) {
      const auto refused =
          test::run({"/bin/sh", "-c", std::string("exec timeout 20 \"$0\" batch \"$1\" -o \"$2\"") + resume,
                     AMALTHEA_COMMAND, models.path("blocks.amxmi"), output});
      INFO(planted << resume << ": " << refused.err);
      CHECK(refused.exit_code == 2);
      CHECK(refused.err.find(planted) != std::string::npos);
      CHECK_FALSE(fs::exists(elsewhere));
    }
    fs::remove_all(planted);
  };
  for (const std::string ending : {".lock", ".partial"}) {
    const std::string planted = output + ending;
    REQUIRE(::mkfifo(planted.c_str(), 0600) == 0);
    refuses(planted);
    fs::create_directory(planted);
    refuses(planted);
  }
  fs::create_symlink(elsewhere, output + ".lock");
  refuses(output + ".lock");
  REQUIRE(::mkfifo(output.c_str(), 0600) == 0);
  refuses(output);
}

TEST_CASE("batch: lines survive two interruptions") {
  const Models models;
  const std::string output = models.beside("x");
  CHECK(batch({models.path(), "-o", output}).exit_code == 1);
  const std::string whole = test::read_text(output);
  const std::string mark = "\"findings\":{\"error\":0";
  const std::string marked = test::replaced(lines_in(whole)[4], mark, "\"findings\":{\"error\":7");
  fs::remove(output);
  test::write_text(output + ".partial", marked + "\n");
  // Ended by its limit on files while it writes the first lines.
  const auto cut =
      test::run({"/bin/sh", "-c", "ulimit -f 24; exec \"$0\" batch \"$1\" --until 400ms -o \"$2\" --resume",
                 AMALTHEA_COMMAND, models.path(), output});
  CHECK(cut.exit_code == 2);
  CHECK_FALSE(fs::exists(output));
  CHECK(batch({models.path(), "-o", output, "--resume"}).exit_code == 1);
  CHECK(test::read_text(output) == test::replaced(whole, lines_in(whole)[4], marked));
}

TEST_CASE("batch: a file above the limit is not read") {
  const Models models;
  const std::string large = models.path("a/large.amxmi");
  test::write_text(large, "<?xml version=\"1.0\"?>");
  fs::resize_file(large, 3'000'000'000);  // takes no space
  const auto line = parsed(batch({large, "--max-size", "1000", "--memory-limit", "1000"}).out);
  REQUIRE(line.size() == 1);
  CHECK(line[0]["status"] == "failed");
  CHECK(line[0]["error"].get<std::string>().find("larger than the limit of 1000 bytes") != std::string::npos);
  CHECK(line[0]["key"].get<std::string>().size() == 64);
  test::amalthea({"convert", large, "--tree", "--to", "3.2.0", "--max-size", "1000", "--memory-limit", "1000", "-o",
                  models.beside("tree")});
  CHECK(test::read_text(models.beside("tree") + "/convert.jsonl").find("larger than the limit") != std::string::npos);
}

TEST_CASE("batch: the cache identifies models by their content") {
  const Models models;
  const std::string cache = models.beside("cache");
  const auto first = batch({models.path(), "--cache", cache});
  std::size_t entries = 0;
  for (const auto& entry : fs::directory_iterator(cache)) {
    ++entries;
    const std::string body = test::read_text(entry.path().string());
    test::write_text(entry.path().string(), test::replaced(body, "\"note\":", "\"note\":9"));
  }
  CHECK(entries == 5);
  const auto second = parsed(batch({models.path(), "--cache", cache}).out);
  for (const auto& line : second) CHECK(line["findings"]["note"].dump()[0] == '9');
  // Other options are other results.
  for (const auto& line : parsed(test::amalthea({"batch", models.path(), "--until", "300ms", "--cache", cache}).out))
    CHECK(line["findings"]["note"].dump()[0] != '9');
}

TEST_CASE("batch: merged shards equal the whole batch and a missing shard is named") {
  const Models models;
  const std::string manifest = models.beside("models.txt");
  test::write_text(manifest, batch({models.path(), "--list"}).out);
  CHECK(lines_in(test::read_text(manifest)).size() == 5);
  std::vector<std::string> parts;
  for (const char* number : {"2", "3", "1"}) {
    parts.push_back(models.beside(std::string("part-") + number));
    batch({"--manifest", manifest, "--shard", std::string(number) + "/3", "-o", parts.back()});
  }
  const auto merged = test::amalthea({"batch", "merge", parts[0], parts[1], parts[2]});
  CHECK(merged.exit_code == 0);
  CHECK(merged.out == batch({models.path()}).out);
  const auto missing = test::amalthea({"batch", "merge", parts[0], parts[2]});
  CHECK(missing.exit_code == 2);
  CHECK(missing.err == "amalthea: error: parts are missing results of the models with these indices: 2\n");
  CHECK(batch({models.path(), "--shard", "4/3"}).exit_code == 2);

  // One that is still being written, or was copied in part.
  const std::string whole = test::read_text(parts[1]);
  test::write_text(parts[1], whole.substr(0, whole.size() - 20));
  const auto cut_off = test::amalthea({"batch", "merge", parts[0], parts[1], parts[2], "-o", models.beside("merged")});
  CHECK(cut_off.exit_code == 2);
  CHECK(cut_off.err.find("the line is incomplete") != std::string::npos);
  CHECK_FALSE(fs::exists(models.beside("merged")));
}

TEST_CASE("batch: files that refer to each other form one model") {
  const Models models;
  const std::string text = test::read_text(test::sample("offload-minimal.amxmi"));
  const std::size_t begin = text.find("<stimuliModel>"), end = text.find("</stimuliModel>") + 15;
  const std::size_t root = text.find("<am:Amalthea");
  const std::string head = text.substr(root, text.find('>', root) + 1 - root);
  std::string rest = text.substr(0, begin) + text.substr(end);
  rest = test::replaced(rest, " stimuli=\"every_10ms?type=PeriodicStimulus\"", "");
  const std::string task = rest.substr(rest.find("name=\"Control\""));
  const std::string opened = task.substr(0, task.find('>') + 1);
  rest = test::replaced(
      rest, opened,
      opened + "<stimuli xsi:type=\"am:PeriodicStimulus\" href=\"amlt:/#every_10ms?type=PeriodicStimulus\"/>");
  test::write_text(models.path("split/main.amxmi"), rest);
  test::write_text(models.path("split/stimuli.amxmi"), head + text.substr(begin, end - begin) + "</am:Amalthea>");
  models.copy("offload-blocks.amxmi", "split/unrelated.amxmi");
  CHECK(batch({models.path("split"), "--list"}).out == models.path("split/main.amxmi") + "\t" +
                                                           models.path("split/stimuli.amxmi") + "\n" +
                                                           models.path("split/unrelated.amxmi") + "\n");
}

TEST_CASE("batch: files that refer to each other by encoded names or ids form one model") {
  const Models models;
  const auto file = [&](const std::string& name, const std::string& content) {
    test::write_text(models.path(name), "<am:Amalthea xmlns:am=\"http://app4mc.eclipse.org/amalthea/0.7.0\">" +
                                            content + "</am:Amalthea>");
  };
  file("split/a.amxmi", "<tasks name='T'><stimuli\n href='amlt:/#every+10%C3%A4?type=Periodic'/></tasks>");
  file("split/b.amxmi", "<stimuli name=\"every 10\xC3\xA4\"/>");
  file("split/c.amxmi", "<tasks name=\"U\"><stimuli href=\"amlt:/#_x0y\"/></tasks>");
  file("split/d.amxmi", "<stimuli xmi:id=\"_x0y\" name=\"D\"/>");
  const auto path = [&](const char* name) { return models.path(std::string("split/") + name + ".amxmi"); };
  CHECK(batch({models.path("split"), "--list"}).out ==
        path("a") + "\t" + path("b") + "\n" + path("c") + "\t" + path("d") + "\n");
}

TEST_CASE("batch: invalid requests are reported before the work starts") {
  const Models models;
  const auto says = [&](std::vector<std::string> arguments, const std::string& expected) {
    arguments.insert(arguments.begin(), "batch");
    const auto result = test::amalthea(arguments);
    INFO(result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK(result.err.find(expected) != std::string::npos);
  };
  says({models.path(), "--until", "5parsecs"}, "--until 5parsecs: expected a time");
  says({models.path(), "--platform", "typo"}, "--platform typo: neither");
  says({models.path(), "--summary", models.beside("s.db")}, "requires -o");
  says({models.path(), "-o", "/dev/null"}, "/dev/null: expected a regular file");
  says({"/dev/null"}, "/dev/null: expected a regular file or a folder");
  test::write_text(models.beside("list"), models.path("a") + "\n");
  says({"--manifest", models.beside("list")}, "expected the files of each model");
  CHECK(fs::is_character_file("/dev/null"));
  {
    const auto full = test::run({"/bin/sh", "-c", "exec \"$0\" batch \"$1\" --fail-on never > /dev/full",
                                 AMALTHEA_COMMAND, models.path("a/empty.amxmi")});
    CHECK(full.exit_code == 2);
    CHECK(full.err.find("cannot write to standard output") != std::string::npos);
  }
}

TEST_CASE("batch: an output that is a link stays a link") {
  const Models models;
  test::write_text(models.beside("lines.jsonl"), "");
  fs::create_symlink(models.beside("lines.jsonl"), models.beside("link.jsonl"));
  batch({models.path("a/empty.amxmi"), "-o", models.beside("link.jsonl")});
  CHECK(fs::is_symlink(models.beside("link.jsonl")));
  CHECK(lines_in(test::read_text(models.beside("lines.jsonl"))).size() == 1);
}

TEST_CASE("batch: a manifest may contain a name that looks like a comment but no name with a tab") {
  const Models models;
  fs::create_directories(models.path("#old"));
  models.copy("offload-minimal.amxmi", "#old/m.amxmi");
  const auto listed =
      test::run({"/bin/sh", "-c", "cd \"$1\" && exec \"$0\" batch --list '#old'", AMALTHEA_COMMAND, models.path()});
  CHECK(listed.out == "./#old/m.amxmi\n");
  models.copy("offload-minimal.amxmi", "#old/a\tb.amxmi");
  CHECK(test::amalthea({"batch", models.path("#old"), "--list"})
            .err.find("a?b.amxmi: a manifest cannot contain a file name with a tab") != std::string::npos);
}

TEST_CASE("batch: a truncated body in the cache or in a line is not reused") {
  const Models models;
  const std::string cache = models.beside("cache"), output = models.beside("results.jsonl");
  const std::string whole = batch({models.path("a"), "--cache", cache}).out;
  for (const auto& entry : fs::directory_iterator(cache)) {
    const std::string body = test::read_text(entry.path().string());
    test::write_text(entry.path().string(), body.substr(0, body.size() / 2));
  }
  CHECK(batch({models.path("a"), "--cache", cache}).out == whole);
  const auto lines = lines_in(whole);
  test::write_text(output + ".partial", lines[3].substr(0, lines[3].size() / 2) + lines[0] + "\n");
  batch({models.path("a"), "-o", output, "--resume"});
  CHECK(test::read_text(output) == whole);
}

TEST_CASE("batch: damaged bodies in the cache or in a log are named and made again") {
  const Models models;
  const std::string cache = models.beside("cache"), output = models.beside("results.jsonl");
  const auto first = batch({models.path("a/minimal.amxmi"), "--cache", cache});
  REQUIRE(first.exit_code == 0);
  const std::string entry = fs::directory_iterator(cache)->path().string(), body = test::read_text(entry);
  const std::string line = lines_in(first.out)[0];
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  for (const std::string& damage :
       {std::string("{\"status\":1}"), std::string("{\"status\":\"analysed\"}"), "{\"status\":" + deep + "}",
        test::replaced(body, "\"verdict\":\"guaranteed\"", "\"verdict\":[]"),
        test::replaced(body, "\"guaranteed\":", "\"guaranteed\":1e300,\"was\":"),
        body.substr(0, body.find("\"results\":")) + "\"results\":{\"findings\":5,\"tasks\":[1]}}", body + "\n\n{}"}) {
    INFO(damage.substr(0, 200));
    REQUIRE(damage != body);
    for (const std::string format : {"json", "junit", "github"}) {
      test::write_text(entry, damage);
      const auto again = batch({models.path("a/minimal.amxmi"), "--cache", cache, "--format", format});
      CHECK(again.exit_code == 0);
      CHECK(again.err.find("what the log or the cache kept of it is damaged; it is analyzed again") !=
            std::string::npos);
      if (format == "json") CHECK(again.out == first.out);
      CHECK(test::read_text(entry) == body);
    }
    test::write_text(output + ".partial", line.substr(0, line.find("\"status\":")) + damage.substr(1) + "\n");
    CHECK(batch({models.path("a/minimal.amxmi"), "-o", output, "--resume"}).exit_code == 0);
    CHECK(test::read_text(output) == first.out);
  }
}

TEST_CASE("batch: a record that is longer than memory may hold is damaged") {
  test::skip_if_sanitized();
  const Models models;
  const std::string output = models.beside("results.jsonl"), model = models.path("a/minimal.amxmi");
  const std::string first = batch({model}).out;
  // A hole in the file, of the bytes that a body would have.
  test::write_text(output, first.substr(0, first.find("\"status\":")));
  fs::resize_file(output, 600'000'000);
  std::ofstream(output, std::ios::app) << "\n" << test::replaced(first, "\"key\":\"", "\"key\":\"0");
  const auto limited = [&](const std::string& arguments) {
    return test::run(
        {"/bin/sh", "-c", "ulimit -v 1000000; exec \"$0\" batch " + arguments, AMALTHEA_COMMAND, model, output});
  };
  const auto merged = limited("merge \"$2\"");
  CHECK(merged.exit_code == 2);
  CHECK(merged.err.find(":1: the line has more than 268435456 bytes") != std::string::npos);
  const auto again = limited("--until 400ms \"$1\" -o \"$2\" --resume");
  INFO(again.err);
  CHECK(again.exit_code == 0);
  CHECK(again.err.find("what the log kept of it is damaged; it is analyzed again") != std::string::npos);
  CHECK(test::read_text(output) == first);
}

TEST_CASE("batch: lines of every length are read as they are") {
  for (const std::size_t length : {0U, 1U, 65'534U, 65'535U, 65'536U, 131'069U, 131'070U, 131'071U}) {
    INFO(length);
    const std::string text(length, 'x');
    std::istringstream lines(text + "\n" + text + "\n\ny");
    amalthea::batch::Line line;
    for (const std::string& expected : {text, text, std::string()}) {
      REQUIRE(next_line(lines, line));
      CHECK(line.text == expected);
      CHECK(line.whole);
    }
    REQUIRE(next_line(lines, line));
    CHECK(line.text == "y");
    CHECK_FALSE(line.whole);
    CHECK_FALSE(next_line(lines, line));
  }
}

TEST_CASE("batch: summaries match the lines in every format") {
  const Models models;
  const auto run =
      batch({models.path(), "-o", models.beside("lines"), "--summary", models.beside("s.md"), "--summary",
             models.beside("s.html"), "--summary", models.beside("s.db"), "--sarif", models.beside("s.sarif")});
  CHECK(run.exit_code == 1);
  CHECK(run.out.find(totals) != std::string::npos);
  const std::string markdown = test::read_text(models.beside("s.md"));
  CHECK(markdown.find("5 models: 2 guaranteed, 0 met") != std::string::npos);
  CHECK(lines_in(markdown).size() == 4 + 2 + 5 + 3 + 2 + 2);
  CHECK(test::read_text(models.beside("s.html"))
            .find("a/waters.amxmi</td><td class=\"bad\" data-label=\"verdict\">missed</td>") != std::string::npos);
  CHECK(test::read_text(models.beside("s.db")).substr(0, 15) == "SQLite format 3");
  const auto sarif = json::parse(test::read_text(models.beside("s.sarif")));
  std::size_t late = 0;
  for (const auto& result : sarif["runs"][0]["results"]) late += result["ruleId"] == "AM0542" ? 1 : 0;
  const auto lines = parsed(test::read_text(models.beside("lines")));
  CHECK(late == lines[3]["counts"]["missed"].get<std::size_t>() + lines[3]["counts"]["unbounded"].get<std::size_t>());
  CHECK(batch({models.path(), "--summary", "x.pdf"}).exit_code == 2);
  CHECK(batch({models.beside("nowhere")}).err.find("there is no such file or folder") != std::string::npos);
}

TEST_CASE("batch: every result of its SARIF has a place, also of models that cannot be analyzed") {
  const test::TemporaryFolder folder;
  test::write_text(folder.path() + "/cut.amxmi", "<am:Amalthea");
  fs::copy_file(test::sample("broken.amxmi"), folder.path() + "/broken.amxmi");
  const std::string log = folder.path() + "/log.sarif";
  batch({folder.path(), "--sarif", log});
  std::set<std::string> rules;
  const json written = json::parse(test::read_text(log));
  for (const json& result : written["runs"][0]["results"]) {
    INFO(result);
    rules.insert(result["ruleId"].get<std::string>());
    REQUIRE(result.contains("locations"));
    CHECK(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].get<std::string>().ends_with(".amxmi"));
    CHECK(result["locations"][0]["physicalLocation"]["region"]["startLine"] >= 1);
  }
  CHECK(rules.contains("AM0344"));  // of the model as a whole
}

TEST_CASE("batch: a file without tasks is nothing to analyze and no failure in any format and for any verb") {
  const test::TemporaryFolder folder;
  const std::string part = folder.path() + "/hardware.amxmi", broken = folder.path() + "/broken.amxmi";
  const auto model = [](const std::string& content) {
    return "<am:Amalthea xmi:version=\"2.0\" xmlns:xmi=\"http://www.omg.org/XMI\" "
           "xmlns:am=\"http://app4mc.eclipse.org/amalthea/3.3.0\"><hwModel>" +
           content + "</hwModel></am:Amalthea>";
  };
  test::write_text(part, model("<structures name=\"Board\"/>"));
  const std::string output = folder.path() + "/lines", summary = folder.path() + "/summary.txt";
  CHECK(test::amalthea({"batch", part, "-o", output, "--summary", summary}).exit_code == 0);
  const json line = parsed(test::read_text(output)).front();
  CHECK(line["status"] == "nothing to analyze");
  CHECK(line["verdict"] == "nothing to analyze");
  CHECK(line["summary"] == "the model has no task to analyze; pass all its files, or add a task to the swModel");
  CHECK_FALSE(line.contains("error"));
  CHECK(line["findings"]["error"] == 0);
  CHECK(test::read_text(summary).find("0 failed, 0 with nothing to be met, 1 with nothing to analyze") !=
        std::string::npos);
  CHECK(test::amalthea({"batch", "merge", output}).out == test::read_text(output));
  const std::string junit = test::amalthea({"batch", part, "--format", "junit"}).out;
  CHECK(junit.find("failures=\"0\" errors=\"0\"") != std::string::npos);
  CHECK(test::amalthea({"batch", part, "--format", "text"}).out.find("error") == std::string::npos);
  for (const char* verb : {"simulate", "validate", "explore"}) {
    INFO(verb);
    const auto other = test::amalthea({"batch", part, "--verb", verb});
    CHECK(other.exit_code == 0);
    CHECK(parsed(other.out).front()["verdict"] == "nothing to analyze");
    CHECK(parsed(other.out).front()["summary"] == line["summary"]);
  }
  // With another error it is a failure.
  test::write_text(broken, model("<structures name=\"Board\" structureType=\"Desk\"/>"));
  const auto failed = test::amalthea({"batch", broken});
  CHECK(failed.exit_code == 1);
  CHECK(parsed(failed.out).front()["verdict"] == "failed");
  CHECK(parsed(failed.out).front()["cause"] == "AM0220");
  CHECK(parsed(test::amalthea({"batch", broken, "--verb", "simulate"}).out).front()["cause"] == "AM0220");
}

TEST_CASE("batch: a guarantee that rests on assumptions says so in every form of the summary") {
  const test::TemporaryFolder folder;
  std::vector<std::string> arguments = {"batch", test::sample("two-gpus.amxmi"), "-o", folder.path() + "/lines"};
  for (const char* form : {"md", "html", "txt", "csv", "db"})
    arguments.insert(arguments.end(), {"--summary", folder.path() + "/s." + form});
  const auto run = test::amalthea(arguments);
  CHECK(run.exit_code == 0);
  CHECK(parsed(test::read_text(folder.path() + "/lines")).front()["assumptions"] == 2);
  const std::string said = "Verdict: guaranteed under 2 assumptions. 2 guaranteed";
  CHECK(run.out.find(said) != std::string::npos);
  for (const char* form : {"md", "html", "txt", "csv"})
    CHECK(test::read_text(folder.path() + "/s." + form).find(said) != std::string::npos);
  const auto sound = test::amalthea({"batch", test::sample("offload-minimal.amxmi")});
  CHECK_FALSE(parsed(sound.out).front().contains("assumptions"));
  CHECK(sound.err.find("Verdict:") == std::string::npos);
}

TEST_CASE("batch: failures are counted by cause in every form of the summary") {
  const test::TemporaryFolder folder;
  const auto unmapped = [](const std::string& task) {
    return "<am:Amalthea xmi:version=\"2.0\" xmlns:xmi=\"http://www.omg.org/XMI\" "
           "xmlns:am=\"http://app4mc.eclipse.org/amalthea/3.3.0\"><swModel><tasks name=\"" +
           task + "\"/></swModel></am:Amalthea>";
  };
  test::write_text(folder.path() + "/a.amxmi", "");
  test::write_text(folder.path() + "/b.amxmi", unmapped("One"));
  test::write_text(folder.path() + "/c.amxmi", unmapped("Other"));
  const std::string output = folder.path() + "/lines";
  std::vector<std::string> arguments = {"batch", folder.path(), "-o", output};
  for (const char* form : {"md", "html", "txt", "csv", "db"})
    arguments.insert(arguments.end(), {"--summary", folder.path() + "/s." + form});
  CHECK(test::amalthea(arguments).exit_code == 1);
  std::vector<std::string> causes;
  for (const json& line : parsed(test::read_text(output))) causes.push_back(line["cause"]);
  REQUIRE(causes.size() == 3);
  CHECK(causes[1] == "AM0302");
  CHECK(causes[2] == "AM0302");
  CHECK(causes[0] != "AM0302");
  const auto shown = [&](const std::string& form) { return test::read_text(folder.path() + "/s." + form); };
  const std::string text = shown("txt");
  const std::size_t first = text.find("AM0302", text.find("Failures by cause"));
  CHECK(text.substr(text.rfind('\n', first) + 1, first - text.rfind('\n', first) - 1).find('2') != std::string::npos);
  CHECK(first < text.rfind(causes[0]));
  CHECK(shown("md").find("| 2 | AM0302 |") != std::string::npos);
  CHECK(shown("html").find(">2</td><td data-label=\"cause\"><a href=\"#models\">AM0302</a></td>") != std::string::npos);
  CHECK(shown("csv").find(",AM0302\n") != std::string::npos);
  // Lines of earlier versions have no cause.
  std::string old = test::read_text(output);
  for (const std::string& cause : causes) {
    const std::size_t at = old.find("\"cause\":\"" + cause + "\",");
    REQUIRE(at != std::string::npos);
    old.erase(at, cause.size() + 11);
  }
  test::write_text(output, old);
  CHECK(test::amalthea({"batch", "merge", output}).out == old);
  CHECK(test::amalthea({"batch", folder.path(), "-o", output, "--resume", "--summary", folder.path() + "/t.txt"})
            .exit_code == 1);
  CHECK(test::read_text(output) == old);
  CHECK(test::read_text(folder.path() + "/t.txt") == text);
}

TEST_CASE("batch: a log with a number that is not an integer is refused") {
  const test::TemporaryFolder folder;
  const std::string log = folder.path() + "/log.jsonl";
  test::write_text(log, "{\"index\":1e300,\"of\":1e301,\"files\":[\"m.amxmi\"],\"key\":\"k\",\"status\":\"ok\"}\n");
  const auto result = test::amalthea({"batch", "merge", log});
  INFO(result.err);
  CHECK(result.exit_code == 2);
  CHECK(result.err.find("expected an integer") != std::string::npos);
}
