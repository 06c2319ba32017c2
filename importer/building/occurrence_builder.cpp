// SPDX-License-Identifier: Apache-2.0
// Occurrences of all kinds of stimuli.

#include "importer/building/detail/occurrence_builder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/views/stated_maximum.hpp"
#include "importer/building/detail/distribution_builder.hpp"

namespace amalthea::importer::detail {
namespace {

constexpr std::string_view unusable_recurrence = "AM0311";
constexpr std::string_view unusable_burst = "AM0330";

/// Real models stay below this, and so many jobs need much memory.
constexpr std::int64_t max_in_burst = 10'000;
/// The time to derive the implied entries of a curve grows with this.
constexpr std::int64_t longest_curve = 250;
/// Steps without an occurrence are processed one by one.
constexpr Duration least_step = Duration::microseconds(1);

class OccurrenceReader {
 public:
  OccurrenceReader(const Model& model, const views::Stimulus& stimulus, Diagnostics& diagnostics)
      : model_(model), stimulus_(stimulus), diagnostics_(diagnostics) {}

  std::optional<Occurrence> read() const {
    return std::visit([this](const auto& kind) -> std::optional<Occurrence> { return take(kind); }, stimulus_.kind);
  }

 private:
  std::optional<Occurrence> take(const views::PeriodicStimulus& view) const {
    if (!recurs("periodic", view.recurrence, view.offset)) return std::nullopt;
    if (view.clock) report_clock(view.clock, stimulus_.element);
    Periodic periodic;
    periodic.period = *view.recurrence;
    periodic.offset = view.offset.value_or(Duration{});
    periodic.minimum_distance = not_negative(view.minimum_distance);
    if (view.jitter) periodic.jitter = spread_of(*view.jitter, "the jitter");
    if (periodic.minimum_distance > periodic.period)
      return error(
          unusable_recurrence,
          fmt::format("periodic stimulus \"{}\" has a minDistance of {}, which is longer than its "
                      "recurrence of {}; correct one of them",
                      stimulus_.name, format_duration(periodic.minimum_distance), format_duration(periodic.period)));
    if (periodic.jitter.lower < 0) {
      const Duration early = Duration::picoseconds(periodic.jitter.lower);
      periodic.jitter = shifted(periodic.jitter, -periodic.jitter.lower);
      periodic.offset += early;
      if (periodic.offset < Duration{})
        periodic.offset = Duration::picoseconds(
            (periodic.offset.picoseconds() % periodic.period.picoseconds() + periodic.period.picoseconds()) %
            periodic.period.picoseconds());
    }
    return periodic;
  }

  std::optional<Occurrence> take(const views::SingleStimulus& view) const {
    return Single{not_negative(view.occurrence)};
  }

  std::optional<Occurrence> take(const views::InterProcessStimulus&) const { return InterProcess{}; }
  std::optional<Occurrence> take(const views::EventStimulus&) const { return EventDriven{}; }

  std::optional<Occurrence> take(const views::RelativePeriodicStimulus& view) const {
    Sporadic sporadic;
    sporadic.offset = not_negative(view.offset);
    if (view.next_occurrence) {
      sporadic.distance = distribution_of(*view.next_occurrence);
      // Response times depend on the least distance only, limits on chains and events also on the largest.
      if (!model_.all("constraintsModel", "timingConstraints").empty())
        views::report_open(*view.next_occurrence, "the time to the next occurrence", diagnostics_);
      views::report_disorder(*view.next_occurrence, diagnostics_);
    }
    if (sporadic.distance.lower > 0) return sporadic;
    if (sporadic.distance.average > 0) {
      sporadic.distance = at_least(sporadic.distance, 0);
      diagnostics_.add(
          "AM0463", Severity::warning,
          fmt::format("the time between two occurrences of stimulus \"{}\" may be zero, so what depends "
                      "on it has no bound, and the simulation uses the average; state a lower bound above zero",
                      stimulus_.name),
          view.next_occurrence->element.location(), view.next_occurrence->element.path());
      return sporadic;
    }
    return error("AM0331", fmt::format("stimulus \"{}\" has no minimum inter-arrival time; state a lower bound above "
                                       "zero for the time to the next occurrence",
                                       stimulus_.name));
  }

  std::optional<Occurrence> take(const views::PeriodicSyntheticStimulus& view) const {
    if (!recurs("synthetic", view.recurrence, view.offset)) return std::nullopt;
    Synthetic synthetic{*view.recurrence, view.offset.value_or(Duration{}), view.occurrences};
    std::sort(synthetic.occurrences.begin(), synthetic.occurrences.end());
    if (synthetic.occurrences.empty() || synthetic.occurrences.front() < Duration{} ||
        synthetic.occurrences.back() >= synthetic.period)
      return error(
          "AM0332",
          fmt::format("synthetic stimulus \"{}\" needs occurrences, each at least 0 and less than its recurrence",
                      stimulus_.name));
    for (const Element occurrence : view.without_value)
      diagnostics_.add("AM0522", Severity::warning,
                       fmt::format("an occurrence of synthetic stimulus \"{}\" has no value, so it counts as 0; state "
                                   "the value, 0 too",
                                   stimulus_.name),
                       occurrence.location(), occurrence.path());
    return synthetic;
  }

