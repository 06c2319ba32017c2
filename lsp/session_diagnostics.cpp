// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "exporter/results/result_view.hpp"
#include "lsp/detail/protocol.hpp"
#include "lsp/file_uri.hpp"
#include "lsp/session.hpp"

namespace amalthea::lsp {

using namespace detail;

namespace {

int severity_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return 1;
    case Severity::warning:
      return 2;
    case Severity::note:
      return 3;
  }
  return 1;
}

std::string dumped(const Json& list) { return list.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

Session::Json Session::diagnostic(const Finding& finding, Json where, const ModelState* state) const {
  Json json = {{"range", std::move(where)},
               {"severity", severity_of(finding.diagnostic.severity)},
               {"code", finding.diagnostic.id},
               {"source", "amalthea"},
               {"message", one_line(finding.diagnostic.message)}};
  // An editor makes a link of it.
  if (std::string page = page_of(finding.diagnostic); describes_codes_ && !page.empty())
    json["codeDescription"] = {{"href", std::move(page)}};
  if (keeps_data_) json["data"] = {{"remedy", remedy_of(finding.diagnostic)}};
  if (relates_places_ && state != nullptr && !finding.related.empty()) {
    Json& related = json["relatedInformation"] = Json::array();
    for (const RelatedPlace& place : finding.related)
      related.push_back(
          {{"location", location(*state, {place.origin.document, name_span(state->model.element(place.origin))})},
           {"message", place.message}});
  }
  return json;
}

/// The answer to a client that pulls and has the result `earlier`, or null.
Session::Json Session::pulled(const std::string& uri, Json list, const Json& earlier) {
  std::string text = dumped(list);
  const std::string result = exporter::hash_of_text(text).substr(0, 16);
  published_.erase(uri);
  if (!list.empty()) published_.emplace(uri, std::move(text));
  if (earlier == result) return {{"kind", "unchanged"}, {"resultId", result}};
  return {{"kind", "full"}, {"resultId", result}, {"items", std::move(list)}};
}

bool Session::is_shown(const Finding& finding) const {
  return is_shown_(finding.diagnostic) && !suppressed_.contains(finding.diagnostic.id) &&
         (!only_errors_ || finding.diagnostic.severity == Severity::error);
}

std::map<std::string, Session::Diagnosed> Session::diagnosed() const {
  std::map<std::string, Diagnosed> all;
  for (const Reading& reading : readings_)
    for (const std::string& file : reading.files) {
      const auto open = documents_.find(file);
      const bool is_open = open != documents_.end();
      Diagnosed& one = all[is_open ? open->second.uri : uri_of_path(file)];
      one.list = Json::array();
      one.is_open = is_open;
      if (is_open && open->second.version.is_number_integer()) one.version = open->second.version;
      if (const auto failure = reading.failures.find(file); failure != reading.failures.end()) {
        const Finding& finding = failure->second;
        const Span span = finding.span;
        one.list.push_back(diagnostic(finding,
                                      is_open ? range(open->second, open->second.since_read.begin_in_new(span.begin),
                                                      open->second.since_read.end_in_new(span.end))
                                              : Json{{"start", to_json({})}, {"end", to_json({})}},
                                      nullptr));
        continue;
      }
      if (!reading.state) continue;
      const auto& known = reading.state->model.documents();
      const auto part =
          std::find_if(known.begin(), known.end(), [&](const auto& each) { return each->source().path() == file; });
      if (part == known.end()) continue;
      const std::uint32_t index = (*part)->position();
      for (const Finding& finding : (*reading.findings)[index])
        if (is_shown(finding))
          one.list.push_back(
              diagnostic(finding, location(*reading.state, {index, finding.span})["range"], reading.state.get()));
    }
  return all;
}

void Session::publish() {
  std::map<std::string, Diagnosed> now = diagnosed();
  std::map<std::string, std::string> published;
  for (const auto& [uri, one] : now) published.emplace(uri, dumped(one.list));
  if (pulls_) std::erase_if(published, [](const auto& one) { return one.second == "[]"; });
  published_.swap(published);
  if (pulls_) {
    if (refreshes_diagnostics_ && published != published_) ask("workspace/diagnostic/refresh", nullptr);
    return;
  }
  for (const auto& [uri, list] : published)
    if (!now.contains(uri) && list != "[]")
      tell("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}});
  for (auto& [uri, one] : now) {
    const auto before = published.find(uri);
    // An editor waits for the diagnostics of what it has open, even if there are none.
    if (before == published.end() ? !one.is_open && one.list.empty() : before->second == published_[uri]) continue;
    Json params = {{"uri", uri}, {"diagnostics", std::move(one.list)}};
    if (!one.version.is_null()) params["version"] = one.version;
    tell("textDocument/publishDiagnostics", std::move(params));
  }
}

void Session::begin_pull(const Json& id, const Json& params) {
  const std::string uri = params.at("textDocument").at("uri");
  const Json earlier = at(params, {"previousResultId"});
  // An editor that cannot be told to ask again gets the verdicts with the first answer.
  const auto ready = [this, uri] {
    const auto found = documents_.find(path_of(uri));
    return has_been_read() && (found == documents_.end() || refreshes_diagnostics_ || !found->second.pending);
  };
  wait({id, ready, [this, uri, earlier](const Json& of) {
          auto all = diagnosed();
          const auto found = all.find(uri);
          reply(of, pulled(uri, found == all.end() ? Json(Json::array()) : std::move(found->second.list), earlier));
        }});
}

void Session::begin_workspace_pull(const Json& id, const Json& params) {
  std::map<std::string, Json> earlier;
  if (const Json& known = at(params, {"previousResultIds"}); known.is_array())
    for (const Json& one : known) earlier[one.at("uri").get<std::string>()] = one.at("value");
  const auto ready = [this] {
    return has_been_read() &&
           (refreshes_diagnostics_ ||
            std::none_of(documents_.begin(), documents_.end(), [](const auto& one) { return one.second.pending; }));
  };
  wait({id, ready, [this, earlier](const Json& of) {
          Json items = Json::array();
          auto all = diagnosed();
          for (const auto& [uri, result] : earlier)
            if (!all.contains(uri)) all[uri].list = Json::array();
          for (auto& [uri, one] : all) {
            const auto known = earlier.find(uri);
            Json item = pulled(uri, std::move(one.list), known == earlier.end() ? Json() : known->second);
            item["uri"] = uri;
            item["version"] = one.version;
            items.push_back(std::move(item));
          }
          reply(of, {{"items", std::move(items)}});
        }});
}

}  // namespace amalthea::lsp
