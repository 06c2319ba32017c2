// SPDX-License-Identifier: Apache-2.0
// A certificate in the language of Coq.

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "amalthea/quantity.hpp"
#include "amalthea/rounded_duration.hpp"
#include "exporter/certificates/certificates.hpp"
#include "exporter/certificates/detail/certificate_names.hpp"

namespace amalthea::exporter {
namespace {

using engine::CoreProof;
using engine::ProofClaim;
using engine::ProofKind;
using engine::ProofTask;

/// What the name of a kind is made of, in the theory and in words.
struct KindText {
  std::string_view theory, name, words;
  std::string_view above = {};  ///< in the names of bound and theorem, but not of the check
};
KindText text_of(ProofKind kind) {
  switch (kind) {
    case ProofKind::preemptive:
      return {"FixedPriority", "preemptive", "Fixed priorities; every job can be preempted at any time"};
    case ProofKind::preemptive_above:
      return {
          "LowerPriorities", "preemptive",
          "Fixed priorities; every job can be preempted at any time. Other tasks of the core, which are not listed, "
          "have a lower priority",
          "_above"};
    case ProofKind::preemptive_rows:
      return {"Rows", "preemptive_rows",
              "Fixed priorities; every job can be preempted at any time. Tasks trigger others of lower priority. Other "
              "tasks of the core, which are not listed, have a lower priority"};
    case ProofKind::floating:
      return {"Sections", "floating", "Fixed priorities; jobs have sections that cannot be preempted"};
    case ProofKind::non_preemptive:
      return {"FixedPriority", "non_preemptive", "Fixed priorities; no job can be preempted"};
    case ProofKind::deadline:
      return {"EarliestDeadline", "deadline", "Earliest deadline first; every job can be preempted at any time"};
    case ProofKind::deadline_non_preemptive:
      break;
  }
  return {"EarliestDeadline", "deadline_non_preemptive", "Earliest deadline first; no job can be preempted"};
}

/// Letters of ASCII, digits and "_", beginning with a letter.
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name)
    out += std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 128 ? c : '_';
  return out.empty() || std::isalpha(static_cast<unsigned char>(out.front())) == 0 ? "task_" + out : out;
}

std::string unique(std::string name, std::set<std::string>& taken) {
  const std::string stem = name;
  for (int number = 2; !taken.insert(name).second; ++number) name = fmt::format("{}_{}", stem, number);
  return name;
}

std::string ticks(Duration time) { return fmt::format("{}", time.picoseconds()); }

std::string arrivals_of(const ProofTask& task) {
  if (task.steps.empty()) return fmt::format("Periodic_T {}", ticks(task.period));
  std::string steps;
  for (const auto& [length, count] : task.steps)
    steps += fmt::format("{}({}, {})", steps.empty() ? "" : "; ", ticks(length), count);
  return fmt::format("ArrivalPrefix_T ({}, [:: {} ])", ticks(task.horizon), steps);
}

void append_tasks(std::string& out, const CoreProof& proof, const std::vector<std::string>& names) {
  out +=
      "(** The task set. A task arrives with at least its period between two arrivals, or at most as often as its "
      "curve\n"
      "    says: pairs of a length and the most arrivals in half-open windows of at least that length. *)\n"
      "Definition tasks : seq (@task_T N) := [::";
  for (std::size_t i = 0; i < proof.tasks.size(); ++i) {
    const ProofTask& task = proof.tasks[i];
    out += fmt::format(
        "{}\n  (* {}: at most {} each *)\n"
        "  {{| task_id_T := {}; task_cost_T := {}; task_deadline_T := {}; task_priority_T := {};\n"
        "     task_arrival_T := {} |}}",
        i == 0 ? "" : ";", names[i], format_duration(task.cost), i, ticks(task.cost), ticks(task.deadline),
        task.priority, arrivals_of(task));
  }
  out += " ].\n\n";
}

void append_claims(std::string& out, const CoreProof& proof, const std::vector<std::string>& names) {
  out +=
      "(** For each task: the length L of its busy interval, the bound R, and one F for each point A of the search "
      "space.\n"
      "    *)\n"
      "Definition claims : seq claim := [::";
  for (std::size_t i = 0; i < proof.claims.size(); ++i) {
    const ProofClaim& claim = proof.claims[i];
    std::string solutions;
    for (const Duration solution : claim.solutions) solutions += (solutions.empty() ? "" : "; ") + ticks(solution);
    out += fmt::format("{}\n  (* {}: {} *)\n  {{| c_task := {}%nat; c_L := {}; c_R := {};\n     c_F := [:: {} ] |}}",
                       i == 0 ? "" : ";", names[claim.task], format_duration(claim.response, Rounding::up), claim.task,
                       ticks(claim.busy), ticks(claim.response), solutions);
  }
  out += " ].\n\n";
}

