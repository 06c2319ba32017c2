// SPDX-License-Identifier: Apache-2.0
// CSV → SystemTable.

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/primitives/ascii.hpp"
#include "amalthea/primitives/near_miss.hpp"
#include "amalthea/primitives/spreadsheet.hpp"
#include "amalthea/views/operating_system.hpp"
#include "engine/gpu/device_profile.hpp"
#include "exporter/tables/system_table.hpp"
#include "exporter/tables/table_quantity.hpp"

namespace amalthea::exporter::tables {
namespace {

constexpr std::size_t most_mistakes = 100, longest_name = 200, longest_line = 100'000;

struct SectionForm {
  std::string_view name;
  std::vector<std::string_view> columns;  ///< the first one is that of the name
  std::size_t required;                   ///< that many columns
};
const std::array<SectionForm, 5>& section_forms() {
  static const std::array<SectionForm, 5> forms{{
      {"core", {"core", "frequency", "scheduler"}, 1},
      {"gpu", {"gpu", "frequency", "bandwidth", "platform"}, 1},
      {"task", {"task", "core", "period", "priority", "deadline", "time", "offset", "jitter", "preemption"}, 3},
      {"step", {"step", "task", "time", "gpu", "in", "out", "waiting", "process"}, 3},
      {"chain", {"chain", "path", "reaction", "age"}, 2},
  }};
  return forms;
}

const SectionForm* form_named(std::string_view title) {
  const auto& forms = section_forms();
  const auto found =
      std::find_if(forms.begin(), forms.end(), [&](const SectionForm& form) { return form.name == lower_case(title); });
  return found == forms.end() ? nullptr : &*found;
}

std::string listed(const std::vector<std::string_view>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

struct Cell {
  std::string text;
  std::uint32_t line = 0, column = 0;
};
using Line = std::vector<Cell>;

/// A row of a section: its cells by the names of the columns.
struct Row {
  std::map<std::string_view, Cell> cells;
  const Cell& operator[](std::string_view column) const {
    static const Cell none;
    const auto cell = cells.find(column);
    return cell == cells.end() ? none : cell->second;
  }
};

class Reader {
 public:
  Reader(const std::string& path, const GivenPlatform* platform, Diagnostics& findings)
      : path_(path), platform_(platform), findings_(findings) {}

  std::optional<SystemTable> read(std::string_view text) {
    split(text);
    if (mistakes_ > 0) return std::nullopt;
    if (rows_["task"].empty()) fail({}, "the table has no task; expected a line task,core,period,time and its tasks");
    read_platform();
    for (const Row& row : rows_["task"]) read_task(row);
    for (const Row& row : rows_["step"]) read_step(row);
    std::stable_sort(steps_.begin(), steps_.end(), [](const auto& a, const auto& b) { return a.task < b.task; });
    for (SystemTable::Step& step : steps_) {
      if (!step.gpu) on_core_.insert(step.task);
      table_.steps.push_back(std::move(step));
    }
    for (const Row& row : rows_["chain"]) read_chain(row);
    if (mistakes_ == 0) check_work();
    if (mistakes_ > 0) return std::nullopt;
    assume();
    return std::move(table_);
  }

 private:
  void fail(const Cell& at, const std::string& message) {
    if (++mistakes_ > most_mistakes) return;
    findings_.add("AM0121", Severity::error, message, {path_, at.line, at.column});
  }

  // ---- lines and cells

  void split(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    if (text.find('\0') != text.npos) return fail({}, "this is no text in UTF-8; save the table as CSV in UTF-8");
    std::uint32_t number = 0;
    std::size_t content = 0;
    const SectionForm* section = nullptr;
    std::vector<std::string_view> columns;
    while (!text.empty() && mistakes_ == 0) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line.ends_with('\r')) line.remove_suffix(1);
      ++number;
      if (line.size() > longest_line) return fail({{}, number, 1}, "this line is too long for a table");
      if (trimmed(line).starts_with('#')) continue;
      if (separator_ == '\0') separator_ = separator_of(line);
      const Line cells = cells_of(line, number);
      const auto used = [](const Cell& cell) { return !cell.text.empty(); };
      if (std::none_of(cells.begin(), cells.end(), used)) continue;
      if (++content > most_table_rows)
        return fail(cells.front(), fmt::format("a table has at most {} rows", most_table_rows));
      if (const SectionForm* const form = form_of(cells)) {
        section = form;
        columns = read_header(cells, *form);
      } else if (section != nullptr) {
        read_row(cells, *section, columns);
      } else {
        return fail(cells.front(),
                    "expected a line of titles that begins with core, gpu, task, step or chain, such as "
                    "task,core,period,time");
      }
    }
  }

