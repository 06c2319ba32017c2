// SPDX-License-Identifier: Apache-2.0
// 1.2.0 → 2.0.0: algorithm classes and their attributes → definitions of schedulers and parameters.

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "amalthea/identifier.hpp"
#include "migration/detail/rule.hpp"
#include "migration/rules/to_2_0_0.hpp"

namespace amalthea::migration {
namespace {

/// Prefix of parameter names that are not AMALTHEA's.
constexpr std::string_view extended = "extended: ";
constexpr std::string_view user_specific = "UserSpecificSchedulingAlgorithm";

struct StandardParameter {
  std::string_view name, type;
};

/// In the order in which they are listed.
constexpr std::array<StandardParameter, 5> standard_parameters{{{"priority", "Integer"},
                                                                {"minBudget", "Time"},
                                                                {"maxBudget", "Time"},
                                                                {"replenishment", "Time"},
                                                                {"quantSize", "Time"}}};

/// The algorithms with parameters for processes or for the scheduler. The others have none.
struct StandardAlgorithm {
  std::string_view name, process_parameters, algorithm_parameters;  // separated by blanks
};

constexpr std::array<StandardAlgorithm, 9> standard_algorithms{{
    {"FixedPriorityPreemptive", "priority", ""},
    {"FixedPriorityPreemptiveWithBudgetEnforcement", "priority minBudget maxBudget replenishment", ""},
    {"OSEK", "priority", ""},
    {"PriorityBasedRoundRobin", "priority", ""},
    {"PriorityBased", "priority", ""},
    {"PfairPD2", "", "quantSize"},
    {"PartlyPFairPD2", "", "quantSize"},
    {"EarlyReleaseFairPD2", "", "quantSize"},
    {"PartlyEarlyReleaseFairPD2", "", "quantSize"},
}};

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found;
  for_each_token(text, [&](std::string_view word, std::size_t) { found.emplace_back(word); });
  return found;
}

/// The names of definitions that a model needs, in the order of listing.
struct Needed {
  struct Scheduler {
    std::string name;
    std::vector<std::string> algorithm_parameters, process_parameters;
  };
  std::vector<Scheduler> schedulers;
  std::set<std::string> parameters;  // with the prefix "extended: "
};

class Definitions {
 public:
  explicit Definitions(Step& step) : step_(step) {}

  void run() {
    convert_schedulers("TaskScheduler");
    convert_schedulers("InterruptController");
    for (Object* const association : step_.objects_of("SchedulerAssociation")) convert_parameters(*association);
    for (Object* const allocation : step_.objects_of("TaskAllocation")) convert_parameters(*allocation);
    if (needed_.schedulers.empty() && needed_.parameters.empty()) return;
    create();
  }

 private:
  // ---- required definitions

  void convert_schedulers(std::string_view cls) {
    for (Object* const scheduler : step_.objects_of(cls)) {
      Object* const algorithm = scheduler->child("schedulingAlgorithm");
      if (algorithm == nullptr || algorithm->cls() == no_class) continue;
      const std::string name = definition_for(*algorithm);
      definition_of_.emplace_back(scheduler, name);
      convert_algorithm(*scheduler, *algorithm);
      step_.changed(*scheduler, name);
      step_.drop(*algorithm, {"quantSizeNs"});
    }
  }

  std::string definition_for(const Object& algorithm) {
    std::string name(algorithm.class_name());
    Needed::Scheduler definition{name, {}, {}};
    if (name == user_specific) {
      definition.name = name = fmt::format("{}{}", name, ++user_specific_count_);
      for (const Object* const parameter : algorithm.children("parameterExtensions"))
        add_unless_there(definition.algorithm_parameters, key_of(*parameter));
    } else {
      const auto known = std::find_if(needed_.schedulers.begin(), needed_.schedulers.end(),
                                      [&](const Needed::Scheduler& scheduler) { return scheduler.name == name; });
      if (known != needed_.schedulers.end()) return name;
      for (const StandardAlgorithm& standard : standard_algorithms)
        if (standard.name == name) {
          definition.algorithm_parameters = words(standard.algorithm_parameters);
          definition.process_parameters = words(standard.process_parameters);
        }
    }
    for (const auto* parameters : {&definition.algorithm_parameters, &definition.process_parameters})
      needed_.parameters.insert(parameters->begin(), parameters->end());
    // AMALTHEA's own algorithms come first.
    const auto place = std::find_if(needed_.schedulers.begin(), needed_.schedulers.end(), [&](const auto& other) {
      return definition.algorithm_parameters.empty() && other.name.starts_with(user_specific) &&
             !name.starts_with(user_specific);
    });
    needed_.schedulers.insert(place, std::move(definition));
    return name;
  }

  static void add_unless_there(std::vector<std::string>& names, std::string name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }

  static std::string key_of(const Object& extension) {
    return fmt::format("{}{}", extended, extension.attribute_or("key", ""));
  }

