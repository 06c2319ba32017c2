// SPDX-License-Identifier: Apache-2.0
#include "exporter/results/ratchet.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "exporter/primitives/outside_json.hpp"
#include "exporter/primitives/text_table.hpp"
#include "exporter/results/json_parts.hpp"

namespace amalthea::exporter {
namespace {

using engine::OverallVerdict;
using Json = nlohmann::ordered_json;
using Key = std::pair<std::string, std::string>;

std::optional<OverallVerdict> verdict_named(std::string_view name) {
  for (std::size_t i = 0; i < engine::overall_verdicts; ++i)
    if (to_string(static_cast<OverallVerdict>(i)) == name) return static_cast<OverallVerdict>(i);
  return std::nullopt;
}

bool fails(OverallVerdict verdict) { return verdict >= OverallVerdict::unknown; }

/// The name of a finding without its place, which follows its id.
std::string stable_name(std::string_view kind, const std::string& name) {
  return kind == "finding" ? name.substr(0, name.find(" at ")) : name;
}

/// The limits of each name, the worst one first: of several with one name it is not known which is which.
std::map<Key, std::vector<const KnownLimit*>> by_name(const std::vector<KnownLimit>& limits) {
  std::map<Key, std::vector<const KnownLimit*>> found;
  for (const KnownLimit& limit : limits) found[{limit.kind, limit.name}].push_back(&limit);
  for (auto& entry : found)
    std::stable_sort(entry.second.begin(), entry.second.end(),
                     [](const KnownLimit* a, const KnownLimit* b) { return a->verdict > b->verdict; });
  return found;
}

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Nothing if a key is missing.
std::optional<KnownLimit> limit_of(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto verdict = verdict_named(text_of(json, "verdict"));
  KnownLimit limit{text_of(json, "kind"), "", verdict.value_or(OverallVerdict::met), text_of(json, "owner"),
                   text_of(json, "reason")};
  if (const auto beyond = json.find("beyond_ps"); beyond != json.end() && beyond->is_number_integer())
    limit.beyond = Duration::picoseconds(beyond->get<std::int64_t>());
  limit.name = stable_name(limit.kind, text_of(json, "name"));
  if (!verdict || limit.kind.empty() || limit.name.empty()) return std::nullopt;
  return limit;
}

Json json_of(const KnownLimit& limit) {
  Json json = {{"kind", limit.kind}, {"name", limit.name}, {"verdict", to_string(limit.verdict)}};
  if (limit.beyond) json["beyond_ps"] = limit.beyond->picoseconds();
  return json;
}

class Comparison {
 public:
  Comparison(const std::vector<KnownLimit>& now, const std::optional<std::vector<KnownLimit>>& before,
             const std::vector<KnownLimit>& accepted)
      : now_(by_name(now)),
        before_(before ? by_name(*before) : std::map<Key, std::vector<const KnownLimit*>>{}),
        accepted_(by_name(accepted)),
        has_baseline_(before.has_value()) {}

  Ratchet run() {
    for (const auto& entry : now_)
      for (std::size_t i = 0; i < entry.second.size(); ++i) judge(entry.first, i, *entry.second[i]);
    for (const auto& entry : before_) leftover(entry.first, entry.second, made_.gone);
    for (const auto& entry : accepted_)
      for (std::size_t i = 0; i < entry.second.size(); ++i)
        if (const KnownLimit* one = at(now_, entry.first, i); one == nullptr || !fails(one->verdict))
          if (used_.count(entry.second[i]) == 0) made_.unneeded.push_back(*entry.second[i]);
    return std::move(made_);
  }

 private:
  using Named = std::map<Key, std::vector<const KnownLimit*>>;
  static const KnownLimit* at(const Named& limits, const Key& key, std::size_t index) {
    const auto found = limits.find(key);
    return found != limits.end() && index < found->second.size() ? found->second[index] : nullptr;
  }

