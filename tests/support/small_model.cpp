// SPDX-License-Identifier: Apache-2.0
#include "tests/support/small_model.hpp"

#include <fmt/core.h>

#include "tests/support/test_models.hpp"

namespace test {

std::string in_root(std::string_view content, std::string_view version) {
  return fmt::format(
      "<am:Amalthea xmi:version=\"2.0\" xmlns:xmi=\"http://www.omg.org/XMI\" "
      "xmlns:am=\"http://app4mc.eclipse.org/amalthea/{}\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n{}\n</am:Amalthea>",
      version, content);
}

std::string model_text(std::string_view content, std::string_view version) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + in_root(content, version) + "\n";
}

amalthea::Model model_of(std::string_view version, std::string_view content) {
  amalthea::Diagnostics diagnostics;
  return model_from_text(in_root(content, version), diagnostics);
}

std::string content_of(const std::string& text) {
  const auto begin = text.find('\n', text.find("<am:Amalthea")) + 1;
  return text.substr(begin, text.find("</am:Amalthea") - begin);
}

}  // namespace test
