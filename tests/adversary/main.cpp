// SPDX-License-Identifier: Apache-2.0
// The adversary as a command.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "tests/adversary/campaign.hpp"
#include "tests/support/thoroughness.hpp"
#if __has_include("tests/adversary/test_mutant.hpp")  // in a copy with mutants
#include "tests/adversary/test_mutant.hpp"
#endif

namespace {

constexpr std::string_view usage = R"(usage: adversary table [SYSTEMS [SEED [FIRST [FOLDER]]]]
           attacks systems and prints what came of it; writes broken guarantees into the folder
       adversary hunt [SYSTEMS [SEED [FIRST]]]
           attacks systems until a guarantee is broken
       adversary replay MODEL.amxmi BEHAVIOUR.txt
       adversary attack MODEL.amxmi [EXECUTIONS]
           attacks the guarantees of a model, and prints how close it came to each
       adversary results [SYSTEMS [SEED]]
           prints the results of systems, one for each line
       adversary model SEED NUMBER
           prints a drawn system
AMALTHEA_THOROUGH=1: 1000 executions for each guarantee instead of 100
)";

adversary::AttackOptions options() {
  adversary::AttackOptions options;
  if (test::is_thorough()) {
    options.executions = 1000;
    options.common = 400;
  }
  return options;
}

/// The results of so many systems, for comparisons between mutants.
int print_results(std::uint32_t systems, std::uint32_t seed) {
  for (std::uint32_t number = 0; number < systems; ++number) {
    const adversary::Statement statement = adversary::statement_of(adversary::draw_system(seed, number), number);
    if (!statement.refused.empty()) fmt::print(stderr, "{}: {}\n", number, statement.refused);
    for (const adversary::ResultLine& line : statement.lines)
      fmt::print("{}\t{}\t{}\t{}\n", number, line.name, line.value, line.smaller_is_better ? '-' : '+');
  }
  return 0;
}

#if __has_include("tests/adversary/test_mutant.hpp")
using Lines = std::map<std::string, adversary::ResultLine>;

Lines lines_of(int mutant, std::uint32_t seed, std::uint32_t number) {
  chosen_mutant() = mutant;
  Lines lines;
  for (adversary::ResultLine& line : adversary::statement_of(adversary::draw_system(seed, number), number).lines)
    lines[line.name] = line;
  return lines;
}

/// For every mutant the first system of which it makes a result better.
int print_better(int mutants, std::uint32_t systems, std::uint32_t seed) {
  std::vector<int> left;
  for (int mutant = 1; mutant <= mutants; ++mutant) left.push_back(mutant);
  for (std::uint32_t number = 0; number < systems && !left.empty(); ++number) {
    const Lines before = lines_of(0, seed, number);
    std::erase_if(left, [&](int mutant) {
      for (const auto& [name, line] : lines_of(mutant, seed, number)) {
        const auto at = before.find(name);
        const bool better = at == before.end() ||
                            (line.smaller_is_better ? line.value < at->second.value : line.value > at->second.value);
        if (!better) continue;
        fmt::print("{}\tsystem {} {}: {}: {} -> {}\n", mutant, seed, number, name,
                   at == before.end() ? "none" : std::to_string(at->second.value), line.value);
        std::fflush(stdout);
        return true;
      }
      return false;
    });
  }
  return 0;
}
#endif

void save(const adversary::Broken& broken, const std::string& folder) {
  std::string kind(to_string(broken.guarantee.kind));
  std::replace(kind.begin(), kind.end(), ' ', '-');
  const std::string name = fmt::format("{}/{}-{}-{}", folder, broken.seed, broken.number, kind);
  std::ofstream(name + ".amxmi") << broken.amxmi;
  std::ofstream(name + ".txt") << behaviour_text(broken);
}