  void judge(const Key& key, std::size_t index, const KnownLimit& now) {
    const KnownLimit* const before = at(before_, key, index);
    const auto was = before == nullptr ? std::nullopt : std::optional(before->verdict);
    const bool deeper = before != nullptr && is_deeper(now, *before);
    const bool worse = was ? now.verdict > *was || deeper : fails(now.verdict);
    if (was && now.verdict < *was && !deeper) made_.better.push_back({now, was});
    if (!worse && !fails(now.verdict)) return;
    const KnownLimit* const accepted = at(accepted_, key, index);
    if (accepted != nullptr && accepted->verdict >= now.verdict && !is_deeper(now, *accepted)) {
      made_.accepted.push_back(now);
      made_.accepted.back().owner = accepted->owner;
      made_.accepted.back().reason = accepted->reason;
      used_.emplace(accepted, true);
    } else if (worse || !has_baseline_) {
      made_.worse.push_back({now, was, before == nullptr ? std::nullopt : before->beyond});
    }
  }

  void leftover(const Key& key, const std::vector<const KnownLimit*>& limits, std::vector<KnownLimit>& into) const {
    const auto found = now_.find(key);
    // A finding that is mended is no limit that is gone, and neither is a task without a limit that is well again.
    if (key.first == "finding" || key.first == "task") return;
    for (std::size_t i = found == now_.end() ? 0 : found->second.size(); i < limits.size(); ++i)
      into.push_back(*limits[i]);
  }

