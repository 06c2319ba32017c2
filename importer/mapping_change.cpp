#include "importer/mapping_change.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "amalthea/ascii.hpp"
#include "amalthea/quantity.hpp"
#include "importer/detail/build_context.hpp"

namespace amalthea::importer {
namespace {

constexpr std::string_view no_such_name = "AM0324";
constexpr std::string_view no_scheduler = "AM0325";

}  // namespace

namespace detail {
namespace {

/// Names longer than this are compared by their beginnings.
constexpr std::size_t compared_length = 100;

/// Fewest letters to add, drop or replace to turn one into the other; capital letters are small ones.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::string from = lower_case(a.substr(0, compared_length)), to = lower_case(b.substr(0, compared_length));
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// `"A", "B", "C"`: up to three names that are nearest or nearly so; of equals the first written.
std::string nearest(std::string_view wanted, const std::vector<std::string>& names) {
  std::vector<std::pair<std::size_t, std::size_t>> ranked;
  for (std::size_t index = 0; index < names.size(); ++index)
    ranked.emplace_back(edit_distance(wanted, names[index]), index);
  const std::size_t shown = std::min<std::size_t>(3, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(shown), ranked.end());
  std::string text;
  for (std::size_t rank = 0; rank < shown; ++rank)
    if (ranked[rank].first <= ranked.front().first + 1)
      text += fmt::format("{}\"{}\"", rank == 0 ? "" : ", ", names[ranked[rank].second]);
  return text;
}

/// Exactly one must have the name.
bool check_name(BuildContext& context, const MappingChange& change, std::string_view kind, const std::string& name,
                const std::vector<std::string>& names) {
  const auto count = std::count(names.begin(), names.end(), name);
  if (count == 1) return true;
  context.error(no_such_name,
                fmt::format("mapping of \"{}\"{}: {}", change.task,
                            change.core.empty() ? std::string() : fmt::format(" to \"{}\"", change.core),
                            count > 1       ? fmt::format("the model has {} {}s of the name \"{}\"", count, kind, name)
                            : names.empty() ? fmt::format("the model has no {}", kind)
                                            : fmt::format("the model has no {} \"{}\"; near to it: {}", kind, name,
                                                          nearest(name, names))),
                change.location);
  return false;
}

void check_scheduler(BuildContext& context, const MappingChange& change) {
  const Platform& platform = context.system.platform;
  const bool scheduled =
      std::any_of(platform.schedulers.begin(), platform.schedulers.end(), [&](const Scheduler& scheduler) {
        return !scheduler.interrupt_controller &&
               std::any_of(scheduler.units.begin(), scheduler.units.end(),
                           [&](UnitIndex unit) { return platform.units[unit].name == change.core; });
      });
  if (!scheduled)
    context.error(no_scheduler,
                  fmt::format("mapping of \"{}\" to \"{}\": no scheduler is responsible for that processing unit",
                              change.task, change.core),
                  change.location);
}

}  // namespace

void check_mapping_changes(BuildContext& context) {
  if (context.options.mapping.empty()) return;
  std::vector<std::string> tasks, units;
  for (const Element element : context.model.all("swModel", "tasks")) tasks.emplace_back(element.name());
  for (const ProcessingUnit& unit : context.system.platform.units) units.push_back(unit.name);
  for (const MappingChange& change : context.options.mapping) {
    check_name(context, change, "task", change.task, tasks);
    if (!change.core.empty() && check_name(context, change, "processing unit", change.core, units))
      check_scheduler(context, change);
  }
}

const MappingChange* mapping_change_of(const BuildContext& context, std::string_view task) {
  const auto& changes = context.options.mapping;
  const auto found = std::find_if(changes.rbegin(), changes.rend(),
                                  [task](const MappingChange& change) { return change.task == task; });
  return found == changes.rend() ? nullptr : &*found;
}

}  // namespace detail

bool is_about_mapping_change(const Diagnostic& finding) {
  return finding.id == no_such_name || finding.id == no_scheduler;
}

tl::expected<MappingChange, std::string> parse_mapping_change(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::size_t colon = text.rfind(':');
  MappingChange change;
  const auto wrong = [] { return tl::unexpected(std::string("expected TASK=CORE or TASK=CORE:PRIORITY")); };
  if (equals == text.npos) return wrong();
  const bool has_priority = colon != text.npos && colon > equals;
  change.task = text.substr(0, equals);
  change.core = text.substr(equals + 1, has_priority ? colon - equals - 1 : text.npos);
  if (change.task.empty() || change.core.empty()) return wrong();
  if (has_priority) {
    const auto priority = parse_integer(text.substr(colon + 1));
    if (!priority) return tl::unexpected(fmt::format("the priority of TASK=CORE:PRIORITY: {}", priority.error()));
    change.priority = *priority;
  }
  return change;
}

}  // namespace amalthea::importer