int print_table(std::uint32_t systems, std::uint32_t seed, std::uint32_t first, const std::string& folder) {
  const adversary::Campaign campaign =
      adversary::attack_systems(seed, first, systems, options(), [&](const adversary::Broken& broken) {
        fmt::print("BROKEN: system {} {}: {}: {}\n", broken.seed, broken.number, broken.guarantee.name, broken.seen);
        if (!folder.empty()) save(adversary::shrunk(broken, options()), folder);
        return true;
      });
  fmt::print("{}", campaign.text());
  return campaign.broken.empty() ? 0 : 1;
}

int hunt(std::uint32_t systems, std::uint32_t seed, std::uint32_t first) {
  const adversary::Campaign campaign =
      adversary::attack_systems(seed, first, systems, options(), [](const adversary::Broken& broken) {
        fmt::print("BROKEN: system {} {}: {}: {}\n", broken.seed, broken.number, broken.guarantee.name, broken.seen);
        return false;
      });
  fmt::print("{} systems, {} executions\n", campaign.systems, campaign.executions);
  return campaign.broken.empty() ? 0 : 1;
}

std::string content_of(const char* path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("cannot read {}", path));
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

int replay(const char* model, const char* behaviour) {
  const adversary::Replayed replayed =
      adversary::replay(adversary::broken_of(content_of(model), content_of(behaviour)));
  fmt::print("{}{}\n", replayed.stated ? "stated; " : "", replayed.text);
  return replayed.stated && replayed.broken ? 1 : 0;
}

/// Returns how many guarantees are broken.
int attack_model(const char* path, int executions) {
  const std::string amxmi = content_of(path);
  const auto profile = adversary::draw_system(1, 0).random.profile;
  adversary::AttackOptions options;
  options.executions = executions;
  options.common = executions / 2;
  options.climbing = executions / 4;
  amalthea::engine::AnalysisOptions analysis;
  analysis.profile = &profile;
  const adversary::Statement statement = adversary::statement_of(amxmi, analysis);
  if (!statement.refused.empty()) throw std::runtime_error(statement.refused);
  const adversary::Target& target = statement.targets.front();
  const adversary::Attack found = adversary::attack(amxmi, target, profile, options);
  if (!found.refused.empty()) throw std::runtime_error(found.refused);
  int broken = 0;
  for (std::size_t index = 0; index < target.guarantees.size(); ++index) {
    const adversary::Attacked& one = found.of[index];
    const bool breaks = one.outcome == adversary::Attacked::Outcome::broken;
    fmt::print("{:<7}{:<44} limit {:>14} ps, closeness {:.4f} {}\n", breaks ? "BROKEN" : "",
               target.guarantees[index].name, target.guarantees[index].limit, one.closeness, one.seen);
    broken += breaks ? 1 : 0;
  }
  return broken;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view verb = count > 1 ? arguments[1] : "";
  const auto number = [&](int at, std::uint32_t otherwise) {
    return count > at ? static_cast<std::uint32_t>(std::strtoul(arguments[at], nullptr, 10)) : otherwise;
  };
  try {
    if (verb == "results") return print_results(number(2, 400), number(3, 1));
#if __has_include("tests/adversary/test_mutant.hpp")
    if (verb == "better") return print_better(static_cast<int>(number(2, 1)), number(3, 2000), number(4, 1));
#endif
    if (verb == "table") return print_table(number(2, 400), number(3, 1), number(4, 0), count > 5 ? arguments[5] : "");
    if (verb == "hunt") return hunt(number(2, 2000), number(3, 1), number(4, 0));
    if (verb == "replay" && count == 4) return replay(arguments[2], arguments[3]);
    if (verb == "attack" && count > 2) return attack_model(arguments[2], static_cast<int>(number(3, 1000))) > 0 ? 1 : 0;
    if (verb == "model" && count == 4) {
      const adversary::Statement statement =
          adversary::statement_of(adversary::draw_system(number(2, 1), number(3, 0)), number(3, 0));
      fmt::print("{}", statement.targets.empty() ? statement.refused : statement.targets.front().amxmi);
      return 0;
    }
  } catch (const std::exception& fault) {
    fmt::print(stderr, "adversary: {}\n", fault.what());
    return 3;
  }
  fmt::print(stderr, "{}", usage);
  return 2;
}
