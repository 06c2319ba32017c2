// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <tl/expected.hpp>

#include "amalthea/quantity.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/gpu/gpu_verbs.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/verbs.hpp"
#include "engine/nvidia/memory_model.hpp"
#include "engine/nvidia/tx2_measurements.hpp"
#include "exporter/gpu/interference_formats.hpp"

namespace amalthea::cli {
namespace {

namespace gpu = engine::gpu;
namespace nvidia = engine::nvidia;
using nvidia::AccessPattern;
using nvidia::MemoryKernel;
using nvidia::MemoryKernels;

struct InterferenceOptions {
  std::string platform = "tx2";
  std::string kernel;
  std::vector<std::string> beside;
  std::string cpu = "none";
  std::optional<std::int64_t> cpu_cores;
  bool against_measurements = false;
  std::string format = "text";
};

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::int64_t> size_in_bytes(std::string_view text) {
  struct Unit {
    std::string_view name;
    std::int64_t bytes;
  };
  constexpr Unit units[] = {{"KiB", 1 << 10}, {"KB", 1 << 10}, {"MiB", 1 << 20}, {"MB", 1 << 20}, {"B", 1}, {"", 1}};
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    const auto number = whole_number(text.substr(0, text.size() - unit.name.size()));
    if (!number || *number < 0 || *number > std::numeric_limits<std::int64_t>::max() / unit.bytes) return std::nullopt;
    return *number * unit.bytes;
  }
  return std::nullopt;
}

/// Parses key=value,… of --kernel and --beside.
class KernelReader {
 public:
  /// `beside`: whether it belongs to --beside; `clock_mhz` converts times to cycles.
  KernelReader(bool beside, double clock_mhz) : beside_(beside), clock_mhz_(clock_mhz) {}

  tl::expected<MemoryKernels, std::string> read(std::string_view text) {
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      if (auto problem = entry(text.substr(at, end - at)); !problem.empty()) return tl::unexpected(std::move(problem));
      at = end + 1;
    }
    if (auto problem = whole(); !problem.empty()) return tl::unexpected(std::move(problem));
    return result_;
  }

 private:
  std::string entry(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return fmt::format("\"{}\": expected KEY=VALUE, such as pattern=random", text);
    const std::string_view key = text.substr(0, equals);
    const std::string_view value = text.substr(equals + 1);
    if (!seen_.insert(std::string(key)).second) return fmt::format("\"{}\" is given twice", key);
    const auto expected = [&](std::string_view what) { return fmt::format("\"{}\": expected {}", text, what); };
    MemoryKernel& kernel = result_.kernel;
    if (key == "pattern") return pattern(value) ? "" : expected("sequential, coalesced, random, zero-copy or bulk");
    if (key == "location") {
      if (value != "device" && value != "zero-copy") return expected("device or zero-copy");
      kernel.location = value == "device" ? nvidia::MemoryLocation::device : nvidia::MemoryLocation::zero_copy;
      return {};
    }
    if (key == "lanes") {
      if (value != "same" && value != "differ") return expected("same or differ");
      kernel.lanes_differ = value == "differ";
      return {};
    }
    if (key == "footprint") {
      const auto bytes = size_in_bytes(value);
      if (!bytes) return expected("a size such as 256KiB, 256KB (the same), 2MiB or 4096");
      kernel.footprint = *bytes;
      return {};
    }
    if (key == "threads") return count(value, kernel.threads) ? "" : expected("a whole number above zero");
    if (key == "blocks") return count(value, kernel.blocks) ? "" : expected("a whole number above zero");
    if (key == "count" && beside_) return count(value, result_.count) ? "" : expected("a whole number above zero");
    if (key == "fetch") {
      const auto bytes = size_in_bytes(value);
      if (!bytes || *bytes < 32 || *bytes > 128) return expected("32 to 128 bytes, such as 32 or 64");
      kernel.fetched_bytes = static_cast<double>(*bytes);
      return {};
    }
    if (key == "memory-share" && !beside_) return share(value) ? "" : expected("a number from 0 to 1");
    if (key == "own") return cycles(value, kernel.own_cycles) ? "" : expected(time_form);
    if (key == "load-path") return cycles(value, kernel.load_path_cycles) ? "" : expected(time_form);
    if (key == "memory-path") return cycles(value, kernel.memory_path_cycles) ? "" : expected(time_form);
    return fmt::format(
        "\"{}\": unknown key; expected one of pattern, location, lanes, footprint, threads, blocks, fetch, own, "
        "load-path, memory-path, {}",
        key, beside_ ? "count" : "memory-share");
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
    if (coalesced_ || zero_copy_ || value == "sequential")
      result_.kernel.pattern = AccessPattern::sequential;
    else if (value == "random")
      result_.kernel.pattern = AccessPattern::random;
    else if (value == "bulk")
      result_.kernel.pattern = AccessPattern::bulk;
    else
      return false;
    return true;
  }

