// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the adversary adds to random systems before they become models: features that meet too seldom by chance alone.

#include <random>
#include <vector>

#include "amalthea/graph/system.hpp"

namespace adversary {

/// Inter-process stimuli have further triggers: of the same task at another position, of other tasks, in alternatives.
void share_triggers(amalthea::System& system, std::mt19937 random);

/// Tasks may have one or two activations only.
void limit_activations(amalthea::System& system, std::mt19937 random);

/// What precedes and follows triggers and events takes a short time in some jobs and a long one in others.
void vary_around_triggers(amalthea::System& system, std::mt19937 random);

/// A task waits for one of several events, or for all, which other tasks set anywhere in their bodies.
void add_waits(amalthea::System& system, std::mt19937 random);

/// A wait is one for a further event, too: for any of its events, or for all.
void widen_waits(amalthea::System& system, std::mt19937 random);

/// The longest times grow until cores are nearly full, so that jobs meet the next activation of their task.
void fill_cores(amalthea::System& system, std::mt19937 random);

/// Often of tasks that are triggered, that may lose activations, or for which a host waits.
void add_chains(amalthea::System& system, std::mt19937 random);

/// Every task of a chain writes a label that the next one reads, anywhere in its body.
void pass_data(amalthea::System& system, std::mt19937 random);

/// Accesses of labels, with their runnables, in alternatives of branches. Sometimes another task makes the same access.
void add_alternatives(amalthea::System& system, std::mt19937 random);

/// A stimulus depends on a mode that another task changes in an alternative so rare that no simulation takes it.
void switch_off(amalthea::System& system, std::mt19937 random);

/// On a core of its own, a task whose work fits one budget of its server, which others use up just before or delay.
void add_served_task(amalthea::System& system, std::mt19937 random);

/// On cores of their own, a task waits for one that a more urgent task delays until it loses its next activation.
void add_losing_setter(amalthea::System& system, std::mt19937 random);

/// On one core or two of their own, tasks that wait for others in their jobs delay a less urgent one.
void add_waiting_rivals(amalthea::System& system, std::mt19937 random);

/// On a core of its own, a chain of two tasks with the same priority.
void add_tied_chain(amalthea::System& system, std::mt19937 random);

/// A chain ends with a task that may lose activations, and whose response has no bound.
void add_losing_chain(amalthea::System& system, std::mt19937 random);

/// On cores of their own, a chain along a row of triggers, most of them the last action of their task.
void add_row_chain(amalthea::System& system, std::mt19937 random);

/// A host waits for its device task or for an earlier event; a chain consists of the device task.
void add_hasty_host(amalthea::System& system, std::mt19937 random);

/// Kernels with launches state instructions in place of ticks.
void add_instructions(amalthea::System& system, std::mt19937 random);

/// Tasks that a trigger or an event activates, tasks that may lose activations, and tasks of stimuli with a condition.
/// `devices`: also those of GPUs.
std::vector<amalthea::TaskIndex> special_tasks(const amalthea::System& system, bool devices);
bool has_branch(const amalthea::System& system, amalthea::TaskIndex task);

}  // namespace adversary
