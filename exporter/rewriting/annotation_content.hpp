// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The results of an analysis as annotations of the model's elements. docs/reference/annotation.md lists all keys.

#include <cstdint>
#include <string>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/location.hpp"
#include "engine/results/statistics.hpp"
#include "exporter/results/result_view.hpp"
#include "exporter/rewriting/annotation.hpp"

namespace amalthea::exporter {

/// How much `properties` contain.
enum class AnnotationDetail : std::uint8_t {
  summary,  ///< a sentence for every process, event chain, requirement and timing constraint
  brief,    ///< verdicts, bounds and what they consist of
  full,     ///< everything
};

/// The forms of results in a model, and details of the analysis that the results do not contain.
struct AnnotationRequest {
  bool properties = true;  ///< custom properties of analyzed elements
  AnnotationDetail detail = AnnotationDetail::full;
  bool measurements = false;  ///< a measurement for every observed task, runnable and event chain
  bool requirements = false;  ///< a proposed limit on the response time of every process
  std::string until;          ///< the requested simulation time; "" if none was requested
  bool keep_wrappers = false;
  std::vector<std::string> mapping;  ///< changes of the mapping, each as in --map
};

/// Whether the metamodels of all documents support the request; otherwise diagnostics state why not (AM0550).
bool can_hold(const Model& model, const AnnotationRequest& request, Diagnostics& diagnostics);

/// All annotations, with their origin at the root of every file that has any. An annotation is in the file of its
/// element. Reports what cannot be written (AM0551, AM0552).
std::vector<Annotation> annotations_of(const Model& model, const ResultView& view, const AnnotationRequest& request,
                                       Diagnostics& diagnostics);

namespace detail {

/// Durations of a runnable over all tasks that call it: a runnable can have one value per task.
struct RunnableDurations {
  engine::Statistics all;  ///< without p99
  std::vector<const engine::RunnableResult*> by_task;
};
/// Parallel to System::runnables.
std::vector<RunnableDurations> runnable_durations(const ResultView& view);

/// Elements for `request.measurements` and `request.requirements` (annotation_elements.cpp).
void add_measurements(const Model& model, const ResultView& view, std::vector<Annotation>& annotations,
                      Diagnostics& diagnostics);
void add_requirements(const Model& model, const ResultView& view, std::vector<Annotation>& annotations,
                      Diagnostics& diagnostics);

}  // namespace detail
}  // namespace amalthea::exporter
