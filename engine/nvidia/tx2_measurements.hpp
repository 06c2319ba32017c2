// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Measurements on a Jetson TX2, compared with the memory model: the basis of the TX2's parameters.
///
/// Source: recomputed from the raw data of CTU-IIG/tt-gpu, the experiments behind Capodieci et al. at OSPERT 2019:
/// medians, GPU at 1300.5 MHz, loads that bypass the L1 (.cg). CPU traffic is one thread on each of five cores.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "engine/nvidia/memory_model.hpp"

namespace amalthea::engine::nvidia {

enum class MeasuredQuantity : std::uint8_t {
  cycles,        ///< per access
  microseconds,  ///< for a bulk kernel
  slowdown,      ///< with other kernels relative to alone
  cpu_slowdown,  ///< with other kernels and CPU traffic relative to the same kernels without CPU traffic
};
std::string_view unit_of(MeasuredQuantity quantity);

struct Measurement {
  std::string_view section;  ///< id of a MeasuredSection
  std::string label;
  MemoryKernel kernel;
  std::vector<MemoryKernels> others;
  CpuTraffic cpu;
  MeasuredQuantity quantity = MeasuredQuantity::cycles;
  double measured = 0;
  /// L2 hit latency of the measured loop, if it differs. The prediction is shifted by the difference.
  std::optional<double> hit_of_build;
};

struct MeasuredSection {
  std::string_view id;
  std::string_view title;
  std::string_view experiment;  ///< folder of the raw data
};

const std::vector<MeasuredSection>& tx2_measured_sections();
/// In the order of the sections.
const std::vector<Measurement>& tx2_measurements();

struct ComparedMeasurement {
  Measurement measurement;
  double predicted = 0;
  double error_percent() const { return 100 * (predicted / measurement.measured - 1); }
};

/// Every measurement and its prediction with these parameters and SMs. The error is that of predict_interference: the
/// measured kernels do not fit the device.
tl::expected<std::vector<ComparedMeasurement>, std::string> compare_with_measurements(
    const MemoryParameters& parameters, const SmLimits& limits);

/// Statistics of the absolute errors in percent, over one section, or over all if `section` is empty.
struct ErrorSummary {
  std::size_t rows = 0;
  double median_percent = 0;
  double max_percent = 0;
};
ErrorSummary summarise_errors(const std::vector<ComparedMeasurement>& rows, std::string_view section = {});

}  // namespace amalthea::engine::nvidia
