// SPDX-License-Identifier: Apache-2.0
#include "amalthea/event_action.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace amalthea {
namespace {

constexpr std::array<std::string_view, 24> event_literals{
    "_all_",        "activate",  "start",           "resume",  "preempt",   "poll",     "run",     "wait",
    "poll_parking", "park",      "release_parking", "release", "terminate", "deadline", "suspend", "read",
    "write",        "increment", "decrement",       "send",    "receive",   "lock",     "unlock",  "end"};

}  // namespace

std::string_view to_string(EventAction action) {
  return action == EventAction::custom ? "custom" : event_literals[static_cast<std::size_t>(action)];
}

std::optional<EventAction> parse_event_action(std::string_view literal) {
  const auto found = std::find(event_literals.begin(), event_literals.end(), literal);
  if (found == event_literals.end()) return std::nullopt;
  return static_cast<EventAction>(found - event_literals.begin());
}

}  // namespace amalthea
