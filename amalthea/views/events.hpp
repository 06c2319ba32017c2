// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Observable events of an event model, in one form for all versions.

#include <cstdint>
#include <string_view>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/event_action.hpp"

namespace amalthea::views {

/// The entity that an event concerns.
enum class EventKind : std::uint8_t {
  unknown,  ///< an unknown class
  process,
  process_chain,
  runnable,
  label,
  mode_label,  ///< since 2.1.0
  channel,     ///< since 0.7.2
  semaphore,
  stimulus,
  component,  ///< since 0.8.2
  custom,
  set,  ///< EventSet: all of several events
};

struct Event {
  Element element;
  std::string_view name;
  EventKind kind = EventKind::unknown;
  EventAction type = EventAction::any;
  std::string_view type_text;  ///< eventType as written, or ""
  Element entity;              ///< the entity it concerns; empty: any entity of that kind
  Element runnable;            ///< only when this runnable causes it
  Element process;             ///< only when this process causes it
  Element processing_unit;     ///< only on this unit (Core before 0.9.0)
};

Event event_of(const Model& model, Element event);
}  // namespace amalthea::views
