// SPDX-License-Identifier: Apache-2.0
#include "exporter/gpu/answers.hpp"

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exporter/primitives/text_table.hpp"

namespace amalthea::exporter {
namespace {

namespace nvidia = engine::nvidia;
using Json = nlohmann::ordered_json;

constexpr std::size_t trace_columns = 100;

double quotient(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

double average_finish(const nvidia::WarpRun& run) {
  std::int64_t sum = 0;
  for (const auto& kernel : run.kernels) sum += kernel.finish;
  return quotient(sum, static_cast<std::int64_t>(run.kernels.size()));
}

Json cycles_json(const nvidia::WarpCycles& cycles) {
  return {{"issued", cycles.issued},
          {"latency", cycles.latency},
          {"pipeline", cycles.pipeline},
          {"not_selected", cycles.not_selected}};
}

/// Blocks of lines with aligned columns: the cycles, the issuing warps, and a caret where the budget of a group was
/// used up.
std::string trace_lines(const nvidia::SubCoreResult& sub_core) {
  const std::string trace = nvidia::trace_text(sub_core.trace);
  std::string carets(trace.size(), ' ');
  for (const std::int64_t cycle : sub_core.switches) carets[static_cast<std::size_t>(cycle)] = '^';
  std::string out;
  for (std::size_t begin = 0; begin < trace.size(); begin += trace_columns) {
    const std::size_t columns = std::min(trace_columns, trace.size() - begin);
    std::string ruler;
    for (std::size_t cycle = begin; cycle < begin + columns; cycle += 10) ruler += fmt::format("{:<10}", cycle);
    for (std::string line :
         {"cycle   " + ruler, "issues  " + trace.substr(begin, columns), "budget  " + carets.substr(begin, columns)}) {
      line.erase(line.find_last_not_of(' ') + 1);
      if (line != "budget") out += line + "\n";
    }
  }
  return out;
}

double change(const nvidia::WarpStudyRow& row) {
  return quotient(row.second_response - row.second_response_gto, row.second_response_gto);
}

std::string name_of(const nvidia::WarpStudyRow& row) {
  return row.budget == 0 ? std::string(row.policy->name) : fmt::format("{} {}", row.policy->name, row.budget);
}

}  // namespace

std::string render_json(const WarpsAnswer& answer) {
  const auto& [scenario, run] = answer;
  Json json{{"policy", scenario.policy->name}, {"pipelines", scenario.pipelines->name}};
  if (run.sub_cores.size() == 1) {
    json["trace"] = nvidia::trace_text(run.sub_cores[0].trace);
    json["switches"] = run.sub_cores[0].switches;
  }
  json["finish"] = Json::array();
  json["response"] = Json::array();
  for (const auto& kernel : run.kernels) {
    json["finish"].push_back(kernel.finish);
    json["response"].push_back(kernel.response);
  }
  json["average_finish"] = average_finish(run);
  json["instructions"] = run.instructions;
  if (run.second_issues > 0) json["second_issues"] = run.second_issues;
  json["cycles"] = run.cycles;
  json["instructions_per_cycle"] = quotient(run.instructions, run.cycles);
  json["kernels"] = Json::array();
  for (std::size_t i = 0; i < run.kernels.size(); ++i)
    json["kernels"].push_back({{"warps", scenario.kernels[i].warps},
                               {"budget", scenario.kernels[i].budget},
                               {"release", scenario.kernels[i].release},
                               {"finish", run.kernels[i].finish},
                               {"response", run.kernels[i].response},
                               {"warp_cycles", cycles_json(run.kernels[i].cycles)}});
  json["warps"] = Json::array();
  for (const auto& warp : run.warps)
    json["warps"].push_back({{"kernel", warp.kernel},
                             {"sub_core", warp.sub_core},
                             {"finish", warp.finish},
                             {"cycles", cycles_json(warp.cycles)}});
  json["sub_cores"] = Json::array();
  for (const auto& sub_core : run.sub_cores)
    json["sub_cores"].push_back({{"trace", nvidia::trace_text(sub_core.trace)}, {"switches", sub_core.switches}});
  return json.dump() + "\n";
}

std::string render_text(const WarpsAnswer& answer, bool colour) {
  const auto& [scenario, run] = answer;
  std::string out = fmt::format("{}: {}\npipelines {}: {}\n", scenario.policy->name, scenario.policy->meaning,
                                scenario.pipelines->name, scenario.pipelines->meaning);
  for (std::size_t i = 0; i < run.sub_cores.size(); ++i) {
    out += run.sub_cores.size() == 1 ? "\n" : heading(fmt::format("Sub-core {}", i), colour);
    out += trace_lines(run.sub_cores[i]);
  }
  out += heading("Kernels (cycles)", colour);
  auto kernels = TextTable::of(">kernel", "warps", ">budget", ">release", ">finish", ">response");
  std::size_t first = 0;
  for (std::size_t i = 0; i < run.kernels.size(); ++i) {
    const auto& kernel = scenario.kernels[i];
    std::vector<std::optional<nvidia::WarpIndex>> warps;
    while (warps.size() < static_cast<std::size_t>(kernel.warps)) warps.emplace_back(first++);
    kernels.add(i + 1, nvidia::trace_text(warps), kernel.budget, kernel.release, run.kernels[i].finish,
                run.kernels[i].response);
  }
  out += kernels.render(colour);
  out += heading("Warp states between release and finish (total cycles)", colour);
  auto reasons = TextTable::of(">kernel", ">issued", ">latency", ">pipeline", ">not selected");
  for (std::size_t i = 0; i < run.kernels.size(); ++i) {
    const auto& cycles = run.kernels[i].cycles;
    reasons.add(i + 1, cycles.issued, cycles.latency, cycles.pipeline, cycles.not_selected);
  }
  out += reasons.render(colour);
  return out + fmt::format("\n{} instructions in {} cycles, {:.3f} per cycle; kernels finish at {:.1f} on average\n",
                           run.instructions, run.cycles, quotient(run.instructions, run.cycles), average_finish(run));
}

std::string render_json(const WarpStudyAnswer& answer) {
  const auto& [study, rows] = answer;
  Json json{{"programs", study.programs}, {"seed", study.seed}, {"rows", Json::array()}};
  for (const auto& row : rows)
    json["rows"].push_back({{"kernels", row.homogeneous ? "homogeneous" : "heterogeneous"},
                            {"stall_share", quotient(row.stall_share, 1000)},
                            {"policy", row.policy->name},
                            {"budget", row.budget == 0 ? Json() : Json(row.budget)},
                            {"response_1", quotient(row.first_response, study.programs)},
                            {"response_2", quotient(row.second_response, study.programs)},
                            {"change_2", change(row)},
                            {"idle_share", quotient(row.idle, row.cycles)}});
  return json.dump() + "\n";
}

std::string render_csv(const WarpStudyAnswer& answer) {
  const auto& [study, rows] = answer;
  std::string out = "kernels,stall_share,policy,budget,response_1,response_2,change_2,idle_share\n";
  for (const auto& row : rows)
    out +=
        fmt::format("{},{:.3f},{},{},{:.2f},{:.2f},{:.4f},{:.4f}\n", row.homogeneous ? "homogeneous" : "heterogeneous",
                    quotient(row.stall_share, 1000), row.policy->name,
                    row.budget == 0 ? "" : fmt::format("{}", row.budget), quotient(row.first_response, study.programs),
                    quotient(row.second_response, study.programs), change(row), quotient(row.idle, row.cycles));
  return out;
}

std::string render_text(const WarpStudyAnswer& answer, bool colour) {
  const auto& rows = answer.rows;
  std::string out = "Response of the second kernel against GTO; the budget of the first kernel is 1.\n";
  for (std::size_t begin = 0; begin < rows.size();) {
    const bool homogeneous = rows[begin].homogeneous;
    out += heading(homogeneous ? "Both kernels have this share of stalls"
                               : "The second kernel has this share of stalls, the first one 20 %",
                   colour);
    std::vector<TextTable::Column> titles{{"stalls", Align::right}, {"idle with gto", Align::right}};
    const auto point_end = [&rows](std::size_t from) {
      std::size_t to = from;
      while (to < rows.size() && rows[to].homogeneous == rows[from].homogeneous &&
             rows[to].stall_share == rows[from].stall_share)
        ++to;
      return to;
    };
    for (std::size_t i = begin; i < point_end(begin); ++i)
      if (rows[i].policy->name != "gto") titles.push_back({name_of(rows[i]), Align::right});
    TextTable table(std::move(titles));
    while (begin < rows.size() && rows[begin].homogeneous == homogeneous) {
      const std::size_t end = point_end(begin);
      std::vector<TextTable::Cell> cells{{fmt::format("{:.1f} %", 100 * quotient(rows[begin].stall_share, 1000))}, {}};
      for (; begin < end; ++begin)
        if (rows[begin].policy->name == "gto")
          cells[1].text = fmt::format("{:.1f} %", 100 * quotient(rows[begin].idle, rows[begin].cycles));
        else
          cells.push_back({fmt::format("{:+.1f} %", 100 * change(rows[begin]))});
      table.add_row(std::move(cells));
    }
    out += table.render(colour);
  }
  return out;
}

}  // namespace amalthea::exporter
