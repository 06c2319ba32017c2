// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/placement_study.hpp"

#include <random>

#include <fmt/core.h>

namespace amalthea::engine::nvidia {

std::vector<std::vector<std::optional<SmIndex>>> place_round_robin(const SmLimits& limits,
                                                                   const std::vector<StreamBlocks>& streams,
                                                                   ScanOrder order) {
  const std::vector<SmIndex> sms = scan_order(limits, order);
  std::vector<SmUse> use(sms.size());
  std::size_t pointer = 0;
  bool waiting = false;
  std::vector<std::vector<std::optional<SmIndex>>> result(streams.size());
  for (std::size_t stream = 0; stream < streams.size(); ++stream) {
    const SmUse block{1, streams[stream].warps, 0, 0};
    for (std::int64_t index = 0; index < streams[stream].blocks; ++index) {
      std::optional<SmIndex> place;
      for (std::size_t i = 0; i < sms.size() && !waiting && !place; ++i) {
        const std::size_t at = (pointer + i) % sms.size();
        if (!fits(limits, use[sms[at]], block)) continue;
        use[sms[at]] += block;
        place = sms[at];
        pointer = at + 1;
      }
      waiting = !place;
      result[stream].push_back(place);
    }
  }
  return result;
}

tl::expected<std::vector<PlacementStudyRow>, std::string> study_placement(const PlacementStudy& study) {
  if (study.configurations < 1 || study.configurations > max_studied)
    return tl::unexpected(fmt::format("configurations must be between 1 and {}", max_studied));
  if (study.fewest_streams < 1 || study.max_streams < study.fewest_streams || study.max_streams > 1024)
    return tl::unexpected(std::string("streams must be between 1 and 1024, the fewest not above the most"));
  if (study.max_blocks < 1 || study.max_blocks > 1024)
    return tl::unexpected(std::string("blocks of a stream must be between 1 and 1024"));
  if (study.max_threads < 1 || study.max_threads > study.limits.threads_per_block)
    return tl::unexpected(fmt::format("threads of a block must be between 1 and {}", study.limits.threads_per_block));
  // The standard defines the generator, but not its distributions. The bias of the remainder is below 2^-53.
  std::mt19937_64 random(study.seed);
  const auto draw = [&random](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most)) + 1;
  };
  const std::int64_t numbers = study.max_streams - study.fewest_streams + 1;
  std::vector<PlacementStudyRow> rows;
  for (std::int64_t number = 0; number < numbers; ++number) {
    PlacementStudyRow row;
    row.streams = study.fewest_streams + number;
    row.configurations = study.configurations / numbers + (number == 0 ? study.configurations % numbers : 0);
    for (std::int64_t configuration = 0; configuration < row.configurations; ++configuration) {
      std::vector<StreamBlocks> streams;
      for (std::int64_t stream = 0; stream < row.streams; ++stream) {
        const std::int64_t blocks = draw(study.max_blocks);
        const std::int64_t threads = draw(study.max_threads);
        streams.push_back({blocks, (threads + study.limits.warp_size - 1) / study.limits.warp_size});
      }
      const auto actual = place_streams(BlockPlacement(study.limits), streams);
      const auto predicted = place_round_robin(study.limits, streams);
      std::int64_t wrong = 0;
      for (std::size_t stream = 0; stream < streams.size(); ++stream)
        for (std::size_t block = 0; block < actual[stream].size(); ++block)
          wrong += actual[stream][block] != predicted[stream][block] ? 1 : 0;
      for (const StreamBlocks& stream : streams) row.blocks += stream.blocks;
      row.wrong_blocks += wrong;
      row.wrong += wrong > 0 ? 1 : 0;
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace amalthea::engine::nvidia
