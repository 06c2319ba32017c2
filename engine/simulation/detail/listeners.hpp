// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Delivers the events of events.hpp to the listeners. Included by the sources of the parts that send them.

#include "engine/simulation/detail/accounts.hpp"
#include "engine/simulation/detail/events.hpp"
#include "engine/simulation/detail/measurements.hpp"
#include "engine/simulation/detail/observer_notifier.hpp"

namespace amalthea::engine::simulation {

template <typename Event>
void Listeners::notify(const Event& event) const {
  if constexpr (requires { accounts_->on(event); }) accounts_->on(event);
  if constexpr (requires { notifier_->on(event); })
    if (notifier_ != nullptr) notifier_->on(event);
  if constexpr (requires { measurements_->on(event); }) measurements_->on(event);
}

}  // namespace amalthea::engine::simulation
