// SPDX-License-Identifier: Apache-2.0
// Turns metamodel.txt into the C++ tables that metamodel.cpp includes.
//
//   compile_metamodel metamodel.txt OUT.inc
//
// Runs at build time and is self-contained. The head of the input describes its format. All errors in the table are
// reported here, as "file:line: message" on standard error with exit code 1, so that the library can rely on it: names
// resolve in every version of the line that uses them, ranges do not overlap, and supertypes have no cycle.

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

/// A set of versions; bit n is the n-th version of the `versions` line.
using Versions = std::uint32_t;
constexpr std::size_t max_versions = 32;

/// One line of the table: its words, and the ranges in the brackets at its end.
struct Line {
  std::size_t number = 0;
  std::vector<std::string> words;  // a quoted word keeps its opening quote as a mark
  bool has_range = false;
  std::vector<std::string> ranges;
};

struct DataTypeForm {
  std::string java_class;
  bool has_minimum = false;
  bool minimum_exclusive = false;
  std::string minimum = "0";
  Versions versions = 0;
};

struct DataType {
  std::vector<DataTypeForm> forms;
};

struct Literal {
  std::string text;
  std::string name;
  Versions versions = 0;
};

struct Enum {
  Versions versions = 0;
  std::vector<Literal> literals;
};

struct Supertypes {
  std::vector<std::string> names;
  Versions versions = 0;
  std::size_t line = 0;
};

struct Feature {
  std::string kind;  // the word of the table
  std::string name;
  std::string type;
  std::string lower;
  std::string upper;
  bool has_default = false;
  std::string default_literal;
  bool id = false;
  bool derived = false;
  bool transient = false;
  bool is_volatile = false;
  bool changeable = true;
  bool container = false;
  std::string opposite;
  Versions versions = 0;
  std::size_t line = 0;
};

struct Class {
  Versions versions = 0;
  Versions abstract_in = 0;
  Versions interface_in = 0;
  Versions map_entry_in = 0;
  std::vector<Supertypes> supertypes;
  std::vector<Feature> features;
  std::size_t line = 0;
};

/// The whole table. Uses maps, because the output is ordered by name.
struct Table {
  std::vector<std::string> versions;
  std::set<std::string> builtins;
  std::map<std::string, DataType> data_types;
  std::map<std::string, Enum> enums;
  std::map<std::string, Class> classes;

  Versions all_versions() const {
    return versions.size() == max_versions ? ~Versions{0} : (Versions{1} << versions.size()) - 1;
  }
};

class Errors {
 public:
  explicit Errors(std::string file) : file_(std::move(file)) {}

  void report(std::size_t line, const std::string& message) {
    std::cerr << file_ << ':' << line << ": " << message << '\n';
    any_ = true;
  }

  bool any() const { return any_; }

 private:
  std::string file_;
  bool any_ = false;
};

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 9 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_name(std::string_view text) {
  const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !text.empty() && !is_number(text.substr(0, 1)) && std::all_of(text.begin(), text.end(), word);
}

std::vector<std::string> split_words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return {std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>()};
}

/// Reads the table line by line. `class` and `enum` open a block that the following lines fill.
class Reader {
 public:
  explicit Reader(Errors& errors) : errors_(errors) {}

  Table read(std::istream& in) {
    std::string text;
    for (std::size_t number = 1; std::getline(in, text); ++number) {
      if (!text.empty() && text.back() == '\r') text.pop_back();
      Line line;
      line.number = number;
      if (split(text, line) && !line.words.empty()) read_line(line);
    }
    if (table_.versions.empty()) errors_.report(1, "there is no 'versions' line");
    return std::move(table_);
  }

 private:
  /// False, with a report, if quotes or brackets are not closed.
  bool split(std::string_view text, Line& line) {
    std::size_t at = 0;
    while (at < text.size()) {
      const char c = text[at];
      if (c == '#') break;
      if (c == ' ' || c == '\t') {
        ++at;
        continue;
      }
      if (line.has_range) {
        errors_.report(line.number, "text after the version range");
        return false;
      }
      if (c == '"' || c == '[') {
        const std::size_t end = text.find(c == '"' ? '"' : ']', at + 1);
        if (end == std::string_view::npos) {
          errors_.report(line.number, c == '"' ? "missing closing '\"'" : "missing ']'");
          return false;
        }
        if (c == '"') {
          line.words.emplace_back(text.substr(at, end - at));
        } else {
          line.has_range = true;
          line.ranges = split_words(text.substr(at + 1, end - at - 1));
        }
        at = end + 1;
        continue;
      }
      const std::size_t end = std::min(text.find_first_of(" \t\"[#", at), text.size());
      line.words.emplace_back(text.substr(at, end - at));
      at = end;
    }
    return true;
  }

