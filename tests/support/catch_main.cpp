// SPDX-License-Identifier: Apache-2.0
// Exit codes: 0 all passed, 77 only skipped test cases, 1 anything else.
#define CATCH_CONFIG_RUNNER
#include <iostream>

#include <catch2/catch.hpp>

#include "tests/support/skip.hpp"

namespace {

struct Cases {
  bool skipping = false;  ///< the running one
  int skipped = 0, looked = 0, hidden = 0;
};
Cases cases;

struct SkipListener : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;

  void testCaseStarting(const Catch::TestCaseInfo& /*info*/) override { cases.skipping = false; }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    const bool checked = stats.totals.assertions.total() > 0;
    ++(cases.skipping ? cases.skipped : cases.looked);
    if (checked != cases.skipping) return;
    ++cases.hidden;
    std::cout << "failed: \"" << stats.testInfo.name
              << (checked ? "\" is skipped after it has checked something; split it\n" : "\" checks nothing\n");
  }
};
CATCH_REGISTER_LISTENER(SkipListener)

}  // namespace

void test::skip(std::string_view missing) {
  cases.skipping = true;
  std::cout << "skipped: " << missing << std::endl;
  throw Catch::TestFailureException();  // ends a test case, but does not count as a failure by itself
}

int main(int argc, char* argv[]) {
  Catch::Session session;
  if (session.applyCommandLine(argc, argv) != 0) return 1;
  session.configData().warnings = Catch::WarnAbout::NoTests;  // a name that no test case has is an error
  if (session.run() != 0 || cases.hidden > 0) return 1;
  return cases.skipped > 0 && cases.looked == 0 ? 77 : 0;
}
