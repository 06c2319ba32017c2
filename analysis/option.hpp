// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The options of all verbs as rows: name ↔ member of a request ↔ help ↔ what it accepts. The command line, its help
/// and manual pages, the keywords of Python and the keys of interrupted work come from these rows alone.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/failure.hpp"

namespace amalthea::analysis {

/// Headings over options in the help.
namespace group {
inline constexpr const char* analysis = "Analysis";
inline constexpr const char* annealing = "Simulated annealing";
inline constexpr const char* calibration = "Calibration";
inline constexpr const char* chains = "Chains";
inline constexpr const char* conversion = "Conversion";
inline constexpr const char* findings = "Findings";
inline constexpr const char* limits = "Limits on input";
inline constexpr const char* options = "Options";
inline constexpr const char* output = "Output";
inline constexpr const char* run = "Run";
inline constexpr const char* search = "Search";
inline constexpr const char* sweep = "Sweep";
inline constexpr const char* traces = "Traces";
inline constexpr const char* verdict = "Verdict";
}  // namespace group

/// Where the help shows an option: `rare` ones only in --help-all.
struct Place {
  const char* group;
  bool rare = false;
};
constexpr Place rare(const char* group) { return {group, true}; }

struct Range {
  std::uint64_t least, most;
};
struct RealRange {
  double least, most;
};
/// Of limits in MiB.
inline constexpr std::uint64_t max_mebibytes = std::uint64_t{1} << 40U;

enum class FileKind : std::uint8_t { none, read, read_for_unit, written, folder };  // for a unit: UNIT=FILE, too

/// What an option accepts, and how faces spell it.
struct Form {
  std::string_view takes = {};  ///< "TIME": what its value is; "" for numbers and for words of a list
  std::vector<std::string> choices = {};
  std::variant<std::monostate, Range, RealRange> range = {};
  const char* usual = nullptr;                  ///< the default that the help states; null: its value in a new request
  FileKind file = FileKind::none;               ///< of the file that it may name
  bool by_commas = false;                       ///< one text may hold several values
  char letter = '\0';                           ///< a short form for the command line
  std::string_view alias = {};                  ///< another name
  std::string_view keyword = {};                ///< of Python; "": the name
  std::string_view needs = {};                  ///< the option without which it has no effect
  std::vector<std::string_view> excludes = {};  ///< options that cannot be given beside it
  bool always_told = false;                     ///< `asked` states it even with its usual value
  bool required = false;
};

/// A row, bound to the member of one request.
struct Option {
  using Value =
      std::variant<bool*, std::string*, std::uint32_t*, std::uint64_t*, std::int64_t*, std::optional<std::uint64_t>*,
                   double*, std::optional<double>*, std::vector<std::string>*, std::vector<std::int64_t>*>;
  std::string_view name;  ///< "max-steps"
  Value value;
  std::string help;  ///< sentences without the last period; the first one is the short help
  Place place;
  Form form = {};

  std::string keyword() const;  ///< "max_steps"
};
/// The same; calls are shorter than lists in braces.
inline Option row(std::string_view name, Option::Value value, std::string help, Place place, Form form = {}) {
  return {name, value, std::move(help), place, std::move(form)};
}
/// The rows of a request, which must outlive them. Names are unique.
using OptionTable = std::vector<Option>;

OptionTable joined(std::initializer_list<OptionTable> tables);
/// The rows with these names, in that order.
OptionTable picked(const OptionTable& table, std::initializer_list<std::string_view> names);
const Option* find_option(const OptionTable& table, std::string_view name);

/// Nothing if the row accepts its value. The command line checks every value as it reads it.
std::optional<Failure> fault_in(const Option& option);

/// What was asked: the names ("--until") and values of the options that differ from those of a new request, and of
/// those that need one of these. A list has one entry for each of its values; a flag has no text. `usual`: the same
/// rows of a new request.
std::vector<std::pair<std::string, std::string>> asked(const OptionTable& table, const OptionTable& usual);
template <typename Request>
std::vector<std::pair<std::string, std::string>> asked(const std::type_identity_t<Request>& request,
                                                       OptionTable (*rows)(Request&)) {
  Request given = request, usual;
  return asked(rows(given), rows(usual));
}
/// The same in lines: what the results of a request depend on.
template <typename Request>
std::string asked_text(const std::type_identity_t<Request>& request, OptionTable (*rows)(Request&)) {
  std::string text;
  for (const auto& [name, value] : asked<Request>(request, rows)) text += '\n' + name + ' ' + value;
  return text;
}

}  // namespace amalthea::analysis
