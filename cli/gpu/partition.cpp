// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "amalthea/quantity.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/gpu/gpu_verbs.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/verbs.hpp"
#include "engine/amd/partition.hpp"
#include "exporter/gpu/partition_formats.hpp"

namespace amalthea::cli {
namespace {

namespace amd = engine::amd;
namespace gpu = engine::gpu;

struct PartitionChoice {
  std::string platform = "radeon-vii";
  std::string kernel;
  std::string mask;
  std::string against;
  std::string against_mask = "full";
  std::int64_t units = 0;
  std::size_t launches = 9;
  std::string pause;
  std::string offset;
  std::string samples;
  std::string format = "text";
};

const gpu::NamedKernel* choose_kernel(const engine::DeviceProfile& profile, const std::string& option,
                                      const std::string& name) {
  if (const gpu::NamedKernel* kernel = engine::find_kernel(profile, name)) return kernel;
  std::string known;
  for (const gpu::NamedKernel& kernel : profile.amd->kernels)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", kernel.name);
  unusable(fmt::format("{} {}: the profile has no such kernel; expected one of {}{}", option, name,
                       known.empty() ? std::string("none") : known,
                       did_you_mean(name, profile.amd->kernels, &gpu::NamedKernel::name)));
  return nullptr;
}

std::optional<gpu::CuMask> choose_mask(const engine::DeviceProfile& profile, const std::string& option,
                                       const std::string& text) {
  auto mask = amd::parse_cu_mask(text, amd::device_settings(profile).layout());
  if (mask) return std::move(*mask);
  unusable(fmt::format("{} {}: {}", option, text, mask.error()));
  return std::nullopt;
}

/// `otherwise` if the option is not used.
/// Some launches with it remain within the range of times.
constexpr Duration longest_time = Duration::seconds(1);

std::optional<Duration> choose_time(const std::string& option, const std::string& text, Duration otherwise) {
  if (text.empty()) return otherwise;
  const auto time = parse_time_text(text);
  if (time && *time >= Duration{} && *time <= longest_time) return *time;
  unusable(
      fmt::format("{} {}: expected a time such as 90us, of at most {}", option, text, format_duration(longest_time)));
  return std::nullopt;
}

int run(const PartitionChoice& choice) {
  const auto profile = profile_with_sms(choice.platform);
  if (!profile) return ExitCode::unusable;
  if (!profile->amd)
    return unusable(fmt::format("--platform {}: not a profile of an AMD GPU (\"amd\"); use radeon-vii or a JSON file",
                                choice.platform));
  const gpu::NamedKernel* kernel = choose_kernel(*profile, "--kernel", choice.kernel);
  if (kernel == nullptr) return ExitCode::unusable;
  const gpu::NamedKernel* against = nullptr;
  if (!choice.against.empty()) {
    against = choose_kernel(*profile, "--against", choice.against);
    if (against == nullptr) return ExitCode::unusable;
  }
  const amd::DeviceSettings settings = amd::device_settings(*profile);
  const amd::Layout layout = settings.layout();
  const auto pause = choose_time("--pause", choice.pause, profile->amd->launch_pause);
  const auto offset = choose_time("--offset", choice.offset, profile->amd->launch_offset);
  if (!pause || !offset) return ExitCode::unusable;
  const amd::PartitionOptions options{profile->amd->launch_overhead, choice.launches, *pause, *offset};
  if (choice.units >= layout.units())
    return unusable(fmt::format("--units {}: the GPU has {} CUs, and at least one must remain for the other kernel",
                                choice.units, layout.units()));

  exporter::PartitionTable table{profile->name, kernel->name, against != nullptr ? against->name : "", {}};
  Diagnostics diagnostics;
  const auto measure = [&](const std::string& name, const gpu::CuMask& mask, const gpu::CuMask& against_mask) {
    const amd::PartitionTask task{*kernel, mask};
    std::optional<amd::PartitionTask> other;
    if (against != nullptr) other = amd::PartitionTask{*against, against_mask};
    Diagnostics found;
    amd::report_worst_practices(layout, task, other, found);
    exporter::PartitionRow row{name, mask, std::nullopt, {}, {}};
    if (other) row.against_mask = against_mask;
    for (const Diagnostic& finding : found.all()) {
      row.warnings.push_back(finding.id);
      diagnostics.add(finding.id, finding.severity, finding.message);
    }
    row.times = amd::measure_partition(settings, options, task, other);
    table.rows.push_back(std::move(row));
  };

  const auto samples_written = [&] {
    return choice.samples.empty() || write_data(choice.samples, exporter::render_samples_csv(table));
  };
  if (!choice.mask.empty()) {
    const auto mask = choose_mask(*profile, "--mask", choice.mask);
    const auto against_mask = choose_mask(*profile, "--against-mask", choice.against_mask);
    if (!mask || !against_mask) return ExitCode::unusable;
    measure("as given", *mask, *against_mask);
    print_findings(diagnostics);
    if (!samples_written()) return ExitCode::unusable;
    if (choice.format == "json")
      return written(exporter::render_response_times_json(table.rows.front().times.task), ExitCode::all_well);
    return written(exporter::render_partitions_text(table, use_colour()), ExitCode::all_well);
  }
  if (against != nullptr) {
    for (const amd::Strategy& strategy : amd::strategies(layout, choice.units > 0 ? choice.units : layout.units() / 2))
      measure(strategy.name, strategy.task, strategy.against);
    print_findings(diagnostics);
  } else {
    for (std::int64_t units = 1; units <= layout.units(); ++units) {
      measure(fmt::format("packed:{}", units), amd::packed_mask(layout, units), {});
      measure(fmt::format("distributed:{}", units), amd::distributed_mask(layout, units), {});
    }
  }
  if (!samples_written()) return ExitCode::unusable;
  return written(choice.format == "json" ? exporter::render_partitions_json(table)
                                         : exporter::render_partitions_text(table, use_colour()),
                 ExitCode::all_well);
}

}  // namespace

void add_gpu_partition(CLI::App& gpu, int& exit_code) {
  auto choice = std::make_shared<PartitionChoice>();
  CLI::App* verb = gpu.add_subcommand("partition", "Predict kernel response times under CU masks of an AMD GPU");
  add_options(*verb, {row("platform", &choice->platform, "GPU profile: built-in name (radeon-vii) or JSON file",
                          {group::options}, {.takes = "NAME", .file = FileKind::read})});
  verb->add_option("--kernel", choice->kernel, "Kernel of the profile, launched repeatedly")
      ->type_name("KERNEL")
      ->required();
  add_options(*verb, {row("mask", &choice->mask, "CUs that the kernel may use", {group::options}, {.takes = "MASK"})});
  auto* against = verb->add_option("--against", choice->against, "Kernel that another task launches at the same time")
                      ->type_name("KERNEL");
  verb->add_option("--against-mask", choice->against_mask, "CUs that the other kernel may use")
      ->type_name("MASK")
      ->capture_default_str()
      ->needs(against);
  add_options(
      *verb,
      {row("units", &choice->units, "CUs of the kernel if the two are separated. Default: half of them",
           {group::options}, {.range = Range{1, 1 << 20}, .usual = ""}),
       row("launches", &choice->launches, "Number of launches", {group::options}, {.range = Range{1, 10000}}),
       row("pause", &choice->pause, "Time between the end of a launch and the next call. Default: that of the profile",
           {group::options}, {.takes = "TIME"})});
  verb->add_option("--offset", choice->offset, "First call of the other task. Default: that of the profile")
      ->type_name("TIME")
      ->needs(against);
  add_options(*verb, {row("samples", &choice->samples,
                          "Also write the response time of every launch as CSV, in ascending order", {group::output},
                          {.takes = "FILE", .file = FileKind::written})});
  add_format(*verb, choice->format);
  describe(
      *verb,
      {"amalthea gpu partition --kernel mm1024 --against mm256", "amalthea gpu partition --kernel mm1024 --mask 0-14",
       "amalthea gpu partition --kernel mm1024   # alone, on every number of CUs"},
      "Without --mask, --against compares ways to share the CUs. A kernel alone runs on every number of CUs.\n"
      "Masks:\n"
      "  0xff                     bit 0 is the least significant\n"
      "  0xffffffff,0x3           32-bit words, the lowest first\n"
      "  0-14,59                  CU numbers\n"
      "  packed:16, distributed:16, full, even, odd\n"
      "  bits:1010                bit 0 first\n"
      "See docs/reference/gpu-amd.md.");
  set_run(*verb, exit_code, [choice] { return run(*choice); });
}

}  // namespace amalthea::cli
