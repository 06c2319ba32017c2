// SPDX-License-Identifier: Apache-2.0
// Chains of a random system, the data that passes along them, and their limits.

#include <variant>

#include "engine/bounds/bounds.hpp"
#include "engine/chains/chain_latency.hpp"
#include "tests/support/random_system/generator.hpp"

namespace test::drawing {

void Generator::pass_data(TaskIndex from, TaskIndex to) {
  const LabelIndex label = add_label(DataSize{0});
  maker_.add(from, WriteLabel{label});
  maker_.add(to, ReadLabel{label});
}

void Generator::make_chain() {
  auto& system = maker_.system();
  std::vector<TaskIndex> tasks;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) tasks.push_back(task);
  if (!flows_.empty() && one_in(2)) {
    const auto [from, to] = any_of(flows_);
    tasks = {from, to};
  } else {
    std::shuffle(tasks.begin(), tasks.end(), random_);
    tasks.resize(static_cast<std::size_t>(draw(1, std::min(4, static_cast<int>(tasks.size())))));
  }
  for (const TaskIndex task : tasks) mark(F::chain, task);
  for (std::size_t i = 1; i < tasks.size(); ++i)
    if (maker_[tasks[i - 1]].side == Side::host && maker_[tasks[i]].side == Side::host)
      pass_data(tasks[i - 1], tasks[i]);
  const std::string name = fmt::format("chain{}", system.chains.size());
  system.chains.push_back({name, std::move(tasks), {}, Chain::Source::request, {}});
}

std::vector<TaskIndex> Generator::some_hosts(int most) {
  std::vector<TaskIndex> tasks;
  for (TaskIndex task = 0; task < maker_.system().tasks.size(); ++task)
    if (maker_[task].side == Side::host) tasks.push_back(task);
  std::shuffle(tasks.begin(), tasks.end(), random_);
  tasks.resize(static_cast<std::size_t>(draw(1, std::min(most, static_cast<int>(tasks.size())))));
  return tasks;
}

void Generator::make_data_chain() {
  auto& system = maker_.system();
  const bool any_host =
      std::any_of(system.tasks.begin(), system.tasks.end(), [](const Task& task) { return task.side == Side::host; });
  if (!any_host) return;
  const std::vector<TaskIndex> tasks = some_hosts(4);
  std::vector<LabelIndex> links;
  for (std::size_t i = 0; i + 1 < tasks.size(); ++i) links.push_back(add_label(DataSize{64 * draw(1, 2)}));
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    mark(F::data_chain, tasks[i]);
    if (i > 0) add_access(tasks[i], links[i - 1], false);
    if (i + 1 < tasks.size()) add_access(tasks[i], links[i], true);
  }
  Chain chain;
  chain.name = fmt::format("data{}", system.chains.size());
  chain.tasks = tasks;
  chain.from_activation = one_in(3);
  if (on(F::chain_limit))
    for (const TaskIndex task : tasks) mark(F::chain_limit, task);
  system.chains.push_back(std::move(chain));
}

void Generator::add_access(TaskIndex task, LabelIndex label, bool write) {
  for (int times = one_in(4) ? 2 : 1; times > 0; --times)
    insert(task, [&] {
      AccessCount count;
      if (use(F::rare_access, task)) count = one_in(2) ? AccessCount{0, 1, 1} : AccessCount{0, 1, 2};
      const auto access = [&] {
        if (write)
          maker_.add(task, WriteLabel{label, count});
        else
          maker_.add(task, ReadLabel{label, count});
      };
      Branch branch;
      switch (draw(1, 7)) {
        case 1:
          branch.alternatives = {{EveryNth{draw(2, 3), draw(0, 1)}, 1}};
          break;
        case 2:
          branch.alternatives = {{Probability{1}, 1}, {Probability{1.0 * draw(0, 2)}, 0}};
          break;
        case 3:
          branch.alternatives = {{ModeCondition{{{ModeTest{0, Relation::equal, draw(0, 1), {}}}}}, 1}};
          break;
        case 4: {
          const RunnableIndex runnable = new_runnable();
          maker_.add(task, Call{});
          in_runnable(task, runnable);
          access();
          return in_runnable(task, runnable);
        }
        case 5: {
          auto& modes = maker_.system().modes;
          const auto counter = static_cast<ModeIndex>(modes.size());
          modes.push_back({fmt::format("count{}", counter), 0, {}});
          maker_.add(task, SetMode{counter, SetMode::Operation::set, 0});
          branch.repeats = true;
          branch.alternatives = {{ModeCondition{{{ModeTest{counter, Relation::less, draw(0, 2), {}}}}}, 2}};
          maker_.add(task, branch);
          access();
          return maker_.add(task, SetMode{counter, SetMode::Operation::increment, 1});
        }
        default:
          return access();
      }
      maker_.add(task, branch);
      access();
    });
}

template <typename Fill>
void Generator::insert(TaskIndex task, Fill fill) {
  const auto& graph = maker_.system().graph;
  std::vector<std::size_t> places;
  const std::size_t size = maker_[task].body.size();
  for (std::size_t i = 0; i < size; ++i) {
    const GraphNode& node = graph[maker_[task].body[i]];
    if (node.depth == 0 || (node.depth == 1 && std::holds_alternative<Call>(node.activity))) places.push_back(i);
    if (const auto* branch = std::get_if<Branch>(&node.activity))
      for (const Branch::Alternative& alternative : branch->alternatives) i += alternative.length;
  }
  places.push_back(size);
  const std::size_t place = any_of(places);
  fill();
  auto& body = maker_[task].body;
  std::rotate(body.begin() + static_cast<std::ptrdiff_t>(place), body.begin() + static_cast<std::ptrdiff_t>(size),
              body.end());
}

void Generator::add_chain_limits(RandomSystem& made) {
  System& system = made.system;
  std::vector<const engine::DeviceProfile*> devices(system.platform.units.size(), nullptr);
  for (const UnitIndex gpu : gpus_) devices[gpu] = &made.profile;
  engine::CompileOptions compile;
  compile.memory = made.memory;
  const auto chains = engine::chain_latencies(system, engine::system_bounds(system, devices, compile).tasks);
  for (std::size_t at = 0; at < system.chains.size(); ++at) {
    Chain& chain = system.chains[at];
    if (!chain.name.starts_with("data")) continue;
    for (const ChainLimit::Kind kind : {ChainLimit::Kind::reaction, ChainLimit::Kind::age}) {
      const auto& bounds = one_in(2) ? chains[at].explicit_access : chains[at].implicit;
      ChainLimit limit;
      limit.name = fmt::format("{} of {}", kind == ChainLimit::Kind::age ? "age" : "reaction", chain.name);
      std::replace(limit.name.begin(), limit.name.end(), ' ', '_');
      limit.kind = kind;
      const Duration bound =
          bounds ? kind == ChainLimit::Kind::age ? bounds->age : bounds->reaction : us(draw(50, 600));
      limit.maximum = one_in(2)   ? bound
                      : one_in(2) ? std::max(us(1), bound - us(1))
                                  : scale(bound, draw(40, 110), 100, Rounding::nearest);
      if (one_in(4)) limit.minimum = us(draw(1, 10));
      chain.limits.push_back(std::move(limit));
    }
  }
}

}  // namespace test::drawing
