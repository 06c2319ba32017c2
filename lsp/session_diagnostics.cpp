// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

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

}  // namespace

Session::Json Session::diagnostic(const Finding& finding, Json where, const ModelState* state) const {
  Json json = {{"range", std::move(where)},
               {"severity", severity_of(finding.diagnostic.severity)},
               {"code", finding.diagnostic.id},
               {"source", "amalthea"},
               {"message", one_line(finding.diagnostic.message)}};
  if (describes_codes_) json["codeDescription"] = {{"href", page_of(finding.diagnostic)}};
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

void Session::publish(const std::vector<Reading>& readings) {
  std::map<std::string, Json> now;  // by URI
  std::map<std::string, Json> versions;
  for (const Reading& reading : readings)
    for (const std::string& file : reading.files) {
      const auto open = documents_.find(file);
      const bool is_open = open != documents_.end();
      const std::string uri = is_open ? open->second.uri : uri_of_path(file);
      Json& list = now[uri] = Json::array();
      if (is_open) versions[uri] = open->second.version;
      if (const auto failure = reading.failures.find(file); failure != reading.failures.end()) {
        const Finding& finding = failure->second;
        const Span span = finding.span;
        list.push_back(diagnostic(finding,
                                  is_open ? range(open->second, open->second.since_read.begin_in_new(span.begin),
                                                  open->second.since_read.end_in_new(span.end))
                                          : Json{{"start", to_json({})}, {"end", to_json({})}},
                                  nullptr));
        continue;
      }
      if (!reading.state) continue;
      const auto& known = reading.state->model.documents();
      const auto part =
          std::find_if(known.begin(), known.end(), [&](const auto& one) { return one->source().path() == file; });
      if (part == known.end()) continue;
      const std::uint32_t index = (*part)->position();
      for (const Finding& finding : (*reading.findings)[index])
        if (is_shown_(finding.diagnostic))
          list.push_back(
              diagnostic(finding, location(*reading.state, {index, finding.span})["range"], reading.state.get()));
    }
  for (const auto& [uri, list] : published_)
    if (!now.contains(uri) && list != "[]")
      tell("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}});
  std::map<std::string, std::string> published;
  for (auto& [uri, list] : now) {
    std::string text = list.dump(-1, ' ', false, Json::error_handler_t::replace);
    const auto before = published_.find(uri);
    const bool is_open = versions.contains(uri);
    // An editor waits for the diagnostics of what it has open, even if there are none.
    if (before == published_.end() ? is_open || !list.empty() : before->second != text) {
      Json params = {{"uri", uri}, {"diagnostics", std::move(list)}};
      if (is_open && versions[uri].is_number_integer()) params["version"] = versions[uri];
      tell("textDocument/publishDiagnostics", std::move(params));
    }
    published.emplace(uri, std::move(text));
  }
  published_ = std::move(published);
}

}  // namespace amalthea::lsp
