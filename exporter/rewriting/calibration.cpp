// SPDX-License-Identifier: Apache-2.0
#include "exporter/rewriting/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "amalthea/identifier.hpp"
#include "amalthea/quantity.hpp"
#include "exporter/primitives/text_table.hpp"
#include "exporter/rewriting/annotation.hpp"

namespace amalthea::exporter {
namespace {

using traces::MeasuredTicks;

constexpr std::size_t max_entries = 32;  ///< of a histogram

/// What the model gets: bounds, mean and standard deviation of the values up to the upper bound.
struct Summary {
  std::int64_t lower = 0, upper = 0;
  double mean = 0, deviation = 0;
  std::vector<std::pair<std::int64_t, std::uint64_t>> kept;  ///< the values up to the percentile
};

Summary summary_of(const MeasuredTicks& ticks, const CalibrationRequest& request) {
  Summary summary;
  const auto rank = static_cast<std::uint64_t>(amalthea::detail::divide(
      static_cast<amalthea::detail::Int128>(ticks.runs) * request.percentile, 1000, Rounding::up));
  std::uint64_t passed = 0;
  double sum = 0, squares = 0;
  for (const auto& [value, count] : ticks.cycles) {
    if (passed >= rank) break;
    const std::uint64_t taken = std::min(count, rank - passed);
    passed += taken;
    summary.kept.emplace_back(value, taken);
    sum += static_cast<double>(value) * static_cast<double>(taken);
  }
  const auto number = static_cast<double>(passed);
  summary.mean = sum / number;
  for (const auto& [value, count] : summary.kept)
    squares += (static_cast<double>(value) - summary.mean) * (static_cast<double>(value) - summary.mean) *
               static_cast<double>(count);
  summary.deviation = std::sqrt(squares / number);
  summary.lower = summary.kept.front().first;
  const std::int64_t highest = summary.kept.back().first;
  summary.upper = highest + static_cast<std::int64_t>(std::ceil(static_cast<double>(highest) * request.margin / 100));
  return summary;
}

std::string number_text(double number) { return fmt::format("{}", number); }

NewElement bounded(std::string_view tag, std::string type, const Summary& summary) {
  return {std::string(tag),
          std::move(type),
          {{"lowerBound", fmt::format("{}", summary.lower)}, {"upperBound", fmt::format("{}", summary.upper)}},
          {}};
}

/// As many entries as there are values, at most max_entries of about equal counts.
NewElement histogram(std::string_view tag, const Summary& summary) {
  NewElement element{std::string(tag), "DiscreteValueHistogram", {}, {}};
  std::uint64_t total = 0;
  for (const auto& [value, count] : summary.kept) total += count;
  const std::uint64_t most = summary.kept.size() <= max_entries ? 1 : (total + max_entries - 1) / max_entries;
  const auto add = [&](std::int64_t lower, std::int64_t upper, std::uint64_t count) {
    element.children.push_back({"entries",
                                {},
                                {{"lowerBound", fmt::format("{}", lower)},
                                 {"upperBound", fmt::format("{}", upper)},
                                 {"occurrences", fmt::format("{}", count)}},
                                {}});
  };
  std::int64_t lower = 0;
  std::uint64_t gathered = 0;
  for (std::size_t index = 0; index < summary.kept.size(); ++index) {
    const auto& [value, count] = summary.kept[index];
    if (gathered == 0) lower = value;
    gathered += count;
    const bool last = index + 1 == summary.kept.size();
    if (gathered < most && !last) continue;
    add(lower, last ? summary.upper : value, gathered);
    gathered = 0;
  }
  return element;
}

NewElement deviation(std::string_view tag, const Summary& summary, CalibrationForm form) {
  if (summary.lower == summary.upper)
    return {std::string(tag), "DiscreteValueConstant", {{"value", fmt::format("{}", summary.upper)}}, {}};
  if (form == CalibrationForm::histogram) return histogram(tag, summary);
  if (form == CalibrationForm::gauss) {
    NewElement element = bounded(tag, "DiscreteValueGaussDistribution", summary);
    element.attributes.emplace_back("mean", number_text(summary.mean));
    element.attributes.emplace_back("sd", number_text(summary.deviation));
    return element;
  }
  const double width = static_cast<double>(summary.upper - summary.lower);
  const double mean = (summary.mean - static_cast<double>(summary.lower)) / width;
  const double variance = summary.deviation * summary.deviation / (width * width);
  // By the method of moments; without a solution the bounds and the average have to do.
  if (form == CalibrationForm::beta && variance > 0 && mean > 0 && mean < 1 && variance < mean * (1 - mean)) {
    const double both = mean * (1 - mean) / variance - 1;
    NewElement element = bounded(tag, "DiscreteValueBetaDistribution", summary);
    element.attributes.emplace_back("alpha", number_text(mean * both));
    element.attributes.emplace_back("beta", number_text((1 - mean) * both));
    return element;
  }
  NewElement element = bounded(tag, "DiscreteValueStatistics", summary);
  element.attributes.emplace_back("average", number_text(summary.mean));
  return element;
}

std::string_view name_of(CalibrationForm form) {
  constexpr std::array<std::string_view, 4> names{"statistics", "histogram", "gauss", "beta"};
  return names[static_cast<std::size_t>(form)];
}

class CalibrationWriter {
 public:
  CalibrationWriter(const Model& model, const System& system, const CalibrationRequest& request,
                    Diagnostics& diagnostics)
      : model_(model), system_(system), request_(request), diagnostics_(diagnostics) {}

