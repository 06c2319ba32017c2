// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The cost of a memory access while other units also use the memory, as a parameter of the analysis: the latencies in
/// the model, or a table of base latency, cost per interfering core and cost of an active GPU.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "amalthea/time.hpp"
#include "engine/input/located_json.hpp"

namespace amalthea::engine {

/// How to count the cache lines of a data size.
enum class LineRule : std::uint8_t {
  exact,  ///< bytes / line, rounded up
  /// floor(bytes / line) + 1, as in published results of WATERS 2019: one too many for multiples of a line
  published,
};
std::string_view to_string(LineRule);
std::int64_t lines_of(DataSize size, DataSize line, LineRule rule);

/// The cost of a cache line for units of one kind. At best `base`, at worst base + interfering cores × per_core + gpu.
struct UnitLatency {
  std::string name;  ///< name of a processing unit definition, or of a unit
  Duration base;
  Duration per_core;                            ///< for every other core that has tasks
  Duration gpu;                                 ///< if a GPU has tasks
  std::optional<std::int64_t> max_interfering;  ///< more interfering cores than this add nothing
  std::int64_t hits_per_million = 0;            ///< lines found in a cache; they cost `hit`, without interference
  Duration hit;
};

/// What interference adds to the cost of a line for one task: a share for every other core that accesses memory, and one
/// if a GPU does.
struct LineContention {
  Duration per_core;
  std::int64_t cores = 0;  ///< at most
  Duration gpu;            ///< zero if no GPU has tasks

  Duration worst() const { return per_core * cores + gpu; }
  /// At an instant; never above the worst.
  Duration now(std::int64_t accessing_cores, bool gpu_accesses) const {
    return per_core * std::min(accessing_cores, cores) + (gpu_accesses ? gpu : Duration{});
  }
};

/// The cost of copies: `per_line` for every line read and every line written, or the bytes at a rate; plus `setup` for
/// each copy.
struct CopyCost {
  Duration per_line;
  DataRate rate;  ///< 0: by lines
  Duration setup;
};

struct MemoryModel {
  enum class Source : std::uint8_t {
    model,        ///< the latencies of the model's access elements as they are
    uncontended,  ///< their lower bounds, for every execution
    table,        ///< `units` and `copy`; the model supplies what they omit
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

/// The table entry for a unit: the first with the name of its definition, else with its own name, else one whose name
/// is a word of the definition's name ("A57" of "Cortex-A57"). Case-insensitive. Null if there is none.
const UnitLatency* latency_of(const MemoryModel& model, const Platform& platform, const ProcessingUnit& unit);

/// The users of the memory: the number of tasks on every unit, without removed wrappers.
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

/// What others can add to the cost of a line.
LineContention contention_of(const UnitLatency& latency, std::int64_t other_cores, bool gpu);
/// Worst-case cost of a line, with interference.
Duration worst_line(const UnitLatency& latency, std::int64_t other_cores, bool gpu);

/// Whether a label access of a core goes to a memory that the GPU also accesses: one that the GPU has an access to, any
/// memory if the model states no accesses of the GPU.
bool reaches_memory_of(const System& system, UnitIndex gpu, const Activity& access);

/// Reports the costs of lines in a table, and cores in use without an entry.
void report_memory_model(const System& system, const MemoryModel& model, Diagnostics& diagnostics);

}  // namespace amalthea::engine
