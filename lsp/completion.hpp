// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What may be written where the cursor is: targets of references, literals, classes.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/model_state.hpp"

namespace amalthea::lsp {

struct Proposal {
  std::string label;   ///< "SoC/GPU", "preemptive"
  std::string detail;  ///< its class or type
  std::string text;    ///< what is written
};
struct Proposals {
  std::size_t begin = 0, end = 0;  ///< the bytes of the text that a proposal replaces
  std::vector<Proposal> all;
  bool complete = true;  ///< false: there are more that fit
};

/// The proposals within an attribute value of `text`, which may be incomplete. `in_model` is the offset in the last
/// readable text of the document that corresponds to an offset in `text`.
template <typename InModel>
Proposals proposals_at(const Model& model, const Document& document, std::string_view text, std::size_t cursor,
                       InModel in_model);

namespace detail {

/// The tag that the cursor is in, and the attribute value.
struct OpenTag {
  std::size_t begin = 0;  ///< of "<"
  std::string_view tag;
  std::string_view type;       ///< the class in its xsi:type, or ""
  std::string_view attribute;  ///< as written; "" outside of values
  std::size_t token_begin = 0, token_end = 0;
  std::string_view typed;  ///< the token up to the cursor
};
OpenTag open_tag_at(std::string_view text, std::size_t cursor);

Proposals proposals_in(const Model& model, const Document& document, const OpenTag& tag, std::size_t begin_in_model);

}  // namespace detail

template <typename InModel>
Proposals proposals_at(const Model& model, const Document& document, std::string_view text, std::size_t cursor,
                       InModel in_model) {
  const detail::OpenTag tag = detail::open_tag_at(text, cursor);
  if (tag.attribute.empty()) return {};
  return detail::proposals_in(model, document, tag, in_model(tag.begin));
}

}  // namespace amalthea::lsp
