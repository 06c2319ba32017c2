// SPDX-License-Identifier: Apache-2.0
#include "cli/numbers.hpp"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

namespace amalthea::cli {
namespace {

/// Empty, or what is wrong. Text that is no number at all is left to the conversion.
std::string wrong_number(const std::string& text, bool whole, bool is_signed) {
  char* end = nullptr;
  errno = 0;
  if (!whole) {
    const double number = std::strtod(text.c_str(), &end);
    const bool finite = std::isfinite(number);
    return *end != '\0' || finite ? "" : fmt::format("{} is not a finite number", text);
  }
  if (is_signed)
    std::strtoll(text.c_str(), &end, 0);
  else
    std::strtoull(text.c_str(), &end, 0);
  if (*end == '\0' && errno == ERANGE) return fmt::format("{} does not fit into 64 bits", text);
  if (*end == '\0' && !is_signed && text.find('-') != std::string::npos)
    return fmt::format("{} is below zero; expected a whole number of 0 or more", text);
  return "";
}

}  // namespace

void check_numbers(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    const bool real = type.starts_with("FLOAT"), natural = type.starts_with("UINT"), integer = type.starts_with("INT");
    if (real || natural || integer)
      option->check([=](const std::string& text) { return wrong_number(text, !real, integer); }, "");
  }
  for (CLI::App* verb : app.get_subcommands(nullptr)) check_numbers(*verb);
}

}  // namespace amalthea::cli
