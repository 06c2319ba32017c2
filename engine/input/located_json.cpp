// SPDX-License-Identifier: Apache-2.0
#include "engine/input/located_json.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_set>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "amalthea/quantity.hpp"

namespace amalthea::engine {
namespace {

constexpr std::size_t deepest = 32;
constexpr std::size_t max_values = 4'000'000;

/// Counts lines while reading; the parser's copies share one count.
struct Cursor {
  std::size_t offset = 0;
  std::size_t line = 1;
  std::size_t line_start = 0;
  std::size_t previous_line = 1;  ///< location of the previous character, for tokens that end with the next one
  std::size_t previous_line_start = 0;
};

class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, Cursor* cursor) : at_(at), cursor_(cursor) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    cursor_->previous_line = cursor_->line;
    cursor_->previous_line_start = cursor_->line_start;
    ++cursor_->offset;
    if (*at_++ == '\n') {
      ++cursor_->line;
      cursor_->line_start = cursor_->offset;
    }
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  [[maybe_unused]] friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return a.at_ != b.at_; }

 private:
  const char* at_;
  Cursor* cursor_;
};

/// Builds the tree; a callback that returns `false` ends parsing.
class ValueBuilder {
 public:
  ValueBuilder(const Cursor& cursor, std::string_view text, std::string_view repeatable)
      : cursor_(cursor), text_(text), repeatable_(repeatable) {}

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(std::int64_t value) { return add_number(value); }
  bool number_unsigned(std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return add_number(JsonHugeNumber{});
    return add_number(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string& text) {
    // Integers beyond 64 bits also arrive here.
    if (text.find_first_of(".eE") == std::string::npos) return add_number(JsonHugeNumber{});
    return add_number(value);
  }
  bool string(std::string& value) { return add(std::move(value)); }
  template <typename Binary>
  bool binary(Binary&) {
    return false;
  }
  bool start_object(std::size_t) { return open(JsonObject{}); }
  bool start_array(std::size_t) { return open(JsonArray{}); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    if (!keys_.back().insert(name).second && name != repeatable_)
      return fail(fmt::format("key \"{}\" is given twice", name));
    key_ = std::move(name);
    return true;
  }
  template <typename Exception>
  bool parse_error(std::size_t, const std::string&, const Exception& exception) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: what is wrong": the location is our own.
    std::string_view what = exception.what();
    if (const auto at = what.find("column "); at != std::string_view::npos)
      if (const auto colon = what.find(": ", at); colon != std::string_view::npos) what.remove_prefix(colon + 2);
    return fail(fmt::format("not JSON: {}", what));
  }

  JsonValue& root() { return root_; }
  std::optional<TextError>& error() { return error_; }

 private:
  bool fail(std::string message) {
    error_ = TextError{cursor_.previous_line, cursor_.offset - cursor_.previous_line_start, std::move(message)};
    if (error_->column == 0) error_->column = 1;
    return false;
  }

  /// A number ends before the next character, which has already been read unless the text ends. Its last character is a
  /// digit.
  template <typename Value>
  bool add_number(Value value) {
    JsonValue node = located(std::move(value));
    const char last = text_[cursor_.offset - 1];
    if (node.column > 1 && (last < '0' || last > '9')) --node.column;
    return attach(std::move(node)) != nullptr;
  }
  template <typename Value>
  bool add(Value value) {
    return attach(located(std::move(value))) != nullptr;
  }

  template <typename Value>
  JsonValue located(Value value) const {
    JsonValue node;
    node.value = std::move(value);
    node.line = cursor_.previous_line;
    node.column = std::max<std::size_t>(1, cursor_.offset - cursor_.previous_line_start);
    return node;
  }

  /// Null, and an error, where there are too many.
  JsonValue* attach(JsonValue node) {
    if (++values_ > max_values) {
      fail(fmt::format("more than {} values", max_values));
      return nullptr;
    }
    if (open_.empty()) {
      root_ = std::move(node);
      return &root_;
    }
    JsonValue& parent = *open_.back();
    if (auto* array = std::get_if<JsonArray>(&parent.value)) {
      node.path = fmt::format("{}[{}]", parent.path, array->elements.size());
      return &array->elements.emplace_back(std::move(node));
    }
    auto& members = std::get<JsonObject>(parent.value).members;
    node.path = parent.path.empty() ? key_ : fmt::format("{}.{}", parent.path, key_);
    members.push_back({key_, std::move(node)});
    return &members.back().value;
  }

