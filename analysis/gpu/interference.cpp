// SPDX-License-Identifier: Apache-2.0
// The slowdown of kernels by others and by CPUs.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "amalthea/quantity.hpp"
#include "analysis/gpu/detail/steps.hpp"
#include "analysis/request.hpp"

namespace amalthea::analysis::gpu {
namespace {

namespace nvidia = engine::nvidia;
using nvidia::AccessPattern;
using nvidia::MemoryKernel;
using nvidia::MemoryKernels;

std::optional<std::int64_t> size_in_bytes(std::string_view text) {
  constexpr std::pair<std::string_view, std::int64_t> units[] = {{"KiB", 1 << 10}, {"KB", 1 << 10}, {"MiB", 1 << 20},
                                                                 {"MB", 1 << 20},  {"B", 1},        {"", 1}};
  for (const auto& [name, bytes] : units) {
    if (!text.ends_with(name)) continue;
    const auto number = whole_number(text.substr(0, text.size() - name.size()));
    if (!number || *number < 0 || *number > std::numeric_limits<std::int64_t>::max() / bytes) return std::nullopt;
    return *number * bytes;
  }
  return std::nullopt;
}

/// Parses key=value,… of --kernel and --beside.
class KernelReader {
 public:
  /// `beside`: whether it belongs to --beside; `clock_mhz` converts times to cycles.
  KernelReader(bool beside, double clock_mhz) : beside_(beside), clock_mhz_(clock_mhz) {}

  tl::expected<MemoryKernels, std::string> read(std::string_view text) {
    for (const std::string_view part : parts_of(text, ','))
      if (auto problem = entry(part); !problem.empty()) return tl::unexpected(std::move(problem));
    if (auto problem = whole(); !problem.empty()) return tl::unexpected(std::move(problem));
    return result_;
  }

 private:
  /// What a key accepts, in words, and how it is read.
  struct Key {
    std::string_view name, expected;
    bool (KernelReader::*read)(std::string_view value);
    std::optional<bool> beside = std::nullopt;  ///< only there, or only not there
  };
  static constexpr std::string_view above_zero = "a whole number above zero";
  static constexpr std::string_view time_form = "a time such as 530us or 2ms";

  std::string entry(std::string_view text) {
    static constexpr Key keys[] = {
        {"pattern", "sequential, coalesced, random, zero-copy or bulk", &KernelReader::pattern},
        {"location", "device or zero-copy", &KernelReader::location},
        {"lanes", "same or differ", &KernelReader::lanes},
        {"footprint", "a size such as 256KiB, 256KB (the same), 2MiB or 4096", &KernelReader::footprint},
        {"threads", above_zero, &KernelReader::threads},
        {"blocks", above_zero, &KernelReader::blocks},
        {"count", above_zero, &KernelReader::count, true},
        {"fetch", "32 to 128 bytes, such as 32 or 64", &KernelReader::fetch},
        {"memory-share", "a number from 0 to 1", &KernelReader::share, false},
        {"own", time_form, &KernelReader::time<&MemoryKernel::own_cycles>},
        {"load-path", time_form, &KernelReader::time<&MemoryKernel::load_path_cycles>},
        {"memory-path", time_form, &KernelReader::time<&MemoryKernel::memory_path_cycles>}};
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return fmt::format("\"{}\": expected KEY=VALUE, such as pattern=random", text);
    const std::string_view name = text.substr(0, equals);
    if (!seen_.insert(std::string(name)).second) return fmt::format("\"{}\" is given twice", name);
    for (const Key& key : keys)
      if (key.name == name && key.beside.value_or(beside_) == beside_)
        return (this->*key.read)(text.substr(equals + 1)) ? "" : fmt::format("\"{}\": expected {}", text, key.expected);
    return fmt::format(
        "\"{}\": unknown key; expected one of pattern, location, lanes, footprint, threads, blocks, fetch, own, "
        "load-path, memory-path, {}",
        name, beside_ ? "count" : "memory-share");
  }

