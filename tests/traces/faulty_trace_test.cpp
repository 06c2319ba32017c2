// SPDX-License-Identifier: Apache-2.0
// Traces with an event that is missing, at another time or illegal: the finding names it.

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/analysis.hpp"
#include "exporter/traces/trace_formats.hpp"
#include "exporter/traces/trace_names.hpp"
#include "tests/support/test_models.hpp"
#include "traces/comparison.hpp"

namespace traces_faulty_trace_test {
namespace {

using namespace amalthea;

/// A sample, its trace in BTF as lines, and how many of them are the header.
struct Traced {
  System system;
  engine::AnalysisOptions options;
  engine::Results results;
  std::vector<std::string> lines;
  std::size_t header = 0;

  explicit Traced(const char* sample, std::optional<Duration> until = std::nullopt)
      : system(test::system_from_file(test::sample(sample))) {
    const test::TemporaryFolder folder;
    const std::string path = folder.path() + "/trace.btf";
    auto writer = exporter::trace_format_of(path)->make(path, {});
    REQUIRE(writer.has_value());
    options.until = until;
    engine::AnalysisOptions watched = options;
    watched.observer = writer->get();
    Diagnostics diagnostics;
    results = *engine::analyze(system, watched, diagnostics);
    REQUIRE((*writer)->finish().has_value());
    std::string line;
    for (const char character : test::read_text(path))
      if (character == '\n')
        lines.push_back(std::move(line)), line.clear();
      else
        line += character;
    header = static_cast<std::size_t>(
        std::count_if(lines.begin(), lines.end(), [](const std::string& one) { return one.starts_with('#'); }));
  }

  std::vector<Diagnostic> findings(const std::vector<std::string>& changed) const {
    std::string text;
    for (const std::string& line : changed) text += line + "\n";
    return findings(text);
  }
  std::vector<Diagnostic> findings(const std::string& text) const {
    const test::TemporaryFolder folder;
    const std::string path = folder.path() + "/trace.btf";
    test::write_text(path, text);
    Diagnostics findings, ignored;
    const auto directory = exporter::trace_names(system, options, ignored);
    const traces::NameRules rules;
    const auto compared = traces::compare_traces({system, options, &results, *directory, rules}, {path}, findings);
    INFO((compared ? "" : compared.error()));
    REQUIRE(compared.has_value());
    std::vector<Diagnostic> found;
    for (const Diagnostic& finding : findings.all())
      if (finding.id.starts_with("AM09")) found.push_back(finding);
    return found;
  }
};

bool has(const std::vector<Diagnostic>& findings, std::string_view id) {
  return std::any_of(findings.begin(), findings.end(), [&](const Diagnostic& one) { return one.id == id; });
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char character : line)
    if (character == ',')
      fields.emplace_back();
    else
      fields.back() += character;
  return fields;
}

std::string joined(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) line += (line.empty() ? "" : ",") + field;
  return line;
}

}  // namespace

TEST_CASE("the trace of a sample without any change has no finding") {
  const Traced traced("offload-minimal.amxmi");
  REQUIRE(traced.lines.size() > traced.header + 60);
  CHECK(traced.findings(traced.lines).empty());
}

TEST_CASE("a trace without one of its events has a finding") {
  const Traced traced("offload-minimal.amxmi", Duration::milliseconds(25));
  std::size_t tried = 0;
  // The end of the trace may lack anything: what is open there may still happen.
  std::set<std::string> last;
  for (std::size_t index = traced.lines.size(); index-- > traced.header;) {
    const auto fields = fields_of(traced.lines[index]);
    const bool is_last = last.insert(fields[4]).second;
    if (is_last) continue;
    std::vector<std::string> changed = traced.lines;
    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(index));
    const auto findings = traced.findings(changed);
    INFO("without line " << index + 1 << ": " << traced.lines[index]);
    CHECK_FALSE(findings.empty());
    if (!findings.empty()) CHECK(findings.front().location.line > 0);
    ++tried;
  }
  CHECK(tried > 60);
}

TEST_CASE("a trace with an event at a place that its time does not fit has a finding") {
  const Traced traced("offload-minimal.amxmi");
  for (std::size_t index = traced.header; index + 12 < traced.lines.size(); index += 7) {
    std::vector<std::string> changed = traced.lines;
    if (fields_of(changed[index])[0] == fields_of(changed[index + 12])[0]) continue;
    std::rotate(changed.begin() + static_cast<std::ptrdiff_t>(index),
                changed.begin() + static_cast<std::ptrdiff_t>(index) + 1,
                changed.begin() + static_cast<std::ptrdiff_t>(index) + 13);
    INFO("line " << index + 1 << ": " << traced.lines[index]);
    const auto findings = traced.findings(changed);
    CHECK(has(findings, "AM0903"));
  }
}

