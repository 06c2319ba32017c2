// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "amalthea/primitives/near_miss.hpp"
#include "tests/support/test_models.hpp"

namespace near_miss_test {

using amalthea::did_you_mean;
using amalthea::did_you_mean_or_list;
using amalthea::NearMisses;
using amalthea::spelling_distance;
using Names = std::vector<std::string>;

TEST_CASE("near miss: the distance counts added and dropped and replaced and swapped characters") {
  CHECK(spelling_distance("Fuse", "Fuse", 4) == 0);
  CHECK(spelling_distance("Fuse", "fUSE", 4) == 0);
  CHECK(spelling_distance("Fuse", "Fues", 4) == 1);
  CHECK(spelling_distance("Fuse", "Fuze", 4) == 1);
  CHECK(spelling_distance("Fuse", "Fus", 4) == 1);
  CHECK(spelling_distance("Fuse", "Fusse", 4) == 1);
  CHECK(spelling_distance("", "abc", 4) == 3);
  CHECK(spelling_distance("kitten", "sitting", 4) == 3);
  CHECK(spelling_distance("kitten", "sitting", 2) == 3);  // more than two
  CHECK(spelling_distance("abc", "xyz", 1) == 2);
  CHECK(spelling_distance(std::string(200, 'a'), std::string(200, 'a') + "b", 1) == 0);  // beginnings are compared
}

TEST_CASE("near miss: the nearest names are suggested in the order they were offered") {
  CHECK(did_you_mean("Fuze", Names{"Read", "Fuse", "Fuel"}) == "; did you mean \"Fuse\"?");
  CHECK(did_you_mean("fuse", Names{"Fuze", "Fuse"}) == "; did you mean \"Fuse\"?");
  CHECK(did_you_mean("Core7", Names{"Core0", "Core1", "Core2", "Core3"}) ==
        "; did you mean \"Core0\", \"Core1\" or \"Core2\"?");
  CHECK(did_you_mean("Fuse", Names{"Fuze", "Fuze"}) == "; did you mean \"Fuze\"?");
}

TEST_CASE("near miss: dissimilar names are not suggested but may be listed") {
  CHECK(did_you_mean("Fuse", Names{"Planner", "Read"}).empty());
  CHECK(did_you_mean("", Names{"s", "ms"}).empty());
  CHECK(did_you_mean("x", Names{"s", "y"}).empty());
  CHECK(did_you_mean_or_list("Fuse", Names{"Planner"}) == "; available: \"Planner\"");
  CHECK(did_you_mean_or_list("Fuse", Names{"Planner", "Read"}) == "; available: \"Planner\" and \"Read\"");
  CHECK(did_you_mean_or_list("Fuse", Names{"A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A9", "B1"}) ==
        "; available: \"A1\", \"A2\", \"A3\", \"A4\", \"A5\", \"A6\", \"A7\", \"A8\" and 2 more");
  CHECK(did_you_mean_or_list("Fuse", Names{}).empty());
}

TEST_CASE("near miss: an abbreviation is suggested if no spelling is similar") {
  CHECK(did_you_mean("Fuse", Names{"FuseObjects", "Read"}) == "; did you mean \"FuseObjects\"?");
  CHECK(did_you_mean("FuseObjects", Names{"Fuse", "Read"}) == "; did you mean \"Fuse\"?");
}

TEST_CASE("near miss: for a missing file similar files of its folder are suggested") {
  const test::TemporaryFolder folder;
  test::write_text(folder.path() + "/model.amxmi", "");
  CHECK(amalthea::did_you_mean_file(folder.path() + "/modle.amxmi") ==
        "; did you mean \"" + folder.path() + "/model.amxmi\"?");
  CHECK(amalthea::did_you_mean_file(folder.path() + "/other.json").empty());
  CHECK(amalthea::did_you_mean_file(folder.path() + "/none/model.amxmi").empty());
  CHECK(amalthea::did_you_mean_file(folder.path() + "/gone.amxmi").empty());  // alike by the ending only
  CHECK(amalthea::did_you_mean_file(folder.path() + "/model.amxmi").empty());
  CHECK(amalthea::did_you_mean_file(folder.path() + "/model.xml").empty());
  CHECK(amalthea::did_you_mean_file(folder.path() + "/modle.amxmi", [](std::string_view) { return false; }).empty());
  CHECK(amalthea::did_you_mean_file(folder.path() + "/model.amxm") ==
        "; did you mean \"" + folder.path() + "/model.amxmi\"?");
}

}  // namespace near_miss_test