  /// Spreadsheets write what is usual in their country.
  static char separator_of(std::string_view line) {
    const std::size_t at = line.find_first_of(",;\t");
    return at == line.npos ? '\0' : line[at];
  }

  Line cells_of(std::string_view line, std::uint32_t number) {
    Line cells;
    std::uint32_t column = 1;
    const auto characters = [](std::string_view text) {
      return static_cast<std::uint32_t>(std::count_if(
          text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
    };
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t blanks = std::min(line.find_first_not_of(" \t", at) - at, line.size() - at);
      const bool tabs = separator_ == '\t';
      const std::size_t first = tabs ? at : at + blanks;
      Cell cell{{}, number, column + static_cast<std::uint32_t>(first - at)};
      std::size_t end = first;
      if (first < line.size() && line[first] == '"') {
        for (++end; end < line.size() && (line[end] != '"' || (end + 1 < line.size() && line[end + 1] == '"')); ++end) {
          cell.text += line[end];
          if (line[end] == '"') ++end;
        }
        if (end >= line.size()) {
          fail(cell, "this quoted cell does not end on its line");
          return cells;
        }
        const std::size_t after = std::min(line.find_first_not_of(" \r", end + 1), line.size());
        if (after < line.size() && line[after] != separator_) {
          fail(cell, "there is text behind the closing quote; write a quote within a cell twice");
          return cells;
        }
        end = after;
      } else {
        end = std::min(line.find(separator_, first), line.size());
        cell.text = trimmed(line.substr(first, end - first));
      }
      cell.text = std::string(unguarded_cell(trimmed(cell.text)));
      cells.push_back(std::move(cell));
      column += characters(line.substr(at, end + 1 - at));
      at = end + 1;
    }
    return cells;
  }

  /// The section that the line begins, if it is one of titles. A core may be called "Core", but titles have no digits,
  /// and a row states an amount.
  static const SectionForm* form_of(const Line& cells) {
    const SectionForm* const form = form_named(cells.front().text);
    const auto has_digit = [](const Cell& cell) { return cell.text.find_first_of("0123456789") != cell.text.npos; };
    return form != nullptr && std::none_of(cells.begin(), cells.end(), has_digit) ? form : nullptr;
  }

  std::vector<std::string_view> read_header(const Line& cells, const SectionForm& form) {
    std::vector<std::string_view> columns;
    for (const Cell& cell : cells) {
      const std::string title = lower_case(cell.text);
      const auto known = std::find(form.columns.begin(), form.columns.end(), title);
      if (known == form.columns.end() && !title.empty())
        fail(cell, fmt::format("a section of {}s has no column \"{}\"{}; its columns are {}", form.name, cell.text,
                               did_you_mean(title, form.columns), listed(form.columns)));
      else if (!title.empty() && std::find(columns.begin(), columns.end(), *known) != columns.end())
        fail(cell, fmt::format("the column \"{}\" stands twice", title));
      columns.push_back(known == form.columns.end() ? std::string_view() : *known);
    }
    for (std::size_t i = 0; i < form.required && mistakes_ == 0; ++i)
      if (std::find(columns.begin(), columns.end(), form.columns[i]) == columns.end())
        fail(cells.front(), fmt::format("the column \"{}\" is missing; a section of {}s has the columns {}",
                                        form.columns[i], form.name, listed(form.columns)));
    return columns;
  }

  void read_row(const Line& cells, const SectionForm& form, const std::vector<std::string_view>& columns) {
    Row row;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i < columns.size() && !columns[i].empty()) {
        row.cells[columns[i]] = cells[i];
      } else if (!cells[i].text.empty()) {
        fail(cells[i], fmt::format("\"{}\" stands in a column without a title", cells[i].text));
      }
    }
    // Where something is missing, the place is that of the name.
    for (const std::string_view column : form.columns)
      if (row[column].text.empty()) row.cells[column] = {{}, cells.front().line, cells.front().column};
    rows_[form.name].push_back(std::move(row));
  }