  std::optional<Occurrence> take(const views::PeriodicBurstStimulus& view) const {
    if (!recurs("burst", view.recurrence, view.offset)) return std::nullopt;
    const Burst burst{*view.recurrence, view.offset.value_or(Duration{}), view.burst_length.value_or(Duration{}),
                      not_negative(view.minimum_distance), view.occurrences};
    if (burst.length >= Duration{} && burst.length <= burst.period && burst.occurrences >= 1 &&
        burst.occurrences <= max_in_burst) {
      const std::int64_t gaps = burst.occurrences - 1;
      if (gaps == 0 || burst.minimum_distance.picoseconds() <= burst.length.picoseconds() / gaps) return burst;
      return error(unusable_burst,
                   fmt::format("the {} occurrences of burst stimulus \"{}\", at least {} apart, do not fit its burst "
                               "length of {}; correct occurrenceMinDistance, burstLength or occurrenceCount",
                               burst.occurrences, stimulus_.name, format_duration(burst.minimum_distance),
                               format_duration(burst.length)));
    }
    return error(unusable_burst, fmt::format("burst stimulus \"{}\" needs a burst length that does not exceed its "
                                             "recurrence, and 1 to {} occurrences in it",
                                             stimulus_.name, max_in_burst));
  }

  std::optional<Occurrence> take(const views::ArrivalCurveStimulus& view) const {
    std::map<std::int64_t, ArrivalCurve::Entry> by_count;
    std::map<std::int64_t, views::ArrivalCurveEntry> stated;  // the first for each number
    for (const views::ArrivalCurveEntry& entry : view.entries) {
      const Duration lower = not_negative(entry.lower);
      if (entry.occurrences > longest_curve)
        return error(
            "AM0335",
            fmt::format("stimulus \"{}\" has an arrival curve with more than {} occurrences; use fewer entries",
                        stimulus_.name, longest_curve));
      if (entry.occurrences >= 2) {
        const auto [known, added] = stated.try_emplace(entry.occurrences, entry);
        if (!added && (known->second.lower != entry.lower || known->second.upper != entry.upper))
          diagnostics_.add("AM0529", Severity::warning,
                           fmt::format("the arrival curve of stimulus \"{}\" has a second, different entry for {} "
                                       "occurrences; remove one",
                                       stimulus_.name, entry.occurrences),
                           entry.element.location(), entry.element.path());
        ArrivalCurve::Entry& of_count = by_count[entry.occurrences];
        of_count.count = entry.occurrences;
        of_count.lower = std::max(of_count.lower, lower);
        if (entry.upper) of_count.upper = std::min(of_count.upper.value_or(*entry.upper), *entry.upper);
      } else if (lower > Duration{}) {
        diagnostics_.add("AM0430", Severity::warning,
                         fmt::format("an entry of the arrival curve of stimulus \"{}\" has fewer than two occurrences, "
                                     "so it has no effect; remove it, or give it at least two",
                                     stimulus_.name),
                         entry.element.location(), entry.element.path());
      }
    }
    ArrivalCurve curve;
    for (const auto& [count, entry] : by_count) curve.entries.push_back(entry);
    if (is_possible(curve)) return curve;
    return error("AM0333", fmt::format("the arrival curve of stimulus \"{}\" is contradictory or unbounded: divide the "
                                       "borders of each entry by its occurrences minus one; the largest lower border "
                                       "must be above zero, and no upper border may be smaller",
                                       stimulus_.name));
  }

  std::optional<Occurrence> take(const views::VariableRateStimulus& view) const {
    if (view.scenario)
      if (const auto periodic = constant_clock(*view.scenario)) {
        check_rate(view, *periodic);
        return *periodic;
      }
    if (const auto period = period_of_clock(view)) {
      report_clock(view.scenario->clock, view.scenario->element);
      return Periodic{*period, {}};
    }
    VariableRate rate;
    rate.step = view.step.value_or(Duration{});
    if (view.occurrences_per_step) {
      rate.occurrences = at_least(distribution_in_millionths(*view.occurrences_per_step), 0);
      views::report_open(*view.occurrences_per_step, "the number of occurrences per step", diagnostics_);
      views::report_disorder(*view.occurrences_per_step, diagnostics_);
    }
    const auto limit = [](std::optional<double> stated) {
      return stated && !std::isnan(*stated) ? std::optional(std::max(0.0, *stated)) : std::nullopt;
    };
    rate.largest_increase = limit(view.largest_increase_per_step);
    rate.largest_decrease = limit(view.largest_decrease_per_step);
    if (rate.step < least_step || rate.occurrences.upper <= 0)
      return error(
          "AM0334",
          fmt::format(
              "stimulus \"{}\" needs a step of at least {} us, and occurrences per step with an upper bound above zero",
              stimulus_.name, least_step.picoseconds() / 1'000'000));
    if (view.scenario && view.scenario->clock)
      diagnostics_.add(
          "AM0431", Severity::warning,
          fmt::format("stimulus \"{}\" has a scenario with the clock \"{}\", whose variation is not simulated; the "
                      "analysis uses its occurrences per step; state them for the fastest clock",
                      stimulus_.name, view.scenario->clock.name()),
          view.scenario->element.location(), view.scenario->element.path());
    return rate;
  }

