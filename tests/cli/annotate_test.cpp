// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <zip.h>
#include <catch2/catch.hpp>

#include "tests/support/emf_batch.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"
#include "tests/support/timed_models.hpp"

namespace {

namespace fs = std::filesystem;

struct ModelUnderTest {
  std::string path;
  amalthea::Version version;
};

std::vector<ModelUnderTest> samples() {
  return {{test::sample("waters2019-tx2.amxmi"), amalthea::Version::v3_3_0},
          {test::sample("offload-minimal.amxmi"), amalthea::Version::v3_3_0}};
}

std::vector<ModelUnderTest> third_party_models() {
  const std::string corpus = test::corpus_folder("/mobstr");
  return {{corpus + "/2.0.0/mobstr-mapped.amxmi", amalthea::Version::v2_0_0},
          {corpus + "/1.0.0/mobstr.amxmi", amalthea::Version::v1_0_0},
          {corpus + "/0.9.8/ChallengeModel_release_fix.amxmi", amalthea::Version::v0_9_8}};
}

void check_strip(const std::vector<ModelUnderTest>& models) {
  const test::TemporaryFolder folder;
  const std::string a = folder.path() + "/a.amxmi", b = folder.path() + "/b.amxmi", c = folder.path() + "/c.amxmi";
  for (const auto& model : models) {
    INFO(model.path);
    REQUIRE(test::amalthea({"annotate", model.path, "-o", a}).exit_code == 0);
    REQUIRE(test::amalthea({"annotate", "--strip", a, "-o", b}).exit_code == 0);
    REQUIRE(test::amalthea({"annotate", a, "-o", c}).exit_code == 0);
    CHECK(test::read_text(b) == test::read_text(model.path));
    CHECK(test::read_text(a) == test::read_text(c));
    CHECK(test::read_text(a) != test::read_text(model.path));
  }
}

}  // namespace

TEST_CASE("annotate: strip restores the original byte for byte and repeated annotation is idempotent") {
  check_strip(samples());
}

TEST_CASE("annotate: strip restores third-party models byte for byte and repeated annotation is idempotent") {
  check_strip(third_party_models());
}

namespace {

/// Lines of a diff that begin so, without that.
std::vector<std::string> lines_with(const std::string& diff, std::string_view mark) {
  std::vector<std::string> found;
  std::istringstream lines(diff);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(mark)) found.push_back(line.substr(mark.size()));
  return found;
}

/// How many elements without content annotating opens in a text; checks that else it only inserts lines.
std::size_t opened_elements(const std::string& text) {
  const test::TemporaryFolder folder;
  const std::string original = folder.path() + "/original.amxmi", a = folder.path() + "/a.amxmi";
  INFO(text.substr(0, 400));
  test::write_text(original, text);
  REQUIRE(test::amalthea({"annotate", original, "-o", a, "--as", "properties,requirements"}).exit_code == 0);
  const auto diff = test::run({"diff", "--text", original, a});
  const auto removed = lines_with(diff.out, "< "), added = lines_with(diff.out, "> ");
  CHECK(added.size() > 100);
  for (std::string line : removed) {
    const std::size_t slash = line.rfind("/>");
    REQUIRE(slash != std::string::npos);
    CHECK(std::count(added.begin(), added.end(), line.erase(slash, 1)) > 0);
  }
  for (const std::string& line : added) CHECK(line.ends_with('\r') == (text.find('\r') != std::string::npos));
  return removed.size();
}

}  // namespace

TEST_CASE("annotate: a diff shows only inserted lines and opened empty elements") {
  std::vector<std::string> texts;
  for (const auto& model : samples()) texts.push_back(test::read_text(model.path));
  // The first one with other line ends and with tabs.
  std::string crlf, tabs;
  for (const char c : texts.front()) {
    crlf += c == '\n' ? "\r\n" : std::string(1, c);
    const bool indents = c == ' ' && !tabs.empty() && (tabs.back() == '\n' || tabs.back() == '\t');
    tabs += indents ? '\t' : c;
  }
  texts.push_back(crlf);
  texts.push_back(tabs);
  // In the samples no elements but the two schedulers are without content.
  for (const std::string& text : texts) CHECK(opened_elements(text) == 2);
}

TEST_CASE("annotate: a diff of a third-party model shows only inserted lines and opened elements") {
  for (const auto& model : third_party_models()) opened_elements(test::read_text(model.path));
}

