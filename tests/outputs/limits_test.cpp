// SPDX-License-Identifier: Apache-2.0
// One model, many outputs: what each of them says about a limit. Reference is the assessment that the library returns.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "analysis/model_analysis.hpp"
#include "exporter/results/verdict_text.hpp"
#include "tests/lsp/editor.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace limits_test {

using namespace amalthea;
using Json = nlohmann::ordered_json;

namespace {

using Counts = std::map<std::string, std::size_t>;
/// Limits by the names of Assessment::limits: "Slow", "requirement \"short\"", …
using Said = std::map<std::string, std::string>;

std::string in_words(const Said& said) {
  std::string words;
  for (const auto& [limit, verdict] : said) words += fmt::format("{}: {}\n", limit, verdict);
  return words;
}

struct Run {
  std::vector<std::string> arguments;  ///< of analyze
  bool strict = false;
  std::optional<std::uint64_t> max_steps = {};
};

/// What the library says, and what outputs must agree with.
class Truth {
 public:
  Truth(const std::string& file, const Run& run) {
    analysis::Options options;
    options.engine.strict = run.strict;
    if (run.max_steps) options.engine.max_steps = *run.max_steps;
    auto analyzed = analysis::analyze({file}, options);
    REQUIRE(analyzed.has_value());
    const System& system = analyzed->system;
    const engine::Assessment& assessment = analyzed->assessment;
    sentence_ = exporter::verdict_sentence(assessment);
    for (const engine::JudgedLimit& limit : assessment.limits) {
      limits_[limit.name] = to_string(limit.verdict);
      if (limit.kind != engine::JudgedLimit::Kind::finding) judged_[limit.name] = to_string(limit.verdict);
    }
    for (const Requirement& requirement : system.requirements)
      if (engine::is_deadline(system, requirement)) deadlines_[requirement.name] = requirement.subject_name;
    for (std::size_t i = 0; i < system.tasks.size(); ++i) {
      const Task& task = system.tasks[i];
      const std::string verdict(to_string(analyzed->results.tasks[i].verdict));
      if (task.folded_into) {
        functions_[task.name] = system.tasks[*task.folded_into].name;
        continue;
      }
      ++tasks_[verdict];
      if (verdict == "missed" || verdict == "unbounded") late_[task.name] = verdict;
    }
  }

  /// Whether the model can be analyzed.
  static bool exists(const std::string& file) { return analysis::analyze({file}).has_value(); }

  const Counts& tasks() const { return tasks_; }  ///< without removed wrappers, by verdict
  const Said& late() const { return late_; }      ///< tasks

  const std::string& sentence() const { return sentence_; }
  const Said& limits() const { return limits_; }  ///< with findings
  const Said& judged() const { return judged_; }

  /// What a part of an output says, by what that part is about. A task without a limit says so.
  void task(const std::string& name, const std::string& said, Said& all) const {
    const auto function = functions_.find(name);
    const std::string& limit = function == functions_.end() ? name : function->second;
    INFO("task " << name);
    if (said == "no deadline" || said == "met, no deadline")
      CHECK(!judged_.contains(limit));
    else
      note(limit, said, all);
  }
  void requirement(const std::string& name, const std::string& said, Said& all) const {
    INFO("requirement " << name);
    const auto deadline = deadlines_.find(name);
    if (deadline == deadlines_.end()) return note(fmt::format("requirement \"{}\"", name), said, all);
    task(deadline->second, said, all);
  }
  void constraint(const std::string& cls, const std::string& name, const std::string& said, Said& all) const {
    note(fmt::format("{} \"{}\"", cls, name), said, all);
  }
  static void latency(const std::string& name, const std::string& said, Said& all) {
    note(fmt::format("latency constraint \"{}\"", name), said, all);
  }

 private:
  /// Several parts may speak of one limit.
  static void note(const std::string& limit, const std::string& said, Said& all) {
    const auto [known, is_new] = all.emplace(limit, said);
    INFO(limit);
    CHECK(known->second == said);
  }

