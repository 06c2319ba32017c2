// SPDX-License-Identifier: Apache-2.0
// `info` calls no class ignored that the analysis reads: the classes and features that the code names, as text.

#include <filesystem>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "amalthea/metamodel.hpp"
#include "importer/building/used_classes.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace amalthea::used_classes_test {

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string, std::less<>>;

/// All string literals of the code that reads models.
Names named_in_code() {
  Names names;
  for (const char* folder : {"/amalthea/views", "/importer/building"})
    for (const auto& entry : fs::recursive_directory_iterator(AMALTHEA_SOURCE_DIR + std::string(folder))) {
      if (entry.path().stem() == "used_classes" || !entry.is_regular_file()) continue;
      const std::string text = test::read_text(entry.path().string());
      for (std::size_t from = text.find('"'); from != text.npos; from = text.find('"', from)) {
        const std::size_t to = text.find_first_of("\"\n", from + 1);
        if (to == text.npos) break;
        names.insert(text.substr(from + 1, to - from - 1));
        from = to + 1;
      }
    }
  return names;
}

bool can_have_instances(const ClassInfo& cls) { return cls.abstract_in != cls.versions; }

}  // namespace

TEST_CASE("no class that the analysis reads is called ignored") {
  const Names named = named_in_code();
  CHECK(named.contains("PeriodicBurstStimulus"));
  Names read;
  for (const ClassInfo& cls : metamodel::classes())
    if (named.contains(cls.name)) read.insert(std::string(cls.name));
  // What such a class contains in a feature that is named, at any depth.
  for (std::size_t before = 0; before != read.size();) {
    before = read.size();
    for (const ClassInfo& cls : metamodel::classes())
      if (read.contains(cls.name))
        for (const ClassRange& lineage : cls.lineages)
          for (const ClassId super : lineage.classes)
            for (const Feature& feature : metamodel::info(super).features)
              if (feature.kind == FeatureKind::containment && feature.stored() && named.contains(feature.name) &&
                  feature.type != no_class)
                read.insert(std::string(metamodel::info(feature.type).name));
  }
  CHECK(read.contains("EventMask"));
  for (const char* told_from_clocks : {"PowerDomain", "Voltage"}) read.erase(told_from_clocks);
  for (const ClassInfo& cls : metamodel::classes())
    if (read.contains(cls.name) && can_have_instances(cls)) {
      INFO(cls.name);
      CHECK(importer::is_used_by_analysis(cls.name));
    }
  CHECK_FALSE(importer::is_used_by_analysis("ComponentPort"));
}

}  // namespace amalthea::used_classes_test
