// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What is known about the models of the open documents: findings, results, and the texts they are about.
///
/// Everything here is read in one thread and then never changes, so that another thread may use it.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "amalthea/work.hpp"
#include "analysis/model_analysis.hpp"
#include "engine/results/results.hpp"
#include "exporter/rewriting/annotation.hpp"
#include "importer/reading/model_reader.hpp"
#include "lsp/hints.hpp"
#include "lsp/limit_findings.hpp"
#include "lsp/model_files.hpp"
#include "lsp/text.hpp"

namespace amalthea::lsp {

/// A finding and the text that it is about.
struct Finding {
  Diagnostic diagnostic;
  Span span;  ///< in the bytes of its file
  std::vector<RelatedPlace> related = {};
};

/// By document; those about no place are those of the first document.
using Findings = std::vector<std::vector<Finding>>;

/// With the places that belong to them; `system` and `results` may be null.
Findings placed(const Model& model, const Diagnostics& findings, const System* system, const engine::Results* results);

/// A model that was read, and its review.
struct ModelState {
  Model model;
  std::vector<LineIndex> lines;  ///< by document
  Findings findings;
};

/// The texts that were read, to read them again.
std::vector<importer::NamedBytes> texts_of(const ModelState& state);

/// The results of a model.
struct Timing {
  System system;
  engine::Results results;
  std::string verdict;  ///< a sentence
  Hints hints;
  /// What the analysis says about elements, by document and element: the properties that `annotate` writes.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<exporter::Property>> properties;
};

/// One model after a reading of all open documents.
struct Reading {
  std::vector<std::string> files;
  /// Files that are not well-formed, or no models, and why. If such a file is open and was readable before, the model
  /// has its last readable text; otherwise it is not part of the model.
  std::map<std::string, Finding> failures;
  std::shared_ptr<const ModelState> state;   ///< null if no file is readable
  std::shared_ptr<const Findings> findings;  ///< those of the state and, once it is analyzed, of the analysis
  std::shared_ptr<const Timing> timing;      ///< null: not analyzed, or not yet
  bool pending = false;                      ///< it will be analyzed
};

/// Texts of the open documents by path. A document that did not change since an earlier reading has the same pointer.
using OpenTexts = std::map<std::string, std::shared_ptr<const std::string>>;

/// Reads and analyzes the models of the open documents. Keeps those of which no file changed.
class ModelReader {
 public:
  explicit ModelReader(analysis::Options options)
      : options_(std::move(options)), files_(options_.limits.max_file_size) {}

  /// Calls `deliver` with all models twice at most: when they are read, and when they are analyzed. `work` ends the
  /// simulation early; its model then has no results until the next reading.
  void read(const OpenTexts& open, Work& work, const std::function<void(std::vector<Reading>)>& deliver);

 private:
  struct Known {
    std::vector<SourceFile> sources;  ///< as given
    std::vector<SourceFile> used;     ///< as read: with the last readable texts
    Reading reading;
    std::optional<System> system;  ///< until it is analyzed
    Diagnostics findings;
  };
  Known read_group(std::vector<SourceFile> sources);
  void analyze(Known& known, Work& work) const;

  analysis::Options options_;
  ModelFiles files_;
  std::vector<Known> known_;
};

}  // namespace amalthea::lsp