  std::string sentence_;
  Said limits_, judged_, late_;
  Counts tasks_;
  std::map<std::string, std::string> deadlines_, functions_;
};

std::string verdict_of(const std::string& verdict, bool guaranteed) {
  if (guaranteed) CHECK(verdict == "met");
  return guaranteed ? "guaranteed" : verdict;
}

// ---- JSON: also the data of reports, lines of batches, and what Python gives

Said said_by_limits(const Json& results) {
  Said said;
  for (const Json& limit : results["limits"]) said[limit["name"]] = limit["verdict"];
  return said;
}

Said said_by_parts(const Truth& truth, const Json& results) {
  Said said;
  const auto verdict = [](const Json& part) { return verdict_of(part["verdict"], part["guaranteed"] == true); };
  for (const Json& task : results["tasks"]) truth.task(task["name"], verdict(task), said);
  for (const Json& one : results["requirements"]) truth.requirement(one["name"], verdict(one), said);
  for (const Json& one : results["constraints"]) truth.constraint(one["class"], one["name"], verdict(one), said);
  for (const Json& chain : results["chains"])
    for (const Json& one : chain["constraints"]) Truth::latency(one["name"], verdict(one), said);
  return said;
}

void check_json(const Truth& truth, const Json& results) {
  CHECK(results["summary"] == truth.sentence());
  CHECK(said_by_limits(results) == truth.limits());
  CHECK(said_by_parts(truth, results) == truth.judged());
  std::map<std::string, std::size_t> counts;
  for (const auto& [limit, verdict] : truth.limits()) ++counts[verdict];
  for (const auto& [verdict, count] : results["counts"].items()) CHECK(counts[verdict] == count);
}

// ---- text

/// Of a table, in Markdown or not.
std::vector<std::string> cells_of(const std::string& line) {
  static const std::regex gap("  +"), bar(" \\| ");
  const bool markdown = line.starts_with("| ");
  const std::string row = markdown ? line.substr(2, line.size() - 4) : line;
  return {std::sregex_token_iterator(row.begin(), row.end(), markdown ? bar : gap, -1), {}};
}

/// The rows of the table whose first column has this title.
std::vector<std::vector<std::string>> table_in(const std::string& text, const std::string& first) {
  std::vector<std::vector<std::string>> rows;
  bool inside = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto cells = cells_of(line);
    if (!cells.empty() && cells.front() == first) {
      inside = true;
    } else if (inside) {
      if (cells.size() < 5) break;
      if (!cells.front().starts_with("---")) rows.push_back(cells);
    }
  }
  return rows;
}

/// "Tasks: 2 met, 1 missed, …"
void check_counts(const Truth& truth, const std::string& text) {
  std::size_t at = text.find("Tasks: ");
  REQUIRE(at != std::string::npos);
  Counts counts;
  std::istringstream parts(text.substr(at + 7, text.find('\n', at) - at - 7));
  for (std::string part; std::getline(parts >> std::ws, part, ',');) {
    const std::string verdict = part.substr(part.find(' ') + 1);
    if (const std::size_t count = std::stoul(part); count > 0)
      counts[verdict == "without deadline" ? "no deadline" : verdict] = count;
  }
  CHECK(counts == truth.tasks());
}

void check_text(const Truth& truth, std::string text) {
  std::erase(text, '\\');
  const bool markdown = text.starts_with("# ");
  if (markdown) text = std::regex_replace(text, std::regex("\\*\\*"), "");
  const std::size_t at = markdown ? text.find("- ") + 2 : 0;
  CHECK(text.substr(at, text.find('\n', at) - at) == truth.sentence());
  check_counts(truth, text);
  Said said;
  const auto verdict = [](const std::vector<std::string>& row) {
    return verdict_of(row[row.size() - 2], row.back() == "yes");
  };
  for (const auto& row : table_in(text, "task")) truth.task(row[0], verdict(row), said);
  for (const auto& row : table_in(text, "requirement")) truth.requirement(row[0], verdict(row), said);
  for (const auto& row : table_in(text, "constraint")) truth.constraint(row[1], row[0], verdict(row), said);
  for (const auto& row : table_in(text, "latency constraint")) Truth::latency(row[0], row.back(), said);
  CHECK(in_words(said) == in_words(truth.judged()));
}

