// Timing constraints that demand nothing, or of which nobody can tell whether they hold.

#include <variant>

#include <fmt/core.h>

#include "review/rules.hpp"

namespace amalthea::review {
namespace {

/// Calls visit(element, constraint, why) for the constraints that cannot be judged, demanding nothing or not.
template <typename Visit>
void for_each_unjudgeable(const Context& context, bool empty, Visit visit) {
  if (context.system == nullptr) return;
  for (const TimingConstraint& constraint : context.system->constraints)
    if (const auto* why = std::get_if<Unjudgeable>(&constraint.kind); why != nullptr && why->empty == empty)
      visit(context.model.element(constraint.origin), constraint, why->reason);
}

}  // namespace

void check_empty_constraints(const Context& context, Report& report) {
  for_each_unjudgeable(context, true, [&](Element element, const TimingConstraint& constraint, const std::string& why) {
    report.add(element, fmt::format("{} demands nothing: {}", describe(constraint), why));
  });
}

void check_unjudgeable_constraints(const Context& context, Report& report) {
  for_each_unjudgeable(
      context, false, [&](Element element, const TimingConstraint& constraint, const std::string& why) {
        report.add(element, fmt::format("nobody can tell whether {} holds: {}", describe(constraint), why));
      });
}

}  // namespace amalthea::review
