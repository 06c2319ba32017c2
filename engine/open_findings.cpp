// SPDX-License-Identifier: Apache-2.0
#include "engine/open_findings.hpp"

#include <optional>
#include <string>
#include <variant>

#include <fmt/core.h>

#include "engine/bounds/dependencies.hpp"
#include "engine/finding_consequences.hpp"
#include "engine/verdict.hpp"

namespace amalthea::engine {
namespace {

class Withholding {
 public:
  Withholding(const System& system, Results& results) : system_(system), results_(results) {}

  void run(const std::vector<OpenFinding>& findings) {
    for (const OpenFinding& finding : findings) {
      if (finding.assumption && !results_.strict) continue;
      reason_ = fmt::format("it depends on what finding {} leaves open", finding.id);
      withheld_ = 0;
      std::optional<Dependencies::Reached> reached;
      if (!finding.parts.empty()) reached = dependencies_.reached_from(finding.parts);
      reached_ = reached ? &*reached : nullptr;
      everything();
      results_.open.push_back({finding.id, finding.location, withheld_});
    }
  }

 private:
  bool is_open(Part::Kind kind, std::size_t index) const {
    return reached_ == nullptr || reached_->contains({kind, static_cast<std::uint32_t>(index)});
  }

  void everything() {
    for (std::size_t i = 0; i < results_.tasks.size(); ++i)
      if (system_.tasks[i].deadline && !system_.tasks[i].folded_into && is_open(Part::Kind::task, i))
        withhold(results_.tasks[i], Verdict::met, Verdict::unknown);
    for (std::size_t i = 0; i < results_.requirements.size(); ++i)
      if (is_open(Part::Kind::requirement, i)) {
        const bool deadline = is_deadline(system_, system_.requirements[i]);
        withhold(results_.requirements[i], !deadline);
        if (!deadline) continue;
        const TaskIndex process = std::get<Requirement::OfProcess>(system_.requirements[i].subject).task;
        const TaskIndex task = system_.tasks[process].folded_into.value_or(process);
        if (!is_open(Part::Kind::task, task)) withhold(results_.tasks[task], Verdict::met, Verdict::unknown);
      }
    for (std::size_t i = 0; i < results_.constraints.size(); ++i)
      if (is_open(Part::Kind::constraint, i)) withhold(results_.constraints[i]);
    for (std::size_t i = 0; i < results_.chains.size(); ++i)
      if (is_open(Part::Kind::chain, i))
        for (ChainResult::Limit& limit : results_.chains[i].limits)
          for (ChainResult::Judgement* judgement : {&limit.let, &limit.implicit, &limit.explicit_access})
            withhold(*judgement, judgement == &limit.by(results_.communication));
  }

  template <typename Result>
  void withhold(Result& result, bool counts = true) {
    withhold(result, LimitVerdict::met, LimitVerdict::unknown, counts);
  }
  template <typename Result, typename Kind>
  void withhold(Result& result, Kind met, Kind unknown, bool counts = true) {
    if (result.guaranteed == true) result.guaranteed.reset();
    if (result.verdict == met) {
      result.verdict = unknown;
      result.reason = reason_;
    }
    if (counts && result.verdict == unknown) ++withheld_;
  }

  const System& system_;
  const Dependencies dependencies_{system_};
  Results& results_;
  const Dependencies::Reached* reached_ = nullptr;  ///< null: all parts
  std::string reason_;
  std::size_t withheld_ = 0;
};

}  // namespace

void withhold_open_verdicts(const System& system, const std::vector<OpenFinding>& more, Results& results) {
  results.open.clear();
  if (system.open.empty() && more.empty()) return;
  Withholding withholding(system, results);
  withholding.run(system.open);
  withholding.run(more);
}

std::vector<OpenFinding> open_findings(const Diagnostics& findings, std::size_t first) {
  std::vector<OpenFinding> open;
  for (std::size_t i = first; i < findings.all().size(); ++i) {
    const Diagnostic& finding = findings.all()[i];
    const Consequence consequence = consequence_of(finding);
    if (consequence == Consequence::unknown || consequence == Consequence::assumption)
      open.push_back({finding.id, finding.location, consequence == Consequence::assumption, {}});
  }
  return open;
}

}  // namespace amalthea::engine
