// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the model leaves open about the time of an access to a memory, or states twice.
///
/// The time of an access is a sum along its path. A part that states nothing may take no time, or its time was
/// forgotten. It counts as forgotten where parts of the same kind state theirs.

#include <array>
#include <optional>
#include <set>
#include <vector>

#include "amalthea/views/hardware.hpp"
#include "importer/building/detail/build_context.hpp"

namespace amalthea::importer::detail {

class MemoryCosts {
 public:
  explicit MemoryCosts(const views::Hardware& hardware);

  /// The parts that leave open what a read or a write takes there, or the access itself. `hardware` must outlive this.
  std::vector<BuildContext::OpenCost> open(const views::HwAccess& access, bool write) const;

  /// Whether any access to a memory has a latency or a data rate.
  bool any_stated() const { return any_stated_; }

 private:
  /// Parts that state a latency on some access path.
  struct Stated {
    bool handler = false, cache = false;
    std::array<bool, 2> port{};  ///< of responders, of initiators
  };

  const views::Hardware& hardware_;
  Stated stated_;
  std::set<views::HwIndex> by_path_;  ///< memories to which an access states a latency, alone or along its path
  bool any_stated_ = false;
};

/// Whether an access or its path states a data rate. That of the memory alone says nothing about latencies.
bool states_rate(const views::HwAccess&);

/// Reports latencies and a data rate of an access as a whole that differ from those along its path (AM0462).
void report_costs_besides_path(BuildContext& context, const views::Hardware& hardware, const views::HwAccess& access);

/// The line size that counts for the unit: the smallest of its own caches, else of those next to it.
std::optional<DataSize> cache_line(const views::Hardware& hardware, const views::HwUnit& unit);

/// Prescalers of modules that state no ratio, although others do.
std::vector<Element> open_clock_ratios(const views::Hardware& hardware);

/// Caches of the unit that state no line size although some cache of the model does.
std::vector<BuildContext::OpenCost> open_cache_lines(const views::Hardware& hardware, const views::HwUnit& unit);

}  // namespace amalthea::importer::detail
