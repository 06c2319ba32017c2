// SPDX-License-Identifier: Apache-2.0
#include "bench/view_walk.hpp"

#include "amalthea/views/activity.hpp"
#include "amalthea/views/constraints.hpp"
#include "amalthea/views/event_chains.hpp"
#include "amalthea/views/hardware.hpp"
#include "amalthea/views/mapping.hpp"
#include "amalthea/views/operating_system.hpp"
#include "amalthea/views/requirements.hpp"
#include "amalthea/views/software.hpp"
#include "amalthea/views/stimuli.hpp"

namespace amalthea::bench {
namespace {

std::size_t walk_items(const Model& model, Element container, Diagnostics& diagnostics) {
  std::size_t count = 0;
  for (const Element element : items_of(container)) {
    const views::ActivityItem item = views::activity_item(model, element, diagnostics);
    ++count;
    for (const Element inner : views::containers_of(item)) count += walk_items(model, inner, diagnostics);
  }
  return count;
}

std::size_t walk_software(const Model& model, Diagnostics& diagnostics) {
  std::size_t labels = 0;
  views::for_each_label(model, diagnostics, [&labels](const views::Label&) { ++labels; });
  std::size_t count = labels + views::mode_labels(model, diagnostics).size();
  for (const views::Process& process : views::processes(model, diagnostics))
    count += 1 + walk_items(model, process.element, diagnostics);
  for (const views::Runnable& runnable : views::runnables(model, diagnostics))
    count += 1 + walk_items(model, runnable.element, diagnostics);
  return count;
}

std::size_t walk_mapping(const Model& model) {
  const views::Mapping mapping = views::mapping_of(model);
  return mapping.schedulers.size() + mapping.tasks.size() + mapping.isrs.size() + mapping.runnables.size() +
         mapping.memory.size() + mapping.sections.size();
}

std::size_t walk_hardware(const Model& model, Diagnostics& diagnostics) {
  const views::Hardware hardware = views::hardware_of(model, diagnostics);
  return hardware.units.size() + hardware.memories.size() + hardware.caches.size() + hardware.handlers.size() +
         hardware.accesses.size() + hardware.structures.size() + hardware.domains.size();
}

std::size_t walk_constraints(const Model& model, Diagnostics& diagnostics) {
  return views::runnable_sequencing_constraints(model).size() + views::affinity_constraints(model).size() +
         views::timing_constraints(model, diagnostics).size() + views::data_age_constraints(model, diagnostics).size() +
         views::data_groups(model).size() + views::physical_section_constraints(model).size() +
         views::requirements(model, diagnostics).size();
}

}  // namespace

std::size_t walk_views(const Model& model, Diagnostics& diagnostics) {
  return walk_software(model, diagnostics) + walk_hardware(model, diagnostics) + walk_mapping(model) +
         walk_constraints(model, diagnostics) + views::operating_systems_of(model, diagnostics).systems.size() +
         views::stimuli(model, diagnostics).size() + views::event_chains(model, diagnostics).size();
}

}  // namespace amalthea::bench
