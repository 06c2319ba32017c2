// SPDX-License-Identifier: Apache-2.0
// Kernels under CU masks of an AMD GPU.

#include "amalthea/primitives/near_miss.hpp"
#include "amalthea/quantity.hpp"
#include "analysis/gpu/detail/steps.hpp"

namespace amalthea::analysis::gpu {
namespace {

namespace amd = engine::amd;
using engine::gpu::CuMask;
using engine::gpu::NamedKernel;

Outcome<const NamedKernel*> choose_kernel(const engine::DeviceProfile& profile, const std::string& option,
                                          const std::string& name) {
  if (const NamedKernel* kernel = engine::find_kernel(profile, name)) return kernel;
  std::string known;
  for (const NamedKernel& kernel : profile.amd->kernels)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", kernel.name);
  return misused(option + " " + name,
                 "the profile has no such kernel; expected one of " + (known.empty() ? std::string("none") : known),
                 did_you_mean(name, profile.amd->kernels, &NamedKernel::name));
}

/// Some launches with it remain within the range of times.
constexpr Duration longest_time = Duration::seconds(1);

/// `otherwise` if the option is not used.
Outcome<Duration> choose_time(const std::string& option, const std::string& text, Duration otherwise) {
  if (text.empty()) return otherwise;
  const auto time = parse_time_text(text);
  if (time && *time >= Duration{} && *time <= longest_time) return *time;
  return misused(option + " " + text, "expected a time such as 90us, of at most " + format_duration(longest_time));
}

/// A kernel, alone or beside another one, under masks that are tried one after the other.
struct Experiment {
  amd::DeviceSettings settings;
  amd::PartitionOptions options;
  const NamedKernel& kernel;
  const NamedKernel* against;
  exporter::PartitionTable table = {};
  Diagnostics findings = {};

  void measure(const std::string& name, const CuMask& mask, const CuMask& against_mask) {
    const amd::PartitionTask task{kernel, mask};
    std::optional<amd::PartitionTask> other;
    if (against != nullptr) other = amd::PartitionTask{*against, against_mask};
    Diagnostics found;
    amd::report_worst_practices(settings.layout(), task, other, found);
    exporter::PartitionRow row{name, mask, std::nullopt, {}, {}};
    if (other) row.against_mask = against_mask;
    for (const Diagnostic& finding : found.all()) {
      row.warnings.push_back(finding.id);
      findings.add(finding.id, finding.severity, finding.message);
    }
    row.times = amd::measure_partition(settings, options, task, other);
    table.rows.push_back(std::move(row));
  }

  /// All strategies to share the CUs, or all numbers of CUs.
  void measure_all(std::int64_t units) {
    const amd::Layout layout = settings.layout();
    if (against != nullptr) {
      for (const amd::Strategy& strategy : amd::strategies(layout, units > 0 ? units : layout.units() / 2))
        measure(strategy.name, strategy.task, strategy.against);
      return;
    }
    for (std::int64_t used = 1; used <= layout.units(); ++used) {
      measure(fmt::format("packed:{}", used), amd::packed_mask(layout, used), {});
      measure(fmt::format("distributed:{}", used), amd::distributed_mask(layout, used), {});
    }
  }
};

Outcome<Experiment> experiment_of(const PartitionRequest& request, const engine::DeviceProfile& profile) {
  const auto kernel = choose_kernel(profile, "--kernel", request.kernel);
  if (!kernel) return tl::unexpected(kernel.error());
  const auto against = request.against.empty() ? Outcome<const NamedKernel*>(nullptr)
                                               : choose_kernel(profile, "--against", request.against);
  if (!against) return tl::unexpected(against.error());
  const amd::DeviceSettings settings = amd::device_settings(profile);
  const auto pause = choose_time("--pause", request.pause, profile.amd->launch_pause);
  if (!pause) return tl::unexpected(pause.error());
  const auto offset = choose_time("--offset", request.offset, profile.amd->launch_offset);
  if (!offset) return tl::unexpected(offset.error());
  if (request.units >= settings.layout().units())
    return misused(fmt::format("--units {}", request.units),
                   fmt::format("the GPU has {} CUs, and at least one must remain for the other kernel",
                               settings.layout().units()));
  return Experiment{settings,
                    {profile.amd->launch_overhead, request.launches, *pause, *offset},
                    **kernel,
                    *against,
                    {profile.name, (*kernel)->name, *against != nullptr ? (*against)->name : ""}};
}

}  // namespace

OptionTable options(PartitionRequest& request) {
  Option platform = platform_row(request.platform);
  platform.help = "GPU profile: built-in name (radeon-vii) or JSON file";
  return {
      std::move(platform),
      row("kernel", &request.kernel, "Kernel of the profile, launched repeatedly", {group::options},
          {.takes = "KERNEL", .required = true}),
      row("mask", &request.mask, "CUs that the kernel may use", {group::options}, {.takes = "MASK"}),
      row("against", &request.against, "Kernel that another task launches at the same time", {group::options},
          {.takes = "KERNEL"}),
      row("against-mask", &request.against_mask, "CUs that the other kernel may use", {group::options},
          {.takes = "MASK", .needs = "against"}),
      row("units", &request.units, "CUs of the kernel if the two are separated. Default: half of them",
          {group::options}, {.range = Range{1, 1 << 20}, .usual = ""}),
      row("launches", &request.launches, "Number of launches", {group::options}, {.range = Range{1, 10000}}),
      row("pause", &request.pause, "Time between the end of a launch and the next call. Default: that of the profile",
          {group::options}, {.takes = "TIME"}),
      row("offset", &request.offset, "First call of the other task. Default: that of the profile", {group::options},
          {.takes = "TIME", .needs = "against"}),
      row("samples", &request.samples, "Also write the response time of every launch as CSV, in ascending order",
          {group::output}, {.takes = "FILE", .file = FileKind::written})};
}

Outcome<Answer<exporter::PartitionTable>> answer(const PartitionRequest& request, const Watch& watch) {
  const auto profile = profile_with_sms(request.platform);
  if (!profile) return tl::unexpected(profile.error());
  if (!profile->amd)
    return misused("--platform " + request.platform, "not a profile of an AMD GPU (\"amd\")",
                   "use radeon-vii or a JSON file");
  auto experiment = experiment_of(request, *profile);
  if (!experiment) return tl::unexpected(experiment.error());
  exporter::PartitionTable& table = experiment->table;
  if (request.mask.empty()) {
    experiment->measure_all(request.units);
  } else {
    const amd::Layout layout = experiment->settings.layout();
    const auto mask = at_place("--mask " + request.mask, amd::parse_cu_mask(request.mask, layout));
    if (!mask) return tl::unexpected(mask.error());
    const auto against_mask =
        at_place("--against-mask " + request.against_mask, amd::parse_cu_mask(request.against_mask, layout));
    if (!against_mask) return tl::unexpected(against_mask.error());
    experiment->measure("as given", *mask, *against_mask);
    table.is_one = true;
  }
  if (table.is_one || !request.against.empty()) watch.found(experiment->findings);
  Answer<exporter::PartitionTable> answer{std::move(table)};
  if (!request.samples.empty())
    answer.files.emplace_back(request.samples,
                              exporter::render_samples_csv(std::get<exporter::PartitionTable>(answer.form)));
  return answer;
}

}  // namespace amalthea::analysis::gpu
