// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Names of AMALTHEA before 0.7.0 (the ITEA namespaces 1.1.0, 1.2.0, 1.3.0), as 0.7.0 calls them.
///
/// No metamodel of those releases is to be had. Most of their names went unchanged into 0.7.0; these tables list the
/// ones that did not, found in models and in what AMALTHEA's own migration makes of them.

#include <optional>
#include <string>
#include <string_view>

#include "amalthea/element.hpp"

namespace amalthea {

/// The class that 0.7.0 has for `name` of the ITEA package `package` ("hw" and "System": "HwSystem"; "sw" and
/// "System": "System"); `name` itself where it did not change.
std::string_view itea_class(std::string_view package, std::string_view name);

/// The tag or attribute name of 0.7.0, e.g. "isBuffered" → "buffered"; `name` itself where it did not change.
std::string_view itea_feature(std::string_view name);

/// The class of objects below a feature that 0.7.0 no longer has ("deadline" of a task: "Time"); "" when not known.
std::string_view itea_content(std::string_view feature);

// ---- the way back

/// The ITEA package of a class of 0.7.0, or of one that only ITEA has: "Task" → "sw". "" for any other.
std::string_view itea_package(std::string_view class_name);
/// The same in one release: SchedulingSWUnit moved from "sw" to "os" in 1.3.0.
std::string_view itea_package(std::string_view class_name, IteaRelease release);

/// What a release calls a class of 0.7.0: "HwSystem" → "System".
std::string_view itea_class_name(std::string_view class_name, IteaRelease release);

/// What a release calls a feature of 0.7.0 in objects of a class (of 0.7.0, too): "buffered" → "isBuffered".
std::string_view itea_feature_name(std::string_view class_name, std::string_view feature, IteaRelease release);

/// "http://www.amalthea.itea2.org/model/1.2.0/sw".
std::string itea_namespace(std::string_view package, IteaRelease release);

/// "http://www.amalthea.itea2.org/model/1.2.0/sw" → 1.2.0; none for any other namespace or release.
IteaRelease itea_release(std::string_view namespace_uri);

}  // namespace amalthea
