// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

template <class Use>
void each_source(const Use& use) {
  for (const auto& entry : std::filesystem::directory_iterator(AMALTHEA_SOURCE_DIR "/tests/reference")) {
    const auto name = entry.path().filename().string();
    const bool test = name.find("_test.") != std::string::npos || name == "gpu_scenario.hpp";
    if (!test && (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp")) use(entry.path());
  }
}

}  // namespace

TEST_CASE("the reference includes nothing of the product", "[house]") {
  int files = 0;
  each_source([&](const std::filesystem::path& path) {
    ++files;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
      if (line.rfind("#include", 0) != 0) continue;
      INFO(path << ": " << line);
      const bool quoted = line.find('"') != std::string::npos;
      const bool own = line.rfind("#include \"reference/", 0) == 0;
      const bool foreign = line.find('/') != std::string::npos && line.find("<fmt/") == std::string::npos;
      CHECK((quoted ? own : !foreign));
    }
  });
  CHECK(files >= 5);
}

TEST_CASE("the reference stays small enough to be read", "[house]") {
  int lines = 0;  // without comments and blank lines
  each_source([&](const std::filesystem::path& path) {
    std::ifstream in(path);
    int all = 0;
    for (std::string line; std::getline(in, line); ++all) {
      const auto begin = line.find_first_not_of(' ');
      if (begin != std::string::npos && line.compare(begin, 2, "//") != 0) ++lines;
    }
    INFO(path);
    CHECK(all <= 600);
  });
  CHECK(lines <= 5000);
}
