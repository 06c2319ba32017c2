// SPDX-License-Identifier: Apache-2.0
#include "exporter/rewriting/remapping.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/identifier.hpp"
#include "amalthea/primitives/ascii.hpp"
#include "amalthea/views/mapping.hpp"
#include "amalthea/views/properties.hpp"

namespace amalthea::exporter {
namespace {

constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> units_of_time{
    {{"s", 1'000'000'000'000}, {"ms", 1'000'000'000}, {"us", 1'000'000}, {"ns", 1'000}, {"ps", 1}}};

/// In this unit, if that is one and the time is a whole number of it; else as exact_time.
TimeText time_in(std::string_view wanted, Duration time) {
  for (const auto& [unit, picoseconds] : units_of_time)
    if (unit == wanted && time.picoseconds() % picoseconds == 0) return {time.picoseconds() / picoseconds, unit};
  return exact_time(time);
}

// ---------------------------------------------------------------- attributes as they are written

struct WrittenAttribute {
  Span value;  ///< between the quotes
  char quote = '"';
};

/// The attributes of a start tag in the file's own encoding, as far as their names have no prefix.
class StartTag {
 public:
  StartTag(const Document& document, Element element) : source_(document.source()) {
    const std::uint32_t unit = source_.unit();
    std::uint32_t at = element.start_tag().begin + unit;
    const auto here = [&] { return source_.ascii_at(at); };
    const auto blank = [&] { return here() == ' ' || here() == '\t' || here() == '\r' || here() == '\n'; };
    while (!blank() && here() != '/' && here() != '>') at += unit;
    end_ = at;
    for (;;) {
      while (blank()) at += unit;
      if (here() == '/' || here() == '>') return;
      std::string name;
      while (!blank() && here() != '=') {
        name += here();
        at += unit;
      }
      while (here() != '"' && here() != '\'') at += unit;
      const char quote = here();
      at += unit;
      const std::uint32_t begin = at;
      while (here() != quote) at += unit;
      attributes_.emplace(std::move(name), WrittenAttribute{{begin, at}, quote});
      at += unit;
      end_ = at;
    }
  }

  const WrittenAttribute* find(std::string_view name) const {
    const auto found = attributes_.find(name);
    return found == attributes_.end() ? nullptr : &found->second;
  }
  /// Behind the last attribute, or the tag's name.
  std::uint32_t end() const { return end_; }

 private:
  const SourceText& source_;
  std::map<std::string, WrittenAttribute, std::less<>> attributes_;
  std::uint32_t end_ = 0;
};

std::string quoted(std::string_view value, char quote) {
  std::string text = escape_attribute(value);
  if (quote == '"') return text;
  std::string other;
  for (const char c : text)
    if (c == '\'')
      other += "&apos;";
    else
      other += c;
  return other;
}

bool has_feature(Element element, std::string_view name) {
  return element.cls() && metamodel::find_feature(*element.cls(), name, element.document().version()) != nullptr;
}

// ---------------------------------------------------------------- the remapping

class Remapper {
 public:
  Remapper(const Model& model, const System& before, const System& after, Diagnostics& diagnostics)
      : model_(model), before_(before), after_(after), diagnostics_(diagnostics), mapping_(views::mapping_of(model)) {}

