// SPDX-License-Identifier: Apache-2.0
#include "lsp/model_state.hpp"

#include <algorithm>
#include <stdexcept>

#include "exporter/results/result_view.hpp"
#include "exporter/results/verdict_text.hpp"
#include "exporter/rewriting/annotation_content.hpp"
#include "exporter/rewriting/annotation_state.hpp"
#include "review/review.hpp"

namespace amalthea::lsp {
namespace {

bool same_source(const SourceFile& a, const SourceFile& b) {
  return a.path == b.path && a.text == b.text && a.state == b.state;
}

bool same_sources(const std::vector<SourceFile>& a, const std::vector<SourceFile>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_source);
}

/// The text without the encoding of its XML declaration, with all other bytes at their places: the editor sends UTF-8,
/// whatever the file on disk is.
std::string without_encoding(std::string text) {
  if (!text.starts_with("<?xml")) return text;
  const std::size_t end = text.find("?>");
  const std::size_t begin = text.find("encoding");
  if (end == std::string::npos || begin > end) return text;
  const std::size_t open = text.find_first_of("\"'", begin);
  const std::size_t close = open < end ? text.find(text[open], open + 1) : end;
  if (close >= end) return text;
  const std::string_view named = std::string_view(text).substr(open + 1, close - open - 1);
  if (named != "UTF-8" && named != "utf-8")  // else the hash of the model stays that of the file
    std::fill(text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(close) + 1,
              ' ');
  return text;
}

/// Finds the offsets of locations, whose lines end with "\n" and whose columns are characters. Fast for ascending ones.
class Offsets {
 public:
  explicit Offsets(const SourceText& source) : text_(source.bytes()), begin_(source.bom_size()), at_(begin_) {}

  std::size_t of(const Location& wanted) {
    if (wanted.line < line_ || (wanted.line == line_ && wanted.column < column_)) move_to(1, begin_);
    while (line_ < wanted.line) {
      const std::size_t end = text_.find('\n', at_);
      if (end == std::string_view::npos) return text_.size();
      move_to(line_ + 1, end + 1);
    }
    for (; column_ < wanted.column && at_ < text_.size() && text_[at_] != '\n'; ++column_) do
        ++at_;
      while (at_ < text_.size() && (static_cast<unsigned char>(text_[at_]) & 0xC0U) == 0x80U);
    return at_;
  }

 private:
  void move_to(std::uint32_t line, std::size_t at) {
    line_ = line;
    column_ = 1;
    at_ = at;
  }

  std::string_view text_;
  std::size_t begin_, at_;
  std::uint32_t line_ = 1, column_ = 1;
};

/// From a location to the end of what stands there: the start of a tag, a name, or a token of a value.
Span span_at(std::string_view text, std::size_t begin) {
  const std::string_view ends = begin < text.size() && text[begin] == '<' ? " \t\r\n/>" : " \t\r\n\"'<>";
  const std::size_t end = std::min(text.find_first_of(ends, std::min(begin + 1, text.size())), text.size());
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

}  // namespace

Findings placed(const Model& model, const Diagnostics& findings, const System* system, const engine::Results* results) {
  const auto& documents = model.documents();
  Findings result(documents.size());
  std::vector<Diagnostic> sorted = findings.all();
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.location.line, a.location.column) < std::pair(b.location.line, b.location.column);
  });
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const SourceText& source = documents[i]->source();
    Offsets offsets(source);
    for (const Diagnostic& finding : sorted) {
      const Location& at = finding.location;
      if (at.file.empty() ? i != 0 : at.file != source.path()) continue;
      const bool has_place = at.line != 0 && source.unit() == 1;
      result[i].push_back({finding, has_place ? span_at(source.bytes(), offsets.of(at)) : Span{},
                           related_places(model, finding, system, results)});
    }
  }
  return result;
}

std::vector<importer::NamedBytes> texts_of(const ModelState& state) {
  std::vector<importer::NamedBytes> files;
  for (const auto& document : state.model.documents())
    files.push_back({document->source().path(), std::string(document->source().bytes())});
  return files;
}