  void convert_algorithm(Object& scheduler, Object& algorithm) {
    for (OwnedObject& property : algorithm.take_all("customProperties"))
      scheduler.add("customProperties", std::move(property));
    const std::string size(algorithm.attribute_or("quantSizeNs", "0"));
    if (size != "0") {
      Object& time = add_parameter(scheduler, "quantSize", "Time");
      time.set("value", size);
      time.set("unit", "ns");
    }
    convert_extensions(algorithm, scheduler);
  }

  // ---- values

  Object& add_parameter(Object& owner, const std::string& name, std::string_view value_class) {
    needed_.parameters.insert(name);
    Object& entry = owner.create("schedulingParameters", "SchedulingParameter");
    key_of_.emplace_back(&entry, name);
    return entry.create("value", value_class);
  }

  void convert_extensions(Object& from, Object& to) {
    for (Object* const extension : from.children("parameterExtensions")) {
      add_parameter(to, key_of(*extension), "StringObject").set("value", extension->attribute_or("value", ""));
      step_.drop(*extension, {"key", "value"});
    }
  }

  /// In files with an older version, an entry of the new map is read as the old class.
  static bool is_new(Object& entry) {
    Object* const value = entry.child("value");
    if (value == nullptr) return false;
    entry.set_class("SchedulingParameter");
    if (const auto type = value->attribute("xsi:type"); type && value->cls() == no_class) {
      const std::string cls(type->substr(type->find(':') + 1));
      if (value->set_class(cls)) value->unset("xsi:type");
    }
    if (const auto key = entry.attribute("key")) {
      const std::string id(*key);
      entry.unset("key");
      entry.add_reference("key", id);
    }
    return true;
  }

  void convert_parameters(Object& owner) {
    bool any = owner.child("parameterExtensions") != nullptr;
    for (Object* const old : owner.children("schedulingParameters")) {
      if (!old->is("SchedulingParameters") || is_new(*old)) continue;
      any = true;
      // A priority of 0 is what an allocation has that says nothing.
      if (const auto priority = old->attribute("priority"); priority && *priority != "0")
        add_parameter(owner, "priority", "IntegerObject").set("value", *priority);
      for (const std::string_view name : {"minBudget", "maxBudget", "replenishment"})
        if (Object* const time = old->child(name)) {
          Object& value = add_parameter(owner, std::string(name), "Time");
          for (const std::string_view attribute : {"value", "unit"})
            if (const auto text = time->attribute(attribute)) value.set(attribute, *text);
          step_.drop(*time, {"value", "unit"});
        }
      step_.drop(*old, {"priority"});
    }
    convert_extensions(owner, owner);
    if (any) step_.changed(owner);
  }

  // ---- the definitions

  void create() {
    // All are in one file, that of the operating systems.
    const auto models = step_.parts("osModel");
    Object* const any = !definition_of_.empty() ? definition_of_.front().first : key_of_.front().first->owner();
    os_model_ = !definition_of_.empty() || models.empty() ? &step_.part(*any, "osModel", "OSModel") : models.front();

    for (const Needed::Scheduler& scheduler : needed_.schedulers) {
      if (exists("SchedulerDefinition", scheduler.name)) continue;
      Object& definition = os_model_->create("schedulerDefinitions", "SchedulerDefinition");
      definition.set("name", scheduler.name);
      for (const std::string& parameter : scheduler.algorithm_parameters)
        definition.add_reference("algorithmParameters", id("SchedulingParameterDefinition", parameter));
      for (const std::string& parameter : scheduler.process_parameters)
        definition.add_reference("processParameters", id("SchedulingParameterDefinition", parameter));
    }
    for (const StandardParameter& standard : standard_parameters)
      if (needed_.parameters.erase(std::string(standard.name)) > 0)
        create_parameter(std::string(standard.name), standard.type, true);
    for (const std::string& name : needed_.parameters) create_parameter(name, "String", false);

    for (const auto& reference : definition_of_)
      refer(*reference.first, "definition", "SchedulerDefinition", reference.second);
    for (const auto& reference : key_of_)
      refer(*reference.first, "key", "SchedulingParameterDefinition", reference.second);
  }

  void create_parameter(const std::string& name, std::string_view type, bool mandatory) {
    if (exists("SchedulingParameterDefinition", name)) return;
    Object& definition = os_model_->create("schedulingParameterDefinitions", "SchedulingParameterDefinition");
    definition.set("name", name);
    definition.set("type", type);
    definition.set("many", "false");
    definition.set("mandatory", mandatory ? "true" : "false");
  }

  bool exists(std::string_view cls, std::string_view name) const {
    const auto children =
        os_model_->children(cls == "SchedulerDefinition" ? "schedulerDefinitions" : "schedulingParameterDefinitions");
    return std::any_of(children.begin(), children.end(), [&](const Object* child) { return child->name() == name; });
  }

  static std::string id(std::string_view cls, std::string_view name) {
    return fmt::format("{}?type={}", encode_name(name), cls);
  }

  void refer(Object& from, std::string_view feature, std::string_view cls, std::string_view name) {
    const std::string target = id(cls, name);
    if (&step_.root_of(from) == &step_.root_of(*os_model_))
      from.add_reference(feature, target);
    else
      from.add_remote_reference(feature, fmt::format("amlt:/#{}", target), *metamodel::find_class(cls));
  }

