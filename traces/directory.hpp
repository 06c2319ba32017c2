// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The names that a system has in traces, and what each of them means.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/graph/system.hpp"
#include "traces/event.hpp"

namespace amalthea::traces {

/// What an entity of a trace is in a system.
struct Subject {
  enum class Kind : std::uint8_t {
    unknown,
    task,         ///< or ISR: TaskIndex
    runnable,     ///< RunnableIndex
    stimulus,     ///< StimulusIndex
    core,         ///< UnitIndex
    device_core,  ///< a part of a GPU: an engine, a place on an SM
    label,        ///< LabelIndex
    operation,    ///< a copy or kernel: into Directory::operations
    block,        ///< the blocks of that kernel
    submission,   ///< the stimulus that stands for the submission of that operation
  };
  Kind kind = Kind::unknown;
  std::uint32_t index = 0;
  friend bool operator==(const Subject&, const Subject&) = default;
};

struct Operation {
  NodeIndex node = 0;
  TaskIndex task = 0;
};

struct Directory {
  std::vector<Operation> operations;

  /// The first subject with this name is kept.
  void add(EntityKind kind, const std::string& name, Subject subject);
  /// Kind::unknown if nothing has this name.
  Subject find(EntityKind kind, std::string_view name) const;
  /// All names, for suggestions.
  std::vector<std::string_view> names(EntityKind kind) const;

 private:
  std::array<std::unordered_map<std::string, Subject>, entity_kinds> known_;
};

/// Names of a trace that are others than those of the model: patterns of a shell (*, ?, [a-z]), tried in order.
class NameRules {
 public:
  /// A JSON object from patterns to names of the model. The error has line and column.
  static tl::expected<NameRules, std::string> parse(std::string_view json);

  /// The name in the model: that of the first pattern that matches, else the name itself.
  const std::string& apply(const std::string& name) const;
  /// Patterns that matched nothing so far.
  std::vector<std::string> unused() const;

 private:
  struct Rule {
    std::string pattern, name;
    mutable bool used = false;
  };
  std::vector<Rule> rules_;
};

}  // namespace amalthea::traces
