// SPDX-License-Identifier: Apache-2.0
// Assembles a page: its own HTML, CSS and JavaScript (exporter/report/), D3, the data and pictures.

#include "exporter/report/detail/page.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/core.h>

#include "amalthea/primitives/visible_text.hpp"
#include "exporter/primitives/html_page.hpp"
#include "exporter/primitives/svg.hpp"

namespace amalthea::exporter {
namespace {

// Longer than the guaranteed minimum of the standard; GCC and Clang support it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"
#include "report_page.inc"
#pragma GCC diagnostic pop

/// JSON that can neither end its script element nor open a comment in it. Control characters in its strings are spelled
/// out, so that the page shows them.
std::string within_script(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '<') {
      out += "\\u003c";
    } else if (json[i] == '\\' && i + 1 < json.size()) {
      if (json.substr(i).starts_with("\\u00") || json[i + 1] == 'b' || json[i + 1] == 'f' || json[i + 1] == 'r')
        out += '\\';
      out += json[i];
      out += json[++i];
    } else if (static_cast<unsigned char>(json[i]) >= 0x7F) {
      const std::size_t end = std::min(json.find_first_of("<\\", i), json.size());
      for (const char character : visible_text(json.substr(i, end - i)))
        out.append(character == '\\' ? 2 : 1, character);
      i = end - 1;
    } else {
      out += json[i];
    }
  }
  return out;
}

struct Section {
  std::string_view id, title;
};
constexpr std::array report_sections = {Section{"verdict", "Verdict"},
                                        Section{"comparison", "Changes since the baseline"},
                                        Section{"tasks", "Tasks and deadlines"},
                                        Section{"what-if", "What would help"},
                                        Section{"decomposition", "Where the time goes"},
                                        Section{"schedule", "Schedule"},
                                        Section{"architecture", "Architecture"},
                                        Section{"chains", "Chains"},
                                        Section{"headroom", "Headroom"},
                                        Section{"resources", "Resources"},
                                        Section{"findings", "Findings"},
                                        Section{"graph", "Runnable graph"},
                                        Section{"provenance", "Provenance"}};
constexpr std::array comparison_sections = {Section{"verdict", "Verdict"},
                                            Section{"tasks", "Response times"},
                                            Section{"schedule", "Measured and simulated schedule"},
                                            Section{"executions", "Execution times"},
                                            Section{"limits", "Limits"},
                                            Section{"findings", "Findings"},
                                            Section{"names", "Names that are not in the model"},
                                            Section{"provenance", "Provenance"}};
constexpr std::array policy_sections = {Section{"verdict", "Summary"}, Section{"variants", "Variants"},
                                        Section{"responses", "Response times"}, Section{"graph", "Timelines"}};

/// What a page consists of beside its data.
struct Parts {
  std::string_view heading, script, picture;
  std::span<const Section> sections;
};
Parts parts_of(Page page) {
  switch (page) {
    case Page::report:
      return {"Timing of", page_script, "runnable graph", report_sections};
    case Page::comparison:
      return {"Measurement and model:", comparison_script, "", comparison_sections};
    case Page::policies:
      break;
  }
  return {"GPU policies of", policies_script, "timelines", policy_sections};
}

/// The scripts fill the sections, and remove those without content.
std::string sections_html(const Parts& parts, const PageContent& content) {
  std::string out;
  for (const auto& [id, title] : parts.sections) {
    out += fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-title\"><h2 id=\"{0}-title\">{1}</h2>", id, title);
    if (id == "graph")
      out += fmt::format(
          "<figure class=\"wide paper\" tabindex=\"0\" role=\"group\" aria-label=\"Picture of the {}; "
          "scrolls\">{}</figure>\n",
          parts.picture, content.graph);
    if (id == parts.sections.front().id) out += content.first;
    out += "</section>\n";
  }
  return out;
}

}  // namespace

std::string page_title(const ModelInfo& model) {
  std::string name = model.files.empty() ? "" : model.files.front();
  if (const auto slash = name.find_last_of('/'); slash != std::string::npos) name.erase(0, slash + 1);
  if (model.files.size() > 1) name += fmt::format(" and {} more", model.files.size() - 1);
  return name;
}

std::string render_page(Page page, const PageContent& content) {
  const Parts parts = parts_of(page);
  const auto filling = [&](std::string_view place) -> std::string {
    if (place == "policy")
      return fmt::format("default-src 'none'; script-src {} {}; style-src {}; base-uri 'none'; form-action 'none'",
                         policy_hash(charts_script), policy_hash(parts.script), policy_hash(page_style));
    if (place == "title") return svg::escaped(content.title);
    if (place == "style") return std::string(page_style);
    if (place == "licence") return std::string(charts_licence);
    if (place == "charts") return std::string(charts_script);
    if (place == "script") return std::string(parts.script);
    if (place == "heading") return std::string(parts.heading);
    if (place == "sections") return sections_html(parts, content);
    if (place == "data") return within_script(content.data);
    return {};
  };
  // Placeholders are searched only in the page's own text, never in inserted text.
  std::string out;
  std::string_view rest = page_html;
  for (auto begin = rest.find("{{"); begin != rest.npos; begin = rest.find("{{")) {
    const auto end = rest.find("}}", begin);
    out += rest.substr(0, begin);
    out += filling(rest.substr(begin + 2, end - begin - 2));
    rest.remove_prefix(end + 2);
  }
  out += rest;
  return out;
}

}  // namespace amalthea::exporter