  Step& step_;
  Needed needed_;
  std::size_t user_specific_count_ = 0;
  std::vector<std::pair<Object*, std::string>> definition_of_, key_of_;
  Object* os_model_ = nullptr;
};

// ---- reverse direction

std::string name_of(std::string_view id) {
  std::string_view name = id.substr(0, id.rfind("?type="));
  name.remove_prefix(std::min(name.size(), name.find('#') == std::string_view::npos ? 0 : name.find('#') + 1));
  return decode_name(name);
}

/// Entries that the older classes can say, taken away. `extensions` takes those with a name of their own.
void parameters_back(Step& step, Object& owner, Object* extensions, bool standard) {
  Object* old = nullptr;
  for (Object* const entry : owner.children("schedulingParameters")) {
    if (!entry->is("SchedulingParameter")) continue;
    const auto key = entry->reference("key");
    Object* const value = entry->child("value");
    if (!key || value == nullptr || entry->children().size() != 1) continue;
    const std::string name = name_of(*key);
    if (name.starts_with(extended) && value->is("StringObject") && extensions != nullptr) {
      Object& extension = extensions->create("parameterExtensions", "ParameterExtension");
      extension.set("key", name.substr(extended.size()));
      extension.set("value", value->attribute_or("value", ""));
    } else if (standard && name == "priority" && value->is("IntegerObject")) {
      if (old == nullptr) old = &owner.create("schedulingParameters", "SchedulingParameters");
      old->set("priority", value->attribute_or("value", "0"));
    } else if (standard && value->is("Time") &&
               (name == "minBudget" || name == "maxBudget" || name == "replenishment")) {
      if (old == nullptr) old = &owner.create("schedulingParameters", "SchedulingParameters");
      value->move_to(*old, name);
    } else {
      continue;
    }
    if (value->owner() == entry) step.drop(*value, {"value"});
    step.drop(*entry, {"key"});
  }
}

/// The algorithm class up to 1.2.0 for the name of a definition, or "".
std::string_view class_of(std::string_view name) {
  if (name.starts_with(user_specific) &&
      name.substr(user_specific.size()).find_first_not_of("0123456789") == std::string_view::npos)
    return user_specific;
  const auto cls = metamodel::find_class(name);
  if (!cls || !metamodel::exists(*cls, Version::v1_2_0) || metamodel::is_abstract(*cls, Version::v1_2_0)) return {};
  const auto algorithm = metamodel::find_class("Algorithm");
  return algorithm && metamodel::is_a(*cls, *algorithm, Version::v1_2_0) ? metamodel::info(*cls).name
                                                                         : std::string_view{};
}

bool referred_to(const Step& step, const Object& definition) {
  const std::string id = step.id(definition);
  bool used = false;
  step.model.for_each([&](const Object& object) {
    for (const Field& field : object.fields())
      used = used || (field.kind != FieldKind::value && field.text.ends_with(id));
  });
  return used;
}

/// Definitions that represent an algorithm of the older release, and unused parameter definitions: their name is their
/// only content.
void remove_definitions(Step& step) {
  std::set<std::string> parameters;
  for (const StandardParameter& standard : standard_parameters) parameters.insert(std::string(standard.name));
  for (Object* const definition : step.objects_of("SchedulerDefinition")) {
    if (class_of(definition->name()).empty() || !definition->children().empty() || referred_to(step, *definition))
      continue;
    for (const std::string_view feature : {"algorithmParameters", "processParameters"})
      for (const Field& parameter : definition->references(feature)) parameters.insert(name_of(parameter.text));
    if (definition->attribute("description")) step.altered(*definition, "an algorithm has no description");
    step.drop(*definition, {"name", "description", "algorithmParameters", "processParameters"});
  }
  for (Object* const definition : step.objects_of("SchedulingParameterDefinition")) {
    const std::string name(definition->name());
    const bool known = parameters.contains(name) || name.starts_with(extended);
    if (known && definition->children().empty() && !referred_to(step, *definition))
      step.drop(*definition, {"name", "type", "many", "mandatory"});
  }
}

}  // namespace

void scheduler_definitions(Step& step) { Definitions(step).run(); }

void scheduler_definitions_back(Step& step) {
  for (const std::string_view cls : {"TaskScheduler", "InterruptController"})
    for (Object* const scheduler : step.objects_of(cls)) {
      const auto reference = scheduler->reference("definition");
      const std::string_view algorithm_class = reference ? class_of(name_of(*reference)) : std::string_view{};
      if (algorithm_class.empty()) continue;
      scheduler->unset("definition");
      Object& algorithm = scheduler->create("schedulingAlgorithm", algorithm_class);
      parameters_back(step, *scheduler, algorithm_class == user_specific ? &algorithm : nullptr, false);
      step.changed(*scheduler);
    }
  for (const std::string_view cls : {"SchedulerAssociation", "TaskAllocation"})
    for (Object* const owner : step.objects_of(cls)) parameters_back(step, *owner, owner, true);
  remove_definitions(step);
}

}  // namespace amalthea::migration
