// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The steps of the response time analysis of kernels as text and JSON (docs/reference/gpu.md).

#include <string>
#include <vector>

#include "engine/nvidia/response_time_trace.hpp"

namespace amalthea::exporter {

std::string render_rta_trace_text(const std::vector<engine::nvidia::RtaStep>& steps, bool colour);
std::string render_rta_trace_json(const std::vector<engine::nvidia::RtaStep>& steps);

}  // namespace amalthea::exporter
