// SPDX-License-Identifier: Apache-2.0
// Custom properties as typed values.

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/views/properties.hpp"
#include "tests/support/platform_models.hpp"
#include "tests/support/test_models.hpp"

namespace property_views_test {

using namespace amalthea;
using namespace amalthea::views;

namespace {

struct CustomProperty {
  std::string key;
  PropertyValue value;
};

struct Properties {
  Diagnostics diagnostics;
  Model model;
  std::vector<CustomProperty> all;
  explicit Properties(std::string_view content, Version version = Version::v3_3_0)
      : model(test::model_from_text(
            test::root_of(version, fmt::format("<swModel><labels name=\"L\">{}</labels></swModel>", content)),
            diagnostics)) {
    for (const Element property : label().children("customProperties"))
      all.push_back(
          {std::string(property.attribute_or("key", "")), value_of(model, property.child("value"), diagnostics)});
  }
  Element label() const { return model.all("swModel", "labels").at(0); }
};

std::string property(std::string_view key, std::string_view cls, std::string_view rest) {
  return fmt::format("<customProperties key=\"{}\"><value xsi:type=\"am:{}\" {}</customProperties>", key, cls, rest);
}

template <typename T>
const T& value(const PropertyValue& property) {
  REQUIRE(std::holds_alternative<T>(property.value));
  return std::get<T>(property.value);
}

}  // namespace

TEST_CASE("every kind of custom property has its type") {
  const Properties read(
      property("s", "StringObject", "value=\"a b\"/>") + property("i", "IntegerObject", "value=\"-7\"/>") +
      property("l", "LongObject", "value=\"9000000000\"/>") +
      property("b", "BigIntegerObject", "value=\"123456789012345678901234567890\"/>") +
      property("f", "FloatObject", "value=\"0.5\"/>") + property("d", "DoubleObject", "value=\"1.0E8\"/>") +
      property("t", "BooleanObject", "value=\"true\"/>") +
      property("r", "ReferenceObject", "value=\"L?type=Label\"/>") +
      property("z", "Time", "value=\"5\" unit=\"ms\"/>"));
  CHECK(read.diagnostics.all().empty());
  REQUIRE(read.all.size() == 9);
  CHECK(value<std::string>(read.all[0].value) == "a b");
  CHECK(value<std::int32_t>(read.all[1].value) == -7);
  CHECK(value<std::int64_t>(read.all[2].value) == 9000000000);
  CHECK(value<BigInteger>(read.all[3].value).digits == "123456789012345678901234567890");
  CHECK(value<float>(read.all[4].value) == 0.5F);
  CHECK(value<double>(read.all[5].value) == 1e8);
  CHECK(value<bool>(read.all[6].value));
  CHECK(value<PropertyReference>(read.all[7].value).id == "L?type=Label");
  CHECK(value<PropertyReference>(read.all[7].value).target == read.label());
  CHECK(value<Duration>(read.all[8].value) == Duration::milliseconds(5));
  CHECK(read.all[8].key == "z");
}

TEST_CASE("lists and maps nest") {
  const Properties read(
      property("m", "MapObject",
               "><entries key=\"inner\"><value xsi:type=\"am:ListObject\"><values xsi:type=\"am:StringObject\" "
               "value=\"x\"/><values xsi:type=\"am:MapObject\"/></value></entries><entries key=\"n\"/></value>"));
  CHECK(read.diagnostics.all().empty());
  REQUIRE(read.all.size() == 1);
  const auto& map = value<PropertyMap>(read.all[0].value);
  REQUIRE(map.keys == std::vector<std::string>{"inner", "n"});
  const auto& list = value<PropertyList>(map.values[0]);
  REQUIRE(list.values.size() == 2);
  CHECK(value<std::string>(list.values[0]) == "x");
  CHECK(value<PropertyMap>(list.values[1]).keys.empty());
  CHECK(std::holds_alternative<std::monostate>(map.values[1].value));
}

TEST_CASE("old times and unwritten values and properties without values are read") {
  const Properties read(property("a", "TimeObject", "value=\"3\" unit=\"us\"/>") +
                            property("b", "SignedTimeObject", "value=\"-3\" unit=\"us\"/>") +
                            property("c", "DoubleObject", "/>") + property("d", "IntegerObject", "/>") +
                            "<customProperties key=\"e\"/>",
                        Version::v0_7_2);
  CHECK(read.diagnostics.all().empty());
  REQUIRE(read.all.size() == 5);
  CHECK(value<Duration>(read.all[0].value) == Duration::microseconds(3));
  CHECK(value<Duration>(read.all[1].value) == Duration::microseconds(-3));
  CHECK(value<double>(read.all[2].value) == 0);
  CHECK(value<std::int32_t>(read.all[3].value) == 0);
  CHECK(std::holds_alternative<std::monostate>(read.all[4].value.value));
}

TEST_CASE("a value with the wrong form for its class is an error at its location") {
  for (const auto& [cls, text, expected] :
       {std::tuple{"IntegerObject", "2147483648", "an integer of 32 bits"},
        std::tuple{"LongObject", "9223372036854775808", "an integer of 64 bits"},
        std::tuple{"BigIntegerObject", "1e3", "an integer"}, std::tuple{"DoubleObject", "much", "a number"}}) {
    const Properties read(fmt::format("\n{}", property("k", cls, fmt::format("value=\"{}\"/>", text))));
    REQUIRE(read.all.size() == 1);
    CHECK(std::holds_alternative<std::monostate>(read.all[0].value.value));
    REQUIRE(read.diagnostics.all().size() == 1);
    CHECK(format(read.diagnostics.all()[0]) ==
          fmt::format("model.amxmi:4:{}: error: \"{}\" is not {}, which the value of a {} must be [AM0214]",
                      std::string_view("<customProperties key=\"k\"><value xsi:type=\"am:\" value=\"").size() +
                          std::string_view(cls).size() + 1,
                      text, expected, cls));
  }
}

TEST_CASE("the first value of a duplicate key counts") {
  const Properties read(property("k", "StringObject", "value=\"first\"/>") +
                        property("k", "StringObject", "value=\"second\"/>"));
  CHECK(custom_property(read.label(), "k")->value == "first");
}

TEST_CASE("parameters of old algorithms are scheduling parameters") {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(
      test::root_of(
          Version::v0_8_0,
          "<osModel><operatingSystems><taskSchedulers><schedulingAlgorithm "
          "xsi:type=\"am:UserSpecificSchedulingAlgorithm\"><parameter key=\"a\" value=\"b\"/>"
          "</schedulingAlgorithm></taskSchedulers><taskSchedulers><schedulingAlgorithm xsi:type=\"am:PfairPD2\" "
          "quantSizeNs=\"100\"/></taskSchedulers></operatingSystems></osModel>"),
      diagnostics);
  CHECK(diagnostics.all().empty());
  const auto schedulers = model.all("osModel", "operatingSystems").at(0).children("taskSchedulers");
  REQUIRE(scheduling_parameters(model, schedulers.at(0)).size() == 1);
  CHECK(scheduling_parameters(model, schedulers.at(0))[0].name == "a");
  CHECK(scheduling_parameters(model, schedulers.at(0))[0].value == "b");
  REQUIRE(scheduling_parameters(model, schedulers.at(1)).size() == 1);
  CHECK(scheduling_parameters(model, schedulers.at(1))[0].name == "quantSizeNs");
}

}  // namespace property_views_test