  template <typename Container>
  bool open(Container container) {
    if (open_.size() >= deepest) return fail(fmt::format("nested more than {} levels deep", deepest));
    JsonValue* const node = attach(located(std::move(container)));
    if (node == nullptr) return false;
    open_.push_back(node);
    keys_.emplace_back();
    return true;
  }
  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  const Cursor& cursor_;
  std::string_view text_;
  std::string_view repeatable_;
  JsonValue root_;
  std::vector<JsonValue*> open_;  ///< a parent's list does not grow while a child is open
  std::vector<std::unordered_set<std::string>> keys_;
  std::string key_;
  std::size_t values_ = 0;
  std::optional<TextError> error_;
};

}  // namespace

std::string format(const TextError& error) { return fmt::format("{}:{}: {}", error.line, error.column, error.message); }

tl::expected<JsonValue, TextError> parse_located_json(std::string_view text, std::string_view repeatable) {
  Cursor cursor;
  ValueBuilder builder(cursor, text, repeatable);
  const char* begin = text.data();
  const bool whole = nlohmann::json::sax_parse(CountingIterator(begin, &cursor),
                                               CountingIterator(begin + text.size(), &cursor), &builder);
  if (!whole || builder.error()) return tl::unexpected(builder.error().value_or(TextError{1, 1, "not JSON"}));
  return std::move(builder.root());
}

TextError error_at(const JsonValue& value, std::string_view what) {
  return {value.line, value.column, value.path.empty() ? std::string(what) : fmt::format("{}: {}", value.path, what)};
}

std::optional<TextError> read_number(const JsonValue& value, std::int64_t minimum, std::int64_t& target) {
  const auto* number = std::get_if<std::int64_t>(&value.value);
  if (number == nullptr || *number < minimum)
    return error_at(value, fmt::format("expected a whole number from {} to 2^63 - 1", minimum));
  target = *number;
  return std::nullopt;
}

const JsonValue* find_member(const JsonObject& object, std::string_view key) {
  for (const JsonMember& member : object.members)
    if (member.key == key) return &member.value;
  return nullptr;
}

std::optional<TextError> read_real(const JsonValue& value, double least, double most, double& target) {
  const auto* whole = std::get_if<std::int64_t>(&value.value);
  const auto* real = std::get_if<double>(&value.value);
  const double number = whole != nullptr ? static_cast<double>(*whole) : real != nullptr ? *real : least - 1;
  if (!(number >= least && number <= most))
    return error_at(value, fmt::format("expected a number from {} to {}", least, most));
  target = number;
  return std::nullopt;
}

std::optional<TextError> read_text(const JsonValue& value, std::string& target) {
  const auto* text = std::get_if<std::string>(&value.value);
  if (text == nullptr) return error_at(value, "expected a string");
  target = *text;
  return std::nullopt;
}

std::optional<TextError> read_name(const JsonValue& value, std::string& target) {
  const auto* text = std::get_if<std::string>(&value.value);
  if (text == nullptr || text->empty()) return error_at(value, "expected a non-empty string");
  target = *text;
  return std::nullopt;
}

namespace {

/// A time with a decimal point as a whole number of a smaller unit: "500us" for "0.5ms".
std::optional<std::string> whole_time(std::string text) {
  const auto point = text.find('.');
  if (point == std::string::npos) return std::nullopt;
  const auto decimals = std::min(text.find_first_not_of("0123456789", point + 1), text.size()) - point - 1;
  text.erase(point, 1);
  const auto digits = parse_time_text(text);
  if (!digits || decimals == 0 || decimals > 12) return std::nullopt;
  std::int64_t parts = digits->picoseconds();
  for (std::size_t decimal = 0; decimal < decimals; ++decimal) {
    if (parts % 10 != 0) return std::nullopt;
    parts /= 10;
  }
  static constexpr std::array<std::pair<std::int64_t, std::string_view>, 5> units{
      {{1'000'000'000'000, "s"}, {1'000'000'000, "ms"}, {1'000'000, "us"}, {1'000, "ns"}, {1, "ps"}}};
  for (const auto& [size, unit] : units)
    if (parts % size == 0) return fmt::format("{}{}", parts / size, unit);
  return std::nullopt;
}

}  // namespace

std::optional<TextError> read_time(const JsonValue& value, bool picoseconds, Duration& target) {
  if (picoseconds) {
    std::int64_t number = 0;
    if (auto error = read_number(value, 0, number)) return error;
    target = Duration::picoseconds(number);
    return std::nullopt;
  }
  const auto* text = std::get_if<std::string>(&value.value);
  const auto time = text != nullptr ? parse_time_text(*text) : Parsed<Duration>(tl::unexpected(std::string()));
  if (!time || *time < Duration{}) {
    const auto whole = text != nullptr ? whole_time(*text) : std::nullopt;
    return error_at(value, whole ? fmt::format("expected a whole time; write \"{}\"", *whole)
                                 : std::string("expected a whole time such as \"5ms\" or \"2500us\""));
  }
  target = *time;
  return std::nullopt;
}

}  // namespace amalthea::engine
