// SPDX-License-Identifier: Apache-2.0
#include "tests/support/corpus_index.hpp"

#include <filesystem>
#include <map>
#include <sstream>

#include <fmt/core.h>

#include "tests/support/test_models.hpp"

namespace test {
namespace {

std::vector<std::string> cells(const std::string& row) {
  std::vector<std::string> found;
  std::istringstream text(row);
  for (std::string cell; std::getline(text, cell, '|');) {
    const auto first = cell.find_first_not_of(' ');
    found.push_back(first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
  }
  return found;
}

}  // namespace

std::vector<IndexedModel> indexed_models(const std::string& folder) {
  std::map<std::string, IndexedModel> rows;
  std::istringstream index(read_text(folder + "/INDEX.md"));
  for (std::string row; std::getline(index, row);) {
    const auto cell = cells(row);
    if (cell.size() <= 10) continue;
    const std::string path = fmt::format("{}/{}", folder, cell[1]);
    const auto version = amalthea::parse_version(cell[2]);
    if (!version || !std::filesystem::exists(path) || std::filesystem::file_size(path) != std::stoul(cell[3])) continue;
    rows[path] = {path, *version, cell[8]};
  }
  std::vector<IndexedModel> models;
  for (auto& [path, model] : rows) models.push_back(std::move(model));
  return models;
}

}  // namespace test
