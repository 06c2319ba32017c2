// SPDX-License-Identifier: Apache-2.0
// Rules for the sources themselves: ids of diagnostics, directions of includes.

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include <catch2/catch.hpp>

#include "tests/support/markdown.hpp"
#include "tests/support/test_models.hpp"

namespace {

namespace fs = std::filesystem;

std::vector<std::string> sources_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(AMALTHEA_SOURCE_DIR "/" + folder))
    if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp")
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), regex); at != std::sregex_iterator(); ++at)
    found.push_back((*at)[1]);
  return found;
}

const std::vector<std::string> folders = {"amalthea",   "importer", "engine",   "explore", "review",
                                          "traces",     "exporter", "analysis", "batch",   "migration",
                                          "difference", "lsp",      "cli",      "scenario"};

}  // namespace

TEST_CASE("every diagnostic id has one source and one entry in docs/reference/diagnostics.md") {
  std::map<std::string, std::vector<std::string>> made;
  for (const std::string& folder : folders)
    for (const std::string& file : sources_in(folder)) {
      if (fs::path(file).extension() != ".cpp" || file.ends_with("/finding_consequences.cpp")) continue;
      for (const std::string& id : matches(test::read_text(file), "\"(AM[0-9]{4})\"")) made[id].push_back(file);
    }
  CHECK(made.size() > 40);
  const auto explained =
      matches(test::read_text(AMALTHEA_SOURCE_DIR "/docs/reference/diagnostics.md"), "\n\\| (AM[0-9]{4}) \\|");
  const std::set<std::string> documented(explained.begin(), explained.end());
  CHECK(documented.size() == explained.size());
  for (const auto& [id, places] : made) {
    INFO(id << " in " << places.front());
    CHECK(places.size() == 1);
    CHECK(documented.count(id) == 1);
  }
  for (const std::string& id : documented) {
    INFO(id << " is documented");
    CHECK(made.count(id) == 1);
  }
}

TEST_CASE("docs/reference/gpu-properties.md lists the custom properties that the importer reads and no other") {
  std::set<std::string> read;
  for (const std::string& file : sources_in("importer"))
    for (const std::string& key : matches(test::read_text(file), "\"(gpu\\.[A-Za-z]+)\"")) read.insert(key);
  CHECK(read.size() >= 18);
  const auto rows = matches(test::read_text(AMALTHEA_SOURCE_DIR "/docs/reference/gpu-properties.md"),
                            "\n\\| `(gpu\\.[A-Za-z]+)` \\|");
  CHECK(std::set<std::string>(rows.begin(), rows.end()) == read);
  CHECK(std::set<std::string>(rows.begin(), rows.end()).size() == rows.size());
}

TEST_CASE("includes follow the data flow between folders") {
  const std::map<std::string, std::set<std::string>> allowed = {
      {"amalthea", {"amalthea"}},
      {"importer", {"amalthea", "importer"}},
      {"engine", {"amalthea", "engine"}},
      {"scenario", {"amalthea", "engine", "scenario"}},
      {"explore", {"amalthea", "engine", "explore"}},
      {"review", {"amalthea", "importer", "engine", "review"}},
      {"traces", {"amalthea", "engine", "traces"}},
      {"exporter", {"amalthea", "engine", "explore", "migration", "difference", "traces", "exporter"}},
      {"batch", {"amalthea", "importer", "engine", "exporter", "analysis", "batch"}},
      {"migration", {"amalthea", "migration"}},
      {"difference", {"amalthea", "difference"}},
      {"analysis",
       {"amalthea", "importer", "engine", "explore", "review", "traces", "exporter", "migration", "difference",
        "scenario", "analysis"}},
      {"lsp", {"amalthea", "importer", "engine", "review", "exporter", "analysis", "lsp"}},
      {"cli",
       {"amalthea", "importer", "engine", "explore", "review", "traces", "exporter", "analysis", "batch", "migration",
        "difference", "lsp", "cli"}},
      {"python",
       {"amalthea", "importer", "engine", "explore", "review", "exporter", "analysis", "batch", "migration",
        "difference", "traces", "python"}},
  };
  std::vector<std::string> all = folders;
  all.emplace_back("python");
  for (const std::string& folder : all)
    for (const std::string& file : sources_in(folder)) {
      const std::string text = test::read_text(file);
      for (const std::string& target : matches(text, "#include \"([a-z_]+)/")) {
        INFO(file << " includes " << target << "/…");
        CHECK(allowed.at(folder).count(target) == 1);
      }
      if (fs::path(file).filename() != "xml_reader.cpp") {
        INFO(file);
        CHECK(matches(text, "#include <(xercesc)/").empty());
      }
    }
}

TEST_CASE("engine rooms include only rooms on lower floors") {
  const std::vector<std::set<std::string>> floors = {{"input"},      {"gpu"},     {"nvidia", "amd", "cpu"}, {"devices"},
                                                     {"program"},    {"results"}, {"simulation", "chains"}, {"bounds"},
                                                     {"constraints"}};
  const auto floor_of = [&](const std::string& room) {
    return std::find_if(floors.begin(), floors.end(), [&](const auto& floor) { return floor.count(room) == 1; });
  };
  for (const std::string& file : sources_in("engine")) {
    const fs::path path = fs::path(file).lexically_relative(AMALTHEA_SOURCE_DIR "/engine");
    if (!path.has_parent_path()) continue;  // on the top floor
    const std::string room = path.begin()->string();
    INFO(file);
    REQUIRE(floor_of(room) != floors.end());
    for (const std::string& target : matches(test::read_text(file), "#include \"engine/([a-z_]+)")) {
      INFO("includes engine/" << target);
      CHECK((target == room || (room != "cpu" && floor_of(target) < floor_of(room))));
    }
  }
}

