// SPDX-License-Identifier: Apache-2.0
#include "amalthea/primitives/near_miss.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include <fmt/core.h>

namespace amalthea {
namespace {

constexpr std::size_t compared_length = 100;
constexpr std::size_t max_listed = 8;

char small_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The set of characters in a text, as far as 64 bits distinguish them.
std::uint64_t letters_of(std::string_view text) {
  std::uint64_t letters = 0;
  for (const char c : text) letters |= std::uint64_t{1} << (static_cast<unsigned char>(small_letter(c)) & 63U);
  return letters;
}

/// Maximum number of differences between similar names.
std::size_t tolerance_of(std::size_t length) {
  if (length < 2) return 0;
  if (length < 6) return 1;
  if (length < 9) return 2;
  return length < 16 ? 3 : 4;
}

bool starts_alike(std::string_view text, std::string_view beginning) {
  return text.size() >= beginning.size() &&
         std::equal(beginning.begin(), beginning.end(), text.begin(),
                    [](char a, char b) { return small_letter(a) == small_letter(b); });
}

/// A list for a sentence: `"A", "B" or "C"`.
std::string quoted_list(const std::vector<std::string_view>& names, std::string_view last_word) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{}\"{}\"", i == 0 ? "" : i + 1 == names.size() ? last_word : ", ", names[i]);
  return text;
}

}  // namespace

std::size_t spelling_distance(std::string_view a, std::string_view b, std::size_t most) {
  a = a.substr(0, compared_length);
  b = b.substr(0, compared_length);
  const std::size_t too_far = most + 1;
  const auto same = [](char one, char other) { return small_letter(one) == small_letter(other); };
  while (!a.empty() && !b.empty() && same(a.front(), b.front())) {
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  while (!a.empty() && !b.empty() && same(a.back(), b.back())) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > most) return too_far;
  // A change adds at most one new character, and removes at most one.
  const std::uint64_t in_a = letters_of(a), in_b = letters_of(b);
  if (static_cast<std::size_t>(std::max(std::popcount(in_a & ~in_b), std::popcount(in_b & ~in_a))) > most)
    return too_far;
  // Rows of the usual table; only cells at most `most` away from the diagonal matter.
  using Row = std::array<std::size_t, compared_length + 2>;
  std::array<Row, 3> rows;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled as far as they are read
  for (Row& row : rows) std::fill_n(row.begin(), b.size() + 2, too_far);
  for (std::size_t j = 0; j <= std::min(b.size(), most); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    const Row& before_last = rows[(i + 1) % 3];
    const Row& last = rows[(i + 2) % 3];
    Row& row = rows[i % 3];
    const std::size_t first = i > most ? i - most : 0, end = std::min(b.size(), i + most);
    std::size_t least = too_far;
    if (first > 0) row[first - 1] = too_far;
    for (std::size_t j = first; j <= end; ++j) {
      if (j == 0) {
        row[0] = i;
      } else {
        row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1)});
        if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
          row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
      least = std::min(least, row[j]);
    }
    row[end + 1] = too_far;
    if (least > most) return too_far;
  }
  return std::min(rows[a.size() % 3][b.size()], too_far);
}

NearMisses::NearMisses(std::string_view wanted) : NearMisses(wanted, wanted) {}

NearMisses::NearMisses(std::string_view wanted, std::string_view telling)
    : wanted_(wanted), limit_(tolerance_of(std::min(telling.size(), compared_length))) {}

void NearMisses::offer(std::string_view known, std::string_view shown) {
  if (known.empty() || shown.empty()) return;
  ++offered_;
  if (first_.size() < max_listed) first_.push_back(shown);
  if (compared_ == max_compared) return;
  ++compared_;
  std::size_t distance = spelling_distance(wanted_, known, limit_);
  if (distance > limit_) {
    constexpr std::size_t shortest_abbreviation = 3;
    const std::string_view shorter = wanted_.size() < known.size() ? wanted_ : known;
    const std::string_view longer = wanted_.size() < known.size() ? known : wanted_;
    if (shorter.size() < shortest_abbreviation || !starts_alike(longer, shorter)) return;
  }
  offer(distance, shown);
}

void NearMisses::offer(std::size_t distance, std::string_view shown) {
  if (distance > best_) return;
  if (distance < best_) nearest_.clear();
  best_ = distance;
  if (nearest_.size() < max_suggested && std::find(nearest_.begin(), nearest_.end(), shown) == nearest_.end())
    nearest_.push_back(shown);
}

std::string NearMisses::suggestion() const {
  return nearest_.empty() ? std::string() : fmt::format("; did you mean {}?", quoted_list(nearest_, " or "));
}

std::string NearMisses::suggestion_or_list() const {
  if (!nearest_.empty() || first_.empty()) return suggestion();
  if (offered_ > first_.size())
    return fmt::format("; available: {} and {} more", quoted_list(first_, ", "), offered_ - first_.size());
  return fmt::format("; available: {}", quoted_list(first_, " and "));
}

std::string did_you_mean_file(const std::string& path, bool (*suits)(std::string_view)) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  std::vector<std::string> names;
  for (auto entry = fs::directory_iterator(folder.empty() ? fs::path(".") : folder, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code unknown;
    std::string name = entry->path().filename().string();
    if (suits == nullptr || suits(name) || entry->is_directory(unknown)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  std::vector<std::string> paths;
  paths.reserve(names.size());
  for (const std::string& name : names) paths.push_back((folder / name).string());
  const std::string wanted = fs::path(path).filename().string();
  const std::string stem = fs::path(wanted).stem().string();
  NearMisses near(wanted, stem);
  for (std::size_t i = 0; i < names.size(); ++i)
    // the existing entry may be a folder, or unreadable
    if (names[i] != wanted) near.offer(names[i], paths[i]);
  return near.suggestion();
}

}  // namespace amalthea
