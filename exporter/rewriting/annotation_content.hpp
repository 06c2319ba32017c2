// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What an analysis has to say of the elements of its model, as annotations. docs/reference/annotation.md lists all keys.

#include <string>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "engine/results/statistics.hpp"
#include "exporter/results/result_view.hpp"
#include "exporter/rewriting/annotation.hpp"

namespace amalthea::exporter {

/// Which forms results take in a model, and how they came about as far as the results do not say so themselves.
struct AnnotationRequest {
  bool properties = true;     ///< custom properties of what was analysed
  bool measurements = false;  ///< a measurement for every task, runnable and event chain that was observed
  bool requirements = false;  ///< a proposed limit on the response time of every process
  std::string until;          ///< time to simulate as it was asked for; "" where it was not
  bool keep_wrappers = false;
  std::vector<std::string> mapping;  ///< changes of the mapping, each as --map has it
};

/// Whether the metamodels of all documents can hold what is asked for; else diagnostics say why not (AM0550).
bool can_hold(const Model& model, const AnnotationRequest& request, Diagnostics& diagnostics);

/// All annotations, and where they come from at the root of every file that has any. Everything stands in the file of
/// the element it is about. Says what cannot be written (AM0551, AM0552).
std::vector<Annotation> annotations_of(const Model& model, const ResultView& view, const AnnotationRequest& request,
                                       Diagnostics& diagnostics);

namespace detail {

/// Durations of a runnable in all tasks that call it: a runnable can have one value per task.
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
