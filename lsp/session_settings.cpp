// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "exporter/primitives/json_integers.hpp"
#include "lsp/detail/protocol.hpp"
#include "lsp/session.hpp"

namespace amalthea::lsp {

using namespace detail;

namespace {

constexpr const char* section = "amalthea";
constexpr const char* analysis_token = "amalthea-analysis";
constexpr std::size_t longest_delay = 60'000;  // milliseconds

}  // namespace

/// What is no setting, or has another type, has no effect.
void Session::configure(const Json& settings) {
  if (const Json& delay = at(settings, {"delay"}); delay.is_number_unsigned() && delay <= longest_delay)
    delay_ = std::chrono::milliseconds(exporter::integer_in<std::uint32_t>(delay));
  if (const Json& suppress = at(settings, {"suppress"}); suppress.is_array()) {
    suppressed_.clear();
    for (const Json& id : suppress)
      if (id.is_string()) suppressed_.insert(id.get<std::string>());
  }
  if (const Json& quiet = at(settings, {"quiet"}); quiet.is_boolean()) only_errors_ = quiet;
  if (const Json& lenses = at(settings, {"lensCommand"}); lenses.is_boolean()) lens_commands_ = lenses;
}

void Session::ask_for_settings() {
  ask("workspace/configuration", {{"items", {{{"section", section}}}}}, [this](const Json& result) {
    if (!result.is_array() || result.empty()) return;
    configure(result[0]);
    publish();
  });
}

bool Session::awaits_analysis() const {
  return shows_progress_ &&
         std::any_of(readings_.begin(), readings_.end(), [](const Reading& one) { return one.pending; });
}

void Session::show_progress(double done) {
  const auto tell_value = [this](Json value) {
    tell("$/progress", {{"token", analysis_token}, {"value", std::move(value)}});
  };
  if (!awaits_analysis()) {
    if (analysis_token_ == analysis_token) tell_value({{"kind", "end"}});
    analysis_token_ = nullptr;
  } else if (analysis_token_.is_null()) {
    analysis_token_ = "asked";
    ask("window/workDoneProgress/create", {{"token", analysis_token}}, [this, tell_value](const Json&) {
      if (analysis_token_.is_null()) return;  // it has ended
      analysis_token_ = analysis_token;
      tell_value({{"kind", "begin"}, {"title", "Analyzing"}, {"percentage", 0}});
    });
  } else if (analysis_token_ == analysis_token) {
    tell_value({{"kind", "report"}, {"percentage", static_cast<int>(done * 100)}});
  }
}

}  // namespace amalthea::lsp
