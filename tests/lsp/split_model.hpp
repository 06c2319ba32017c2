// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A model in two files, of which the first refers to the second.

#include <string>

#include "tests/support/test_models.hpp"

namespace test {

struct Split {
  std::string main, stimuli;
};

/// The model of the tutorial in two files; the first refers to the second.
inline Split split_model() {
  const std::string whole = test::read_text(test::sample("tutorial/1-one-task.amxmi"));
  const std::size_t begin = whole.find("  <stimuliModel>"), end = whole.find("</stimuliModel>\n") + 16;
  const std::string root = whole.substr(0, whole.find("  <swModel>"));
  std::string main = whole.substr(0, begin) + whole.substr(end);
  main = test::replaced(main, " stimuli=\"every_10ms?type=PeriodicStimulus\">",
                        ">\n<stimuli xsi:type=\"am:PeriodicStimulus\" "
                        "href=\"amlt:/#every_10ms?type=PeriodicStimulus\"/>");
  return {main, root + whole.substr(begin, end - begin) + "</am:Amalthea>\n"};
}

}  // namespace test
