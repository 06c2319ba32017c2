// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/response_time.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "amalthea/time.hpp"

namespace amalthea::engine::nvidia {
namespace {

/// Blocks that end at the same time.
struct Row {
  std::int64_t time = 0;
  std::int64_t blocks = 0;
};
struct Later {
  bool operator()(const Row& a, const Row& b) const { return a.time > b.time; }
};

/// a + b * c, or nothing beyond 2^63 - 1.
std::optional<std::int64_t> add_product(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t product = 0;
  std::int64_t sum = 0;
  if (__builtin_mul_overflow(b, c, &product) || __builtin_add_overflow(a, product, &sum)) return std::nullopt;
  return sum;
}

tl::unexpected<std::string> overflow(std::size_t kernel) {
  return tl::unexpected(fmt::format("kernels[{}] ends later than 2^63 - 1", kernel));
}

std::int64_t quotient_up(std::int64_t value, std::int64_t by) { return value / by + (value % by != 0 ? 1 : 0); }

/// The block slots of the GPU.
class Engine {
 public:
  explicit Engine(std::int64_t g_max) : free_(g_max) {}

  /// f of a kernel, or nothing beyond 2^63 - 1.
  std::optional<std::int64_t> run(const RtaKernel& kernel) {
    now_ = std::max(now_, kernel.release);
    std::int64_t left = kernel.blocks;
    give_back();
    for (;;) {
      const std::int64_t given = std::min(left, free_);
      const auto end = add_product(now_, kernel.execution, 1);
      if (!end) return std::nullopt;
      if (given > 0) {
        own_.push_back({*end, given});
        own_blocks_ += given;
        free_ -= given;
        left -= given;
      }
      if (left == 0) {
        for (const Row& row : own_) earlier_.push(row);
        own_.clear();
        own_blocks_ = 0;
        return end;
      }
      if (!skip_rounds(kernel.execution, left)) return std::nullopt;
      now_ = std::min(earlier_.empty() ? latest : earlier_.top().time, own_.empty() ? latest : own_.front().time);
      give_back();
    }
  }

  /// The state that determines all future behavior, relative to `time`: when the queue advances, and when which blocks
  /// end.
  std::vector<std::int64_t> state_at(std::int64_t time) const {
    const std::int64_t begin = std::max(time, now_);
    std::int64_t free = free_;
    std::map<std::int64_t, std::int64_t> ends;
    for (auto rows = earlier_; !rows.empty(); rows.pop()) {
      if (rows.top().time <= begin)
        free += rows.top().blocks;
      else
        ends[rows.top().time - time] += rows.top().blocks;
    }
    std::vector<std::int64_t> state{begin - time, free};
    for (const auto& [end, blocks] : ends) {
      state.push_back(end);
      state.push_back(blocks);
    }
    return state;
  }

 private:
  static constexpr std::int64_t latest = std::numeric_limits<std::int64_t>::max();

  /// Releases the slots of ended blocks.
  void give_back() {
    for (; !earlier_.empty() && earlier_.top().time <= now_; earlier_.pop()) free_ += earlier_.top().blocks;
    for (; !own_.empty() && own_.front().time <= now_; own_.pop_front()) {
      free_ += own_.front().blocks;
      own_blocks_ -= own_.front().blocks;
    }
  }

  /// While no block of another kernel ends, the resident blocks of this one replace themselves every `execution`: skips
  /// as many such rounds as fit before the next end of the others. All slots are occupied.
  bool skip_rounds(std::int64_t execution, std::int64_t& left) {
    if (own_.empty()) return true;
    std::int64_t rounds = (left - 1) / own_blocks_;
    if (!earlier_.empty() && execution > 0) {
      const std::int64_t until_next = std::max<std::int64_t>(0, earlier_.top().time - own_.back().time);
      rounds = std::min(rounds, until_next / execution);
    }
    if (rounds == 0) return true;
    for (Row& row : own_) {
      const auto time = add_product(row.time, rounds, execution);
      if (!time) return false;
      row.time = *time;
    }
    left -= rounds * own_blocks_;
    return true;
  }

