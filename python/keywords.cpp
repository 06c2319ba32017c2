// SPDX-License-Identifier: Apache-2.0
#include "python/keywords.hpp"

#include <algorithm>
#include <string>
#include <type_traits>

#include <fmt/core.h>
#include <pybind11/stl.h>

#include "python/failure.hpp"

namespace amalthea::python {
namespace {

namespace py = pybind11;

void set(const analysis::Option& row, const std::string& name, const py::handle& given) {
  try {
    std::visit([&](auto* value) { *value = given.cast<std::decay_t<decltype(*value)>>(); }, row.value);
  } catch (const py::cast_error&) {
    throw py::type_error(fmt::format("{}: unexpected type", name));
  }
  if (const auto fault = fault_in(row)) throw Failure(Failure::Kind::option, fault->text(), {});
}

}  // namespace

void take(const Options& options, const analysis::OptionTable& rows) {
  const auto is_given = [&](std::string_view option) {
    const std::string keyword = find_option(rows, option)->keyword();
    return options.contains(keyword.c_str()) && !options[keyword.c_str()].is_none();
  };
  for (const auto& [key, given] : options) {
    const auto name = key.cast<std::string>();
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& each) { return each.keyword() == name; });
    if (row == rows.end()) throw py::type_error(fmt::format("unknown option \"{}\"", name));
    if (given.is_none()) continue;
    set(*row, name, given);
    for (const std::string_view other : row->form.excludes)
      if (is_given(other))
        throw Failure(Failure::Kind::option, fmt::format("--{} excludes --{}", row->name, other), {});
  }
}

}  // namespace amalthea::python
