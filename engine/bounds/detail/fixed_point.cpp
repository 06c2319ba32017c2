// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/fixed_point.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace amalthea::engine::bounds {
namespace {

/// So often jitters grow with bounds and bounds with jitters; what still grows then has none.
constexpr std::size_t most_rounds = 50;

class FixedPoint {
 public:
  FixedPoint(const Subject& subject, const CoreModels& cores, std::vector<Activations>& activations, Problems& problems,
             Faults& faults)
      : subject_(subject), cores_(cores), activations_(activations), problems_(problems), faults_(faults) {}

  Solution run() {
    for (std::size_t round = 0;; ++round) {
      find_bounds();
      if (!solution_.fault.empty() || !raise_jitters(round < most_rounds)) return std::move(solution_);
    }
  }

 private:
  Activation* activation_of(const Entity& entity) {
    auto& all = activations_[entity.task].all;
    return entity.activation < all.size() ? &all[entity.activation] : nullptr;
  }

  /// With the jitters as they are.
  void find_bounds() {
    for (const Entity& entity : problems_.entities) {
      const Activation* activation = activation_of(entity);
      if (activation != nullptr && !problems_.is_unlimited(entity)) problems_.jitter_of(entity) = activation->jitter;
    }
    auto found = nvidia::time_slice_bounds(problems_.gpu.problem);
    if (!found) {
      solution_.fault = found.error();
      return;
    }
    solution_.gpu = std::move(*found);
    solution_.cores.resize(problems_.cores.size());
    for (std::size_t core = 0; core < problems_.cores.size(); ++core)
      if (cores_.cores[core].apart) solution_.cores[core] = cores_.cores[core].analysis->bounds(problems_.cores[core]);
  }

  /// As the bounds say; whether that changes anything.
  bool raise_jitters(bool may_grow) {
    bool changed = false;
    for (const Entity& entity : problems_.entities) {
      Activation* activation = activation_of(entity);
      if (activation == nullptr || !activation->source || problems_.is_unlimited(entity)) continue;
      const auto jitter = jitter_after(*activation->source);
      if (jitter && *jitter <= activation->jitter) continue;
      changed = true;
      if (jitter && *jitter < nvidia::longest_analysed && may_grow) {
        activation->jitter = *jitter;
        continue;
      }
      problems_.set_unlimited(entity);
      faults_[entity.task] =
          fmt::format("it is triggered by {}, {}", subject_.name(activation->source->task),
                      jitter ? "and the fixed-point iteration of the two bounds diverges" : "which has no bound");
    }
    return changed;
  }

  /// How much the releases of what is triggered spread; nothing where the source has no bound.
  std::optional<Duration> jitter_after(const Activation::Source& source) {
    const auto& entities = problems_.of_task[source.task];
    if (source.activation >= entities.size()) return std::nullopt;
    const Entity& entity = problems_.entities[entities[source.activation]];
    const auto response = solution_.response_of(entity);
    const Activation* comes = activation_of(entity);
    if (!response || comes == nullptr) return std::nullopt;
    const Duration latest = comes->jitter + *response;
    // The response of a device task may be that of the host that waits for it.
    return entity.task == source.task ? latest - std::min(latest, source.certain) : latest;
  }

  const Subject& subject_;
  const CoreModels& cores_;
  std::vector<Activations>& activations_;
  Problems& problems_;
  Faults& faults_;
  Solution solution_;
};

}  // namespace

std::optional<Duration> Solution::response_of(const Entity& entity) const {
  if (!entity.core) return gpu.tasks[entity.at].response;
  const auto& response = cores[*entity.core][entity.at].response;
  return response && *response < nvidia::longest_analysed ? response : std::nullopt;
}

Solution solve(const Subject& subject, const CoreModels& cores, std::vector<Activations>& activations,
               Problems& problems, Faults& faults) {
  return FixedPoint(subject, cores, activations, problems, faults).run();
}

}  // namespace amalthea::engine::bounds
