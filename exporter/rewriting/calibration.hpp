// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Writes measured execution times and stimuli into the files of a model. No other byte changes.
///
/// The deviation of a Ticks element is replaced where the model states it: the entry of the kind of core, or the default
/// if all cores that execute the runnable are of one kind; else an entry is added. Custom properties of the runnable
/// record what was measured. Stimuli get measured periods, offsets and jitters, or the bounds of their distance.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "exporter/primitives/splice.hpp"
#include "traces/calibration.hpp"

namespace amalthea::exporter {

enum class CalibrationForm : std::uint8_t {
  statistics,  ///< bounds and average
  histogram,
  gauss,  ///< mean and standard deviation, truncated at the bounds
  beta,   ///< with the mean and the variance of the measurement, between the bounds
};

struct CalibrationRequest {
  CalibrationForm form = CalibrationForm::statistics;
  std::int64_t percentile = 1000;   ///< of the measured values, in thousandths: the upper bound; 1000: the maximum
  double margin = 0;                ///< percent added to the upper bound
  bool isolated = false;            ///< nothing else ran: the times contain no contention
  std::vector<std::string> traces;  ///< names of their files
};

/// A line of what changes.
struct CalibrationChange {
  std::string runnable;
  std::string kind;  ///< of core
  std::uint64_t runs = 0;
  Cycles before, after;
};

struct StimulusChange {
  std::string stimulus;
  std::uint64_t occurrences = 0;
  std::string before, after;  ///< "every 10 ms, offset 1 ms, jitter 0.2 ms"
};

struct AccessChange {
  std::string unit, memory;
  std::uint64_t copies = 0;
  Cycles read_before, read_after, write_before, write_after;
};

/// Of a kernel or copy of a scenario of streams.
struct DurationChange {
  std::string operation;
  std::uint64_t runs = 0;
  Duration before, measured;
  /// Of the blocks of a kernel that runs alone: the time of a block is that of the kernel by so many.
  std::int64_t rounds = 1;
  Duration after;
};

struct Calibration {
  ModelSplices splices;  ///< by the positions of the documents
  std::vector<CalibrationChange> changes;
  std::vector<AccessChange> accesses;
  std::vector<StimulusChange> stimuli;  ///< also those that the model already states as they were measured
  std::vector<DurationChange> durations;
};

struct Measurement {
  std::vector<traces::MeasuredTicks> ticks;
  std::vector<traces::MeasuredArrivals> arrivals = {};  ///< of the stimuli to write
  std::vector<traces::MeasuredAccess> accesses = {};    ///< of the latencies to write
};

/// Nothing, with an error, if the version of a file has no Ticks (AM0920).
std::optional<Calibration> calibrate(const Model& model, const System& system, const Measurement& measured,
                                     const CalibrationRequest& request, Diagnostics& diagnostics);

/// The changes as tables for people.
std::string render_calibration(const Calibration& calibration, bool colour);

}  // namespace amalthea::exporter
