// SPDX-License-Identifier: Apache-2.0
// An XML Timing Cookie (XTC 2.6) as AbsInt's plugin for APP4MC writes and reads it (github.com/AbsInt/app4mc-plugin,
// XTCConnector.java): answers to requests for the longest execution of every task. No schema is at hand, so nothing is
// written that this plugin does not know: no shortest executions, activations or response times.

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/primitives/xml_text.hpp"
#include "exporter/peers/peer_formats.hpp"

namespace amalthea::exporter {
namespace {

void append_executable(std::string& out, const PeerSystem& peer, std::size_t i) {
  const PeerTask& task = peer.tasks[i];
  const std::string name = one_line(peer.name(task));
  constexpr std::int64_t picoseconds = 1000;
  out += "      <executable";
  append_attribute(out, "start", name);
  append_attribute(out, "name", name);
  out += fmt::format(
      " type=\"runnable\" id=\"EXEC_ID_{0}\">\n"
      "        <mode id=\"MODE_ID_{0}\">\n"
      "          <request mode=\"batch\" type=\"WCET\" vendor=\"amalthea\"/>\n"
      "          <response><WCET value=\"{1}\" unit=\"ns\"/></response>\n"
      "        </mode>\n      </executable>\n",
      i, (task.worst + Duration::picoseconds(picoseconds - 1)).picoseconds() / picoseconds);
}

}  // namespace

std::string xtc_limits(const PeerSystem& /*peer*/, const PeerTask& /*task*/) { return {}; }

std::vector<PeerFile> write_xtc(const PeerSystem& peer) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  for (const std::string& line : head_of(peer, "readers of XTC")) append_xml_comment(out, line);
  append_xml_comment(out,
                     "It holds longest executions only, rounded up to nanoseconds: no activations, no priorities.");
  out += "<xtc xmlns=\"http://www.all-times.org/xtc\" version=\"2.6\">\n  <common>\n";
  for (const PeerCore& core : peer.cores) {
    out += "    <CPU";
    append_attribute(out, "name", one_line(peer.name(core)));
    out += fmt::format(" id=\"CPU_ID_{}\" file=\"\">\n", core.unit);
    for (const std::size_t i : core.tasks) append_executable(out, peer, i);
    out += "    </CPU>\n";
  }
  return {{"", out + "  </common>\n</xtc>\n"}};
}

}  // namespace amalthea::exporter
