// SPDX-License-Identifier: Apache-2.0
// Traces of the scheduler of Linux in CTF, written by Debian's python3-bt2.

#include <filesystem>
#include <string>
#include <vector>

#include <sys/stat.h>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/test_models.hpp"
#include "traces/trace_reader.hpp"

namespace traces_ctf_test {
namespace {

using namespace amalthea;
namespace fs = std::filesystem;
using traces::Event;
using Lines = std::vector<std::string>;

/// The events of a trace as text, in µs.
class Listing final : public traces::TraceSink {
 public:
  Lines lines, problems;

  void entity(const traces::Entity& entity) override { names_.push_back(entity.name); }
  void event(const Event& event) override {
    const std::string what = event.what == Event::What::forget ? "forget"
                             : event.unseen                    ? "was activated"
                                                               : std::string(engine::to_string(event.process));
    lines.push_back(fmt::format("{} {} {} {}{}", event.time.picoseconds() / 1'000'000 - 1'000'000,
                                names_.at(event.target), event.instance, what,
                                event.source == traces::no_entity ? "" : " on " + names_.at(event.source)));
  }
  void problem(const traces::Problem& problem) override { problems.push_back(problem.message); }

 private:
  Lines names_;
};

struct Read {
  Listing listing;
  traces::TraceReport report;
  std::string error;
};
Read read(const std::string& path) {
  Read result;
  const auto done = traces::read_trace({path, {}, {}}, result.listing, result.report);
  if (!done) result.error = done.error();
  return result;
}

void skip_without_writer() {
  if (test::run({"/usr/bin/python3", "-c", "import bt2"}).exit_code != 0) test::skip("no babeltrace2 (python3-bt2)");
  if (read("/").error.find("reads no CTF") != std::string::npos) test::skip("no babeltrace2 (libbabeltrace2-dev)");
}

std::string switches(int cpu, int microseconds, const std::string& from, int state, const std::string& to) {
  const auto thread = [](const std::string& side, const std::string& name_and_number) {
    const auto at = name_and_number.find(':');
    return fmt::format("{0}_comm={1} {0}_tid={2}", side, name_and_number.substr(0, at), name_and_number.substr(at + 1));
  };
  return fmt::format("{} {} sched_switch {} prev_state={} {}\n", cpu, 1'000'000'000 + microseconds * 1000,
                     thread("prev", from), state, thread("next", to));
}
std::string wakes(int cpu, int microseconds, const std::string& name, int number) {
  return fmt::format("{} {} sched_waking comm={} tid={} target_cpu=0\n", cpu, 1'000'000'000 + microseconds * 1000, name,
                     number);
}

void write(const std::string& folder, const std::string& events) {
  test::write_text(folder + ".txt", events);
  const auto written = test::run({"/bin/sh", "-c", "/usr/bin/python3 \"$0\" \"$1\" < \"$1.txt\"",
                                  AMALTHEA_SOURCE_DIR "/tests/traces/write_ctf.py", folder});
  INFO(written.err);
  REQUIRE(written.exit_code == 0);
}
Read read_events(const std::string& events) {
  const test::TemporaryFolder folder;
  write(folder.path() + "/session", events);
  return read(folder.path() + "/session");
}

const std::string idle = "swapper:0";

}  // namespace

TEST_CASE("CTF: a job begins when its thread is woken and ends when it sleeps") {
  skip_without_writer();
  const Read read =
      read_events(switches(0, 0, idle, 0, "A:7") + switches(0, 10, "A:7", 1, idle) +  // before it slept
                  wakes(1, 100, "A", 7) + switches(0, 110, idle, 0, "A:7") + switches(0, 120, "A:7", 256, "irq:9") +
                  switches(0, 130, "irq:9", 1, "A:7") + switches(0, 140, "A:7", 2, idle) + wakes(1, 150, "A", 7) +
                  switches(1, 160, idle, 0, "A:7") + switches(1, 170, "A:7", 1, idle) +
                  switches(1, 200, idle, 0, "A:7") + switches(1, 210, "A:7", 1, idle));
  CHECK(read.error.empty());
  CHECK(read.report.format == "CTF");
  CHECK(read.listing.problems.empty());
  CHECK(read.listing.lines == Lines{"100 A 0 activate", "110 A 0 start on CPU 0", "120 A 0 preempt on CPU 0",
                                    "130 A 0 resume on CPU 0", "140 A 0 wait on CPU 0", "150 A 0 release on CPU 0",
                                    "160 A 0 resume on CPU 1", "170 A 0 terminate on CPU 1", "200 A 1 was activated",
                                    "200 A 1 start on CPU 1", "210 A 1 terminate on CPU 1"});
}

TEST_CASE("CTF: threads of one name are told apart and a name is free when its thread has ended") {
  skip_without_writer();
  const Read read = read_events(wakes(0, 0, "A", 7) + wakes(0, 1, "A", 8) + switches(0, 2, idle, 0, "A:7") +
                                switches(0, 3, "A:7", 16, idle) + wakes(0, 4, "A", 9) + wakes(0, 5, "B", 8));
  CHECK(read.listing.lines == Lines{"0 A 0 activate", "1 A:8 0 activate", "2 A 0 start on CPU 0",
                                    "3 A 0 terminate on CPU 0", "4 A 1 activate", "5 A:8 0 forget", "5 B 0 activate"});
}

TEST_CASE("CTF: nothing is measured where events are missing") {
  skip_without_writer();
  const Read lost = read_events(wakes(0, 0, "A", 7) + switches(0, 10, idle, 0, "A:7") + "0 1000020000 lost count=3\n" +
                                wakes(1, 40, "A", 7) + switches(0, 60, "A:7", 1, idle) + "0 1000070000 packet\n" +
                                wakes(1, 100, "A", 7));
  CHECK(lost.listing.problems == Lines{"the tracer has lost 3 events before this one: what they say"});
  CHECK(lost.listing.lines == Lines{"0 A 0 activate", "10 A 0 start on CPU 0", "10 A 0 forget", "100 A 1 activate"});
  // Another thread leaves the CPU than the one that came.
  const Read gap = read_events(wakes(0, 0, "A", 7) + switches(0, 10, idle, 0, "A:7") + switches(0, 20, "B:8", 1, idle) +
                               switches(0, 30, idle, 0, "A:7") + switches(0, 40, "A:7", 1, idle));
  CHECK(gap.listing.lines == Lines{"0 A 0 activate", "10 A 0 start on CPU 0", "20 A 0 forget"});
}

TEST_CASE("CTF: what is no whole trace is refused or read to its last whole event") {
  skip_without_writer();
  const test::TemporaryFolder folder;
  const std::string trace = folder.path() + "/session", file = trace + "/trace/channel0_0";
  CHECK(read(folder.path()).error == "this is a folder without the file metadata of a CTF trace");
  std::string events;
  for (int at = 0; at < 20'000; at += 2)
    events += wakes(0, 10 * at, "A", 7) + switches(0, 10 * at + 5, idle, 0, "A:7") +
              switches(0, 10 * at + 10, "A:7", 1, idle);
  write(trace, events);
  const std::size_t all = read(trace).listing.lines.size();
  CHECK(all == 30'000);
  const std::string bytes = test::read_text(file), metadata = test::read_text(trace + "/trace/metadata");
  test::write_text(file, bytes.substr(0, bytes.size() / 2));
  const Read cut = read(trace);
  CHECK((cut.listing.problems.size() == 1 || !cut.error.empty()));
  for (std::size_t at = 0; at < bytes.size(); at += bytes.size() / 7) {  // any end but no crash
    std::string damaged = bytes;
    damaged[at] = '\xff';
    test::write_text(file, damaged);
    const Read ended = read(trace);
    CHECK(ended.listing.lines.size() <= all);
    CHECK(ended.error.find("0x") == std::string::npos);
    for (const std::string& problem : ended.listing.problems) CHECK(problem.find("0x") == std::string::npos);
  }
  test::write_text(file, bytes);
  test::write_text(trace + "/trace/metadata", metadata.substr(0, metadata.size() / 2));
  CHECK_FALSE(read(trace).error.empty());
  test::write_text(trace + "/trace/metadata", metadata);
  fs::remove(file);
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  CHECK(read(trace).error.find("is neither a file nor a folder") != std::string::npos);
}

TEST_CASE("CTF: threads are tasks of the model where their name says so") {
  skip_without_writer();
  const test::TemporaryFolder folder;
  const std::string trace = folder.path() + "/session", names = folder.path() + "/names.json";
  std::string events;
  for (int at = 0; at < 100'000; at += 5'000)
    events += wakes(1, at, "sensing", 7) + switches(0, at + 100, idle, 0, "sensing:7") +
              switches(0, at + 500, "sensing:7", 1, idle);
  const auto command = [&](std::vector<std::string> arguments, const char* sample, const char* task) {
    test::write_text(names, fmt::format(R"({{"sensing": "{}", "CPU 0": "Core0"}})", task));
    arguments.insert(arguments.end(), {"--names", names, test::sample(sample), trace});
    return test::amalthea(arguments);
  };
  write(trace, events);
  const auto compared = command({"compare", "--runs", "0"}, "chains.amxmi", "Sense");
  INFO(compared.out << compared.err);
  CHECK(compared.out.find("Sense      20  500.000  500.000  500.000  500.000") != std::string::npos);
  CHECK(compared.out.find("Sense  400.000  400.000  400.000  400.000") != std::string::npos);
  CHECK(compared.err.empty());
  const auto calibrated = command({"calibrate", "--check"}, "chains.amxmi", "Sense");
  INFO(calibrated.out << calibrated.err);
  CHECK(calibrated.exit_code == 0);
  CHECK(calibrated.out.find("   20  ") != std::string::npos);
  const auto sleeps = command({"compare", "--runs", "0"}, "offload-minimal.amxmi", "Control");
  CHECK(sleeps.err.find("job 0 of sensing is woken, but by the model it may also sleep within a job") !=
        std::string::npos);
  CHECK(sleeps.out.find("Control     0       - ") != std::string::npos);
  write(trace + "2", events + wakes(1, 100'000, "sensing", 7) + switches(0, 100'001, idle, 0, "sensing:7") +
                         switches(0, 100'002, "sensing:7", 1, idle) + wakes(1, 100'003, "sensing", 7));
  fs::remove_all(trace);
  fs::rename(trace + "2", trace);
  const auto often = command({"compare", "--runs", "0"}, "chains.amxmi", "Sense");
  CHECK(often.err.find("more often than the model allows") != std::string::npos);
  const auto listed = test::amalthea({"compare", trace});
  CHECK(listed.exit_code == 0);
  CHECK(listed.out.find("\nsensing            process  ") != std::string::npos);
}

TEST_CASE("CTF: a description of more than memory holds ends without a crash") {
  test::skip_if_sanitized();
  skip_without_writer();
  const test::TemporaryFolder folder;
  const std::string trace = folder.path() + "/session", metadata = trace + "/trace/metadata";
  write(trace, wakes(0, 0, "A", 7));
  const std::string text = test::read_text(metadata);
  const auto at = text.find("comm;");
  REQUIRE(at != std::string::npos);
  test::write_text(metadata, test::replaced(text, "comm;", "comm; integer { size = 8; } x[4000000000];"));
  const Read read = traces_ctf_test::read(trace);
  INFO(read.error);
  CHECK_FALSE(read.error.empty());
}

}  // namespace traces_ctf_test
