// SPDX-License-Identifier: Apache-2.0
// Annotations for another state of the model: every verb reports them, and no written model contains them.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <zip.h>
#include <catch2/catch.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"
#include "tests/support/timed_models.hpp"

namespace {

namespace fs = std::filesystem;

const std::string stale = "[AM0553]", dropped = "[AM0554]";

bool is_said(const test::CommandResult& result, const std::string& what) {
  return (result.err + result.out).find(what) != std::string::npos;
}

/// An annotated copy of the smallest sample, which is also given.
struct AnnotatedModel {
  explicit AnnotatedModel(const std::string& forms = "properties") {
    original = test::read_text(test::sample("offload-minimal.amxmi"));
    REQUIRE(test::amalthea({"annotate", test::sample("offload-minimal.amxmi"), "-o", path, "--as", forms}).exit_code ==
            0);
    text = test::read_text(path);
  }
  /// By hand: the ticks of one runnable.
  void change() { test::write_text(path, test::replaced(text, "upperBound=\"600000\"", "upperBound=\"610000\"")); }

  test::TemporaryFolder folder;
  std::string path = folder.path() + "/model.amxmi";
  std::string original, text;
};

/// Every verb that reads a model.
std::vector<std::vector<std::string>> verbs(const std::string& model, const std::string& out) {
  return {{"info", model},
          {"validate", model},
          {"analyze", model},
          {"analyze", model, "--format", "json"},
          {"simulate", model, "--until", "20ms"},
          {"explain", model, "Control"},
          {"graph", model},
          {"report", model, "-o", out + "/report.html"},
          {"batch", model, "-o", out + "/lines.jsonl", "--sarif", out + "/findings.sarif"},
          {"annotate", model, "-o", out + "/annotated.amxmi"},
          {"explore", model, "--candidates", "20"},
          {"convert", model, "--to", "3.2.0", "-o", out + "/older.amxmi"},
          {"convert", model, "-o", out + "/model.json"}};
}

}  // namespace

TEST_CASE("annotations: every verb reports stale annotations and no verb reports current ones") {
  AnnotatedModel model;
  const std::string out = model.folder.path() + "/out";
  fs::create_directory(out);
  for (const bool changed : {false, true}) {
    if (changed) model.change();
    for (const auto& command : verbs(model.path, out)) {
      const auto result = test::amalthea(command);
      INFO(command.front() << " " << changed << "\n" << result.err << result.out.substr(0, 2000));
      CHECK(result.exit_code <= 1);
      const bool reported = command.front() == "batch"
                                ? test::read_text(out + "/lines.jsonl").find("AM0553") != std::string::npos &&
                                      test::read_text(out + "/findings.sarif").find("AM0553") != std::string::npos
                                : is_said(result, "AM0553");
      CHECK(reported == changed);
    }
  }
  // The place is the annotation that says where all of them come from.
  const auto result = test::amalthea({"validate", model.path});
  const std::string text = test::read_text(model.path);
  const auto place = text.find("<customProperties key=\"amalthea-timing.origin.model\"");
  REQUIRE(place != std::string::npos);
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n');
  CHECK(is_said(result, model.path + ":" + std::to_string(line) + ":"));
  // Annotating again mends it, and so does stripping.
  REQUIRE(test::amalthea({"annotate", model.path, "-o", model.path}).exit_code == 0);
  CHECK_FALSE(is_said(test::amalthea({"validate", model.path}), "AM0553"));
  REQUIRE(test::amalthea({"annotate", "--strip", model.path, "-o", model.path}).exit_code == 0);
  CHECK(test::read_text(model.path) == test::replaced(model.original, "\"600000\"", "\"610000\""));
}

TEST_CASE("annotations: changed layout makes annotations stale and changed annotations do not") {
  AnnotatedModel model("properties,requirements");
  test::write_text(model.path, test::replaced(model.text, "<swModel>", "<swModel>\n"));
  CHECK(is_said(test::amalthea({"validate", model.path}), stale));
  const auto last = model.text.find("<customProperties key=\"amalthea-timing.jobs\">");
  REQUIRE(last != std::string::npos);
  std::string other = model.text;
  test::write_text(model.path, other.replace(other.find("amalthea-timing.jobs"), 20, "amalthea-timing.work"));
  CHECK_FALSE(is_said(test::amalthea({"validate", model.path}), stale));
}

TEST_CASE("annotations: models with every form of custom property are judged the same") {
  using amalthea::Version;
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/model.amxmi";
  for (const Version version : {Version::v0_7_0, Version::v0_8_2, Version::v0_9_5, Version::v2_0_0}) {
    INFO(to_string(version));
    test::write_text(path, test::timed_model(version));
    REQUIRE(test::amalthea({"annotate", path, "-o", path}).exit_code == 0);
    CHECK_FALSE(is_said(test::amalthea({"info", path}), stale));
    const std::string text = test::read_text(path);
    test::write_text(path, test::replaced(text, "name=\"U\"", "name=\"U2\""));
    CHECK(is_said(test::amalthea({"info", path}), stale));
  }
}

