// SPDX-License-Identifier: Apache-2.0
#include "exporter/results/result_view.hpp"

#include <array>
#include <fstream>
#include <memory>
#include <new>

#include <fmt/core.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

namespace amalthea::exporter {
namespace {

#include "version.inc"

class Sha256 {
 public:
  // OpenSSL crashes in EVP_DigestInit_ex if it had no memory for its global context.
  Sha256() {
    require(context_ && OSSL_LIB_CTX_get0_global_default() != nullptr &&
            EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }
  void add(std::string_view bytes) { require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1); }
  std::string hexadecimal() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    require(EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1);
    std::string text;
    for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
    return text;
  }

 private:
  static void require(bool done) {
    if (!done) throw std::bad_alloc();  // OpenSSL always has SHA-256
  }
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
};

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hexadecimal();
}

}  // namespace

constinit const std::string_view tool_version = project_version;
constinit const std::string_view tool_homepage = project_homepage;

std::string hash_of_model(const Model& model) {
  std::string hashes;
  for (const auto& document : model.documents()) hashes += sha256(document->source().bytes());
  return "sha256:" + (model.documents().size() == 1 ? hashes : sha256(hashes));
}

Location location_of(const ResultView& view, Origin origin) {
  return view.source != nullptr && origin.known() ? view.source->element(origin).location() : Location{};
}

ModelInfo model_info(const Model& model) {
  ModelInfo info;
  for (const auto& document : model.documents()) info.files.push_back(document->source().path());
  info.version = model.documents().front()->version_text();
  info.hash = hash_of_model(model);
  return info;
}

std::string hash_of_text(std::string_view text) { return sha256(text); }

std::optional<std::string> hash_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  Sha256 hash;
  std::array<char, 65536> buffer{};
  while (file.read(buffer.data(), buffer.size()), file.gcount() > 0)
    hash.add({buffer.data(), static_cast<std::size_t>(file.gcount())});
  if (file.bad()) return std::nullopt;
  return hash.hexadecimal();
}

}  // namespace amalthea::exporter
