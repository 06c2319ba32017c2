// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Differences between two states of a model as text, Markdown, JSON and a page, by name. A new format is one line in
/// difference_formats.cpp.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "difference/comparison.hpp"
#include "difference/conflicts.hpp"
#include "exporter/differences/change_effects.hpp"
#include "exporter/results/result_view.hpp"

namespace amalthea::exporter {

/// Name of the schema of the JSON (docs/reference/diff.md).
inline constexpr std::string_view difference_schema = "amalthea-difference/1";

struct DifferenceView {
  const ModelInfo& older;
  const ModelInfo& newer;
  std::string compared_as;  ///< the release in which they are compared: "3.3.0"
  const std::vector<difference::Change>& changes;
  const ChangeEffects* effects = nullptr;  ///< null: timing was not compared
  /// Of a three-way merge, in which `newer` and `theirs` are changed versions of `older`; `changes` are those of both.
  const std::vector<difference::Conflict>* conflicts = nullptr;
  const ModelInfo* theirs = nullptr;
};

struct DifferenceFormat {
  std::string_view name;
  std::string (*render)(const DifferenceView& view, bool colour);
};
std::span<const DifferenceFormat> difference_formats();
/// Null if there is no such format.
const DifferenceFormat* find_difference_format(std::string_view name);

// ---- what the formats share

/// "upperBound 100 -> 200", "Task A -> B": what changed, without its subject.
std::string change_text(const difference::Change& change);
/// "Task DASM, activityGraph/items[2]/default".
std::string subject_text(const difference::Change& change);

/// The timing of an item before and after; null where it does not exist.
struct ItemChange {
  const TimedItem* before = nullptr;
  const TimedItem* after = nullptr;
  /// What the shares refer to: the bounds, or the longest observations where a bound is missing; nothing if neither
  /// exists on both sides.
  std::optional<Duration> difference;
  bool by_bound = false;
  struct Share {
    difference::Part part = difference::Part::rest;
    std::optional<Duration> alone;     ///< with the changes of this part alone, compared with before
    std::optional<Duration> left_out;  ///< after, compared with the changes of all other parts
  };
  std::vector<Share> shares;            ///< in the order of ChangeEffects::parts
  std::optional<Duration> interaction;  ///< the difference minus what the parts cause alone
};

/// All items whose verdict, bound or longest observation changed. Changed verdicts come first, worse before better,
/// then the largest relative differences.
std::vector<ItemChange> item_changes(const ChangeEffects& effects);

/// Parts of the bound that changed, largest first.
std::vector<std::pair<std::string, Duration>> contribution_changes(const ItemChange& change);

std::string render_difference_text(const DifferenceView& view, bool colour);
std::string render_difference_markdown(const DifferenceView& view, bool colour);
std::string render_difference_json(const DifferenceView& view, bool colour);
std::string render_difference_html(const DifferenceView& view, bool colour);

}  // namespace amalthea::exporter