  /// Checks combinations of keys.
  std::string whole() {
    MemoryKernel& kernel = result_.kernel;
    const bool bulk = kernel.pattern == AccessPattern::bulk;
    const auto has = [&](const char* key) { return seen_.contains(key); };
    if (!has("pattern")) return "pattern is missing: pattern=sequential, coalesced, random, zero-copy or bulk";
    if (!bulk && !has("footprint")) return "footprint is missing, such as footprint=256KiB";
    for (const char* key : {"own", "load-path", "memory-path"})
      if (!bulk && has(key)) return fmt::format("\"{}\" applies to pattern=bulk only", key);
    if (bulk && !has("own") && !has("load-path") && !has("memory-path"))
      return "pattern=bulk needs at least one of own, load-path and memory-path, such as memory-path=530us";
    if (has("lanes") && kernel.pattern != AccessPattern::random) return "\"lanes\" applies to pattern=random only";
    if (has("fetch") && kernel.pattern != AccessPattern::sequential)
      return "\"fetch\" applies to sequential patterns only";
    if (zero_copy_) {
      if (has("location")) return "pattern=zero-copy already sets the location; omit location";
      kernel.location = nvidia::MemoryLocation::zero_copy;
    }
    if (bulk && has("location")) return "\"location\" does not apply to pattern=bulk";
    if (coalesced_ && !has("threads")) kernel.threads = 32;
    if (coalesced_ && kernel.threads < 32)
      return fmt::format(
          "threads={}: pattern=coalesced requires at least one warp of 32 threads; use pattern=sequential for fewer",
          kernel.threads);
    return {};
  }

  bool pattern(std::string_view value) {
    coalesced_ = value == "coalesced";
    zero_copy_ = value == "zero-copy";
    result_.kernel.pattern = value == "random" ? AccessPattern::random
                             : value == "bulk" ? AccessPattern::bulk
                                               : AccessPattern::sequential;
    return coalesced_ || zero_copy_ || value == "sequential" || value == "random" || value == "bulk";
  }
  bool location(std::string_view value) {
    result_.kernel.location = value == "device" ? nvidia::MemoryLocation::device : nvidia::MemoryLocation::zero_copy;
    return value == "device" || value == "zero-copy";
  }
  bool lanes(std::string_view value) {
    result_.kernel.lanes_differ = value == "differ";
    return value == "same" || value == "differ";
  }
  bool footprint(std::string_view value) {
    const auto bytes = size_in_bytes(value);
    result_.kernel.footprint = bytes.value_or(0);
    return bytes.has_value();
  }
  bool fetch(std::string_view value) {
    const std::int64_t bytes = size_in_bytes(value).value_or(0);
    result_.kernel.fetched_bytes = static_cast<double>(bytes);
    return bytes >= 32 && bytes <= 128;
  }
  static bool positive(std::string_view value, std::int64_t& target) {
    target = whole_number(value).value_or(0);
    return target > 0;
  }
  bool threads(std::string_view value) { return positive(value, result_.kernel.threads); }
  bool blocks(std::string_view value) { return positive(value, result_.kernel.blocks); }
  bool count(std::string_view value) { return positive(value, result_.count); }
  bool share(std::string_view value) {
    double& number = result_.kernel.memory_share;
    const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
    return read.ec == std::errc() && read.ptr == value.data() + value.size() && number >= 0 && number <= 1;
  }
  template <double MemoryKernel::*cycles>
  bool time(std::string_view value) {
    const auto time = parse_time_text(value);
    if (!time || *time < Duration{}) return false;
    result_.kernel.*cycles = static_cast<double>(time->picoseconds()) * clock_mhz_ / 1e6;
    return true;
  }