TEST_CASE("annotations: all files of a model count in any order") {
  const test::TemporaryFolder folder;
  const std::string in = folder.path() + "/in", out = folder.path() + "/out";
  fs::create_directory(in);
  const std::string empty =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<am:Amalthea "
      "xmlns:am=\"http://app4mc.eclipse.org/amalthea/3.3.0\">\n  <commonElements/>\n</am:Amalthea>\n";
  test::write_text(in + "/z.amxmi", empty);
  test::write_text(in + "/a.amxmi", test::replaced(empty, "commonElements", "componentsModel"));
  test::write_text(in + "/model.amxmi", test::read_text(test::sample("offload-minimal.amxmi")));
  REQUIRE(test::amalthea({"annotate", in, "-o", out}).exit_code == 0);
  const std::vector<std::string> orders[] = {{out},
                                             {out + "/a.amxmi", out + "/model.amxmi", out + "/z.amxmi"},
                                             {out + "/model.amxmi", out + "/z.amxmi", out + "/a.amxmi"}};
  const auto info = [](std::vector<std::string> files) {
    files.insert(files.begin(), "info");
    return test::amalthea(files);
  };
  for (const auto& order : orders) CHECK_FALSE(is_said(info(order), stale));
  // Without one of the files it is another model.
  CHECK(is_said(info({out + "/model.amxmi"}), stale));
  // A record that does not say enough, as earlier versions wrote it, is taken at its word in that order alone.
  const std::string model = test::read_text(out + "/model.amxmi");
  const auto state = model.find("amalthea-timing.origin.state");
  REQUIRE(state != std::string::npos);
  std::string earlier = model;
  test::write_text(out + "/model.amxmi", earlier.replace(state, 28, "amalthea-timing.origin.other"));
  for (const auto& order : orders) CHECK_FALSE(is_said(info(order), stale));
  test::write_text(out + "/model.amxmi", model);
  // The file that has changed need not be the one with the annotations.
  test::write_text(out + "/z.amxmi", test::replaced(empty, "<commonElements/>", "<commonElements />"));
  for (const auto& order : orders) {
    const auto result = info(order);
    CHECK(is_said(result, stale));
    CHECK(is_said(result, out + "/model.amxmi:"));
  }
}

TEST_CASE("annotations: a zipped model is judged by the content of the archive") {
  AnnotatedModel model;
  const auto zip = [&](const std::string& text) {
    const std::string path = model.folder.path() + "/zipped.amxmi";
    zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
    REQUIRE(archive != nullptr);
    zip_source_t* source = zip_source_buffer(archive, text.data(), text.size(), 0);
    REQUIRE(zip_file_add(archive, "model.amxmi", source, 0) >= 0);
    REQUIRE(zip_close(archive) == 0);
    return path;
  };
  CHECK_FALSE(is_said(test::amalthea({"info", zip(model.text)}), stale));
  CHECK(is_said(test::amalthea({"info", zip(test::replaced(model.text, "\"600000\"", "\"610000\""))}), stale));
  // Annotated in its archive.
  const std::string again = model.folder.path() + "/again.amxmi";
  REQUIRE(test::amalthea({"annotate", zip(model.original), "-o", again}).exit_code == 0);
  CHECK_FALSE(is_said(test::amalthea({"info", again}), stale));
}

TEST_CASE("annotations: a converted model has none and equals one that was never annotated") {
  AnnotatedModel model("properties,requirements");
  const std::string plain = model.folder.path() + "/plain.amxmi", from_plain = model.folder.path() + "/a.amxmi",
                    converted = model.folder.path() + "/b.amxmi";
  test::write_text(plain, model.original);
  for (const char* version : {"3.3.0", "3.2.0"}) {
    REQUIRE(test::amalthea({"convert", plain, "--to", version, "-o", from_plain}).exit_code == 0);
    const auto result = test::amalthea({"convert", model.path, "--to", version, "-o", converted});
    INFO(result.err);
    CHECK(result.exit_code == 0);
    CHECK(is_said(result, dropped));
    CHECK(test::read_text(converted) == test::read_text(from_plain));
  }
  // In a tree the line says it.
  const std::string tree = model.folder.path() + "/tree", out = model.folder.path() + "/out";
  fs::create_directory(tree);
  fs::copy_file(model.path, tree + "/model.amxmi");
  REQUIRE(test::amalthea({"convert", tree, "--tree", "--to", "3.2.0", "-o", out}).exit_code == 0);
  CHECK(test::read_text(out + "/model.amxmi") == test::read_text(converted));
  CHECK(test::read_text(out + "/convert.jsonl").find("AM0554") != std::string::npos);
}

TEST_CASE("annotations: explore -o writes none and is otherwise unchanged") {
  AnnotatedModel model;
  const std::string plain = model.folder.path() + "/plain.amxmi", from_plain = model.folder.path() + "/a.amxmi",
                    explored = model.folder.path() + "/b.amxmi";
  for (const bool only_change_of_mapping : {true, false}) {
    // A task that has to leave its core gets scheduling parameters and more where there were none.
    const std::string original = only_change_of_mapping
                                     ? model.original
                                     : test::replaced(model.original, "<limitValue value=\"10\" unit=\"ms\"/>",
                                                      "<limitValue value=\"4700\" unit=\"us\"/>");
    test::write_text(plain, original);
    REQUIRE(test::amalthea({"annotate", plain, "-o", model.path}).exit_code == 0);
    const auto explore = [&](const std::string& from, const std::string& to) {
      return test::amalthea({"explore", from, "--candidates", "200", "-o", to});
    };
    const auto of_plain = explore(plain, from_plain), result = explore(model.path, explored);
    INFO(result.err);
    REQUIRE(of_plain.exit_code <= 1);
    CHECK(result.exit_code == of_plain.exit_code);
    CHECK(is_said(result, dropped));
    CHECK_FALSE(is_said(of_plain, dropped));
    CHECK(test::read_text(explored) == test::read_text(from_plain));
    CHECK_FALSE(is_said(test::amalthea({"validate", explored}), stale));
  }
  // Without -o nothing is written that could be without annotations.
  CHECK_FALSE(is_said(test::amalthea({"explore", model.path, "--candidates", "20"}), dropped));
}