ModelReader::Known ModelReader::read_group(std::vector<SourceFile> sources) {
  Known known;
  known.sources = sources;
  for (const SourceFile& source : sources) known.reading.files.push_back(source.path);
  const auto last_text = [&](const std::string& path) -> std::shared_ptr<const std::string> {
    for (const Known& earlier : known_)
      for (const SourceFile& source : earlier.used)
        if (source.path == path) return source.text;
    return nullptr;
  };
  std::optional<Model> model;
  Diagnostics findings;
  while (!model && !sources.empty()) {
    const auto unchanged = std::find_if(known_.begin(), known_.end(),
                                        [&](const Known& earlier) { return same_sources(earlier.used, sources); });
    if (unchanged != known_.end() && unchanged->reading.state) {
      auto failures = std::move(known.reading.failures);
      known.reading = unchanged->reading;
      known.reading.failures = std::move(failures);
      known.used = std::move(sources);
      known.system = std::move(unchanged->system);
      known.findings = unchanged->findings;
      return known;
    }
    findings = {};
    std::vector<importer::NamedBytes> files;
    for (const SourceFile& source : sources) {
      auto bytes = source.text ? std::optional(without_encoding(*source.text))
                               : importer::read_file(source.path, options_.limits, findings);
      files.push_back({source.path, bytes ? std::move(*bytes) : std::string()});
    }
    model = importer::read_model_from_bytes(std::move(files), options_.limits, findings);
    if (model) break;
    const Diagnostic& failure = findings.all().back();
    auto failed = std::find_if(sources.begin(), sources.end(),
                               [&](const SourceFile& source) { return source.path == failure.location.file; });
    if (failed == sources.end()) failed = sources.begin();
    Span span;
    if (failed->text && failure.location.line != 0)
      span = span_at(*failed->text, Offsets(SourceText(failed->path, *failed->text)).of(failure.location));
    const bool first_failure = known.reading.failures.emplace(failed->path, Finding{failure, span}).second;
    auto before = failed->text && first_failure ? last_text(failed->path) : nullptr;
    if (before && before != failed->text)
      failed->text = std::move(before);
    else
      sources.erase(failed);
  }
  known.used = std::move(sources);
  if (!model) return known;
  exporter::check_annotations(*model, findings);
  known.system = review::build_checked(*model, options_.build, findings, review::many);
  review::apply_rules(*model, known.system ? &*known.system : nullptr, findings, review::many);
  auto state = std::make_shared<ModelState>();
  state->findings = placed(*model, findings, nullptr, nullptr);
  for (const auto& document : model->documents()) {
    state->lines.emplace_back(document->source().bytes());
    // The first location indexes the lines; afterwards several threads may read the document.
    document->source().location(0);
  }
  state->model = std::move(*model);
  known.reading.findings = std::shared_ptr<const Findings>(state, &state->findings);
  known.reading.state = std::move(state);
  if (!analysis::is_analyzed(findings, options_.lenient)) known.system.reset();
  known.findings = std::move(findings);
  return known;
}

void ModelReader::analyze(Known& known, Work& work) const {
  auto timing = std::make_shared<Timing>();
  Diagnostics findings = known.findings;
  engine::AnalysisOptions how = options_.engine;
  how.work = &work;
  const Model& model = known.reading.state->model;
  auto system = analysis::complete(model, *known.system, options_, findings);
  if (system) timing->system = std::move(*system);
  auto results = system ? engine::analyze(timing->system, how, findings) : std::nullopt;
  if (work.stop) return;
  Findings shown = placed(model, findings, nullptr, nullptr);
  known.system.reset();
  if (results) {
    timing->results = std::move(*results);
    const engine::Assessment assessment = engine::assess(timing->system, timing->results, findings);
    timing->verdict = exporter::verdict_sentence(assessment);
    timing->hints = hints_of(timing->system, timing->results);
    Diagnostics limits;
    add_limit_findings(model, assessment, limits);
    const Findings placed_limits = placed(model, limits, &timing->system, &timing->results);
    for (std::size_t i = 0; i < shown.size(); ++i)
      shown[i].insert(shown[i].end(), placed_limits[i].begin(), placed_limits[i].end());
  }
  known.reading.findings = std::make_shared<const Findings>(std::move(shown));
  if (!results) return;
  exporter::ModelInfo info;  // only records of the origin need it
  Diagnostics unused;
  for (exporter::Annotation& annotation :
       exporter::annotations_of(model, {info, timing->system, timing->results, findings}, {}, unused)) {
    const Origin origin = annotation.element.origin();
    timing->properties[{origin.document, origin.element}] = std::move(annotation.properties);
  }
  known.reading.timing = std::move(timing);
}

void ModelReader::read(const OpenTexts& open, Work& work, const std::function<void(std::vector<Reading>)>& deliver) {
  std::vector<Known> now;
  for (std::vector<SourceFile>& sources : files_.groups(open)) {
    const auto unchanged = std::find_if(known_.begin(), known_.end(),
                                        [&](const Known& earlier) { return same_sources(earlier.sources, sources); });
    now.push_back(unchanged != known_.end() ? std::move(*unchanged) : read_group(std::move(sources)));
  }
  known_ = std::move(now);
  const auto readings = [this] {
    std::vector<Reading> all;
    for (const Known& known : known_) {
      all.push_back(known.reading);
      all.back().pending = known.system.has_value();
    }
    return all;
  };
  deliver(readings());
  bool analyzed = false;
  for (Known& known : known_)
    if (known.system && !work.stop) {
      try {
        analyze(known, work);
      } catch (const std::overflow_error&) {  // of times; the simulation reports those that a model states
        known.system.reset();
      }
      analyzed = true;
    }
  if (analyzed) deliver(readings());
}

}  // namespace amalthea::lsp
