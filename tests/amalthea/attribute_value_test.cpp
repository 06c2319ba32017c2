// SPDX-License-Identifier: Apache-2.0
#include "amalthea/attribute_value.hpp"

#include <limits>
#include <optional>
#include <string>

#include <catch2/catch.hpp>

namespace attribute_value_test {

using namespace amalthea;

namespace {

const Feature& feature(std::string_view cls, std::string_view name, Version version) {
  const Feature* found = metamodel::find_feature(*metamodel::find_class(cls), name, version);
  REQUIRE(found != nullptr);
  return *found;
}

}  // namespace

TEST_CASE("reals are written in the format of Java") {
  CHECK(java_real(0, false) == "0.0");
  CHECK(java_real(-0.0, false) == "-0.0");
  CHECK(java_real(1, false) == "1.0");
  CHECK(java_real(-1.5, false) == "-1.5");
  CHECK(java_real(0.001, false) == "0.001");
  CHECK(java_real(0.00099, false) == "9.9E-4");
  CHECK(java_real(1234567.25, false) == "1234567.25");
  CHECK(java_real(9999999, false) == "9999999.0");
  CHECK(java_real(1e7, false) == "1.0E7");
  CHECK(java_real(20348070, false) == "2.034807E7");
  CHECK(java_real(5e-324, false) == "5.0E-324");
  CHECK(java_real(0.1F, true) == "0.1");
  CHECK(java_real(0.1F, false) == "0.10000000149011612");
  CHECK(java_real(std::numeric_limits<double>::infinity(), false) == "Infinity");
  CHECK(java_real(-std::numeric_limits<double>::infinity(), false) == "-Infinity");
}

TEST_CASE("reals are parsed in the format of Java") {
  CHECK(parse_java_real(" 1.5 ") == 1.5);
  CHECK(parse_java_real("+.5") == 0.5);
  CHECK(parse_java_real("5.") == 5.0);
  CHECK(parse_java_real("1e3f") == 1000.0);
  CHECK(parse_java_real("1e+3") == 1000.0);
  CHECK(parse_java_real("-Infinity") == -std::numeric_limits<double>::infinity());
  CHECK(parse_java_real("1e999") == std::numeric_limits<double>::infinity());
  CHECK(parse_java_real("1e-999") == 0.0);
  for (const char* text : {"", " ", "inf", "nan", "1,5", "--1", "1e", "0x", "f", ".", "1 2"}) {
    INFO('"' << text << '"');
    CHECK(parse_java_real(text) == std::nullopt);
  }
}

TEST_CASE("values are written in EMF's form and values that EMF rejects are reported") {
  const Version version = Version::v1_0_0;
  using Written = std::optional<std::string>;
  const Feature& limit = feature("Task", "multipleTaskActivationLimit", version);
  CHECK(written_value(limit, version, "+007") == Written("7"));
  CHECK(written_value(limit, version, "-0") == Written("0"));
  for (const char* text : {"", " 5", "5.0", "99999999999", "x"})
    CHECK(written_value(limit, version, text) == std::nullopt);
  const Feature& big = feature("BigIntegerObject", "value", version);
  CHECK(written_value(big, version, "-00123456789012345678901234567890") == Written("-123456789012345678901234567890"));
  const Feature& flag = feature("BooleanObject", "value", version);
  CHECK(written_value(flag, version, "TRUE") == Written("true"));
  CHECK(written_value(flag, version, "1") == std::nullopt);
  const Feature& preemption = feature("Task", "preemption", version);
  CHECK(written_value(preemption, version, "cooperative") == Written("cooperative"));
  CHECK(written_value(preemption, version, "Cooperative") == std::nullopt);
}

TEST_CASE("addresses are read in decimal and hexadecimal and octal and written in hexadecimal") {
  const Version version = Version::v1_0_0;
  const Feature& address = feature("MemoryMapping", "memoryPositionAddress", version);
  using Written = std::optional<std::string>;
  CHECK(written_value(address, version, "255") == Written("0xff"));
  CHECK(written_value(address, version, "0XAB") == Written("0xab"));
  CHECK(written_value(address, version, "#ab") == Written("0xab"));
  CHECK(written_value(address, version, "010") == Written("0x8"));
  CHECK(written_value(address, version, "0") == Written("0x0"));
  for (const char* text : {"", "-1", "+1", "0x", "08", "0x-1", "0xffffffffffffffff"})
    CHECK(written_value(address, version, text) == std::nullopt);
}

TEST_CASE("an unwritten attribute has the default of the metamodel or of its type") {
  using Value = std::optional<std::string>;
  const auto of = [](std::string_view cls, std::string_view name, Version version) {
    return default_value(feature(cls, name, version), version);
  };
  CHECK(of("Task", "multipleTaskActivationLimit", Version::v1_0_0) == Value("0"));
  CHECK(of("Task", "preemption", Version::v1_0_0) == Value("_undefined_"));
  CHECK(of("Task", "name", Version::v1_0_0) == Value(""));
  CHECK(of("CustomProperty", "key", Version::v1_0_0) == std::nullopt);
  CHECK(of("Time", "value", Version::v1_0_0) == Value("0"));
  CHECK(of("MemoryMapping", "memoryPositionAddress", Version::v1_0_0) == Value("0x0"));
}

}  // namespace attribute_value_test