  void read_line(const Line& line) {
    const std::string& word = line.words.front();
    if (word == "versions") {
      read_versions(line);
    } else if (table_.versions.empty()) {
      errors_.report(line.number, "the first line has to be 'versions'");
      table_.versions.emplace_back("?");  // reported once
    } else if (word == "builtin") {
      table_.builtins.insert(line.words.begin() + 1, line.words.end());
    } else if (word == "datatype") {
      read_data_type(line);
    } else if (word == "enum") {
      open_block(line, table_.enums, enum_);
    } else if (word == "class") {
      open_block(line, table_.classes, class_);
      if (class_ != nullptr) class_->line = line.number;
    } else if (word == "literals") {
      if (enum_ == nullptr) return outside(line, "enum");
      read_literals(line);
    } else if (word == "abstract" || word == "interface" || word == "map-entry") {
      if (class_ == nullptr) return outside(line, "class");
      read_class_flag(line);
    } else if (word == "extends") {
      if (class_ == nullptr) return outside(line, "class");
      read_supertypes(line);
    } else if (word == "attribute" || word == "contains" || word == "refers") {
      if (class_ == nullptr) return outside(line, "class");
      read_feature(line);
    } else {
      errors_.report(line.number, "unknown word '" + word + "'");
    }
  }

  void outside(const Line& line, const char* block) {
    // After a faulty class or enum line, its content would only repeat the fault.
    if (skipping_) return;
    errors_.report(line.number, "'" + line.words.front() + "' outside of " + block);
  }

  void read_versions(const Line& line) {
    if (!table_.versions.empty()) {
      errors_.report(line.number, "second 'versions' line");
      return;
    }
    table_.versions.assign(line.words.begin() + 1, line.words.end());
    if (table_.versions.empty() || table_.versions.size() > max_versions) {
      errors_.report(line.number, "need 1 to 32 versions");
      table_.versions.resize(1, "?");
    }
    std::set<std::string> seen;
    for (const std::string& version : table_.versions) {
      if (!seen.insert(version).second) errors_.report(line.number, "version " + version + " twice");
    }
  }

  /// Ordinal of a version; reports an unknown version and returns `otherwise`.
  std::size_t ordinal(const Line& line, const std::string& version, std::size_t otherwise) {
    const auto found = std::find(table_.versions.begin(), table_.versions.end(), version);
    if (found == table_.versions.end()) {
      errors_.report(line.number, "unknown version '" + version + "'");
      return otherwise;
    }
    return static_cast<std::size_t>(found - table_.versions.begin());
  }

  /// The versions of a line inside something that exists in `whole`.
  Versions versions_of(const Line& line, Versions whole) {
    if (!line.has_range) return whole;
    Versions result = 0;
    for (const std::string& range : line.ranges) {
      std::size_t first = 0;
      std::size_t last = table_.versions.size() - 1;
      const std::size_t dots = range.find("..");
      if (dots == std::string::npos) {
        first = last = ordinal(line, range, 0);
      } else {
        if (dots != 0) first = ordinal(line, range.substr(0, dots), first);
        if (dots + 2 != range.size()) last = ordinal(line, range.substr(dots + 2), last);
      }
      if (first > last) errors_.report(line.number, "range '" + range + "' runs backwards");
      for (std::size_t at = first; at <= last; ++at) {
        const Versions bit = Versions{1} << at;
        if ((result & bit) != 0) errors_.report(line.number, "version " + table_.versions[at] + " twice");
        result |= bit;
      }
    }
    if (line.ranges.empty()) errors_.report(line.number, "empty version range");
    if ((result & ~whole) != 0) errors_.report(line.number, "range is wider than that of the class or enum");
    return result;
  }

  template <typename Block>
  void open_block(const Line& line, std::map<std::string, Block>& blocks, Block*& current) {
    enum_ = nullptr;
    class_ = nullptr;
    skipping_ = true;
    if (line.words.size() != 2 || !is_name(line.words[1])) {
      errors_.report(line.number, "'" + line.words[0] + "' needs one name");
      return;
    }
    const auto [at, is_new] = blocks.try_emplace(line.words[1]);
    if (!is_new) {
      errors_.report(line.number, "second definition of " + line.words[0] + " " + line.words[1]);
      return;
    }
    at->second.versions = versions_of(line, table_.all_versions());
    current = &at->second;
    skipping_ = false;
  }

