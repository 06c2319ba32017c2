// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// AMALTHEA's event types: what happens to a process, a runnable, a label etc.

#include <cstdint>
#include <optional>
#include <string_view>

namespace amalthea {

/// `any`, the default of all event classes: any event of an entity of that kind.
enum class EventAction : std::uint8_t {
  any,
  activate,
  start,
  resume,
  preempt,
  poll,
  run,
  wait,
  poll_parking,
  park,
  release_parking,
  release,
  terminate,
  deadline,  ///< up to 0.9.9
  suspend,
  read,
  write,
  increment,
  decrement,
  send,
  receive,
  lock,
  unlock,
  end,
  custom,  ///< any text, for a custom event
};
/// AMALTHEA's literal: "_all_", "activate", …; "custom".
std::string_view to_string(EventAction);

/// The event type of an AMALTHEA literal; nothing for any other text.
std::optional<EventAction> parse_event_action(std::string_view literal);

}  // namespace amalthea
