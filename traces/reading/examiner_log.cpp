// SPDX-License-Identifier: Apache-2.0
// Logs of cuda_scheduling_examiner and hip_plugin_framework: what one benchmark measured, iteration by iteration.

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "traces/reading/detail/json_elements.hpp"
#include "traces/reading/formats.hpp"

namespace amalthea::traces {
namespace {

using nlohmann::json;

constexpr std::int64_t second = 1'000'000'000'000;

class ExaminerReader {
 public:
  explicit ExaminerReader(Reading& reading) : reading_(reading) {}

  ReadResult read() {
    reading_.sink.resolution(Duration::nanoseconds(1));
    JsonElements elements;
    elements.array = "times";
    elements.max_values = 4'000'000;
    elements.other = [this](const std::string& key, const json& value) {
      if (key == "label" && value.is_string()) label_ = value.get<std::string>();
    };
    elements.element = [this](const json& element, std::uint64_t line) {
      reading_.advance();
      place_.line = line;
      if (element.is_object()) one(element);
    };
    const JsonEnd end = read_json_elements(reading_.bytes, elements);
    place_.line = end.line;
    if (!end.whole)
      reading_.sink.problem({Problem::Kind::truncated, "the JSON is not complete: " + end.message, place_});
    return {};
  }

 private:
  void one(const json& element) {
    if (const auto times = element.find("cpu_times"); times != element.end()) range(label_, *times);
    if (const auto times = element.find("copy_in_times"); times != element.end()) range(label_ + "/copy_in", *times);
    if (const auto times = element.find("copy_out_times"); times != element.end()) range(label_ + "/copy_out", *times);
    if (element.contains("kernel_name")) kernel(element);
  }

  bool time(const json& value, Instant& instant) const {
    std::int64_t picoseconds = 0;
    if (!read_decimal(value, second, picoseconds) || picoseconds < 0) return false;
    instant = Instant::at(Duration::picoseconds(picoseconds));
    return true;
  }

  void malformed(std::string message) { reading_.sink.problem({Problem::Kind::malformed, std::move(message), place_}); }

  void range(const std::string& name, const json& times) {
    Event event;
    if (!times.is_array() || times.size() != 2 || !time(times[0], event.from) || !time(times[1], event.time))
      return malformed(fmt::format("the times of {} are not two numbers of seconds below 26 days", name));
    add(name, event);
  }

  void add(const std::string& name, Event event) {
    event.what = Event::What::execution;
    event.place = place_;
    event.target = reading_.names.find(EntityKind::process, name);
    if (event.target != no_entity) reading_.event(event);
  }

  /// Of the host: before the launch, after it, and after the wait for its end.
  struct HostTimes {
    std::optional<Instant> called, returned, awaited;
  };
  HostTimes host_times(const json& element) const {
    HostTimes host;
    for (const char* key : {"cuda_launch_times", "kernel_launch_times"}) {
      const auto times = element.find(key);
      if (times == element.end() || !times->is_array()) continue;
      const std::array<std::optional<Instant>*, 3> all{&host.called, &host.returned, &host.awaited};
      for (std::size_t index = 0; index < std::min(all.size(), times->size()); ++index) {
        Instant at;
        if (time((*times)[index], at)) *all[index] = at;
      }
    }
    return host;
  }

  void kernel(const json& element) {
    const json& text = element.at("kernel_name");
    const std::string name = fmt::format("{}/{}", label_, text.is_string() ? text.get<std::string>() : "kernel");
    const HostTimes host = host_times(element);
    Event whole;
    // The launch is in its stream when the call has returned.
    whole.has_submission = host.returned.has_value();
    whole.submission = host.returned.value_or(Instant{});
    const bool has_wait = host.returned && host.awaited && *host.awaited >= *host.returned;
    const auto found = element.find("block_times");
    std::vector<std::pair<Instant, Instant>> blocks;
    if (found == element.end() || !found->is_array() || found->size() % 2 != 0 || (found->empty() && !has_wait))
      return malformed(fmt::format("kernel {} has neither pairs of block_times nor three launch times", name));
    for (std::size_t index = 0; index + 1 < found->size(); index += 2) {
      auto& [from, to] = blocks.emplace_back();
      if (!time((*found)[index], from) || !time((*found)[index + 1], to) || to < from)
        return malformed(fmt::format("the block_times of {} are not numbers of seconds below 26 days", name));
      whole.from = blocks.size() == 1 ? from : std::min(whole.from, from);
      whole.time = std::max(whole.time, to);
    }
    if (has_wait && !blocks.empty()) {
      const Duration tolerance = Duration::milliseconds(1), span = whole.time - whole.from;
      const Instant called = host.called.value_or(*host.returned);
      if (span > *host.awaited - called + tolerance) {
        malformed(fmt::format("the block_times of {} span {}, but the host waits for {}; they are not in seconds", name,
                              format_duration(span), format_duration(*host.awaited - called)));
        blocks.clear();
      } else if (whole.from + tolerance < called || whole.time > *host.awaited + tolerance) {
        // Blocks with a clock of their own: the last one ends when the host has waited for it.
        const Instant end = whole.time;
        const auto moved = [&](Instant at) { return *host.awaited + (at - end); };
        for (auto& [from, to] : blocks) from = moved(from), to = moved(to);
        whole.from = moved(whole.from);
        whole.time = *host.awaited;
      }
    }
    if (blocks.empty()) {
      whole.from = *host.returned;
      whole.time = *host.awaited;
    }
    for (const auto& [from, to] : blocks) {
      Event block;
      block.from = from;
      block.time = to;
      add(name + "/block", block);
    }
    if (whole.submission > whole.from) whole.has_submission = false;
    add(name, whole);
  }

  Reading& reading_;
  std::string label_ = "log";
  Place place_;
};

}  // namespace

bool is_examiner_log(const std::string& /*path*/, std::string_view beginning) {
  return beginning.find("\"times\"") != std::string_view::npos &&
         (beginning.find("\"scenario_name\"") != std::string_view::npos ||
          beginning.find("\"benchmark_name\"") != std::string_view::npos ||
          beginning.find("\"plugin_name\"") != std::string_view::npos);
}

ReadResult read_examiner_log(Reading& reading) { return ExaminerReader(reading).read(); }

}  // namespace amalthea::traces
