// SPDX-License-Identifier: Apache-2.0
#include "exporter/report/detail/schedule_json.hpp"

#include <algorithm>
#include <numeric>

namespace amalthea::exporter {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t max_bins = 40;

/// Times are multiples of this unit, to shorten the data.
std::int64_t common_unit(const Schedule& schedule) {
  std::int64_t unit = schedule.end.picoseconds();
  const auto take = [&unit](Instant time) { unit = std::gcd(unit, time.picoseconds()); };
  for (const ScheduleWindow& window : schedule.recorded) {
    take(window.from);
    take(window.to);
  }
  for (const ScheduleOfTask& task : schedule.tasks) {
    for (const ScheduleSpan& span : task.spans) {
      take(span.from);
      take(span.to);
    }
    for (const ScheduleJob& job : task.jobs) {
      take(job.release);
      if (job.completion) take(*job.completion);
    }
  }
  return std::max<std::int64_t>(unit, 1);
}

template <typename Index>
std::int64_t number_or_none(const std::optional<Index>& index) {
  return index ? static_cast<std::int64_t>(*index) : -1;
}

Json task_schedule(const ScheduleOfTask& task, std::int64_t unit) {
  Json spans = Json::array(), jobs = Json::array();
  std::int64_t before = 0;
  for (const ScheduleSpan& span : task.spans) {
    spans.push_back((span.from.picoseconds() - before) / unit);
    spans.push_back((span.to - span.from).picoseconds() / unit);
    spans.push_back(span.standing);
    before = span.to.picoseconds();
  }
  std::uint64_t number = 0;
  before = 0;
  for (const ScheduleJob& job : task.jobs) {
    jobs.push_back(job.number - number);
    jobs.push_back((job.release.picoseconds() - before) / unit);
    jobs.push_back(job.completion ? (*job.completion - job.release).picoseconds() / unit : -1);
    jobs.push_back(job.spans);
    number = job.number;
    before = job.release.picoseconds();
  }
  return {{"spans", std::move(spans)}, {"jobs", std::move(jobs)}, {"responses", distribution(task.responses)}};
}

}  // namespace

nlohmann::ordered_json distribution(const engine::Sample& sample) {
  if (sample.count() == 0) return nullptr;
  Json bins = Json::array();
  for (const engine::Sample::Bin& bin : sample.bins(max_bins))
    if (bin.count > 0) bins.push_back({bin.lower.picoseconds(), bin.upper.picoseconds(), bin.count});
  return bins;
}

nlohmann::ordered_json schedule_json(const System& system, const Schedule& schedule) {
  const std::int64_t unit = common_unit(schedule);
  Json json = {{"unit_ps", unit}, {"end_ps", schedule.end.picoseconds()}, {"cut", schedule.cut}};
  json["spans"] = schedule.spans();
  json["recorded_ps"] = Json::array();
  for (const ScheduleWindow& window : schedule.recorded)
    json["recorded_ps"].push_back({window.from.picoseconds(), window.to.picoseconds()});
  json["units"] = Json::array();
  for (const ProcessingUnit& candidate : system.platform.units)
    json["units"].push_back({{"name", candidate.name}, {"gpu", candidate.type == PuType::gpu}});
  json["names"] = schedule.names;
  json["standings"] = Json::array();
  for (const ScheduleStanding& standing : schedule.standings)
    json["standings"].push_back({to_string(standing.state), to_string(standing.kind), number_or_none(standing.by),
                                 number_or_none(standing.unit), static_cast<int>(standing.engine),
                                 number_or_none(standing.what), to_string(standing.traffic)});
  json["blocks"] = Json::array();
  for (const ScheduleBlock& block : schedule.blocks)
    json["blocks"].push_back({block.from.picoseconds(), block.to.picoseconds(), block.task, block.sm});
  json["tasks"] = Json::array();
  for (const ScheduleOfTask& task : schedule.tasks) json["tasks"].push_back(task_schedule(task, unit));
  return json;
}

}  // namespace amalthea::exporter
