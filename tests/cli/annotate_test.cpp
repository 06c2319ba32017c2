#include <filesystem>

#include <catch2/catch.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace {

namespace fs = std::filesystem;

struct ModelUnderTest {
  std::string path;
  std::string version;
};

std::vector<ModelUnderTest> models() {
  std::vector<ModelUnderTest> found = {{test::sample("waters2019-tx2.amxmi"), "3.3.0"},
                                       {test::sample("offload-minimal.amxmi"), "3.3.0"}};
  if (const auto corpus = test::corpus_folder()) {
    found.push_back({*corpus + "/mobstr/2.0.0/mobstr-mapped.amxmi", "2.0.0"});
    found.push_back({*corpus + "/mobstr/1.0.0/mobstr.amxmi", "1.0.0"});
    found.push_back({*corpus + "/mobstr/0.9.8/ChallengeModel_release_fix.amxmi", "0.9.8"});
  } else {
    WARN("the third-party models (AMALTHEA_CORPUS) are not there; only the samples are tried");
  }
  return found;
}

}  // namespace

TEST_CASE("annotate: strip gives the original back byte for byte; annotating twice gives the same file") {
  const test::TemporaryFolder folder;
  const std::string a = folder.path() + "/a.amxmi", b = folder.path() + "/b.amxmi", c = folder.path() + "/c.amxmi";
  for (const auto& model : models()) {
    INFO(model.path);
    REQUIRE(test::amalthea({"annotate", model.path, "-o", a}).exit_code == 0);
    REQUIRE(test::amalthea({"annotate", "--strip", a, "-o", b}).exit_code == 0);
    REQUIRE(test::amalthea({"annotate", a, "-o", c}).exit_code == 0);
    CHECK(test::read_text(b) == test::read_text(model.path));
    CHECK(test::read_text(a) == test::read_text(c));
    CHECK(test::read_text(a) != test::read_text(model.path));
  }
}

TEST_CASE("annotate: a diff shows inserted lines and nothing else") {
  const test::TemporaryFolder folder;
  const std::string a = folder.path() + "/a.amxmi";
  for (const auto& model : models()) {
    INFO(model.path);
    REQUIRE(test::amalthea({"annotate", model.path, "-o", a}).exit_code == 0);
    const auto diff = test::run({"diff", model.path, a});
    std::size_t removed = 0;
    for (std::size_t at = diff.out.find("\n< "); at != std::string::npos; at = diff.out.find("\n< ", at + 1)) ++removed;
    // Only elements that were written without content lose their "/".
    for (std::size_t at = diff.out.find("\n< "); at != std::string::npos; at = diff.out.find("\n< ", at + 1)) {
      const std::string line = diff.out.substr(at + 3, diff.out.find('\n', at + 1) - at - 3);
      CHECK(line.ends_with("/>"));
    }
    if (model.version == "3.3.0") CHECK(removed == 0);
  }
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

TEST_CASE("annotate: EMF loads every annotated model without a diagnostic", "[emf]") {
  const auto judge = test::emf_judge();
  const auto metamodels = test::metamodel_folder();
  if (!judge || !metamodels) {
    WARN("skipped: the EMF judge (AMALTHEA_EMF, AMALTHEA_METAMODELS, libeclipse-emf-ecore-xmi-java) is not there");
    return;
  }
  const test::TemporaryFolder folder;
  const std::string a = folder.path() + "/a.amxmi";
  for (const auto& model : models()) {
    INFO(model.path);
    REQUIRE(test::amalthea({"annotate", model.path, "-o", a}).exit_code == 0);
    for (const std::string& file : {model.path, a}) {
      const auto emf =
          test::run({"sh", *judge, *metamodels + "/amalthea-" + model.version + ".ecore", file, "--errors"});
      INFO(emf.err);
      REQUIRE(emf.exit_code == 0);
      CHECK(emf.out.find("\"errors\": {}") != std::string::npos);
      CHECK(emf.out.find("\"unresolvedLocal\": 0, \"unresolvedProxies\": 0") != std::string::npos);
    }
  }
}
