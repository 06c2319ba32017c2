// SPDX-License-Identifier: Apache-2.0
#include "exporter/models/model_exports.hpp"

#include <array>

namespace amalthea::exporter {

const ModelExport* model_export_of(std::string_view path) {
  static constexpr std::array forms = {
      ModelExport{".json", false, write_model_json},
      ModelExport{".dot", false, write_model_dot},
      ModelExport{".csv", true, write_model_csv},
  };
  for (const ModelExport& form : forms)
    if (path.ends_with(form.extension)) return &form;
  return nullptr;
}

}  // namespace amalthea::exporter