  Named now_, before_, accepted_;
  bool has_baseline_;
  std::map<const KnownLimit*, bool> used_;
  Ratchet made_;
};

}  // namespace

std::string change_text(const Ratchet::Change& change) {
  // Other names begin with their kind.
  const bool names_kind = change.now.kind != "deadline" && change.now.kind != "task" && change.now.kind != "finding";
  const std::string name = names_kind ? change.now.name : fmt::format("{} {}", change.now.kind, change.now.name);
  const auto& [now, before, beyond] = change;
  if (before == now.verdict && now.beyond && beyond)
    return fmt::format("{} (missed by {} → {} ms)", name, TableUnit().time(*beyond), TableUnit().time(*now.beyond));
  return fmt::format("{} ({}{})", name, before ? fmt::format("{} → ", to_string(*before)) : "", to_string(now.verdict));
}

bool is_deeper(const KnownLimit& now, const KnownLimit& before) {
  constexpr std::int64_t percent = 100;
  if (before.verdict != OverallVerdict::missed) return false;
  if (now.verdict == OverallVerdict::unbounded) return true;
  return now.verdict == OverallVerdict::missed && now.beyond && before.beyond &&
         *now.beyond - *before.beyond > Duration::picoseconds(before.beyond->picoseconds() / percent);
}

std::vector<KnownLimit> known_limits(const engine::Assessment& assessment) {
  std::vector<KnownLimit> limits;
  for (const engine::JudgedLimit& limit : assessment.limits) {
    const std::string kind(to_string(limit.kind));
    limits.push_back({kind, stable_name(kind, limit.name), limit.verdict, "", "", limit.beyond});
  }
  return limits;
}

std::vector<KnownLimit> known_limits(const Json& results) {
  std::vector<KnownLimit> limits;
  const auto list = results.find("limits");
  if (list == results.end() || !list->is_array()) return limits;
  for (const Json& one : *list)
    if (auto limit = limit_of(one)) {
      limit->owner = limit->reason = "";
      limits.push_back(std::move(*limit));
    }
  return limits;
}

tl::expected<std::vector<KnownLimit>, std::string> read_accepted(std::string_view text) {
  const auto read = outside_json<Json>(text);
  if (!read) return tl::unexpected(read.error());
  if (!read->is_object() || text_of(*read, "schema") != accepted_schema)
    return tl::unexpected(fmt::format("it is no list of accepted misses (schema {})", accepted_schema));
  std::vector<KnownLimit> accepted;
  const auto list = read->find("accepted");
  if (list == read->end() || !list->is_array()) return tl::unexpected(std::string("it has no list \"accepted\""));
  for (const Json& one : *list) {
    auto limit = limit_of(one);
    if (!limit) return tl::unexpected(fmt::format("entry {} has no kind, name and verdict", accepted.size() + 1));
    if (limit->owner.empty() || limit->reason.empty())
      return tl::unexpected(fmt::format("the entry for {} {} has no {}", limit->kind, limit->name,
                                        limit->owner.empty() ? "owner" : "reason"));
    accepted.push_back(std::move(*limit));
  }
  return accepted;
}

std::string write_accepted(const std::vector<KnownLimit>& now, const std::vector<KnownLimit>& accepted) {
  const auto known = by_name(accepted);
  Json list = Json::array();
  for (const auto& entry : by_name(now))
    for (std::size_t i = 0; i < entry.second.size(); ++i) {
      if (!fails(entry.second[i]->verdict)) continue;
      const auto same = known.find(entry.first);
      const KnownLimit* const kept = same != known.end() && i < same->second.size() ? same->second[i] : nullptr;
      Json one = json_of(*entry.second[i]);
      one["owner"] = kept == nullptr ? "" : kept->owner;
      one["reason"] = kept == nullptr ? "" : kept->reason;
      list.push_back(std::move(one));
    }
  return written({{"schema", accepted_schema}, {"accepted", std::move(list)}});
}

OverallVerdict Ratchet::verdict() const {
  OverallVerdict worst = gone.empty() ? OverallVerdict::guaranteed : OverallVerdict::unknown;
  for (const Change& change : worse)
    worst = std::max(worst, change.now.verdict == OverallVerdict::met ? OverallVerdict::missed : change.now.verdict);
  return worst;
}

Ratchet ratchet(const std::vector<KnownLimit>& now, const std::optional<std::vector<KnownLimit>>& before,
                const std::vector<KnownLimit>& accepted) {
  return Comparison(now, before, accepted).run();
}

std::vector<std::string> ratchet_lines(const Ratchet& ratchet) {
  std::vector<std::string> lines;
  if (!ratchet.baseline.empty())
    lines.push_back(fmt::format("Compared with {}: {} worse, {} better", ratchet.baseline, ratchet.worse.size(),
                                ratchet.better.size()));
  for (const Ratchet::Change& change : ratchet.worse)
    lines.push_back(fmt::format("{}: {}", ratchet.baseline.empty() ? "Not accepted" : "Worse", change_text(change)));
  for (const Ratchet::Change& change : ratchet.better) lines.push_back("Better: " + change_text(change));
  for (const KnownLimit& one : ratchet.accepted)
    lines.push_back(
        fmt::format("Accepted: {} {} ({}): {}, {}", one.kind, one.name, to_string(one.verdict), one.owner, one.reason));
  for (const KnownLimit& one : ratchet.unneeded)
    lines.push_back(fmt::format("No longer a miss: {} {}; drop it from the accepted ones", one.kind, one.name));
  for (const KnownLimit& one : ratchet.gone)
    lines.push_back(fmt::format("No longer judged: {} {} ({})", one.kind, one.name, to_string(one.verdict)));
  return lines;
}

Json ratchet_json(const Ratchet& ratchet) {
  const auto changes = [](const std::vector<Ratchet::Change>& all) {
    Json list = Json::array();
    for (const Ratchet::Change& change : all) {
      Json one = json_of(change.now);
      one["before"] = change.before ? Json(to_string(*change.before)) : Json(nullptr);
      list.push_back(std::move(one));
    }
    return list;
  };
  const auto limits = [](const std::vector<KnownLimit>& all, bool owned) {
    Json list = Json::array();
    for (const KnownLimit& limit : all) {
      Json one = json_of(limit);
      if (owned) one.update({{"owner", limit.owner}, {"reason", limit.reason}});
      list.push_back(std::move(one));
    }
    return list;
  };
  return {{"baseline", ratchet.baseline.empty() ? Json(nullptr) : Json(ratchet.baseline)},
          {"worse", changes(ratchet.worse)},
          {"better", changes(ratchet.better)},
          {"accepted", limits(ratchet.accepted, true)},
          {"unneeded", limits(ratchet.unneeded, true)},
          {"gone", limits(ratchet.gone, false)}};
}

}  // namespace amalthea::exporter