  // ---- values

  std::string name(const Cell& cell, std::string_view what, std::map<std::string, std::size_t>& known) {
    if (cell.text.empty())
      fail(cell, fmt::format("the name of a {} is missing", what));
    else if (!is_table_name(cell.text))
      fail(cell,
           fmt::format("\"{}\" cannot be a name: it begins with #, contains -> or what cannot be shown, or has more "
                       "than {} bytes",
                       cell.text, longest_name));
    else if (!known.emplace(cell.text, known.size()).second)
      fail(cell, fmt::format("there are two {}s with the name \"{}\"", what, cell.text));
    return cell.text;
  }

  std::optional<std::size_t> find(const Cell& cell, std::string_view what,
                                  const std::map<std::string, std::size_t>& known) {
    const auto found = known.find(cell.text);
    if (found != known.end()) return found->second;
    const auto name_of = [](const auto& entry) { return std::string_view(entry.first); };
    fail(cell, cell.text.empty() ? fmt::format("the {} is missing", what)
                                 : fmt::format("there is no {} \"{}\"{}", what, cell.text,
                                               did_you_mean_or_list(cell.text, known, name_of)));
    return std::nullopt;
  }

  std::int64_t amount(const Cell& cell, std::span<const AmountUnit> units, bool positive) {
    const auto value = parse_amount(cell.text, units);
    if (!value)
      fail(cell, value.error());
    else if (positive && *value == 0)
      fail(cell, fmt::format("\"{}\": expected more than zero", cell.text));
    return value.value_or(0);
  }
  std::optional<Duration> time(const Cell& cell, bool positive = true) {
    if (cell.text.empty()) return std::nullopt;
    return Duration::picoseconds(amount(cell, time_units, positive));
  }

  /// One of the words; the first one if there is none.
  std::string word(const Cell& cell, const std::vector<std::string_view>& words) {
    const std::string given = lower_case(cell.text);
    if (given.empty() || std::find(words.begin(), words.end(), given) != words.end())
      return given.empty() ? std::string(words.front()) : given;
    fail(cell, fmt::format("\"{}\": expected one of {}{}", cell.text, listed(words), did_you_mean(given, words)));
    return {};
  }

  /// Ticks of a clock: "2..3 ms", "2 ms..3 ms", "3 ms" (at most), "1000..2000 ticks".
  void read_time(const Cell& cell, Frequency clock, std::string_view unit, SystemTable::Step& step) {
    const std::string_view text = cell.text;
    const std::size_t dots = text.find("..");
    std::string_view most = dots == text.npos ? text : trimmed(text.substr(dots + 2));
    std::string least = dots == text.npos ? "0" : std::string(trimmed(text.substr(0, dots)));
    const std::string_view suffix = most.substr(std::min(most.find_first_not_of("0123456789."), most.size()));
    if (least.empty()) least = "0";
    if (least.find_first_not_of("0123456789.") == least.npos) least.append(suffix);
    const auto bound = [&](std::string_view one) -> std::int64_t {
      if (trimmed(suffix) == "ticks") {
        const auto ticks = parse_integer(one.substr(0, std::min(one.find_first_not_of("0123456789"), one.size())));
        if (!ticks || !trimmed(one).ends_with("ticks") || *ticks > longest_simulation.picoseconds())
          fail(cell, fmt::format("\"{}\": expected a whole number of ticks, such as 1000 ticks", text));
        return ticks.value_or(0);
      }
      const auto value = parse_amount(one, time_units);
      if (!value) {
        fail(cell, value.error() + ", a range such as 2..3 ms, or ticks");
        return 0;
      }
      const amalthea::detail::Int128 scaled = static_cast<amalthea::detail::Int128>(*value) * clock.millihertz();
      constexpr amalthea::detail::Int128 one_tick = 1'000'000'000'000'000;
      if (scaled % one_tick != 0)
        fail(cell,
             fmt::format("\"{}\" is no whole number of ticks of {}, which runs at {}; write another time, or ticks",
                         one, unit, format_amount(clock.millihertz(), frequency_units)));
      return scaled / one_tick > longest_simulation.picoseconds() ? longest_simulation.picoseconds()
                                                                  : static_cast<std::int64_t>(scaled / one_tick);
    };
    const std::size_t before = mistakes_;
    step.most = bound(most);
    if (mistakes_ == before) step.least = bound(least);
    if (mistakes_ == before && step.most == 0) fail(cell, fmt::format("\"{}\": expected more than zero", text));
    if (mistakes_ == before && step.least > step.most)
      fail(cell, fmt::format("\"{}\": the shortest time comes first", text));
    single_times_ = single_times_ || dots == text.npos;
  }

