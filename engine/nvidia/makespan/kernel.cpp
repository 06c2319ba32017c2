// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/makespan/kernel.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/core.h>

namespace amalthea::engine::nvidia::makespan {
namespace {

std::optional<Unit> unit_of_letter(char letter) {
  const auto at = unit_letters.find(static_cast<char>(std::toupper(static_cast<unsigned char>(letter))));
  if (at == std::string_view::npos) return std::nullopt;
  return static_cast<Unit>(at);
}

/// Opcodes up to their first dot. Opcodes with .f64 use the double precision unit, unless they are in `memory_opcodes`
/// or `special_opcodes`.
constexpr std::string_view memory_opcodes[] = {"ld",  "ldu",      "st",       "atom",      "red",     "prefetch",
                                               "tex", "tld4",     "txq",      "suld",      "sust",    "sured",
                                               "cp",  "ldmatrix", "stmatrix", "prefetchu", "isspacep"};
constexpr std::string_view special_opcodes[] = {"sin", "cos", "lg2", "ex2", "rcp", "rsqrt", "sqrt", "tanh", "div"};
constexpr std::string_view core_opcodes[] = {
    "abs",   "activemask", "add", "addc", "and",   "bar",       "barrier",  "bfe",  "bfi",   "bfind",   "bra",
    "brev",  "brkpt",      "brx", "call", "clz",   "cnot",      "copysign", "cvt",  "cvta",  "dp2a",    "dp4a",
    "elect", "exit",       "fma", "fns",  "lop3",  "mad",       "mad24",    "madc", "match", "max",     "membar",
    "fence", "min",        "mov", "mul",  "mul24", "nanosleep", "neg",      "not",  "or",    "pmevent", "popc",
    "prmt",  "redux",      "rem", "ret",  "sad",   "selp",      "set",      "setp", "shf",   "shfl",    "shl",
    "shr",   "slct",       "sub", "subc", "szext", "testp",     "trap",     "vote", "xor"};

template <std::size_t size>
bool has(const std::string_view (&table)[size], std::string_view opcode) {
  return std::find(std::begin(table), std::end(table), opcode) != std::end(table);
}

/// "add.f64" → D. Nothing for an unknown opcode.
std::optional<Unit> unit_of_opcode(std::string_view name) {
  const std::string_view opcode = name.substr(0, name.find('.'));
  if (has(memory_opcodes, opcode)) return Unit::memory;
  const bool doubles = name.find(".f64") != std::string_view::npos;
  // Integer divisions take many core instructions, those of doubles use the double precision unit.
  if (opcode == "div" || opcode == "sqrt") {
    if (doubles) return Unit::double_float;
    return name.find(".f32") != std::string_view::npos ? Unit::special : Unit::core;
  }
  if (has(special_opcodes, opcode)) return Unit::special;
  if (!has(core_opcodes, opcode)) return std::nullopt;
  const bool moves = opcode == "mov" || opcode == "selp" || opcode == "bra";
  return doubles && !moves ? Unit::double_float : Unit::core;
}

/// The text with comments replaced by blanks; keeps line ends.
std::string without_comments(std::string_view text) {
  std::string plain(text);
  for (std::size_t i = 0; i + 1 < plain.size(); ++i) {
    if (plain[i] != '/' || (plain[i + 1] != '/' && plain[i + 1] != '*')) continue;
    const bool line = plain[i + 1] == '/';
    std::size_t end = line ? plain.find('\n', i) : plain.find("*/", i + 2);
    end = end == std::string::npos ? plain.size() : line ? end : end + 2;
    for (std::size_t at = i; at < end; ++at)
      if (plain[at] != '\n') plain[at] = ' ';
    i = end - 1;
  }
  return plain;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// A statement without its label, guard and braces; empty if it executes nothing.
std::string_view instruction_of(std::string_view statement) {
  for (;;) {
    statement = trimmed(statement);
    if (statement.empty()) return {};
    if (statement.front() == '{' || statement.front() == '}') {
      statement.remove_prefix(1);
      continue;
    }
    if (statement.front() == '@') {
      const auto blank = statement.find_first_of(" \t");
      if (blank == std::string_view::npos) return {};
      statement.remove_prefix(blank);
      continue;
    }
    const auto word = statement.substr(0, statement.find_first_of(" \t\r\n:"));
    if (word.size() < statement.size() && statement[word.size()] == ':') {
      statement.remove_prefix(word.size() + 1);
      continue;
    }
    return statement;
  }
}

}  // namespace

tl::expected<Kernel, std::string> parse_kernel(std::string_view text) {
  Kernel kernel;
  std::size_t times = 0;
  bool counted = false;
  for (const char letter : text) {
    if (std::isspace(static_cast<unsigned char>(letter)) != 0) continue;
    if (std::isdigit(static_cast<unsigned char>(letter)) != 0) {
      times = times * 10 + static_cast<std::size_t>(letter - '0');
      counted = true;
      if (times > max_instructions)
        return tl::unexpected(fmt::format("a kernel of more than {} instructions", max_instructions));
      continue;
    }
    const auto unit = unit_of_letter(letter);
    if (!unit) return tl::unexpected(fmt::format("'{}' is not one of the units L, C, S, D", letter));
    if (counted && times == 0) return tl::unexpected(std::string("an instruction is repeated 0 times"));
    kernel.insert(kernel.end(), counted ? times : 1, *unit);
    times = 0;
    counted = false;
    if (kernel.size() > max_instructions)
      return tl::unexpected(fmt::format("a kernel of more than {} instructions", max_instructions));
  }
  if (counted) return tl::unexpected(std::string("a number without a unit after it"));
  if (kernel.empty()) return tl::unexpected(std::string("a kernel without instructions"));
  return kernel;
}

std::string to_string(const Kernel& kernel) {
  std::string text;
  for (const Unit unit : kernel) text += unit_letters[static_cast<std::size_t>(unit)];
  return text;
}

tl::expected<Kernel, std::string> kernel_of_ptx(std::string_view text) {
  const std::string plain = without_comments(text);
  Kernel kernel;
  std::size_t line = 1;
  int parentheses = 0;
  bool directive = false;
  std::string_view rest = plain;
  while (!rest.empty()) {
    // A statement ends at its semicolon; a directive such as .entry or .version also ends at a brace or at the end of
    // the line.
    std::size_t length = 0;
    const std::string_view ahead = trimmed(rest);
    directive = !ahead.empty() && (ahead.front() == '.' || ahead.front() == ')');
    parentheses = 0;
    bool begun = false;
    for (; length < rest.size(); ++length) {
      const char letter = rest[length];
      begun = begun || std::isspace(static_cast<unsigned char>(letter)) == 0;
      if (letter == '(') ++parentheses;
      if (letter == ')') --parentheses;
      if (letter == ';') break;
      if (directive && begun && parentheses <= 0 && (letter == '{' || letter == '\n')) break;
    }
    const std::string_view statement = rest.substr(0, length);
    const std::string_view instruction = instruction_of(statement);
    if (!instruction.empty() && instruction.front() != '.' && instruction.front() != ')') {
      const std::string_view before = plain;
      const auto offset = static_cast<std::size_t>(instruction.data() - before.data());
      const auto lines = line + static_cast<std::size_t>(std::count(rest.data(), before.data() + offset, '\n'));
      const std::string_view name = instruction.substr(0, instruction.find_first_of(" \t\r\n"));
      const auto unit = unit_of_opcode(name);
      if (!unit) return tl::unexpected(fmt::format("line {}: unknown opcode \"{}\"", lines, name));
      kernel.push_back(*unit);
      if (kernel.size() > max_instructions)
        return tl::unexpected(fmt::format("line {}: a kernel of more than {} instructions", lines, max_instructions));
    }
    const std::size_t used = std::min(rest.size(), length + 1);
    line += static_cast<std::size_t>(std::count(rest.data(), rest.data() + used, '\n'));
    rest.remove_prefix(used);
  }
  if (kernel.empty()) return tl::unexpected(std::string("no instructions"));
  return kernel;
}

tl::expected<Problem, std::string> problem_on(const SmUnits& sm, const Kernel& kernel, std::int64_t warps,
                                              std::int64_t schedulers) {
  if (kernel.empty()) return tl::unexpected(std::string("a kernel without instructions"));
  if (warps < 1 || warps > max_warps) return tl::unexpected(fmt::format("warps must be 1 to {}", max_warps));
  if (schedulers < 1) return tl::unexpected(std::string("there must be a warp scheduler"));
  Problem problem;
  problem.warps = warps;
  problem.schedulers = schedulers;
  PerUnit repeat{};
  for (std::size_t unit = 0; unit < unit_types; ++unit) {
    const std::int64_t units = sm.units[unit];
    if (units < 1 || units > 65536 || sm.latency[unit] < 1 || sm.latency[unit] > 65536)
      return tl::unexpected(fmt::format("{}: units and latency must be 1 to 65536", unit_letters[unit]));
    const bool whole = units >= sm.warp_size;
    if (whole ? units % sm.warp_size != 0 : sm.warp_size % units != 0)
      return tl::unexpected(fmt::format("{}: {} units and warps of {} threads are no multiples of one another",
                                        unit_letters[unit], units, sm.warp_size));
    problem.capacity[unit] = whole ? units / sm.warp_size : 1;
    repeat[unit] = (whole ? 1 : sm.warp_size / units) * sm.latency[unit];
  }
  for (const Unit unit : kernel) {
    const auto times = static_cast<std::size_t>(repeat[static_cast<std::size_t>(unit)]);
    if (times > max_instructions - problem.kernel.size())
      return tl::unexpected(fmt::format("a kernel of more than {} instructions of one cycle", max_instructions));
    problem.kernel.insert(problem.kernel.end(), times, unit);
  }
  return problem;
}

std::int64_t simple_bound(const Problem& problem) {
  // Work of the other warps in shares of a full cycle: full for one type, or full for the schedulers.
  PerUnit count{};
  for (const Unit unit : problem.kernel) ++count[static_cast<std::size_t>(unit)];
  std::int64_t bound = problem.instructions();
  for (std::size_t unit = 0; unit < unit_types; ++unit)
    bound += ((problem.warps - 1) * count[unit]) / std::min(problem.capacity[unit], problem.schedulers);
  // Each type may be rounded down by less than one cycle; together by less than the number of types.
  return bound + static_cast<std::int64_t>(unit_types) - 1;
}

}  // namespace amalthea::engine::nvidia::makespan
