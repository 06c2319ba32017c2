// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/fault.hpp"

#include <algorithm>
#include <cctype>
#include <functional>

namespace planted {
namespace {

using Jobs = std::vector<std::size_t>;

class Planter {
 public:
  Planter(const Design& sound, std::string_view kind, std::mt19937& random) : random_(random) {
    fault_.kind = kind;
    fault_.design = sound;
  }

  std::optional<Fault> run() {
    if (!plant()) return std::nullopt;
    fault_.place = fault_.names.front();
    return std::move(fault_);
  }

 private:
  Design& design() { return fault_.design; }

  Job* any_job(const std::function<bool(const Job&)>& suits) {
    std::vector<Job*> found;
    for (Job& job : design().jobs)
      if (suits(job)) found.push_back(&job);
    return found.empty() ? nullptr : found[random_() % found.size()];
  }

  bool on(Job* job, std::vector<std::string> words) {
    if (job == nullptr) return false;
    fault_.names = {job->name};
    fault_.words = std::move(words);
    return true;
  }

  bool period(double factor, bool interrupt) {
    Job* const job = any_job([&](const Job& one) { return one.interrupt == interrupt; });
    if (!on(job, {"period"})) return false;
    job->period *= factor;
    return true;
  }

  /// Slower than the rest of a path.
  bool slow_middle() {
    if (design().paths.empty()) return false;
    const Path& path = design().paths[random_() % design().paths.size()];
    if (path.jobs.size() < 3) return false;
    Job& job = design().jobs[path.jobs[1 + random_() % (path.jobs.size() - 2)]];
    job.period *= 10;
    return on(&job, {"period"});
  }

  bool swapped_deadlines() {
    const auto suits = [](const Job& job) { return job.deadline.has_value(); };
    Job* const a = any_job(suits);
    if (a == nullptr) return false;
    Job* const b = any_job([&](const Job& job) { return suits(job) && job.period != a->period; });
    if (b == nullptr) return false;
    std::swap(a->deadline, b->deadline);
    return on(a->period > b->period ? a : b, {"exchange", "swapped"});
  }

  bool deadline(double factor) {
    Job* const job = any_job([](const Job& one) { return one.deadline.has_value(); });
    if (!on(job, {"deadline", "limit"})) return false;
    if (factor > 0)
      *job->deadline *= factor;
    else
      job->deadline = std::max(1.0, std::floor(job->execution / 2));
    return true;
  }

  bool chain(bool minimum) {
    if (design().paths.empty()) return false;
    Path& path = design().paths[random_() % design().paths.size()];
    fault_.names = {path.name};
    if (minimum) {
      path.minimum = path.maximum;
      fault_.words = {"minimum"};
    } else {
      path.maximum /= 1000;
      fault_.words = {"maximum", "limit"};
      if (path.minimum) path.minimum = *path.minimum / 1000;
    }
    return true;
  }

  bool ceiling() {
    if (design().locks.empty()) return false;
    Lock& lock = design().locks[random_() % design().locks.size()];
    lock.ceiling = false;
    fault_.names = {lock.name};
    fault_.words = {"ceiling"};
    return true;
  }

  bool gpu(const std::function<void(Job&)>& change, std::vector<std::string> words) {
    Job* const job = any_job([](const Job& one) { return one.offload.has_value(); });
    if (!on(job, std::move(words))) return false;
    change(*job);
    return true;
  }

  bool clock() {
    const std::size_t index = random_() % design().clocks.size();
    design().clocks[index].frequency /= 10;
    fault_.words = {"clock", "frequency", "MHz"};
    fault_.names = {design().clocks[index].name};
    for (const Core& core : design().cores)
      if (core.clock == index) fault_.names.push_back(core.name);
    if (index + 1 == design().clocks.size()) fault_.names.emplace_back("GPU");
    return true;
  }

  /// Nanoseconds, times a thousand.
  bool ticks() {
    Job* const job = any_job([](const Job&) { return true; });
    if (!on(job, {"ticks", "execution"})) return false;
    job->ticks_factor = 1000;
    return true;
  }

  bool plant() {
    const std::string& kind = fault_.kind;
    if (kind == "period at a tenth") return period(0.1, false);
    if (kind == "period tenfold") return slow_middle();
    if (kind == "interrupt tenfold") return period(0.1, true);
    if (kind == "swapped deadlines") return swapped_deadlines();
    if (kind == "limit in us") return deadline(0.001);
    if (kind == "impossible deadline") return deadline(0);
    if (kind == "chain limit in us") return chain(false);
    if (kind == "minimum equals maximum") return chain(true);
    if (kind == "forgotten ceiling") return ceiling();
    if (kind == "clock at a tenth") return clock();
    if (kind == "ticks per nanosecond") return ticks();
    if (kind == "slice of 50 ms") return gpu([](Job& job) { job.offload->slice = 50'000; }, {"slice"});
    if (kind == "slice of 10 us") return gpu([](Job& job) { job.offload->slice = 10; }, {"slice"});
    if (kind == "copy of 200 MB") return gpu([](Job& job) { job.offload->copied = 200'000; }, {"cop"});
    if (kind == "kernel tenfold") return gpu([](Job& job) { job.offload->kernel *= 10; }, {"kernel", "ticks"});
    if (kind == "polling") return gpu([](Job& job) { job.offload->polls = true; }, {"poll"});
    if (kind == "event not cleared") return gpu([](Job& job) { job.offload->clears = false; }, {"clear"});
    return false;
  }

  Fault fault_;
  std::mt19937& random_;
};

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& letter : made) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return made;
}

}  // namespace

std::optional<Fault> plant(const Design& sound, std::string_view kind, std::mt19937& random) {
  return Planter(sound, kind, random).run();
}

bool names(const Fault& fault, std::string_view text) {
  const std::string all = lower(text);
  const auto has = [&](const std::string& word) { return all.find(lower(word)) != std::string::npos; };
  return std::any_of(fault.names.begin(), fault.names.end(), has) &&
         std::any_of(fault.words.begin(), fault.words.end(), has);
}

}  // namespace planted
