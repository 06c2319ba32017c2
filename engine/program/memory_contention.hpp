// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What an access to memory costs a processing unit while others use the memory too, as a parameter of the analysis:
/// the model's own latencies, or a table of base latency, cost per interfering core and cost of a working GPU.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/diagnostic.hpp"
#include "amalthea/graph/system.hpp"
#include "amalthea/time.hpp"
#include "engine/input/located_json.hpp"

namespace amalthea::engine {

/// How many cache lines `bytes` are.
enum class LineRule : std::uint8_t {
  exact,      ///< as many as hold them: bytes / line, rounded up
  published,  ///< floor(bytes / line) + 1, as in published results of WATERS 2019: one too many for whole lines
};
std::string_view to_string(LineRule);
std::int64_t lines_of(DataSize size, DataSize line, LineRule rule);

/// What a cache line costs units of one kind. At best `base`, at worst base + interfering cores × per_core + gpu.
struct UnitLatency {
  std::string name;  ///< of a processing unit definition, or of a unit
  Duration base;
  Duration per_core;                            ///< for every other core that has tasks
  Duration gpu;                                 ///< if a GPU has tasks
  std::optional<std::int64_t> max_interfering;  ///< more cores than these do not slow further
  std::int64_t hits_per_million = 0;            ///< lines found in a cache; they cost `hit`, whatever others do
  Duration hit;
};

/// What copies cost: every line read and every line written `per_line`, or the bytes at a rate; and `setup` each.
struct CopyCost {
  Duration per_line;
  DataRate rate;  ///< 0: by lines
  Duration setup;
};

struct MemoryModel {
  enum class Source : std::uint8_t {
    model,        ///< the latencies of the model's access elements as they are
    uncontended,  ///< their lower bounds, in every execution
    table,        ///< `units` and `copy`; what these do not say is as in the model
  };
  std::string name = "model";
  Source source = Source::model;
  std::vector<UnitLatency> units;
  std::optional<CopyCost> copy;
};

/// "model", "none" (uncontended) and "waters2019", the figures of the WATERS 2019 challenge for the Jetson TX2.
const std::vector<MemoryModel>& built_in_memory_models();
const MemoryModel* find_memory_model(std::string_view name);

/// From the JSON text of a table (docs/reference/memory.md).
tl::expected<MemoryModel, TextError> parse_memory_model(std::string_view json);

/// The table's entry for a unit: the first with the name of its definition, else with its own name, else one whose name
/// is a word of the definition's ("A57" of "Cortex-A57"). Letters' case does not matter. Null where there is none.
const UnitLatency* latency_of(const MemoryModel& model, const Platform& platform, const ProcessingUnit& unit);

/// Who uses the memory: on every unit how many tasks there are. Wrappers that fell away are none.
class MemoryUsers {
 public:
  explicit MemoryUsers(const System& system);
  /// Cores other than `unit` with a task other than `task`.
  std::int64_t other_cores(UnitIndex unit, TaskIndex task) const;
  /// Whether a GPU has a task other than `task`.
  bool gpu_besides(TaskIndex task) const;
  bool gpu() const { return device_tasks_ > 0; }

 private:
  const System& system_;
  std::vector<std::uint32_t> tasks_;  // parallel to Platform::units
  std::int64_t cores_ = 0;            // with tasks
  std::uint32_t device_tasks_ = 0;
};

/// Of a line, with what interferes.
Duration worst_line(const UnitLatency& latency, std::int64_t other_cores, bool gpu);

/// Says what lines cost by a table, and which cores in use it says nothing of.
void report_memory_model(const System& system, const MemoryModel& model, Diagnostics& diagnostics);

}  // namespace amalthea::engine
