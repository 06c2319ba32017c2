// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Stimuli of processes, activations of runnables and clocks, in one form for all versions.

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/location.hpp"
#include "amalthea/time.hpp"
#include "amalthea/views/activity.hpp"
#include "amalthea/views/conditions.hpp"
#include "amalthea/views/deviations.hpp"

namespace amalthea::views {

/// How a clock's time is sampled (since 0.8.3); before that, a periodic stimulus may itself refer to a clock.
struct Scenario {
  Element element;
  Element clock;
  std::optional<Duration> recurrence;  ///< up to 0.9.4
  double sampling_offset = 0;          ///< since 0.9.5
  double sampling_recurrence = 1;
};

/// Periodic, PeriodicStimulus.
struct PeriodicStimulus {
  std::optional<Duration> offset;
  std::optional<Duration> recurrence;
  std::optional<Deviation<Duration>> jitter;  ///< before 0.8.3 `stimulusDeviation`
  std::optional<Duration> minimum_distance;
  Element clock;  ///< before 0.8.3: the clock that counts the period
};
/// RelativePeriodicStimulus; before 0.8.3 Sporadic, SporadicStimulus.
struct RelativePeriodicStimulus {
  std::optional<Duration> offset;
  std::optional<Deviation<Duration>> next_occurrence;  ///< before 0.8.3 `stimulusDeviation`
};
struct VariableRateStimulus {
  std::optional<Duration> step;
  std::optional<Deviation<double>> occurrences_per_step;
  std::optional<double> largest_increase_per_step;
  std::optional<double> largest_decrease_per_step;
  std::optional<Scenario> scenario;
};
/// Synthetic, SyntheticStimulus, PeriodicSyntheticStimulus.
struct PeriodicSyntheticStimulus {
  std::optional<Duration> offset;
  std::optional<Duration> recurrence;
  std::vector<Duration> occurrences;   ///< within one recurrence
  std::vector<Element> without_value;  ///< those that were never filled in; they count as 0
};
struct PeriodicBurstStimulus {
  std::optional<Duration> offset;
  std::optional<Duration> recurrence;
  std::optional<Duration> burst_length;
  std::optional<Duration> minimum_distance;
  std::int64_t occurrences = 1;  ///< per burst
};
/// Single, SingleStimulus.
struct SingleStimulus {
  std::optional<Duration> occurrence;
};
/// InterProcess, InterProcessStimulus: occurs when an InterProcessTrigger names it.
struct InterProcessStimulus {
  std::optional<Counter> counter;
};
/// Occurs when one of the events occurs.
struct EventStimulus {
  std::vector<Element> events;
  std::optional<Counter> counter;
};
/// PeriodicEvent (before 0.8.1): does not state when it occurs.
struct PeriodicEventStimulus {};
struct ArrivalCurveEntry {
  Element element;
  std::int64_t occurrences = 0;
  std::optional<Duration> lower;  ///< minimum time span of that many occurrences
  std::optional<Duration> upper;
};
/// ArrivalCurve, ArrivalCurveStimulus.
struct ArrivalCurveStimulus {
  std::vector<ArrivalCurveEntry> entries;
};
struct CustomStimulus {};
/// A stimulus of an unknown class.
struct UnknownStimulus {};

struct Stimulus {
  using Kind = std::variant<UnknownStimulus, PeriodicStimulus, RelativePeriodicStimulus, VariableRateStimulus,
                            PeriodicSyntheticStimulus, PeriodicBurstStimulus, SingleStimulus, InterProcessStimulus,
                            EventStimulus, PeriodicEventStimulus, ArrivalCurveStimulus, CustomStimulus>;
  Element element;
  std::string_view name;
  Kind kind;
  /// `stimulusDeviation` (before 0.8.3) of a kind that does not use it.
  std::optional<Deviation<Duration>> deviation;
  std::vector<ModeAssignment> sets;  ///< modes that change when it occurs
  /// it has an effect only while this is true; `executionCondition` since 0.9.4
  std::optional<Condition> enabling;
  std::optional<Condition> disabling;  ///< it has no effect while this is true; up to 0.9.3
};

/// Reads one stimulus. Unreadable values are reported (AM0210) and treated as unstated.
Stimulus stimulus_of(const Model& model, Element stimulus, Diagnostics& diagnostics);
/// All stimuli in document order.
std::vector<Stimulus> stimuli(const Model& model, Diagnostics& diagnostics);

/// The frequency of a clock in hertz (since 0.9.5); 0 if it is not constant, or unreadable.
double constant_hertz(Element clock);

/// Maps an element to the elements that refer to it, each once, in document order. Construction walks the model once.
class ActivationTable {
 public:
  explicit ActivationTable(const Model& model);
  /// Tasks and ISRs that a stimulus activates; runnables and process prototypes that an activation activates.
  const std::vector<Element>& activated_by(Element stimulus_or_activation) const;

 private:
  std::unordered_map<std::uint64_t, std::vector<Element>> activated_;
};

}  // namespace amalthea::views
