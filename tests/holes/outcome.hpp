// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the analysis says about a model, and whether it says something better about another one.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/time.hpp"
#include "engine/verdict.hpp"
#include "tests/holes/hole.hpp"

namespace holes {

/// A bound or a latency; smaller is better.
struct Measure {
  std::optional<amalthea::Duration> bound;
  std::optional<amalthea::Duration> observed;
  std::vector<std::string> limits;  ///< that depend on it
};

struct Outcome {
  bool refused = false;
  amalthea::engine::OverallVerdict verdict = amalthea::engine::OverallVerdict::missed;
  std::map<std::string, amalthea::engine::OverallVerdict> limits;  ///< without findings
  std::map<std::string, Measure> measures;
  std::vector<amalthea::Diagnostic> findings;
};

/// Lines, by file.
using Places = std::set<std::pair<std::string, std::uint32_t>>;
struct Written {
  std::vector<std::pair<std::string, std::string>> files;  ///< name and text
  Places marked;
};
Written written(const Files& files);

Outcome outcome_of(const Written& written);

enum class Effect : std::uint8_t {
  same,
  error,          ///< refused
  finding,        ///< one that counts
  worse,          ///< without a finding that counts
  assumption,     ///< better, and the verdict names an assumption
  default_value,  ///< better, by a default of AMALTHEA
  another_model,  ///< better: something is removed or replaced as a whole
  elsewhere,      ///< better, and a finding that counts is only at another place
  unreached,      ///< better, with a finding, but a limit that depends on it is met
  silent          ///< better, and nothing says why
};
std::string_view to_string(Effect);

struct Judgement {
  Effect effect = Effect::same;
  std::string why;  ///< what became better, and what was found
};
/// As far as the two outcomes tell: neither `default_value` nor `another_model`.
Judgement compare(const Outcome& sound, const Outcome& holed, const Places& places);

}  // namespace holes
