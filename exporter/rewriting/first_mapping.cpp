// SPDX-License-Identifier: Apache-2.0
#include "exporter/rewriting/first_mapping.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/identifier.hpp"
#include "amalthea/primitives/ascii.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/views/activity.hpp"
#include "amalthea/views/hardware.hpp"
#include "amalthea/views/mapping.hpp"
#include "amalthea/views/operating_system.hpp"
#include "exporter/rewriting/annotation.hpp"
#include "exporter/rewriting/remapping.hpp"

namespace amalthea::exporter {
namespace {

constexpr SchedulingAlgorithm fixed_priorities = SchedulingAlgorithm::fixed_priority_preemptive;

Element first_part(const Model& model, std::string_view class_name) {
  Element first;
  views::for_each_part(model, class_name, [&](Element part) {
    if (!first) first = part;
  });
  return first;
}

bool is_task_scheduler(Element element) { return element && element.is("TaskScheduler"); }

/// Whether `name` contains `part` as a whole: "Scheduler_Core_1" contains "Core_1", but "Scheduler_Core_12" does not.
bool contains_name(std::string_view name, std::string_view part) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = name.find(part); at != std::string_view::npos && !part.empty(); at = name.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    if ((at == 0 || !is_word(name[at - 1])) && (end == name.size() || !is_word(name[end]))) return true;
  }
  return false;
}

// ---------------------------------------------------------------- what executes where

/// The items with an execution time that a task executes, in all alternatives and through all calls.
struct Work {
  std::vector<views::Ticks> ticks;
  std::vector<views::ExecutionNeed> needs;
};

class WorkReader {
 public:
  explicit WorkReader(const Model& model) : model_(model) {}

  Work of(Element task) {
    seen_.clear();
    Work work;
    read(task, work);
    return work;
  }

 private:
  void read(Element container, Work& work) {
    if (!container || !seen_.insert({container.document().position(), container.index()}).second) return;
    for (const views::ActivityItem& item : views::activity_items(model_, container, ignored_)) {
      if (const auto* ticks = std::get_if<views::Ticks>(&item.kind)) work.ticks.push_back(*ticks);
      if (const auto* need = std::get_if<views::ExecutionNeed>(&item.kind)) work.needs.push_back(*need);
      if (const auto* call = std::get_if<views::RunnableCall>(&item.kind)) read(call->runnable, work);
      if (const auto* call = std::get_if<views::SynchronousServerCall>(&item.kind)) read(call->runnable, work);
      for (const Element inner : views::containers_of(item)) read(inner, work);
    }
  }

  const Model& model_;
  Diagnostics ignored_;  // the importer reports them
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen_;
};

bool executes(const Work& work, Element definition) {
  return std::all_of(work.ticks.begin(), work.ticks.end(),
                     [&](const views::Ticks& ticks) {
                       return ticks.otherwise ||
                              std::any_of(ticks.extended.begin(), ticks.extended.end(), [&](const auto& entry) {
                                return definition && entry.first == definition && entry.second;
                              });
                     }) &&
         std::all_of(work.needs.begin(), work.needs.end(), [&](const views::ExecutionNeed& need) {
           return views::instructions_on(need, definition).has_value();
         });
}

/// Whether an item has an entry of its own for this kind of unit.
bool states_ticks_for(const Work& work, Element definition) {
  return std::any_of(work.ticks.begin(), work.ticks.end(), [&](const views::Ticks& ticks) {
    return std::any_of(ticks.extended.begin(), ticks.extended.end(),
                       [&](const auto& entry) { return definition && entry.first == definition; });
  });
}

// ---------------------------------------------------------------- which schedulers have no unit

/// Task schedulers by index into OperatingSystems::schedulers.
class Schedulers {
 public:
  Schedulers(const Model& model, const views::Mapping& mapping)
      : systems_(views::operating_systems_of(model, ignored_)), has_units_(systems_.schedulers.size(), false) {
    for (const views::SchedulerAllocation& allocation : mapping.schedulers)
      if (const auto index = systems_.scheduler_of.find(allocation.scheduler))
        has_units_[*index] = has_units_[*index] || !allocation.responsibility.empty();
  }

