// SPDX-License-Identifier: Apache-2.0
#include "exporter/exploration/mapping_comparison.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "engine/chains/chain_latency.hpp"
#include "exporter/primitives/text_table.hpp"

namespace amalthea::exporter {
namespace {

std::vector<engine::ChainResult> latencies_of(const System& system, const explore::Judgement* judgement) {
  return judgement != nullptr ? engine::chain_latencies(system, judgement->bounds)
                              : engine::chain_latencies(system, {});
}

TextTable table_of(const std::string& what, const std::vector<MappingColumn>& columns, bool with_let) {
  std::vector<TextTable::Column> titles = {{what}};
  if (with_let) titles.push_back({"LET", Align::right});
  for (const MappingColumn& column : columns) titles.push_back({column.name, Align::right});
  return TextTable(std::move(titles));
}

TextTable::Cell task_cell(const MappingColumn& column, TaskIndex index) {
  const Task& task = column.system.tasks[index];
  if (task.folded_into) return {"dropped", Colour::dim};
  const auto& judgement = column.judgement;
  const bool late = std::find(judgement.late.begin(), judgement.late.end(), index) != judgement.late.end();
  const auto worst = judgement.bounds[index].worst;
  const bool beyond = late || (task.deadline && (!worst || *worst > *task.deadline));
  return {fmt::format("{}: {}", column.system.platform.units[task.unit].name, at_most_ms(worst)),
          beyond ? Colour::bad : Colour::none};
}

}  // namespace

std::string at_most_ms(std::optional<Duration> time) {
  if (!time) return "-";
  const std::int64_t us = amalthea::detail::divide(time->picoseconds(), 1'000'000, Rounding::up);
  return fmt::format("{}.{:03}", us / 1000, us % 1000);
}

std::vector<std::optional<Duration>> chain_reactions(const System& system, const explore::Judgement& judgement) {
  std::vector<std::optional<Duration>> reactions;
  for (const engine::ChainResult& chain : latencies_of(system, &judgement))
    reactions.push_back(chain.implicit ? std::optional(chain.implicit->reaction) : std::nullopt);
  return reactions;
}

std::vector<std::optional<Duration>> let_reactions(const System& system) {
  std::vector<std::optional<Duration>> reactions;
  for (const engine::ChainResult& chain : latencies_of(system, nullptr))
    reactions.push_back(chain.let ? std::optional(chain.let->reaction) : std::nullopt);
  return reactions;
}

TextTable compare_tasks(const std::vector<MappingColumn>& columns) {
  TextTable table = table_of("task", columns, false);
  for (TaskIndex task = 0; task < columns.front().system.tasks.size(); ++task) {
    std::vector<TextTable::Cell> row = {{columns.front().system.tasks[task].name}};
    for (const MappingColumn& column : columns) row.push_back(task_cell(column, task));
    table.add_row(std::move(row));
  }
  std::vector<TextTable::Cell> late = {{"not guaranteed"}}, unbounded = {{"others without a bound"}};
  for (const MappingColumn& column : columns) {
    const std::size_t count = column.judgement.late.size();
    late.push_back({fmt::format("{}", count), count > 0 ? Colour::bad : Colour::good});
    unbounded.push_back({fmt::format("{}", column.judgement.unbounded)});
  }
  table.add_row(std::move(late));
  table.add_row(std::move(unbounded));
  if (std::any_of(columns.begin(), columns.end(), [](const auto& column) { return column.judgement.broken > 0; })) {
    std::vector<TextTable::Cell> broken = {{"constraints broken"}};
    for (const MappingColumn& column : columns) {
      const std::size_t count = column.judgement.broken;
      broken.push_back({fmt::format("{}", count), count > 0 ? Colour::bad : Colour::good});
    }
    table.add_row(std::move(broken));
  }
  return table;
}

TextTable compare_chains(const std::vector<MappingColumn>& columns) {
  TextTable table = table_of("chain", columns, true);
  const System& last = columns.back().system;
  const auto let = let_reactions(last);
  std::vector<std::vector<std::optional<Duration>>> reactions;
  for (const MappingColumn& column : columns) reactions.push_back(chain_reactions(column.system, column.judgement));
  for (std::size_t chain = 0; chain < last.chains.size(); ++chain) {
    std::vector<TextTable::Cell> row = {{last.chains[chain].name}, {at_most_ms(let[chain])}};
    for (const auto& of_column : reactions) row.push_back({at_most_ms(of_column[chain])});
    table.add_row(std::move(row));
  }
  return table;
}

}  // namespace amalthea::exporter
