#include "review/rules.hpp"

#include <array>
#include <utility>

namespace amalthea::review {
namespace {

constexpr Severity note = Severity::note, warning = Severity::warning;

constexpr std::array<Rule, 32> all_rules{{
    {"AM0601", warning, "a core or GPU is asked for more than it can give", check_overload},
    {"AM0602", warning, "a task cannot meet its deadline even when nothing disturbs it", check_hopeless_deadlines},
    {"AM0603", warning, "the deadlines of two tasks look swapped", check_swapped_deadlines},
    {"AM0604", note, "a deadline is longer than the period", check_deadlines_beyond_period},
    {"AM0610", warning, "a scheduler is executed by a unit that it is not responsible for", check_executing_unit},
    {"AM0611", warning, "several schedulers are responsible for one unit", check_shared_units},
    {"AM0612", note, "all tasks on a core have the same priority", check_equal_priorities},
    {"AM0613", note, "labels are mapped to no memory although others are", check_unmapped_labels},
    {"AM0614", note, "a scheduler is responsible for no unit", check_idle_schedulers},
    {"AM0615", note, "a processing unit has no clock", check_unclocked_units},
    {"AM0616", warning, "a mapping is there twice", check_repeated_mappings},
    {"AM0617", warning, "a task or ISR is mapped to no scheduler although others are", check_unallocated_processes},
    {"AM0620", warning, "a label is never accessed", check_unused_labels},
    {"AM0621", note, "a label is written but never read", check_unread_labels},
    {"AM0622", note, "a label is read but never written", check_unwritten_labels},
    {"AM0623", warning, "an input of offloaded work is overwritten when its result comes back",
     check_overwritten_inputs},
    {"AM0630", note, "a stimulus activates nothing", check_unused_stimuli},
    {"AM0631", warning, "an inter-process stimulus is never triggered", check_untriggered_stimuli},
    {"AM0632", note, "a runnable is never called", check_uncalled_runnables},
    {"AM0633", note, "an event is set but never awaited", check_unawaited_events},
    {"AM0634", note, "an event is neither set nor awaited", check_unused_events},
    {"AM0635", warning, "runnables call each other in a circle", check_recursion},
    {"AM0640", warning, "the parts of an event chain do not connect", check_unconnected_chains},
    {"AM0641", warning, "an event chain begins and ends with the same event", check_pointless_chains},
    {"AM0642", warning, "no data flow or activation supports an event chain", check_unsupported_chains},
    {"AM0650", warning, "a quantity has a value but no unit", check_units},
    {"AM0651", warning, "a time is negative where that means nothing", check_negative_times},
    {"AM0652", warning, "a period is zero or negative", check_periods},
    {"AM0653", warning, "the probabilities of a switch do not add up to one", check_probabilities},
    {"AM0660", note, "elements that others can refer to have no name", check_missing_names},
    {"AM0670", warning, "a timing constraint demands nothing", check_empty_constraints},
    {"AM0671", warning, "nobody can tell whether a timing constraint holds", check_unjudgeable_constraints},
}};

}  // namespace

std::span<const Rule> rules() { return all_rules; }

void Report::add(Element element, std::string message) {
  if (++count_ <= most_)
    diagnostics_.add(rule_.id, rule_.severity, std::move(message), element.location(), element.path());
}

void Report::add(Element element, std::string_view attribute, std::string message) {
  if (++count_ <= most_)
    diagnostics_.add(rule_.id, rule_.severity, std::move(message), element.attribute_location(attribute),
                     element.path());
}

}  // namespace amalthea::review
