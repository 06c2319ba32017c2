// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the changes between two states of a model do to its timing: both states analyzed, and the share of each part of
/// the model (software, mapping, stimuli …) in the difference.
///
/// For the shares, the changes of one part alone are applied to the older state, and those of all other parts. The two
/// differ if parts interact: a task that is added and its allocation have no effect without each other.

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/editable_model.hpp"
#include "amalthea/element.hpp"
#include "analysis/model_analysis.hpp"
#include "difference/comparison.hpp"
#include "exporter/differences/change_effects.hpp"
#include "migration/release.hpp"

namespace amalthea::analysis {

/// A model without annotations, in the release in which it is compared. It refers to the model.
struct ComparableModel {
  ComparableModel(const Model& model, migration::Release release, Diagnostics& findings);
  EditableModel editable;
  bool converted = true;  ///< false if it cannot be converted; `findings` says why
};

/// Models in one release, that of the newest one. They must outlive it.
struct ComparedModels {
  explicit ComparedModels(const std::vector<const Model*>& models);
  difference::Comparison compare(std::size_t older, std::size_t newer) const;

  migration::Release release;
  Diagnostics findings;  ///< of the conversions
  std::vector<std::unique_ptr<ComparableModel>> states;
  std::optional<std::size_t> unconverted;  ///< the first that cannot be converted; then nothing can be compared
};

/// Adds the findings of both analyses. An error if one of both states cannot be analyzed.
Outcome<exporter::ChangeEffects> change_effects(const Model& older, const Model& newer,
                                                const difference::Comparison& comparison, const Options& options,
                                                Diagnostics& findings);

}  // namespace amalthea::analysis
