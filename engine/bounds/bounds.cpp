// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/bounds.hpp"

#include "amalthea/detail/counted_steps.hpp"
#include "engine/bounds/detail/analyzed_gpus.hpp"
#include "engine/bounds/detail/exact_responses.hpp"
#include "engine/bounds/detail/offset_responses.hpp"
#include "engine/bounds/detail/report.hpp"

namespace amalthea::engine {

SystemBounds system_bounds(const System& system, const std::vector<Program>& best, const std::vector<Program>& worst,
                           const std::vector<const DeviceProfile*>& devices, const BoundOptions& options) {
  using namespace bounds;
  constexpr std::uint64_t steps_of_a_step = 4;  // by the time that it takes
  for (const Program& program : worst) bound_steps += steps_of_a_step * (program.steps.size() + 1);
  const AnalyzedSystem subject{system, best, worst, devices};
  Faults faults(system.tasks.size());
  const Triggers triggers = triggers_of(subject);
  std::vector<Activations> activations = activations_of(subject, triggers);
  Offloads offloads = offloads_of(subject, triggers, activations, faults);
  const CoreModels cores = core_models(subject, activations, offloads, faults);
  const auto gpus = analyzed_gpus(subject, activations, offloads, faults);
  const ProblemInput input{subject, activations, offloads, cores};
  Problems problems = problems_of(input, gpus, faults);
  const Solution solution = solve(subject, cores, activations, problems, faults);
  SystemBounds bounds = report(input, problems, solution, faults);
  if (options.for_offsets) add_offset_responses(input, problems, faults, options, bounds);
  add_exact_responses(input, bounds);
  return bounds;
}

SystemBounds system_bounds(const System& system, const std::vector<const DeviceProfile*>& devices,
                           CompileOptions compile, const BoundOptions& options) {
  compile.flatten_branches = compile.every_alternative = compile.all_units = true;
  return system_bounds(system, compile_programs(system, Execution::best, devices, compile),
                       compile_programs(system, Execution::worst, devices, compile), devices, options);
}

}  // namespace amalthea::engine
