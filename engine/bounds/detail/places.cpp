// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/places.hpp"

#include <algorithm>

namespace amalthea::engine::bounds {

namespace {

/// The alternatives of a branch.
std::vector<Place> alternatives_of(const Step& step) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < step.alternatives.size(); ++i)
    places.push_back({step.alternatives[i], i + 1 < step.alternatives.size() ? step.alternatives[i + 1] : step.next});
  return places;
}

}  // namespace

std::vector<Place> places_of(const std::vector<Step>& steps) {
  std::vector<Place> places(steps.size(), Place{0, steps.size()});
  // Inner branches follow outer ones.
  for (const Step& step : steps)
    for (const Place& place : alternatives_of(step))
      for (std::size_t inside = place.begin; inside < place.end; ++inside) places[inside] = place;
  return places;
}

std::vector<bool> in_branches(const std::vector<Step>& steps) {
  std::vector<bool> inside;
  for (const Place& place : places_of(steps)) inside.push_back(place != Place{0, steps.size()});
  return inside;
}

bool exclude_each_other(const std::vector<Step>& steps, std::size_t a, std::size_t b) {
  return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
    const auto places = alternatives_of(step);
    return !places.empty() && a >= places.front().begin && b >= places.front().begin && a < step.next &&
           b < step.next && std::none_of(places.begin(), places.end(), [&](const Place& place) {
             return place.contains(a) && place.contains(b);
           });
  });
}

}  // namespace amalthea::engine::bounds
