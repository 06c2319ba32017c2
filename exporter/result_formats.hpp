#pragma once
/// \file
/// Output formats of an analysis, by name. A new format is one new file and one line in result_formats.cpp.

#include <span>
#include <string>
#include <string_view>

#include "exporter/result_view.hpp"

namespace amalthea::exporter {

struct RenderOptions {
  bool colour = false;   ///< ANSI colours; only formats for people heed it
  bool metrics = false;  ///< the states of processes, too; formats for programs always have them
};

struct ResultFormat {
  std::string_view name;
  std::string (*render)(const ResultView&, const RenderOptions&);
};

std::span<const ResultFormat> result_formats();
/// Null when there is no such format.
const ResultFormat* find_result_format(std::string_view name);

/// For people: aligned tables, why tasks miss deadlines, findings.
std::string render_text(const ResultView&, const RenderOptions&);
/// For programs: the schema `amalthea-timing/1`, times in integer picoseconds.
std::string render_json(const ResultView&, const RenderOptions&);

}  // namespace amalthea::exporter
