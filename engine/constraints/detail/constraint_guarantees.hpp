// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which timing constraints hold in every legal run of a system, seen or not.
///
/// The argument. Bounds on response times hold for every job: it ends no earlier than `best` and no later than `worst`
/// after its activation. Jobs of a task run one after the other, so that the i-th start, end, and what each job does
/// once belong to the i-th activation. Let the *cause* of an event be the stimuli that activate its task, and let no
/// activation be lost: the task has no activation limit, or its activations are strictly periodic and `worst` is below
/// the period. Then an event has exactly one occurrence for every occurrence of its cause, in the same order, within
/// [lo, hi] after:
///
/// | event | lo | hi |
/// | --- | --- | --- |
/// | a stimulus; the activation of a process | 0 | 0 |
/// | the start of a process | 0 | worst |
/// | the end of a process | best | worst |
/// | what each job does exactly once, and nobody else, in a process without branches | 0 | worst |
///
/// (The last: a runnable starts or returns, a label is read or written, a semaphore, a mode, a custom event.)
///
/// - *Delay* and *order* from an event with [a, b] to one with [c, d] of the same cause: the distance is within
///   [c - b, d - a]; within one process it is not negative where the target's place is not before the source's. As the
///   i-th belong together, this shows all mappings. The target of Reaction and UniqueReaction may have further causes.
/// - *Event synchronization* of events of one cause: the i-th lie within the largest hi less the least lo, which shows
///   both forms.
/// - *Repetition* of an event whose cause is one stimulus without a condition: the k-th occurrence lies within a width
/// w
///   after a grid g(k). Periodic: g(k) = offset + k × period + least jitter + lo, w = largest less least jitter + hi -
///   lo. Sporadic: g(k) = occurrence + lo, w = hi - lo. Let z(k) be the later of g(k) and `jitter` before the
///   occurrence: it is within [g(k), g(k) + max(0, w - jitter)], so `span` of them lie apart by what `span` of the grid
///   do, give or take max(0, w - jitter). Nothing is shown where a minimum distance may delay periodic occurrences.
/// - *Data age*: where one process alone writes the label, once in each job, the next write follows within a period and
///   w; so no value that is read is older, and none is younger than 0.
/// - *Coherency* and *stability*: nobody accesses the labels in the disturbing way, or the accesses that could disturb
///   and those that are to be protected are all in scope and in one process, whose jobs come one after the other.
/// - *Runnable sequencing*: the processes in scope have no branches, and their programs keep the sequence.

#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/program/program.hpp"

namespace amalthea::engine {

struct Results;

/// Of every constraint of the system whether it is shown to hold by the bounds in `results`; false says nothing.
/// `programs` are those of the tasks, with branches. Physical sections are not for here: they hold or they do not.
std::vector<bool> guaranteed_constraints(const System& system, const std::vector<Program>& programs,
                                         const Results& results);

}  // namespace amalthea::engine
