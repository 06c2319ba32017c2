// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/views/deviations.hpp"
#include "amalthea/views/quantities.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/test_models.hpp"
#include "tests/support/view_text.hpp"

namespace views_deviation_view_test {

using namespace amalthea;

namespace {

Element find_tag(Element element, std::string_view tag) {
  for (const Element child : element.children()) {
    if (child.tag() == tag) return child;
    if (const Element below = find_tag(child, tag)) return below;
  }
  return {};
}

template <typename T>
views::Deviation<T> read(const Model& model, std::string_view tag) {
  Diagnostics diagnostics;
  const auto deviation = views::deviation_of<T>(find_tag(model.documents().front()->root(), tag), diagnostics);
  for (const auto& finding : diagnostics.all()) UNSCOPED_INFO(format(finding));
  CHECK(diagnostics.all().empty());
  REQUIRE(deviation.has_value());
  return *deviation;
}

std::string discrete(std::string_view kind, std::string_view attributes, std::string_view content = "") {
  const Model model = test::model_of(
      "3.3.0", fmt::format("<swModel><runnables name=\"r\"><activityGraph><items xsi:type=\"am:Ticks\">"
                           "<default xsi:type=\"am:DiscreteValue{}\" {}>{}</default></items></activityGraph>"
                           "</runnables></swModel>",
                           kind, attributes, content));
  return test::text_of(read<std::int64_t>(model, "default"));
}

std::string continuous(std::string_view kind, std::string_view attributes, std::string_view content = "") {
  const Model model = test::model_of(
      "3.3.0", fmt::format("<stimuliModel><stimuli xsi:type=\"am:VariableRateStimulus\" name=\"s\">"
                           "<occurrencesPerStep xsi:type=\"am:ContinuousValue{}\" {}>{}</occurrencesPerStep>"
                           "</stimuli></stimuliModel>",
                           kind, attributes, content));
  return test::text_of(read<double>(model, "occurrencesPerStep"));
}

std::string times(std::string_view kind, std::string_view attributes, std::string_view content) {
  const Model model =
      test::model_of("3.3.0", fmt::format("<stimuliModel><stimuli xsi:type=\"am:PeriodicStimulus\" name=\"s\">"
                                          "<jitter xsi:type=\"am:Time{}\" {}>{}</jitter>"
                                          "</stimuli></stimuliModel>",
                                          kind, attributes, content));
  return test::text_of(read<Duration>(model, "jitter"));
}

std::string time(std::string_view tag, int milliseconds) {
  return fmt::format("<{} value=\"{}\" unit=\"ms\"/>", tag, milliseconds);
}

/// A Deviation of instructions as it was before 0.9.3.
std::string before(std::string_view version, std::string_view attributes, std::string_view content) {
  const Model model = test::model_of(
      version, fmt::format("<swModel><runnables name=\"r\"><runnableItems xsi:type=\"am:RunnableInstructions\">"
                           "<default xsi:type=\"am:InstructionsDeviation\"><deviation {}>{}</deviation></default>"
                           "</runnableItems></runnables></swModel>",
                           attributes, content));
  return test::text_of(read<std::int64_t>(model, "default"));
}

const std::string bounds_before =
    "<lowerBound xsi:type=\"am:LongObject\" value=\"10\"/><upperBound xsi:type=\"am:LongObject\" value=\"50\"/>";

}  // namespace

TEST_CASE("integers: every kind of deviation since 0.9.3 is read") {
  CHECK(discrete("Constant", "value=\"7\"") == "7..7..7 constant");
  CHECK(discrete("Histogram", "",
                 "<entries lowerBound=\"10\" upperBound=\"20\" occurrences=\"3\"/>"
                 "<entries lowerBound=\"20\" upperBound=\"40\"/>") == "10..19..40 histogram");
  CHECK(discrete("Boundaries", "lowerBound=\"10\" upperBound=\"50\"") == "10..30..50 boundaries");
  CHECK(discrete("Statistics", "lowerBound=\"10\" upperBound=\"50\" average=\"20.4\"") == "10..20..50 statistics");
  CHECK(discrete("UniformDistribution", "lowerBound=\"10\" upperBound=\"51\"") == "10..30..51 uniform");
  CHECK(discrete("GaussDistribution", "mean=\"100.0\" sd=\"10.0\"") == "0..100..130 gauss");
  CHECK(discrete("GaussDistribution", "mean=\"100.0\" sd=\"10.0\" lowerBound=\"80\"") == "80..100..130 gauss");
  CHECK(discrete("WeibullEstimatorsDistribution", "lowerBound=\"10\" upperBound=\"50\" average=\"12.6\"") ==
        "10..13..50 weibull");
  CHECK(discrete("BetaDistribution", "lowerBound=\"10\" upperBound=\"50\" alpha=\"2.0\"") == "10..30..50 beta");
}

TEST_CASE("reals: every kind of deviation since 0.9.3 is read") {
  CHECK(continuous("Constant", "value=\"0.5\"") == "0.5..0.5..0.5 constant");
  CHECK(continuous("Histogram", "", "<entries lowerBound=\"0.5\" upperBound=\"1.5\" occurrences=\"2\"/>") ==
        "0.5..1..1.5 histogram");
  CHECK(continuous("Boundaries", "lowerBound=\"0.5\" upperBound=\"1.5\"") == "0.5..1..1.5 boundaries");
  CHECK(continuous("Statistics", "lowerBound=\"0.5\" upperBound=\"1.5\" average=\"0.75\"") ==
        "0.5..0.75..1.5 statistics");
  CHECK(continuous("UniformDistribution", "lowerBound=\"0.5\" upperBound=\"1.5\"") == "0.5..1..1.5 uniform");
  CHECK(continuous("GaussDistribution", "mean=\"4.0\" sd=\"1.0\" upperBound=\"5.5\"") == "0..4..5.5 gauss");
  CHECK(continuous("WeibullEstimatorsDistribution", "lowerBound=\"0.5\" upperBound=\"1.5\" average=\"0.75\"") ==
        "0.5..0.75..1.5 weibull");
  CHECK(continuous("BetaDistribution", "lowerBound=\"0.5\" upperBound=\"1.5\"") == "0.5..1..1.5 beta");
}

TEST_CASE("times: every kind of deviation since 0.9.3 is read") {
  const std::string bounds = time("lowerBound", 1) + time("upperBound", 4);
  CHECK(times("Constant", "", time("value", 3)) == "3 ms..3 ms..3 ms constant");
  CHECK(times("Histogram", "", "<entries occurrences=\"2\">" + bounds + "</entries>") ==
        "1 ms..2.5 ms..4 ms histogram");
  CHECK(times("Boundaries", "samplingType=\"WorstCase\"", bounds) == "1 ms..2.5 ms..4 ms boundaries");
  CHECK(times("Statistics", "", bounds + time("average", 2)) == "1 ms..2 ms..4 ms statistics");
  CHECK(times("UniformDistribution", "", bounds) == "1 ms..2.5 ms..4 ms uniform");
  CHECK(times("GaussDistribution", "", time("mean", 10) + time("sd", 2)) == "0 ps..10 ms..16 ms gauss");
  CHECK(times("WeibullEstimatorsDistribution", "", bounds + time("average", 2)) == "1 ms..2 ms..4 ms weibull");
  CHECK(times("BetaDistribution", "", bounds) == "1 ms..2.5 ms..4 ms beta");
}

TEST_CASE("every distribution of a deviation before 0.9.3 is read") {
  const auto with = [](std::string_view distribution) {
    return before("0.8.1", "", bounds_before + std::string(distribution));
  };
  CHECK(with("") == "10..30..50 none");
  CHECK(with("<distribution xsi:type=\"am:Boundaries\" samplingType=\"BestCase\"/>") == "10..30..50 boundaries");
  CHECK(with("<distribution xsi:type=\"am:UniformDistribution\"/>") == "10..30..50 uniform");
  CHECK(with("<distribution xsi:type=\"am:GaussDistribution\"><sd xsi:type=\"am:LongObject\" value=\"5\"/>"
             "<mean xsi:type=\"am:DoubleObject\" value=\"20.4\"/></distribution>") == "10..20..50 gauss");
  CHECK(with("<distribution xsi:type=\"am:WeibullEstimators\" pRemainPromille=\"0.5\">"
             "<mean xsi:type=\"am:LongObject\" value=\"12\"/></distribution>") == "10..12..50 weibull");
  CHECK(with("<distribution xsi:type=\"am:WeibullParameters\" kappa=\"1.5\" lambda=\"2.5\"/>") ==
        "10..30..50 weibull2");
  CHECK(with("<distribution xsi:type=\"am:BetaDistribution\" alpha=\"1.5\" beta=\"2.5\"/>") == "10..30..50 beta");
}

TEST_CASE("constants and deviations of instructions and needs are read as deviations") {
  const Model constant = test::model_of(
      "0.7.2",
      "<swModel><runnables name=\"r\"><runnableItems xsi:type=\"am:RunnableInstructions\">"
      "<default xsi:type=\"am:InstructionsConstant\" value=\"42\"/></runnableItems></runnables></swModel>");
  CHECK(test::text_of(read<std::int64_t>(constant, "default")) == "42..42..42 constant");
  const Model need = test::model_of(
      "0.9.1",
      "<swModel><runnables name=\"r\"><runnableItems xsi:type=\"am:ExecutionNeed\"><default key=\"Instructions\">"
      "<value xsi:type=\"am:NeedDeviation\"><deviation>" +
          bounds_before + "</deviation></value></default></runnableItems></runnables></swModel>");
  CHECK(test::text_of(read<std::int64_t>(need, "value")) == "10..30..50 none");
}

TEST_CASE("distribution parameters are kept as stated with the defaults of their version") {
  const Model model = test::model_of(
      "3.3.0",
      "<swModel><runnables name=\"r\"><activityGraph><items xsi:type=\"am:Ticks\"><default "
      "xsi:type=\"am:DiscreteValueBetaDistribution\" lowerBound=\"1\" upperBound=\"9\" alpha=\"2.5\"/></items>"
      "</activityGraph></runnables></swModel>");
  const auto beta = read<std::int64_t>(model, "default");
  CHECK(std::get<views::BetaDistribution>(beta.distribution) == views::BetaDistribution{2.5, 1});
  CHECK(beta.lower == 1);
  const Model old =
      test::model_of("0.8.0",
                     "<swModel><runnables name=\"r\"><runnableItems xsi:type=\"am:RunnableInstructions\"><default "
                     "xsi:type=\"am:InstructionsDeviation\"><deviation><distribution xsi:type=\"am:BetaDistribution\" "
                     "alpha=\"2.5\"/></deviation></default></runnableItems></runnables></swModel>");
  CHECK(std::get<views::BetaDistribution>(read<std::int64_t>(old, "default").distribution) ==
        views::BetaDistribution{2.5, 0});
  // In 0.7.1 the sampling of boundaries stood with the deviation.
  const Model sampled = test::model_of(
      "0.7.1",
      "<swModel><runnables name=\"r\"><runnableItems xsi:type=\"am:InstructionsDeviation\"><deviation "
      "samplingType=\"CornerCase\"><distribution xsi:type=\"am:Boundaries\"/></deviation></runnableItems></runnables>"
      "</swModel>");
  CHECK(std::get<views::Boundaries>(read<std::int64_t>(sampled, "runnableItems").distribution).sampling ==
        views::Sampling::corner_case);
}

TEST_CASE("equal statements of different versions are equal") {
  const Model old = test::model_of(
      "0.8.3",
      "<stimuliModel><stimuli xsi:type=\"am:PeriodicStimulus\" name=\"s\"><jitter><lowerBound "
      "xsi:type=\"am:TimeObject\" value=\"1\" unit=\"ms\"/><upperBound xsi:type=\"am:TimeObject\" value=\"4\" "
      "unit=\"ms\"/><distribution xsi:type=\"am:UniformDistribution\"/></jitter></stimuli></stimuliModel>");
  const Model newer =
      test::model_of("0.9.3",
                     "<stimuliModel><stimuli xsi:type=\"am:PeriodicStimulus\" name=\"s\"><jitter "
                     "xsi:type=\"am:TimeUniformDistribution\"><lowerBound value=\"1\" unit=\"ms\"/><upperBound "
                     "value=\"4000\" unit=\"us\"/></jitter></stimuli></stimuliModel>");
  CHECK(read<Duration>(old, "jitter") == read<Duration>(newer, "jitter"));
}

TEST_CASE("an unreadable part is reported with its location and treated as unstated") {
  const Model model =
      test::model_of("3.3.0",
                     "<swModel><runnables name=\"r\"><activityGraph><items xsi:type=\"am:Ticks\"><default "
                     "xsi:type=\"am:DiscreteValueUniformDistribution\" lowerBound=\"many\" upperBound=\"9\"/></items>"
                     "</activityGraph></runnables></swModel>");
  Diagnostics diagnostics;
  const auto deviation =
      views::deviation_of<std::int64_t>(find_tag(model.documents().front()->root(), "default"), diagnostics);
  REQUIRE(deviation.has_value());
  CHECK_FALSE(deviation->lower.has_value());
  CHECK(deviation->upper == 9);
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all().front().id == "AM0210");
  CHECK(diagnostics.all().front().location.column > 1);
  CHECK_FALSE(views::deviation_of<std::int64_t>(Element{}, diagnostics).has_value());
}

