// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/memory_model.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "engine/nvidia/block_placement.hpp"

namespace amalthea::engine::nvidia {
namespace {

constexpr double bytes_per_kib = 1024;
constexpr double element_bytes = 4;
constexpr double sector_bytes = 32;  ///< smallest unit of a load
constexpr double line_bytes = 128;

double power_sum(double a, double b, double exponent) {
  if (b <= 0) return a;
  if (a <= 0) return b;
  // Scaled by the larger one, since powers of long times exceed the range of a double.
  const double larger = std::max(a, b);
  return larger * std::pow(1 + std::pow(std::min(a, b) / larger, exponent), 1 / exponent);
}

/// A kernel, or several of the same kind, with its placed blocks.
struct Resident {
  const MemoryKernel* kernel = nullptr;
  std::vector<double> blocks;  ///< per SM
  double kernels = 0;          ///< number of kernels with a resident block
  double all_blocks = 0;
  bool is_limit = false;  ///< any number of blocks up to these may be resident

  double warps_per_block() const { return static_cast<double>((kernel->threads + 31) / 32); }
  double warps() const { return all_blocks * warps_per_block(); }
  bool is_bulk() const { return kernel->pattern == AccessPattern::bulk; }
  bool is_device() const { return kernel->location == MemoryLocation::device; }
  /// In KiB, as far as it competes for the L2.
  double cached_footprint() const {
    return is_device() ? kernels * static_cast<double>(kernel->footprint) / bytes_per_kib : 0.0;
  }
};

/// The total demand of resident kernels for everything shared; the model is a function of a kernel and this.
struct Load {
  double load_path = 0;  ///< cycles that the kernel's busiest SM needs to load once for every warp
  double footprint = 0;  ///< KiB that compete for the L2
  double warps = 0;      ///< number of warps that may miss
  double dram = 0;       ///< cycles of the memory bandwidth for every missing warp once
  double lanes = 0;      ///< cycles that a lane's miss waits behind those of other lanes
  double cpu_latency = 1;
  double cpu_queue = 0;
};

class MemoryEquations {
 public:
  explicit MemoryEquations(const MemoryParameters& parameters) : p_(parameters) {}

  /// Lanes of a warp.
  static double lanes(const MemoryKernel& kernel) {
    return static_cast<double>(std::min<std::int64_t>(kernel.threads, 32));
  }

  static bool lanes_alone(const MemoryKernel& kernel) {
    return kernel.pattern == AccessPattern::random && kernel.lanes_differ && kernel.threads > 1;
  }

  /// Sectors that a warp's separate lanes touch: fewer than lanes if the footprint has few sectors.
  static double distinct_lanes(const MemoryKernel& kernel) {
    const double sectors = std::max(1.0, static_cast<double>(kernel.footprint) / sector_bytes);
    return std::max(1.0, sectors * -std::expm1(lanes(kernel) * std::log1p(-1 / (sectors + 1e-9))));
  }

  /// Cycles of an SM's load path for one access of a warp.
  double load_of_warp(const MemoryKernel& kernel) const {
    if (lanes_alone(kernel)) return p_.lane_load * distinct_lanes(kernel);
    const double bytes = kernel.pattern == AccessPattern::random ? sector_bytes : lanes(kernel) * element_bytes;
    return p_.warp_load * std::max(bytes, sector_bytes) / line_bytes;
  }

  double undisturbed_hit(const MemoryKernel& kernel) const {
    const double further = lanes(kernel) - 1;
    return p_.hit_latency + further * (lanes_alone(kernel) ? p_.hit_lane_extra : p_.hit_warp_extra / 31);
  }

  /// The time of an access that takes `cycles` without queueing for the SM's load path. That path is a bandwidth: time
  /// spent waiting for misses overlaps with it.
  double queued(const MemoryKernel& kernel, double cycles, double load_path) const {
    if (lanes_alone(kernel))
      return std::max(cycles, undisturbed_hit(kernel) + load_path - p_.unqueued_lanes * p_.lane_load);
    const double exponent = p_.warp_load_exponent;
    const double queue =
        std::pow(load_path / cycles, exponent) - std::pow(p_.unqueued_warps * p_.warp_load / cycles, exponent);
    return queue <= 0 ? cycles : cycles * std::pow(1 + queue, 1 / exponent);
  }