  // ---- sections

  Frequency frequency(const Row& row, bool& open) {
    const Cell& cell = row["frequency"];
    if (!cell.text.empty()) return Frequency::millihertz(amount(cell, frequency_units, true));
    open = true;
    return one_gigahertz;
  }

  void read_platform() {
    if (platform_ != nullptr) {
      for (const std::string_view section : {"core", "gpu"})
        for (const Row& row : rows_[section])
          fail(row[section], "the platform is that of --from; remove the cores and GPUs from the table");
      table_.cores = platform_->cores;
      table_.gpus = platform_->gpus;
      for (const auto& core : table_.cores) cores_.emplace(core.name, cores_.size());
      for (const auto& gpu : table_.gpus) gpus_.emplace(gpu.name, gpus_.size());
      return;
    }
    for (const Row& row : rows_["core"]) {
      const std::string core = name(row["core"], "core", cores_);
      const Frequency clock = frequency(row, open_cores_);
      const Cell& scheduler = row["scheduler"];
      open_cores_ = open_cores_ || scheduler.text.empty();
      table_.cores.push_back({core, clock, scheduler_of(scheduler)});
    }
    for (const Row& row : rows_["gpu"]) {
      bool open = false;
      const std::string gpu = name(row["gpu"], "GPU", gpus_);
      const Frequency clock = frequency(row, open);
      const Cell& rate = row["bandwidth"];
      const Cell& platform = row["platform"];
      if (!platform.text.empty() && engine::find_profile(platform.text) == nullptr)
        fail(platform,
             fmt::format("there is no GPU platform \"{}\"{}", platform.text,
                         did_you_mean_or_list(platform.text, engine::built_in_profiles(),
                                              [](const auto& profile) { return std::string_view(profile.name); })));
      table_.gpus.push_back({gpu, clock, DataRate{rate.text.empty() ? 0 : amount(rate, rate_units, true)},
                             platform.text.empty() ? "generic" : platform.text});
      if (open) open_gpus_.push_back("run at 1 GHz");
      if (platform.text.empty()) open_gpus_.push_back("have the profile generic");
    }
    // A core that only tasks name needs no line of its own.
    if (rows_["core"].empty())
      for (const Row& row : rows_["task"])
        if (const Cell& core = row["core"]; !core.text.empty() && cores_.count(core.text) == 0) {
          table_.cores.push_back({name(core, "core", cores_), one_gigahertz, {}});
          open_cores_ = true;
        }
  }

  SchedulingAlgorithm scheduler_of(const Cell& cell) {
    constexpr std::array known{SchedulingAlgorithm::fixed_priority_preemptive, SchedulingAlgorithm::osek,
                               SchedulingAlgorithm::rate_monotonic, SchedulingAlgorithm::deadline_monotonic,
                               SchedulingAlgorithm::earliest_deadline_first};
    if (cell.text.empty()) return known.front();
    const auto algorithm = views::algorithm_of_name(cell.text).kind;
    if (algorithm && std::find(known.begin(), known.end(), *algorithm) != known.end()) return *algorithm;
    std::vector<std::string_view> names;
    for (const SchedulingAlgorithm one : known) names.push_back(traits_of(one).name);
    fail(cell, fmt::format("\"{}\": expected one of {}{}", cell.text, listed(names), did_you_mean(cell.text, names)));
    return known.front();
  }

