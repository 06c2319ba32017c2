// SPDX-License-Identifier: Apache-2.0
#include "exporter/primitives/junit.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/primitives/visible_text.hpp"
#include "exporter/primitives/svg.hpp"

namespace amalthea::exporter {
namespace {

std::string xml_text(std::string_view text) { return svg::escaped(visible_text(text)); }

/// One line: attributes have no line ends.
std::string xml_attribute(std::string_view text) { return xml_text(one_line(text)); }

std::string case_text(std::string_view suite, const JunitCase& one) {
  std::string text =
      fmt::format(R"(    <testcase name="{}" classname="{}" time="0")", xml_attribute(one.name), xml_attribute(suite));
  if (!one.place.file.empty()) text += fmt::format(R"( file="{}")", xml_attribute(one.place.file));
  if (one.place.line != 0) text += fmt::format(R"( line="{}")", one.place.line);
  if (one.outcome == JunitCase::Outcome::passed) {
    if (one.text.empty()) return text + "/>\n";
    return text + fmt::format(">\n      <system-out>{}</system-out>\n    </testcase>\n", xml_text(one.text));
  }
  std::string details = one.text;
  if (one.place.line != 0) details += fmt::format(" ({}:{}:{})", one.place.file, one.place.line, one.place.column);
  const char* element = one.outcome == JunitCase::Outcome::failed ? "failure" : "error";
  return text + fmt::format(">\n      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n    </testcase>\n", element,
                            xml_attribute(one.type), xml_attribute(one.text), xml_text(details));
}

}  // namespace

std::string junit_begin() {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"amalthea\" time=\"0\">\n";
}

std::string junit_suite(std::string_view name, const std::vector<JunitCase>& cases) {
  const auto number = [&](JunitCase::Outcome outcome) {
    return std::count_if(cases.begin(), cases.end(), [&](const JunitCase& one) { return one.outcome == outcome; });
  };
  std::string text = fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"0\">\n",
                                 xml_attribute(name), cases.size(), number(JunitCase::Outcome::failed),
                                 number(JunitCase::Outcome::error));
  for (const JunitCase& one : cases) text += case_text(name, one);
  return text + "  </testsuite>\n";
}

std::string junit_end() { return "</testsuites>\n"; }

}  // namespace amalthea::exporter
