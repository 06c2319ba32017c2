// SPDX-License-Identifier: Apache-2.0
#include "python/recording.hpp"

#include <optional>
#include <utility>

#include <pybind11/numpy.h>

namespace amalthea::python {
namespace {

namespace py = pybind11;

template <typename Index>
std::int32_t index_or_none(const std::optional<Index>& index) {
  return index ? static_cast<std::int32_t>(*index) : -1;
}

/// The array owns the values.
template <typename Value>
py::array_t<Value> array_of(std::vector<Value>& values) {
  auto* owned = new std::vector<Value>(std::move(values));
  const py::capsule owner(owned, [](void* data) { delete static_cast<std::vector<Value>*>(data); });
  return py::array_t<Value>(static_cast<py::ssize_t>(owned->size()), owned->data(), owner);
}

}  // namespace

void Recording::interval(const engine::Interval& interval) {
  intervals_.task.push_back(static_cast<std::int32_t>(interval.task));
  intervals_.job.push_back(static_cast<std::int64_t>(interval.job));
  intervals_.release_ps.push_back(interval.release.picoseconds());
  intervals_.start_ps.push_back(interval.from.picoseconds());
  intervals_.end_ps.push_back(interval.to.picoseconds());
  intervals_.state.push_back(static_cast<std::int8_t>(interval.standing.state));
  intervals_.unit.push_back(index_or_none(interval.unit));
  intervals_.by.push_back(index_or_none(interval.standing.reason.by));
}

void Recording::completed(TaskIndex task, std::uint64_t job, Instant release, Instant now) {
  jobs_.task.push_back(static_cast<std::int32_t>(task));
  jobs_.job.push_back(static_cast<std::int64_t>(job));
  jobs_.release_ps.push_back(release.picoseconds());
  jobs_.end_ps.push_back(now.picoseconds());
}

py::dict Recording::take() {
  py::dict intervals, jobs, all;
  intervals["task"] = array_of(intervals_.task);
  intervals["job"] = array_of(intervals_.job);
  intervals["release_ps"] = array_of(intervals_.release_ps);
  intervals["start_ps"] = array_of(intervals_.start_ps);
  intervals["end_ps"] = array_of(intervals_.end_ps);
  intervals["state"] = array_of(intervals_.state);
  intervals["unit"] = array_of(intervals_.unit);
  intervals["by"] = array_of(intervals_.by);
  jobs["task"] = array_of(jobs_.task);
  jobs["job"] = array_of(jobs_.job);
  jobs["release_ps"] = array_of(jobs_.release_ps);
  jobs["end_ps"] = array_of(jobs_.end_ps);
  py::list states;
  for (auto state = engine::ProcessState::not_active; state <= engine::ProcessState::parking;
       state = static_cast<engine::ProcessState>(static_cast<int>(state) + 1))
    states.append(py::str(std::string(to_string(state))));
  all["intervals"] = intervals;
  all["jobs"] = jobs;
  all["states"] = states;
  return all;
}

}  // namespace amalthea::python
