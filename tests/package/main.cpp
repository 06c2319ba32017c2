// SPDX-License-Identifier: Apache-2.0
// Model → system → results in three calls, with the installed headers.

#include <cstdio>

#include <engine/analysis.hpp>
#include <importer/building/system_builder.hpp>
#include <importer/reading/model_reader.hpp>

int main(int, char** argv) {
  amalthea::Diagnostics diagnostics;
  const auto model = amalthea::importer::read_model({argv[1]}, {}, diagnostics);
  if (!model) return 1;
  const auto system = amalthea::importer::build_system(*model, {}, diagnostics);
  if (!system) return 1;
  const auto results = amalthea::engine::analyze(*system, {}, diagnostics);
  if (!results) return 1;
  for (std::size_t task = 0; task < system->tasks.size(); ++task)
    std::printf("%s %lld\n", system->tasks[task].name.c_str(),
                static_cast<long long>(results->tasks[task].response.max.picoseconds()));
  return 0;
}