  std::optional<ModelSplices> remap() {
    for (TaskIndex task = 0; task < after_.tasks.size(); ++task)
      if (after_.tasks[task].kind == ProcessKind::task && !after_.tasks[task].folded_into) change(task);
    for (StimulusIndex stimulus = 0; stimulus < after_.stimuli.size() && stimulus < before_.stimuli.size();
         ++stimulus) {
      const auto* old = std::get_if<Periodic>(&before_.stimuli[stimulus].occurrence);
      const auto* now = std::get_if<Periodic>(&after_.stimuli[stimulus].occurrence);
      if (old != nullptr && now != nullptr && old->offset != now->offset)
        set_offset(model_.element(after_.stimuli[stimulus].origin), now->offset);
    }
    if (failed_) return std::nullopt;
    for (const auto& document : model_.documents()) {
      const auto found = insertions_.find(document->position());
      if (found == insertions_.end()) continue;
      auto more = insertions(*document, found->second);
      auto& splices = splices_[document->position()];
      splices.insert(splices.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }
    return std::move(splices_);
  }

 private:
  void change(TaskIndex index) {
    const Task &old = before_.tasks[index], &task = after_.tasks[index];
    const Element element = model_.element(task.origin);
    const auto allocation_index = mapping_.task_allocation_of.find(element);
    if (!allocation_index) return;  // no system is built of such a model
    const views::TaskAllocation& allocation = mapping_.tasks[*allocation_index];
    if (task.scheduler != old.scheduler)
      refer(allocation.element, "scheduler", model_.element(after_.platform.schedulers[task.scheduler].origin));
    if (task.unit != old.unit || (task.units != old.units && task.units.empty())) place(allocation, task);
    const bool rescheduled = task.scheduler != old.scheduler;
    const bool default_priority = has_default(allocation, task, "priority");
    if (task.side == Side::host &&
        (task.priority != old.priority || old.side == Side::device || (rescheduled && default_priority)))
      set_priority(element, allocation, task.priority, default_priority);
    if (task.side == Side::device && task.time_slice &&
        (task.time_slice != old.time_slice || (rescheduled && has_default(allocation, task, "timeslice"))))
      set_time_slice(element, allocation, *task.time_slice);
    for (const NodeIndex node : task.body)
      if (const auto* wait = std::get_if<WaitEvents>(&after_.graph[node].activity)) set_waiting(node, wait->active);
  }

  /// Whether the definition of the task's scheduler, or of the one it had before, gives it a value that its allocation
  /// does not state. That value changes with the scheduler unless it is written.
  bool has_default(const views::TaskAllocation& allocation, const Task& task, std::string_view beginning) const {
    views::TaskAllocation moved = allocation;
    moved.scheduler = model_.element(after_.platform.schedulers[task.scheduler].origin);
    for (const views::TaskAllocation& one : {allocation, moved})
      for (const Parameter& parameter : views::default_parameters(model_, one))
        if (lower_case(parameter.name).starts_with(beginning)) return true;
    return false;
  }

  // ---------------------------------------------------------------- references

  void fail(std::string_view id, std::string message, Element at) {
    failed_ = true;
    diagnostics_.add(id, Severity::error, std::move(message), at.location(), at.path());
  }

  /// The id of the element within its own file; "" and an error where nothing can refer to it.
  std::string id_of(Element element) {
    if (auto id = id_in_file(element)) return *id;
    fail("AM0811",
         fmt::format("this {} cannot be referenced, because another one has the same name; the mapping cannot be "
                     "written; rename one of them",
                     element.class_name()),
         element);
    return {};
  }

  /// As an attribute of `holder` refers to `target`.
  std::string reference(const Document& holder, Element target) {
    const std::string id = id_of(target);
    return &target.document() == &holder ? id : "amlt:/#" + id;
  }

  /// Makes the reference lead to one target, in the form it is written in.
  void refer(Element holder, std::string_view feature, Element target) {
    const Document& document = holder.document();
    const auto written = holder.children(feature);
    if (written.empty()) {
      if (&target.document() == &document || StartTag(document, holder).find(feature) != nullptr)
        set_attribute(holder, feature, reference(document, target));
      else
        insert(holder, {std::string(feature), {}, {{"href", reference(document, target)}}, {}});
      return;
    }
    // `<feature href="file#id"/>`: the first leads there, others go; so does what an attribute names beside them.
    const std::string_view old = written.front().attribute_or("href", "");
    const Element old_target = model_.target(written.front(), old);
    const bool same_file = old_target && &old_target.document() == &target.document();
    const std::string id = id_of(target);
    set_attribute(written.front(), "href",
                  same_file ? std::string(old.substr(0, old.find('#') + 1)) + id : "amlt:/#" + id);
    for (std::size_t i = 1; i < written.size(); ++i) splice(document, written[i].span(), "");
    if (StartTag(document, holder).find(feature) != nullptr) set_attribute(holder, feature, "");
  }

  /// Where the task runs: its affinity, which is called coreAffinity before 0.9.0.
  void place(const views::TaskAllocation& allocation, const Task& task) {
    const Element holder = allocation.element;
    const Element unit = model_.element(after_.platform.units[task.unit].origin);
    const bool is_only_unit = after_.platform.schedulers[task.scheduler].units.size() == 1;
    for (const std::string_view feature : {"affinity", "coreAffinity"})
      if (holder.attribute(feature) || holder.child(feature)) return refer(holder, feature, unit);
    if (is_only_unit) return;
    for (const std::string_view feature : {"affinity", "coreAffinity"})
      if (has_feature(holder, feature)) return refer(holder, feature, unit);
    fail("AM0810",
         fmt::format("AMALTHEA {} cannot express that task \"{}\" runs only on \"{}\", because scheduler \"{}\" has "
                     "several units; convert the model to a later version first",
                     holder.document().version_text(), task.name, unit.name(),
                     after_.platform.schedulers[task.scheduler].name),
         holder);
  }

  // ---------------------------------------------------------------- values

  /// `by_default`: what the task itself states does not count beside a default of the definition of its scheduler.
  void set_priority(Element task, const views::TaskAllocation& allocation, std::int64_t priority, bool by_default) {
    const std::string text = fmt::format("{}", priority);
    if (const auto written = views::priority_of(by_default ? Element{} : task, allocation)) {
      set_attribute(written->element, written->attribute, text);
      // A zero at the allocation would leave it to the task's own.
      if (priority == 0 && written->element == allocation.element && task.attribute("priority"))
        set_attribute(task, "priority", text);
      return;
    }
    const Element holder = allocation.element;
    if (has_feature(holder, "parameterExtensions")) {  // 0.8.1 to 1.2.0
      if (const Element parameters = holder.child("schedulingParameters"))
        set_attribute(parameters, "priority", text);
      else
        insert(holder, {"schedulingParameters", {}, {{"priority", text}}, {}});
    } else if (has_feature(holder, "schedulingParameters")) {
      insert_parameter(holder, priority_definition(holder.document()),
                       {"value", "IntegerObject", {{"value", text}}, {}});
    } else {
      set_attribute(has_feature(holder, "priority") ? holder : task, "priority", text);
    }
  }

  void set_time_slice(Element task, const views::TaskAllocation& allocation, Duration slice) {
    Element written;
    for (const Parameter& parameter : allocation.parameters)  // the last one counts
      if (lower_case(parameter.name).starts_with("timeslice")) written = parameter.element;
    if (const auto property = custom_property(task, "gpu.timeslice")) written = property->element;
    if (written) {
      if (const auto unit = written.attribute("unit")) {
        const TimeText text = time_in(*unit, slice);
        set_attribute(written, "value", fmt::format("{}", text.value));
        if (text.unit != *unit) set_attribute(written, "unit", text.unit);
      } else {
        const TimeText text = exact_time(slice);
        set_attribute(written, "value", fmt::format("{} {}", text.value, text.unit));
      }
      return;
    }
    const Version version = task.document().version();
    TimeText text = exact_time(slice);
    if (text.value > 0x7FFFFFFF) text = time_text(slice, version, Rounding::nearest);
    NewElement value{"value",
                     std::string(time_value_class(version)),
                     {{"value", fmt::format("{}", text.value)}, {"unit", std::string(text.unit)}},
                     {}};
    const Element known = find_definition("timeslice");
    if (known && !has_feature(allocation.element, "parameterExtensions") &&
        has_feature(allocation.element, "schedulingParameters"))
      insert_parameter(allocation.element, reference(allocation.element.document(), known), std::move(value));
    else
      insert(task, {"customProperties", {}, {{"key", "gpu.timeslice"}}, {std::move(value)}});
  }

  void set_offset(Element stimulus, Duration offset) {
    const Element written = stimulus.child("offset");
    if (!written) {
      const TimeText text = exact_time(offset);
      insert(stimulus,
             {"offset", {}, {{"value", fmt::format("{}", text.value)}, {"unit", std::string(text.unit)}}, {}});
      return;
    }
    const TimeText text = time_in(written.attribute_or("unit", ""), offset);
    set_attribute(written, "value", fmt::format("{}", text.value));
    if (text.unit != written.attribute_or("unit", "")) set_attribute(written, "unit", text.unit);
  }

  void set_waiting(NodeIndex node, bool active) {
    const Element item = model_.element(after_.graph[node].origin);
    if ((item.attribute_or("waitingBehaviour", "") == "active") == active) return;
    if (!changed_waits_.insert({item.document().position(), item.index()}).second) return;  // of a runnable of several
    set_attribute(item, "waitingBehaviour", active ? "active" : "passive");
  }

  // ---------------------------------------------------------------- scheduling parameters from 2.0.0 on

  Element find_definition(std::string_view beginning) const {
    for (const Element element : model_.all("osModel", "schedulingParameterDefinitions"))
      if (lower_case(element.name()).starts_with(beginning)) return element;
    return {};
  }

  /// How `holder` refers to the definition of priorities, which is made where there is none.
  std::string priority_definition(const Document& holder) {
    for (const Element element : model_.all("osModel", "schedulingParameterDefinitions"))
      if (equal_ignoring_case(element.name(), "priority")) return reference(holder, element);
    const std::string id = "priority?type=SchedulingParameterDefinition";
    Element place = holder.root().child("osModel");
    for (const auto& document : model_.documents())
      if (!place) place = document->root().child("osModel");
    if (!place) return id;  // no scheduler would be there
    if (!std::exchange(defines_priority_, true))
      insert(place, {"schedulingParameterDefinitions", {}, {{"name", "priority"}, {"type", "Integer"}}, {}});
    return &place.document() == &holder ? id : "amlt:/#" + id;
  }

  void insert_parameter(Element holder, const std::string& key, NewElement value) {
    if (key.starts_with("amlt:/#"))  // in another file
      insert(holder, {"schedulingParameters", {}, {}, {{"key", {}, {{"href", key}}, {}}, std::move(value)}});
    else
      insert(holder, {"schedulingParameters", {}, {{"key", key}}, {std::move(value)}});
  }

  // ---------------------------------------------------------------- splices

  void splice(const Document& document, Span span, std::string text) {
    splices_[document.position()].push_back({span, std::move(text)});
  }

  void set_attribute(Element element, std::string_view name, std::string_view value) {
    const Document& document = element.document();
    const StartTag tag(document, element);
    const Encoding encoding = document.source().encoding();
    if (const WrittenAttribute* written = tag.find(name))
      splice(document, written->value, encode_ascii(quoted(value, written->quote), encoding));
    else
      splice(document, {tag.end(), tag.end()},
             encode_ascii(fmt::format(" {}=\"{}\"", name, escape_attribute(value)), encoding));
  }

  void insert(Element holder, NewElement element) {
    insertions_[holder.document().position()].push_back({holder, {}, {std::move(element)}});
  }

  const Model& model_;
  const System& before_;
  const System& after_;
  Diagnostics& diagnostics_;
  views::Mapping mapping_;
  bool failed_ = false;
  bool defines_priority_ = false;
  ModelSplices splices_;
  std::map<std::uint32_t, std::vector<Annotation>> insertions_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> changed_waits_;
};

}  // namespace

TimeText exact_time(Duration time) {
  for (const auto& [unit, picoseconds] : units_of_time)
    if (time.picoseconds() % picoseconds == 0) return {time.picoseconds() / picoseconds, unit};
  return {time.picoseconds(), "ps"};
}

std::optional<std::string> id_in_file(Element element) {
  const auto written = element.attribute("xmi:id");
  auto id = written ? std::optional(std::string(*written)) : computed_id(element);
  return id && element.document().find(*id) == element ? id : std::nullopt;
}

std::optional<ModelSplices> remap(const Model& model, const System& before, const System& after,
                                  Diagnostics& diagnostics) {
  return Remapper(model, before, after, diagnostics).remap();
}

}  // namespace amalthea::exporter