  void read_data_type(const Line& line) {
    enum_ = nullptr;
    class_ = nullptr;
    const auto& words = line.words;
    DataTypeForm form;
    const bool has_minimum =
        words.size() == 6 && words[3] == "min" && (words[4] == ">=" || words[4] == ">") && is_number(words[5]);
    if ((words.size() != 3 && !has_minimum) || !is_name(words[1])) {
      errors_.report(line.number, "expected 'datatype NAME JAVA [min >= N]'");
      return;
    }
    form.java_class = words[2];
    if (has_minimum) {
      form.has_minimum = true;
      form.minimum_exclusive = words[4] == ">";
      form.minimum = words[5];
    }
    form.versions = versions_of(line, table_.all_versions());
    DataType& type = table_.data_types[words[1]];
    for (const DataTypeForm& other : type.forms) {
      if ((other.versions & form.versions) != 0)
        errors_.report(line.number, "datatype " + words[1] + " twice in one version");
    }
    type.forms.push_back(std::move(form));
  }

  void read_literals(const Line& line) {
    const Versions versions = versions_of(line, enum_->versions);
    if (line.words.size() == 1) errors_.report(line.number, "'literals' without a literal");
    for (std::size_t at = 1; at < line.words.size(); ++at) {
      Literal literal;
      const std::string& word = line.words[at];
      const std::size_t open = word.find('(');
      literal.text = word.substr(0, open);
      literal.name = literal.text;
      if (open != std::string::npos && word.back() == ')') literal.name = word.substr(open + 1, word.size() - open - 2);
      literal.versions = versions;
      if (!is_name(literal.text) || !is_name(literal.name)) {
        errors_.report(line.number, "'" + word + "' is not a literal");
        continue;
      }
      for (const Literal& other : enum_->literals) {
        if (other.text == literal.text && (other.versions & versions) != 0)
          errors_.report(line.number, "literal " + literal.text + " twice in one version");
      }
      enum_->literals.push_back(std::move(literal));
    }
  }

  void read_class_flag(const Line& line) {
    const std::string& word = line.words.front();
    if (line.words.size() != 1) errors_.report(line.number, "'" + word + "' stands alone");
    Versions& target = word == "abstract"    ? class_->abstract_in
                       : word == "interface" ? class_->interface_in
                                             : class_->map_entry_in;
    if (target != 0) errors_.report(line.number, "second '" + word + "' in one class");
    target = versions_of(line, class_->versions);
    if (word == "map-entry" && target != class_->versions)
      errors_.report(line.number, "'map-entry' has to hold in every version of the class");
  }

  void read_supertypes(const Line& line) {
    Supertypes supertypes;
    supertypes.names.assign(line.words.begin() + 1, line.words.end());
    supertypes.versions = versions_of(line, class_->versions);
    supertypes.line = line.number;
    if (supertypes.names.empty()) errors_.report(line.number, "'extends' without a name");
    for (const Supertypes& other : class_->supertypes) {
      if ((other.versions & supertypes.versions) != 0) errors_.report(line.number, "second 'extends' in one version");
    }
    class_->supertypes.push_back(std::move(supertypes));
  }

  void read_feature(const Line& line) {
    const auto& words = line.words;
    Feature feature;
    feature.line = line.number;
    if (words.size() < 4 || !is_name(words[1]) || !is_name(words[2])) {
      errors_.report(line.number, "expected '" + words[0] + " NAME TYPE LOWER..UPPER'");
      return;
    }
    feature.kind = words[0];
    feature.name = words[1];
    feature.type = words[2];
    const std::size_t dots = words[3].find("..");
    feature.lower = words[3].substr(0, dots);
    if (dots != std::string::npos) feature.upper = words[3].substr(dots + 2);
    // Bounds are 16-bit integers in the tables.
    if (!is_number(feature.lower) || (feature.upper != "*" && !is_number(feature.upper)) || feature.lower.size() > 4 ||
        feature.upper.size() > 4) {
      errors_.report(line.number, "'" + words[3] + "' is not LOWER..UPPER");
      return;
    }
    for (std::size_t at = 4; at < words.size(); ++at) {
      const std::string& word = words[at];
      const std::string next = at + 1 < words.size() ? words[at + 1] : std::string();
      if (word == "=" && next.starts_with('"')) {
        feature.has_default = true;
        feature.default_literal = next.substr(1);
        ++at;
      } else if (word == "opposite" && is_name(next)) {
        feature.opposite = next;
        ++at;
      } else if (word == "id") {
        feature.id = true;
      } else if (word == "derived") {
        feature.derived = true;
      } else if (word == "transient") {
        feature.transient = true;
      } else if (word == "volatile") {
        feature.is_volatile = true;
      } else if (word == "unchangeable") {
        feature.changeable = false;
      } else {
        errors_.report(line.number, "unknown or incomplete flag '" + word + "'");
        return;
      }
    }
    feature.versions = versions_of(line, class_->versions);
    for (const Feature& other : class_->features) {
      if (other.name == feature.name && (other.versions & feature.versions) != 0)
        errors_.report(line.number, "feature " + feature.name + " twice in one version");
    }
    class_->features.push_back(std::move(feature));
  }

