// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "importer/reading/file_bytes.hpp"
#include "lsp/detail/protocol.hpp"
#include "lsp/rename.hpp"
#include "lsp/session.hpp"

namespace amalthea::lsp {

using namespace detail;

Json Session::prepare_rename(const Json& params) {
  const auto place = cursor(params);
  if (!place) return nullptr;
  const OpenDocument& document = place->document;
  const auto renamed = renamed_at(subject_at(document.good->model, place->known, place->in_known));
  if (!renamed) return nullptr;
  return {{"range", range_now(document, renamed->name)}, {"placeholder", std::string(renamed->element.name())}};
}

void Session::begin_rename(const Json& id, const Json& params) {
  position_of(params.at("position"));
  const std::string name = params.at("newName");
  const std::string uri = params.at("textDocument").at("uri");
  if (urgency_ == Urgency::pause) urgency_ = Urgency::now;
  wait(
      {id, [this] { return has_been_read(); },
       [this, uri, params, name](const Json& of) {
         const OpenDocument* document = readable(of, uri);
         if (document == nullptr) return;
         const auto place = cursor(params);
         const ModelState& state = *document->good;
         const auto renamed = place ? renamed_at(subject_at(state.model, place->known, place->in_known)) : std::nullopt;
         if (!renamed) return fail(of, ErrorCode::request_failed, "there is no name and no reference to one");
         Job job;
         const Origin origin{renamed->element.document().position(), renamed->element.index()};
         job.execute = [origin, name, good = document->good](const importer::Limits& limits,
                                                             Work& work) -> CommandResult {
           const auto edits = rename(texts_of(*good), origin, name, limits, work);
           if (!edits) return tl::unexpected(edits.error());
           Json all = Json::array();
           for (const TextEdit& edit : *edits)
             all.push_back({edit.place.document, edit.place.span.begin, edit.place.span.end, edit.text});
           return all;
         };
         const auto to_edit = [this, good = document->good](const Json& edits) { return workspace_edit(*good, edits); };
         start({of, nullptr, to_edit, at(params, {"workDoneToken"})}, "Rename", std::move(job));
       }});
}

CommandResult Session::workspace_edit(const ModelState& state, const Json& edits) {
  std::map<std::string, Json> by_uri;
  std::map<std::string, Json> versions;
  for (const Json& edit : edits) {
    const Place place{edit[0], {edit[1], edit[2]}};
    const SourceText& source = state.model.documents()[place.document]->source();
    const auto open = documents_.find(source.path());
    const bool is_open = open != documents_.end();
    Json where = location(state, place);
    const std::string uri = where["uri"];
    // Not every editor says that a file on disk has changed.
    if (is_open ? open->second.good.get() != &state || !is_read(open->second)
                : !by_uri.contains(uri) && importer::read_bytes(source.path(), max_text_) != source.bytes()) {
      urgency_ = Urgency::now;
      return tl::unexpected("the text has changed: " + source.path());
    }
    versions[uri] = !is_open ? Json() : open->second.version;
    by_uri[uri].push_back({{"range", std::move(where["range"])}, {"newText", edit[3]}});
  }
  if (!versioned_edits_) {
    Json changes = Json::object();
    for (auto& [uri, list] : by_uri) changes[uri] = std::move(list);
    return Json{{"changes", std::move(changes)}};
  }
  Json changes = Json::array();
  for (auto& [uri, list] : by_uri)
    changes.push_back({{"textDocument", {{"uri", uri}, {"version", versions[uri]}}}, {"edits", std::move(list)}});
  return Json{{"documentChanges", std::move(changes)}};
}

}  // namespace amalthea::lsp
