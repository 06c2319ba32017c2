// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A system as a table that a person types or exports from a spreadsheet (docs/reference/table.md): cores, GPUs, tasks,
/// the steps of tasks, and chains of tasks. A table becomes a model and a model becomes a table.
///
/// What a model says beyond that is reported. What a table leaves open is either refused, or said in `assumptions_of`.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/graph/scheduling_algorithm.hpp"
#include "amalthea/location.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/time.hpp"

namespace amalthea::exporter::tables {

struct SystemTable {
  struct Core {
    std::string name;
    Frequency clock;
    SchedulingAlgorithm scheduler = SchedulingAlgorithm::fixed_priority_preemptive;
    friend bool operator==(const Core&, const Core&) = default;
  };
  struct Gpu {
    std::string name;
    Frequency clock;
    DataRate bandwidth;    ///< of its accesses to the memory, by which copies take time; 0: none
    std::string platform;  ///< of the profiles of GPUs
    friend bool operator==(const Gpu&, const Gpu&) = default;
  };
  struct Task {
    std::string name;
    std::size_t core = 0;  ///< into `cores`
    Duration period;
    std::optional<std::int64_t> priority;  ///< where the core's scheduler uses one; a larger one is more urgent
    std::optional<Duration> deadline;      ///< from the release
    std::optional<Duration> offset, jitter;
    std::string preemption;  ///< AMALTHEA's literal
    friend bool operator==(const Task&, const Task&) = default;
  };
  /// What a task executes, in this order. On a GPU: a copy to the device, a kernel, a copy back.
  struct Step {
    std::string name;
    std::size_t task = 0;              ///< into `tasks`, in ascending order
    std::int64_t least = 0, most = 0;  ///< ticks of the core or GPU
    std::optional<std::size_t> gpu;    ///< into `gpus`
    std::int64_t bytes_in = 0, bytes_out = 0;
    bool polls = false;   ///< the task keeps its core while it waits for the GPU
    std::string process;  ///< on the GPU, shared with other steps; "": its own
    friend bool operator==(const Step&, const Step&) = default;
  };
  /// Data passes from each task to the next one.
  struct Chain {
    std::string name;
    std::vector<std::size_t> tasks;  ///< at least two, into `tasks`
    std::optional<Duration> reaction, age;
    friend bool operator==(const Chain&, const Chain&) = default;
  };
  std::vector<Core> cores;
  std::vector<Gpu> gpus;
  std::vector<Task> tasks;
  std::vector<Step> steps;
  std::vector<Chain> chains;
  std::vector<std::string> assumptions;  ///< sentences about what was left open
  friend bool operator==(const SystemTable& a, const SystemTable& b) {
    return a.cores == b.cores && a.gpus == b.gpus && a.tasks == b.tasks && a.steps == b.steps && a.chains == b.chains;
  }
};

/// AMALTHEA's IntegerObject ends there.
inline constexpr std::int64_t most_priority = 2'147'483'647;
/// Rows with content; more are refused.
inline constexpr std::size_t most_table_rows = 100'000;

/// The platform of another model, whose hwModel and osModel are to be kept.
struct GivenPlatform {
  std::vector<SystemTable::Core> cores;
  std::vector<SystemTable::Gpu> gpus;
  std::vector<std::string> schedulers, gpu_schedulers;   ///< ids, by `cores` and `gpus`
  std::string memory;                                    ///< id of the memory of copies; "": none
  std::string hardware, operating_systems, allocations;  ///< text of the elements
};
/// The units of the model that a scheduler of its own serves, and their text. The error says what the model lacks.
Parsed<GivenPlatform> given_platform(const Model& model);

/// Reads a table in CSV. All mistakes are findings with their place; with one, there is no table. `platform`, if any,
/// takes the place of the cores and GPUs of the table.
std::optional<SystemTable> read_table(const std::string& path, std::string_view text, const GivenPlatform* platform,
                                      Diagnostics& findings);

/// The table as CSV with all that it states; `read_table` reads an equal one.
std::string write_table(const SystemTable& table);

/// The model in the newest version of AMALTHEA, in EMF's form. `head`: lines of a comment at its top.
std::string model_of(const SystemTable& table, const GivenPlatform* platform, const std::vector<std::string>& head);

/// What of the model a table can say. Everything else is a finding.
SystemTable table_of(const Model& model, Diagnostics& findings);

/// Whether a table can name something so.
bool is_table_name(std::string_view name);

/// Whether tasks of this algorithm state a priority, or a deadline.
bool needs_priority(SchedulingAlgorithm algorithm);
bool needs_deadline(SchedulingAlgorithm algorithm);

}  // namespace amalthea::exporter::tables
