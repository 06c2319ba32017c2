// SPDX-License-Identifier: Apache-2.0
// Any model to any release: the conversion ends, and what it writes can be read back in that release.

#include <numeric>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/editable_model.hpp"
#include "migration/migration.hpp"
#include "migration/record.hpp"
#include "migration/release.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

using namespace amalthea;

const std::vector<migration::Release>& releases() {
  static const std::vector<migration::Release> all = [] {
    std::vector<migration::Release> found;
    for (const char* itea : {"itea-1.1.0", "itea-1.2.0", "itea-1.3.0"})
      if (const auto release = migration::parse_release(itea)) found.push_back(*release);
    for (int version = 0; version <= static_cast<int>(newest_version); ++version)
      found.emplace_back(static_cast<Version>(version));
    return found;
  }();
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Diagnostics findings;
  const auto model = fuzz::read(fuzz::text_of(data, size), findings);
  if (!model) return 0;
  const migration::Release from = migration::release_of(*model->documents().front());
  // The bytes choose the release, so that an input needs no part of its own for it.
  const std::size_t chosen = std::accumulate(data, data + size, std::size_t{0}) % releases().size();
  const migration::Release to = releases()[chosen];
  EditableModel editable(*model, SharedIds::apart);
  migration::Record record(findings, 10);
  if (!migration::migrate(editable, from, to, record, findings)) {
    fuzz::require(findings.has_errors());
    return 0;
  }
  std::vector<importer::NamedBytes> files;
  for (const EditableModel::File& file : editable.files())
    files.push_back({file.path, migration::write(*file.root, to)});
  Diagnostics again;
  const auto read = importer::read_model_from_bytes(std::move(files), {}, again);
  fuzz::require(read.has_value());
  fuzz::require(migration::release_of(*read->documents().front()) == to);
  return 0;
}
