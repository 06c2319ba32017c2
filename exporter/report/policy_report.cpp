// SPDX-License-Identifier: Apache-2.0
#include "exporter/report/policy_report.hpp"

#include <array>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exporter/primitives/svg.hpp"
#include "exporter/report/detail/page.hpp"
#include "exporter/report/detail/schedule_json.hpp"

namespace amalthea::exporter {

using Json = nlohmann::ordered_json;

std::string render_policies_html(const PolicyStudy& study) {
  Json json{{"schema", "amalthea-gpu-policies/1"}, {"study", Json::parse(render_json(study))}};
  json["texts"] = Json::array();
  for (const PolicyStudy::Variant& variant : study.variants) json["texts"].push_back(describe(study, variant));
  json["shown"] = Json::array();
  const std::array<std::pair<const char*, std::size_t>, 3> shown = {
      {{"given", given_variant(study)}, {"best", 0}, {"worst", study.variants.size() - 1}}};
  for (const auto& [place, variant] : shown) {
    Json distributions = Json::array();
    for (const PolicyTimes& times : study.variants[variant].times)
      distributions.push_back(times.response.count() > 0 ? distribution(times.response) : Json());
    json["shown"].push_back({{"place", place}, {"variant", variant}, {"distributions", std::move(distributions)}});
  }
  std::string timelines;
  for (const PolicyStudy::Timeline& timeline : study.timelines)
    timelines += fmt::format("<h3>{}: {}</h3>\n{}", timeline.variant + 1,
                             svg::escaped(describe(study, study.variants[timeline.variant])), timeline.svg);
  return render_page(Page::policies,
                     {study.title, json.dump(-1, ' ', false, Json::error_handler_t::replace), timelines, {}});
}

}  // namespace amalthea::exporter
