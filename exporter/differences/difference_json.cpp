// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "exporter/differences/difference_formats.hpp"
#include "exporter/results/json_parts.hpp"
#include "exporter/results/verdict_text.hpp"

namespace amalthea::exporter {
namespace {

using Json = nlohmann::ordered_json;
using difference::Change;

Json location_json(const Object* object) {
  if (object == nullptr) return nullptr;
  const Location location = object->location();
  if (location.file.empty()) return nullptr;
  return {{"file", location.file}, {"line", location.line}, {"column", location.column}};
}

Json text_or_null(const std::string& text, bool exists) { return exists ? Json(text) : Json(nullptr); }

Json change_json(const Change& change) {
  Json json;
  json["kind"] = to_string(change.kind);
  json["part"] = to_string(change.part);
  json["object"] = change.subject;
  json["place"] = change.place;
  json["feature"] = change.feature;
  json["before"] = text_or_null(change.before, change.older != nullptr);
  json["after"] = text_or_null(change.after, change.newer != nullptr);
  json["before_location"] = location_json(change.older);
  json["after_location"] = location_json(change.newer);
  return json;
}

Json item_json(const TimedItem* item) {
  if (item == nullptr) return nullptr;
  Json json;
  json["verdict"] = text_or_null(item->verdict, !item->verdict.empty());
  json["deadline_ps"] = picoseconds(item->limit);
  json["bound_ps"] = picoseconds(item->bound);
  json["no_bound"] = text_or_null(item->no_bound, !item->no_bound.empty());
  json["longest_ps"] = picoseconds(item->longest);
  return json;
}

Json timing_json(const ChangeEffects& effects) {
  Json json;
  for (const auto& [name, timing] : {std::pair("before", &effects.before), std::pair("after", &effects.after)}) {
    Json state;
    add_verdict(state, timing->assessment);
    state["loads"] = Json::array();
    for (const LoadedItem& load : timing->loads)
      state["loads"].push_back({{"name", load.name}, {"demand", load.demand}});
    json[name] = std::move(state);
  }
  json["items"] = Json::array();
  for (const ItemChange& change : item_changes(effects)) {
    const TimedItem& shown = change.after != nullptr ? *change.after : *change.before;
    Json item;
    item["kind"] = shown.kind == TimedItem::Kind::task ? "task" : "chain";
    item["name"] = shown.name;
    item["before"] = item_json(change.before);
    item["after"] = item_json(change.after);
    item["difference_ps"] = picoseconds(change.difference);
    item["difference_of"] = change.difference ? Json(change.by_bound ? "bound" : "longest") : Json(nullptr);
    item["contributions"] = Json::array();
    for (const auto& [what, time] : contribution_changes(change))
      item["contributions"].push_back({{"what", what}, {"difference_ps", picoseconds(time)}});
    item["parts"] = Json::array();
    for (const ItemChange::Share& share : change.shares)
      item["parts"].push_back({{"part", to_string(share.part)},
                               {"alone_ps", picoseconds(share.alone)},
                               {"left_out_ps", picoseconds(share.left_out)}});
    item["interaction_ps"] = picoseconds(change.interaction);
    json["items"].push_back(std::move(item));
  }
  json["parts"] = Json::array();
  for (const PartEffect& effect : effects.parts)
    json["parts"].push_back({{"part", to_string(effect.part)},
                             {"changes", effect.changes},
                             {"left_out", effect.left_out},
                             {"not_analyzed_alone", text_or_null(effect.no_alone, !effect.no_alone.empty())},
                             {"not_analyzed_without", text_or_null(effect.no_without, !effect.no_without.empty())}});
  return json;
}

}  // namespace

std::string render_difference_json(const DifferenceView& view, bool) {
  Json json;
  json["schema"] = difference_schema;
  json["before"] = model_json(view.older);
  json["after"] = model_json(view.newer);
  json["compared_as"] = view.compared_as;
  json["changes"] = Json::array();
  for (const Change& change : view.changes) json["changes"].push_back(change_json(change));
  if (view.conflicts != nullptr) {
    json["theirs"] = model_json(*view.theirs);
    json["conflicts"] = Json::array();
    for (const difference::Conflict& conflict : *view.conflicts)
      json["conflicts"].push_back({{"kind", to_string(conflict.kind)},
                                   {"ours", change_json(conflict.ours)},
                                   {"theirs", change_json(conflict.theirs)}});
  }
  json["timing"] = view.effects == nullptr ? Json(nullptr) : timing_json(*view.effects);
  return written(json);
}

}  // namespace amalthea::exporter
