// SPDX-License-Identifier: Apache-2.0
// The cost of reading a model, compared with Xerces' SAX2 parser with empty handlers on the same file; and of
// converting it to the newest version, compared with reading it.
//
//   bench_import [MODEL…] [--benchmark_… options]
//   bench_import --write-synthetic SCALE FILE
//   bench_import --only-sax2 FILE                         parses it with empty handlers (bench/verbs)
//
// Without models, synthetic ones of 5, 51 and 205 MB are created. Time is that of one import (store, references, typed
// views); x_sax2 is the ratio of both times, measured alternately; x_size is the peak memory of a process that does
// nothing else, minus that for a model of one line (program, libraries), divided by the size of the file. For a
// conversion, from file to file, x_import is the ratio to reading only the store, and x_size as before.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
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

#include "amalthea/editable_model.hpp"
#include "bench/synthetic_model.hpp"
#include "bench/view_walk.hpp"
#include "exporter/primitives/new_file.hpp"
#include "exporter/primitives/write_file.hpp"
#include "importer/reading/model_reader.hpp"
#include "migration/migration.hpp"

namespace {

namespace fs = std::filesystem;
namespace xml = xercesc;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The parser with its defaults, without validation: namespaces on, empty handlers.
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
  std::size_t values = 0;  ///< returned by the typed views
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

amalthea::Model read(const std::string& path) {
  amalthea::Diagnostics diagnostics;
  auto model = amalthea::importer::read_model({path}, {}, diagnostics);
  if (!model) std::exit(2);
  return std::move(*model);
}

/// From file to file, to the newest version.
void convert(const std::string& path, const std::string& output) {
  const amalthea::Model model = read(path);
  amalthea::EditableModel editable(model, amalthea::SharedIds::apart);
  amalthea::Diagnostics findings;
  amalthea::migration::Record record(findings);
  const amalthea::migration::Release to = amalthea::newest_version;
  amalthea::migration::migrate(editable, amalthea::migration::release_of(*model.documents().front()), to, record,
                               findings);
  auto file = amalthea::exporter::NewFile::create(output);
  if (!file) std::exit(2);
  amalthea::migration::write(*editable.files().front().root, to, [&](std::string_view piece) { file->write(piece); });
  if (!file->commit()) std::exit(2);
}

/// Peak memory in bytes of this program for one operation on a file; it reports this itself, since the system's value
/// for a child starts with the memory of its parent.
double peak_memory(const char* what, const std::string& path) {
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  std::FILE* const child = popen(fmt::format("'{}' {} '{}'", self, what, path).c_str(), "r");
  double kilobytes = 0;
  if (child == nullptr || std::fscanf(child, "%lf", &kilobytes) != 1) kilobytes = 0;
  if (child != nullptr) pclose(child);
  return kilobytes * 1024;
}

void tell_peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) fmt::print("{}\n", std::strtod(line.c_str() + 6, nullptr));
}

/// In addition to that for a model of one line.
double memory_for(const char* what, const std::string& path) {
  const std::string empty =
      fmt::format("{}/amalthea-bench-empty-{}.amxmi", fs::temp_directory_path().string(), getpid());
  if (!amalthea::exporter::write_file(empty, "<am:Amalthea xmlns:am=\"http://app4mc.eclipse.org/amalthea/3.3.0\"/>\n"))
    std::exit(2);
  const double base = peak_memory(what, empty);
  fs::remove(empty);
  return peak_memory(what, path) - base;
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
  state.counters["x_sax2"] = importing / parsing;
  state.counters["x_size"] = memory_for("--only-import", path) / size;
  state.counters["MB/s"] = benchmark::Counter(size / 1e6 * static_cast<double>(state.iterations()) / importing,
                                              benchmark::Counter::kDefaults);
  state.counters["values"] = static_cast<double>(values);
}

void convert_against_import(benchmark::State& state, const std::string& path) {
  const std::string output = path + ".converted";
  double converting = 0, importing = 0;
  for ([[maybe_unused]] auto _ : state) {
    const auto before_import = Clock::now();
    read(path);
    importing += seconds_since(before_import);
    const auto before = Clock::now();
    convert(path, output);
    const double taken = seconds_since(before);
    converting += taken;
    state.SetIterationTime(taken);
  }
  fs::remove(output);
  state.counters["x_import"] = converting / importing;
  state.counters["x_size"] = memory_for("--only-convert", path) / static_cast<double>(fs::file_size(path));
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3 && std::strcmp(arguments[1], "--only-import") == 0) {
    import(arguments[2]);
    tell_peak_memory();
    return 0;
  }
  if (count == 3 && std::strcmp(arguments[1], "--only-convert") == 0) {
    convert(arguments[2], "/dev/null");
    tell_peak_memory();
    return 0;
  }
  if (count == 3 && std::strcmp(arguments[1], "--only-sax2") == 0) {
    parse_with_empty_handlers(arguments[2]);
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
    benchmark::RegisterBenchmark(("convert/" + fs::path(model).filename().string()).c_str(),
                                 [model](benchmark::State& state) { convert_against_import(state, model); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond)
        ->Iterations(large ? 3 : 30);
  }
  benchmark::RunSpecifiedBenchmarks();
  fs::remove_all(folder);
  return 0;
}
