// SPDX-License-Identifier: Apache-2.0
#include "engine/chains/chain_search.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/graph/boost_graph.hpp"
#include "amalthea/primitives/near_miss.hpp"
#include "engine/program/releases.hpp"

namespace amalthea::engine {
namespace {

/// If labels form many cycles, there are far more paths than are useful.
constexpr std::size_t max_search_steps = 1'000'000;

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

tl::expected<TaskIndex, std::string> find_task(const System& system, std::string_view name) {
  if (name.empty()) return tl::unexpected(std::string("expected task names with -> between them, such as A->B->C"));
  std::optional<TaskIndex> found;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    if (system.tasks[task].name != name) continue;
    if (found) return tl::unexpected(fmt::format("several tasks are named \"{}\"; rename all but one", name));
    found = task;
  }
  if (found) return *found;
  return tl::unexpected(
      fmt::format("there is no task \"{}\"{}", name, did_you_mean_or_list(name, system.tasks, &Task::name)));
}

std::string name_of(const System& system, const std::vector<TaskIndex>& tasks) {
  std::string name;
  for (const TaskIndex task : tasks) name += fmt::format("{}{}", name.empty() ? "" : "->", system.tasks[task].name);
  return name;
}

/// By task, the readers of its written labels: in model order, without duplicates.
class LabelFlow {
 public:
  explicit LabelFlow(const System& system) : next_(system.tasks.size()), previous_(system.tasks.size()) {
    const auto releases = releases_of(system);
    const auto edges = boost::edges(system.graph.boost());
    for (auto edge = edges.first; edge != edges.second; ++edge) {
      if (system.graph.boost()[*edge].kind != EdgeKind::data) continue;
      const auto& from = releases[system.graph[boost::source(*edge, system.graph.boost())].task];
      const auto& to = releases[system.graph[boost::target(*edge, system.graph.boost())].task];
      if (!from || !to || from->trigger_path.front() == to->trigger_path.front()) continue;
      next_[from->trigger_path.front()].push_back(to->trigger_path.front());
      previous_[to->trigger_path.front()].push_back(from->trigger_path.front());
    }
    for (auto* lists : {&next_, &previous_})
      for (std::vector<TaskIndex>& tasks : *lists) {
        std::sort(tasks.begin(), tasks.end());
        tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
      }
  }

  const std::vector<TaskIndex>& next(TaskIndex task) const { return next_[task]; }
  const std::vector<TaskIndex>& previous(TaskIndex task) const { return previous_[task]; }

 private:
  std::vector<std::vector<TaskIndex>> next_, previous_;
};

class PathSearch {
 public:
  PathSearch(const System& system, std::size_t limit)
      : system_(system), flow_(system), limit_(limit), on_path_(system.tasks.size(), false) {}

  DerivedChains run() {
    for (TaskIndex task = 0; task < system_.tasks.size() && found_.complete; ++task) search_from(task);
    return std::move(found_);
  }

 private:
  /// Depth first without recursion, since a path may contain all tasks.
  void search_from(TaskIndex first) {
    if (!may_begin(first)) return;
    struct Level {
      std::size_t next = 0;   ///< index into the readers of the path's last task
      bool extended = false;  ///< the path was extended from here
    };
    std::vector<Level> levels = {{}};
    enter(first);
    while (!levels.empty()) {
      Level& level = levels.back();
      const std::vector<TaskIndex>& choices = flow_.next(path_.back());
      while (level.next < choices.size() && on_path_[choices[level.next]]) ++level.next;
      if (level.next < choices.size() && found_.complete) {
        level.extended = true;
        enter(choices[level.next++]);
        levels.emplace_back();
        if (++steps_ > max_search_steps) found_.complete = false;
        continue;
      }
      if (!level.extended && found_.complete) add();
      on_path_[path_.back()] = false;
      path_.pop_back();
      levels.pop_back();
    }
  }

