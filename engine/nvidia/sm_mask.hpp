// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Masks that restrict the blocks of a kernel or stream to a part of the SMs.
///
/// Source: libsmctrl (Bakita and Anderson, "Hardware Compute Partitioning on NVIDIA GPUs", RTAS 2023). A bit stands for
/// a texture processing cluster (TPC), and a set bit disables it. From Volta on, and on the P100, a TPC has two SMs; on
/// other Pascal GPUs it has one. The hardware numbers the TPCs that are present from 0 and assigns the numbers to GPCs
/// by a table that libsmctrl reads from a register. The table is not published, so we number SMs, TPCs and GPCs
/// consecutively: TPC t has the SMs from t x sms_per_tpc on.

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "amalthea/graph/system.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/gpu/sharing.hpp"
#include "engine/nvidia/names.hpp"

namespace amalthea::engine::nvidia {

/// The SMs that a mask of libsmctrl enables: a hexadecimal number of up to 128 bits, whose set bits disable TPCs. A
/// leading "~" inverts it, so that set bits enable TPCs. Bits beyond the last TPC have no effect. The error states what
/// is wrong; a mask that disables all TPCs is an error.
tl::expected<CuMask, std::string> parse_tpc_mask(std::string_view text, const SmLimits& limits);

/// The number of SMs that the mask enables; 0, which means all, for an AMD GPU, and without a valid mask.
std::int64_t enabled_sms(std::string_view mask, const DeviceProfile& profile);

/// The mask of a kernel: its own, else that of its stream.
const std::string& mask_of(const Task& task, const Launch& launch);

/// The number of SMs that may hold blocks of a process of MPS with this active thread percentage: the share, rounded
/// up, and at least one. NVIDIA documents that the driver rounds, but not how.
std::int64_t sms_of_share(const SmLimits& limits, double percent);

}  // namespace amalthea::engine::nvidia
