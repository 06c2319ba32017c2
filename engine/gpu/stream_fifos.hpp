// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Streams as FIFOs, and the NULL stream's order among those of one process: the same on GPUs of all makers.
///
/// An operation begins when it is the first of its stream (G2 and A2). One of the NULL stream must come before all
/// others of the process that have not ended, and what comes after it waits for it (N7).

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
  std::deque<RankedOperation> operations;  ///< that have not ended
  bool is_first(OperationId id) const { return operations.front().second == id; }
};

/// What the streams of one process have to begin.
class StreamHeads {
 public:
  /// Before the first operation.
  void add(const StreamFifo& stream) { has_null_stream_ |= stream.is_null; }

  void submit(StreamFifo& stream, RankedOperation operation) {
    stream.operations.push_back(operation);
    if (stream.is_null) nulls_.insert(operation.first);
    if (stream.operations.size() == 1) add_head(operation);
  }

  /// The first of the stream has ended; the next one becomes its head.
  void end(StreamFifo& stream) {
    const RankedOperation ended = stream.operations.front();
    stream.operations.pop_front();
    heads_.erase(ended);
    if (stream.is_null) nulls_.erase(ended.first);
    if (!stream.operations.empty()) add_head(stream.operations.front());
  }

  /// Calls `begin` with every head that may begin and has not, in the order of submission. An operation of the NULL
  /// stream must be the first of all heads; the others must come before the first of the NULL stream that has not
  /// ended.
  template <typename Begin>
  void begin(const Begin& begin) {
    for (auto at = waiting_.begin(); at != waiting_.end(); at = waiting_.erase(at)) {
      const auto [rank, id] = *at;
      if (!nulls_.empty()) {
        const std::uint64_t first_null = *nulls_.begin();
        if (rank > first_null || (rank == first_null && heads_.begin()->first != rank)) return;
      }
      begin(id);
    }
  }

  /// Of all heads; only where a head has to wait for the NULL stream or as part of it (N7).
  OperationId first() const { return heads_.begin()->second; }

 private:
  void add_head(RankedOperation head) {
    if (has_null_stream_) heads_.insert(head);
    waiting_.insert(head);
  }

  bool has_null_stream_ = false;
  std::set<RankedOperation> heads_;    ///< of all streams; only kept for the NULL stream's sake
  std::set<RankedOperation> waiting_;  ///< heads that have not begun
  std::set<std::uint64_t> nulls_;      ///< ranks of the NULL stream's operations that have not ended
};

}  // namespace amalthea::engine::gpu
