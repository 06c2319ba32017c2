// SPDX-License-Identifier: Apache-2.0
#include "engine/finding_consequences.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>

namespace amalthea::engine {
namespace {

constexpr Consequence assumption = Consequence::assumption, unknown = Consequence::unknown,
                      replacement = Consequence::replacement;

constexpr std::array all_consequences{
    FindingConsequence{"AM0208", assumption, "a file is read by the structure of the release beside the one it names",
                       "{} files are read by the structure of the release beside the one they name"},
    FindingConsequence{"AM0209", unknown},
    FindingConsequence{"AM0211", unknown},
    FindingConsequence{"AM0213", unknown},
    FindingConsequence{"AM0215", unknown},
    FindingConsequence{"AM0231", unknown},
    FindingConsequence{"AM0232", assumption, "an average outside of its bounds is the middle of them",
                       "{} averages outside of their bounds are the middle of them"},
    FindingConsequence{"AM0401", unknown},
    FindingConsequence{"AM0402", assumption, "a scheduler without an algorithm is fixed-priority preemptive",
                       "{} schedulers without an algorithm are fixed-priority preemptive"},
    FindingConsequence{"AM0404", assumption, "a device task that may run on several units runs on the first",
                       "{} device tasks that may run on several units run on the first"},
    FindingConsequence{"AM0406", assumption, "a task runs on a unit that its scheduler is not responsible for",
                       "{} tasks run on units that their schedulers are not responsible for"},
    FindingConsequence{"AM0408", unknown},
    FindingConsequence{"AM0411", assumption, "1 label access takes no time (no access path to the memory)",
                       "{} label accesses take no time (no access path to the memory)"},
    FindingConsequence{"AM0412", unknown},
    FindingConsequence{"AM0414", unknown},
    FindingConsequence{"AM0415", unknown},
    FindingConsequence{"AM0416", assumption, "a recurrence that counts a clock's ticks is a time",
                       "{} recurrences that count a clock's ticks are times"},
    FindingConsequence{"AM0420", unknown},
    FindingConsequence{"AM0421", replacement, "the processing unit of a task", "the processing units of {} tasks"},
    FindingConsequence{"AM0422", replacement, "the scheduling of a task", "the scheduling of {} tasks"},
    FindingConsequence{"AM0431", assumption, "a stimulus with a clock that changes has its stated occurrences per step",
                       "{} stimuli with clocks that change have their stated occurrences per step"},
    FindingConsequence{"AM0432", unknown},
    FindingConsequence{"AM0435", assumption, "a semaphore's initial value is what there is to be taken",
                       "the initial values of {} semaphores are what there is to be taken"},
    FindingConsequence{"AM0436", unknown},
    FindingConsequence{"AM0437", assumption, "a condition that cannot be followed holds or not by chance",
                       "{} conditions that cannot be followed hold or not by chance"},
    FindingConsequence{"AM0440", unknown},
    FindingConsequence{"AM0442", assumption, "1 label access takes no time (no memory mapping)",
                       "{} label accesses take no time (no memory mapping)"},
    FindingConsequence{"AM0443", assumption,
                       "1 label access goes to the only memory that is reached (no memory mapping)",
                       "{} label accesses go to the only memory that is reached (no memory mapping)"},
    FindingConsequence{"AM0444", assumption, "1 label access takes no time (no latency)",
                       "{} label accesses take no time (no latency)"},
    FindingConsequence{"AM0445", assumption, "a label without a size is empty", "{} labels without a size are empty"},
    FindingConsequence{"AM0446", assumption, "a task without a priority has 0", "{} tasks without a priority have 0"},
    FindingConsequence{"AM0447", assumption, "a processing unit without a puType is a CPU",
                       "{} processing units without a puType are CPUs"},
    FindingConsequence{"AM0448", assumption, "an accelerator behaves like a CPU", "{} accelerators behave like CPUs"},
    FindingConsequence{"AM0449", assumption, "a normal distribution without an upper bound ends at mean + 3 sd",
                       "{} normal distributions without an upper bound end at mean + 3 sd"},
    FindingConsequence{"AM0450", assumption, "an item executes one instruction per cycle",
                       "{} items execute one instruction per cycle"},
    FindingConsequence{"AM0451", assumption, "a processing unit has cache lines of 64 B",
                       "{} processing units have cache lines of 64 B"},
    FindingConsequence{"AM0452", assumption, "a task that does not state its preemption is preemptive",
                       "{} tasks that do not state their preemption are preemptive"},
    FindingConsequence{"AM0453", assumption, "an item that does not state how it waits waits passively",
                       "{} items that do not state how they wait wait passively"},
    FindingConsequence{"AM0454", assumption, "of several events any ends a wait",
                       "of several events any ends a wait, {} times"},
    FindingConsequence{"AM0455", assumption, "a mode label without an initial value begins with the first",
                       "{} mode labels without an initial value begin with the first"},
    FindingConsequence{"AM0456", assumption, "a task without a deadline has its period as one",
                       "{} tasks without a deadline have their periods as one"},
    FindingConsequence{"AM0457", assumption, "a label access that says neither is a read",
                       "{} label accesses that say neither are reads"},
    FindingConsequence{"AM0458", unknown},
    FindingConsequence{"AM0501", assumption, "what is simulated stands for the whole hyperperiod",
                       "what is simulated stands for the whole hyperperiod"},
    FindingConsequence{"AM0503", assumption, "a GPU without gpu.platform behaves as its default profile says",
                       "{} GPUs without gpu.platform behave as their default profiles say"},
    FindingConsequence{"AM0506", unknown},
    FindingConsequence{"AM0521", assumption,
                       "accesses of a core that the memory table does not have cost what the model says",
                       "accesses of {} cores that the memory table does not have cost what the model says"},
    FindingConsequence{"AM0583", assumption, "a mask of compute units has no effect on a GPU that is not from AMD",
                       "{} masks of compute units have no effect on GPUs that are not from AMD"},
    FindingConsequence{"AM0586", assumption, "a property of NVIDIA GPUs has no effect on an AMD GPU",
                       "{} properties of NVIDIA GPUs have no effect on AMD GPUs"},
    FindingConsequence{"AM0590", unknown},
    FindingConsequence{"AM0653", assumption, "the probabilities of a switch are weights",
                       "the probabilities of {} switches are weights"},
};

}  // namespace

std::span<const FindingConsequence> finding_consequences() { return all_consequences; }

Consequence consequence_of(const Diagnostic& finding) {
  const auto found = std::find_if(all_consequences.begin(), all_consequences.end(),
                                  [&](const FindingConsequence& entry) { return entry.id == finding.id; });
  if (found != all_consequences.end()) return found->consequence;
  return finding.severity == Severity::error ? Consequence::unknown : Consequence::none;
}

std::vector<Assumption> assumptions_with(const Diagnostics& findings, Consequence consequence) {
  std::vector<Assumption> assumptions;
  for (const FindingConsequence& entry : all_consequences) {
    if (entry.consequence != consequence) continue;
    Assumption assumption{std::string(entry.id), 0, {}, {}};
    for (const Diagnostic& finding : findings.all()) {
      if (finding.id != entry.id) continue;
      if (assumption.count == 0) assumption.location = finding.location;
      assumption.count += finding.count;
    }
    if (assumption.count == 0) continue;
    assumption.text =
        assumption.count == 1 ? std::string(entry.one) : fmt::format(fmt::runtime(entry.several), assumption.count);
    assumptions.push_back(std::move(assumption));
  }
  return assumptions;
}

}  // namespace amalthea::engine