  std::int64_t free_;
  std::int64_t now_ = 0;
  std::deque<Row> own_;  ///< of the current kernel; ordered by time, since all its blocks take equally long
  std::int64_t own_blocks_ = 0;
  std::priority_queue<Row, std::vector<Row>, Later> earlier_;  ///< of earlier kernels
};

/// Order of the execution engine's queue: by release, then input order.
std::vector<std::size_t> queue_order(const std::vector<RtaKernel>& kernels) {
  std::vector<std::size_t> order(kernels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return kernels[a].release < kernels[b].release; });
  return order;
}

RtaResult with_responses(const RtaProblem& problem, RtaResult result) {
  for (std::size_t index = 0; index < result.completion.size(); ++index)
    result.response.push_back(result.completion[index] - problem.kernels[index].release);
  return result;
}

/// Eq. 3.11–3.15 to the letter, for kernels of one release and one C.
std::vector<PrintedClosedForm> closed_form_as_printed(const RtaProblem& problem) {
  using Wide = detail::Int128;
  constexpr Wide largest = std::numeric_limits<std::int64_t>::max();
  std::vector<PrintedClosedForm> rows;
  if (problem.kernels.empty()) return rows;
  const Wide execution = problem.kernels.front().execution;
  const Wide g_max = problem.g_max;
  Wide t_a = 2 * Wide{problem.kernels.front().release}, g_f = 2 * g_max;  // in halves
  for (const RtaKernel& kernel : problem.kernels) {
    const Wide lacking = 2 * Wide{kernel.blocks} - g_f;                    // halves of g - g_f
    const Wide sign = lacking > 0 ? 1 : lacking < 0 ? -1 : 0;              // 3.11
    const Wide rounds = (lacking < 0 ? -lacking : lacking) / (2 * g_max);  // 3.12
    const Wide alpha = sign + 1;                                           // 3.13, in halves
    if (execution > 0 && rounds > largest / execution) break;
    t_a += alpha * execution + 2 * rounds * execution;     // 3.14
    g_f = alpha * g_max - (lacking - 2 * rounds * g_max);  // 3.15
    const Wide end = t_a + 2 * execution;
    if (end > largest || g_f > largest || g_f < -largest) break;
    rows.push_back({static_cast<std::int64_t>(t_a), static_cast<std::int64_t>(g_f), static_cast<std::int64_t>(end)});
  }
  return rows;
}

}  // namespace

tl::expected<RtaResult, std::string> response_times(const RtaProblem& problem) {
  RtaResult result;
  result.completion.resize(problem.kernels.size());
  Engine engine(problem.g_max);
  for (const std::size_t index : queue_order(problem.kernels)) {
    const auto completion = engine.run(problem.kernels[index]);
    if (!completion) return overflow(index);
    result.completion[index] = *completion;
  }
  return with_responses(problem, std::move(result));
}

tl::expected<PeriodicRtaResult, std::string> response_times_periodic(const RtaProblem& problem, std::int64_t max_jobs) {
  PeriodicRtaResult result;
  result.hyperperiod = 1;
  std::int64_t last_offset = 0;
  double demand = 0;
  for (const RtaKernel& kernel : problem.kernels) {
    last_offset = std::max(last_offset, kernel.release);
    if (kernel.period == 0) continue;
    demand += static_cast<double>(kernel.execution) * static_cast<double>(kernel.blocks) /
              (static_cast<double>(problem.g_max) * static_cast<double>(kernel.period));
    if (__builtin_mul_overflow(result.hyperperiod / std::gcd(result.hyperperiod, kernel.period), kernel.period,
                               &result.hyperperiod))
      return tl::unexpected(std::string("the hyperperiod is longer than 2^63 - 1"));
  }
  if (demand == 0) return tl::unexpected(std::string("no kernel has a period \"T\" and something to do"));
  if (demand > 1 + 1e-12)
    return tl::unexpected(
        fmt::format("the GPU is overloaded: its utilization, the sum of C g / (g_max T), is {:.2f} %, so response "
                    "times grow without limit",
                    100 * demand));

  struct Job {
    std::int64_t enqueued = 0;
    std::size_t kernel = 0;
    std::int64_t release = 0;
    bool operator>(const Job& other) const {
      return std::tie(enqueued, release, kernel) > std::tie(other.enqueued, other.release, other.kernel);
    }
  };
  std::priority_queue<Job, std::vector<Job>, std::greater<>> jobs;
  for (std::size_t index = 0; index < problem.kernels.size(); ++index)
    jobs.push({problem.kernels[index].release, index, problem.kernels[index].release});
  result.worst_response.resize(problem.kernels.size(), -1);
  result.worst_release.resize(problem.kernels.size(), 0);
  result.jobs.resize(problem.kernels.size(), 0);

  Engine engine(problem.g_max);
  const auto next_until = add_product(last_offset, 1, result.hyperperiod);
  if (!next_until) return tl::unexpected(std::string("the hyperperiod is longer than 2^63 - 1"));
  result.until = *next_until;
  std::vector<std::int64_t> state;
  std::int64_t taken = 0;
  while (!jobs.empty()) {
    const Job job = jobs.top();
    if (job.enqueued >= result.until) {
      // Every job released before `until` that is not yet enqueued follows its predecessor: waiting jobs are part of
      // the state.
      std::vector<std::int64_t> present = engine.state_at(result.until);
      std::vector<std::pair<std::size_t, std::pair<std::int64_t, std::int64_t>>> waiting;
      for (auto rest = jobs; !rest.empty(); rest.pop())
        waiting.push_back({rest.top().kernel, {rest.top().enqueued - result.until, rest.top().release - result.until}});
      std::sort(waiting.begin(), waiting.end());
      for (const auto& [kernel, times] : waiting) {
        present.push_back(static_cast<std::int64_t>(kernel));
        present.push_back(times.first);
        present.push_back(times.second);
      }
      result.repeats = present == state;
      if (result.repeats) break;
      state = std::move(present);
      const auto later = add_product(result.until, 1, result.hyperperiod);
      if (!later) break;
      result.until = *later;
      continue;
    }
    if (taken == max_jobs) {
      result.until = job.enqueued;
      break;
    }
    ++taken;
    jobs.pop();
    RtaKernel kernel = problem.kernels[job.kernel];
    kernel.release = job.enqueued;
    const auto completion = engine.run(kernel);
    if (!completion) return overflow(job.kernel);
    ++result.jobs[job.kernel];
    const std::int64_t response = *completion - job.release;
    if (response > result.worst_response[job.kernel]) {
      result.worst_response[job.kernel] = response;
      result.worst_release[job.kernel] = job.release;
    }
    if (kernel.period == 0) continue;
    const auto release = add_product(job.release, 1, kernel.period);
    if (!release) return overflow(job.kernel);
    jobs.push({std::max(*release, *completion), job.kernel, *release});
  }
  return result;
}

