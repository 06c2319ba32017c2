// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/simulation/simulation.hpp"
#include "exporter/traces/detail/trace_sink.hpp"
#include "exporter/traces/trace_formats.hpp"

namespace amalthea::exporter {
namespace {

/// As RFC 4180 has it: quoted where it must be.
std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char character : text) {
    if (character == '"') out += '"';
    out += character;
  }
  return out + '"';
}

class CsvWriter final : public TraceWriter {
 public:
  explicit CsvWriter(NewFile file) : sink_(std::move(file), false) {}

  void begins(const engine::SimulationInput& input) override {
    const System& system = input.system;
    for (const Task& task : system.tasks) tasks_.push_back(field(task.name));
    for (const ProcessingUnit& unit : system.platform.units) units_.push_back(field(unit.name));
    for (NodeIndex node = 0; node < system.graph.size(); ++node) {
      const GraphNode& activity = system.graph[node];
      nodes_.push_back(fmt::format(",{},{}", activity.runnable ? field(system.runnables[*activity.runnable].name) : "",
                                   field(activity.name)));
    }
    activations_.resize(tasks_.size(), 0);
    sink_.put("event,task,job,release_ps,from_ps,to_ps,state,unit,runnable,activity,reason,by\n");
  }

  void released(TaskIndex task, Instant now, bool lost) override {
    const fmt::format_int time(now.picoseconds());
    const std::string_view text(time.data(), time.size());
    row(lost ? "lost," : "activation,", task, lost ? activations_[task] : activations_[task]++, text, text, text);
    sink_.put(",,,,,,\n");
  }

  void interval(const engine::Interval& interval) override {
    if (interval.from != from_) {
      from_ = interval.from;
      from_text_ = fmt::format_int(from_.picoseconds()).str();
    }
    if (interval.to != to_) {
      to_ = interval.to;
      to_text_ = fmt::format_int(to_.picoseconds()).str();
    }
    const fmt::format_int release(interval.release.picoseconds());
    row("interval,", interval.task, interval.job, {release.data(), release.size()}, from_text_, to_text_);
    sink_.put(',');
    sink_.put(to_string(interval.standing.state));
    sink_.put(',');
    if (interval.unit) sink_.put(units_[*interval.unit]);
    if (interval.node) {
      sink_.put(nodes_[*interval.node]);
    } else {
      sink_.put(",,");
    }
    sink_.put(',');
    sink_.put(to_string(interval.standing.reason.kind));
    sink_.put(',');
    if (interval.standing.reason.by) sink_.put(tasks_[*interval.standing.reason.by]);
    sink_.put('\n');
  }

  void completed(TaskIndex task, std::uint64_t job, Instant release, Instant now) override {
    const fmt::format_int from(release.picoseconds()), to(now.picoseconds());
    const std::string_view text(from.data(), from.size());
    row("completion,", task, job, text, text, {to.data(), to.size()});
    sink_.put(",,,,,,\n");
  }

  tl::expected<void, std::string> finish() override { return sink_.commit(); }
  std::uint64_t size() override { return sink_.size(); }

 private:
  void row(std::string_view event, TaskIndex task, std::uint64_t job, std::string_view release, std::string_view from,
           std::string_view to) {
    sink_.put(event);
    sink_.put(tasks_[task]);
    sink_.put(',');
    sink_.put_number(job);
    sink_.put(',');
    sink_.put(release);
    sink_.put(',');
    sink_.put(from);
    sink_.put(',');
    sink_.put(to);
  }

  TraceSink sink_;
  std::vector<std::string> tasks_, units_, nodes_;  ///< as fields; of a node its runnable, too
  std::vector<std::uint64_t> activations_;          ///< of every task, those that are lost not counted
  Instant from_, to_;
  std::string from_text_ = "0", to_text_ = "0";
};

}  // namespace

tl::expected<std::unique_ptr<TraceWriter>, std::string> make_trace_csv(const std::string& path, const TraceFacts&) {
  auto file = NewFile::create(path);
  if (!file) return tl::unexpected(std::move(file.error()));
  return std::make_unique<CsvWriter>(std::move(*file));
}

}  // namespace amalthea::exporter
