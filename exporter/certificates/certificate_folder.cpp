// SPDX-License-Identifier: Apache-2.0
// What stands beside the certificates: the manifest, the theory, and how to check all of it.

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/program/arrivals.hpp"
#include "exporter/certificates/certificates.hpp"
#include "exporter/certificates/detail/certificate_names.hpp"
#include "exporter/primitives/outside_json.hpp"

namespace amalthea::exporter {
namespace {

using Json = nlohmann::ordered_json;

struct TheoryFile {
  std::string_view name, text;
};
#include "theory_files.inc"

constexpr std::string_view meaning =
    "Each theorem bounds the time from the actual arrival of a job to its completion, in every schedule that the task "
    "set of its certificate allows. A limit that counts from the nominal release must allow for the jitter in "
    "addition. "
    "The end of a job that needs its core once more after all of its execution counts as one picosecond of execution.";

std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

/// The core of a task, and its theorems.
struct Claimed {
  std::size_t core = 0;
  std::vector<std::size_t> entries;
};

class Manifest {
 public:
  explicit Manifest(const CertificateView& view)
      : view_(view),
        names_(certificate_names(view.system, view.proofs)),
        certificates_(certificates_of(view.system, view.proofs)) {
    for (std::size_t core = 0; core < view.proofs.cores.size(); ++core)
      for (const engine::ProofClaim& claim : view.proofs.cores[core].claims) {
        Claimed& claimed = claimed_[view.proofs.cores[core].tasks[claim.task].task];
        claimed.core = core;
        claimed.entries.push_back(claim.task);
      }
  }

  std::vector<CertificateFile> certificates() && { return std::move(certificates_); }

  Json json() const {
    Json out;
    out["schema"] = certificates_schema;
    out["tool"] = fmt::format("{} {}", tool_name, tool_version);
    out["model"] = {{"files", view_.model.files}, {"version", view_.model.version}, {"hash", view_.model.hash}};
    out["options"] = Json::object();
    for (const auto& [name, value] : view_.options) {
      if (out["options"].contains(name))
        out["options"][name] = out["options"][name].get<std::string>() + "\n" + value;
      else
        out["options"][name] = value;
    }
    out["prosa"] = "0.5";
    out["coq"] = nullptr;
    out["meaning"] = meaning;
    out["cores"] = Json::array();
    for (std::size_t core = 0; core < certificates_.size(); ++core)
      out["cores"].push_back({{"core", view_.system.platform.units[view_.proofs.cores[core].unit].name},
                              {"file", certificates_[core].name},
                              {"schedule", words_of(view_.proofs.cores[core].kind)},
                              {"hash", "sha256:" + hash_of_text(certificates_[core].text)},
                              {"accepted", nullptr}});
    out["tasks"] = Json::array();
    for (TaskIndex task = 0; task < view_.system.tasks.size(); ++task) add_task(task, out["tasks"]);
    out["chains"] = Json::array();
    out["other_chains"] = Json::array();
    for (const Chain& chain : view_.system.chains) add_chain(chain, out);
    return out;
  }

 private:
  void add_task(TaskIndex task, Json& tasks) const {
    if (!view_.proofs.responses[task] && view_.proofs.reasons[task].empty()) return;
    Json& one = tasks.emplace_back();
    one["task"] = view_.system.tasks[task].name;
    const auto& bound = view_.bounds.tasks[task];
    if (const auto claimed = claimed_.find(task); claimed != claimed_.end()) {
      one["file"] = names_.files[claimed->second.core];
      for (const std::size_t entry : claimed->second.entries)
        one["theorems"].push_back(names_.theorems[claimed->second.core][entry]);
      one["proved_ps"] = view_.proofs.responses[task]->picoseconds();
    }
    if (bound.worst) one["bound_ps"] = bound.worst->picoseconds();
    if (!view_.proofs.responses[task]) one["no_certificate"] = view_.proofs.reasons[task];
  }
  /// The longest time from any instant to the next actual release of a task; nothing if there may be none.
  std::optional<Duration> wait_for(TaskIndex task) const {
    const auto& stimuli = view_.system.stimuli;
    std::optional<Duration> wait;
    for (const Stimulus& stimulus : stimuli) {
      if (std::find(stimulus.activates.begin(), stimulus.activates.end(), task) == stimulus.activates.end()) continue;
      const auto* const periodic = std::get_if<Periodic>(&stimulus.occurrence);
      const auto arrivals = engine::arrival_bound(stimulus);
      if (periodic == nullptr || !arrivals || wait || engine::is_conditional(stimulus)) return std::nullopt;
      wait = arrivals->period + arrivals->jitter;
      // A second pending job would not be lost, but must not be either.
      if (*view_.proofs.responses[task] + arrivals->jitter > arrivals->period) return std::nullopt;
    }
    return wait;
  }