  const views::OperatingSystems& systems() const { return systems_; }

  /// The scheduler whose units this one shares.
  std::uint32_t root(std::uint32_t index) const {
    while (!has_units_[index] && systems_.schedulers[index].parent) index = *systems_.schedulers[index].parent;
    return index;
  }
  bool has_units(std::uint32_t index) const { return has_units_[root(index)]; }

  /// Nothing if it is none.
  std::optional<std::uint32_t> find(Element scheduler) const {
    return is_task_scheduler(scheduler) ? systems_.scheduler_of.find(scheduler) : std::nullopt;
  }

 private:
  Diagnostics ignored_;
  views::OperatingSystems systems_;
  std::vector<bool> has_units_;
};

/// Whether nothing says where a task runs: without responsibility, an affinity does.
bool is_stranded(const views::TaskAllocation& allocation, const Schedulers& schedulers) {
  const auto scheduler = schedulers.find(allocation.scheduler);
  return scheduler && allocation.affinity.empty() && !schedulers.has_units(*scheduler);
}

/// The schedulers without units that have to get one, in document order.
std::vector<std::uint32_t> stranded(const views::Mapping& mapping, const Schedulers& schedulers) {
  std::set<std::uint32_t> found;
  for (const views::TaskAllocation& allocation : mapping.tasks)
    if (is_stranded(allocation, schedulers)) found.insert(schedulers.root(*schedulers.find(allocation.scheduler)));
  return {found.begin(), found.end()};
}

/// Whether it needs nothing but tasks with priorities, periods or deadlines.
bool is_plain(SchedulingAlgorithm algorithm) {
  const SchedulingTraits& traits = traits_of(algorithm);
  return traits.server == ServerKind::none && !traits.takes_turns && !traits.passes_tasks_on && !traits.for_interrupts;
}

/// Those that have no tasks either, and whose algorithm needs no parameters.
std::vector<std::uint32_t> idle(const views::Mapping& mapping, const Schedulers& schedulers) {
  std::set<std::uint32_t> used;
  for (const views::TaskAllocation& allocation : mapping.tasks)
    if (const auto index = schedulers.find(allocation.scheduler)) used.insert(schedulers.root(*index));
  std::vector<std::uint32_t> found;
  const auto& all = schedulers.systems().schedulers;
  for (std::uint32_t index = 0; index < all.size(); ++index) {
    const views::SchedulingAlgorithm& algorithm = all[index].algorithm;
    if ((algorithm.name.empty() || (algorithm.kind && is_plain(*algorithm.kind))) && !all[index].interrupt_controller &&
        !all[index].parent && !schedulers.has_units(index) && used.count(index) == 0)
      found.push_back(index);
  }
  return found;
}

// ---------------------------------------------------------------- the insertions

class FirstMapper {
 public:
  explicit FirstMapper(const Model& model)
      : model_(model),
        mapping_(views::mapping_of(model)),
        schedulers_(model, mapping_),
        hardware_(views::hardware_of(model, ignored_)) {}

  tl::expected<FirstMapping, std::string> map() {
    const auto fail = [](std::string reason) { return tl::unexpected(std::move(reason)); };
    const std::vector<Element> unmapped = unmapped_tasks(model_);
    if (unmapped.empty()) return fail({});
    if (!find_holders(unmapped.front().document()))
      return fail(home_->itea() != IteaRelease::none
                      ? "models before 0.7.0 cannot be written; convert the model first"
                      : "the file has no Amalthea root element that could hold a mapping; pass all files of the model");
    WorkReader reader(model_);
    for (const Element task : unmapped) work_.push_back(reader.of(task));
    units_.resize(hardware_.units.size());
    find_responsible();
    give_schedulers();
    if (std::none_of(units_.begin(), units_.end(), [](const auto& scheduler) { return scheduler.has_value(); }))
      return fail("the model has no CPU with a clock; add a clock, or pass the file that contains the hardware");
    for (std::size_t i = 0; i < unmapped.size(); ++i)
      if (std::string reason = allocate(unmapped[i], work_[i]); !reason.empty()) return fail(std::move(reason));
    if (allocations_.empty())
      return fail(
          "their schedulers are responsible for no CPU, and every CPU has another scheduler; add a scheduler "
          "allocation");
    insert();
    return std::move(result_);
  }

