// SPDX-License-Identifier: Apache-2.0
#include "exporter/gpu/timeline_formats.hpp"

namespace amalthea::exporter {

const std::vector<TimelineFormat>& timeline_formats() {
  static const std::vector<TimelineFormat> formats = {
      {".txt", render_gpu_gantt_text},
      {".svg", render_gpu_gantt_svg},
      {".json", render_gpu_trace_perfetto},
      {".btf", render_gpu_trace_btf},
  };
  return formats;
}

const TimelineFormat* timeline_format_of(std::string_view path) {
  for (const TimelineFormat& format : timeline_formats())
    if (path.ends_with(format.extension)) return &format;
  return nullptr;
}

}  // namespace amalthea::exporter
