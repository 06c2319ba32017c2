// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Streams as FIFOs, and the order of the NULL stream among those of one process: the same on GPUs of all vendors.
///
/// An operation begins when it is the first of its stream (G2 and A2). A barrier begins only when all earlier operations
/// of the process have ended, and later ones wait for it: an operation of the NULL stream (N7), or a copy from or to
/// pageable memory.

#include <cstdint>
#include <deque>
#include <set>
#include <utility>

#include "engine/gpu/operation.hpp"

namespace amalthea::engine::gpu {

/// Order of submission to the device, and the operation.
using RankedOperation = std::pair<std::uint64_t, OperationId>;

struct StreamFifo {
  bool is_null = false;
  bool has_barriers = false;               ///< some of its operations are barriers; of a NULL stream all are
  std::deque<RankedOperation> operations;  ///< operations that have not ended
  bool is_first(OperationId id) const { return operations.front().second == id; }
};

/// The operations of one process that are first in their streams.
class StreamHeads {
 public:
  /// Must be called before the first operation.
  void add(const StreamFifo& stream) { has_barriers_ |= stream.is_null || stream.has_barriers; }

  void submit(StreamFifo& stream, RankedOperation operation, bool is_barrier) {
    stream.operations.push_back(operation);
    if (stream.is_null || is_barrier) barriers_.insert(operation.first);
    if (stream.operations.size() == 1) add_head(operation);
  }

  /// The first operation of the stream has ended; the next one becomes its head.
  void end(StreamFifo& stream) {
    const RankedOperation ended = stream.operations.front();
    stream.operations.pop_front();
    heads_.erase(ended);
    if (has_barriers_) barriers_.erase(ended.first);
    if (!stream.operations.empty()) add_head(stream.operations.front());
  }

  /// Calls `begin` for every head that may begin and has not begun, in the order of submission. A barrier must be the
  /// first of all heads; others must precede the first barrier that has not ended.
  template <typename Begin>
  void begin(const Begin& begin) {
    for (auto at = waiting_.begin(); at != waiting_.end(); at = waiting_.erase(at)) {
      const auto [rank, id] = *at;
      if (!barriers_.empty()) {
        const std::uint64_t first_barrier = *barriers_.begin();
        if (rank > first_barrier || (rank == first_barrier && heads_.begin()->first != rank)) return;
      }
      begin(id);
    }
  }

  /// The first of all heads; only if a head waits for a barrier or is one.
  OperationId first() const { return heads_.begin()->second; }

 private:
  void add_head(RankedOperation head) {
    if (has_barriers_) heads_.insert(head);
    waiting_.insert(head);
  }

  bool has_barriers_ = false;
  std::set<RankedOperation> heads_;    ///< of all streams; only maintained if there are barriers
  std::set<RankedOperation> waiting_;  ///< heads that have not begun
  std::set<std::uint64_t> barriers_;   ///< ranks of those that have not ended
};

}  // namespace amalthea::engine::gpu