  void read_task(const Row& row) {
    SystemTable::Task task;
    const std::size_t before = mistakes_;
    task.name = name(row["task"], "task", tasks_);
    const bool named = mistakes_ == before;
    const auto core = find(row["core"], "core", cores_);
    task.core = core.value_or(0);
    if (row["period"].text.empty()) fail(row["period"], "the period is missing");
    task.period = time(row["period"]).value_or(Duration());
    task.deadline = time(row["deadline"]);
    task.offset = time(row["offset"], false);
    task.jitter = time(row["jitter"], false);
    task.preemption = word(row["preemption"], {"preemptive", "cooperative", "non_preemptive"});
    open_preemption_ = open_preemption_ || row["preemption"].text.empty();
    if (!task.deadline) without_deadline_.push_back(task.name);
    if (core) check_urgency(row, table_.cores[*core], task);
    if (const Cell& cell = row["time"]; !cell.text.empty() && core) {
      SystemTable::Step step;
      step.name = task.name;
      step.task = table_.tasks.size();
      read_time(cell, table_.cores[*core].clock, table_.cores[*core].name, step);
      if (named) name({task.name, cell.line, cell.column}, "step", step_names_);
      steps_.push_back(std::move(step));
    }
    task_cells_.push_back(row["task"]);
    table_.tasks.push_back(std::move(task));
  }

  void check_urgency(const Row& row, const SystemTable::Core& core, SystemTable::Task& task) {
    const Cell& priority = row["priority"];
    const std::string_view algorithm = traits_of(core.scheduler).name;
    if (needs_priority(core.scheduler)) {
      const auto value = parse_integer(priority.text);
      if (!value || *value < 0 || *value > most_priority)
        fail(priority, fmt::format("{} expected a whole number of 0 or more; the larger, the more urgent",
                                   priority.text.empty() ? "the priority is missing:" : "\"" + priority.text + "\":"));
      else
        task.priority = *value;
    } else if (!priority.text.empty()) {
      fail(priority, fmt::format("a priority has no effect on {}, which schedules by {}", core.name, algorithm));
    }
    if (needs_deadline(core.scheduler) && !task.deadline)
      fail(row["deadline"], fmt::format("the deadline is missing, by which {} schedules ({})", core.name, algorithm));
  }

  void read_step(const Row& row) {
    SystemTable::Step step;
    step.name = name(row["step"], "step", step_names_);
    const auto task = find(row["task"], "task", tasks_);
    step.task = task.value_or(0);
    const Cell& gpu = row["gpu"];
    if (!gpu.text.empty()) step.gpu = find(gpu, "GPU", gpus_);
    for (const auto& [column, bytes] : {std::pair{"in", &step.bytes_in}, std::pair{"out", &step.bytes_out}}) {
      const Cell& cell = row[column];
      if (cell.text.empty()) continue;
      *bytes = amount(cell, size_units, false);
      const bool reachable = platform_ != nullptr ? !platform_->memory.empty()
                                                  : step.gpu && table_.gpus[*step.gpu].bandwidth.bytes_per_second > 0;
      if (step.gpu && *bytes > 0 && !reachable)
        fail(cell, fmt::format("a copy takes time by the bandwidth of {} to a memory, which is missing", gpu.text));
    }
    step.polls = word(row["waiting"], {"passive", "active"}) == "active";
    step.process = row["process"].text;
    if (!step.process.empty() && !is_table_name(step.process))
      fail(row["process"], fmt::format("\"{}\" cannot be the name of a process", step.process));
    for (const std::string_view column : {"in", "out", "waiting", "process"})
      if (gpu.text.empty() && !row[column].text.empty())
        fail(row[column], fmt::format("the column {} is for steps on a GPU", column));
    if (row["time"].text.empty())
      fail(row["time"], "the time is missing");
    else if (task && step.gpu)
      read_time(row["time"], table_.gpus[*step.gpu].clock, table_.gpus[*step.gpu].name, step);
    else if (task && gpu.text.empty() && *task < table_.tasks.size()) {
      const SystemTable::Core& core = table_.cores[table_.tasks[*task].core];
      read_time(row["time"], core.clock, core.name, step);
    }
    if (step.gpu) {
      open_waiting_ = open_waiting_ || row["waiting"].text.empty();
      open_process_ = open_process_ || step.process.empty();
    }
    steps_.push_back(std::move(step));
  }

