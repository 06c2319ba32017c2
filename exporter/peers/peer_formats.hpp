// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A system as input of tools of others that judge its timing: a second opinion (docs/how-to/second-opinion.md).
///
/// What a tool cannot express is left out and reported (peer_system.hpp), and listed at the head of a file whose format
/// has comments. A format is one function, and one line in peer_formats.cpp.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/peers/peer_system.hpp"

namespace amalthea::exporter {

/// Of one core, in what simulates or explores single jobs.
inline constexpr std::int64_t most_peer_jobs = 100'000;

struct PeerFile {
  std::string name;  ///< within a folder; "": the only file of the format
  std::string text;
};

struct PeerFormat {
  std::string_view name;
  std::string_view tool;
  bool folder;  ///< several files, one or more for each core
  std::string (*limits)(const PeerSystem&, const PeerTask&);
  std::vector<PeerFile> (*write)(const PeerSystem&);
};

/// The format with this name, or null.
const PeerFormat* peer_format_of(std::string_view name);
/// All names, joined by ", ".
std::string peer_format_names();

/// The files for this tool; none, and an error (AM0721), if it can express no core.
std::vector<PeerFile> write_peer(const System& system, const PeerFormat& format, const PlaceOf& place_of,
                                 Diagnostics& findings);

/// For SimSo 0.8, a simulator: one XML file for each core.
std::string simso_limits(const PeerSystem& peer, const PeerTask& task);
std::vector<PeerFile> write_simso(const PeerSystem& peer);
/// For pyCPA 1.2, compositional performance analysis: a Python script that prints a bound for every task.
std::string pycpa_limits(const PeerSystem& peer, const PeerTask& task);
std::vector<PeerFile> write_pycpa(const PeerSystem& peer);
/// For MAST 1.x: a transaction for each row of triggers; holistic and offset-based analyses.
std::string mast_limits(const PeerSystem& peer, const PeerTask& task);
std::vector<PeerFile> write_mast(const PeerSystem& peer);
/// For the schedule-abstraction graphs of np-schedulability-analysis: for each core the jobs of a hyperperiod, and
/// which of them follow each other.
std::string np_limits(const PeerSystem& peer, const PeerTask& task);
std::vector<PeerFile> write_np(const PeerSystem& peer);

/// For readers of XML Timing Cookies (XTC), which AbsInt's tools and their plugin for APP4MC exchange: the longest
/// executions.
std::string xtc_limits(const PeerSystem& peer, const PeerTask& task);
std::vector<PeerFile> write_xtc(const PeerSystem& peer);

/// What a tool cannot express whose rows are lists: a trigger before the end of a job, or several by one task.
std::string row_limits(const PeerSystem& peer, const PeerTask& task);
/// A name for a file: letters, digits, "-" and "_" of the name of the core, and its number where two would be equal.
std::string file_name_of(const PeerSystem& peer, const PeerCore& core);
/// What stands at the head of every file, one line each, without control characters.
std::vector<std::string> head_of(const PeerSystem& peer, std::string_view tool);
/// One line; "--" is written "- -", which no comment may contain.
void append_xml_comment(std::string& out, std::string text);

}  // namespace amalthea::exporter
