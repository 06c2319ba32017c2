// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/support/test_models.hpp"
#include "traces/trace_reader.hpp"

using namespace amalthea;

namespace {

struct Execution {
  std::string name;
  std::int64_t from = 0, to = 0;  ///< ps
  friend bool operator==(const Execution&, const Execution&) = default;
};

struct Seen final : traces::TraceSink {
  void entity(const traces::Entity& entity) override { names.push_back(entity.name); }
  void event(const traces::Event& event) override {
    CHECK(event.what == traces::Event::What::execution);
    executions.push_back(
        {names.at(event.target), (event.from - Instant{}).picoseconds(), (event.time - Instant{}).picoseconds()});
  }
  void problem(const traces::Problem& problem) override { problems.push_back(problem.message); }

  std::vector<std::string> names, problems;
  std::vector<Execution> executions;
  std::string error;
};

Seen read(const std::string& text, const std::string& columns) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/measured.csv";
  test::write_text(path, text);
  Seen seen;
  traces::TraceReport report;
  if (const auto done = traces::read_trace({path, {}, {}, columns}, seen, report); !done) seen.error = done.error();
  return seen;
}

}  // namespace

TEST_CASE("columns: titles name the columns and their units, in any order") {
  const Seen seen = read("Duration (ns),Name,Start (ns),Grid\n500,K,1000,4x1\n7,\"copy, in\",1500,\n",
                         "name=Name,start=Start (ns),duration=Duration (ns)");
  CHECK(seen.error.empty());
  CHECK(seen.problems.empty());
  CHECK(seen.executions == std::vector<Execution>{{"K", 1'000'000, 1'500'000}, {"copy, in", 1'500'000, 1'507'000}});
}

TEST_CASE("columns: ends take the place of durations, and a unit is stated that titles lack") {
  CHECK(read("k,begin,end\nA,0.5,2\n", "name=k,start=begin,end=end,unit=ms").executions ==
        std::vector<Execution>{{"A", 500'000'000, 2'000'000'000}});
  CHECK(read("k;t_us\n", "name=k,duration=t_us").error.find("it has no column \"k\"; there are \"k;t_us\"") !=
        std::string::npos);
}

TEST_CASE("columns: without starts, each execution follows the one before") {
  CHECK(read("k,t_us\nA,2\nB,1.5\n", "name=k,duration=t_us").executions ==
        std::vector<Execution>{{"A", 0, 2'000'000}, {"B", 2'000'000, 3'500'000}});
}

TEST_CASE("columns: starts since 1970 keep every nanosecond") {
  CHECK(read("k,s_ns,d_ns\nA,1700000000000000001,1\nA,1700000000000000003,1\n", "name=k,start=s_ns,duration=d_ns")
            .executions == std::vector<Execution>{{"A", 0, 1'000}, {"A", 2'000, 3'000}});
}

TEST_CASE("columns: what cannot be read is named with its line") {
  const Seen seen = read("k,t_us\nA,x\nB\nC,-1\n,1\nD,1\n", "name=k,duration=t_us");
  CHECK(seen.problems.size() == 4);
  CHECK(seen.problems.front() == "the duration \"x\" is no time");
  // The execution without a name took its time, too.
  CHECK(seen.executions == std::vector<Execution>{{"D", 1'000'000, 2'000'000}});
  CHECK(read("k,t\nA,1\n", "name=k,duration=t").error.find("the title \"t\" has no unit") != std::string::npos);
  CHECK(read("k,t_us\nA,1\n", "name=k").error.find("needs name= and either duration=") != std::string::npos);
  CHECK(read("k,t_us\nA,1\n", "kernel=k").error.find("--columns kernel=k: expected name=") != std::string::npos);
  CHECK(read("k,t_us\nA,1\n", "name=k,duration=t_us,unit=h").error.find("expected ps, ns, us, ms or s") !=
        std::string::npos);
}