  void read_chain(const Row& row) {
    SystemTable::Chain chain;
    chain.name = name(row["chain"], "chain", chains_);
    const Cell& path = row["path"];
    const std::size_t before = mistakes_;
    std::string_view left = path.text;
    while (!left.empty()) {
      const std::size_t end = std::min(left.find("->"), left.size());
      const auto task = find({std::string(trimmed(left.substr(0, end))), path.line, path.column}, "task", tasks_);
      if (task && std::find(chain.tasks.begin(), chain.tasks.end(), *task) != chain.tasks.end())
        fail(path, fmt::format("the chain visits \"{}\" twice", trimmed(left.substr(0, end))));
      if (task && on_core_.count(*task) == 0)
        fail(path,
             fmt::format("\"{}\" executes nothing on its core, where it would read and write the data of the chain; "
                         "give it a step without a GPU",
                         table_.tasks[*task].name));
      if (task) chain.tasks.push_back(*task);
      left.remove_prefix(std::min(end + 2, left.size()));
    }
    if (mistakes_ == before && chain.tasks.size() < 2)
      fail(path, "expected a path of two or more tasks, such as Sense -> Plan -> Act");
    if (platform_ != nullptr && platform_->memory.empty())
      fail(path, "the platform has no access to a memory, through which the tasks of a chain could pass data");
    chain.reaction = time(row["reaction"]);
    chain.age = time(row["age"]);
    if (!chain.reaction && !chain.age) fail(row["chain"], "the chain has no limit; state its reaction or its age");
    table_.chains.push_back(std::move(chain));
  }

  void check_work() {
    std::vector<bool> works(table_.tasks.size(), false);
    for (const SystemTable::Step& step : table_.steps) works[step.task] = true;
    for (std::size_t i = 0; i < works.size(); ++i)
      if (!works[i])
        fail(task_cells_[i], fmt::format("task \"{}\" has neither a time nor a step", table_.tasks[i].name));
  }

  void assume() {
    auto& said = table_.assumptions;
    if (open_cores_)
      said.emplace_back("cores run at 1 GHz and schedule by fixed priorities where nothing else is stated");
    std::sort(open_gpus_.begin(), open_gpus_.end());
    open_gpus_.erase(std::unique(open_gpus_.begin(), open_gpus_.end()), open_gpus_.end());
    for (const std::string& what : open_gpus_) said.push_back("GPUs " + what + " where nothing else is stated");
    if (single_times_) said.emplace_back("a time of one value is the longest one; the shortest is 0");
    if (open_preemption_) said.emplace_back("tasks are preemptive where nothing else is stated");
    if (open_waiting_) said.emplace_back("a task leaves its core to others while it waits for a GPU (passive)");
    if (open_process_) said.emplace_back("each step on a GPU is a process of its own where none is stated");
    if (!table_.chains.empty())
      said.emplace_back(platform_ == nullptr ? "what tasks of chains exchange takes no time beside that of their steps"
                                             : "tasks of chains pass 1 B to the next one, through the memory");
    if (!without_deadline_.empty())
      said.push_back(fmt::format(
          "no deadline limits {}{}", without_deadline_.front(),
          without_deadline_.size() == 1 ? std::string() : fmt::format(" and {} more", without_deadline_.size() - 1)));
  }

  static constexpr Frequency one_gigahertz = Frequency::millihertz(1'000'000'000'000);

  const std::string& path_;
  const GivenPlatform* platform_;
  Diagnostics& findings_;
  std::size_t mistakes_ = 0;
  char separator_ = '\0';
  std::map<std::string_view, std::vector<Row>> rows_;
  SystemTable table_;
  std::map<std::string, std::size_t> cores_, gpus_, tasks_, step_names_, chains_;
  std::vector<SystemTable::Step> steps_;
  std::set<std::size_t> on_core_;  // tasks with a step there
  std::vector<Cell> task_cells_;
  bool open_cores_ = false, single_times_ = false, open_preemption_ = false, open_waiting_ = false,
       open_process_ = false;
  std::vector<std::string> open_gpus_, without_deadline_;
};

}  // namespace

bool is_table_name(std::string_view name) {
  return !name.empty() && name.size() <= longest_name && trimmed(name) == name && one_line(name) == name &&
         name.find("->") == name.npos && name.front() != '#';
}

bool needs_priority(SchedulingAlgorithm algorithm) { return traits_of(algorithm).order == UrgencyOrder::priority; }

bool needs_deadline(SchedulingAlgorithm algorithm) {
  return traits_of(algorithm).order == UrgencyOrder::relative_deadline ||
         traits_of(algorithm).order == UrgencyOrder::absolute_deadline;
}

std::optional<SystemTable> read_table(const std::string& path, std::string_view text, const GivenPlatform* platform,
                                      Diagnostics& findings) {
  return Reader(path, platform, findings).read(text);
}

}  // namespace amalthea::exporter::tables
