// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/core.h>

#include "lsp/detail/protocol.hpp"
#include "lsp/file_uri.hpp"
#include "lsp/session.hpp"

namespace amalthea::lsp {

using namespace detail;

void Session::open(const Json& document) {
  const std::string uri = document.at("uri");
  std::string text = document.at("text");
  LineIndex lines(text);
  published_.erase(uri);  // editors forget the diagnostics of documents that they close
  documents_.insert_or_assign(
      path_of(uri),
      OpenDocument{
          uri, std::move(text), std::move(lines), at(document, {"version"}), {}, {}, {}, {}, {}, {}, 0, {}, false, {}});
  urgency_ = Urgency::now;
}

Session::OpenDocument* Session::find(const Json& params) {
  const auto found = documents_.find(path_of(params.at("textDocument").at("uri").get<std::string>()));
  return found == documents_.end() ? nullptr : &found->second;
}

void Session::change(const Json& params) {
  OpenDocument* document = find(params);
  if (document == nullptr) return;
  for (const Json& edit : params.at("contentChanges")) {
    const std::string inserted = edit.at("text");
    std::size_t begin = 0, end = document->text.size();
    if (const Json& where = at(edit, {"range"}); !where.is_null()) {
      begin = document->lines.offset(document->text, position_of(where.at("start")), encoding_);
      end = document->lines.offset(document->text, position_of(where.at("end")), encoding_);
      if (end < begin) std::swap(begin, end);
    }
    document->text.replace(begin, end - begin, inserted);
    document->lines.replace(document->text, begin, end, inserted.size());
    document->since_read.replace(begin, end, inserted.size());
    document->since_good.replace(begin, end, inserted.size());
    document->read.reset();
  }
  document->version = at(params, {"textDocument", "version"});
  urgency_ = std::max(urgency_, Urgency::pause);
  ++edits_;
}

void Session::close(const Json& params) {
  documents_.erase(path_of(params.at("textDocument").at("uri").get<std::string>()));
  urgency_ = Urgency::now;
  serve_waiting();
}

bool Session::is_read(const OpenDocument& document) const { return document.read && document.taken == document.read; }

OpenTexts Session::due() {
  urgency_ = Urgency::none;
  in_work_ = true;
  OpenTexts texts;
  for (auto& [path, document] : documents_) {
    if (document.text.size() > max_text_) {
      tell("window/showMessage",
           {{"type", 1}, {"message", fmt::format("{}: the text exceeds the limit of {} bytes", path, max_text_)}});
      continue;
    }
    if (!document.read) {
      document.read = std::make_shared<const std::string>(document.text);
      document.since_read = {};
    }
    texts.emplace(path, document.read);
  }
  return texts;
}

void Session::take(std::vector<Reading> readings) {
  for (auto& [path, document] : documents_) document.taken = document.read;
  bool analyzed = false;
  for (const Reading& reading : readings)
    for (const std::string& file : reading.files) {
      const auto found = documents_.find(file);
      if (found == documents_.end()) continue;
      OpenDocument& document = found->second;
      document.pending = reading.pending;
      document.unreadable =
          reading.failures.empty() ? std::string() : format(reading.failures.begin()->second.diagnostic);
      if (!reading.state) continue;
      const auto& known = reading.state->model.documents();
      const auto part =
          std::find_if(known.begin(), known.end(), [&](const auto& one) { return one->source().path() == file; });
      if (part == known.end()) continue;
      // A document that is not readable now is part of the model with its last readable text, as before.
      if (document.good != reading.state && !reading.failures.contains(file)) document.since_good = document.since_read;
      document.good = reading.state;
      document.index = (*part)->position();
      if (reading.timing && document.timing != reading.timing) {
        document.timing = reading.timing;
        document.timed = reading.state;
        analyzed = true;
      }
    }
  readings_ = std::move(readings);
  in_work_ = std::any_of(readings_.begin(), readings_.end(), [](const Reading& one) { return one.pending; });
  serve_waiting();  // who pulls now needs not be told to
  publish();
  if (!analysis_token_.is_null()) show_progress(0);
  if (analyzed && refreshes_lenses_) ask("workspace/codeLens/refresh", nullptr);
  if (analyzed && refreshes_hints_) ask("workspace/inlayHint/refresh", nullptr);
}

Session::Json Session::range(const OpenDocument& document, std::size_t begin, std::size_t end) const {
  return {{"start", to_json(document.lines.position(document.text, begin, encoding_))},
          {"end", to_json(document.lines.position(document.text, std::max(begin, end), encoding_))}};
}

Session::Json Session::range_now(const OpenDocument& document, Span span) const {
  return range(document, document.since_good.begin_in_new(span.begin), document.since_good.end_in_new(span.end));
}

std::size_t Session::line_now(const OpenDocument& document, std::size_t known) const {
  return document.lines.position(document.text, document.since_good.begin_in_new(known), encoding_).line;
}

Session::Json Session::location(const ModelState& state, Place place) const {
  const SourceText& source = state.model.documents()[place.document]->source();
  const auto open = documents_.find(source.path());
  if (open != documents_.end() && open->second.good.get() == &state)
    return {{"uri", open->second.uri}, {"range", range_now(open->second, place.span)}};
  const auto position = [&](std::size_t offset) {
    Position at = state.lines[place.document].position(source.bytes(), offset, encoding_);
    // A byte order mark is no part of the text in an editor.
    const std::size_t mark = source.bom_size() == 0 ? 0 : encoding_ == PositionEncoding::utf16 ? 1 : source.bom_size();
    if (at.line == 0) at.character -= std::min(mark, at.character);
    return to_json(at);
  };
  return {{"uri", uri_of_path(source.path())},
          {"range", {{"start", position(place.span.begin)}, {"end", position(place.span.end)}}}};
}

std::optional<Session::Cursor> Session::cursor(const Json& params) {
  OpenDocument* document = find(params);
  const Position position = position_of(params.at("position"));
  if (document == nullptr || !document->good) return std::nullopt;
  const std::size_t offset = document->lines.offset(document->text, position, encoding_);
  return Cursor{*document, *document->good->model.documents()[document->index], offset,
                static_cast<std::uint32_t>(document->since_good.in_old(offset))};
}

}  // namespace amalthea::lsp