  static bool count(std::string_view value, std::int64_t& target) {
    const auto number = whole_number(value);
    if (number && *number > 0) target = *number;
    return number && *number > 0;
  }

  bool share(std::string_view value) {
    double number = 0;
    const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
    if (read.ec != std::errc() || read.ptr != value.data() + value.size() || !(number >= 0 && number <= 1))
      return false;
    result_.kernel.memory_share = number;
    return true;
  }

  static constexpr std::string_view time_form = "a time such as 530us or 2ms";
  bool cycles(std::string_view value, double& target) const {
    const auto time = parse_time_text(std::string(value));
    if (!time || *time < Duration{}) return false;
    target = static_cast<double>(time->picoseconds()) * clock_mhz_ / 1e6;
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
  if (text == "same" || (text.empty() && count)) {
    MemoryKernels same{kernel, count.value_or(1)};
    return same;
  }
  auto others = KernelReader(true, clock_mhz).read(text);
  if (others && count) {
    if (others->count != 1) return tl::unexpected(std::string("the count is given twice, before x and as count"));
    others->count = *count;
  }
  return others;
}

int compare(const engine::DeviceProfile& profile, const InterferenceOptions& options) {
  const auto rows = nvidia::compare_with_measurements(*profile.measured_memory, *profile.multiprocessors);
  if (!rows) return unusable(fmt::format("{}: {}", profile.name, rows.error()));
  return written(options.format == "json" ? exporter::render_measurements_json(profile, *rows)
                                          : exporter::render_measurements_text(profile, *rows, use_colour()),
                 ExitCode::all_well);
}

/// The options in the model's terms.
tl::expected<exporter::InterferenceQuestion, std::string> read_question(const engine::DeviceProfile& profile,
                                                                        const InterferenceOptions& options) {
  const gpu::MemoryParameters parameters = profile.measured_memory.value_or(gpu::MemoryParameters{});
  exporter::InterferenceQuestion question;
  const auto kernel = KernelReader(false, parameters.clock_mhz).read(options.kernel);
  if (!kernel) return tl::unexpected(fmt::format("--kernel {}: {}", options.kernel, kernel.error()));
  question.kernel = kernel->kernel;
  for (const std::string& text : options.beside) {
    auto others = read_beside(text, question.kernel, parameters.clock_mhz);
    if (!others) return tl::unexpected(fmt::format("--beside {}: {}", text, others.error()));
    question.others.push_back(std::move(*others));
  }
  if (options.cpu == "none") {
    if (options.cpu_cores) return tl::unexpected(std::string("--cpu-cores needs --cpu random or --cpu sequential"));
    return question;
  }
  question.cpu.kind = options.cpu == "random" ? nvidia::CpuTrafficKind::random : nvidia::CpuTrafficKind::sequential;
  question.cpu.cores = options.cpu_cores.value_or(std::llround(parameters.cpu_cores));
  return question;
}

int run(const InterferenceOptions& options) {
  const auto profile = choose_profile(options.platform);
  if (!profile) return ExitCode::unusable;
  const bool json = options.format == "json";
  if (profile->measured_memory && !profile->multiprocessors)
    return unusable(fmt::format("--platform {}: \"measured_memory\" needs \"multiprocessors\"", options.platform));
  if (options.against_measurements) {
    if (!options.kernel.empty() || !options.beside.empty() || options.cpu != "none" || options.cpu_cores)
      return unusable("--against-measurements evaluates the measured cases; omit --kernel, --beside and --cpu");
    if (!profile->measured_memory)
      return unusable(
          fmt::format("--platform {}: the profile has no measurements (\"measured_memory\")", options.platform));
    return compare(*profile, options);
  }
  if (options.kernel.empty()) return unusable("gpu interference needs --kernel, or --against-measurements");
  const auto question = read_question(*profile, options);
  if (!question) return unusable(question.error());
  if (!profile->measured_memory) {
    const double share = question->kernel.memory_share;
    const auto prediction = nvidia::predict_coarsely(profile->interference, share, !question->others.empty(),
                                                     question->cpu.kind != nvidia::CpuTrafficKind::none);
    return written(json ? exporter::render_coarse_interference_json(*profile, share, prediction)
                        : exporter::render_coarse_interference_text(*profile, share, prediction, use_colour()),
                   ExitCode::all_well);
  }
  const auto prediction = nvidia::predict_interference(*profile->measured_memory, *profile->multiprocessors,
                                                       question->kernel, question->others, question->cpu);
  if (!prediction) return unusable(fmt::format("{}: {}", profile->name, prediction.error()));
  return written(json ? exporter::render_interference_json(*profile, *question, *prediction)
                      : exporter::render_interference_text(*profile, *question, *prediction, use_colour()),
                 ExitCode::all_well);
}

}  // namespace

