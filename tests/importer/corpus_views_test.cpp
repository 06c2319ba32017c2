// SPDX-License-Identifier: Apache-2.0
// The views of third-party models.

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/views/hardware.hpp"
#include "amalthea/views/mapping.hpp"
#include "amalthea/views/operating_system.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/support/test_models.hpp"

namespace corpus_views_test {

using namespace amalthea;
using namespace amalthea::views;

namespace {

namespace fs = std::filesystem;

std::vector<std::string> models_below(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() == ".amxmi") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

bool stands_in(Element element, std::string_view cls) {
  for (Element above = element.parent(); above; above = above.parent())
    if (above.is(cls)) return true;
  return false;
}

/// Elements of these classes in a part of the model.
std::size_t count(const Model& model, std::string_view part, const std::vector<std::string_view>& classes) {
  std::size_t found = 0;
  for (const auto& document : model.documents())
    for (std::uint32_t i = 0; i < document->size(); ++i) {
      const Element element = document->element(i);
      // Of ITEA 1.1.0, where it belongs to no operating system yet.
      if (document->itea() != IteaRelease::none && element.tag() == "scheduler") continue;
      if (std::find(classes.begin(), classes.end(), element.class_name()) != classes.end() && stands_in(element, part))
        ++found;
    }
  return found;
}

template <typename Parts>
bool is_index(const std::optional<HwIndex>& index, const Parts& parts) {
  return !index || *index < parts.size();
}

void check_module(const Hardware& hardware, const HwModule& module, std::size_t definitions) {
  CHECK(is_index(module.structure, hardware.structures));
  CHECK(is_index(module.unit, hardware.units));
  CHECK((!module.definition || *module.definition < definitions));
  for (const HwIndex port : module.ports) CHECK(hardware.ports.at(port).owner == module.element);
}

void check_bounds(const std::optional<Cycles>& cycles) {
  if (!cycles) return;
  CHECK(cycles->lower >= 0);
  CHECK(cycles->lower <= cycles->average);
  CHECK(cycles->average <= cycles->upper);
}

void check_without_contradictions(const Hardware& hardware) {
  for (HwIndex i = 0; i < hardware.units.size(); ++i) {
    const HwUnit& unit = hardware.units[i];
    check_module(hardware, unit, hardware.unit_definitions.size());
    CHECK(hardware.unit_of.find(unit.element) == i);
    for (const HwIndex access : unit.accesses) CHECK(hardware.accesses.at(access).unit == i);
    for (const HwIndex cache : unit.caches) CHECK(hardware.caches.at(cache).unit == i);
  }
  for (const HwMemory& memory : hardware.memories) check_module(hardware, memory, hardware.memory_definitions.size());
  for (const HwCache& cache : hardware.caches) check_module(hardware, cache, hardware.cache_definitions.size());
  for (const HwHandler& handler : hardware.handlers)
    check_module(hardware, handler, hardware.handler_definitions.size());
  for (HwIndex i = 0; i < hardware.structures.size(); ++i)  // a part follows its container: no cycles
    if (const auto parent = hardware.structures[i].parent) CHECK(*parent < i);
  for (const HwConnection& connection : hardware.connections) {
    CHECK(is_index(connection.port1, hardware.ports));
    CHECK(is_index(connection.port2, hardware.ports));
  }
  for (const HwAccess& access : hardware.accesses) {
    CHECK(is_index(access.memory, hardware.memories));
    check_bounds(access.path_cost.read);
    check_bounds(access.path_cost.write);
    const AccessCost cost = cost_of(hardware, access);
    check_bounds(cost.read);
    check_bounds(cost.write);
    // Either the access states its cost itself, or what is known of its parts is in the sum.
    if (access.read_latency)
      CHECK(cost.read == *access.read_latency);
    else if (access.path_cost.read)
      CHECK(cost.read.upper >= access.path_cost.read->upper);
  }
}

/// Cores with their clocks and instructions per cycle, schedulers with their algorithms, who runs where and what lies
/// where: what versions of the same model have to agree on.
std::string describe(const Model& model) {
  Diagnostics diagnostics;
  const Hardware hardware = hardware_of(model, diagnostics);
  const OperatingSystems systems = operating_systems_of(model, diagnostics);
  const Mapping mapping = mapping_of(model);
  std::string text;
  for (const HwUnit& unit : hardware.units)
    text += fmt::format(
        "unit {} at {} mHz, {} per cycle\n", unit.name, unit.clock.millihertz(),
        unit.definition ? instructions_per_cycle(model, hardware.unit_definitions[*unit.definition].element).value_or(0)
                        : 0);
  for (const HwMemory& memory : hardware.memories) text += fmt::format("memory {}\n", memory.name);
  for (const OsScheduler& scheduler : systems.schedulers)
    text += fmt::format("scheduler {}: {}\n", scheduler.name, scheduler.algorithm.name);
  for (const SchedulerAllocation& allocation : mapping.schedulers) {
    text += fmt::format("{} on", allocation.scheduler.name());
    for (const Element unit : allocation.responsibility) text += fmt::format(" {}", unit.name());
    text += "\n";
  }
  for (const TaskAllocation& allocation : mapping.tasks)
    text += fmt::format("{} by {}\n", allocation.task.name(), allocation.scheduler.name());
  for (const MemoryMapping& entry : mapping.memory)
    text += fmt::format("{} in {}\n", entry.mapped.name(), entry.memory.name());
  for (const auto& message : diagnostics.all()) text += format(message) + "\n";
  return text;
}

}  // namespace

TEST_CASE("every third-party model has a complete and consistent hardware view", "[long]") {
  const std::string folder = test::corpus_folder();
  std::size_t models = 0, units = 0, with_clock = 0, schedulers = 0, allocations = 0;
  for (const std::string& path : models_below(folder)) {
    INFO(path);
    Diagnostics diagnostics;
    const auto model = importer::read_model({path}, {}, diagnostics);
    if (!model) continue;
    ++models;
    const Hardware hardware = hardware_of(*model, diagnostics);
    CHECK(hardware.units.size() == count(*model, "HWModel", {"Core", "ProcessingUnit"}));
    CHECK(hardware.memories.size() == count(*model, "HWModel", {"Memory"}));
    CHECK(hardware.caches.size() == count(*model, "HWModel", {"Cache"}));
    CHECK(hardware.handlers.size() == count(*model, "HWModel", {"Network", "ConnectionHandler"}));
    CHECK(hardware.ports.size() == count(*model, "HWModel", {"HwPort", "ComplexPort"}));
    CHECK(hardware.connections.size() == count(*model, "HWModel", {"HwConnection"}));
    CHECK(hardware.accesses.size() == count(*model, "HWModel", {"HwAccessElement", "LatencyAccessPath"}));
    CHECK(hardware.domains.size() == count(*model, "HWModel", {"FrequencyDomain", "PowerDomain", "Quartz"}));
    CHECK(hardware.structures.size() ==
          count(*model, "HWModel", {"HwStructure", "HwSystem", "ECU", "Microcontroller", "HwComponent"}));
    check_without_contradictions(hardware);
    const OperatingSystems systems = operating_systems_of(*model, diagnostics);
    CHECK(systems.schedulers.size() == count(*model, "OSModel", {"TaskScheduler", "InterruptController"}));
    CHECK(systems.semaphores.size() == count(*model, "OSModel", {"Semaphore"}));
    const Mapping mapping = mapping_of(*model);
    CHECK(mapping.tasks.size() == count(*model, "MappingModel", {"TaskAllocation"}));
    CHECK(mapping.memory.size() == count(*model, "MappingModel", {"MemoryMapping", "AbstractElementMapping"}));
    // Nothing in these models' hardware is unreadable.
    for (const char* id : {"AM0212", "AM0213", "AM0215"}) CHECK(test::with_id(diagnostics, id).empty());
    units += hardware.units.size();
    for (const HwUnit& unit : hardware.units)
      if (!unit.clock.is_zero()) ++with_clock;
    schedulers += systems.schedulers.size();
    allocations += mapping.tasks.size();
  }
  WARN(fmt::format("{} models with {} units ({} with a clock), {} schedulers, {} task allocations", models, units,
                   with_clock, schedulers, allocations));
  CHECK(models > 200);
  CHECK(units > 100);
}

TEST_CASE("the same third-party model has the same cores and clocks and schedulers and mapping in all versions",
          "[long]") {
  const std::string folder = test::corpus_folder("/app4mc/history");
  std::map<std::string, std::map<std::string, std::string>> by_name;
  for (const std::string& path : models_below(folder)) {
    INFO(path);
    Diagnostics diagnostics;
    const auto model = importer::read_model({path}, {}, diagnostics);
    REQUIRE(model.has_value());
    std::string name = fs::path(path).filename().string();
    if (name == "AMALTHEA_Democar.amxmi") name = "democar.amxmi";  // its name up to 0.8.3
    by_name[name][std::string(to_string(model->version()))] = describe(*model);
  }
  CHECK(by_name.size() >= 8);
  for (const auto& [name, views] : by_name) {
    CHECK(views.size() >= 8);
    for (const auto& [version, view] : views) {
      INFO(name << " in " << version << " and in " << views.begin()->first);
      CHECK(view == views.begin()->second);
    }
  }
}

}  // namespace corpus_views_test