TEST_CASE("annotate: the output may be the model itself") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/model.amxmi",
                    original = test::read_text(test::sample("offload-minimal.amxmi"));
  test::write_text(path, original);
  REQUIRE(test::amalthea({"annotate", path, "-o", path}).exit_code == 0);
  CHECK(test::read_text(path) != original);
  REQUIRE(test::amalthea({"annotate", "--strip", path, "-o", path}).exit_code == 0);
  CHECK(test::read_text(path) == original);
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}) == 1);
}

TEST_CASE("annotate: all forms together are removed by strip and repeated annotation is idempotent") {
  const test::TemporaryFolder folder;
  const std::string a = folder.path() + "/a.amxmi", b = folder.path() + "/b.amxmi", c = folder.path() + "/c.amxmi",
                    original = folder.path() + "/original.amxmi";
  const std::vector<std::pair<amalthea::Version, std::string>> cases = {
      {amalthea::Version::v0_9_7, "properties,measurements,requirements"},
      {amalthea::Version::v0_8_2, "measurements,requirements"},
      {amalthea::Version::v3_3_0, "requirements"}};
  for (const auto& [version, forms] : cases) {
    test::write_text(original, test::timed_model(version));
    for (const std::string& input : {original, a}) {
      const auto done = test::amalthea({"annotate", input, "-o", c, "--as", forms});
      INFO(done.err);
      REQUIRE(done.exit_code == 0);
      if (input == original) fs::copy_file(c, a, fs::copy_options::overwrite_existing);
    }
    CHECK(test::read_text(a) == test::read_text(c));
    // What was written in other forms goes, too.
    REQUIRE(test::amalthea({"annotate", a, "-o", b}).exit_code == 0);
    REQUIRE(test::amalthea({"annotate", original, "-o", c}).exit_code == 0);
    CHECK(test::read_text(b) == test::read_text(c));
    REQUIRE(test::amalthea({"annotate", "--strip", a, "-o", b}).exit_code == 0);
    CHECK(test::read_text(b) == test::read_text(original));
  }
}

