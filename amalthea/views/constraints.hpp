// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Constraints, in one form for all versions. Literals are as written, "" if they are unstated or `_undefined_`.

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/location.hpp"
#include "amalthea/time.hpp"

namespace amalthea::views {

// ---------------------------------------------------------------- order of runnables

/// Runnables, processes, labels or schedulers, listed or selected by a tag.
struct EntityGroup {
  std::vector<Element> members;  ///< as listed; empty for a TagGroup
  Element tag;                   ///< for a TagGroup
  /// 0.7.0: "allOfThem" or "atLeastOneOfThem" of the group must run, or "".
  std::string_view grouping;
  /// 0.7.0: the processes in which the group's runnables count.
  std::vector<Element> process_scope;
};

struct RunnableSequencingConstraint {
  Element element;
  /// "successor", "immediateSuccessorStartSequence", "immediateSuccessorAnySequence", "immediateSuccessorEndSequence"
  std::string_view order;
  std::vector<Element> process_scope;
  std::vector<EntityGroup> groups;
};
std::vector<RunnableSequencingConstraint> runnable_sequencing_constraints(const Model& model);

// ---------------------------------------------------------------- affinity

enum class AffinityKind : std::uint8_t { unknown, pairing, separation };
enum class AffinitySubject : std::uint8_t { unknown, runnables, processes, data, schedulers };

/// Where things must be together, or apart.
struct AffinityTarget {
  std::vector<Element> places;  ///< cores, schedulers, memories; in 0.7.x also processes and call sequences
};
struct AffinityConstraint {
  Element element;
  std::string_view name;
  AffinityKind kind = AffinityKind::unknown;
  AffinitySubject subject = AffinitySubject::unknown;  ///< schedulers: 0.7.0 only
  std::vector<EntityGroup> groups;                     ///< one for a pairing
  std::optional<AffinityTarget> target;
};
std::vector<AffinityConstraint> affinity_constraints(const Model& model);

// ---------------------------------------------------------------- timing

/// EventChainLatencyConstraint; AgeConstraint and ReactionConstraint in 0.7.0.
struct LatencyConstraint {
  enum class Type : std::uint8_t { unstated, age, reaction };
  Element chain;
  Type type = Type::unstated;
  std::optional<Duration> minimum;
  std::optional<Duration> maximum;
};
struct DelayConstraint {
  Element source;
  Element target;
  std::optional<Duration> lower;
  std::optional<Duration> upper;
  std::string_view mapping;  ///< "OneToOne", "Reaction", "UniqueReaction" or ""
};
/// The target follows the source; 0.7.0 only.
struct OrderConstraint {
  Element source;
  Element target;
};
struct RepetitionConstraint {
  Element event;
  std::int64_t span = 0;
  std::optional<Duration> lower;
  std::optional<Duration> upper;
  std::optional<Duration> jitter;
  std::optional<Duration> period;
};
/// For events: EventSynchronizationConstraint, SynchronisationConstraint. For chains:
/// EventChainSynchronizationConstraint.
struct SynchronizationConstraint {
  std::vector<Element> events;
  std::vector<Element> chains;
  std::string_view type;  ///< for chains: "Stimulus", "Response" or ""
  std::optional<Duration> tolerance;
  bool multiple_occurrences_allowed = false;
};
struct UnknownConstraint {};

struct TimingConstraint {
  Element element;
  std::string_view name;
  std::variant<UnknownConstraint, LatencyConstraint, DelayConstraint, OrderConstraint, RepetitionConstraint,
               SynchronizationConstraint>
      kind;
};
std::vector<TimingConstraint> timing_constraints(const Model& model, Diagnostics& diagnostics);

// ---------------------------------------------------------------- data

struct DataAgeConstraint {
  Element element;
  Element runnable;
  Element label;
  std::optional<std::int64_t> least_cycles;  ///< DataAgeCycle
  std::optional<std::int64_t> max_cycles;
  std::optional<Duration> minimum;  ///< DataAgeTime
  std::optional<Duration> maximum;
};
std::vector<DataAgeConstraint> data_age_constraints(const Model& model, Diagnostics& diagnostics);

/// Labels that must belong together (coherency) or keep their values (stability) in a scope.
struct DataGroup {
  Element element;
  bool stability = false;      ///< DataStabilityGroup, since 0.7.1; else DataCoherencyGroup
  std::string_view direction;  ///< for coherency: "input", "output" or ""
  std::vector<Element> labels;
  Element scope;  ///< the process, runnable or component; empty if there is none
};
/// Coherency groups in document order, then stability groups.
std::vector<DataGroup> data_groups(const Model& model);

/// Since 0.7.1.
struct PhysicalSectionConstraint {
  Element element;
  Element section;
  std::vector<Element> memories;
};
std::vector<PhysicalSectionConstraint> physical_section_constraints(const Model& model);

}  // namespace amalthea::views