  /// The share of a walk's misses caused by `footprint`, 0 … 1. A random walk beyond the capacity always hits in part.
  double overflow(const MemoryKernel& kernel, double footprint) const {
    if (kernel.location == MemoryLocation::zero_copy) return 1;
    const double own = static_cast<double>(kernel.footprint) / bytes_per_kib;
    if (kernel.pattern == AccessPattern::random) return random_overflow(footprint);
    const double alone = std::clamp((own - p_.l2_capacity) / p_.sequential_ramp_alone, 0.0, 1.0);
    const double shared = std::clamp((footprint - p_.l2_capacity) / p_.sequential_ramp_shared, 0.0, 1.0);
    return std::max(alone, std::pow(shared, p_.sequential_ramp_exponent));
  }

  /// The share of a warp's accesses that wait for a miss, 0 … 1.
  double miss_share(const MemoryKernel& kernel, const Load& load) const {
    if (kernel.location == MemoryLocation::zero_copy) return 1;
    const double share = overflow(kernel, load.footprint);
    if (kernel.pattern == AccessPattern::random) {
      const double doublings = std::log2(std::max(1.0, load.warps / p_.random_growth_from));
      const double cost = std::min(p_.miss_latency, p_.random_miss_latency + p_.random_growth_per_doubling * doublings);
      // A warp waits for its last lane.
      const double lanes = lanes_alone(kernel) ? distinct_lanes(kernel) : 1.0;
      return -std::expm1(lanes * std::log1p(-std::min(share * cost / p_.miss_latency, 1.0 - 1e-12)));
    }
    return share * fresh_share(kernel, load.warps);
  }

  double cycles(const MemoryKernel& kernel, const Load& load) const {
    const double hit = undisturbed_hit(kernel);
    const double share = miss_share(kernel, load);
    if (share <= 0) return queued(kernel, hit, load.load_path);
    double miss = p_.miss_latency;
    if (kernel.location == MemoryLocation::zero_copy) {
      miss = p_.zero_copy_latency;
      if (kernel.pattern == AccessPattern::random)
        miss += p_.zero_copy_random_extra * random_overflow(static_cast<double>(kernel.footprint) / bytes_per_kib);
    }
    double burst = 0;
    if (kernel.pattern == AccessPattern::sequential)
      burst = p_.burst_per_doubling * std::log2(static_cast<double>((kernel.threads + 31) / 32));
    const double latency = hit + miss * load.cpu_latency + burst + load.cpu_queue;
    const double missed = power_sum(latency, load.dram, p_.dram_exponent) + load.lanes;
    return queued(kernel, hit + share * (missed - hit), load.load_path);
  }

  /// Cycles of the memory bandwidth that one access of all resident warps takes.
  double dram_of(const Resident& resident, double footprint) const {
    const MemoryKernel& kernel = *resident.kernel;
    if (kernel.pattern != AccessPattern::sequential) return 0;
    return p_.dram_line * resident.warps() * overflow(kernel, footprint) * fresh_share(kernel, 0);
  }

  /// Number of lanes that miss separately, weighted by how close the cost of their misses is to that far beyond the
  /// capacity.
  double lone_lanes(const Resident& resident) const {
    return lanes_alone(*resident.kernel) ? resident.warps() * distinct_lanes(*resident.kernel) : 0.0;
  }
  double lane_weight(const MemoryKernel& kernel, double footprint) const {
    if (kernel.location == MemoryLocation::zero_copy) return 1;
    const double beyond = std::max(0.0, footprint - p_.l2_capacity) / p_.lane_miss_ramp;
    return -std::expm1(-std::pow(beyond, p_.lane_miss_ramp_exponent));
  }
  double lane_queue(double lanes, double weighted_lanes) const {
    return p_.lane_miss * weighted_lanes * std::pow(std::min(1.0, lanes / p_.lane_miss_depth), p_.lane_miss_exponent);
  }