  /// A path that begins with `first` can only be maximal if all writers for it may be on the path.
  bool may_begin(TaskIndex first) const {
    std::vector<bool> reached(system_.tasks.size(), false);
    std::vector<TaskIndex> open = {first};
    while (!open.empty()) {
      const TaskIndex task = open.back();
      open.pop_back();
      for (const TaskIndex next : flow_.next(task))
        if (!reached[next]) {
          reached[next] = true;
          open.push_back(next);
        }
    }
    const auto& before = flow_.previous(first);
    return std::all_of(before.begin(), before.end(), [&](TaskIndex task) { return reached[task]; });
  }

  void enter(TaskIndex task) {
    path_.push_back(task);
    on_path_[task] = true;
  }

  void add() {
    const auto& before = flow_.previous(path_.front());
    if (path_.size() < 2 || std::any_of(before.begin(), before.end(), [&](TaskIndex task) { return !on_path_[task]; }))
      return;
    if (std::any_of(system_.chains.begin(), system_.chains.end(),
                    [&](const Chain& chain) { return chain.tasks == path_; }))
      return;
    if (found_.chains.size() == limit_) {
      found_.complete = false;
      return;
    }
    Chain chain;
    chain.name = name_of(system_, path_);
    chain.tasks = path_;
    chain.source = Chain::Source::label_flow;
    found_.chains.push_back(std::move(chain));
  }

  const System& system_;
  LabelFlow flow_;
  std::size_t limit_;
  std::vector<bool> on_path_;
  std::vector<TaskIndex> path_;
  std::size_t steps_ = 0;
  DerivedChains found_;
};

}  // namespace

tl::expected<Chain, std::string> parse_chain(const System& system, std::string_view text) {
  constexpr std::string_view arrow = "->";
  Chain chain;
  chain.source = Chain::Source::request;
  std::optional<TaskIndex> last;  // as named
  for (std::string_view rest = text;;) {
    const auto end = rest.find(arrow);
    const auto named = find_task(system, trimmed(rest.substr(0, end)));
    if (!named) return tl::unexpected(named.error());
    if (last == *named) return tl::unexpected(fmt::format("task \"{}\" follows itself", system.tasks[*named].name));
    last = *named;
    const TaskIndex task = system.tasks[*named].folded_into.value_or(*named);
    // A removed wrapper and its function may both be named.
    if (chain.tasks.empty() || chain.tasks.back() != task) chain.tasks.push_back(task);
    if (end == std::string_view::npos) break;
    rest = rest.substr(end + arrow.size());
  }
  chain.name = name_of(system, chain.tasks);
  return chain;
}

void report_gaps(const System& system, const Chain& chain, Diagnostics& diagnostics) {
  std::vector<std::pair<TaskIndex, TaskIndex>> connected;
  const auto edges = boost::edges(system.graph.boost());
  for (auto edge = edges.first; edge != edges.second; ++edge)
    if (system.graph.boost()[*edge].kind != EdgeKind::sequence)
      connected.emplace_back(system.graph[boost::source(*edge, system.graph.boost())].task,
                             system.graph[boost::target(*edge, system.graph.boost())].task);
  for (std::size_t i = 1; i < chain.tasks.size(); ++i) {
    const std::pair step(chain.tasks[i - 1], chain.tasks[i]);
    if (std::find(connected.begin(), connected.end(), step) != connected.end()) continue;
    diagnostics.add("AM0530", Severity::note,
                    fmt::format("chain {}: no label, trigger or event in the model leads from \"{}\" to \"{}\"; check "
                                "whether a task between them is missing",
                                chain.name, system.tasks[step.first].name, system.tasks[step.second].name));
  }
}

DerivedChains derive_chains(const System& system, std::size_t limit) { return PathSearch(system, limit).run(); }

void add_derived_chains(System& system, Diagnostics& diagnostics) {
  DerivedChains derived = derive_chains(system, max_derived_chains);
  if (!derived.complete)
    diagnostics.add(
        "AM0531", Severity::warning,
        fmt::format(
            "labels flow along more chains than the search covers; it uses {} of them (add others with --chain)",
            derived.chains.size()));
  for (Chain& chain : derived.chains) system.chains.push_back(std::move(chain));
}

}  // namespace amalthea::engine
