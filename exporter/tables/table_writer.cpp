// SPDX-License-Identifier: Apache-2.0
// SystemTable → CSV. Columns that no row uses are left out.

#include <fmt/core.h>

#include "exporter/primitives/csv.hpp"
#include "exporter/tables/system_table.hpp"
#include "exporter/tables/table_quantity.hpp"

namespace amalthea::exporter::tables {
namespace {

using Rows = std::vector<std::vector<std::string>>;

/// `rows` begins with the titles, of which the first `required` always stand.
void append_section(std::string& out, const Rows& rows, std::size_t required) {
  if (rows.size() < 2) return;
  std::vector<bool> used(rows.front().size(), false);
  for (std::size_t row = 1; row < rows.size(); ++row)
    for (std::size_t i = 0; i < used.size(); ++i) used[i] = used[i] || i < required || !rows[row][i].empty();
  if (!out.empty()) out += '\n';
  for (const auto& row : rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < used.size(); ++i)
      if (used[i]) cells.push_back(row[i]);
    while (cells.back().empty()) cells.pop_back();
    append_csv_line(out, cells);
  }
}

std::string time(Duration value) { return format_amount(value.picoseconds(), time_units); }
std::string time(const std::optional<Duration>& value) { return value ? time(*value) : std::string(); }
std::string hertz(Frequency clock) { return format_amount(clock.millihertz(), frequency_units); }
std::string size(std::int64_t bytes) { return bytes > 0 ? format_amount(bytes, size_units) : std::string(); }

/// Picoseconds, where that many ticks last a whole number of them.
std::optional<std::int64_t> exact_time(std::int64_t ticks, Frequency clock) {
  const amalthea::detail::Int128 scaled = static_cast<amalthea::detail::Int128>(ticks) * 1'000'000'000'000'000;
  if (scaled % clock.millihertz() != 0) return std::nullopt;
  const amalthea::detail::Int128 time = scaled / clock.millihertz();
  if (time > longest_simulation.picoseconds()) return std::nullopt;
  return static_cast<std::int64_t>(time);
}

/// "2..3 ms"; "3 ms" if the shortest is 0.
std::string range(const SystemTable::Step& step, Frequency clock) {
  const auto least = exact_time(step.least, clock), most = exact_time(step.most, clock);
  const std::string lower = step.least > 0 ? fmt::format("{}..", step.least) : std::string();
  if (!least || !most) return fmt::format("{}{} ticks", lower, step.most);
  const AmountUnit* const unit = readable_unit(*most, *least, time_units);
  const std::string from = *least > 0 ? number_in(*least, *unit) + ".." : std::string();
  return fmt::format("{}{} {}", from, number_in(*most, *unit), unit->name);
}

/// Whether the step is written as the time of its task: it is the only one.
bool is_short(const SystemTable& table, std::size_t at) {
  const SystemTable::Step& step = table.steps[at];
  return !step.gpu && step.name == table.tasks[step.task].name && (at == 0 || table.steps[at - 1].task != step.task) &&
         (at + 1 == table.steps.size() || table.steps[at + 1].task != step.task);
}

}  // namespace

std::string write_table(const SystemTable& table) {
  std::string out;
  Rows rows = {{"core", "frequency", "scheduler"}};
  for (const auto& core : table.cores)
    rows.push_back({core.name, hertz(core.clock), std::string(traits_of(core.scheduler).name)});
  append_section(out, rows, 3);
  rows = {{"gpu", "frequency", "bandwidth", "platform"}};
  for (const auto& gpu : table.gpus) {
    const std::int64_t rate = gpu.bandwidth.bytes_per_second;
    rows.push_back({gpu.name, hertz(gpu.clock), rate > 0 ? format_amount(rate, rate_units) : "", gpu.platform});
  }
  append_section(out, rows, 2);
  std::vector<std::string> short_times(table.tasks.size());
  for (std::size_t i = 0; i < table.steps.size(); ++i)
    if (is_short(table, i))
      short_times[table.steps[i].task] =
          range(table.steps[i], table.cores[table.tasks[table.steps[i].task].core].clock);
  rows = {{"task", "core", "period", "priority", "deadline", "time", "offset", "jitter", "preemption"}};
  for (std::size_t i = 0; i < table.tasks.size(); ++i) {
    const auto& task = table.tasks[i];
    rows.push_back({task.name, table.cores[task.core].name, time(task.period),
                    task.priority ? std::to_string(*task.priority) : "", time(task.deadline), short_times[i],
                    time(task.offset), time(task.jitter), task.preemption});
  }
  append_section(out, rows, 3);
  rows = {{"step", "task", "time", "gpu", "in", "out", "waiting", "process"}};
  for (std::size_t i = 0; i < table.steps.size(); ++i) {
    if (is_short(table, i)) continue;
    const auto& step = table.steps[i];
    const auto& task = table.tasks[step.task];
    const bool offloaded = step.gpu.has_value();
    const Frequency clock = offloaded ? table.gpus[*step.gpu].clock : table.cores[task.core].clock;
    rows.push_back({step.name, task.name, range(step, clock), offloaded ? table.gpus[*step.gpu].name : "",
                    size(step.bytes_in), size(step.bytes_out), offloaded ? step.polls ? "active" : "passive" : "",
                    step.process});
  }
  append_section(out, rows, 3);
  rows = {{"chain", "path", "reaction", "age"}};
  for (const auto& chain : table.chains) {
    std::string path;
    for (const std::size_t task : chain.tasks) path += (path.empty() ? "" : " -> ") + table.tasks[task].name;
    rows.push_back({chain.name, path, time(chain.reaction), time(chain.age)});
  }
  append_section(out, rows, 2);
  return out;
}

}  // namespace amalthea::exporter::tables
