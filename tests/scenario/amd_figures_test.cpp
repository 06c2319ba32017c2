// SPDX-License-Identifier: Apache-2.0
// Figures that a model states for its AMD GPU, against a plain simulation of the rules of docs/reference/gpu-amd.md that
// shares no code with the engine.

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "amalthea/diagnostic.hpp"
#include "analysis/model_analysis.hpp"
#include "importer/reading/model_reader.hpp"
#include "scenario/model_of_scenario.hpp"
#include "tests/support/thoroughness.hpp"

namespace amd_figures_test {

using namespace amalthea;

namespace {

using Whole = std::int64_t;

/// A GPU, its streams, and kernels that are launched once.
struct Plain {
  struct Stream {
    Whole process = 0;
    std::vector<bool> mask;  ///< by bit; none: no mask
    std::optional<Whole> queue, ace;
  };
  struct Kernel {
    std::size_t stream = 0;
    Whole release = 0, blocks = 1, threads = 64, time = 1;  ///< us
  };
  Whole engines = 1, units = 1, aces = 1, pool = 1;  ///< units of each engine
  bool oldest = false;
  std::vector<Stream> streams;
  std::vector<Kernel> kernels;  ///< in the order of their calls
};

/// When the kernels end.
class Run {
 public:
  explicit Run(const Plain& plain)
      : plain_(plain),
        used_(static_cast<std::size_t>(plain.engines * plain.units)),
        slots_(static_cast<std::size_t>(plain.engines), std::vector<std::optional<Block>>(aces())),
        turn_of_engine_(slots_.size()),
        current_(aces()),
        turn_of_ace_(aces()),
        calls_(plain.streams.size()),
        queue_of_stream_(plain.streams.size()),
        ends_(plain.kernels.size()),
        handed_(ends_.size()),
        ended_(ends_.size()) {}

  std::vector<Whole> ends() {
    for (std::size_t left = ends_.size(); left > 0;) {
      now_ = next();
      left -= end_blocks();
      for (std::size_t kernel = 0; kernel < ends_.size(); ++kernel)
        if (plain_.kernels[kernel].release == now_) calls_[plain_.kernels[kernel].stream].push_back(kernel);
      enter_queues();
      for (bool moved = true; moved;) {
        moved = hand_out();
        moved |= start_blocks();
      }
    }
    return ends_;
  }

 private:
  struct Queue {
    std::size_t ace = 0;
    std::vector<bool> enabled;  ///< by unit, engine by engine
    std::vector<std::size_t> engines;
    std::deque<std::size_t> kernels;
    bool at_work = false;
  };
  struct Block {
    std::size_t kernel = 0, queue = 0;
    Whole order = 0;
  };
  struct Running {
    std::size_t kernel = 0, queue = 0, unit = 0;
    Whole end = 0;
  };

  std::size_t aces() const { return static_cast<std::size_t>(plain_.aces); }

  Whole next() const {
    std::optional<Whole> next;
    const auto take = [&](Whole at) { next = next ? std::min(*next, at) : at; };
    for (const Running& block : running_) take(block.end);
    for (const Plain::Kernel& kernel : plain_.kernels)
      if (kernel.release > now_) take(kernel.release);
    return next.value();
  }

  std::size_t end_blocks() {
    std::size_t kernels = 0;
    for (std::size_t i = 0; i < running_.size();) {
      const Running block = running_[i];
      if (block.end != now_) {
        ++i;
        continue;
      }
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      used_[block.unit] -= plain_.kernels[block.kernel].threads;
      if (++ended_[block.kernel] < plain_.kernels[block.kernel].blocks) continue;
      ends_[block.kernel] = now_;
      queues_[block.queue].kernels.pop_front();
      queues_[block.queue].at_work = false;
      calls_[plain_.kernels[block.kernel].stream].pop_front();
      ++kernels;
    }
    return kernels;
  }

  /// A2, A3: the first of each stream, process by process, in the order of the calls.
  void enter_queues() {
    for (std::size_t index = 0; index < 2 * ends_.size(); ++index) {
      const std::size_t kernel = index % ends_.size(), stream = plain_.kernels[kernel].stream;
      if (plain_.streams[stream].process != static_cast<Whole>(index / ends_.size())) continue;
      if (calls_[stream].empty() || calls_[stream].front() != kernel || is_in_queue_.count(kernel) > 0) continue;
      is_in_queue_[kernel] = true;
      queues_[queue_for(plain_.kernels[kernel])].kernels.push_back(kernel);
    }
  }

  std::size_t queue_for(const Plain::Kernel& kernel) {
    const Plain::Stream& stream = plain_.streams[kernel.stream];
    std::optional<std::size_t>& known = queue_of_stream_[kernel.stream];
    if (known) return *known;
    if (!stream.mask.empty()) return *(known = new_queue(stream));
    if (stream.queue) return *(known = of_pool(stream.process, *stream.queue));
    return *(known = of_pool(stream.process, in_turn_[stream.process]++ % plain_.pool));
  }

  std::size_t of_pool(Whole process, Whole number) {
    const auto [known, added] = pools_.try_emplace({process, number}, 0);
    if (added) known->second = new_queue({});
    return known->second;
  }

