// SPDX-License-Identifier: Apache-2.0
#include "amalthea/primitives/visible_text.hpp"
#include "exporter/gpu/answers.hpp"

#include <cmath>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exporter/primitives/text_table.hpp"

namespace amalthea::exporter {
namespace {

using nlohmann::ordered_json;
namespace gpu = engine::gpu;
namespace nvidia = engine::nvidia;
using nvidia::AccessPattern;
using nvidia::MemoryKernel;

std::string_view pattern_name(AccessPattern pattern) {
  switch (pattern) {
    case AccessPattern::sequential:
      return "sequential";
    case AccessPattern::random:
      return "random";
    case AccessPattern::bulk:
      return "bulk";
  }
  return "";
}

std::string_view cpu_name(nvidia::CpuTrafficKind kind) {
  switch (kind) {
    case nvidia::CpuTrafficKind::none:
      return "none";
    case nvidia::CpuTrafficKind::random:
      return "random";
    case nvidia::CpuTrafficKind::sequential:
      return "sequential";
  }
  return "";
}

std::string size_text(std::int64_t bytes) {
  return bytes % 1024 == 0 ? fmt::format("{} KiB", bytes / 1024) : fmt::format("{} bytes", bytes);
}

std::string plural(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string text_of(const MemoryKernel& kernel) {
  std::string text(pattern_name(kernel.pattern));
  if (kernel.location == nvidia::MemoryLocation::zero_copy) text += ", zero-copy";
  if (kernel.footprint > 0) text += fmt::format(", {}", size_text(kernel.footprint));
  if (kernel.pattern == AccessPattern::random && kernel.threads > 1)
    text += kernel.lanes_differ ? ", an element per lane" : ", one element per warp";
  return fmt::format("{}, {} of {}", text, plural(kernel.blocks, "block"), plural(kernel.threads, "thread"));
}

/// The cause of a part, display text.
std::string maker_text(const nvidia::InterferencePart& part, const InterferenceQuestion& question) {
  if (!part.other) return part.cause == nvidia::InterferenceCause::cpu_traffic ? "CPUs" : "itself";
  const nvidia::MemoryKernels& other = question.others[*part.other];
  return fmt::format("{} x {}", other.count, text_of(other.kernel));
}

/// The same as an identifier.
std::string maker_id(const nvidia::InterferencePart& part) {
  if (part.other) return fmt::format("beside[{}]", *part.other);
  return part.cause == nvidia::InterferenceCause::cpu_traffic ? "cpu" : "kernel";
}

/// A bulk kernel has no single access that hits.
std::string_view cause_text(const nvidia::InterferencePart& part, const MemoryKernel& kernel) {
  const bool own_work = kernel.pattern == AccessPattern::bulk && part.cause == nvidia::InterferenceCause::hit_latency;
  return own_work ? "own work" : to_string(part.cause);
}

std::string coarse_note(const engine::DeviceProfile& profile) {
  return fmt::format(
      "{}: no measured memory figures; the coarse table's maxima, whatever the kernels' patterns and footprints",
      profile.name);
}

}  // namespace

std::string render_json(const InterferenceAnswer& answer) {
  const auto& [profile, question, prediction] = answer;
  const double clock_mhz = profile.measured_memory->clock_mhz;
  const auto nanoseconds = [&](double cycles) { return cycles * 1000 / clock_mhz; };
  ordered_json json;
  json["platform"] = profile.name;
  json["basis"] = "measured";
  json["unit"] = question.kernel.pattern == AccessPattern::bulk ? "kernel" : "access";
  json["alone_cycles"] = prediction.alone_cycles;
  json["alone_ns"] = nanoseconds(prediction.alone_cycles);
  json["beside_cycles"] = prediction.beside_cycles;
  json["beside_ns"] = nanoseconds(prediction.beside_cycles);
  json["memory_slowdown"] = prediction.memory_slowdown;
  json["memory_share"] = question.kernel.memory_share;
  json["slowdown"] = prediction.slowdown;
  json["cpu"] = {{"traffic", cpu_name(question.cpu.kind)}, {"cores", question.cpu.cores}};
  json["l2_capacity"] = std::llround(profile.measured_memory->l2_capacity * 1024);
  json["l2_footprint"] = prediction.shared_footprint;
  json["resident_blocks"] = prediction.resident_blocks;
  json["resident_other_blocks"] = prediction.resident_other_blocks;
  json["waiting_blocks"] = prediction.waiting_blocks;
  json["parts"] = ordered_json::array();
  for (const nvidia::InterferencePart& part : prediction.parts)
    json["parts"].push_back({{"cause", cause_text(part, question.kernel)},
                             {"by", maker_id(part)},
                             {"cycles", part.cycles},
                             {"ns", nanoseconds(part.cycles)}});
  return json.dump(2) + "\n";
}

std::string render_text(const InterferenceAnswer& answer, bool colour) {
  const auto& [profile, question, prediction] = answer;
  const gpu::MemoryParameters& memory = *profile.measured_memory;
  const auto nanoseconds = [&](double cycles) { return fmt::format("{:.1f}", cycles * 1000 / memory.clock_mhz); };
  const auto cycles_text = [](double cycles) { return fmt::format("{:.1f}", cycles); };
  std::string out = fmt::format("{}: {}\n", line_start(profile.name), text_of(question.kernel));
  for (const nvidia::MemoryKernels& other : question.others)
    out += fmt::format("beside {} x {}\n", other.count, text_of(other.kernel));
  if (question.cpu.kind != nvidia::CpuTrafficKind::none)
    out += fmt::format("beside {} traffic of {} CPU cores\n", cpu_name(question.cpu.kind), question.cpu.cores);
  TextTable times({{question.kernel.pattern == AccessPattern::bulk ? "per kernel" : "per access"},
                   {"cycles", Align::right},
                   {"ns", Align::right}});
  times.add("alone", cycles_text(prediction.alone_cycles), nanoseconds(prediction.alone_cycles));
  times.add("beside", cycles_text(prediction.beside_cycles), nanoseconds(prediction.beside_cycles));
  out += heading("Prediction", colour) + times.render(colour);
  out += paint(fmt::format("slowdown {:.3f}", prediction.slowdown), Colour::bold, colour);
  if (question.kernel.memory_share < 1)
    out += fmt::format(": {:.3f} on the share of {} that waits for memory", prediction.memory_slowdown,
                       question.kernel.memory_share);
  out += "\n";
  auto parts = TextTable::of("cause", "by", ">cycles", ">ns", ">slowdown");
  for (const nvidia::InterferencePart& part : prediction.parts) {
    if (part.cycles <= 0) continue;
    const bool own = !part.other && part.cause != nvidia::InterferenceCause::cpu_traffic;
    parts.add(cause_text(part, question.kernel), maker_text(part, question), cycles_text(part.cycles),
              nanoseconds(part.cycles), own ? "" : fmt::format("+{:.3f}", part.cycles / prediction.alone_cycles));
  }
  out += heading("Contributions", colour) + parts.render(colour);
  out += fmt::format("\nL2 {} KiB; resident kernels walk through {}\n", memory.l2_capacity,
                     size_text(prediction.shared_footprint));
  if (prediction.waiting_blocks > 0)
    out += fmt::format("{} do not fit beside the {} that run, and do not interfere with them yet\n",
                       plural(prediction.waiting_blocks, "block"),
                       prediction.resident_blocks + prediction.resident_other_blocks);
  return out;
}

std::string render_json(const CoarseInterference& answer) {
  const auto& [profile, memory_share, prediction] = answer;
  ordered_json json;
  json["platform"] = profile.name;
  json["basis"] = "coarse table";
  json["memory_slowdown"] = prediction.memory_slowdown;
  json["memory_share"] = memory_share;
  json["slowdown"] = prediction.slowdown;
  if (profile.interference.l2_cache > 0) json["l2_capacity"] = profile.interference.l2_cache;
  json["parts"] = {{{"cause", "other kernels"}, {"by", "beside"}, {"excess", prediction.by_kernels}},
                   {{"cause", "CPU traffic"}, {"by", "cpu"}, {"excess", prediction.by_cpu}}};
  return json.dump(2) + "\n";
}

std::string render_text(const CoarseInterference& answer, bool colour) {
  const auto& [profile, memory_share, prediction] = answer;
  std::string out = line_start(coarse_note(profile)) + "\n";
  out += paint(fmt::format("slowdown up to {:.3f}", prediction.slowdown), Colour::bold, colour);
  out += fmt::format(": up to {:.3f} on the share of {} that waits for memory\n", prediction.memory_slowdown,
                     memory_share);
  auto parts = TextTable::of("cause", ">slowdown");
  parts.add("other kernels", fmt::format("+{:.3f}", prediction.by_kernels));
  parts.add("CPU traffic", fmt::format("+{:.3f}", prediction.by_cpu));
  out += heading("Contributions", colour) + parts.render(colour);
  if (profile.interference.l2_cache > 0) out += fmt::format("\nL2 {}\n", size_text(profile.interference.l2_cache));
  return out;
}

std::string render_json(const ComparedMeasurements& answer) {
  const auto& [profile, rows] = answer;
  ordered_json json;
  json["platform"] = profile.name;
  json["source"] = "CTU-IIG/tt-gpu (Capodieci et al., OSPERT 2019)";
  const auto add_summary = [](ordered_json& target, const nvidia::ErrorSummary& summary) {
    target["rows"] = summary.rows;
    target["median_error_percent"] = summary.median_percent;
    target["max_error_percent"] = summary.max_percent;
  };
  ordered_json all;
  add_summary(all, nvidia::summarise_errors(rows));
  json["all"] = std::move(all);
  json["sections"] = ordered_json::array();
  for (const nvidia::MeasuredSection& section : nvidia::tx2_measured_sections()) {
    ordered_json entry = {{"section", section.id}, {"title", section.title}, {"experiment", section.experiment}};
    add_summary(entry, nvidia::summarise_errors(rows, section.id));
    json["sections"].push_back(std::move(entry));
  }
  json["rows"] = ordered_json::array();
  for (const nvidia::ComparedMeasurement& row : rows)
    json["rows"].push_back({{"section", row.measurement.section},
                            {"case", row.measurement.label},
                            {"unit", unit_of(row.measurement.quantity)},
                            {"measured", row.measurement.measured},
                            {"predicted", row.predicted},
                            {"error_percent", row.error_percent()}});
  return json.dump(2) + "\n";
}

std::string render_text(const ComparedMeasurements& answer, bool colour) {
  const auto& [profile, rows] = answer;
  std::string out = fmt::format(
      "{} compared with measurements on a Jetson TX2; raw data: CTU-IIG/tt-gpu (Capodieci et al., OSPERT 2019)\n",
      profile.name);
  for (const nvidia::MeasuredSection& section : nvidia::tx2_measured_sections()) {
    auto table = TextTable::of("case", ">measured", ">predicted", "", ">error");
    for (const nvidia::ComparedMeasurement& row : rows) {
      if (row.measurement.section != section.id) continue;
      const int digits = unit_of(row.measurement.quantity) == "times" ? 2 : 1;
      table.add(row.measurement.label, fmt::format("{:.{}f}", row.measurement.measured, digits),
                fmt::format("{:.{}f}", row.predicted, digits), unit_of(row.measurement.quantity),
                TextTable::Cell{fmt::format("{:+.1f} %", row.error_percent()),
                                std::abs(row.error_percent()) > 10 ? Colour::bad : Colour::none});
    }
    out += heading(fmt::format("{}: {}", section.id, section.title), colour) + table.render(colour);
  }
  auto summary = TextTable::of("section", ">rows", ">median error", ">largest");
  const auto add_summary = [&](std::string_view name, const nvidia::ErrorSummary& errors, Colour look) {
    summary.add(TextTable::Cell{std::string(name), look}, TextTable::Cell{fmt::format("{}", errors.rows), look},
                TextTable::Cell{fmt::format("{:.2f} %", errors.median_percent), look},
                TextTable::Cell{fmt::format("{:.2f} %", errors.max_percent), look});
  };
  for (const nvidia::MeasuredSection& section : nvidia::tx2_measured_sections())
    add_summary(section.id, nvidia::summarise_errors(rows, section.id), Colour::none);
  add_summary("all", nvidia::summarise_errors(rows), Colour::bold);
  return out + heading("Errors", colour) + summary.render(colour);
}

}  // namespace amalthea::exporter
