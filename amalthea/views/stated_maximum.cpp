// SPDX-License-Identifier: Apache-2.0
#include "amalthea/views/stated_maximum.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/quantity.hpp"

namespace amalthea::views {
namespace {

std::string text_of(std::int64_t value) { return std::to_string(value); }
std::string text_of(double value) { return fmt::format("{}", value); }
std::string text_of(Duration value) { return format_duration(value); }

/// In an attribute (from 0.9.3) or in a child.
bool states(Element element, std::string_view name) {
  if (element.attribute(name)) return true;
  const Element child = element.child(name);
  return child && child.attribute("value");
}

}  // namespace

template <typename T>
bool is_open(const Deviation<T>& deviation) {
  const Element element = deviation.element;
  if (std::holds_alternative<ConstantValue<T>>(deviation.distribution))
    return !states(element, "value") && !element.attribute("cycles");
  if (!std::holds_alternative<Histogram<T>>(deviation.distribution)) return !deviation.upper.has_value();
  std::size_t count = 0;
  for (const Element entry : element.children("entries")) {
    if (!states(entry, "upperBound")) return true;
    ++count;
  }
  return count == 0;
}

template <typename T>
void report_open(const Deviation<T>& deviation, std::string_view what, Diagnostics& diagnostics) {
  if (!is_open(deviation)) return;
  const Element element = deviation.element;
  if (std::holds_alternative<ConstantValue<T>>(deviation.distribution))
    diagnostics.add("AM0459", Severity::warning,
                    fmt::format("{} has no value, so it counts as 0 in all results; state the value, 0 too", what),
                    element.location(), element.path());
  else
    diagnostics.add("AM0458", Severity::warning,
                    fmt::format("{} has no upper bound, so no result covers a longer time than its lower bound or "
                                "average; state upperBound",
                                what),
                    element.location(), element.path());
}

template <typename T>
bool has_reversed_entry(const Deviation<T>& deviation) {
  const auto* histogram = std::get_if<Histogram<T>>(&deviation.distribution);
  return histogram != nullptr && std::any_of(histogram->entries.begin(), histogram->entries.end(),
                                             [](const auto& entry) { return entry.upper < entry.lower; });
}

template <typename T>
void report_disorder(const Deviation<T>& deviation, const Reading<T>& written, const Reading<T>& used,
                     Diagnostics& diagnostics) {
  diagnostics.add(
      "AM0211", Severity::warning,
      fmt::format("the lower bound {}, average {} and upper bound {} of a deviation are not in ascending order; the "
                  "analysis uses {}, {} and {}",
                  text_of(written.lower), text_of(written.average), text_of(written.upper), text_of(used.lower),
                  text_of(used.average), text_of(used.upper)),
      deviation.element.location(), deviation.element.path());
}

template <typename T>
void report_disorder(const Deviation<T>& deviation, Diagnostics& diagnostics) {
  const Reading<T> written = reading_of(deviation);
  if (in_order(written) && !has_reversed_entry(deviation)) return;
  Reading<T> used = written;
  if (used.upper < used.lower) std::swap(used.lower, used.upper);
  used.average = std::clamp(used.average, used.lower, used.upper);
  report_disorder(deviation, written, used, diagnostics);
}

template bool is_open(const Deviation<std::int64_t>&);
template bool is_open(const Deviation<double>&);
template bool is_open(const Deviation<Duration>&);
template void report_open(const Deviation<std::int64_t>&, std::string_view, Diagnostics&);
template void report_open(const Deviation<double>&, std::string_view, Diagnostics&);
template void report_open(const Deviation<Duration>&, std::string_view, Diagnostics&);
template bool has_reversed_entry(const Deviation<std::int64_t>&);
template void report_disorder(const Deviation<std::int64_t>&, const Reading<std::int64_t>&,
                              const Reading<std::int64_t>&, Diagnostics&);
template void report_disorder(const Deviation<double>&, Diagnostics&);
template void report_disorder(const Deviation<Duration>&, Diagnostics&);

}  // namespace amalthea::views
