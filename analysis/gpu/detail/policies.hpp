// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Policies of a GPU that a study varies, and how variants of a subject, a scenario or a system, are judged.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tl/expected.hpp>

#include "analysis/gpu.hpp"
#include "exporter/gpu/answers.hpp"

namespace amalthea::analysis::gpu {

/// The values of --vary.
inline constexpr const char* slices = "slices";
inline constexpr const char* priorities = "priorities";
inline constexpr const char* contexts = "contexts";
inline constexpr const char* masks = "masks";
inline constexpr const char* grids = "grids";
inline constexpr const char* budgets = "budgets";
inline constexpr const char* order = "order";

/// One decision. Applied one after the other, in their order.
template <typename Subject>
struct Policy {
  struct Choice {
    std::string text;
    std::function<void(Subject&)> apply;
  };
  std::string kind;  ///< of --vary
  std::string name;
  std::vector<Choice> choices;                       ///< beside what is given
  std::function<bool(const Subject&)> matters = {};  ///< in the finished variant; empty: always
};

/// A variant and its responses; the timeline is empty unless it is asked for.
struct JudgedVariant {
  explore::Judgement judgement;  ///< broken: parties late in a simulation; two objectives: largest and mean response
  std::vector<exporter::PolicyTimes> times;
  std::string timeline = {};
};

template <typename Subject>
struct PolicySubject {
  std::string title;
  Subject given;
  bool has_bounds = false;
  std::vector<exporter::PolicyStudy::Party> parties;
  std::vector<Policy<Subject>> policies;
  /// The error states why the variant cannot run.
  std::function<tl::expected<JudgedVariant, std::string>(const Subject&, bool timeline)> judge;
};

/// The subject with these choices; nothing if one of them has no effect.
template <typename Subject>
std::optional<Subject> variant_of(const PolicySubject<Subject>& subject, const explore::Combination& choices) {
  Subject variant = subject.given;
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (choices[i] > 0) subject.policies[i].choices[choices[i] - 1].apply(variant);
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (choices[i] > 0 && subject.policies[i].matters && !subject.policies[i].matters(variant)) return std::nullopt;
  return variant;
}

template <typename Subject>
Outcome<exporter::PolicyStudy> study_of(PolicySubject<Subject> subject, const PolicyStudyRequest& request,
                                        const Watch& watch) {
  auto& policies = subject.policies;
  const auto is_unwanted = [&](const Policy<Subject>& policy) {
    const auto& vary = request.vary;
    return policy.choices.empty() || (!vary.empty() && std::find(vary.begin(), vary.end(), policy.kind) == vary.end());
  };
  policies.erase(std::remove_if(policies.begin(), policies.end(), is_unwanted), policies.end());
  exporter::PolicyStudy study;
  study.title = subject.title;
  study.has_bounds = subject.has_bounds;
  study.parties = subject.parties;
  std::vector<std::size_t> choices;
  for (const Policy<Subject>& policy : policies) {
    choices.push_back(policy.choices.size() + 1);
    auto& shown = study.policies.emplace_back(exporter::PolicyStudy::Policy{policy.name, {"as given"}});
    for (const auto& choice : policy.choices) shown.choices.push_back(choice.text);
  }
  std::map<explore::Combination, std::vector<exporter::PolicyTimes>> times;
  const auto judge = [&](const explore::Combination& combination) -> std::optional<explore::Judgement> {
    const auto variant = variant_of(subject, combination);
    if (!variant) return std::nullopt;
    auto judged = subject.judge(*variant, false);
    if (!judged) {
      if (study.impossible++ == 0) study.reason = judged.error();
      return std::nullopt;
    }
    times.emplace(combination, std::move(judged->times));
    watch.progress(fmt::format("{} variants", times.size()));
    return judged->judgement;
  };
  auto found = explore::search_combinations(choices, request.variants, judge);
  if (times.count(explore::Combination(choices.size(), 0)) == 0)  // what is given cannot run
    return misused(request.scenario.path, study.reason);
  study.all = found.all;
  for (explore::JudgedCombination& one : found.judged) {
    auto& own = times.at(one.choices);
    study.variants.push_back({std::move(one), std::move(own)});
  }
  if (request.page.empty()) return study;
  for (const std::size_t shown : {given_variant(study), std::size_t{0}, study.variants.size() - 1}) {
    const auto is_same = [&](const auto& timeline) { return timeline.variant == shown; };
    if (std::any_of(study.timelines.begin(), study.timelines.end(), is_same)) continue;
    auto judged = subject.judge(*variant_of(subject, study.variants[shown].judged.choices), true);
    if (judged) study.timelines.push_back({shown, std::move(judged->timeline)});
  }
  return study;
}

/// Of a text that is one, in either format. The kinds of all its policies can be studied.
Outcome<exporter::PolicyStudy> scenario_study(const PolicyStudyRequest& request, const Watch& watch);
/// Of a model file.
Outcome<exporter::PolicyStudy> model_study(const PolicyStudyRequest& request, const Watch& watch);

/// Threads per block that grids are cut into.
inline constexpr std::int64_t threads_of_grids[] = {128, 256, 512, 1024};
/// The launch with other blocks for the same threads. A block's time stays: it belongs to a thread.
template <typename Launch, typename Shape>
void cut_grid(Launch& launch, Shape& shape, std::int64_t threads) {
  const std::int64_t all = launch.blocks * shape.threads;
  launch.blocks = (all + threads - 1) / threads;
  shape.shared_memory = (shape.shared_memory * threads + shape.threads - 1) / shape.threads;
  shape.threads = threads;
}

}  // namespace amalthea::analysis::gpu
