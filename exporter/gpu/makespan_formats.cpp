// SPDX-License-Identifier: Apache-2.0
#include "exporter/gpu/makespan_formats.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exporter/primitives/text_table.hpp"

namespace amalthea::exporter {
namespace {

using nlohmann::ordered_json;
namespace makespan = engine::nvidia::makespan;

/// Warps are counted from 1, as in the source.
std::vector<int> witness_of(const makespan::SearchResult& result) {
  std::vector<int> warps;
  for (const std::uint16_t warp : makespan::string_of(result.witness)) warps.push_back(warp + 1);
  return warps;
}

/// "5L 9C 2L 9C".
std::string short_text(const makespan::Kernel& kernel) {
  std::string text;
  for (std::size_t i = 0, end = 0; i < kernel.size(); i = end) {
    while (end < kernel.size() && kernel[end] == kernel[i]) ++end;
    if (!text.empty()) text += ' ';
    if (end - i > 1) text += std::to_string(end - i);
    text += makespan::unit_letters[static_cast<std::size_t>(kernel[i])];
  }
  return text;
}

}  // namespace

std::string render_makespan_json(const MakespanView& view) {
  const makespan::SearchResult& result = view.result;
  ordered_json json;
  json["kernel"] = makespan::to_string(view.problem.kernel);
  json["warps"] = view.problem.warps;
  json["sigma"] = view.problem.schedulers == makespan::no_scheduler_limit ? ordered_json("units")
                                                                          : ordered_json(view.problem.schedulers);
  for (std::size_t unit = 0; unit < makespan::unit_types; ++unit)
    json["capacity"][std::string(1, makespan::unit_letters[unit])] = view.problem.capacity[unit];
  json["lower"] = result.lower;
  json["upper"] = result.upper;
  json["exact"] = result.exact();
  json["witness"] = witness_of(result);
  json["states"] = result.states;
  json["bytes"] = result.bytes;
  json["seconds"] = result.seconds;
  if (view.annealing != nullptr) {
    json["runs"] = ordered_json::array();
    for (const makespan::AnnealingRun& run : view.annealing->runs)
      json["runs"].push_back({{"start", makespan::to_string(run.start)},
                              {"first", run.first},
                              {"best", run.best},
                              {"best_at", run.best_at},
                              {"iterations", run.iterations}});
    json["history"] = ordered_json::array();
    for (const makespan::Improvement& step : view.annealing->history)
      json["history"].push_back({{"makespan", step.makespan}, {"seconds", step.seconds}});
  }
  return json.dump() + "\n";
}

std::string render_makespan_text(const MakespanView& view) {
  const makespan::SearchResult& result = view.result;
  const makespan::Problem& problem = view.problem;
  std::string text = fmt::format("kernel    {} ({} instructions)\n", short_text(problem.kernel), problem.kernel.size());
  text += fmt::format("warps     {}\n", problem.warps);
  text += fmt::format("per cycle L {}, C {}, S {}, D {}; {}\n", problem.capacity[0], problem.capacity[1],
                      problem.capacity[2], problem.capacity[3],
                      problem.schedulers == makespan::no_scheduler_limit
                          ? std::string("no other limit (unit-limited)")
                          : fmt::format("{} warps in total (scheduler-limited)", problem.schedulers));
  text += result.exact() ? fmt::format("longest   {} cycles (exact)\n", result.lower)
                         : fmt::format("longest   {} to {} cycles\n", result.lower, result.upper);
  text += fmt::format("states    {}\nmemory    {:.1f} MB\ntime      {:.2f} s\n", result.states,
                      static_cast<double>(result.bytes) / 1e6, result.seconds);
  if (view.annealing != nullptr) {
    TextTable table({{"start"}, {"first", Align::right}, {"best", Align::right}, {"found at", Align::right}});
    for (const makespan::AnnealingRun& run : view.annealing->runs)
      table.add_row({{std::string(makespan::to_string(run.start))},
                     {std::to_string(run.first)},
                     {std::to_string(run.best)},
                     {std::to_string(run.best_at)}});
    text += fmt::format("\n{}", table.render(false));
    text += "\nbest so far\n";
    for (const makespan::Improvement& step : view.annealing->history)
      text += fmt::format("{:>6} after {:.3f} s\n", step.makespan, step.seconds);
  }
  text += "\nwitness  ";
  for (const int warp : witness_of(result)) text += fmt::format(" {}", warp);
  text += '\n';
  return text;
}

}  // namespace amalthea::exporter