void append_rows(std::string& out, const CoreProof& proof, const std::vector<std::string>& names) {
  out +=
      "(** Tasks that others trigger: the task, its source, the least time from the arrival of the source's job to the\n"
      "    trigger, and the claim about the source. The curve of such a task follows from that of its source. *)\n"
      "Definition rows : seq row := [::";
  for (std::size_t i = 0; i < proof.rows.size(); ++i) {
    const engine::ProofRow& row = proof.rows[i];
    const auto claim = std::find_if(proof.claims.begin(), proof.claims.end(),
                                    [&](const ProofClaim& one) { return one.task == row.source; });
    out += fmt::format(
        "{}\n  (* {} triggers {} *)\n"
        "  {{| r_task := {}%nat; r_source := {}%nat; r_least := {}; r_claim := {}%nat |}}",
        i == 0 ? "" : ";", names[row.source], names[row.task], row.task, row.source, ticks(row.least),
        claim - proof.claims.begin());
  }
  out += " ].\n\n";
}

}  // namespace

CertificateNames certificate_names(const System& system, const engine::Proofs& proofs) {
  CertificateNames names;
  std::set<std::string> files;
  for (const CoreProof& proof : proofs.cores) {
    names.files.push_back(unique(plain(system.platform.units[proof.unit].name), files) + ".v");
    std::set<std::string> taken;
    std::vector<std::string>& of_core = names.theorems.emplace_back();
    for (const ProofTask& task : proof.tasks)
      of_core.push_back(unique(plain(system.tasks[task.task].name), taken) + "_is_bounded");
  }
  return names;
}

std::string_view words_of(ProofKind kind) { return text_of(kind).words; }

std::vector<CertificateFile> certificates_of(const System& system, const engine::Proofs& proofs) {
  const CertificateNames names = certificate_names(system, proofs);
  std::vector<CertificateFile> files;
  for (std::size_t core = 0; core < proofs.cores.size(); ++core) {
    const CoreProof& proof = proofs.cores[core];
    const KindText kind = text_of(proof.kind);
    const std::vector<std::string>& theorems = names.theorems[core];
    const bool sections = proof.kind == ProofKind::floating, rows = proof.kind == ProofKind::preemptive_rows;
    std::string out = fmt::format(
        "(** {}. One core; times are picoseconds.\n    The folder's README.md says how to check this file. *)\n"
        "Require Import Amalthea.{}.\nOpen Scope N_scope.\n\n",
        kind.words, kind.theory);
    append_tasks(out, proof, theorems);
    if (sections) {
      out +=
          "(** The longest section of each task that no other can preempt; 1: none. *)\nDefinition segs : seq N := "
          "[:: ";
      for (std::size_t i = 0; i < proof.tasks.size(); ++i) out += (i == 0 ? "" : "; ") + ticks(proof.tasks[i].section);
      out += " ].\n\n";
    }
    append_claims(out, proof, theorems);
    if (rows) append_rows(out, proof, theorems);
    const std::string set = sections ? "segs tasks" : rows ? "rows tasks" : "tasks";
    out += fmt::format(
        "Lemma checked : {} = true.\nProof. vm_compute. reflexivity. Qed.\n\n"
        "(** In every schedule of such jobs, each job of the task completes within this time of its arrival. *)\n",
        rows ? "rows_ok rows tasks claims" : fmt::format("all ({}_ok {}) claims", kind.name, set));
    for (std::size_t i = 0; i < proof.claims.size(); ++i) {
      const ProofClaim& claim = proof.claims[i];
      out += fmt::format(
          "Theorem {0} : {1}{2}_bound {3} {4}%nat {5}.\n"
          "Proof. apply ({1}{2}_sound {3} claims {6}%nat _ _ checked). vm_compute. reflexivity. Qed.\n",
          theorems[claim.task], kind.name, kind.above, set, claim.task, ticks(claim.response), i);
    }
    std::string all;
    for (const ProofClaim& claim : proof.claims) all += (all.empty() ? "" : ",\n  ") + theorems[claim.task];
    out += fmt::format("\nDefinition all_bounds := (\n  {}).\nPrint Assumptions all_bounds.\n", all);
    files.push_back({names.files[core], std::move(out)});
  }
  return files;
}

}  // namespace amalthea::exporter
