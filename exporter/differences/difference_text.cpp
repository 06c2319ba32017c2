// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "amalthea/primitives/visible_text.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/rounded_duration.hpp"
#include "exporter/differences/difference_formats.hpp"
#include "exporter/primitives/html_page.hpp"
#include "exporter/primitives/svg.hpp"
#include "exporter/primitives/text_table.hpp"
#include "exporter/results/verdict_text.hpp"

namespace amalthea::exporter {
namespace {

using difference::Change;
using difference::Kind;
using difference::Part;

/// The parts of a document in one of its forms.
struct Style {
  enum class Form : std::uint8_t { text, markdown, html } form = Form::text;
  bool colour = false;

  std::string plain(const std::string& shown) const {
    return form == Form::html ? svg::escaped(shown) : form == Form::markdown ? markdown_text(shown) : line_start(shown);
  }
  std::string title(std::string_view shown) const {
    return form == Form::html       ? fmt::format("<h2>{}</h2>\n", shown)
           : form == Form::markdown ? fmt::format("\n### {}\n\n", shown)
                                    : heading(shown, colour);
  }
  /// A line that does not flow together with others.
  std::string line(const std::string& shown) const {
    return form == Form::html       ? fmt::format("<p>{}</p>\n", plain(shown))
           : form == Form::markdown ? fmt::format("{}  \n", plain(shown))
                                    : plain(shown) + "\n";
  }
  std::string table(const TextTable& rows) const {
    return form == Form::html ? rows.html() : form == Form::markdown ? "\n" + rows.markdown() : rows.render(colour);
  }
};

std::string upper(std::string_view name) {
  std::string text(name);
  text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

/// A bound, a longest time or a limit.
std::string duration_text(std::optional<Duration> time) {
  return time ? format_duration(*time, Rounding::up) : std::string("-");
}

std::string signed_text(std::optional<Duration> time) {
  if (!time) return "-";
  if (*time == Duration{}) return "0";
  return *time > Duration{} ? "+" + format_duration(*time) : "-" + format_duration(Duration{} - *time);
}

std::string transition(const std::string& before, const std::string& after) {
  return before == after ? after : fmt::format("{} -> {}", before, after);
}

std::string change_lines(const DifferenceView& view, const Style& style) {
  std::string text;
  for (const Part part : difference::all_parts) {
    TextTable rows = TextTable::of("change", "object", "what");
    for (const Change& change : view.changes) {
      if (change.part != part) continue;
      const Colour colour = change.kind == Kind::added     ? Colour::good
                            : change.kind == Kind::removed ? Colour::bad
                                                           : Colour::none;
      rows.add(TextTable::Cell{std::string(to_string(change.kind)), colour}, subject_text(change), change_text(change));
    }
    if (!rows.empty()) text += style.title(upper(to_string(part))) + style.table(rows);
  }
  return text;
}

std::string verdict_text(const ItemChange& change) {
  const auto of = [](const TimedItem* item) { return item == nullptr ? std::string("-") : item->verdict; };
  return transition(of(change.before), of(change.after));
}

/// What became of a task that is in one timing only: the model may still have it without running it.
std::string fate(const DifferenceView& view, const ItemChange& change) {
  if (change.before != nullptr && change.after != nullptr) return "";
  const bool is_new = change.before == nullptr;
  const std::string& name = (is_new ? change.after : change.before)->name;
  const bool is_changed = std::any_of(view.changes.begin(), view.changes.end(), [&](const Change& one) {
    return one.kind == (is_new ? Kind::added : Kind::removed) && one.place.empty() && one.part != Part::mapping &&
           one.subject.ends_with(" " + name);
  });
  return is_changed ? is_new ? " (added)" : " (removed)" : is_new ? " (runs now)" : " (no longer runs)";
}

std::string timing_table(const DifferenceView& view, const std::vector<ItemChange>& changes, const Style& style) {
  TextTable rows = TextTable::of("task or chain", "verdict", ">deadline", ">bound", ">difference", ">longest");
  for (const ItemChange& change : changes) {
    const TimedItem& shown = change.after != nullptr ? *change.after : *change.before;
    const auto of = [](const TimedItem* item, auto member) {
      return item == nullptr ? std::string("-") : duration_text(item->*member);
    };
    const std::string verdict = verdict_text(change);
    const Colour colour =
        change.after != nullptr && (change.after->verdict == "missed" || change.after->verdict == "unbounded")
            ? Colour::bad
            : Colour::none;
    rows.add(shown.name + fate(view, change), TextTable::Cell{verdict, colour},
             transition(of(change.before, &TimedItem::limit), of(change.after, &TimedItem::limit)),
             transition(of(change.before, &TimedItem::bound), of(change.after, &TimedItem::bound)),
             change.by_bound ? signed_text(change.difference) : "-",
             transition(of(change.before, &TimedItem::longest), of(change.after, &TimedItem::longest)));
  }
  return rows.empty() ? style.line("No task or chain has other times.") : style.table(rows);
}

/// More than a percent of the bound.
bool is_noticeable(const ItemChange& change, Duration time) {
  constexpr std::int64_t percent = 100;
  const Duration bound = std::max(change.before->bound.value_or(Duration{}), change.after->bound.value_or(Duration{}));
  return std::max(time, Duration{} - time) > Duration::picoseconds(bound.picoseconds() / percent);
}

std::string contribution_lines(const std::vector<ItemChange>& changes, const Style& style) {
  TextTable rows = TextTable::of("task", "part of its bound", ">difference");
  for (const ItemChange& change : changes)
    for (const auto& [what, time] : contribution_changes(change))
      if (is_noticeable(change, time)) rows.add(change.after->name, what, signed_text(time));
  return rows.empty() ? "" : style.title("Parts of the bounds that changed") + style.table(rows);
}

std::string share_table(const std::vector<ItemChange>& changes, const ChangeEffects& effects, const Style& style) {
  std::vector<TextTable::Column> columns = {{"task or chain"}, {"of"}};
  for (const PartEffect& effect : effects.parts) {
    columns.push_back({fmt::format("{} alone", to_string(effect.part)), Align::right});
    columns.push_back({"left out", Align::right});
  }
  columns.push_back({"interaction", Align::right});
  TextTable rows(std::move(columns));
  for (const ItemChange& change : changes) {
    if (change.shares.empty()) continue;
    std::vector<TextTable::Cell> cells = {
        {change.after->name},
        {fmt::format("{} of the {}", signed_text(change.difference), change.by_bound ? "bound" : "longest time")}};
    for (const ItemChange::Share& share : change.shares) {
      cells.push_back({signed_text(share.alone)});
      cells.push_back({signed_text(share.left_out)});
    }
    cells.push_back({signed_text(change.interaction)});
    rows.add_row(std::move(cells));
  }
  if (rows.empty()) return {};
  std::string text = style.title("Share of each part of the model") + style.table(rows);
  for (const PartEffect& effect : effects.parts) {
    if (!effect.no_alone.empty())
      text += style.line(
          fmt::format("The {} changes alone cannot be analyzed: {}", to_string(effect.part), effect.no_alone));
    if (!effect.no_without.empty())
      text += style.line(fmt::format("Without the {} changes, the others cannot be analyzed: {}",
                                     to_string(effect.part), effect.no_without));
    if (effect.left_out > 0)
      text += style.line(fmt::format("Without the other parts, {} {} no meaning; \"{} alone\" leaves {} out.",
                                     counted(effect.left_out, fmt::format("{} change", to_string(effect.part))),
                                     effect.left_out == 1 ? "has" : "have", to_string(effect.part),
                                     effect.left_out == 1 ? "it" : "them"));
  }
  return text;
}

std::string load_table(const ChangeEffects& effects, const Style& style) {
  TextTable rows = TextTable::of("core or engine", ">demand before", ">after");
  const auto percent = [](const LoadedItem* item) {
    return item == nullptr ? std::string("-") : fmt::format("{:.1f} %", item->demand * 100);
  };
  const auto find = [](const Timing& timing, const std::string& name) {
    const auto found = std::find_if(timing.loads.begin(), timing.loads.end(),
                                    [&](const LoadedItem& item) { return item.name == name; });
    return found == timing.loads.end() ? nullptr : &*found;
  };
  const auto add = [&](const LoadedItem* before, const LoadedItem* after) {
    if (percent(before) != percent(after))
      rows.add(
          (after != nullptr ? after : before)->name, percent(before),
          TextTable::Cell{percent(after), after != nullptr && after->demand > 1 + 1e-9 ? Colour::bad : Colour::none});
  };
  for (const LoadedItem& after : effects.after.loads) add(find(effects.before, after.name), &after);
  for (const LoadedItem& before : effects.before.loads)
    if (find(effects.after, before.name) == nullptr) add(&before, nullptr);
  return rows.empty() ? "" : style.title("Utilization demand") + style.table(rows);
}

std::string names_of(const ModelInfo& model) {
  return fmt::format("{} ({})", fmt::join(model.files, ", "), model.version);
}

std::string render_conflicts(const DifferenceView& view, const Style& style) {
  std::string text = style.line("base:   " + names_of(view.older)) + style.line("ours:   " + names_of(view.newer)) +
                     style.line("theirs: " + names_of(*view.theirs));
  if (view.conflicts->empty()) return text + style.line("No conflicts.");
  text += style.line(counted(view.conflicts->size(), "conflict") + ".");
  TextTable rows = TextTable::of("conflict", "object", "ours", "theirs");
  const auto what = [](const Change& change) {
    const std::string shown = change_text(change);
    return shown.empty() ? std::string(to_string(change.kind)) : fmt::format("{}: {}", to_string(change.kind), shown);
  };
  for (const difference::Conflict& conflict : *view.conflicts) {
    const bool same = subject_text(conflict.ours) == subject_text(conflict.theirs);
    rows.add(
        TextTable::Cell{std::string(to_string(conflict.kind)), Colour::bad}, subject_text(conflict.ours),
        what(conflict.ours),
        same ? what(conflict.theirs) : fmt::format("{} ({})", subject_text(conflict.theirs), what(conflict.theirs)));
  }
  return text + (style.form == Style::Form::text ? "\n" : "") + style.table(rows);
}

std::string render(const DifferenceView& view, const Style& style) {
  if (view.conflicts != nullptr) return render_conflicts(view, style);
  std::string text = style.line("before: " + names_of(view.older)) + style.line("after:  " + names_of(view.newer));
  if (view.older.version != view.newer.version)
    text += style.line(fmt::format("Both are compared as AMALTHEA {}.", view.compared_as));
  text += style.line(view.changes.empty() ? "No differences." : counted(view.changes.size(), "change") + ".");
  text += change_lines(view, style);
  if (view.effects != nullptr) {
    const ChangeEffects& effects = *view.effects;
    const auto changes = item_changes(effects);
    text += style.title("Timing");
    text += style.line("before: " + verdict_sentence(effects.before.assessment));
    text += style.line("after:  " + verdict_sentence(effects.after.assessment));
    text += "\n" + timing_table(view, changes, style);
    text += share_table(changes, effects, style) + load_table(effects, style) + contribution_lines(changes, style);
  }
  return text;
}

}  // namespace

std::string render_difference_text(const DifferenceView& view, bool colour) {
  return render(view, {Style::Form::text, colour});
}

std::string render_difference_markdown(const DifferenceView& view, bool) {
  return "## Differences of the model\n\n" + render(view, {Style::Form::markdown});
}

std::string render_difference_html(const DifferenceView& view, bool) {
  return page_begin("Differences of the model", false) + render(view, {Style::Form::html}) + page_end(false);
}

}  // namespace amalthea::exporter