  /// Number of warps whose misses delay others.
  double missing_warps(const Resident& resident, double footprint) const {
    return resident.warps() * overflow(*resident.kernel, footprint);
  }

  /// The number of missing warps that load the memory as much as a bulk kernel with this utilization.
  double warps_of_bulk(double utilisation) const {
    return utilisation * (p_.hit_latency + p_.hit_warp_extra + p_.miss_latency) / p_.dram_line;
  }

  double bulk_cycles(double own, double load_path, double memory_path) const {
    return power_sum(power_sum(own, load_path, p_.dram_exponent), memory_path, p_.dram_exponent);
  }

  const MemoryParameters& parameters() const { return p_; }

 private:
  double random_overflow(double footprint) const {
    if (footprint <= p_.l2_capacity) return 0;
    return 1 - std::pow(p_.l2_capacity / footprint, p_.random_overflow_exponent);
  }

  /// The share of a sequential warp's accesses that are the first to the fetched data, 0 … 1.
  double fresh_share(const MemoryKernel& kernel, double walks) const {
    const double step = lanes(kernel) * element_bytes / kernel.fetched_bytes.value_or(p_.fetched_bytes);
    if (step >= 1) return 1;
    const double lost = std::pow(std::min(1.0, walks / p_.lost_sectors_streams), p_.lost_sectors_exponent);
    return std::min(1.0, step * (1 + lost));
  }

  const MemoryParameters& p_;
};

}  // namespace

std::string fault_of(const MemoryParameters& parameters, const SmLimits& limits, const MemoryKernel& kernel) {
  constexpr std::int64_t max_bytes = std::int64_t{1} << 50;
  constexpr std::int64_t max_blocks = std::int64_t{1} << 31;
  if (kernel.threads < 1) return fmt::format("{} threads: expected at least 1", kernel.threads);
  if (kernel.blocks < 1 || kernel.blocks > max_blocks)
    return fmt::format("{} blocks: expected 1 to {}", kernel.blocks, max_blocks);
  if (!(kernel.memory_share >= 0 && kernel.memory_share <= 1))
    return fmt::format("a memory share of {}: expected 0 to 1", kernel.memory_share);
  if (kernel.footprint < 0 || kernel.footprint > max_bytes)
    return fmt::format("a footprint of {} bytes: expected 0 to 2^50", kernel.footprint);
  if (kernel.fetched_bytes && !(*kernel.fetched_bytes >= sector_bytes && *kernel.fetched_bytes <= line_bytes))
    return fmt::format("{} bytes fetched by a miss: expected {} to {}", *kernel.fetched_bytes, sector_bytes,
                       line_bytes);
  if (kernel.pattern == AccessPattern::bulk) {
    const std::int64_t per_sm = std::min(limits.blocks, limits.max_warps() / ((kernel.threads + 31) / 32));
    if (kernel.blocks > per_sm * limits.sms)
      return fmt::format("{} blocks of {} threads: those of a bulk kernel are to run at once, and the device holds {}",
                         kernel.blocks, kernel.threads, per_sm * limits.sms);
    for (const double cycles : {kernel.own_cycles, kernel.load_path_cycles, kernel.memory_path_cycles})
      if (!(cycles >= 0 && cycles <= 1e15)) return "the demands of a bulk kernel are to lie between 0 and 1e15 cycles";
    if (!(kernel.own_cycles + kernel.load_path_cycles + kernel.memory_path_cycles > 0))
      return "a bulk kernel needs a demand above 0: of its own, of the load path or of the memory path";
  } else if (static_cast<double>(kernel.footprint) < element_bytes) {
    return fmt::format("a footprint of {} bytes: a walk needs at least {}", kernel.footprint, element_bytes);
  }
  if (parameters.l2_capacity <= 0) return "the device has no measured memory figures";
  return {};
}

namespace {

/// Places kernels in order; once a block does not fit, all following ones wait (X1).
class Residency {
 public:
  explicit Residency(const SmLimits& limits) : placement_(limits) {}