  std::optional<Occurrence> take(const views::CustomStimulus&) const { return std::nullopt; }
  std::optional<Occurrence> take(const views::PeriodicEventStimulus&) const { return std::nullopt; }
  std::optional<Occurrence> take(const views::UnknownStimulus&) const { return std::nullopt; }

  /// Every `sampling_recurrence` cycles of a constant clock (since 0.9.5).
  std::optional<Periodic> constant_clock(const views::Scenario& scenario) const {
    const double hertz = views::constant_hertz(scenario.clock);
    const double cycles = scenario.sampling_recurrence, before = scenario.sampling_offset;
    constexpr double second = 1e12, longest = 9e18;
    const double period = cycles / hertz * second, offset = before / hertz * second;
    if (!(hertz > 0) || !(period >= 1) || !(period < longest) || !(offset >= 0) || !(offset < longest))
      return std::nullopt;
    return Periodic{Duration::picoseconds(std::llround(period)), Duration::picoseconds(std::llround(offset))};
  }

  /// Reports that the stated occurrences per step are others than those of the clock.
  void check_rate(const views::VariableRateStimulus& view, const Periodic& clock) const {
    if (!view.step || !view.occurrences_per_step) return;
    const auto stated = views::reading_of(*view.occurrences_per_step);
    const double ticks =
        static_cast<double>(view.step->picoseconds()) / static_cast<double>(clock.period.picoseconds());
    constexpr double rounding = 1e-6;
    if (stated.lower <= ticks * (1 + rounding) && ticks <= stated.upper * (1 + rounding)) return;
    diagnostics_.add("AM0524", Severity::warning,
                     fmt::format("stimulus \"{}\" states from {} to {} occurrences per step, but its scenario {}; the "
                                 "analysis uses the scenario; correct one of them",
                                 stimulus_.name, stated.lower, stated.upper, ticks),
                     view.scenario->element.location(), view.scenario->element.path());
  }

  /// The successor of a periodic stimulus with a clock since 0.8.3: it occurs once in the recurrence of its scenario
  /// (until 0.9.4), or in a step.
  static std::optional<Duration> period_of_clock(const views::VariableRateStimulus& view) {
    if (view.occurrences_per_step || !view.scenario || !view.scenario->clock) return std::nullopt;
    const auto period = view.scenario->recurrence ? view.scenario->recurrence : view.step;
    return period && *period >= least_step ? period : std::nullopt;
  }

  /// A time whose maximum matters.
  Distribution spread_of(const views::Deviation<Duration>& deviation, std::string_view what) const {
    views::report_open(deviation, what, diagnostics_);
    views::report_disorder(deviation, diagnostics_);
    return distribution_of(deviation);
  }

  static Duration not_negative(std::optional<Duration> time) { return std::max(Duration{}, time.value_or(Duration{})); }

  bool recurs(std::string_view kind, std::optional<Duration> recurrence, std::optional<Duration> offset) const {
    if (recurrence && *recurrence > Duration{} && offset.value_or(Duration{}) >= Duration{}) return true;
    error(unusable_recurrence,
          fmt::format("{} stimulus \"{}\" needs a recurrence above zero and an offset of 0 or more", kind,
                      stimulus_.name));
    return false;
  }

  void report_clock(Element clock, Element element) const {
    diagnostics_.add("AM0416", Severity::note,
                     fmt::format("stimulus \"{}\" counts ticks of the clock \"{}\", which is not simulated; the "
                                 "analysis uses its recurrence as a time; state the time between two occurrences",
                                 stimulus_.name, clock.name()),
                     element.attribute_location("clock"), element.path());
  }

  std::optional<Occurrence> error(std::string_view id, std::string message) const {
    diagnostics_.add(id, Severity::error, std::move(message), stimulus_.element.location(), stimulus_.element.path());
    return std::nullopt;
  }

  const Model& model_;
  const views::Stimulus& stimulus_;
  Diagnostics& diagnostics_;
};

}  // namespace

bool is_simulated(const views::Stimulus& stimulus) {
  return !std::holds_alternative<views::CustomStimulus>(stimulus.kind) &&
         !std::holds_alternative<views::PeriodicEventStimulus>(stimulus.kind) &&
         !std::holds_alternative<views::UnknownStimulus>(stimulus.kind);
}

std::optional<Occurrence> occurrence_of(const Model& model, const views::Stimulus& stimulus, Diagnostics& diagnostics) {
  return OccurrenceReader(model, stimulus, diagnostics).read();
}

}  // namespace amalthea::importer::detail
