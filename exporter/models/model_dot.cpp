// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/views/mapping.hpp"
#include "amalthea/views/software.hpp"
#include "amalthea/views/stimuli.hpp"
#include "exporter/models/detail/model_walk.hpp"
#include "exporter/models/model_exports.hpp"
#include "exporter/primitives/dot.hpp"

namespace amalthea::exporter {
namespace {

/// The same name for an element wherever it appears.
std::string node(Element element) { return fmt::format("n{}_{}", element.document().position(), element.index()); }

class ModelDrawing {
 public:
  ModelDrawing(const Model& model, Diagnostics& diagnostics, const Sink& sink)
      : model_(model), diagnostics_(diagnostics), sink_(sink) {}

  void draw() {
    sink_("digraph amalthea {\n  rankdir=LR;\n  node [fontname=\"sans-serif\", fontsize=10];\n");
    for (const views::Stimulus& stimulus : views::stimuli(model_, diagnostics_)) add(stimulus.element, "ellipse");
    const auto processes = views::processes(model_, diagnostics_);
    for (const views::Process& process : processes) {
      add(process.element, "box, style=bold");
      for (const Element stimulus : process.stimuli) edge(stimulus, process.element, "activates");
      uses(process.element);
    }
    for (const views::Runnable& runnable : views::runnables(model_, diagnostics_)) {
      add(runnable.element, "box, style=rounded");
      uses(runnable.element);
    }
    mapping();
    sink_("}\n");
  }

 private:
  void add(Element element, std::string_view shape) {
    const std::string name = node(element);
    if (!nodes_.insert(name).second) return;
    sink_(fmt::format("  {} [label={}, shape={}, tooltip={}];\n", name, dot_quoted(element.name()), shape,
                      dot_quoted(element.class_name())));
  }

  /// Once per kind, however often the model says so.
  void edge(Element from, Element to, std::string_view kind) {
    if (!from || !to) return;
    const std::string line = fmt::format("  {} -> {} [label=\"{}\"];\n", node(from), node(to), kind);
    if (edges_.insert(line).second) sink_(line);
  }

  void uses(Element executable) {
    for (const Use& use : uses_of(model_, executable, diagnostics_)) switch (use.relation) {
        case Relation::calls:
          edge(executable, use.what, "calls");
          break;
        case Relation::triggers:
          edge(executable, use.what, "triggers");
          break;
        case Relation::reads:
          add(use.what, "note");
          edge(use.what, executable, "read");
          break;
        case Relation::writes:
          add(use.what, "note");
          edge(executable, use.what, "writes");
          break;
      }
  }

  void mapping() {
    const views::Mapping mapping = views::mapping_of(model_);
    for (const views::SchedulerAllocation& entry : mapping.schedulers) {
      if (!entry.scheduler) continue;
      add(entry.scheduler, "hexagon");
      for (const Element unit : entry.responsibility) {
        add(unit, "component");
        edge(entry.scheduler, unit, "schedules on");
      }
    }
    for (const views::TaskAllocation& entry : mapping.tasks) {
      if (!entry.scheduler) continue;
      add(entry.scheduler, "hexagon");
      edge(entry.task, entry.scheduler, "scheduled by");
      for (const Element unit : entry.affinity) {
        add(unit, "component");
        edge(entry.task, unit, "may run on");
      }
    }
    for (const views::IsrAllocation& entry : mapping.isrs) {
      if (!entry.controller) continue;
      add(entry.controller, "hexagon");
      edge(entry.isr, entry.controller, "scheduled by");
    }
  }

  const Model& model_;
  Diagnostics& diagnostics_;
  const Sink& sink_;
  std::set<std::string> nodes_, edges_;
};

}  // namespace

void write_model_dot(const Model& model, const ModelExportOptions&, Diagnostics& diagnostics, const Sink& sink) {
  ModelDrawing(model, diagnostics, sink).draw();
}

}  // namespace amalthea::exporter
