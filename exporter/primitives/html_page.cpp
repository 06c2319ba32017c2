// SPDX-License-Identifier: Apache-2.0
#include "exporter/primitives/html_page.hpp"

#include <array>

#include <fmt/core.h>
#include <openssl/evp.h>

#include "exporter/primitives/svg.hpp"

namespace amalthea::exporter {
namespace {

// Longer than the guaranteed minimum of the standard; GCC and Clang support it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"
#include "html_page.inc"
#pragma GCC diagnostic pop

}  // namespace

const std::string_view page_style = shared_sheet;

std::string policy_hash(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), bytes.data(), &size, EVP_sha256(), nullptr);
  std::array<unsigned char, 4 * ((EVP_MAX_MD_SIZE + 2) / 3) + 1> base64{};
  const int length = EVP_EncodeBlock(base64.data(), bytes.data(), static_cast<int>(size));
  return fmt::format("'sha256-{}'", std::string(base64.begin(), base64.begin() + length));
}

std::string page_begin(std::string_view title, bool filters) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; {}style-src {}; base-uri 'none'; "
      "form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n"
      "<main>\n<h1>{}</h1>\n",
      filters ? fmt::format("script-src {}; ", policy_hash(shared_filter)) : "", policy_hash(shared_sheet),
      svg::escaped(title), shared_sheet, svg::escaped(title));
}

std::string page_end(bool filters) {
  return fmt::format("</main>\n{}</body>\n</html>\n",
                     filters ? fmt::format("<script>{}</script>\n", shared_filter) : "");
}

}  // namespace amalthea::exporter
