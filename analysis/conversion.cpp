// SPDX-License-Identifier: Apache-2.0
#include "analysis/conversion.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/core.h>

#include "amalthea/primitives/near_miss.hpp"
#include "analysis/request.hpp"
#include "engine/devices/chosen_devices.hpp"
#include "engine/program/program.hpp"
#include "exporter/rewriting/annotation_state.hpp"

namespace amalthea::analysis {
namespace {

/// The oldest release among the files of the model: the first steps do not change newer content.
migration::Release release_of(const Model& model) {
  migration::Release oldest = migration::release_of(*model.documents().front());
  for (const auto& document : model.documents()) oldest = std::min(oldest, migration::release_of(*document));
  return oldest;
}

}  // namespace

OptionTable conversion_options(ConversionRequest& request) {
  return {row("to", &request.to,
              fmt::format("Target version, {} to {} or itea-1.1.0 to itea-1.3.0. An older version works if it can hold "
                          "the content. Or table, as amalthea new reads it. Or a tool for a second opinion: {}",
                          to_string(oldest_version), to_string(newest_version), exporter::peer_format_names()),
              {group::conversion}, {.takes = "VERSION"}),
          row("places", &request.places, "Number of places and findings listed per rule", rare(group::conversion))};
}

Outcome<migration::Release> target_of(const ConversionRequest& request) {
  if (const auto to = migration::parse_release(request.to)) return *to;
  if (exporter::peer_format_of(request.to) != nullptr)
    return misused("--to " + request.to, "only the command `amalthea convert` writes one model for another tool");
  return misused("--to " + request.to,
                 fmt::format("expected an AMALTHEA version, itea-1.1.0 to itea-1.3.0 or {} to {}, or one of table, {}",
                             to_string(oldest_version), to_string(newest_version), exporter::peer_format_names()),
                 did_you_mean(request.to, all_versions(), [](Version known) { return to_string(known); }));
}

Conversion::Conversion(const Model& model, migration::Release target, std::size_t places)
    : from(release_of(model)), to(target), editable(model, SharedIds::apart), record(findings, places) {
  exporter::drop_annotations(model, editable, findings);
  objects_before = editable.object_count();
  done = migration::migrate(editable, from, to, record, findings);
}

exporter::Conversion report_of(const Conversion& conversion, const Model& model) {
  std::vector<std::string> files;
  for (const auto& document : model.documents()) files.push_back(document->source().path());
  return {files,
          conversion.from,
          conversion.to,
          conversion.objects_before,
          conversion.editable.object_count(),
          conversion.record,
          conversion.findings};
}

std::map<std::pair<std::uint32_t, std::uint32_t>, exporter::ExecutionTimes> execution_times(const Model& model) try {
  Diagnostics unused;
  std::map<std::pair<std::uint32_t, std::uint32_t>, exporter::ExecutionTimes> times;
  const auto system = build(model, {}, true, unused);
  if (!system) return times;
  engine::CompileOptions compile;
  compile.flatten_branches = compile.all_units = true;
  const auto devices = engine::default_devices(*system);
  compile.rounding = Rounding::down;
  const auto best = engine::compile_programs(*system, engine::Execution::best, devices, compile);
  compile.rounding = Rounding::up;
  const auto worst = engine::compile_programs(*system, engine::Execution::worst, devices, compile);
  for (TaskIndex task = 0; task < system->tasks.size(); ++task) {
    const Task& stated = system->tasks[task];
    if (stated.side == Side::host && !stated.folded_into && worst[task].unanalyzable.empty() && stated.origin.known())
      times[{stated.origin.document, stated.origin.element}] = {best[task].execution, worst[task].execution};
  }
  return times;
} catch (const std::overflow_error&) {  // of times
  return {};
}

Outcome<std::vector<exporter::PeerFile>> second_opinion(const Model& model, const exporter::PeerFormat& format,
                                                        Diagnostics& findings) try {
  const auto system = build(model, {}, false, findings);
  if (!system) return tl::unexpected(Failure{});
  const auto place_of = [&](Origin origin) { return origin.known() ? model.element(origin).location() : Location{}; };
  auto files = exporter::write_peer(*system, format, place_of, findings);
  if (files.empty()) return tl::unexpected(Failure{});
  return files;
} catch (const std::overflow_error&) {
  engine::report_time_overflow(findings);
  return tl::unexpected(Failure{});
}

}  // namespace amalthea::analysis
