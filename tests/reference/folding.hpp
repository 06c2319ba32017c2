// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What follows from a model as written: functions mapped to a CPU, host labels, the processes of chains.

#include "reference/model.hpp"

namespace reference {

/// Calls `use(item, runnable)` for everything that the task may execute, in order; `runnable` is none in the task itself.
template <class Use>
void each_item(const Model& model, const std::vector<Item>& items, Index runnable, const Use& use, int depth = 0) {
  if (depth > 60) throw Refused("calls", "a circle");
  for (const auto& item : items) {
    use(item, runnable);
    each_item(model, item.items, runnable, use, depth + 1);
    if (item.kind == Item::Kind::call)
      each_item(model, model.runnables[item.target].items, item.target, use, depth + 1);
  }
}

/// Tasks that run a runnable.
std::vector<Index> users(const Model&, Index runnable);
/// Tasks that access a label, in a runnable (none: in any). write: 1 only writes, 0 only reads, -1 both.
std::vector<Index> accessors(const Model&, Index label, Index runnable, int write);

void finish(Model&);

}  // namespace reference