TEST_CASE("annotate: a form that the version does not support is rejected in one line and nothing is written") {
  const test::TemporaryFolder folder;
  const std::string a = folder.path() + "/a.amxmi";
  const auto refused =
      test::amalthea({"annotate", test::sample("offload-minimal.amxmi"), "-o", a, "--as", "properties,measurements"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err == test::sample("offload-minimal.amxmi") +
                           ": error: AMALTHEA 3.3.0 has no measurement model; --as measurements works for 0.8.2 to "
                           "0.9.9; omit it, or convert the model [AM0550]\n");
  CHECK_FALSE(fs::exists(a));
  CHECK(test::amalthea({"annotate", test::sample("offload-minimal.amxmi"), "-o", a, "--as", "poems"}).exit_code == 2);
}

TEST_CASE("annotate: the root records the options and the hash of the original") {
  const test::TemporaryFolder folder;
  const std::string a = folder.path() + "/a.amxmi", b = folder.path() + "/b.amxmi";
  const std::string model = folder.path() + "/model.amxmi";
  test::write_text(model, test::timed_model(amalthea::Version::v3_3_0));
  const auto value = [&](const std::string& key) {
    const std::string text = test::read_text(a);
    const std::size_t at = text.find("\"amalthea-timing.origin." + key + "\"");
    if (at == std::string::npos) return std::string("-");
    const std::size_t begin = text.find("value=\"", at) + 7;
    return text.substr(begin, text.find('"', begin) - begin);
  };
  REQUIRE(test::amalthea({"annotate", model, "-o", a}).exit_code == 0);
  const std::string hash = value("model");
  CHECK(hash.starts_with("sha256:"));
  for (const std::string key : {"mapping", "until", "wrappers", "platform"}) CHECK(value(key) == "-");
  CHECK(value("execution") == "worst");

  const std::string changes = folder.path() + "/changes.json";
  test::write_text(changes, R"({"U": {"core": "C0"}})");
  const std::vector<std::string> options = {
      "--map",   "T=C0:7",   "--mapping", changes,           "--until",     "8ms",      "--execution",
      "average", "--memory", "none",      "--keep-wrappers", "--line-rule", "published"};
  std::vector<std::string> command = {"annotate", model, "-o", a};
  command.insert(command.end(), options.begin(), options.end());
  REQUIRE(test::amalthea(command).exit_code == 0);
  CHECK(value("mapping") == "U=C0, T=C0:7");
  CHECK(value("until") == "8ms");
  CHECK(value("horizon") == "8000000000");
  CHECK(value("execution") == "average");
  CHECK(value("memory") == "none");
  CHECK(value("lineRule") == "published");
  CHECK(value("wrappers") == "kept as written");
  CHECK(value("model") == hash);
  // Annotating what is annotated looks at what it was made of.
  command[1] = a;
  command[3] = b;
  REQUIRE(test::amalthea(command).exit_code == 0);
  CHECK(test::read_text(a) == test::read_text(b));
  REQUIRE(test::amalthea({"annotate", test::sample("offload-minimal.amxmi"), "-o", a}).exit_code == 0);
  CHECK(value("platform") == "GPU=tx2");
}

TEST_CASE("annotate: the files of a split model are annotated in their own files in a separate folder") {
  // Software in one file, everything else in another, with references between them.
  const test::TemporaryFolder folder;
  const std::string split = folder.path() + "/split", out = folder.path() + "/out", again = folder.path() + "/again",
                    back = folder.path() + "/back";
  fs::create_directory(split);
  const auto version = amalthea::Version::v3_3_0;
  const std::string whole = test::timed_model(version), software = test::timed_software(version);
  const std::size_t begin = software.find("  <stimuliModel>");
  const std::string root_end = "</am:Amalthea>\n", head = whole.substr(0, whole.find(software));
  std::string rest = test::replaced(whole, software, software.substr(begin));
  for (const std::string name : {"T?type=Task", "U?type=Task", "I?type=ISR", "L?type=Label"})
    for (const std::string feature : {"task", "isr", "abstractElement", "entity"}) {
      const std::string text = feature + "=\"" + name + "\"";
      for (std::size_t at = 0; (at = rest.find(text, at)) != std::string::npos;) {
        // An attribute of an element becomes a child of it.
        const std::size_t end = rest.find('>', at);
        const bool closed = rest[end - 1] == '/';
        const std::size_t open = rest.rfind('<', at);
        const std::string tag = rest.substr(open + 1, rest.find(' ', open) - open - 1);
        const std::string type = name.substr(name.find('=') + 1);
        std::string child = "<" + feature + " xsi:type=\"am:" + type + "\" href=\"amlt:/#" + name + "\"/>";
        if (closed) child += "</" + tag + ">";
        rest = rest.substr(0, at) + rest.substr(at + text.size(), end - at - text.size() - (closed ? 1 : 0)) + ">" +
               child + rest.substr(end + 1);
      }
    }
  std::string part = software.substr(0, begin);
  for (const std::string name : {"P2", "P4"})
    for (std::size_t at = 0; (at = part.find(" stimuli=\"" + name, at)) != std::string::npos;) {
      const std::size_t end = part.find('"', at + 10) + 1;
      const std::size_t close = part.find('>', end);
      part = part.substr(0, at) + part.substr(end, close + 1 - end) +
             "<stimuli xsi:type=\"am:PeriodicStimulus\" href=\"amlt:/#" + name + "?type=PeriodicStimulus\"/>" +
             part.substr(close + 1);
    }
  test::write_text(split + "/sw.amxmi", head + part + root_end);
  test::write_text(split + "/rest.amxmi", rest);
  test::write_text(split + "/common.amxmi", head + "  <commonElements/>\n" + root_end);

  const auto done = test::amalthea({"annotate", split, "-o", out, "--as", "properties,requirements"});
  INFO(done.err);
  REQUIRE(done.exit_code == 0);
  const std::string sw = test::read_text(out + "/sw.amxmi"), other = test::read_text(out + "/rest.amxmi");
  CHECK(sw.find("amalthea-timing.responseTime.max") != std::string::npos);
  CHECK(sw.find("<constraintsModel>") != std::string::npos);  // for the limits, beside the processes
  CHECK(sw.find("amalthea-timing.origin.model") != std::string::npos);
  CHECK(other.find("amalthea-timing.core.C1.demand") != std::string::npos);
  CHECK(other.find("amalthea-timing.let.age") != std::string::npos);
  CHECK(other.find("amalthea-timing.responseTime.max") == std::string::npos);
  CHECK(test::read_text(out + "/common.amxmi") == test::read_text(split + "/common.amxmi"));

  // Several files are a model like their folder; the results are the same again.
  REQUIRE(test::amalthea({"annotate", out + "/common.amxmi", out + "/rest.amxmi", out + "/sw.amxmi", "-o", again,
                          "--as", "properties,requirements"})
              .exit_code == 0);
  REQUIRE(test::amalthea({"annotate", "--strip", again, "-o", back}).exit_code == 0);
  for (const std::string file : {"/sw.amxmi", "/rest.amxmi", "/common.amxmi"}) {
    CHECK(test::read_text(again + file) == test::read_text(out + file));
    CHECK(test::read_text(back + file) == test::read_text(split + file));
  }
  // In place.
  REQUIRE(test::amalthea({"annotate", "--strip", again, "-o", again}).exit_code == 0);
  CHECK(test::read_text(again + "/sw.amxmi") == test::read_text(split + "/sw.amxmi"));
}

TEST_CASE("annotate: several files are written to a folder without overwriting each other") {
  const test::TemporaryFolder folder;
  const std::string one = folder.path() + "/one", two = folder.path() + "/two", file = folder.path() + "/file";
  fs::create_directory(one);
  fs::create_directory(two);
  for (const std::string& place : {one, two})
    test::write_text(place + "/m.amxmi", test::timed_model(amalthea::Version::v3_3_0));
  test::write_text(file, "x");
  const auto same = test::amalthea({"annotate", "--strip", one + "/m.amxmi", two + "/m.amxmi", "-o", folder.path()});
  CHECK(same.exit_code == 2);
  CHECK(same.err.find("have the same name") != std::string::npos);
  const auto no_folder = test::amalthea({"annotate", "--strip", one, "-o", file});
  CHECK(no_folder.exit_code == 2);
  CHECK(no_folder.err.find("several files need a folder") != std::string::npos);
  CHECK(test::read_text(file) == "x");
  const auto too_deep = test::amalthea({"annotate", "--strip", one, "-o", folder.path() + "/no/where"});
  CHECK(too_deep.exit_code == 2);
  // A file that cannot be written leaves the others as they are.
  const std::string m = test::read_text(one + "/m.amxmi");
  const std::string head = m.substr(0, m.find('>', m.find("<am:Amalthea")) + 1);
  test::write_text(one + "/z.amxmi",
                   head + "<commonElements/><!--" + std::string(40 * m.size(), 'x') + "--></am:Amalthea>");
  for (const std::string verb : {"annotate", "explore"}) {
    // The second file exceeds the limit on file sizes, in blocks of 512 bytes.
    const auto half = test::run({"/bin/sh", "-c", "ulimit -f \"$3\"; exec \"$0\" \"$1\" \"$2\" -o \"$2\"",
                                 AMALTHEA_COMMAND, verb, one, std::to_string(20 * m.size() / 512)});
    INFO(half.err);
    CHECK(half.exit_code == 2);
    CHECK(half.err.find("cannot write " + one + "/z.amxmi") != std::string::npos);
    CHECK(test::read_text(one + "/m.amxmi") == m);
  }
  fs::remove_all(one);
  fs::create_directory(one);
  // A model that cannot be analyzed leaves nothing behind.
  test::write_text(one + "/m.amxmi",
                   test::replaced(test::timed_model(amalthea::Version::v3_3_0), "P2?type", "P9?type"));
  CHECK(test::amalthea({"annotate", one, "-o", folder.path() + "/new"}).exit_code != 0);
  CHECK_FALSE(fs::exists(folder.path() + "/new"));
}

namespace {

struct Entry {
  std::string name;
  std::string content;
  std::time_t time = 0;
  bool stored = false;
};

void write_archive(const std::string& path, const std::vector<Entry>& entries) {
  zip_t* zip = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  REQUIRE(zip != nullptr);
  for (const Entry& entry : entries) {
    const zip_int64_t index =
        entry.name.back() == '/'
            ? zip_dir_add(zip, entry.name.c_str(), 0)
            : zip_file_add(zip, entry.name.c_str(),
                           zip_source_buffer(zip, entry.content.data(), entry.content.size(), 0), 0);
    REQUIRE(index >= 0);
    const auto at = static_cast<zip_uint64_t>(index);
    REQUIRE(zip_file_set_mtime(zip, at, entry.time, 0) == 0);
    REQUIRE(zip_file_set_comment(zip, at, "kept", 4, 0) == 0);
    if (entry.stored) REQUIRE(zip_set_file_compression(zip, at, ZIP_CM_STORE, 0) == 0);
  }
  REQUIRE(zip_close(zip) == 0);
}

std::vector<Entry> read_archive(const std::string& path) {
  std::vector<Entry> entries;
  zip_t* zip = zip_open(path.c_str(), ZIP_RDONLY, nullptr);
  REQUIRE(zip != nullptr);
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(zip_get_num_entries(zip, 0)); ++i) {
    zip_stat_t stat;
    REQUIRE(zip_stat_index(zip, i, 0, &stat) == 0);
    CHECK(std::string(zip_file_get_comment(zip, i, nullptr, 0)) == "kept");
    std::string content(stat.size, '\0');
    zip_file_t* file = zip_fopen_index(zip, i, 0);
    REQUIRE(zip_fread(file, content.data(), content.size()) == static_cast<zip_int64_t>(content.size()));
    zip_fclose(file);
    entries.push_back({stat.name, content, stat.mtime, stat.comp_method == ZIP_CM_STORE});
  }
  zip_discard(zip);
  return entries;
}

}  // namespace

