// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a review rule is, what it may look at, and where it tells what it finds.

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "review/detail/facts.hpp"

namespace amalthea::review {

/// All that a rule may look at.
struct Context {
  const Model& model;
  const Facts& facts;
  const System* system;  ///< null when the model cannot be built; rules about timing are silent then
};

struct Rule;

/// Takes the findings of one rule, up to a number that somebody may read.
class Report {
 public:
  /// `told`: paths of elements that something was found about before any rule ran.
  Report(const Rule& rule, const Model& model, const std::unordered_set<std::string>& reported,
         Diagnostics& diagnostics, std::size_t most)
      : rule_(rule), model_(model), reported_(reported), diagnostics_(diagnostics), max_findings_(most) {}

  void add(Element element, std::string message);
  /// At the attribute, where it is written.
  void add(Element element, std::string_view attribute, std::string message);

  /// Whether reading or building the model has found something already about this element, what stands directly in it,
  /// or what it refers to. Not cheap: ask last.
  bool is_reported(Element element) const;

  /// Paths of the elements of which a finding with an id that begins so was told, by whomever.
  std::unordered_set<std::string> reported_as(std::string_view id) const;

  /// Whether further findings are only counted.
  bool is_full() const { return count_ >= max_findings_; }

  /// Findings beyond those listed.
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
  std::string_view title;  ///< what is wrong when it fires, for lists of rules
  void (*check)(const Context&, Report&);
};

}  // namespace amalthea::review