tl::expected<RtaResult, std::string> response_times_closed(const RtaProblem& problem) {
  RtaResult result;
  std::int64_t now = problem.kernels.empty() ? 0 : problem.kernels.front().release;
  std::int64_t free = problem.g_max;
  for (std::size_t index = 0; index < problem.kernels.size(); ++index) {
    const RtaKernel& kernel = problem.kernels[index];
    const RtaKernel& first = problem.kernels.front();
    if (kernel.release != first.release || kernel.execution != first.execution)
      return tl::unexpected(
          fmt::format("kernels[{}] has another r or C than kernels[0]; the closed form holds for equal ones", index));
    const std::int64_t rounds = quotient_up(std::max<std::int64_t>(0, kernel.blocks - free), problem.g_max);
    // 128 bits: rounds * g_max may exceed kernel.blocks by almost g_max.
    free = static_cast<std::int64_t>(detail::Int128{free} + detail::Int128{rounds} * problem.g_max - kernel.blocks);
    const auto start = add_product(now, rounds, kernel.execution);
    const auto end = start ? add_product(*start, kernel.execution, 1) : std::nullopt;
    if (!end) return overflow(index);
    now = *start;
    result.completion.push_back(*end);
  }
  result.printed = closed_form_as_printed(problem);
  return with_responses(problem, std::move(result));
}

tl::expected<RtaResult, std::string> response_times_as_printed(const RtaProblem& problem) {
  RtaResult result;
  std::int64_t now = 0;
  std::int64_t free = problem.g_max;
  std::optional<Row> least;  // of the heap; since no row is ever removed, no other row is ever inspected
  for (std::size_t index = 0; index < problem.kernels.size(); ++index) {
    const std::int64_t execution = problem.kernels[index].execution;
    std::int64_t left = problem.kernels[index].blocks;
    const auto add_row = [&](std::int64_t blocks) {
      const auto end = add_product(now, execution, 1);
      if (end && (!least || *end < least->time)) least = Row{*end, blocks};
      return end;
    };
    while (free < left) {
      left -= free;
      const std::int64_t before = now;
      if (!add_row(free)) return overflow(index);
      now = least->time;
      free = least->blocks;
      if (free == 0) {  // from here on the same empty row is found repeatedly
        result.endless_at = index;
        return with_responses(problem, std::move(result));
      }
      // If the smallest row is found again, only `left` changes: skips all those turns at once.
      if (now == before) left -= std::max<std::int64_t>(0, (left - 1) / free - 1) * free;
    }
    const auto end = add_row(left);
    if (!end) return overflow(index);
    free -= left;
    result.completion.push_back(*end);
  }
  return with_responses(problem, std::move(result));
}

std::optional<double> utilization(const RtaKernel& kernel) {
  if (kernel.period == 0 || kernel.threads == 0) return std::nullopt;
  return static_cast<double>(kernel.execution) * static_cast<double>(kernel.blocks) *
         static_cast<double>(kernel.threads) / static_cast<double>(kernel.period);
}

