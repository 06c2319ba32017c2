// SPDX-License-Identifier: Apache-2.0
// What the strictest reader of a format says about what is written.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/test_models.hpp"

namespace strict_readers_test {

namespace {

namespace fs = std::filesystem;

/// Perfetto's trace_processor_shell, unpacked if it is packed.
std::string trace_processor(const std::string& folder) {
  const char* chosen = std::getenv("AMALTHEA_PERFETTO");
  const std::string path = chosen != nullptr ? chosen : AMALTHEA_SOURCE_DIR "/../shared/tools/trace_processor_shell.xz";
  if (!fs::exists(path)) test::skip("no trace_processor_shell of Perfetto (AMALTHEA_PERFETTO)");
  if (!path.ends_with(".xz")) return path;
  const std::string program = folder + "/trace_processor_shell";
  const auto unpacked =
      test::run({"/bin/sh", "-c", fmt::format("xz -dc '{0}' > '{1}' && chmod +x '{1}'", path, program)});
  if (unpacked.exit_code != 0) test::skip("no xz (xz-utils)");
  if (test::run({program, "--version"}).exit_code != 0)
    test::skip("no libraries of Perfetto's trace reader (libprotobuf32)");
  return program;
}

}  // namespace

TEST_CASE("Perfetto drops nothing of the traces of all samples") {
  const test::TemporaryFolder folder;
  const std::string program = trace_processor(folder.path());
  const std::string query = folder.path() + "/dropped.sql", trace = folder.path() + "/trace.json";
  test::write_text(query,
                   "select 'dropped', name, value from stats where value > 0 and severity != 'info';\n"
                   "select 'arrows', count(*) from flow;\n");
  std::vector<std::vector<std::string>> commands;
  for (const char* models : {"", "tutorial/"})
    for (const auto& entry : fs::directory_iterator(test::sample(models)))
      if (entry.path().extension() == ".amxmi")
        commands.push_back({"analyze", entry.path(), "--until", "200ms", "--trace", trace});
  for (const char* folder_of : {"gpu", "amd"})
    for (const auto& entry : fs::directory_iterator(test::sample(folder_of)))
      if (entry.path().extension() == ".json") commands.push_back({"gpu", "run", entry.path(), "--timeline", trace});
  std::size_t read = 0, arrows = 0;
  for (const auto& command : commands) {
    fs::remove(trace);
    test::amalthea(command);
    if (!fs::exists(trace)) continue;
    const auto result = test::run({program, "-q", query, trace});
    INFO(command[1] << " " << command[2] << result.out);
    CHECK(result.exit_code == 0);
    CHECK(result.out.find("\"dropped\",\"") == std::string::npos);
    ++read;
    const std::string text = test::read_text(trace);
    std::size_t ends = 0;
    for (std::size_t at = 0; (at = text.find(R"("ph":"f")", at)) != std::string::npos; ++at) ++ends;
    CHECK(result.out.find(fmt::format("\"arrows\",{}\n", ends)) != std::string::npos);
    arrows += ends;
  }
  CHECK(read >= 20);
  CHECK(arrows > 1000);
}

}  // namespace strict_readers_test
