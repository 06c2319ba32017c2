// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Why times are as they are, as custom properties and as sentences: what response times, operations and latencies
/// consist of. docs/reference/annotation.md lists the keys.

#include <string>
#include <string_view>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/results/results.hpp"
#include "exporter/rewriting/annotation.hpp"

namespace amalthea::exporter::detail {

/// A time for each kind of contribution and each cause: "KEY.execution", "KEY.preemption.TASK" … They add up exactly to
/// what they explain.
std::vector<Property> contribution_properties(const System& system, const std::string& key,
                                              const std::vector<engine::Contribution>& parts);

/// What every task of a chain adds to a latency: "KEY.1.TASK.wait", "KEY.1.TASK.run" …
std::vector<Property> step_properties(const System& system, const std::string& key, const Chain& chain,
                                      const std::vector<engine::ChainStep>& steps, Rounding rounding);

/// Duration, bound, slowdown and launch figures of a copy or kernel, under "operation.NAME".
std::vector<Property> operation_properties(const System& system, const engine::OperationResult& operation);

/// "WCRT 5.363 ms of 15 ms, guaranteed; 62 % own execution, 38 % core used by CANbus_polling".
std::string summary_of(const System& system, TaskIndex task, const engine::TaskResult& result);

/// "reaction time at most 51.201 ms, 48.6 ms observed; 62 % Plan, 27 % Control, 11 % Sense; Reacts_in_time guaranteed".
std::string summary_of(const System& system, const Chain& chain, const engine::ChainResult& result,
                       engine::Communication communication);

}  // namespace amalthea::exporter::detail