TEST_CASE("events that are illegal by the state of their process are named with their line") {
  const Traced traced("offload-minimal.amxmi");
  for (const char* illegal : {"resume", "release", "poll_parking", "run"}) {
    std::vector<std::string> changed = traced.lines;
    const auto start = std::find_if(changed.begin(), changed.end(), [](const std::string& line) {
      return line.ends_with(",start") && fields_of(line)[3] == "T";
    });
    REQUIRE(start != changed.end());
    auto fields = fields_of(*start);
    fields[6] = illegal;
    *start = joined(fields);
    const auto findings = traced.findings(changed);
    INFO(illegal);
    REQUIRE(has(findings, "AM0904"));
    const auto found =
        std::find_if(findings.begin(), findings.end(), [](const Diagnostic& one) { return one.id == "AM0904"; });
    CHECK(found->location.line == static_cast<std::uint32_t>(start - changed.begin()) + 1);
    CHECK(found->message.find(fields[4]) != std::string::npos);
  }
}

TEST_CASE("events that contradict the model are named") {
  const Traced traced("offload-minimal.amxmi");
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> changed = traced.lines;
    for (const std::string& line : more) changed.push_back(line);
    return traced.findings(changed);
  };
  const std::string last = fields_of(traced.lines.back())[0];
  const auto at = [&](const std::string& rest) { return last + "," + rest; };
  CHECK(has(with({at("every_10ms,9,T,Control,900,activate"), at("GPU,0,T,Control,900,start")}), "AM0907"));
  CHECK(has(with({at("Core,0,T,Unknown,0,start")}), "AM0906"));
  CHECK(has(with({at("every_2ms,900,T,Monitor,900,activate"), at("Core,0,T,Monitor,900,start"),
                  at("Monitor,900,R,Control_Preprocessing,900,start")}),
            "AM0908"));
  CHECK(has(with({at("every_2ms,900,T,Monitor,900,activate"), at("Core,0,T,Monitor,900,start"),
                  at("every_10ms,900,T,Control,900,activate"), at("Core,0,T,Control,900,start")}),
            "AM0909"));
  CHECK(has(with({at("every_2ms,900,T,Monitor,900,activate"), at("Core,0,T,Monitor,900,start"),
                  at("Core,0,T,Monitor,900,preempt"), at("every_10ms,900,T,Control,900,activate"),
                  at("Core,0,T,Control,900,start")}),
            "AM0910"));
  CHECK(has(with({at("every_2ms,900,T,Monitor,900,activate"), at("every_2ms,901,T,Monitor,901,activate")}), "AM0911"));
  CHECK(has(with({at("nonsense")}), "AM0901"));
  CHECK(has(with({at("Core,0,T,Monitor,900,begin")}), "AM0901"));
}

TEST_CASE("a response time above its bound and an execution time above the model are named") {
  const Traced traced("offload-minimal.amxmi");
  const auto last = std::stoll(fields_of(traced.lines.back())[0]);
  std::vector<std::string> changed = traced.lines;
  const auto add = [&](long long after, const std::string& rest) {
    changed.push_back(fmt::format("{},{}", last + after, rest));
  };
  add(10'000'000, "every_2ms,900,T,Monitor,900,activate");
  add(10'000'000, "Core,0,T,Monitor,900,start");
  add(13'000'000, "Core,0,T,Monitor,900,terminate");
  const auto findings = traced.findings(changed);
  CHECK(has(findings, "AM0914"));
  CHECK(has(findings, "AM0915"));
}

TEST_CASE("a truncated trace is read to its last whole event and reported") {
  const Traced traced("offload-minimal.amxmi");
  std::string text;
  for (const std::string& line : traced.lines) text += line + "\n";
  for (const std::size_t cut : {std::size_t{3}, std::size_t{20}, std::size_t{400}}) {
    const auto findings = traced.findings(text.substr(0, text.size() - cut));
    INFO(cut);
    if (text[text.size() - cut - 1] != '\n') CHECK(has(findings, "AM0902"));
    CHECK_FALSE(has(findings, "AM0901"));
  }
}

}  // namespace traces_faulty_trace_test
