// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Models with something wrong in them: small models of any version, made over the metamodel table, and files there
/// are, of which elements and attributes were deleted, doubled, moved, renamed and changed.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "migration/release.hpp"

namespace test {

/// An element of a file. Comments and declarations are not kept.
struct XmlNode {
  std::string tag;
  std::vector<std::pair<std::string, std::string>> attributes;  ///< values without references to characters
  std::vector<XmlNode> children;
  std::string before;  ///< what stands before it: comments, processing instructions
};

/// The tree of a well-formed file.
XmlNode parse_xml(const std::string& text);
std::string write_xml(const XmlNode& root);

/// A valid model of a few dozen objects, the root of its file. Texts and numbers are its own and no other's: "t17t",
/// 7000017.
XmlNode small_model(const amalthea::migration::Release& release, std::uint64_t seed);

/// Changes a tree at some random places. What it adds has texts of its own, too.
void mutate(XmlNode& root, const amalthea::migration::Release& release, std::uint64_t seed);

/// Lets some references in attributes lead to any file: `<task href="amlt:/#Control?type=Task"/>`.
void refer_anywhere(XmlNode& root, std::uint64_t seed);

}  // namespace test