 private:
  /// What a reference leads to: an element of the model, or one that is inserted in the osModel.
  struct Target {
    Element element;
    std::string id = {};
  };

  /// Where the sub-models are, or will be.
  bool find_holders(const Document& of_tasks) {
    mapping_model_ = first_part(model_, "MappingModel");
    os_model_ = first_part(model_, "OSModel");
    home_ = mapping_model_ ? &mapping_model_.document() : os_model_ ? &os_model_.document() : &of_tasks;
    return home_->itea() == IteaRelease::none && ((mapping_model_ && os_model_) || home_->root().is("Amalthea"));
  }
  const Document& os_document() const { return os_model_ ? os_model_.document() : *home_; }

  Element definition(const views::HwUnit& unit) const {
    return unit.definition ? hardware_.unit_definitions[*unit.definition].element : Element{};
  }
  PuType type(const views::HwUnit& unit) const {
    return unit.definition ? hardware_.unit_definitions[*unit.definition].type.value_or(PuType::cpu) : PuType::cpu;
  }

  void find_responsible() {
    for (const views::SchedulerAllocation& allocation : mapping_.schedulers)
      if (const auto scheduler = schedulers_.find(allocation.scheduler))
        for (const Element unit : allocation.responsibility)
          if (const auto index = hardware_.unit_of.find(unit); index && !units_[*index])
            units_[*index] = Target{allocation.scheduler};
  }

  // ---- schedulers

  void give_schedulers() {
    std::vector<std::size_t> cpus, gpus;
    for (std::size_t i = 0; i < hardware_.units.size(); ++i) {
      const views::HwUnit& unit = hardware_.units[i];
      if (units_[i] || unit.clock.is_zero() || !id_in_file(unit.element)) continue;
      if (type(unit) == PuType::cpu) cpus.push_back(i);
      if (type(unit) == PuType::gpu && std::any_of(work_.begin(), work_.end(), [&](const Work& work) {
            return states_ticks_for(work, definition(unit)) && executes(work, definition(unit));
          }))
        gpus.push_back(i);
    }
    hand_out(stranded(mapping_, schedulers_), cpus);
    hand_out(idle(mapping_, schedulers_), cpus);
    for (const std::size_t unit : cpus) add_scheduler(unit);
    for (const std::size_t unit : gpus) add_scheduler(unit);
  }

  /// First by name, then in order.
  void hand_out(const std::vector<std::uint32_t>& schedulers, std::vector<std::size_t>& units) {
    std::vector<std::uint32_t> left;
    const auto take = [&](std::uint32_t scheduler, std::vector<std::size_t>::iterator unit) {
      const views::OsScheduler& view = schedulers_.systems().schedulers[scheduler];
      make_responsible({view.element}, *unit, view.name, false);
      units.erase(unit);
    };
    for (const std::uint32_t scheduler : schedulers) {
      const std::string_view name = schedulers_.systems().schedulers[scheduler].name;
      const auto unit = std::find_if(units.begin(), units.end(),
                                     [&](std::size_t i) { return contains_name(name, hardware_.units[i].name); });
      if (!id_in_file(schedulers_.systems().schedulers[scheduler].element)) continue;
      if (unit == units.end())
        left.push_back(scheduler);
      else
        take(scheduler, unit);
    }
    for (const std::uint32_t scheduler : left)
      if (!units.empty()) take(scheduler, units.begin());
  }

