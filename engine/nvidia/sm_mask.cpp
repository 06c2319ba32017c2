// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/sm_mask.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace amalthea::engine::nvidia {
namespace {

/// The value of a hexadecimal digit, or nothing.
std::optional<unsigned> digit(char character) {
  if (character >= '0' && character <= '9') return static_cast<unsigned>(character - '0');
  const char lower = static_cast<char>(character | 0x20);
  if (lower >= 'a' && lower <= 'f') return static_cast<unsigned>(lower - 'a' + 10);
  return std::nullopt;
}

}  // namespace

tl::expected<CuMask, std::string> parse_tpc_mask(std::string_view text, const SmLimits& limits) {
  const std::string expected = "expected a hexadecimal number such as 0xf0, in which set bits disable TPCs, or ~0xf0";
  const bool enables = text.starts_with('~');
  std::string_view digits = text.substr(enables ? 1 : 0);
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  if (digits.empty() || digits.size() > 32) return tl::unexpected(expected);
  const std::int64_t tpcs = (limits.sms + limits.sms_per_tpc - 1) / limits.sms_per_tpc;
  CuMask mask{std::vector<bool>(static_cast<std::size_t>(limits.sms), !enables)};
  std::int64_t tpc = 0;
  for (auto at = digits.rbegin(); at != digits.rend(); ++at) {
    const auto value = digit(*at);
    if (!value) return tl::unexpected(expected);
    for (unsigned bit = 0; bit < 4; ++bit, ++tpc)
      for (std::int64_t sm = tpc * limits.sms_per_tpc; sm < std::min((tpc + 1) * limits.sms_per_tpc, limits.sms); ++sm)
        mask.bits[static_cast<std::size_t>(sm)] = ((*value >> bit & 1U) != 0) == enables;
  }
  if (mask.count() == 0)
    return tl::unexpected(fmt::format("the mask disables all {} TPCs of the platform; leave at least one", tpcs));
  return mask;
}

std::int64_t enabled_sms(std::string_view mask, const DeviceProfile& profile) {
  if (mask.empty() || profile.amd || !profile.multiprocessors) return 0;
  const auto parsed = parse_tpc_mask(mask, *profile.multiprocessors);
  return parsed ? parsed->count() : 0;
}

const std::string& mask_of(const Task& task, const Launch& launch) {
  return launch.sm_mask.empty() ? task.gpu.sm_mask : launch.sm_mask;
}

std::int64_t sms_of_share(const SmLimits& limits, double percent) {
  const double share = std::ceil(percent * static_cast<double>(limits.sms) / 100 - 1e-9);
  return std::clamp(static_cast<std::int64_t>(share), std::int64_t{1}, limits.sms);
}

}  // namespace amalthea::engine::nvidia
