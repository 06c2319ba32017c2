// SPDX-License-Identifier: Apache-2.0
#include "python/interruption.hpp"

#include <chrono>
#include <exception>
#include <future>
#include <optional>

namespace amalthea::python {

namespace py = pybind11;

void run_interruptibly(Work& work, const py::object& progress, const std::function<void()>& job) {
  constexpr auto pause = std::chrono::milliseconds(50);
  std::optional<py::error_already_set> failure;
  std::exception_ptr thrown;
  double told = 0;
  {
    const py::gil_scoped_release released;
    auto done = std::async(std::launch::async, job);
    while (done.wait_for(pause) != std::future_status::ready) {
      if (work.stop) continue;
      const double share = work.done;
      const py::gil_scoped_acquire acquired;
      try {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        if (!progress.is_none() && share > told) {
          progress(share);
          told = share;
        }
      } catch (py::error_already_set& error) {
        failure.emplace(error);
        work.stop = true;
      }
    }
    try {
      done.get();
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  if (failure) throw py::error_already_set(*failure);
  if (thrown) std::rethrow_exception(thrown);
  if (!progress.is_none() && told > 0 && told < 1) progress(1.0);
}

}  // namespace amalthea::python
