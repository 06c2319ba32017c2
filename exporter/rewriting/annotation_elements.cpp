// SPDX-License-Identifier: Apache-2.0
// Results as separate elements: measurements, and requirements that propose limits.

#include <map>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/identifier.hpp"
#include "exporter/rewriting/annotation_content.hpp"

namespace amalthea::exporter::detail {
namespace {

NewElement time_element(std::string tag, std::string type, Duration time, Rounding rounding, Version version) {
  const TimeText text = time_text(time, version, rounding);
  return {std::move(tag),
          std::move(type),
          {{"value", fmt::format("{}", text.value)}, {"unit", std::string(text.unit)}},
          {}};
}

/// A reference to the element within its own file; nothing, with a diagnostic, if it would refer to something else.
std::optional<std::string> reference_to(Element element, Diagnostics& diagnostics) {
  const auto written = element.attribute("xmi:id");
  auto id = written ? std::optional(std::string(*written)) : computed_id(element);
  if (id && element.document().find(*id) == element) return id;
  diagnostics.add("AM0551", Severity::note,
                  fmt::format("this {} cannot be referenced, because another one has the same name; it gets no "
                              "measurement and no proposed limit; rename one of them",
                              element.class_name()),
                  element.location(), element.path());
  return std::nullopt;
}

/// Elements for one sub-model of every document.
class SubModel {
 public:
  explicit SubModel(std::string tag) : tag_(std::move(tag)) {}

  void add(const Document& document, NewElement element) {
    elements_[document.position()].push_back(std::move(element));
  }

  /// A file without such a sub-model gets one.
  void into(const Model& model, std::vector<Annotation>& annotations) && {
    for (auto& [position, elements] : elements_) {
      const Document& document = *model.documents()[position];
      if (const Element present = document.root().child(tag_)) {
        annotations.push_back({present, {}, std::move(elements)});
        continue;
      }
      NewElement container{tag_, {}, {}, {}};
      container.children.push_back(property_element(
          {std::string(container_mark), std::string("made to hold what was inserted")}, document.version()));
      for (NewElement& element : elements) container.children.push_back(std::move(element));
      annotations.push_back({document.root(), {}, {std::move(container)}});
    }
  }

