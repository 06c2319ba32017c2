// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What custom properties state about a kernel: its launch, its instructions, its costs on an AMD GPU.

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "importer/building/detail/build_context.hpp"

namespace amalthea::importer::detail {

/// Whether its runnable states instructions, in place of ticks.
bool has_instructions(const BuildContext& context, const GraphNode& node);

/// What blocks of kernels need of an SM. A kernel that does not state what others do may need more than nothing.
class BlockNeeds {
 public:
  /// `block`: the property gpu.block of the kernel.
  void note(Unstated what, bool stated, Element block) {
    Kernels& kernels = kernels_[what];
    if (stated)
      kernels.any_states = true;
    else
      kernels.silent.push_back(block);
  }

  void report(BuildContext& context) const {
    for (const auto& [what, kernels] : kernels_)
      if (kernels.any_states)
        for (const Element block : kernels.silent) context.assume(what, block);
  }

 private:
  struct Kernels {
    bool any_states = false;
    std::vector<Element> silent;
  };
  std::map<Unstated, Kernels> kernels_;
};

/// Of a kernel with this node in a task; values that are not understood are errors.
class KernelProperties {
 public:
  KernelProperties(BuildContext& context, BlockNeeds& needs, const GraphNode& node, TaskIndex task)
      : context_(context), needs_(needs), node_(node), task_(task) {}

  double memory_intensity();
  /// The launch configuration: nothing if the threads of a block are not stated.
  std::optional<Launch> launch();
  /// What it costs on an AMD GPU beside the time of its blocks.
  KernelCosts costs();
  std::optional<KernelInstructions> instructions();

 private:
  /// A property of the kernel's runnable, else of its task.
  std::optional<Parameter> property_of(std::string_view key) const;
  /// Sets `target` to an integer of at least `minimum`; the product of up to three if dimensions are allowed.
  bool read_count(std::string_view key, bool dimensions, std::int64_t minimum, std::int64_t& target);

  BuildContext& context_;
  BlockNeeds& needs_;
  const GraphNode& node_;
  TaskIndex task_;
};

}  // namespace amalthea::importer::detail
