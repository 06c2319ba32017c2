// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Proves timing constraints for every legal run of a system, whatever the simulation shows.
///
/// The argument. Bounds on response times hold for every job: it ends no earlier than `best` and no later than `worst`
/// after its activation. Jobs of a task run one after the other. So the i-th start, the i-th end, and what each job
/// does once belong to the i-th activation. Let the *cause* of an event be the stimuli that activate its task, and let
/// no activation be lost (results/lost_activations.hpp). Then an event occurs exactly once for every occurrence of its cause, in the same order, within
/// [lo, hi] after it:
///
/// | event | lo | hi |
/// | --- | --- | --- |
/// | a stimulus; the activation of a process | 0 | 0 |
/// | the start of a process | 0 | worst |
/// | the end of a process | best | worst |
/// | what each job does exactly once, and nobody else, in a process without branches | 0 | worst |
///
/// (The last row: a runnable starts or returns; a label, a semaphore, a mode or a custom event is accessed.)
///
/// - *Delay* and *order* from an event with [a, b] to one with [c, d] of the same cause: the distance is within [c - b,
///   d - a]. Within one process it is not negative if the target does not precede the source in the program. Since the
///   i-th occurrences belong together, this proves all mappings. The target of Reaction and UniqueReaction may have
///   further causes.
/// - *Event synchronization* of events of one cause: the i-th occurrences lie within the largest hi minus the smallest
///   lo, which proves both forms.
/// - *Repetition* of an event whose cause is one stimulus without a condition: the k-th occurrence lies within a width
///   w after a grid g(k). Periodic: g(k) = offset + k × period + minimum jitter + lo, w = maximum minus minimum jitter
///   + hi - lo. Sporadic: g(k) = occurrence + lo, w = hi - lo. Let z(k) be the later of g(k) and the occurrence minus
///   `jitter`: it is within [g(k), g(k) + max(0, w - jitter)]. So the distance over `span` occurrences differs from
///   that of the grid by at most max(0, w - jitter). There is no proof if a minimum distance may delay periodic
///   occurrences.
/// - *Data age*: if exactly one process writes the label, once in each job, the next write follows within a period plus
///   w. So no value that is read is older, and none is younger than 0.
/// - *Coherency* and *stability*: no process accesses the labels in the disturbing way, or all disturbing and all
///   protected accesses are in scope and in one process, whose jobs run one after the other.
/// - *Runnable sequencing*: the processes in scope have no branches, and their programs keep the sequence.

#include <optional>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/program/program.hpp"
#include "engine/results/coverage.hpp"

namespace amalthea::engine {

struct Results;

/// For every constraint of the system, what the proof by the bounds in `results` covers; nothing: there is no proof.
/// `programs` are those of the tasks, with branches. Excludes physical sections, which hold or do not.
std::vector<std::optional<Coverage>> guaranteed_constraints(const System& system, const std::vector<Program>& programs,
                                                            const Results& results);

}  // namespace amalthea::engine
