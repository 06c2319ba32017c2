// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/same_sm.hpp"

#include <algorithm>

namespace amalthea::engine::nvidia {

std::vector<std::vector<SameSm>> same_sm_matrix(const SameSmQuestion& question) {
  const bool is_first = question.held == question.others;
  std::vector<std::vector<SameSm>> rows;
  for (std::int64_t x = 1; x <= question.size; ++x) {
    auto& row = rows.emplace_back();
    const std::int64_t chosen = (question.warps - question.held) / x, others = (question.warps - question.others) / x;
    if (!is_first && chosen <= others) {  // the rule puts the earlier block on the first of the others
      for (std::int64_t y = 1; y <= question.size; ++y) {
        const std::int64_t room = others >= 1 ? (question.warps - question.others - x) / y : 0;
        const std::int64_t elsewhere = (question.warps - std::min(question.held, question.others)) / y;
        row.push_back(room >= 1 && room >= elsewhere ? SameSm::same : SameSm::other);
      }
      continue;
    }
    for (std::int64_t y = 1; y <= question.size; ++y) {
      const std::int64_t room = question.held + x <= question.warps ? (question.warps - question.held - x) / y : 0;
      const std::int64_t elsewhere = (question.warps - question.others) / y;
      const bool joins_tie = question.ties == TiePolicy::last_sm ||
                             (question.ties == TiePolicy::stream && room == (question.warps - question.held) / y);
      const bool by_rule = room >= 1 && (room > elsewhere || (room == elsewhere && (is_first || joins_tie)));
      const bool by_equation = equation_3(question.warps, question.held, x, y) ||
                               (!is_first && question.held == 0 && equation_4(question.warps, question.others, x, y));
      row.push_back(by_rule ? (by_equation ? SameSm::same : SameSm::by_rule)
                            : (by_equation ? SameSm::by_equation : SameSm::other));
    }
  }
  return rows;
}

}  // namespace amalthea::engine::nvidia