void add_gpu_interference(CLI::App& gpu, int& exit_code) {
  auto options = std::make_shared<InterferenceOptions>();
  CLI::App* verb =
      gpu.add_subcommand("interference", "Predict the slowdown of a kernel by other kernels and CPU memory traffic");
  add_options(*verb, {row("platform", &options->platform, "GPU profile: built-in name (tx2, xavier, ...) or JSON file",
                          {group::options}, {.takes = "NAME", .file = FileKind::read}),
                      row("kernel", &options->kernel,
                          "Kernel to predict: pattern=random,footprint=256KiB,... --help-all lists the keys",
                          {group::options}, {.takes = "KEY=VALUE,..."}),
                      row("beside", &options->beside,
                          "Kernel that runs at the same time, as in --kernel. A count may precede it, such as "
                          "3xpattern=coalesced,footprint=1MiB; 3xsame: three more like --kernel; may be repeated",
                          {group::options}, {.takes = "KEY=VALUE,..."}),
                      row("cpu", &options->cpu, "How CPU cores access memory at the same time", {group::options},
                          {.choices = {"none", "random", "sequential"}})});
  verb->add_option("--cpu-cores", options->cpu_cores,
                   "Number of CPU cores that access memory. Default: as many as in the measurements")
      ->check(CLI::NonNegativeNumber);
  add_options(*verb, {row("against-measurements", &options->against_measurements,
                          "Compare the prediction with every measured case of the profile", {group::options})});
  add_format(*verb, options->format);
  describe(*verb,
           {"amalthea gpu interference --kernel pattern=random,footprint=1MiB --cpu random",
            "amalthea gpu interference --kernel pattern=bulk,own=1ms --beside 3xsame",
            "amalthea gpu interference --platform tx2 --against-measurements"},
           "Keys of a kernel:\n"
           "  pattern       sequential; coalesced: sequential in whole warps; random;\n"
           "                zero-copy: sequential in host memory; bulk: a whole kernel,\n"
           "                described by its demands\n"
           "  footprint     memory that all its blocks read again and again, such as\n"
           "                256KiB = 256KB = 262144\n"
           "  threads       threads per block (default: 1; coalesced: 32)\n"
           "  blocks        number of blocks (default: 1)\n"
           "  location      device (default) or zero-copy\n"
           "  lanes         random: differ (default) loads an element per lane, same one\n"
           "                per warp\n"
           "  fetch         sequential: bytes that a miss loads (default: from the profile)\n"
           "  own, load-path, memory-path\n"
           "                bulk: time that the kernel needs on resources it does not\n"
           "                share, on the load path of an SM, and on the memory path,\n"
           "                such as memory-path=530us\n"
           "  memory-share  --kernel only: share of its time that it waits for memory\n"
           "                (default: 1)\n"
           "  count         --beside only: number of such kernels\n"
           "A profile without measured memory figures uses its coarse table. Then only memory-share has an effect.");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
