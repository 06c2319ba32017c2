// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/places.hpp"

#include <algorithm>

namespace amalthea::engine::bounds {

std::vector<Place> places_of(const std::vector<Step>& steps) {
  std::vector<Place> places(steps.size(), Place{0, steps.size()});
  // Inner branches follow outer ones.
  for (const Step& step : steps)
    for (std::size_t i = 0; i < step.alternatives.size(); ++i) {
      const Place place{step.alternatives[i], i + 1 < step.alternatives.size() ? step.alternatives[i + 1] : step.next};
      for (std::size_t inside = place.begin; inside < place.end; ++inside) places[inside] = place;
    }
  return places;
}

std::vector<bool> in_branches(const std::vector<Step>& steps) {
  std::vector<bool> inside;
  for (const Place& place : places_of(steps)) inside.push_back(place != Place{0, steps.size()});
  return inside;
}

}  // namespace amalthea::engine::bounds
