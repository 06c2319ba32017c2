// SPDX-License-Identifier: Apache-2.0
#include "exporter/peers/peer_formats.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"

namespace amalthea::exporter {
namespace {

constexpr std::array formats = {
    PeerFormat{"simso", "SimSo", true, simso_limits, write_simso},
    PeerFormat{"pycpa", "pyCPA", false, pycpa_limits, write_pycpa},
    PeerFormat{"mast", "MAST", false, mast_limits, write_mast},
    PeerFormat{"np-schedulability", "np-schedulability-analysis", true, np_limits, write_np},
    PeerFormat{"xtc", "XTC", false, xtc_limits, write_xtc},
};

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name) text += is_plain(c) ? c : '_';
  return text.empty() || text.front() == '-' ? "_" + text : text;
}

}  // namespace

const PeerFormat* peer_format_of(std::string_view name) {
  const auto* const found =
      std::find_if(formats.begin(), formats.end(), [&](const PeerFormat& format) { return format.name == name; });
  return found == formats.end() ? nullptr : found;
}

std::string peer_format_names() {
  std::string names;
  for (const PeerFormat& format : formats) names.append(names.empty() ? "" : ", ").append(format.name);
  return names;
}

std::vector<PeerFile> write_peer(const System& system, const PeerFormat& format, const PlaceOf& place_of,
                                 Diagnostics& findings) {
  const PeerSystem peer = peer_system(system, format.tool, format.limits, place_of, findings);
  if (!peer.cores.empty()) return format.write(peer);
  findings.add("AM0721", Severity::error,
               fmt::format("{} can express no core of this system; nothing was written", format.tool));
  return {};
}

std::string row_limits(const PeerSystem& peer, const PeerTask& task) {
  if (!task.trigger) return {};
  if (!task.triggered_at_end) return fmt::format("the job that triggers {} goes on after that", peer.name(task));
  const auto followers = std::count_if(peer.tasks.begin(), peer.tasks.end(),
                                       [&](const PeerTask& other) { return other.trigger == task.trigger; });
  return followers > 1 ? fmt::format("the task that triggers {} triggers several", peer.name(task)) : "";
}

std::string file_name_of(const PeerSystem& peer, const PeerCore& core) {
  const std::string name = plain(peer.name(core));
  const auto same = std::count_if(peer.cores.begin(), peer.cores.end(),
                                  [&](const PeerCore& other) { return plain(peer.name(other)) == name; });
  return same > 1 ? fmt::format("{}.{}", name, core.unit) : name;
}

std::vector<std::string> head_of(const PeerSystem& peer, std::string_view tool) {
  std::vector<std::string> lines = {
      fmt::format("A system for {}, written by amalthea convert. It is never easier than the model: the longest "
                  "executions are rounded",
                  tool),
      "up, the shortest ones and periods down. Not expressed: activation limits (no activation is lost here), and the "
      "order in",
      "which a job executes, accesses memory and sets modes (here it only executes).",
  };
  for (const std::string& sentence : peer.left_out) lines.push_back(one_line(sentence) + ".");
  return lines;
}

void append_xml_comment(std::string& out, std::string text) {
  for (std::size_t at = 0; (at = text.find("--", at)) != std::string::npos;) text.insert(at + 1, " ");
  out += fmt::format("<!-- {} -->\n", text);
}

}  // namespace amalthea::exporter