  void add_scheduler(std::size_t unit) {
    std::string name = fmt::format("Scheduler_{}", hardware_.units[unit].name);
    const auto is_taken = [&] {
      return model_.find(encode_name(name) + "?type=TaskScheduler") ||
             std::any_of(new_schedulers_.begin(), new_schedulers_.end(),
                         [&](const NewElement& other) { return other.attributes.front().second == name; });
    };
    while (is_taken()) name += '_';
    NewElement scheduler{"taskSchedulers", {}, {{"name", name}}, {}};
    // A GPU has its own rules (docs/reference/gpu.md).
    if (type(hardware_.units[unit]) != PuType::gpu) {
      const Version version = os_document().version();
      if (version >= Version::v2_0_0)
        refer(os_document(), scheduler, "definition", algorithm_definition());
      else
        scheduler.children.push_back(
            {"schedulingAlgorithm",
             std::string(to_string(version < Version::v0_8_1 ? SchedulingAlgorithm::osek : fixed_priorities)),
             {},
             {}});
    }
    new_schedulers_.push_back(std::move(scheduler));
    make_responsible({{}, encode_name(name) + "?type=TaskScheduler"}, unit, name, true);
  }

  void make_responsible(Target scheduler, std::size_t unit, std::string_view name, bool is_new) {
    const Version version = home_->version();
    const bool is_old = version < Version::v0_8_1;
    NewElement allocation{is_old ? "coreAllocation" : "schedulerAllocation", {}, {}, {}};
    refer(*home_, allocation, "scheduler", scheduler, "TaskScheduler");
    const Target target{hardware_.units[unit].element};
    refer(*home_, allocation, is_old ? "core" : "responsibility", target);
    if (!is_old) refer(*home_, allocation, version < Version::v0_9_0 ? "executingCore" : "executingPU", target);
    allocations_.push_back(std::move(allocation));
    result_.responsibilities.push_back({std::string(name), std::string(hardware_.units[unit].name), is_new});
    units_[unit] = std::move(scheduler);
  }

  /// The scheduler definition for fixed priorities, which is inserted if the model has none.
  Target algorithm_definition() {
    for (const views::OsSchedulerDefinition& known : schedulers_.systems().scheduler_definitions)
      if (views::algorithm_of_name(known.name).kind == fixed_priorities && id_in_file(known.element))
        return {known.element};
    if (!std::exchange(defines_algorithm_, true)) {
      NewElement algorithm{"schedulerDefinitions", {}, {{"name", std::string(to_string(fixed_priorities))}}, {}};
      refer(os_document(), algorithm, "processParameters", priority_definition());
      definitions_.push_back(std::move(algorithm));
    }
    return {{}, fmt::format("{}?type=SchedulerDefinition", to_string(fixed_priorities))};
  }

  /// The definition of priorities, which is inserted if the model has none.
  Target priority_definition() {
    for (const views::OsParameterDefinition& known : schedulers_.systems().parameter_definitions)
      if (equal_ignoring_case(known.name, "priority") && id_in_file(known.element)) return {known.element};
    if (!std::exchange(defines_priority_, true))
      definitions_.push_back({"schedulingParameterDefinitions", {}, {{"name", "priority"}, {"type", "Integer"}}, {}});
    return {{}, "priority?type=SchedulingParameterDefinition"};
  }

  // ---- tasks