TEST_CASE("annotate: a zipped model stays zipped and the rest of the archive is unchanged") {
  const test::TemporaryFolder folder;
  const std::string zip = folder.path() + "/z.amxmi", a = folder.path() + "/a.amxmi", b = folder.path() + "/b.amxmi",
                    plain = folder.path() + "/plain.amxmi", plain_annotated = folder.path() + "/p.amxmi";
  const std::string model = test::timed_model(amalthea::Version::v2_0_0);
  test::write_text(plain, model);
  REQUIRE(test::amalthea({"annotate", plain, "-o", plain_annotated}).exit_code == 0);
  for (const bool stored : {false, true}) {
    write_archive(zip,
                  {{"folder/", "", 1'000'000'000, true}, {"folder/ResourceContents", model, 1'234'567'890, stored}});
    const auto done = test::amalthea({"annotate", zip, "-o", a});
    INFO(done.err);
    REQUIRE(done.exit_code == 0);
    CHECK(done.err.find("ZIP") == std::string::npos);
    const auto before = read_archive(zip), after = read_archive(a);
    REQUIRE(after.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(after[i].name == before[i].name);
      CHECK(after[i].time == before[i].time);
      CHECK(after[i].stored == before[i].stored);
    }
    CHECK(after[1].content == test::read_text(plain_annotated));
    // The same again, byte for byte, and back: this archive was made by the same library.
    REQUIRE(test::amalthea({"annotate", a, "-o", b}).exit_code == 0);
    CHECK(test::read_text(a) == test::read_text(b));
    REQUIRE(test::amalthea({"annotate", "--strip", a, "-o", a}).exit_code == 0);
    CHECK(read_archive(a)[1].content == model);
    CHECK(test::read_text(a) == test::read_text(zip));
  }
}