  bool beside_;
  double clock_mhz_;
  bool coalesced_ = false;
  bool zero_copy_ = false;
  std::set<std::string> seen_;
  MemoryKernels result_;
};

/// "3xSPEC", "3x" or "3xsame" (three like the kernel), or "SPEC".
tl::expected<MemoryKernels, std::string> read_beside(std::string_view text, const MemoryKernel& kernel,
                                                     double clock_mhz) {
  std::optional<std::int64_t> count;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits > 0 && digits < text.size() && text[digits] == 'x') {
    count = whole_number(text.substr(0, digits));
    if (!count || *count < 1) return tl::unexpected(std::string("expected a whole number above zero before x"));
    text.remove_prefix(digits + 1);
  }
  if (text == "same" || (text.empty() && count)) return MemoryKernels{kernel, count.value_or(1)};
  auto others = KernelReader(true, clock_mhz).read(text);
  if (others && count) {
    if (others->count != 1) return tl::unexpected(std::string("the count is given twice, before x and as count"));
    others->count = *count;
  }
  return others;
}

/// The request in the model's terms.
Outcome<exporter::InterferenceQuestion> read_question(const engine::DeviceProfile& profile,
                                                      const InterferenceRequest& request) {
  const auto parameters = profile.measured_memory.value_or(engine::gpu::MemoryParameters{});
  exporter::InterferenceQuestion question;
  const auto kernel =
      at_place("--kernel " + request.kernel, KernelReader(false, parameters.clock_mhz).read(request.kernel));
  if (!kernel) return tl::unexpected(kernel.error());
  question.kernel = kernel->kernel;
  for (const std::string& text : request.beside) {
    auto others = at_place("--beside " + text, read_beside(text, question.kernel, parameters.clock_mhz));
    if (!others) return tl::unexpected(others.error());
    question.others.push_back(std::move(*others));
  }
  if (request.cpu == "none") {
    if (request.cpu_cores) return misused("--cpu-cores needs --cpu random or --cpu sequential");
    return question;
  }
  question.cpu.kind = request.cpu == "random" ? nvidia::CpuTrafficKind::random : nvidia::CpuTrafficKind::sequential;
  question.cpu.cores = static_cast<std::int64_t>(
      request.cpu_cores.value_or(static_cast<std::uint64_t>(std::llround(parameters.cpu_cores))));
  return question;
}

using Predicted = Answer<exporter::InterferenceAnswer, exporter::CoarseInterference, exporter::ComparedMeasurements>;

Outcome<Predicted> compare(engine::DeviceProfile profile, const InterferenceRequest& request) {
  if (!request.kernel.empty() || !request.beside.empty() || request.cpu != "none" || request.cpu_cores)
    return misused("--against-measurements evaluates the measured cases; omit --kernel, --beside and --cpu");
  if (!profile.measured_memory)
    return misused("--platform " + request.platform, "the profile has no measurements (\"measured_memory\")");
  return at_place(profile.name, nvidia::compare_with_measurements(*profile.measured_memory, *profile.multiprocessors))
      .map([&](auto&& rows) {
        return Predicted{exporter::ComparedMeasurements{std::move(profile), std::move(rows)}};
      });
}

}  // namespace

OptionTable options(InterferenceRequest& request) {
  return {
      platform_row(request.platform),
      row("kernel", &request.kernel, "Kernel to predict: pattern=random,footprint=256KiB,... --help-all lists the keys",
          {group::options}, {.takes = "KEY=VALUE,..."}),
      row("beside", &request.beside,
          "Kernel that runs at the same time, as in --kernel. A count may precede it, such as "
          "3xpattern=coalesced,footprint=1MiB; 3xsame: three more like --kernel; may be repeated",
          {group::options}, {.takes = "KEY=VALUE,..."}),
      row("cpu", &request.cpu, "How CPU cores access memory at the same time", {group::options},
          {.choices = {"none", "random", "sequential"}}),
      row("cpu-cores", &request.cpu_cores,
          "Number of CPU cores that access memory. Default: as many as in the measurements", {group::options},
          {.range = Range{0, std::numeric_limits<std::int64_t>::max()}, .usual = ""}),
      row("against-measurements", &request.against_measurements,
          "Compare the prediction with every measured case of the profile", {group::options})};
}

Outcome<Predicted> answer(const InterferenceRequest& request, const Watch&) {
  std::string files;
  auto profile = choose_profile(request.platform, files);
  if (!profile) return tl::unexpected(profile.error());
  if (profile->measured_memory && !profile->multiprocessors)
    return misused("--platform " + request.platform, "\"measured_memory\" needs \"multiprocessors\"");
  if (request.against_measurements) return compare(std::move(*profile), request);
  if (request.kernel.empty()) return misused("gpu interference needs --kernel, or --against-measurements");
  auto question = read_question(*profile, request);
  if (!question) return tl::unexpected(question.error());
  if (!profile->measured_memory) {
    const double share = question->kernel.memory_share;
    const auto prediction = nvidia::predict_coarsely(profile->interference, share, !question->others.empty(),
                                                     question->cpu.kind != nvidia::CpuTrafficKind::none);
    return Predicted{exporter::CoarseInterference{std::move(*profile), share, prediction}};
  }
  return at_place(profile->name, nvidia::predict_interference(*profile->measured_memory, *profile->multiprocessors,
                                                              question->kernel, question->others, question->cpu))
      .map([&](auto&& prediction) {
        return Predicted{
            exporter::InterferenceAnswer{std::move(*profile), std::move(*question), std::move(prediction)}};
      });
}

}  // namespace amalthea::analysis::gpu
