// SPDX-License-Identifier: Apache-2.0
#include "reference/behaviour.hpp"

#include <algorithm>
#include <limits>

namespace reference {

namespace {

/// splitmix64: a number that looks random, from one that does not.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

constexpr auto least_answer = std::numeric_limits<std::int64_t>::min();

}  // namespace

void Behaviour::set(Question::Kind kind, std::uint32_t entity, std::uint64_t ordinal, std::int64_t value) {
  const auto id = key(kind, entity, ordinal);
  const auto at = std::lower_bound(stored_.begin(), stored_.end(), std::pair(id, least_answer));
  if (at != stored_.end() && at->first == id)
    at->second = value;
  else
    stored_.insert(at, {id, value});
}

Behaviour Behaviour::again() const {
  Behaviour same(Rule::least, seed_);
  same.rules_ = rules_;
  same.stored_ = stored_;
  return same;
}

void Behaviour::keep_answers() {
  for (const auto& one : answered_) set(one.question.kind, one.question.entity, one.question.ordinal, one.value);
}

std::int64_t Behaviour::answer(const Question& question) {
  if (question.least > question.most) throw Refused("Behaviour", "a question without an answer");
  if (question.least == question.most) return question.least;
  const auto id = key(question.kind, question.entity, question.ordinal);
  auto value = question.least;
  const auto found = std::lower_bound(stored_.begin(), stored_.end(), std::pair(id, least_answer));
  if (found != stored_.end() && found->first == id) {
    value = std::clamp(found->second, question.least, question.most);
  } else {
    const auto rule = rules_[static_cast<std::size_t>(question.kind)];
    const auto chance = mixed(id ^ mixed(seed_));
    const auto width = static_cast<std::uint64_t>(question.most - question.least) + 1;
    if (rule == Rule::most || (rule == Rule::corners && chance % 16 < 7))
      value = question.most;
    else if (rule == Rule::random || (rule == Rule::corners && chance % 16 >= 14))
      value = question.least + static_cast<std::int64_t>(mixed(chance) % width);
  }
  if (recording_) answered_.push_back({question, value});
  return value;
}

std::int64_t Behaviour::ask(Question::Kind kind, std::uint32_t entity, std::int64_t least, std::int64_t most) {
  auto& asked = asked_[static_cast<std::size_t>(kind)];
  if (asked.size() <= entity) asked.resize(entity + 1, 0);
  return answer({kind, entity, asked[entity]++, least, most});
}

void Behaviour::restart() {
  for (auto& asked : asked_) std::fill(asked.begin(), asked.end(), 0);
  answered_.clear();
}

}  // namespace reference