  tl::expected<Resident, std::string> add(const MemoryKernel& kernel, std::int64_t count) {
    const auto use = use_of_block(placement_.limits(), {kernel.threads, 0, 0});
    if (!use) return tl::unexpected(use.error());
    Resident resident;
    resident.kernel = &kernel;
    resident.blocks.resize(static_cast<std::size_t>(placement_.limits().sms));
    for (std::int64_t i = 0; i < count && !full_; ++i)
      for (std::int64_t block = 0; block < kernel.blocks && !full_; ++block) {
        const auto sm = placement_.place(*use);
        if (!sm) {
          full_ = true;
          break;
        }
        resident.blocks[*sm] += 1;
        resident.all_blocks += 1;
        if (block == 0) resident.kernels += 1;
      }
    return resident;
  }

 private:
  BlockPlacement placement_;
  bool full_ = false;
};

/// The parts of a sum that is built step by step, so that they add up to it.
class Parts {
 public:
  explicit Parts(std::vector<InterferencePart>& parts) : parts_(parts) {}

  /// Adds the kernel's own part, even if it is zero.
  void own(InterferenceCause cause, double sum) {
    parts_.push_back({cause, std::nullopt, std::max(0.0, sum - sum_)});
    sum_ = sum;
  }
  /// Adds the part caused by others, distributed by their weights.
  void by_others(InterferenceCause cause, double sum, const std::vector<double>& weights) {
    double all = 0;
    for (const double weight : weights) all += weight;
    if (sum <= sum_ || all <= 0) return;
    for (std::size_t other = 0; other < weights.size(); ++other)
      if (weights[other] > 0) parts_.push_back({cause, other, (sum - sum_) * weights[other] / all});
    sum_ = sum;
  }
  void by_cpu(double sum) {
    if (sum > sum_) parts_.push_back({InterferenceCause::cpu_traffic, std::nullopt, sum - sum_});
    sum_ = std::max(sum, sum_);
  }
  double sum() const { return sum_; }

 private:
  std::vector<InterferencePart>& parts_;
  double sum_ = 0;
};

/// The resident kernel and the other kernels, and their mutual demands.
class Scene {
 public:
  Scene(const MemoryEquations& equations, const Resident& kernel, const std::vector<Resident>& others,
        const CpuTraffic& cpu)
      : equations_(equations), kernel_(kernel), others_(others) {
    const MemoryParameters& p = equations.parameters();
    const double cores = cpu.kind == CpuTrafficKind::none ? 0.0 : static_cast<double>(cpu.cores) / p.cpu_cores;
    const bool random = cpu.kind == CpuTrafficKind::random;
    cpu_latency_ = 1 + ((random ? p.cpu_random_latency : p.cpu_sequential_latency) - 1) * cores;
    cpu_queue_per_warp_ = (random ? p.cpu_random_queue : p.cpu_sequential_queue) * cores;
    cpu_bandwidth_ = power_sum(p.dram_line, cpu_queue_per_warp_, p.dram_exponent) / p.dram_line;
    footprint_ = kernel.cached_footprint();
    for (const Resident& other : others) footprint_ += other.cached_footprint();
    for (std::size_t sm = 1; sm < kernel.blocks.size(); ++sm)
      if (kernel.blocks[sm] > 0 && (kernel.blocks[sm_] <= 0 || path_of_others(sm) > path_of_others(sm_))) sm_ = sm;
  }

  double footprint() const { return footprint_; }

  void predict(InterferencePrediction& prediction) const {
    Parts parts(prediction.parts);
    if (kernel_.is_bulk())
      predict_bulk(parts, prediction);
    else
      predict_walk(parts, prediction);
    prediction.beside_cycles = parts.sum();
  }

 private:
  using Cause = InterferenceCause;

  /// The time of a bulk kernel alone on the device.
  double bulk_alone(const Resident& resident) const {
    const MemoryKernel& kernel = *resident.kernel;
    const auto blocks = static_cast<double>(kernel.blocks);
    const double busiest = std::ceil(blocks / static_cast<double>(resident.blocks.size()));
    return equations_.bulk_cycles(kernel.own_cycles / blocks, kernel.load_path_cycles * busiest / blocks,
                                  kernel.memory_path_cycles);
  }