std::optional<double> utilization(const RtaProblem& problem) {
  double sum = 0;
  for (const RtaKernel& kernel : problem.kernels) {
    const auto share = utilization(kernel);
    if (!share) return std::nullopt;
    sum += *share;
  }
  return sum;
}

std::optional<std::string> unequal_blocks(const RtaProblem& problem) {
  std::int64_t stated = 0;
  for (std::size_t index = 0; index < problem.kernels.size(); ++index) {
    const std::int64_t threads = problem.kernels[index].threads;
    if (threads != 0 && stated != 0 && threads != stated)
      return fmt::format(
          "kernels[{}] has b = {}, but earlier ones have {}; the analysis needs blocks of one size (Eq. 3.5): "
          "state one b for all",
          index, threads, stated);
    if (threads != 0) stated = threads;
  }
  return std::nullopt;
}

bool meets_deadlines(const RtaProblem& problem, const std::vector<std::int64_t>& response) {
  for (std::size_t index = 0; index < response.size(); ++index)
    if (problem.kernels[index].period > 0 && response[index] > problem.kernels[index].period) return false;
  return true;
}

namespace {

std::optional<TextError> read_kernel(const JsonValue& value, RtaKernel& kernel) {
  const auto* object = std::get_if<JsonObject>(&value.value);
  if (object == nullptr) return error_at(value, R"(expected an object such as {"r": 0, "C": 4, "g": 2})");
  bool has_execution = false;
  bool has_blocks = false;
  for (const auto& [key, member] : object->members) {
    std::optional<TextError> error;
    if (key == "r") {
      error = read_number(member, 0, kernel.release);
    } else if (key == "C") {
      error = read_number(member, 0, kernel.execution);
      has_execution = true;
    } else if (key == "g") {
      error = read_number(member, 1, kernel.blocks);
      has_blocks = true;
    } else if (key == "T") {
      error = read_number(member, 1, kernel.period);
    } else if (key == "b") {
      error = read_number(member, 1, kernel.threads);
    } else if (key != "name") {
      error = error_at(member, "unknown key; a kernel has r, C, g, T, b and name");
    }
    if (error) return error;
  }
  if (!has_execution) return error_at(value, "\"C\" is missing");
  if (!has_blocks) return error_at(value, "\"g\" is missing");
  return std::nullopt;
}

/// Of an SM of the TX2, which has two of them.
constexpr std::int64_t tx2_sm_threads = 2048;

}  // namespace

tl::expected<RtaProblem, TextError> parse_rta_problem(std::string_view json) {
  auto parsed = parse_located_json(json);
  if (!parsed) return tl::unexpected(parsed.error());
  const JsonValue& root = *parsed;
  const auto* object = std::get_if<JsonObject>(&root.value);
  if (object == nullptr) return tl::unexpected(error_at(root, R"(expected an object with "g_max" and "kernels")"));
  RtaProblem problem;
  bool has_g_max = false;
  const JsonArray* kernels = nullptr;
  std::int64_t threads = 0;
  for (const auto& [key, member] : object->members) {
    std::optional<TextError> error;
    if (key == "g_max") {
      error = read_number(member, 1, problem.g_max);
      has_g_max = true;
    } else if (key == "b") {
      error = read_number(member, 1, threads);
    } else if (key == "kernels") {
      kernels = std::get_if<JsonArray>(&member.value);
      if (kernels == nullptr) error = error_at(member, "expected an array");
    } else if (key != "description") {
      error = error_at(member, "unknown key; expected g_max, b, kernels and description");
    }
    if (error) return tl::unexpected(*error);
  }
  if (kernels == nullptr) return tl::unexpected(error_at(root, "\"kernels\" is missing"));
  problem.kernels.reserve(kernels->elements.size());
  for (const JsonValue& element : kernels->elements) {
    RtaKernel& kernel = problem.kernels.emplace_back();
    kernel.threads = threads;
    if (const auto error = read_kernel(element, kernel)) return tl::unexpected(*error);
  }
  if (!has_g_max) {
    threads = problem.kernels.empty() ? threads : problem.kernels.front().threads;
    if (threads == 0) return tl::unexpected(error_at(root, "\"g_max\" is missing"));
    if (tx2_sm_threads % threads != 0)
      return tl::unexpected(error_at(
          root, fmt::format("\"g_max\" is missing, and b = {} does not divide the {} threads of an SM of the TX2 "
                            "(Eq. 3.6)",
                            threads, tx2_sm_threads)));
    problem.g_max = 2 * tx2_sm_threads / threads;
  }
  return problem;
}

}  // namespace amalthea::engine::nvidia