  /// Why that is impossible; "" if it is not.
  std::string allocate(Element task, const Work& work) {
    if (mapping_.task_allocation_of.find(task)) return {};  // its scheduler gets the unit
    const auto unit = unit_for(work);
    if (!unit)
      return fmt::format("no unit with a clock, a scheduler and a unique name can run task \"{}\"", task.name());
    if (!id_in_file(task)) return fmt::format("several tasks are named \"{}\"; rename all but one", task.name());
    NewElement allocation{"taskAllocation", {}, {}, {}};
    refer(*home_, allocation, "task", {task});
    refer(*home_, allocation, "scheduler", *units_[*unit]);
    const Version version = home_->version();
    if (version >= Version::v0_8_1)
      refer(*home_, allocation, version < Version::v0_9_0 ? "coreAffinity" : "affinity",
            {hardware_.units[*unit].element});
    if (type(hardware_.units[*unit]) == PuType::cpu) add_priority(allocation, task);
    allocations_.push_back(std::move(allocation));
    result_.tasks.push_back(task);
    return {};
  }

  /// That of the task, which may state one itself; else 1. Before 0.7.2 only a task can.
  void add_priority(NewElement& allocation, Element task) {
    const auto written = views::priority_of(task, {});
    const auto stated = written ? parse_integer(written->text) : tl::unexpected(std::string());
    if (!stated) result_.without_priority.push_back(task);
    const std::string text = fmt::format("{}", stated.value_or(1));
    const Version version = home_->version();
    if (version < Version::v0_7_2) return;
    if (version < Version::v0_8_1) {
      allocation.attributes.emplace_back("priority", text);
      return;
    }
    NewElement parameter{"schedulingParameters", {}, {}, {}};
    if (version < Version::v2_0_0) {
      parameter.attributes.emplace_back("priority", text);
    } else {
      refer(*home_, parameter, "key", priority_definition());
      parameter.children.push_back({"value", "IntegerObject", {{"value", text}}, {}});
    }
    allocation.children.push_back(std::move(parameter));
  }

  std::optional<std::size_t> unit_for(const Work& work) const {
    const auto first = [&](const auto& suits) -> std::optional<std::size_t> {
      for (std::size_t i = 0; i < units_.size(); ++i)
        if (units_[i] && (!units_[i]->element || id_in_file(units_[i]->element)) &&
            !hardware_.units[i].clock.is_zero() && id_in_file(hardware_.units[i].element) && suits(hardware_.units[i]))
          return i;
      return std::nullopt;
    };
    const auto runs_it = [&](const views::HwUnit& unit) { return executes(work, definition(unit)); };
    auto unit = first([&](const views::HwUnit& on) {
      return type(on) == PuType::gpu && states_ticks_for(work, definition(on)) && runs_it(on);
    });
    if (!unit) unit = first([&](const views::HwUnit& on) { return type(on) == PuType::cpu && runs_it(on); });
    if (!unit) unit = first(runs_it);
    // The importer reports what it lacks there.
    return unit ? unit : first([&](const views::HwUnit& on) { return type(on) == PuType::cpu; });
  }

  // ---- text

  /// Adds a reference to `holder`, an element of `document`. An abstract reference to another file needs the class.
  void refer(const Document& document, NewElement& holder, std::string_view feature, const Target& target,
             std::string_view type = {}) const {
    const std::string id = target.element ? *id_in_file(target.element) : target.id;
    const Document& of_target = target.element ? target.element.document() : os_document();
    if (&of_target == &document)
      holder.attributes.emplace_back(feature, id);
    else
      holder.children.push_back({std::string(feature), std::string(type), {{"href", "amlt:/#" + id}}, {}});
  }

  /// In the order in which EMF writes them.
  static void sort(std::vector<NewElement>& elements, std::string_view class_name, Version version) {
    const auto cls = metamodel::find_class(class_name);
    if (!cls) return;
    const auto features = metamodel::all_features(*cls, version);
    const auto order = [&](const NewElement& element) {
      return std::find_if(features.begin(), features.end(), [&](const Feature* f) { return f->name == element.tag; });
    };
    std::stable_sort(elements.begin(), elements.end(),
                     [&](const NewElement& a, const NewElement& b) { return order(a) < order(b); });
  }