  Errors& errors_;
  Table table_;
  Enum* enum_ = nullptr;
  Class* class_ = nullptr;
  bool skipping_ = false;
};

/// Checks that names resolve in every version, and fills Feature::container.
class Checker {
 public:
  Checker(Table& table, Errors& errors) : table_(table), errors_(errors) {}

  void run() {
    for (auto& [name, one] : table_.classes) {
      for (const Supertypes& supertypes : one.supertypes) {
        for (const std::string& super : supertypes.names)
          need(class_versions(super), supertypes.versions, supertypes.line, "class " + super);
      }
      for (Feature& feature : one.features) check(feature);
    }
    for (std::size_t version = 0; version < table_.versions.size(); ++version) {
      for (const auto& [name, one] : table_.classes) {
        std::set<std::string> path;
        check_cycle(name, Versions{1} << version, path, one.line);
      }
    }
  }

 private:
  Versions class_versions(const std::string& name) const {
    const auto found = table_.classes.find(name);
    return found == table_.classes.end() ? 0 : found->second.versions;
  }

  void need(Versions have, Versions wanted, std::size_t line, const std::string& what) {
    for (std::size_t at = 0; at < table_.versions.size(); ++at) {
      if (((wanted & ~have) >> at & 1U) != 0) {
        errors_.report(line, "no " + what + " in " + table_.versions[at]);
        return;
      }
    }
  }

  void check(Feature& feature) {
    if (feature.kind == "attribute") {
      if (table_.builtins.contains(feature.type)) return;
      Versions have = 0;
      if (const auto at = table_.enums.find(feature.type); at != table_.enums.end()) have |= at->second.versions;
      if (const auto at = table_.data_types.find(feature.type); at != table_.data_types.end())
        for (const DataTypeForm& form : at->second.forms) have |= form.versions;
      need(have, feature.versions, feature.line, "enum or datatype " + feature.type);
      return;
    }
    if (feature.type == "EObject") return;
    need(class_versions(feature.type), feature.versions, feature.line, "class " + feature.type);
    if (feature.opposite.empty()) return;
    Versions have = 0;
    Versions contained = 0;
    const auto type = table_.classes.find(feature.type);
    if (type != table_.classes.end()) {
      for (const Feature& other : type->second.features) {
        if (other.name != feature.opposite) continue;
        have |= other.versions;
        if (other.kind == "contains") contained |= other.versions;
      }
    }
    need(have, feature.versions, feature.line, "feature " + feature.opposite + " of " + feature.type);
    feature.container = (contained & feature.versions) != 0;
    if (feature.container && (feature.versions & ~contained) != 0)
      errors_.report(feature.line, "the opposite is a containment in some versions only");
  }

  void check_cycle(const std::string& name, Versions version, std::set<std::string>& path, std::size_t line) {
    const auto found = table_.classes.find(name);
    if (found == table_.classes.end()) return;  // already reported
    if (!path.insert(name).second) {
      errors_.report(line, "class " + name + " is its own supertype");
      return;
    }
    for (const Supertypes& supertypes : found->second.supertypes) {
      if ((supertypes.versions & version) == 0) continue;
      for (const std::string& super : supertypes.names) check_cycle(super, version, path, line);
    }
    path.erase(name);
  }

  Table& table_;
  Errors& errors_;
};

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"sv";
}

std::string set_text(Versions versions) {
  std::ostringstream out;
  out << "VersionSet::from_bits(0x" << std::hex << versions << "u)";
  return out.str();
}