// ---- JUnit

void check_junit(const Truth& truth, const std::string& xml) {
  static const std::regex test(R"re(<testcase name="([^"]*)"[^>]*>\s*<([a-z-]+)([^>]*)>([^<]*))re");
  static const std::regex type(R"re(type="([a-z]*)")re");
  Said said;
  for (std::sregex_iterator one(xml.begin(), xml.end(), test); one != std::sregex_iterator(); ++one) {
    std::string name = std::regex_replace((*one)[1].str(), std::regex("&quot;"), "\"");
    for (const char* prefix : {"deadline of ", "task "})
      if (name.starts_with(prefix)) name = name.substr(std::string_view(prefix).size());
    const std::string element = (*one)[2], attributes = (*one)[3], text = (*one)[4];
    std::smatch found;
    const bool passed = element == "system-out";
    if (!passed) REQUIRE(std::regex_search(attributes, found, type));
    const std::string verdict = text.substr(0, text.find(':'));
    CHECK((passed || found[1] == verdict));
    CHECK(element == (verdict == "missed" || verdict == "unbounded" ? "failure"
                      : verdict == "unknown"                        ? "error"
                                                                    : "system-out"));
    said[name] = verdict;
  }
  if (truth.limits().empty()) said.clear();  // one case says that there is no limit
  CHECK(in_words(said) == in_words(truth.limits()));
}

// ---- annotated models

std::vector<Element> constraints_of(const Model& model) {
  std::vector<Element> found;
  for (const char* list : {"timingConstraints", "runnableSequencingConstraints", "dataAgeConstraints",
                           "dataCoherencyGroups", "dataStabilityGroups", "physicalSectionConstraints"})
    for (const Element one : model.all("constraintsModel", list)) found.push_back(one);
  return found;
}

std::map<std::string, std::string> properties_of(Element element) {
  std::map<std::string, std::string> properties;
  for (const Element property : element.children("customProperties")) {
    const std::string key(property.attribute("key").value_or(""));
    const std::string prefix = "amalthea-timing.";
    if (key.starts_with(prefix))
      properties[key.substr(prefix.size())] = property.child("value").attribute("value").value_or("false");
  }
  return properties;
}

void check_annotation(const Truth& truth, const std::string& file) {
  Diagnostics diagnostics;
  const Model model = test::model_from_file(file, diagnostics);
  // Places of findings move with the annotations.
  static const std::regex place(R"( at [^ ,]*:\d+:\d+)");
  CHECK(properties_of(model.documents().front()->root())["verdict"] ==
        std::regex_replace(truth.sentence(), place, std::string()));
  Said said;
  for (const Element task : model.all("swModel", "tasks")) {
    auto properties = properties_of(task);
    truth.task(std::string(task.name()), verdict_of(properties["verdict"], properties["guaranteed"] == "true"), said);
    const bool guaranteed = properties["summary"].find(", guaranteed") != std::string::npos;
    CHECK(guaranteed == (properties["guaranteed"] == "true"));
  }
  for (const Element one : model.all("constraintsModel", "requirements"))
    truth.requirement(std::string(one.name()), properties_of(one)["verdict"], said);
  for (const Element one : constraints_of(model))
    if (!one.is("EventChainLatencyConstraint"))
      truth.constraint(std::string(one.class_name()), std::string(one.name()), properties_of(one)["verdict"], said);
  for (const Element chain : model.all("constraintsModel", "eventChains")) {
    auto properties = properties_of(chain);
    for (int i = 1; properties.contains(fmt::format("constraint.{}.name", i)); ++i)
      Truth::latency(properties[fmt::format("constraint.{}.name", i)],
                     properties[fmt::format("constraint.{}.verdict", i)], said);
  }
  CHECK(in_words(said) == in_words(truth.judged()));
}

// ---- reports

Json data_of_report(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="data">)";
  const std::size_t at = page.find(begin);
  REQUIRE(at != std::string::npos);
  const std::size_t from = at + begin.size();
  return Json::parse(page.substr(from, page.find("</script>", from) - from));
}

// ---- the language server

/// The first text in bold below the name and the path.
std::string bold_in(const std::string& hover) {
  const std::size_t at = hover.find("\n\n**");
  if (at == std::string::npos) return "";
  const std::string verdict = hover.substr(at + 4, hover.find("**", at + 4) - at - 4);
  return verdict.substr(0, verdict.find(" for "));
}

std::string listed_in(const std::string& hover, const std::string& key) {
  const std::size_t at = hover.find("\n- " + key + ": ");
  if (at == std::string::npos) return "";
  const std::size_t from = at + key.size() + 5;
  return hover.substr(from, hover.find('\n', from) - from);
}

void check_language_server(const Truth& truth, const std::string& file) {
  const test::Editor::Json capabilities = {{"textDocument", {{"hover", {{"contentFormat", {"markdown"}}}}}}};
  test::Editor editor(capabilities);
  const std::string text = test::read_text(file);
  editor.open(file, text);
  const auto hover = [&](const std::string& place, std::size_t behind) {
    const auto shown = editor.at("textDocument/hover", file, place, behind);
    INFO(place);
    REQUIRE(!shown.is_null());
    std::string words = shown["contents"]["value"];
    std::erase(words, '\\');
    return words;
  };
  CHECK(hover("<am:Amalthea", 3).find(truth.sentence()) != std::string::npos);
  Diagnostics diagnostics;
  const Model model = test::model_from_file(file, diagnostics);
  Said said;
  const auto at = [&](Element element) {
    const std::string tag =
        text.substr(element.span().begin, text.find('>', element.span().begin) - element.span().begin);
    return hover(tag, tag.find(" name=\"") + 7);
  };
  for (const Element task : model.all("swModel", "tasks"))
    truth.task(std::string(task.name()), bold_in(at(task)), said);
  for (const Element one : model.all("constraintsModel", "requirements"))
    truth.requirement(std::string(one.name()), listed_in(at(one), "verdict"), said);
  for (const Element one : constraints_of(model))
    if (!one.is("EventChainLatencyConstraint"))
      truth.constraint(std::string(one.class_name()), std::string(one.name()), listed_in(at(one), "verdict"), said);
  for (const Element chain : model.all("constraintsModel", "eventChains")) {
    const std::string shown = at(chain);
    for (int i = 1; !listed_in(shown, fmt::format("constraint.{}.name", i)).empty(); ++i)
      Truth::latency(listed_in(shown, fmt::format("constraint.{}.name", i)),
                     listed_in(shown, fmt::format("constraint.{}.verdict", i)), said);
  }
  CHECK(in_words(said) == in_words(truth.judged()));
}

std::vector<std::string> models(const std::string& folder = test::data("limits")) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".amxmi") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string output_of(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  const auto result = test::amalthea(arguments);
  INFO(result.err);
  REQUIRE((result.exit_code == 0 || result.exit_code == 1 || result.exit_code == 4));
  return result.out;
}

