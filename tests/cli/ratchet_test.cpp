// SPDX-License-Identifier: Apache-2.0
// What got worse decides on the exit code, and what is accepted.

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "exporter/results/ratchet.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace ratchet_test {

using amalthea::engine::OverallVerdict;
using namespace amalthea::exporter;

namespace {

KnownLimit limit(std::string name, OverallVerdict verdict, std::string owner = "") {
  return {"deadline", std::move(name), verdict, owner, owner};
}

}  // namespace

TEST_CASE("a ratchet fails for what is worse than before and for new misses and for nothing else") {
  using enum OverallVerdict;
  const std::vector<KnownLimit> before{limit("A", missed), limit("B", guaranteed), limit("C", unknown), limit("D", met),
                                       limit("E", missed)};
  const Ratchet same = ratchet(before, before, {});
  CHECK(same.verdict() == guaranteed);
  CHECK(same.worse.empty());
  const auto with = [&before](KnownLimit changed) {
    std::vector<KnownLimit> now = before;
    std::erase_if(now, [&](const KnownLimit& one) { return one.name == changed.name; });
    now.push_back(std::move(changed));
    return ratchet(now, before, {});
  };
  CHECK(with(limit("A", met)).verdict() == guaranteed);
  CHECK(with(limit("A", met)).better.size() == 1);
  CHECK(with(limit("B", met)).verdict() == missed);  // a lost guarantee
  CHECK(with(limit("C", missed)).verdict() == missed);
  CHECK(with(limit("D", unknown)).verdict() == unknown);
  CHECK(with(limit("New", missed)).verdict() == missed);
  CHECK(with(limit("New", met)).verdict() == guaranteed);
  // What nothing judges any more is not known to hold.
  CHECK(ratchet({limit("A", met)}, before, {}).gone.size() == 4);
  CHECK(ratchet({limit("A", met)}, before, {}).verdict() == unknown);
  // Of two limits of one name, one got worse.
  CHECK(ratchet({limit("A", missed), limit("A", missed)}, std::vector{limit("A", missed), limit("A", met)}, {})
            .worse.size() == 1);
}

TEST_CASE("a miss that goes further beyond its limit got worse") {
  using enum OverallVerdict;
  const auto missed_by = [](std::int64_t us) {
    KnownLimit one = limit("A", missed, "Kim");
    one.beyond = amalthea::Duration::microseconds(us);
    return one;
  };
  const auto now = [](KnownLimit changed, KnownLimit before) {
    return ratchet({std::move(changed)}, std::vector{std::move(before)}, {});
  };
  CHECK(now(missed_by(1011), missed_by(1000)).verdict() == missed);
  CHECK(now(missed_by(1010), missed_by(1000)).verdict() == guaranteed);
  CHECK(now(missed_by(900), missed_by(1000)).verdict() == guaranteed);
  CHECK(now(missed_by(1000), limit("A", missed)).verdict() == guaranteed);  // how deep it was is not known
  CHECK(now(limit("A", unbounded), missed_by(1000)).verdict() == unbounded);
  CHECK(now(missed_by(1000), limit("A", unbounded)).verdict() == missed);
  CHECK(ratchet({missed_by(1000)}, std::nullopt, {missed_by(1000)}).verdict() == guaranteed);
  CHECK(ratchet({missed_by(2000)}, std::nullopt, {missed_by(1000)}).verdict() == missed);
  CHECK(change_text(now(missed_by(2500), missed_by(1000)).worse.front()) == "deadline A (missed by 1.000 → 2.500 ms)");
  const auto read = read_accepted(write_accepted({missed_by(1500)}, {missed_by(1500)}));
  REQUIRE(read);
  CHECK(read->front().beyond == amalthea::Duration::microseconds(1500));
}

