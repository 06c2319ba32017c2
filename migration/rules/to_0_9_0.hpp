// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Rules of the step to 0.9.0 for the hardware, in the order of application. Up to 0.8.3 a hardware model was a tree of
/// nodes (systems, ECUs, microcontrollers, cores), each of which could hold memories, networks and ports; since 0.9.0
/// structures hold modules.

#include "migration/detail/rule.hpp"

namespace amalthea::migration::to_0_9_0_hardware {

void merge_models(Step& step);
void access_paths(Step& step);
void port_cycles(Step& step);
void caches(Step& step);
void memory_definitions(Step& step);
void unit_definitions(Step& step);
void instructions_per_cycle(Step& step);
void handler_definitions(Step& step);
void frequency_domains(Step& step);
void prescalers(Step& step);
void ports(Step& step);
void structures(Step& step);
void connections(Step& step);

/// The frequency in Hz of an old node: that of the quartz of the nearest enclosing prescaler; 0 if unknown.
double clock_of(Step& step, const Object& node);
}  // namespace amalthea::migration::to_0_9_0_hardware
