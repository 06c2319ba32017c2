// SPDX-License-Identifier: Apache-2.0
#include "exporter/gpu/answers.hpp"

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exporter/primitives/curves.hpp"
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
std::string short_text(const makespan::Kernel& kernel, const makespan::Part& part) {
  std::string text;
  for (std::size_t i = part.begin, end = i; i < part.end; i = end) {
    while (end < part.end && kernel[end] == kernel[i]) ++end;
    if (!text.empty()) text += ' ';
    if (end - i > 1) text += std::to_string(end - i);
    text += makespan::unit_letters[static_cast<std::size_t>(kernel[i])];
  }
  return text;
}

ordered_json problem_json(const makespan::Problem& problem) {
  ordered_json json;
  if (problem.several.empty()) json["kernel"] = makespan::to_string(problem.kernel);
  for (const makespan::Part& part : problem.several)
    json["kernels"].push_back({{"kernel", makespan::to_string(problem.kernel).substr(part.begin, part.size())},
                               {"warps", part.warps},
                               {"bound", makespan::simple_bound(problem, part)}});
  json["warps"] = problem.warps;
  json["sigma"] =
      problem.schedulers == makespan::no_scheduler_limit ? ordered_json("units") : ordered_json(problem.schedulers);
  for (std::size_t unit = 0; unit < makespan::unit_types; ++unit)
    json["capacity"][std::string(1, makespan::unit_letters[unit])] = problem.capacity[unit];
  for (std::size_t unit = 0; unit < makespan::unit_types; ++unit)
    json["wait"][std::string(1, makespan::unit_letters[unit])] = problem.wait[unit];
  json["dispatch_units"] = problem.dispatch_units;
  json["strings"] = makespan::number_of_strings(problem).number;
  return json;
}

std::string problem_text(const makespan::Problem& problem) {
  std::string text;
  for (const makespan::Part& part : problem.parts()) {
    text += fmt::format("kernel    {} ({} instructions)\nwarps     {}\n", short_text(problem.kernel, part), part.size(),
                        part.warps);
    if (!problem.several.empty())
      text += fmt::format("bound     {} cycles from its start, whenever the others start once\n",
                          makespan::simple_bound(problem, part));
  }
  text += fmt::format("per cycle L {}, C {}, S {}, D {}; {}\n", problem.capacity[0], problem.capacity[1],
                      problem.capacity[2], problem.capacity[3],
                      problem.schedulers == makespan::no_scheduler_limit
                          ? std::string("no other limit (unit-limited)")
                          : fmt::format("{} warps in total (scheduler-limited)", problem.schedulers));
  if (problem.dispatch_units > 1)
    text += fmt::format("dispatch  {} instructions of a warp per cycle\n", problem.dispatch_units);
  if (problem.wait != makespan::PerUnit{})
    text += fmt::format("waits     L {}, C {}, S {}, D {} cycles\n", problem.wait[0], problem.wait[1], problem.wait[2],
                        problem.wait[3]);
  const auto [number, digits, exact] = makespan::number_of_strings(problem);
  return text + fmt::format("strings   {}{}\n", number, exact ? "" : fmt::format(" ({} digits)", digits));
}

/// The share of entries that an exchange places anew; placing the whole string would be 1.
double placed_share(const makespan::AnnealingResult& annealing) {
  double placed = 0, all = 0;
  for (const makespan::AnnealingRun& run : annealing.runs) {
    placed += static_cast<double>(run.placed);
    all += static_cast<double>(run.exchanges) * static_cast<double>(run.string.size());
  }
  return all == 0 ? 1 : placed / all;
}

/// Which run finds what first depends on the threads, so it is shown with the times only.
std::vector<makespan::Improvement> history_of(const MakespanAnswer& answer) {
  return answer.timed ? answer.annealing->history : std::vector<makespan::Improvement>{};
}

}  // namespace

std::string render_json(const MakespanAnswer& answer) {
  const makespan::SearchResult& result = answer.result;
  ordered_json json = problem_json(answer.problem);
  json["lower"] = result.lower;
  json["upper"] = result.upper;
  json["exact"] = result.exact();
  json["witness"] = witness_of(result);
  json["states"] = result.states;
  json["bytes"] = result.bytes;
  json["seconds"] = answer.timed ? ordered_json(result.seconds) : ordered_json(nullptr);
  if (answer.annealing) {
    json["runs"] = ordered_json::array();
    for (const makespan::AnnealingRun& run : answer.annealing->runs)
      json["runs"].push_back({{"start", makespan::to_string(run.start)},
                              {"first", run.first},
                              {"best", run.best},
                              {"best_at", run.best_at},
                              {"iterations", run.iterations}});
    json["placed_share"] = placed_share(*answer.annealing);
    json["history"] = ordered_json::array();
    for (const makespan::Improvement& step : history_of(answer))
      json["history"].push_back({{"makespan", step.makespan}, {"seconds", step.seconds}});
  }
  return json.dump() + "\n";
}

