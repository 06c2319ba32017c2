// SPDX-License-Identifier: Apache-2.0
// The cost of reading traces.
//
//   bench_trace [--benchmark_… options]
//
// Times are computing times.
//
// read: MB/s of a trace of the WATERS 2019 model, by format, read into events that are dropped; x_bare is its time
// against that of a bare reader of the same file. That reader splits the lines of a text at their commas (of JSON at
// their line ends) and reads the first number; of a database it fetches every row of every table of events.
// compare: the same trace held against the model, with verdicts and findings; x_read is its time against `read`.
// memory: N hyperperiods compared; file_MB, and the largest memory of the process beyond that of an empty trace (kB).

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "bench/peak_memory.hpp"
#include "engine/analysis.hpp"
#include "exporter/traces/trace_formats.hpp"
#include "exporter/traces/trace_names.hpp"
#include "importer/building/system_builder.hpp"
#include "importer/reading/model_reader.hpp"
#include "traces/comparison.hpp"

namespace {

using namespace amalthea;
/// Computing time: other load on the machine does not count.
double seconds_now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

const System& waters() {
  static const System system = [] {
    Diagnostics diagnostics;
    const auto model = importer::read_model({AMALTHEA_SOURCE_DIR "/samples/waters2019-tx2.amxmi"}, {}, diagnostics);
    auto built = model ? importer::build_system(*model, {}, diagnostics) : std::nullopt;
    if (!built) throw std::runtime_error("the WATERS model cannot be read");
    return std::move(*built);
  }();
  return system;
}

/// Traces of N hyperperiods, written once.
class Traces {
 public:
  Traces() : folder_((std::filesystem::temp_directory_path() / "bench-XXXXXX").string()) {
    if (mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("no temporary folder");
  }
  Traces(const Traces&) = delete;
  Traces& operator=(const Traces&) = delete;
  ~Traces() { std::filesystem::remove_all(folder_); }

  const std::string& path(const std::string& extension, std::int64_t hyperperiods) {
    std::string& path = paths_[{extension, hyperperiods}];
    if (!path.empty()) return path;
    path = folder_ + "/" + std::to_string(hyperperiods) + extension;
    auto writer = exporter::trace_format_of(path)->make(path, {});
    engine::AnalysisOptions options;
    options.until = Duration::milliseconds(13'200) * hyperperiods;
    options.execution = engine::Execution::random;
    options.observer = writer->get();
    options.max_steps = 1'000'000'000;
    Diagnostics diagnostics;
    if (!engine::analyze(waters(), options, diagnostics) || !(*writer)->finish())
      throw std::runtime_error("the trace cannot be written");
    return path;
  }

 private:
  std::string folder_;
  std::map<std::pair<std::string, std::int64_t>, std::string> paths_;
};
Traces& all_traces() {
  static Traces traces;
  return traces;
}

constexpr const char* extensions[] = {".btf", ".atdb", ".csv", ".json"};

class Dropped final : public traces::TraceSink {
 public:
  std::uint64_t events = 0;
  void entity(const traces::Entity&) override {}
  void event(const traces::Event& event) override {
    benchmark::DoNotOptimize(event);
    ++events;
  }
  void problem(const traces::Problem&) override { throw std::runtime_error("the trace is faulty"); }
};

std::uint64_t read_events(const std::string& path) {
  Dropped dropped;
  traces::TraceReport report;
  if (!traces::read_trace({path, {}, {}}, dropped, report)) throw std::runtime_error("the trace cannot be read");
  return dropped.events;
}

std::uint64_t read_bare_text(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  std::vector<char> line(1 << 16);
  std::uint64_t sum = 0;
  while (std::fgets(line.data(), static_cast<int>(line.size()), file.get()) != nullptr) {
    const char* end = line.data() + std::strlen(line.data());
    std::uint64_t number = 0;
    std::from_chars(line.data(), end, number);
    sum += number;
    for (const char* at = line.data();
         (at = static_cast<const char*>(std::memchr(at, ',', static_cast<std::size_t>(end - at)))) != nullptr; ++at)
      ++sum;
  }
  return sum;
}

std::uint64_t read_bare_database(const std::string& path) {
  sqlite3* database = nullptr;
  if (sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) != SQLITE_OK)
    throw std::runtime_error("the database cannot be opened");
  const auto each = [&](const std::string& sql, const auto& visit) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr);
    while (sqlite3_step(statement) == SQLITE_ROW) visit(statement);
    sqlite3_finalize(statement);
  };
  std::vector<std::string> tables;
  each("SELECT DISTINCT EventTableName FROM Entity WHERE EventTableName IS NOT NULL",
       [&](sqlite3_stmt* row) { tables.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(row, 0))); });
  std::uint64_t sum = 0;
  for (const std::string& table : tables)
    each("SELECT * FROM \"" + table + "\"", [&](sqlite3_stmt* row) {
      for (int column = 0; column < sqlite3_column_count(row); ++column)
        sum += static_cast<std::uint64_t>(sqlite3_column_int64(row, column));
    });
  sqlite3_close(database);
  return sum;
}

void compare(const std::string& path) {
  Diagnostics findings;
  const engine::AnalysisOptions options;
  const auto directory = exporter::trace_names(waters(), options, findings);
  const traces::NameRules rules;
  const auto compared = traces::compare_traces({waters(), options, nullptr, *directory, rules}, {path}, findings);
  if (!compared || compared->findings > 0) throw std::runtime_error("the trace contradicts the model");
}

void reading(benchmark::State& state) {
  const std::string extension = extensions[state.range(0)];
  const std::string& path = all_traces().path(extension, 1);
  double bare = 0, own = 0;
  std::uint64_t events = 0;
  for (auto _ : state) {
    const double before = seconds_now();
    benchmark::DoNotOptimize(extension == ".atdb" ? read_bare_database(path) : read_bare_text(path));
    const double begin = seconds_now();
    events += read_events(path);
    const double seconds = seconds_now() - begin;
    bare += begin - before;
    own += seconds;
    state.SetIterationTime(seconds);
  }
  state.SetLabel(extension);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(std::filesystem::file_size(path)));
  state.counters["x_bare"] = own / bare;
  state.counters["events"] = benchmark::Counter(static_cast<double>(events) / own);
}

void comparing(benchmark::State& state) {
  const std::string extension = extensions[state.range(0)];
  const std::string& path = all_traces().path(extension, 1);
  double read = 0, own = 0;
  for (auto _ : state) {
    const double before = seconds_now();
    benchmark::DoNotOptimize(read_events(path));
    const double begin = seconds_now();
    compare(path);
    const double seconds = seconds_now() - begin;
    read += begin - before;
    own += seconds;
    state.SetIterationTime(seconds);
  }
  state.SetLabel(extension);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(std::filesystem::file_size(path)));
  state.counters["x_read"] = own / read;
}

void memory(benchmark::State& state) {
  const std::string extension = extensions[state.range(0)];
  const std::string& path = all_traces().path(extension, state.range(1));
  for (auto _ : state) {
    const double without = bench::memory_of([] {});
    state.counters["memory_kB"] = bench::memory_of([&] { compare(path); }) - without;
  }
  state.SetLabel(extension);
  state.counters["file_MB"] = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
}

BENCHMARK(reading)->Name("read")->DenseRange(0, 3)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(comparing)->Name("compare")->DenseRange(0, 3)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(memory)
    ->Name("memory")
    ->ArgsProduct({{0, 1, 2, 3}, {1, 10, 100}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