void check_explanation(const Truth& truth, const std::string& file, const std::vector<std::string>& arguments) {
  for (const auto& [task, verdict] : truth.late()) {
    INFO("explain " << task);
    const std::string text = output_of({"explain", "-q", file, task}, arguments);
    if (!text.empty()) CHECK(text.find("\n" + verdict + ": ") != std::string::npos);
  }
}

/// `explore` calls only those tasks late that are.
void check_exploration(const Truth& truth, const std::string& file) {
  const test::TemporaryFolder folder;
  const std::string written = folder.path() + "/written.amxmi", page = folder.path() + "/page.md";
  const auto run = test::amalthea(
      {"explore", "-q", "--candidates", "20", "--format", "json", "--report", page, "-o", written, file});
  if (run.exit_code == 2) return;
  const Json found = Json::parse(run.out);
  const auto check = [](const Json& late, const Truth& of) {
    for (const std::string task : late) {
      INFO("explore " << task);
      CHECK(of.late().contains(task));
    }
  };
  check(found["late"]["before"], truth);
  if (std::filesystem::exists(written)) {
    const Truth after(written, {});
    check(found["late"]["after"], after);
    const auto missed = [](const auto& limit) { return limit.second == "missed" || limit.second == "unbounded"; };
    if (std::any_of(after.limits().begin(), after.limits().end(), missed))
      CHECK(test::read_text(page).find("Every deadline is met") == std::string::npos);
  }
}

