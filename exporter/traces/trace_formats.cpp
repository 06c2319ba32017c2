// SPDX-License-Identifier: Apache-2.0
#include "exporter/traces/trace_formats.hpp"

#include <algorithm>

namespace amalthea::exporter {

const std::vector<TraceFormat>& trace_formats() {
  static const std::vector<TraceFormat> formats = {
      {".btf", make_trace_btf},
      {".json", make_trace_perfetto},
      {".json.gz", make_trace_perfetto_gz},
#ifdef AMALTHEA_PROTOBUF
      {".pftrace", make_trace_perfetto_protobuf},
#endif
      {".svg", make_trace_svg},
      {".csv", make_trace_csv},
      {".atdb", make_trace_atdb},
  };
  return formats;
}

const TraceFormat* trace_format_of(std::string_view path) {
  const auto& formats = trace_formats();
  const auto found = std::find_if(formats.begin(), formats.end(), [&](const TraceFormat& format) {
    return path.size() > format.extension.size() &&
           path.substr(path.size() - format.extension.size()) == format.extension;
  });
  return found == formats.end() ? nullptr : &*found;
}

}  // namespace amalthea::exporter
