// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Review rules, their input, and their output.

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "engine/program/program.hpp"
#include "review/detail/facts.hpp"

namespace amalthea::review {

/// The input of a rule.
struct Context {
  const Model& model;
  const Facts& facts;
  const System* system;  ///< null if the model cannot be built; timing rules then report nothing
  /// The programs of all tasks in the worst case; the first rule that needs them compiles them for all (demand.cpp).
  mutable std::vector<engine::Program> worst = {};
};

struct Rule;

/// Collects the findings of one rule, up to a maximum number.
class Report {
 public:
  /// `reported`: paths of elements with findings before any rule ran.
  Report(const Rule& rule, const Model& model, const std::unordered_set<std::string>& reported,
         Diagnostics& diagnostics, std::size_t most)
      : rule_(rule), model_(model), reported_(reported), diagnostics_(diagnostics), max_findings_(most) {}

  void add(Element element, std::string message);
  /// At the attribute, if it is written.
  void add(Element element, std::string_view attribute, std::string message);

  /// Whether reading or building the model has already reported a finding for this element, its direct content, or its
  /// targets. Expensive, so call it last.
  bool is_reported(Element element) const;

  /// Paths of the elements with a finding whose id begins with `id`, from any source.
  std::unordered_set<std::string> reported_as(std::string_view id) const;

  /// The elements that findings with this id concern besides their place.
  std::vector<Origin> concerned_by(std::string_view id) const;

  /// Whether further findings are only counted.
  bool is_full() const { return count_ >= max_findings_; }

  /// Number of findings that are not listed.
  std::size_t unlisted() const { return count_ > max_findings_ ? count_ - max_findings_ : 0; }

 private:
  const Rule& rule_;
  const Model& model_;
  const std::unordered_set<std::string>& reported_;
  Diagnostics& diagnostics_;
  std::size_t max_findings_;
  std::size_t count_ = 0;
};

struct Rule {
  std::string_view id;
  Severity severity;
  std::string_view title;  ///< what is wrong if the rule fires, for lists of rules
  void (*check)(const Context&, Report&);
};

}  // namespace amalthea::review
