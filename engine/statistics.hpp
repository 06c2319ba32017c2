#pragma once
/// \file
/// Observed values of one quantity, summed up.

#include <cstdint>
#include <vector>

#include "amalthea/time.hpp"

namespace amalthea::engine {

/// With jobs = 0 the times mean nothing.
struct Statistics {
  std::uint64_t jobs = 0;
  Duration min;
  Duration mean;  ///< rounded to nearest
  Duration p99;   ///< nearest rank
  Duration max;
};
Statistics summarise(std::vector<Duration> values);

}  // namespace amalthea::engine