TEST_CASE("a detail folder is included from its own room only") {
  std::vector<std::string> all = folders;
  all.emplace_back("python");
  for (const std::string& folder : all)
    for (const std::string& file : sources_in(folder))
      for (const std::string& room : matches(test::read_text(file), "#include \"([a-z_/]+)/detail/")) {
        INFO(file << " includes a header of " << room << "/detail");
        CHECK(file.starts_with(AMALTHEA_SOURCE_DIR "/" + room + "/"));
      }
}

TEST_CASE("only what the program wrote itself is read by the parser that knows no limits") {
  std::set<std::string> callers;
  for (const std::string& folder : folders)
    for (const std::string& file : sources_in(folder))
      if (!matches(test::read_text(file), "([jJ]son)::(?:parse|accept|sax_parse)\\(").empty())
        callers.insert(fs::path(file).lexically_relative(AMALTHEA_SOURCE_DIR).string());
  const std::set<std::string> with_limits = {"engine/input/located_json.cpp", "exporter/primitives/outside_json.hpp",
                                             "traces/reading/detail/json_elements.cpp"};
  const std::set<std::string> own = {"batch/tree_conversion.cpp",
                                     "cli/batch.cpp",
                                     "cli/batch_verbs.cpp",
                                     "cli/convert.cpp",
                                     "exporter/models/model_json.cpp",
                                     "exporter/primitives/drawing.cpp",
                                     "exporter/report/report_data.cpp",
                                     "exporter/report/comparison_report.cpp",
                                     "exporter/report/policy_report.cpp"};
  for (const std::set<std::string>& known : {with_limits, own})
    for (const std::string& file : known) CHECK(callers.erase(file) == 1);
  CHECK(callers.empty());
}

TEST_CASE("exporter primitives include no other exporter room") {
  for (const std::string& file : sources_in("exporter/primitives"))
    for (const std::string& target : matches(test::read_text(file), "#include \"exporter/([a-z_]+)")) {
      INFO(file << " includes exporter/" << target);
      CHECK(target == "primitives");
    }
}

TEST_CASE("the engine does not depend on elements even indirectly") {
  std::set<std::string> reached;
  std::vector<std::string> open = sources_in("engine");
  while (!open.empty()) {
    const std::string file = open.back();
    open.pop_back();
    if (!reached.insert(file).second) continue;
    for (const std::string& target : matches(test::read_text(file), "#include \"([a-z_]+/[a-z_/]+\\.hpp)\""))
      open.push_back(AMALTHEA_SOURCE_DIR "/" + target);
  }
  CHECK(reached.count(AMALTHEA_SOURCE_DIR "/amalthea/graph/system.hpp") == 1);
  CHECK(reached.count(AMALTHEA_SOURCE_DIR "/amalthea/element.hpp") == 0);
}

TEST_CASE("every file of the repository that the documentation names exists") {
  const std::string named =
      "`((?:amalthea|analysis|batch|bench|cli|cmake|docs|engine|explore|exporter|importer|lsp|migration|"
      "review|samples|tests|tools|traces)/[a-z0-9_./-]*)`";
  std::size_t found = 0;
  for (const std::string& page : test::documentation_pages())
    for (const std::string& name : matches(test::read_text(AMALTHEA_SOURCE_DIR "/" + page), named)) {
      INFO(page << ": " << name);
      const std::string file = AMALTHEA_SOURCE_DIR "/" + name;
      CHECK((fs::exists(file) || fs::exists(file + ".hpp")));  // a header and its source are named together
      ++found;
    }
  CHECK(found > 100);
}

TEST_CASE("every row of the tables of figures in docs/papers.md names tests that exist") {
  std::string titles, files;
  for (const auto& entry : fs::recursive_directory_iterator(AMALTHEA_SOURCE_DIR "/tests")) {
    if (!entry.path().filename().string().ends_with("_test.cpp")) continue;
    files += "/" + entry.path().filename().string() + "\n";
    for (const std::string& title : matches(test::read_text(entry.path().string()), "TEST_CASE\\(\\s*\"([^\"]*)\""))
      titles += "\n" + title + "\n";
  }
  const std::string page = test::read_text(AMALTHEA_SOURCE_DIR "/docs/papers.md");
  const auto first = page.find("\n## Figures and tables\n");
  REQUIRE(first != std::string::npos);
  const std::string section = page.substr(first, page.find("\n## ", first + 1) - first);
  std::size_t rows = 0;
  for (const std::string& row : matches(section, "\n(\\|[^\n]*)")) {
    if (row.starts_with("| paper ") || row.starts_with("| source ") || row.starts_with("| ---")) continue;
    INFO(row);
    const auto named = matches(row.substr(row.rfind(" | ")), "`([^`]+)`");
    CHECK_FALSE(named.empty());
    for (const std::string& name : named) {
      INFO(name);
      if (name.ends_with("_test.cpp"))
        CHECK(files.find("/" + name + "\n") != std::string::npos);
      else if (name.ends_with('*'))
        CHECK(titles.find("\n" + name.substr(0, name.size() - 1)) != std::string::npos);
      else
        CHECK(titles.find("\n" + name + "\n") != std::string::npos);
    }
    ++rows;
  }
  CHECK(rows >= 23);
}

TEST_CASE("the program in docs/library.md is built and run as a test") {
  std::string program = test::read_text(AMALTHEA_SOURCE_DIR "/tests/package/main.cpp");
  program = program.substr(program.find("#include"));
  CHECK(test::read_text(AMALTHEA_SOURCE_DIR "/docs/library.md").find("```cpp\n" + program + "```") !=
        std::string::npos);
}
