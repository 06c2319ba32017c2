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
    FindingConsequence{"AM0123", assumption, "what a scenario leaves open is read as gpu run reads it",
                       "{} parts of a scenario leave something open, which is read as gpu run reads it"},
    FindingConsequence{"AM0207", unknown},
    FindingConsequence{"AM0208", assumption, "a file has the structure of the release next to the one it names",
                       "{} files have the structure of the release next to the one they name"},
    FindingConsequence{"AM0209", unknown},
    FindingConsequence{"AM0211", unknown},
    FindingConsequence{"AM0213", unknown},
    FindingConsequence{"AM0215", unknown},
    FindingConsequence{"AM0216", assumption, "files that repeat a task form one model, which has it twice",
                       "files that repeat {} tasks form one model, which has them twice"},
    FindingConsequence{"AM0231", unknown},
    FindingConsequence{"AM0232", assumption, "the midpoint replaces an average outside its bounds",
                       "the midpoints replace {} averages outside their bounds"},
    FindingConsequence{"AM0401", unknown, {}, {}, Reach::links},
    FindingConsequence{"AM0402", assumption, "a scheduler without an algorithm is fixed-priority preemptive",
                       "{} schedulers without an algorithm are fixed-priority preemptive"},
    FindingConsequence{"AM0404", assumption, "a device task with several units to choose from runs on the first",
                       "{} device tasks with several units to choose from run on the first"},
    FindingConsequence{"AM0406", assumption,
                       "a task runs on the unit of its affinity (its scheduler is responsible for none)",
                       "{} tasks run on the units of their affinity (their schedulers are responsible for none)"},
    FindingConsequence{"AM0407", unknown},
    FindingConsequence{"AM0408", unknown, {}, {}, Reach::links},
    FindingConsequence{"AM0411", assumption, "1 label access takes no time (no access path to the memory)",
                       "{} label accesses take no time (no access path to the memory)"},
    FindingConsequence{"AM0412", unknown},
    FindingConsequence{"AM0414", unknown},
    FindingConsequence{"AM0415", unknown},
    FindingConsequence{"AM0416", assumption, "a recurrence in ticks of a clock is a time",
                       "{} recurrences in ticks of a clock are times"},
    FindingConsequence{"AM0420", unknown},
    FindingConsequence{"AM0421", replacement, "", "the processing units of {} tasks"},
    FindingConsequence{"AM0422", replacement, "", "the priority, time slice or waiting of {} tasks"},
    FindingConsequence{"AM0424", assumption, "the default ticks of a task apply to both CPU and GPU",
                       "the default ticks of {} tasks apply to both CPU and GPU"},
    FindingConsequence{"AM0431", assumption, "a stimulus with a variable clock keeps its stated occurrences per step",
                       "{} stimuli with variable clocks keep their stated occurrences per step"},
    FindingConsequence{"AM0432", unknown},
    FindingConsequence{"AM0435", unknown},
    FindingConsequence{"AM0436", unknown},
    FindingConsequence{"AM0437", assumption, "all alternatives of a condition that is not simulated are equally likely",
                       "all alternatives of {} conditions that are not simulated are equally likely"},
    FindingConsequence{"AM0440", unknown, {}, {}, Reach::content},
    FindingConsequence{"AM0441", unknown, {}, {}, Reach::content},
    FindingConsequence{"AM0442", assumption, "1 label access takes no time (no memory mapping)",
                       "{} label accesses take no time (no memory mapping)"},
    FindingConsequence{"AM0443", assumption,
                       "1 label access goes to the only memory that is reached (no memory mapping)",
                       "{} label accesses go to the only memory that is reached (no memory mapping)"},
    FindingConsequence{"AM0444", assumption, "1 label access takes no time (no latency)",
                       "{} label accesses take no time (no latency)"},
    FindingConsequence{"AM0445", assumption, "a label without a size is empty", "{} labels without a size are empty"},
    FindingConsequence{"AM0446", assumption, "a task without a priority has priority 0",
                       "{} tasks without a priority have priority 0"},
    FindingConsequence{"AM0447", assumption, "a processing unit without a puType is a CPU",
                       "{} processing units without a puType are CPUs"},
    FindingConsequence{"AM0448", assumption, "an accelerator behaves like a CPU", "{} accelerators behave like CPUs"},
    FindingConsequence{"AM0449", unknown},
    FindingConsequence{"AM0450", unknown},
    FindingConsequence{"AM0451", assumption, "a processing unit has cache lines of 64 B (no lineSize)",
                       "{} processing units have cache lines of 64 B (no lineSize)"},
    FindingConsequence{"AM0452", assumption, "a task that does not state its preemption is preemptive",
                       "{} tasks that do not state their preemption are preemptive"},
    FindingConsequence{"AM0453", assumption, "an item that does not state its waiting behavior waits passively",
                       "{} items that do not state their waiting behavior wait passively"},
    FindingConsequence{"AM0454", assumption, "any one of several events ends a wait",
                       "any one of several events ends each of {} waits"},
    FindingConsequence{"AM0455", assumption, "a mode label without an initial value starts with its first value",
                       "{} mode labels without an initial value start with their first value"},
    FindingConsequence{"AM0456", assumption, "a task without a deadline has its period as its deadline",
                       "{} tasks without a deadline have their periods as deadlines"},
    FindingConsequence{"AM0457", assumption, "a label access that does not state its kind is a read",
                       "{} label accesses that do not state their kind are reads"},
    FindingConsequence{"AM0458", unknown},
    FindingConsequence{"AM0459", unknown},
    FindingConsequence{"AM0460", unknown},
    FindingConsequence{"AM0461", unknown},
    FindingConsequence{"AM0462", unknown},
    FindingConsequence{"AM0463", unknown},
    FindingConsequence{"AM0464", unknown},
    FindingConsequence{"AM0466", unknown},
    FindingConsequence{"AM0467", unknown},
    FindingConsequence{"AM0468", unknown},
    FindingConsequence{"AM0469", assumption, "a schedule point of a non-preemptive task has no effect",
                       "{} schedule points of non-preemptive tasks have no effect"},
    FindingConsequence{
        "AM0470", assumption,
        "the period of a task is the least distance of its activations; with several stimuli or triggers "
        "it is the least urgent",
        "the periods of {} tasks are the least distances of their activations; with several stimuli or "
        "triggers they are the least urgent"},
    FindingConsequence{"AM0471", assumption,
                       "a task does not run while a more urgent cooperative task waits for another",
                       "{} tasks do not run while a more urgent cooperative task waits for another"},
    FindingConsequence{"AM0473", unknown},
    FindingConsequence{"AM0474", unknown},
    FindingConsequence{"AM0475", unknown},
    FindingConsequence{"AM0476", unknown},
    FindingConsequence{"AM0477", unknown},
    FindingConsequence{"AM0478", unknown},
    FindingConsequence{"AM0479", unknown},
    FindingConsequence{"AM0480", unknown},
    FindingConsequence{"AM0481", assumption, "a model file that is not read does not belong to the model",
                       "{} model files that are not read do not belong to the model"},
    FindingConsequence{"AM0482", unknown},
    FindingConsequence{"AM0486", unknown},
    FindingConsequence{"AM0487", unknown},
    FindingConsequence{"AM0488", unknown},
    FindingConsequence{"AM0489", unknown},
    FindingConsequence{"AM0490", unknown},
    FindingConsequence{"AM0491", unknown},
    FindingConsequence{"AM0492", unknown},
    FindingConsequence{"AM0494", assumption, "a semaphore without a type is no spinlock",
                       "{} semaphores without a type are no spinlocks"},
    FindingConsequence{"AM0495", unknown},
    FindingConsequence{"AM0496", unknown},
    FindingConsequence{"AM0497", unknown},
    FindingConsequence{"AM0498", assumption, "a clock that may change or stop keeps the stated frequency",
                       "{} clocks that may change or stop keep the stated frequencies"},
    FindingConsequence{"AM0501", assumption, "the simulated time represents the whole hyperperiod",
                       "the simulated time represents the whole hyperperiod"},
    FindingConsequence{"AM0503", assumption, "a GPU without gpu.platform behaves like its default profile",
                       "{} GPUs without gpu.platform behave like their default profiles"},
    FindingConsequence{"AM0506", unknown},
    FindingConsequence{"AM0514", assumption, "a property of AMD GPUs has no effect on a GPU that is not from AMD",
                       "{} properties of AMD GPUs have no effect on GPUs that are not from AMD"},
    FindingConsequence{"AM0515", assumption,
                       "kernels of a GPU cost no more than those of its profile that they are like",
                       "kernels of {} GPUs cost no more than those of their profiles that they are like"},
    FindingConsequence{"AM0516", assumption, "an ISR without a priority has priority 0",
                       "{} ISRs without a priority have priority 0"},
    FindingConsequence{"AM0517", unknown},
    FindingConsequence{"AM0521", assumption,
                       "accesses of a core without an entry in the memory table take as long as the model states",
                       "accesses of {} cores without an entry in the memory table take as long as the model states"},
    FindingConsequence{"AM0522", unknown},
    FindingConsequence{"AM0523", unknown},
    FindingConsequence{"AM0524", unknown},
    FindingConsequence{"AM0525", unknown},
    FindingConsequence{"AM0526", unknown},
    FindingConsequence{"AM0527", unknown},
    FindingConsequence{"AM0528", unknown},
    FindingConsequence{"AM0529", unknown},
    FindingConsequence{"AM0579", assumption,
                       "nothing slows down copies or kernels of a GPU where its profile has no figure",
                       "nothing slows down copies or kernels of {} GPUs where their profiles have no figure"},
    FindingConsequence{"AM0583", assumption, "a CU mask has no effect on a GPU that is not from AMD",
                       "{} CU masks have no effect on GPUs that are not from AMD"},
    FindingConsequence{"AM0586", assumption, "a property of NVIDIA GPUs has no effect on an AMD GPU",
                       "{} properties of NVIDIA GPUs have no effect on AMD GPUs"},
    FindingConsequence{"AM0590", unknown},
    FindingConsequence{"AM0595", assumption, "figures that are not published for a GPU have pessimistic values",
                       "figures that are not published for {} GPUs have pessimistic values"},
    FindingConsequence{
        "AM0611", assumption,
        "tasks of schedulers that share a unit without a hierarchy compare by priority if all have fixed "
        "priorities, else run in any order",
        "tasks of schedulers that share {} units without a hierarchy compare by priority if all have "
        "fixed priorities, else run in any order"},
    FindingConsequence{"AM0628", unknown},
    FindingConsequence{"AM0631", unknown},
    FindingConsequence{"AM0640", unknown},
    FindingConsequence{"AM0641", unknown},
    FindingConsequence{"AM0642", unknown},
    FindingConsequence{"AM0647", unknown},
    FindingConsequence{"AM0651", unknown},
    FindingConsequence{"AM0653", assumption, "the probabilities of a switch are relative weights",
                       "the probabilities of {} switches are relative weights"},
    FindingConsequence{"AM0654", unknown},
    FindingConsequence{"AM0655", unknown},
    FindingConsequence{"AM0657", unknown},
    FindingConsequence{"AM0665", unknown},
    FindingConsequence{"AM0666", unknown},
};

