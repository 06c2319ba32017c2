// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Text from models and other input, safe to show: a control character would otherwise command the terminal, and a
/// bidirectional one would change the order in which a line reads.

#include <string>
#include <string_view>

namespace amalthea {

/// The text with C0 and C1 control characters, DEL, the line breaks of Unicode, bidirectional controls and bytes that
/// are no UTF-8 spelled out, such as \x1b and \u202e. So is "#" in "##[" and "##vso[", on which logs of builds act
/// anywhere in a line. Line feeds and tabs stay. JSON keeps its meaning: its writers spell C0 out themselves, and in
/// strings it knows \u202e, too.
std::string visible_text(std::string_view text);

/// one_line(text) for the beginning of a line. A reader of lines may act on what they begin with: the log of a build on
/// "::error::", the comments of a merge request on "/approve", Markdown on "|". Such a first character is spelled out,
/// also behind what nobody sees (White_Space and Default_Ignorable_Code_Point of Unicode).
std::string line_start(std::string_view text);

}  // namespace amalthea
