// SPDX-License-Identifier: Apache-2.0
#include "review/detail/rules.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace amalthea::review {
namespace {

constexpr Severity note = Severity::note, warning = Severity::warning;

constexpr auto all_rules = std::to_array<Rule>({
    {"AM0601", warning, "the utilization of a core, GPU or server exceeds 100 %", check_overload},
    {"AM0602", warning, "a task cannot meet its deadline even without interference", check_hopeless_deadlines},
    {"AM0603", warning, "the deadlines of two tasks look swapped", check_swapped_deadlines},
    {"AM0604", note, "a deadline is longer than the period", check_deadlines_beyond_period},
    {"AM0610", warning, "a scheduler runs on a unit that it is not responsible for", check_executing_unit},
    {"AM0611", warning, "several schedulers are responsible for one unit", check_shared_units},
    {"AM0612", note, "all tasks on a core have the same priority", check_equal_priorities},
    {"AM0613", note, "some labels are mapped to memories and others are not", check_unmapped_labels},
    {"AM0614", note, "a scheduler is responsible for no unit", check_idle_schedulers},
    {"AM0615", note, "a processing unit has no clock", check_unclocked_units},
    {"AM0616", warning, "a mapping is given twice", check_repeated_mappings},
    {"AM0617", warning, "some tasks or ISRs are mapped to schedulers and others are not", check_unallocated_processes},
    {"AM0618", note, "memories, caches, units or connection handlers have no definition", check_module_definitions},
    {"AM0619", note, "ports do not state a portType (initiator or responder)", check_port_types},
    {"AM0620", warning, "a label is never accessed", check_unused_labels},
    {"AM0621", note, "a label is written but never read", check_unread_labels},
    {"AM0622", note, "a label is read but never written", check_unwritten_labels},
    {"AM0623", warning, "the result of offloaded work overwrites its input", check_overwritten_inputs},
    {"AM0624", warning, "a connection does not join two ports", check_connection_ends},
    {"AM0625", warning, "a connection joins ports of different interfaces", check_connection_interfaces},
    {"AM0626", warning, "a connection joins ports with incompatible directions", check_connection_directions},
    {"AM0627", warning, "a port has several connections", check_port_connections},
    {"AM0628", warning, "the elements of an access path are not connected", check_access_paths},
    {"AM0629", warning, "an address range is empty or exceeds its memory", check_address_ranges},
    {"AM0630", note, "a stimulus activates no task", check_unused_stimuli},
    {"AM0631", warning, "a stimulus that waits for a trigger or an event never occurs", check_untriggered_stimuli},
    {"AM0632", note, "a runnable is never called", check_uncalled_runnables},
    {"AM0633", note, "an event is set, but no task waits for it", check_unawaited_events},
    {"AM0634", note, "an event is never set, and no task waits for it", check_unused_events},
    {"AM0635", warning, "runnables call each other recursively", check_recursion},
    {"AM0636", warning, "a unit's definition has several features of one category", check_unit_features},
    {"AM0637", warning, "a number of instructions per cycle is not above zero", check_instruction_rates},
    {"AM0638", warning, "a frequency domain in use has no frequency above zero", check_frequencies},
    {"AM0639", warning, "an argument of a call refers to a parameter of another runnable", check_call_arguments},
    {"AM0640", warning, "the segments of an event chain do not connect", check_unconnected_chains},
    {"AM0641", warning, "an event chain starts and ends with the same event", check_pointless_chains},
    {"AM0642", warning, "no data flow or activation supports an event chain", check_unsupported_chains},
    {"AM0643", warning, "the elements mapped to a memory do not fit into it", check_memory_sizes},
    {"AM0644", warning, "addresses in a memory overlap", check_memory_addresses},
    {"AM0645", note, "elements that are mapped to memories have a size of 0", check_empty_elements},
    {"AM0646", warning, "a limit is less than its lower limit", check_limit_order},
    {"AM0647", warning, "an upper limit on a time is not above zero", check_impossible_limits},
    {"AM0648", note, "tasks under earliest deadline first have no deadline", check_missing_deadlines},
    {"AM0649", warning, "the bounds and the mean of a deviation contradict each other", check_deviations},
    {"AM0650", warning, "a quantity has a value but no unit", check_units},
    {"AM0651", warning, "a time is negative", check_negative_times},
    {"AM0652", warning, "a period is zero or negative", check_periods},
    {"AM0653", warning, "the probabilities of a switch do not add up to one", check_probabilities},
    {"AM0654", warning, "a mode does not have the value, or a condition no relation", check_mode_values},
    {"AM0655", warning, "a condition on modes is never true", check_impossible_conditions},
    {"AM0656", warning, "a condition on modes is always true", check_empty_conditions},
    {"AM0657", warning, "the values of a semaphore contradict its type", check_semaphores},
    {"AM0660", note, "referable elements have no name", check_missing_names},
    {"AM0661", warning, "an element has two custom properties with the same key", check_property_keys},
    {"AM0662", note, "the scheduler definition does not declare a scheduling parameter", check_parameter_names},
    {"AM0663", warning, "a scheduling parameter has a different type or more values than its definition allows",
     check_parameter_values},
    {"AM0664", note, "a mandatory scheduling parameter is not given", check_mandatory_parameters},
});

}  // namespace

std::span<const Rule> rules() { return all_rules; }

bool Report::is_reported(Element element) const {
  const auto reported_of = [this](Element one) {
    if (reported_.contains(one.path())) return true;
    const ChildRange children = one.children();
    return std::any_of(children.begin(), children.end(),
                       [this](Element child) { return reported_.contains(child.path()); });
  };
  if (reported_of(element)) return true;
  const std::vector<Element> targets = model_.attribute_targets(element);
  return std::any_of(targets.begin(), targets.end(), reported_of);
}

std::unordered_set<std::string> Report::reported_as(std::string_view id) const {
  std::unordered_set<std::string> paths;
  for (const Diagnostic& finding : diagnostics_.all())
    if (finding.id.starts_with(id)) paths.insert(finding.path);
  return paths;
}

std::vector<Origin> Report::concerned_by(std::string_view id) const {
  std::vector<Origin> elements;
  for (const Diagnostic& finding : diagnostics_.all())
    if (finding.id == id) elements.insert(elements.end(), finding.elements.begin(), finding.elements.end());
  return elements;
}

void Report::add(Element element, std::string message) {
  if (++count_ <= max_findings_)
    diagnostics_.add(rule_.id, rule_.severity, std::move(message), element.location(), element.path());
}

void Report::add(Element element, std::string_view attribute, std::string message) {
  if (++count_ <= max_findings_)
    diagnostics_.add(rule_.id, rule_.severity, std::move(message), element.attribute_location(attribute),
                     element.path());
}

}  // namespace amalthea::review