  std::size_t new_queue(const Plain::Stream& stream) {
    Queue queue;
    queue.ace = stream.ace ? static_cast<std::size_t>(*stream.ace) : queues_.size() % aces();
    queue.enabled.resize(used_.size(), stream.mask.empty());
    for (std::size_t bit = 0; bit < stream.mask.size(); ++bit) {  // A7
      const std::size_t engine = bit % slots_.size(), unit = bit / slots_.size();
      if (stream.mask[bit]) queue.enabled[engine * static_cast<std::size_t>(plain_.units) + unit] = true;
    }
    for (std::size_t engine = 0; engine < slots_.size(); ++engine)
      for (Whole unit = 0; unit < plain_.units; ++unit)
        if (queue.enabled[engine * static_cast<std::size_t>(plain_.units) + static_cast<std::size_t>(unit)]) {
          queue.engines.push_back(engine);
          break;
        }
    queues_.push_back(queue);
    return queues_.size() - 1;
  }

  /// A4, A5.
  bool hand_out() {
    bool any = false;
    for (std::size_t ace = 0; ace < aces(); ++ace)
      while (current_[ace] || turn_to_next(ace)) {
        const std::size_t queue = *current_[ace], kernel = queues_[queue].kernels.front();
        const auto& engines = queues_[queue].engines;
        auto& slot = slots_[engines[static_cast<std::size_t>(handed_[kernel]) % engines.size()]][ace];
        if (slot) break;
        slot = Block{kernel, queue, order_++};
        any = true;
        if (++handed_[kernel] == plain_.kernels[kernel].blocks) current_[ace].reset();
      }
    return any;
  }

  bool turn_to_next(std::size_t ace) {
    std::vector<std::size_t> own;
    for (std::size_t queue = 0; queue < queues_.size(); ++queue)
      if (queues_[queue].ace == ace) own.push_back(queue);
    for (std::size_t offset = 0; offset < own.size(); ++offset) {
      const std::size_t place = (turn_of_ace_[ace] + offset) % own.size();
      Queue& queue = queues_[own[place]];
      if (queue.at_work || queue.kernels.empty()) continue;
      queue.at_work = true;
      turn_of_ace_[ace] = (place + 1) % own.size();
      current_[ace] = own[place];
      return true;
    }
    return false;
  }

  /// A6. A CU has 2048 threads.
  bool start_blocks() {
    bool any = false;
    for (std::size_t engine = 0; engine < slots_.size(); ++engine)
      for (;;) {
        std::optional<std::size_t> chosen, on;
        for (std::size_t offset = 0; offset < aces(); ++offset) {
          const std::size_t ace = (turn_of_engine_[engine] + offset) % aces();
          const auto& slot = slots_[engine][ace];
          if (!slot) continue;
          const auto unit = unit_for(engine, *slot);
          if (!unit || (chosen && (!plain_.oldest || slots_[engine][*chosen]->order < slot->order))) continue;
          chosen = ace;
          on = unit;
        }
        if (!chosen) break;
        const Block block = *slots_[engine][*chosen];
        slots_[engine][*chosen].reset();
        turn_of_engine_[engine] = (*chosen + 1) % aces();
        used_[*on] += plain_.kernels[block.kernel].threads;
        running_.push_back({block.kernel, block.queue, *on, now_ + plain_.kernels[block.kernel].time});
        any = true;
      }
    return any;
  }

  std::optional<std::size_t> unit_for(std::size_t engine, const Block& block) const {
    std::optional<std::size_t> best;
    const auto units = static_cast<std::size_t>(plain_.units);
    for (std::size_t unit = engine * units; unit < (engine + 1) * units; ++unit)
      if (queues_[block.queue].enabled[unit] && used_[unit] + plain_.kernels[block.kernel].threads <= 2048 &&
          (!best || used_[unit] < used_[*best]))
        best = unit;
    return best;
  }

