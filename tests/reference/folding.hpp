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

/// The tasks that may execute something for which `is(item, runnable)` holds.
template <class Is>
std::vector<Index> tasks_with(const Model& model, const Is& is) {
  std::vector<Index> out;
  for (Index task = 0; task < model.tasks.size(); ++task) {
    bool any = false;
    if (!model.tasks[task].dropped)
      each_item(model, model.tasks[task].items, none, [&](const Item& item, Index in) { any = any || is(item, in); });
    if (any) out.push_back(task);
  }
  return out;
}
/// Tasks that access a label, in a runnable (none: in any). type: "read", "write", or both if it is empty.
std::vector<Index> accessors(const Model&, Index label, Index runnable, std::string_view type);

void finish(Model&);

}  // namespace reference