const char* bool_text(bool value) { return value ? "true" : "false"; }

/// Writes the arrays. Lists of variable length are in one pool array per element type; a record refers to its part with
/// a span.
class Writer {
 public:
  Writer(const Table& table, std::ostream& out) : table_(table), out_(out) {
    number(table.classes, class_ids_);
    number(table.enums, enum_ids_);
    number(table.data_types, data_type_ids_);
  }

  void run() {
    out_ << "// Written by compile_metamodel from metamodel.txt.\n\n";
    write_versions();
    write_data_types();
    write_enums();
    write_classes();
  }

 private:
  using Ids = std::map<std::string, std::size_t>;

  template <typename Map>
  static void number(const Map& map, Ids& ids) {
    for (const auto& [name, value] : map) ids.emplace(name, ids.size());
  }

  static std::string id_text(const char* type, const Ids& ids, const std::string& name, const char* none) {
    const auto found = ids.find(name);
    if (found == ids.end()) return none;
    return std::string(type) + "{" + std::to_string(found->second) + "}";
  }

  std::string class_id(const std::string& name) const { return id_text("ClassId", class_ids_, name, "no_class"); }

  static std::string span_text(const char* pool, std::size_t first, std::size_t count) {
    if (count == 0) return "{}";
    return std::string("{") + pool + " + " + std::to_string(first) + ", " + std::to_string(count) + "}";
  }

  void write_versions() {
    out_ << "constexpr std::string_view version_names[] = {\n";
    for (const std::string& version : table_.versions) out_ << "    " << quoted(version) << ",\n";
    out_ << "};\n\n";
    // The enumeration is hand-written; these assertions keep it consistent with the table.
    for (std::size_t at = 0; at < table_.versions.size(); ++at) {
      std::string name = table_.versions[at];
      std::replace(name.begin(), name.end(), '.', '_');
      out_ << "static_assert(static_cast<std::size_t>(Version::v" << name << ") == " << at << ");\n";
    }
    out_ << '\n';
  }

  void write_data_types() {
    out_ << "constexpr DataTypeForm data_type_forms[] = {\n";
    for (const auto& [name, type] : table_.data_types) {
      for (const DataTypeForm& form : type.forms)
        out_ << "    {" << set_text(form.versions) << ", " << quoted(form.java_class) << ", "
             << bool_text(form.has_minimum) << ", " << bool_text(form.minimum_exclusive) << ", " << form.minimum
             << "},\n";
    }
    out_ << "};\n\nconstexpr DataTypeInfo data_type_infos[] = {\n";
    std::size_t first = 0;
    for (const auto& [name, type] : table_.data_types) {
      Versions versions = 0;
      for (const DataTypeForm& form : type.forms) versions |= form.versions;
      out_ << "    {DataTypeId{" << data_type_ids_.at(name) << "}, " << quoted(name) << ", " << set_text(versions)
           << ", " << span_text("data_type_forms", first, type.forms.size()) << "},\n";
      first += type.forms.size();
    }
    out_ << "};\n\n";
  }

  void write_enums() {
    out_ << "constexpr EnumLiteral enum_literals[] = {\n";
    for (const auto& [name, one] : table_.enums) {
      for (const Literal& literal : one.literals)
        out_ << "    {" << quoted(literal.text) << ", " << quoted(literal.name) << ", " << set_text(literal.versions)
             << "},\n";
    }
    out_ << "};\n\nconstexpr EnumInfo enum_infos[] = {\n";
    std::size_t first = 0;
    for (const auto& [name, one] : table_.enums) {
      out_ << "    {EnumId{" << enum_ids_.at(name) << "}, " << quoted(name) << ", " << set_text(one.versions) << ", "
           << span_text("enum_literals", first, one.literals.size()) << "},\n";
      first += one.literals.size();
    }
    out_ << "};\n\n";
  }

  /// The class and its supertypes in the order in which Ecore lists their
  /// features: depth first, a class after its supertypes, each once.
  void collect_lineage(const std::string& name, Versions version, std::vector<std::string>& result) const {
    if (std::find(result.begin(), result.end(), name) != result.end()) return;
    for (const Supertypes& supertypes : table_.classes.at(name).supertypes) {
      if ((supertypes.versions & version) == 0) continue;
      for (const std::string& super : supertypes.names) collect_lineage(super, version, result);
    }
    result.push_back(name);
  }

