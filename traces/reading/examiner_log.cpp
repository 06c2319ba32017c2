// SPDX-License-Identifier: Apache-2.0
// Logs of cuda_scheduling_examiner and hip_plugin_framework: what one benchmark measured, iteration by iteration.

#include <array>

#include <fmt/core.h>

#include "traces/reading/detail/formats.hpp"
#include "traces/reading/detail/json_elements.hpp"

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

  void kernel(const json& element) {
    const json& text = element.at("kernel_name");
    const std::string name = fmt::format("{}/{}", label_, text.is_string() ? text.get<std::string>() : "kernel");
    Event whole;
    for (const char* key : {"cuda_launch_times", "kernel_launch_times"}) {
      const auto launch = element.find(key);
      // The launch is in its stream when the call has returned.
      if (launch != element.end() && launch->is_array() && launch->size() >= 2)
        whole.has_submission = time((*launch)[1], whole.submission);
    }
    const auto blocks = element.find("block_times");
    if (blocks == element.end() || !blocks->is_array() || blocks->empty() || blocks->size() % 2 != 0)
      return malformed(fmt::format("kernel {} has no pairs of block_times", name));
    for (std::size_t index = 0; index + 1 < blocks->size(); index += 2) {
      Event block;
      if (!time((*blocks)[index], block.from) || !time((*blocks)[index + 1], block.time))
        return malformed(fmt::format("the block_times of {} are not numbers of seconds below 26 days", name));
      whole.from = index == 0 ? block.from : std::min(whole.from, block.from);
      whole.time = std::max(whole.time, block.time);
      add(name + "/block", block);
    }
    // On some devices blocks have another clock than the host.
    if (whole.has_submission && whole.submission > whole.from) whole.has_submission = false;
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
