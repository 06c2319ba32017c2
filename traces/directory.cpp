// SPDX-License-Identifier: Apache-2.0
#include "traces/directory.hpp"

#include <fnmatch.h>

#include "engine/input/located_json.hpp"

namespace amalthea::traces {

void Directory::add(EntityKind kind, const std::string& name, Subject subject) {
  known_[static_cast<std::size_t>(kind)].emplace(name, subject);
}

Subject Directory::find(EntityKind kind, std::string_view name) const {
  const auto& known = known_[static_cast<std::size_t>(kind)];
  const auto found = known.find(std::string(name));
  return found == known.end() ? Subject{} : found->second;
}

std::vector<std::string_view> Directory::names(EntityKind kind) const {
  std::vector<std::string_view> names;
  for (const auto& [name, subject] : known_[static_cast<std::size_t>(kind)]) names.push_back(name);
  return names;
}

tl::expected<NameRules, std::string> NameRules::parse(std::string_view json) {
  const auto read = engine::parse_located_json(json);
  if (!read) return tl::unexpected(format(read.error()));
  const auto* object = std::get_if<engine::JsonObject>(&read->value);
  if (object == nullptr)
    return tl::unexpected(format(engine::error_at(*read, "expected an object from patterns to names of the model")));
  NameRules rules;
  for (const engine::JsonMember& member : object->members) {
    Rule rule{member.key, {}};
    if (const auto error = engine::read_name(member.value, rule.name)) return tl::unexpected(format(*error));
    rules.rules_.push_back(std::move(rule));
  }
  return rules;
}

const std::string& NameRules::apply(const std::string& name) const {
  for (const Rule& rule : rules_)
    if (::fnmatch(rule.pattern.c_str(), name.c_str(), 0) == 0) {
      rule.used = true;
      return rule.name;
    }
  return name;
}

std::vector<std::string> NameRules::unused() const {
  std::vector<std::string> unused;
  for (const Rule& rule : rules_)
    if (!rule.used) unused.push_back(rule.pattern);
  return unused;
}

}  // namespace amalthea::traces
