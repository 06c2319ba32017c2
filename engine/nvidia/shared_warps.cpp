// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/shared_warps.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "engine/nvidia/streams.hpp"
#include "engine/nvidia/time_slices/bound_time.hpp"

namespace amalthea::engine::nvidia {
namespace {

using time_slices::Wide;

class SharedWarps {
 public:
  SharedWarps(const SharedSm& sm, const std::vector<SharingKernel>& kernels)
      : sm_(sm), kernels_(kernels), weights_(sm.limits, weighted(kernels)) {
    for (const SharingKernel& kernel : kernels) fewest_sms_ = std::min(fewest_sms_, sms_of(kernel));
    find_uses();
    find_waits();
    for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel) most_on_sm_.push_back(most_on_sm(kernel));
    find_most_weight();
    if (sm.units)
      read_letters();
    else
      read_instructions();
    are_alike_ = sm.units || std::all_of(kernels.begin(), kernels.end(), [&](const SharingKernel& each) {
                   return each.instructions.empty() || each.block.warps % sm.limits.warp_schedulers == 0;
                 });
  }

  /// What each job of others adds in the whole window.
  gpu::KernelDelays run() const {
    gpu::KernelDelays delays = no_delays();
    for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel)
      delays.own[kernel] =
          time_slices::sum(path_and_own(kernel, most_on_sm_[kernel]), area(kernel, kernels_[kernel].blocks - 1));
    count_left(delays);
    for (std::size_t other = 0; other < kernels_.size(); ++other) {
      const Duration waits = area(other, kernels_[other].blocks);
      const std::map<Place, Wide> issued = issued_beside(other);
      for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel)
        if (!are_apart(kernel, other))
          delays.by[kernel][other] = time_slices::sum(time_of(after_wait(other, issued.at(place_of(kernel)))), waits);
      // What it adds to all other kernels, one after the other and anywhere.
      delays.by[other][other] =
          time_slices::sum(time_of(after_wait(other, product(issues_[other][other], all_warps(other)))), waits);
    }
    return delays;
  }

  /// If no block waits, one way for each number of blocks that a kernel may have on an SM, or for several such numbers:
  /// the more there are, the fewer blocks of others are beside them.
  std::vector<gpu::KernelDelays> beside_own() const {
    constexpr std::size_t most_kernels = 100;
    constexpr std::int64_t most_ways = 3;
    std::vector<gpu::KernelDelays> ways;
    if (waits_ || kernels_.size() > most_kernels) return ways;
    for (std::int64_t way = 0; way < most_ways; ++way) {
      gpu::KernelDelays& delays = ways.emplace_back(no_delays());
      delays.or_before = way > 0;
      delays.single = true;
      for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
        const std::int64_t most = most_on_sm_[kernel], parts_of_most = std::min(most, most_ways);
        const std::int64_t part = std::min(way, parts_of_most - 1);
        const std::int64_t from = 1 + part * most / parts_of_most, to = (part + 1) * most / parts_of_most;
        delays.own[kernel] = path_and_own(kernel, to);
        for (std::size_t other = 0; other < kernels_.size(); ++other)
          if (!are_apart(kernel, other) && kernel != other)
            delays.by[kernel][other] = time_of(delay_by(kernel, other, from));
      }
      count_left(delays);
    }
    return ways;
  }

  /// The wait ends with what was submitted before, so only that adds to it.
  gpu::KernelDelays wait_once() const {
    gpu::KernelDelays delays = no_delays();
    delays.front = delays.by;
    for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel)
      delays.own[kernel] =
          time_slices::sum(time_slices::sum(path_and_own(kernel, most_on_sm_[kernel]), time_of(left_[kernel] * parts)),
                           area(kernel, kernels_[kernel].blocks - 1));
    for (std::size_t other = 0; other < kernels_.size(); ++other) {
      const Duration waits = area(other, kernels_[other].blocks);
      add_once(delays, other, [&](std::size_t kernel) {
        const Wide issued = delay_by(kernel, other);
        return std::pair(time_of(issued), time_slices::sum(waits, time_of(after_wait(other, issued))));
      });
    }
    return delays;
  }

  /// Kernels end one after the other, each in rounds.
  gpu::KernelDelays in_sequence() const {
    gpu::KernelDelays delays = no_delays();
    delays.front = delays.by;
    delays.one_priority = true;
    const bool two_streams = are_two_streams();
    for (std::size_t other = 0; other < kernels_.size(); ++other) {
      const auto [issue, warps, rounds] = turn_of(other);
      const std::int64_t fit = gpu::resident_blocks(sm_.limits, kernels_[other].block), blocks = kernels_[other].blocks;
      const Duration paths = time_slices::times(path_[other], rounds);
      const Wide all = product(issue, warps), beside = warps_on_sub_core(other, std::min(fit, blocks)) - 1;
      // Nothing else is before it then, so all of its blocks are resident at once.
      const Wide alone = two_streams && rounds == 1 ? product(issue, beside) : all;
      delays.own[other] = time_slices::sum(paths, time_of(all));
      add_once(delays, other,
               [&](std::size_t) { return std::pair(time_of(all), time_slices::sum(paths, time_of(alone))); });
    }
    count_left(delays);
    return delays;
  }

  /// Until its last block starts, only what was submitted before delays a kernel. Then others do so on one sub-core.
  gpu::KernelDelays in_sequence_to_last_block() const {
    gpu::KernelDelays delays = no_delays();
    delays.front = delays.by;
    delays.one_priority = true;
    for (std::size_t other = 0; other < kernels_.size(); ++other) {
      const auto [issue, all, rounds] = turn_of(other);
      const Duration paths = time_slices::times(path_[other], rounds);
      const Duration before = time_slices::sum(paths, time_of(product(issue, all)));
      delays.own[other] = time_slices::sum(paths, time_of(product(issue, all - 1)));
      add_once(delays, other, [&](std::size_t kernel) {
        // If it has ended, no more than what it left in pipelines.
        return std::pair(time_of(std::max(delay_by(kernel, other), lag_[other] * parts)), before);
      });
    }
    count_left(delays);
    return delays;
  }

  bool waits() const { return waits_; }

  /// The way that counts each other stream once, from the one above.
  gpu::KernelDelays oldest_first(gpu::KernelDelays delays) const {
    delays.once = true;
    for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
      Wide longest = 0;
      for (std::size_t other = 0; other < kernels_.size(); ++other) {
        if (other == kernel || are_apart(kernel, other)) continue;
        if (!may_share_sms(kernel, other)) continue;
        longest = std::max(longest, without_pause(other));
        delays.by[kernel][other] = time_of(delay_by(kernel, other));
      }
      const Wide younger = product(longest * parts, static_cast<std::int64_t>(kernels_[kernel].instructions.size()));
      delays.own[kernel] = waits_ || occupies_pipelines(kernel)
                               ? time_slices::infinite
                               : time_slices::sum(delays.own[kernel], time_of(younger));
    }
    return delays;
  }

 private:
  static constexpr std::int64_t parts = 1'000'000;  ///< of a cycle, and of a weight
  static constexpr Wide most_parts = Wide(1) << 70, largest = Wide(1) << 124;

  /// Of a kernel that has all SMs: for how long each of its warps delays others, how many there are, and its rounds.
  struct Turn {
    Wide issue = 0, warps = 0;
    std::int64_t rounds = 0;
  };
  Turn turn_of(std::size_t kernel) const {
    Turn turn;
    turn.warps = all_warps(kernel);
    for (std::size_t delayed = 0; delayed < kernels_.size(); ++delayed)
      turn.issue = std::max(turn.issue, issues_[delayed][kernel]);
    const std::int64_t fit = gpu::resident_blocks(sm_.limits, kernels_[kernel].block);
    turn.rounds = static_cast<std::int64_t>(divided_up(kernels_[kernel].blocks, Wide(fit) * sm_.limits.sms));
    return turn;
  }

  using Place = std::pair<std::size_t, std::size_t>;
  /// The task and the stream.
  Place place_of(std::size_t kernel) const { return {kernels_[kernel].task, kernels_[kernel].stream}; }

  gpu::KernelDelays no_delays() const {
    gpu::KernelDelays delays;
    delays.own.resize(kernels_.size());
    delays.by.assign(kernels_.size(), std::vector<Duration>(kernels_.size()));
    for (const Wide lag : lag_) delays.lag.push_back(time_of(lag * parts));
    return delays;
  }

  /// Of a block, and what other blocks of the kernel issue meanwhile, of so many on its SM; after the wait, what they
  /// did not issue before.
  Duration path_and_own(std::size_t kernel, std::int64_t on_sm) const {
    const Wide block = warps_on_sub_core(kernel, 1), beside = warps_on_sub_core(kernel, on_sm) - block;
    const Wide issued = product(issues_[kernel][kernel], beside);
    return time_slices::sum(path_[kernel],
                            time_of(product(issues_[kernel][kernel], block - 1) + after_wait(kernel, issued)));
  }

  /// What kernels that have ended left in pipelines. Others count like those that have not ended, if they end so late.
  void count_left(gpu::KernelDelays& delays) const {
    for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
      const Duration left = time_of(left_[kernel] * parts), own = time_of(left_by_own_[kernel] * parts);
      const bool is_only = is_only_[kernel];
      delays.again.push_back(is_only ? own : Duration{});
      delays.left.push_back(left - std::min(left, own));
      if (!is_only) delays.own[kernel] = time_slices::sum(delays.own[kernel], own);
    }
  }

  /// Those of all blocks that may delay a chain of blocks, each on any SM. Sub-cores that are alike count as one.
  Wide all_warps(std::size_t kernel) const {
    return waits_ && are_alike_ ? warps_on_sub_core(kernel, kernels_[kernel].blocks)
                                : Wide(kernels_[kernel].block.warps) * kernels_[kernel].blocks;
  }

  /// `added`: what the other one adds to a kernel if it was submitted later, and if before. Those of a place add up.
  template <typename Added>
  void add_once(gpu::KernelDelays& delays, std::size_t other, const Added& added) const {
    std::map<Place, Duration> later;
    for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
      if (are_apart(kernel, other)) continue;
      const auto [after, before] = added(kernel);
      later[place_of(kernel)] = time_slices::sum(later[place_of(kernel)], after);
      delays.front[kernel][other] = before < time_slices::infinite ? before - std::min(before, after) : before;
    }
    for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel)
      if (!are_apart(kernel, other)) delays.by[kernel][other] = later[place_of(kernel)];
  }

  bool are_two_streams() const {
    std::set<std::size_t> streams;
    for (const SharingKernel& kernel : kernels_) streams.insert(kernel.stream);
    return streams.size() == 2;
  }

  /// For how long warps of `other` delay the kernels that a task has in a stream: each of these by what is on one
  /// sub-core, and all of them, one after the other, by no more than there is.
  std::map<Place, Wide> issued_beside(std::size_t other) const {
    const Wide all = product(issues_[other][other], all_warps(other));
    std::map<Place, Wide> issued;
    for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
      Wide& sum = issued[place_of(kernel)];
      sum = std::min(all, sum + delay_by(kernel, other));
    }
    return issued;
  }

  /// For how long warps of one execution of `other` delay the kernel once it does not wait.
  Wide delay_by(std::size_t kernel, std::size_t other, std::int64_t own_blocks = 1) const {
    if (!may_share_sms(kernel, other)) return 0;
    const std::int64_t blocks = waits_ ? kernels_[other].blocks : most_beside(kernel, other, own_blocks);
    return product(issues_[kernel][other], warps_on_sub_core(other, blocks));
  }

  // ---- blocks

  static std::int64_t enabled(const std::vector<bool>& mask) { return std::count(mask.begin(), mask.end(), true); }
  std::int64_t sms_of(const SharingKernel& kernel) const {
    return kernel.mask.empty() ? sm_.limits.sms : enabled(kernel.mask);
  }
  bool may_share_sms(std::size_t a, std::size_t b) const {
    const std::vector<bool>&first = kernels_[a].mask, &second = kernels_[b].mask;
    if (first.empty() || second.empty()) return true;
    for (std::size_t sm = 0; sm < first.size(); ++sm)
      if (first[sm] && second[sm]) return true;
    return false;
  }

  static KernelBlocks blocks_of(const SharingKernel& kernel, Duration block) {
    return {block, kernel.blocks, kernel.block, {}, enabled(kernel.mask)};
  }
  static std::vector<KernelBlocks> weighted(const std::vector<SharingKernel>& kernels) {
    std::vector<KernelBlocks> blocks;
    for (const SharingKernel& kernel : kernels) blocks.push_back(blocks_of(kernel, Duration::picoseconds(1)));
    return blocks;
  }

  bool are_apart(std::size_t a, std::size_t b) const {
    return a != b && (kernels_[a].task == kernels_[b].task || kernels_[a].stream == kernels_[b].stream);
  }

  /// Over the streams but one: the sum of the largest of their kernels.
  template <typename Size>
  Wide of_others(std::size_t stream, const Size& size) const {
    std::vector<Wide> most;
    for (const SharingKernel& kernel : kernels_) {
      if (kernel.stream >= most.size()) most.resize(kernel.stream + 1);
      if (kernel.stream != stream) most[kernel.stream] = std::max(most[kernel.stream], Wide(size(kernel)));
    }
    return std::accumulate(most.begin(), most.end(), Wide(0));
  }

  /// What the blocks weigh, as a part of the fewest SMs that a kernel may use.
  Duration weight(const SharingKernel& kernel, std::int64_t blocks) const {
    return weights_.time(blocks_of(kernel, Duration::seconds(1)), blocks);
  }

  /// Whether a block may ever wait for room, by the weights of blocks or by the need of each kernel.
  void find_waits() {
    for (std::size_t index = 0; index < kernels_.size(); ++index) {
      const SharingKernel& kernel = kernels_[index];
      const Wide weights = of_others(
          kernel.stream, [&](const SharingKernel& other) { return weight(other, other.blocks).picoseconds(); });
      if (weights + weight(kernel, kernel.blocks - 1).picoseconds() < Duration::seconds(1).picoseconds()) continue;
      const Wide without_warps = warps_in_use_[index] / (sm_.limits.max_warps() - kernel.block.warps + 1);
      waits_ = waits_ || lacking_[index] + without_warps >= sms_of(kernel);
    }
  }

  /// What others and all blocks of the kernel but one may occupy, on all SMs together.
  Wide in_use(const SharingKernel& kernel, std::int64_t SmUse::*use) const {
    return of_others(kernel.stream,
                     [use](const SharingKernel& other) { return Wide(other.block.*use) * other.blocks; }) +
           Wide(kernel.block.*use) * (kernel.blocks - 1);
  }

  /// For each kernel, the warps in use, and the SMs that may lack something but warps for a block of it.
  void find_uses() {
    for (const SharingKernel& kernel : kernels_) {
      warps_in_use_.push_back(in_use(kernel, &SmUse::warps));
      Wide& lacking = lacking_.emplace_back();
      for (const auto& [use, capacity] :
           {std::pair(&SmUse::blocks, sm_.limits.blocks), std::pair(&SmUse::registers, sm_.limits.registers),
            std::pair(&SmUse::shared_memory, sm_.limits.shared_memory)}) {
        const std::int64_t need = kernel.block.*use;
        if (need > 0) lacking += in_use(kernel, use) / (capacity - need + 1);
      }
    }
  }

  /// The largest number from 1 to `most` that is possible; all below it are, too.
  template <typename IsPossible>
  static std::int64_t largest_possible(std::int64_t most, const IsPossible& is_possible) {
    std::int64_t least = 1;
    while (least < most) {
      const std::int64_t middle = least + (most - least + 1) / 2;
      if (is_possible(middle))
        least = middle;
      else
        most = middle - 1;
    }
    return least;
  }

  /// The most blocks of the kernel that are on an SM at a time. The rule puts the last of n blocks there only if no
  /// other SM that it may use has room for more blocks, by warps. So other kernels or blocks of this one occupy all of these.
  std::int64_t most_on_sm(std::size_t index) const {
    const SharingKernel& kernel = kernels_[index];
    const std::int64_t fit = std::min(kernel.blocks, gpu::resident_blocks(sm_.limits, kernel.block));
    const Wide others = Wide(sms_of(kernel)) - 1 - lacking_[index];
    if (others <= 0) return fit;
    const std::int64_t warps = kernel.block.warps, rest = sm_.limits.max_warps() % warps;
    const Wide of_rest = warps_in_use_[index] - Wide(warps) * (kernel.blocks - 1);
    return largest_possible(fit, [&](std::int64_t blocks) {
      // The last of them, beside `most` on this SM. Each other SM has more than rest + (most - 1) * warps in use.
      // Blocks of this kernel are worth all of their warps there, but for the last one.
      const std::int64_t most = blocks - 1;
      const Wide needed = others * (rest + Wide(most - 1) * warps + 1), own = kernel.blocks - most - 1;
      const Wide whole = std::min<Wide>(own, others * (most - 1));
      const Wide last = std::min<Wide>(own - whole, others);
      return needed - whole * warps - last * std::min<std::int64_t>(warps, rest + 1) <= of_rest;
    });
  }

  /// The most blocks of `other` on an SM that has a block of the kernel, and had `own_blocks` of them at its start.
  /// Each starts all of its blocks at once. The last one of these blocks was put there because no other SM had more
  /// room for its like. What the SM had besides is not on the others.
  std::int64_t most_beside(std::size_t index, std::size_t other, std::int64_t own_blocks) const {
    const auto is_possible = [&](std::size_t last, std::int64_t on_sm, std::int64_t besides) {
      const std::int64_t warps = kernels_[last].block.warps, free = sm_.limits.max_warps() - on_sm;
      const Wide others = Wide(sms_of(kernels_[last])) - 1 - lacking_[last];
      const Wide needed = sm_.limits.max_warps() - Wide(free / warps + 1) * warps + 1;
      return free >= warps && (others <= 0 || others * needed <= warps_in_use_[last] - on_sm - besides);
    };
    const std::int64_t own = kernels_[index].block.warps, its = kernels_[other].block.warps;
    return largest_possible(most_on_sm_[other], [&](std::int64_t blocks) {
      return is_possible(other, own + (blocks - 1) * its, (own_blocks - 1) * own) ||
             is_possible(index, (own_blocks - 1) * own + blocks * its, 0);
    });
  }

  /// The largest sum of weights on an SM, in parts, and the weight of a block of every kernel.
  void find_most_weight() {
    const std::int64_t sms = fewest_sms_;
    Wide by_warps = 0, by_blocks = 0;
    for (const SharingKernel& kernel : kernels_) {
      const Wide one = Wide(weights_.time(blocks_of(kernel, Duration::picoseconds(parts * sms)), 1).picoseconds());
      block_weights_.push_back(one);
      by_warps = std::max(by_warps, (one * sm_.limits.max_warps() + kernel.block.warps - 1) / kernel.block.warps);
      by_blocks = std::max(by_blocks, one * sm_.limits.blocks);
    }
    std::vector<Wide> streams;
    for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
      const std::size_t stream = kernels_[kernel].stream;
      if (stream >= streams.size()) streams.resize(stream + 1);
      const std::int64_t fit =
          std::min(kernels_[kernel].blocks, gpu::resident_blocks(sm_.limits, kernels_[kernel].block));
      streams[stream] = std::max(streams[stream], block_weights_[kernel] * fit);
    }
    most_weight_ = std::min({by_warps, by_blocks, std::accumulate(streams.begin(), streams.end(), Wide(0))});
  }

  // ---- instructions

  /// A block starts with a cycle, and cycles begin at whole picoseconds.
  Duration path_of(Wide cycles) const {
    return time_slices::sum(time_of((cycles + 1) * parts), Duration::picoseconds(1));
  }

  Duration time_of(Wide cycle_parts) const {
    if (cycle_parts >= most_parts) return time_slices::infinite;
    constexpr Wide longest = 1'000'000'000'000'000;  // picoseconds of a cycle at 1 mHz
    const Wide divisor = Wide(sm_.clock.millihertz()) * parts;
    const Wide whole = cycle_parts / divisor, rest = cycle_parts % divisor;
    return time_slices::saturated(whole * longest + divided_up(rest * (longest / 1000), divisor / 1000));
  }

  /// How long a warp takes alone, and how long a warp of another kernel delays it. The warp policy decides when.
  void read_instructions() {
    for (const SharingKernel& kernel : kernels_) path_.push_back(kernel.time);
    lag_.assign(kernels_.size(), 0);
    tail_.assign(kernels_.size(), 0);
    issues_.assign(kernels_.size(), std::vector<Wide>(kernels_.size()));
    using Pipelines = std::array<std::int64_t, warp_unit_names.size()>;
    std::vector<Pipelines> issued(kernels_.size(), Pipelines{}), occupied = issued;
    Pipelines left{};  // for how long an instruction occupies a pipeline once its warp has ended
    std::vector<Pipelines> left_by(kernels_.size(), Pipelines{});
    for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
      const std::vector<WarpInstruction>& program = kernels_[kernel].instructions;
      if (program.empty()) continue;
      Wide path = 1;  // the last instruction only issues
      for (std::size_t i = 0; i < program.size(); ++i) {
        const auto& use = use_of(program[i]);
        ++issued[kernel][use.pipeline];
        const std::int64_t occupies = std::max<std::int64_t>(1, use.cycles);
        occupied[kernel][use.pipeline] += occupies;
        if (i + 1 == program.size()) break;
        path += std::max<std::int64_t>(1, program[i].latency);
        // It occupies the pipeline of a later one beyond the latencies in between.
        Wide latencies = 0;
        std::size_t next = i;
        // At most two are issued in a cycle.
        while (next + 1 < program.size() && latencies < use.cycles &&
               next < i + 2 * static_cast<std::size_t>(occupies)) {
          latencies += program[next].latency;
          if (use_of(program[++next]).pipeline != use.pipeline) continue;
          path += std::max<Wide>(0, use.cycles - latencies);
          break;
        }
      }
      path_[kernel] = path_of(path);
      Wide before_end = 1;
      Wide& lag = lag_[kernel];
      for (std::size_t i = program.size(); i-- > 0;) {
        const auto& use = use_of(program[i]);
        if (i + 1 < program.size()) before_end += program[i].latency;
        if (use.cycles > before_end) {
          std::int64_t& by_this = left_by[kernel][use.pipeline];
          by_this = std::max(by_this, use.cycles - static_cast<std::int64_t>(before_end));
          left[use.pipeline] = std::max(left[use.pipeline], by_this);
        }
        lag = std::max(lag, use.cycles - before_end);
        tail_[kernel] += std::max<Wide>(0, use.cycles - before_end);
      }
    }
    const auto left_for_kernel = [&](std::size_t kernel, const Pipelines& all) {
      return waits_ ? *std::max_element(all.begin(), all.end()) : left_for(kernels_[kernel], all);
    };
    for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
      left_.push_back(left_for_kernel(kernel, left));
      Pipelines by_own{};
      bool is_only = true;
      for (std::size_t other = 0; other < kernels_.size(); ++other) {
        const SharingKernel &own = kernels_[kernel], &its = kernels_[other];
        if (its.stream != own.stream && its.host != own.host) continue;
        is_only = is_only && other == kernel;
        for (std::size_t pipeline = 0; pipeline < by_own.size(); ++pipeline)
          by_own[pipeline] = std::max(by_own[pipeline], left_by[other][pipeline]);
      }
      left_by_own_.push_back(left_for_kernel(kernel, by_own));
      is_only_.push_back(is_only);
    }
    for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel)
      for (std::size_t other = 0; other < kernels_.size(); ++other)
        for (std::size_t pipeline = 0; pipeline < warp_unit_names.size() && has_instructions(kernel); ++pipeline)
          // A pipeline that a warp does not use cannot delay it, but the cycle of the issue can.
          issues_[kernel][other] += Wide(parts) * (issued[kernel][pipeline] > 0 ? occupied : issued)[other][pipeline];
  }

  /// The same for letters, on an SM without sub-cores. In a cycle in which a warp does not execute, others use all units of
  /// its next instruction, or all schedulers.
  void read_letters() {
    for (const SharingKernel& kernel : kernels_) path_.push_back(kernel.time);
    left_.assign(kernels_.size(), 0);
    left_by_own_ = left_;
    is_only_.assign(kernels_.size(), false);
    tail_.assign(kernels_.size(), 0);
    issues_.assign(kernels_.size(), std::vector<Wide>(kernels_.size()));
    for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
      const makespan::PerUnit& own = kernels_[kernel].letters;
      const auto length = std::accumulate(own.begin(), own.end(), std::int64_t{0});
      if (length == 0) continue;
      path_[kernel] = path_of(length);
      for (std::size_t other = 0; other < kernels_.size(); ++other)
        for (std::size_t unit = 0; unit < makespan::unit_types; ++unit) {
          const std::int64_t schedulers = sm_.units->schedulers;
          const std::int64_t at_once = own[unit] > 0 ? std::min(sm_.units->capacity[unit], schedulers) : schedulers;
          issues_[kernel][other] += divided_up(Wide(parts) * kernels_[other].letters[unit], at_once);
        }
    }
  }

  const WarpPipelines::Use& use_of(const WarpInstruction& instruction) const {
    return sm_.pipelines->uses[static_cast<std::size_t>(instruction.unit)];
  }

  /// For how long pipelines are occupied that warps of the kernel ask for, if they are for so long after its start.
  template <typename Pipelines>
  Wide left_for(const SharingKernel& kernel, const Pipelines& left) const {
    Wide from = 0, first = 0, last = 0;
    for (const WarpInstruction& each : kernel.instructions) {
      const Wide until = left[use_of(each).pipeline];
      if (until > from) {
        if (last == 0) first = from;
        last = std::max(last, until);
      }
      from += each.latency;
    }
    return last - first;
  }

  bool occupies_pipelines(std::size_t kernel) const {
    return std::any_of(kernels_[kernel].instructions.begin(), kernels_[kernel].instructions.end(),
                       [&](const WarpInstruction& each) { return use_of(each).cycles > 1; });
  }

  /// The most instructions that a warp of the kernel issues in as many cycles.
  Wide without_pause(std::size_t kernel) const {
    Wide most = 0, length = 0;
    for (const WarpInstruction& each : kernels_[kernel].instructions) {
      most = std::max(most, ++length);
      if (each.latency > 1) length = 0;
    }
    return most;
  }

  bool has_instructions(std::size_t kernel) const { return !kernels_[kernel].instructions.empty(); }

  // ---- times

  static Wide divided_up(Wide value, Wide by) { return (value + by - 1) / by; }

  /// The most warps of the kernel's blocks that share a sub-core of one SM.
  Wide warps_on_sub_core(std::size_t kernel, std::int64_t blocks) const {
    const std::int64_t warps = kernels_[kernel].block.warps;
    if (sm_.units) return Wide(blocks) * warps;
    // What starts at once is dealt in one go.
    return waits_ ? blocks * divided_up(warps, sm_.limits.warp_schedulers)
                  : divided_up(Wide(blocks) * warps, sm_.limits.warp_schedulers);
  }

  static Wide sum_of(Wide a, Wide b) { return std::min(largest, a + b); }
  static Wide product(Wide a, Wide b) { return a > 0 && b > largest / a ? largest : a * b; }

  /// For how long blocks of the kernel keep others waiting.
  Duration area(std::size_t kernel, std::int64_t blocks) const {
    if (!waits_) return {};
    const Wide sub_core = warps_on_sub_core(kernel, 1);
    const Duration residence = time_slices::sum(path_[kernel], time_of(product(issues_[kernel][kernel], sub_core - 1)));
    // Unless sub-cores are alike, the last warps of the blocks beside it may be on different ones.
    const Wide warps = product(are_alike_ ? sub_core : Wide(kernels_[kernel].block.warps), blocks);
    // What is occupied after the end of a block delays what takes its place, too.
    const Wide delayed = sum_of(product(product(issues_[kernel][kernel], warps), weight_beside(kernel)),
                                product(product(product(tail_[kernel], parts), warps), block_weights_[kernel]));
    return time_slices::sum(weights_.time(blocks_of(kernels_[kernel], residence), blocks),
                            time_of(divided_up(delayed, Wide(parts) * fewest_sms_)));
  }

  Wide weight_beside(std::size_t kernel) const { return std::max<Wide>(0, most_weight_ - block_weights_[kernel]); }

  /// What is left of a delay by the kernel after the wait: what it issued during the wait is part of its area.
  Wide after_wait(std::size_t kernel, Wide delay) const {
    if (!waits_) return delay;
    const Wide all = Wide(parts) * fewest_sms_, rest = std::max<Wide>(0, all - weight_beside(kernel));
    // Rounded up part by part, so that nothing overflows.
    return product(delay / all, rest) + divided_up(delay % all * rest, all);
  }

  const SharedSm& sm_;
  const std::vector<SharingKernel>& kernels_;
  const BlockWeights weights_;
  std::int64_t fewest_sms_ = sm_.limits.sms;  ///< that a kernel may use
  std::vector<Wide> warps_in_use_, lacking_;  ///< of every kernel
  bool waits_ = false;
  /// If every block has as many warps on each sub-core, all sub-cores of an SM do the same.
  bool are_alike_ = false;
  std::vector<std::int64_t> most_on_sm_;
  std::vector<Wide> block_weights_;
  Wide most_weight_ = 0;
  std::vector<Duration> path_;     ///< of a block of every kernel
  std::vector<Wide> left_;         ///< cycles for which pipelines that it may need are occupied when it is submitted
  std::vector<Wide> left_by_own_;  ///< the same by kernels of its stream or host
  std::vector<bool> is_only_;      ///< its stream and its host have no other kernel
  std::vector<Wide> tail_;         ///< cycles for which instructions of a warp occupy pipelines after its end, in all
  std::vector<Wide> lag_;          ///< cycles for which pipelines are occupied once it has ended
  std::vector<std::vector<Wide>>
      issues_;  ///< [kernel][other]: how long a warp of the other one delays a warp; in parts
};

}  // namespace

std::vector<gpu::KernelDelays> shared_warp_delays(const SharedSm& sm, const std::vector<SharingKernel>& kernels) {
  const SharedWarps warps(sm, kernels);
  std::vector<gpu::KernelDelays> ways = {warps.run()};
  const bool any_mask =
      std::any_of(kernels.begin(), kernels.end(), [](const SharingKernel& kernel) { return !kernel.mask.empty(); });
  if (sm.units || any_mask) {
    ways.front().forget_ends();
  } else {
    for (gpu::KernelDelays& way : warps.beside_own()) ways.push_back(std::move(way));
  }
  if (warps.waits() && !sm.units && !any_mask) {
    ways.push_back(warps.wait_once());
    ways.push_back(warps.in_sequence());
    ways.push_back(warps.in_sequence_to_last_block());
  }
  if (sm.greedy_then_oldest) ways.push_back(warps.oldest_first(ways.front()));
  return ways;
}

}  // namespace amalthea::engine::nvidia
