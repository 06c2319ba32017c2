// SPDX-License-Identifier: Apache-2.0
#include "exporter/results/result_view.hpp"

#include <array>
#include <new>

#include <fmt/core.h>
#include <openssl/evp.h>

namespace amalthea::exporter {
namespace {

#include "version.inc"

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
    throw std::bad_alloc();  // OpenSSL always has SHA-256
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

}  // namespace

constinit const std::string_view tool_version = project_version;
constinit const std::string_view tool_homepage = project_homepage;

std::string hash_of_model(const Model& model) {
  std::string hashes;
  for (const auto& document : model.documents()) hashes += sha256(document->source().bytes());
  return "sha256:" + (model.documents().size() == 1 ? hashes : sha256(hashes));
}

ModelInfo model_info(const Model& model) {
  ModelInfo info;
  for (const auto& document : model.documents()) info.files.push_back(document->source().path());
  info.version = model.documents().front()->version_text();
  info.hash = hash_of_model(model);
  return info;
}

std::string hash_of_text(std::string_view text) { return sha256(text); }

}  // namespace amalthea::exporter
