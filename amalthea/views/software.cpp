// SPDX-License-Identifier: Apache-2.0
#include "amalthea/views/software.hpp"

#include <unordered_map>
#include <utility>

#include "amalthea/diagnostic.hpp"
#include "amalthea/views/detail/reading.hpp"
#include "amalthea/views/quantities.hpp"

namespace amalthea::views {
namespace {

using detail::for_each_member;

constexpr detail::Literals<Preemption, 4> preemptions{{{"preemptive", Preemption::preemptive},
                                                       {"cooperative", Preemption::cooperative},
                                                       {"non_preemptive", Preemption::non_preemptive},
                                                       {"unknown", Preemption::unknown}}};

std::optional<DataSize> size_of(Element element, Diagnostics& diagnostics) {
  return data_size_of(element.child("size"), diagnostics);
}

/// Label or runnable → its section, as sections state it in 0.7.0.
class SectionTable {
 public:
  SectionTable(const Model& model, std::string_view feature) : model_(model) {
    for_each_member(model, "SWModel", "sections", [&](Element section) {
      for (const Element member : model.references(section, feature))
        sections_.emplace(detail::key_of(member), section);
    });
  }
  Element section_of(Element member) const {
    if (const Element section = model_.reference(member, "section")) return section;
    const auto found = sections_.find(detail::key_of(member));
    return found == sections_.end() ? Element{} : found->second;
  }

 private:
  const Model& model_;
  std::unordered_map<std::uint64_t, Element> sections_;
};

}  // namespace

std::vector<Process> processes(const Model& model, Diagnostics& diagnostics) {
  std::vector<Process> found;
  for_each_part(model, "SWModel", [&](Element part) {
    for (const Element element : part.children()) {
      const bool task = element.tag() == "tasks";
      if ((!task && element.tag() != "isrs") || element.attribute("href")) continue;
      Process process;
      process.element = element;
      process.name = element.name();
      process.kind = task ? ProcessKind::task : ProcessKind::isr;
      process.stimuli = model.references(element, "stimuli");
      process.preemption = detail::literal(element, "preemption", preemptions, Preemption::unstated);
      process.activation_limit = detail::integer(element, "multipleTaskActivationLimit", diagnostics).value_or(0);
      // No result depends on these; unreadable ones are reported.
      detail::integer(element, "priority", diagnostics);
      detail::integer(element, "osekTaskGroup", diagnostics);
      size_of(element, diagnostics);
      found.push_back(std::move(process));
    }
  });
  return found;
}

std::vector<Runnable> runnables(const Model& model, Diagnostics& diagnostics) {
  std::vector<Runnable> found;
  const SectionTable sections(model, "runEntities");
  for_each_member(model, "SWModel", "runnables", [&](Element element) {
    Runnable runnable;
    runnable.element = element;
    runnable.name = element.name();
    // No result depends on these; unreadable ones are reported.
    size_of(element, diagnostics);
    time_of(element.child("deadline"), diagnostics);
    runnable.callback = detail::flag(element, "callback", false);
    runnable.service = detail::flag(element, "service", false);
    runnable.section = sections.section_of(element);
    runnable.asil_level = detail::literal_text(element, "asilLevel");
    condition_of(model, element.child("executionCondition"), diagnostics);
    runnable.tags = model.references(element, "tags");
    found.push_back(std::move(runnable));
  });
  return found;
}

void for_each_label(const Model& model, Diagnostics& diagnostics, const std::function<void(const Label&)>& visit) {
  for_each_member(model, "SWModel", "labels", [&](Element element) {
    Label label;
    label.element = element;
    label.name = element.name();
    label.size = size_of(element, diagnostics);
    label.constant = detail::flag(element, "constant", false);
    label.is_volatile = detail::flag(element, "bVolatile", false);
    label.data_stability =
        detail::literal_text(element, element.attribute("dataStability") ? "dataStability" : "buffered");
    visit(label);
  });
}

std::vector<ModeLabel> mode_labels(const Model& model, Diagnostics& diagnostics) {
  std::vector<ModeLabel> found;
  for_each_member(model, "SWModel", "modeLabels", [&](Element element) {
    ModeLabel label;
    label.element = element;
    label.name = element.name();
    size_of(element, diagnostics);  // reported if unreadable
    label.mode = model.reference(element, "mode");
    // A reference up to 0.9.3, then text.
    if (const Element literal = model.reference(element, "initialValue"); literal && literal.is("ModeLiteral")) {
      label.initial_literal = literal;
      label.initial_value = literal.name();
      if (!label.mode) label.mode = literal.parent();
    } else {
      label.initial_value = element.attribute_or("initialValue", "");
      label.initial_literal = literal_named(model, element, label.initial_value);
    }
    found.push_back(std::move(label));
  });
  return found;
}

}  // namespace amalthea::views
