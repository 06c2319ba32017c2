// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Rules to 0.9.0 that concern the hardware, in the order in which they are applied. Up to 0.8.3 a hardware model was a
/// tree of nodes (systems, ECUs, microcontrollers, cores), each of which could hold memories, networks and ports; from
/// 0.9.0 on structures hold modules.

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

/// Hz of what drives an old node: the quartz of the nearest prescaler around it; 0 if that is not known.
double clock_of(Step& step, const Object& node);

/// The same target in another place of the same file.
}  // namespace amalthea::migration::to_0_9_0_hardware
