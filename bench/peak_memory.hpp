// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Memory that a piece of work takes.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace amalthea::bench {

/// Peak memory of a process that does only this, in kB; -1 if it fails.
template <typename Work>
double memory_of(Work work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  rusage usage{};
  int status = 0;
  ::wait4(child, &status, 0, &usage);
  return status == 0 ? static_cast<double>(usage.ru_maxrss) : -1;
}

}  // namespace amalthea::bench