 private:
  std::string tag_;
  std::map<std::uint32_t, std::vector<NewElement>> elements_;  // by position of the document
};

/// How a version states least, mean and largest value.
NewElement deviation_element(const engine::Statistics& values, Version version) {
  const auto measurement = metamodel::find_class("Measurement");
  const Feature* feature = measurement ? metamodel::find_feature(*measurement, "runtimeDeviation", version) : nullptr;
  const std::string time_class(time_value_class(version));
  if (feature != nullptr && feature->type_name == "Deviation")  // it has no place for a mean
    return {"runtimeDeviation",
            {},
            {},
            {time_element("lowerBound", time_class, values.min, Rounding::down, version),
             time_element("upperBound", time_class, values.max, Rounding::up, version)}};
  return {"runtimeDeviation",
          "TimeStatistics",
          {},
          {time_element("lowerBound", {}, values.min, Rounding::down, version),
           time_element("upperBound", {}, values.max, Rounding::up, version),
           time_element("average", {}, values.mean, Rounding::nearest, version)}};
}

NewElement measurement_element(std::string type, std::string feature, std::string reference, std::string what,
                               Version version) {
  return {"measurements",
          std::move(type),
          {{std::move(feature), std::move(reference)}},
          {property_element({std::string(element_mark), std::move(what)}, version)}};
}

void add_statistics(NewElement& measurement, const engine::Statistics& values, Version version) {
  measurement.children.push_back(property_element({"jobs", static_cast<std::int64_t>(values.jobs)}, version));
  measurement.children.push_back(property_element({"mean", values.mean}, version));
  measurement.children.push_back(time_element("runtimes", {}, values.min, Rounding::down, version));
  if (values.max != values.min)
    measurement.children.push_back(time_element("runtimes", {}, values.max, Rounding::up, version));
  measurement.children.push_back(deviation_element(values, version));
}

}  // namespace

void add_measurements(const Model& model, const ResultView& view, std::vector<Annotation>& annotations,
                      Diagnostics& diagnostics) {
  SubModel measurements("measurementModel");
  const auto add = [&](Origin of, const char* type, const char* feature, const char* what, const auto& fill) {
    const Element element = model.element(of);
    const auto reference = reference_to(element, diagnostics);
    if (!reference) return;
    const Version version = element.document().version();
    NewElement measurement = measurement_element(type, feature, *reference, what, version);
    fill(measurement, version);
    measurements.add(element.document(), std::move(measurement));
  };
  for (TaskIndex task = 0; task < view.system.tasks.size(); ++task) {
    const engine::Statistics& values = view.results.tasks[task].response;
    if (values.jobs == 0 || view.system.tasks[task].kind != ProcessKind::task) continue;  // ISRs have no measurements
    add(view.system.tasks[task].origin, "TaskMeasurement", "task", "observed response times",
        [&](NewElement& measurement, Version version) { add_statistics(measurement, values, version); });
  }
  const auto durations = runnable_durations(view);
  for (RunnableIndex runnable = 0; runnable < durations.size(); ++runnable) {
    if (durations[runnable].all.jobs == 0 || !view.system.runnables[runnable].origin.known()) continue;
    add(view.system.runnables[runnable].origin, "RunnableMeasurement", "runnable", "observed durations",
        [&](NewElement& measurement, Version version) {
          add_statistics(measurement, durations[runnable].all, version);
        });
  }
  for (std::size_t chain = 0; chain < view.system.chains.size(); ++chain) {
    const auto& longest = view.results.chains[chain].observed.reaction;
    if (!longest || !view.system.chains[chain].origin.known()) continue;
    add(view.system.chains[chain].origin, "EventChainMeasurement", "eventChain", "longest observed reaction time",
        [&](NewElement& measurement, Version version) {
          measurement.children.push_back(time_element("runtimes", {}, *longest, Rounding::up, version));
        });
  }
  std::move(measurements).into(model, annotations);
}

void add_requirements(const Model& model, const ResultView& view, std::vector<Annotation>& annotations,
                      Diagnostics& diagnostics) {
  SubModel constraints("constraintsModel");
  for (TaskIndex task = 0; task < view.system.tasks.size(); ++task) {
    const engine::TaskResult& result = view.results.tasks[task];
    const Element element = model.element(view.system.tasks[task].origin);
    const bool observed = result.response.jobs > 0 && result.unfinished == 0 && result.lost_activations == 0 &&
                          result.verdict != engine::Verdict::unbounded;
    if (!result.bound.worst && !observed) {
      diagnostics.add("AM0552", Severity::note,
                      "no limit is proposed for this process, because its response time has no bound and not all of "
                      "its jobs ended; simulate longer (--until)",
                      element.location(), element.path());
      continue;
    }
    const auto reference = reference_to(element, diagnostics);
    if (!reference) continue;
    const Version version = element.document().version();
    const Duration limit = result.bound.worst ? *result.bound.worst : result.response.max;
    const std::string what = result.bound.worst
                                 ? std::string("proposed limit: the bound on the response time")
                                 : fmt::format("proposed limit: the longest observed response time; no bound: {}",
                                               result.bound.reason.empty() ? "none is computed" : result.bound.reason);
    constraints.add(element.document(),
                    {"requirements",
                     "ProcessRequirement",
                     {{"name", fmt::format("{}{}.responseTime.{}", annotation_prefix, element.name(),
                                           result.bound.worst ? "bound" : "observed")},
                      {"process", *reference}},
                     {property_element({std::string(element_mark), what}, version),
                      {"limit",
                       "TimeRequirementLimit",
                       {{"limitType", "UpperLimit"}, {"metric", "ResponseTime"}},
                       {time_element("limitValue", {}, limit, Rounding::up, version)}}}});
  }
  std::move(constraints).into(model, annotations);
}

}  // namespace amalthea::exporter::detail
