// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Other orders in which a program could submit what a scenario submits at the same instants.
///
/// Which SM takes a block depends on the blocks that are there already, so some launch orders leave SMs idle: the
/// pathological placements of lesson III in Olmedo, Capodieci, Martinez, Marongiu, Bertogna, "Dissecting the CUDA
/// scheduling hierarchy: a Performance and Predictability Perspective", RTAS 2020.
///
/// Two operations of the same release are independent if they are in different streams, and neither is in the NULL stream
/// of the other's context. An order keeps all others in their sequence. So it changes no result of the program.

#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/time.hpp"
#include "engine/devices/stream_simulation.hpp"

namespace amalthea::engine::gpu {

struct LaunchOrderSearch {
  std::uint64_t orders = 5040;  ///< simulated at most, >= 1
  std::uint64_t seed = 1;       ///< counts where there are more orders than these
  std::uint64_t max_steps = default_stream_steps;  ///< of each simulation
};

struct LaunchOrder {
  std::vector<std::size_t> operations;  ///< those of the scenario, as they are submitted
  Duration length;                      ///< from the first release to the last completion
  Duration sum_of_responses;
};

struct LaunchOrders {
  LaunchOrder given, best, worst;  ///< of orders that are equally long, those with the smaller or larger sum; then the first
  std::uint64_t tried = 0;         ///< with the given one
  bool all = true;                 ///< every order was tried
};

/// The number of orders, counted up to `limit`. 1: no two operations are independent.
std::uint64_t count_launch_orders(const StreamScenario& scenario, std::uint64_t limit);

/// All orders, if there are no more than the search may try; else a random search that never returns anything worse than
/// the given order. The error is that of simulate_streams, or states that programs in loops have no such order.
tl::expected<LaunchOrders, std::string> search_launch_orders(const StreamScenario& scenario,
                                                             const LaunchOrderSearch& search = {});

/// The scenario with its operations in another order.
StreamScenario in_order(const StreamScenario& scenario, const std::vector<std::size_t>& operations);

}  // namespace amalthea::engine::gpu
