// SPDX-License-Identifier: Apache-2.0
#include "engine/devices/launch_order.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

namespace amalthea::engine::gpu {
namespace {

/// Whether the first one, which is submitted before the second one, must stay before it.
bool must_precede(const StreamScenario& scenario, std::size_t first, std::size_t second) {
  const StreamOperation& a = scenario.operations[first];
  const StreamOperation& b = scenario.operations[second];
  if (a.stream == b.stream) return true;
  const Stream& of_a = scenario.streams[a.stream];
  const Stream& of_b = scenario.streams[b.stream];
  return of_a.context == of_b.context && (of_a.is_null || of_b.is_null || a.pageable || b.pageable);
}

/// The operations of one release: their places in the order of submission.
using Group = std::vector<std::size_t>;

/// Those that have more than one order: without independent neighbors there is a single one.
std::vector<Group> groups_of(const StreamScenario& scenario) {
  std::map<Instant, Group> by_release;
  for (std::size_t operation = 0; operation < scenario.operations.size(); ++operation)
    by_release[scenario.operations[operation].release].push_back(operation);
  std::vector<Group> groups;
  for (auto& [release, group] : by_release)
    if (std::adjacent_find(group.begin(), group.end(), [&](std::size_t first, std::size_t second) {
          return !must_precede(scenario, first, second);
        }) != group.end())
      groups.push_back(std::move(group));
  return groups;
}

/// More operations have too many orders, or take too long to enumerate.
constexpr std::size_t most_enumerated = 200;

std::vector<std::size_t> given_order(const StreamScenario& scenario) {
  std::vector<std::size_t> order(scenario.operations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

/// Visits every order, from the given one on, while `visit` returns true. Each group in turn takes each of its operations
/// whose predecessors are placed.
class Enumeration {
 public:
  explicit Enumeration(const StreamScenario& scenario)
      : scenario_(scenario), groups_(groups_of(scenario)), order_(given_order(scenario)), placed_(order_.size()) {}

  template <typename Visit>
  bool visit_all(const Visit& visit, std::size_t group = 0, std::size_t position = 0) {
    if (group == groups_.size()) return visit(order_);
    const Group& places = groups_[group];
    if (position == places.size()) return visit_all(visit, group + 1, 0);
    for (const std::size_t operation : places) {
      if (placed_[operation] || !is_free(places, operation)) continue;
      placed_[operation] = true;
      order_[places[position]] = operation;
      const bool go_on = visit_all(visit, group, position + 1);
      placed_[operation] = false;
      if (!go_on) return false;
    }
    return true;
  }

 private:
  bool is_free(const Group& places, std::size_t operation) const {
    return std::none_of(places.begin(), std::find(places.begin(), places.end(), operation), [&](std::size_t earlier) {
      return !placed_[earlier] && must_precede(scenario_, earlier, operation);
    });
  }

  const StreamScenario& scenario_;
  std::vector<Group> groups_;
  std::vector<std::size_t> order_;
  std::vector<bool> placed_;
};

class Search {
 public:
  Search(const StreamScenario& scenario, const LaunchOrderSearch& search) : scenario_(scenario), search_(search) {}

  tl::expected<LaunchOrders, std::string> run() {
    if (!scenario_.loops.empty())
      return tl::unexpected<std::string>("its programs repeat; only operations with a release have a launch order");
    if (!try_order(given_order(scenario_))) return tl::unexpected(error_);
    found_.all = count_launch_orders(scenario_, search_.orders + 1) <= search_.orders;
    if (found_.all) {
      bool is_given = true;
      Enumeration(scenario_).visit_all([&](const auto& order) {
        if (std::exchange(is_given, false)) return true;
        return try_order(order).has_value();
      });
    } else {
      walk();
    }
    if (!error_.empty()) return tl::unexpected(error_);
    return std::move(found_);
  }

 private:
  std::optional<LaunchOrder> try_order(const std::vector<std::size_t>& operations) {
    const auto run = simulate_streams(in_order(scenario_, operations), search_.max_steps);
    if (!run) {
      error_ = run.error();
      return std::nullopt;
    }
    LaunchOrder order{operations, {}, {}};
    std::optional<Instant> first, last;
    for (std::size_t place = 0; place < operations.size(); ++place) {
      const Instant release = scenario_.operations[operations[place]].release;
      const Instant end = run->operations[place].completion;
      first = first ? std::min(*first, release) : release;
      last = last ? std::max(*last, end) : end;
      order.sum_of_responses += end - release;
    }
    if (first) order.length = *last - *first;
    const auto cost = [](const LaunchOrder& of) { return std::pair(of.length, of.sum_of_responses); };
    if (found_.tried++ == 0)
      found_.given = found_.best = found_.worst = order;
    else if (cost(order) < cost(found_.best))
      found_.best = order;
    else if (cost(order) > cost(found_.worst))
      found_.worst = order;
    return order;
  }

  /// Swaps neighbors of a group; keeps what is not worse, and starts again from the best order when nothing helps.
  void walk() {
    constexpr int patience = 50;
    std::mt19937_64 random(search_.seed);
    const std::vector<Group> groups = groups_of(scenario_);
    const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
    LaunchOrder now = found_.given;
    int in_vain = 0;
    // A step may find no pair that can be swapped, so the number of steps has a limit, too.
    for (std::uint64_t step = 0; step < 20 * search_.orders && found_.tried < search_.orders; ++step) {
      std::vector<std::size_t> order = now.operations;
      // Where nothing has helped for long, several swaps leave the surroundings.
      const std::size_t swaps = in_vain > patience ? 1 + below(8) : 1;
      bool changed = false;
      for (std::size_t swap = 0; swap < swaps; ++swap) {
        const Group& places = groups[below(groups.size())];
        const std::size_t at = below(places.size() - 1);
        std::size_t& first = order[places[at]];
        std::size_t& second = order[places[at + 1]];
        if (must_precede(scenario_, std::min(first, second), std::max(first, second))) continue;
        std::swap(first, second);
        changed = true;
      }
      if (!changed) continue;
      const auto tried = try_order(order);
      if (!tried) return;
      const bool helps = tried->length < now.length;
      if (tried->length <= now.length || in_vain > patience) now = *tried;
      in_vain = helps ? 0 : in_vain + 1;
      if (in_vain > 2 * patience) {
        now = found_.best;
        in_vain = 0;
      }
    }
  }

  const StreamScenario& scenario_;
  const LaunchOrderSearch& search_;
  LaunchOrders found_;
  std::string error_;
};

}  // namespace

std::uint64_t count_launch_orders(const StreamScenario& scenario, std::uint64_t limit) {
  std::size_t operations = 0;
  for (const Group& group : groups_of(scenario)) operations += group.size();
  if (operations > most_enumerated) return limit;
  std::uint64_t count = 0;
  Enumeration(scenario).visit_all([&](const auto&) { return ++count < limit; });
  return count;
}

tl::expected<LaunchOrders, std::string> search_launch_orders(const StreamScenario& scenario,
                                                             const LaunchOrderSearch& search) {
  return Search(scenario, search).run();
}

StreamScenario in_order(const StreamScenario& scenario, const std::vector<std::size_t>& operations) {
  StreamScenario ordered = scenario;
  for (std::size_t place = 0; place < operations.size(); ++place)
    ordered.operations[place] = scenario.operations[operations[place]];
  return ordered;
}

}  // namespace amalthea::engine::gpu
