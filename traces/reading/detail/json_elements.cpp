// SPDX-License-Identifier: Apache-2.0
#include "traces/reading/detail/json_elements.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "amalthea/time.hpp"

namespace amalthea::traces {
namespace {

using Json = nlohmann::json;

constexpr std::size_t longest_token = std::size_t{1} << 20;

struct Position {
  ByteStream& bytes;
  std::string_view rest;
  std::uint64_t line = 1;
  std::size_t in_token = 0;  ///< characters since the last value, key or bracket
  bool at_end = false;

  void fill() {
    if (!rest.empty() || at_end) return;
    rest = bytes.next();
    at_end = rest.empty();
  }
};

/// As an input iterator over all characters.
class Characters {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Characters() = default;
  explicit Characters(Position& position) : position_(&position) { position.fill(); }
  const char& operator*() const { return position_->rest.front(); }
  Characters& operator++() {
    if (position_->rest.front() == '\n') ++position_->line;
    position_->rest.remove_prefix(1);
    // The parser keeps a whole token in memory; packed, it may be far longer than its file.
    if (++position_->in_token > longest_token) position_->rest = {}, position_->at_end = true;
    position_->fill();
    return *this;
  }
  Characters operator++(int) {
    Characters before = *this;
    ++*this;
    return before;
  }
  /// Whether both are at the end.
  friend bool operator==(const Characters& a, const Characters& b) { return a.is_end() && b.is_end(); }
  friend bool operator!=(const Characters& a, const Characters& b) { return !(a == b); }

 private:
  bool is_end() const { return position_ == nullptr || position_->at_end; }
  Position* position_ = nullptr;
};

class Handler {
 public:
  Handler(const JsonElements& elements, Position& position) : elements_(elements), position_(position) {}

  bool null() { return value(nullptr); }
  bool boolean(bool is) { return value(is); }
  bool number_integer(Json::number_integer_t number) { return value(number); }
  bool number_unsigned(Json::number_unsigned_t number) { return value(number); }
  bool number_float(Json::number_float_t, const std::string& text) { return value(text); }
  bool string(std::string& text) { return value(std::move(text)); }
  bool binary(Json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Json::object()); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_array() { return close(); }
  bool key(std::string& text) {
    position_.in_token = 0;
    key_ = std::move(text);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
    message = position_.in_token > longest_token ? fmt::format("a text has more than {} bytes", longest_token)
                                                 : std::string(error.what());
    return false;
  }

  std::string message;

 private:
  static constexpr std::size_t max_depth = 64;

  bool in_array() const { return array_depth_ > 0 && depth_ >= array_depth_; }

  bool open(Json container) {
    position_.in_token = 0;
    if (depth_ >= max_depth) {
      message = "it is nested too deeply";
      return false;
    }
    if (in_array()) {
      if (!count()) return false;
      Json* added = add(std::move(container));
      ++depth_;
      open_.push_back(added);
      return true;
    }
    ++depth_;
    const bool is_top = depth_ == 1;
    if (container.is_array() && array_depth_ == 0 && (is_top || (depth_ == 2 && key_ == elements_.array)))
      array_depth_ = depth_;
    return true;
  }

  bool close() {
    position_.in_token = 0;
    if (in_array() && depth_ > array_depth_) {
      open_.pop_back();
      --depth_;
      if (depth_ == array_depth_) finish();
      return true;
    }
    if (depth_ == array_depth_) array_depth_ = 0;
    --depth_;
    return true;
  }

  bool value(Json one) {
    position_.in_token = 0;
    if (in_array()) {
      if (!count()) return false;
      if (depth_ > array_depth_) add(std::move(one));
      return true;
    }
    if (depth_ == 1 && elements_.other) elements_.other(key_, one);
    return true;
  }

  bool count() {
    if (++values_ <= elements_.max_values) return true;
    message = fmt::format("an element has more than {} values", elements_.max_values);
    return false;
  }

  Json* add(Json one) {
    if (open_.empty()) {
      element_ = std::move(one);
      return &element_;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(one));
      return &parent.back();
    }
    Json& place = parent[key_];
    place = std::move(one);
    return &place;
  }

  void finish() {
    elements_.element(element_, position_.line);
    element_ = nullptr;
    values_ = 0;
  }

  const JsonElements& elements_;
  Position& position_;
  std::size_t depth_ = 0, array_depth_ = 0, values_ = 0;
  std::string key_;
  Json element_;
  std::vector<Json*> open_;
};

}  // namespace

JsonEnd read_json_elements(ByteStream& bytes, const JsonElements& elements) {
  Position position{bytes, {}};
  Handler handler(elements, position);
  JsonEnd end;
  end.whole = Json::sax_parse(Characters(position), Characters(), &handler);
  end.line = position.line;
  end.message = handler.message;
  return end;
}

bool read_decimal(const Json& value, std::int64_t unit, std::int64_t& picoseconds) {
  const std::int64_t most = longest_simulation.picoseconds();
  if (value.is_number_integer()) {
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most)) return false;
    const auto number = value.get<std::int64_t>();
    if (number > most / unit || number < -most / unit) return false;
    picoseconds = number * unit;
    return true;
  }
  const auto* text = value.get_ptr<const Json::string_t*>();
  if (text == nullptr || text->empty()) return false;
  if (text->find_first_not_of("0123456789.") == std::string::npos) {
    const std::size_t point = std::min(text->find('.'), text->size());
    std::int64_t whole = 0;
    const auto [at, error] = std::from_chars(text->data(), text->data() + point, whole);
    if (error != std::errc{} || at != text->data() + point || whole > most / unit) return false;
    std::int64_t rest = unit, fraction = 0;
    for (std::size_t digit = point + 1; digit < text->size() && rest >= 10; ++digit) {
      rest /= 10;
      fraction += rest * ((*text)[digit] - '0');
    }
    picoseconds = whole * unit + fraction;
    return true;
  }
  double number = 0;
  const auto [at, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc{} || at != text->data() + text->size()) return false;
  number *= static_cast<double>(unit);
  if (!(std::abs(number) < static_cast<double>(most))) return false;
  picoseconds = std::llround(number);
  return true;
}

}  // namespace amalthea::traces