  /// The share of its time in which a resident kernel uses the load path of an SM without interference. A walk counts
  /// as if it always hit: one that misses requests less often, and another kernel that makes it miss would otherwise
  /// help.
  double load_path_use(const Resident& resident, std::size_t sm) const {
    const MemoryKernel& kernel = *resident.kernel;
    if (!resident.is_bulk())
      return std::min(1.0, walk_path(resident, sm) / equations_.undisturbed_hit(*resident.kernel));
    return kernel.load_path_cycles * resident.blocks[sm] / static_cast<double>(kernel.blocks) / bulk_alone(resident);
  }
  /// The same for the memory path.
  double memory_path_use(const Resident& resident) const {
    const MemoryKernel& kernel = *resident.kernel;
    if (!resident.is_bulk()) {
      const double cycles = resident.is_limit ? equations_.undisturbed_hit(*resident.kernel) : walk_cycles(resident);
      return std::min(1.0, queue_weight(resident) / cycles);
    }
    return kernel.memory_path_cycles * resident.all_blocks / static_cast<double>(kernel.blocks) / bulk_alone(resident);
  }

  double walk_path(const Resident& resident, std::size_t sm) const {
    return resident.blocks[sm] * resident.warps_per_block() * equations_.load_of_warp(*resident.kernel);
  }
  double walk_cycles(const Resident& resident) const {
    Load load;
    load.footprint = footprint_;
    load.warps = resident.warps();
    return equations_.cycles(*resident.kernel, load);
  }
  /// Cycles of the memory bandwidth for one access of each warp.
  double queue_weight(const Resident& walk) const {
    return equations_.dram_of(walk, footprint_) + equations_.parameters().lane_miss * equations_.lone_lanes(walk) *
                                                      equations_.lane_weight(*walk.kernel, footprint_);
  }

  /// The time that another kernel uses an SM's load path during one access of the kernel: an access of each warp, or
  /// the corresponding share of a bulk kernel. For a bulk kernel, the share itself.
  double path_of(const Resident& other, std::size_t sm) const {
    if (kernel_.is_bulk()) return load_path_use(other, sm);
    if (!other.is_bulk()) return walk_path(other, sm);
    return load_path_use(other, sm) * equations_.undisturbed_hit(*kernel_.kernel);
  }
  double path_of_others(std::size_t sm) const {
    double path = 0;
    for (const Resident& other : others_) path += path_of(other, sm);
    return path;
  }

  double warps_of(const Resident& resident) const {
    return resident.is_bulk() ? equations_.warps_of_bulk(memory_path_use(resident)) : resident.warps();
  }
  double missing_warps_of(const Resident& resident) const {
    return resident.is_bulk() ? warps_of(resident) : equations_.missing_warps(resident, footprint_);
  }
  double dram_of(const Resident& resident) const {
    return resident.is_bulk() ? warps_of(resident) * equations_.parameters().dram_line
                              : equations_.dram_of(resident, footprint_);
  }

