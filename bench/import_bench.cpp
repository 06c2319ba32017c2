// What reading a model costs, against Xerces' SAX2 parser with empty handlers on the same file.
//
//   bench_import [MODEL…] [--benchmark_… options]
//   bench_import --write-synthetic SCALE FILE
//
// Without models, synthetic ones of 5, 51 and 205 MB are made. Time is that of one import (store, references, typed
// views); x_sax2 the ratio of both times, taken in turns; x_size the peak memory of a process that does nothing else,
// less what it takes for a model of one line (program, libraries), over the size of the file.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <xercesc/framework/LocalFileInputSource.hpp>
#include <xercesc/sax2/DefaultHandler.hpp>
#include <xercesc/sax2/SAX2XMLReader.hpp>
#include <xercesc/sax2/XMLReaderFactory.hpp>
#include <xercesc/util/PlatformUtils.hpp>
#include <xercesc/util/XMLString.hpp>
#include <xercesc/util/XMLUni.hpp>

#include "bench/synthetic_model.hpp"
#include "bench/view_walk.hpp"
#include "exporter/write_file.hpp"
#include "importer/model_reader.hpp"

namespace {

namespace fs = std::filesystem;
namespace xml = xercesc;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The parser as it comes, without validation: namespaces on, nothing done at any event.
void parse_with_empty_handlers(const std::string& path) {
  xml::XMLPlatformUtils::Initialize();
  {
    const std::unique_ptr<xml::SAX2XMLReader> reader(xml::XMLReaderFactory::createXMLReader());
    reader->setFeature(xml::XMLUni::fgSAX2CoreValidation, false);
    reader->setFeature(xml::XMLUni::fgXercesSchema, false);
    xml::DefaultHandler handler;
    reader->setContentHandler(&handler);
    reader->setErrorHandler(&handler);
    XMLCh* name = xml::XMLString::transcode(path.c_str());
    const xml::LocalFileInputSource source(name);
    xml::XMLString::release(&name);
    reader->parse(source);
  }
}

struct Imported {
  std::optional<amalthea::Model> model;
  std::size_t values = 0;  ///< that the typed views gave
};
Imported import(const std::string& path) {
  amalthea::Diagnostics diagnostics;
  auto model = amalthea::importer::read_model({path}, {}, diagnostics);
  if (!model) {
    for (const auto& diagnostic : diagnostics.all()) fmt::print(stderr, "{}\n", format(diagnostic));
    std::exit(2);
  }
  const std::size_t values = amalthea::bench::walk_views(*model, diagnostics);
  return {std::move(model), values};
}

/// Peak memory in bytes of this program when it imports one file and ends.
double peak_memory_of_import(const std::string& path) {
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  const pid_t child = fork();
  if (child == 0) {
    execl(self.c_str(), self.c_str(), "--only-import", path.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) return 0;
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

void import_against_sax2(benchmark::State& state, const std::string& path) {
  double importing = 0, parsing = 0;
  std::size_t values = 0;
  for ([[maybe_unused]] auto _ : state) {
    const auto before_parse = Clock::now();
    parse_with_empty_handlers(path);
    parsing += seconds_since(before_parse);
    const auto before_import = Clock::now();
    const Imported imported = import(path);
    const double taken = seconds_since(before_import);
    values = imported.values;
    importing += taken;
    state.SetIterationTime(taken);
  }
  const auto size = static_cast<double>(fs::file_size(path));
  const std::string empty =
      fmt::format("{}/amalthea-bench-empty-{}.amxmi", fs::temp_directory_path().string(), getpid());
  if (!amalthea::exporter::write_file(empty, "<am:Amalthea xmlns:am=\"http://app4mc.eclipse.org/amalthea/3.3.0\"/>\n"))
    std::exit(2);
  const double base = peak_memory_of_import(empty);
  fs::remove(empty);
  state.counters["x_sax2"] = importing / parsing;
  state.counters["x_size"] = (peak_memory_of_import(path) - base) / size;
  state.counters["MB/s"] = benchmark::Counter(size / 1e6 * static_cast<double>(state.iterations()) / importing,
                                              benchmark::Counter::kDefaults);
  state.counters["values"] = static_cast<double>(values);
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3 && std::strcmp(arguments[1], "--only-import") == 0) {
    import(arguments[2]);
    return 0;
  }
  if (count == 4 && std::strcmp(arguments[1], "--write-synthetic") == 0) {
    const auto scale = static_cast<unsigned>(std::max(1, std::atoi(arguments[2])));
    return amalthea::exporter::write_file(arguments[3], amalthea::bench::synthetic_model(scale)) ? 0 : 2;
  }
  benchmark::Initialize(&count, arguments);
  std::vector<std::string> models(arguments + 1, arguments + count);
  const std::string folder = fs::temp_directory_path() / fmt::format("amalthea-bench-{}", getpid());
  if (models.empty()) {
    fs::create_directory(folder);
    for (const unsigned scale : {1U, 10U, 40U}) {
      models.push_back(fmt::format("{}/synthetic-{}.amxmi", folder, scale));
      if (!amalthea::exporter::write_file(models.back(), amalthea::bench::synthetic_model(scale))) return 2;
    }
  }
  for (const std::string& model : models) {
    if (!fs::exists(model)) {
      fmt::print(stderr, "bench_import: {}: no such file\n", model);
      return 2;
    }
    const bool large = fs::file_size(model) > 20'000'000;
    benchmark::RegisterBenchmark(("import/" + fs::path(model).filename().string()).c_str(),
                                 [model](benchmark::State& state) { import_against_sax2(state, model); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond)
        ->Iterations(large ? 3 : 30);
  }
  benchmark::RunSpecifiedBenchmarks();
  fs::remove_all(folder);
  return 0;
}
