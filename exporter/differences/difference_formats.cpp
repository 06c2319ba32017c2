// SPDX-License-Identifier: Apache-2.0
#include "exporter/differences/difference_formats.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

namespace amalthea::exporter {
namespace {

using difference::Change;
using difference::Kind;

constexpr std::array<DifferenceFormat, 4> difference_forms = {{{"text", render_difference_text},
                                                               {"markdown", render_difference_markdown},
                                                               {"json", render_difference_json},
                                                               {"html", render_difference_html}}};

const TimedItem* find_item(const Timing& timing, const TimedItem& like) {
  const auto found = std::find_if(timing.items.begin(), timing.items.end(), [&](const TimedItem& item) {
    return item.kind == like.kind && item.name == like.name;
  });
  return found == timing.items.end() ? nullptr : &*found;
}

std::optional<Duration> measure(const TimedItem* item, bool by_bound) {
  if (item == nullptr) return std::nullopt;
  return by_bound ? item->bound : item->longest;
}

std::optional<Duration> minus(std::optional<Duration> one, std::optional<Duration> other) {
  if (!one || !other) return std::nullopt;
  return *one - *other;
}

/// From good to bad.
int rank(const TimedItem* item) {
  constexpr std::array<std::string_view, 5> order = {"met", "no deadline", "unknown", "unbounded", "missed"};
  if (item == nullptr || item->verdict.empty()) return 1;
  const auto* found = std::find(order.begin(), order.end(), item->verdict);
  return found == order.end() ? 1 : static_cast<int>(found - order.begin());
}

bool differs(const ItemChange& change) {
  if (change.before == nullptr || change.after == nullptr) return true;
  return change.before->verdict != change.after->verdict || change.before->bound != change.after->bound ||
         change.before->longest != change.after->longest || change.before->limit != change.after->limit;
}

double relative(const ItemChange& change) {
  if (!change.difference) return 0;
  const auto base = measure(change.before, change.by_bound);
  const double difference = std::abs(static_cast<double>(change.difference->picoseconds()));
  return difference / std::max(1.0, static_cast<double>(base->picoseconds()));
}

ItemChange change_of(const TimedItem* before, const TimedItem* after, const ChangeEffects& effects) {
  ItemChange change;
  change.before = before;
  change.after = after;
  if (before == nullptr || after == nullptr) return change;
  change.by_bound = before->bound && after->bound;
  change.difference = minus(measure(after, change.by_bound), measure(before, change.by_bound));
  if (!change.difference || change.difference == Duration{}) return change;
  change.interaction = change.difference;
  for (const PartEffect& effect : effects.parts) {
    ItemChange::Share share;
    share.part = effect.part;
    if (effect.alone)
      share.alone = minus(measure(find_item(*effect.alone, *after), change.by_bound), measure(before, change.by_bound));
    if (effect.without)
      share.left_out =
          minus(measure(after, change.by_bound), measure(find_item(*effect.without, *after), change.by_bound));
    change.interaction = minus(change.interaction, share.alone);
    change.shares.push_back(share);
  }
  if (change.shares.empty()) change.interaction.reset();
  return change;
}

constexpr std::string_view allocation_of = "TaskAllocation of ";

/// The core of a task is what its allocation says.
bool is_core(const Change& change) {
  return change.kind == Kind::changed && change.place.empty() && change.subject.starts_with(allocation_of) &&
         (change.feature == "affinity" || change.feature == "coreAffinity");
}

}  // namespace

std::span<const DifferenceFormat> difference_formats() { return difference_forms; }

const DifferenceFormat* find_difference_format(std::string_view name) {
  const auto* const found = std::find_if(difference_forms.begin(), difference_forms.end(),
                                         [&](const DifferenceFormat& format) { return format.name == name; });
  return found == difference_forms.end() ? nullptr : found;
}

std::string subject_text(const Change& change) {
  if (is_core(change)) return change.subject.substr(allocation_of.size());
  return change.place.empty() ? change.subject : fmt::format("{}, {}", change.subject, change.place);
}

std::string change_text(const Change& change) {
  const auto shown = [](const std::string& text) { return text.empty() ? std::string("(none)") : text; };
  switch (change.kind) {
    case Kind::added:
      return change.after;
    case Kind::removed:
      return change.before;
    case Kind::renamed:
      return fmt::format("{} -> {}", change.before, change.after);
    case Kind::moved:
      return fmt::format("from {} to {}", change.before, change.after);
    case Kind::changed:
      if (is_core(change)) return fmt::format("{} -> {}", shown(change.before), shown(change.after));
      return change.form == Change::Form::value
                 ? fmt::format("{} -> {}", shown(change.before), shown(change.after))
                 : fmt::format("{} {} -> {}", change.feature, shown(change.before), shown(change.after));
    case Kind::reordered:
      return fmt::format("{}: {} -> {}", change.feature, change.before, change.after);
  }
  return {};
}

std::vector<ItemChange> item_changes(const ChangeEffects& effects) {
  std::vector<ItemChange> changes;
  for (const TimedItem& after : effects.after.items)
    changes.push_back(change_of(find_item(effects.before, after), &after, effects));
  for (const TimedItem& before : effects.before.items)
    if (find_item(effects.after, before) == nullptr) changes.push_back(change_of(&before, nullptr, effects));
  std::erase_if(changes, [](const ItemChange& change) { return !differs(change); });
  std::stable_sort(changes.begin(), changes.end(), [](const ItemChange& a, const ItemChange& b) {
    const int worse_a = rank(a.after) - rank(a.before), worse_b = rank(b.after) - rank(b.before);
    const auto group = [](int worse) { return worse > 0 ? 0 : worse < 0 ? 1 : 2; };
    if (group(worse_a) != group(worse_b)) return group(worse_a) < group(worse_b);
    return relative(a) > relative(b);
  });
  return changes;
}

std::vector<std::pair<std::string, Duration>> contribution_changes(const ItemChange& change) {
  std::vector<std::pair<std::string, Duration>> differences;
  if (change.before == nullptr || change.after == nullptr || !change.by_bound) return differences;
  const auto part_of = [](const TimedItem& item, const std::string& what) {
    const auto found = std::find_if(item.contributions.begin(), item.contributions.end(),
                                    [&](const auto& part) { return part.first == what; });
    return found == item.contributions.end() ? Duration{} : found->second;
  };
  for (const auto& [what, time] : change.after->contributions)
    if (const Duration difference = time - part_of(*change.before, what); difference != Duration{})
      differences.emplace_back(what, difference);
  for (const auto& before : change.before->contributions)
    if (std::none_of(change.after->contributions.begin(), change.after->contributions.end(),
                     [&](const auto& part) { return part.first == before.first; }))
      differences.emplace_back(before.first, Duration{} - before.second);
  std::stable_sort(differences.begin(), differences.end(), [](const auto& a, const auto& b) {
    return std::abs(a.second.picoseconds()) > std::abs(b.second.picoseconds());
  });
  return differences;
}

}  // namespace amalthea::exporter
