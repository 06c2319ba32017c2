#include "importer/system_builder.hpp"

#include <fmt/core.h>

#include "importer/detail/build_context.hpp"

namespace amalthea::importer {
namespace detail {

Element BuildContext::required_reference(Element element, std::string_view feature) {
  if (const Element target = model.reference(element, feature)) return target;
  blocked = true;
  if (!element.attribute(feature) && !element.child(feature))
    error("AM0301", fmt::format("{} has no {}, which its timing depends on", element.class_name(), feature),
          element.location(), element.path());
  return {};
}

}  // namespace detail

std::optional<System> build_system(const Model& model, const BuildOptions& options, Diagnostics& diagnostics) {
  detail::BuildContext context{.model = model,
                               .options = options,
                               .diagnostics = diagnostics,
                               .system = {},
                               .definitions = {},
                               .units = {},
                               .memories = {},
                               .schedulers = {},
                               .stimuli = {},
                               .labels = {},
                               .events = {},
                               .runnables = {},
                               .tasks = {},
                               .task_elements = {},
                               .runnable_elements = {},
                               .raw_bodies = {},
                               .not_simulated = {}};
  detail::build_platform(context);
  detail::build_stimuli(context);
  detail::build_data(context);
  detail::build_tasks(context);
  if (context.blocked) return std::nullopt;
  detail::build_raw_bodies(context);
  if (context.blocked) return std::nullopt;
  detail::fold_wrappers(context);
  detail::shape_offloading(context);
  if (context.blocked) return std::nullopt;
  detail::build_graph(context);
  detail::build_chains(context);
  for (const auto& [cls, first] : context.not_simulated)
    diagnostics.add("AM0401", Severity::warning,
                    fmt::format("{} {} in the model {} not simulated; the first one stands here", first.first, cls,
                                first.first == 1 ? "is" : "are"),
                    first.second.location(), first.second.path());
  return std::move(context.system);
}

}  // namespace amalthea::importer
