#pragma once
/// \file
/// What a task, ISR or runnable does, as a flat view over the forms of all versions:
/// - up to 0.9.4: `callGraph/graphEntries[CallSequence]/calls` in tasks, `runnableItems` in runnables;
/// - 0.9.5 and 0.9.6: `callGraph/items`; from 0.9.7: `activityGraph/items`.

#include <vector>

#include "amalthea/element.hpp"

namespace amalthea {

/// The items below a container (an executable, a Group, a CallSequence, a switch entry) in document order.
/// Groups and CallSequences appear as items; `items_of` on them goes one level deeper.
std::vector<Element> items_of(Element container);

/// True for items that only hold other items in sequence: Group, CallSequence.
bool is_sequence(Element item);

}  // namespace amalthea
