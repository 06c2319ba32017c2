// SPDX-License-Identifier: Apache-2.0
// CU masks: the mapping of bits (A7) and their notations.

#include <catch2/catch.hpp>

#include "engine/amd/cu_mask.hpp"

namespace amd_cu_mask_test {

using namespace amalthea::engine::amd;
using Units = std::vector<std::int64_t>;

namespace {

const Layout radeon{4, 15};
CuMask mask(const std::string& text) { return parse_cu_mask(text, radeon).value(); }
Units engines(const std::string& text) { return units_by_engine(radeon, mask(text)); }
std::string error(const std::string& text) { return parse_cu_mask(text, radeon).error(); }

}  // namespace

TEST_CASE("bit i of a CU mask is CU i div 4 of shader engine i mod 4") {
  CHECK(radeon.unit_of_bit(0) == 0);
  CHECK(radeon.unit_of_bit(1) == 15);
  CHECK(radeon.unit_of_bit(4) == 1);
  CHECK(radeon.unit_of_bit(59) == 59);
  // "1111...0000", "1111...0001", "0000...1111" and "1010...1011" of the paper, bit 0 at the left.
  CHECK(engines("0-29") == Units{8, 8, 7, 7});
  CHECK(engines("0-29,59") == Units{8, 8, 7, 8});
  CHECK(engines("30-59") == Units{7, 7, 8, 8});
  std::string drawn = "bits:";
  for (int bit = 0; bit < 59; ++bit) drawn += bit % 2 == 0 ? '1' : '0';
  CHECK(engines(drawn + "1") == Units{15, 0, 15, 1});
  CHECK(hexadecimal(mask(drawn + "1")) == "0xd55555555555555");
}

TEST_CASE("CU masks are parsed in the notations of HIP") {
  CHECK(mask("0xffff") == mask("0-15"));
  CHECK(mask("0xffffffff,0x0fffffff") == mask("full"));
  CHECK(mask("0x0, 0x8000000") == mask("59"));
  CHECK(mask("0x800000000000000") == mask("59"));
  CHECK(mask("even") == complement(mask("odd")));
  CHECK(mask("bits:1010") == mask("0x5"));
  CHECK(hexadecimal(mask("packed:16")) == "0x111111111111113");
  CHECK(hexadecimal(mask("distributed:16")) == "0xffff");
  CHECK(engines("packed:31") == Units{15, 15, 1, 0});
  CHECK(engines("distributed:31") == Units{8, 8, 8, 7});
  for (const char* text : {"0x1", "0xfedcba987654321", "packed:45"}) CHECK(mask(hexadecimal(mask(text))) == mask(text));
}

TEST_CASE("an empty or oversized or malformed CU mask is rejected with a reason") {
  CHECK(error("0x0") == "it enables no CU");
  CHECK(error("0x1000000000000000") == "it has bits beyond 59, the last of 60 CUs");
  CHECK(error("0-60") == "it has bits beyond 59, the last of 60 CUs");
  CHECK(error("0xffffffffff,0x1") == "\"0xffffffffff\" is more than 32 bits");
  CHECK(error("0xfg") == "\"0xfg\" is not a hexadecimal number");
  CHECK(error("0x1,2") == "\"2\" is not a word such as 0xff");
  CHECK(error("packed:61") == "\"61\" is not a number of CUs from 1 to 60");
  CHECK(error("bits:012") == "after bits: expected only 0 and 1");
  for (const char* text : {"", "five", "5-3", "-1", "0,,1"})
    CHECK(error(text).find("is not a mask") != std::string::npos);
}

}  // namespace amd_cu_mask_test