TEST_CASE("annotate: an archive whose entry leads out of its folder is not copied") {
  const test::TemporaryFolder folder;
  const std::string zip = folder.path() + "/z.amxmi", out = folder.path() + "/o.amxmi";
  const std::string model = test::timed_model(amalthea::Version::v3_3_0);
  for (const std::string name : {"../../x.amxmi", "a/../../x.amxmi", "..", "/tmp/x.amxmi", "..\\x.amxmi", "C:x.amxmi",
                                 "a\\..\\..\\x.amxmi", "\\x.amxmi", "a/.."}) {
    fs::remove(zip);
    write_archive(zip, {{name, model, 1'234'567'890, false}});
    const auto refused = test::amalthea({"annotate", zip, "-o", out});
    INFO(name << ": " << refused.err);
    CHECK(refused.exit_code == 2);
    CHECK(refused.err.find("its entry \"" + name + "\" leads out of the folder") != std::string::npos);
    CHECK_FALSE(fs::exists(out));
  }
  for (const std::string name : {"a..b/x.amxmi", "...", "xy:z.amxmi"}) {
    fs::remove(zip);
    write_archive(zip, {{name, model, 1'234'567'890, false}});
    CHECK(test::amalthea({"annotate", zip, "-o", out}).exit_code == 0);
  }
}

TEST_CASE("annotate: EMF loads every annotated model without a diagnostic", "[emf]") {
  test::EmfBatch emf;
  auto models = samples();
  for (auto& model : third_party_models()) models.push_back(std::move(model));
  int number = 0;
  for (const auto& model : models) {
    INFO(model.path);
    const std::string a = fmt::format("{}/{}.amxmi", emf.folder(), ++number);
    REQUIRE(test::amalthea({"annotate", model.path, "-o", a, "--as", "properties,requirements"}).exit_code == 0);
    for (const std::string& file : {model.path, a}) emf.expect_accepted(model.version, {file});
  }
  emf.run();
}