  const Plain& plain_;
  std::vector<Whole> used_;  ///< threads, by unit
  std::vector<std::vector<std::optional<Block>>> slots_;
  std::vector<std::size_t> turn_of_engine_;
  std::vector<std::optional<std::size_t>> current_;  ///< queue, by ACE
  std::vector<std::size_t> turn_of_ace_;
  std::vector<std::deque<std::size_t>> calls_;
  std::vector<std::optional<std::size_t>> queue_of_stream_;
  std::vector<Whole> ends_, handed_, ended_;
  std::vector<Queue> queues_;
  std::map<std::pair<Whole, Whole>, std::size_t> pools_;
  std::map<Whole, Whole> in_turn_;
  std::map<std::size_t, bool> is_in_queue_;
  std::vector<Running> running_;
  Whole now_ = -1, order_ = 0;
};

Plain drawn(std::mt19937& random) {
  const auto draw = [&](Whole least, Whole most) { return std::uniform_int_distribution<Whole>(least, most)(random); };
  Plain plain;
  plain.engines = draw(1, 5);
  plain.units = draw(1, 4);
  plain.aces = draw(1, 5);
  plain.pool = draw(1, 5);
  plain.oldest = draw(0, 1) == 1;
  const bool states = draw(0, 1) == 0;
  for (Whole count = draw(1, 5); count > 0; --count) {
    Plain::Stream& stream = plain.streams.emplace_back();
    stream.process = draw(0, 1);
    if (draw(0, 1) == 0) {
      stream.mask.resize(static_cast<std::size_t>(plain.engines * plain.units));
      for (std::size_t bit = 0; bit < stream.mask.size(); ++bit) stream.mask[bit] = draw(0, 1) == 0;
      stream.mask[static_cast<std::size_t>(draw(0, plain.engines * plain.units - 1))] = true;
      if (states) stream.ace = draw(0, plain.aces - 1);
    } else if (states && draw(0, 1) == 0) {
      stream.queue = draw(0, plain.pool - 1);
    }
  }
  for (Whole count = draw(1, 7); count > 0; --count) {
    Plain::Kernel& kernel = plain.kernels.emplace_back();
    kernel.stream = static_cast<std::size_t>(draw(0, static_cast<Whole>(plain.streams.size()) - 1));
    kernel.release = draw(0, 5) * 7;
    kernel.blocks = draw(1, 30);
    kernel.threads = draw(1, 16) * 64;
    kernel.time = draw(1, 20);
  }
  return plain;
}

std::string text_of(const Plain& plain) {
  std::string text =
      fmt::format(R"({{"platform": "radeon-vii", "amd": {{"shader_engines": {}, "units_per_engine": {}, "aces": {}, )"
                  R"("slots_per_ace": 20, "pool_queues": {}, "turns": "{}"}},)"
                  "\n"
                  R"("contexts": [{{"name": "p0"}}, {{"name": "p1"}}], "streams": [)",
                  plain.engines, plain.units, plain.aces, plain.pool, plain.oldest ? "oldest" : "round_robin");
  for (std::size_t i = 0; i < plain.streams.size(); ++i) {
    const Plain::Stream& stream = plain.streams[i];
    std::string mask;
    for (const bool bit : stream.mask) mask += bit ? '1' : '0';
    text += fmt::format(R"({}{{"name": "s{}", "context": "p{}"{}{}{}}})", i > 0 ? ", " : "", i, stream.process,
                        mask.empty() ? "" : fmt::format(R"(, "cu_mask": "bits:{}")", mask),
                        stream.queue ? fmt::format(R"(, "hsa_queue": {})", *stream.queue) : "",
                        stream.ace ? fmt::format(R"(, "ace": {})", *stream.ace) : "");
  }
  text += R"(], "operations": [)";
  for (std::size_t i = 0; i < plain.kernels.size(); ++i) {
    const Plain::Kernel& kernel = plain.kernels[i];
    text += fmt::format(
        "{}\n"
        R"({{"kernel": "k{}", "stream": "s{}", "context": "p{}", "release": "{}us", "blocks": {}, "threads": {}, )"
        R"("duration": "{}us", "memory_share": 0}})",
        i > 0 ? "," : "", i, kernel.stream, plain.streams[kernel.stream].process, kernel.release, kernel.blocks,
        kernel.threads, kernel.time);
  }
  return text + "]}";
}

}  // namespace

TEST_CASE("kernels on an AMD GPU whose figures the model states end when a plain simulation says so, and in time",
          "[scenario]") {
  std::mt19937 random(11);
  std::size_t bounded = 0, exact = 0, kernels = 0;
  for (int trial = 0; trial < test::times(600); ++trial) {
    const Plain plain = drawn(random);
    const std::string text = text_of(plain);
    INFO(text);
    const auto made = scenario::model_of_scenario("scenario.json", text);
    if (!made) FAIL(made.error().message);
    Diagnostics findings;
    const auto model = importer::read_model_from_bytes("scenario.json", made->text, {}, findings);
    REQUIRE(model);
    analysis::Options options;
    options.engine.until = Duration::milliseconds(100);  // when all have ended
    const auto system = analysis::prepare(*model, options, findings);
    for (const Diagnostic& finding : findings.all()) UNSCOPED_INFO(format(finding));
    REQUIRE(system);
    const auto results = engine::analyze(*system, options.engine, findings);
    REQUIRE(results);
    const std::vector<Whole> ends = Run(plain).ends();
    for (TaskIndex task = 0; task < system->tasks.size(); ++task) {
      const auto kernel = static_cast<std::size_t>(std::stoi(system->tasks[task].name.substr(1)));
      const auto response = Duration::microseconds(ends[kernel] - plain.kernels[kernel].release);
      INFO(system->tasks[task].name << " ends after " << response.picoseconds() << " ps");
      CHECK(results->tasks[task].response.max.picoseconds() == response.picoseconds());
      ++kernels;
      const auto& bound = results->tasks[task].bound.worst;
      if (!bound) continue;
      CHECK(response <= *bound);
      ++bounded;
      exact += response == *bound ? 1U : 0U;
    }
  }
  WARN(fmt::format("{} kernels, {} bounded, {} of them reach their bounds", kernels, bounded, exact));
  CHECK(bounded > kernels / 2);
  CHECK(exact > 0);
}

}  // namespace amd_figures_test
