// SPDX-License-Identifier: Apache-2.0
#include "exporter/graph/graph_formats.hpp"
#include "exporter/report/detail/page.hpp"
#include "exporter/report/first_page.hpp"
#include "exporter/report/report.hpp"

namespace amalthea::exporter {

std::string render_report_html(const ReportView& view) {
  return render_page(Page::report, {page_title(view.analysis.model), render_report_data(view),
                                    render_graph_overview_svg(view.analysis.system),
                                    render_first_page_html(first_page(view.analysis))});
}

}  // namespace amalthea::exporter
