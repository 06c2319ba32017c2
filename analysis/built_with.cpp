// SPDX-License-Identifier: Apache-2.0
#include "analysis/built_with.hpp"

#include <fmt/format.h>
#include <openssl/opensslv.h>
#include <sqlite3.h>
#include <zip.h>
#include <zlib.h>
#include <boost/version.hpp>
#include <nlohmann/json.hpp>

#include "importer/reading/model_reader.hpp"

namespace amalthea::analysis {

std::string built_with(std::string_view more) {
#ifdef __clang__
  const std::string compiler = fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  const std::string compiler = fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
  return fmt::format(
      "built with {}\nXerces-C++ {}\nlibzip {}\nBoost {}.{}.{}\nfmt {}.{}.{}\n{}nlohmann-json "
      "{}.{}.{}\n{}\nzlib "
      "{}\nSQLite {}\n",
      compiler, importer::xml_parser_version(), LIBZIP_VERSION, BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000,
      BOOST_VERSION % 100, FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100, more,
      NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH, OPENSSL_VERSION_TEXT,
      ZLIB_VERSION, SQLITE_VERSION);
}

}  // namespace amalthea::analysis
