// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/makespan/sass.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"

namespace amalthea::engine::nvidia::makespan {
namespace {

// Opcodes up to their first dot.
constexpr std::string_view sass_memory_opcodes[] = {
    "LD",  "LDG",  "LDS",   "LDL",    "LDC",   "LDSM", "LDGSTS", "ST",   "STG",  "STS",
    "STL", "ATOM", "ATOMG", "ATOMS",  "RED",   "TEX",  "TEXS",   "TLD",  "TLDS", "TLD4",
    "TXQ", "SULD", "SUST",  "SUATOM", "SURED", "SHFL", "CCTL",   "QSPC", "MATCH"};
constexpr std::string_view double_opcodes[] = {"DADD", "DMUL", "DFMA", "DMNMX", "DSET", "DSETP"};
constexpr std::string_view sass_core_opcodes[] = {
    "FADD",   "FADD32I",     "FMUL",        "FMUL32I",   "FFMA",   "FFMA32I", "FMNMX", "FSET",  "FSETP",
    "FSEL",   "FCMP",        "FCHK",        "FSWZADD",   "HADD2",  "HMUL2",   "HFMA2", "HSET2", "HSETP2",
    "HMNMX2", "IADD",        "IADD3",       "IADD32I",   "IMUL",   "IMAD",    "IMNMX", "IABS",  "ISCADD",
    "LEA",    "ISET",        "ISETP",       "ICMP",      "IDP",    "XMAD",    "LOP",   "LOP3",  "LOP32I",
    "PLOP3",  "SHL",         "SHR",         "SHF",       "BFE",    "BFI",     "BMSK",  "SGXT",  "PRMT",
    "SEL",    "MOV",         "MOV32I",      "CS2R",      "S2R",    "S2UR",    "R2P",   "P2R",   "PSET",
    "PSETP",  "CSET",        "CSETP",       "VOTE",      "VOTEU",  "R2UR",    "RRO",   "BAR",   "MEMBAR",
    "DEPBAR", "ERRBAR",      "B2R",         "R2B",       "BRA",    "BRX",     "JMP",   "JMX",   "JCAL",
    "CAL",    "CALL",        "RET",         "EXIT",      "KILL",   "BPT",     "BRK",   "PBK",   "CONT",
    "PCNT",   "SSY",         "SYNC",        "PRET",      "BSSY",   "BSYNC",   "BREAK", "BMOV",  "WARPSYNC",
    "YIELD",  "NANOSLEEP",   "VABSDIFF",    "VABSDIFF4", "UMOV",   "UIADD3",  "UIMAD", "ULEA",  "ULOP3",
    "UISETP", "USEL",        "USHF",        "UPRMT",     "UPLOP3", "UBMSK",   "USGXT", "ULDC",  "RPCMOV",
    "LEPC",   "GETLMEMBASE", "SETLMEMBASE", "SETCTAID",  "PMTRIG"};
/// Executed by the special function unit, or by cores.
constexpr std::string_view varying_opcodes[] = {"POPC", "FLO", "BREV", "F2F", "F2I", "I2F", "I2I", "FRND"};
constexpr std::string_view tensor_opcodes[] = {"HMMA", "IMMA", "DMMA", "BMMA", "HGMMA", "IGMMA"};

template <std::size_t size>
bool is_in(const std::string_view (&table)[size], std::string_view opcode) {
  return std::find(std::begin(table), std::end(table), opcode) != std::end(table);
}

/// Conversions of and to integers of 8 and 16 bits run at the full rate before Volta (I2I); all others, and bit counts,
/// on the special function units.
std::optional<Unit> unit_of(std::string_view opcode, SassFamily family) {
  if (is_in(sass_memory_opcodes, opcode)) return Unit::memory;
  if (is_in(double_opcodes, opcode)) return Unit::double_float;
  if (opcode == "MUFU") return Unit::special;
  if (is_in(varying_opcodes, opcode))
    return opcode == "I2I" && family == SassFamily::maxwell ? Unit::core : Unit::special;
  if (is_in(sass_core_opcodes, opcode)) return Unit::core;
  return std::nullopt;
}

std::string_view stripped(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\v\f";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// "sm_72" in a line such as "code for sm_72", "arch = sm_72" or ".target sm_72"; empty if there is none.
std::string_view architecture_in(std::string_view line) {
  if (line.find("/*") != std::string_view::npos) return {};
  const auto at = line.find("sm_");
  if (at == std::string_view::npos) return {};
  std::size_t end = at + 3;
  while (end < line.size() && std::isdigit(static_cast<unsigned char>(line[end])) != 0) ++end;
  return line.substr(at, end - at);
}

/// The instruction of a line that begins with its address, "/*0008*/ @!P0 MOV R1, R2 ;"; empty for other lines.
std::string_view instruction_in(std::string_view line) {
  line = stripped(line);
  if (!line.starts_with("/*") || line.starts_with("/* ")) return {};
  const auto end = line.find("*/");
  if (end == std::string_view::npos) return {};
  line = stripped(line.substr(end + 2));
  while (!line.empty() && (line.front() == '{' || line.front() == '@')) {
    const auto blank = line.front() == '{' ? 1 : line.find_first_of(" \t");
    if (blank == std::string_view::npos) return {};
    line = stripped(line.substr(blank));
  }
  const std::string_view word = line.substr(0, line.find_first_of(" \t;"));
  return word.empty() || std::isupper(static_cast<unsigned char>(word.front())) == 0 ? std::string_view() : word;
}

}  // namespace

std::optional<SassFamily> sass_family(std::string_view architecture) {
  if (!architecture.starts_with("sm_")) return std::nullopt;
  std::string_view digits = architecture.substr(3);
  if (digits.ends_with('a')) digits.remove_suffix(1);
  const auto number = parse_integer(digits);
  if (!number || *number < 50) return std::nullopt;
  return *number < 70 ? SassFamily::maxwell : SassFamily::volta;
}

tl::expected<Kernel, std::string> kernel_of_sass(std::string_view text, std::string_view architecture) {
  Kernel kernel;
  std::string named(architecture);
  std::size_t line = 0;
  std::size_t end_of_kernel = 0;  // instructions up to the last EXIT
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = std::min(rest.find('\n'), rest.size());
    const std::string_view content = rest.substr(0, length);
    rest.remove_prefix(std::min(rest.size(), length + 1));
    ++line;
    if (named.empty()) named = architecture_in(content);
    if (!kernel.empty() && content.find("Function :") != std::string_view::npos) break;
    const std::string_view word = instruction_in(content);
    const std::string_view opcode = word.substr(0, word.find('.'));
    if (opcode.empty() || opcode == "NOP") continue;
    const auto family = sass_family(named);
    if (!family)
      return tl::unexpected(fmt::format("line {}: the architecture is unknown; use --arch sm_50 or later", line));
    if (is_in(tensor_opcodes, opcode))
      return tl::unexpected(
          fmt::format("line {}: \"{}\" needs a tensor core, which this model does not have", line, word));
    const auto unit = unit_of(opcode, *family);
    if (!unit) return tl::unexpected(fmt::format("line {}: unknown opcode \"{}\"", line, word));
    kernel.push_back(*unit);
    if (kernel.size() > max_instructions)
      return tl::unexpected(fmt::format("line {}: a kernel of more than {} instructions", line, max_instructions));
    if (opcode == "EXIT" || opcode == "RET") end_of_kernel = kernel.size();
  }
  if (end_of_kernel > 0) kernel.resize(end_of_kernel);  // what follows is a jump to itself
  if (kernel.empty()) return tl::unexpected(std::string("no instructions"));
  return kernel;
}

}  // namespace amalthea::engine::nvidia::makespan
