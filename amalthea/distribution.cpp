#include "amalthea/distribution.hpp"

#include <algorithm>

namespace amalthea {
namespace {

/// The output function of SplitMix64.
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15U;

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::uint64_t purpose, std::uint64_t owner, std::uint64_t number)
    : state_(mix(seed + golden_gamma)) {
  for (const std::uint64_t part : {purpose, owner, number}) state_ = mix(state_ + golden_gamma + part);
}

std::uint64_t RandomStream::next() { return mix(state_ += golden_gamma); }

double RandomStream::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

}  // namespace amalthea
