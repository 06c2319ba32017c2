// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Software: processes, runnables, labels, mode labels, in one form for all versions. Unreadable quantities are reported
/// (AM0210) and treated as unstated. Literals are as written, "" if they are unstated or `_undefined_`. Semaphores
/// belong to the operating system; activities refer to them (views::SemaphoreAccess).

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/location.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/time.hpp"
#include "amalthea/views/activity.hpp"
#include "amalthea/views/conditions.hpp"

namespace amalthea::views {

/// `unknown` is a literal of 0.7.0 and 0.7.1; `non_preemptive` replaces it since 0.7.2.
enum class Preemption : std::uint8_t { unstated, preemptive, cooperative, non_preemptive, unknown };

enum class ProcessKind : std::uint8_t { task, isr };
struct Process {
  Element element;
  std::string_view name;
  ProcessKind kind = ProcessKind::task;
  std::vector<Element> stimuli;
  Preemption preemption = Preemption::unstated;  ///< tasks
  /// Maximum number of pending activations of a task; 0, the default, means no limit.
  std::int64_t activation_limit = 0;
};
/// Tasks and ISRs, in document order.
std::vector<Process> processes(const Model& model, Diagnostics& diagnostics);

struct Runnable {
  Element element;
  std::string_view name;
  bool callback = false;
  bool service = false;
  Element section;
  std::string_view asil_level;
  std::vector<Element> tags;
};
std::vector<Runnable> runnables(const Model& model, Diagnostics& diagnostics);

struct Label {
  Element element;
  std::string_view name;
  std::optional<DataSize> size;
  bool constant = false;
  bool is_volatile = false;
  std::string_view data_stability;  ///< in 0.7.0 and 0.7.1 `buffered`: "buffered", "notBuffered"
};
/// One by one: a model may have hundreds of thousands.
void for_each_label(const Model& model, Diagnostics& diagnostics, const std::function<void(const Label&)>& visit);

struct ModeLabel {
  Element element;
  std::string_view name;
  Element mode;  ///< 0.8.0 – 0.9.3 that of the initial literal
  std::string_view initial_value;
  Element initial_literal;  ///< the ModeLiteral that initial_value names
};
std::vector<ModeLabel> mode_labels(const Model& model, Diagnostics& diagnostics);

}  // namespace amalthea::views
