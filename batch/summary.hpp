// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Summaries of a batch, for people and for databases. A new form is one function and one line in summary.cpp.

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "batch/record.hpp"

namespace amalthea::batch {

struct Totals {
  std::size_t models = 0;
  std::array<std::size_t, model_verdicts> counts{};

  std::size_t of(ModelVerdict verdict) const { return counts[static_cast<std::size_t>(verdict)]; }
  void add(ModelVerdict verdict) {
    ++models;
    ++counts[static_cast<std::size_t>(verdict)];
  }
};

/// "12 models: 5 met, …".
std::string sentence_of(const Totals& totals);

/// The data kept of every line until the end. Since there may be many models, names are not stored twice, and texts are
/// not rendered as a whole.
class Summary {
 public:
  using Sink = std::function<void(std::string_view)>;
  struct Row {
    std::size_t index = 0;  ///< among all models
    ModelVerdict verdict = ModelVerdict::failed;
    Record::Counts counts;
    std::string status, why, cause, first_cause, report;
  };

  /// `models` are all models of the batch; they must outlive this.
  explicit Summary(const std::vector<ModelFiles>& models) : models_(&models) {}
  void add(const Record& record);

  /// Failures of one cause.
  struct Failures {
    std::string cause;
    std::size_t count = 0;
    std::size_t first = 0;  ///< the row of the first one
  };
  /// The most frequent cause first.
  std::vector<Failures> failures() const;
  /// The same for models that were analyzed, by the kind of their first cause.
  std::vector<Failures> groups() const;

  const Totals& totals() const { return totals_; }
  const std::vector<Row>& rows() const { return rows_; }
  std::string title(const Row& row) const { return title_of((*models_)[row.index]); }

 private:
  std::vector<Failures> grouped(const std::function<std::optional<std::string_view>(const Row&)>& cause_of) const;

  const std::vector<ModelFiles>* models_;
  std::vector<Row> rows_;
  Totals totals_;
};

/// The totals, a table of all models, with the reason for failed ones, and one of failures by cause.
void summary_text(const Summary& summary, bool colour, const Summary::Sink& sink);
void summary_markdown(const Summary& summary, const Summary::Sink& sink);
/// A page in `folder`, with links to the reports of the models.
void summary_html(const Summary& summary, const std::string& folder, const Summary::Sink& sink);
/// According to RFC 4180, with a header line.
void summary_csv(const Summary& summary, const Summary::Sink& sink);

/// The extension of the path selects the format: .md, .html, .txt, .csv; or .db, .sqlite: a database with the table `models`
/// and those of their results, from `lines` (a file of a batch's lines, required then). The error states what failed.
tl::expected<void, std::string> write_summary(const std::string& path, const Summary& summary,
                                              const std::string& lines);
/// Whether write_summary knows the extension.
bool is_summary_file(std::string_view path);

}  // namespace amalthea::batch
