#include "engine/finding_consequences.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>

namespace amalthea::engine {
namespace {

constexpr Consequence assumption = Consequence::assumption, unknown = Consequence::unknown;

constexpr std::array all_consequences{
    FindingConsequence{"AM0401", unknown},
    FindingConsequence{"AM0402", assumption, "a scheduler without an algorithm is fixed-priority preemptive",
                       "{} schedulers without an algorithm are fixed-priority preemptive"},
    FindingConsequence{"AM0407", unknown},
    FindingConsequence{"AM0408", unknown},
    FindingConsequence{"AM0411", assumption,
                       "label accesses from a unit to a memory without an access path take no time",
                       "label accesses from {} units to memories without an access path take no time"},
    FindingConsequence{"AM0416", assumption, "a recurrence that counts a clock's ticks is a time",
                       "{} recurrences that count a clock's ticks are times"},
    FindingConsequence{"AM0503", assumption, "a GPU without gpu.platform behaves as its default profile says",
                       "{} GPUs without gpu.platform behave as their default profiles say"},
};

}  // namespace

std::span<const FindingConsequence> finding_consequences() { return all_consequences; }

Consequence consequence_of(const Diagnostic& finding) {
  const auto found = std::find_if(all_consequences.begin(), all_consequences.end(),
                                  [&](const FindingConsequence& entry) { return entry.id == finding.id; });
  if (found != all_consequences.end()) return found->consequence;
  return finding.severity == Severity::error ? Consequence::unknown : Consequence::none;
}

std::vector<Assumption> assumptions_of(const Diagnostics& findings) {
  std::vector<Assumption> assumptions;
  for (const FindingConsequence& entry : all_consequences) {
    if (entry.consequence != Consequence::assumption) continue;
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
