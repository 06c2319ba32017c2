// SPDX-License-Identifier: Apache-2.0
#include "exporter/results/run_parts.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>
#include <variant>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exporter/primitives/json_integers.hpp"
#include "exporter/primitives/outside_json.hpp"
#include "exporter/results/json_parts.hpp"

namespace amalthea::exporter {
namespace {

using RunPartJson = nlohmann::ordered_json;

std::optional<Duration> duration_in(const RunPartJson& json) {
  return json.is_null() ? std::nullopt : std::optional(Duration::picoseconds(integer_in<std::int64_t>(json)));
}

template <typename Verdict>
Verdict verdict_in(const RunPartJson& json, Verdict last = static_cast<Verdict>(2)) {
  const auto number = integer_in<int>(json);
  if (number < 0 || number > static_cast<int>(last)) throw std::out_of_range("verdict");
  return static_cast<Verdict>(number);
}

RunPartJson guaranteed_json(std::optional<bool> guaranteed) {
  return guaranteed ? RunPartJson(*guaranteed) : RunPartJson(nullptr);
}

std::optional<bool> guaranteed_in(const RunPartJson& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<bool>());
}

/// Times of jobs and of chains: not negative, and few enough to be added.
Duration time_in(const RunPartJson& json) {
  constexpr std::int64_t longest = std::int64_t{1} << 62;
  const auto time = integer_in<std::int64_t>(json);
  if (time < 0 || time > longest) throw std::out_of_range("time");
  return Duration::picoseconds(time);
}

/// Means of runs are within the sample of their jobs.
engine::RunMeans means_in(const RunPartJson& json, const engine::Sample::State& jobs) {
  const auto words = integers_in<engine::Moments::Words>(json);
  const amalthea::detail::UInt128 sum = (static_cast<amalthea::detail::UInt128>(words[1]) << 64U) | words[2];
  const auto most = static_cast<amalthea::detail::UInt128>(jobs.max.picoseconds()) * words[0];
  const engine::Moments means = engine::Moments::of(words);
  if (sum > most || !std::isfinite(means.standard_deviation())) throw std::out_of_range("means");
  return engine::RunMeans(means);
}

RunPartJson task_json(const engine::TaskRuns& task) {
  const engine::Sample::State state = task.response.state();
  // Buckets in use, as pairs: most are empty.
  RunPartJson counts = RunPartJson::array();
  for (std::size_t bucket = 0; bucket < state.counts.size(); ++bucket)
    if (state.counts[bucket] > 0) counts.push_back({bucket, state.counts[bucket]});
  RunPartJson json = {{"moments", state.moments},
                      {"min", state.min.picoseconds()},
                      {"max", state.max.picoseconds()},
                      {"values", state.values},
                      {"buckets", state.counts.size()},
                      {"counts", std::move(counts)},
                      {"means", task.means.moments().words()},
                      {"unfinished", task.unfinished},
                      {"lost", task.lost_activations},
                      {"late", task.late},
                      {"runs_with_late", task.runs_with_late},
                      {"worst", nullptr}};
  if (task.worst)
    json["worst"] = {task.worst->run, task.worst->seed, task.worst->release.picoseconds(),
                     task.worst->response.picoseconds()};
  return json;
}

engine::TaskRuns task_in(const RunPartJson& json) {
  constexpr std::size_t most_buckets = std::size_t{64} << 10U;
  engine::Sample::State state;
  state.moments = integers_in<engine::Moments::Words>(json.at("moments"));
  state.min = time_in(json.at("min"));
  state.max = time_in(json.at("max"));
  state.values = integers_in<std::vector<std::int64_t>>(json.at("values"));
  const auto buckets = integer_in<std::size_t>(json.at("buckets"));
  if (buckets > most_buckets) throw std::out_of_range("buckets");
  state.counts.resize(buckets);
  for (const RunPartJson& pair : json.at("counts"))
    state.counts.at(integer_in<std::size_t>(pair.at(0))) = integer_in<std::uint64_t>(pair.at(1));
  engine::TaskRuns task;
  task.means = means_in(json.at("means"), state);
  task.response = engine::Sample::of(std::move(state));
  task.unfinished = integer_in<std::uint64_t>(json.at("unfinished"));
  task.lost_activations = integer_in<std::uint64_t>(json.at("lost"));
  task.late = integer_in<std::uint64_t>(json.at("late"));
  task.runs_with_late = integer_in<std::uint64_t>(json.at("runs_with_late"));
  if (const RunPartJson& worst = json.at("worst"); !worst.is_null())
    task.worst = engine::WorstJob{integer_in<std::uint64_t>(worst.at(0)), integer_in<std::uint64_t>(worst.at(1)),
                                  Instant::at(time_in(worst.at(2))), time_in(worst.at(3))};
  return task;
}

RunPartJson chain_json(const engine::ObservedLatencies& chain) {
  return {chain.reads,
          picoseconds(chain.reaction),
          picoseconds(chain.reduced_reaction),
          picoseconds(chain.age),
          picoseconds(chain.reduced_age),
          picoseconds(chain.least_reaction),
          picoseconds(chain.least_age)};
}

engine::ObservedLatencies chain_in(const RunPartJson& json) {
  return {integer_in<std::uint64_t>(json.at(0)),
          duration_in(json.at(1)),
          duration_in(json.at(2)),
          duration_in(json.at(3)),
          duration_in(json.at(4)),
          duration_in(json.at(5)),
          duration_in(json.at(6))};
}

RunPartJson resource_json(const engine::RunTotals::Resource& resource) {
  return {resource.unit,
          static_cast<int>(resource.kind),
          static_cast<std::uint64_t>(resource.sum >> 64U),
          static_cast<std::uint64_t>(resource.sum),
          resource.least,
          resource.most,
          resource.server ? RunPartJson(*resource.server) : RunPartJson(nullptr)};
}

engine::RunTotals::Resource resource_in(const RunPartJson& json) {
  return {integer_in<UnitIndex>(json.at(0)),
          verdict_in(json.at(1), engine::ResourceKind::server),
          (static_cast<amalthea::detail::UInt128>(integer_in<std::uint64_t>(json.at(2))) << 64U) |
              integer_in<std::uint64_t>(json.at(3)),
          json.at(4).get<double>(),
          json.at(5).get<double>(),
          json.at(6).is_null() ? std::nullopt : std::optional(integer_in<SchedulerIndex>(json.at(6)))};
}

RunPartJson requirement_json(const engine::RequirementResult& result) {
  RunPartJson observed;
  if (const auto* time = std::get_if<Duration>(&result.observed)) observed = {{"ps", time->picoseconds()}};
  if (const auto* count = std::get_if<std::int64_t>(&result.observed)) observed = {{"count", *count}};
  if (const auto* share = std::get_if<double>(&result.observed)) observed = {{"share", *share}};
  return {static_cast<int>(result.verdict), observed, picoseconds(result.bound), guaranteed_json(result.guaranteed),
          result.reason};
}

engine::RequirementResult requirement_in(const RunPartJson& json) {
  engine::RequirementResult result;
  result.verdict = verdict_in<engine::LimitVerdict>(json.at(0));
  const RunPartJson& observed = json.at(1);
  if (observed.contains("ps")) result.observed = *duration_in(observed.at("ps"));
  if (observed.contains("count")) result.observed = integer_in<std::int64_t>(observed.at("count"));
  if (observed.contains("share")) result.observed = observed.at("share").get<double>();
  result.bound = duration_in(json.at(2));
  result.guaranteed = guaranteed_in(json.at(3));
  result.reason = json.at(4).get<std::string>();
  return result;
}

template <typename Item, typename ToJson>
RunPartJson list_json(const std::vector<Item>& items, ToJson to_json) {
  RunPartJson list = RunPartJson::array();
  for (const Item& item : items) list.push_back(to_json(item));
  return list;
}

template <typename FromJson>
auto list_in(const RunPartJson& list, FromJson from_json) {
  std::vector<decltype(from_json(list))> items;
  for (const RunPartJson& item : list) items.push_back(from_json(item));
  return items;
}

}  // namespace