TEST_CASE("an accepted miss passes until it gets worse") {
  using enum OverallVerdict;
  const std::vector<KnownLimit> accepted{limit("A", missed, "Kim"), limit("B", unknown, "Kim")};
  CHECK(ratchet({limit("A", missed), limit("B", unknown)}, std::nullopt, accepted).verdict() == guaranteed);
  CHECK(ratchet({limit("A", missed)}, std::nullopt, {}).verdict() == missed);
  CHECK(ratchet({limit("B", missed)}, std::nullopt, accepted).verdict() == missed);
  CHECK(ratchet({limit("A", missed)}, std::vector{limit("A", guaranteed)}, accepted).verdict() == guaranteed);
  const Ratchet mended = ratchet({limit("A", met), limit("B", unknown)}, std::nullopt, accepted);
  CHECK(mended.unneeded.size() == 1);
  CHECK(mended.accepted.front().owner == "Kim");
}

TEST_CASE("a file of accepted misses needs an owner and a reason for each and keeps them when it is written again") {
  const std::vector<KnownLimit> now{limit("A", OverallVerdict::missed), limit("B", OverallVerdict::guaranteed)};
  const std::string fresh = write_accepted(now, {});
  CHECK(read_accepted(fresh).error() == "the entry for deadline A has no owner");
  const auto filled = read_accepted(test::replaced(test::replaced(fresh, R"("owner": "")", R"("owner": "Kim")"),
                                                   R"("reason": "")", R"("reason": "later")"));
  REQUIRE(filled);
  REQUIRE(filled->size() == 1);
  CHECK(read_accepted(write_accepted(now, *filled))->front().reason == "later");
  for (const char* wrong : {"", "[]", "{}", R"({"schema":"amalthea-timing-accepted/1"})",
                            R"({"schema":"amalthea-timing-accepted/1","accepted":[1]})",
                            R"({"schema":"amalthea-timing-accepted/1","accepted":[{"kind":"deadline","name":"A",)"
                            R"("verdict":"fine","owner":"a","reason":"b"}]})"})
    CHECK_FALSE(read_accepted(wrong));
}

TEST_CASE("analyze and diff fail only for what got worse and show what is accepted") {
  const test::TemporaryFolder folder;
  const std::string missing = test::sample("tutorial/5-shared-gpu.amxmi"),
                    repaired = test::sample("tutorial/6-repaired.amxmi");
  const std::string results = folder.path() + "/before.json", accepted = folder.path() + "/accepted.json";
  CHECK(test::amalthea({"analyze", missing, "--format", "json", "-o", results}).exit_code == 1);
  CHECK(test::amalthea({"analyze", missing, "--baseline", results}).exit_code == 0);
  CHECK(test::amalthea({"analyze", missing, "--baseline", missing}).exit_code == 0);
  CHECK(test::amalthea({"analyze", repaired, "--baseline", results}).exit_code == 0);
  const auto worse = test::amalthea({"analyze", missing, "--baseline", repaired, "--format", "json"});
  CHECK(worse.exit_code == 1);
  const auto json = nlohmann::json::parse(worse.out);
  CHECK(json["verdict"] == "missed");
  CHECK(json["ratchet"]["worse"][0]["name"] == "Detection");
  CHECK(json["ratchet"]["worse"][0]["before"] == "guaranteed");
  CHECK(test::amalthea({"diff", "--timing", "--gate", missing, missing}).exit_code == 0);
  CHECK(test::amalthea({"diff", "--timing", "--gate", repaired, missing}).exit_code == 1);

  CHECK(test::amalthea({"analyze", missing, "--write-accepted", accepted}).exit_code == 1);
  CHECK(test::amalthea({"analyze", missing, "--accepted", accepted}).exit_code == 2);
  test::write_text(accepted,
                   test::replaced(test::replaced(test::read_text(accepted), R"("owner": "")", R"("owner": "Kim")"),
                                  R"("reason": "")", R"("reason": "later")"));
  const auto passed = test::amalthea({"analyze", missing, "--accepted", accepted});
  CHECK(passed.exit_code == 0);
  CHECK(passed.out.find("Accepted: deadline Detection (missed): Kim, later") != std::string::npos);
  CHECK(test::amalthea({"diff", "--timing", "--gate", "--accepted", accepted, repaired, missing}).exit_code == 0);
  CHECK(test::amalthea({"diff", "--timing", "--accepted", accepted, repaired, missing}).exit_code == 2);
}

}  // namespace ratchet_test