const FindingConsequence* entry_of(const Diagnostic& finding) {
  const auto found = std::find_if(all_consequences.begin(), all_consequences.end(),
                                  [&](const FindingConsequence& entry) { return entry.id == finding.id; });
  return found != all_consequences.end() ? &*found : nullptr;
}

}  // namespace

std::span<const FindingConsequence> finding_consequences() { return all_consequences; }

Consequence consequence_of(const Diagnostic& finding) {
  if (const FindingConsequence* entry = entry_of(finding)) return entry->consequence;
  return finding.severity == Severity::error ? Consequence::unknown : Consequence::none;
}

Reach reach_of(const Diagnostic& finding) {
  const FindingConsequence* entry = entry_of(finding);
  return entry != nullptr ? entry->reach : Reach::element;
}

std::vector<Assumption> assumptions_with(const Diagnostics& findings, Consequence consequence) {
  std::vector<Assumption> assumptions;
  for (const FindingConsequence& entry : all_consequences) {
    if (entry.consequence != consequence) continue;
    Assumption assumption{std::string(entry.id), 0, {}, {}};
    const Diagnostic* only = nullptr;
    for (const Diagnostic& finding : findings.all()) {
      if (finding.id != entry.id) continue;
      if (assumption.count == 0) assumption.location = finding.location;
      only = &finding;
      assumption.count += finding.count;
    }
    if (assumption.count == 0) continue;
    assumption.text = assumption.count > 1 ? fmt::format(fmt::runtime(entry.several), assumption.count)
                      : entry.one.empty()  ? only->message
                                           : std::string(entry.one);
    assumptions.push_back(std::move(assumption));
  }
  return assumptions;
}

}  // namespace amalthea::engine
