// SPDX-License-Identifier: Apache-2.0
#include "importer/reading/detail/zip_reader.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <zip.h>
#include <catch2/catch.hpp>

#include "importer/reading/model_reader.hpp"
#include "tests/support/test_models.hpp"

namespace reading_zip_reader_test {

using namespace amalthea;

namespace {

constexpr const char* model_text =
    "<am:Amalthea xmlns:am=\"http://app4mc.eclipse.org/amalthea/3.3.0\"><swModel><tasks "
    "name=\"T\"/></swModel></am:Amalthea>";

/// An archive with these entries (name, content); a name that ends in '/' is a folder.
std::string archive(const std::vector<std::pair<std::string, std::string>>& entries) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/a.zip";
  zip_t* zip = zip_open(path.c_str(), ZIP_CREATE, nullptr);
  REQUIRE(zip != nullptr);
  for (const auto& [name, content] : entries) {
    if (name.back() == '/') {
      REQUIRE(zip_dir_add(zip, name.c_str(), 0) >= 0);
      continue;
    }
    REQUIRE(zip_file_add(zip, name.c_str(), zip_source_buffer(zip, content.data(), content.size(), 0), 0) >= 0);
  }
  REQUIRE(zip_close(zip) == 0);
  return test::read_text(path);
}

std::string error_of(std::string bytes, const importer::Limits& limits = {}) {
  Diagnostics diagnostics;
  CHECK_FALSE(importer::read_model_from_bytes("z.amxmi", std::move(bytes), limits, diagnostics));
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all().front().id == "AM0113");
  return diagnostics.all().front().message;
}

}  // namespace

TEST_CASE("a zipped model is recognized by its content and read like any other") {
  Diagnostics diagnostics;
  const auto model = importer::read_model_from_bytes(
      "z.amxmi", archive({{"folder/", ""}, {"folder/m.amxmi", model_text}}), {}, diagnostics);
  REQUIRE(model.has_value());
  CHECK(diagnostics.all().empty());
  CHECK(model->documents().front()->zipped());
  CHECK(model->documents().front()->source().bytes() == model_text);
  CHECK(model->find("T?type=Task"));
}

TEST_CASE("an archive must hold one file") {
  CHECK(error_of(archive({{"a.amxmi", model_text}, {"b.amxmi", model_text}})) ==
        "the ZIP archive cannot be read: it contains 2 files; expected one model");
  CHECK(error_of(archive({{"a/", ""}})) == "the ZIP archive cannot be read: it contains 0 files; expected one model");
}

TEST_CASE("what unpacks to far more than the archive's size is refused unless the model is small") {
  importer::Limits limits;
  const std::string large = archive({{"a.amxmi", std::string(10'000'001, ' ')}});
  CHECK(error_of(large, limits) ==
        fmt::format("the ZIP archive cannot be read: its content has at least 10000001 bytes, {} times the {} bytes of "
                    "the archive; more than 10000000 bytes are limited to 100 times (--max-ratio)",
                    10'000'000 / large.size() + 1, large.size()));
  const auto is_unpacked = [&](std::size_t size) {
    Diagnostics diagnostics;
    importer::read_model_from_bytes("z.amxmi", archive({{"a.amxmi", model_text + std::string(size, ' ')}}), limits,
                                    diagnostics);
    return test::with_id(diagnostics, "AM0113").empty();
  };
  limits.max_unpacked_ratio = 0;
  CHECK(is_unpacked(9'000'000));
  CHECK_FALSE(is_unpacked(10'000'000));
  limits.max_unpacked_ratio = 10'000;
  CHECK(is_unpacked(10'000'000));
}

TEST_CASE("content that unpacks beyond the limit is rejected whatever size the archive states") {
  importer::Limits limits;
  limits.max_unpacked_size = 1000;
  const std::string bomb = archive({{"a.amxmi", std::string(10'000'000, ' ')}});
  CHECK(bomb.size() < 20'000);
  CHECK(error_of(bomb, limits) ==
        "the ZIP archive cannot be read: its content has at least 1048576 bytes, more than the limit of 1000 "
        "(--max-unpacked)");
  limits.max_file_size = 999'999;
  limits.max_unpacked_size = 2'000'000;
  CHECK(error_of(bomb, limits) ==
        "the ZIP archive cannot be read: its content has at least 1048576 bytes, more than the limit of 999999 "
        "(--max-size)");
}

TEST_CASE("every limit of input names the value reached, the limit and the option that raises it") {
  const std::string text = test::model_text("<swModel><labels name='l' namespace=''/></swModel>");
  const std::string large = archive({{"a.amxmi", text + std::string(11'000'000, ' ')}});
  struct Limited {
    std::string bytes;
    importer::Limits limits;
    std::string value, limit, option;
  };
  std::vector<Limited> all(6);
  all[0] = {text, {}, fmt::format("{} bytes", text.size()), "100", "--max-size"};
  all[0].limits.max_file_size = 100;
  all[1] = {text, {}, "3 levels", "2", "--max-depth"};
  all[1].limits.max_depth = 2;
  all[2] = {text, {}, "element 3", "2", "--max-elements"};
  all[2].limits.max_elements = 2;
  all[3] = {text, {}, "4 attributes", "3", "--max-attributes"};
  all[3].limits.max_attributes_per_element = 3;
  all[4] = {large, {}, "1048576 bytes", "1000", "--max-unpacked"};
  all[4].limits.max_unpacked_size = 1000;
  all[5] = {large, {}, fmt::format("{} times", 10'485'759 / large.size() + 1), "100 times", "--max-ratio"};
  for (const Limited& one : all) {
    Diagnostics diagnostics;
    CHECK_FALSE(importer::read_model_from_bytes("m.amxmi", one.bytes, one.limits, diagnostics));
    REQUIRE(diagnostics.all().size() == 1);
    const std::string& message = diagnostics.all().front().message;
    INFO(message);
    for (const std::string& part : {" " + one.value, " " + one.limit + " (", "(" + one.option + ")"})
      CHECK(message.find(part) != std::string::npos);
  }
}

TEST_CASE("a damaged archive is one error for any damage") {
  const std::string whole = archive({{"a.amxmi", model_text}});
  for (std::size_t size = 4; size < whole.size(); size += 7) CHECK_FALSE(error_of(whole.substr(0, size)).empty());
  for (std::size_t at = 4; at < whole.size(); at += 3) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x5A);
    Diagnostics diagnostics;
    const auto model = importer::read_model_from_bytes("z.amxmi", damaged, {}, diagnostics);
    INFO("byte " << at);
    // Damage in times or names is harmless; all other damage is reported.
    if (model)
      CHECK(model->documents().front()->source().bytes() == model_text);
    else
      CHECK(diagnostics.errors() == 1);
  }
}

}  // namespace reading_zip_reader_test