  void predict_walk(Parts& parts, InterferencePrediction& prediction) const {
    const MemoryKernel& kernel = *kernel_.kernel;
    const double own_footprint = kernel_.cached_footprint();
    // Alone, step by step.
    parts.own(Cause::hit_latency, equations_.undisturbed_hit(kernel));
    Load load;
    double own_path = 0;  // alone, another SM may be the busiest
    for (std::size_t sm = 0; sm < kernel_.blocks.size(); ++sm) own_path = std::max(own_path, walk_path(kernel_, sm));
    load.load_path = own_path;
    parts.own(Cause::load_path, equations_.queued(kernel, parts.sum(), load.load_path));
    load.footprint = own_footprint;
    load.warps = kernel_.warps();
    parts.own(Cause::misses, equations_.cycles(kernel, load));
    const double own_lanes = equations_.lone_lanes(kernel_);
    load.dram = equations_.dram_of(kernel_, own_footprint);
    load.lanes = equations_.lane_queue(own_lanes, own_lanes * equations_.lane_weight(kernel, own_footprint));
    parts.own(Cause::memory_bandwidth, equations_.cycles(kernel, load));
    prediction.alone_cycles = parts.sum();
    // With the other kernels, in the order of an access's path.
    load.load_path = std::max(own_path, walk_path(kernel_, sm_) + path_of_others(sm_));
    parts.by_others(Cause::load_path, equations_.cycles(kernel, load),
                    weights([&](const Resident& other) { return path_of(other, sm_); }));
    load.footprint = footprint_;
    const double own_weighted_lanes = own_lanes * equations_.lane_weight(kernel, footprint_);
    load.dram = equations_.dram_of(kernel_, footprint_);
    load.lanes = equations_.lane_queue(own_lanes, own_weighted_lanes);
    parts.by_others(Cause::shared_l2, equations_.cycles(kernel, load),
                    weights([](const Resident& other) { return other.cached_footprint(); }));
    for (const Resident& other : others_) load.warps += warps_of(other);
    parts.by_others(Cause::crowded_misses, equations_.cycles(kernel, load),
                    weights([&](const Resident& other) { return warps_of(other); }));
    double lanes = own_lanes;
    double weighted_lanes = own_weighted_lanes;
    for (const Resident& other : others_) {
      load.dram += dram_of(other);
      lanes += equations_.lone_lanes(other);
      weighted_lanes += equations_.lone_lanes(other) * equations_.lane_weight(*other.kernel, footprint_);
    }
    load.lanes = equations_.lane_queue(lanes, weighted_lanes);
    parts.by_others(Cause::memory_bandwidth, equations_.cycles(kernel, load), weights([&](const Resident& other) {
                      return other.is_bulk() ? dram_of(other) : queue_weight(other);
                    }));
    double missing = equations_.missing_warps(kernel_, footprint_);
    for (const Resident& other : others_) missing += missing_warps_of(other);
    load.cpu_latency = cpu_latency_;
    load.cpu_queue = cpu_queue_per_warp_ * missing;
    load.lanes *= cpu_bandwidth_;
    parts.by_cpu(equations_.cycles(kernel, load));
  }

  void predict_bulk(Parts& parts, InterferencePrediction& prediction) const {
    const MemoryKernel& kernel = *kernel_.kernel;
    const auto blocks = static_cast<double>(kernel.blocks);
    const double own = kernel.own_cycles / blocks;
    const double alone = bulk_alone(kernel_);
    double path = 0;
    for (const double on_sm : kernel_.blocks) path = std::max(path, kernel.load_path_cycles * on_sm / blocks);
    double memory = kernel.memory_path_cycles;
    parts.own(Cause::hit_latency, own);
    parts.own(Cause::load_path, equations_.bulk_cycles(own, path, 0));
    parts.own(Cause::memory_bandwidth, equations_.bulk_cycles(own, path, memory));
    prediction.alone_cycles = parts.sum();
    // During the kernel's time, others use the same share of each path as when alone.
    const auto path_use = [&](const Resident& other) { return load_path_use(other, sm_); };
    const auto memory_use = [&](const Resident& other) { return memory_path_use(other); };
    if (path > 0) {  // a kernel that does not use a path does not wait for it
      for (const Resident& other : others_) path += path_use(other) * alone;
      parts.by_others(Cause::load_path, equations_.bulk_cycles(own, path, memory), weights(path_use));
    }
    if (memory > 0) {
      for (const Resident& other : others_) memory += memory_use(other) * alone;
      parts.by_others(Cause::memory_bandwidth, equations_.bulk_cycles(own, path, memory), weights(memory_use));
    }
    parts.by_cpu(equations_.bulk_cycles(own, path, memory * cpu_bandwidth_));
  }

  template <typename Weight>
  std::vector<double> weights(Weight weight) const {
    std::vector<double> all;
    all.reserve(others_.size());
    for (const Resident& other : others_) all.push_back(weight(other));
    return all;
  }

