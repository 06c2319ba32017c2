// SPDX-License-Identifier: Apache-2.0
#include "exporter/results/detail/requirement_text.hpp"

#include <variant>

namespace amalthea::exporter {
namespace {

std::string_view name_of(const Requirement::NoLimit&) { return ""; }
std::string_view name_of(const Requirement::TimeLimit& limit) { return limit.metric ? to_string(*limit.metric) : ""; }
template <typename Limit>
std::string_view name_of(const Limit& limit) {
  return limit.metric;
}

}  // namespace

std::string_view metric_name(const Requirement& requirement) {
  return std::visit([](const auto& limit) { return name_of(limit); }, requirement.limit);
}

}  // namespace amalthea::exporter
