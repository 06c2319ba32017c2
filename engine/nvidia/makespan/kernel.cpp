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

/// The first word: up to a blank.
std::string_view first_word(std::string_view text) { return text.substr(0, text.find_first_of(" \t\r\n")); }

bool is_letter(char letter) { return std::isalpha(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

class PtxReader {
 public:
  PtxReader(std::string_view text, std::vector<std::string>* warnings)
      : plain_(without_comments(text)), warnings_(warnings) {}

  tl::expected<Kernel, std::string> read() {
    std::string_view rest = plain_;
    while (!rest.empty()) {
      const std::size_t length = statement_length(rest);
      if (auto error = take(rest.substr(0, length))) return tl::unexpected(*error);
      // A line end that ends an instruction is not part of it, and neither is a semicolon.
      rest.remove_prefix(std::min(rest.size(), length + 1));
    }
    if (kernel_.empty()) return tl::unexpected(std::string("no instructions"));
    return std::move(kernel_);
  }

 private:
  /// A statement ends at its semicolon; a directive such as .entry or .version also ends at a brace or at the end of the
  /// line. An instruction without its semicolon ends where the next line begins with another one.
  std::size_t statement_length(std::string_view rest) {
    const std::string_view ahead = trimmed(rest);
    const bool directive = !ahead.empty() && (ahead.front() == '.' || ahead.front() == ')');
    int parentheses = 0;
    bool begun = false;
    for (std::size_t length = 0; length < rest.size(); ++length) {
      const char letter = rest[length];
      begun = begun || std::isspace(static_cast<unsigned char>(letter)) == 0;
      if (letter == '(') ++parentheses;
      if (letter == ')') --parentheses;
      if (letter == ';') return length;
      if (directive && begun && parentheses <= 0 && (letter == '{' || letter == '\n')) return length;
      if (directive || !begun || parentheses > 0 || letter != '\n') continue;
      const std::string_view here = instruction_of(rest.substr(0, length));
      const std::string_view next = instruction_of(rest.substr(length + 1, rest.find('\n', length + 1) - length - 1));
      if (here.empty() || !unit_of_opcode(first_word(here)) || !unit_of_opcode(first_word(next))) continue;
      warn(here, "an instruction without a semicolon; it is taken to end with the line");
      return length;
    }
    return rest.size();
  }

  std::optional<std::string> take(std::string_view statement) {
    std::string_view instruction = instruction_of(statement);
    if (statement.find(".reg") != std::string_view::npos) add_registers(trimmed(statement));
    if (instruction.empty() || instruction.front() == '.' || instruction.front() == ')') return std::nullopt;
    std::string_view name = first_word(instruction);
    auto unit = unit_of_opcode(name);
    if (!unit && is_letter(name.front())) {
      const std::string_view after = trimmed(instruction.substr(name.size()));
      if (unit = unit_of_opcode(first_word(after)); unit) {
        warn(instruction, fmt::format("the label \"{}\" without a colon", name));
        instruction = after;
        name = first_word(after);
      }
    }
    if (!unit) return fmt::format("line {}: unknown opcode \"{}\"", line_of(instruction), name);
    if (name.substr(0, name.find('.')) == "mov" && moves_symbol(instruction)) unit = Unit::memory;
    kernel_.push_back(*unit);
    if (kernel_.size() <= max_instructions) return std::nullopt;
    return fmt::format("line {}: a kernel of more than {} instructions", line_of(instruction), max_instructions);
  }

  /// ".reg .f32 x, %f<8>": names without % that are registers, not symbols.
  void add_registers(std::string_view statement) {
    for (std::size_t at = 0; at < statement.size();) {
      const std::size_t end = std::min(statement.find_first_of(" \t\r\n,", at), statement.size());
      const std::string_view word = statement.substr(at, end - at);
      if (!word.empty() && is_letter(word.front())) registers_.emplace_back(word.substr(0, word.find('<')));
      at = end + 1;
    }
  }

  bool is_register(std::string_view name) const {
    return std::any_of(registers_.begin(), registers_.end(), [&](const std::string& known) {
      return name.starts_with(known) &&
             name.substr(known.size()).find_first_not_of("0123456789") == std::string_view::npos;
    });
  }

  /// Whether the source of a mov is the name of a variable: neither a register, nor a number, nor a list.
  bool moves_symbol(std::string_view mov) const {
    const auto comma = mov.find(',');
    if (comma == std::string_view::npos) return false;
    std::string_view source = trimmed(mov.substr(comma + 1));
    while (source.ends_with(',')) source = trimmed(source.substr(0, source.size() - 1));
    const std::string_view symbol = source.substr(0, source.find_first_of(" \t+[.,"));
    return !symbol.empty() && is_letter(symbol.front()) && symbol != "WARP_SZ" && symbol != "true" &&
           symbol != "false" && !is_register(symbol);
  }

  std::size_t line_of(std::string_view place) const {
    return 1 + static_cast<std::size_t>(std::count(plain_.data(), place.data(), '\n'));
  }
  void warn(std::string_view place, std::string_view what) const {
    if (warnings_ != nullptr) warnings_->push_back(fmt::format("line {}: {}", line_of(place), what));
  }

  const std::string plain_;
  std::vector<std::string>* warnings_;
  std::vector<std::string> registers_;
  Kernel kernel_;
};

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

tl::expected<Kernel, std::string> kernel_of_ptx(std::string_view text, std::vector<std::string>* warnings) {
  return PtxReader(text, warnings).read();
}

std::int64_t waiting(const Problem& problem) {
  std::int64_t cycles = 0;
  for (std::size_t i = 0; i < problem.kernel.size(); ++i) cycles += problem.wait_after(i);
  return cycles;
}

tl::expected<Problem, std::string> problem_on(const SmUnits& sm, const Kernel& kernel, std::int64_t warps,
                                              std::int64_t schedulers) {
  return problem_on(sm, {{kernel, warps}}, schedulers);
}

tl::expected<Problem, std::string> problem_on(const SmUnits& sm,
                                              const std::vector<std::pair<Kernel, std::int64_t>>& kernels,
                                              std::int64_t schedulers) {
  std::int64_t warps = 0;
  for (const auto& [kernel, its_warps] : kernels) {
    if (kernel.empty()) return tl::unexpected(std::string("a kernel without instructions"));
    if (its_warps < 1 || its_warps > max_warps - warps)
      return tl::unexpected(fmt::format("warps must be 1 to {}", max_warps));
    warps += its_warps;
  }
  if (kernels.empty()) return tl::unexpected(std::string("a kernel without instructions"));
  if (schedulers < 1) return tl::unexpected(std::string("there must be a warp scheduler"));
  Problem problem;
  problem.warps = warps;
  problem.schedulers = schedulers;
  problem.wait = sm.wait;
  problem.dispatch_units = sm.dispatch_units;
  PerUnit repeat{};
  for (std::size_t unit = 0; unit < unit_types; ++unit) {
    const std::int64_t units = sm.units[unit];
    if (units < 1 || units > 65536 || sm.latency[unit] < 1 || sm.latency[unit] > 65536)
      return tl::unexpected(fmt::format("{}: units and latency must be 1 to 65536", unit_letters[unit]));
    if (sm.wait[unit] < 0 || sm.wait[unit] > 65536)
      return tl::unexpected(fmt::format("{}: a warp may wait for 0 to 65536 cycles", unit_letters[unit]));
    const bool whole = units >= sm.warp_size;
    if (whole ? units % sm.warp_size != 0 : sm.warp_size % units != 0)
      return tl::unexpected(fmt::format("{}: {} units and warps of {} threads are no multiples of one another",
                                        unit_letters[unit], units, sm.warp_size));
    problem.capacity[unit] = whole ? units / sm.warp_size : 1;
    repeat[unit] = (whole ? 1 : sm.warp_size / units) * sm.latency[unit];
  }
  for (const auto& [kernel, its_warps] : kernels) {
    const std::size_t begin = problem.kernel.size();
    for (const Unit unit : kernel) {
      const auto times = static_cast<std::size_t>(repeat[static_cast<std::size_t>(unit)]);
      if (times > max_instructions - problem.kernel.size())
        return tl::unexpected(fmt::format("a kernel of more than {} instructions of one cycle", max_instructions));
      problem.kernel.insert(problem.kernel.end(), times, unit);
      problem.completes.resize(problem.kernel.size(), false);
      problem.completes.back() = true;
    }
    if (kernels.size() > 1) problem.several.push_back({begin, problem.kernel.size(), its_warps});
  }
  if (waiting(problem) > max_waiting)
    return tl::unexpected(fmt::format("a kernel whose warps wait for more than {} cycles", max_waiting));
  return problem;
}

std::int64_t simple_bound(const Problem& problem, const Part& part) {
  // Of the warp that ends last: its own instructions and waits, and the work of the other warps in shares of a full
  // cycle: full for one type, or full for the schedulers.
  PerUnit others{};
  for (const Part& each : problem.parts())
    for (std::size_t i = each.begin; i < each.end; ++i)
      others[static_cast<std::size_t>(problem.kernel[i])] += each.warps - (each.begin == part.begin ? 1 : 0);
  std::int64_t bound = static_cast<std::int64_t>(part.size());
  for (std::size_t i = part.begin; i < part.end; ++i) bound += problem.wait_after(i);
  for (std::size_t unit = 0; unit < unit_types; ++unit)
    bound += others[unit] / std::min(problem.capacity[unit], problem.schedulers);
  // Each type may be rounded down by less than one cycle; together by less than the number of types.
  return bound + static_cast<std::int64_t>(unit_types) - 1;
}

std::int64_t simple_bound(const Problem& problem) {
  std::int64_t longest = 0;
  for (const Part& part : problem.parts()) longest = std::max(longest, simple_bound(problem, part));
  return longest;
}

}  // namespace amalthea::engine::nvidia::makespan