void check_outputs(const std::string& file, const Run& run) {
  INFO(file << (run.arguments.empty() ? "" : " " + run.arguments.front()));
  const Truth truth(file, run);
  const test::TemporaryFolder folder;
  check_text(truth, output_of({"analyze", "-q", file}, run.arguments));
  check_text(truth, output_of({"analyze", "-q", "--format", "markdown", file}, run.arguments));
  check_json(truth, Json::parse(output_of({"analyze", "-q", "--format", "json", file}, run.arguments)));
  check_junit(truth, output_of({"analyze", "-q", "--format", "junit", file}, run.arguments));
  const std::string annotated = folder.path() + "/annotated.amxmi", page = folder.path() + "/page.html";
  output_of({"annotate", "-q", "--detail", "full", file, "-o", annotated}, run.arguments);
  check_annotation(truth, annotated);
  output_of({"report", "-q", file, "-o", page}, run.arguments);
  check_json(truth, data_of_report(test::read_text(page))["results"]);
  const Json line = Json::parse(output_of({"batch", "-q", file}, run.arguments));
  CHECK(line["summary"] == truth.sentence());
  Counts tasks;
  for (const auto& [verdict, count] : line["tasks"].items())
    if (count > 0) tasks[verdict] = count;
  CHECK(tasks == truth.tasks());
  check_json(truth, line["results"]);
  check_explanation(truth, file, run.arguments);
  if (!run.arguments.empty()) return;
  check_exploration(truth, file);
  check_language_server(truth, file);
}

}  // namespace

TEST_CASE("the models of limits have limits with every verdict") {
  std::set<std::string> seen;
  for (const std::string& file : models()) {
    const Truth truth(file, {});
    for (const auto& [limit, verdict] : truth.limits()) seen.insert(verdict);
  }
  CHECK(models().size() >= 12);
  CHECK(seen == std::set<std::string>{"guaranteed", "met", "missed", "unbounded", "unknown"});
}

TEST_CASE("every output says the same about every limit") {
  const std::vector<Run> runs = {{{}}, {{"--strict"}, true}, {{"--max-steps", "12"}, false, 12}};
  for (const std::string& file : models())
    for (const Run& run : runs) check_outputs(file, run);
}

TEST_CASE("every output says the same about every limit of the samples", "[long]") {
  for (const std::string& file : models(test::sample("")))
    if (Truth::exists(file)) check_outputs(file, {});
}

TEST_CASE("every output says the same about every limit of other people's models", "[long]") {
  std::size_t found = 0, count = 0;
  // An editor names a file by its canonical path, and findings name files.
  for (const std::string& file : models(std::filesystem::canonical(test::corpus_folder()).string())) {
    if (file.find("/history/") != std::string::npos || !Truth::exists(file)) continue;
    const bool named =
        file.ends_with("_BBW.amxmi") || file.ends_with("/democar.amxmi") || file.ends_with("mobstr.amxmi");
    if (found++ % 6 != 0 && !named && !std::getenv("AMALTHEA_THOROUGH")) continue;
    check_outputs(file, {});
    ++count;
  }
  CHECK(count >= (std::getenv("AMALTHEA_THOROUGH") ? 50 : 12));
}

}  // namespace limits_test