TEST_CASE("an average is no lower bound: without one values may be zero") {
  CHECK(discrete("Boundaries", "upperBound=\"50\"") == "0..25..50 boundaries");
  CHECK(discrete("Statistics", "upperBound=\"50\" average=\"20.0\"") == "0..20..50 statistics");
  CHECK(discrete("UniformDistribution", "upperBound=\"50\"") == "0..25..50 uniform");
  CHECK(discrete("GaussDistribution", "mean=\"40.0\" sd=\"1.0\" upperBound=\"50\"") == "0..40..50 gauss");
  CHECK(discrete("WeibullEstimatorsDistribution", "upperBound=\"50\" average=\"20.0\"") == "0..20..50 weibull");
  CHECK(discrete("BetaDistribution", "upperBound=\"50\"") == "0..25..50 beta");
  CHECK(discrete("GaussDistribution", "mean=\"4.0\" sd=\"2.0\" upperBound=\"50\"") == "-2..4..50 gauss");
}

TEST_CASE("deviation values stay within range for all inputs") {
  views::Deviation<std::int64_t> wide;
  wide.distribution = views::GaussDistribution<std::int64_t>{8e18, 8e18};
  const auto reading = views::reading_of(wide);
  CHECK(reading.upper == std::numeric_limits<std::int64_t>::max());
  CHECK(reading.lower == std::numeric_limits<std::int64_t>::min());
  views::Deviation<Duration> times;
  times.lower = Duration::picoseconds(std::numeric_limits<std::int64_t>::min());
  times.upper = Duration::max();
  CHECK(views::reading_of(times).average == Duration::picoseconds(-1));
}

TEST_CASE("the size in 0.7.0 is a number of bits") {
  const Model model =
      test::model_of("0.7.0", "<swModel><labels name=\"l\"><size numberBits=\"12\"/></labels></swModel>");
  Diagnostics diagnostics;
  CHECK(data_size_of(find_tag(model.documents().front()->root(), "size"), diagnostics) == DataSize{2});
  CHECK(diagnostics.all().empty());
}

}  // namespace views_deviation_view_test
