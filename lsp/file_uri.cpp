// SPDX-License-Identifier: Apache-2.0
#include "lsp/file_uri.hpp"

#include <charconv>
#include <filesystem>

#include <fmt/core.h>

namespace amalthea::lsp {

std::optional<std::string> path_of_uri(std::string_view uri) {
  constexpr std::string_view scheme = "file://";
  if (!uri.starts_with(scheme)) return std::nullopt;
  uri.remove_prefix(scheme.size());
  if (uri.starts_with("localhost/")) uri.remove_prefix(std::string_view("localhost").size());
  if (!uri.starts_with('/')) return std::nullopt;
  std::string path;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    unsigned char byte = 0;
    if (uri[i] != '%') {
      path += uri[i];
    } else if (i + 2 < uri.size() &&
               std::from_chars(uri.data() + i + 1, uri.data() + i + 3, byte, 16).ptr == uri.data() + i + 3) {
      if (byte == 0) return std::nullopt;
      path += static_cast<char>(byte);
      i += 2;
    } else {
      return std::nullopt;
    }
  }
  return std::filesystem::path(path).lexically_normal().string();
}

std::string uri_of_path(std::string_view path) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string uri = "file://";
  for (const char c : path)
    uri += plain.find(c) != std::string_view::npos ? std::string(1, c)
                                                   : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return uri;
}

}  // namespace amalthea::lsp
