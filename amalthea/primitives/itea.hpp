// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Names in AMALTHEA before 0.7.0 (the ITEA namespaces 1.1.0, 1.2.0, 1.3.0), mapped to those of 0.7.0.
///
/// No metamodel of those releases is available. Most of their names are unchanged in 0.7.0; these tables list the
/// others, collected from models and from the results of AMALTHEA's own migration.

#include <optional>
#include <string>
#include <string_view>

#include "amalthea/element.hpp"

namespace amalthea {

/// The class of 0.7.0 for `name` in the ITEA package `package` ("hw" and "System": "HwSystem"; "sw" and "System":
/// "System"); `name` itself if it is unchanged.
std::string_view itea_class(std::string_view package, std::string_view name);

/// The tag or attribute name of 0.7.0, e.g. "isBuffered" → "buffered"; `name` itself if it is unchanged.
std::string_view itea_feature(std::string_view name);

/// The class of objects in a feature that 0.7.0 no longer has ("deadline" of a task: "Time"); "" if unknown.
std::string_view itea_content(std::string_view feature);

// ---- the reverse direction

/// The ITEA package of a class of 0.7.0, or of a class that exists only in ITEA: "Task" → "sw". "" for any other.
std::string_view itea_package(std::string_view class_name);
/// The same for one release: SchedulingSWUnit moved from "sw" to "os" in 1.3.0.
std::string_view itea_package(std::string_view class_name, IteaRelease release);

/// The name of a class of 0.7.0 in a release: "HwSystem" → "System".
std::string_view itea_class_name(std::string_view class_name, IteaRelease release);

/// The name of a feature of 0.7.0 in a release, for objects of a class (also of 0.7.0): "buffered" → "isBuffered".
std::string_view itea_feature_name(std::string_view class_name, std::string_view feature, IteaRelease release);

/// "http://www.amalthea.itea2.org/model/1.2.0/sw".
std::string itea_namespace(std::string_view package, IteaRelease release);

/// "http://www.amalthea.itea2.org/model/1.2.0/sw" → 1.2.0; none for any other namespace or release.
IteaRelease itea_release(std::string_view namespace_uri);

}  // namespace amalthea