  /// Why there is no latency of a chain, or its parts.
  void add_chain(const Chain& chain, Json& out) const {
    Json one;
    one["chain"] = chain.name;
    const auto leave_out = [&](std::string why) {
      one["reason"] = std::move(why);
      out["other_chains"].push_back(one);
    };
    if (!chain.gap.empty()) return leave_out(chain.gap);
    if (view_.logical_times) return leave_out("data becomes visible at the ends of intervals");
    Duration latency;
    for (std::size_t at = 0; at < chain.tasks.size(); ++at) {
      const TaskIndex task = chain.tasks[at];
      const std::string& name = view_.system.tasks[task].name;
      if (!view_.proofs.responses[task]) return leave_out(fmt::format("{} has no certificate", name));
      Json part = {{"task", name}};
      latency += *view_.proofs.responses[task];
      if (at > 0) {
        const auto wait = wait_for(task);
        if (!wait) return leave_out(fmt::format("{} is not periodic with one job at a time", name));
        part["wait_ps"] = wait->picoseconds();
        latency += *wait;
      }
      part["proved_ps"] = view_.proofs.responses[task]->picoseconds();
      one["parts"].push_back(std::move(part));
    }
    one["latency_ps"] = latency.picoseconds();
    one["meaning"] =
        "From an arrival of the first task to the completion of the first job of the last task that has read its data, "
        "or newer data: the bound of the first task, and for every other the longest time to its next release, and its "
        "bound.";
    out["chains"].push_back(std::move(one));
  }

  const CertificateView& view_;
  CertificateNames names_;
  std::vector<CertificateFile> certificates_;
  std::map<TaskIndex, Claimed> claimed_;
};

}  // namespace

std::vector<CertificateFile> certificate_folder(const CertificateView& view) {
  Manifest manifest(view);
  Json json = manifest.json();
  std::vector<CertificateFile> files = std::move(manifest).certificates();
  for (const TheoryFile& file : theory_files) files.push_back({std::string(file.name), std::string(file.text)});
  files.push_back({std::string(manifest_name), text_of(json)});
  return files;
}

std::string with_outcome(std::string_view manifest, const std::string& coq,
                         const std::vector<std::pair<std::string, bool>>& accepted) {
  Json json = outside_json<Json>(manifest).value();
  if (!coq.empty()) json["coq"] = coq;
  for (Json& core : json["cores"])
    for (const auto& [file, well] : accepted)
      if (core["file"] == file) core["accepted"] = well;
  return text_of(json);
}

tl::expected<std::vector<std::optional<Duration>>, std::string> proved_bounds(const CertificateView& view,
                                                                              std::string_view manifest) {
  const auto refuse = [](std::string why) { return tl::unexpected(std::move(why)); };
  const Json recorded = outside_json<Json>(manifest).value_or(Json());
  if (!recorded.is_object() || recorded.value("schema", Json()) != certificates_schema)
    return refuse("the manifest is not one that amalthea certify wrote");
  const Json expected = Manifest(view).json();
  if (recorded.value("model", Json::object()).value("hash", Json()) != expected["model"]["hash"])
    return refuse("the certificates are of another state of the model; run amalthea certify again");
  if (recorded.value("options", Json()) != expected["options"])
    return refuse("the certificates were made with other options; run amalthea certify again with these");
  std::vector<std::optional<Duration>> proved(view.system.tasks.size());
  for (std::size_t core = 0; core < view.proofs.cores.size(); ++core) {
    const Json& now = expected["cores"][core];
    const auto is_accepted = [&](const Json& one) {
      return one.is_object() && one.value("file", Json()) == now["file"] && one.value("hash", Json()) == now["hash"] &&
             one.value("accepted", Json()) == true;
    };
    const Json cores = recorded.value("cores", Json::array());
    if (!cores.is_array() || std::none_of(cores.begin(), cores.end(), is_accepted)) continue;
    for (const engine::ProofClaim& claim : view.proofs.cores[core].claims) {
      const TaskIndex task = view.proofs.cores[core].tasks[claim.task].task;
      proved[task] = view.proofs.responses[task];
    }
  }
  return proved;
}

}  // namespace amalthea::exporter