std::string render_run_part(const RunPart& part) {
  const engine::RunTotals& totals = part.totals;
  const RunPartJson json = {
      {"schema", run_part_schema},
      {"key", part.key},
      {"first", totals.first},
      {"runs", totals.runs},
      {"of", part.of},
      {"tasks", list_json(totals.tasks, task_json)},
      {"chains", list_json(totals.chains, chain_json)},
      {"resources", list_json(totals.resources, resource_json)},
      {"requirements", list_json(totals.requirements, requirement_json)},
      {"constraints", list_json(totals.constraints,
                                [](const engine::ConstraintResult& result) -> RunPartJson {
                                  return {static_cast<int>(result.verdict), guaranteed_json(result.guaranteed),
                                          result.reason, result.judged};
                                })},
      {"events", totals.events},
      {"stopped", totals.stopped},
      {"common_responses", totals.common_responses ? RunPartJson(*totals.common_responses) : RunPartJson(nullptr)}};
  return json.dump(-1, ' ', false, RunPartJson::error_handler_t::replace) + "\n";
}

tl::expected<RunPart, std::string> parse_run_part(std::string_view text) {
  try {
    const auto read = outside_json<RunPartJson>(text);
    if (!read) return tl::unexpected(read.error());
    const RunPartJson& json = *read;
    if (json.at("schema") != run_part_schema)
      return tl::unexpected(fmt::format("expected a part with the schema {}", run_part_schema));
    RunPart part;
    part.key = json.at("key").get<std::string>();
    part.of = integer_in<std::uint64_t>(json.at("of"));
    engine::RunTotals& totals = part.totals;
    totals.first = integer_in<std::uint64_t>(json.at("first"));
    totals.runs = integer_in<std::uint64_t>(json.at("runs"));
    totals.tasks = list_in(json.at("tasks"), task_in);
    totals.chains = list_in(json.at("chains"), chain_in);
    totals.resources = list_in(json.at("resources"), resource_in);
    totals.requirements = list_in(json.at("requirements"), requirement_in);
    totals.constraints = list_in(json.at("constraints"), [](const RunPartJson& result) {
      return engine::ConstraintResult{verdict_in<engine::LimitVerdict>(result.at(0)), guaranteed_in(result.at(1)),
                                      result.at(2).get<std::string>(), integer_in<std::uint64_t>(result.at(3))};
    });
    totals.events = integer_in<std::uint64_t>(json.at("events"));
    totals.stopped = integer_in<std::uint64_t>(json.at("stopped"));
    if (!json.at("common_responses").is_null())
      totals.common_responses = integer_in<std::uint64_t>(json.at("common_responses"));
    return part;
  } catch (const nlohmann::json::exception&) {
  } catch (const std::out_of_range&) {
  }
  return tl::unexpected(std::string("expected a part of a simulation, as simulate --shard writes it"));
}

}  // namespace amalthea::exporter