  void insert() {
    std::vector<Annotation> annotations;
    std::vector<NewElement> parts;
    std::vector<NewElement> os = std::move(definitions_);
    if (!new_schedulers_.empty()) {
      const auto& systems = schedulers_.systems().systems;
      const auto system = std::find_if(systems.begin(), systems.end(), [&](const views::OperatingSystem& one) {
        return &one.element.document() == &os_document();
      });
      if (system != systems.end())
        annotations.push_back({system->element, {}, std::move(new_schedulers_)});
      else
        os.push_back({"operatingSystems", {}, {{"name", "OperatingSystem"}}, std::move(new_schedulers_)});
    }
    sort(os, "OSModel", os_document().version());
    sort(allocations_, "MappingModel", home_->version());
    if (os_model_ && !os.empty()) annotations.push_back({os_model_, {}, std::move(os)});
    if (!os_model_ && !os.empty()) parts.push_back({"osModel", {}, {}, std::move(os)});
    if (mapping_model_)
      annotations.push_back({mapping_model_, {}, std::move(allocations_)});
    else
      parts.push_back({"mappingModel", {}, {}, std::move(allocations_)});
    if (!parts.empty()) annotations.push_back({home_->root(), {}, std::move(parts)});
    for (const auto& document : model_.documents())
      if (auto splices = insertions(*document, annotations); !splices.empty())
        result_.splices.emplace(document->position(), std::move(splices));
  }

  const Model& model_;
  Diagnostics ignored_;  // the importer reports them
  views::Mapping mapping_;
  Schedulers schedulers_;
  views::Hardware hardware_;
  Element mapping_model_, os_model_;
  const Document* home_ = nullptr;            // of the mapping
  std::vector<Work> work_;                    // of the unmapped tasks
  std::vector<std::optional<Target>> units_;  // by unit, its scheduler
  std::vector<NewElement> new_schedulers_, definitions_, allocations_;
  bool defines_algorithm_ = false, defines_priority_ = false;
  FirstMapping result_;
};

}  // namespace

std::vector<Element> unmapped_tasks(const Model& model) {
  const views::Mapping mapping = views::mapping_of(model);
  const Schedulers schedulers(model, mapping);
  std::vector<Element> tasks;
  for (const Element task : model.all("swModel", "tasks")) {
    const auto allocation = mapping.task_allocation_of.find(task);
    if (!allocation || is_stranded(mapping.tasks[*allocation], schedulers)) tasks.push_back(task);
  }
  return tasks;
}

std::string describe(const FirstMapping& created) {
  constexpr std::size_t most = 10;
  std::string text;
  const auto add = [&](std::size_t count, const auto& name) {
    for (std::size_t i = 0; i < std::min(count, most); ++i) text += (i == 0 ? "" : ", ") + name(i);
    if (count > most) text += fmt::format(" and {} more", count - most);
  };
  if (!created.tasks.empty()) text += created.tasks.size() == 1 ? "task " : "tasks ";
  add(created.tasks.size(), [&](std::size_t i) { return std::string(created.tasks[i].name()); });
  for (const bool is_new : {false, true}) {
    std::vector<const FirstMapping::Responsibility*> some;
    for (const auto& one : created.responsibilities)
      if (one.is_new == is_new) some.push_back(&one);
    if (some.empty()) continue;
    text +=
        fmt::format("{}{}scheduler{} ", text.empty() ? "" : "; ", is_new ? "new " : "", some.size() == 1 ? "" : "s");
    add(some.size(), [&](std::size_t i) { return fmt::format("{} for {}", some[i]->scheduler, some[i]->unit); });
  }
  return text;
}

tl::expected<FirstMapping, std::string> first_mapping(const Model& model) { return FirstMapper(model).map(); }

constinit const std::string_view unmappable_id = "AM0573";

void report_unmappable(const Model& model, const std::string& why, Diagnostics& findings) {
  const Element first = unmapped_tasks(model).front();
  findings.add(unmappable_id, Severity::note,
               fmt::format("explore cannot map the tasks that the model leaves unmapped: {}", why), first.location(),
               first.path());
}

}  // namespace amalthea::exporter
