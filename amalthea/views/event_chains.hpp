// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Event chains, in one form for all versions:
/// - 0.7.0 – 0.8.0: `segments` and `strands` hold SubEventChains with an EventChain inside, or references;
/// - 0.8.1 – 0.9.6: EventChainContainers with a SubEventChain inside, or references;
/// - since 0.9.7: `items` with an `itemType`.

#include <cstdint>
#include <string_view>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/location.hpp"

namespace amalthea::views {

/// sequence: one after the other (segments); parallel: side by side (strands).
enum class ChainArrangement : std::uint8_t { unstated, sequence, parallel };

struct ChainItem {
  Element element;
  bool reference = false;  ///< EventChainReference: the chain is defined elsewhere
  Element chain;           ///< EventChain or SubEventChain: see event_chain_of; empty if missing
  ChainArrangement arrangement = ChainArrangement::unstated;
};

struct EventChain {
  Element element;
  std::string_view name;
  Element stimulus;
  Element response;
  /// The arrangement of its items; unstated for a chain without items. For segments and strands in one chain, that of
  /// the first item.
  ChainArrangement arrangement = ChainArrangement::unstated;
  std::vector<ChainItem> items;
  std::int64_t least_items_completed = 1;  ///< for parallel items, since 0.9.7
};

/// Reads one level of a chain; call it again for the chains of its items. References may be cyclic.
EventChain event_chain_of(const Model& model, Element chain, Diagnostics& diagnostics);
/// The chains of the constraints model in document order, without their sub chains.
std::vector<EventChain> event_chains(const Model& model, Diagnostics& diagnostics);

}  // namespace amalthea::views
