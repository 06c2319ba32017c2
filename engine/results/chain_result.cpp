// SPDX-License-Identifier: Apache-2.0
#include "engine/results/chain_result.hpp"

namespace amalthea::engine {

std::string_view to_string(Communication communication) {
  switch (communication) {
    case Communication::implicit:
      return "implicit";
    case Communication::explicit_access:
      return "explicit";
    case Communication::let:
      return "let";
  }
  return "implicit";
}

const ChainResult::Judgement& ChainResult::Limit::by(Communication communication) const {
  return communication == Communication::let               ? let
         : communication == Communication::explicit_access ? explicit_access
                                                           : implicit;
}

std::string_view to_string(LimitVerdict verdict) {
  switch (verdict) {
    case LimitVerdict::met:
      return "met";
    case LimitVerdict::missed:
      return "missed";
    case LimitVerdict::unknown:
      return "unknown";
    case LimitVerdict::unbounded:
      return "unbounded";
  }
  return "";
}

}  // namespace amalthea::engine