  const MemoryEquations& equations_;
  const Resident& kernel_;
  const std::vector<Resident>& others_;
  double cpu_latency_ = 1;
  double cpu_queue_per_warp_ = 0;
  double cpu_bandwidth_ = 1;  ///< factor on the memory bandwidth
  double footprint_ = 0;
  std::size_t sm_ = 0;  ///< the SM with blocks of the kernel that has the busiest load path
};

InterferencePrediction predict(const MemoryParameters& parameters, const Resident& kernel,
                               const std::vector<Resident>& others, const CpuTraffic& cpu) {
  InterferencePrediction prediction;
  const MemoryEquations equations(parameters);
  const Scene scene(equations, kernel, others, cpu);
  scene.predict(prediction);
  const double share = kernel.kernel->memory_share;
  prediction.memory_slowdown = prediction.beside_cycles / prediction.alone_cycles;
  prediction.slowdown = 1 - share + share * prediction.memory_slowdown;
  prediction.resident_blocks = std::llround(kernel.all_blocks);
  double resident_others = 0;
  for (const Resident& other : others) resident_others += other.all_blocks;
  prediction.resident_other_blocks = std::llround(resident_others);
  prediction.shared_footprint = std::llround(scene.footprint() * bytes_per_kib);
  return prediction;
}

Resident running(const ResidentKernel& kernel) {
  Resident resident;
  resident.kernel = kernel.kernel;
  resident.kernels = 1;
  for (const std::int64_t blocks : kernel.blocks) {
    resident.blocks.push_back(static_cast<double>(blocks));
    resident.all_blocks += static_cast<double>(blocks);
  }
  return resident;
}

}  // namespace

std::string_view to_string(InterferenceCause cause) {
  switch (cause) {
    case InterferenceCause::hit_latency:
      return "hit latency";
    case InterferenceCause::load_path:
      return "load path of the SM";
    case InterferenceCause::misses:
      return "misses";
    case InterferenceCause::shared_l2:
      return "shared L2";
    case InterferenceCause::crowded_misses:
      return "crowded misses";
    case InterferenceCause::memory_bandwidth:
      return "memory bandwidth";
    case InterferenceCause::cpu_traffic:
      return "CPU traffic";
  }
  return "";
}

tl::expected<InterferencePrediction, std::string> predict_interference(const MemoryParameters& parameters,
                                                                       const SmLimits& limits,
                                                                       const MemoryKernel& kernel,
                                                                       const std::vector<MemoryKernels>& others,
                                                                       const CpuTraffic& cpu) {
  if (const std::string problem = fault_of(parameters, limits, kernel); !problem.empty())
    return tl::unexpected(fmt::format("the kernel: {}", problem));
  if (cpu.cores < 0 || static_cast<double>(cpu.cores) > parameters.cpu_cores)
    return tl::unexpected(fmt::format("{} interfering CPU cores: expected 0 to the {} of the measurements", cpu.cores,
                                      parameters.cpu_cores));
  Residency residency(limits);
  auto own = residency.add(kernel, 1);
  if (!own) return tl::unexpected(fmt::format("the kernel: {}", own.error()));
  std::vector<Resident> beside;
  std::int64_t kernels = 0;
  double all_blocks = static_cast<double>(kernel.blocks);
  for (std::size_t i = 0; i < others.size(); ++i) {
    const auto fail = [&](const std::string& problem) {
      return tl::unexpected(fmt::format("number {} of the kernels beside: {}", i + 1, problem));
    };
    if (const std::string problem = fault_of(parameters, limits, others[i].kernel); !problem.empty())
      return fail(problem);
    if (others[i].count < 0 || others[i].count > max_kernels_beside - kernels)
      return fail(fmt::format("a count of {}: expected 0 to {} in all", others[i].count, max_kernels_beside));
    kernels += others[i].count;
    all_blocks += static_cast<double>(others[i].count) * static_cast<double>(others[i].kernel.blocks);
    auto resident = residency.add(others[i].kernel, others[i].count);
    if (!resident) return fail(resident.error());
    beside.push_back(std::move(*resident));
  }
  InterferencePrediction prediction = predict(parameters, *own, beside, cpu);
  prediction.waiting_blocks = std::llround(all_blocks) - prediction.resident_blocks - prediction.resident_other_blocks;
  return prediction;
}

InterferencePrediction predict_interference(const MemoryParameters& parameters, const ResidentKernel& kernel,
                                            const std::vector<ResidentKernel>& others, const CpuTraffic& cpu) {
  std::vector<Resident> beside;
  beside.reserve(others.size());
  for (const ResidentKernel& other : others) beside.push_back(running(other));
  return predict(parameters, running(kernel), beside, cpu);
}

namespace {

/// Of a kernel in any residency: at most these blocks on every SM and in all.
Resident at_most(const MemoryKernel& kernel, const SmLimits& limits, std::int64_t on_sm, std::int64_t in_all) {
  Resident resident;
  resident.kernel = &kernel;
  resident.blocks.assign(static_cast<std::size_t>(limits.sms), static_cast<double>(on_sm));
  resident.kernels = 1;
  resident.all_blocks = static_cast<double>(in_all);
  resident.is_limit = true;
  return resident;
}

std::int64_t most_on_sm(const MemoryKernel& kernel, const SmLimits& limits) {
  const std::int64_t warps = detail::divide(kernel.threads, limits.warp_size, Rounding::up);
  return std::min({kernel.blocks, limits.blocks, std::max<std::int64_t>(1, limits.max_warps() / warps)});
}

/// Ranges of numbers of blocks: single ones, and from some number on an eighth more than the beginning.
std::int64_t end_of_range(std::int64_t begin, std::int64_t last) { return std::min(last, begin + begin / 8); }

}  // namespace

double largest_slowdown(const MemoryParameters& parameters, const SmLimits& limits, const MemoryKernel& kernel,
                        const std::vector<const MemoryKernel*>& others, const CpuTraffic& cpu) {
  std::vector<Resident> beside;
  for (const MemoryKernel* other : others) {
    const std::int64_t on_sm = most_on_sm(*other, limits);
    beside.push_back(at_most(*other, limits, on_sm, std::min(other->blocks, on_sm * limits.sms)));
  }
  const std::int64_t per_sm = most_on_sm(kernel, limits), all = std::min(kernel.blocks, per_sm * limits.sms);
  double largest = 1;
  for (std::int64_t blocks = 1; blocks <= all; blocks = end_of_range(blocks, all) + 1) {
    const std::int64_t most_blocks = end_of_range(blocks, all), most = std::min(per_sm, most_blocks);
    for (std::int64_t on_sm = detail::divide(blocks, limits.sms, Rounding::up); on_sm <= most;
         on_sm = end_of_range(on_sm, most) + 1) {
      const Resident first = at_most(kernel, limits, on_sm, blocks);
      const Resident last = at_most(kernel, limits, end_of_range(on_sm, most), most_blocks);
      largest = std::max(largest, predict(parameters, last, beside, cpu).beside_cycles /
                                      predict(parameters, first, {}, {}).alone_cycles);
    }
  }
  return largest;
}

CoarsePrediction predict_coarsely(const InterferenceTable& table, double memory_share, bool other_kernels, bool cpu) {
  const auto excess = [](Slowdown slowdown) { return static_cast<double>(slowdown.ppm - 1'000'000) / 1e6; };
  CoarsePrediction prediction;
  if (other_kernels)
    prediction.by_kernels = std::max(excess(table.kernel_by_same_gpc), excess(table.kernel_by_other_gpc));
  if (cpu) prediction.by_cpu = excess(table.kernel_by_cpu);
  // As always with the table: the worst of several kinds counts (interference.hpp).
  (prediction.by_kernels >= prediction.by_cpu ? prediction.by_cpu : prediction.by_kernels) = 0;
  prediction.memory_slowdown = 1 + prediction.by_kernels + prediction.by_cpu;
  prediction.slowdown = 1 - memory_share + memory_share * prediction.memory_slowdown;
  return prediction;
}

}  // namespace amalthea::engine::nvidia
