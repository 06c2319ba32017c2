// Elements that nobody can name.

#include <map>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "review/rules.hpp"

namespace amalthea::review {

void check_missing_names(const Context& context, Report& report) {
  std::map<std::string_view, std::pair<std::size_t, Element>> nameless;  // by class: how many, and the first
  for (const auto& document : context.model.documents()) {
    if (document->itea() != IteaRelease::none) continue;  // those refer by other means
    for (std::uint32_t i = 0; i < document->size(); ++i) {
      const Element element = document->element(i);
      if (!element.cls() || !element.name().empty() || !metamodel::is_referable(*element.cls(), document->version()) ||
          metamodel::find_feature(*element.cls(), "name", document->version()) == nullptr)
        continue;
      auto& [count, first] = nameless[element.class_name()];
      if (count++ == 0) first = element;
    }
  }
  for (const auto& [name, found] : nameless) {
    const auto& [count, first] = found;
    report.add(first, count == 1 ? fmt::format("{} has no name, so nothing can refer to it; name it", describe(first))
                                 : fmt::format("{} elements of the class {} have no name, so nothing can refer to "
                                               "them; name them; the first one stands here",
                                               count, name));
  }
}

}  // namespace amalthea::review
