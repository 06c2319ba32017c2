// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "amalthea/quantity.hpp"
#include "amalthea/rounded_duration.hpp"

namespace quantity_test {

using namespace amalthea;

namespace {

/// Picoseconds of a text, or the error.
std::string time_text(std::string_view text) {
  const auto time = parse_time_text(text);
  return time ? std::to_string(time->picoseconds()) : time.error();
}

}  // namespace

TEST_CASE("a time is parsed in every unit") {
  const std::vector<std::pair<std::string, std::int64_t>> units{
      {"ps", 1}, {"ns", 1'000}, {"us", 1'000'000}, {"ms", 1'000'000'000}, {"s", 1'000'000'000'000}};
  for (const auto& [unit, picoseconds] : units) {
    INFO(unit);
    CHECK(parse_time("3", unit).value().picoseconds() == 3 * picoseconds);
    CHECK(parse_time("-3", unit).value().picoseconds() == -3 * picoseconds);
  }
}

TEST_CASE("a time as text is parsed with either micro sign with and without a blank") {
  CHECK(time_text("7200us") == "7200000000");
  CHECK(time_text("7200\xC2\xB5s") == "7200000000");  // U+00B5 MICRO SIGN
  CHECK(time_text("7200\xCE\xBCs") == "7200000000");  // U+03BC GREEK SMALL LETTER MU
  CHECK(time_text("1000 \xC2\xB5s") == "1000000000");
  CHECK(time_text("1000 \xCE\xBCs") == "1000000000");
  CHECK(time_text(" 50000 us ") == "50000000000");
  CHECK(time_text("5ms") == "5000000000");
  CHECK(time_text("2 s") == "2000000000000");
  CHECK(time_text("0ps") == "0");
}

TEST_CASE("a text that is not a time is rejected with the expected form") {
  CHECK(time_text("") == "\"\" is not a whole number with a unit of time, such as \"7200 us\"");
  CHECK(time_text("soon") == "\"soon\" is not a whole number with a unit of time, such as \"7200 us\"");
  CHECK(time_text("7200") == "\"7200\" is not a whole number with a unit of time, such as \"7200 us\"");
  CHECK(time_text("-5ms") == "\"-5ms\" is not a whole number with a unit of time, such as \"7200 us\"");
  CHECK(time_text("5 weeks") == "\"weeks\" is not a unit of time (ps, ns, us, ms, s)");
  CHECK(time_text("5MS") == "\"MS\" is not a unit of time (ps, ns, us, ms, s); did you mean \"ms\"?");
  CHECK(time_text("1.5ms") == "\"1.5ms\" is not a whole number with a unit of time, such as \"7200 us\"");
  CHECK(time_text("99999999999999999999s") == "\"99999999999999999999\" is too large");
  CHECK(time_text("9223373s") == "\"9223373\" is too large");
}

TEST_CASE("a time without a unit is rejected") {
  CHECK(parse_time("5", "").error() == "the unit of time (ps, ns, us, ms, s) is missing");
  CHECK(parse_time("5", "_undefined_").error() == "\"_undefined_\" is not a unit of time (ps, ns, us, ms, s)");
  CHECK(parse_time("5x", "ms").error() == "\"5x\" is not an integer");
  CHECK(parse_time("", "ms").error() == "\"\" is not an integer");
  CHECK(parse_time("1.0", "ms").error() == "\"1.0\" is not an integer");
}

TEST_CASE("integers are parsed up to the limits of their range") {
  CHECK(parse_integer("9223372036854775807").value() == std::numeric_limits<std::int64_t>::max());
  CHECK(parse_integer("-9223372036854775808").value() == std::numeric_limits<std::int64_t>::min());
  CHECK(parse_integer(" 12\n").value() == 12);
  CHECK(parse_integer("9223372036854775808").error() == "\"9223372036854775808\" is too large");
  CHECK(parse_integer("12x").error() == "\"12x\" is not an integer");
  CHECK(parse_integer("1 2").error() == "\"1 2\" is not an integer");
  CHECK(parse_integer("0x10").error() == "\"0x10\" is not an integer");
  CHECK(parse_integer(" ").error() == "\" \" is not an integer");
}

TEST_CASE("doubles are parsed in the format of Java") {
  CHECK(parse_double("1.0E8").value() == 1e8);
  CHECK(parse_double("2.034807E7").value() == 20348070.0);
  CHECK(parse_double("-0.5").value() == -0.5);
  CHECK(parse_double("7").value() == 7.0);
  for (const char* text : {"", "fast", "1.0x", "NaN", "Infinity", "inf", "1e999"}) {
    INFO(text);
    CHECK_FALSE(parse_double(text));
  }
  CHECK(parse_double("fast").error() == "\"fast\" is not a number");
}

TEST_CASE("a frequency is parsed in every unit including decimals") {
  CHECK(parse_frequency("1", "Hz").value().millihertz() == 1'000);
  CHECK(parse_frequency("1", "kHz").value().millihertz() == 1'000'000);
  CHECK(parse_frequency("66.67", "MHz").value().millihertz() == 66'670'000'000);
  CHECK(parse_frequency("2.0", "GHz").value().millihertz() == 2'000'000'000'000);
  CHECK(parse_frequency("1.3", "GHz").value().millihertz() == 1'300'000'000'000);
  CHECK(parse_frequency("0.001", "Hz").value().millihertz() == 1);
}

TEST_CASE("a frequency that is not above zero or unknown is rejected") {
  CHECK(parse_frequency("0", "GHz").error() == "\"0 GHz\" is not a frequency above zero");
  CHECK(parse_frequency("-1", "GHz").error() == "\"-1 GHz\" is not a frequency above zero");
  CHECK(parse_frequency("1e30", "GHz").error() == "\"1e30 GHz\" is too large for a frequency (at most 9000000 GHz)");
  CHECK(parse_frequency("1", "ghz").error() ==
        "\"ghz\" is not a unit of frequency (Hz, kHz, MHz, GHz); did you mean \"GHz\"?");
  CHECK(parse_frequency("1", "").error() == "the unit of frequency (Hz, kHz, MHz, GHz) is missing");
  CHECK(parse_frequency("fast", "GHz").error() == "\"fast\" is not a number");
}

TEST_CASE("data sizes and data rates are parsed in every unit of every version") {
  // Bytes per thousand of the unit, so that bits come out whole.
  const std::vector<std::pair<std::string, std::int64_t>> units{
      {"bit", 125},
      {"kbit", 125'000},
      {"Mbit", 125'000'000},
      {"Gbit", 125'000'000'000},
      {"Tbit", 125'000'000'000'000},
      {"Kibit", 128'000},
      {"kibit", 128'000},
      {"Mibit", 131'072'000},
      {"Gibit", 134'217'728'000},
      {"Tibit", 137'438'953'472'000},
      {"B", 1'000},
      {"byte", 1'000},
      {"kB", 1'000'000},
      {"MB", 1'000'000'000},
      {"GB", 1'000'000'000'000},
      {"TB", 1'000'000'000'000'000},
      {"KiB", 1'024'000},
      {"MiB", 1'048'576'000},
      {"GiB", 1'073'741'824'000},
      {"TiB", 1'099'511'627'776'000},
  };
  for (const auto& [unit, bytes] : units) {
    INFO(unit);
    CHECK(parse_data_size("1000", unit).value().bytes == bytes);
    CHECK(parse_data_rate("1000", std::string(unit).append("PerSecond")).value().bytes_per_second == bytes);
  }
  CHECK(parse_data_rate("20", "GBPerSecond").value().bytes_per_second == 20'000'000'000);
}

TEST_CASE("a size in bits rounds up to whole bytes and a rate down") {
  CHECK(parse_data_size("0", "bit").value().bytes == 0);
  CHECK(parse_data_size("1", "bit").value().bytes == 1);
  CHECK(parse_data_size("8", "bit").value().bytes == 1);
  CHECK(parse_data_size("9", "bit").value().bytes == 2);
  CHECK(parse_data_rate("15", "bitPerSecond").value().bytes_per_second == 1);
}

TEST_CASE("an invalid data size or rate is rejected") {
  CHECK(parse_data_size("5", "").error() == "the unit of data size (B, kB, KiB, MB, …) is missing");
  CHECK(parse_data_size("5", "mb").error() ==
        "\"mb\" is not a unit of data size (B, kB, KiB, MB, …); did you mean \"MB\"?");
  CHECK(parse_data_size("-5", "MB").error() == "\"-5\" is negative");
  CHECK(parse_data_size("9223372036854775807", "B").error() == "\"9223372036854775807\" is too large");
  CHECK(parse_data_size("lots", "MB").error() == "\"lots\" is not an integer");
  CHECK(parse_data_rate("5", "MB").error() == "\"MB\" is not a unit of data rate (BPerSecond, MBPerSecond, …)");
  CHECK(parse_data_rate("5", "PerSecond").error() ==
        "\"PerSecond\" is not a unit of data rate (BPerSecond, MBPerSecond, …); did you mean \"BPerSecond\"?");
}

TEST_CASE("a duration is formatted in the largest unit with a value of at least one") {
  CHECK(format_duration(Duration{}) == "0 ps");
  CHECK(format_duration(Duration::picoseconds(999)) == "999 ps");
  CHECK(format_duration(Duration::picoseconds(1000)) == "1 ns");
  CHECK(format_duration(Duration::microseconds(1300)) == "1.3 ms");
  CHECK(format_duration(Duration::milliseconds(13'200)) == "13.2 s");
  CHECK(format_duration(Duration::microseconds(7200)) == "7.2 ms");
  CHECK(format_duration(Duration::picoseconds(-1500)) == "-1.5 ns");
}

TEST_CASE("a duration is formatted with at most six significant decimals rounded to nearest") {
  CHECK(format_duration(Duration::picoseconds(1'000'000'000'001)) == "1 s");
  CHECK(format_duration(Duration::picoseconds(1'000'000'500'000)) == "1.000001 s");
  CHECK(format_duration(Duration::picoseconds(1'000'000'499'999)) == "1 s");
  CHECK(format_duration(Duration::picoseconds(1'999'999'999'999)) == "2 s");
  CHECK(format_duration(Duration::max()) == "9223372.036855 s");
  CHECK(format_duration(Duration::picoseconds(std::numeric_limits<std::int64_t>::min())) == "-9223372.036855 s");
}

TEST_CASE("a duration that is a bound is never shown below it, and what it leaves never above") {
  const auto up = [](std::int64_t ps) { return format_duration(Duration::picoseconds(ps), Rounding::up); };
  const auto down = [](std::int64_t ps) { return format_duration(Duration::picoseconds(ps), Rounding::down); };
  CHECK(up(1'000'000'000'001) == "1.000001 s");
  CHECK(down(1'000'001'999'999) == "1.000001 s");
  CHECK(up(1'999'999'999'999) == "2 s");
  CHECK(down(1'999'999'999'999) == "1.999999 s");
  CHECK(up(-1'999'999'999'999) == "-1.999999 s");
  CHECK(down(-1'000'000'000'001) == "-1.000001 s");
  for (const std::int64_t exact : {std::int64_t{0}, std::int64_t{999}, std::int64_t{1'300'000'000}}) {
    CHECK(up(exact) == format_duration(Duration::picoseconds(exact)));
    CHECK(down(exact) == format_duration(Duration::picoseconds(exact)));
  }
  CHECK(up(std::numeric_limits<std::int64_t>::max()) == "9223372.036855 s");
  CHECK(down(std::numeric_limits<std::int64_t>::max()) == "9223372.036854 s");
  CHECK(down(std::numeric_limits<std::int64_t>::min()) == "-9223372.036855 s");
}

}  // namespace quantity_test
