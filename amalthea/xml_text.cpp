#include "amalthea/xml_text.hpp"

#include <array>

namespace amalthea {
namespace {

constexpr std::array<bool, 256> make_special() {
  std::array<bool, 256> special{};
  for (std::size_t c = 0; c < 0x20; ++c) special[c] = true;
  for (const char c : {'&', '<', '"'}) special[static_cast<unsigned char>(c)] = true;
  return special;
}
constexpr std::array<bool, 256> is_special = make_special();

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
  std::size_t plain = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_special[static_cast<unsigned char>(text[at])]) continue;
    out.append(text, plain, at - plain);
    plain = at + 1;
    switch (text[at]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#xA;";
        break;
      case '\r':
        out += "&#xD;";
        break;
      case '\t':
        out += "&#x9;";
        break;
      default:
        out += "\xEF\xBF\xBD";
    }
  }
  out.append(text, plain);
}

void append_attribute(std::string& out, std::string_view name, std::string_view value) {
  out.append(" ").append(name).append("=\"");
  append_escaped(out, value);
  out += '"';
}

void append_indent(std::string& out, std::size_t depth) { out.append(2 * depth, ' '); }

void append_comments(std::string& out, const std::vector<std::string_view>& comments, std::size_t depth) {
  for (const std::string_view comment : comments) {
    append_indent(out, depth);
    out.append("<!--").append(comment).append("-->\n");
  }
}

}  // namespace amalthea
