// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Designs of sound systems as an engineer states them: clocks, cores, a GPU, tasks with their limits, chains of tasks.
/// A fault is planted in a design, and the model is written from it.

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace planted {

/// Frequencies in MHz.
struct Clock {
  std::string name;
  double frequency = 0;
};

struct Core {
  std::string name;
  std::size_t clock = 0;
};

/// Work that a task offloads to the GPU. Times in microseconds, sizes in kB.
struct Offload {
  std::string name;  ///< of the device task
  double kernel = 0;
  std::int64_t copied = 0;
  double slice = 0;
  bool polls = false;
  bool clears = true;  ///< the event that its end sets
};

/// Times in microseconds.
struct Job {
  std::string name;
  bool interrupt = false;
  std::size_t core = 0;
  int priority = 1;
  double period = 0;
  std::optional<double> deadline;
  double execution = 0;     ///< longest, at the frequency of a sound design
  double ticks_factor = 1;  ///< of the ticks that are written for it
  std::optional<std::size_t> semaphore;
  double held = 0;  ///< the part of its execution with the semaphore
  std::optional<Offload> offload;
};

/// Data passes through the jobs. Times in microseconds.
struct Path {
  std::string name;
  std::vector<std::size_t> jobs;
  std::optional<double> minimum;
  double maximum = 0;
};

struct Lock {
  std::string name;
  bool ceiling = true;
};

struct Design {
  std::vector<Clock> clocks;  ///< the last one is that of the GPU
  std::vector<double> sound;  ///< their frequencies, of which ticks are computed
  std::vector<Core> cores;
  std::vector<Job> jobs;
  std::vector<Path> paths;
  std::vector<Lock> locks;
};

/// Two to four cores with utilizations of 35 to 60 %, priorities by rate, deadlines at the period or somewhat below.
Design draw_design(std::mt19937& random);

/// The text of a model of AMALTHEA 3.3.0.
std::string model_of(const Design& design);

}  // namespace planted
