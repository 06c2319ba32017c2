#pragma once
/// \file
/// What came of a batch, for people and for databases. A new form is one function and one line in summary.cpp.

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "batch/record.hpp"

namespace amalthea::batch {

struct Totals {
  std::size_t models = 0, met = 0, nothing = 0, missed = 0, unbounded = 0, failed = 0;
  void add(ModelVerdict verdict);
};
Totals totals_of(const std::vector<Record>& records);

/// "12 models: 5 met, …".
std::string sentence_of(const Totals& totals);

/// The totals and a table of all models; of failed ones why.
std::string summary_text(const std::vector<Record>& records, bool colour);
std::string summary_markdown(const std::vector<Record>& records);
std::string summary_html(const std::vector<Record>& records);

/// By the ending of the path: .md, .html, .txt; or .db, .sqlite: a database with the tables `models` and `tasks`, the
/// latter from `lines` (a file of a batch's lines, which is then needed). The error says what could not be done.
tl::expected<void, std::string> write_summary(const std::string& path, const std::vector<Record>& records,
                                              const std::string& lines);
/// Whether write_summary knows the ending.
bool is_summary_file(std::string_view path);

}  // namespace amalthea::batch
