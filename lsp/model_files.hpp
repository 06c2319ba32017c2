// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which files form one model: those of a folder that refer to each other. A folder may hold the parts of one model, or
/// variants that belong apart, so a folder alone does not decide it.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace amalthea::lsp {

/// What a file says about other files. Also for a text that is not well-formed.
struct FileLinks {
  std::vector<std::string> files;             ///< names of files in `href="NAME.amxmi#…"`
  std::vector<std::string> elements;          ///< names of elements in `href="amlt:/#…"` that it has not itself
  std::unordered_set<std::string> own_names;  ///< of its elements, as written
};
FileLinks links_of(std::string_view text);

/// A file whose text an editor has, or one that is only on disk.
struct SourceFile {
  std::string path;
  std::shared_ptr<const std::string> text;  ///< null: on disk
  std::string state;                        ///< of a file on disk: its size and time of change
};

/// Finds the files that form models with open documents. Remembers what files on disk say until they change.
class ModelFiles {
 public:
  explicit ModelFiles(std::uint64_t max_file_size) : max_file_size_(max_file_size) {}

  /// For every open document one group of files contains it; files in the order of their paths. Reads regular files of
  /// the documents' own folders that have the name of a model, and no links that lead out of the folder. Documents
  /// without a folder (a path that is not absolute) are alone.
  std::vector<std::vector<SourceFile>> groups(const std::map<std::string, std::shared_ptr<const std::string>>& open);

 private:
  struct Known {
    std::string state;
    FileLinks links;
  };
  std::uint64_t max_file_size_;
  std::map<std::string, Known> on_disk_;
};

}  // namespace amalthea::lsp
