// SPDX-License-Identifier: Apache-2.0
#include "migration/detail/deviation.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/core.h>

namespace amalthea::migration {
namespace {

std::string_view prefix_of(DeviationFamily family) {
  switch (family) {
    case DeviationFamily::discrete:
      return "DiscreteValue";
    case DeviationFamily::continuous:
      return "ContinuousValue";
    case DeviationFamily::time:
      return "Time";
  }
  return {};
}

class Conversion {
 public:
  Conversion(Step& step, Object& target, DeviationFamily family, double divisor)
      : step_(step), target_(target), family_(family), divisor_(divisor) {}

  /// `value` is a LongObject, DoubleObject or Time; null where nothing is stated.
  void put(std::string_view feature, Object* value, std::string_view otherwise) {
    if (family_ == DeviationFamily::time) {
      if (value != nullptr) {
        value->set_class("Time");
        value->move_to(target_, feature);
      } else if (!otherwise.empty()) {
        target_.create(feature, "Time").set("value", otherwise);
      }
      return;
    }
    const std::string_view text = value != nullptr ? value->attribute_or("value", "0") : otherwise;
    if (value != nullptr) step_.drop(*value, {"value"});
    if (text.empty()) return;
    target_.set(feature, family_ == DeviationFamily::discrete ? divided(text, divisor_) : std::string(text));
  }

  /// The spread of fewer cycles is smaller too, and need not be a whole number.
  void put_spread(Object* sd) {
    if (family_ != DeviationFamily::discrete || divisor_ == 1 || sd == nullptr) return put("sd", sd, "");
    const std::string_view text = sd->attribute_or("value", "0");
    const auto number = number_in(text);
    target_.set("sd", number ? fmt::format("{}", *number / divisor_) : std::string(text));
    step_.drop(*sd, {"value"});
  }

 private:
  Step& step_;
  Object& target_;
  DeviationFamily family_;
  double divisor_;
};

/// The class of 0.9.3 without the family, for each distribution up to 0.9.2.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kinds{{
    {"Boundaries", "Boundaries"},
    {"UniformDistribution", "UniformDistribution"},
    {"BetaDistribution", "BetaDistribution"},
    {"GaussDistribution", "GaussDistribution"},
    {"WeibullEstimators", "WeibullEstimatorsDistribution"},
    {"WeibullParameters", "Boundaries"},  // content beside its bounds is kept
}};

}  // namespace

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string divided(std::string_view number, double divisor) {
  const auto value = number_in(number);
  if (!value || divisor == 1 || divisor == 0 || !std::isfinite(divisor)) return std::string(number);
  constexpr double most = 9.2e18;
  const double cycles = std::trunc(*value / divisor);
  return std::abs(cycles) < most ? fmt::format("{}", static_cast<std::int64_t>(cycles)) : std::string(number);
}

bool convert_deviation(Step& step, Object& target, Object& deviation, DeviationFamily family, double divisor) {
  Object* const distribution = deviation.child("distribution");
  Object *const lower = deviation.child("lowerBound"), *const upper = deviation.child("upperBound");
  if (distribution == nullptr && lower == nullptr && upper == nullptr) {
    if (&deviation != &target) step.drop(deviation);
    return false;
  }

  std::string_view kind = "Boundaries";  // bounds alone have the same meaning
  const std::string_view before = distribution != nullptr ? distribution->class_name() : kind;
  for (const auto& [old_class, new_kind] : kinds)
    if (before == old_class) kind = new_kind;
  target.set_class(fmt::format("{}{}", prefix_of(family), kind));

  Conversion conversion(step, target, family, divisor);
  // A Gauss distribution need not be cut off; all others have bounds.
  const std::string_view zero = family == DeviationFamily::continuous ? "0.0" : "0";
  const std::string_view no_bound = kind == "GaussDistribution" ? "" : zero;
  conversion.put("lowerBound", lower, no_bound);
  conversion.put("upperBound", upper, no_bound);
  if (distribution == nullptr) {
    if (&deviation != &target) step.drop(deviation);
    return true;
  }

  for (const std::string_view attribute : {"samplingType", "alpha", "beta", "pRemainPromille"})
    if (const auto value = distribution->attribute(attribute)) target.set(attribute, *value);
  conversion.put(kind == "GaussDistribution" ? "mean" : "average", distribution->child("mean"), "");
  conversion.put_spread(distribution->child("sd"));
  const bool weibull = before == "WeibullParameters";
  if (weibull) {
    step.altered(target, "WeibullParameters has no successor; only its bounds remain");
    for (const std::string_view parameter : {"kappa", "lambda"})
      if (const auto value = distribution->attribute(parameter)) step.keep(target, parameter, *value);
  }
  if (weibull)
    step.drop(*distribution, {"kappa", "lambda"});
  else
    step.drop(*distribution, {"samplingType", "alpha", "beta", "pRemainPromille"});
  if (&deviation != &target) step.drop(deviation);
  return true;
}

bool convert_deviation_back(Object& deviation, DeviationFamily family) {
  const std::string_view cls = deviation.class_name(), prefix = prefix_of(family);
  if (!cls.starts_with(prefix)) return false;
  std::string_view before;
  for (const auto& [old_class, kind] : kinds)
    if (before.empty() && cls.substr(prefix.size()) == kind) before = old_class;
  if (before.empty()) return false;

  deviation.set_class("Deviation");
  Object& distribution = deviation.create("distribution", before);
  for (const std::string_view attribute : {"samplingType", "alpha", "beta", "pRemainPromille"})
    if (const auto value = deviation.attribute(attribute)) {
      distribution.set(attribute, *value);
      deviation.unset(attribute);
    }
  const std::string_view object = family == DeviationFamily::discrete ? "LongObject" : "DoubleObject";
  const auto give_back = [&](std::string_view feature, Object& owner, std::string_view old_feature,
                             std::string_view value_class) {
    if (family == DeviationFamily::time) {
      if (Object* const time = deviation.child(feature)) time->move_to(owner, old_feature);
    } else if (const auto value = deviation.attribute(feature)) {
      const std::string text(*value);
      deviation.unset(feature);
      // A mean is a double now; an integer was a long.
      const auto number = number_in(text);
      const bool whole =
          family == DeviationFamily::discrete && number && std::trunc(*number) == *number && std::abs(*number) < 9.2e18;
      owner.create(old_feature, whole ? "LongObject" : value_class)
          .set("value", whole ? fmt::format("{}", static_cast<std::int64_t>(*number)) : text);
    }
  };
  give_back("lowerBound", deviation, "lowerBound", object);
  give_back("upperBound", deviation, "upperBound", object);
  give_back("sd", distribution, "sd", "DoubleObject");
  give_back("mean", distribution, "mean", "DoubleObject");
  give_back("average", distribution, "mean", "DoubleObject");
  return true;
}

}  // namespace amalthea::migration
