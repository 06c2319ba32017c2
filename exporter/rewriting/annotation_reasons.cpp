// SPDX-License-Identifier: Apache-2.0
#include "exporter/rewriting/annotation_reasons.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "engine/verdict.hpp"
#include "exporter/results/contribution_text.hpp"

namespace amalthea::exporter::detail {
namespace {

using engine::ChainResult;
using engine::ChainStep;
using engine::Contribution;

/// "engine_slice" → "engineSlice", like the other keys.
std::string key_of(engine::ContributionKind kind) {
  std::string key;
  bool upper = false;
  for (const char c : to_string(kind)) {
    if (c != '_') key += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '_';
  }
  return key;
}

/// "5.363 ms": three digits after the point, in the largest unit that gives at least 1.
std::string brief(Duration time, Rounding rounding) {
  constexpr std::array<std::pair<std::int64_t, std::string_view>, 4> units = {
      {{1'000'000'000'000, "s"}, {1'000'000'000, "ms"}, {1'000'000, "us"}, {1'000, "ns"}}};
  for (const auto& [size, unit] : units) {
    if (time.picoseconds() < size) continue;
    const std::int64_t thousandths = amalthea::detail::divide(time.picoseconds(), size / 1000, rounding);
    std::string text = fmt::format("{}.{:03}", thousandths / 1000, thousandths % 1000);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return fmt::format("{} {}", text, unit);
  }
  return fmt::format("{} ps", time.picoseconds());
}

struct Share {
  std::string text;
  Duration time;
};

/// "62 % own execution, 38 % core used by CANbus_polling": the largest three, and what the others add up to.
std::string shares_text(std::vector<Share> shares) {
  constexpr std::size_t shown = 3;
  std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.time > b.time; });
  double total = 0;
  for (const Share& share : shares) total += static_cast<double>(share.time.picoseconds());
  std::string text;
  double rest = 100;
  for (std::size_t i = 0; i < std::min(shown, shares.size()); ++i) {
    const double percent = 100 * static_cast<double>(shares[i].time.picoseconds()) / total;
    if (percent < 0.5) break;
    text += fmt::format("{}{:.0f} % {}", text.empty() ? "" : ", ", percent, shares[i].text);
    rest -= percent;
  }
  if (rest >= 0.5 && !text.empty()) text += fmt::format(", {:.0f} % other", rest);
  return text;
}

std::string_view limit_text(const ChainResult::Judgement& judgement) {
  return to_string(engine::verdict_on(judgement.verdict, judgement.guaranteed));
}

}  // namespace

std::vector<Property> contribution_properties(const System& system, const std::string& key,
                                              const std::vector<Contribution>& parts) {
  std::vector<Property> properties;
  std::map<std::string, int> seen;
  for (const Contribution& part : parts) {
    std::string name = key + "." + key_of(part.kind);
    if (part.traffic != engine::TrafficKind::none) name += "." + std::string(to_string(part.traffic));
    // Named only where something else causes it.
    if (part.by && part.kind != engine::ContributionKind::backlog) name += "." + system.tasks[*part.by].name;
    if (part.others > 0) name += ".others";
    if (const int count = ++seen[name]; count > 1) name += fmt::format("#{}", count);
    properties.push_back({std::move(name), part.time});
  }
  return properties;
}

std::vector<Property> step_properties(const System& system, const std::string& key, const Chain& chain,
                                      const std::vector<ChainStep>& steps, Rounding rounding) {
  std::vector<Property> properties;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string step = fmt::format("{}.{}.{}", key, i + 1, system.tasks[chain.tasks[i]].name);
    properties.push_back({step + ".wait", steps[i].wait, rounding});
    properties.push_back({step + ".run", steps[i].run, rounding});
  }
  return properties;
}

std::vector<Property> operation_properties(const System& system, const engine::OperationResult& operation) {
  const std::string key = "operation." + system.graph[operation.node].name;
  std::vector<Property> properties;
  if (operation.launch) {
    properties.push_back({key + ".blocksPerSm", operation.launch->blocks_per_sm});
    properties.push_back({key + ".rounds", operation.launch->rounds});
  }
  if (operation.duration.jobs > 0) {
    properties.push_back({key + ".max", operation.duration.max, Rounding::up});
    for (Property& part : contribution_properties(system, key + ".contribution", operation.contributions))
      properties.push_back(std::move(part));
  } else {
    properties.push_back({key + ".max.reason", std::string("it did not end in the simulated time")});
  }
  if (operation.bound.worst)
    properties.push_back({key + ".bound", *operation.bound.worst, Rounding::up});
  else
    properties.push_back(
        {key + ".bound.reason", operation.bound.reason.empty() ? "no bound is computed" : operation.bound.reason});
  return properties;
}

std::string summary_of(const System& system, TaskIndex task, const engine::TaskResult& result) {
  const auto& deadline = system.tasks[task].deadline;
  const bool bounded = result.bound.worst.has_value();
  if (!bounded && result.response.jobs == 0)
    return fmt::format("{}, no bound; {}", to_string(result.verdict), result.reason);
  const Duration time = bounded ? *result.bound.worst : result.response.max;
  std::string text = fmt::format("{} {}", bounded ? "WCRT" : "longest response time",
                                 brief(time, bounded ? Rounding::up : Rounding::nearest));
  if (deadline) text += fmt::format(" of {}", brief(*deadline, Rounding::nearest));
  text += fmt::format(", {}", result.guaranteed == true ? engine::guaranteed_text(result.coverage)
                                                        : std::string(to_string(result.verdict)));
  if (!bounded) text += ", no bound";
  std::vector<Share> shares;
  for (const Contribution& part : bounded ? result.bound.parts : result.contributions)
    shares.push_back({describe(system, part), part.time});
  const std::string why = shares_text(std::move(shares));
  return why.empty() ? text : text + "; " + why;
}

std::string summary_of(const System& system, const Chain& chain, const ChainResult& result,
                       engine::Communication communication) {
  std::string text;
  const auto add = [&](std::string_view separator, const std::string& more) {
    text += (text.empty() ? "" : std::string(separator)) + more;
  };
  const bool implicit = communication == engine::Communication::implicit;
  if (communication == engine::Communication::let && result.let)
    add("", fmt::format("reaction time at most {} (LET)", brief(result.let->reaction, Rounding::up)));
  const auto& bounds = implicit ? result.implicit : result.explicit_access;
  if (communication != engine::Communication::let && bounds)
    add("", fmt::format("reaction time at most {}", brief(bounds->reaction, Rounding::up)));
  if (implicit && result.observed.reaction)
    add(", ", fmt::format("{}{} observed", text.empty() ? "reaction time of " : "",
                          brief(*result.observed.reaction, Rounding::nearest)));
  if (text.empty()) text = "no reaction time is known";
  const std::vector<ChainStep>& steps = result.implicit ? result.implicit_steps : result.observed_steps;
  std::vector<Share> shares;
  for (std::size_t i = 0; implicit && i < steps.size(); ++i)
    shares.push_back({system.tasks[chain.tasks[i]].name, steps[i].wait + steps[i].run});
  if (const std::string why = shares_text(std::move(shares)); !why.empty()) add("; ", why);
  for (std::size_t i = 0; i < chain.limits.size(); ++i)
    add("; ", fmt::format("{} {}", chain.limits[i].name, limit_text(result.limits[i].by(communication))));
  return text;
}

}  // namespace amalthea::exporter::detail
