// SPDX-License-Identifier: Apache-2.0
#include "amalthea/views/attributes.hpp"

#include <charconv>
#include <system_error>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/primitives/ascii.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/views/detail/reading.hpp"

namespace amalthea::views {
namespace {

template <typename T>
std::optional<T> reported(Element element, std::string_view name, const Parsed<T>& parsed, Diagnostics& diagnostics) {
  if (parsed) return *parsed;
  detail::report_unusable(element, name, parsed.error(), diagnostics);
  return std::nullopt;
}

}  // namespace

void detail::report_unusable(Element element, std::string_view name, std::string_view wrong, Diagnostics& diagnostics) {
  diagnostics.add("AM0212", Severity::error, fmt::format("unreadable {} of <{}>: {}", name, element.tag(), wrong),
                  element.attribute_location(name), element.path());
}

std::optional<std::int64_t> integer_attribute(Element element, std::string_view name, Diagnostics& diagnostics) {
  const auto text = element.attribute(name);
  return text ? reported(element, name, parse_integer(*text), diagnostics) : std::nullopt;
}

std::optional<double> number_attribute(Element element, std::string_view name, Diagnostics& diagnostics) {
  const auto text = element.attribute(name);
  return text ? reported(element, name, parse_double(*text), diagnostics) : std::nullopt;
}

std::optional<std::int64_t> integer_attribute(Element element, std::string_view name) {
  const auto text = element.attribute(name);
  const auto parsed = parse_integer(text.value_or(""));
  return text && parsed ? std::optional(*parsed) : std::nullopt;
}

std::optional<double> number_attribute(Element element, std::string_view name) {
  const auto text = element.attribute(name);
  const auto parsed = parse_double(text.value_or(""));
  return text && parsed ? std::optional(*parsed) : std::nullopt;
}

std::optional<bool> flag_attribute(Element element, std::string_view name) {
  const auto text = element.attribute(name);
  return text ? std::optional(equal_ignoring_case(*text, "true")) : std::nullopt;
}

std::optional<std::uint64_t> address_attribute(Element element, std::string_view name) {
  std::string_view text = element.attribute_or(name, "");
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X") || text.starts_with("#")) {
    text.remove_prefix(text.front() == '#' ? 1 : 2);
    base = 16;
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string_view literal_attribute(Element element, std::string_view name) {
  const std::string_view text = element.attribute_or(name, "");
  return text == "_undefined_" ? std::string_view{} : text;
}

void ElementIndex::add(Element element, std::uint32_t index) {
  const std::size_t document = element.document().position(), page = element.index() / page_size;
  if (document >= pages_.size()) pages_.resize(document + 1);
  std::vector<Page>& pages = pages_[document];
  if (page >= pages.size()) pages.resize(page + 1);
  if (pages[page].empty()) pages[page].resize(page_size);
  std::uint32_t& found = pages[page][element.index() % page_size];
  if (found == 0) found = index + 1;
}

std::optional<std::uint32_t> ElementIndex::find(Element element) const {
  if (!element || element.document().position() >= pages_.size()) return std::nullopt;
  const std::vector<Page>& pages = pages_[element.document().position()];
  const std::size_t page = element.index() / page_size;
  if (page >= pages.size() || pages[page].empty()) return std::nullopt;
  const std::uint32_t found = pages[page][element.index() % page_size];
  return found == 0 ? std::nullopt : std::optional(found - 1);
}

}  // namespace amalthea::views