  /// Versions with the same lineage share one list.
  std::vector<Supertypes> lineages(const std::string& name, const Class& one) const {
    std::vector<Supertypes> result;
    for (std::size_t at = 0; at < table_.versions.size(); ++at) {
      const Versions version = Versions{1} << at;
      if ((one.versions & version) == 0) continue;
      Supertypes lineage;
      collect_lineage(name, version, lineage.names);
      const auto same = std::find_if(result.begin(), result.end(),
                                     [&](const Supertypes& other) { return other.names == lineage.names; });
      if (same != result.end()) {
        same->versions |= version;
      } else {
        lineage.versions = version;
        result.push_back(std::move(lineage));
      }
    }
    return result;
  }

  void write_feature(const std::string& owner, const Feature& feature) {
    const bool attribute = feature.kind == "attribute";
    const char* kind = attribute ? "attribute" : feature.kind == "contains" ? "containment" : "reference";
    const std::string none;
    out_ << "    {" << quoted(feature.name) << ", FeatureKind::" << kind << ", " << class_id(owner) << ", "
         << quoted(feature.type) << ", " << class_id(attribute ? none : feature.type) << ", "
         << id_text("EnumId", enum_ids_, attribute ? feature.type : none, "no_enum") << ", "
         << id_text("DataTypeId", data_type_ids_, attribute ? feature.type : none, "no_data_type") << ", "
         << feature.lower << ", " << (feature.upper == "*" ? "-1" : feature.upper) << ", "
         << bool_text(feature.has_default) << ", " << quoted(feature.default_literal) << ", " << bool_text(feature.id)
         << ", " << bool_text(feature.derived) << ", " << bool_text(feature.transient) << ", "
         << bool_text(feature.is_volatile) << ", " << bool_text(feature.changeable) << ", "
         << bool_text(feature.container) << ", " << quoted(feature.opposite) << ", " << set_text(feature.versions)
         << "},\n";
  }

  void write_classes() {
    out_ << "constexpr Feature class_features[] = {\n";
    for (const auto& [name, one] : table_.classes)
      for (const Feature& feature : one.features) write_feature(name, feature);
    out_ << "};\n\n";

    // For each class its supertype lists, then its lineages.
    std::ostringstream lists;
    std::ostringstream infos;
    std::size_t first_id = 0;
    std::size_t first_list = 0;
    std::size_t first_feature = 0;
    out_ << "constexpr ClassId class_lists[] = {\n";
    for (const auto& [name, one] : table_.classes) {
      std::vector<Supertypes> all = one.supertypes;
      const std::vector<Supertypes> lineage = lineages(name, one);
      all.insert(all.end(), lineage.begin(), lineage.end());
      for (const Supertypes& list : all) {
        out_ << "   ";
        for (const std::string& super : list.names) out_ << ' ' << class_id(super) << ',';
        out_ << '\n';
        lists << "    {" << set_text(list.versions) << ", " << span_text("class_lists", first_id, list.names.size())
              << "},\n";
        first_id += list.names.size();
      }
      infos << "    {" << class_id(name) << ", " << quoted(name) << ", " << bool_text(one.map_entry_in != 0) << ", "
            << set_text(one.versions) << ", " << set_text(one.abstract_in) << ", " << set_text(one.interface_in) << ", "
            << span_text("class_ranges", first_list, one.supertypes.size()) << ", "
            << span_text("class_ranges", first_list + one.supertypes.size(), lineage.size()) << ", "
            << span_text("class_features", first_feature, one.features.size()) << "},\n";
      first_list += all.size();
      first_feature += one.features.size();
    }
    out_ << "};\n\nconstexpr ClassRange class_ranges[] = {\n" << lists.str() << "};\n\n";
    out_ << "constexpr ClassInfo class_infos[] = {\n" << infos.str() << "};\n";
  }

  const Table& table_;
  std::ostream& out_;
  Ids class_ids_;
  Ids enum_ids_;
  Ids data_type_ids_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: compile_metamodel metamodel.txt OUT.inc\n";
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  if (!in) {
    std::cerr << argv[1] << ": cannot be read\n";
    return 2;
  }
  Errors errors(argv[1]);
  Table table = Reader(errors).read(in);
  if (!errors.any()) Checker(table, errors).run();
  if (errors.any()) return 1;

  std::ofstream out(argv[2], std::ios::binary | std::ios::trunc);
  Writer(table, out).run();
  out.close();
  if (!out) {
    std::cerr << argv[2] << ": cannot be written\n";
    return 2;
  }
  return 0;
}
