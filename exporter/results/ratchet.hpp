// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A ratchet: what got worse since an earlier state, and which misses are known and accepted. It decides whether a
/// pipeline passes; the verdict stays what it is.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <tl/expected.hpp>

#include "engine/verdict.hpp"

namespace amalthea::exporter {

/// Name of the form of files with accepted misses (docs/reference/ratchet.md).
inline constexpr std::string_view accepted_schema = "amalthea-timing-accepted/1";

/// A limit as an earlier state or a list of accepted misses states it. Findings are known by their ids: their places
/// move with every edit.
struct KnownLimit {
  std::string kind, name;  ///< as in the results
  engine::OverallVerdict verdict = engine::OverallVerdict::met;
  std::string owner, reason;            ///< of an accepted miss
  std::optional<Duration> beyond = {};  ///< see engine::JudgedLimit
};

/// Whether a miss is no longer what it was: more than a percent further beyond the limit, or without an end.
bool is_deeper(const KnownLimit& now, const KnownLimit& before);

/// All limits that were judged or not.
std::vector<KnownLimit> known_limits(const engine::Assessment& assessment);
/// Of `limits` in the results of `analyze --format json`; those that are not as expected are left out.
std::vector<KnownLimit> known_limits(const nlohmann::ordered_json& results);

/// A file of accepted misses. The error states what is wrong: no JSON, another form, an entry without owner or reason.
tl::expected<std::vector<KnownLimit>, std::string> read_accepted(std::string_view text);
/// The file with all limits of `now` that fail; those of `accepted` keep their owner and reason, others have none.
std::string write_accepted(const std::vector<KnownLimit>& now, const std::vector<KnownLimit>& accepted);

struct Ratchet {
  struct Change {
    KnownLimit now;
    std::optional<engine::OverallVerdict> before;  ///< nothing: the limit is new
    std::optional<Duration> beyond_before = {};    ///< of a miss before; see KnownLimit
  };
  std::string baseline;        ///< name of the earlier state; "": none
  std::vector<Change> worse;   ///< than before, and not accepted; without a baseline: what fails and is not accepted
  std::vector<Change> better;  ///< than before
  std::vector<KnownLimit> accepted;  ///< limits that fail or got worse, and are accepted
  std::vector<KnownLimit> unneeded;  ///< accepted misses that are none any more
  std::vector<KnownLimit> gone;      ///< limits of the baseline that nothing judges any more

  /// The verdict that a pipeline acts upon: guaranteed if nothing got worse; a lost guarantee counts as missed, a limit
  /// that is gone as unknown.
  engine::OverallVerdict verdict() const;
};

/// `before`: nothing without a baseline. An accepted miss covers its verdict and all better ones,
/// and a miss as deep as it states.
Ratchet ratchet(const std::vector<KnownLimit>& now, const std::optional<std::vector<KnownLimit>>& before,
                const std::vector<KnownLimit>& accepted);

/// "deadline Control (guaranteed → missed)", "requirement R (missed by 1.2 → 3.5 ms)"
std::string change_text(const Ratchet::Change& change);
/// "Worse: deadline Control (guaranteed → missed)", one line each.
std::vector<std::string> ratchet_lines(const Ratchet& ratchet);
nlohmann::ordered_json ratchet_json(const Ratchet& ratchet);

}  // namespace amalthea::exporter