std::string render_text(const MakespanAnswer& answer, bool) {
  const makespan::SearchResult& result = answer.result;
  const makespan::Problem& problem = answer.problem;
  std::string text = problem_text(problem);
  text += result.exact() ? fmt::format("longest   {} cycles (exact)\n", result.lower)
                         : fmt::format("longest   {} to {} cycles\n", result.lower, result.upper);
  text += fmt::format("states    {}\nmemory    {:.1f} MB\n", result.states, static_cast<double>(result.bytes) / 1e6);
  if (answer.timed) text += fmt::format("time      {:.2f} s\n", result.seconds);
  if (answer.annealing) {
    auto table = TextTable::of("start", ">first", ">best", ">found at");
    for (const makespan::AnnealingRun& run : answer.annealing->runs)
      table.add(makespan::to_string(run.start), std::to_string(run.first), std::to_string(run.best),
                std::to_string(run.best_at));
    text += fmt::format("\n{}", table.render(false));
    text += fmt::format("\nAn exchange placed {:.1f} % of the string anew.\n", 100 * placed_share(*answer.annealing));
    if (answer.timed) text += "\nbest so far\n";
    for (const makespan::Improvement& step : history_of(answer))
      text += fmt::format("{:>6} after {:.3f} s\n", step.makespan, step.seconds);
  }
  text += "\nwitness  ";
  for (const int warp : witness_of(result)) text += fmt::format(" {}", warp);
  text += '\n';
  return text;
}

std::string render_json(const WarpStringAnswer& answer) {
  const auto& [problem, schedule] = answer;
  ordered_json json = problem_json(problem);
  json["makespan"] = schedule.makespan();
  json["string"] = ordered_json::array();
  for (const std::uint16_t warp : schedule.string()) json["string"].push_back(warp + 1);
  json["cycles"] = schedule.cycles();
  return json.dump() + "\n";
}

std::string render_text(const WarpStringAnswer& answer, bool) {
  const auto& [problem, schedule] = answer;
  std::string text = problem_text(problem) + fmt::format("makespan  {} cycles\n\n", schedule.makespan());
  std::string string = "string   ", cycles = "cycles   ";
  for (std::size_t entry = 0; entry < schedule.string().size(); ++entry) {
    const std::string warp = fmt::format("{}", schedule.string()[entry] + 1);
    const std::string cycle = fmt::format("{}", schedule.cycles()[entry]);
    const std::size_t width = std::max(warp.size(), cycle.size());
    string += fmt::format(" {:>{}}", warp, width);
    cycles += fmt::format(" {:>{}}", cycle, width);
  }
  text += string + '\n' + cycles + "\n\n";
  auto table = TextTable::of(">cycle", "warps and their units");
  std::vector<std::size_t> next;  // instruction, by warp
  for (const makespan::Part& part : problem.part_by_warp()) next.push_back(part.begin);
  const makespan::Schedule columns = schedule.schedule();
  for (std::size_t cycle = 0; cycle < columns.size(); ++cycle) {
    std::string warps;
    for (const std::uint16_t warp : columns[cycle])
      warps += fmt::format("{}{} {}", warps.empty() ? "" : ", ", warp + 1,
                           makespan::unit_letters[static_cast<std::size_t>(problem.kernel[next[warp]++])]);
    table.add(cycle + 1, warps);
  }
  return text + table.render(false);
}

std::string render_annealing_csv(const MakespanAnswer& answer) {
  const makespan::AnnealingResult& annealing = *answer.annealing;
  std::string text = "run,start,iteration,makespan\n";
  for (std::size_t index = 0; index < annealing.runs.size(); ++index) {
    const makespan::AnnealingRun& run = annealing.runs[index];
    for (const makespan::CurvePoint& point : run.curve)
      text += fmt::format("{},{},{},{}\n", index + 1, makespan::to_string(run.start), point.iteration, point.makespan);
    text += fmt::format("{},{},{},{}\n", index + 1, makespan::to_string(run.start), run.iterations, run.best);
  }
  return text;
}

std::string render_annealing_svg(const MakespanAnswer& answer) {
  CurveDrawing drawing;
  drawing.title = "Longest schedule found by annealing";
  for (const makespan::Part& part : answer.problem.parts())
    drawing.subtitle += fmt::format("{}, {} warps, ", short_text(answer.problem.kernel, part), part.warps);
  drawing.subtitle += fmt::format("{} runs", answer.annealing->runs.size());
  drawing.x_label = "iteration";
  drawing.y_label = "cycles";
  drawing.from_zero = false;
  for (std::size_t index = 0; index < answer.annealing->runs.size(); ++index) {
    const makespan::AnnealingRun& run = answer.annealing->runs[index];
    Curve curve{fmt::format("{} {}", index + 1, makespan::to_string(run.start)), {}, true};
    for (const makespan::CurvePoint& point : run.curve)
      curve.points.emplace_back(static_cast<double>(point.iteration), static_cast<double>(point.makespan));
    curve.points.emplace_back(static_cast<double>(run.iterations), static_cast<double>(run.best));
    drawing.curves.push_back(std::move(curve));
  }
  return render_curves_svg(drawing);
}

}  // namespace amalthea::exporter