  std::optional<Calibration> write(const Measurement& measured) {
    for (const MeasuredTicks& ticks : measured.ticks) add(ticks);
    for (const traces::MeasuredArrivals& arrivals : measured.arrivals) add(arrivals);
    for (const traces::MeasuredAccess& access : measured.accesses) add(access);
    if (failed_) return std::nullopt;
    for (const auto& [runnable, facts] : runnables_) add_provenance(runnable, facts);
    for (const auto& document : model_.documents()) {
      const auto found = insertions_.find(document->position());
      if (found == insertions_.end()) continue;
      auto more = insertions(*document, found->second);
      auto& splices = calibration_.splices[document->position()];
      splices.insert(splices.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }
    return std::move(calibration_);
  }

 private:
  struct Facts {
    std::uint64_t runs = 0;
    bool kernel = false;
  };

  void add(const MeasuredTicks& ticks) {
    const Element element = model_.element(ticks.ticks);
    if (element.class_name() != "Ticks") {
      failed_ = true;
      diagnostics_.add("AM0920", Severity::error,
                       fmt::format("AMALTHEA {} states execution times by {}; expected Ticks, which 0.9.3 and later "
                                   "have; convert the model first (amalthea convert --to)",
                                   element.document().version_text(), element.class_name()),
                       element.location(), element.path());
      return;
    }
    const Summary summary = summary_of(ticks, request_);
    const Element kind = definition_element(ticks.definition);
    Element old, entry;
    for (const Element child : element.children("extended"))
      if (kind && (model_.target(child, child.attribute_or("key", "")) == kind ||
                   (child.child("key") &&
                    model_.target(child.child("key"), child.child("key").attribute_or("href", "")) == kind)))
        entry = child;
    if (entry)
      old = entry.child("value");
    else if (ticks.only_kind)
      old = element.child("default");
    if (old)
      splice(element.document(),
             replacement(element.document(), old, deviation(entry ? "value" : "default", summary, request_.form)));
    else if (entry)
      insert(entry, deviation("value", summary, request_.form));
    else if (ticks.only_kind)
      insert(element, deviation("default", summary, request_.form));
    else
      insert(element, new_entry(element.document(), kind, deviation("value", summary, request_.form)));
    Facts& facts = runnables_[ticks.runnable];
    facts.runs = std::max(facts.runs, ticks.runs);
    facts.kernel = facts.kernel || ticks.kernel;
    calibration_.changes.push_back({system_.runnables[ticks.runnable].name,
                                    system_.platform.definitions[ticks.definition].name, ticks.runs, ticks.model,
                                    Cycles{summary.lower, std::llround(summary.mean), summary.upper, {}}});
  }

  Element stimulus_element(const std::string& name) const {
    for (const Element element : model_.all("stimuliModel", "stimuli"))
      if (element.name() == name) return element;
    return {};
  }

  static NewElement time_element(Element near, std::string tag, Duration time) {
    const TimeText text = time_text(time, near.document().version(), Rounding::nearest);
    return {std::move(tag), {}, {{"value", fmt::format("{}", text.value)}, {"unit", std::string(text.unit)}}, {}};
  }

  /// In place of the child of that name, if there is one.
  void set(Element element, NewElement child) {
    if (const Element old = element.child(child.tag))
      splice(element.document(), replacement(element.document(), old, child));
    else
      insert(element, std::move(child));
  }

  void add(const traces::MeasuredArrivals& arrivals) {
    const Stimulus& stimulus = system_.stimuli[arrivals.stimulus];
    const Element element = stimulus_element(stimulus.name);
    if (!element || element.document().version() < Version::v0_9_3) return;
    bool changed = false;
    const auto put = [&](NewElement child) {
      set(element, std::move(child));
      changed = true;
    };
    const auto bounds = [&](std::string tag, std::string type, Duration lower, Duration upper) {
      return NewElement{std::move(tag),
                        std::move(type),
                        {},
                        {time_element(element, "lowerBound", lower), time_element(element, "upperBound", upper)}};
    };
    StimulusChange change{stimulus.name, arrivals.occurrences, {}, {}};
    if (const auto* periodic = std::get_if<Periodic>(&stimulus.occurrence); periodic != nullptr && arrivals.periodic) {
      const traces::PeriodicFit& fit = *arrivals.periodic;
      const auto text = [](Duration period, Duration offset, Duration jitter) {
        return fmt::format("every {}, offset {}, jitter {}", format_duration(period), format_duration(offset),
                           format_duration(jitter));
      };
      const Duration jitter = Duration::picoseconds(periodic->jitter.upper);
      change.before = text(periodic->period, periodic->offset, jitter);
      change.after = text(fit.period, fit.first, fit.jitter);
      if (fit.first != periodic->offset) put(time_element(element, "offset", fit.first));
      if (fit.period != periodic->period) put(time_element(element, "recurrence", fit.period));
      if (fit.jitter > Duration{} && (fit.jitter != jitter || periodic->jitter.lower != 0))
        put(bounds("jitter", "TimeBoundaries", {}, fit.jitter));
      else if (fit.jitter == Duration{} && jitter > Duration{})
        put({"jitter", "TimeConstant", {}, {time_element(element, "value", {})}});
      if (arrivals.shortest < periodic->minimum_distance) put(time_element(element, "minDistance", arrivals.shortest));
    } else if (const auto* sporadic = std::get_if<Sporadic>(&stimulus.occurrence)) {
      const auto text = [](Duration lower, Duration upper) {
        return fmt::format("{} … {} apart", format_duration(lower), format_duration(upper));
      };
      const Duration lower = std::max(arrivals.shortest, Duration::picoseconds(1));
      const Duration before[] = {Duration::picoseconds(sporadic->distance.lower),
                                 Duration::picoseconds(sporadic->distance.upper)};
      change.before = text(before[0], before[1]);
      change.after = text(lower, arrivals.longest);
      if (lower != before[0] || arrivals.longest != before[1]) {
        NewElement next = bounds("nextOccurrence", "TimeStatistics", lower, arrivals.longest);
        next.children.push_back(time_element(element, "average", arrivals.mean));
        put(std::move(next));
      }
    } else {
      return;
    }
    if (changed) {
      set_property(element, text_property("measured.traces", trace_names()));
      set_property(element, text_property("measured.occurrences", fmt::format("{}", arrivals.occurrences)));
    }
    calibration_.stimuli.push_back(std::move(change));
  }

  void add(const traces::MeasuredAccess& access) {
    const ProcessingUnit& unit = system_.platform.units[access.unit];
    const Memory& memory = system_.platform.memories[access.memory];
    const Element wanted = model_.element(memory.origin);
    for (const Element element : model_.element(unit.origin).children("accessElements")) {
      if (model_.reference(element, "destination") != wanted) continue;
      const auto put = [&](const char* tag, const Cycles& before, const Cycles& after) {
        if (before == after) return;
        const Summary summary{after.lower, after.upper, static_cast<double>(after.average), 0, {}};
        set(element, deviation(tag, summary, CalibrationForm::statistics));
      };
      put("readLatency", access.read, access.measured_read);
      put("writeLatency", access.write, access.measured_write);
      if (access.read != access.measured_read || access.write != access.measured_write) {
        set_property(element, text_property("measured.traces", trace_names()));
        set_property(element, text_property("measured.copies", fmt::format("{}", access.copies)));
      }
      calibration_.accesses.push_back({unit.name, memory.name, access.copies, access.read, access.measured_read,
                                       access.write, access.measured_write});
    }
  }

  Element definition_element(DefinitionIndex definition) const {
    for (const Element element : model_.all("hwModel", "definitions"))
      if (element.name() == system_.platform.definitions[definition].name &&
          element.class_name() == "ProcessingUnitDefinition")
        return element;
    return {};
  }

  static NewElement new_entry(const Document& document, Element kind, NewElement value) {
    const auto written = kind ? kind.attribute("xmi:id") : std::nullopt;
    const auto computed = kind ? computed_id(kind) : std::nullopt;
    const std::string id = written ? std::string(*written) : computed.value_or("");
    if (kind && &kind.document() != &document)
      return {"extended", {}, {}, {{"key", {}, {{"href", "amlt:/#" + id}}, {}}, std::move(value)}};
    return {"extended", {}, {{"key", id}}, {std::move(value)}};
  }

  std::string trace_names() const { return fmt::format("{}", fmt::join(request_.traces, ", ")); }

  static NewElement text_property(std::string key, std::string value) {
    return {"customProperties",
            {},
            {{"key", std::move(key)}},
            {{"value", "StringObject", {{"value", std::move(value)}}, {}}}};
  }

  void add_provenance(RunnableIndex runnable, const Facts& facts) {
    const Element element = model_.element(system_.runnables[runnable].origin);
    const auto text = text_property;
    set_property(element, text("measured.traces", trace_names()));
    set_property(element, text("measured.runs", fmt::format("{}", facts.runs)));
    std::string form(name_of(request_.form));
    if (request_.percentile < 1000)
      form += fmt::format(", percentile {}", static_cast<double>(request_.percentile) / 10);
    if (request_.margin > 0) form += fmt::format(", margin {} %", request_.margin);
    set_property(element, text("measured.form", form));
    set_property(element, text("measured.contention", request_.isolated ? "none" : "included"));
    // The slowdown by other kernels and copies is part of what was measured.
    if (facts.kernel && !request_.isolated) set_property(element, text("gpu.memoryIntensity", "0"));
  }

  void set_property(Element element, NewElement property) {
    for (const Element child : element.children("customProperties"))
      if (child.attribute_or("key", "") == property.attributes.front().second)
        return splice(element.document(), replacement(element.document(), child, property));
    insert(element, std::move(property));
  }

  void splice(const Document& document, Splice splice) {
    calibration_.splices[document.position()].push_back(std::move(splice));
  }
  void insert(Element holder, NewElement element) {
    insertions_[holder.document().position()].push_back({holder, {}, {std::move(element)}});
  }

  const Model& model_;
  const System& system_;
  const CalibrationRequest& request_;
  Diagnostics& diagnostics_;
  bool failed_ = false;
  Calibration calibration_;
  std::map<RunnableIndex, Facts> runnables_;
  std::map<std::uint32_t, std::vector<Annotation>> insertions_;
};

}  // namespace

std::optional<Calibration> calibrate(const Model& model, const System& system, const Measurement& measured,
                                     const CalibrationRequest& request, Diagnostics& diagnostics) {
  return CalibrationWriter(model, system, request, diagnostics).write(measured);
}

std::string render_calibration(const Calibration& calibration, bool colour) {
  TextTable table = TextTable::of("runnable", "core", ">runs", ">ticks in the model", ">measured", ">average");
  const auto range = [](const Cycles& cycles) {
    return cycles.lower == cycles.upper ? fmt::format("{}", cycles.upper)
                                        : fmt::format("{} … {}", cycles.lower, cycles.upper);
  };
  for (const CalibrationChange& change : calibration.changes)
    table.add(
        change.runnable, change.kind, std::to_string(change.runs), range(change.before),
        TextTable::Cell{range(change.after), change.after.upper > change.before.upper ? Colour::bad : Colour::none},
        fmt::format("{}", change.after.average));
  TextTable stimuli = TextTable::of("stimulus", ">occurrences", "in the model", "measured");
  for (const StimulusChange& change : calibration.stimuli)
    stimuli.add(change.stimulus, std::to_string(change.occurrences), change.before,
                change.after == change.before ? "the same" : change.after);
  TextTable accesses = TextTable::of("access", ">copies", ">read cycles in the model", ">measured",
                                     ">write cycles in the model", ">measured");
  for (const AccessChange& change : calibration.accesses)
    accesses.add(change.unit + " to " + change.memory, std::to_string(change.copies), range(change.read_before),
                 range(change.read_after), range(change.write_before), range(change.write_after));
  TextTable durations = TextTable::of("operation", ">runs", ">in the scenario", ">measured", ">rounds", ">now");
  for (const DurationChange& change : calibration.durations)
    durations.add(change.operation, std::to_string(change.runs), format_duration(change.before),
                  format_duration(change.measured), change.rounds, format_duration(change.after));
  std::string text;
  for (const TextTable* one : {&table, &accesses, &stimuli, &durations})
    if (!one->empty()) text += (text.empty() ? "" : "\n") + one->render(colour);
  return text;
}

}  // namespace amalthea::exporter
