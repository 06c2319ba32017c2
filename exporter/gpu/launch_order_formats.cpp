// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "amalthea/quantity.hpp"
#include "exporter/gpu/answers.hpp"
#include "exporter/primitives/text_table.hpp"

namespace amalthea::exporter {
namespace {

using engine::gpu::LaunchOrder;
using nlohmann::ordered_json;

std::string label_of(const engine::gpu::StreamScenario& scenario, std::size_t index) {
  const engine::gpu::StreamOperation& operation = scenario.operations[index];
  const engine::gpu::Stream& stream = scenario.streams[operation.stream];
  const std::string name = stream.is_null ? "(NULL)" : stream.name;
  return scenario.contexts.size() > 1 ? fmt::format("{}/{}", scenario.contexts[stream.context].name, name) : name;
}

/// By how much an order is shorter than another one, from 0 to 1.
double saved(const LaunchOrder& order, const LaunchOrder& than) {
  if (than.length.is_zero()) return 0;
  return 1 - static_cast<double>(order.length.picoseconds()) / static_cast<double>(than.length.picoseconds());
}

/// Where each operation of the scenario is in an order.
std::vector<std::size_t> places_in(const LaunchOrder& order) {
  std::vector<std::size_t> places(order.operations.size());
  for (std::size_t place = 0; place < places.size(); ++place) places[order.operations[place]] = place;
  return places;
}

}  // namespace

std::string render_json(const LaunchOrderAnswer& answer) {
  const auto& [scenario, orders, given, best] = answer;
  const auto order_json = [&](const LaunchOrder& order) {
    return ordered_json{{"length_ps", order.length.picoseconds()},
                        {"sum_of_responses_ps", order.sum_of_responses.picoseconds()},
                        {"operations", order.operations}};
  };
  ordered_json json{{"orders", orders.tried},
                    {"all", orders.all},
                    {"saved", saved(orders.best, orders.given)},
                    {"given", order_json(orders.given)},
                    {"best", order_json(orders.best)},
                    {"worst", order_json(orders.worst)},
                    {"operations", ordered_json::array()}};
  const std::vector<std::size_t> places = places_in(orders.best);
  for (std::size_t index = 0; index < scenario.operations.size(); ++index)
    json["operations"].push_back({{"name", scenario.operations[index].name},
                                  {"stream", label_of(scenario, index)},
                                  {"release_ps", scenario.operations[index].release.picoseconds()},
                                  {"given_completion_ps", given.operations[index].completion.picoseconds()},
                                  {"best_completion_ps", best.operations[places[index]].completion.picoseconds()}});
  return json.dump() + "\n";
}

std::string render_text(const LaunchOrderAnswer& answer, bool colour) {
  const auto& [scenario, orders, given, best] = answer;
  std::string text;
  if (orders.tried == 1 && orders.all)
    text = "No two operations of one release are independent: there is one launch order.\n\n";
  else
    text = fmt::format("{} launch orders, {}. The best one ends {:.1f} % earlier than the given one.\n\n", orders.tried,
                       orders.all ? "all that there are" : "of more that there are", 100 * saved(orders.best, orders.given));
  auto summary = TextTable::of("order", ">length", ">against the given one");
  const auto add = [&](const char* name, const LaunchOrder& order) {
    summary.add(name, format_duration(order.length), fmt::format("{:+.1f} %", 0.0 - 100 * saved(order, orders.given)));
  };
  add("given", orders.given);
  add("best", orders.best);
  add("worst", orders.worst);
  text += summary.render(colour) + "\nThe best order\n";
  auto table = TextTable::of(">", "operation", "stream", ">release", ">completion", ">given completion", ">given place");
  for (std::size_t place = 0; place < orders.best.operations.size(); ++place) {
    const std::size_t index = orders.best.operations[place];
    table.add(place + 1, scenario.operations[index].name, label_of(scenario, index),
              format_duration(scenario.operations[index].release - Instant{}),
              format_duration(best.operations[place].completion - Instant{}),
              format_duration(given.operations[index].completion - Instant{}), index + 1);
  }
  return text + table.render(colour);
}

}  // namespace amalthea::exporter
